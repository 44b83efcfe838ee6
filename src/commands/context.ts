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
import type { MetricsSamples } from './metrics-samples.ts';
import type { NewSavedQuery, SavedQuery, SavedQueryChange, SavedQueryDescription } from './saved-queries.ts';

/** The sender of a request. Without authentication the user is the empty string. */
export interface Caller {
  readonly user: string;
  /** The token of the session, or null without authentication. */
  readonly token: string | null;
  /** The user's id for `securitySubjectId`, or null without authentication. */
  readonly subjectId: string | null;
  /** The API key that authenticated the request. */
  readonly key?: CallerKey | undefined;
  /** The roles granted by an identity provider's token; undefined to use the user's roles. */
  readonly roles?: readonly string[] | undefined;
  /**
   * The roles assigned to the user, or undefined if none, or not by a command. The configuration's roles take
   * precedence.
   */
  readonly assigned?: readonly string[] | undefined;
  /** Set if the request contained the user's password. */
  readonly byPassword?: true;
  /** Set for a caller with an identity provider's token, whose grants end when it expires. */
  readonly isExternal?: true;
}

/** An API key that authenticated a request. */
export interface CallerKey {
  readonly id: string;
  /** The scope as JSON, or undefined for everything that the user may do, except administration. */
  readonly scope: string | undefined;
  /** The key's own rate, or undefined for the common rate of all keys. */
  readonly rate?: Rate | undefined;
}

/** The information that a caller may see (SECURITY.md, "Who may know what"). */
export interface CallerKnowledge {
  readonly knows: Knowledge;
  /** Reports whether the caller may know about a cache. */
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

/** Whose running tasks a caller sees and can end: everyone's, or only the user's. */
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
  /** Returns the running tasks, oldest first. */
  list(reader: TaskReader): MaybePromise<readonly TaskDescription[]>;
  /** Ends a running task. Throws TASK_NOT_RUNNING, even for another user's task. */
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

/** A change to a user. */
export type UserChange =
  | {
      readonly kind: 'add';
      readonly name: string;
      readonly password: string;
      /** Undefined for none or, in compatibility mode `reference`, for the configuration's roles of all others. */
      readonly roles?: readonly string[] | undefined;
    }
  | { readonly kind: 'update'; readonly name: string; readonly password: string }
  | { readonly kind: 'remove'; readonly name: string };

/** Manages users. Every operation throws SECURITY_DISABLED if authentication is off. */
export interface UserService {
  /**
   * Throws the errors that a change would throw, and changes nothing. Throws NOT_SUPPORTED if only making the
   * change can tell.
   */
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
  /**
   * Whether the configuration names the user, a command assigned the roles, or they are the roles of all other users.
   */
  readonly rolesFrom: 'configuration' | 'assigned' | 'others';
  /** Whether this is the built-in user. */
  readonly isDefault: boolean;
}

/** A role as declared. */
export interface RoleDescription {
  readonly name: string;
  /** Only stored roles can be changed. */
  readonly source: 'builtIn' | 'configuration' | 'stored';
  /** null for all. */
  readonly commands: readonly string[] | null;
  /** Rights by cache name pattern. */
  readonly caches: Readonly<Record<string, readonly string[]>>;
  /** Rights by table name pattern. */
  readonly tables: Readonly<Record<string, readonly string[]>>;
  readonly counters: readonly string[];
  readonly tasks: readonly string[];
  readonly administration: readonly string[];
  /** The users to whom the configuration or a command assigns the role. */
  readonly users: readonly string[];
  /** Whether all other users have the role. */
  readonly others: boolean;
}

/** A change to the stored roles, or to a user's roles. */
export type RoleChange =
  /** `rights` is what the role may do, as JSON. */
  | { readonly kind: 'add' | 'update'; readonly name: string; readonly rights: string }
  | { readonly kind: 'remove'; readonly name: string }
  | { readonly kind: 'assign'; readonly user: string; readonly roles: readonly string[] };

/** A session without its token. Times are ISO 8601. */
export interface SessionDescription {
  readonly id: string;
  readonly user: string;
  /** Address of the client that logged in, or null if the session began in an earlier version. */
  readonly address: string | null;
  readonly startedAt: string | null;
  /** Approximate time of the last use. */
  readonly lastUsedAt: string | null;
  /** When it ends unless it is used before. */
  readonly expiresAt: string;
  /** Whether this is the caller's session. */
  readonly current: boolean;
}

/**
 * Lists users, roles and sessions: all for user managers, only their own for others. Every operation throws
 * SECURITY_DISABLED if authentication is off, and USER_MANAGEMENT_FORBIDDEN.
 */
export interface AccessService {
  /** Throws NOT_SUPPORTED. */
  users(caller: Caller): MaybePromise<readonly UserDescription[]>;
  roles(caller: Caller): MaybePromise<readonly RoleDescription[]>;
  /** Throws the errors that a change of roles would throw, and changes nothing. */
  checkRoles(caller: Caller, change: RoleChange): MaybePromise<void>;
  /** Changes roles; takes effect for all sessions immediately. */
  changeRoles(caller: Caller, change: RoleChange): MaybePromise<void>;
  /** Returns at most `limit` sessions of a user, or of all, most recently used first. */
  sessions(caller: Caller, user: string | undefined, limit: number): MaybePromise<readonly SessionDescription[]>;
  /** Ends a session. Returns 1, and throws SESSION_NOT_FOUND. */
  endSession(caller: Caller, id: string): MaybePromise<number>;
  /** Ends all sessions of a user. Returns their number. */
  endSessions(caller: Caller, user: string): MaybePromise<number>;
}

/** The settings of a new API key. */
export interface NewApiKey {
  readonly name: string;
  /** The user that the key acts for; the caller if undefined. */
  readonly user: string | undefined;
  /** The scope as JSON. */
  readonly scope: string | undefined;
  /** Comma-separated addresses and networks of the clients that may use it; any if undefined. */
  readonly addresses: string | undefined;
  /** Requests per period, such as `100/s`; the common rate of all keys if undefined. */
  readonly rate: string | undefined;
  /** Time until it expires; never if undefined. */
  readonly ttlMs: number | undefined;
}

/** An API key without its secret. Times are ISO 8601. */
export interface ApiKeyDescription {
  readonly id: string;
  readonly name: string;
  readonly user: string;
  /** The scope as it was sent, or null for everything that the user may do, except administration. */
  readonly scope: unknown;
  /** null for any. */
  readonly addresses: readonly string[] | null;
  /** null for the common rate of all keys. */
  readonly rate: string | null;
  readonly createdBy: string;
  readonly createdAt: string;
  /** When the secret was last replaced, or null if never. */
  readonly rotatedAt: string | null;
  /** When the previous secret expires, or null if it has. */
  readonly overlapUntil: string | null;
  /** null if it does not expire. */
  readonly expiresAt: string | null;
  readonly expired: boolean;
  /** Approximate time of the last use, or null if never used. */
  readonly lastUsedAt: string | null;
}

/** An API key with its secret, which only this response contains. */
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
  /** Returns a user's keys. Without a user, returns the caller's keys or, for an administrator, all keys. */
  list(caller: Caller, user: string | undefined): Promise<readonly ApiKeyDescription[]>;
  /**
   * Replaces the secret; the previous one expires after `overlapMs`. `ttlMs` sets a new time until the key expires.
   * Throws API_KEY_NOT_FOUND and API_KEY_INVALID.
   */
  rotate(caller: Caller, id: string, overlapMs: number, ttlMs: number | undefined): Promise<IssuedApiKey>;
  /** Throws API_KEY_NOT_FOUND. */
  remove(caller: Caller, id: string): Promise<void>;
}

