/** The methods of the client, one for each command. Generated from the declarations: npm run generate. */
import type { Decimal, Json } from './exact-json.ts';

/** A key or a value to send. */
export type JsonInput = boolean | number | bigint | Decimal | string | object;

/** A command of a batch: its name and its parameters. */
export interface BatchCommand {
  readonly cmd: keyof CommandParameters;
  readonly [parameter: string]: unknown;
}

/** The codes of errors, also of later versions. */
export type ErrorCode =
  | 'COMMAND_MISSING'
  | 'COMMAND_UNKNOWN'
  | 'COMMAND_CONFLICT'
  | 'PARAMETER_MISSING'
  | 'PARAMETER_NULL'
  | 'PARAMETER_UNKNOWN'
  | 'PARAMETER_INVALID'
  | 'PARAMETER_GAP'
  | 'PARAMETERS_EXCLUSIVE'
  | 'TTL_NEGATIVE'
  | 'NOT_A_LONG'
  | 'NOT_AN_INTEGER'
  | 'NOT_A_BOOLEAN'
  | 'NOT_A_NUMBER'
  | 'PAGE_SIZE_NEGATIVE'
  | 'CONVERSION'
  | 'BACKUPS_INVALID'
  | 'WRITE_MODE_INVALID'
  | 'MORE_VALUES_THAN_KEYS'
  | 'FEWER_VALUES_THAN_KEYS'
  | 'LIMIT_EXCEEDED'
  | 'BATCH_ABORTED'
  | 'BATCH_CONDITION'
  | 'BATCH_PAGE'
  | 'BATCH_REGIONS'
  | 'BATCH_COMMAND'
  | 'DRY_RUN_UNSUPPORTED'
  | 'IDEMPOTENCY_KEY_INVALID'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'IDEMPOTENCY_KEY_IN_USE'
  | 'IDEMPOTENCY_UNSUPPORTED'
  | 'IDEMPOTENCY_FULL'
  | 'CHANGE_FEED_OFF'
  | 'CHANGE_FEED_COLUMNS'
  | 'CHANGE_POSITION_INVALID'
  | 'CHANGE_POSITION_GONE'
  | 'CHANGE_POSITION_TIMEOUT'
  | 'CHANGE_CONSUMER_SLOW'
  | 'CHANGE_CONSUMERS'
  | 'CACHE_NAME_INVALID'
  | 'QUERY_CACHE_NAME_EMPTY'
  | 'METADATA_NOT_FOUND'
  | 'NODE_ID_INVALID'
  | 'CACHE_NOT_FOUND'
  | 'KEY_NOT_FOUND'
  | 'COUNTER_NOT_FOUND'
  | 'CACHE_IS_SYSTEM'
  | 'QUERY_CACHE_NOT_FOUND'
  | 'CACHE_LIMIT'
  | 'CACHE_DECLARED_OTHERWISE'
  | 'COUNTER_LIMIT'
  | 'TEMPLATE_NOT_FOUND'
  | 'REGION_NOT_FOUND'
  | 'REGION_FULL'
  | 'BACKUPS_NEGATIVE'
  | 'NOTATION_INVALID'
  | 'SLIDING_WITHOUT_TTL'
  | 'GROUP_MISMATCH'
  | 'GROUP_MODE_MISMATCH'
  | 'GROUP_CONFLICT'
  | 'GROUP_REGION_MISMATCH'
  | 'INCOMPATIBLE_TYPES'
  | 'CLUSTER_GROUP_EMPTY'
  | 'STATE_MISSING'
  | 'STATE_INVALID'
  | 'READ_ONLY'
  | 'INACTIVE'
  | 'DEACTIVATION_STOPPED'
  | 'NODE_NOT_FOUND'
  | 'CACHE_LIST_OPTIONS'
  | 'PATTERN_INVALID'
  | 'PROBE_KIND_INVALID'
  | 'NOT_READY'
  | 'STANDBY'
  | 'DEPOSED'
  | 'DRAIN_ACTION_INVALID'
  | 'NODE_ID_OR_IP_MISSING'
  | 'UUID_INVALID'
  | 'NOT_A_UUID'
  | 'VALUE_REJECTED'
  | 'OPERATION_FAILED'
  | 'SQL'
  | 'SQL_OBJECT_NOT_FOUND'
  | 'SQL_CONFLICT'
  | 'QUERY_NOT_FOUND'
  | 'QUERY_LOST'
  | 'QUERY_PROCESS_MEMORY'
  | 'QUERY_ELSEWHERE'
  | 'QUERY_BUSY'
  | 'QUERY_TYPE_NOT_FOUND'
  | 'QUERY_CANCELLED'
  | 'QUERY_TIMEOUT'
  | 'QUERY_PREEMPTED'
  | 'QUERY_MEMORY'
  | 'QUERIES_MEMORY'
  | 'QUERY_DISK'
  | 'QUERIES_DISK'
  | 'QUERY_RESULT_BYTES'
  | 'WRITE_LOCK_TIME'
  | 'QUERIES_BUSY'
  | 'CURSOR_LIMIT'
  | 'USER_SHARE'
  | 'SESSION_LIMIT'
  | 'CLASS_NOT_FOUND'
  | 'CLASS_NOT_A_FILTER'
  | 'TASK_NOT_FOUND'
  | 'CLASS_NOT_A_TASK'
  | 'TASK_FAILED'
  | 'TASK_TIMEOUT'
  | 'TASK_ID_INVALID'
  | 'TASK_SYNCHRONOUS'
  | 'TASK_NOT_STARTED'
  | 'TASK_NOT_RUNNING'
  | 'TASK_HOLDER_LEFT'
  | 'TOKEN_MISSING'
  | 'TOKEN_UNKNOWN'
  | 'CREDENTIALS_WRONG'
  | 'TOO_MANY_ATTEMPTS'
  | 'PERMISSION_DENIED'
  | 'API_KEY_UNKNOWN'
  | 'JWT_INVALID'
  | 'JWT_KEYS_UNAVAILABLE'
  | 'SIGNATURE_WRONG'
  | 'ORIGIN_FORBIDDEN'
  | 'SECURITY_DISABLED'
  | 'USER_OPERATION'
  | 'OLD_PASSWORD_WRONG'
  | 'USER_EXISTS'
  | 'API_KEY_INVALID'
  | 'API_KEY_EXISTS'
  | 'API_KEY_NOT_FOUND'
  | 'ROLE_INVALID'
  | 'ROLE_EXISTS'
  | 'ROLE_NOT_FOUND'
  | 'ROLE_READ_ONLY'
  | 'USER_ROLES_READ_ONLY'
  | 'ROLE_IN_USE'
  | 'ROLE_ESCALATION'
  | 'ROLE_LOCKOUT'
  | 'ROLE_LIMIT'
  | 'SESSION_NOT_FOUND'
  | 'API_KEY_LIMIT'
  | 'USER_NOT_FOUND'
  | 'SAVED_QUERY_INVALID'
  | 'SAVED_QUERY_EXISTS'
  | 'SAVED_QUERY_NOT_FOUND'
  | 'SAVED_QUERY_FORBIDDEN'
  | 'SAVED_QUERY_CHANGED'
  | 'SAVED_QUERY_LIMIT'
  | 'LOG_PATH_FORBIDDEN'
  | 'LOG_RANGE_INVALID'
  | 'LOG_NOT_FOUND'
  | 'REQUEST_MALFORMED'
  | 'PATH_NOT_FOUND'
  | 'CONSOLE_NOT_BUILT'
  | 'METHOD_NOT_ALLOWED'
  | 'REQUEST_TIMEOUT'
  | 'IMPORT_INVALID'
  | 'IMPORT_REJECTED'
  | 'IMPORT_RECORD_TOO_LONG'
  | 'IMPORT_NOT_FOUND'
  | 'IMPORT_IN_USE'
  | 'IMPORT_CONFLICT'
  | 'IMPORTS_BUSY'
  | 'TABLE_NOT_FOUND'
  | 'ENTRY_NOT_FOUND'
  | 'ENTRY_EXISTS'
  | 'ROW_NOT_FOUND'
  | 'PRECONDITION_FAILED'
  | 'NOT_ACCEPTABLE'
  | 'MEDIA_TYPE_UNSUPPORTED'
  | 'RESOURCE_INVALID'
  | 'BODY_INCOMPLETE'
  | 'BODY_TOO_LARGE'
  | 'HEAD_TOO_LARGE'
  | 'OVERLOADED'
  | 'RATE_LIMITED'
  | 'BUFFERS_FULL'
  | 'STOPPING'
  | 'STORAGE_FULL'
  | 'WRITE_HEADER_MISSING'
  | 'STORAGE_LOW'
  | 'STORAGE_READ_ONLY'
  | 'STORAGE_CORRUPT'
  | 'STORAGE_FAILED'
  | 'BACKUP_FOLDER_MISSING'
  | 'BACKUP_NAME_INVALID'
  | 'BACKUP_RUNNING'
  | 'BACKUP_SPACE'
  | 'BACKUP_FAILED'
  | 'BACKUP_KEY_INVALID'
  | 'BACKUP_KEY_MISSING'
  | 'BACKUP_KEY_WRONG'
  | 'BACKUP_NOT_ENCRYPTED'
  | 'OUTCOME_UNKNOWN'
  | 'CLUSTER_UNREACHABLE'
  | 'CIRCULAR_REFERENCE'
  | 'CLUSTER_ANSWER_INVALID'
  | 'NOT_SUPPORTED'
  | 'SQL_MODULE_MISSING'
  | 'INTERNAL'
  | (string & Record<never, never>);

export type ActivateParameters = Readonly<Record<string, never>>;

export type ActivateResponse = string;

export type ActiveParameters = Readonly<Record<string, never>>;

export type ActiveResponse = string;

export interface AddParameters {
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
  /** Key of the entry. */
  readonly key: JsonInput;
  /** The value. */
  readonly val: JsonInput;
  /** Time to live in milliseconds. If absent, 0 or negative, an entry keeps its deadline, and a new one has none. */
  readonly exp?: number | bigint | undefined;
  /** Time to live in milliseconds, from now; 0 means none. Cannot be combined with `exp`. */
  readonly ttlMs?: number | bigint | undefined;
  /** Id of the node to run the command on; ignored if it is not an id. */
  readonly destId?: string | undefined;
  /** Bit mask, accepted for Ignite clients; has no effect. Default: 2. */
  readonly cacheFlags?: number | undefined;
  /** Name of the type of keys. Default: string. */
  readonly keyType?: string | undefined;
  /** Name of the type of values. Default: string. */
  readonly valueType?: string | undefined;
}

export type AddResponse = boolean;

export interface AdduserParameters {
  /** User name; case-sensitive. */
  readonly user: string;
  /** Password of the user. */
  readonly password: string;
  /**
   * Comma-separated role names. Default: none; in compatibility mode `reference`, the roles that the configuration
   * assigns to all other users.
   */
  readonly roles?: string | readonly string[] | undefined;
}

export type AdduserResponse = true;

export interface ApikeyaddParameters {
  /** Name of the key, unique among the user's keys. */
  readonly name: string;
  /** User that the key acts for; default: the caller. */
  readonly user?: string | undefined;
  /**
   * Rights of the key: a JSON object like a role in the configuration, with `commands`, `caches`, `tables`,
   * `counters`, `tasks` and `administration`, as an object or its text. Default: all rights of the user except
   * administration.
   */
  readonly scope?: string | undefined;
  /** Comma-separated addresses and networks (10.0.0.0/8) of the clients that may use the key; default: any. */
  readonly addresses?: string | readonly string[] | undefined;
  /** Maximum request rate of the key: `100/s`, `5000/m`, `100000/h`, `20/10s`; default: `rateLimit.apiKey`. */
  readonly rate?: string | undefined;
  /** Time in milliseconds until the key expires. Default: never. */
  readonly ttlMs?: number | bigint | undefined;
}

export interface ApikeyaddResult {
  readonly id: string;
  readonly name: string;
  readonly user: string;
  readonly key: string;
  readonly expiresAt: string | null;
  readonly overlapUntil: string | null;
}

export type ApikeyaddResponse = ApikeyaddResult;

export interface ApikeylistParameters {
  /** List only the keys of this user. */
  readonly user?: string | undefined;
}

export interface ApikeylistResult {
  readonly id: string;
  readonly name: string;
  readonly user: string;
  readonly scope: Readonly<Record<string, Json>> | null;
  readonly addresses: ReadonlyArray<string> | null;
  readonly rate: string | null;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly rotatedAt: string | null;
  readonly overlapUntil: string | null;
  readonly expiresAt: string | null;
  readonly expired: boolean;
  readonly lastUsedAt: string | null;
}

export type ApikeylistResponse = ReadonlyArray<ApikeylistResult>;

export interface ApikeyrmvParameters {
  /** Id of the API key. */
  readonly id: string;
}

export type ApikeyrmvResponse = true;

export interface ApikeyrotateParameters {
  /** Id of the API key. */
  readonly id: string;
  /** How long the previous secret remains valid, in milliseconds. Default: 86400000. */
  readonly overlapMs?: number | bigint | undefined;
  /** Time in milliseconds until the key expires. Default: unchanged. */
  readonly ttlMs?: number | bigint | undefined;
}

export interface ApikeyrotateResult {
  readonly id: string;
  readonly name: string;
  readonly user: string;
  readonly key: string;
  readonly expiresAt: string | null;
  readonly overlapUntil: string | null;
}

export type ApikeyrotateResponse = ApikeyrotateResult;

export interface AppendParameters {
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
  /** Key of the entry. */
  readonly key: JsonInput;
  /** The string, list or map to add. */
  readonly val: JsonInput;
  /** Time to live in milliseconds, from now; 0 means none. Cannot be combined with `exp`. */
  readonly ttlMs?: number | bigint | undefined;
  /** Id of the node to run the command on; ignored if it is not an id. */
  readonly destId?: string | undefined;
  /** Bit mask, accepted for Ignite clients; has no effect. Default: 2. */
  readonly cacheFlags?: number | undefined;
  /** Name of the type of keys. Default: string. */
  readonly keyType?: string | undefined;
  /** Name of the type of values. Default: string. */
  readonly valueType?: string | undefined;
}

export type AppendResponse = boolean;

export interface AuthenticateParameters {
  /** User name, unless the header `Authorization` contains it. */
  readonly 'svc.login'?: string | undefined;
  /** Password of the user. */
  readonly 'svc.password'?: string | undefined;
  /** Start a console session, which expires after `console.sessionTimeout` without use. Default: false. */
  readonly console?: boolean | undefined;
}

export type AuthenticateResponse = true;

