/**
 * Runs statements by key on the request's thread. They touch a known number of rows, and a message to another thread
 * would cost more.
 */
import type { Database } from 'bun:sqlite';
import { type Clock, sleep } from '../../../base/clock.ts';
import { fail } from '../../../base/errors.ts';
import { SQL_BOUNDS } from '../../../base/limits.ts';
import type { DefinitionChange, DefinitionStatement } from '../../../grid/definition-changes.ts';
import type { Column, FieldsQuery, MaybePromise, QueryPage, QueryRequest } from '../../../grid/grid.ts';
import { rowWriter, updateCount } from '../../../grid/row-writers.ts';
import { addResultBytes, type StatementBudget, uncountedCharacters } from '../../../grid/statement-budget.ts';
import { analyze, isRowStatement, type StatementAnalysis } from '../../../sql/analysis/analysis.ts';
import type { TableReader } from '../../../sql/binding/catalog.ts';
import type { DdlStatement } from '../../../sql/syntax/ast.ts';
import type { Value } from '../../../values/value.ts';
import { EngineCatalog, type VirtualTables } from '../catalog/engine-catalog.ts';
import { bindArguments, bindingsOf } from '../sql/arguments.ts';
import type { Prepared, PreparedChange, PreparedDdl, PreparedQuery } from '../sql/statement.ts';
import { StatementCache, type StorageRow } from '../sql/statement-cache.ts';
import { DATA_DATABASE } from '../storage/databases.ts';
import type { EngineThread } from '../thread/engine-thread.ts';
import type { ChangeChannel } from '../writer/changes.ts';
import { checkChange } from './change-runner.ts';
import {
  checkSetLogging,
  definitionOf,
  type QuickDefinition,
  quickDefinition,
} from './definitions/definition-runner.ts';
import type { StatementHistory } from './monitoring/statement-history.ts';
import { PreparedStatements } from './prepared-statements.ts';
import type { LocalQueries } from './query-pool.ts';
import { THREADS_PER_ID } from './query-protocol.ts';
import { QuickStatements, RunLimit, TooLong } from './quick-statements.ts';
import { finishJsonRows, type JsonQuery, jsonQuery, MAX_JOINED, readJsonRow, splitJsonRows } from './rows/json-rows.ts';
import { columnValue } from './rows/row-sources.ts';
import { asStorageFailure, isTableLost, statementFailure } from './sql-failures.ts';
import type { StatementKills } from './statement-kills.ts';
import { isNarrow, isShort } from './statement-size.ts';
import type { Place } from './statement-slots.ts';

export interface LocalQueriesOptions {
  readonly thread: EngineThread;
  readonly clock: Clock;
  readonly changes: ChangeChannel;
  readonly virtualTables: VirtualTables;
  readonly onSend: ((value: Value) => Value) | undefined;
  readonly budget: Pick<StatementBudget, 'resultBytes'>;
  /** Runs KILL QUERY with the id in its text. */
  readonly kill: StatementKills['killBySql'];
  /** Returns a version that grows when tables are analysed. */
  readonly statisticsVersion: () => number;
  readonly history: StatementHistory;
  /** Library of the statement guard, which ends quick statements; undefined: all of them run in query threads. */
  readonly guardLibrary: string | undefined;
}

/** When a statement began, by both clocks. */
interface Start {
  readonly ms: number;
  readonly monotonicMs: number;
}

/** Thread index in the ids of local queries. No query thread has it, because these queries have a single page. */
const LOCAL_THREAD = THREADS_PER_ID - 1;

/** Characters of JSON that are converted to CSV on the request's thread. */
const MAX_CONVERTED = 16_384;

/** What runs here reads no system view. */
const NOBODY: TableReader = { owner: '', knows: { users: false, service: false, counters: false } };

/** The verbs of statements that define something. */
const DEFINITION = /^(create|alter|drop)\b/i;

/** Returns the kind of query thread for a statement that is not prepared here. */
function placeOf({ kind }: StatementAnalysis): Place {
  return kind === 'query' || kind === 'explain' || kind === 'unknown' ? 'reading' : 'writing';
}

function quickStatements({ guardLibrary, clock, thread }: LocalQueriesOptions): QuickStatements | undefined {
  if (guardLibrary === undefined) return undefined;
  return new QuickStatements(clock, new RunLimit(guardLibrary, thread.limits, clock));
}

