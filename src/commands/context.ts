/** The dependencies of handlers: the grid, and the service's functions as narrow interfaces. */
import type { ByteSource } from '../base/byte-source.ts';
import type { Clock } from '../base/clock.ts';
import type { RequestCompatibility } from '../base/compatibility.ts';
import type { Limits } from '../base/limits.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Rate } from '../base/rates.ts';
import type { Tenant } from '../base/shares.ts';
import type { BackupCheck, BackupReport, ContinuousState, Restorable, RestoreCheck } from '../grid/backup.ts';
import type { Call, CallKind, CallResult } from '../grid/calls.ts';
import type { DefinitionChange, DefinitionOfCache } from '../grid/definition-changes.ts';
import type { CacheDefinition, ClusterState, Grid, RowFormat } from '../grid/grid.ts';
import type { Knowledge } from '../grid/knowledge.ts';
import type { StatementGrant } from '../grid/statement-grant.ts';
import type { Notation } from '../values/notation.ts';
import type { Value } from '../values/value.ts';

/** The sender of a request. Without authentication the user is the empty string. */
export interface Caller {
  readonly user: string;
  /** The token of the session; null without authentication. */
  readonly token: string | null;
  /** Id of the user for `securitySubjectId`; null without authentication. */
  readonly subjectId: string | null;
  /** The API key that authenticated the request. */
  readonly key?: CallerKey | undefined;
  /** The roles that a token of an identity provider grants; undefined: those of the user. */
  readonly roles?: readonly string[] | undefined;
  /** The roles assigned to the user; undefined: none, or not by a command. Those of the configuration outrank them. */
  readonly assigned?: readonly string[] | undefined;
  /** Set for a request that contained the password of the user. */
  readonly byPassword?: true;
  /** Set for a caller with a token of an identity provider, which grants nothing for longer than it is valid. */
  readonly isExternal?: true;
}

/** An API key that authenticated a request. */
export interface CallerKey {
  readonly id: string;
  /** JSON text of the scope; undefined: everything that the user may do, except administration. */
  readonly scope: string | undefined;
  /** Its own rate; undefined: that of all keys. */
  readonly rate?: Rate | undefined;
}

/** What a caller may know (SECURITY.md, "Who may know what"). */
export interface CallerKnowledge {
  readonly knows: Knowledge;
  /** Reports whether the caller may know of a cache. */
  cache(definition: CacheDefinition): boolean;
}

/** The result of a task (docs/spec/contract.md 2.4a). */
export interface TaskOutcome {
  readonly id: string;
  readonly finished: boolean;
  readonly result: Value;
}

/** For whom a task runs: who may read its result, and whose share of the task processes it uses. */
export interface TaskOwner {
  readonly user: string;
  readonly tenant: Tenant;
}

/** Who sees and ends running tasks: all, or only the user's own. */
export interface TaskReader {
  readonly user: string;
  readonly readsAll: boolean;
}

/** A running task. */
export interface TaskDescription {
  readonly id: string;
  readonly name: string;
  readonly user: string;
  readonly startedAt: string;
}

/** Runs tasks and stores the results of asynchronous ones. */
export interface TaskService {
  /** Returns the running tasks, the oldest first. */
  list(reader: TaskReader): MaybePromise<readonly TaskDescription[]>;
  /** Ends a running task. Throws TASK_NOT_RUNNING, also for one of another user. */
  cancel(id: string, reader: TaskReader): MaybePromise<void>;
  /**
   * Runs a task. Throws TASK_NOT_FOUND, TASK_FAILED and TASK_TIMEOUT. A `timeoutMs` of 0 means no limit; a negative one
   * times out immediately.
   */
  run(
    name: string,
    args: readonly string[],
    timeoutMs: number,
    signal: AbortSignal,
    owner: TaskOwner,
  ): Promise<TaskOutcome>;
  /** Starts a task and returns immediately; {@link result} throws its error. */
  start(name: string, args: readonly string[], timeoutMs: number, owner: TaskOwner): MaybePromise<TaskOutcome>;
  /**
   * Returns the outcome of a started task. Throws TASK_ID_INVALID, UUID_INVALID, TASK_NOT_STARTED, TASK_HOLDER_LEFT and
   * the error of the task.
   */
  result(id: string, user: string): MaybePromise<TaskOutcome>;
}

