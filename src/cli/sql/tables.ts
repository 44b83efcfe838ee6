/** `svc tables` and `svc describe`, which are also `\\d` of the prompt. */
import type { Command } from 'commander';
import { EXIT_CODES } from '../../base/exit-codes.ts';
import { nearestNames } from '../../base/nearest.ts';
import { titleOfJavaClass } from '../../sql/types/type-order.ts';
import type { ServiceClient } from '../client.ts';
import { addConnectionOptions, type ConnectionOptions, connect } from '../connection.ts';
import { CommandLineError, usageError } from '../failures.ts';
import type { Terminal } from '../program.ts';
import type { ClientInvocation } from '../subcommand.ts';
import { tableText } from '../table-output.ts';
import { textRows, writtenPart } from './schema-catalog.ts';

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

/** A table or view in the list of all. */
export interface ListedTable {
  readonly schema: string;
  readonly name: string;
  readonly kind: string;
  /** The cache whose entries are the rows; empty for a view. */
  readonly cacheName: string;
}

/** What `svc describe` shows of a table or view. */
export interface TableDefinition {
  readonly schema: string;
  readonly name: string;
  readonly columns: ReadonlyArray<{
    readonly name: string;
    readonly type: string;
    readonly nullable: boolean;
    /** The default value as text; empty if there is none. */
    readonly default: string;
    readonly primaryKey: boolean;
  }>;
  readonly indexes: ReadonlyArray<{
    readonly name: string;
    readonly columns: string;
    /** `primary key`, `unique`, or empty. */
    readonly kind: string;
  }>;
}

/** There is no table or view of that name that the user may see. */
export class UnknownTableError extends CommandLineError {}

const DEFAULT_SCHEMA = 'PUBLIC';
/** Names in the error about a table that does not exist. */
const LISTED_NAMES = 10;

const NO_TABLES =
  'There are no tables. Create one with CREATE TABLE or svc import FILE. Entries stored with put are in caches, which ' +
  'svc cachelist lists.\n';

const TABLES = `SELECT SCHEMA_NAME, TABLE_NAME, 'table', CACHE_NAME FROM SYS.TABLES
  UNION ALL SELECT SCHEMA, NAME, 'view', '' FROM SYS.VIEWS WHERE SCHEMA NOT IN ('SYS', 'INFORMATION_SCHEMA')
  ORDER BY 1, 2`;
const COLUMNS = `SELECT SCHEMA_NAME, COLUMN_NAME, TYPE, NULLABLE, DEFAULT_VALUE, PK, PRECISION, SCALE
  FROM SYS.TABLE_COLUMNS
  WHERE TABLE_NAME = ? AND COLUMN_NAME NOT IN ('_KEY', '_VAL')
  UNION ALL SELECT SCHEMA_NAME, COLUMN_NAME, TYPE, NULLABLE, DEFAULT_VALUE, FALSE, PRECISION, SCALE
  FROM SYS.VIEW_COLUMNS
  WHERE VIEW_NAME = ?`;
const TABLE_INDEXES = `SELECT INDEX_NAME, COLUMNS, CASE WHEN IS_PK THEN 'primary key' WHEN IS_UNIQUE THEN 'unique' END
  FROM SYS.INDEXES WHERE SCHEMA_NAME = ? AND TABLE_NAME = ? ORDER BY 1`;

/** Reads the tables and views that the user may see, without those of the system. */
export async function readTables(client: ServiceClient, signal?: AbortSignal): Promise<readonly ListedTable[]> {
  const rows = await textRows(client, TABLES, [], signal);
  return rows.map(([schema = '', name = '', kind = '', cacheName = '']) => ({ schema, name, kind, cacheName }));
}

/**
 * Reads a table or view, whose name is written as in a statement. Without a schema, it is the one in PUBLIC, else in
 * the first schema that has one. Throws UnknownTableError if there is none.
 */
export async function readTable(
  client: ServiceClient,
  written: string,
  signal?: AbortSignal,
): Promise<TableDefinition> {
  const [first = '', second] = (written.match(/"[^"]*"|[^."]+/g) ?? []).map(nameOf);
  const [named, name] = second === undefined ? [undefined, first] : [first, second];
  const found = await textRows(client, COLUMNS, [name, name], signal);
  const schemas = found.map(([owner = '']) => owner);
  const schema = named ?? (schemas.includes(DEFAULT_SCHEMA) ? DEFAULT_SCHEMA : schemas[0]);
  const rows = found.filter(([owner]) => owner === schema);
  if (schema === undefined || rows.length === 0) throw await unknownTable(client, written, name, signal);
  const indexes = await textRows(client, TABLE_INDEXES, [schema, name], signal);
  return {
    schema,
    name,
    columns: rows.map(([, column = '', type = '', nullable, defaultValue = '', isKey, precision = '', scale = '']) => ({
      name: column,
      type: `${titleOfJavaClass(type)}${boundsOf(precision, scale)}`,
      nullable: nullable !== 'false',
      default: defaultValue,
      primaryKey: isKey === 'true',
    })),
    indexes: indexes.map(([index = '', columns = '', kind = '']) => ({ name: index, columns, kind })),
  };
}

/** Returns the declared length, or precision and scale, as a definition writes it; -1 stands for one that is not. */
function boundsOf(precision: string, scale: string): string {
  const bounds = [precision, scale].filter((bound) => Number(bound) >= 0 && bound !== '');
  return bounds.length === 0 ? '' : `(${bounds.join(', ')})`;
}

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
  const definition = await readTable(client, written);
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

async function unknownTable(
  client: ServiceClient,
  written: string,
  table: string,
  signal: AbortSignal | undefined,
): Promise<UnknownTableError> {
  const names = (await readTables(client, signal)).map(({ name }) => name);
  const near = nearestNames(table, names);
  const hint = near.length > 0 ? `, did you mean ${near.join(', ')}?` : `; the service has ${firstNames(names)}`;
  return new UnknownTableError(EXIT_CODES.failed, `there is no table or view ${written}${hint}`);
}

/** Returns some names with commas, and how many others there are. */
function firstNames(names: readonly string[]): string {
  if (names.length === 0) return 'none';
  const others = names.length - LISTED_NAMES;
  return `${names.slice(0, LISTED_NAMES).join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}

/** Returns the name of a table as a statement writes it, with its schema. */
export function writtenName({ schema, name }: Pick<ListedTable, 'schema' | 'name'>): string {
  return `${writtenPart(schema)}.${writtenPart(name)}`;
}

function nameOf(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1) : text.trim().toUpperCase();
}
