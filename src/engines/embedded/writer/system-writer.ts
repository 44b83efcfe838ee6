/** Changes counters and records, inside the writer's transaction. */
import type { Database } from 'bun:sqlite';
import type { Clock } from '../../../base/clock.ts';
import { gridError } from '../../../base/errors.ts';
import type { Call } from '../../../grid/calls.ts';
import { DATA_DATABASE, touch } from '../storage/databases.ts';
import { deadlineAfter } from '../storage/deadlines.ts';
import { checkDiskSpace } from '../storage/disk-space.ts';
import type { SharedState } from '../storage/shared-state.ts';
import { encodeText, type StorageValue } from '../storage/value-storage.ts';
import type { WritableDatabases } from '../storage/write-connections.ts';
import type { FurtherChanges, RecordChanges } from './changes.ts';

/** The row of `entry_counts` with the number of counters, among the caches' rows, whose ids are higher. */
const COUNTERS = 0;

type RequestOf<N extends keyof RecordChanges> = RecordChanges[N]['request'];

export class SystemWriter {
  readonly #connections: WritableDatabases;
  readonly #shared: SharedState;
  readonly #clock: Clock;
  readonly #maxCounters: number;
  /** Number of the database that holds the counters: the one with the region `default`. */
  readonly countersDatabase: number;

  constructor(
    connections: WritableDatabases,
    shared: SharedState,
    clock: Clock,
    { countersDatabase, maxCounters }: { readonly countersDatabase: number; readonly maxCounters: number },
  ) {
    this.#maxCounters = maxCounters;
    this.#connections = connections;
    this.#shared = shared;
    this.#clock = clock;
    this.countersDatabase = countersDatabase;
  }

