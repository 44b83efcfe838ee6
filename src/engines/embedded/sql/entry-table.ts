/** The tables of the catalog, which SQLite stores as rows of an entry table (ARCHITECTURE.md). */
import { sqlFailureAt } from '../../../base/sql-errors.ts';
import type { SqlFailure } from '../../../base/sql-failure.ts';
import { KEY_COLUMN } from '../../../sql/binding/bound.ts';
import type { SqlColumn, SqlTable } from '../../../sql/binding/catalog.ts';
import { sqlTypeOfField } from '../../../sql/types/sql-values.ts';
import type { FieldType, Value } from '../../../values/value.ts';
import {
  isScalarName,
  type PathColumn,
  type Row,
  type StorageValue,
  type ValueCodec,
} from '../storage/value-storage.ts';

export interface EntryColumn extends SqlColumn {
  /** Name of the field in the key or value object. */
  readonly field: string;
  readonly fieldType: FieldType;
  /** Name of the column in the entry table: `k`, `v` or `f<n>`; `kt`, `vt` or `exp` in the table of all entries. */
  readonly physical: string;
  readonly defaultValue: Value | undefined;
}

/** The contents of the columns in a cache's entries table. */
export interface EntryOptions {
  keyOf(kt: number, k: StorageValue): Value;
  /** Returns the type name of a key or a value, as in `keyType` and `valueType`. */
  typeNameOf(code: number, storageValue: StorageValue): string;
  /** The names of their indexes by SQLite's names for them. */
  readonly indexes: ReadonlyMap<string, string>;
}

export interface EntryTable extends SqlTable {
  readonly columns: readonly EntryColumn[];
  readonly hiddenKey: EntryColumn | undefined;
  readonly cache: string;
  /** Name of the entry table in SQLite, qualified if it is in an attached database. */
  readonly physical: string;
  /** The data region. A statement can only change tables of one region. */
  readonly region: string;
  /** The number of the database that stores the region. */
  readonly database: number;
  /** Time to live of a row in ms after each statement that writes it, or undefined if rows do not expire. */
  readonly ttlMs: bigint | undefined;
  /** Type codes of the rows' keys and values. undefined for the table of all entries, whose rows have any types. */
  readonly kt: number | undefined;
  readonly vt: number | undefined;
  /** Reads the parts of rows in a cache's entries table; undefined for an entity's table. */
  readonly entries: EntryOptions | undefined;
  /** Type names of keys and values from the query entity. */
  readonly keyType: string;
  readonly valueType: string;
  /** The column whose value determines the node in a cluster. */
  readonly affinityColumn: string | undefined;
  /** Names of the columns that {@link valueOf} needs, in order. */
  readonly valueColumns: readonly string[];
  /** The layout of the values (value-storage.ts): DROP COLUMN changes it, and leaves the columns. */
  layout(): string;
  /** Indexed paths into values, and their columns. */
  readonly paths: readonly PathColumn[];
  /** Returns the value object of a row. */
  valueOf(vt: bigint, v: StorageValue, storageValues: readonly StorageValue[]): Value;
}

/** Returns a function that reads the values of rows in a table of the codec's cache. */
export function valuesOf(codec: ValueCodec): Pick<EntryTable, 'valueColumns' | 'layout' | 'valueOf' | 'paths'> {
  const valueColumns = codec.valueColumns.map((column) => `f${column}`);
  return {
    valueColumns,
    layout: () => codec.layout(),
    paths: codec.paths,
    valueOf(vt, v, storageValues) {
      const row: Record<string, StorageValue> = {};
      valueColumns.forEach((name, index) => {
        row[name] = storageValues[index] ?? null;
      });
      return codec.value({ ...row, vt, v, exp: null } satisfies Row);
    },
  };
}

/** Returns the hidden key column of a table with keys of that type, or undefined if they are objects, or a column. */
export function hiddenKeyOf(typeName: string, columns: readonly EntryColumn[]): EntryColumn | undefined {
  if (!isScalarName(typeName) || columns.some(({ physical }) => physical === 'k')) return undefined;
  const fieldType = { kind: 'scalar', type: typeName } as const;
  return {
    name: KEY_COLUMN,
    field: KEY_COLUMN,
    type: sqlTypeOfField(fieldType),
    fieldType,
    physical: 'k',
    whole: 'key',
    isKey: true,
    notNull: false,
    defaultValue: undefined,
    defaultData: undefined,
  };
}

function isEntryTable(table: SqlTable): table is EntryTable {
  return 'physical' in table;
}

function isEntryColumn(column: SqlColumn): column is EntryColumn {
  return 'physical' in column;
}

/** Returns a bound table as the engine's entry table. Throws for a table of another catalog. */
export function entryTable(table: SqlTable): EntryTable {
  if (!isEntryTable(table)) throw new TypeError(`table ${table.name} is not stored`);
  return table;
}

/** Returns a bound column as the engine's. Throws for a column of another catalog. */
export function entryColumn(column: SqlColumn): EntryColumn {
  if (!isEntryColumn(column)) throw new TypeError(`column ${column.name} is not stored`);
  return column;
}

/** Returns `key` or `value` for a physical column that stores the whole key or value. */
export function wholeOf(storageValue: string): SqlColumn['whole'] {
  return storageValue === 'k' ? 'key' : storageValue === 'v' ? 'value' : undefined;
}

/** Returns the failure for a row whose key exists, with the key columns. */
export function keyExists({ columns, name }: EntryTable, key: string): SqlFailure {
  const names = columns.filter(({ isKey }) => isKey).map((column) => column.name);
  const about = `key ${names.length === 0 ? KEY_COLUMN : names.join(', ')} of ${name}`;
  return sqlFailureAt({ about }, 'KEYS_EXIST', key);
}
