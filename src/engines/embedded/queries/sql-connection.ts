/** A connection to the data file for statements, which attaches the files of non-persistent regions as needed. */
import type { Database, Statement } from 'bun:sqlite';
import { LRUCache } from 'lru-cache';
import { type Clock, randomBytes } from '../../../base/clock.ts';
import { sqlFailure } from '../../../base/sql-errors.ts';
import type { Region } from '../../../grid/cache-rules.ts';
import { RandomSource } from '../../../sql/types/random-source.ts';
import type { FunctionEnvironment } from '../../../sql/types/sql-types.ts';
import type { GuardedConnection, StatementGuard } from '../native/statement-guard.ts';
import { type ExecutionContext, FunctionRegister, type NativeFunction } from '../sql/native-function.ts';
import {
  attachedName,
  DATA_DATABASE,
  type DatabaseFiles,
  databasePath,
  LOG_LIMIT_BYTES,
  openForReading,
  openWithoutCheckpoints,
  PAGE_BYTES,
  prepare,
} from '../storage/databases.ts';
import { addEntries } from '../storage/deadline-index.ts';
import { checkRegionSize } from '../storage/region-space.ts';
import type { SharedState } from '../storage/shared-state.ts';
import type { Binding, StorageValue } from '../storage/value-storage.ts';
import { WriteTransactions } from '../storage/write-transactions.ts';
import { LONG_TEXT_CHARACTERS } from './query-protocol.ts';

/** A row of a statement; its columns are named c0, c1 ... */
export type StorageRow = Readonly<Record<string, StorageValue>>;
export type StorageStatement = Statement<StorageRow, Binding[]>;

/** SQLite statements in the cache of one connection, least recently used finalized first. */
const MAX_STATEMENTS = 200;
/** Characters of their texts. A statement takes up to twenty bytes for each. */
const MAX_CHARACTERS = 1024 * 1024;

interface CachedStatement {
  readonly statement: StorageStatement;
  /** The number of replaced functions when those that the text calls were registered. */
  replaced: number;
}