/** A change of a user. */
export type UserChange =
  | {
      readonly kind: 'add';
      readonly name: string;
      readonly password: string;
      /** Undefined: none, or in compatibility mode `reference` those that the configuration gives to all others. */
      readonly roles?: readonly string[] | undefined;
    }
  | { readonly kind: 'update'; readonly name: string; readonly password: string }
  | { readonly kind: 'remove'; readonly name: string };

/** Manages users. Every operation throws SECURITY_DISABLED if authentication is off. */
export interface UserService {
  /** Throws what a change would throw, and changes nothing. Throws NOT_SUPPORTED where only the change itself tells. */
  check(caller: Caller, change: UserChange): Promise<void>;
  /** `roles` as in {@link UserChange}. */
  add(caller: Caller, name: string, password: string, roles?: readonly string[]): Promise<void>;
  update(caller: Caller, name: string, password: string): Promise<void>;
  remove(caller: Caller, name: string): Promise<void>;
}

/** A user with roles. */
export interface UserDescription {
  readonly name: string;
  readonly roles: readonly string[];
  /** Whether the configuration names the user, a command has assigned the roles, or they are those of all others. */
  readonly rolesFrom: 'configuration' | 'assigned' | 'others';
  /** Whether this is the user that always exists. */
  readonly isDefault: boolean;
}

/** A role as it is declared. */
export interface RoleDescription {
  readonly name: string;
  /** Only stored roles can be changed. */
  readonly source: 'builtIn' | 'configuration' | 'stored';
  /** Null: all. */
  readonly commands: readonly string[] | null;
  /** Rights by pattern of cache names. */
  readonly caches: Readonly<Record<string, readonly string[]>>;
  /** Rights by pattern of table names. */
  readonly tables: Readonly<Record<string, readonly string[]>>;
  readonly counters: readonly string[];
  readonly tasks: readonly string[];
  readonly administration: readonly string[];
  /** The users to whom the configuration or a command assigns the role. */
  readonly users: readonly string[];
  /** Whether all other users have the role. */
  readonly others: boolean;
}

/** A change of the stored roles, or of the roles of a user. */
export type RoleChange =
  /** `rights` is the JSON text of what the role may do. */
  | { readonly kind: 'add' | 'update'; readonly name: string; readonly rights: string }
  | { readonly kind: 'remove'; readonly name: string }
  | { readonly kind: 'assign'; readonly user: string; readonly roles: readonly string[] };

/** A session without its token. Times are ISO 8601. */
export interface SessionDescription {
  readonly id: string;
  readonly user: string;
  /** Address of the client that logged in; null: it began in an earlier version. */
  readonly address: string | null;
  readonly startedAt: string | null;
  /** A time not long before the last use. */
  readonly lastUsedAt: string | null;
  /** When it ends if it is not used until then. */
  readonly expiresAt: string;
  /** Whether it is the session of the caller. */
  readonly current: boolean;
}

/**
 * Lists users, roles and sessions: for those who manage users all, for others what concerns themselves. Every operation
 * throws SECURITY_DISABLED if authentication is off, and USER_MANAGEMENT_FORBIDDEN.
 */
export interface AccessService {
  /** Throws NOT_SUPPORTED. */
  users(caller: Caller): MaybePromise<readonly UserDescription[]>;
  roles(caller: Caller): MaybePromise<readonly RoleDescription[]>;
  /** Throws what a change of roles would throw, and changes nothing. */
  checkRoles(caller: Caller, change: RoleChange): MaybePromise<void>;
  /** Changes roles; holds for every session at once. */
  changeRoles(caller: Caller, change: RoleChange): MaybePromise<void>;
  /** Returns at most `limit` sessions of a user, or of all, the most recently used first. */
  sessions(caller: Caller, user: string | undefined, limit: number): MaybePromise<readonly SessionDescription[]>;
  /** Ends a session. Returns 1, and throws SESSION_NOT_FOUND. */
  endSession(caller: Caller, id: string): MaybePromise<number>;
  /** Ends all sessions of a user. Returns their number. */
  endSessions(caller: Caller, user: string): MaybePromise<number>;
}

