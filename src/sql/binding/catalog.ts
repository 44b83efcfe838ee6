/**
 * What the front end must know of tables, independent of where definitions are kept. The engine implements
 * {@link SqlCatalog} over its caches; the tests over a list.
 */
import type { SqlData, SqlType } from '../types/sql-types.ts';

/** A column of a table. An engine adds where it is stored. */
export interface SqlColumn {
  /** As SQL names it, case as it counts. */
  readonly name: string;
  readonly type: SqlType;
  /** The column is the whole key or the whole value, not a field of one. */
  readonly whole: 'key' | 'value' | undefined;
  /** True for columns of the primary key. */
  readonly isKey: boolean;
  readonly notNull: boolean;
  readonly defaultData: { readonly type: SqlType; readonly data: SqlData } | undefined;
}

export interface SqlIndex {
  readonly name: string;
  readonly columns: ReadonlyArray<{ readonly name: string; readonly descending: boolean }>;
  readonly unique: boolean;
}

/** A table. An engine adds how its rows are stored. */
export interface SqlTable {
  readonly schema: string;
  readonly name: string;
  /** SQL type of `_KEY`: OTHER for an object. */
  readonly keySqlType: SqlType;
  /** SQL type of `_VAL`: OTHER for an object. */
  readonly valueSqlType: SqlType;
  readonly columns: readonly SqlColumn[];
  readonly indexes: readonly SqlIndex[];
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
  /** StorageValues by column; booleans are 0 and 1. */
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
