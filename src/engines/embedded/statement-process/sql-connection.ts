/** A connection to the data file for statements, which attaches the files of non-persistent regions on demand. */
import type { Database } from 'bun:sqlite';
import { sqlFailure } from '../../../base/sql-errors.ts';
import type { Region } from '../../../grid/cache-rules.ts';
import { logLimiter } from '../native/log-frames.ts';
import type { GuardedConnection, StatementGuard } from '../native/statement-guard.ts';
import type { FunctionRegister } from '../sql/native-function.ts';
import { StatementCache } from '../sql/statement-cache.ts';
import {
  attachedName,
  attachedPrefix,
  DATA_DATABASE,
  databasePath,
  LOG_LIMIT_BYTES,
  openForReading,
  openWithoutCheckpoints,
  PAGE_BYTES,
} from '../storage/databases.ts';
import { addEntries } from '../storage/deadline-index.ts';
import { type ThreadReads, TransactionSpace } from '../storage/disk-space.ts';
import { checkRegionSize } from '../storage/region-space.ts';
import type { SharedState } from '../storage/shared-state.ts';
import { WriteTransactions } from '../storage/write-transactions.ts';

/** SQLite attaches at most ten databases to a connection. */
const MAX_ATTACHED = 10;

export interface ConnectionSettings {
  readonly reads: ThreadReads;
  readonly shared: SharedState;
  readonly mode: 'read' | 'write';
  /** Epoch of the non-persistent regions, which is part of their files' names. */
  readonly epoch: number;
  /** Version of the statistics with which the connection plans. */
  readonly statistics: number;
  /** Interrupts statements inside SQLite; undefined if it is not available. */
  readonly guard: StatementGuard | undefined;
}

export class SqlConnection {
  readonly database: Database;
  readonly statements: StatementCache;
  readonly epoch: number;
  readonly statistics: number;
  /** The connection's guard, or undefined if the extension cannot be loaded. */
  readonly guarded: GuardedConnection | undefined;
  #transactions: WriteTransactions | undefined;
  readonly #settings: ConnectionSettings;
  readonly #attached = new Set<number>();
  #singleUse = false;
  #cacheKib = 0;

  constructor(settings: ConnectionSettings) {
    const { reads, epoch, mode, statistics } = settings;
    this.#settings = settings;
    this.epoch = epoch;
    this.statistics = statistics;
    const path = databasePath(reads.files, DATA_DATABASE, epoch);
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
    const { shared, reads } = this.#settings;
    const limitLog = this.guarded && logLimiter(this.database);
    this.#transactions ??= new WriteTransactions(
      this.database,
      DATA_DATABASE,
      shared,
      new TransactionSpace(this.database, reads, limitLog),
    );
    return this.#transactions;
  }

  /** Sets the size of the page cache, which is also the size of a sorting run. */
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

  /** Marks the connection as holding one statement's temporary tables, so that no other statement uses it. */
  markSingleUse(): void {
    this.#singleUse = true;
  }

  /** Attaches the files of regions under their {@link attachedName}. Throws SQL if there are too many. */
  attach(databases: Iterable<number>): void {
    const needed = new Set([...databases].filter((number) => number !== DATA_DATABASE));
    const missing = [...needed].filter((number) => !this.#attached.has(number));
    if (missing.length === 0) return;
    if (needed.size > MAX_ATTACHED) {
      throw sqlFailure('TOO_MANY_REGIONS', MAX_ATTACHED);
    }
    if (this.#attached.size + missing.length > MAX_ATTACHED) this.#detachAllBut(needed);
    const { reads, epoch, mode } = this.#settings;
    const { files } = reads;
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

  /** Throws REGION_FULL if the data file has reached a persistent region's limit. */
  checkRegionSize(region: Region | undefined): void {
    checkRegionSize(this.database, region);
  }

  /** Adds to the entry count of a cache whose database is attached. */
  addEntries(number: number, cache: number, added: number): void {
    addEntries({ database: this.database, prefix: attachedPrefix(number) }, cache, added);
  }

  close(): void {
    this.statements.finalize();
    this.guarded?.close();
    this.database.close(true);
  }
}
