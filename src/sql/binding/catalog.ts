/**
 * What the front end must know of tables, independent of where definitions are kept. The engine implements
 * {@link SqlCatalog} over its caches; the tests over a list.
 */
import type { FieldType, Value } from '../../values/value.ts';
import type { SqlData, SqlType } from '../types/sql-types.ts';

/** What SQLite holds in one place. */
type Cell = null | bigint | number | string | Uint8Array;

/** A column of a table, over a cell of the entry table (ARCHITECTURE.md). */
export interface SqlColumn {
  /** As SQL names it, case as it counts. */
  readonly name: string;
  /** Name of the field in the key or value object. */
  readonly field: string;
  readonly type: SqlType;
  readonly fieldType: FieldType;
  /** `k`, `v`, or `f<n>`. */
  readonly cell: string;
  /** True for columns of the primary key. */
  readonly isKey: boolean;
  readonly notNull: boolean;
  readonly defaultValue: Value | undefined;
  /** The default as the binder takes it. */
  readonly defaultData: { readonly type: SqlType; readonly data: SqlData } | undefined;
}

export interface SqlIndex {
  readonly name: string;
  readonly columns: ReadonlyArray<{ readonly name: string; readonly descending: boolean }>;
  readonly unique: boolean;
}

export interface SqlTable {
  readonly schema: string;
  readonly name: string;
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
  /** SQL type of `_KEY`: OTHER for an object. */
  readonly keySqlType: SqlType;
  /** SQL type of `_VAL`: OTHER for an object. */
  readonly valueSqlType: SqlType;
  readonly columns: readonly SqlColumn[];
  readonly indexes: readonly SqlIndex[];
  /** The column whose value decides on the node, in a cluster. */
  readonly affinityColumn: string | undefined;
  /** Names of the cells that {@link valueOf} wants, in their order. */
  readonly valueCells: readonly string[];
  /** The value object of a row. */
  valueOf(vt: bigint, v: Cell, cells: readonly Cell[]): Value;
}

export interface SqlView {
  readonly schema: string;
  readonly name: string;
  /** Columns as given; empty: those of the query. */
  readonly columns: readonly string[];
  /** Text of the query. */
  readonly query: string;
}

/** A table of INFORMATION_SCHEMA or SYS, whose rows are made when a statement reads it. */
export interface VirtualTable {
  readonly schema: string;
  readonly name: string;
  readonly columns: ReadonlyArray<{ readonly name: string; readonly type: SqlType }>;
  /** Cells by column; booleans are 0 and 1. */
  rows(): ReadonlyArray<ReadonlyArray<string | number | bigint | null>>;
}

export type CatalogEntry =
  | { readonly kind: 'table'; readonly table: SqlTable }
  | { readonly kind: 'view'; readonly view: SqlView }
  | { readonly kind: 'virtual'; readonly table: VirtualTable };

export interface SqlCatalog {
  /** Changes with every change of a definition: prepared statements of another version are out of date. */
  readonly version: number;
  schemas(): readonly string[];
  find(schema: string, name: string): CatalogEntry | undefined;
  /** Names of a schema's tables and views, for suggestions and for drops. */
  names(schema: string): readonly string[];
}
