/** Runs queries on a request's thread: queries by key, and those that a guard may interrupt. */
import type { Database } from 'bun:sqlite';
import type { Clock } from '../../../base/clock.ts';
import type { Column, FieldsQuery, QueryPage } from '../../../grid/grid.ts';
import { rowWriter } from '../../../grid/row-writers.ts';
import { addResultBytes, type StatementBudget, uncountedCharacters } from '../../../grid/statement-budget.ts';
import type { TableReader } from '../../../sql/binding/catalog.ts';
import type { Value } from '../../../values/value.ts';
import {
  finishJsonRows,
  type JsonQuery,
  jsonQuery,
  MAX_JOINED,
  readJsonRow,
  splitJsonRows,
} from '../shared/json-rows.ts';
import type { StatementHistory } from '../shared/statement-history.ts';
import { PROCESSES_PER_ID } from '../shared/statement-protocol.ts';
import { bindArguments, bindingsOf } from '../sql/arguments.ts';
import type { PreparedQuery } from '../sql/statement.ts';
import { columnValue, StatementCache, type StorageRow } from '../sql/statement-cache.ts';
import { DATA_DATABASE } from '../storage/databases.ts';
import type { EngineThread } from '../thread/engine-thread.ts';
import { QuickStatements, RunLimit, TooLong } from './quick-statements.ts';

export interface LocalReadsOptions {
  readonly thread: EngineThread;
  readonly clock: Clock;
  readonly onSend: ((value: Value) => Value) | undefined;
  readonly budget: Pick<StatementBudget, 'resultBytes'>;
  /** Returns a version that grows when tables are analysed. */
  readonly statisticsVersion: () => number;
  readonly history: StatementHistory;
  /**
   * Library of the statement guard, which interrupts quick statements; if undefined, all of them run in
   * statement processes.
   */
  readonly guardLibrary: string | undefined;
}

/** When a statement began, by both clocks. */
export interface Start {
  readonly ms: number;
  readonly monotonicMs: number;
}

/** Thread index in the ids of local queries. No statement process has it, because these queries have a single page. */
const LOCAL_PROCESS = PROCESSES_PER_ID - 1;

/** Maximum number of characters of JSON that are converted to CSV on the request's thread. */
const MAX_CONVERTED = 16_384;

/** Queries that run here read no system views. */
const NOBODY: TableReader = { owner: '', knows: { users: false, service: false, counters: false } };

/** Returns the CSV of rows that are JSON arrays. */
function csvOfJson(rows: string, { columns, types }: PreparedQuery): string {
  // Nothing interrupts the conversion, and an object's JSON does not say which numbers it has.
  if (rows.length > MAX_CONVERTED || types.some(({ name }) => name === 'OTHER')) throw new TooLong('it is converted');
  const writer = rowWriter('csv', 'array', columns);
  const records = splitJsonRows(rows).map((row) => writer.write(readJsonRow(row, types)));
  return writer.header + records.join(writer.separator) + writer.end(records.length);
}

/** Runs queries, and counts all statements of a request's thread. */
export class LocalReads {
  readonly #options: LocalReadsOptions;
  readonly #connections = new WeakMap<Database, StatementCache>();
  readonly #quick: QuickStatements | undefined;
  readonly #mostUncounted: number;
  #lastId = 0;
  /** Whether the current statement encountered a large value. */
  #isLarge = false;

  constructor(options: LocalReadsOptions) {
    const { guardLibrary, clock, thread, budget } = options;
    this.#options = options;
    this.#mostUncounted = uncountedCharacters(budget);
    if (guardLibrary !== undefined)
      this.#quick = new QuickStatements(clock, new RunLimit(guardLibrary, thread.limits, clock));
  }