export interface BackupParameters {
  /** File name in `backup.folder`: letters, digits, dots, dashes and underscores. Default: the current time. */
  readonly name?: string | undefined;
  /** Wait until the backup is complete. Disconnecting earlier cancels it. Default: true. */
  readonly wait?: boolean | undefined;
}

export interface BackupResultRegions {
  readonly name: string;
  readonly persistent: boolean;
}

export interface BackupResult {
  readonly name: string;
  readonly complete: boolean;
  readonly createdAt?: string;
  readonly program?: string;
  readonly schemaVersion?: number;
  readonly regions?: ReadonlyArray<BackupResultRegions>;
  readonly bytes?: number;
  readonly restoredBytes?: number;
  readonly sha256?: string;
}

export type BackupResponse = BackupResult;

export interface BackupsParameters {
  /** Also list what can be restored from the continuous backup. Default: false. */
  readonly restorable?: boolean | undefined;
}

export interface BackupsResultRunning {
  readonly name: string | null;
  readonly startedAt: string;
  readonly bytes: number;
}

export interface BackupsResultLastFailure {
  readonly failedAt: string;
  readonly error: string;
}

export interface BackupsResultContinuousRestorableRanges {
  readonly from: string;
  readonly to: string;
  readonly firstPosition: string;
  readonly lastPosition: string;
  readonly points: number;
  readonly longestStepMs: number;
}

export interface BackupsResultContinuousRestorable {
  readonly objects: number;
  readonly bytes: number;
  readonly encrypted: boolean;
  readonly ranges: ReadonlyArray<BackupsResultContinuousRestorableRanges>;
}

export interface BackupsResultContinuousRestoreCheckLast {
  readonly outcome: 'verified' | 'damaged' | 'failed';
  readonly reason: string | null;
  readonly endedAt: string;
  readonly instant: string | null;
  readonly position: string | null;
}

export interface BackupsResultContinuousRestoreCheck {
  readonly running: boolean;
  readonly nextAt: string;
  readonly verifiedAt: string | null;
  readonly last: BackupsResultContinuousRestoreCheckLast | null;
}

export interface BackupsResultContinuous {
  readonly url: string;
  readonly state: 'starting' | 'shipping' | 'waiting' | 'stopped';
  readonly reason: string | null;
  readonly position: string | null;
  readonly shippedAt: string | null;
  readonly reportAgeMs: number;
  readonly behindMs: number;
  readonly behindBytes: number;
  readonly restorable: BackupsResultContinuousRestorable | null;
  readonly restoreCheck: BackupsResultContinuousRestoreCheck | null;
}

export interface BackupsResultBackups {
  readonly name: string;
  readonly bytes: number;
  readonly completedAt: string;
}

export interface BackupsResult {
  readonly folder: string | null;
  readonly running: BackupsResultRunning | null;
  readonly nextAt: string | null;
  readonly lastFailure: BackupsResultLastFailure | null;
  readonly continuous: BackupsResultContinuous | null;
  readonly backups: ReadonlyArray<BackupsResultBackups>;
}

export type BackupsResponse = BackupsResult;

export interface BackupverifyParameters {
  /** Name of a backup in `backup.folder`. */
  readonly name: string;
}

export interface BackupverifyResult {
  readonly name: string;
  readonly outcome: 'verified' | 'damaged' | 'failed';
  readonly reason: string | null;
  readonly encrypted: boolean | null;
  readonly createdAt: string | null;
  readonly entries: number;
  readonly restoredBytes: number;
}

export type BackupverifyResponse = BackupverifyResult;

export type BaselineParameters = Readonly<Record<string, never>>;

export interface BaselineResult {
  readonly active: boolean;
  readonly baseline: ReadonlyArray<string>;
  readonly topologyVersion: number;
  readonly servers: ReadonlyArray<string>;
}

export type BaselineResponse = BaselineResult;

export interface BatchParameters {
  /**
   * The commands as a JSON array of objects, each with `cmd` and its parameters. The array can also be the body of a
   * POST to `/svc/batch`, where the types of its values count, or to `/svc?cmd=batch`, where they are texts.
   */
  readonly commands: readonly BatchCommand[];
  /** Execute all commands as one transaction: either all take effect or, if one fails, none. Default: false. */
  readonly atomic?: boolean | undefined;
  /** Execute nothing after the first command that fails. An atomic batch always stops. Default: false. */
  readonly stopOnError?: boolean | undefined;
  /** Time limit of an atomic batch in milliseconds (default: the option `query.timeout`). */
  readonly timeout?: number | bigint | undefined;
}

export interface BatchResultError {
  readonly code: string;
  readonly message: string;
  readonly parameter?: string;
  readonly position?: number | bigint;
  readonly remedy: string;
  readonly documentation: string;
}

export interface BatchResult {
  readonly successStatus: number | bigint;
  readonly affinityNodeId?: string | null;
  readonly sessionToken: null;
  readonly securitySubjectId: string | null;
  readonly error: BatchResultError | null;
  readonly errorCode?: string;
  readonly response: Json;
  readonly responseOmitted?: true;
}

export type BatchResponse = ReadonlyArray<BatchResult>;

export interface CacheParameters {
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
  /** Id of the node to run the command on; ignored if it is not an id. */
  readonly destId?: string | undefined;
  /** Bit mask, accepted for Ignite clients; has no effect. Default: 2. */
  readonly cacheFlags?: number | undefined;
}

export interface CacheResult {
  readonly createTime: number | bigint;
  readonly readTime: number | bigint;
  readonly writeTime: number | bigint;
  readonly hits: number | bigint;
  readonly misses: number | bigint;
  readonly reads: number | bigint;
  readonly writes: number | bigint;
}

export type CacheResponse = CacheResult;

export interface CachelistParameters {
  /** Java regular expression that must match the whole name. */
  readonly regex?: string | undefined;
  /** List cache groups. Default: false. */
  readonly groups?: boolean | undefined;
  /** List atomic sequences. The list is always empty. Default: false. */
  readonly seq?: boolean | undefined;
  /** List caches with their configuration. Default: false. */
  readonly config?: boolean | undefined;
  /** Id of the node to run the command on. */
  readonly nodeId?: string | undefined;
}

export type CachelistResponse = ReadonlyArray<Readonly<Record<string, Json>>>;

export interface CasParameters {
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
  /** Key of the entry. */
  readonly key: JsonInput;
  /** The value. */
  readonly val: JsonInput;
  /** The expected current value. */
  readonly val2: JsonInput;
  /** Time to live in milliseconds, from now; 0 means none. Cannot be combined with `exp`. */
  readonly ttlMs?: number | bigint | undefined;
  /** Id of the node to run the command on; ignored if it is not an id. */
  readonly destId?: string | undefined;
  /** Bit mask, accepted for Ignite clients; has no effect. Default: 2. */
  readonly cacheFlags?: number | undefined;
  /** Name of the type of keys. Default: string. */
  readonly keyType?: string | undefined;
  /** Name of the type of values. Default: string. */
  readonly valueType?: string | undefined;
}

export type CasResponse = boolean;

export interface ChangefeedParameters {
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
  /** Whether to record changes from now on. Default: true. */
  readonly enabled?: boolean | undefined;
}

export type ChangefeedResponse = null;

export interface ClearParameters {
  /** Name of the cache. There is no default, so a request without a name clears nothing. */
  readonly cacheName: string;
  /** Id of the node to run the command on; ignored if it is not an id. */
  readonly destId?: string | undefined;
  /** Bit mask, accepted for Ignite clients; has no effect. Default: 2. */
  readonly cacheFlags?: number | undefined;
}

export type ClearResponse = true;

export type ConfigParameters = Readonly<Record<string, never>>;

export interface ConfigResult {
  readonly path: string;
  readonly value: Json;
  readonly source: string;
  readonly help: string;
  readonly default: string;
  readonly environment: string;
  readonly flag: string | null;
}

export type ConfigResponse = ReadonlyArray<ConfigResult>;

export interface ConkeyParameters {
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
  /** Key of the entry. */
  readonly key: JsonInput;
  /** Id of the node to run the command on; ignored if it is not an id. */
  readonly destId?: string | undefined;
  /** Bit mask, accepted for Ignite clients; has no effect. Default: 2. */
  readonly cacheFlags?: number | undefined;
  /** Name of the type of keys. Default: string. */
  readonly keyType?: string | undefined;
}

export type ConkeyResponse = boolean;

export interface ConkeysParameters {
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
  /** Keys, numbered from 1 without gaps. */
  readonly keys: readonly JsonInput[];
  /** Id of the node to run the command on; ignored if it is not an id. */
  readonly destId?: string | undefined;
  /** Bit mask, accepted for Ignite clients; has no effect. Default: 2. */
  readonly cacheFlags?: number | undefined;
  /** Name of the type of keys. Default: string. */
  readonly keyType?: string | undefined;
}

export type ConkeysResponse = boolean;

export interface CounterpersistParameters {
  /** Name of the counter. */
  readonly key: string;
}

export type CounterpersistResponse = boolean;

export interface CounterttlParameters {
  /** Name of the counter. */
  readonly key: string;
}

export type CounterttlResponse = bigint | null;

export type CurrentstateParameters = Readonly<Record<string, never>>;

export type CurrentstateResponse = boolean;

export type DataregionParameters = Readonly<Record<string, never>>;

export interface DataregionResult {
  readonly name: string;
}

export type DataregionResponse = ReadonlyArray<DataregionResult>;

export interface DeactivateParameters {
  /** Deactivate even if that drops entries of non-persistent caches. Default: false. */
  readonly force?: boolean | undefined;
}

export type DeactivateResponse = string;

export interface DecrParameters {
  /** Initial value of a new counter. Default: 0. */
  readonly init?: number | bigint | undefined;
  /** Name of the counter. */
  readonly key: string;
  /** The number to subtract; may be negative. */
  readonly delta: number | bigint;
  /** Time to live of a new counter in milliseconds; 0 means none. An existing counter keeps its deadline. */
  readonly ttlMs?: number | bigint | undefined;
  /** Ignored; counters are independent of caches. Default: the default cache. */
  readonly cacheName?: string | undefined;
}

export type DecrResponse = bigint;

export interface DestcacheParameters {
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
}

export type DestcacheResponse = null;

export interface DrainParameters {
  /** The action; `status` changes nothing. */
  readonly action: 'start' | 'stop' | 'status';
  /** Accepted for GridGain clients; has no effect. Default: false. */
  readonly force?: boolean | undefined;
}

export interface DrainResult {
  readonly draining: boolean;
}

export type DrainResponse = DrainResult;

export interface DryrunParameters {
  /** The command to check, sent with its own parameters. You need the rights that it requires. */
  readonly of: string;
  readonly [name: string]: JsonInput | undefined;
}

export interface DryrunResultEffects {
  readonly cacheName?: string;
  readonly state?: string;
  readonly user?: string;
  readonly role?: string;
  readonly table?: string;
  readonly column?: string;
  readonly index?: string;
  readonly view?: string;
  readonly change: 'created' | 'destroyed' | 'cleared' | 'entered' | 'added' | 'changed' | 'removed';
  readonly entries?: number;
}

export interface DryrunResult {
  readonly of: string;
  readonly response: Json;
  readonly effects: ReadonlyArray<DryrunResultEffects> | null;
  readonly types: Readonly<Record<string, Json>>;
}

export type DryrunResponse = DryrunResult;

export interface ExeParameters {
  /** Name of the task. */
  readonly name: string;
  /** Arguments of the task, numbered from 1 without gaps. */
  readonly params?: readonly string[] | undefined;
  /** Return immediately; `res` returns the result later. Default: false. */
  readonly async?: boolean | undefined;
  /** Time limit in milliseconds; 0 means none. Default: 0. */
  readonly timeout?: number | bigint | undefined;
  /** Id of the node to run the command on; ignored if it is not an id. */
  readonly destId?: string | undefined;
}

export interface ExeResult {
  readonly id: string;
  readonly finished: boolean;
  readonly error: string | null;
  readonly result: Json;
}

export type ExeResponse = ExeResult;

export interface GetParameters {
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
  /** Key of the entry. */
  readonly key: JsonInput;
  /** Id of the node to run the command on; ignored if it is not an id. */
  readonly destId?: string | undefined;
  /** Bit mask, accepted for Ignite clients; has no effect. Default: 2. */
  readonly cacheFlags?: number | undefined;
  /** Name of the type of keys. Default: string. */
  readonly keyType?: string | undefined;
}

export type GetResponse = Json;

export interface GetallParameters {
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
  /** Keys, numbered from 1 without gaps. */
  readonly keys: readonly JsonInput[];
  /** Id of the node to run the command on; ignored if it is not an id. */
  readonly destId?: string | undefined;
  /** Bit mask, accepted for Ignite clients; has no effect. Default: 2. */
  readonly cacheFlags?: number | undefined;
  /** Return an array of objects with key and value instead of an object. Default: the option rest.getallAsArray. */
  readonly asArray?: boolean | undefined;
  /** Name of the type of keys. Default: string. */
  readonly keyType?: string | undefined;
}

export interface GetallResult {
  readonly key: Json;
  readonly value: Json;
}

export type GetallResponse = Readonly<Record<string, Json>> | ReadonlyArray<GetallResult>;

export interface GetorcreateParameters {
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
  /** Number of backups of the new cache. Default: 0. */
  readonly backups?: number | undefined;
  /** Data region of the new cache. */
  readonly dataRegion?: string | undefined;
  /** Template of the new cache: PARTITIONED, REPLICATED or a configured template. */
  readonly templateName?: string | undefined;
  /** Cache group of the new cache. */
  readonly cacheGroup?: string | undefined;
  /** When a cluster acknowledges writes to the new cache. The embedded engine ignores it. */
  readonly writeSynchronizationMode?: 'FULL_SYNC' | 'FULL_ASYNC' | 'PRIMARY_SYNC' | undefined;
  /** Time to live in milliseconds of entries in the new cache, for writes that set none; 0 means none. */
  readonly ttlMs?: number | bigint | undefined;
  /** Whether reads (`get`, `getall`) also extend the time to live of an entry; requires `ttlMs`. Default: false. */
  readonly sliding?: boolean | undefined;
  /** Whether `watch` can stream the changes of the new cache. Default: false. */
  readonly changeFeed?: boolean | undefined;
}

export type GetorcreateResponse = null;

export interface GetputParameters {
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
  /** Key of the entry. */
  readonly key: JsonInput;
  /** The value. */
  readonly val: JsonInput;
  /** Time to live in milliseconds, from now; 0 means none. Cannot be combined with `exp`. */
  readonly ttlMs?: number | bigint | undefined;
  /** Id of the node to run the command on; ignored if it is not an id. */
  readonly destId?: string | undefined;
  /** Bit mask, accepted for Ignite clients; has no effect. Default: 2. */
  readonly cacheFlags?: number | undefined;
  /** Name of the type of keys. Default: string. */
  readonly keyType?: string | undefined;
  /** Name of the type of values. Default: string. */
  readonly valueType?: string | undefined;
}

