/** Lists the columns and indexes of a table for the views, including the implicit ones. */

import type { SqlType } from '../../../sql/types/sql-types.ts';
import { formatText } from '../../../values/json.ts';
import type { EntryTable } from '../sql/entry-table.ts';
import type { TableInfo } from './system-info.ts';

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

/** Returns `_KEY`, `_VAL`, then the columns in order. */
export function columnsOf(table: EntryTable): TableColumn[] {
  const hidden = { nullable: false, isAffinity: false, hidden: true, defaultValue: null } as const;
  const isWholeKey = table.affinityColumn === undefined;
  // The only column of a wrapped key is its affinity key.
  const isWrapped = table.keySqlType.name === 'OTHER' && table.columns.filter((column) => column.isKey).length === 1;
  return [
    { ...hidden, name: '_KEY', type: table.keySqlType, isKey: true, isAffinity: isWholeKey && !isWrapped },
    { ...hidden, name: '_VAL', type: table.valueSqlType, isKey: false, nullable: true },
    ...table.columns.map((column) => ({
      name: column.name,
      type: column.type,
      isKey: column.isKey,
      nullable: !column.notNull,
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
  readonly columns: ReadonlyArray<{ readonly name: string; readonly descending: boolean }>;
}

/** Returns the index of the primary key, then the declared indexes. */
export function indexesOf(table: EntryTable): TableIndex[] {
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

export interface IndexInfo extends TableInfo {
  readonly index: TableIndex;
}

export function indexInfo(tables: readonly TableInfo[]): IndexInfo[] {
  return tables.flatMap((info) => indexesOf(info.table).map((index) => ({ ...info, index })));
}
