/** The cache rights that SQL statements need. */
import type { StatementAnalysis, StatementKind, TableName } from '../../sql/analysis/analysis.ts';

/** What a user may do with a cache. */
export type CacheRight = 'read' | 'put' | 'remove' | 'create' | 'destroy';

const READ: readonly CacheRight[] = ['read'];
const CHANGE: readonly CacheRight[] = ['read', 'put', 'remove'];
const EVERYTHING: readonly CacheRight[] = ['read', 'put', 'remove', 'create', 'destroy'];
/** The user service checks who may manage users. */
const NOTHING: readonly CacheRight[] = [];

const RIGHTS: Readonly<Record<StatementKind, readonly CacheRight[]>> = {
  // Every engine rejects an empty statement.
  empty: READ,
  query: READ,
  explain: READ,
  insert: CHANGE,
  merge: CHANGE,
  mergeUsing: CHANGE,
  update: CHANGE,
  delete: CHANGE,
  createUser: NOTHING,
  alterUser: NOTHING,
  dropUser: NOTHING,
  createTable: EVERYTHING,
  dropTable: EVERYTHING,
  addColumns: EVERYTHING,
  dropColumns: EVERYTHING,
  setLogging: EVERYTHING,
  alterIfExists: EVERYTHING,
  createIndex: EVERYTHING,
  dropIndex: EVERYTHING,
  createView: EVERYTHING,
  dropView: EVERYTHING,
  analyze: EVERYTHING,
  killQuery: EVERYTHING,
  truncate: EVERYTHING,
  unknown: EVERYTHING,
};

/** Returns the rights that a statement of the kind needs: on the caches that it changes, or on every cache. */
export function rightsOfStatement(kind: StatementKind): readonly CacheRight[] {
  return RIGHTS[kind];
}

/** Kinds of statements that only read and change rows, so that rights on the caches of their tables suffice. */
const ON_ROWS: ReadonlySet<StatementKind> = new Set(['query', 'explain', 'insert', 'merge', 'update', 'delete']);

/** The table of a cache. */
export interface FoundTable {
  readonly cache: string;
  /** `SCHEMA.NAME`; undefined if the schema is not known. */
  readonly table?: string;
}

/** Rights on one cache, or on every cache (`cache` is undefined). */
export interface CacheGrant {
  readonly cache?: string | undefined;
  /** The table whose rights suffice, too; see {@link FoundTable}. */
  readonly table?: string;
  readonly rights: readonly CacheRight[];
  /** Why rights on single caches do not suffice. */
  readonly reason?: string;
}

/** Returns the table that a statement names, with its cache; undefined if it is not known. */
export type FindTable = (table: TableName) => FoundTable | undefined;

/**
 * Returns the grants that a statement needs. A statement on rows needs them on the caches of its tables. Definitions,
 * views, system views and statements that cannot be analysed can reach more, and need them on every cache.
 */
export function grantsOf(analysis: StatementAnalysis, find: FindTable): readonly CacheGrant[] {
  const { kind, parsed, statements, reads, writes } = analysis;
  const rights = RIGHTS[kind];
  if (rights.length === 0) return [];
  if (kind === 'unknown' || (!parsed && ON_ROWS.has(kind))) {
    return [{ cache: undefined, rights, reason: 'the statement could not be analysed' }];
  }
  if (!ON_ROWS.has(kind) || statements !== 1) return [{ cache: undefined, rights }];
  const grant = (table: TableName, needed: readonly CacheRight[]): CacheGrant => {
    const found = find(table);
    const name = table.schema === undefined ? table.name : `${table.schema}.${table.name}`;
    return found === undefined
      ? { cache: undefined, rights: needed, reason: `${name} is not known as the table of a cache` }
      : { ...found, rights: needed };
  };
  return [...reads.map((table) => grant(table, READ)), ...writes.map((table) => grant(table, rights))];
}