export type GetputResponse = Json;

export interface GetputifabsParameters {
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
  /** Key of the entry. */
  readonly key: JsonInput;
  /** The value. */
  readonly val: JsonInput;
  /** Time to live in milliseconds, from now; 0 means none. Cannot be combined with `exp`. */
  readonly ttlMs?: number | bigint | undefined;
  /** Id of the node to run the command on; ignored if it is not an id. */
  readonly destId?: string | undefined;
  /** Bit mask, accepted for Ignite clients; has no effect. Default: 2. */
  readonly cacheFlags?: number | undefined;
  /** Name of the type of keys. Default: string. */
  readonly keyType?: string | undefined;
  /** Name of the type of values. Default: string. */
  readonly valueType?: string | undefined;
}

export type GetputifabsResponse = Json;

export interface GetrepParameters {
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
  /** Key of the entry. */
  readonly key: JsonInput;
  /** The value. */
  readonly val: JsonInput;
  /** Time to live in milliseconds, from now; 0 means none. Cannot be combined with `exp`. */
  readonly ttlMs?: number | bigint | undefined;
  /** Id of the node to run the command on; ignored if it is not an id. */
  readonly destId?: string | undefined;
  /** Bit mask, accepted for Ignite clients; has no effect. Default: 2. */
  readonly cacheFlags?: number | undefined;
  /** Name of the type of keys. Default: string. */
  readonly keyType?: string | undefined;
  /** Name of the type of values. Default: string. */
  readonly valueType?: string | undefined;
}

export type GetrepResponse = Json;

export interface GetrmvParameters {
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
  /** Key of the entry. */
  readonly key: JsonInput;
  /** Id of the node to run the command on; ignored if it is not an id. */
  readonly destId?: string | undefined;
  /** Bit mask, accepted for Ignite clients; has no effect. Default: 2. */
  readonly cacheFlags?: number | undefined;
  /** Name of the type of keys. Default: string. */
  readonly keyType?: string | undefined;
}

export type GetrmvResponse = Json;

export interface ImportrmvParameters {
  /** Id of the import. */
  readonly importId: string;
}

export type ImportrmvResponse = true;

export interface ImportstateParameters {
  /** Id of the import. */
  readonly importId: string;
}

export interface ImportstateResultErrors {
  readonly line: number;
  readonly message: string;
}

export interface ImportstateResultPlanColumns {
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly key: boolean;
}

export interface ImportstateResultPlan {
  readonly statement: string | null;
  readonly parameters: Readonly<Record<string, string>>;
  readonly columns: ReadonlyArray<ImportstateResultPlanColumns>;
  readonly sample: ReadonlyArray<ReadonlyArray<string | null>>;
  readonly records: number;
  readonly complete: boolean;
  readonly notes: ReadonlyArray<string>;
}

export interface ImportstateResult {
  readonly importId: string | null;
  readonly state: 'open' | 'done';
  readonly rows: number;
  readonly skipped: number;
  readonly rejected: number;
  readonly offset: number;
  readonly line: number;
  readonly errors: ReadonlyArray<ImportstateResultErrors>;
  readonly plan?: ImportstateResultPlan;
}

export type ImportstateResponse = ImportstateResult;

export interface InactiveParameters {
  /** Deactivate even if that drops entries of non-persistent caches. Default: false. */
  readonly force?: boolean | undefined;
}

export type InactiveResponse = string;

export interface IncrParameters {
  /** Initial value of a new counter. Default: 0. */
  readonly init?: number | bigint | undefined;
  /** Name of the counter. */
  readonly key: string;
  /** The number to add; may be negative. */
  readonly delta: number | bigint;
  /** Time to live of a new counter in milliseconds; 0 means none. An existing counter keeps its deadline. */
  readonly ttlMs?: number | bigint | undefined;
  /** Ignored; counters are independent of caches. Default: the default cache. */
  readonly cacheName?: string | undefined;
}

export type IncrResponse = bigint;

export interface LogParameters {
  /** First line, counted from 0. Needs `to` or `lines`. */
  readonly from?: number | undefined;
  /** Last line, inclusive and greater than `from`. Needs `from`. */
  readonly to?: number | undefined;
  /** Number of lines, starting at `from`; without `from`, the last lines of the file. Default: 1000. */
  readonly lines?: number | undefined;
  /** Path of a file inside the log folder (default: the current log file). */
  readonly path?: string | undefined;
}

export type LogResponse = ReadonlyArray<string>;

export interface MetadataParameters {
  /** Name of the cache. `*` returns an array with all caches. Default: the default cache. */
  readonly cacheName?: string | undefined;
}

export interface MetadataResultIndexes {
  readonly name: string;
  readonly fields: ReadonlyArray<string>;
  readonly descendings: ReadonlyArray<string>;
  readonly unique: boolean;
}

export interface MetadataResult {
  readonly cacheName: string;
  readonly types: ReadonlyArray<string>;
  readonly keyClasses: Readonly<Record<string, string>>;
  readonly valClasses: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly indexes: Readonly<Record<string, ReadonlyArray<MetadataResultIndexes>>>;
  readonly unfit?: Readonly<Record<string, number | bigint>>;
}

export type MetadataResponse = MetadataResult | ReadonlyArray<MetadataResult>;

export interface MetricshistoryParameters {
  /** Only samples after this time, in milliseconds since 1970. */
  readonly after?: number | bigint | undefined;
}

export interface MetricshistoryResultSeries {
  readonly requestsPerSecond: ReadonlyArray<number | null>;
  readonly failuresPerSecond: ReadonlyArray<number | null>;
  readonly p50Ms: ReadonlyArray<number | null>;
  readonly p95Ms: ReadonlyArray<number | null>;
  readonly p99Ms: ReadonlyArray<number | null>;
  readonly inFlight: ReadonlyArray<number | null>;
  readonly waiting: ReadonlyArray<number | null>;
  readonly eventLoopDelayMs: ReadonlyArray<number | null>;
  readonly stalls: ReadonlyArray<number | null>;
  readonly residentBytes: ReadonlyArray<number | null>;
  readonly heapUsedBytes: ReadonlyArray<number | null>;
  readonly processorPercent: ReadonlyArray<number | null>;
  readonly storeBytes: ReadonlyArray<number | null>;
  readonly walBytes: ReadonlyArray<number | null>;
  readonly diskFreeBytes: ReadonlyArray<number | null>;
  readonly unfitEntries: ReadonlyArray<number | null>;
  readonly commitsPerSecond: ReadonlyArray<number | null>;
  readonly commitP50Ms: ReadonlyArray<number | null>;
  readonly commitP99Ms: ReadonlyArray<number | null>;
  readonly statementProcesses: ReadonlyArray<number | null>;
  readonly busyStatementProcesses: ReadonlyArray<number | null>;
  readonly runningStatements: ReadonlyArray<number | null>;
  readonly openCursors: ReadonlyArray<number | null>;
  readonly receivedBytesPerSecond: ReadonlyArray<number | null>;
  readonly sentBytesPerSecond: ReadonlyArray<number | null>;
  readonly backupLagMs: ReadonlyArray<number | null>;
  readonly backupObjectAgeMs: ReadonlyArray<number | null>;
  readonly backupVerifiedAgeMs: ReadonlyArray<number | null>;
}

export interface MetricshistoryResultLimits {
  readonly slowMs: number | null;
  readonly memoryBytes: number | null;
  readonly diskBytes: number | null;
  readonly diskReserveBytes: number | null;
}

export interface MetricshistoryResult {
  readonly intervalMs: number;
  readonly times: ReadonlyArray<number>;
  readonly series: MetricshistoryResultSeries;
  readonly commands: Readonly<Record<string, ReadonlyArray<number | null>>>;
  readonly limits: MetricshistoryResultLimits;
}

export type MetricshistoryResponse = MetricshistoryResult;

export type NameParameters = Readonly<Record<string, never>>;

export type NameResponse = string | null;

export interface NodeParameters {
  /** Id of the node. */
  readonly id?: string | undefined;
  /** An IP address of the node. */
  readonly ip?: string | undefined;
  /** Include the attributes. Default: false. */
  readonly attr?: boolean | undefined;
  /** Include the metrics. Default: false. */
  readonly mtr?: boolean | undefined;
  /** Include the caches. Default: true. */
  readonly caches?: boolean | undefined;
}

export interface NodeResultCaches {
  readonly name: string;
  readonly mode: string;
  readonly sqlSchema: string | null;
}

export interface NodeResult {
  readonly nodeId: string;
  readonly consistentId: string;
  readonly tcpAddresses: ReadonlyArray<string>;
  readonly tcpHostNames: ReadonlyArray<string>;
  readonly tcpPort: number;
  readonly order: number;
  readonly replicaCount: number;
  readonly defaultCacheMode: string;
  readonly metrics: Readonly<Record<string, number>> | null;
  readonly attributes: Readonly<Record<string, Json>> | null;
  readonly caches: ReadonlyArray<NodeResultCaches> | null;
}

export type NodeResponse = NodeResult | null;

export type NoopParameters = Readonly<Record<string, never>>;

export type NoopResponse = null;

export interface PersistParameters {
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
  /** Key of the entry. */
  readonly key: JsonInput;
  /** Id of the node to run the command on; ignored if it is not an id. */
  readonly destId?: string | undefined;
  /** Bit mask, accepted for Ignite clients; has no effect. Default: 2. */
  readonly cacheFlags?: number | undefined;
  /** Name of the type of keys. Default: string. */
  readonly keyType?: string | undefined;
}

export type PersistResponse = boolean;

export interface PrependParameters {
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
  /** Key of the entry. */
  readonly key: JsonInput;
  /** The string, list or map to add. */
  readonly val: JsonInput;
  /** Time to live in milliseconds, from now; 0 means none. Cannot be combined with `exp`. */
  readonly ttlMs?: number | bigint | undefined;
  /** Id of the node to run the command on; ignored if it is not an id. */
  readonly destId?: string | undefined;
  /** Bit mask, accepted for Ignite clients; has no effect. Default: 2. */
  readonly cacheFlags?: number | undefined;
  /** Name of the type of keys. Default: string. */
  readonly keyType?: string | undefined;
  /** Name of the type of values. Default: string. */
  readonly valueType?: string | undefined;
}

export type PrependResponse = boolean;

export interface ProbeParameters {
  /**
   * `liveness`, the default: whether the service is running. `readiness` or `startup`: whether it can execute
   * commands.
   */
  readonly kind?: 'liveness' | 'readiness' | 'startup' | undefined;
}

export type ProbeResponse = string;

export interface PutParameters {
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
  /** Key of the entry. */
  readonly key: JsonInput;
  /** The value. */
  readonly val: JsonInput;
  /** Time to live in milliseconds. If absent, 0 or negative, an entry keeps its deadline, and a new one has none. */
  readonly exp?: number | bigint | undefined;
  /** Time to live in milliseconds, from now; 0 means none. Cannot be combined with `exp`. */
  readonly ttlMs?: number | bigint | undefined;
  /** Return whether the entry is new, instead of true. Default: false. */
  readonly created?: boolean | undefined;
  /** Id of the node to run the command on; ignored if it is not an id. */
  readonly destId?: string | undefined;
  /** Bit mask, accepted for Ignite clients; has no effect. Default: 2. */
  readonly cacheFlags?: number | undefined;
  /** Name of the type of keys. Default: string. */
  readonly keyType?: string | undefined;
  /** Name of the type of values. Default: string. */
  readonly valueType?: string | undefined;
}

export type PutResponse = boolean;

export interface PutallParameters {
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
  /** Keys, numbered from 1 without gaps. */
  readonly keys: readonly JsonInput[];
  /** Values, numbered like the keys. */
  readonly values: readonly JsonInput[];
  /** Time to live in milliseconds, from now; 0 means none. Cannot be combined with `exp`. */
  readonly ttlMs?: number | bigint | undefined;
  /** Id of the node to run the command on; ignored if it is not an id. */
  readonly destId?: string | undefined;
  /** Bit mask, accepted for Ignite clients; has no effect. Default: 2. */
  readonly cacheFlags?: number | undefined;
  /** Name of the type of keys. Default: string. */
  readonly keyType?: string | undefined;
  /** Name of the type of values. Default: string. */
  readonly valueType?: string | undefined;
}

export type PutallResponse = true;

export interface PutifabsParameters {
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
  /** Key of the entry. */
  readonly key: JsonInput;
  /** The value. */
  readonly val: JsonInput;
  /** Time to live in milliseconds. If absent, 0 or negative, an entry keeps its deadline, and a new one has none. */
  readonly exp?: number | bigint | undefined;
  /** Time to live in milliseconds, from now; 0 means none. Cannot be combined with `exp`. */
  readonly ttlMs?: number | bigint | undefined;
  /** Id of the node to run the command on; ignored if it is not an id. */
  readonly destId?: string | undefined;
  /** Bit mask, accepted for Ignite clients; has no effect. Default: 2. */
  readonly cacheFlags?: number | undefined;
  /** Name of the type of keys. Default: string. */
  readonly keyType?: string | undefined;
  /** Name of the type of values. Default: string. */
  readonly valueType?: string | undefined;
}

export type PutifabsResponse = boolean;

export interface QryclsParameters {
  /** Id of the cursor: the `queryId` of the first page. */
  readonly qryId: number | bigint;
}

export type QryclsResponse = true;

export interface QryexeParameters {
  /** Maximum number of rows per page; 0 returns only the columns. Default of the client: 1,000. */
  readonly pageSize?: number | bigint | undefined;
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
  /** Type name of the values. */
  readonly type: string;
  /** A condition, or SQL that begins with `where`, `order by`, `from` or `select *`. */
  readonly qry: string;
  /** Arguments of the statement, numbered from 1. `arg1Type` ... name their types (default: string). */
  readonly args?: readonly (JsonInput | null)[] | undefined;
  /** Time limit of the statement in milliseconds (default: the option `query.timeout`). */
  readonly timeout?: number | bigint | undefined;
  /** Allow joins across nodes (cluster engine). Default: false. */
  readonly distributedJoins?: boolean | undefined;
  /**
   * Accepted for Ignite clients; has no effect. Values of unknown classes are always returned as JSON. Default:
   * false.
   */
  readonly keepBinary?: boolean | undefined;
}

