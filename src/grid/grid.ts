/**
 * The interface of a grid. Every engine implements it, the conformance suite (test/grid/grid.suite.ts) tests each
 * against it, and no other module knows which engine runs. The comments are the specification.
 *
 * Rules for all operations on entries:
 * - Errors are checked in this order: state (INACTIVE, READ_ONLY), CACHE_NOT_FOUND, errors of the operation.
 * - An expired entry is absent for every operation.
 * - A promise of a change resolves when the change is durable (in a persistent region) and visible to every reader.
 * - Keys and values are compared with their type: integer 5 is not long 5; NaN equals NaN; 0.0 is not -0.0.
 */

import type { MaybePromise } from '../base/maybe-promise.ts';
import type { FieldType, ObjectSchema, Value } from '../values/value.ts';
import type { Bulk } from './bulk.ts';
import type { Counter, Entry, Port } from './calls.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { Idempotency } from './idempotency.ts';
import type { Baseline, GridNode, RegionMetrics } from './nodes.ts';
import type { Queries } from './queries.ts';
import type { Transactions } from './transactions.ts';

export type { MaybePromise } from '../base/maybe-promise.ts';
export type { Counter, Entry, TimeToLive } from './calls.ts';
export type { AttributeValue, Baseline, GridNode, RegionMetrics } from './nodes.ts';
export type {
  Column,
  FieldsQuery,
  Owner,
  Queries,
  QueryKiller,
  QueryPage,
  QueryRequest,
  RowFormat,
  ScanQuery,
  TypeQuery,
} from './queries.ts';
export {
  type StatementQuery,
  TransactionAborted,
  type TransactionCall,
  type TransactionOptions,
  type TransactionResult,
  type TransactionStep,
  type Transactions,
} from './transactions.ts';

export type ClusterState = 'ACTIVE' | 'ACTIVE_READ_ONLY' | 'INACTIVE';
export const CLUSTER_STATES: readonly ClusterState[] = ['ACTIVE', 'ACTIVE_READ_ONLY', 'INACTIVE'];

export type CacheMode = 'PARTITIONED' | 'REPLICATED';
export type WriteSynchronizationMode = 'FULL_SYNC' | 'FULL_ASYNC' | 'PRIMARY_SYNC';
export const WRITE_SYNCHRONIZATION_MODES: readonly WriteSynchronizationMode[] = [
  'FULL_SYNC',
  'FULL_ASYNC',
  'PRIMARY_SYNC',
];

/** The settings of getorcreate; omitted ones come from the template. */
export interface CacheRequest {
  readonly template?: string;
  readonly backups?: number;
  readonly region?: string;
  readonly group?: string;
  readonly writeMode?: WriteSynchronizationMode;
  /** See {@link CacheDefinition.ttlMs}; 0 for none. */
  readonly ttlMs?: number;
  /** See {@link CacheDefinition.sliding}. */
  readonly sliding?: boolean;
  /** See {@link CacheDefinition.changeFeed}. */
  readonly changeFeed?: boolean;
}

/** A field of a query entity: a column of its SQL table. */
export interface EntityField {
  readonly name: string;
  readonly type: FieldType;
  /** The column's name, if different from the field's. */
  readonly alias?: string;
  readonly notNull?: boolean;
  readonly defaultValue?: Value;
}

export interface EntityIndex {
  readonly name?: string;
  readonly fields: ReadonlyArray<{ readonly name: string; readonly descending?: boolean }>;
  readonly unique?: boolean;
}