/** What a new API key is created with. */
export interface NewApiKey {
  readonly name: string;
  /** The user that the key acts for; undefined: the caller. */
  readonly user: string | undefined;
  /** JSON text of the scope. */
  readonly scope: string | undefined;
  /** Addresses and networks of the clients that may use it, separated by commas; undefined: any. */
  readonly addresses: string | undefined;
  /** Requests in a time, such as `100/s`; undefined: the rate of all keys. */
  readonly rate: string | undefined;
  /** Time until it expires; undefined: it does not. */
  readonly ttlMs: number | undefined;
}

/** An API key without its secret. Times are ISO 8601. */
export interface ApiKeyDescription {
  readonly id: string;
  readonly name: string;
  readonly user: string;
  /** The scope as it was sent; null: everything that the user may do, except administration. */
  readonly scope: unknown;
  /** Null: any. */
  readonly addresses: readonly string[] | null;
  /** Null: the rate of all keys. */
  readonly rate: string | null;
  readonly createdBy: string;
  readonly createdAt: string;
  /** When the secret was last replaced; null if it never was. */
  readonly rotatedAt: string | null;
  /** When the secret before the last rotation ends; null if it has. */
  readonly overlapUntil: string | null;
  /** Null: it does not expire. */
  readonly expiresAt: string | null;
  readonly expired: boolean;
  /** A time not long before the last use; null if it was never used. */
  readonly lastUsedAt: string | null;
}

/** An API key with its secret, which only this answer contains. */
export interface IssuedApiKey {
  readonly id: string;
  readonly name: string;
  readonly user: string;
  readonly key: string;
  readonly expiresAt: string | null;
  readonly overlapUntil: string | null;
}

/** Manages API keys. Every operation throws SECURITY_DISABLED if authentication is off, and NOT_SUPPORTED. */
export interface ApiKeyService {
  /** Throws API_KEY_INVALID, API_KEY_EXISTS, API_KEY_LIMIT, USER_NOT_FOUND and USER_OPERATION. */
  add(caller: Caller, key: NewApiKey): Promise<IssuedApiKey>;
  /** Returns the keys of a user; without one those of the caller, and for an administrator those of all users. */
  list(caller: Caller, user: string | undefined): Promise<readonly ApiKeyDescription[]>;
  /**
   * Replaces the secret; the former one ends after `overlapMs`. `ttlMs` sets a new time until the key expires. Throws
   * API_KEY_NOT_FOUND and API_KEY_INVALID.
   */
  rotate(caller: Caller, id: string, overlapMs: number, ttlMs: number | undefined): Promise<IssuedApiKey>;
  /** Throws API_KEY_NOT_FOUND. */
  remove(caller: Caller, id: string): Promise<void>;
}

/** Reads the service's log files. */
export interface LogService {
  /**
   * Returns the lines `from` to `to` (counted from 0, both inclusive), or the whole file. Throws LOG_PATH_FORBIDDEN and
   * LOG_NOT_FOUND.
   */
  lines(path: string | undefined, from: number | undefined, to: number | undefined): Promise<string[]>;
  /** Returns the last `count` lines, or all if there are fewer. Throws LOG_PATH_FORBIDDEN and LOG_NOT_FOUND. */
  lastLines(path: string | undefined, count: number): Promise<string[]>;
}

