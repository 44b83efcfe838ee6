/** `svc tables` and `svc describe`, which are also `\\d` at the prompt. */
import type { Command } from 'commander';
import { EXIT_CODES } from '../../base/exit-codes.ts';
import { readTable, readTables, UnknownTableError } from '../../mcp/table-definitions.ts';
import type { ServiceClient } from '../client.ts';
import { addConnectionOptions, type ConnectionOptions, connect } from '../connection.ts';
import { CommandLineError, usageError } from '../failures.ts';
import type { Terminal } from '../program.ts';
import type { ClientInvocation } from '../subcommand.ts';
import { tableText } from '../table-output.ts';

/** Where tables are read from, and where they are printed. */
export interface TablePrinter {
  readonly client: ServiceClient;
  readonly print: Terminal['print'];
  readonly isJson?: boolean;
}

export function declareTables(command: Command, invocation: ClientInvocation): void {
  addFormOptions(addConnectionOptions(command)).action(async (options: ConnectionOptions & FormOptions) =>
    listTables(await printerOf(options, invocation)),
  );
}

export function declareDescribe(command: Command, invocation: ClientInvocation): void {
  addFormOptions(addConnectionOptions(command))
    .argument('<table>', 'the table or view, written as in a statement; svc tables lists them')
    .action(async (table: string, options: ConnectionOptions & FormOptions) =>
      describeTable(await printerOf(options, invocation), table),
    );
}

interface FormOptions {
  readonly json?: boolean;
  readonly table?: boolean;
}

function addFormOptions(command: Command): Command {
  return command.option('--table', 'print a table; the default').option('--json', 'print JSON');
}

async function printerOf(
  options: ConnectionOptions & FormOptions,
  invocation: ClientInvocation,
): Promise<TablePrinter> {
  const { json = false, table = false } = options;
  if (json && table) throw usageError('choose one of --json and --table');
  return { client: await connect(options, invocation), print: invocation.terminal.print, isJson: json };
}

const NO_TABLES =
  'There are no tables. Create one with CREATE TABLE or svc import FILE. Entries stored with put are in caches, which ' +
  'svc cachelist lists.\n';

/** Prints the tables and views. */
export async function listTables({ client, print, isJson }: TablePrinter): Promise<void> {
  const tables = await readTables(client);
  if (isJson === true) return print(`${JSON.stringify(tables)}\n`);
  if (tables.length === 0) return print(NO_TABLES);
  const rows = tables.map(({ schema, name, kind, cacheName }) => [schema, name, kind, cacheName]);
  await print(tableText(['schema', 'name', 'kind', 'cache'], rows));
}

/** Prints the columns and indexes of a table or view, whose name is written as in a statement. */
export async function describeTable({ client, print, isJson }: TablePrinter, written: string): Promise<void> {
  const definition = await readTable(client, written).catch((error: unknown) => {
    throw error instanceof UnknownTableError ? new CommandLineError(EXIT_CODES.failed, error.message) : error;
  });
  if (isJson === true) return print(`${JSON.stringify(definition)}\n`);
  const { columns, indexes } = definition;
  const rows = columns.map(({ name, type, nullable, default: defaultValue, primaryKey }) => [
    name,
    type,
    nullable ? '' : 'not null',
    defaultValue,
    primaryKey ? 'primary key' : '',
  ]);
  await print(tableText(['column', 'type', '', 'default', 'key'], rows));
  if (indexes.length === 0) return;
  const listed = indexes.map(({ name, columns: indexed, kind }) => [name, indexed, kind]);
  await print(tableText(['index', 'columns', ''], listed));
}