/** Stores queries of users, who may share them. Its methods throw what their commands declare. */
export interface SavedQueryService {
  add(caller: Caller, query: NewSavedQuery): Promise<SavedQuery>;
  list(caller: Caller, user: string | undefined): Promise<readonly SavedQueryDescription[]>;
  get(caller: Caller, id: string): Promise<SavedQuery>;
  update(caller: Caller, id: string, change: SavedQueryChange): Promise<SavedQuery>;
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
  /** Returns all nodes, oldest first. */
  describe(include: {
    readonly metrics: boolean;
    readonly attributes: boolean;
    readonly caches: boolean;
  }): MaybePromise<readonly NodeDescription[]>;
}

export interface BatchOptions {
  /** All commands take effect, or none. */
  readonly atomic: boolean;
  /** The first failure ends the batch. */
  readonly stopOnError: boolean;
  /** Time limit of an atomic batch, or 0 for the engine's default. */
  readonly timeoutMs: number;
  readonly tenant: Tenant;
  /** Whether an atomic batch changes nothing: its transaction is rolled back. */
  readonly rollsBack?: boolean;
}

/** Executes the commands of a batch. */
export interface BatchService {
  /**
   * Executes commands, given as the source of a JSON array, in order. Returns a JSON array with the envelope of each.
   * Throws REQUEST_MALFORMED, LIMIT_EXCEEDED and, if the batch is atomic, the error of the failed command.
   */
  run(commands: string, options: BatchOptions): Promise<string>;
}

