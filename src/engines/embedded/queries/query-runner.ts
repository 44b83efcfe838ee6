/** Runs the statements and scans of a query thread on its own connections, and holds their cursors. */
import { fullGC } from 'bun:jsc';
import { SQLiteError } from 'bun:sqlite';
import { type Clock, sleep } from '../../../base/clock.ts';
import { type ErrorCode, fail, GridError } from '../../../base/errors.ts';
import type { Column } from '../../../grid/grid.ts';
import type { RowShape, ValueReader } from '../../../grid/row-writers.ts';
import type { StatementBudget } from '../../../grid/statement-budget.ts';
import { NULL, type Value } from '../../../values/value.ts';
import { attachedName } from '../catalog/attached-name.ts';
import { EngineCatalog, type VirtualTables } from '../catalog/engine-catalog.ts';
import type { CacheHandle } from '../ddl/cache-registry.ts';
import { schemaOf } from '../ddl/sql-names.ts';
import type { StatementGuard } from '../native/statement-guard.ts';
import type { EntryTable } from '../sql/entry-table.ts';
import {
  bindArguments,
  checkDistributedJoin,
  type Prepared,
  type PreparedExplain,
  type PreparedQuery,
} from '../sql/statement.ts';
import { decodeValueAs } from '../sql/storage-values.ts';
import { DATA_DATABASE, databaseOf } from '../storage/databases.ts';
import { type Binding, decodeValue } from '../storage/value-storage.ts';
import { needsServiceInfo } from '../system-views/system-views.ts';
import type { EngineThread } from '../thread/engine-thread.ts';
import type { ChangeChannel } from '../writer/changes.ts';
import { ChangeRunner } from './change-runner.ts';
import { ConnectionPool } from './connection-pool.ts';
import { Cursors } from './cursors.ts';
import type { AdvisedStatement } from './index-advice.ts';
import { jsonQuery } from './json-rows.ts';
import { explainPlan } from './plans.ts';
import { PreparedStatements } from './prepared-statements.ts';
import { type FetchRequest, isLongText, type PageChunk, type SentQuery, type SlowStatement } from './query-protocol.ts';
import { type ColumnReader, columnOf, FixedRows, JsonRows, type RowSource, StatementRows } from './row-sources.ts';
import type { RunningStatement } from './running-statements.ts';
import { type SharedQueryState, WRITING_THREAD } from './shared-query-state.ts';
import { SlowStatements } from './slow-statements.ts';
import { environmentOf, SqlConnection, type StorageRow } from './sql-connection.ts';
import { withSqlErrors } from './sql-failures.ts';
import { StatementWatch } from './statement-watch.ts';
import { Statistics } from './statistics.ts';
import type { ExclusiveWriteLock } from './write-lock.ts';

/** Returns a scan's predicate by its class name; undefined when there is none. */
export type FindPredicate = (className: string) => ((key: Value, value: Value) => boolean) | undefined;

export interface QueryRunnerOptions {
  readonly thread: EngineThread;
  readonly clock: Clock;
  readonly changes: ChangeChannel;
  readonly writeLock: ExclusiveWriteLock;
  readonly queryState: SharedQueryState;
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
  readonly virtualTables: VirtualTables;
  /** Refreshes the rows of `virtualTables` that only the service knows. */
  readonly readServiceInfo: () => Promise<void>;
  readonly findPredicate: FindPredicate;
  /** Converts every value that is sent (the configured message interceptor). */
  readonly onSend: ((value: Value) => Value) | undefined;
}

/** Errors that end statements which may hold much memory. */
const ENDED: ReadonlySet<ErrorCode> = new Set([
  'QUERY_MEMORY',
  'QUERY_DISK',
  'QUERY_RESULT_BYTES',
  'QUERY_CANCELLED',
  'LIMIT_EXCEEDED',
]);
/** After a statement that ran longer, memory is freed at once, which takes about a tenth of this time. */
const HEAVY_MS = 100;
const PREPARING_POLL_MS = 5;
const IDLE_CHECK_MS = 1_000;
/** SQLite's page cache, which is also the size of one sorting run. With many cursors each gets less. */
const CACHE_KIB = 8 * 1024;
const CACHE_OF_MANY_KIB = 1024;
const MANY_CURSORS = 16;