/** The declaration of an SQL table over a cache's entries (docs/spec/contract.md 2.2, step 2). */
export interface QueryEntity {
  /** Type name of the keys: a scalar type, or a custom type whose fields are `keyFields`. */
  readonly keyType: string;
  /** Type name of the values that are rows of this table. */
  readonly valueType: string;
  /** Defaults to the last part of the value type's name. */
  readonly tableName?: string;
  /**
   * Names of the `fields` that belong to the key. With a scalar `keyType` there is one, which is the key itself;
   * likewise, the only value field of a scalar `valueType` is the value itself.
   */
  readonly keyFields?: readonly string[];
  readonly fields: readonly EntityField[];
  /** The key field whose value alone determines an entry's node in a cluster; the whole key does if undefined. */
  readonly affinityField?: string;
  readonly indexes?: readonly EntityIndex[];
  /** Created by CREATE TABLE: SQL uses the names unchanged. Otherwise it uses them in upper case. */
  readonly fromSql?: boolean;
}

/** A cache as declared or created. */
export interface CacheDefinition {
  readonly name: string;
  readonly mode: CacheMode;
  readonly backups: number;
  readonly region: string;
  readonly group: string | undefined;
  readonly writeMode: WriteSynchronizationMode;
  readonly atomicity: 'ATOMIC' | 'TRANSACTIONAL';
  /** SQL schema, or undefined for a cache without SQL types. */
  readonly schema: string | undefined;
  readonly entities: readonly QueryEntity[];
  /** undefined if the cluster's nodes do not report it. */
  readonly persistent: boolean | undefined;
  /** Time to live, in ms, of an entry after each write that does not set one; if undefined, entries do not expire. */
  readonly ttlMs?: number;
  /**
   * Whether get and getAll move an existing deadline to `ttlMs` from now. An engine may set deadlines up to a tenth of
   * `ttlMs` later, so that not every read is a write.
   */
  readonly sliding?: boolean;
  /** Whether the change feed records the cache's changes (change-feed.ts). Defaults to false. */
  readonly changeFeed?: boolean;
  /**
   * Whether CREATE TABLE created the cache, so that DROP TABLE destroys it. False if the cache became a table later.
   * Undefined if it has no such table, or was created by an engine or a version that does not record this.
   */
  readonly createdBySql?: boolean;
  /** Indexes on paths into the values of all entries, or undefined if there are none. */
  readonly entryIndexes?: readonly EntryIndex[];
}

/** An index on a path into the values of a cache's entries, whether they are rows or not. */
export interface EntryIndex {
  readonly name: string;
  /** The path in normal form, so equal paths are equal strings. */
  readonly path: string;
  /** The name of the indexed values' SQL type. */
  readonly type: string;
  readonly descending?: boolean;
}

/**
 * Metrics of a cache (docs/spec/contract.md 2.3). Times are in ms since the epoch; readTime and writeTime are 0 before
 * the first access.
 */
export interface CacheMetrics {
  readonly createTime: number;
  readonly readTime: number;
  readonly writeTime: number;
  readonly hits: number;
  readonly misses: number;
  readonly reads: number;
  readonly writes: number;
}

/** Operations on caches. */
export interface Caches {
  /** Creates the configured caches that do not exist; undefined if the engine creates all of them when it opens. */
  declareConfigured?(): Promise<void>;
  /**
   * Creates the cache unless one of that name exists, which stays unchanged. Throws TEMPLATE_NOT_FOUND,
   * REGION_NOT_FOUND, BACKUPS_NEGATIVE, GROUP_MISMATCH, GROUP_MODE_MISMATCH, CACHE_NAME_INVALID,
   * CACHE_LIMIT, SLIDING_WITHOUT_TTL.
   */
  getOrCreate(name: string, request: CacheRequest): MaybePromise<void>;
  /** Returns whether {@link getOrCreate} would create the cache. Throws the same errors, and creates nothing. */
  wouldCreate(name: string, request: CacheRequest): MaybePromise<boolean>;
  /** Destroys the cache; succeeds if it does not exist. The default cache is cleared instead. */
  destroy(name: string): MaybePromise<void>;
  find(name: string): MaybePromise<CacheDefinition | undefined>;
  list(): MaybePromise<readonly CacheDefinition[]>;
  /** Returns the caches that the service created for itself, or undefined if the engine creates none. */
  listOwn?(): MaybePromise<readonly CacheDefinition[]>;
  /** Throws CACHE_NOT_FOUND. */
  metrics(name: string): MaybePromise<CacheMetrics>;
  /** Returns the metadata (docs/spec/contract.md 2.4). Throws CACHE_NOT_FOUND. */
  metadata(name: string): MaybePromise<CacheMetadata>;
  /**
   * Returns the cache whose entries are the rows of an SQL table. Undefined for a view, an unknown table, and engines
   * that do not know. Without a schema, the name is resolved as in a statement over `cache`.
   */
  cacheOfTable(
    table: { readonly schema: string | undefined; readonly name: string },
    cache: string,
  ): string | undefined;
}