/** The effects of a command, as `dryrun` reports them. */
export type Effect =
  | {
      readonly cacheName: string;
      readonly change: 'created' | 'destroyed' | 'cleared';
      /** The number of entries that would be removed. */
      readonly entries: number;
    }
  | (DefinitionOfCache & {
      /** The cache's number of entries: those that would be removed with it, be read, or lose a column. */
      readonly entries: number;
    })
  | Exclude<DefinitionChange, DefinitionOfCache>
  | { readonly state: ClusterState; readonly change: 'entered' }
  | { readonly user: string; readonly change: 'added' | 'changed' | 'removed' }
  | { readonly role: string; readonly change: 'added' | 'changed' | 'removed' };

/** The predicted result of a command. */
export interface DryRunResult {
  /** The name of the command. */
  readonly of: string;
  /** JSON of the response that it would have; `null` if only its effects are known. For a batch, an array. */
  readonly response: string;
  /** null if the response tells. */
  readonly effects: readonly Effect[] | null;
  /** The types of its keys and values, by parameter. */
  readonly types: Readonly<Record<string, string | readonly string[]>>;
}

/** Predicts the effects of commands. */
export interface DryRunService {
  /**
   * Checks a command with the request's parameters, and predicts its result. Throws the errors that the command
   * would throw, COMMAND_UNKNOWN and DRY_RUN_UNSUPPORTED.
   */
  run(name: string, tenant: Tenant): Promise<DryRunResult>;
}

/** Reports and restricts whether this process is ready for traffic. */
export interface ReadinessService {
  isReady(): MaybePromise<boolean>;
  isDraining(): boolean;
  /** Sets whether every thread of this process reports that it is not ready, until the next call or a restart. */
  setDraining(draining: boolean): void;
}

/** The body of a request whose command reads it while it arrives. */
export interface StreamedBody {
  readonly source: ByteSource;
  /** The Content-Type header, or null if absent. */
  readonly type: string | null;
}

/** Describes the consumer of a change stream, from its request. */
export interface ConsumerService {
  /** The Last-Event-ID header, with which browsers resume a stream, or null if absent. */
  lastEventId(): string | null;
  /** Returns the media type that the Accept header prefers, or undefined if it names none of them. */
  preferredType<T extends string>(types: readonly T[]): T | undefined;
  /** Checks the credentials and the permission again. Throws the error that they would now be rejected with. */
  authorize(): MaybePromise<void>;
}

/** A backup in the backup folder. */
export interface StoredBackup {
  readonly name: string;
  readonly bytes: number;
  readonly completedAt: string;
}

/** A continuous backup, as a client sees it. */
export interface ContinuousReport {
  /** The destination, without secrets. */
  readonly url: string;
  readonly state: ContinuousState;
  /** Why it is waiting or has stopped. */
  readonly reason: string | null;
  /** The position of the last object, or null if there is none. */
  readonly position: string | null;
  /** The time of the last object, or null if there is none. */
  readonly shippedAt: string | null;
  /** The age of the process's last report, on which the rest is based. */
  readonly reportAgeMs: number;
  /** How long something has been missing from the destination. */
  readonly behindMs: number;
  readonly behindBytes: number;
  /** The restorable states, or null unless the request asks for them. */
  readonly restorable: Restorable | null;
  /** Checks that the backup restores; null if none are made. */
  readonly restoreCheck: {
    readonly running: boolean;
    readonly nextAt: string;
    /** When the last successful check ended, or null if there was none. */
    readonly verifiedAt: string | null;
    /** The last check that has ended, or null if none has. */
    readonly last: EndedRestoreCheck | null;
  } | null;
}

export interface EndedRestoreCheck {
  readonly outcome: RestoreCheck['outcome'];
  /** Why it is not verified. */
  readonly reason: string | null;
  readonly endedAt: string;
  /** The restored point in time, or null if none was chosen. */
  readonly instant: string | null;
  /** The restored position, or null if none was. */
  readonly position: string | null;
}

/** The state of the backups. Times are ISO 8601. */
export interface BackupStatus {
  /** The backup folder, or null if there is none. */
  readonly folder: string | null;
  /** The backup in progress; `name` is null if a client receives it. */
  readonly running: { readonly name: string | null; readonly startedAt: string; readonly bytes: number } | null;
  /** When the next scheduled backup begins, or null if none is scheduled. */
  readonly nextAt: string | null;
  /** The last failed backup since startup, or null if none failed after the last success. */
  readonly lastFailure: { readonly failedAt: string; readonly error: string } | null;
  /** The continuous backup, or null if none is configured. */
  readonly continuous: ContinuousReport | null;
  /** Complete backups in the folder, newest first. */
  readonly backups: readonly StoredBackup[];
}

/** A configuration option with its value and source. */
export interface ConfiguredOption {
  /** Path in the configuration file. */
  readonly path: string;
  /** Masked if it is a secret. */
  readonly value: unknown;
  /** Flag, variable, or file and member; `default` if not set. */
  readonly source: string;
  readonly help: string;
  /** Description of the default. */
  readonly default: string;
  readonly environment: string;
  /** null for secrets. */
  readonly flag: string | null;
}

