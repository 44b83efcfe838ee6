/** The prepared read statements of a thread, by cache. */
import type { Statement } from 'bun:sqlite';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../base/clock.ts';
import { gridError } from '../../../base/errors.ts';
import type { Value } from '../../../values/value.ts';
import type { CacheHandle, CacheRegistry } from '../ddl/cache-registry.ts';
import { hasTable, prepare, type ReadConnection, type ReadConnections } from '../storage/databases.ts';
import { expiredEntries } from '../storage/deadline-index.ts';
import type { SharedState } from '../storage/shared-state.ts';
import { isTableMissing, reading, storageFailure } from '../storage/storage-failures.ts';
import { type Binding, type Row, TYPE_CODES } from '../storage/value-storage.ts';

/** The live entries of several keys, whose values are strings. */
export interface FoundTexts {
  /** A JSON object of them, in key order. */
  readonly json: string;
  readonly found: number;
}

/** A row's value if it is a string of at most ?3 bytes; otherwise a blob, which JSON cannot hold. */
const TEXT = `CASE WHEN vt = ${TYPE_CODES.string} AND octet_length(v) <= ?3 THEN v ELSE x'' END`;
const NOT_A_TEXT = 'JSON cannot hold BLOB values';

/** How long reads of a cache take turns after a heavy one, in ms. */
const HEAVY_FOR_MS = 1_000;

/** Maximum number of readers; the least recently used is evicted first. Each holds a prepared statement. */
const MAX_READERS = 16_384;

export class CacheReader {
  readonly handle: CacheHandle;
  readonly connection: ReadConnection;
  /** The time to live to which reads extend an entry's, or undefined without sliding expiry. */
  readonly slidingMs: number | undefined;
  readonly #clock: Clock;
  readonly #select: Statement<Row, Binding[]>;
  #heavyUntilMs = Number.NEGATIVE_INFINITY;
  #size: Statement<{ size: bigint }, Binding[]> | undefined;
  #texts: Statement<{ json: string; found: bigint }, Binding[]> | undefined;

  constructor(handle: CacheHandle, connection: ReadConnection, clock: Clock) {
    this.handle = handle;
    this.connection = connection;
    this.#clock = clock;
    const { ttlMs, sliding } = handle.definition;
    this.slidingMs = sliding === true ? ttlMs : undefined;
    const { codec, table } = handle;
    const columns = codec.columns.map((column) => `, f${column}`).join('');
    this.#select = prepare(connection.database, `SELECT vt, v, exp${columns} FROM ${table} WHERE kt = ?1 AND k = ?2`);
  }

