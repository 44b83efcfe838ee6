/**
 * The port: what a grid can do. Every engine implements it, the conformance suite (grid.suite.ts) holds them to it,
 * and nothing above it knows which engine is plugged in. The comments are the contract.
 *
 * Rules for all operations on entries:
 * - The order of refusals is: state (INACTIVE, READ_ONLY), then CACHE_NOT_FOUND, then the operation's own.
 * - An expired entry is absent for every operation.
 * - A promise of a change resolves when the change is durable (in a persistent region) and visible to every reader.
 * - Equality of keys and values is that of the tagged value: integer 5 is not long 5; NaN equals NaN; 0.0 is not -0.0.
 */
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Claimant } from '../base/shares.ts';
import type { FieldType, ObjectSchema, Value } from '../values/value.ts';

export type { MaybePromise } from '../base/maybe-promise.ts';

export type ClusterState = 'ACTIVE' | 'ACTIVE_READ_ONLY' | 'INACTIVE';
export const CLUSTER_STATES: readonly ClusterState[] = ['ACTIVE', 'ACTIVE_READ_ONLY', 'INACTIVE'];

export type CacheMode = 'PARTITIONED' | 'REPLICATED';
export type WriteSynchronizationMode = 'FULL_SYNC' | 'FULL_ASYNC' | 'PRIMARY_SYNC';
export const WRITE_SYNCHRONIZATION_MODES: readonly WriteSynchronizationMode[] = [
  'FULL_SYNC',
  'FULL_ASYNC',
  'PRIMARY_SYNC',
];

/** What getorcreate may ask for; everything absent takes the template's value. */
export interface CacheRequest {
  readonly template?: string;
  readonly backups?: number;
  readonly region?: string;
  readonly group?: string;
  readonly writeMode?: WriteSynchronizationMode;
}

/** A field of a query entity: a column of its SQL table. */
export interface EntityField {
  readonly name: string;
  readonly type: FieldType;
  /** The column's name where it differs from the field's. */
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
  /** Type name of the keys: a scalar's name, or that of a custom type whose fields are `keyFields`. */
  readonly keyType: string;
  /** Type name of the values that are rows of this table. */
  readonly valueType: string;
  /** Defaults to the last part of the value type's name. */
  readonly tableName?: string;
  /**
   * Names of those `fields` that belong to the key. When `keyType` is a scalar it is one field, the key itself; in the
   * same way the one value field of a scalar `valueType` is the value itself.
   */
  readonly keyFields?: readonly string[];
  readonly fields: readonly EntityField[];
  readonly indexes?: readonly EntityIndex[];
  /** Made by CREATE TABLE: SQL sees names as they are. Otherwise it sees them in upper case. */
  readonly fromSql?: boolean;
}

/** A cache as it is declared or was created. */
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
}

/** Part 2.3 of the contract. Times in ms since the epoch; readTime and writeTime are 0 before the first. */
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