export interface QryexeResultFieldsMetadata {
  readonly fieldName: string | null;
  readonly fieldTypeName: string | null;
  readonly schemaName: string | null;
  readonly typeName: string | null;
}

export interface QryexeResult {
  readonly items: ReadonlyArray<Json>;
  readonly fieldsMetadata: ReadonlyArray<QryexeResultFieldsMetadata> | null;
  readonly last: boolean;
  readonly queryId: number | bigint;
}

export type QryexeResponse = QryexeResult;

export interface QryfetchParameters {
  /** Maximum number of rows per page; 0 returns only the columns. Default of the client: 1,000. */
  readonly pageSize?: number | bigint | undefined;
  /** Id of the cursor: the `queryId` of the first page. */
  readonly qryId: number | bigint;
}

export interface QryfetchResultFieldsMetadata {
  readonly fieldName: string | null;
  readonly fieldTypeName: string | null;
  readonly schemaName: string | null;
  readonly typeName: string | null;
}

export interface QryfetchResult {
  readonly items: ReadonlyArray<Json>;
  readonly fieldsMetadata: ReadonlyArray<QryfetchResultFieldsMetadata> | null;
  readonly last: boolean;
  readonly queryId: number | bigint;
}

export type QryfetchResponse = QryfetchResult;

export interface QryfldexeParameters {
  /** Maximum number of rows per page; 0 returns only the columns. Default of the client: 1,000. */
  readonly pageSize?: number | bigint | undefined;
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
  /** The SQL statement. */
  readonly qry: string;
  /** Arguments of the statement, numbered from 1. `arg1Type` ... name their types (default: string). */
  readonly args?: readonly (JsonInput | null)[] | undefined;
  /** Time limit of the statement in milliseconds (default: the option `query.timeout`). */
  readonly timeout?: number | bigint | undefined;
  /** Maximum number of rows to return. */
  readonly maxRows?: number | undefined;
  /** Also return the number of rows of the page (`rowCount`) and the elapsed time (`timeMs`). Default: false. */
  readonly statistics?: boolean | undefined;
  /** Allow joins across nodes (cluster engine). Default: false. */
  readonly distributedJoins?: boolean | undefined;
  /**
   * Accepted for Ignite clients; has no effect. Values of unknown classes are always returned as JSON. Default:
   * false.
   */
  readonly keepBinary?: boolean | undefined;
}

export interface QryfldexeResultFieldsMetadata {
  readonly fieldName: string | null;
  readonly fieldTypeName: string | null;
  readonly schemaName: string | null;
  readonly typeName: string | null;
}

export interface QryfldexeResult {
  readonly items: ReadonlyArray<Json>;
  readonly fieldsMetadata: ReadonlyArray<QryfldexeResultFieldsMetadata> | null;
  readonly last: boolean;
  readonly queryId: number | bigint;
  readonly rowCount?: number | bigint;
  readonly timeMs?: number;
}

export type QryfldexeResponse = QryfldexeResult;

export interface QrykillParameters {
  /** Id of the query: the `queryId` of its first page, or the `QUERY_ID` of `SYS.RUNNING_STATEMENTS`. */
  readonly qryId: string;
}

export type QrykillResponse = true;

export interface QryscanexeParameters {
  /** Maximum number of rows per page; 0 returns only the columns. Default of the client: 1,000. */
  readonly pageSize?: number | bigint | undefined;
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
  /** Class name of a configured scan predicate. */
  readonly className?: string | undefined;
  /** Time limit of the scan in milliseconds (default: the option `query.timeout`). */
  readonly timeout?: number | bigint | undefined;
}

export interface QryscanexeResultFieldsMetadata {
  readonly fieldName: string | null;
  readonly fieldTypeName: string | null;
  readonly schemaName: string | null;
  readonly typeName: string | null;
}

export interface QryscanexeResult {
  readonly items: ReadonlyArray<Json>;
  readonly fieldsMetadata: ReadonlyArray<QryscanexeResultFieldsMetadata> | null;
  readonly last: boolean;
  readonly queryId: number | bigint;
}

export type QryscanexeResponse = QryscanexeResult;

export interface RemoveuserParameters {
  /** User name; case-sensitive. */
  readonly user: string;
}

export type RemoveuserResponse = true;

export interface RepParameters {
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
  /** Key of the entry. */
  readonly key: JsonInput;
  /** The value. */
  readonly val: JsonInput;
  /** Time to live in milliseconds. If absent, 0 or negative, an entry keeps its deadline, and a new one has none. */
  readonly exp?: number | bigint | undefined;
  /** Time to live in milliseconds, from now; 0 means none. Cannot be combined with `exp`. */
  readonly ttlMs?: number | bigint | undefined;
  /** Id of the node to run the command on; ignored if it is not an id. */
  readonly destId?: string | undefined;
  /** Bit mask, accepted for Ignite clients; has no effect. Default: 2. */
  readonly cacheFlags?: number | undefined;
  /** Name of the type of keys. Default: string. */
  readonly keyType?: string | undefined;
  /** Name of the type of values. Default: string. */
  readonly valueType?: string | undefined;
}

export type RepResponse = boolean;

export interface RepvalParameters {
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
  /** Key of the entry. */
  readonly key: JsonInput;
  /** The value. */
  readonly val: JsonInput;
  /** The expected current value. */
  readonly val2: JsonInput;
  /**
   * Entity tag of the expected current value, in place of `val2`: the ETag that GET of the entry's resource returned,
   * or a list of tags. Not allowed in an atomic batch.
   */
  readonly etag?: string | undefined;
  /** Time to live in milliseconds, from now; 0 means none. Cannot be combined with `exp`. */
  readonly ttlMs?: number | bigint | undefined;
  /** Id of the node to run the command on; ignored if it is not an id. */
  readonly destId?: string | undefined;
  /** Bit mask, accepted for Ignite clients; has no effect. Default: 2. */
  readonly cacheFlags?: number | undefined;
  /** Name of the type of keys. Default: string. */
  readonly keyType?: string | undefined;
  /** Name of the type of values. Default: string. */
  readonly valueType?: string | undefined;
}

export type RepvalResponse = boolean;

export interface ResParameters {
  /** Id of the task, as returned by `exe`. */
  readonly id: string;
}

export interface ResResult {
  readonly id: string;
  readonly finished: boolean;
  readonly error: string | null;
  readonly result: Json;
}

export type ResResponse = ResResult;

export interface RmvParameters {
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
  /** Key of the entry. */
  readonly key: JsonInput;
  /** Id of the node to run the command on; ignored if it is not an id. */
  readonly destId?: string | undefined;
  /** Bit mask, accepted for Ignite clients; has no effect. Default: 2. */
  readonly cacheFlags?: number | undefined;
  /** Name of the type of keys. Default: string. */
  readonly keyType?: string | undefined;
}

export type RmvResponse = boolean;

export interface RmvallParameters {
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
  /** Keys, numbered from 1 without gaps. */
  readonly keys: readonly JsonInput[];
  /** Id of the node to run the command on; ignored if it is not an id. */
  readonly destId?: string | undefined;
  /** Bit mask, accepted for Ignite clients; has no effect. Default: 2. */
  readonly cacheFlags?: number | undefined;
  /** Name of the type of keys. Default: string. */
  readonly keyType?: string | undefined;
}

export type RmvallResponse = true;

export interface RmvvalParameters {
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
  /** Key of the entry. */
  readonly key: JsonInput;
  /** The value. */
  readonly val?: JsonInput | undefined;
  /**
   * Entity tag of the expected current value, in place of `val`: the ETag that GET of the entry's resource returned,
   * or a list of tags. Not allowed in an atomic batch.
   */
  readonly etag?: string | undefined;
  /** Id of the node to run the command on; ignored if it is not an id. */
  readonly destId?: string | undefined;
  /** Bit mask, accepted for Ignite clients; has no effect. Default: 2. */
  readonly cacheFlags?: number | undefined;
  /** Name of the type of keys. Default: string. */
  readonly keyType?: string | undefined;
  /** Name of the type of values. Default: string. */
  readonly valueType?: string | undefined;
}

export type RmvvalResponse = boolean;

export interface RoleaddParameters {
  /** Name of the role; case-sensitive. */
  readonly name: string;
  /**
   * Rights of the role: a JSON object like a role in the configuration, with `commands`, `caches`, `tables`,
   * `counters`, `tasks` and `administration`, as an object or its text. If `commands` is absent, all commands are
   * allowed; any other absent member grants nothing.
   */
  readonly rights: string;
}

export type RoleaddResponse = true;

export interface RoleassignParameters {
  /** User name; case-sensitive. */
  readonly user: string;
  /** Comma-separated role names. If empty, the user has no rights. */
  readonly roles: string | readonly string[];
}

export type RoleassignResponse = true;

export type RolelistParameters = Readonly<Record<string, never>>;

export interface RolelistResult {
  readonly name: string;
  readonly source: 'builtIn' | 'configuration' | 'stored';
  readonly commands: ReadonlyArray<string> | null;
  readonly caches: Readonly<Record<string, ReadonlyArray<string>>>;
  readonly tables: Readonly<Record<string, ReadonlyArray<string>>>;
  readonly counters: ReadonlyArray<string>;
  readonly tasks: ReadonlyArray<string>;
  readonly administration: ReadonlyArray<string>;
  readonly users: ReadonlyArray<string>;
  readonly others: boolean;
}

export type RolelistResponse = ReadonlyArray<RolelistResult>;

export interface RolermvParameters {
  /** Name of the role; case-sensitive. */
  readonly name: string;
}

export type RolermvResponse = true;

export interface RoleupdateParameters {
  /** Name of the role; case-sensitive. */
  readonly name: string;
  /**
   * Rights of the role: a JSON object like a role in the configuration, with `commands`, `caches`, `tables`,
   * `counters`, `tasks` and `administration`, as an object or its text. If `commands` is absent, all commands are
   * allowed; any other absent member grants nothing.
   */
  readonly rights: string;
}

export type RoleupdateResponse = true;

export interface SavedqueryaddParameters {
  /** Name of the query, unique among the user's queries. */
  readonly name: string;
  /** Text of the query: one or more SQL statements. It is not checked. */
  readonly qry: string;
  /** Cache whose schema is the default of the statement; empty: `PUBLIC`. */
  readonly cacheName?: string | undefined;
  /**
   * Fields of a form: a JSON array with an object for each placeholder. `name` is its name, or `?1` for the first
   * `?`; `label`, `type` (default: string) and `default` (a string) are optional.
   */
  readonly parameters?: string | undefined;
  /** All users may read it. To execute it, they need the rights themselves. Default: false. */
  readonly shared?: boolean | undefined;
}

export interface SavedqueryaddResultParameters {
  readonly name: string;
  readonly label: string | null;
  readonly type: string;
  readonly default: string | null;
}

export interface SavedqueryaddResult {
  readonly id: string;
  readonly name: string;
  readonly user: string | null;
  readonly shared: boolean;
  readonly changeable: boolean;
  readonly revision: number;
  readonly createdAt: string;
  readonly changedAt: string;
  readonly changedBy: string | null;
  readonly qry: string;
  readonly cacheName: string | null;
  readonly parameters: ReadonlyArray<SavedqueryaddResultParameters>;
}

export type SavedqueryaddResponse = SavedqueryaddResult;

export interface SavedquerygetParameters {
  /** Id of the saved query. */
  readonly id: string;
}

export interface SavedquerygetResultParameters {
  readonly name: string;
  readonly label: string | null;
  readonly type: string;
  readonly default: string | null;
}

export interface SavedquerygetResult {
  readonly id: string;
  readonly name: string;
  readonly user: string | null;
  readonly shared: boolean;
  readonly changeable: boolean;
  readonly revision: number;
  readonly createdAt: string;
  readonly changedAt: string;
  readonly changedBy: string | null;
  readonly qry: string;
  readonly cacheName: string | null;
  readonly parameters: ReadonlyArray<SavedquerygetResultParameters>;
}

export type SavedquerygetResponse = SavedquerygetResult;

export interface SavedquerylistParameters {
  /** List only the queries of this user, for administrators including those that are not shared. */
  readonly user?: string | undefined;
}

export interface SavedquerylistResult {
  readonly id: string;
  readonly name: string;
  readonly user: string | null;
  readonly shared: boolean;
  readonly changeable: boolean;
  readonly revision: number;
  readonly createdAt: string;
  readonly changedAt: string;
  readonly changedBy: string | null;
}

export type SavedquerylistResponse = ReadonlyArray<SavedquerylistResult>;

export interface SavedqueryrmvParameters {
  /** Id of the saved query. */
  readonly id: string;
}

export type SavedqueryrmvResponse = true;

export interface SavedqueryupdateParameters {
  /** Id of the saved query. */
  readonly id: string;
  /** New name, unique among the owner's queries. */
  readonly name?: string | undefined;
  /** New text of the query. */
  readonly qry?: string | undefined;
  /** Cache whose schema is the default of the statement; empty: `PUBLIC`. */
  readonly cacheName?: string | undefined;
  /**
   * Fields of a form: a JSON array with an object for each placeholder. `name` is its name, or `?1` for the first
   * `?`; `label`, `type` (default: string) and `default` (a string) are optional.
   */
  readonly parameters?: string | undefined;
  /** Whether all users may read it. Default: as before. */
  readonly shared?: boolean | undefined;
  /** Change the query only if it has this revision. Default: any. */
  readonly revision?: number | bigint | undefined;
}

export interface SavedqueryupdateResultParameters {
  readonly name: string;
  readonly label: string | null;
  readonly type: string;
  readonly default: string | null;
}

export interface SavedqueryupdateResult {
  readonly id: string;
  readonly name: string;
  readonly user: string | null;
  readonly shared: boolean;
  readonly changeable: boolean;
  readonly revision: number;
  readonly createdAt: string;
  readonly changedAt: string;
  readonly changedBy: string | null;
  readonly qry: string;
  readonly cacheName: string | null;
  readonly parameters: ReadonlyArray<SavedqueryupdateResultParameters>;
}

export type SavedqueryupdateResponse = SavedqueryupdateResult;

export interface SessionlistParameters {
  /** List only the sessions of this user. */
  readonly user?: string | undefined;
  /** Maximum number of sessions. Default: 1000. */
  readonly limit?: number | undefined;
}

export interface SessionlistResult {
  readonly id: string;
  readonly user: string;
  readonly address: string | null;
  readonly startedAt: string | null;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string;
  readonly current: boolean;
}

export type SessionlistResponse = ReadonlyArray<SessionlistResult>;

export interface SessionrmvParameters {
  /** Id of the session, from `sessionlist`. */
  readonly id?: string | undefined;
  /** User whose sessions to end, in place of `id`. */
  readonly user?: string | undefined;
}

