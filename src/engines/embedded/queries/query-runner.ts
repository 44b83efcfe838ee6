/** Runs the statements and scans of a query thread on its own connections, and holds their cursors. */
import { SQLiteError } from 'bun:sqlite';
import type { Clock } from '../../../base/clock.ts';
import { type ErrorCode, fail, GridError } from '../../../base/errors.ts';
import { exportWriter } from '../../../grid/export-writers.ts';
import { TransactionAborted } from '../../../grid/grid.ts';
import type { RowWriterOf } from '../../../grid/row-writers.ts';
import { boundedFor, exportBudget, type StatementBudget } from '../../../grid/statement-budget.ts';
import type { Value } from '../../../values/value.ts';
import { EngineCatalog, type VirtualTables } from '../catalog/engine-catalog.ts';
import type { StatementGuard } from '../native/statement-guard.ts';
import { checkDistributedJoin, type Prepared } from '../sql/statement.ts';
import { needsServiceInfo } from '../system-views/system-views.ts';
import type { EngineThread } from '../thread/engine-thread.ts';
import { StatementGarbage } from '../thread/statement-garbage.ts';
import type { ChangeChannel } from '../writer/changes.ts';
import { ChangeRunner } from './change-runner.ts';
import { ConnectionPool } from './connection-pool.ts';
import { Cursors, type CursorsOptions } from './cursors.ts';
import { DefinitionRunner } from './definitions/definition-runner.ts';
import { residentBytes } from './monitoring/resident-memory.ts';
import type { RunningEntry, RunningStatement } from './monitoring/running-statements.ts';
import { SlowStatements } from './monitoring/slow-statements.ts';
import { StatementExecution } from './monitoring/statement-execution.ts';
import { PreparedStatements } from './prepared-statements.ts';
import {
  type FetchRequest,
  isLongText,
  type PageChunk,
  type SentQuery,
  type SlowStatement,
  shownTransaction,
  type TicketedTransaction,
  type TransactionEnd,
  tenantOf,
  withTimesOf,
} from './query-protocol.ts';
import { FixedRows } from './rows/row-sources.ts';
import { LONG_STATEMENT_MS, type SharedQueryState, WRITING_THREAD } from './shared-query-state.ts';
import { SqlConnection } from './sql-connection.ts';
import { asStorageFailure, isTableLost, withSqlErrors } from './sql-failures.ts';
import { type BegunStatement, type FindPredicate, StatementSources } from './statement-sources.ts';
import { StatementWatch } from './statement-watch.ts';
import { type AnalyzedTable, Statistics, type StatisticsOptions } from './statistics.ts';
import { TransactionRunner } from './transaction-runner.ts';

export interface QueryRunnerOptions {
  readonly thread: EngineThread;
  readonly clock: Clock;
  readonly changes: ChangeChannel;
  readonly queryState: SharedQueryState;
  readonly requestCheckpoint: () => void;
  /** Index of this thread among the query threads. */
  readonly index: number;
  /** Maximum number of open cursors in all threads. */
  readonly maxCursors: number;
  readonly idleMs: number;
  readonly budget: StatementBudget;
  /** Interrupts statements inside SQLite; undefined: statements poll. */
  readonly guard: StatementGuard | undefined;
  /** Reports statements that take longer than this, in ms; 0 reports none. */
  readonly slowMs: number;
  readonly report: (slow: SlowStatement) => void;
  readonly onEvicted: CursorsOptions['onEvicted'];
  readonly analyzeElsewhere?: StatisticsOptions['analyzeElsewhere'];
  readonly evictElsewhere: CursorsOptions['evictElsewhere'];
  readonly virtualTables: VirtualTables;
  /** Called for a cache whose entries expire, with the earliest time. */
  readonly onExpiry: (cache: string, atMs: number) => void;
  /** Refreshes the rows of `virtualTables` that only the service knows. */
  readonly readServiceInfo: () => Promise<void>;
  readonly findPredicate: FindPredicate;
  /** Converts every value that is sent (the configured message interceptor). */
  readonly onSend: ((value: Value) => Value) | undefined;
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
/**
 * After a statement that used a processor for longer, memory is freed at once, which then adds little to its time.
 * Short statements that share a busy processor take as long, and must not pay for it.
 */
const HEAVY_MS = 100;
const IDLE_CHECK_MS = 1_000;
/** SQLite's page cache, which is also the size of one sorting run. With many open cursors each statement gets less. */
const CACHE_KIB = 8 * 1024;
const CACHE_OF_MANY_KIB = 256;
const MANY_CURSORS = 16;

export class QueryRunner {
  readonly cursors: Cursors;
  readonly #options: QueryRunnerOptions;
  readonly #catalog: EngineCatalog;
  readonly #prepared: PreparedStatements;
  readonly #connections: ConnectionPool;
  readonly #changes: ChangeRunner;
  readonly #definitions: DefinitionRunner;
  readonly #statistics: Statistics;
  readonly #transactions: TransactionRunner;
  readonly #slow: SlowStatements;
  readonly #sources: StatementSources;
  readonly #garbage: StatementGarbage;
  #isClosed = false;

