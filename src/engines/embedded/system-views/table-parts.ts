/** Lists the columns and indexes of a table for the views, including the implicit ones. */

import type { SqlType } from '../../../sql/types/sql-types.ts';
import { formatText } from '../../../values/json.ts';
import type { EntryTable } from '../sql/entry-table.ts';
import type { SystemInfo, TableInfo } from './system-info.ts';

export interface TableColumn {
  readonly name: string;
  readonly type: SqlType;
  readonly isKey: boolean;
  readonly nullable: boolean;
  /** Whether the affinity key contains the column: the declared one, or the whole key. */
  readonly isAffinity: boolean;
  /** Whether `*` omits it: `_KEY` and `_VAL`. */
  readonly hidden: boolean;
  readonly defaultValue: string | null;
}

/**
 * Returns `_KEY`, `_VAL`, then the columns in order. With `asIgnite`, a key of one column is nullable
 * (docs/spec/ignite-cluster.md 6.4).
 */
export function columnsOf(table: EntryTable, asIgnite: boolean): TableColumn[] {
  const hidden = { nullable: false, isAffinity: false, hidden: true, defaultValue: null } as const;
  const isWholeKey = table.affinityColumn === undefined;
  const isSingle = keyColumnsOf(table).length === 1;
  const wholeKey = table.columns.find((column) => column.whole === 'key');
  // The only column of a wrapped key is its affinity key.
  const isWrapped = isSingle && table.keySqlType.name === 'OTHER';
  return [
    {
      ...hidden,
      name: '_KEY',
      type: wholeKey?.type ?? table.keySqlType,
      isKey: true,
      isAffinity: isWholeKey && !isWrapped,
    },
    { ...hidden, name: '_VAL', type: table.valueSqlType, isKey: false, nullable: true },
    ...table.columns.map((column) => ({
      name: column.name,
      type: column.type,
      isKey: column.isKey,
      nullable: !column.notNull || (asIgnite && column.isKey && isSingle),
      isAffinity: isWholeKey ? column.isKey : column.name === table.affinityColumn,
      hidden: false,
      defaultValue: column.defaultValue === undefined ? null : formatText(column.defaultValue),
    })),
  ];
}

/** Returns the names of the key columns; `_KEY` if there are none. */
export function keyColumnsOf(table: EntryTable): string[] {
  const names = table.columns.filter((column) => column.isKey).map((column) => column.name);
  return names.length > 0 ? names : ['_KEY'];
}

export const PRIMARY_KEY_INDEX = '_key_PK';

export interface TableIndex {
  readonly name: string;
  readonly isPrimaryKey: boolean;
  readonly unique: boolean;
  /** The indexes that Ignite adds: a hash index of the key, or an index that names a key column instead of `_KEY`. */
  readonly internal?: 'hash' | 'proxy';
  readonly columns: readonly IndexedColumn[];
}

interface IndexedColumn {
  readonly name: string;
  readonly descending: boolean;
}

/** Returns the index of the primary key, then the declared indexes. */
function indexesOf(table: EntryTable): TableIndex[] {
  return [
    {
      name: PRIMARY_KEY_INDEX,
      isPrimaryKey: true,
      unique: true,
      columns: keyColumnsOf(table).map((name) => ({ name, descending: false })),
    },
    ...table.indexes.map((index) => ({ ...index, isPrimaryKey: false })),
  ];
}

const ascending = (names: readonly string[]): IndexedColumn[] => names.map((name) => ({ name, descending: false }));

/** Returns the indexes that Ignite lists, with the key columns that it adds (docs/spec/ignite-cluster.md 6.4). */
function igniteIndexesOf(table: EntryTable): TableIndex[] {
  const named = keyColumnsOf(table);
  const [only] = named;
  const affinity = named.length > 1 && table.affinityColumn !== undefined ? [table.affinityColumn] : [];
  const isPlain = named.length === 1 && table.keySqlType.name !== 'OTHER';
  const key = isPlain ? ['_KEY'] : named;
  const primary = { isPrimaryKey: true, unique: true } as const;
  const secondary = { isPrimaryKey: false, unique: false } as const;
  const indexes: TableIndex[] = [
    { ...primary, name: `${PRIMARY_KEY_INDEX}_hash`, internal: 'hash', columns: ascending(['_KEY', ...affinity]) },
    { ...primary, name: PRIMARY_KEY_INDEX, columns: ascending(key) },
  ];
  if (affinity.length > 0) {
    const further = named.filter((name) => !affinity.includes(name));
    indexes.push({ ...secondary, name: 'AFFINITY_KEY', columns: ascending([...affinity, ...further]) });
  }
  for (const { name, columns } of table.indexes) {
    const added = key.filter((part) => !columns.some((column) => column.name === part));
    indexes.push({ ...secondary, name, columns: [...columns, ...ascending(added)] });
  }
  if (!isPlain || only === undefined || only === '_KEY') return indexes;
  const proxies = indexes.filter(({ internal }) => internal === undefined);
  return indexes.concat(proxies.map((index) => proxyOf(index, only)));
}

function proxyOf(index: TableIndex, key: string): TableIndex {
  const columns = index.columns.map((column) => (column.name === '_KEY' ? { ...column, name: key } : column));
  return { ...index, name: `${index.name}_proxy`, isPrimaryKey: false, internal: 'proxy', columns };
}

export interface IndexInfo extends TableInfo {
  readonly index: TableIndex;
}

/** Returns the indexes of the tables, as in this grid or as Ignite lists them. */
export function indexInfo({ tables, asIgnite }: Pick<SystemInfo, 'tables' | 'asIgnite'>): IndexInfo[] {
  const list = asIgnite ? igniteIndexesOf : indexesOf;
  return tables.flatMap((info) => list(info.table).map((index) => ({ ...info, index })));
}