export type SessionrmvResponse = bigint;

export interface SetstateParameters {
  /** The new state. */
  readonly state: 'ACTIVE' | 'ACTIVE_READ_ONLY' | 'INACTIVE';
  /** Deactivate even if that drops entries of non-persistent caches. Default: false. */
  readonly force?: boolean | undefined;
}

export type SetstateResponse = string;

export interface SizeParameters {
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
  /** Id of the node to run the command on; ignored if it is not an id. */
  readonly destId?: string | undefined;
  /** Bit mask, accepted for Ignite clients; has no effect. Default: 2. */
  readonly cacheFlags?: number | undefined;
}

export type SizeResponse = bigint;

export type StateParameters = Readonly<Record<string, never>>;

export type StateResponse = string;

export interface TaskkillParameters {
  /** Id of the task, from `tasklist` or from `exe` with async=true. */
  readonly id: string;
}

export type TaskkillResponse = true;

export type TasklistParameters = Readonly<Record<string, never>>;

export interface TasklistResult {
  readonly id: string;
  readonly name: string;
  readonly user: string;
  readonly startedAt: string;
}

export type TasklistResponse = ReadonlyArray<TasklistResult>;

export interface TopParameters {
  /** Id of the node. */
  readonly id?: string | undefined;
  /** An IP address of the node. */
  readonly ip?: string | undefined;
  /** Include the attributes. Default: false. */
  readonly attr?: boolean | undefined;
  /** Include the metrics. Default: false. */
  readonly mtr?: boolean | undefined;
  /** Include the caches. Default: true. */
  readonly caches?: boolean | undefined;
}

export interface TopResultCaches {
  readonly name: string;
  readonly mode: string;
  readonly sqlSchema: string | null;
}

export interface TopResult {
  readonly nodeId: string;
  readonly consistentId: string;
  readonly tcpAddresses: ReadonlyArray<string>;
  readonly tcpHostNames: ReadonlyArray<string>;
  readonly tcpPort: number;
  readonly order: number;
  readonly replicaCount: number;
  readonly defaultCacheMode: string;
  readonly metrics: Readonly<Record<string, number>> | null;
  readonly attributes: Readonly<Record<string, Json>> | null;
  readonly caches: ReadonlyArray<TopResultCaches> | null;
}

export type TopResponse = ReadonlyArray<TopResult>;

export interface TtlParameters {
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
  /** Key of the entry. */
  readonly key: JsonInput;
  /** Id of the node to run the command on; ignored if it is not an id. */
  readonly destId?: string | undefined;
  /** Bit mask, accepted for Ignite clients; has no effect. Default: 2. */
  readonly cacheFlags?: number | undefined;
  /** Name of the type of keys. Default: string. */
  readonly keyType?: string | undefined;
}

export type TtlResponse = bigint | null;

export interface UpdatettlParameters {
  /** Name of the cache. Default: the default cache. */
  readonly cacheName?: string | undefined;
  /** Key of the entry. */
  readonly key: JsonInput;
  /**
   * Time to live in milliseconds, from now. 0 removes the deadline; a negative value expires the entry immediately.
   * Required without `ttlMs`.
   */
  readonly exp?: number | bigint | undefined;
  /** Time to live in milliseconds, from now; 0 means none. Cannot be combined with `exp`. */
  readonly ttlMs?: number | bigint | undefined;
  /** Id of the node to run the command on; ignored if it is not an id. */
  readonly destId?: string | undefined;
  /** Bit mask, accepted for Ignite clients; has no effect. Default: 2. */
  readonly cacheFlags?: number | undefined;
  /** Name of the type of keys. Default: string. */
  readonly keyType?: string | undefined;
}

export type UpdatettlResponse = boolean;

export interface UpdateuserParameters {
  /** User name; case-sensitive. */
  readonly user: string;
  /** Password of the user. */
  readonly password: string;
  /** Your current password, required to change it unless the request itself logs in with name and password. */
  readonly oldPassword?: string | undefined;
}

export type UpdateuserResponse = true;

export type UserlistParameters = Readonly<Record<string, never>>;

export interface UserlistResult {
  readonly name: string;
  readonly roles: ReadonlyArray<string>;
  readonly rolesFrom: 'configuration' | 'assigned' | 'others';
  readonly isDefault: boolean;
}

export type UserlistResponse = ReadonlyArray<UserlistResult>;

export type VersionParameters = Readonly<Record<string, never>>;

export type VersionResponse = string;

export interface ExportParameters {
  /** The table: `person`, `"Person"` or `PUBLIC.PERSON`. Either `table` or `cacheName` is required. */
  readonly table?: string | undefined;
  /** The cache. With `table`, the cache in whose schema the table is looked up. */
  readonly cacheName?: string | undefined;
  /** Format of the rows (default: from the media type). */
  readonly format?: 'csv' | 'ndjson' | undefined;
  /** CSV: the first line names the columns. Default: true. */
  readonly header?: boolean | undefined;
  /** CSV: character between fields (default: comma); `tab` for a tab. */
  readonly delimiter?: string | undefined;
  /** CSV: unquoted text that stands for NULL (default: empty). */
  readonly nullText?: string | undefined;
  /** Number of cache entries to skip at the beginning of the export; not on a cluster. Default: 0. */
  readonly skip?: number | undefined;
}

export interface ImportParameters {
  /** The table: `person`, `"Person"` or `PUBLIC.PERSON`. Either `table` or `cacheName` is required. */
  readonly table?: string | undefined;
  /** The cache. With `table`, the cache in whose schema the table is looked up. */
  readonly cacheName?: string | undefined;
  /** Format of the rows (default: from the media type). */
  readonly format?: 'csv' | 'ndjson' | undefined;
  /** Id of your choice, with which later requests can continue the import. */
  readonly importId?: string | undefined;
  /** Store all records together at the end, or none of them. Default: false. */
  readonly atomic?: boolean | undefined;
  /** Where the body begins in the source, in bytes (default: 0). */
  readonly offset?: number | bigint | undefined;
  /** The source ends with this body. `false`: later requests continue it. Default: true. */
  readonly last?: boolean | undefined;
  /** What to do with a record whose key exists (default: `error` for tables, `replace` for caches). */
  readonly onDuplicate?: 'error' | 'replace' | 'skip' | undefined;
  /** What to do after a record that cannot be stored (default: `stop`). */
  readonly onError?: 'stop' | 'skip' | undefined;
  /** Create the table if it does not exist, with columns inferred from the source. Default: false. */
  readonly create?: boolean | undefined;
  /** Only return the inferred `plan`, and store nothing. Default: false. */
  readonly dryRun?: boolean | undefined;
  /** Column types of a new table, in place of the inferred ones: `people=varchar,price=decimal(10,2)`. */
  readonly types?: string | undefined;
  /** Primary key of a new table: comma-separated column names. */
  readonly key?: string | undefined;
  /** Table: column that receives the record number, from 1 (default: the key of a new table that has no other). */
  readonly rowNumber?: string | undefined;
  /** CSV: the first record names the columns. Default: true; inferred with create. */
  readonly header?: boolean | undefined;
  /** CSV: comma-separated column names in order, in place of the header. */
  readonly columns?: string | undefined;
  /** Table: comma-separated columns of the source to leave out. */
  readonly omit?: string | undefined;
  /** CSV: character between fields (default: comma); `tab` for a tab. */
  readonly delimiter?: string | undefined;
  /** CSV: unquoted text that stands for NULL (default: empty). */
  readonly nullText?: string | undefined;
  /** Table: date format of the source, such as `dd.MM.yyyy` (default: `yyyy-MM-dd`; inferred with create). */
  readonly dateFormat?: string | undefined;
  /** Table: decimal separator of the source, `,` or `.` (default: `.`; inferred with create). */
  readonly decimalSeparator?: string | undefined;
  /** Table: thousands separator of the source: `.`, `,`, `'` or `space` (default: none; inferred with create). */
  readonly thousands?: string | undefined;
  /** Cache: type of the keys (default: text in CSV, as written in JSON). */
  readonly keyType?: string | undefined;
  /** Cache: type of the values (default: text in CSV, as written in JSON). */
  readonly valueType?: string | undefined;
  /** Cache: time to live in milliseconds of entries whose record has no `expires`, from now; 0: none. */
  readonly ttlMs?: number | bigint | undefined;
}

export interface WatchParameters {
  /**
   * Comma-separated cache names; double quotes enclose a name with a comma. `*`: all caches whose changes are
   * recorded. Default: the default cache.
   */
  readonly cacheName?: string | undefined;
  /** Only changes of the entry with this key, and of the cache as a whole. */
  readonly key?: JsonInput | undefined;
  /**
   * Only these kinds of changes, separated by commas: created, updated, removed, expired, expiryChanged, cleared,
   * cacheCreated, cacheAltered, cacheDestroyed, feedStarted, feedEnded.
   */
  readonly operation?: string | undefined;
  /** Whether changes include the value that they replaced or removed. Default: false. */
  readonly oldValue?: boolean | undefined;
  /** Where to begin: `now` (the default), `start` (the oldest retained change) or a position. */
  readonly from?: string | undefined;
  /**
   * The position of the last event received, for clients that cannot send the header Last-Event-ID. Both take
   * precedence over `from`.
   */
  readonly lastEventId?: string | undefined;
  /** Whether to wait for new changes; if false, the stream ends after the last one. Default: true. */
  readonly follow?: boolean | undefined;
  /** Milliseconds without a change after which the stream sends a heartbeat with its position. Default: 15000. */
  readonly heartbeatMs?: number | undefined;
  /** Format of the stream (default: from the header Accept, else ndjson). */
  readonly format?: 'sse' | 'ndjson' | undefined;
  /** Name of the type of keys. Default: string. */
  readonly keyType?: string | undefined;
}

export interface ImportResultErrors {
  readonly line: number;
  readonly message: string;
}

export interface ImportResultPlanColumns {
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly key: boolean;
}

export interface ImportResultPlan {
  readonly statement: string | null;
  readonly parameters: Readonly<Record<string, string>>;
  readonly columns: ReadonlyArray<ImportResultPlanColumns>;
  readonly sample: ReadonlyArray<ReadonlyArray<string | null>>;
  readonly records: number;
  readonly complete: boolean;
  readonly notes: ReadonlyArray<string>;
}

export interface ImportResult {
  readonly importId: string | null;
  readonly state: 'open' | 'done';
  readonly rows: number;
  readonly skipped: number;
  readonly rejected: number;
  readonly offset: number;
  readonly line: number;
  readonly errors: ReadonlyArray<ImportResultErrors>;
  readonly plan?: ImportResultPlan;
}

export type ImportResponse = ImportResult;

export interface CommandParameters {
  readonly activate: ActivateParameters;
  readonly active: ActiveParameters;
  readonly add: AddParameters;
  readonly adduser: AdduserParameters;
  readonly apikeyadd: ApikeyaddParameters;
  readonly apikeylist: ApikeylistParameters;
  readonly apikeyrmv: ApikeyrmvParameters;
  readonly apikeyrotate: ApikeyrotateParameters;
  readonly append: AppendParameters;
  readonly authenticate: AuthenticateParameters;
  readonly backup: BackupParameters;
  readonly backups: BackupsParameters;
  readonly backupverify: BackupverifyParameters;
  readonly baseline: BaselineParameters;
  readonly batch: BatchParameters;
  readonly cache: CacheParameters;
  readonly cachelist: CachelistParameters;
  readonly cas: CasParameters;
  readonly changefeed: ChangefeedParameters;
  readonly clear: ClearParameters;
  readonly config: ConfigParameters;
  readonly conkey: ConkeyParameters;
  readonly conkeys: ConkeysParameters;
  readonly counterpersist: CounterpersistParameters;
  readonly counterttl: CounterttlParameters;
  readonly currentstate: CurrentstateParameters;
  readonly dataregion: DataregionParameters;
  readonly deactivate: DeactivateParameters;
  readonly decr: DecrParameters;
  readonly destcache: DestcacheParameters;
  readonly drain: DrainParameters;
  readonly dryrun: DryrunParameters;
  readonly exe: ExeParameters;
  readonly get: GetParameters;
  readonly getall: GetallParameters;
  readonly getorcreate: GetorcreateParameters;
  readonly getput: GetputParameters;
  readonly getputifabs: GetputifabsParameters;
  readonly getrep: GetrepParameters;
  readonly getrmv: GetrmvParameters;
  readonly importrmv: ImportrmvParameters;
  readonly importstate: ImportstateParameters;
  readonly inactive: InactiveParameters;
  readonly incr: IncrParameters;
  readonly log: LogParameters;
  readonly metadata: MetadataParameters;
  readonly metricshistory: MetricshistoryParameters;
  readonly name: NameParameters;
  readonly node: NodeParameters;
  readonly noop: NoopParameters;
  readonly persist: PersistParameters;
  readonly prepend: PrependParameters;
  readonly probe: ProbeParameters;
  readonly put: PutParameters;
  readonly putall: PutallParameters;
  readonly putifabs: PutifabsParameters;
  readonly qrycls: QryclsParameters;
  readonly qryexe: QryexeParameters;
  readonly qryfetch: QryfetchParameters;
  readonly qryfldexe: QryfldexeParameters;
  readonly qrykill: QrykillParameters;
  readonly qryscanexe: QryscanexeParameters;
  readonly removeuser: RemoveuserParameters;
  readonly rep: RepParameters;
  readonly repval: RepvalParameters;
  readonly res: ResParameters;
  readonly rmv: RmvParameters;
  readonly rmvall: RmvallParameters;
  readonly rmvval: RmvvalParameters;
  readonly roleadd: RoleaddParameters;
  readonly roleassign: RoleassignParameters;
  readonly rolelist: RolelistParameters;
  readonly rolermv: RolermvParameters;
  readonly roleupdate: RoleupdateParameters;
  readonly savedqueryadd: SavedqueryaddParameters;
  readonly savedqueryget: SavedquerygetParameters;
  readonly savedquerylist: SavedquerylistParameters;
  readonly savedqueryrmv: SavedqueryrmvParameters;
  readonly savedqueryupdate: SavedqueryupdateParameters;
  readonly sessionlist: SessionlistParameters;
  readonly sessionrmv: SessionrmvParameters;
  readonly setstate: SetstateParameters;
  readonly size: SizeParameters;
  readonly state: StateParameters;
  readonly taskkill: TaskkillParameters;
  readonly tasklist: TasklistParameters;
  readonly top: TopParameters;
  readonly ttl: TtlParameters;
  readonly updatettl: UpdatettlParameters;
  readonly updateuser: UpdateuserParameters;
  readonly userlist: UserlistParameters;
  readonly version: VersionParameters;
}