export interface CacheMetadata {
  /** By type, how many entries did not fit their table at startup, or undefined if all did. */
  readonly unfit?: Readonly<Record<string, number>>;
  readonly cacheName: string;
  readonly types: readonly string[];
  readonly keyClasses: Readonly<Record<string, string>>;
  readonly valClasses: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly indexes: Readonly<
    Record<
      string,
      ReadonlyArray<{
        readonly name: string;
        readonly fields: readonly string[];
        readonly descendings: readonly string[];
        readonly unique: boolean;
      }>
    >
  >;
}

export interface Cluster {
  /** The responding node: the affinityNodeId of engines with one node. */
  readonly localNodeId: string;
  version(): MaybePromise<string>;
  name(): MaybePromise<string | null>;
  state(): MaybePromise<ClusterState>;
  /**
   * Sets the state after running changes have finished. Throws DEACTIVATION_STOPPED for INACTIVE without `force` while
   * a cache that is not persistent has entries. Setting the current state has no effect. `isStrict`: a cluster's
   * rejection because of an empty cache is final.
   */
  setState(state: ClusterState, force: boolean, isStrict?: boolean): MaybePromise<void>;
  /** Returns the caches of the nodes and of the service itself that would prevent INACTIVE without `force`. */
  internalLoss(): MaybePromise<readonly string[]>;
  nodes(include: { readonly metrics: boolean; readonly attributes: boolean }): MaybePromise<readonly GridNode[]>;
  hasNode(id: string): MaybePromise<boolean>;
  /** Returns the id of the node with the key's primary copy. */
  primaryNode(cache: string, key: Value): MaybePromise<string>;
  baseline(): MaybePromise<Baseline>;
  regions(): MaybePromise<readonly RegionMetrics[]>;
}

/**
 * Small system records (users, roles, sessions, API keys, settings) shared by all threads and, on a cluster, by all
 * services. Every read after a change sees it, on any thread.
 */
export interface Records {
  get(kind: RecordKind, id: string): MaybePromise<string | undefined>;
  /** Stores a record, which expires at `expiresAtMs`. */
  put(kind: RecordKind, id: string, content: string, expiresAtMs?: number): Promise<void>;
  /** Stores a record unless one exists; returns false if so. */
  add(kind: RecordKind, id: string, content: string, expiresAtMs?: number): Promise<boolean>;
  /** Stores a record only if one with the id exists; returns false otherwise. */
  replace(kind: RecordKind, id: string, content: string, expiresAtMs?: number): Promise<boolean>;
  /** Removes a record and returns its content. */
  remove(kind: RecordKind, id: string): Promise<string | undefined>;
  list(kind: RecordKind): MaybePromise<ReadonlyArray<{ readonly id: string; readonly content: string }>>;
}

export type RecordKind =
  | 'user'
  | 'role'
  | 'session'
  | 'setting'
  | 'apiKey'
  | 'apiKeySecret'
  | 'apiKeyUse'
  | 'savedQuery'
  | 'savedQueryText';