/** Operations on entries. Undefined stands for "no entry". */
export interface Entries {
  get(cache: string, key: Value): MaybePromise<Value | undefined>;
  has(cache: string, key: Value): MaybePromise<boolean>;
  /** Only the entries that are there, in no particular order; a key asked for twice counts once. */
  getAll(cache: string, keys: readonly Value[]): MaybePromise<Entry[]>;
  /** True when every key has an entry. */
  hasAll(cache: string, keys: readonly Value[]): MaybePromise<boolean>;
  /**
   * Stores the entry. `ttlMs` > 0 sets its time to live; absent or <= 0 leaves a running one as it is,
   * with its first deadline (docs/spec/ignite-data.md 4.7). The same for putIfAbsent and replace.
   */
  put(cache: string, key: Value, value: Value, ttlMs?: bigint): MaybePromise<void>;
  putAll(cache: string, entries: readonly Entry[]): MaybePromise<void>;
  putIfAbsent(cache: string, key: Value, value: Value, ttlMs?: bigint): MaybePromise<boolean>;
  getAndPut(cache: string, key: Value, value: Value): MaybePromise<Value | undefined>;
  getAndPutIfAbsent(cache: string, key: Value, value: Value): MaybePromise<Value | undefined>;
  replace(cache: string, key: Value, value: Value, ttlMs?: bigint): MaybePromise<boolean>;
  getAndReplace(cache: string, key: Value, value: Value): MaybePromise<Value | undefined>;
  replaceIfEquals(cache: string, key: Value, expected: Value, value: Value): MaybePromise<boolean>;
  remove(cache: string, key: Value): MaybePromise<boolean>;
  getAndRemove(cache: string, key: Value): MaybePromise<Value | undefined>;
  removeIfEquals(cache: string, key: Value, expected: Value): MaybePromise<boolean>;
  removeAll(cache: string, keys: readonly Value[]): MaybePromise<void>;
  /** Removes every entry of the cache. */
  clear(cache: string): MaybePromise<void>;
  /**
   * Adds `value` behind (append) or before (prepend) a text, list or map; false when there is no entry.
   * Refuses other combinations with INCOMPATIBLE_TYPES and changes nothing. `concat` of values/combine.ts has the rule.
   */
  append(cache: string, key: Value, value: Value): MaybePromise<boolean>;
  prepend(cache: string, key: Value, value: Value): MaybePromise<boolean>;
  /** ttlMs > 0 sets the time to live, < 0 ends the entry at once, 0 changes nothing; true when there was an entry. */
  updateTtl(cache: string, key: Value, ttlMs: bigint): MaybePromise<boolean>;
  /** Entries that have not expired. */
  size(cache: string): MaybePromise<number>;
}

/** Caches themselves. */
export interface Caches {
  /**
   * Creates the cache when there is none of that name; an existing one is left as it is.
   * Refuses TEMPLATE_NOT_FOUND, REGION_NOT_FOUND, BACKUPS_NEGATIVE, GROUP_MISMATCH, CACHE_NAME_INVALID, CACHE_LIMIT.
   */
  getOrCreate(name: string, request: CacheRequest): MaybePromise<void>;
  /** Success also when there is no such cache. The default cache is emptied instead. */
  destroy(name: string): MaybePromise<void>;
  find(name: string): MaybePromise<CacheDefinition | undefined>;
  list(): MaybePromise<readonly CacheDefinition[]>;
  /** Refuses CACHE_NOT_FOUND. */
  metrics(name: string): MaybePromise<CacheMetrics>;
  /** Part 2.4 of the contract. Refuses CACHE_NOT_FOUND. */
  metadata(name: string): MaybePromise<CacheMetadata>;
}

