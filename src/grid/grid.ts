/**
 * The interface of a grid. Every engine implements it, the conformance suite (test/grid/grid.suite.ts) tests them
 * against it, and no other module knows which engine runs. The comments are the specification.
 *
 * Rules for all operations on entries:
 * - Errors are checked in this order: state (INACTIVE, READ_ONLY), CACHE_NOT_FOUND, errors of the operation.
 * - An expired entry is absent for every operation.
 * - A promise of a change resolves when the change is durable (in a persistent region) and visible to every reader.
 * - Equality of keys and values is that of the tagged value: integer 5 is not long 5; NaN equals NaN; 0.0 is not -0.0.
 */

import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Tenant } from '../base/shares.ts';
import type { Notation } from '../values/notation.ts';
import type { FieldType, ObjectSchema, Value } from '../values/value.ts';
import type { Bulk, ExportForm } from './bulk.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { Counter, Counters } from './counters.ts';
import type { DefinitionPreviews, DefinitionStatement } from './definition-changes.ts';
import type { EntryTexts } from './entry-texts.ts';
import type { Idempotency, IdempotencyKey } from './idempotency.ts';
import type { Knowledge } from './knowledge.ts';
import type { Baseline, GridNode, RegionMetrics } from './nodes.ts';
import type { QueryId } from './query-id.ts';

export type { MaybePromise } from '../base/maybe-promise.ts';
export type { Counter, Counters } from './counters.ts';
export type { Idempotency } from './idempotency.ts';
export type { AttributeValue, Baseline, GridNode, RegionMetrics } from './nodes.ts';
export { TransactionAborted } from './transaction-aborted.ts';

export type ClusterState = 'ACTIVE' | 'ACTIVE_READ_ONLY' | 'INACTIVE';
export const CLUSTER_STATES: readonly ClusterState[] = ['ACTIVE', 'ACTIVE_READ_ONLY', 'INACTIVE'];

export type CacheMode = 'PARTITIONED' | 'REPLICATED';
export type WriteSynchronizationMode = 'FULL_SYNC' | 'FULL_ASYNC' | 'PRIMARY_SYNC';
export const WRITE_SYNCHRONIZATION_MODES: readonly WriteSynchronizationMode[] = [
  'FULL_SYNC',
  'FULL_ASYNC',
  'PRIMARY_SYNC',
];

