/** Caches and tables, put together from the commands that describe them. */
import { signal as createSignal } from '@preact/signals';
import { type CatalogEntry, isPartial, readCatalog } from '../requests/catalog.ts';
import { isForbidden, type Json, messageOf } from '../requests/request.ts';
import { readRows } from '../requests/statement.ts';
import { readColumnsOf } from '../rows/known-columns.ts';
import { typeText } from '../rows/sql-types.ts';
import type { TableColumn } from './row-query.ts';

export interface CacheIndex {
  readonly name: string;
  readonly columns: string;
  readonly isUnique: boolean;
}

/** A cache with the properties that only this screen shows. */
export interface CacheDescription extends CatalogEntry {
  readonly region: string;
  readonly columns: readonly TableColumn[];
  /** Undefined if the user may not know them. */
  readonly indexes: readonly CacheIndex[] | undefined;
}

type Rows = ReadonlyArray<readonly Json[]>;

/** Enough for 5,000 tables with some columns each. The query screen finds the rest. */
const MAX_ROWS = 100_000;

/** Why regions, columns and indexes are not shown: the user may lack the right to read the system views. */
export const viewsProblem = createSignal('');

async function rowsOf(qry: string, signal: AbortSignal): Promise<Rows> {
  try {
    return await readRows(qry, MAX_ROWS, signal);
  } catch (problem) {
    if (!signal.aborted && !isForbidden(problem))
      viewsProblem.value = `Regions, columns and indexes are incomplete: ${messageOf(problem)}`;
    return [];
  }
}

const REGIONS = 'SELECT cache_name, data_region_name FROM sys.caches';
const COLUMNS =
  'SELECT schema_name, table_name, column_name, type, pk, precision, scale, nullable, default_value ' +
  "FROM sys.table_columns WHERE column_name NOT IN ('_KEY', '_VAL')";
const INDEXES = 'SELECT schema_name, table_name, index_name, columns, is_unique FROM sys.indexes';

/** Returns rows by the table that their first two values name. */
function byTable(rows: Rows): (table: CatalogEntry['table']) => Rows {
  const keyOf = (schema: Json | undefined, name: Json | undefined) => JSON.stringify([schema, name]);
  const groups = Map.groupBy(rows, ([schema, name]) => keyOf(schema, name));
  return (table) => (table === undefined ? [] : (groups.get(keyOf(table.schema, table.name)) ?? []));
}

/** Returns the caches as known to a user who may not read the system views. Throws SvcError. */
async function describeKnown(
  listed: readonly CatalogEntry[],
  signal: AbortSignal,
): Promise<readonly CacheDescription[]> {
  const columns = await readColumnsOf(listed, signal);
  // The key columns are not known, but rows are read in key order anyway.
  const unknown = { isKey: false, isNullable: true, defaultValue: null };
  return listed.map((entry) => ({
    ...entry,
    region: '–',
    indexes: undefined,
    columns: (columns.get(entry.name) ?? []).map((each) => ({ ...each, ...unknown, sqlType: typeText(each.type) })),
  }));
}

/** Reads all caches. Throws SvcError. */
export async function readCaches(signal: AbortSignal): Promise<readonly CacheDescription[]> {
  viewsProblem.value = '';
  const listed = await readCatalog();
  if (isPartial.peek()) return describeKnown(listed, signal);
  // One after another: a page must not occupy all statement processes.
  const regions = new Map((await rowsOf(REGIONS, signal)).map(([name, region]) => [name, String(region)]));
  const columns = byTable(await rowsOf(COLUMNS, signal));
  const indexes = byTable(await rowsOf(INDEXES, signal));
  return listed.map((entry) => ({
    ...entry,
    region: regions.get(entry.name) ?? '–',
    columns: columns(entry.table).map(([, , name, type, isKey, precision, scale, isNullable, defaultValue]) => ({
      name: String(name),
      type: String(type),
      sqlType: typeText(String(type), Number(precision), Number(scale)),
      isKey: isKey === true,
      isNullable: isNullable === true,
      defaultValue: defaultValue === null ? null : String(defaultValue),
    })),
    indexes: indexes(entry.table).map(([, , name, parts, isUnique]) => ({
      name: String(name),
      columns: String(parts),
      isUnique: isUnique === true,
    })),
  }));
}