/** Returns the CSV of rows that are JSON arrays. */
function csvOfJson(rows: string, { columns, types }: PreparedQuery): string {
  // Nothing interrupts the conversion, and the JSON of an object does not say which numbers it has.
  if (rows.length > MAX_CONVERTED || types.some(({ name }) => name === 'OTHER')) throw new TooLong('it is converted');
  const writer = rowWriter('csv', 'array', columns);
  const records = splitJsonRows(rows).map((row) => writer.write(readJsonRow(row, types)));
  return writer.header + records.join(writer.separator) + writer.end(records.length);
}

/** Returns a function that runs statements by key, and returns the kind of query thread for all others. */
export function localQueries(options: LocalQueriesOptions): LocalQueries {
  const { thread, changes } = options;
  const catalog = new EngineCatalog(thread, options.virtualTables, 'plain');
  const statements = new PreparedStatements(catalog, false);
  const connections = new WeakMap<Database, StatementCache>();
  const quick = quickStatements(options);
  const mostUncounted = uncountedCharacters(options.budget);
  let lastId = 0;
  /** Whether the statement that runs here came upon a large value. */
  let isLarge = false;

  function page(columns: readonly Column[], rows: string, rowCount: number): QueryPage {
    if (rows.length > mostUncounted) addResultBytes(options.budget, 0, rows);
    return {
      queryId: ++lastId * THREADS_PER_ID + LOCAL_THREAD,
      columns,
      rows,
      end: () => ({ last: true, rowCount }),
    };
  }

  function statementsOf(database: Database): StatementCache {
    const known = connections.get(database);
    if (known !== undefined) return known;
    const created = new StatementCache(database);
    const { context } = created.register;
    context.beginLarge = () => {
      isLarge = true;
      throw new TooLong('it reads a large value');
    };
    connections.set(database, created);
    return created;
  }

  /** Returns the query that writes its rows as JSON, unless values have to be converted one by one. */
  function jsonOf(prepared: PreparedQuery, { asIgnite, notation, format }: FieldsQuery): JsonQuery | undefined {
    if (options.onSend !== undefined || notation !== undefined) return undefined;
    return format === 'csv' ? jsonQuery(prepared) : jsonQuery(prepared, asIgnite, format);
  }

  function select(prepared: PreparedQuery, query: FieldsQuery, nowMs: number): QueryPage {
    const connection = thread.reads.get(prepared.tables[0]?.database ?? DATA_DATABASE);
    connection.refresh();
    const connected = statementsOf(connection.database);
    const bindings = bindArguments(prepared, query.args, nowMs, NOBODY);
    connected.setEnvironment(nowMs, query.owner, prepared.schema);
    const json = query.format === 'csv' ? undefined : jsonOf(prepared, query);
    const { sql, functions } = json ?? prepared;
    const statement = connected.get(sql, functions);
    const row = statement.get(...bindingsOf(statement, bindings));
    const count = row === null ? 0 : 1;
    if (json !== undefined)
      return page(prepared.columns, json.enclose(row === null ? '' : finishJsonRows(row.j)), count);
    const writer = rowWriter(query.format, 'array', prepared.columns, query.notation);
    const read = (storageRow: StorageRow) => (index: number) => {
      const value = columnValue(prepared, storageRow, index);
      return options.onSend === undefined || value.type === 'null' ? value : options.onSend(value);
    };
    const text = writer.header + (row === null ? '' : writer.write(read(row))) + writer.end(count);
    return page(prepared.columns, text, count);
  }

  /** Runs a quick statement that is not by key. Returns undefined when a query thread must run it. */
  function runQuick(prepared: PreparedQuery, query: FieldsQuery, nowMs: number): QueryPage | undefined {
    if (query.distributedJoins === true) return undefined;
    const json = jsonOf(prepared, query);
    const [table] = prepared.tables;
    if (json === undefined || table === undefined) return undefined;
    if (table.database !== DATA_DATABASE || quick?.admits(prepared) !== true) return undefined;
    const maxRows = Math.min(query.pageSize, MAX_JOINED);
    const connection = thread.reads.planning(options.statisticsVersion());
    quick.limit.attach(connection.database);
    return quick.run(prepared, () => {
      connection.refresh();
      const connected = statementsOf(connection.database);
      const bindings = bindArguments(prepared, query.args, nowMs, NOBODY);
      connected.setEnvironment(nowMs, query.owner, prepared.schema);
      const statement = connected.get(json.joinedSql, json.functions);
      const row = statement.get(...bindingsOf(statement, bindings));
      const count = Number(row?.n ?? 0);
      // Further pages need a cursor.
      if (count > maxRows) throw new TooLong('it has too many rows');
      const rows = finishJsonRows(row?.j ?? '');
      return page(prepared.columns, query.format === 'csv' ? csvOfJson(rows, prepared) : rows, count);
    });
  }

  /** Has the writer run a change by key. */
  async function change(prepared: PreparedChange, query: FieldsQuery): Promise<QueryPage> {
    const { schema } = prepared;
    const start = now();
    checkChange(thread, prepared, query.sql, query.args);
    try {
      const updated = await changes.submit('runStatement', {
        sql: query.sql,
        schema,
        // Ignite ignores further arguments.
        args: query.args.slice(0, prepared.parameterCount),
        user: query.owner,
      });
      note(query, schema, start, Number(updated));
      return page(prepared.columns, updateCount(query.format, updated, query.notation), 1);
    } catch (error) {
      note(query, schema, start, undefined);
      throw error;
    }
  }

  /** Runs KILL QUERY here: the process for changes may be occupied by the statement that it ends. */
  async function kill(
    query: FieldsQuery,
    columns: readonly Column[],
    { id, waits }: Extract<DdlStatement, { kind: 'killQuery' }>,
  ): Promise<QueryPage> {
    const { owner, sender } = query;
    const killed = options.kill(query.sql, id, { owner, isAdministrator: sender?.tenant().isAdministrator === true });
    // KILL QUERY ASYNC does not wait until the query is gone; an unknown query is an error at once.
    if (waits) await killed;
    else await Promise.race([killed, sleep(options.clock, 0)]);
    return zero(query, columns);
  }

  /** Has the writer run a quick definition: a query thread would read the definitions of all caches first. */
  async function define(
    query: FieldsQuery,
    prepared: PreparedDdl & { readonly statement: QuickDefinition },
  ): Promise<QueryPage> {
    const { schema, columns } = prepared;
    const start = now();
    try {
      const statement = definitionOf(prepared, query.definesAsIgnite === true);
      await changes.submit('runDdl', { statement, schema });
      note(query, schema, start, 1);
      return zero(query, columns);
    } catch (error) {
      note(query, schema, start, undefined);
      throw error;
    }
  }

  /** Returns the page of a statement without rows. */
  function zero({ format, notation }: FieldsQuery, columns: readonly Column[]): QueryPage {
    return page(columns, updateCount(format, 0, notation), 1);
  }

  function now(): Start {
    return { ms: options.clock.nowMs(), monotonicMs: options.clock.monotonicMs() };
  }

  /** Counts an execution of a statement. */
  function note(query: FieldsQuery, schema: string, start: Start, rows: number | undefined): void {
    const durationMs = options.clock.monotonicMs() - start.monotonicMs;
    const failed = rows === undefined;
    options.history.note({ schema, sql: query.sql, failed, startedAtMs: start.ms, durationMs, rows: rows ?? 0 });
  }

  /** Runs a query and counts it. Returns undefined when a query thread must run it. */
  function counted(
    query: FieldsQuery,
    prepared: PreparedQuery,
    run: (prepared: PreparedQuery, query: FieldsQuery, nowMs: number) => QueryPage | undefined,
  ): QueryPage | undefined {
    const start = now();
    isLarge = false;
    try {
      const found = run(prepared, query, start.ms);
      if (found !== undefined) note(query, prepared.schema, start, found.end().rowCount);
      return found;
    } catch (error) {
      // SQLite wraps the error of a registered function.
      if (isLarge) return undefined;
      note(query, prepared.schema, start, undefined);
      throw error;
    }
  }

  /** Prepares a statement, or returns the kind of query thread that must do so. */
  function prepare({ sql }: FieldsQuery, schema: string): Prepared | Place {
    const analysis = analyze(sql);
    // Binding a long statement takes milliseconds, and folding expensive calls is not bounded.
    const isCheap = analysis.kind === 'killQuery' || (isShort(sql, analysis) && isNarrow(analysis, schema, catalog));
    return isCheap ? statements.get(sql, schema) : placeOf(analysis);
  }

  function fields(query: FieldsQuery): MaybePromise<QueryPage> | Place {
    const schema = catalog.schemaOfCache(query.cache);
    const prepared = statements.known(query.sql, schema) ?? prepare(query, schema);
    if (typeof prepared === 'string') return prepared;
    // A page size of 0 leaves the rows to qryfetch, which needs a cursor. Exports write rows in their own form.
    const mayRun = query.pageSize > 0 && query.export === undefined;
    const isLocal = 'byKey' in prepared && prepared.byKey && mayRun;
    switch (prepared.kind) {
      case 'query':
        if (isLocal) return counted(query, prepared, select) ?? 'reading';
        return (mayRun && query.maxRows === undefined ? counted(query, prepared, runQuick) : undefined) ?? 'reading';
      case 'explain':
        return 'reading';
      case 'ddl': {
        const { statement, columns } = prepared;
        if (statement.kind === 'killQuery') return kill(query, columns, statement);
        // One that waits for a statement is listed and can end only in the process for changes.
        const mayDefine = mayRun && !thread.shared.writeLock.isHeldLong();
        const quick = mayDefine ? quickDefinition(statement) : undefined;
        return quick === undefined ? 'writing' : define(query, { ...prepared, statement: quick });
      }
      case 'change':
        return isLocal ? change(prepared, query) : 'writing';
    }
  }

  /** Runs a statement again whose table SQLite did not find, and returns the error of any other. */
  function retryLostTable(query: FieldsQuery, error: unknown): MaybePromise<QueryPage> | Place {
    const failure = statementFailure(error, query.sql);
    if (!isTableLost(failure)) throw failure;
    try {
      return fields(query);
    } catch (second) {
      throw asStorageFailure(statementFailure(second, query.sql));
    }
  }

  async function previewDefinition({
    sql,
    cache,
    definesAsIgnite,
  }: DefinitionStatement): Promise<readonly DefinitionChange[] | undefined> {
    if (thread.shared.isInactive()) throw fail('INACTIVE');
    const analysis = analyze(sql);
    const { kind, verb } = analysis;
    if (kind === 'killQuery') {
      throw fail('DRY_RUN_UNSUPPORTED', 'KILL QUERY', 'the query may end before it is executed');
    }
    const isDefinition = kind === 'unknown' ? DEFINITION.test(verb) : !isRowStatement(kind);
    if (isDefinition && !isShort(sql, analysis, SQL_BOUNDS.previewedCharacters)) {
      throw fail('DRY_RUN_UNSUPPORTED', verb, 'the statement is too long to be previewed');
    }
    if (!isDefinition) return undefined;
    const prepared = statements.get(sql, catalog.schemaOfCache(cache));
    if (prepared.kind !== 'ddl') return undefined;
    const statement = definitionOf(prepared, definesAsIgnite === true);
    switch (statement.kind) {
      case 'createTable':
      case 'dropTable':
      case 'addColumns':
      case 'dropColumns':
      case 'createIndex':
      case 'dropIndex':
      case 'createView':
      case 'dropView':
        return changes.submit('previewDdl', { statement, schema: prepared.schema });
      case 'alterIfExists':
        return [];
      case 'setLogging':
        checkSetLogging(statement, prepared, catalog);
        return [];
      case 'analyze':
        throw fail('DRY_RUN_UNSUPPORTED', 'ANALYZE', 'it changes no data, only how later statements are planned');
      case 'truncate':
      case 'killQuery':
      case 'createUser':
      case 'alterUser':
      case 'dropUser':
        return undefined;
    }
  }

  function run(request: QueryRequest): MaybePromise<QueryPage> | Place {
    if (thread.shared.isInactive()) throw fail('INACTIVE');
    if (request.kind !== 'fields') return 'reading';
    try {
      return fields(request);
    } catch (error) {
      return retryLostTable(request, error);
    }
  }

  return Object.assign(run, { previewDefinition });
}
