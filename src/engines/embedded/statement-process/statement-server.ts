/** Puts together what runs the statements, scans and transactions of a query thread, and frees what they held. */
import { type ErrorCode, fail, GridError } from '../../../base/errors.ts';
import { EngineCatalog, type VirtualTables } from '../catalog/engine-catalog.ts';
import { PreparedStatements } from '../shared/prepared-statements.ts';
import { residentBytes } from '../shared/resident-memory.ts';
import { asStorageFailure, isRejectedBySqlite, isTableLost } from '../shared/sql-failures.ts';
import {
  type FetchRequest,
  isLongText,
  type PageChunk,
  type SentQuery,
  type TicketedTransaction,
  type TransactionEnd,
} from '../shared/statement-protocol.ts';
import type { EngineThread } from '../thread/engine-thread.ts';
import { ChangeRunner, type ChangeRunnerOptions } from './change-runner.ts';
import { ConnectionPool } from './connection-pool.ts';
import { Cursors, type CursorsOptions } from './cursors.ts';
import { DefinitionRunner } from './definitions/definition-runner.ts';
import { QueryExecutor, type QueryExecutorParts } from './query-executor.ts';
import type { ScanParts } from './scan-rows.ts';
import { StatementGarbage } from './statement-garbage.ts';
import { StatementSources } from './statement-sources.ts';
import { type AnalyzedTable, Statistics, type StatisticsOptions } from './statistics.ts';
import { TransactionRunner, type TransactionRunnerParts } from './transactions/transaction-runner.ts';

export interface QueryRunnerOptions
  extends Pick<ScanParts, 'findPredicate' | 'onSend'>,
    Pick<QueryExecutorParts, 'thread' | 'queryState' | 'index' | 'budget' | 'slowMs' | 'report' | 'readServiceInfo'>,
    Pick<ChangeRunnerOptions, 'clock' | 'changes' | 'guard' | 'requestCheckpoint'>,
    Pick<CursorsOptions, 'idleMs' | 'onEvicted' | 'evictElsewhere'>,
    Pick<StatisticsOptions, 'analyzeElsewhere'>,
    Pick<TransactionRunnerParts, 'onExpiry'> {
  /** Maximum number of open cursors in all threads. */
  readonly maxCursors: number;
  readonly virtualTables: VirtualTables;
  /** Called when memory has been freed. */
  readonly onFreed: () => void;
}

/** Errors that end statements which may hold much memory. */
const ENDED: ReadonlySet<ErrorCode> = new Set([
  'QUERY_MEMORY',
  'QUERIES_MEMORY',
  'QUERY_DISK',
  'QUERIES_DISK',
  'QUERY_RESULT_BYTES',
  'QUERY_CANCELLED',
  'QUERY_TIMEOUT',
]);
/** How often idle cursors are looked for, in ms: much less than any of them may rest. */
const IDLE_CHECK_MS = 1_000;

export class QueryRunner {
  readonly cursors: Cursors;
  readonly #thread: EngineThread;
  readonly #catalog: EngineCatalog;
  readonly #connections: ConnectionPool;
  readonly #changes: ChangeRunner;
  readonly #statistics: Statistics;
  readonly #transactions: TransactionRunner;
  readonly #executor: QueryExecutor;
  readonly #garbage: StatementGarbage;
  #isClosed = false;

  constructor(options: QueryRunnerOptions) {
    const { thread, clock, index, maxCursors, budget } = options;
    this.#thread = thread;
    this.#catalog = new EngineCatalog(thread, options.virtualTables, 'attached');
    this.#connections = new ConnectionPool(options);
    this.#garbage = new StatementGarbage(clock, () => {
      if (this.#isClosed) return;
      const connection = this.#connections.acquire();
      connection.freePages();
      this.#connections.release(connection);
      options.onFreed();
    });
    this.#statistics = new Statistics({ ...options, catalog: this.#catalog });
    this.cursors = new Cursors({
      ...options,
      thread: index,
      limit: maxCursors,
      memoryBytes: budget.totalMemoryBytes,
      residentBytes,
    });
    const parts = {
      ...options,
      catalog: this.#catalog,
      prepared: new PreparedStatements(this.#catalog),
      connections: this.#connections,
      statistics: this.#statistics,
    };
    const open = () => this.#connections.openWritable();
    this.#changes = new ChangeRunner({ ...parts, open });
    this.#transactions = new TransactionRunner({
      ...parts,
      changes: this.#changes,
      channel: options.changes,
    });
    this.#executor = new QueryExecutor({
      ...parts,
      sources: new StatementSources(parts),
      changes: this.#changes,
      definitions: new DefinitionRunner({ ...parts, open }),
      cursors: this.cursors,
      onHeavy: () => this.#garbage.free(),
    });
    clock.every(IDLE_CHECK_MS, () => this.cursors.closeIdle());
  }

  /** Resolves when no analysis of tables by this thread is pending and freed memory has been returned. */
  get settled(): Promise<unknown> {
    return Promise.all([this.#statistics.settled, this.#garbage.settled]);
  }

  /** Analyses a table for a process that reads. */
  analyze(table: AnalyzedTable): Promise<void> {
    return this.#statistics.analyzeInBackground(table);
  }

  async execute(query: SentQuery): Promise<PageChunk> {
    const { version } = this.#catalog;
    try {
      return await this.#executor.execute(query);
    } catch (error) {
      this.#freeAfter(error);
      // A definition changed between preparing and running: SQLite's error about the old text would mislead.
      const isOld = isRejectedBySqlite(error) && version !== this.#catalog.version;
      if (!isOld && !isTableLost(error)) throw error;
      return await this.#executor.execute(query).catch((failure) => {
        throw asStorageFailure(failure);
      });
    } finally {
      if (isLongText(query)) this.#garbage.free();
    }
  }

  /** Runs a transaction. */
  async transact(transaction: TicketedTransaction): Promise<TransactionEnd> {
    try {
      return await this.#transactions.run(transaction, this.cursors.nextId());
    } catch (error) {
      this.#freeAfter(error);
      throw error;
    }
  }

  fetch(request: FetchRequest): PageChunk {
    if (this.#thread.shared.isInactive() && this.cursors.overCaches(request.queryId)) throw fail('INACTIVE');
    try {
      return this.cursors.fetch(request);
    } catch (error) {
      this.#freeAfter(error);
      throw error;
    }
  }

  #freeAfter(error: unknown): void {
    if (!(error instanceof GridError && ENDED.has(error.code))) return;
    this.#garbage.free();
  }

  /** Frees the snapshots of the cursors, and the memory that moving their rows took. */
  async detachCursors(): Promise<void> {
    if (this.cursors.size === 0) return;
    await this.cursors.detachAll();
    this.#garbage.free();
  }

  /** Closes everything that reads non-persistent regions, before their files are removed. */
  releaseRegions(): void {
    this.cursors.closeWhere((source) => source.overCaches);
    this.#connections.closeIdle();
    this.#changes.release();
  }

  close(): void {
    this.#isClosed = true;
    this.cursors.closeWhere(() => true);
    this.#connections.closeIdle();
    this.#changes.release();
  }
}
