/** `svc tables` and `svc describe`, which are also `\\d` of the prompt. */
import type { Writable } from 'node:stream';
import type { Command } from 'commander';
import { nearestNames } from '../../base/nearest.ts';
import { titleOfJavaClass } from '../../sql/types/type-order.ts';
import type { ServiceClient } from '../client.ts';
import { addConnectionOptions, type ConnectionOptions, connect } from '../connection.ts';
import { CommandLineError, EXIT_CODES } from '../exit-codes.ts';
import { tableText } from '../output.ts';
import type { Invocation } from '../subcommand.ts';
import { textRows } from './schema-catalog.ts';

/** Where tables are read from, and where they are printed. */
export interface TablePrinter {
  readonly client: ServiceClient;
  readonly output: Writable;
}

export function declareTables(command: Command, invocation: Invocation): void {
  addConnectionOptions(command).action(async (options: ConnectionOptions) =>
    listTables({ client: await connect(options, invocation), output: invocation.terminal.output }),
  );
}

export function declareDescribe(command: Command, invocation: Invocation): void {
  addConnectionOptions(command)
    .argument('<table>', 'the table or view, written as in a statement')
    .action(async (table: string, options: ConnectionOptions) =>
      describeTable({ client: await connect(options, invocation), output: invocation.terminal.output }, table),
    );
}

const TABLES = `SELECT SCHEMA_NAME, TABLE_NAME, 'table', CACHE_NAME FROM SYS.TABLES
  UNION ALL SELECT SCHEMA, NAME, 'view', '' FROM SYS.VIEWS WHERE SCHEMA NOT IN ('SYS', 'INFORMATION_SCHEMA')
  ORDER BY 1, 2`;
const COLUMNS = `SELECT SCHEMA_NAME, COLUMN_NAME, TYPE, NULLABLE, DEFAULT_VALUE, PK FROM SYS.TABLE_COLUMNS
  WHERE TABLE_NAME = ? AND COLUMN_NAME NOT IN ('_KEY', '_VAL')
  UNION ALL SELECT SCHEMA_NAME, COLUMN_NAME, TYPE, NULLABLE, DEFAULT_VALUE, FALSE FROM SYS.VIEW_COLUMNS
  WHERE VIEW_NAME = ?`;
const TABLE_INDEXES = `SELECT INDEX_NAME, COLUMNS, CASE WHEN IS_PK THEN 'primary key' WHEN IS_UNIQUE THEN 'unique' END
  FROM SYS.INDEXES WHERE TABLE_NAME = ? ORDER BY 1`;

export async function listTables({ client, output }: TablePrinter): Promise<void> {
  output.write(tableText(['schema', 'name', 'kind', 'cache'], await textRows(client, TABLES)));
}

/** Prints the columns and indexes of a table or view, whose name is written as in a statement. */
export async function describeTable({ client, output }: TablePrinter, written: string): Promise<void> {
  const [first = '', second] = (written.match(/"[^"]*"|[^."]+/g) ?? []).map(nameOf);
  const [schema, table] = second === undefined ? [undefined, first] : [first, second];
  const rows = (await textRows(client, COLUMNS, [table, table])).filter(
    ([owner]) => schema === undefined || owner === schema,
  );
  if (rows.length === 0) throw await unknownTable(client, written, table);
  const columns = rows.map(([, name = '', type = '', nullable, defaultValue = '', isKey]) => [
    name,
    titleOfJavaClass(type),
    nullable === 'false' ? 'not null' : '',
    defaultValue,
    isKey === 'true' ? 'primary key' : '',
  ]);
  output.write(tableText(['column', 'type', '', 'default', 'key'], columns));
  const indexes = await textRows(client, TABLE_INDEXES, [table]);
  if (indexes.length > 0) output.write(tableText(['index', 'columns', ''], indexes));
}

async function unknownTable(client: ServiceClient, written: string, table: string): Promise<CommandLineError> {
  const names = (await textRows(client, TABLES)).map(([, name = '']) => name);
  const near = nearestNames(table, names);
  const hint = near.length > 0 ? `, did you mean ${near.join(', ')}?` : ' (svc tables lists them)';
  return new CommandLineError(EXIT_CODES.failed, `there is no table or view ${written}${hint}`);
}

function nameOf(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1) : text.trim().toUpperCase();
}
