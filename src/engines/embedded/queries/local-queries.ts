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
import { rowWriter } from '../../../grid/row-writers.ts';
import { checkMemoryBytes, checkResultBytes, type StatementBudget } from '../../../grid/statement-budget.ts';
import { analyze, isRowStatement, type StatementAnalysis } from '../../../sql/analysis/analysis.ts';
import type { Value } from '../../../values/value.ts';
import { EngineCatalog, type VirtualTables } from '../catalog/engine-catalog.ts';
import { bindArguments, type FunctionRegister, type PreparedChange, type PreparedQuery } from '../sql/statement.ts';
import { decodeValueAs } from '../sql/storage-values.ts';
import { DATA_DATABASE, databaseOf } from '../storage/databases.ts';
import { reading } from '../storage/storage-failures.ts';
import type { EngineThread } from '../thread/engine-thread.ts';
import type { ChangeChannel } from '../writer/changes.ts';
import { checkChange } from './change-runner.ts';
import { checkSetLogging, definitionOf } from './definitions/definition-runner.ts';
import type { StatementHistory } from './monitoring/statement-history.ts';
import { PreparedStatements } from './prepared-statements.ts';
import type { LocalQueries } from './query-pool.ts';
import { THREADS_PER_ID } from './query-protocol.ts';
import { QuickStatements, TooLong } from './quick-statements.ts';
import { finishJsonRows, type JsonQuery, jsonQuery, MAX_JOINED } from './rows/json-rows.ts';
import { columnOf } from './rows/row-sources.ts';
import { environmentOf, functionRegister, StatementCache, type StorageStatement } from './sql-connection.ts';
import { asStorageFailure, isTableLost, withSqlErrors } from './sql-failures.ts';
import type { StatementKills } from './statement-kills.ts';
import { isNarrow, isShort } from './statement-size.ts';
import type { Place } from './statement-slots.ts';

export interface LocalQueriesOptions {
  readonly thread: EngineThread;
  readonly clock: Clock;
  readonly changes: ChangeChannel;
  readonly virtualTables: VirtualTables;
  readonly onSend: ((value: Value) => Value) | undefined;
  readonly budget: Pick<StatementBudget, 'resultBytes' | 'memoryBytes'>;
  /** Runs KILL QUERY with the id in its text. */
  readonly kill: StatementKills['killBySql'];
  /** Returns a version that grows when tables are analysed. */
  readonly statisticsVersion: () => number;
  readonly history: StatementHistory;
}

/** The functions and statements of one connection of this thread. */
interface Prepared {
  readonly register: FunctionRegister;
  readonly statements: StatementCache;
}

/** Thread index in the ids of local queries. No query thread has it, because these queries have a single page. */
const LOCAL_THREAD = THREADS_PER_ID - 1;

/** The verbs of statements that define something. */
const DEFINITION = /^(create|alter|drop)\b/i;

/** Returns the kind of query thread for a statement that is not prepared here. */
function placeOf({ kind }: StatementAnalysis): Place {
  return kind === 'query' || kind === 'explain' || kind === 'unknown' ? 'reading' : 'writing';
}

/** Reports whether the first page may contain all rows. */
function hasOnePage({ pageSize, format, maxRows }: FieldsQuery): boolean {
  return pageSize > 0 && format === 'json' && maxRows === undefined;
}