/** The configuration that the service was started with. */
export interface ConfigurationService {
  options(): readonly ConfiguredOption[];
}

/** Stores the metrics of the last hour. */
export interface MetricsHistoryService {
  /** Returns the samples after a time in milliseconds since 1970. */
  since(afterMs: number): MaybePromise<MetricsSamples>;
}

/** Makes backups, one at a time. */
export interface BackupService {
  /**
   * Makes a backup in the backup folder. Resolves when it is complete, or without `wait` when it has begun. Throws
   * BACKUP_FOLDER_MISSING, BACKUP_NAME_INVALID, BACKUP_RUNNING, BACKUP_SPACE, BACKUP_FAILED and NOT_SUPPORTED.
   */
  create(name: string | undefined, wait: boolean, signal: AbortSignal): MaybePromise<CreatedBackup>;
  /** Makes a backup and sends it to the caller. The iteration throws the same errors. */
  stream(signal: AbortSignal): AsyncIterable<Uint8Array>;
  /**
   * Lists backups and, if requested, the restorable states of the continuous one. Throws NOT_SUPPORTED and
   * BACKUP_FAILED.
   */
  status(readsRestorable: boolean): MaybePromise<BackupStatus>;
  /** Restores a backup in the backup folder to a temporary folder, and verifies it. Throws BACKUP_NAME_INVALID. */
  verify(name: string, signal: AbortSignal): MaybePromise<VerifiedBackup>;
}

/** A backup in the backup folder, with its report once it is complete. */
export interface CreatedBackup {
  readonly name: string;
  readonly report: BackupReport | null;
}

/** A backup in the backup folder, with the result of its verification. */
export interface VerifiedBackup extends BackupCheck {
  readonly name: string;
}

/** The members of an engine that handlers use besides calls. */
export type EngineServices = Omit<Grid, 'port' | 'entries' | 'counters'>;

/** The dependencies of handlers that are the same for all requests. */
export interface CommandServices {
  readonly tasks: TaskService;
  readonly users: UserService;
  readonly apiKeys: ApiKeyService;
  readonly access: AccessService;
  readonly savedQueries: SavedQueryService;
  readonly log: LogService;
  readonly nodes: NodeService;
  readonly readiness: ReadinessService;
  readonly backups: BackupService;
  readonly configuration: ConfigurationService;
  readonly metricsHistory: MetricsHistoryService;
  /** Compiles a regular expression in Java's syntax that matches whole strings. Rejects with an Error if invalid. */
  readonly compileRegex: (pattern: string) => Promise<(text: string) => boolean>;
}

/** The dependencies of a handler for one request. */
export interface Context {
  readonly services: CommandServices;
  readonly grid: EngineServices;
  /** Makes a call as the request specifies: at most once with an idempotency key, or as part of its atomic batch. */
  readonly call: <K extends CallKind>(call: Call<K>) => MaybePromise<CallResult<K>>;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly compatibility: RequestCompatibility;
  /** Real name of the default cache. */
  readonly defaultCache: string;
  readonly caller: Caller;
  /** The owner of the caller's objects on the service: cursors, tasks and imports belong to a user or an API key. */
  readonly owner: string;
  /** undefined if there is none, or the command does not declare that it reads one. */
  readonly body: StreamedBody | undefined;
  readonly batches: BatchService;
  readonly dryRuns: DryRunService;
  /** The sender of this request as a consumer of changes. */
  readonly consumer: ConsumerService;
  /** The row format that the header `Accept` selects. */
  readonly rowFormat: RowFormat;
  /** How the response writes numbers and dates; the usual form if undefined. */
  readonly notation: Notation | undefined;
  /** Whether getall returns an array of objects with key and value. */
  readonly getallAsArray: boolean;
  /** Converts outgoing keys and values: the configured message interceptor, then the request's notation. */
  readonly onSend: ((value: Value) => Value) | undefined;
  /**
   * Returns the sender as one whose request contained the user's password. Throws OLD_PASSWORD_WRONG and
   * TOO_MANY_ATTEMPTS.
   */
  confirmPassword(password: string): MaybePromise<Caller>;
  /** Returns the information that the caller may see; undefined means everything: authentication is off. */
  knowledge(): CallerKnowledge | undefined;
  /** Returns the objects that the request's statement may read and change; undefined means everything. */
  grant(): StatementGrant | undefined;
  /**
   * Returns the owner of the request's share of limited resources: the user or, without authentication, the network.
   */
  tenant(): Tenant;
  /** Returns a signal that aborts when the client disconnects. */
  signal(): AbortSignal;
}