/** Counters that belong to no cache. */
export interface Counters {
  /** Adds `delta` to the counter, new ones begin at `initial`; wraps at 64 bits. Gives the new value. */
  add(name: string, delta: bigint, initial: bigint): MaybePromise<bigint>;
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

/** Who runs a query; a cursor belongs to its owner. The empty text is the anonymous user. */
export type Owner = string;

interface QueryRequestBase {
  readonly cache: string;
  readonly owner: Owner;
  /** Whose share of cursors it counts to; absent: the owner's. */
  readonly claimant?: Claimant;
  /** 0: an empty first page. */
  readonly pageSize: number;
  /** How the rows are written: see {@link QueryPage.rows}. */
  readonly format: RowFormat;
  /** 0 or absent: the engine's default. */
  readonly timeoutMs?: number;
  /** Ends the statement when the client goes away. */
  readonly signal?: AbortSignal;
}

export type RowFormat = 'json' | 'ndjson' | 'csv';

/** A query of fields (qryfldexe). */
export interface FieldsQuery extends QueryRequestBase {
  readonly kind: 'fields';
  readonly sql: string;
  readonly args: readonly Value[];
  readonly maxRows?: number;
  readonly distributedJoins?: boolean;
}

/** A query of a type's entries (qryexe): `sql` is a condition or begins with where, order by, from, select *. */
export interface TypeQuery extends QueryRequestBase {
  readonly kind: 'type';
  readonly typeName: string;
  readonly sql: string;
  readonly args: readonly Value[];
}

/** A scan of a cache (qryscanexe), with a predicate of the configuration by its class name. */
export interface ScanQuery extends QueryRequestBase {
  readonly kind: 'scan';
  readonly className: string | undefined;
}

export type QueryRequest = FieldsQuery | TypeQuery | ScanQuery;

export interface Column {
  readonly fieldName: string;
  /** Java class name, as docs/spec/ignite-cluster.md 6.4. */
  readonly fieldTypeName: string;
  readonly schemaName: string;
  readonly typeName: string;
}

/**
 * A page of rows, already written as text so that it never has to be held twice.
 * json: array elements joined by commas (`[1,"a"],[2,"b"]`, or `{"key":..,"value":..}`); ndjson, csv: a line a row.
 */
export interface QueryPage {
  readonly queryId: number;
  /** Empty for type queries and for later pages. */
  readonly columns: readonly Column[];
  /** One text, or pieces of it in order when the page is big. */
  readonly rows: string | AsyncIterable<string>;
  /** What is known once `rows` has been read to its end. */
  end(): { readonly last: boolean; readonly rowCount: number };
}

export interface Queries {
  /** Runs the query and gives its first page. A cursor that has no row left is closed by itself. */
  execute(request: QueryRequest): MaybePromise<QueryPage>;
  /** The next page. Refuses QUERY_NOT_FOUND, also when the cursor belongs to another owner. */
  fetch(
    queryId: number,
    pageSize: number,
    owner: Owner,
    format: RowFormat,
    signal?: AbortSignal,
  ): MaybePromise<QueryPage>;
  /** Ends the cursor and whatever it still runs. Success also when there is none, or it is another owner's. */
  close(queryId: number, owner: Owner): MaybePromise<void>;
}

/** What the engine knows of a node; the service adds what it alone knows (addresses, jobs, requests). */
export interface GridNode {
  readonly id: string;
  readonly consistentId: string;
  readonly order: number;
  readonly local: boolean;
  readonly addresses: readonly string[];
  readonly hostNames: readonly string[];
  readonly port: number;
  /** Member name -> number; undefined: the service's own process measures (embedded engine). */
  readonly metrics: Readonly<Record<string, number>> | undefined;
  readonly attributes: Readonly<Record<string, AttributeValue>> | undefined;
}

export type AttributeValue = string | number | boolean | readonly string[];

export interface Baseline {
  readonly active: boolean;
  readonly baseline: readonly string[];
  readonly topologyVersion: number;
  readonly servers: readonly string[];
}

/** Metrics of a data region; names are Ignite's (`dataregion`). */
export type RegionMetrics = Readonly<{ name: string } & Record<string, number | string>>;

export interface Cluster {
  /** The node that answers: affinityNodeId of engines of one node. */
  readonly localNodeId: string;
  version(): MaybePromise<string>;
  name(): MaybePromise<string | null>;
  state(): MaybePromise<ClusterState>;
  /**
   * Changes the state once running changes are done. INACTIVE without `force` is refused (DEACTIVATION_STOPPED)
   * while a non-persistent cache holds entries. The present state again is a success without effect.
   */
  setState(state: ClusterState, force: boolean): MaybePromise<void>;
  nodes(wants: { readonly metrics: boolean; readonly attributes: boolean }): MaybePromise<readonly GridNode[]>;
  hasNode(id: string): MaybePromise<boolean>;
  /** Id of the node that holds the key's primary copy. */
  primaryNode(cache: string, key: Value): MaybePromise<string>;
  baseline(): MaybePromise<Baseline>;
  regions(): MaybePromise<readonly RegionMetrics[]>;
}

/**
 * Small system records (users, sessions, seeds) that every thread and, on a cluster, every service sees.
 * A record that was changed is seen by every later read, on any thread.
 */
export interface Records {
  get(kind: RecordKind, id: string): MaybePromise<string | undefined>;
  /** `expiresAtMs`: the record is gone from then on. */
  put(kind: RecordKind, id: string, content: string, expiresAtMs?: number): Promise<void>;
  /** False when there was one already. */
  add(kind: RecordKind, id: string, content: string, expiresAtMs?: number): Promise<boolean>;
  /** Removes and gives what was there. */
  remove(kind: RecordKind, id: string): Promise<string | undefined>;
  list(kind: RecordKind): MaybePromise<ReadonlyArray<{ readonly id: string; readonly content: string }>>;
}

export type RecordKind = 'user' | 'session' | 'setting';

/** Users that a cluster itself keeps. */
export interface UserDirectory {
  /** True when the cluster takes the user's password. Refuses CLUSTER_UNREACHABLE. */
  verify(name: string, password: string): Promise<boolean>;
  /** Refuses USER_EXISTS, USER_OPERATION. */
  add(name: string, password: string): Promise<void>;
  /** Changes the password. Refuses USER_NOT_FOUND, USER_OPERATION. */
  update(name: string, password: string): Promise<void>;
  /** Refuses USER_NOT_FOUND, USER_OPERATION. */
  remove(name: string): Promise<void>;
  /**
   * The grid over connections of that user, with the user's rights. The caller closes it. Refuses CREDENTIALS_WRONG.
   */
  open(name: string, password: string): Promise<Grid>;
}

/** An entry with what is left of its life. */
export interface LivingEntry extends Entry {
  /** Remaining time to live, > 0; absent: it has none, or the engine cannot know. */
  readonly ttlMs?: bigint;
}

/** Entries of a scan. */
export interface EntryBatch {
  readonly entries: readonly LivingEntry[];
  /** Where a later scan can begin so that it gives what follows; absent: it can only begin at the start. */
  readonly position?: string;
}

/** A counter with its value. */
export interface Counter {
  readonly name: string;
  readonly value: bigint;
}

/** What moving a grid's contents to another grid needs; counts in no metrics. */
export interface Transfer {
  /**
   * Every live entry once, exactly as stored, in batches of limited size; what is changed meanwhile may or may not be
   * seen, and an entry that has just expired may still be. `position` is one that an earlier scan of this cache gave.
   * Refuses INACTIVE, CACHE_NOT_FOUND.
   */
  scan(cache: string, position?: string): AsyncIterable<EntryBatch>;
  /**
   * Creates the cache with its query entities, tables that CREATE TABLE made as such, when there is none of that name;
   * false when there is one. A region that the grid does not have is replaced by its default one.
   */
  define(definition: CacheDefinition): Promise<boolean>;
  /** The counters that the engine can list, and those of `names` that exist; by name. */
  counters(names: readonly string[]): MaybePromise<readonly Counter[]>;
}

/** Runs tasks by name where the engine itself can (a cluster); undefined: the service's own process pool does. */
export interface TaskEngine {
  /** Refuses TASK_NOT_FOUND, TASK_FAILED, TASK_TIMEOUT. `timeoutMs` 0: none. */
  run(name: string, args: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<Value>;
}

/** What an engine can do; false needs a reason in the engine's documentation and a skip in the suite. */
export interface Capabilities {
  /** A custom value reads back exactly as stored, whatever fields its type had before. */
  readonly freeFields: boolean;
  /** Every digit of a grid UUID's counter is kept. */
  readonly exactGridUuid: boolean;
  /** Entries of persistent regions survive a restart. */
  readonly durable: boolean;
  readonly sql: boolean;
  /** Several nodes: destId, primaryNode differ from the answering node. */
  readonly manyNodes: boolean;
  /** False: a name of a cache can be refused for its characters, because files of a persistent region carry it. */
  readonly anyCacheName?: boolean;
  /** False: metrics are what the nodes count, each copy and each part of an operation for itself. */
  readonly exactMetrics?: boolean;
  /** False: an instant (java.util.Date) and a timestamp of the same millisecond are not safely two keys. */
  readonly distinctTimeKeys?: boolean;
  /** False: a scan cannot tell what is left of an entry's life. */
  readonly knowsTimeToLive?: boolean;
  /** False: a list of counters may lack some that nobody has used since the nodes started. */
  readonly listsAllCounters?: boolean;
}

/** A running grid. */
export interface Grid {
  readonly capabilities: Capabilities;
  readonly entries: Entries;
  readonly caches: Caches;
  readonly counters: Counters;
  readonly queries: Queries;
  readonly cluster: Cluster;
  readonly records: Records;
  readonly transfer: Transfer;
  readonly tasks: TaskEngine | undefined;
  /** Undefined or absent: the engine has no users of its own, the service keeps them as records. */
  readonly users?: UserDirectory | undefined;
  /** Schemas of custom types: registered classes first, then query entities (docs/spec/contract.md 2.2). */
  readonly types: { find(typeName: string, cache: string | undefined): ObjectSchema | undefined };
  /** Finishes what runs, makes it durable and closes. */
  close(): Promise<void>;
}