  /** Returns a statement's only page. */
  page(columns: readonly Column[], rows: string, rowCount: number): QueryPage {
    if (rows.length > this.#mostUncounted) addResultBytes(this.#options.budget, 0, rows);
    return {
      queryId: ++this.#lastId * PROCESSES_PER_ID + LOCAL_PROCESS,
      columns,
      rows,
      end: () => ({ last: true, rowCount }),
    };
  }

  now(): Start {
    const { clock } = this.#options;
    return { ms: clock.nowMs(), monotonicMs: clock.monotonicMs() };
  }

  /** Counts an execution of a statement; `rows` is undefined for a failed one. */
  note(query: FieldsQuery, schema: string, start: Start, rows: number | undefined): void {
    const { clock, history } = this.#options;
    const durationMs = clock.monotonicMs() - start.monotonicMs;
    const failed = rows === undefined;
    history.note({ schema, sql: query.sql, failed, startedAtMs: start.ms, durationMs, rows: rows ?? 0 });
  }

  /** Runs a query by key. Returns undefined if a statement process must run it. */
  byKey(prepared: PreparedQuery, query: FieldsQuery): QueryPage | undefined {
    return this.#counted(prepared, query, (nowMs) => this.#select(prepared, query, nowMs));
  }

  /** Runs a quick query that is not by key. Returns undefined if a statement process must run it. */
  quick(prepared: PreparedQuery, query: FieldsQuery): QueryPage | undefined {
    return this.#counted(prepared, query, (nowMs) => this.#runQuick(prepared, query, nowMs));
  }

  /** Runs a query and counts it. */
  #counted(
    { schema }: PreparedQuery,
    query: FieldsQuery,
    run: (nowMs: number) => QueryPage | undefined,
  ): QueryPage | undefined {
    const start = this.now();
    this.#isLarge = false;
    try {
      const found = run(start.ms);
      if (found !== undefined) this.note(query, schema, start, found.end().rowCount);
      return found;
    } catch (error) {
      // SQLite wraps the error of a registered function.
      if (this.#isLarge) return undefined;
      this.note(query, schema, start, undefined);
      throw error;
    }
  }

  #select(prepared: PreparedQuery, query: FieldsQuery, nowMs: number): QueryPage {
    const connection = this.#options.thread.reads.get(prepared.tables[0]?.database ?? DATA_DATABASE);
    connection.refresh();
    const connected = this.#statementsOf(connection.database);
    const bindings = bindArguments(prepared, query.args, nowMs, NOBODY);
    connected.setEnvironment(nowMs, query.owner, prepared.schema);
    const json = query.format === 'csv' ? undefined : this.#jsonOf(prepared, query);
    const { sql, functions } = json ?? prepared;
    const statement = connected.get(sql, functions);
    const row = statement.get(...bindingsOf(statement, bindings));
    const count = row === null ? 0 : 1;
    if (json !== undefined)
      return this.page(prepared.columns, json.enclose(row === null ? '' : finishJsonRows(row.j)), count);
    const { onSend } = this.#options;
    const writer = rowWriter(query.format, 'array', prepared.columns, query.notation);
    const read = (storageRow: StorageRow) => (index: number) => {
      const value = columnValue(prepared, storageRow, index);
      return onSend === undefined || value.type === 'null' ? value : onSend(value);
    };
    const text = writer.header + (row === null ? '' : writer.write(read(row))) + writer.end(count);
    return this.page(prepared.columns, text, count);
  }

  #runQuick(prepared: PreparedQuery, query: FieldsQuery, nowMs: number): QueryPage | undefined {
    if (query.distributedJoins === true) return undefined;
    const json = this.#jsonOf(prepared, query);
    const [table] = prepared.tables;
    if (json === undefined || table === undefined) return undefined;
    if (table.database !== DATA_DATABASE || this.#quick?.admits(prepared) !== true) return undefined;
    const maxRows = Math.min(query.pageSize, MAX_JOINED);
    const connection = this.#options.thread.reads.planning(this.#options.statisticsVersion());
    this.#quick.limit.attach(connection.database);
    return this.#quick.run(prepared, () => {
      connection.refresh();
      const connected = this.#statementsOf(connection.database);
      const bindings = bindArguments(prepared, query.args, nowMs, NOBODY);
      connected.setEnvironment(nowMs, query.owner, prepared.schema);
      const statement = connected.get(json.joinedSql, json.functions);
      const row = statement.get(...bindingsOf(statement, bindings));
      const count = Number(row?.n ?? 0);
      // More pages need a cursor.
      if (count > maxRows) throw new TooLong('it has too many rows');
      const rows = finishJsonRows(row?.j ?? '');
      return this.page(prepared.columns, query.format === 'csv' ? csvOfJson(rows, prepared) : rows, count);
    });
  }

  #statementsOf(database: Database): StatementCache {
    const known = this.#connections.get(database);
    if (known !== undefined) return known;
    const created = new StatementCache(database);
    const { context } = created.register;
    context.beginLarge = () => {
      this.#isLarge = true;
      throw new TooLong('it reads a large value');
    };
    this.#connections.set(database, created);
    return created;
  }

  /** Returns the query that writes its rows as JSON, unless values must be converted one by one. */
  #jsonOf(prepared: PreparedQuery, { asIgnite, notation, format }: FieldsQuery): JsonQuery | undefined {
    if (this.#options.onSend !== undefined || notation !== undefined) return undefined;
    return format === 'csv' ? jsonQuery(prepared) : jsonQuery(prepared, asIgnite, format);
  }
}
