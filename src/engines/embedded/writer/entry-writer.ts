/** Changes the rows of one cache, inside the writer's transaction. */
import type { Database, Statement } from 'bun:sqlite';
import type { Clock } from '../../../base/clock.ts';
import type { Entry, TimeToLive } from '../../../grid/grid.ts';
import type { Value } from '../../../values/value.ts';
import type { CacheHandle } from '../ddl/cache-registry.ts';
import type { WritableDatabase } from '../storage/databases.ts';
import { prepare } from '../storage/databases.ts';
import { createDeadlineIndex, expiredEntries, hasDeadlineIndex } from '../storage/deadline-index.ts';
import { deadlineAfter, defaultTtlMs, LAST_MS, remainingMs } from '../storage/deadlines.ts';
import { checkDiskSpace } from '../storage/disk-space.ts';
import { clearRecorded, recordExpiry } from '../storage/feed-tables.ts';
import type { RegionSpace } from '../storage/region-space.ts';
import type { SharedState } from '../storage/shared-state.ts';
import type { Binding, Key, Row, TypeNames, ValueCodec } from '../storage/value-storage.ts';
import { forEachInSteps, type Steps } from './steps.ts';

/** Changes to a cache's statistics that take effect when the transaction commits. */
export interface PendingStatistics {
  entries: number;
  hits: number;
  misses: number;
  writes: number;
}

/** The row of a key: live, expired (`stored`: SQLite still has it) or absent. */
export type FoundEntry =
  | { readonly live: true; readonly row: Row }
  | { readonly live: false; readonly stored: boolean };

const NO_COLUMNS: readonly Binding[] = [];

/** A statement that is prepared on first use: most caches use two or three of theirs. */
class OnDemand<R> {
  readonly #database: Database;
  readonly #sql: string;
  #statement: Statement<R, Binding[]> | undefined;

  constructor(database: Database, sql: string) {
    this.#database = database;
    this.#sql = sql;
  }

  get statement(): Statement<R, Binding[]> {
    this.#statement ??= prepare<R>(this.#database, this.#sql);
    return this.#statement;
  }

  finalize(): void {
    this.#statement?.finalize();
  }
}

export class EntryWriter {
  readonly handle: CacheHandle;
  readonly pending: PendingStatistics = { entries: 0, hits: 0, misses: 0, writes: 0 };
  /** The earliest deadline that this transaction set. */
  earliestExpiry: number | undefined;
  /** Maximum characters of a value after an append. */
  readonly maxValueCharacters: number;
  readonly #target: WritableDatabase;
  readonly #codec: ValueCodec;
  readonly #clock: Clock;
  readonly #shared: SharedState;
  readonly #space: RegionSpace | undefined;
  readonly #select: OnDemand<Row>;
  readonly #update: OnDemand<unknown>;
  readonly #updateLasting: OnDemand<unknown>;
  readonly #insertNew: OnDemand<unknown>;
  readonly #delete: OnDemand<unknown>;
  readonly #setExpiry: OnDemand<unknown>;
  readonly #defaultTtlMs: bigint | undefined;
  #slide: Statement<unknown, Binding[]> | undefined;
  /** Whether the table is known to have the index of deadlines. */
  #isIndexed = false;

