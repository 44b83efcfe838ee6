/** Caches and tables, put together from the commands that describe them. */
import { signal as createSignal } from '@preact/signals';
import { call, type Json, messageOf } from '../requests/request.ts';
import type { TableColumn } from './row-query.ts';

export interface CacheIndex {
  readonly name: string;
  readonly columns: string;
  readonly isUnique: boolean;
}

export interface CacheDescription {
  readonly name: string;
  readonly mode: string;
  /** Null: not known. */
  readonly backups: number | null;
  /** Null: not known. */
  readonly size: number | null;
  readonly region: string;
  /** The table whose rows the entries are; undefined for a cache without one. */
  readonly table: { readonly schema: string; readonly name: string } | undefined;
  readonly columns: readonly TableColumn[];
  readonly indexes: readonly CacheIndex[];
}

interface ListedCache {
  readonly cacheName: string;
  readonly mode: string;
  readonly backups: number;
  readonly cacheSize: number | null;
}

interface Rows {
  readonly items: ReadonlyArray<readonly Json[]>;
}

/** More caches than these are found by their names in the query screen. */
const MOST_ROWS = 10_000;

/** Why regions, columns and indexes are not shown: users may lack the right to read the system views. */
export const viewsProblem = createSignal('');

async function rowsOf(qry: string, signal: AbortSignal): Promise<Rows['items']> {
  try {
    return ((await call('qryfldexe', { qry, pageSize: MOST_ROWS, maxRows: MOST_ROWS }, signal)) as unknown as Rows)
      .items;
  } catch (problem) {
    if (!signal.aborted) viewsProblem.value = `Regions, columns and indexes are incomplete: ${messageOf(problem)}`;
    return [];
  }
}

/** Reads all caches. Throws RequestError. */
export async function readCaches(signal: AbortSignal): Promise<readonly CacheDescription[]> {
  viewsProblem.value = '';
  const listed = (await call('cachelist', {}, signal)) as unknown as readonly ListedCache[];
  // One after the other: a page must not take all query threads.
  const regions = await rowsOf('SELECT cache_name, data_region_name FROM sys.caches', signal);
  const tables = await rowsOf('SELECT cache_name, schema_name, table_name FROM sys.tables', signal);
  const columns = await rowsOf('SELECT schema_name, table_name, column_name, type, pk FROM sys.table_columns', signal);
  const indexes = await rowsOf(
    'SELECT schema_name, table_name, index_name, columns, is_unique FROM sys.indexes',
    signal,
  );
  const regionOf = new Map(regions.map(([name, region]) => [name, String(region)]));
  return listed
    .map(({ cacheName, mode, backups, cacheSize }) => {
      const row = tables.find(([cache]) => cache === cacheName);
      const table = row && { schema: String(row[1]), name: String(row[2]) };
      const isOfTable = ([schema, name]: readonly Json[]) => schema === table?.schema && name === table?.name;
      return {
        name: cacheName,
        mode,
        backups,
        size: cacheSize,
        region: regionOf.get(cacheName) ?? '–',
        table,
        columns: columns
          .filter((each) => isOfTable(each) && each[2] !== '_KEY' && each[2] !== '_VAL')
          .map(([, , name, type, isKey]) => ({ name: String(name), type: String(type), isKey: isKey === true })),
        indexes: indexes.filter(isOfTable).map(([, , name, parts, isUnique]) => ({
          name: String(name),
          columns: String(parts),
          isUnique: isUnique === true,
        })),
      };
    })
    .sort((a, b) => a.name.localeCompare(b.name));
}
