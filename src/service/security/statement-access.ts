/** The cache rights that SQL statements need, by kind. */
import type { StatementKind } from '../../sql/analysis/analysis.ts';

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
  createIndex: EVERYTHING,
  dropIndex: EVERYTHING,
  createView: EVERYTHING,
  dropView: EVERYTHING,
  analyze: EVERYTHING,
  killQuery: EVERYTHING,
  truncate: EVERYTHING,
  unknown: EVERYTHING,
};

/** Returns the rights that a statement of the kind needs on every cache. */
export function rightsOfStatement(kind: StatementKind): readonly CacheRight[] {
  return RIGHTS[kind];
}
