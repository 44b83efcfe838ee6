/** Runs selects over the JDBC dialect, which describes columns as Ignite shows them and supports cancellation. */
import type { Clock } from '../../../base/clock.ts';
import type { Column, FieldsQuery } from '../../../grid/grid.ts';
import { analyze } from '../../../sql/analysis/analysis.ts';
import type { Value } from '../../../values/value.ts';
import type { JdbcConnection, JdbcResult } from '../connections/jdbc.ts';
import { JdbcConnections } from '../connections/jdbc-connections.ts';
import type { Pool } from '../connections/pool.ts';
import { cancellable } from './cancellation.ts';
import { CursorLost, type Row, type RowSource, rowsFor, tenantOf } from './cursors.ts';
import { isLost, queryError } from './query-failures.ts';
import { StatementColumns } from './statement-columns.ts';

interface SelectOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly connections: number;
  readonly onSend: ((value: Value) => Value) | undefined;
}

/** A select that has begun: the rows of its first response, and the source of the others. */
interface BegunSelect {
  readonly source: RowSource;
  readonly first: { readonly rows: readonly Row[]; readonly more: boolean };
}

export class JdbcSelects {
  readonly #options: SelectOptions;
  readonly #connections: JdbcConnections;
  readonly #columns: StatementColumns;

  constructor(options: SelectOptions) {
    this.#options = options;
    this.#connections = new JdbcConnections(options.pool, options.clock, options.connections);
    this.#columns = new StatementColumns(options.pool, options.clock);
  }

  /** Begins a select. `limitMs` is the time limit of each of its pages; 0 for none. */
  run(request: FieldsQuery, schema: string, limitMs: number): Promise<BegunSelect> {
    return this.#connections.use(
      request.distributedJoins === true,
      (connection) => this.#runOver(connection, request, schema, limitMs),
      {
        tenant: tenantOf(request),
        signal: request.sender?.signal(),
        ...(limitMs > 0 && { deadlineMs: this.#options.clock.monotonicMs() + limitMs }),
      },
    );
  }

  /** Causes the columns of statements to be read again. */
  forgetColumns(): void {
    this.#columns.clear();
  }

  close(): void {
    this.#connections.close();
  }

  async #runOver(connection: JdbcConnection, request: FieldsQuery, schema: string, limitMs: number) {
    const { maxRows = 0, pageSize } = request;
    const statement = { schema, sql: request.sql, args: request.args, pageSize: rowsFor(pageSize), maxRows };
    const { clock } = this.#options;
    const { result, columns } = await cancellable(
      connection,
      request.sender?.signal(),
      limitMs,
      clock,
      request,
      async () => {
        const executed = await connection.execute(statement);
        try {
          const key = `${schema}\u0000${request.sql}`;
          return { result: executed, columns: await this.#columns.of(connection, executed, key) };
        } catch (error) {
          connection.closeCursor(executed.cursorId);
          throw error;
        }
      },
    );
    const source = this.#source(connection, result, columns, request, limitMs);
    return { source, first: { rows: this.#columns.valuesOf(result.rows, columns), more: result.more } };
  }

  #source(
    connection: JdbcConnection,
    result: JdbcResult,
    columns: readonly Column[],
    request: FieldsQuery,
    limitMs: number,
  ): RowSource {
    let open = true;
    connection.cursors++;
    const release = (): void => {
      if (!open) return;
      open = false;
      connection.cursors--;
    };
    const close = (): void => {
      if (!open) return;
      release();
      connection.closeCursor(result.cursorId);
    };
    // A node keeps cursors after their last page, and rejects statements when a connection has 128.
    if (!result.more) close();
    return {
      columns,
      shape: 'array',
      onSend: analyze(request.sql).kind === 'explain' ? undefined : this.#options.onSend,
      pull: async (count, signal) => {
        try {
          const page = await cancellable(connection, signal, limitMs, this.#options.clock, request, () =>
            connection.fetch(result.cursorId, rowsFor(count)),
          );
          if (!page.more) close();
          return { rows: this.#columns.valuesOf(page.rows, columns), more: page.more };
        } catch (error) {
          if (isLost(error)) release();
          else close();
          throw isLost(error) ? new CursorLost(error) : queryError(error, request);
        }
      },
      close,
    };
  }
}
