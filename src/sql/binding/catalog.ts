/**
 * The objects that statements can name: schemas, tables, views and their columns. The engine implements {@link
 * SqlCatalog} over its caches, the tests over a list.
 */
import type { SqlData, SqlType } from '../types/sql-types.ts';

/** A column of a table. An engine adds where it is stored. */
export interface SqlColumn {
  /** The case-sensitive name. */
  readonly name: string;
  readonly type: SqlType;
  /** Whether the column is the whole key or value rather than one of its fields. */
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
  /** `_KEY` as a column for inserting rows, if the key is a scalar that is not among the columns. */
  readonly hiddenKey: SqlColumn | undefined;
  readonly indexes: readonly SqlIndex[];
  /**
   * Whether it is the table of all entries of a cache, whose `_KEY` and `_VAL` are columns of any type.
   * Defaults to false.
   */
  readonly isOfEntries?: true;
}

export interface SqlView {
  readonly schema: string;
  readonly name: string;
  /** Names of the columns; empty to use the query's. */
  readonly columns: readonly string[];
  /** The text of the query. */
  readonly query: string;
}

/** For whom the rows of system views are read. */
export interface TableReader {
  readonly owner: string;
  /** The information beyond their own data that the reader may see; everything if undefined. */
  readonly knows?: Readonly<Record<'users' | 'service' | 'counters', boolean>> | undefined;
}

/** A table of INFORMATION_SCHEMA or SYS, whose rows are computed when a statement reads it. */
export interface VirtualTable {
  readonly schema: string;
  readonly name: string;
  readonly columns: ReadonlyArray<{ readonly name: string; readonly type: SqlType }>;
  /** Returns the storage values of each row, by column. Booleans are 0 and 1. Without a reader, returns all rows. */
  rows(reader?: TableReader): ReadonlyArray<ReadonlyArray<string | number | bigint | null>>;
}

export type CatalogEntry =
  | { readonly kind: 'table'; readonly table: SqlTable }
  | { readonly kind: 'view'; readonly view: SqlView }
  | { readonly kind: 'virtual'; readonly table: VirtualTable };

export interface SqlCatalog {
  /** Changes with every definition. Statements prepared with another version must be prepared again. */
  readonly version: number;
  /** Whether statements return the same as Ignite even if that loses data (docs/differences.md, row 57). */
  readonly asIgnite?: boolean;
  schemas(): readonly string[];
  find(schema: string, name: string): CatalogEntry | undefined;
  /**
   * Returns the object that only the qualified name identifies, if {@link find} finds nothing: the entries of the cache
   * with that name. Undefined if there are no such objects.
   */
  findEntries?(schema: string, name: string): SqlTable | undefined;
  /** Returns the names of the tables and views of a schema, for suggestions and drops. */
  names(schema: string): readonly string[];
}