  /** Ensures that {@link find} sees every acknowledged change. Call it before reads. */
  refresh(): void {
    try {
      this.connection.refresh();
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /**
   * Whether reads of the cache take turns because one has encountered a large value. SQLite reads the pages of such a
   * row one by one, even to compare its key.
   */
  get isHeavy(): boolean {
    return this.#heavyUntilMs > Number.NEGATIVE_INFINITY && this.#clock.monotonicMs() < this.#heavyUntilMs;
  }

  markHeavy(): void {
    this.#heavyUntilMs = this.#clock.monotonicMs() + HEAVY_FOR_MS;
  }

  /** Returns the row of a live entry. */
  find(key: Value): Row | undefined {
    try {
      const { type, storageValue } = this.handle.codec.key(key);
      const row = this.#select.get(type, storageValue);
      if (!row || (row.exp !== null && row.exp <= this.#clock.nowMs())) return undefined;
      return row;
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /**
   * Returns the entries of keys that are strings without NUL and lone surrogates, or undefined unless all values are
   * such strings, of at most `maxBytes` each. One statement for all keys costs less than one for each.
   */
  findTexts(keys: readonly string[], maxBytes: number): FoundTexts | undefined {
    try {
      // The order of a CROSS JOIN is fixed.
      this.#texts ??= prepare(
        this.connection.database,
        `SELECT json_group_object(value, ${TEXT}) AS json, count(*) AS found
        FROM json_each(?1) CROSS JOIN ${this.handle.table} ON k = value AND kt = ${TYPE_CODES.string}
        WHERE exp IS NULL OR exp > ?2`,
      );
      const row = this.#texts.get(JSON.stringify(keys), this.#clock.nowMs(), maxBytes);
      return { json: row?.json ?? '{}', found: Number(row?.found ?? 0n) };
    } catch (error) {
      if (error instanceof Error && error.message === NOT_A_TEXT) return undefined;
      throw this.#failure(error);
    }
  }

  /** Returns the number of live entries: the writer's count without the expired entries that are still stored. */
  size(): number {
    const { id, table } = this.handle;
    try {
      this.#size ??= prepare(
        this.connection.database,
        `SELECT entries - ${expiredEntries(table)} AS size FROM entry_counts WHERE cache = ?2`,
      );
      return Number(this.#size.get(this.#clock.nowMs(), id)?.size ?? 0n);
    } catch (error) {
      throw this.#failure(error);
    }
  }

  #failure(error: unknown): unknown {
    return readFailure(error, this.handle, this.connection);
  }

  finalize(): void {
    this.#select.finalize();
    this.#size?.finalize();
    this.#texts?.finalize();
  }
}

/**
 * Returns the error that clients see. The snapshot can be newer than the definitions that this thread has read, with
 * the table already dropped. SQLite also reports a missing table when it cannot read the file's definitions.
 */
function readFailure(error: unknown, { table, definition }: CacheHandle, { database }: ReadConnection): unknown {
  if (!isTableMissing(error)) return storageFailure(error);
  try {
    return hasTable(database, table)
      ? gridError('STORAGE_FAILED', String(error))
      : gridError('CACHE_NOT_FOUND', definition.name);
  } catch (failure) {
    return storageFailure(failure);
  }
}

export class CacheReaders {
  readonly #registry: CacheRegistry;
  readonly #connections: ReadConnections;
  readonly #shared: SharedState;
  readonly #clock: Clock;
  readonly #maxReaders: number;
  /** Created with the first reader: its arrays have their final size, which startup does not need. */
  #readers: LRUCache<string, CacheReader> | undefined;
  /** The most recently used reader: saves a look-up when consecutive requests use the same cache. */
  #last: CacheReader | undefined;
  #epoch = 0;
  #definitions = 0;

  constructor(
    registry: CacheRegistry,
    connections: ReadConnections,
    shared: SharedState,
    clock: Clock,
    maxReaders = MAX_READERS,
  ) {
    this.#maxReaders = maxReaders;
    this.#registry = registry;
    this.#connections = connections;
    this.#shared = shared;
    this.#clock = clock;
  }

  /**
   * Returns a cache's reader, with a snapshot that contains every acknowledged change. Throws INACTIVE, then
   * CACHE_NOT_FOUND.
   */
  open(cache: string): CacheReader {
    const reader = this.#find(cache);
    reader.refresh();
    return reader;
  }

  #find(cache: string): CacheReader {
    if (this.#shared.isInactive()) throw gridError('INACTIVE');
    if (this.#epoch !== this.#shared.epoch()) this.releaseTemporary();
    if (this.#definitions !== this.#shared.definitionsVersion()) this.#releaseOld();
    // The remaining readers have current handles and open connections: others have been released above.
    if (this.#last?.handle.definition.name === cache) return this.#last;
    let reader = this.#readers?.get(cache);
    if (!reader) {
      const handle = this.#registry.require(cache);
      const connection = reading(() => this.#connections.get(handle.database));
      try {
        reader = new CacheReader(handle, connection, this.#clock);
      } catch (error) {
        throw readFailure(error, handle, connection);
      }
      this.#readers ??= new LRUCache({ max: this.#maxReaders, dispose: (released) => released.finalize() });
      this.#readers.set(cache, reader);
    }
    this.#last = reader;
    return reader;
  }

  /** Finalizes the statements of caches that were destroyed or redefined. */
  #releaseOld(): void {
    this.#definitions = this.#shared.definitionsVersion();
    this.#last = undefined;
    const readers = this.#readers;
    for (const [name, { handle }] of [...(readers ?? [])]) {
      if (this.#registry.find(name) !== handle) readers?.delete(name);
    }
  }

  /** Closes the files of non-persistent regions. */
  releaseTemporary(): void {
    this.#epoch = this.#shared.epoch();
    this.release();
    this.#connections.closeTemporary();
  }

  /** Finalizes all statements. */
  release(): void {
    this.#last = undefined;
    this.#readers?.clear();
  }
}