export interface CommandResponses {
  readonly activate: ActivateResponse;
  readonly active: ActiveResponse;
  readonly add: AddResponse;
  readonly adduser: AdduserResponse;
  readonly apikeyadd: ApikeyaddResponse;
  readonly apikeylist: ApikeylistResponse;
  readonly apikeyrmv: ApikeyrmvResponse;
  readonly apikeyrotate: ApikeyrotateResponse;
  readonly append: AppendResponse;
  readonly authenticate: AuthenticateResponse;
  readonly backup: BackupResponse;
  readonly backups: BackupsResponse;
  readonly backupverify: BackupverifyResponse;
  readonly baseline: BaselineResponse;
  readonly batch: BatchResponse;
  readonly cache: CacheResponse;
  readonly cachelist: CachelistResponse;
  readonly cas: CasResponse;
  readonly changefeed: ChangefeedResponse;
  readonly clear: ClearResponse;
  readonly config: ConfigResponse;
  readonly conkey: ConkeyResponse;
  readonly conkeys: ConkeysResponse;
  readonly counterpersist: CounterpersistResponse;
  readonly counterttl: CounterttlResponse;
  readonly currentstate: CurrentstateResponse;
  readonly dataregion: DataregionResponse;
  readonly deactivate: DeactivateResponse;
  readonly decr: DecrResponse;
  readonly destcache: DestcacheResponse;
  readonly drain: DrainResponse;
  readonly dryrun: DryrunResponse;
  readonly exe: ExeResponse;
  readonly get: GetResponse;
  readonly getall: GetallResponse;
  readonly getorcreate: GetorcreateResponse;
  readonly getput: GetputResponse;
  readonly getputifabs: GetputifabsResponse;
  readonly getrep: GetrepResponse;
  readonly getrmv: GetrmvResponse;
  readonly importrmv: ImportrmvResponse;
  readonly importstate: ImportstateResponse;
  readonly inactive: InactiveResponse;
  readonly incr: IncrResponse;
  readonly log: LogResponse;
  readonly metadata: MetadataResponse;
  readonly metricshistory: MetricshistoryResponse;
  readonly name: NameResponse;
  readonly node: NodeResponse;
  readonly noop: NoopResponse;
  readonly persist: PersistResponse;
  readonly prepend: PrependResponse;
  readonly probe: ProbeResponse;
  readonly put: PutResponse;
  readonly putall: PutallResponse;
  readonly putifabs: PutifabsResponse;
  readonly qrycls: QryclsResponse;
  readonly qryexe: QryexeResponse;
  readonly qryfetch: QryfetchResponse;
  readonly qryfldexe: QryfldexeResponse;
  readonly qrykill: QrykillResponse;
  readonly qryscanexe: QryscanexeResponse;
  readonly removeuser: RemoveuserResponse;
  readonly rep: RepResponse;
  readonly repval: RepvalResponse;
  readonly res: ResResponse;
  readonly rmv: RmvResponse;
  readonly rmvall: RmvallResponse;
  readonly rmvval: RmvvalResponse;
  readonly roleadd: RoleaddResponse;
  readonly roleassign: RoleassignResponse;
  readonly rolelist: RolelistResponse;
  readonly rolermv: RolermvResponse;
  readonly roleupdate: RoleupdateResponse;
  readonly savedqueryadd: SavedqueryaddResponse;
  readonly savedqueryget: SavedquerygetResponse;
  readonly savedquerylist: SavedquerylistResponse;
  readonly savedqueryrmv: SavedqueryrmvResponse;
  readonly savedqueryupdate: SavedqueryupdateResponse;
  readonly sessionlist: SessionlistResponse;
  readonly sessionrmv: SessionrmvResponse;
  readonly setstate: SetstateResponse;
  readonly size: SizeResponse;
  readonly state: StateResponse;
  readonly taskkill: TaskkillResponse;
  readonly tasklist: TasklistResponse;
  readonly top: TopResponse;
  readonly ttl: TtlResponse;
  readonly updatettl: UpdatettlResponse;
  readonly updateuser: UpdateuserResponse;
  readonly userlist: UserlistResponse;
  readonly version: VersionResponse;
}

/** How the client sends a command and reads its response. */
export interface CommandTraits {
  /** How often the request may be sent: `any`; `keyed`: with an idempotency key; `once`. */
  readonly repeats: 'any' | 'keyed' | 'once';
  /** The response is a 64-bit integer. */
  readonly long?: true;
  /** The response is a page, whose size the client sets if the caller does not. */
  readonly paged?: true;
  /** Calls of one tick may share a batch. */
  readonly batched?: true;
  /** The names of its parameters. */
  readonly takes: readonly string[];
}

export const COMMAND_TRAITS: { readonly [C in keyof CommandParameters]: CommandTraits } = {
  activate: { repeats: 'keyed', takes: [] },
  active: { repeats: 'keyed', takes: [] },
  add: {
    repeats: 'keyed',
    batched: true,
    takes: ['cacheName', 'key', 'val', 'exp', 'ttlMs', 'destId', 'cacheFlags', 'keyType', 'valueType'],
  },
  adduser: { repeats: 'keyed', takes: ['user', 'password', 'roles'] },
  apikeyadd: { repeats: 'once', takes: ['name', 'user', 'scope', 'addresses', 'rate', 'ttlMs'] },
  apikeylist: { repeats: 'any', takes: ['user'] },
  apikeyrmv: { repeats: 'keyed', takes: ['id'] },
  apikeyrotate: { repeats: 'once', takes: ['id', 'overlapMs', 'ttlMs'] },
  append: {
    repeats: 'keyed',
    batched: true,
    takes: ['cacheName', 'key', 'val', 'ttlMs', 'destId', 'cacheFlags', 'keyType', 'valueType'],
  },
  authenticate: { repeats: 'once', takes: ['svc.login', 'svc.password', 'console'] },
  backup: { repeats: 'once', takes: ['name', 'wait'] },
  backups: { repeats: 'any', takes: ['restorable'] },
  backupverify: { repeats: 'any', takes: ['name'] },
  baseline: { repeats: 'any', takes: [] },
  batch: { repeats: 'keyed', takes: ['commands', 'atomic', 'stopOnError', 'timeout'] },
  cache: { repeats: 'any', takes: ['cacheName', 'destId', 'cacheFlags'] },
  cachelist: { repeats: 'any', takes: ['regex', 'groups', 'seq', 'config', 'nodeId'] },
  cas: {
    repeats: 'keyed',
    batched: true,
    takes: ['cacheName', 'key', 'val', 'val2', 'ttlMs', 'destId', 'cacheFlags', 'keyType', 'valueType'],
  },
  changefeed: { repeats: 'keyed', takes: ['cacheName', 'enabled'] },
  clear: { repeats: 'keyed', takes: ['cacheName', 'destId', 'cacheFlags'] },
  config: { repeats: 'any', takes: [] },
  conkey: { repeats: 'any', batched: true, takes: ['cacheName', 'key', 'destId', 'cacheFlags', 'keyType'] },
  conkeys: { repeats: 'any', takes: ['cacheName', 'keys', 'destId', 'cacheFlags', 'keyType'] },
  counterpersist: { repeats: 'keyed', takes: ['key'] },
  counterttl: { repeats: 'any', long: true, takes: ['key'] },
  currentstate: { repeats: 'any', takes: [] },
  dataregion: { repeats: 'any', takes: [] },
  deactivate: { repeats: 'keyed', takes: ['force'] },
  decr: {
    repeats: 'keyed',
    long: true,
    batched: true,
    takes: ['init', 'key', 'delta', 'ttlMs', 'cacheName'],
  },
  destcache: { repeats: 'keyed', takes: ['cacheName'] },
  drain: { repeats: 'keyed', takes: ['action', 'force'] },
  dryrun: { repeats: 'any', takes: ['of'] },
  exe: { repeats: 'keyed', takes: ['name', 'params', 'async', 'timeout', 'destId'] },
  get: { repeats: 'any', batched: true, takes: ['cacheName', 'key', 'destId', 'cacheFlags', 'keyType'] },
  getall: { repeats: 'any', takes: ['cacheName', 'keys', 'destId', 'cacheFlags', 'asArray', 'keyType'] },
  getorcreate: {
    repeats: 'keyed',
    takes: [
      'cacheName',
      'backups',
      'dataRegion',
      'templateName',
      'cacheGroup',
      'writeSynchronizationMode',
      'ttlMs',
      'sliding',
      'changeFeed',
    ],
  },
  getput: {
    repeats: 'keyed',
    takes: ['cacheName', 'key', 'val', 'ttlMs', 'destId', 'cacheFlags', 'keyType', 'valueType'],
  },
  getputifabs: {
    repeats: 'keyed',
    takes: ['cacheName', 'key', 'val', 'ttlMs', 'destId', 'cacheFlags', 'keyType', 'valueType'],
  },
  getrep: {
    repeats: 'keyed',
    takes: ['cacheName', 'key', 'val', 'ttlMs', 'destId', 'cacheFlags', 'keyType', 'valueType'],
  },
  getrmv: { repeats: 'keyed', takes: ['cacheName', 'key', 'destId', 'cacheFlags', 'keyType'] },
  importrmv: { repeats: 'keyed', takes: ['importId'] },
  importstate: { repeats: 'any', takes: ['importId'] },
  inactive: { repeats: 'keyed', takes: ['force'] },
  incr: {
    repeats: 'keyed',
    long: true,
    batched: true,
    takes: ['init', 'key', 'delta', 'ttlMs', 'cacheName'],
  },
  log: { repeats: 'any', takes: ['from', 'to', 'lines', 'path'] },
  metadata: { repeats: 'any', takes: ['cacheName'] },
  metricshistory: { repeats: 'any', takes: ['after'] },
  name: { repeats: 'any', takes: [] },
  node: { repeats: 'any', takes: ['id', 'ip', 'attr', 'mtr', 'caches'] },
  noop: { repeats: 'any', takes: [] },
  persist: {
    repeats: 'keyed',
    batched: true,
    takes: ['cacheName', 'key', 'destId', 'cacheFlags', 'keyType'],
  },
  prepend: {
    repeats: 'keyed',
    batched: true,
    takes: ['cacheName', 'key', 'val', 'ttlMs', 'destId', 'cacheFlags', 'keyType', 'valueType'],
  },
  probe: { repeats: 'any', takes: ['kind'] },
  put: {
    repeats: 'keyed',
    batched: true,
    takes: ['cacheName', 'key', 'val', 'exp', 'ttlMs', 'created', 'destId', 'cacheFlags', 'keyType', 'valueType'],
  },
  putall: {
    repeats: 'keyed',
    takes: ['cacheName', 'keys', 'values', 'ttlMs', 'destId', 'cacheFlags', 'keyType', 'valueType'],
  },
  putifabs: {
    repeats: 'keyed',
    batched: true,
    takes: ['cacheName', 'key', 'val', 'exp', 'ttlMs', 'destId', 'cacheFlags', 'keyType', 'valueType'],
  },
  qrycls: { repeats: 'once', takes: ['qryId'] },
  qryexe: {
    repeats: 'any',
    paged: true,
    takes: ['pageSize', 'cacheName', 'type', 'qry', 'args', 'timeout', 'distributedJoins', 'keepBinary'],
  },
  qryfetch: { repeats: 'once', paged: true, takes: ['pageSize', 'qryId'] },
  qryfldexe: {
    repeats: 'keyed',
    paged: true,
    takes: [
      'pageSize',
      'cacheName',
      'qry',
      'args',
      'timeout',
      'maxRows',
      'statistics',
      'distributedJoins',
      'keepBinary',
    ],
  },
  qrykill: { repeats: 'keyed', takes: ['qryId'] },
  qryscanexe: { repeats: 'any', paged: true, takes: ['pageSize', 'cacheName', 'className', 'timeout'] },
  removeuser: { repeats: 'keyed', takes: ['user'] },
  rep: {
    repeats: 'keyed',
    batched: true,
    takes: ['cacheName', 'key', 'val', 'exp', 'ttlMs', 'destId', 'cacheFlags', 'keyType', 'valueType'],
  },
  repval: {
    repeats: 'keyed',
    batched: true,
    takes: ['cacheName', 'key', 'val', 'val2', 'etag', 'ttlMs', 'destId', 'cacheFlags', 'keyType', 'valueType'],
  },
  res: { repeats: 'any', takes: ['id'] },
  rmv: {
    repeats: 'keyed',
    batched: true,
    takes: ['cacheName', 'key', 'destId', 'cacheFlags', 'keyType'],
  },
  rmvall: { repeats: 'keyed', takes: ['cacheName', 'keys', 'destId', 'cacheFlags', 'keyType'] },
  rmvval: {
    repeats: 'keyed',
    batched: true,
    takes: ['cacheName', 'key', 'val', 'etag', 'destId', 'cacheFlags', 'keyType', 'valueType'],
  },
  roleadd: { repeats: 'keyed', takes: ['name', 'rights'] },
  roleassign: { repeats: 'keyed', takes: ['user', 'roles'] },
  rolelist: { repeats: 'any', takes: [] },
  rolermv: { repeats: 'keyed', takes: ['name'] },
  roleupdate: { repeats: 'keyed', takes: ['name', 'rights'] },
  savedqueryadd: { repeats: 'keyed', takes: ['name', 'qry', 'cacheName', 'parameters', 'shared'] },
  savedqueryget: { repeats: 'any', takes: ['id'] },
  savedquerylist: { repeats: 'any', takes: ['user'] },
  savedqueryrmv: { repeats: 'keyed', takes: ['id'] },
  savedqueryupdate: {
    repeats: 'keyed',
    takes: ['id', 'name', 'qry', 'cacheName', 'parameters', 'shared', 'revision'],
  },
  sessionlist: { repeats: 'any', takes: ['user', 'limit'] },
  sessionrmv: { repeats: 'keyed', long: true, takes: ['id', 'user'] },
  setstate: { repeats: 'keyed', takes: ['state', 'force'] },
  size: { repeats: 'any', long: true, takes: ['cacheName', 'destId', 'cacheFlags'] },
  state: { repeats: 'any', takes: [] },
  taskkill: { repeats: 'keyed', takes: ['id'] },
  tasklist: { repeats: 'any', takes: [] },
  top: { repeats: 'any', takes: ['id', 'ip', 'attr', 'mtr', 'caches'] },
  ttl: {
    repeats: 'any',
    long: true,
    batched: true,
    takes: ['cacheName', 'key', 'destId', 'cacheFlags', 'keyType'],
  },
  updatettl: {
    repeats: 'keyed',
    batched: true,
    takes: ['cacheName', 'key', 'exp', 'ttlMs', 'destId', 'cacheFlags', 'keyType'],
  },
  updateuser: { repeats: 'keyed', takes: ['user', 'password', 'oldPassword'] },
  userlist: { repeats: 'any', takes: [] },
  version: { repeats: 'any', takes: [] },
};

