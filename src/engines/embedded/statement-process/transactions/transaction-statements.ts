/** Prepares and runs a transaction's statements on its connection. */
import { gridError } from '../../../../base/errors.ts';
import { SQL_BOUNDS } from '../../../../base/limits.ts';
import type { StatementQuery } from '../../../../grid/grid.ts';
import { rowWriter, updateCount } from '../../../../grid/row-writers.ts';
import type { Value } from '../../../../values/value.ts';
import { checkChange } from '../../shared/change-state.ts';
import { checkGranted } from '../../shared/granted-tables.ts';
import { finishJsonRows, jsonQuery } from '../../shared/json-rows.ts';
import type { PreparedStatements } from '../../shared/prepared-statements.ts';
import { statementFailure, withSqlErrors } from '../../shared/sql-failures.ts';
import type { StepRows } from '../../shared/statement-protocol.ts';
import { bindArguments, bindingsOf } from '../../sql/arguments.ts';
import { runChange } from '../../sql/run-change.ts';
import { checkDistributedJoin, type PreparedChange, type PreparedQuery } from '../../sql/statement.ts';
import { columnValue } from '../../sql/statement-cache.ts';
import type { StatementEntries } from '../../writer/statement-entries.ts';
import { type ChangeRunnerOptions, freeingOf } from '../change-runner.ts';
import type { SqlConnection } from '../sql-connection.ts';
import type { StatementWatch } from '../statement-watch.ts';
import type { DataLocation } from './transaction-entries.ts';

/** A statement of a transaction: it reads rows, or changes rows of one table. */
export type StepStatement = PreparedQuery | PreparedChange;

export interface TransactionStatementOptions extends Pick<ChangeRunnerOptions, 'thread' | 'catalog' | 'statistics'> {
  readonly prepared: PreparedStatements;
  /** The configured message interceptor, which the request's thread calls. */
  readonly onSend: ((value: Value) => Value) | undefined;
}

export class TransactionStatements {
  readonly #options: TransactionStatementOptions;

  constructor(options: TransactionStatementOptions) {
    this.#options = options;
  }

  /** Prepares a statement. Throws its errors, and SQL for a kind that cannot be part of a transaction. */
  prepare(query: StatementQuery): StepStatement {
    const { catalog, prepared, statistics } = this.#options;
    if (query.sql.length > SQL_BOUNDS.longCharacters) {
      const what = 'characters of a statement in an atomic batch';
      throw gridError('LIMIT_EXCEEDED', what, SQL_BOUNDS.longCharacters, query.sql.length, 'fixed');
    }
    const found = prepared.get(query.sql, catalog.schemaOfCache(query.cache), query.args);
    if (query.grant !== undefined) checkGranted(found, query.grant, query.owner);
    if (found.kind !== 'query' && found.kind !== 'change') {
      throw gridError('BATCH_COMMAND', 'The statement', 'an atomic batch has only queries and changes of rows');
    }
    if (found.placeholders.some(({ kind }) => kind === 'rows')) {
      throw gridError('BATCH_COMMAND', 'The statement', 'system views are not part of the transaction');
    }
    if (found.kind === 'query') withSqlErrors(query.sql, () => checkDistributedJoin(found, query));
    statistics.noteUse(found.tables);
    return found;
  }

  /** Returns the statement if still valid, otherwise prepared again. */
  current(statement: StepStatement, query: StatementQuery): StepStatement {
    return statement.catalogVersion === this.#options.catalog.version ? statement : this.prepare(query);
  }

  /** Returns the locations of the statement's tables, with the changed one first. */
  placesOf(statement: StepStatement): DataLocation[] {
    const tables = statement.kind === 'change' ? [statement.target, ...statement.tables] : statement.tables;
    return tables.map(({ database, region }) => ({ database, region }));
  }

  /** Throws INACTIVE or READ_ONLY for a change that the cluster's state does not allow. */
  checkState(statement: PreparedChange, { sql, args }: StatementQuery): void {
    checkChange(this.#options.thread, statement, sql, args);
  }

  /** Runs a change. Returns the update count, and the growth of the table in rows. */
  change(
    statement: PreparedChange,
    query: StatementQuery,
    connection: SqlConnection,
    watch: StatementWatch,
    entries: StatementEntries | undefined,
  ): { readonly updated: bigint; readonly addedRows: number } {
    const { thread } = this.#options;
    this.#begin(connection, statement, query, watch);
    try {
      const freeing = freeingOf(thread, statement, connection.transactions);
      const nowMs = thread.clock.nowMs();
      const result = runChange(statement, query.args, nowMs, query, connection.statements, freeing, entries);
      // A batch is atomic, even where Ignite has no atomicity.
      if (result.failure !== undefined) throw result.failure;
      return result;
    } catch (error) {
      throw this.#failure(error, statement, query);
    }
  }

  /** Runs a query. Throws BATCH_PAGE if it has more rows than its page. */
  rows(statement: PreparedQuery, query: StatementQuery, connection: SqlConnection, watch: StatementWatch): StepRows {
    const { thread, onSend } = this.#options;
    const convertsRows = onSend !== undefined;
    this.#begin(connection, statement, query, watch);
    const json = convertsRows || query.notation !== undefined ? undefined : jsonQuery(statement, query.asIgnite);
    const limit = query.maxRows === undefined || query.maxRows <= 0 ? Number.POSITIVE_INFINITY : query.maxRows;
    const texts: string[] = [];
    const values: Value[][] = [];
    let count = 0;
    try {
      const bindings = bindArguments(statement, query.args, thread.clock.nowMs(), query);
      const { sql, functions } = json ?? statement;
      const found = connection.statements.get(sql, functions);
      const writer = rowWriter('json', 'array', statement.columns, query.notation);
      for (const row of found.iterate(...bindingsOf(found, bindings))) {
        if (++count > limit) break;
        if (count > query.pageSize) throw gridError('BATCH_PAGE', query.pageSize);
        const read = (index: number): Value => columnValue(statement, row, index);
        if (convertsRows) values.push(statement.types.map((_, index) => read(index)));
        else {
          const text = json === undefined ? writer.write(read) : finishJsonRows(row.j);
          watch.countResult(1, text);
          texts.push(text);
        }
      }
    } catch (error) {
      throw this.#failure(error, statement, query);
    }
    return {
      columns: statement.columns,
      rows: convertsRows ? values : texts.join(','),
      rowCount: texts.length + values.length,
    };
  }

  #begin(
    { statements }: SqlConnection,
    { schema }: StepStatement,
    { owner }: StatementQuery,
    watch: StatementWatch,
  ): void {
    statements.setEnvironment(this.#options.thread.clock.nowMs(), owner, schema);
    statements.register.context.poll = watch.poll;
  }

  #failure(error: unknown, statement: StepStatement, query: StatementQuery): unknown {
    const region = statement.kind === 'change' ? this.#options.thread.regions.get(statement.target.region) : undefined;
    return statementFailure(error, query.sql, region);
  }
}

export function countOfChange({ columns }: PreparedChange, { notation }: StatementQuery, updated: bigint): StepRows {
  return { columns, rows: updateCount('json', updated, notation), rowCount: 1 };
}