/** Users that the cluster manages. */
export interface UserDirectory {
  /** Reports whether the cluster accepts the password. Throws CLUSTER_UNREACHABLE. */
  verify(name: string, password: string): Promise<boolean>;
  /** Throws USER_EXISTS, USER_OPERATION. */
  add(name: string, password: string): Promise<void>;
  /** Changes the password. Throws USER_NOT_FOUND, USER_OPERATION. */
  update(name: string, password: string): Promise<void>;
  /** Throws USER_NOT_FOUND, USER_OPERATION. */
  remove(name: string): Promise<void>;
  /** Opens a grid over connections with the user's rights; the caller closes it. Throws CREDENTIALS_WRONG. */
  open(name: string, password: string): Promise<Grid>;
}

/** An entry with its remaining time to live. */
export interface ScannedEntry extends Entry {
  /** Remaining time to live, > 0, or undefined if the entry has none or the engine does not know it. */
  readonly ttlMs?: bigint;
}

/** Entries of a scan. */
export interface EntryBatch {
  readonly entries: readonly ScannedEntry[];
  /**
   * The position from which a later scan continues after this batch, or undefined if it must start from the beginning.
   */
  readonly position?: string;
}

/** Operations that move the contents of one grid to another; they do not count in the metrics. */
export interface Transfer {
  /**
   * Returns every live entry once, exactly as stored, in batches of limited size. Concurrent changes may or may not be
   * included, and so may an entry that has just expired. `position` comes from an earlier scan of this cache. Throws
   * INACTIVE, CACHE_NOT_FOUND.
   */
  scan(cache: string, position?: string): AsyncIterable<EntryBatch>;
  /**
   * Creates the cache with its query entities (as tables for those from CREATE TABLE); returns false if one of that
   * name exists. The default region replaces a region that the grid does not have.
   */
  define(definition: CacheDefinition): Promise<boolean>;
  /** Returns the views that users have created: each one's SQL name and, if the engine knows it, its query. */
  views(): MaybePromise<ReadonlyArray<{ readonly name: string; readonly query: string | undefined }>>;
  /** Returns the counters that the engine can list and the existing ones among `names`, sorted by name. */
  counters(names: readonly string[]): MaybePromise<readonly Counter[]>;
}

/** Runs tasks by name on a cluster's nodes. Without it, the service's own process pool runs them. */
export interface TaskEngine {
  /** Returns the task's result. Throws TASK_NOT_FOUND, TASK_FAILED, TASK_TIMEOUT. `timeoutMs` 0 means no timeout. */
  run(name: string, args: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<Value>;
}

/** The engine's capabilities that other modules ask for. */
export interface Capabilities {
  /** Several nodes: destId and primaryNode may differ from the responding node. */
  readonly manyNodes: boolean;
  /** False if scans do not report the remaining time to live. */
  readonly knowsTimeToLive?: boolean;
  /** False if a list of counters may lack those that have not been used since the nodes started. */
  readonly listsAllCounters?: boolean;
  /** False if counters have no time to live. */
  readonly expiringCounters?: boolean;
}

/** A running grid. */
export interface Grid {
  readonly capabilities: Capabilities;
  /** Runs calls on entries and counters, and statements. */
  readonly port: Port;
  readonly caches: Caches;
  readonly queries: Queries;
  readonly transactions: Transactions;
  /** undefined if the engine keeps no results. */
  readonly idempotency?: Idempotency | undefined;
  /** undefined if the engine has no change feed. */
  readonly changeFeed?: ChangeFeed | undefined;
  readonly cluster: Cluster;
  readonly records: Records;
  readonly transfer: Transfer;
  /** undefined if the engine does not import. */
  readonly bulk?: Bulk | undefined;
  readonly tasks: TaskEngine | undefined;
  /** undefined if the engine does not manage users; the service then stores them as records. */
  readonly users?: UserDirectory | undefined;
  /**
   * Schemas of custom types: registered classes first, then query entities of the cache (docs/spec/contract.md 2.2),
   * where undefined means any cache.
   */
  readonly types: {
    find(typeName: string, cache: string | undefined): ObjectSchema | undefined;
    /** See {@link TypeRegistry}. */
    readonly isPartial?: boolean;
  };
  /** Finishes running operations, makes their changes durable and closes the grid. */
  close(): Promise<void>;
}
