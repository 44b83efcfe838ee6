/** The rows of a query, which SQLite writes as JSON wherever it can. */

import { jsonQuery, type WrittenFormat } from '../shared/json-rows.ts';
import { withSqlErrors } from '../shared/sql-failures.ts';
import type { SentQuery } from '../shared/statement-protocol.ts';
import { bindArguments } from '../sql/arguments.ts';
import type { PreparedExplain, PreparedQuery } from '../sql/statement.ts';
import { columnValue } from '../sql/statement-cache.ts';
import { CollectedJsonRows, convertedReader, JsonRows, type RowSource, StatementRows } from './rows/row-sources.ts';
import { KEY_VALUE, type ScanDependencies } from './scan-rows.ts';
import type { SqlConnection } from './sql-connection.ts';
import type { StatementWatch } from './statement-watch.ts';

type QueryRowsOptions = Pick<ScanDependencies, 'thread' | 'connections' | 'onSend'>;

/** Starts a query on a separate connection. Throws SQL, QUERY_CANCELLED, QUERY_MEMORY or QUERY_DISK. */
export function queryRows(
  { thread, connections, onSend: convert }: QueryRowsOptions,
  prepared: PreparedQuery,
  query: Exclude<SentQuery, { kind: 'scan' }>,
  watch: StatementWatch,
): RowSource {
  const onSend = isOverViews(prepared) ? undefined : convert;
  const form =
    query.kind === 'type'
      ? ({ shape: 'entry', columns: KEY_VALUE } as const)
      : ({ shape: 'array', columns: prepared.columns } as const);
  return connections.withConnection((connection) =>
    withSqlErrors(query.sql, () => {
      const bindings = bindArguments(prepared, query.args, thread.clock.nowMs(), query);
      if (prepared.byKey) watch.allowRow();
      attachTables(connection, prepared, query.owner, thread.clock.nowMs());
      const parts = { text: query.sql, ...form, overCaches: prepared.tables.length > 0 };
      const written = query.kind === 'type' || onSend !== undefined ? undefined : writtenFormat(query);
      const json = written && jsonQuery(prepared, query.kind === 'fields' && query.asIgnite, written);
      if (written === undefined || json === undefined) {
        const readers = prepared.types.map((_, index) =>
          convertedReader((row) => columnValue(prepared, row, index), onSend),
        );
        const rows = connections.start(connection, prepared, bindings, watch);
        return new StatementRows({ ...parts, ...rows, readers, accepts: undefined, poll: () => {} });
      }
      const { guarded } = connection;
      // To find the end of a string, the row after it is read, which a row limit does not allow.
      const isLimited = query.kind === 'fields' && query.maxRows !== undefined && query.maxRows > 0;
      // The extension joins rows with commas.
      if (guarded !== undefined && !isLimited && written === 'json') {
        const rows = connections.start(connection, { ...json, sql: json.collectedSql }, bindings, watch);
        return new CollectedJsonRows({ ...parts, ...rows }, prepared.types, guarded);
      }
      const rows = connections.start(connection, json, bindings, watch);
      return new JsonRows({ ...parts, ...rows }, prepared.types, written);
    }),
  );
}

/** Attaches the databases that a statement reads, and passes its functions the time and the user. */
export function attachTables(
  connection: SqlConnection,
  { tables, schema }: PreparedQuery | PreparedExplain,
  owner: string,
  nowMs: number,
): void {
  connection.attach(tables.map(({ database }) => database));
  connection.statements.setEnvironment(nowMs, owner, schema);
}

/** Returns the format in which SQLite writes the rows, or undefined if their values are converted one by one. */
function writtenFormat({
  format,
  notation,
  ...query
}: Extract<SentQuery, { kind: 'fields' }>): WrittenFormat | undefined {
  if (format === 'csv' || notation !== undefined) return undefined;
  return format === 'json' || query.export === undefined ? format : undefined;
}

/** Reports whether a query only reads system views: their rows are names and numbers of the service, not values. */
function isOverViews({ tables, placeholders }: PreparedQuery): boolean {
  return tables.length === 0 && placeholders.some(({ kind }) => kind === 'rows');
}