  checkCounterState(): void {
    if (this.#shared.isInactive()) throw gridError('INACTIVE');
  }

  addToCounter({ name, delta, initial, ttlMs }: Call<'addToCounter'>): bigint {
    this.checkCounterState();
    const { database, prefix } = this.#connections.get(this.countersDatabase);
    const storageValue = encodeText(name);
    const nowMs = this.#clock.nowMs();
    const found = database
      .query<{ value: bigint; exp: bigint | null }, [StorageValue]>(
        `SELECT value, exp FROM ${prefix}counters WHERE name = ?`,
      )
      .get(storageValue);
    const old = found === null || (found.exp !== null && found.exp <= nowMs) ? undefined : found;
    if (!this.#shared.isActive()) throw gridError('READ_ONLY', old ? 'cache operation' : 'start cache operation', name);
    if (!old) checkDiskSpace(this.#shared);
    if (found === null) this.#countCounter();
    const value = BigInt.asIntN(64, (old?.value ?? initial) + delta);
    const deadline = old === undefined ? newDeadline(ttlMs, nowMs) : old.exp;
    database
      .query(`INSERT OR REPLACE INTO ${prefix}counters (name, value, exp) VALUES (?, ?, ?)`)
      .run(storageValue, value, deadline);
    return value;
  }

  /** Counts a counter that is about to be stored. Throws COUNTER_LIMIT. */
  #countCounter(): void {
    const { database, prefix } = this.#connections.get(this.countersDatabase);
    // A file of an earlier version has no such row.
    const counted = database
      .query<{ entries: bigint }, [number]>(
        `INSERT INTO ${prefix}entry_counts (cache, entries)
        VALUES (?, (SELECT count(*) + 1 FROM ${prefix}counters))
        ON CONFLICT (cache) DO UPDATE SET entries = entries + 1 RETURNING entries`,
      )
      .get(COUNTERS);
    if (Number(counted?.entries) <= this.#maxCounters) return;
    // Changes that fail share a transaction with others.
    this.#addToCount(-1);
    throw gridError('COUNTER_LIMIT', this.#maxCounters);
  }

  #addToCount(added: number): void {
    const { database, prefix } = this.#connections.get(this.countersDatabase);
    database.query(`UPDATE ${prefix}entry_counts SET entries = entries + ? WHERE cache = ?`).run(added, COUNTERS);
  }

  /** Removes a counter's deadline. Returns whether the counter exists. */
  persistCounter({ name }: Call<'persistCounter'>): boolean {
    this.checkCounterState();
    if (!this.#shared.isActive()) throw gridError('READ_ONLY', 'cache operation', name);
    const { database, prefix } = this.#connections.get(this.countersDatabase);
    const { changes } = database
      .query(`UPDATE ${prefix}counters SET exp = NULL WHERE name = ? AND (exp IS NULL OR exp > ?)`)
      .run(encodeText(name), this.#clock.nowMs());
    return changes > 0;
  }

  /** Removes up to `rows` expired counters. Returns whether there may be more. */
  sweepCounters({ rows }: FurtherChanges['sweepCounters']['request']): boolean {
    const { database, prefix } = this.#connections.get(this.countersDatabase);
    const { changes } = database
      .query(`DELETE FROM ${prefix}counters WHERE name IN (SELECT name FROM ${prefix}counters WHERE exp <= ? LIMIT ?)`)
      .run(this.#clock.nowMs(), rows);
    if (changes > 0) this.#addToCount(-changes);
    return changes === rows;
  }

  putRecord({ kind, id, content, expiresAtMs }: RequestOf<'putRecord'>): undefined {
    // Sessions are still stored, because the user who frees space must be able to log in.
    if (kind !== 'session') checkDiskSpace(this.#shared);
    this.#data
      .query('INSERT OR REPLACE INTO records (kind, id, content, exp) VALUES (?, ?, ?, ?)')
      .run(kind, id, content, expiresAtMs ?? null);
    return undefined;
  }

  addRecord(request: RequestOf<'addRecord'>): boolean {
    if (this.readRecord(request.kind, request.id) !== undefined) return false;
    this.putRecord(request);
    return true;
  }

  /** `replacesExpired` also replaces an expired record that is still in the file. */
  replaceRecord(
    { kind, id, content, expiresAtMs }: RequestOf<'replaceRecord'>,
    replacesExpired: boolean = false,
  ): boolean {
    if (kind !== 'session') checkDiskSpace(this.#shared);
    const { changes } = this.#data
      .query('UPDATE records SET content = ?, exp = ? WHERE kind = ? AND id = ? AND (exp IS NULL OR exp > ?)')
      .run(content, expiresAtMs ?? null, kind, id, replacesExpired ? 0 : this.#clock.nowMs());
    return changes > 0;
  }

  removeRecord({ kind, id }: RequestOf<'removeRecord'>): string | undefined {
    const content = this.readRecord(kind, id);
    this.#data.query('DELETE FROM records WHERE kind = ? AND id = ?').run(kind, id);
    return content;
  }

  /** Makes the commit sync the data file's log. */
  syncLog(): undefined {
    touch(this.#data);
    return undefined;
  }

  /** Removes the expired records. */
  sweepRecords(): undefined {
    this.#data.query('DELETE FROM records WHERE exp <= ?').run(this.#clock.nowMs());
    return undefined;
  }

  get #data(): Database {
    return this.#connections.get(DATA_DATABASE).database;
  }

  /** Returns a record's content after the last transaction. */
  readRecord(kind: string, id: string): string | undefined {
    const row = this.#data
      .query<{ content: string }, [string, string, number]>(
        'SELECT content FROM records WHERE kind = ? AND id = ? AND (exp IS NULL OR exp > ?)',
      )
      .get(kind, id, this.#clock.nowMs());
    return row?.content;
  }
}

/** Returns the deadline of a counter that begins now. */
function newDeadline(ttlMs: bigint | undefined, nowMs: number): bigint | null {
  return ttlMs === undefined || ttlMs <= 0n ? null : deadlineAfter(nowMs, ttlMs);
}