/** Returns a function that runs statements by key, and returns the kind of query thread for all others. */
export function localQueries(options: LocalQueriesOptions): LocalQueries {
  const { thread, changes } = options;
  const catalog = new EngineCatalog(thread, options.virtualTables, 'plain');
  const statements = new PreparedStatements(catalog);
  const connections = new WeakMap<Database, Prepared>();
  const quick = new QuickStatements(options.clock);
  let lastId = 0;
  /** Whether the statement that runs here came upon a large value. */
  let isLarge = false;

  /** Runs a statement here. Returns undefined when it came upon a large value: a query process must run it. */
  function unlessLarge<T>(run: () => T): T | undefined {
    isLarge = false;
    try {
      return run();
    } catch (error) {
      // SQLite wraps the error of a registered function.
      if (!isLarge) throw error;
      return undefined;
    }
  }

  function page(columns: readonly Column[], rows: string, rowCount: number): QueryPage {
    checkResultBytes(options.budget, rows);
    return {
      queryId: ++lastId * THREADS_PER_ID + LOCAL_THREAD,
      columns,
      rows,
      end: () => ({ last: true, rowCount }),
    };
  }

  function connectionOf(database: Database): Prepared {
    let prepared = connections.get(database);
    if (prepared === undefined) {
      prepared = {
        register: functionRegister(database),
        statements: new StatementCache(database),
      };
      prepared.register.context.checkMemory = (bytes) => checkMemoryBytes(options.budget, bytes);
      prepared.register.context.beginLarge = () => {
        isLarge = true;
        throw new TooLong('it reads a large value');
      };
      connections.set(database, prepared);
    }
    return prepared;
  }

  /** Returns the SQLite statement of a JSON query, after registering its functions. */
  function statementOf({ register, statements: kept }: Prepared, json: JsonQuery, sql: string): StorageStatement {
    register.ensure(json.functions);
    return kept.get(sql);
  }

  /** Returns the query that writes its rows as JSON, unless values have to be converted one by one. */
  function jsonOf(prepared: PreparedQuery, { asIgnite, notation }: FieldsQuery): JsonQuery | undefined {
    return options.onSend === undefined && notation === undefined ? jsonQuery(prepared, asIgnite) : undefined;
  }

  function select(prepared: PreparedQuery, query: FieldsQuery): QueryPage {
    const [table] = prepared.tables;
    const number = table === undefined ? DATA_DATABASE : databaseOf(thread.reads.files, table.region);
    const connection = thread.reads.get(number);
    connection.refresh();
    const own = connectionOf(connection.database);
    const { register, statements: cache } = own;
    return withSqlErrors(query.sql, () => {
      const bindings = bindArguments(prepared, query.args, options.clock.nowMs(), query);
      register.context.environment = environmentOf(options.clock, query.owner, prepared.schema);
      const json = jsonOf(prepared, query);
      if (json !== undefined) {
        const statement = statementOf(own, json, json.sql);
        const rows = statement.all(...bindings.slice(0, statement.paramsCount));
        return page(prepared.columns, rows.map(({ j }) => finishJsonRows(j)).join(','), rows.length);
      }
      register.ensure(prepared.functions);
      const statement = cache.get(prepared.sql);
      const found = statement.all(...bindings.slice(0, statement.paramsCount));
      const writer = rowWriter('json', 'array', prepared.columns, query.notation);
      const rows = found.map((row) =>
        writer.write((index) => {
          const type = prepared.types[index];
          if (type === undefined) throw new RangeError(`column ${index}`);
          const value = decodeValueAs(type, columnOf(row, index));
          return options.onSend === undefined || value.type === 'null' ? value : options.onSend(value);
        }),
      );
      return page(prepared.columns, rows.join(','), rows.length);
    });
  }

  /** Runs a quick statement that is not by key. Returns undefined when a query thread must run it. */
  function runQuick(prepared: PreparedQuery, query: FieldsQuery): QueryPage | undefined {
    if (query.distributedJoins === true) return undefined;
    const json = jsonOf(prepared, query);
    const [table] = prepared.tables;
    if (json === undefined || table === undefined) return undefined;
    if (databaseOf(thread.reads.files, table.region) !== DATA_DATABASE || !quick.admits(prepared)) return undefined;
    const maxRows = Math.min(query.pageSize, MAX_JOINED);
    return quick.run(prepared, (poll) => {
      const connection = thread.reads.planning(options.statisticsVersion());
      connection.refresh();
      const own = connectionOf(connection.database);
      const run = (): QueryPage => {
        const bindings = bindArguments(prepared, query.args, options.clock.nowMs(), query);
        const { context } = own.register;
        context.environment = environmentOf(options.clock, query.owner, prepared.schema);
        context.poll = poll;
        const statement = statementOf(own, json, json.joinedSql);
        const row = statement.get(...bindings.slice(0, statement.paramsCount));
        const count = Number(row?.n ?? 0);
        // Further pages need a cursor.
        if (count > maxRows) throw new TooLong('it has too many rows');
        return page(prepared.columns, count === 0 ? '' : finishJsonRows(row?.j), count);
      };
      return unlessLarge(() => withSqlErrors(query.sql, run));
    });
  }

  /** Has the writer run a change by key. */
  async function change(prepared: PreparedChange, query: FieldsQuery): Promise<QueryPage> {
    const { schema } = prepared;
    const startMs = options.clock.monotonicMs();
    checkChange(thread, prepared, query.sql, query.args);
    try {
      const updated = await changes.submit('runStatement', {
        sql: query.sql,
        schema,
        // Ignite ignores further arguments.
        args: query.args.slice(0, prepared.parameterCount),
        user: query.owner,
        ...(query.knows && { knows: query.knows }),
      });
      note(query, schema, startMs, Number(updated));
      const count = query.notation?.numbersAsStrings === true ? `"${updated}"` : String(updated);
      return page(prepared.columns, `[${count}]`, 1);
    } catch (error) {
      note(query, schema, startMs, undefined);
      throw error;
    }
  }

  /** Runs KILL QUERY here: the thread for changes may be occupied by the statement that it ends. */
  async function kill(query: FieldsQuery): Promise<QueryPage> {
    const prepared = statements.get(query.sql, catalog.schemaOfCache(query.cache));
    if (prepared.kind !== 'ddl' || prepared.statement.kind !== 'killQuery') throw new TypeError('not KILL QUERY');
    const { owner, tenant } = query;
    const killed = options.kill(query.sql, prepared.statement.id, {
      owner,
      isAdministrator: tenant?.isAdministrator === true,
    });
    // KILL QUERY ASYNC does not wait until the query is gone; an unknown query is an error at once.
    if (prepared.statement.waits) await killed;
    else await Promise.race([killed, sleep(options.clock, 0)]);
    const writer = rowWriter(query.format, 'array', prepared.columns, query.notation);
    const row = writer.write(() => ({ type: 'long', data: 0n }));
    return page(prepared.columns, writer.header + row + writer.terminator, 1);
  }

  /** Counts an execution of a statement that began at `startMs` of the monotonic clock. */
  function note(query: FieldsQuery, schema: string, startMs: number, rows: number | undefined): void {
    const durationMs = options.clock.monotonicMs() - startMs;
    const startedAtMs = options.clock.nowMs() - durationMs;
    const failed = rows === undefined;
    options.history.note({ schema, sql: query.sql, failed, startedAtMs, durationMs, rows: rows ?? 0 });
  }

  /** Runs a query and counts it, unless it has to run in a query thread. */
  function counted<P extends QueryPage | undefined>(query: FieldsQuery, schema: string, run: () => P): P {
    const startMs = options.clock.monotonicMs();
    try {
      const found = run();
      if (found === undefined) return found;
      note(query, schema, startMs, found.end().rowCount);
      return found;
    } catch (error) {
      note(query, schema, startMs, undefined);
      throw error;
    }
  }

  function fields(query: FieldsQuery): MaybePromise<QueryPage> | Place {
    const analysis = analyze(query.sql);
    if (analysis.kind === 'killQuery') return kill(query);
    // Binding a long statement takes milliseconds, and folding expensive calls is not bounded.
    if (!isShort(query.sql, analysis)) return placeOf(analysis);
    const schema = catalog.schemaOfCache(query.cache);
    const prepared = statements.get(query.sql, schema, () => isNarrow(analysis, schema, catalog));
    if (prepared === undefined) return placeOf(analysis);
    // A page size of 0 leaves the rows to qryfetch, which needs a cursor.
    const isLocal = 'byKey' in prepared && prepared.byKey && query.pageSize > 0 && query.format === 'json';
    switch (prepared.kind) {
      case 'query':
        if (isLocal)
          return counted(query, prepared.schema, () => unlessLarge(() => select(prepared, query))) ?? 'reading';
        if (!hasOnePage(query)) return 'reading';
        return counted(query, prepared.schema, () => runQuick(prepared, query)) ?? 'reading';
      case 'explain':
        return 'reading';
      case 'ddl':
        return 'writing';
      case 'change':
        return isLocal ? change(prepared, query) : 'writing';
    }
  }

  function retry(query: FieldsQuery): MaybePromise<QueryPage> | Place {
    try {
      return reading(() => fields(query));
    } catch (error) {
      throw asStorageFailure(error);
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
    if (isDefinition && !isShort(sql, analysis, SQL_BOUNDS.keptCharacters)) {
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
      return reading(() => fields(request));
    } catch (error) {
      if (!isTableLost(error)) throw error;
      return retry(request);
    }
  }

  return Object.assign(run, { previewDefinition });
}