  constructor(options: QueryRunnerOptions) {
    const { thread, clock, queryState, index, maxCursors, virtualTables } = options;
    this.#options = options;
    this.#catalog = new EngineCatalog(thread, virtualTables, 'attached');
    this.#prepared = new PreparedStatements(this.#catalog, options.guard === undefined);
    this.#connections = new ConnectionPool(
      () => this.#open('read'),
      ({ epoch, statistics }) => epoch === thread.shared.epoch() && statistics === queryState.statisticsVersion(),
      () => (queryState.openCursors() < MANY_CURSORS ? CACHE_KIB : CACHE_OF_MANY_KIB),
    );
    const trim = (): void => {
      if (this.#isClosed) return;
      const connection = this.#connections.acquire();
      connection.freePages();
      this.#connections.release(connection);
      options.onFreed();
    };
    this.#garbage = new StatementGarbage(clock, trim);
    this.#statistics = new Statistics({ ...options, catalog: this.#catalog });
    const parts = { ...options, catalog: this.#catalog, statistics: this.#statistics };
    this.#changes = new ChangeRunner({ ...parts, open: () => this.#open('write') });
    this.#definitions = new DefinitionRunner(parts);
    this.#transactions = new TransactionRunner({
      thread,
      catalog: this.#catalog,
      prepared: this.#prepared,
      statistics: this.#statistics,
      convertsRows: options.onSend !== undefined,
      changes: this.#changes,
      channel: options.changes,
      history: queryState.history,
      requestCheckpoint: options.requestCheckpoint,
      onExpiry: options.onExpiry,
    });
    this.#slow = new SlowStatements(options, this.#catalog);
    this.#sources = new StatementSources({
      ...options,
      catalog: this.#catalog,
      prepared: this.#prepared,
      connections: this.#connections,
      statistics: this.#statistics,
    });
    this.cursors = new Cursors({
      ...options,
      thread: index,
      limit: maxCursors,
      memoryBytes: options.budget.totalMemoryBytes,
      residentBytes,
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
      return await this.#execute(query);
    } catch (error) {
      this.#freeAfter(error);
      // A definition changed between preparing and running: SQLite's error about the old text would mislead.
      const isOld = isRejectedBySqlite(error) && version !== this.#catalog.version;
      if (!isOld && !isTableLost(error)) throw error;
      return await this.#execute(query).catch((failure) => {
        throw asStorageFailure(failure);
      });
    } finally {
      if (isLongText(query)) this.#garbage.free();
    }
  }

  /** Runs a transaction. */
  async transact(transaction: TicketedTransaction): Promise<TransactionEnd> {
    const { thread, clock, queryState, index, budget } = this.#options;
    if (thread.shared.isInactive()) throw fail('INACTIVE');
    const { ticket, sentAtMs, timeoutMs } = transaction;
    const queryId = this.cursors.nextId();
    const shown = { ...shownTransaction(transaction), id: queryId };
    const entry = queryState.statements.begin(index, shown, ticket);
    const waitedMs = clock.nowMs() - sentAtMs;
    if (waitedMs >= LONG_STATEMENT_MS && queryState.statements.endWaiting(ticket)) entry?.kill();
    const start = { thread: index, ticket, limitMs: timeoutMs, waitedMs, entry };
    try {
      const watch = new StatementWatch(clock, queryState, boundedFor(budget, transaction.tenant), start);
      return await this.#transactions.run(transaction, queryId, watch);
    } catch (error) {
      this.#freeAfter(error);
      if (!(error instanceof TransactionAborted)) throw error;
      const { code, message, parameter, position, remedy } = error.reason;
      return { step: error.step, code, message, parameter, position, remedy };
    } finally {
      entry?.end();
    }
  }

  fetch(request: FetchRequest): PageChunk {
    if (this.#options.thread.shared.isInactive() && this.cursors.overCaches(request.queryId)) throw fail('INACTIVE');
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

  async #execute(query: SentQuery): Promise<PageChunk> {
    const { thread, clock, queryState, index, budget } = this.#options;
    if (thread.shared.isInactive()) throw fail('INACTIVE');
    const id = this.cursors.nextId();
    const entry = this.#enter(id, query);
    const watch = new StatementWatch(
      clock,
      queryState,
      withTimesOf(query.export ? exportBudget(budget) : budget, query),
      {
        thread: index,
        ticket: query.ticket,
        limitMs: query.timeoutMs ?? 0,
        waitedMs: clock.nowMs() - query.sentAtMs,
        entry,
      },
    );
    const execution = new StatementExecution(queryState.history, query, clock, watch);
    let begun: BegunStatement;
    // A change still has to wait for the write lock; a read occupies its thread from here on.
    const { owner, ticket } = query;
    if (index !== WRITING_THREAD)
      queryState.beginWork(index, { id, owner, ticket, tenant: tenantOf(query) }, clock.nowMs());
    try {
      begun = await this.#begin(query, watch, execution);
    } catch (error) {
      entry?.end();
      execution.failed();
      throw error;
    } finally {
      if (index !== WRITING_THREAD) queryState.endWork(index);
    }
    const maxRows =
      query.kind === 'fields' && query.maxRows !== undefined && query.maxRows > 0 ? query.maxRows : undefined;
    const { slow } = begun;
    execution.begun(begun.changedRows);
    const page = { ...query, tenant: tenantOf(query), maxRows, createWriter: this.#exportWriter(query) };
    return this.cursors.begin(id, begun.source, watch, page, (failed) => {
      entry?.end();
      execution.ended(failed);
      if (slow !== undefined) this.#slow.note({ ...slow, user: query.owner, timeMs: watch.usedMs });
      if (watch.usedCpuMs >= HEAVY_MS) this.#garbage.free();
    });
  }

  /** Returns what creates the writer of an export; undefined for other queries. */
  #exportWriter({ export: form, cache }: SentQuery): RowWriterOf | undefined {
    if (form === undefined) return undefined;
    const types = { find: (typeName: string) => this.#options.thread.findType(typeName, cache) };
    return (format, shape, columns) => exportWriter(format, shape, columns, { ...form, types });
  }

  /** Shows the statement to other threads. */
  #enter(id: number, query: SentQuery): RunningEntry | undefined {
    const { clock, queryState, index } = this.#options;
    const { owner, pageSize, sentAtMs, ticket } = query;
    const statement = { id, ...this.#shown(query), owner, startedAtMs: sentAtMs, pageSize };
    const entry = queryState.statements.begin(index, statement, ticket);
    const hasWaited = clock.nowMs() - sentAtMs >= LONG_STATEMENT_MS;
    if (hasWaited && queryState.statements.endWaiting(ticket)) entry?.kill();
    return entry;
  }

  /** Returns what SYS.SQL_QUERIES and SYS.SCAN_QUERIES show. */
  #shown(query: SentQuery): Pick<RunningStatement, 'kind' | 'text' | 'detail'> {
    if (query.kind === 'scan') return { kind: 'scan', text: query.cache, detail: query.className ?? '' };
    const cache = this.#options.thread.registry.find(query.cache);
    return { kind: 'sql', text: query.sql, detail: cache?.schema ?? '' };
  }

  async #begin(query: SentQuery, watch: StatementWatch, execution: StatementExecution): Promise<BegunStatement> {
    switch (query.kind) {
      case 'scan':
        return { source: this.#sources.scan(query, watch), slow: undefined };
      case 'type': {
        const begun = this.#sources.typeQuery(query, watch);
        execution.prepared(this.#catalog.schemaOfCache(query.cache));
        return begun;
      }
      case 'fields': {
        const prepared = this.#prepared.get(query.sql, this.#catalog.schemaOfCache(query.cache));
        execution.prepared(this.#catalog.schemaOfCache(query.cache));
        if (readsServiceViews(prepared)) await this.#options.readServiceInfo();
        switch (prepared.kind) {
          case 'query':
            withSqlErrors(query.sql, () => checkDistributedJoin(prepared, query));
            return this.#sources.query(prepared, query, watch, 'array', prepared.columns);
          case 'explain':
            return { source: this.#sources.explain(prepared, query, watch), slow: undefined };
          case 'change': {
            const updated = await this.#changes.change(prepared, query, watch);
            const [step] = prepared.steps;
            return {
              source: new FixedRows(prepared.columns, [[{ type: 'long', data: updated }]]),
              slow: step && { ...prepared, text: query.sql, sql: step.sql },
              changedRows: updated,
            };
          }
          case 'ddl':
            await this.#definitions.run(prepared, query.definesAsIgnite === true, watch);
            return { source: new FixedRows(prepared.columns, [[{ type: 'long', data: 0n }]]), slow: undefined };
        }
      }
    }
  }

  #open(mode: 'read' | 'write'): SqlConnection {
    const { thread, queryState } = this.#options;
    const connection = new SqlConnection({
      files: thread.reads.files,
      shared: thread.shared,
      mode,
      epoch: thread.shared.epoch(),
      statistics: queryState.statisticsVersion(),
      guard: this.#options.guard,
    });
    if (mode === 'write') connection.setCache(CACHE_KIB);
    return connection;
  }
}

/** Reports whether the statement reads a system view that needs the service's data. */
function readsServiceViews(prepared: Prepared): boolean {
  return (
    'placeholders' in prepared &&
    prepared.placeholders.some((placeholder) => placeholder.kind === 'rows' && needsServiceInfo(placeholder.table))
  );
}

function isRejectedBySqlite(error: unknown): boolean {
  return error instanceof GridError && error.code === 'SQL' && error.cause instanceof SQLiteError;
}
