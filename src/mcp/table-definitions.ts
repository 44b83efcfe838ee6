/** Reads the definitions of tables and views with statements over the system views, as the user may see them. */
import { nearestNames } from '../base/nearest.ts';
import { titleOfJavaClass } from '../sql/types/type-order.ts';
import type { JsonNode } from '../values/json.ts';
import { type CommandSource, ToolFailure } from './tool-client.ts';

/** A table or view in the list of all. */
export interface ListedTable {
  readonly schema: string;
  readonly name: string;
  readonly kind: string;
  /** The cache whose entries are the rows; empty for a view. */
  readonly cacheName: string;
}

/** The definition of a table or view that `svc describe` shows. */
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

/** There is no table or view with that name that the user may see. */
export class UnknownTableError extends ToolFailure {}

const DEFAULT_SCHEMA = 'PUBLIC';
/** Maximum number of names listed in the error about a table that does not exist. */
const LISTED_NAMES = 10;
/** Only the first columns of larger catalogs are read. */
const MAX_COLUMNS = 50_000;
const PLAIN_NAME = /^[A-Z_][A-Z0-9_$]*$/;

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

/** Reads the tables and views that the user may see, without system ones. */
export async function readTables(client: CommandSource, signal?: AbortSignal): Promise<readonly ListedTable[]> {
  const rows = await textRows(client, TABLES, [], signal);
  return rows.map(([schema = '', name = '', kind = '', cacheName = '']) => ({ schema, name, kind, cacheName }));
}

/**
 * Reads a table or view, whose name is written as in a statement. Without a schema, it is the one in PUBLIC, else in
 * the first schema that has one. Throws UnknownTableError if there is none.
 */
export async function readTable(
  client: CommandSource,
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

/** Returns the declared length, or precision and scale, as in a definition; -1 means undeclared. */
function boundsOf(precision: string, scale: string): string {
  const bounds = [precision, scale].filter((bound) => Number(bound) >= 0 && bound !== '');
  return bounds.length === 0 ? '' : `(${bounds.join(', ')})`;
}

/** Returns a statement's rows as strings; null becomes the empty string. */
export async function textRows(
  client: CommandSource,
  sql: string,
  args: readonly string[] = [],
  signal?: AbortSignal,
): Promise<string[][]> {
  const parameters = {
    qry: sql,
    pageSize: String(MAX_COLUMNS),
    ...Object.fromEntries(args.map((value, index) => [`arg${index + 1}`, value])),
  };
  const { response } = await client.command('qryfldexe', parameters, { signal });
  const items = response.kind === 'object' ? response.members.get('items') : undefined;
  if (items?.kind !== 'array') return [];
  return items.items.map((row) => (row.kind === 'array' ? row.items.map(textOf) : []));
}

function textOf(node: JsonNode): string {
  if (node.kind === 'string') return node.value;
  if (node.kind === 'number') return node.text;
  return node.kind === 'boolean' ? String(node.value) : '';
}

async function unknownTable(
  client: CommandSource,
  written: string,
  table: string,
  signal: AbortSignal | undefined,
): Promise<UnknownTableError> {
  const names = (await readTables(client, signal)).map(({ name }) => name);
  const near = nearestNames(table, names);
  const hint = near.length > 0 ? `, did you mean ${near.join(', ')}?` : `; the service has ${firstNames(names)}`;
  return new UnknownTableError(`there is no table or view ${written}${hint}`);
}

/** Returns some names separated by commas, and how many others there are. */
function firstNames(names: readonly string[]): string {
  if (names.length === 0) return 'none';
  const others = names.length - LISTED_NAMES;
  return `${names.slice(0, LISTED_NAMES).join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}

/** Returns a table's name as a statement writes it, with its schema. */
export function writtenName({ schema, name }: Pick<ListedTable, 'schema' | 'name'>): string {
  return `${writtenPart(schema)}.${writtenPart(name)}`;
}

/** Returns a name, or one part of it, as statements write it: in quotes if it is not in upper case. */
export function writtenPart(name: string): string {
  return PLAIN_NAME.test(name) ? name : `"${name}"`;
}

function nameOf(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1) : text.trim().toUpperCase();
}
