/**
 * Runs the statements, scans and transactions of a statement process: from a client's message to the first part of the
 * first page. The cursor, from which the client fetches the rest, is in cursors.ts.
 */
import { type ErrorCode, GridError, gridError } from '../../../base/errors.ts';
import { exportWriters } from '../../../grid/export-writers.ts';
import { exportBudget, type StatementBudget } from '../../../grid/statement-budget.ts';
import { EngineCatalog, type VirtualTables } from '../catalog/engine-catalog.ts';
import { checkGranted } from '../shared/granted-tables.ts';
import { PreparedStatements } from '../shared/prepared-statements.ts';
import { residentBytes } from '../shared/resident-memory.ts';
import { type SharedQueryState, WRITING_PROCESS } from '../shared/shared-query-state.ts';
import { asStorageFailure, isRejectedBySqlite, isTableLost, withSqlErrors } from '../shared/sql-failures.ts';
import {
  type FetchRequest,
  isLongText,
  type PageChunk,
  type SentQuery,
  type TicketedTransaction,
  type TransactionEnd,
  tenantOf,
  withTimesOf,
} from '../shared/statement-protocol.ts';
import { checkDistributedJoin, type Prepared } from '../sql/statement.ts';
import { needsServiceInfo } from '../system-views/system-views.ts';
import type { EngineThread } from '../thread/engine-thread.ts';
import { ChangeRunner, type ChangeRunnerOptions } from './change-runner.ts';
import { ConnectionPool } from './connection-pool.ts';
import { Cursors, type CursorsOptions } from './cursors.ts';
import { DefinitionRunner } from './definitions/definition-runner.ts';
import type { AdvisedStatement } from './index-advice.ts';
import { type PlanRowsOptions, planRows } from './plan-rows.ts';
import { queryRows } from './query-rows.ts';
import { FixedRows, type RowSource } from './rows/row-sources.ts';
import { type ScanDependencies, scanRows } from './scan-rows.ts';
import { SlowStatements, type SlowStatementsOptions } from './slow-statements.ts';
import { StatementGarbage } from './statement-garbage.ts';
import { StatementWatch } from './statement-watch.ts';
import { type AnalyzedTable, Statistics, type StatisticsOptions } from './statistics.ts';
import { TransactionRunner } from './transactions/transaction-runner.ts';

export interface StatementServerOptions
  extends Pick<ScanDependencies, 'findPredicate' | 'onSend'>,
    Pick<ChangeRunnerOptions, 'clock' | 'changes' | 'guard' | 'requestCheckpoint' | 'onExpiry'>,
    Pick<CursorsOptions, 'idleMs' | 'onEvicted' | 'evictElsewhere'>,
    Pick<StatisticsOptions, 'analyzeElsewhere'>,
    SlowStatementsOptions {
  readonly thread: EngineThread;
  readonly queryState: SharedQueryState;
  /** Number of this process. */
  readonly index: number;
  readonly budget: StatementBudget;
  /** Maximum number of open cursors in all processes. */
  readonly maxCursors: number;
  readonly virtualTables: VirtualTables;
  /** Refreshes the rows of system views that only the service knows. */
  readonly readServiceInfo: () => Promise<void>;
  /** Called when memory has been freed. */
  readonly onFreed: () => void;
}

type FieldsStatement = Extract<SentQuery, { kind: 'fields' }>;

/** A running statement. */
interface Run {
  readonly query: SentQuery;
  readonly watch: StatementWatch;
  readonly startMs: number;
  /** The schema of a valid statement. Others are not counted. */
  schema: string | undefined;
  /** Time until it had begun, as far as the watch did not measure it, or undefined if it has not begun. */
  beginMs: number | undefined;
}

