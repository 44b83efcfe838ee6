/** The cache rights that SQL statements need. */
import type { StatementAnalysis, StatementKind, TableName } from '../../sql/analysis/analysis.ts';

/** A user's right on a cache. */
export type CacheRight = 'read' | 'put' | 'remove' | 'create' | 'destroy';

export const READ: readonly CacheRight[] = ['read'];
export const CHANGE: readonly CacheRight[] = ['read', 'put', 'remove'];
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

/** Kinds of queries and DML, for which rights on their tables' caches suffice. */
const ON_ROWS: ReadonlySet<StatementKind> = new Set(['query', 'explain', 'insert', 'merge', 'update', 'delete']);

/** A cache's table. */
export interface FoundTable {
  readonly cache: string;
  /** `SCHEMA.NAME`; undefined if the schema is not known. */
  readonly table?: string;
  /** Whether it contains all entries of the cache, so only rights on the cache suffice. */
  readonly isEntries?: true;
}

/** Rights on one cache, or on every cache if `cache` is undefined. */
export interface CacheGrant {
  readonly cache?: string | undefined;
  /** The table whose rights also suffice; see {@link FoundTable}. */
  readonly table?: string;
  readonly rights: readonly CacheRight[];
  /** The table as the request names it, whether or not it exists: a denial does not reveal that. */
  readonly named?: string;
  /** The reason why rights on individual caches do not suffice. */
  readonly reason?: string;
}

/**
 * Returns the analysis of a statement for a cluster, where a table takes precedence over a common table with the same
 * name. The service knows no tables there, so each common table counts as a table.
 */
export function asOnCluster(analysis: StatementAnalysis): StatementAnalysis {
  const { reads, commonReads } = analysis;
  return commonReads.length === 0 ? analysis : { ...analysis, reads: [...reads, ...commonReads] };
}

/** The kind of information in a cluster's view, which its reader must be allowed to see. */
export type ViewSubject = 'users' | 'service' | 'counters';

/**
 * The system views of a cluster that reveal more than caches. The service cannot filter their rows, so they need a
 * right, as does creating a view of one. The embedded engine filters the rows of its views.
 */
const CLUSTER_VIEWS: Readonly<Record<ViewSubject, readonly string[]>> = {
  users: [
    'SYS.SQL_QUERIES',
    'SYS.SQL_QUERIES_HISTORY',
    'SYS.SCAN_QUERIES',
    'SYS.CONTINUOUS_QUERIES',
    'SYS.TRANSACTIONS',
    'SYS.TASKS',
    'SYS.JOBS',
    'INFORMATION_SCHEMA.USERS',
    'INFORMATION_SCHEMA.SESSIONS',
    'INFORMATION_SCHEMA.QUERY_STATISTICS',
  ],
  service: [
    'SYS.NODES',
    'SYS.NODE_METRICS',
    'SYS.NODE_ATTRIBUTES',
    'SYS.BASELINE_NODES',
    'SYS.BASELINE_NODE_ATTRIBUTES',
    'SYS.CONFIGURATION',
    'SYS.METRICS',
    'SYS.CLIENT_CONNECTIONS',
    'SYS.CLIENT_CONNECTION_ATTRIBUTES',
    'INFORMATION_SCHEMA.SETTINGS',
  ],
  counters: ['SYS.DS_ATOMICLONGS'],
};
const SUBJECT_OF_VIEW: ReadonlyMap<string, ViewSubject> = new Map(
  (['users', 'service', 'counters'] as const).flatMap((subject) =>
    CLUSTER_VIEWS[subject].map((name) => [name, subject] as const),
  ),
);

/** Returns the cluster system views in a statement that need a right, with the information that they reveal. */
export function clusterViewsOf({ reads }: StatementAnalysis): ReadonlyArray<readonly [string, ViewSubject]> {
  return reads.flatMap(({ schema = '', name }) => {
    const view = `${schema}.${name}`.toUpperCase();
    const subject = SUBJECT_OF_VIEW.get(view);
    return subject === undefined ? [] : [[view, subject]];
  });
}

/** Returns the table that a statement names, with its cache, or undefined if it is not known. */
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
    const named = table.schema === undefined ? table.name : `${table.schema}.${table.name}`;
    const found = find(table);
    return found?.isEntries === true ? { cache: found.cache, rights: needed } : { ...found, rights: needed, named };
  };
  return [...reads.map((table) => grant(table, READ)), ...writes.map((table) => grant(table, rights))];
}
