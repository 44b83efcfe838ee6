/** Tables, views and their columns, for completion and `\d`. */
import type { JsonNode } from '../../values/json.ts';
import type { ServiceClient } from '../client.ts';

/** A table or view. */
export interface CatalogTable {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly string[];
}

/** Catalogs of more columns are completed by the first ones only. */
const MAX_COLUMNS = 50_000;

const COLUMNS = `SELECT SCHEMA_NAME, TABLE_NAME, COLUMN_NAME FROM SYS.TABLE_COLUMNS
  WHERE COLUMN_NAME NOT IN ('_KEY', '_VAL')
  UNION ALL SELECT SCHEMA_NAME, VIEW_NAME, COLUMN_NAME FROM SYS.VIEW_COLUMNS`;

/** Returns the rows of a statement as texts; null is the empty text. */
export async function textRows(client: ServiceClient, sql: string, args: readonly string[] = []): Promise<string[][]> {
  const { response } = await client.command('qryfldexe', {
    qry: sql,
    pageSize: String(MAX_COLUMNS),
    ...Object.fromEntries(args.map((value, index) => [`arg${index + 1}`, value])),
  });
  const items = response.kind === 'object' ? response.members.get('items') : undefined;
  if (items?.kind !== 'array') return [];
  return items.items.map((row) => (row.kind === 'array' ? row.items.map(textOf) : []));
}

function textOf(node: JsonNode): string {
  if (node.kind === 'string') return node.value;
  if (node.kind === 'number') return node.text;
  return node.kind === 'boolean' ? String(node.value) : '';
}

/** Reads all tables and views that the user may see. */
export async function readCatalog(client: ServiceClient): Promise<readonly CatalogTable[]> {
  const tables = new Map<string, { schema: string; name: string; columns: string[] }>();
  for (const [schema = '', name = '', column = ''] of await textRows(client, COLUMNS)) {
    const key = JSON.stringify([schema, name]);
    const table = tables.get(key) ?? { schema, name, columns: [] };
    table.columns.push(column);
    tables.set(key, table);
  }
  return [...tables.values()];
}

const WORD = /(?:"[^"]*"?|[\w$.])*$/;
const PLAIN_NAME = /^[A-Z_][A-Z0-9_$]*$/;

/**
 * Completes the last word of a text: a table, schema or column; after a point, what belongs to the name before it.
 * Returns the candidates and the word that they replace.
 */
export function completeSql(text: string, catalog: readonly CatalogTable[]): [candidates: string[], word: string] {
  const word = WORD.exec(text)?.[0] ?? '';
  const point = word.lastIndexOf('.');
  const before = point < 0 ? undefined : nameOf(word.slice(0, point));
  const names = before === undefined ? allNames(catalog, text) : membersOf(before, catalog);
  const prefix = word.slice(point + 1);
  const wanted = prefix.replace(/"/g, '').toLowerCase();
  const matches = [...new Set(names)].filter((name) => name.toLowerCase().startsWith(wanted)).sort();
  const isLower = prefix !== '' && prefix === prefix.toLowerCase();
  return [matches.map((name) => word.slice(0, point + 1) + written(name, isLower, prefix.startsWith('"'))), word];
}

/** Returns the name as statements write it: in quotes if it is not in upper case. */
function written(name: string, isLower: boolean, isQuoted: boolean): string {
  if (isQuoted || !PLAIN_NAME.test(name)) return `"${name}"`;
  return isLower ? name.toLowerCase() : name;
}

function nameOf(text: string): string {
  const last = text.slice(text.lastIndexOf('.') + 1);
  return last.startsWith('"') ? last.replace(/"/g, '') : last.toUpperCase();
}

/** Tables and schemas, and the columns of the tables that the statement names. */
function allNames(catalog: readonly CatalogTable[], text: string): string[] {
  const named = new Set(text.toUpperCase().match(/[\w$]+/g));
  const columns = catalog.filter(({ name }) => named.has(name.toUpperCase())).flatMap((table) => table.columns);
  return [...catalog.flatMap(({ schema, name }) => (schema === 'SYS' ? [schema] : [schema, name])), ...columns];
}

function membersOf(before: string, catalog: readonly CatalogTable[]): string[] {
  return [
    ...catalog.filter(({ schema }) => schema === before).map(({ name }) => name),
    ...catalog.filter(({ name }) => name === before).flatMap(({ columns }) => columns),
  ];
}