/** A node as `node` and `top` return it (docs/spec/contract.md 2.5), with Ignite's additional fields. */
export interface NodeDescription {
  readonly nodeId: string;
  readonly consistentId: string;
  readonly tcpAddresses: readonly string[];
  readonly tcpHostNames: readonly string[];
  readonly tcpPort: number;
  readonly order: number;
  readonly replicaCount: number;
  readonly defaultCacheMode: string;
  readonly metrics: Readonly<Record<string, number>> | null;
  readonly attributes: Readonly<Record<string, unknown>> | null;
  readonly caches: ReadonlyArray<{
    readonly name: string;
    readonly mode: string;
    readonly sqlSchema: string | null;
  }> | null;
}

export interface NodeService {
  /** Returns all nodes, the oldest first. */
  describe(include: {
    readonly metrics: boolean;
    readonly attributes: boolean;
    readonly caches: boolean;
  }): MaybePromise<readonly NodeDescription[]>;
}

export interface BatchOptions {
  /** Either all commands take effect or none. */
  readonly atomic: boolean;
  /** The first failure ends the batch. */
  readonly stopOnError: boolean;
  /** Time limit of an atomic batch; 0: the engine's default. */
  readonly timeoutMs: number;
  readonly tenant: Tenant;
  /** An atomic batch changes nothing: its transaction is rolled back. */
  readonly rollsBack?: boolean;
}

/** Executes the commands of a batch. */
export interface BatchService {
  /**
   * Executes commands, the source of a JSON array, in order. Returns the JSON text of an array with the envelope of
   * each. Throws REQUEST_MALFORMED, LIMIT_EXCEEDED and, if the batch is atomic, the error of the command that failed.
   */
  run(commands: string, options: BatchOptions): Promise<string>;
}

/** What a command would change, as `dryrun` reports it. */
export type Effect =
  | {
      readonly cacheName: string;
      readonly change: 'created' | 'destroyed' | 'cleared';
      /** The number of entries that would be removed. */
      readonly entries: number;
    }
  | (DefinitionOfCache & {
      /** The number of entries of the cache: those that would be removed with it, read or no longer have a column. */
      readonly entries: number;
    })
  | Exclude<DefinitionChange, DefinitionOfCache>
  | { readonly state: ClusterState; readonly change: 'entered' }
  | { readonly user: string; readonly change: 'added' | 'changed' | 'removed' }
  | { readonly role: string; readonly change: 'added' | 'changed' | 'removed' };

/** What a command would do. */
export interface DryRunResult {
  /** The name of the command. */
  readonly of: string;
  /** JSON of the response that it would have; `null` if only its effects are known. That of a batch has an array. */
  readonly response: string;
  /** Null: the response tells it. */
  readonly effects: readonly Effect[] | null;
  /** The types of its keys and values, by their parameters. */
  readonly types: Readonly<Record<string, string | readonly string[]>>;
}

/** Tells what commands would do. */
export interface DryRunService {
  /**
   * Checks a command with the parameters of the request, and tells what it would do. Throws what the command would
   * throw, COMMAND_UNKNOWN and DRY_RUN_UNSUPPORTED.
   */
  run(name: string, tenant: Tenant): Promise<DryRunResult>;
}

/** Reports and restricts whether this process is ready for traffic. */
export interface ReadinessService {
  isReady(): MaybePromise<boolean>;
  isDraining(): boolean;
  /** Makes every thread of this process report that it is not ready, until the opposite call or a restart. */
  setDraining(draining: boolean): void;
}

/** The body of a request whose command reads it while it arrives. */
export interface StreamedBody {
  readonly source: ByteSource;
  /** The header Content-Type; null if absent. */
  readonly type: string | null;
}

/** What a request for a stream of changes says about its consumer. */
export interface ConsumerService {
  /** The header Last-Event-ID, by which browsers resume a stream; null if absent. */
  lastEventId(): string | null;
  /** Returns the media type that the header Accept prefers; undefined if it names none of them. */
  preferredType<T extends string>(types: readonly T[]): T | undefined;
  /** Checks the credentials and the permission again. Throws what they are rejected with by now. */
  authorize(): MaybePromise<void>;
}

/** A backup in the folder for backups. */
export interface StoredBackup {
  readonly name: string;
  readonly bytes: number;
  readonly completedAt: string;
}