const KEY_VALUE: readonly Column[] = ['key', 'value'].map((fieldName) => ({
  fieldName,
  fieldTypeName: '',
  schemaName: '',
  typeName: '',
}));

type FieldsOrType = Exclude<SentQuery, { kind: 'scan' }>;
type Fields = Extract<SentQuery, { kind: 'fields' }>;

/** A statement that has begun. */
interface Begun {
  readonly source: RowSource;
  /** What the report of slow statements needs; undefined where no index could help. */
  readonly slow: (AdvisedStatement & { readonly text: string }) | undefined;
}

export class QueryRunner {
  readonly cursors: Cursors;
  readonly #options: QueryRunnerOptions;
  readonly #catalog: EngineCatalog;
  readonly #prepared: PreparedStatements;
  readonly #connections: ConnectionPool;
  readonly #changes: ChangeRunner;
  readonly #statistics: Statistics;
  readonly #slow: SlowStatements;
  /** Settles once the memory of the last ended statement has been returned. */
  #freeing: Promise<void> = Promise.resolve();

  constructor(options: QueryRunnerOptions) {
    const { thread, clock, queryState, index, maxCursors, idleMs, virtualTables } = options;
    this.#options = options;
    this.#catalog = new EngineCatalog(thread, virtualTables, 'attached');
    this.#prepared = new PreparedStatements(this.#catalog);
    this.#connections = new ConnectionPool(
      () => this.#open('read'),
      ({ epoch, statistics }) => epoch === thread.shared.epoch() && statistics === queryState.statisticsVersion(),
    );
    this.#statistics = new Statistics({ ...options, catalog: this.#catalog });
    this.#changes = new ChangeRunner({
      ...options,
      catalog: this.#catalog,
      statistics: this.#statistics,
      open: () => this.#open('write'),
    });
    this.#slow = new SlowStatements(options, this.#catalog);
    this.cursors = new Cursors({ clock, queryState, thread: index, limit: maxCursors, idleMs });
    clock.every(IDLE_CHECK_MS, () => this.cursors.closeIdle());
  }

  /** Resolves when no analysis of tables is pending and freed memory has been returned. */
  get settled(): Promise<unknown> {
    return Promise.all([this.#statistics.settled, this.#freeing]);
  }

  async execute(query: SentQuery): Promise<PageChunk> {
    const { version } = this.#catalog;
    try {
      return await this.#execute(query);
    } catch (error) {
      this.#freeAfter(error);
      // A definition changed between preparing and running: SQLite's error about the old text would mislead.
      if (!isRejectedBySqlite(error) || version === this.#catalog.version) throw error;
      return await this.#execute(query);
    } finally {
      if (isLongText(query)) this.#free();
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
    if (error instanceof GridError && ENDED.has(error.code)) this.#free();
  }

  /** Returns the memory of a statement to the system, after its response has been sent. */
  #free(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#freeing = promise;
    this.#options.clock.after(0, () => {
      fullGC();
      const connection = this.#connections.acquire();
      connection.guarded?.trim();
      this.#connections.release(connection);
      resolve();
    });
  }

  /** Checkpoints the write-ahead logs as far as readers permit. */
  checkpoint(): Promise<void> {
    return this.#changes.checkpoint();
  }

  /** Closes everything that reads non-persistent regions, before their files are removed. */
  releaseRegions(): void {
    this.cursors.closeWhere((source) => source.overCaches);
    this.#connections.closeIdle();
    this.#changes.release();
  }

  close(): void {
    this.cursors.closeWhere(() => true);
    this.#connections.closeIdle();
    this.#changes.release();
  }

  async #execute(query: SentQuery): Promise<PageChunk> {
    const { thread, clock, queryState, index, budget } = this.#options;
    if (thread.shared.isInactive()) throw fail('INACTIVE');
    const watch = new StatementWatch(clock, queryState, budget, {
      thread: index,
      ticket: query.ticket,
      limitMs: query.timeoutMs ?? 0,
      waitedMs: clock.nowMs() - query.sentAtMs,
    });
    const id = this.cursors.nextId();
    const ended = queryState.statements.begin(index, {
      id,
      ...this.#shown(query),
      owner: query.owner,
      startedAtMs: clock.nowMs(),
      pageSize: query.pageSize,
    });
    let begun: Begun;
    // A change still has to wait for the write lock; a read occupies its thread from here on.
    if (index !== WRITING_THREAD) queryState.beginWork(index, id, query.owner, query.ticket, clock.nowMs());
    try {
      begun = await this.#begin(query, watch);
    } catch (error) {
      ended();
      throw error;
    } finally {
      if (index !== WRITING_THREAD) queryState.endWork(index);
    }
    const maxRows =
      query.kind === 'fields' && query.maxRows !== undefined && query.maxRows > 0 ? query.maxRows : undefined;
    const { slow } = begun;
    const claimant = query.claimant ?? { key: query.owner, isAdministrator: false };
    return this.cursors.begin(id, begun.source, watch, { ...query, claimant, maxRows }, () => {
      ended();
      if (slow !== undefined) this.#slow.note({ ...slow, user: query.owner, timeMs: watch.usedMs });
      if (watch.usedMs >= HEAVY_MS) this.#free();
    });
  }

  /** Returns what SYS.SQL_QUERIES and SYS.SCAN_QUERIES show. */
  #shown(query: SentQuery): Pick<RunningStatement, 'kind' | 'text' | 'detail'> {
    if (query.kind === 'scan') return { kind: 'scan', text: query.cache, detail: query.className ?? '' };
    const { definition } = this.#options.thread.registry.find(query.cache) ?? {};
    return { kind: 'sql', text: query.sql, detail: definition === undefined ? '' : schemaOf(definition) };
  }

  async #begin(query: SentQuery, watch: StatementWatch): Promise<Begun> {
    switch (query.kind) {
      case 'scan':
        return { source: this.#scan(query, watch), slow: undefined };
      case 'type':
        return this.#typeQuery(query, watch);
      case 'fields': {
        const prepared = isLongText(query)
          ? await this.#prepareLong(query, watch)
          : this.#prepared.get(query.sql, this.#catalog.schemaOfCache(query.cache));
        if (readsServiceViews(prepared)) await this.#options.readServiceInfo();
        switch (prepared.kind) {
          case 'query':
            checkDistributedJoin(prepared, query);
            return this.#query(prepared, query, watch, 'array', prepared.columns);
          case 'explain':
            return { source: this.#explain(prepared, query, watch), slow: undefined };
          case 'change': {
            const updated = await this.#changes.change(prepared, query, watch);
            const [step] = prepared.steps;
            return {
              source: new FixedRows(prepared.columns, [[{ type: 'long', data: updated }]]),
              slow: step && { ...prepared, text: query.sql, sql: step.sql },
            };
          }
          case 'ddl':
            await this.#changes.define(prepared, watch);
            return { source: new FixedRows(prepared.columns, [[{ type: 'long', data: 0n }]]), slow: undefined };
        }
      }
    }
  }

  /** Prepares a long statement while no other thread does, and frees its tree. Throws QUERY_CANCELLED. */
  async #prepareLong(query: Fields, watch: StatementWatch): Promise<Prepared> {
    const { clock, queryState, index } = this.#options;
    while (!queryState.tryBeginPreparing(index)) {
      watch.check();
      await sleep(clock, PREPARING_POLL_MS);
    }
    try {
      return this.#prepared.get(query.sql, this.#catalog.schemaOfCache(query.cache));
    } finally {
      fullGC();
      queryState.endPreparing(index);
    }
  }

  #query(
    prepared: PreparedQuery,
    query: FieldsOrType,
    watch: StatementWatch,
    shape: RowShape,
    columns: readonly Column[],
  ): Begun {
    this.#statistics.noteUse(prepared.tables);
    const source = this.#withConnection((connection) =>
      withSqlErrors(query.sql, () => {
        const { clock } = this.#options;
        const bindings = bindArguments(prepared, query.args, clock.nowMs());
        this.#prepare(connection, prepared, query.owner);
        const parts = { text: query.sql, shape, columns, overCaches: prepared.tables.length > 0 };
        const isPlain = shape === 'array' && query.format === 'json' && this.#options.onSend === undefined;
        const json = isPlain ? jsonQuery(prepared, query.kind === 'fields' && query.asIgnite) : undefined;
        if (json !== undefined) {
          connection.register.ensure(json.functions);
          return new JsonRows(
            { ...parts, ...this.#iterate(connection, json.sql, bindings, watch), connection },
            prepared.types,
          );
        }
        const readers = prepared.types.map(
          (type, index): ColumnReader => this.#sent((row) => decodeValueAs(type, columnOf(row, index))),
        );
        return this.#rows(connection, prepared.sql, bindings, watch, { ...parts, readers, accepts: undefined });
      }),
    );
    return { source, slow: { ...prepared, text: query.sql } };
  }

  #typeQuery(query: Extract<SentQuery, { kind: 'type' }>, watch: StatementWatch): Begun {
    const schema = this.#catalog.schemaOfCache(query.cache);
    const found = this.#catalog
      .tables()
      .find(
        ({ table, entity }) =>
          table.cache === query.cache && table.schema === schema && simpleName(entity.valueType) === query.typeName,
      );
    if (found === undefined) throw fail('QUERY_TYPE_NOT_FOUND', query.typeName);
    return this.#query(this.#prepared.typeQuery(query.sql, found.table), query, watch, 'entry', KEY_VALUE);
  }

  #scan(query: Extract<SentQuery, { kind: 'scan' }>, watch: StatementWatch): RowSource {
    const { thread, clock } = this.#options;
    const handle = thread.registry.find(query.cache);
    if (handle === undefined) throw fail('QUERY_CACHE_NOT_FOUND', query.cache);
    const predicate = query.className === undefined ? undefined : this.#options.findPredicate(query.className);
    if (query.className !== undefined && predicate === undefined) throw fail('CLASS_NOT_FOUND', query.className);
    const columns = handle.codec.columns.map((column) => `, f${column}`).join('');
    const sql = `SELECT kt, k, vt, v${columns} FROM ${physicalName(handle)} WHERE exp IS NULL OR exp > ?`;
    const key: ColumnReader = (row) => decodeValue(Number(row.kt), row.k ?? null, thread.names);
    const value: ColumnReader = (row) =>
      handle.codec.value({ ...row, vt: typeof row.vt === 'bigint' ? row.vt : 0n, v: row.v ?? null, exp: null });
    const sent = [this.#sent(key), this.#sent(value)];
    return this.#withConnection((connection) => {
      connection.attach([handle.database]);
      return withSqlErrors(sql, () =>
        this.#rows(connection, sql, [clock.nowMs()], watch, {
          text: sql,
          shape: 'entry',
          columns: KEY_VALUE,
          readers: predicate === undefined ? sent : [key, value],
          overCaches: true,
          accepts: predicate === undefined ? undefined : (read) => predicate(read(0), read(1)),
        }),
      );
    });
  }

  #rows(
    connection: SqlConnection,
    sql: string,
    bindings: readonly Binding[],
    watch: StatementWatch,
    parts: {
      readonly text: string;
      readonly shape: RowShape;
      readonly columns: readonly Column[];
      readonly readers: readonly ColumnReader[];
      readonly overCaches: boolean;
      readonly accepts: ((read: ValueReader) => boolean) | undefined;
    },
  ): RowSource {
    return new StatementRows({
      ...parts,
      ...this.#iterate(connection, sql, bindings, watch),
      connection,
      poll: parts.accepts === undefined ? () => {} : watch.poll,
    });
  }

  /** Starts a statement. `onClose` returns the connection to the pool. */
  #iterate(
    connection: SqlConnection,
    sql: string,
    bindings: readonly Binding[],
    watch: StatementWatch,
  ): { readonly rows: Iterator<StorageRow>; readonly onClose: () => void } {
    watch.use(connection.guarded);
    connection.register.context.poll = watch.poll;
    const statement = watch.run(() => connection.statements.get(sql));
    const rows = statement.iterate(...bindings.slice(0, statement.paramsCount));
    return { rows, onClose: () => this.#connections.release(connection) };
  }

  #explain(prepared: PreparedExplain, query: Fields, watch: StatementWatch): RowSource {
    const connection = this.#connections.acquire();
    try {
      const text = withSqlErrors(query.sql, () => {
        const bindings = bindArguments(prepared, query.args, this.#options.clock.nowMs());
        this.#prepare(connection, prepared, query.owner);
        connection.register.context.poll = watch.poll;
        watch.use(connection.guarded);
        return watch.run(() => explainPlan(prepared, bindings, connection, this.#catalog));
      });
      return new FixedRows(prepared.columns, [[{ type: 'string', data: text }]]);
    } finally {
      watch.use(undefined);
      this.#connections.release(connection);
    }
  }

  /** Attaches the databases and registers the functions that the statement needs. */
  #prepare(connection: SqlConnection, prepared: PreparedQuery | PreparedExplain, owner: string): void {
    const { clock, thread } = this.#options;
    connection.attach(databasesOf(thread, prepared.tables));
    connection.register.context.environment = environmentOf(clock, owner, prepared.schema);
    connection.register.ensure(prepared.functions);
  }

  #withConnection(use: (connection: SqlConnection) => RowSource): RowSource {
    const connection = this.#connections.acquire();
    try {
      return use(connection);
    } catch (error) {
      this.#connections.release(connection);
      throw error;
    }
  }

  #open(mode: 'read' | 'write'): SqlConnection {
    const { thread, queryState } = this.#options;
    return new SqlConnection({
      files: thread.reads.files,
      mode,
      epoch: thread.shared.epoch(),
      statistics: queryState.statisticsVersion(),
      guard: this.#options.guard,
      cacheKib: this.cursors.size < MANY_CURSORS ? CACHE_KIB : CACHE_OF_MANY_KIB,
    });
  }

  #sent(read: ColumnReader): ColumnReader {
    const { onSend } = this.#options;
    if (onSend === undefined) return read;
    return (row: StorageRow) => {
      const value = read(row);
      return value === NULL ? value : onSend(value);
    };
  }
}

/** Whether the statement reads a system view that needs the service's data. */
function readsServiceViews(prepared: Prepared): boolean {
  return (
    'placeholders' in prepared &&
    prepared.placeholders.some((placeholder) => placeholder.kind === 'rows' && needsServiceInfo(placeholder.table))
  );
}

/** Returns the numbers of the databases that hold the tables. */
export function databasesOf(thread: EngineThread, tables: readonly EntryTable[]): number[] {
  return tables.map((table) => databaseOf(thread.reads.files, table.region));
}

function isRejectedBySqlite(error: unknown): boolean {
  return error instanceof GridError && error.code === 'SQL' && error.cause instanceof SQLiteError;
}

function physicalName(handle: CacheHandle): string {
  return handle.database === DATA_DATABASE ? handle.table : `${attachedName(handle.database)}.${handle.table}`;
}

/** Returns a type's name without package and outer class, as `qryexe` accepts it. */
function simpleName(typeName: string): string {
  return typeName.split(/[.$]/).at(-1) || typeName;
}