/** The HTTP statuses of errors, which the results of a batch do not name. */
export const ERROR_STATUSES: Readonly<Partial<Record<string, number>>> = {
  COMMAND_MISSING: 400,
  COMMAND_UNKNOWN: 400,
  COMMAND_CONFLICT: 400,
  PARAMETER_MISSING: 400,
  PARAMETER_NULL: 400,
  PARAMETER_UNKNOWN: 400,
  PARAMETER_INVALID: 400,
  PARAMETER_GAP: 400,
  PARAMETERS_EXCLUSIVE: 400,
  TTL_NEGATIVE: 400,
  NOT_A_LONG: 400,
  NOT_AN_INTEGER: 400,
  NOT_A_BOOLEAN: 400,
  NOT_A_NUMBER: 400,
  PAGE_SIZE_NEGATIVE: 400,
  CONVERSION: 400,
  BACKUPS_INVALID: 400,
  WRITE_MODE_INVALID: 400,
  MORE_VALUES_THAN_KEYS: 400,
  FEWER_VALUES_THAN_KEYS: 400,
  LIMIT_EXCEEDED: 400,
  BATCH_ABORTED: 409,
  BATCH_CONDITION: 409,
  BATCH_PAGE: 400,
  BATCH_REGIONS: 400,
  BATCH_COMMAND: 400,
  DRY_RUN_UNSUPPORTED: 400,
  IDEMPOTENCY_KEY_INVALID: 400,
  IDEMPOTENCY_KEY_REUSED: 409,
  IDEMPOTENCY_KEY_IN_USE: 409,
  IDEMPOTENCY_UNSUPPORTED: 400,
  IDEMPOTENCY_FULL: 503,
  CHANGE_FEED_OFF: 409,
  CHANGE_FEED_COLUMNS: 400,
  CHANGE_POSITION_INVALID: 400,
  CHANGE_POSITION_GONE: 410,
  CHANGE_POSITION_TIMEOUT: 504,
  CHANGE_CONSUMER_SLOW: 410,
  CHANGE_CONSUMERS: 503,
  CACHE_NAME_INVALID: 400,
  QUERY_CACHE_NAME_EMPTY: 400,
  METADATA_NOT_FOUND: 404,
  NODE_ID_INVALID: 400,
  CACHE_NOT_FOUND: 404,
  KEY_NOT_FOUND: 404,
  COUNTER_NOT_FOUND: 404,
  CACHE_IS_SYSTEM: 403,
  QUERY_CACHE_NOT_FOUND: 404,
  CACHE_LIMIT: 409,
  CACHE_DECLARED_OTHERWISE: 500,
  COUNTER_LIMIT: 409,
  TEMPLATE_NOT_FOUND: 404,
  REGION_NOT_FOUND: 404,
  REGION_FULL: 503,
  BACKUPS_NEGATIVE: 400,
  NOTATION_INVALID: 400,
  SLIDING_WITHOUT_TTL: 400,
  GROUP_MISMATCH: 409,
  GROUP_MODE_MISMATCH: 409,
  GROUP_CONFLICT: 409,
  GROUP_REGION_MISMATCH: 409,
  INCOMPATIBLE_TYPES: 409,
  CLUSTER_GROUP_EMPTY: 404,
  STATE_MISSING: 400,
  STATE_INVALID: 400,
  READ_ONLY: 409,
  INACTIVE: 503,
  DEACTIVATION_STOPPED: 409,
  NODE_NOT_FOUND: 404,
  CACHE_LIST_OPTIONS: 400,
  PATTERN_INVALID: 400,
  PROBE_KIND_INVALID: 400,
  NOT_READY: 503,
  STANDBY: 503,
  DEPOSED: 503,
  DRAIN_ACTION_INVALID: 400,
  NODE_ID_OR_IP_MISSING: 400,
  UUID_INVALID: 400,
  NOT_A_UUID: 400,
  VALUE_REJECTED: 400,
  OPERATION_FAILED: 500,
  SQL: 400,
  SQL_OBJECT_NOT_FOUND: 404,
  SQL_CONFLICT: 409,
  QUERY_NOT_FOUND: 404,
  QUERY_LOST: 503,
  QUERY_PROCESS_MEMORY: 400,
  QUERY_ELSEWHERE: 503,
  QUERY_BUSY: 409,
  QUERY_TYPE_NOT_FOUND: 404,
  QUERY_CANCELLED: 504,
  QUERY_TIMEOUT: 504,
  QUERY_PREEMPTED: 503,
  QUERY_MEMORY: 400,
  QUERIES_MEMORY: 503,
  QUERY_DISK: 400,
  QUERIES_DISK: 503,
  QUERY_RESULT_BYTES: 400,
  WRITE_LOCK_TIME: 504,
  QUERIES_BUSY: 503,
  CURSOR_LIMIT: 503,
  USER_SHARE: 429,
  SESSION_LIMIT: 503,
  CLASS_NOT_FOUND: 404,
  CLASS_NOT_A_FILTER: 400,
  TASK_NOT_FOUND: 404,
  CLASS_NOT_A_TASK: 400,
  TASK_FAILED: 500,
  TASK_TIMEOUT: 504,
  TASK_ID_INVALID: 400,
  TASK_SYNCHRONOUS: 400,
  TASK_NOT_STARTED: 404,
  TASK_NOT_RUNNING: 404,
  TASK_HOLDER_LEFT: 404,
  TOKEN_MISSING: 401,
  TOKEN_UNKNOWN: 401,
  CREDENTIALS_WRONG: 401,
  TOO_MANY_ATTEMPTS: 429,
  PERMISSION_DENIED: 403,
  API_KEY_UNKNOWN: 401,
  JWT_INVALID: 401,
  JWT_KEYS_UNAVAILABLE: 503,
  SIGNATURE_WRONG: 401,
  ORIGIN_FORBIDDEN: 403,
  SECURITY_DISABLED: 400,
  USER_OPERATION: 400,
  OLD_PASSWORD_WRONG: 403,
  USER_EXISTS: 409,
  API_KEY_INVALID: 400,
  API_KEY_EXISTS: 409,
  API_KEY_NOT_FOUND: 404,
  ROLE_INVALID: 400,
  ROLE_EXISTS: 409,
  ROLE_NOT_FOUND: 404,
  ROLE_READ_ONLY: 409,
  USER_ROLES_READ_ONLY: 409,
  ROLE_IN_USE: 409,
  ROLE_ESCALATION: 403,
  ROLE_LOCKOUT: 409,
  ROLE_LIMIT: 409,
  SESSION_NOT_FOUND: 404,
  API_KEY_LIMIT: 409,
  USER_NOT_FOUND: 404,
  SAVED_QUERY_INVALID: 400,
  SAVED_QUERY_EXISTS: 409,
  SAVED_QUERY_NOT_FOUND: 404,
  SAVED_QUERY_FORBIDDEN: 403,
  SAVED_QUERY_CHANGED: 409,
  SAVED_QUERY_LIMIT: 409,
  LOG_PATH_FORBIDDEN: 403,
  LOG_RANGE_INVALID: 400,
  LOG_NOT_FOUND: 404,
  REQUEST_MALFORMED: 400,
  PATH_NOT_FOUND: 404,
  CONSOLE_NOT_BUILT: 503,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  IMPORT_INVALID: 400,
  IMPORT_REJECTED: 400,
  IMPORT_RECORD_TOO_LONG: 413,
  IMPORT_NOT_FOUND: 404,
  IMPORT_IN_USE: 409,
  IMPORT_CONFLICT: 409,
  IMPORTS_BUSY: 503,
  TABLE_NOT_FOUND: 404,
  ENTRY_NOT_FOUND: 404,
  ENTRY_EXISTS: 409,
  ROW_NOT_FOUND: 404,
  PRECONDITION_FAILED: 412,
  NOT_ACCEPTABLE: 406,
  MEDIA_TYPE_UNSUPPORTED: 415,
  RESOURCE_INVALID: 400,
  BODY_INCOMPLETE: 400,
  BODY_TOO_LARGE: 413,
  HEAD_TOO_LARGE: 431,
  OVERLOADED: 503,
  RATE_LIMITED: 429,
  BUFFERS_FULL: 503,
  STOPPING: 503,
  STORAGE_FULL: 503,
  WRITE_HEADER_MISSING: 403,
  STORAGE_LOW: 503,
  STORAGE_READ_ONLY: 503,
  STORAGE_CORRUPT: 500,
  STORAGE_FAILED: 503,
  BACKUP_FOLDER_MISSING: 400,
  BACKUP_NAME_INVALID: 400,
  BACKUP_RUNNING: 409,
  BACKUP_SPACE: 503,
  BACKUP_FAILED: 500,
  BACKUP_KEY_INVALID: 500,
  BACKUP_KEY_MISSING: 500,
  BACKUP_KEY_WRONG: 500,
  BACKUP_NOT_ENCRYPTED: 500,
  OUTCOME_UNKNOWN: 409,
  CLUSTER_UNREACHABLE: 503,
  CIRCULAR_REFERENCE: 409,
  CLUSTER_ANSWER_INVALID: 502,
  NOT_SUPPORTED: 400,
  SQL_MODULE_MISSING: 501,
  INTERNAL: 500,
};

/** What every call accepts. */
export interface CallOptions {
  /** Cancels the call. */
  readonly signal?: AbortSignal;
  /** Executes a write once, however often it is sent with this key. The client creates one otherwise. */
  readonly idempotencyKey?: string;
}

export abstract class CommandMethods {
  abstract call<C extends keyof CommandParameters>(
    command: C,
    parameters: CommandParameters[C],
    options?: CallOptions,
  ): Promise<CommandResponses[C]>;

  /** Sets the state ACTIVE (old form of `setstate`). */
  activate(parameters: ActivateParameters = {}, options?: CallOptions): Promise<ActivateResponse> {
    return this.call('activate', parameters, options);
  }

  /** Sets the state ACTIVE (old form of `setstate`). */
  active(parameters: ActiveParameters = {}, options?: CallOptions): Promise<ActiveResponse> {
    return this.call('active', parameters, options);
  }

  /** Stores a value if the key does not exist. Same as `putifabs`. */
  add(parameters: AddParameters, options?: CallOptions): Promise<AddResponse> {
    return this.call('add', parameters, options);
  }

  /** Adds a user with the given roles. A user without roles has no rights. */
  adduser(parameters: AdduserParameters, options?: CallOptions): Promise<AdduserResponse> {
    return this.call('adduser', parameters, options);
  }

  /** Creates an API key for a program, with the rights that both its user and its scope grant. */
  apikeyadd(parameters: ApikeyaddParameters, options?: CallOptions): Promise<ApikeyaddResponse> {
    return this.call('apikeyadd', parameters, options);
  }

  /** Lists API keys without their secrets: your own, or all if you are an administrator. */
  apikeylist(parameters: ApikeylistParameters = {}, options?: CallOptions): Promise<ApikeylistResponse> {
    return this.call('apikeylist', parameters, options);
  }

  /** Revokes and removes an API key, effective immediately. */
  apikeyrmv(parameters: ApikeyrmvParameters, options?: CallOptions): Promise<ApikeyrmvResponse> {
    return this.call('apikeyrmv', parameters, options);
  }

  /** Replaces the secret of an API key. The previous secret remains valid for a while. */
  apikeyrotate(parameters: ApikeyrotateParameters, options?: CallOptions): Promise<ApikeyrotateResponse> {
    return this.call('apikeyrotate', parameters, options);
  }

  /** Appends to a string or list, or sets members of a map. */
  append(parameters: AppendParameters, options?: CallOptions): Promise<AppendResponse> {
    return this.call('append', parameters, options);
  }

  /** Logs in with svc.login and svc.password. The envelope contains the new session token. */
  authenticate(parameters: AuthenticateParameters = {}, options?: CallOptions): Promise<AuthenticateResponse> {
    return this.call('authenticate', parameters, options);
  }

  /** Makes a consistent backup of all regions while reads and writes continue. */
  backup(parameters: BackupParameters = {}, options?: CallOptions): Promise<BackupResponse> {
    return this.call('backup', parameters, options);
  }

  /** Lists the backups, the running and the next one, and the state of the continuous backup. */
  backups(parameters: BackupsParameters = {}, options?: CallOptions): Promise<BackupsResponse> {
    return this.call('backups', parameters, options);
  }

  /** Restores a backup to a temporary folder and verifies it, as `svc verify` does. */
  backupverify(parameters: BackupverifyParameters, options?: CallOptions): Promise<BackupverifyResponse> {
    return this.call('backupverify', parameters, options);
  }

  /** Returns the baseline: the nodes that hold data. */
  baseline(parameters: BaselineParameters = {}, options?: CallOptions): Promise<BaselineResponse> {
    return this.call('baseline', parameters, options);
  }

  /** Executes several commands in one request, in order, and returns a result for each. */
  batch(parameters: BatchParameters, options?: CallOptions): Promise<BatchResponse> {
    return this.call('batch', parameters, options);
  }

  /** Returns the metrics of a cache. */
  cache(parameters: CacheParameters = {}, options?: CallOptions): Promise<CacheResponse> {
    return this.call('cache', parameters, options);
  }

  /** Lists the caches or the cache groups with their sizes. */
  cachelist(parameters: CachelistParameters = {}, options?: CallOptions): Promise<CachelistResponse> {
    return this.call('cachelist', parameters, options);
  }

  /** Replaces a value if the current value equals the expected one (compare and swap). */
  cas(parameters: CasParameters, options?: CallOptions): Promise<CasResponse> {
    return this.call('cas', parameters, options);
  }

  /** Starts or stops recording the changes of a cache, which `watch` streams. */
  changefeed(parameters: ChangefeedParameters = {}, options?: CallOptions): Promise<ChangefeedResponse> {
    return this.call('changefeed', parameters, options);
  }

  /** Removes all entries of a cache. */
  clear(parameters: ClearParameters, options?: CallOptions): Promise<ClearResponse> {
    return this.call('clear', parameters, options);
  }

  /** Returns every option with its value and where it comes from, as `svc config show` does. */
  config(parameters: ConfigParameters = {}, options?: CallOptions): Promise<ConfigResponse> {
    return this.call('config', parameters, options);
  }

  /** Reports whether a key exists. */
  conkey(parameters: ConkeyParameters, options?: CallOptions): Promise<ConkeyResponse> {
    return this.call('conkey', parameters, options);
  }