/** What the service knows about backups. Times are ISO 8601. */
/** A continuous backup, as a client sees it. */
export interface ContinuousReport {
  /** The destination, without secrets. */
  readonly url: string;
  readonly state: ContinuousState;
  /** Why it waits or has stopped. */
  readonly reason: string | null;
  /** The position of the last object; null if there is none. */
  readonly position: string | null;
  /** The time of the last object; null if there is none. */
  readonly shippedAt: string | null;
  /** The age of what its process has last reported, on which the rest is based. */
  readonly reportAgeMs: number;
  /** For how long something has not been in the destination. */
  readonly behindMs: number;
  readonly behindBytes: number;
  /** What can be restored; null unless the request asks for it. */
  readonly restorable: Restorable | null;
  /** Checks that it restores; null if none is made. */
  readonly restoreCheck: {
    readonly running: boolean;
    readonly nextAt: string;
    /** When the last check ended that verified; null if none has. */
    readonly verifiedAt: string | null;
    /** The last check that has ended; null if none has. */
    readonly last: EndedRestoreCheck | null;
  } | null;
}

export interface EndedRestoreCheck {
  readonly outcome: RestoreCheck['outcome'];
  /** Why it is not verified. */
  readonly reason: string | null;
  readonly endedAt: string;
  /** The instant that was restored; null if none was chosen. */
  readonly instant: string | null;
  /** The position that was restored; null if none was. */
  readonly position: string | null;
}

export interface BackupStatus {
  /** The folder for backups; null if there is none. */
  readonly folder: string | null;
  /** The backup that is being made; `name` is null if a client receives it. */
  readonly running: { readonly name: string | null; readonly startedAt: string; readonly bytes: number } | null;
  /** When the next scheduled backup begins; null if none is scheduled. */
  readonly nextAt: string | null;
  /** The last backup that failed since the start; null if none did after the last success. */
  readonly lastFailure: { readonly failedAt: string; readonly error: string } | null;
  /** The continuous backup; null if none is configured. */
  readonly continuous: ContinuousReport | null;
  /** Complete backups in the folder, the newest first. */
  readonly backups: readonly StoredBackup[];
}

/** An option of the configuration with its value and where that comes from. */
export interface ConfiguredOption {
  /** Path in the configuration file. */
  readonly path: string;
  /** Masked if it is a secret. */
  readonly value: unknown;
  /** Flag, variable, or file and member; `default` if nothing sets it. */
  readonly source: string;
  readonly help: string;
  /** The default in words. */
  readonly default: string;
  readonly environment: string;
  /** Null for secrets. */
  readonly flag: string | null;
}

/** The configuration that the service was started with. */
export interface ConfigurationService {
  options(): readonly ConfiguredOption[];
}

/** Samples of the metrics of the service. */
export interface MetricsSamples {
  readonly intervalMs: number;
  /** Milliseconds since 1970, ascending. */
  readonly times: readonly number[];
  /** The value at each time; null: there is none. */
  readonly series: Readonly<Record<string, readonly (number | null)[]>>;
  /** Requests per second of each command that was used. */
  readonly commands: Readonly<Record<string, readonly (number | null)[]>>;
  readonly limits: MetricsLimits;
}

/** What the values of metrics are compared with; null where nothing is known. */
export interface MetricsLimits {
  /** Time after which requests and statements are logged as slow; null: none is. */
  readonly slowMs: number | null;
  /** Memory of the machine. */
  readonly memoryBytes: number | null;
  /** Size of the disk of the data folder. */
  readonly diskBytes: number | null;
  /** Free space below which changes that add data are rejected. */
  readonly diskReserveBytes: number | null;
}

/** Keeps the metrics of the last hour. */
export interface MetricsHistoryService {
  /** Returns the samples after a time in milliseconds since 1970. */
  since(afterMs: number): MaybePromise<MetricsSamples>;
}