/** A statement that has begun. */
interface BegunStatement {
  readonly source: RowSource;
  /** The statement for the report of slow ones, or undefined if no index could help. */
  readonly slow: (AdvisedStatement & { readonly text: string }) | undefined;
  /** Number of changed rows, or undefined for other statements. */
  readonly changedRows?: bigint;
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
/** How often idle cursors are searched for, in ms: much less than their idle time. */
const IDLE_CHECK_MS = 1_000;
/**
 * After a statement that used a processor for longer, memory is freed immediately, which then adds little to its time.
 * Short statements that share a busy processor take as long, and must not pay for it.
 */
const HEAVY_MS = 100;

export class StatementServer {
  readonly cursors: Cursors;
  readonly #options: StatementServerOptions;
  readonly #catalog: EngineCatalog;
  readonly #prepared: PreparedStatements;
  /** The dependencies for reading the rows of queries, scans and plans. */
  readonly #rows: ScanDependencies & PlanRowsOptions;
  readonly #statistics: Statistics;
  readonly #changes: ChangeRunner;
  readonly #definitions: DefinitionRunner;
  readonly #transactions: TransactionRunner;
  readonly #slow: SlowStatements;
  readonly #garbage: StatementGarbage;
  /** Resolves when the last statement has ended and its memory has been freed. */
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: StatementServerOptions) {
    const { thread, clock, index, maxCursors, budget, onFreed } = options;
    const connections = new ConnectionPool(options);
    const catalog = new EngineCatalog(thread, options.virtualTables, 'attached');
    const prepared = new PreparedStatements(catalog);
    const statistics = new Statistics({ ...options, catalog });
    const parts = { ...options, catalog, prepared, connections, statistics, open: () => connections.openWritable() };
    this.#options = options;
    this.#catalog = catalog;
    this.#prepared = prepared;
    this.#rows = parts;
    this.#statistics = statistics;
    this.#changes = new ChangeRunner(parts);
    this.#definitions = new DefinitionRunner(parts);
    this.#transactions = new TransactionRunner({ ...parts, changes: this.#changes });
    this.#slow = new SlowStatements(options, catalog);
    this.#garbage = new StatementGarbage(clock, () => {
      if (this.#isClosed) return;
      const connection = connections.acquire();
      connection.freePages();
      connections.release(connection);
      onFreed();
    });
    this.cursors = new Cursors({
      ...options,
      index,
      limit: maxCursors,
      memoryBytes: budget.totalMemoryBytes,
      residentBytes,
    });
    clock.every(IDLE_CHECK_MS, () => this.cursors.closeIdle());
  }

  /**
   * Runs a query and returns the first part of its first page, or null if its client has claimed it after waiting too
   * long, or if this process is being replaced and its successor runs it. A statement begins when the previous one has
   * freed its memory. The process for changes does not wait, because changes wait for the write lock and definitions
   * must not wait for them.
   */
  execute(query: SentQuery): Promise<PageChunk | null> {
    const { queryState, index } = this.#options;
    if (index === WRITING_PROCESS) return this.#executeClaimed(query);
    const page = this.#turn.then(() => (queryState.isRetiring(index) ? null : this.#executeClaimed(query)));
    this.#turn = page.then(ignore, ignore).then(() => this.settled);
    return page;
  }

  /** Runs a transaction; returns null if its client has claimed it. */
  async transact(transaction: TicketedTransaction): Promise<TransactionEnd | null> {
    const { queryState, index } = this.#options;
    if (!queryState.claim(transaction.ticket, index)) return null;
    try {
      return await this.#transactions.run(transaction, this.cursors.nextId());
    } catch (error) {
      this.#freeAfter(error);
      throw error;
    }
  }

  /** Returns the first part of the next page of a cursor. */
  fetch(request: FetchRequest): PageChunk {
    if (this.#options.thread.shared.isInactive() && this.cursors.overCaches(request.queryId))
      throw gridError('INACTIVE');
    try {
      return this.cursors.fetch(request);
    } catch (error) {
      this.#freeAfter(error);
      throw error;
    }
  }

  /** Resolves when no table analysis by this process is pending and freed memory has been returned. */
  get settled(): Promise<unknown> {
    return Promise.all([this.#statistics.settled, this.#garbage.settled]);
  }

  /** Analyses a table for a process that only reads. */
  analyze(table: AnalyzedTable): Promise<void> {
    return this.#statistics.analyzeInBackground(table);
  }

  /** Frees the snapshots of the cursors, and the memory used to move their rows. */
  async detachCursors(): Promise<void> {
    if (this.cursors.size === 0) return;
    await this.cursors.detachAll();
    this.#garbage.free();
  }

  /** Closes everything that reads non-persistent regions, before their files are removed. */
  releaseRegions(): void {
    this.cursors.closeWhere((source) => source.overCaches);
    this.#rows.connections.closeIdle();
    this.#changes.release();
  }

  close(): void {
    this.#isClosed = true;
    this.cursors.closeWhere(() => true);
    this.#rows.connections.closeIdle();
    this.#changes.release();
  }

  /** Runs a query that is not claimed elsewhere; repeats it if the definitions have changed in the meantime. */
  async #executeClaimed(query: SentQuery): Promise<PageChunk | null> {
    const { queryState, index } = this.#options;
    if (!queryState.claim(query.ticket, index)) return null;
    const { version } = this.#catalog;
    try {
      return await this.#run(query);
    } catch (error) {
      this.#freeAfter(error);
      // A definition changed between preparing and running: SQLite's error about the old text would mislead.
      const isOld = isRejectedBySqlite(error) && version !== this.#catalog.version;
      if (!isOld && !isTableLost(error)) throw error;
      return await this.#run(query).catch((failure) => {
        throw asStorageFailure(failure);
      });
    } finally {
      if (isLongText(query)) this.#garbage.free();
    }
  }

  /** Runs a query: shows it to others, begins it within its limits, and opens its cursor. */
  async #run(query: SentQuery): Promise<PageChunk> {
    const { thread, queryState, index, budget, clock } = this.#options;
    if (thread.shared.isInactive()) throw gridError('INACTIVE');
    const { owner, ticket, timeoutMs: limitMs = 0, pageSize, sentAtMs } = query;
    const tenant = tenantOf(query);
    const id = this.cursors.nextId();
    const waitedMs = clock.nowMs() - sentAtMs;
    const shown = { id, ...this.#shown(query), owner, startedAtMs: sentAtMs, pageSize };
    const entry = queryState.beginStatement(index, shown, ticket, waitedMs);
    const bounds = withTimesOf(query.export ? exportBudget(budget) : budget, query);
    const watch = new StatementWatch(clock, queryState, bounds, { index, ticket, limitMs, waitedMs, entry });
    const run: Run = { query, watch, startMs: clock.monotonicMs(), schema: undefined, beginMs: undefined };
    // A change still has to wait for the write lock; a read occupies its process from here on.
    if (index !== WRITING_PROCESS) queryState.beginWork(index, { id, owner, ticket, tenant }, clock.nowMs());
    let begun: BegunStatement;
    try {
      begun = await this.#begin(run);
    } catch (error) {
      entry?.end();
      this.#count(run, true);
      throw error;
    } finally {
      if (index !== WRITING_PROCESS) queryState.endWork(index);
    }
    run.beginMs = this.#unwatchedMs(run);
    const { source, slow, changedRows } = begun;
    const maxRows = query.kind === 'fields' && (query.maxRows ?? 0) > 0 ? query.maxRows : undefined;
    const types = { find: (typeName: string) => thread.findType(typeName, query.cache) };
    const createWriter = query.export && exportWriters({ ...query.export, types });
    return this.cursors.begin(id, source, watch, { ...query, tenant, maxRows, createWriter }, (failed) => {
      entry?.end();
      this.#count(run, failed, changedRows);
      if (slow !== undefined) this.#slow.note({ ...slow, user: owner, timeMs: watch.usedMs });
      if (watch.usedCpuMs >= HEAVY_MS) this.#garbage.free();
    });
  }

  /** Returns the rows of SYS.SQL_QUERIES and SYS.SCAN_QUERIES. */
  #shown(query: SentQuery) {
    if (query.kind === 'scan') return { kind: 'scan', text: query.cache, detail: query.className ?? '' } as const;
    const cache = this.#options.thread.registry.find(query.cache);
    return { kind: 'sql', text: query.sql, detail: cache?.schema ?? '' } as const;
  }

  /** Begins a query: changes have run by then, and the rows of others are read as they are fetched. */
  async #begin(run: Run): Promise<BegunStatement> {
    const { query, watch } = run;
    switch (query.kind) {
      case 'scan':
        return { source: scanRows(this.#rows, query, watch), slow: undefined };
      case 'type': {
        const schema = this.#catalog.schemaOfCache(query.cache);
        const prepared = this.#prepareTypeQuery(query, schema);
        run.schema = schema;
        this.#statistics.noteUse(prepared.tables);
        return { source: queryRows(this.#rows, prepared, query, watch), slow: { ...prepared, text: query.sql } };
      }
      case 'fields': {
        const schema = this.#catalog.schemaOfCache(query.cache);
        const prepared = this.#prepared.get(query.sql, schema, query.args);
        if (query.grant !== undefined) checkGranted(prepared, query.grant, query.owner);
        run.schema = schema;
        if (readsServiceViews(prepared)) await this.#options.readServiceInfo();
        return this.#beginFields(prepared, query, watch);
      }
    }
  }

  async #beginFields(prepared: Prepared, query: FieldsStatement, watch: StatementWatch): Promise<BegunStatement> {
    switch (prepared.kind) {
      case 'query':
        withSqlErrors(query.sql, () => checkDistributedJoin(prepared, query));
        this.#statistics.noteUse(prepared.tables);
        return { source: queryRows(this.#rows, prepared, query, watch), slow: { ...prepared, text: query.sql } };
      case 'explain':
        return { source: planRows(this.#rows, prepared, query, watch), slow: undefined };
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

  /** Prepares a query for the entries of one type. Throws QUERY_TYPE_NOT_FOUND. */
  #prepareTypeQuery({ cache, typeName, sql, args }: Extract<SentQuery, { kind: 'type' }>, schema: string) {
    const found = this.#catalog
      .tables()
      .find(
        ({ table, entity }) =>
          table.cache === cache && table.schema === schema && simpleName(entity.valueType) === typeName,
      );
    if (found === undefined) throw gridError('QUERY_TYPE_NOT_FOUND', typeName);
    return this.#prepared.typeQuery(sql, found.table, args);
  }

  /** Returns the part of a statement's time that its watch does not measure: mainly its wait for the write lock. */
  #unwatchedMs({ startMs, watch }: Run): number {
    return Math.max(0, this.#options.clock.monotonicMs() - startMs - watch.usedMs);
  }

  /** Counts a statement that has ended in the history. */
  #count(run: Run, failed: boolean, changedRows?: bigint): void {
    const { query, watch, schema, beginMs = this.#unwatchedMs(run) } = run;
    if (query.kind === 'scan' || schema === undefined) return;
    this.#options.queryState.history.note({
      schema,
      sql: query.sql,
      failed,
      startedAtMs: query.sentAtMs,
      durationMs: beginMs + watch.usedMs,
      rows: Number(changedRows ?? watch.rows),
    });
  }

  #freeAfter(error: unknown): void {
    if (error instanceof GridError && ENDED.has(error.code)) this.#garbage.free();
  }
}

function ignore(): void {}

/** Reports whether the statement reads a system view that needs the service's data. */
function readsServiceViews(prepared: Prepared): boolean {
  return (
    'placeholders' in prepared &&
    prepared.placeholders.some((placeholder) => placeholder.kind === 'rows' && needsServiceInfo(placeholder.table))
  );
}

/** Returns a type's name without package and outer class, as `qryexe` accepts it. */
function simpleName(typeName: string): string {
  return typeName.split(/[.$]/).at(-1) || typeName;
}
