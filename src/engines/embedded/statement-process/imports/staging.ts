/**
 * The staged rows of an atomic import. They replace the cache's table if it is empty, which takes one short commit
 * however many they are. Otherwise one transaction adds them, so their number is bounded.
 */
import { gridError } from '../../../../base/errors.ts';
import type { OnDuplicate } from '../../../../grid/bulk.ts';
import { formatText } from '../../../../values/json.ts';
import type { CacheHandle } from '../../ddl/cache-registry.ts';
import { stagedTable } from '../../ddl/staged-cache.ts';
import type { StagedCache } from '../../ddl/structure-changes.ts';
import { createDeadlineIndex, hasDeadlineIndex } from '../../storage/deadline-index.ts';
import { encodeDefinition } from '../../storage/definitions.ts';
import { decodeValue, type StorageValue } from '../../storage/value-storage.ts';
import type { EngineThread } from '../../thread/engine-thread.ts';
import type { ChangeChannel } from '../../writer/changes.ts';
import type { ImportConnection } from './import-connection.ts';

export interface StagingOptions {
  readonly thread: EngineThread;
  readonly connection: ImportConnection;
  readonly changes: ChangeChannel;
  /** Schedules the removal of a cache's expired entries from this time on. */
  readonly onExpiry: (cache: string, atMs: number) => void;
}

/** The fate of the staged rows. */
export interface Applied {
  readonly rows: number;
  readonly skipped: number;
}

export class Staging {
  readonly #options: StagingOptions;
  readonly #staged: StagedCache;
  readonly #cache: string;
  readonly #onDuplicate: OnDuplicate;
  /** Whether the staged table is, or may be, the cache's table. */
  #isApplied = false;

  private constructor(options: StagingOptions, staged: StagedCache, cache: string, onDuplicate: OnDuplicate) {
    this.#options = options;
    this.#staged = staged;
    this.#cache = cache;
    this.#onDuplicate = onDuplicate;
  }

  /** Creates the staged table of an import. Throws CACHE_NOT_FOUND, STORAGE_LOW. */
  static async begin(options: StagingOptions, cache: string, onDuplicate: OnDuplicate): Promise<Staging> {
    const staged = await options.changes.submit('stageCache', { name: cache });
    return new Staging(options, staged, cache, onDuplicate);
  }

  get id(): number {
    return this.#staged.id;
  }

  get table(): string {
    return stagedTable(this.#staged);
  }

  /** Throws IMPORT_ATOMIC_ROWS if there are too many rows to be added to the cache's. */
  checkRows(rows: number): void {
    const { thread, connection } = this.#options;
    const limit = thread.limits.atomicImportRows;
    if (rows <= limit) return;
    const { table, definition } = thread.registry.require(this.#cache);
    const isRecorded = definition.changeFeed === true;
    if (
      !isRecorded &&
      connection.statements.get(`SELECT 1 FROM ${table} WHERE ${LIVE} LIMIT 1`).get(this.#now()) === null
    )
      return;
    throw gridError('IMPORT_ATOMIC_ROWS', this.#cache, limit);
  }

  /** Replaces the cache's table by the staged table. Returns false if the cache has entries. */
  async swap(): Promise<boolean> {
    const { changes } = this.#options;
    // A failure may follow the commit.
    this.#isApplied = true;
    this.#isApplied = await changes.submit('swapCache', { name: this.#cache, staged: this.#staged });
    return this.#isApplied;
  }

  /** Adds the staged rows to the cache's, in a transaction. Throws IMPORT_ATOMIC_KEYS, IMPORT_TABLE_CHANGED. */
  merge(rows: number): Applied {
    const { thread, connection } = this.#options;
    this.checkRows(rows);
    const handle = thread.registry.require(this.#cache);
    if (encodeDefinition(handle) !== this.#staged.definition) throw gridError('IMPORT_TABLE_CHANGED', this.#cache);
    const { database } = connection;
    const pairs = `${this.table} AS s CROSS JOIN ${handle.table} AS t ON t.k = s.k AND t.kt = s.kt`;
    const expired = database.run(
      `DELETE FROM ${handle.table} WHERE (k, kt) IN (SELECT s.k, s.kt FROM ${pairs} WHERE t.exp <= ?)`,
      [this.#now()],
    ).changes;
    const found = database.query<{ n: bigint }, []>(`SELECT count(*) AS n FROM ${pairs}`).get();
    const conflicts = Number(found?.n ?? 0);
    if (conflicts > 0 && this.#onDuplicate === 'error') throw this.#conflict(pairs, conflicts);
    const hasDeadlines = database.query(`SELECT 1 WHERE ${hasDeadlineIndex(this.table)}`).get() !== null;
    if (hasDeadlines) createDeadlineIndex({ database, prefix: '' }, handle.table);
    database.run(insertOf(handle, this.table, this.#onDuplicate));
    connection.addEntries(handle.id, rows - conflicts - expired);
    return this.#onDuplicate === 'skip' ? { rows: rows - conflicts, skipped: conflicts } : { rows, skipped: 0 };
  }

  /** Called when the rows are visible to others. */
  applied(): void {
    this.#options.onExpiry(this.#cache, this.#now());
  }

  /** Removes the staged rows that have not been swapped in. The next startup removes the rest. */
  async discard(): Promise<void> {
    if (!this.#isApplied) await this.#options.changes.submit('dropStaged', { id: this.#staged.id });
  }

  #now(): number {
    return this.#options.thread.clock.nowMs();
  }

  #conflict(pairs: string, conflicts: number): Error {
    const { thread, connection } = this.#options;
    const row = connection.database
      .query<{ kt: bigint; k: StorageValue }, []>(`SELECT s.kt, s.k FROM ${pairs} LIMIT 1`)
      .get();
    const key = row === null ? '' : formatText(decodeValue(Number(row.kt), row.k, thread.names));
    return gridError('IMPORT_ATOMIC_KEYS', conflicts, key);
  }
}

const LIVE = '(exp IS NULL OR exp > ?)';

/** Returns the statement that adds the staged rows to a cache's table. */
function insertOf({ table, fields }: CacheHandle, staged: string, onDuplicate: OnDuplicate): string {
  const own = new Set(fields.flatMap(({ place }) => (typeof place === 'number' ? [`f${place}`] : [])));
  const values = ['vt', 'v', 'exp', ...own];
  const columns = ['kt', 'k', ...values].join(', ');
  const insert = `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM ${staged} WHERE true`;
  if (onDuplicate === 'error') return insert;
  if (onDuplicate === 'skip') return `${insert} ON CONFLICT (k, kt) DO NOTHING`;
  // As with put, an entry without a deadline keeps the deadline of the one it replaces.
  const sets = values.map((each) => `${each} = ${each === 'exp' ? 'coalesce(excluded.exp, exp)' : `excluded.${each}`}`);
  return `${insert} ON CONFLICT (k, kt) DO UPDATE SET ${sets.join(', ')}`;
}