  /** Reports whether all the given keys exist. */
  conkeys(parameters: ConkeysParameters, options?: CallOptions): Promise<ConkeysResponse> {
    return this.call('conkeys', parameters, options);
  }

  /** Removes the deadline of a counter, which then never expires. */
  counterpersist(parameters: CounterpersistParameters, options?: CallOptions): Promise<CounterpersistResponse> {
    return this.call('counterpersist', parameters, options);
  }

  /** Returns the remaining time to live of a counter. */
  counterttl(parameters: CounterttlParameters, options?: CallOptions): Promise<CounterttlResponse> {
    return this.call('counterttl', parameters, options);
  }

  /** Reports whether the cluster is active (old form of `state`). */
  currentstate(parameters: CurrentstateParameters = {}, options?: CallOptions): Promise<CurrentstateResponse> {
    return this.call('currentstate', parameters, options);
  }

  /** Returns the metrics of the data regions. */
  dataregion(parameters: DataregionParameters = {}, options?: CallOptions): Promise<DataregionResponse> {
    return this.call('dataregion', parameters, options);
  }

  /** Sets the state INACTIVE (old form of `setstate`). */
  deactivate(parameters: DeactivateParameters = {}, options?: CallOptions): Promise<DeactivateResponse> {
    return this.call('deactivate', parameters, options);
  }

  /** Subtracts a number from a counter and returns the result. Creates the counter if necessary. */
  decr(parameters: DecrParameters, options?: CallOptions): Promise<DecrResponse> {
    return this.call('decr', parameters, options);
  }

  /** Destroys a cache and its entries. The default cache is only cleared. */
  destcache(parameters: DestcacheParameters = {}, options?: CallOptions): Promise<DestcacheResponse> {
    return this.call('destcache', parameters, options);
  }

  /** Makes the service report that it is not ready, so load balancers stop sending it traffic. */
  drain(parameters: DrainParameters, options?: CallOptions): Promise<DrainResponse> {
    return this.call('drain', parameters, options);
  }

  /** Reports what another command would do with the same parameters, and changes nothing. */
  dryrun(parameters: DryrunParameters, options?: CallOptions): Promise<DryrunResponse> {
    return this.call('dryrun', parameters, options);
  }

  /** Runs a task. */
  exe(parameters: ExeParameters, options?: CallOptions): Promise<ExeResponse> {
    return this.call('exe', parameters, options);
  }

  /** Returns the value of a key. */
  get(parameters: GetParameters, options?: CallOptions): Promise<GetResponse> {
    return this.call('get', parameters, options);
  }

  /** Returns the values of several keys. */
  getall(parameters: GetallParameters, options?: CallOptions): Promise<GetallResponse> {
    return this.call('getall', parameters, options);
  }

  /** Creates a cache unless one with this name exists. */
  getorcreate(parameters: GetorcreateParameters = {}, options?: CallOptions): Promise<GetorcreateResponse> {
    return this.call('getorcreate', parameters, options);
  }

  /** Stores a value and returns the previous one. */
  getput(parameters: GetputParameters, options?: CallOptions): Promise<GetputResponse> {
    return this.call('getput', parameters, options);
  }

  /** Stores a value if the key does not exist; otherwise returns the existing value. */
  getputifabs(parameters: GetputifabsParameters, options?: CallOptions): Promise<GetputifabsResponse> {
    return this.call('getputifabs', parameters, options);
  }

  /** Replaces the value of an existing key and returns the previous value. */
  getrep(parameters: GetrepParameters, options?: CallOptions): Promise<GetrepResponse> {
    return this.call('getrep', parameters, options);
  }

  /** Removes an entry and returns its value. */
  getrmv(parameters: GetrmvParameters, options?: CallOptions): Promise<GetrmvResponse> {
    return this.call('getrmv', parameters, options);
  }

  /** Forgets an import. The rows that it has stored remain. */
  importrmv(parameters: ImportrmvParameters, options?: CallOptions): Promise<ImportrmvResponse> {
    return this.call('importrmv', parameters, options);
  }

  /** Returns the progress of an import. */
  importstate(parameters: ImportstateParameters, options?: CallOptions): Promise<ImportstateResponse> {
    return this.call('importstate', parameters, options);
  }

  /** Sets the state INACTIVE (old form of `setstate`). */
  inactive(parameters: InactiveParameters = {}, options?: CallOptions): Promise<InactiveResponse> {
    return this.call('inactive', parameters, options);
  }

  /** Adds a number to a counter and returns the result. Creates the counter if necessary. */
  incr(parameters: IncrParameters, options?: CallOptions): Promise<IncrResponse> {
    return this.call('incr', parameters, options);
  }

  /** Returns a range of lines, or the last lines, of a log file. */
  log(parameters: LogParameters = {}, options?: CallOptions): Promise<LogResponse> {
    return this.call('log', parameters, options);
  }

  /** Describes the SQL types of a cache: fields, classes and indexes. */
  metadata(parameters: MetadataParameters = {}, options?: CallOptions): Promise<MetadataResponse> {
    return this.call('metadata', parameters, options);
  }

  /** Returns samples of the last hour's metrics. */
  metricshistory(parameters: MetricshistoryParameters = {}, options?: CallOptions): Promise<MetricshistoryResponse> {
    return this.call('metricshistory', parameters, options);
  }

  /** Returns the name of the node. */
  name(parameters: NameParameters = {}, options?: CallOptions): Promise<NameResponse> {
    return this.call('name', parameters, options);
  }

  /** Describes a node, found by its id or one of its addresses. */
  node(parameters: NodeParameters = {}, options?: CallOptions): Promise<NodeResponse> {
    return this.call('node', parameters, options);
  }

  /** Does nothing. Clients use it to keep a session alive. */
  noop(parameters: NoopParameters = {}, options?: CallOptions): Promise<NoopResponse> {
    return this.call('noop', parameters, options);
  }

  /** Removes the deadline of an entry, which then never expires. */
  persist(parameters: PersistParameters, options?: CallOptions): Promise<PersistResponse> {
    return this.call('persist', parameters, options);
  }

  /** Prepends to a string or list, or adds missing members to a map. */
  prepend(parameters: PrependParameters, options?: CallOptions): Promise<PrependResponse> {
    return this.call('prepend', parameters, options);
  }

  /** Reports whether the service is running or ready. */
  probe(parameters: ProbeParameters = {}, options?: CallOptions): Promise<ProbeResponse> {
    return this.call('probe', parameters, options);
  }

  /** Stores a value. */
  put(parameters: PutParameters, options?: CallOptions): Promise<PutResponse> {
    return this.call('put', parameters, options);
  }

  /** Stores several entries, all or none. */
  putall(parameters: PutallParameters, options?: CallOptions): Promise<PutallResponse> {
    return this.call('putall', parameters, options);
  }

  /** Stores a value if the key does not exist. Same as `add`. */
  putifabs(parameters: PutifabsParameters, options?: CallOptions): Promise<PutifabsResponse> {
    return this.call('putifabs', parameters, options);
  }

  /** Closes a query cursor and cancels its statement if it is still running. */
  qrycls(parameters: QryclsParameters, options?: CallOptions): Promise<QryclsResponse> {
    return this.call('qrycls', parameters, options);
  }

  /** Returns the entries whose values have a type and meet a condition. */
  qryexe(parameters: QryexeParameters, options?: CallOptions): Promise<QryexeResponse> {
    return this.call('qryexe', parameters, options);
  }

  /** Returns the next page of a query. */
  qryfetch(parameters: QryfetchParameters, options?: CallOptions): Promise<QryfetchResponse> {
    return this.call('qryfetch', parameters, options);
  }

  /** Executes an SQL statement and returns the first page of rows. */
  qryfldexe(parameters: QryfldexeParameters, options?: CallOptions): Promise<QryfldexeResponse> {
    return this.call('qryfldexe', parameters, options);
  }

  /** Ends a running statement, scan or cursor. Only administrators may end those of other users. */
  qrykill(parameters: QrykillParameters, options?: CallOptions): Promise<QrykillResponse> {
    return this.call('qrykill', parameters, options);
  }

  /** Returns all entries of a cache, or those that a configured predicate accepts. */
  qryscanexe(parameters: QryscanexeParameters = {}, options?: CallOptions): Promise<QryscanexeResponse> {
    return this.call('qryscanexe', parameters, options);
  }

  /** Removes a user and ends the user's sessions. */
  removeuser(parameters: RemoveuserParameters, options?: CallOptions): Promise<RemoveuserResponse> {
    return this.call('removeuser', parameters, options);
  }

  /** Replaces the value of an existing key. */
  rep(parameters: RepParameters, options?: CallOptions): Promise<RepResponse> {
    return this.call('rep', parameters, options);
  }

  /** Replaces a value if the current value equals the expected one. */
  repval(parameters: RepvalParameters, options?: CallOptions): Promise<RepvalResponse> {
    return this.call('repval', parameters, options);
  }

  /** Returns the result of a task that was started with async=true. */
  res(parameters: ResParameters, options?: CallOptions): Promise<ResResponse> {
    return this.call('res', parameters, options);
  }

  /** Removes an entry. */
  rmv(parameters: RmvParameters, options?: CallOptions): Promise<RmvResponse> {
    return this.call('rmv', parameters, options);
  }

  /** Removes several entries. */
  rmvall(parameters: RmvallParameters, options?: CallOptions): Promise<RmvallResponse> {
    return this.call('rmvall', parameters, options);
  }

  /** Removes an entry if its value equals the given value. */
  rmvval(parameters: RmvvalParameters, options?: CallOptions): Promise<RmvvalResponse> {
    return this.call('rmvval', parameters, options);
  }

  /** Stores a new role. One of your own roles must include all of its rights. */
  roleadd(parameters: RoleaddParameters, options?: CallOptions): Promise<RoleaddResponse> {
    return this.call('roleadd', parameters, options);
  }

  /** Replaces the roles of a user. All sessions of the user are affected immediately. */
  roleassign(parameters: RoleassignParameters, options?: CallOptions): Promise<RoleassignResponse> {
    return this.call('roleassign', parameters, options);
  }

  /** Lists all roles, or only your own if you may not manage users. */
  rolelist(parameters: RolelistParameters = {}, options?: CallOptions): Promise<RolelistResponse> {
    return this.call('rolelist', parameters, options);
  }

  /** Removes a stored role that no user has. */
  rolermv(parameters: RolermvParameters, options?: CallOptions): Promise<RolermvResponse> {
    return this.call('rolermv', parameters, options);
  }

  /** Replaces the rights of a stored role. All sessions are affected immediately. */
  roleupdate(parameters: RoleupdateParameters, options?: CallOptions): Promise<RoleupdateResponse> {
    return this.call('roleupdate', parameters, options);
  }

  /** Saves a query under a name, for yourself or for all users. */
  savedqueryadd(parameters: SavedqueryaddParameters, options?: CallOptions): Promise<SavedqueryaddResponse> {
    return this.call('savedqueryadd', parameters, options);
  }

  /** Returns one of your saved queries, or a shared one, with its text and parameters. */
  savedqueryget(parameters: SavedquerygetParameters, options?: CallOptions): Promise<SavedquerygetResponse> {
    return this.call('savedqueryget', parameters, options);
  }

  /** Lists your saved queries and those shared by others. */
  savedquerylist(parameters: SavedquerylistParameters = {}, options?: CallOptions): Promise<SavedquerylistResponse> {
    return this.call('savedquerylist', parameters, options);
  }

  /** Removes a saved query. Only its owner and administrators may remove it. */
  savedqueryrmv(parameters: SavedqueryrmvParameters, options?: CallOptions): Promise<SavedqueryrmvResponse> {
    return this.call('savedqueryrmv', parameters, options);
  }

  /** Changes parts of a saved query. Only its owner and administrators may change it. */
  savedqueryupdate(parameters: SavedqueryupdateParameters, options?: CallOptions): Promise<SavedqueryupdateResponse> {
    return this.call('savedqueryupdate', parameters, options);
  }

  /** Lists sessions without their tokens: your own, or all if you may manage users. */
  sessionlist(parameters: SessionlistParameters = {}, options?: CallOptions): Promise<SessionlistResponse> {
    return this.call('sessionlist', parameters, options);
  }

  /** Ends a session, or all sessions of a user, immediately. */
  sessionrmv(parameters: SessionrmvParameters = {}, options?: CallOptions): Promise<SessionrmvResponse> {
    return this.call('sessionrmv', parameters, options);
  }

  /** Sets the state of the cluster. */
  setstate(parameters: SetstateParameters, options?: CallOptions): Promise<SetstateResponse> {
    return this.call('setstate', parameters, options);
  }

  /** Returns the number of entries of a cache. */
  size(parameters: SizeParameters = {}, options?: CallOptions): Promise<SizeResponse> {
    return this.call('size', parameters, options);
  }

  /** Returns the state of the cluster. */
  state(parameters: StateParameters = {}, options?: CallOptions): Promise<StateResponse> {
    return this.call('state', parameters, options);
  }

  /** Ends a running task of this service. Only administrators may end those of other users. */
  taskkill(parameters: TaskkillParameters, options?: CallOptions): Promise<TaskkillResponse> {
    return this.call('taskkill', parameters, options);
  }

  /** Lists the running tasks of this service: your own, or all if you may manage users. */
  tasklist(parameters: TasklistParameters = {}, options?: CallOptions): Promise<TasklistResponse> {
    return this.call('tasklist', parameters, options);
  }

  /** Describes all nodes, oldest first. */
  top(parameters: TopParameters = {}, options?: CallOptions): Promise<TopResponse> {
    return this.call('top', parameters, options);
  }

  /** Returns the remaining time to live of an entry. */
  ttl(parameters: TtlParameters, options?: CallOptions): Promise<TtlResponse> {
    return this.call('ttl', parameters, options);
  }

  /** Sets or removes the time to live of an entry. */
  updatettl(parameters: UpdatettlParameters, options?: CallOptions): Promise<UpdatettlResponse> {
    return this.call('updatettl', parameters, options);
  }

  /** Changes the password of a user. Users may change their own, with the old one. */
  updateuser(parameters: UpdateuserParameters, options?: CallOptions): Promise<UpdateuserResponse> {
    return this.call('updateuser', parameters, options);
  }

  /** Lists the users with their roles, or only yourself if you may not manage users. */
  userlist(parameters: UserlistParameters = {}, options?: CallOptions): Promise<UserlistResponse> {
    return this.call('userlist', parameters, options);
  }

  /** Returns the version of the server. */
  version(parameters: VersionParameters = {}, options?: CallOptions): Promise<VersionResponse> {
    return this.call('version', parameters, options);
  }
}