/** The settings of getorcreate; absent ones are those of the template. */
export interface CacheRequest {
  readonly template?: string;
  readonly backups?: number;
  readonly region?: string;
  readonly group?: string;
  readonly writeMode?: WriteSynchronizationMode;
  /** See {@link CacheDefinition.ttlMs}; 0: none. */
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
  /** The column's name if it differs from the field's. */
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
   * likewise the only value field of a scalar `valueType` is the value itself.
   */
  readonly keyFields?: readonly string[];
  readonly fields: readonly EntityField[];
  /** The key field whose value alone decides the node of an entry in a cluster; absent: the whole key does. */
  readonly affinityField?: string;
  readonly indexes?: readonly EntityIndex[];
  /** Created by CREATE TABLE: SQL uses the names as they are. Otherwise it uses them in upper case. */
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
  /** SQL schema; undefined for a cache without SQL types. */
  readonly schema: string | undefined;
  readonly entities: readonly QueryEntity[];
  readonly persistent: boolean;
  /** Time to live in ms of an entry after each write that sets none of its own; absent: entries do not expire. */
  readonly ttlMs?: number;
  /**
   * Whether get and getAll move the deadline of an entry that has one to `ttlMs` from now. An engine may set deadlines
   * up to a tenth of `ttlMs` later, so that not every read is a write.
   */
  readonly sliding?: boolean;
  /** Whether the change feed records the changes of the cache (change-feed.ts). Absent: it does not. */
  readonly changeFeed?: boolean;
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

export interface Entry {
  readonly key: Value;
  readonly value: Value;
}

/**
 * What a write does to the expiry time of its entry: > 0 sets its time to live in ms, null removes the expiry time;
 * absent or <= 0 keeps that of a live entry (docs/spec/ignite-data.md 4.7), or sets the time to live of the cache.
 */
export type TimeToLive = bigint | null | undefined;

/** Operations on entries. Undefined means that there is no entry. */
export interface Entries {
  get(cache: string, key: Value): MaybePromise<Value | undefined>;
  has(cache: string, key: Value): MaybePromise<boolean>;
  /** Returns the existing entries in no particular order; a repeated key counts once. */
  getAll(cache: string, keys: readonly Value[]): MaybePromise<Entry[]>;
  /** Reports whether every key has an entry. */
  hasAll(cache: string, keys: readonly Value[]): MaybePromise<boolean>;
  put(cache: string, key: Value, value: Value, ttlMs?: TimeToLive): MaybePromise<void>;
  putAll(cache: string, entries: readonly Entry[], ttlMs?: TimeToLive): MaybePromise<void>;
  putIfAbsent(cache: string, key: Value, value: Value, ttlMs?: TimeToLive): MaybePromise<boolean>;
  getAndPut(cache: string, key: Value, value: Value, ttlMs?: TimeToLive): MaybePromise<Value | undefined>;
  getAndPutIfAbsent(cache: string, key: Value, value: Value, ttlMs?: TimeToLive): MaybePromise<Value | undefined>;
  replace(cache: string, key: Value, value: Value, ttlMs?: TimeToLive): MaybePromise<boolean>;
  getAndReplace(cache: string, key: Value, value: Value, ttlMs?: TimeToLive): MaybePromise<Value | undefined>;
  replaceIfEquals(cache: string, key: Value, expected: Value, value: Value, ttlMs?: TimeToLive): MaybePromise<boolean>;
  remove(cache: string, key: Value): MaybePromise<boolean>;
  getAndRemove(cache: string, key: Value): MaybePromise<Value | undefined>;
  removeIfEquals(cache: string, key: Value, expected: Value): MaybePromise<boolean>;
  removeAll(cache: string, keys: readonly Value[]): MaybePromise<void>;
  /** Removes every entry of the cache. */
  clear(cache: string): MaybePromise<void>;
  /**
   * Appends `value` to a string, list or map by the rules of `append` in values/combine.ts; false when there is no
   * entry. Throws INCOMPATIBLE_TYPES for other combinations and changes nothing.
   */
  append(cache: string, key: Value, value: Value, ttlMs?: TimeToLive): MaybePromise<boolean>;
  /** Prepends `value` by the rules of `prepend` in values/combine.ts, otherwise like {@link append}. */
  prepend(cache: string, key: Value, value: Value, ttlMs?: TimeToLive): MaybePromise<boolean>;
  /**
   * Sets the time to live: > 0 in ms, < 0 expires the entry at once, 0 changes nothing, null removes the expiry time.
   * True if there was an entry.
   */
  updateTtl(cache: string, key: Value, ttlMs: bigint | null): MaybePromise<boolean>;
  /**
   * Returns the remaining time to live in ms, > 0; null if the entry has no expiry time, undefined if there is no
   * entry. Counts no read. Throws NOT_SUPPORTED.
   */
  timeToLive(cache: string, key: Value): MaybePromise<bigint | null | undefined>;
  /** Returns the number of entries that have not expired. */
  size(cache: string): MaybePromise<number>;
}

/** The operations on entries: whether they only read. */
const READS_OF_ENTRIES: { readonly [N in keyof Entries]: boolean } = {
  get: true,
  has: true,
  getAll: true,
  hasAll: true,
  timeToLive: true,
  size: true,
  put: false,
  putAll: false,
  putIfAbsent: false,
  getAndPut: false,
  getAndPutIfAbsent: false,
  replace: false,
  getAndReplace: false,
  replaceIfEquals: false,
  remove: false,
  getAndRemove: false,
  removeIfEquals: false,
  removeAll: false,
  clear: false,
  append: false,
  prepend: false,
  updateTtl: false,
};

/** The names of the operations on entries. */
export const ENTRY_NAMES = Object.keys(READS_OF_ENTRIES) as ReadonlyArray<keyof Entries>;

/** Reports whether an operation on entries only reads. */
export function isReadOfEntries(name: keyof Entries): boolean {
  return READS_OF_ENTRIES[name];
}

/** Operations on caches. */
export interface Caches {
  /** Creates the configured caches that do not exist; absent: the engine has created all when it opens. */
  declareConfigured?(): Promise<void>;
  /**
   * Creates the cache if there is none of that name; an existing one stays unchanged.
   * Throws TEMPLATE_NOT_FOUND, REGION_NOT_FOUND, BACKUPS_NEGATIVE, GROUP_MISMATCH, CACHE_NAME_INVALID, CACHE_LIMIT,
   * SLIDING_WITHOUT_TTL.
   */
  getOrCreate(name: string, request: CacheRequest): MaybePromise<void>;
  /** Returns whether {@link getOrCreate} would create the cache. Throws what it would throw, and creates none. */
  wouldCreate(name: string, request: CacheRequest): MaybePromise<boolean>;
  /** Destroys the cache; succeeds if there is none of that name. The default cache is cleared instead. */
  destroy(name: string): MaybePromise<void>;
  find(name: string): MaybePromise<CacheDefinition | undefined>;
  list(): MaybePromise<readonly CacheDefinition[]>;
  /** Returns the caches that the service created for itself; absent where it creates none. */
  listOwn?(): MaybePromise<readonly CacheDefinition[]>;
  /** Throws CACHE_NOT_FOUND. */
  metrics(name: string): MaybePromise<CacheMetrics>;
  /** Returns the metadata (docs/spec/contract.md 2.4). Throws CACHE_NOT_FOUND. */
  metadata(name: string): MaybePromise<CacheMetadata>;
  /**
   * Returns the cache whose entries are the rows of an SQL table. Undefined for a view, for a name that no table has,
   * and where the engine does not know. Without a schema, the name is one of a statement over `cache`.
   */
  cacheOfTable(
    table: { readonly schema: string | undefined; readonly name: string },
    cache: string,
  ): string | undefined;
}

export interface CacheMetadata {
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

/** The user who runs a query and owns its cursor. The empty string is the anonymous user. */
export type Owner = string;

interface QueryRequestBase {
  readonly cache: string;
  readonly owner: Owner;
  /** The client whose share of cursors the query uses; by default the owner. */
  readonly tenant?: Tenant;
  /** What system views show; absent: everything. */
  readonly knows?: Knowledge;
  /** Rows per page; 0: an empty first page. */
  readonly pageSize: number;
  /** Format of {@link QueryPage.rows}. */
  readonly format: RowFormat;
  /** How all pages write numbers and dates; absent: as usual. */
  readonly notation?: Notation;
  /** 0 or absent: the engine's default. */
  readonly timeoutMs?: number;
  /** Cancels the statement when the client disconnects. */
  readonly signal?: AbortSignal;
  /**
   * Writes the rows for an import, in `ndjson` or `csv`, without the limits of time and size that queries have. A scan
   * adds the types of keys and values, and the deadlines that the engine knows.
   */
  readonly export?: ExportForm;
}

export type RowFormat = 'json' | 'ndjson' | 'csv';

/** A query of fields (qryfldexe). */
export interface FieldsQuery extends QueryRequestBase, DefinitionStatement {
  readonly kind: 'fields';
  readonly args: readonly Value[];
  readonly maxRows?: number;
  readonly distributedJoins?: boolean;
  /**
   * Whether the answer is Ignite's where that differs: a timestamp with a time zone is an object, and a distributed
   * join needs an index.
   */
  readonly asIgnite?: boolean;
}

/** A query of the entries of a type (qryexe). `sql` is a condition or starts with where, order by, from or select *. */
export interface TypeQuery extends QueryRequestBase {
  readonly kind: 'type';
  readonly typeName: string;
  readonly sql: string;
  readonly args: readonly Value[];
  readonly distributedJoins?: boolean;
}

/** A scan of a cache (qryscanexe), optionally with a predicate of the configuration, by its class name. */
export interface ScanQuery extends QueryRequestBase {
  readonly kind: 'scan';
  readonly className: string | undefined;
}

export type QueryRequest = FieldsQuery | TypeQuery | ScanQuery;

export interface Column {
  readonly fieldName: string;
  /** Java class name (docs/spec/ignite-cluster.md 6.4). */
  readonly fieldTypeName: string;
  readonly schemaName: string;
  readonly typeName: string;
}

/** A page of rows, already serialized so that it is never held twice. */
export interface QueryPage {
  readonly queryId: number;
  /** Empty for type queries and for later pages. */
  readonly columns: readonly Column[];
  /**
   * The rows: in json, array elements separated by commas (`[1,"a"],[2,"b"]`, or `{"key":..,"value":..}`); in ndjson
   * and csv, one line per row. Large pages are delivered in chunks.
   */
  readonly rows: string | AsyncIterable<string>;
  /** Returns the properties that are known once all of `rows` has been read. */
  end(): { readonly last: boolean; readonly rowCount: number };
}

export interface Queries extends DefinitionPreviews {
  /** Runs the query and returns its first page. A cursor without further rows closes itself. */
  execute(request: QueryRequest): MaybePromise<QueryPage>;
  /** Returns the next page. Throws QUERY_NOT_FOUND, also for a cursor of another owner. */
  fetch(
    queryId: number,
    pageSize: number,
    owner: Owner,
    format: RowFormat,
    signal?: AbortSignal,
  ): MaybePromise<QueryPage>;
  /** Closes the cursor and cancels its statement. Ignores unknown cursors and those of other owners. */
  close(queryId: number, owner: Owner): MaybePromise<void>;
  /**
   * Ends a running statement or scan, whose request fails with QUERY_CANCELLED, or an open cursor. Returns when it is
   * gone. Throws QUERY_NOT_FOUND, also for one of another owner unless the killer is an administrator, and
   * NOT_SUPPORTED.
   */
  kill(id: QueryId, killer: QueryKiller): MaybePromise<void>;
}

/** Who kills a query. */
export interface QueryKiller {
  readonly owner: Owner;
  readonly isAdministrator: boolean;
}

/** A call of an operation on entries inside a transaction. */
export type EntryCall = {
  readonly [N in keyof Entries]: {
    readonly kind: 'entries';
    readonly name: N;
    readonly args: Parameters<Entries[N]>;
  };
}[keyof Entries];

/** A statement inside a transaction. */
export type StatementQuery = Omit<FieldsQuery, 'signal'>;

/** A call inside a transaction. A statement returns all its rows, at most those of its page. */
export type TransactionCall =
  | EntryCall
  | { readonly kind: 'counter'; readonly args: Parameters<Counters['add']> }
  | { readonly kind: 'statement'; readonly query: StatementQuery };

/**
 * A call with the condition under which the transaction continues: a result that is not false, or that number of
 * changed or returned rows.
 */
export interface TransactionStep {
  readonly call: TransactionCall;
  readonly condition?: { readonly kind: 'notFalse' } | { readonly kind: 'rows'; readonly count: bigint };
}

/** A call of an operation on entries or counters. */
export type SingleCall = Exclude<TransactionCall, { kind: 'statement' }>;

/** What the operation of the port returns for one. */
export type EntryResult = Exclude<TransactionResult, QueryPage>;

/** What the operation of the port returns. */
export type TransactionResult = Awaited<ReturnType<Entries[keyof Entries] | Queries['execute']>> | null;

export interface TransactionOptions {
  readonly owner: Owner;
  readonly tenant: Tenant;
  /** 0: the engine's default. */
  readonly timeoutMs: number;
  /** Rolls the transaction back when the client disconnects. */
  readonly signal: AbortSignal;
  /** Ends the transaction without its changes: the results are those that it would have had. */
  readonly rollsBack?: boolean;
  /** Runs the transaction at most once. */
  readonly once?: {
    readonly key: IdempotencyKey;
    /** Called when the results are those of an earlier run. */
    readonly onReplay: () => void;
  };
}

/** Several operations as one transaction. */
export interface Transactions {
  /**
   * Runs the steps in order as one serializable transaction, and returns their results when its changes are durable
   * and visible: either all of them or, if it rejects, none. With a key the same commit keeps the results, unless no
   * step changes anything. Throws TransactionAborted, QUERY_CANCELLED, WRITE_LOCK_TIME, OUTCOME_UNKNOWN,
   * IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_KEY_IN_USE and IDEMPOTENCY_FULL.
   */
  run(steps: readonly TransactionStep[], options: TransactionOptions): Promise<readonly TransactionResult[]>;
}

export interface Cluster {
  /** The node that responds: the affinityNodeId of engines with one node. */
  readonly localNodeId: string;
  version(): MaybePromise<string>;
  name(): MaybePromise<string | null>;
  state(): MaybePromise<ClusterState>;
  /**
   * Sets the state after running changes have finished. Throws DEACTIVATION_STOPPED for INACTIVE without `force` while
   * a cache that is not persistent has entries. Setting the current state has no effect.
   */
  setState(state: ClusterState, force: boolean): MaybePromise<void>;
  nodes(include: { readonly metrics: boolean; readonly attributes: boolean }): MaybePromise<readonly GridNode[]>;
  hasNode(id: string): MaybePromise<boolean>;
  /** Returns the id of the node with the key's primary copy. */
  primaryNode(cache: string, key: Value): MaybePromise<string>;
  baseline(): MaybePromise<Baseline>;
  regions(): MaybePromise<readonly RegionMetrics[]>;
}

/**
 * Small system records (users, roles, sessions, API keys, settings) that all threads share and, on a cluster, all
 * services. Every read after a change sees it, on any thread.
 */
export interface Records {
  get(kind: RecordKind, id: string): MaybePromise<string | undefined>;
  /** Stores a record, which expires at `expiresAtMs`. */
  put(kind: RecordKind, id: string, content: string, expiresAtMs?: number): Promise<void>;
  /** Stores a record unless there is one; false if there is. */
  add(kind: RecordKind, id: string, content: string, expiresAtMs?: number): Promise<boolean>;
  /** Stores a record if there is one with the id; false if there is none. */
  replace(kind: RecordKind, id: string, content: string, expiresAtMs?: number): Promise<boolean>;
  /** Removes a record and returns its content. */
  remove(kind: RecordKind, id: string): Promise<string | undefined>;
  list(kind: RecordKind): MaybePromise<ReadonlyArray<{ readonly id: string; readonly content: string }>>;
}

export type RecordKind = 'user' | 'role' | 'session' | 'setting' | 'apiKey' | 'apiKeySecret' | 'apiKeyUse';

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
  /** Remaining time to live, > 0; absent: none, or unknown to the engine. */
  readonly ttlMs?: bigint;
}

/** Entries of a scan. */
export interface EntryBatch {
  readonly entries: readonly ScannedEntry[];
  /** The position from which a later scan continues after this batch; absent if it must start from the beginning. */
  readonly position?: string;
}

/** Operations that move the contents of a grid to another one; metrics do not count them. */
export interface Transfer {
  /**
   * Returns every live entry once, exactly as stored, in batches of limited size. Concurrent changes may or may not be
   * included, and so may an entry that has just expired. `position` comes from an earlier scan of this cache.
   * Throws INACTIVE, CACHE_NOT_FOUND.
   */
  scan(cache: string, position?: string): AsyncIterable<EntryBatch>;
  /**
   * Creates the cache with its query entities (those of CREATE TABLE as tables); false if there is one of that name.
   * The default region replaces a region that the grid does not have.
   */
  define(definition: CacheDefinition): Promise<boolean>;
  /** Returns the views that users have created: each as the name in SQL and its query, if the engine knows that. */
  views(): MaybePromise<ReadonlyArray<{ readonly name: string; readonly query: string | undefined }>>;
  /** Returns the counters that the engine can list and those of `names` that exist, sorted by name. */
  counters(names: readonly string[]): MaybePromise<readonly Counter[]>;
}

/** Runs tasks by name on the nodes of a cluster. Without it, the service's own process pool runs them. */
export interface TaskEngine {
  /** Returns the task's result. Throws TASK_NOT_FOUND, TASK_FAILED, TASK_TIMEOUT. `timeoutMs` 0: no timeout. */
  run(name: string, args: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<Value>;
}

/** The capabilities of an engine. The engine's documentation explains each false, which skips cases of the suite. */
export interface Capabilities {
  /** A custom value reads back exactly as stored, regardless of the fields that its type had before. */
  readonly freeFields: boolean;
  /** All digits of a grid UUID's counter are preserved. */
  readonly exactGridUuid: boolean;
  /** Entries of persistent regions survive a restart. */
  readonly durable: boolean;
  readonly sql: boolean;
  /** Several nodes: destId and primaryNode may differ from the responding node. */
  readonly manyNodes: boolean;
  /** False: a cache name may be rejected for its characters, because files of a persistent region contain it. */
  readonly anyCacheName?: boolean;
  /** False: nodes count metrics for each copy and each part of an operation separately. */
  readonly exactMetrics?: boolean;
  /** False: an instant (java.util.Date) and a timestamp of the same millisecond may be the same key. */
  readonly distinctTimeKeys?: boolean;
  /** False: scans do not know the remaining time to live. */
  readonly knowsTimeToLive?: boolean;
  /** True: transactions are of entries of transactional caches; counters and statements are rejected. */
  readonly onlyEntriesInTransactions?: true;
  /** False: a list of counters may lack those that have not been used since the nodes started. */
  readonly listsAllCounters?: boolean;
  /** False: counters have no time to live. */
  readonly expiringCounters?: boolean;
}

/** A running grid. */
export interface Grid {
  readonly capabilities: Capabilities;
  readonly entries: Entries & Partial<EntryTexts<Entry>>;
  readonly caches: Caches;
  readonly counters: Counters;
  readonly queries: Queries;
  readonly transactions: Transactions;
  /** Undefined or absent: the engine keeps no results. */
  readonly idempotency?: Idempotency<SingleCall, EntryResult> | undefined;
  /** Undefined or absent: the engine has no change feed. */
  readonly changeFeed?: ChangeFeed | undefined;
  readonly cluster: Cluster;
  readonly records: Records;
  readonly transfer: Transfer;
  /** Undefined or absent: the engine imports nothing. */
  readonly bulk?: Bulk | undefined;
  readonly tasks: TaskEngine | undefined;
  /** Undefined or absent: the engine has no users of its own; the service stores them as records. */
  readonly users?: UserDirectory | undefined;
  /** Schemas of custom types: registered classes first, then query entities (docs/spec/contract.md 2.2). */
  readonly types: {
    find(typeName: string, cache: string | undefined): ObjectSchema | undefined;
    /** See {@link TypeRegistry}. */
    readonly hasObjectArrays?: boolean;
  };
  /** Finishes running operations, makes their changes durable and closes the grid. */
  close(): Promise<void>;
}