/** The SQLite statements of one connection by their text. The least recently used ones are finalized. */
export class StatementCache {
  readonly register: FunctionRegister;
  readonly #database: Database;
  readonly #statements = new LRUCache<string, CachedStatement>({
    max: MAX_STATEMENTS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, sql) => Math.min(sql.length + 1, MAX_CHARACTERS),
    dispose: ({ statement }) => statement.finalize(),
  });
  readonly #long = new Set<string>();

  constructor(database: Database) {
    this.#database = database;
    this.register = functionRegister(database);
  }

  /**
   * Returns the statement of a text after registering the functions that it calls, unless they are still registered
   * since its last use. The caller sets the environment of the register before each run.
   */
  get(sql: string, functions: readonly NativeFunction[]): StorageStatement {
    const cached = this.#statements.get(sql);
    if (cached !== undefined && cached.replaced === this.register.replaced) return cached.statement;
    this.register.ensure(functions);
    const { replaced } = this.register;
    if (cached !== undefined) {
      cached.replaced = replaced;
      return cached.statement;
    }
    const statement = prepare<StorageRow>(this.#database, sql);
    this.#statements.set(sql, { statement, replaced });
    if (sql.length >= LONG_TEXT_CHARACTERS) this.#long.add(sql);
    return statement;
  }

  /** Finalizes long statements, which are rarely sent twice. None of them may be running. */
  finalizeLong(): void {
    for (const sql of this.#long) this.#statements.delete(sql);
    this.#long.clear();
  }

  finalize(): void {
    this.#long.clear();
    this.#statements.clear();
  }
}

/** Creates the function register of a connection. The caller sets its environment before each run. */
export function functionRegister(database: Database): FunctionRegister {
  const context: ExecutionContext = {
    environment: { nowMs: 0, user: '', schema: '', random: randomFraction, seed: () => {} },
    poll: () => {},
    replacedRows: 0,
    duplicates: undefined,
  };
  return new FunctionRegister(database, context);
}

/** Returns a random number in [0, 1) from the system's generator. */
export function randomFraction(): number {
  return new DataView(randomBytes(4).buffer).getUint32(0) / 2 ** 32;
}

/** Returns the environment that a statement's functions see. */
export function environmentOf(clock: Clock, user: string, schema: string): FunctionEnvironment {
  let source: RandomSource | undefined;
  const numbers = (): RandomSource => (source ??= new RandomSource(randomFraction));
  return { nowMs: clock.nowMs(), user, schema, random: () => numbers().next(), seed: (seed) => numbers().seed(seed) };
}

/** SQLite attaches at most ten databases to a connection. */
const MAX_ATTACHED = 10;

export interface ConnectionSettings {
  readonly files: DatabaseFiles;
  readonly shared: SharedState;
  readonly mode: 'read' | 'write';
  /** Epoch of the non-persistent regions, which is part of the names of their files. */
  readonly epoch: number;
  /** Version of the statistics with which the connection plans. */
  readonly statistics: number;
  /** Interrupts statements inside SQLite; undefined where it is not available. */
  readonly guard: StatementGuard | undefined;
}

export class SqlConnection {
  readonly database: Database;
  readonly statements: StatementCache;
  readonly epoch: number;
  readonly statistics: number;
  /** The connection's guard; undefined if statements poll. */
  readonly guarded: GuardedConnection | undefined;
  #transactions: WriteTransactions | undefined;
  readonly #settings: ConnectionSettings;
  readonly #attached = new Set<number>();
  #singleUse = false;
  #cacheKib = 0;

  constructor(settings: ConnectionSettings) {
    const { files, epoch, mode, statistics } = settings;
    this.#settings = settings;
    this.epoch = epoch;
    this.statistics = statistics;
    const path = databasePath(files, DATA_DATABASE, epoch);
    this.database = mode === 'read' ? openForReading(path) : openWithoutCheckpoints(path, true);
    // Sorts and groups may exceed memory, so they spill to files.
    this.database.run('PRAGMA temp_store = FILE');
    this.guarded = settings.guard?.attach(this.database);
    this.statements = new StatementCache(this.database);
  }

  get register(): FunctionRegister {
    return this.statements.register;
  }

  /** The transactions of a connection that writes. */
  get transactions(): WriteTransactions {
    this.#transactions ??= new WriteTransactions(this.database, DATA_DATABASE, this.#settings.shared);
    return this.#transactions;
  }

  /** Sets the size of the page cache, which is also that of a sorting run. */
  setCache(kib: number): void {
    if (kib === this.#cacheKib) return;
    this.#cacheKib = kib;
    this.database.run(`PRAGMA cache_size = -${kib}`);
  }

  /** Frees the cached pages that no statement uses. */
  freePages(): void {
    this.database.run('PRAGMA shrink_memory');
  }

  /** True if the connection must be closed after its statement. */
  get isSingleUse(): boolean {
    return this.#singleUse;
  }

  /** Marks the connection as holding temporary tables of one statement, so that no other statement uses it. */
  markSingleUse(): void {
    this.#singleUse = true;
  }

  /** Attaches the files of regions under their {@link attachedName}. Throws SQL when there are too many. */
  attach(databases: Iterable<number>): void {
    const needed = new Set([...databases].filter((number) => number !== DATA_DATABASE));
    const missing = [...needed].filter((number) => !this.#attached.has(number));
    if (missing.length === 0) return;
    if (needed.size > MAX_ATTACHED) {
      throw sqlFailure('TOO_MANY_REGIONS', MAX_ATTACHED);
    }
    if (this.#attached.size + missing.length > MAX_ATTACHED) this.#detachAllBut(needed);
    const { files, epoch, mode } = this.#settings;
    for (const number of missing) {
      const name = attachedName(number);
      this.database.run(`ATTACH ? AS ${name}`, [databasePath(files, number, epoch)]);
      this.#attached.add(number);
      if (mode === 'read') continue;
      this.database.run(`PRAGMA ${name}.synchronous = OFF`);
      this.database.run(`PRAGMA ${name}.journal_size_limit = ${LOG_LIMIT_BYTES}`);
      const { maxSizeBytes } = files.temporaryRegions[number - 1] ?? {};
      if (maxSizeBytes !== undefined) {
        this.database.run(`PRAGMA ${name}.max_page_count = ${Math.ceil(maxSizeBytes / PAGE_BYTES)}`);
      }
    }
  }

  #detachAllBut(needed: ReadonlySet<number>): void {
    // SQLite cannot detach a database while a statement uses it.
    this.statements.finalize();
    this.#transactions?.detach();
    for (const number of this.#attached) {
      if (needed.has(number)) continue;
      this.database.run(`DETACH ${attachedName(number)}`);
      this.#attached.delete(number);
    }
  }

  /** Throws REGION_FULL when the data file has reached the bound of a persistent region. */
  checkRegionSize(region: Region | undefined): void {
    checkRegionSize(this.database, region);
  }

  /** Adds to the number of entries of a cache, whose database is attached. */
  addEntries(number: number, cache: number, added: number): void {
    addEntries(
      { database: this.database, prefix: number === DATA_DATABASE ? '' : `${attachedName(number)}.` },
      cache,
      added,
    );
  }

  close(): void {
    this.statements.finalize();
    this.guarded?.close();
    this.database.close(true);
  }
}