/** Makes backups, one at a time. */
export interface BackupService {
  /**
   * Makes a backup in the folder for backups. Returns when it is complete, or without `wait` when it has begun. Throws
   * BACKUP_FOLDER_MISSING, BACKUP_NAME_INVALID, BACKUP_RUNNING, BACKUP_SPACE, BACKUP_FAILED and NOT_SUPPORTED.
   */
  create(name: string | undefined, wait: boolean, signal: AbortSignal): MaybePromise<CreatedBackup>;
  /** Makes a backup that the caller receives. The iteration throws the same errors. */
  stream(signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Lists backups, and what the continuous one can restore if it is to. Throws NOT_SUPPORTED and BACKUP_FAILED. */
  status(readsRestorable: boolean): MaybePromise<BackupStatus>;
  /** Restores a backup in the folder for backups to a temporary folder, and verifies it. Throws BACKUP_NAME_INVALID. */
  verify(name: string, signal: AbortSignal): MaybePromise<VerifiedBackup>;
}

/** A backup in the folder for backups, with its report once it is complete. */
export interface CreatedBackup {
  readonly name: string;
  readonly report: BackupReport | null;
}

/** A backup in the folder for backups, with what its verification has found. */
export interface VerifiedBackup extends BackupCheck {
  readonly name: string;
}

/** What a handler uses of an engine besides calls. */
export type EngineServices = Omit<Grid, 'port' | 'entries' | 'counters'>;

/** What handlers use that is the same for all requests. */
export interface CommandServices {
  readonly tasks: TaskService;
  readonly users: UserService;
  readonly apiKeys: ApiKeyService;
  readonly access: AccessService;
  readonly log: LogService;
  readonly nodes: NodeService;
  readonly readiness: ReadinessService;
  readonly backups: BackupService;
  readonly configuration: ConfigurationService;
  readonly metricsHistory: MetricsHistoryService;
  /** Compiles a regular expression of Java's syntax that matches whole texts. Rejects with an Error if invalid. */
  readonly compileRegex: (pattern: string) => Promise<(text: string) => boolean>;
}

/** The dependencies of a handler during one request. */
export interface Context {
  readonly services: CommandServices;
  readonly grid: EngineServices;
  /** Makes a call as the request does: once with an idempotency key, as a part of its atomic batch. */
  readonly call: <K extends CallKind>(call: Call<K>) => MaybePromise<CallResult<K>>;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly compatibility: RequestCompatibility;
  /** Real name of the default cache. */
  readonly defaultCache: string;
  readonly caller: Caller;
  /** The owner of what the caller leaves on the service: a user's cursors, tasks and imports, or those of a key. */
  readonly owner: string;
  /** Undefined if there is none, or the command does not declare that it reads it. */
  readonly body: StreamedBody | undefined;
  readonly batches: BatchService;
  readonly dryRuns: DryRunService;
  /** The sender of this request as a consumer of changes. */
  readonly consumer: ConsumerService;
  /** The row format that the header `Accept` selects. */
  readonly rowFormat: RowFormat;
  /** How the answer writes numbers and dates; undefined: as usual. */
  readonly notation: Notation | undefined;
  /** getall returns an array of objects with key and value. */
  readonly getallAsArray: boolean;
  /** Converts outgoing keys and values: the configured message interceptor, then the notation of the request. */
  readonly onSend: ((value: Value) => Value) | undefined;
  /**
   * Returns the sender as one whose request contained the password of the user. Throws OLD_PASSWORD_WRONG and
   * TOO_MANY_ATTEMPTS.
   */
  confirmPassword(password: string): MaybePromise<Caller>;
  /** Returns what the caller may know; undefined: everything, because authentication is off. */
  knowledge(): CallerKnowledge | undefined;
  /** Returns what the statement of the request may read and change; undefined: everything. */
  grant(): StatementGrant | undefined;
  /** Returns the owner of the request's share of limited resources: the user, or the network without authentication. */
  tenant(): Tenant;
  /** Returns a signal that aborts when the client disconnects. */
  signal(): AbortSignal;
}
