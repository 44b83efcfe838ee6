/** Tables, views and their columns, for completion and `\d`. */
import { textRows, writtenPart } from '../../mcp/table-definitions.ts';
import type { ServiceClient } from '../client.ts';

/** A table or view. */
export interface CatalogTable {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly string[];
}

const COLUMNS = `SELECT SCHEMA_NAME, TABLE_NAME, COLUMN_NAME FROM SYS.TABLE_COLUMNS
  WHERE COLUMN_NAME NOT IN ('_KEY', '_VAL')
  UNION ALL SELECT SCHEMA_NAME, VIEW_NAME, COLUMN_NAME FROM SYS.VIEW_COLUMNS`;

/** Reads all tables and views that the user may see. */
export async function readCatalog(client: ServiceClient, signal?: AbortSignal): Promise<readonly CatalogTable[]> {
  const tables = new Map<string, { schema: string; name: string; columns: string[] }>();
  for (const [schema = '', name = '', column = ''] of await textRows(client, COLUMNS, [], signal)) {
    const key = JSON.stringify([schema, name]);
    const table = tables.get(key) ?? { schema, name, columns: [] };
    table.columns.push(column);
    tables.set(key, table);
  }
  return [...tables.values()];
}

/** Keywords of statements that a prompt completes, besides names. */
const KEYWORDS: readonly string[] = (
  'ADD ALL ALTER AND AS ASC BEGIN BETWEEN BIGINT BOOLEAN BY CASE CAST COLUMN COMMIT COUNT CREATE CROSS DATE DECIMAL ' +
  'DEFAULT DELETE DESC DISTINCT DOUBLE DROP ELSE END EXISTS EXPLAIN FALSE FETCH FIRST FROM FULL GROUP HAVING IF IN ' +
  'INDEX INNER INSERT INTEGER INTERSECT INTO IS JOIN KEY LEFT LIKE LIMIT MERGE NOT NULL OFFSET ON OR ORDER OUTER OVER ' +
  'PARTITION PRIMARY RECURSIVE RIGHT SELECT SET TABLE THEN TIMESTAMP TRUE TRUNCATE UNION UNIQUE UPDATE USING UUID ' +
  'VALUES VARCHAR VIEW WHEN WHERE WITH'
).split(' ');

const WORD = /(?:"[^"]*"?|[\w$.])*$/;

/**
 * Completes the last word of a text: a table, schema or column, then a keyword in the case being typed; after a dot,
 * the members of the name before it. Returns the candidates and the word that they replace.
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
  const completed = matches.map((name) => word.slice(0, point + 1) + written(name, isLower, prefix.startsWith('"')));
  const isKeyword = before === undefined && /^[A-Za-z]+$/.test(prefix);
  const keywords = isKeyword ? KEYWORDS.filter((each) => each.startsWith(prefix.toUpperCase())) : [];
  const typed = keywords.map((each) => (isLower ? each.toLowerCase() : each));
  return [[...new Set([...completed, ...typed])], word];
}

/** Returns the name as the user has begun to write it. */
function written(name: string, isLower: boolean, isQuoted: boolean): string {
  if (isQuoted) return `"${name}"`;
  const part = writtenPart(name);
  return isLower && part === name ? name.toLowerCase() : part;
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
