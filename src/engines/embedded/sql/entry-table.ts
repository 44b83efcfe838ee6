/** Tables of the catalog as SQLite stores them: the rows of an entry table (ARCHITECTURE.md). */
import type { SqlColumn, SqlTable } from '../../../sql/binding/catalog.ts';
import type { FieldType, Value } from '../../../values/value.ts';
import type { StorageValue } from '../storage/value-storage.ts';

export interface EntryColumn extends SqlColumn {
  /** Name of the field in the key or value object. */
  readonly field: string;
  readonly fieldType: FieldType;
  /** `k`, `v`, or `f<n>`. */
  readonly physical: string;
  readonly defaultValue: Value | undefined;
}

export interface EntryTable extends SqlTable {
  readonly columns: readonly EntryColumn[];
  readonly cache: string;
  /** Name of the entry table in SQLite, with the schema of an attached database where it stands in one. */
  readonly physical: string;
  /** The data region: one statement changes caches of one region only. */
  readonly region: string;
  /** Type codes of the rows' keys and values. */
  readonly kt: number;
  readonly vt: number;
  /** Type names of keys and values, as the query entity has them. */
  readonly keyType: string;
  readonly valueType: string;
  /** The column whose value decides on the node, in a cluster. */
  readonly affinityColumn: string | undefined;
  /** Names of the cells that {@link valueOf} wants, in their order. */
  readonly valueColumns: readonly string[];
  /** Returns the value object of a row. */
  valueOf(vt: bigint, v: StorageValue, storageValues: readonly StorageValue[]): Value;
}

function isEntryTable(table: SqlTable): table is EntryTable {
  return 'physical' in table;
}

function isEntryColumn(column: SqlColumn): column is EntryColumn {
  return 'physical' in column;
}

/** Returns a bound table as the engine's catalog made it. Throws for a table of another catalog. */
export function entryTable(table: SqlTable): EntryTable {
  if (!isEntryTable(table)) throw new TypeError(`table ${table.name} is not stored`);
  return table;
}

/** As {@link entryTable}, for a column. */
export function entryColumn(column: SqlColumn): EntryColumn {
  if (!isEntryColumn(column)) throw new TypeError(`column ${column.name} is not stored`);
  return column;
}

/** What the binder must know of the cell that a column has. */
export function wholeOf(storageValue: string): SqlColumn['whole'] {
  return storageValue === 'k' ? 'key' : storageValue === 'v' ? 'value' : undefined;
}