  /** `names` stores the names of new types. */
  constructor(
    target: WritableDatabase,
    handle: CacheHandle,
    names: TypeNames,
    clock: Clock,
    shared: SharedState,
    space: RegionSpace | undefined,
    maxValueCharacters = Number.POSITIVE_INFINITY,
  ) {
    this.maxValueCharacters = maxValueCharacters;
    this.#shared = shared;
    this.#space = space;
    this.handle = handle;
    this.#target = target;
    const { database } = target;
    this.#clock = clock;
    const { table } = handle;
    const codec = handle.codec.withNames(names);
    this.#codec = codec;
    const columns = codec.columns.map((column) => `, f${column}`).join('');
    const sets = codec.columns.map((column, at) => `, f${column} = ?${at + 7}`).join('');
    const lastingSets = codec.columns.map((column, at) => `, f${column} = ?${at + 5}`).join('');
    const places = codec.columns.map((_, at) => `, ?${at + 6}`).join('');
    this.#select = new OnDemand(database, `SELECT vt, v, exp${columns} FROM ${table} WHERE kt = ?1 AND k = ?2`);
    // ?5 is the new deadline, ?6 the current time or LAST_MS. A deadline that has passed belonged to an earlier entry
    // of the key.
    this.#update = new OnDemand(
      database,
      `UPDATE ${table} SET vt = ?3, v = ?4,
        exp = CASE WHEN ?5 IS NOT NULL THEN ?5 WHEN exp <= ?6 THEN NULL ELSE exp END${sets}
      WHERE kt = ?1 AND k = ?2`,
    );
    // SQLite accesses the index of deadlines unless the statement leaves them alone.
    this.#updateLasting = new OnDemand(
      database,
      `UPDATE ${table} SET vt = ?3, v = ?4${lastingSets} WHERE kt = ?1 AND k = ?2 AND exp IS NULL`,
    );
    this.#insertNew = new OnDemand(
      database,
      `INSERT INTO ${table} (kt, k, vt, v, exp${columns}) VALUES (?1, ?2, ?3, ?4, ?5${places})
      ON CONFLICT (k, kt) DO NOTHING`,
    );
    this.#delete = new OnDemand(database, `DELETE FROM ${table} WHERE kt = ?1 AND k = ?2`);
    this.#setExpiry = new OnDemand(database, `UPDATE ${table} SET exp = ?3 WHERE kt = ?1 AND k = ?2`);
    this.#defaultTtlMs = defaultTtlMs(handle.definition);
  }

  key(key: Value): Key {
    return this.#codec.key(key);
  }

  find(key: Key): FoundEntry {
    const row = this.#select.statement.get(key.type, key.storageValue);
    if (!row) return { live: false, stored: false };
    if (row.exp !== null && row.exp <= this.#clock.nowMs()) return { live: false, stored: true };
    return { live: true, row };
  }

  countRead(found: FoundEntry): void {
    if (found.live) this.pending.hits++;
    else this.pending.misses++;
  }

  /** Returns the entry's value and counts a read. */
  read(found: FoundEntry): Value | undefined {
    this.countRead(found);
    return found.live ? this.#codec.value(found.row) : undefined;
  }

  /** Stores the entry, replacing an existing one. */
  put(key: Value, value: Value, ttlMs?: TimeToLive): void {
    const storageValue = this.key(key);
    this.#store(storageValue, this.#codec.bind(key, value), this.#deadline(ttlMs), ttlMs === null);
    this.pending.writes++;
  }

  /** Stores the entry if `holds`. An unstorable one is rejected in any case, as in Ignite. */
  putIf(holds: boolean, key: Value, value: Value, ttlMs?: TimeToLive): void {
    if (holds) this.put(key, value, ttlMs);
    else this.#codec.check(key, value);
  }

  /** Stores the entry until a time in milliseconds since 1970. */
  putUntil(key: Value, value: Value, deadlineMs: number): void {
    const deadline = BigInt(Math.floor(Math.min(deadlineMs, Number(LAST_MS))));
    this.#expect(deadline);
    this.#store(this.key(key), this.#codec.bind(key, value), deadline, false);
    this.pending.writes++;
  }

  /** Stores all entries, some in each step, or none if one of them is rejected. */
  *putAll(entries: readonly Entry[], ttlMs?: TimeToLive): Steps<void> {
    const rows = entries.map(({ key, value }) => ({
      key: this.key(key),
      storageValues: this.#codec.bind(key, value),
    }));
    const before = this.pending.entries;
    const deadline = this.#deadline(ttlMs);
    yield* this.#atomically(
      forEachInSteps(this.#clock, rows, ({ key, storageValues }) =>
        this.#store(key, storageValues, deadline, ttlMs === null),
      ),
      before,
    );
    this.pending.writes += entries.length;
  }

  remove(key: Key): void {
    if (this.#delete.statement.run(key.type, key.storageValue).changes === 0) return;
    this.pending.entries--;
    this.pending.writes++;
  }

  /** Removes the live entries of several keys, some in each step. */
  removeAll(keys: readonly Value[]): Steps<void> {
    return forEachInSteps(this.#clock, keys, (each) => {
      const key = this.key(each);
      if (this.find(key).live) this.remove(key);
    });
  }

  /** Sets the time to live. Removes the entry if `ttlMs` is below 0; 0 changes nothing; null removes the deadline. */
  updateTtl(key: Key, ttlMs: bigint | null): void {
    if (ttlMs === null) this.#setDeadline(key, null);
    else if (ttlMs < 0n) this.remove(key);
    else if (ttlMs > 0n) this.#setDeadline(key, this.#deadline(ttlMs));
  }

  /** Sets a live entry's deadline, in milliseconds since 1970; null removes it. */
  expireAt(key: Value, deadlineMs: number | null): void {
    const deadline = deadlineMs === null ? null : BigInt(Math.min(deadlineMs, Number(LAST_MS)));
    if (deadline !== null) this.#expect(deadline);
    this.#setDeadline(this.key(key), deadline);
  }

  #setDeadline(key: Key, deadline: bigint | null): void {
    this.#setExpiry.statement.run(key.type, key.storageValue, deadline);
    const { definition, id } = this.handle;
    if (definition.changeFeed === true) recordExpiry(this.#target, id, key);
  }

  /** Moves the deadlines of live entries that were read and have less than the cache's time to live left. */
  slide(keys: readonly Value[]): void {
    const { ttlMs } = this.handle.definition;
    if (ttlMs === undefined || this.#defaultTtlMs === undefined) return;
    this.#slide ??= prepare(
      this.#target.database,
      `UPDATE ${this.handle.table} SET exp = ?3 WHERE kt = ?1 AND k = ?2 AND exp > ?4 AND exp < ?5`,
    );
    const nowMs = Math.floor(this.#clock.nowMs());
    const deadline = deadlineAfter(nowMs, this.#defaultTtlMs);
    for (const each of keys) {
      const { type, storageValue } = this.key(each);
      this.#slide.run(type, storageValue, deadline, nowMs, nowMs + ttlMs);
    }
  }

  clear(): void {
    const remove = () => this.#target.database.run(`DELETE FROM ${this.handle.table}`).changes;
    const isRecorded = this.handle.definition.changeFeed === true;
    this.pending.entries -= isRecorded ? clearRecorded(this.#target, this.handle, remove) : remove();
  }

  /** Removes up to `rows` expired entries. Returns the earliest remaining deadline, or undefined if there is none. */
  sweep(rows: number): number | undefined {
    const { table } = this.handle;
    using indexed = prepare(this.#target.database, `SELECT 1 WHERE ${hasDeadlineIndex(table)}`);
    if (indexed.get() === null) return undefined;
    const { changes } = this.#target.database.run(
      `DELETE FROM ${table} WHERE (k, kt) IN (SELECT k, kt FROM ${table} WHERE exp <= ? LIMIT ?)`,
      [this.#clock.nowMs(), rows],
    );
    this.pending.entries -= changes;
    using first = prepare<{ exp: bigint | null }>(
      this.#target.database,
      `SELECT min(exp) AS exp FROM ${table} WHERE exp IS NOT NULL`,
    );
    const next = first.get()?.exp ?? null;
    return next === null ? undefined : Number(next);
  }

  /** Returns the number of live entries, including the changes of this transaction. */
  size(): number {
    const { database, prefix } = this.#target;
    using size = prepare<{ size: bigint | null }>(
      database,
      `SELECT entries - ${expiredEntries(this.handle.table)} AS size FROM ${prefix}entry_counts WHERE cache = ?2`,
    );
    return Number(size.get(this.#clock.nowMs(), this.handle.id)?.size ?? 0n) + this.pending.entries;
  }

  /** Returns the remaining time to live of a live entry in ms, or null if it has no deadline. */
  timeToLive(row: Row): bigint | null {
    return row.exp === null ? null : remainingMs(row.exp, this.#clock.nowMs());
  }

  finalize(): void {
    for (const statement of [
      this.#select,
      this.#update,
      this.#updateLasting,
      this.#insertNew,
      this.#delete,
      this.#setExpiry,
    ]) {
      statement.finalize();
    }
    this.#slide?.finalize();
  }

  resetPendingStatistics(): void {
    Object.assign(this.pending, { entries: 0, hits: 0, misses: 0, writes: 0 });
    this.earliestExpiry = undefined;
  }

  /** Called when the transaction has been rolled back. */
  rolledBack(): void {
    this.resetPendingStatistics();
    this.partRolledBack();
  }

  /** Called when a part of the transaction has been rolled back. */
  partRolledBack(): void {
    this.#isIndexed = false;
  }

  /** Without a deadline, an existing entry keeps its own unless `removesDeadline`. */
  #store(key: Key, bindings: readonly Binding[], deadline: bigint | null, removesDeadline: boolean): void {
    this.#space?.check();
    checkDiskSpace(this.#shared, this.handle.database);
    const vt = bindings[0] ?? null;
    const v = bindings[1] ?? null;
    const columns = bindings.length > 2 ? bindings.slice(2) : NO_COLUMNS;
    if (deadline === null) {
      // Most entries have no deadline, neither before nor afterwards.
      if (this.#updateLasting.statement.run(key.type, key.storageValue, vt, v, ...columns).changes > 0) return;
      if (this.#insertNew.statement.run(key.type, key.storageValue, vt, v, null, ...columns).changes > 0) {
        this.pending.entries++;
        return;
      }
    }
    // The update removes every deadline that has passed by then.
    const passedMs = removesDeadline ? LAST_MS : this.#clock.nowMs();
    if (this.#update.statement.run(key.type, key.storageValue, vt, v, deadline, passedMs, ...columns).changes > 0)
      return;
    this.#insertNew.statement.run(key.type, key.storageValue, vt, v, deadline, ...columns);
    this.pending.entries++;
  }

  #deadline(own: TimeToLive): bigint | null {
    if (own === null) return null;
    const ttlMs = own === undefined || own <= 0n ? this.#defaultTtlMs : own;
    if (ttlMs === undefined) return null;
    const deadline = deadlineAfter(this.#clock.nowMs(), ttlMs);
    this.#expect(deadline);
    return deadline;
  }

  /** Records a deadline before it is stored. */
  #expect(deadline: bigint): void {
    if (!this.#isIndexed) createDeadlineIndex(this.#target, this.handle.table);
    this.#isIndexed = true;
    this.earliestExpiry = Math.min(this.earliestExpiry ?? Number.POSITIVE_INFINITY, Number(deadline));
  }

  /**
   * Runs the steps in a savepoint if they can fail after storing some rows: because of a unique index or a full region.
   */
  *#atomically(steps: Steps<void>, entriesBefore: number): Steps<void> {
    const { entities } = this.handle.definition;
    if (!this.#space && !entities.some((entity) => entity.indexes?.some((index) => index.unique))) {
      yield* steps;
      return;
    }
    this.#target.database.run('SAVEPOINT several');
    try {
      yield* steps;
    } catch (error) {
      this.pending.entries = entriesBefore;
      this.#isIndexed = false;
      if (this.#target.database.inTransaction) this.#target.database.run('ROLLBACK TO several; RELEASE several');
      throw error;
    }
    this.#target.database.run('RELEASE several');
  }
}
