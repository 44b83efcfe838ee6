/**
 * Every error of the service: code, status in the envelope, HTTP status with `httpStatus=true`, text, cause and remedy.
 * Where Ignite has a text for an error, it is used (docs/spec/ignite-data.md 2.2, docs/spec/ignite-cluster.md), because
 * clients match on it. {@link SPECIFIC_ERRORS} declares further texts for codes that several errors share. The errors
 * of SQL statements are in src/base/sql-errors.ts.
 *
 * `wrap` is the form of the text in the envelope: `never` as it is, `always` inside
 * `Failed to handle request: [req=..., err=...]`, `command` as the command's declaration says (queries: as it is).
 */
import { ERROR_CHARACTERS, QUOTABLE_CHARACTERS, QUOTED_CHARACTERS } from './limits.ts';

export interface ErrorEntry {
  /** successStatus of the contract: 1 failure, 2 authorization failure, 3 security check failure. */
  readonly status: 1 | 2 | 3;
  /** successStatus of Ignite, where it differs; for compatibility mode `reference`. */
  readonly igniteStatus?: 4;
  readonly http: 400 | 401 | 403 | 404 | 405 | 408 | 409 | 410 | 413 | 429 | 431 | 500 | 502 | 503 | 504;
  /** The HTTP status is `http` even without `httpStatus=true`. */
  readonly httpAlways?: true;
  /** The same for a request with an idempotency key, whose sender retries by the HTTP status. */
  readonly httpWithKey?: true;
  readonly wrap: 'never' | 'always' | 'command';
  readonly text: (...details: never[]) => string;
  /** When the error occurs, for the documentation. */
  readonly cause: string;
  /** What the client should do instead, for the documentation. */
  readonly remedy: string;
}

type Text = string | number | bigint;

function define<const T extends Record<string, ErrorEntry>>(entries: T): T {
  return entries;
}

const KEEP_REGION = 'Declare it as it was, destroy its caches, and change it then.';

/** The text for a NULL in a NOT NULL column, of statements and of commands. */
export const nullNotAllowed = (column: string): string => `Null value is not allowed for column '${column}'`;

/** Returns how the client calls a parameter that the text of Ignite names otherwise. */
const toSend = (name: string, sent?: string): string => (sent === undefined || sent === name ? '' : ` (send ${sent})`);
const missingParameter = (name: string, sent?: string): string =>
  `Failed to find mandatory parameter in request: ${name}${toSend(name, sent)}`;
const invalidUuid = (value: string, name?: string): string =>
  `Invalid UUID string: ${value}${name === undefined ? '' : ` (${name} must be a UUID)`}`;

const notCombined = (first: string, second: string): string =>
  `The parameters ${first} and ${second} cannot be combined`;

export const ERRORS = define({
  COMMAND_MISSING: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (hint: string) => `${missingParameter('cmd')}. ${hint}`,
    cause: 'The request has no parameter `cmd`, neither in the address nor in the body.',
    remedy: 'Name a command, for example ?cmd=version. The reference page lists all commands.',
  },
  COMMAND_UNKNOWN: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (name: string, nearest: readonly string[]) =>
      `Unknown command: ${name}.${nearest.length > 0 ? ` Did you mean ${nearest.join(', ')}?` : ''}`,
    cause: 'No command has the name in `cmd`.',
    remedy: 'Use a command of the reference page. The text suggests similar names.',
  },
  COMMAND_CONFLICT: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (path: string, cmd: string) => `The path names the command ${path}, but cmd names ${cmd}`,
    cause: 'The path of the request names one command, such as `/svc/get`, and its parameter `cmd` another one.',
    remedy: 'Name the command once: in the path or as cmd.',
  },
  PARAMETER_MISSING: {
    status: 1,
    http: 400,
    wrap: 'always',
    text: missingParameter,
    cause: 'The command needs a parameter that the request does not have.',
    remedy: 'Send the parameter that the text names.',
  },
  PARAMETER_NULL: {
    status: 1,
    http: 400,
    wrap: 'command',
    text: (name: string, sent?: string) => `Ouch! Argument cannot be null: ${name}${toSend(name, sent)}`,
    cause: 'A query has no statement or no type, or `repval` has no `val2`.',
    remedy: 'Send the parameter that the text names.',
  },
  PARAMETER_UNKNOWN: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (name: string, meant: string | undefined, declared = '') => {
      const others = declared === '' ? '' : ` The command has ${declared}.`;
      return `Unknown parameter "${name}".${meant === undefined ? others : ` Did you mean "${meant}"?`}`;
    },
    cause:
      'The command has no such parameter. The name is close to a declared one, or `parameters.strict` is on. Commands ' +
      'that issue API keys accept no other parameters than theirs.',
    remedy: 'Correct the name. The reference page lists the parameters of each command.',
  },
  PARAMETER_GAP: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (missing: string, present: string) =>
      `Failed to find mandatory parameter in request: ${missing} (${present} is present)`,
    cause: 'A number is missing in a series of numbered parameters, such as `k1` and `k3` without `k2`.',
    remedy: 'Number the parameters from 1 without gaps.',
  },
  PARAMETERS_EXCLUSIVE: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: notCombined,
    cause: 'The request has two parameters of which only one may be sent, such as `exp` and `ttlMs`.',
    remedy: 'Send one of the two.',
  },
  TTL_NEGATIVE: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (value: Text) => `Time to live must not be negative [ttlMs=${value}]`,
    cause: '`ttlMs` is less than 0.',
    remedy: 'Send the time in milliseconds, or 0 for an entry without a deadline.',
  },
  NOT_A_LONG: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (name: string, value: string, unit?: string) =>
      `Failed to parse parameter of Long type [${name}=${value}]` +
      `${unit === undefined ? '' : ` (${name} is a number of ${unit})`}`,
    cause: 'The value of a parameter is not a whole number, or has more than 64 bits.',
    remedy: 'Send a whole number between -9223372036854775808 and 9223372036854775807.',
  },
  NOT_AN_INTEGER: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (name: string, value: string) => `Failed to parse parameter of Integer type [${name}=${value}]`,
    cause: 'The value of a parameter is not a whole number, or has more than 32 bits.',
    remedy: 'Send a whole number between -2147483648 and 2147483647.',
  },
  NOT_A_BOOLEAN: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (name: string, value: string) => `Failed to parse parameter of Boolean type [${name}=${value}]`,
    cause: 'The value of a flag is neither true nor false.',
    remedy: 'Send true or false.',
  },
  NOT_A_NUMBER: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (value: string, name?: string) =>
      `For input string: "${value}"${name === undefined ? '' : ` (${name} must be a whole number)`}`,
    cause: '`pageSize` or `qryId` is not a whole number.',
    remedy: 'Send a whole number for pageSize and qryId.',
  },
  PAGE_SIZE_NEGATIVE: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (value: Text) => `Page size must not be negative [pageSize=${value}]`,
    cause: '`pageSize` is less than 0.',
    remedy: 'Send a page size of 0 (columns only) or more.',
  },
  CONVERSION: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (type: string, value: string, reason: string, parameter?: string) =>
      `Failed to convert value to specified type [type=${type}, val=${value}, reason=${reason}` +
      `${parameter === undefined ? '' : `, parameter=${parameter}`}]`,
    cause: 'A key, value or field cannot be converted to its declared type. Nothing was stored.',
    remedy: 'Send a value of the declared type. The reason says what is wrong with this one.',
  },
  BACKUPS_INVALID: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (value: string) => `Failed to parse number of cache backups: ${value}`,
    cause: '`backups` is not a whole number.',
    remedy: 'Send a whole number of 0 or more.',
  },
  WRITE_MODE_INVALID: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (value: string, name?: string) =>
      `Failed to parse cache write synchronization mode: ${value}${name === undefined ? '' : ` [${name}=${value}]`}`,
    cause: '`writeSynchronizationMode` is not one of the three modes.',
    remedy: 'Send FULL_SYNC, FULL_ASYNC or PRIMARY_SYNC.',
  },
  MORE_VALUES_THAN_KEYS: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: () => 'Number of keys must be greater or equals to number of values.',
    cause: 'The request has a value `vN` without the key `kN`.',
    remedy: 'Send a key for every value: k1, v1, k2, v2 ...',
  },
  FEWER_VALUES_THAN_KEYS: {
    status: 1,
    http: 400,
    wrap: 'always',
    text: () => 'Failing putAll operation (null values are not allowed).',
    cause: '`putall` has a key `kN` without the value `vN`.',
    remedy: 'Send a value for every key: k1, v1, k2, v2 ...',
  },
  LIMIT_EXCEEDED: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (what: string, limit: Text, actual: Text) =>
      `Limit exceeded [what=${what}, limit=${limit}, actual=${actual}]`,
    cause:
      'Something in the request is larger or more than a limit allows; the text names it, the limit and the number.',
    remedy: 'Send less at once, or raise the limit in the configuration.',
  },
  BATCH_ABORTED: {
    status: 1,
    http: 409,
    wrap: 'never',
    text: (number: Text, command: string, reason: string) =>
      `Command ${number} of the batch (${command}) failed, and nothing was changed: ${reason}`,
    cause: 'A command of an atomic batch failed, or its condition was not met.',
    remedy: 'The status is that of the error of the command. Correct the command, or send the batch again.',
  },
  BATCH_CONDITION: {
    status: 1,
    http: 409,
    wrap: 'never',
    text: (reason: string) => `The condition of the command is not met [${reason}]`,
    cause: 'A command of an atomic batch returned false, or changed another number of rows than `expectedRows`.',
    remedy: 'Read the current values, and send the batch again if it still applies.',
  },
  BATCH_PAGE: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (pageSize: Text) =>
      `The statement returns more rows than fit its page, and no cursor outlives an atomic batch [pageSize=${pageSize}]`,
    cause:
      'A statement in an atomic batch has more rows than fit into its page; its cursor would outlive the transaction.',
    remedy: 'Raise pageSize, or limit the rows with maxRows.',
  },
  BATCH_REGIONS: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (first: string, second: string) =>
      `An atomic batch cannot change caches in two files, because no commit covers both [regions=${first}, ${second}]`,
    cause: 'The commands of an atomic batch change caches that are stored in different files.',
    remedy: 'Keep the caches of the batch in one data region, or in regions that are persistent.',
  },
  BATCH_COMMAND: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (command: string, reason: string) => `${command} cannot be part of this batch: ${reason}`,
    cause:
      'The command cannot be part of a batch, or not of an atomic one, or has parameters of its own for logging in.',
    remedy: 'Send the command by itself, or change what the text names.',
  },
  DRY_RUN_UNSUPPORTED: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (what: string, reason: string) => `There is no dry run of ${what}: ${reason}`,
    cause: 'The service can predict the effect of this command only by executing it.',
    remedy: 'Read what the command would change before you send it.',
  },
  IDEMPOTENCY_KEY_INVALID: {
    status: 1,
    http: 400,
    httpAlways: true,
    wrap: 'never',
    text: (limit: Text) => `The header Idempotency-Key needs 1 to ${limit} printable ASCII characters`,
    cause: 'The key is empty, too long, or has characters other than printable ASCII.',
    remedy: 'Send a UUID, a new one for each operation and the same one for its retries.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 1,
    http: 409,
    httpAlways: true,
    wrap: 'never',
    text: () => 'The Idempotency-Key was used with another request',
    cause: 'The same user sent the key before, with other parameters, another body or another command.',
    remedy: 'Send retries exactly as the first request, and a new key with every other request.',
  },
  IDEMPOTENCY_KEY_IN_USE: {
    status: 1,
    http: 409,
    httpAlways: true,
    wrap: 'never',
    text: () => 'A request with this Idempotency-Key is still running',
    cause: 'A retry arrived before the first request had ended.',
    remedy: 'Send the request again after a while: it is answered when the other one has ended.',
  },
  IDEMPOTENCY_UNSUPPORTED: {
    status: 1,
    http: 400,
    httpAlways: true,
    wrap: 'never',
    text: (command: string, reason: string) => `${command} cannot have an Idempotency-Key: ${reason}`,
    cause: 'The result of the command cannot be kept, such as a stream of rows or a session token.',
    remedy: 'Follow the text, or send the request without the header.',
  },
  IDEMPOTENCY_FULL: {
    status: 1,
    http: 503,
    httpAlways: true,
    wrap: 'never',
    text: (limit: Text) => `Too many idempotency keys are kept: nothing was changed [limit=${limit}]`,
    cause: 'The number of kept keys has reached its limit, and the user has more than a fiftieth of it.',
    remedy: 'Shorten idempotency.keepSeconds, or raise limits.idempotencyKeys.',
  },
  CHANGE_FEED_OFF: {
    status: 1,
    http: 409,
    wrap: 'never',
    text: (cache: string) =>
      `The changes of the cache are not recorded: ${cache} (cmd=changefeed switches its feed on)`,
    cause: 'The change feed of the cache is off, which is the default.',
    remedy:
      'Switch it on with `cmd=changefeed&cacheName=...&enabled=true`, or create the cache with `changeFeed=true`.',
  },
  CHANGE_FEED_COLUMNS: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (cache: string, limit: Text) =>
      `The changes of a table with so many columns cannot be recorded: ${cache} [limit=${limit}]`,
    cause: 'The change feed records the values of all columns, and SQLite bounds the columns of its table.',
    remedy: 'Split the table, or leave its change feed off.',
  },
  CHANGE_POSITION_INVALID: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (position: string) => `Invalid position of the change feed: ${position}`,
    cause: 'The text is not a position that this service sent.',
    remedy: 'Send a position as it was received, `now` or `start`.',
  },
  CHANGE_POSITION_GONE: {
    status: 1,
    http: 410,
    httpAlways: true,
    wrap: 'never',
    text: (position: string, reason: string) => `The change feed cannot continue at ${position}: ${reason}`,
    cause:
      'Changes after the position are no longer kept, or the position belongs to another data file, such as that of ' +
      'a backup or of a region that did not survive a restart.',
    remedy:
      'Read the caches again and watch from a new position; raise changeFeed.keepSeconds or changeFeed.keepBytes.',
  },
  CHANGE_POSITION_TIMEOUT: {
    status: 1,
    http: 504,
    httpAlways: true,
    wrap: 'never',
    text: (position: string, timeoutMs: Text) => `The position was not reached in ${timeoutMs} ms: ${position}`,
    cause: 'The service has not reached the position in `Wait-For-Position` within that time.',
    remedy: 'Send the request again, with a longer time in `Prefer: wait=SECONDS` if needed.',
  },
  CHANGE_CONSUMER_SLOW: {
    status: 1,
    http: 410,
    wrap: 'never',
    text: (limit: Text) => `The consumer of the change feed is too slow: more than ${limit} bytes wait for it`,
    cause: 'The nodes of a cluster record no changes, so that the service keeps those that a consumer has not read.',
    remedy: 'Read the stream faster, or watch fewer caches; then read the caches again and start a new watch.',
  },
  CHANGE_CONSUMERS: {
    status: 1,
    http: 503,
    httpAlways: true,
    wrap: 'never',
    text: (limit: Text) => `Too many consumers of the change feed [limit=${limit}]`,
    cause: 'The number of consumers has reached its limit, and the user has more than a fiftieth of it.',
    remedy: 'Close streams that nobody reads, or raise limits.changeConsumers.',
  },
  CACHE_NAME_INVALID: {
    status: 1,
    igniteStatus: 4,
    http: 400,
    wrap: 'never',
    text: (reason: string) => `Ouch! Argument is invalid: Cache name ${reason}`,
    cause: 'The name of the cache is empty, too long, or not allowed.',
    remedy: 'Choose another name for the cache.',
  },
  QUERY_CACHE_NAME_EMPTY: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: () => 'Ouch! Argument is invalid: Cache name must not be null or empty.',
    cause: 'A query has an empty `cacheName`, in compatibility mode reference.',
    remedy: 'Name the cache.',
  },
  METADATA_NOT_FOUND: {
    status: 1,
    http: 404,
    wrap: 'always',
    text: (name: string) => `Failed to request meta data. ${name} is not found`,
    cause: 'In compatibility mode reference, `metadata` names a cache, and there is no second node that has it.',
    remedy: 'Omit cacheName: in compatibility mode reference, metadata describes all caches at once.',
  },
  NODE_ID_INVALID: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: invalidUuid,
    cause: '`id` is not made of five groups of digits and letters.',
    remedy: 'Send five groups of hexadecimal digits, separated by dashes.',
  },
  CACHE_NOT_FOUND: {
    status: 1,
    http: 404,
    wrap: 'always',
    text: (name: string) => `Failed to find cache for given cache name: ${name}`,
    cause:
      'There is no cache with the name in `cacheName`. It was never created, or has been destroyed. Names are ' +
      'case-sensitive.',
    remedy: 'Create the cache with getorcreate.',
  },
  KEY_NOT_FOUND: {
    status: 1,
    http: 404,
    wrap: 'always',
    text: (key: string) => `Failed to find entry for given key: ${key}`,
    cause: 'The command needs an entry, and the cache has none with this key and this type of key.',
    remedy: 'Store the entry first. It may have expired.',
  },
  COUNTER_NOT_FOUND: {
    status: 1,
    http: 404,
    wrap: 'always',
    text: (name: string) => `Failed to find counter: ${name}`,
    cause: 'There is no counter of this name.',
    remedy: 'Create it with incr or decr first. It may have expired.',
  },
  CACHE_IS_SYSTEM: {
    status: 1,
    http: 403,
    wrap: 'always',
    text: (name: string) => `Failed to get cache because it is a system cache: ${name}`,
    cause: 'The cache belongs to the service or to the cluster.',
    remedy: 'Use a cache that you created.',
  },
  QUERY_CACHE_NOT_FOUND: {
    status: 1,
    http: 404,
    wrap: 'never',
    text: (name: string) => `Failed to find cache with name: ${name}`,
    cause: 'There is no cache with the name in `cacheName` of a query. Names are case-sensitive.',
    remedy: 'Create the cache with getorcreate.',
  },
  CACHE_LIMIT: {
    status: 1,
    http: 409,
    wrap: 'always',
    text: (limit: Text) => `Failed to start cache: the number of caches has reached its limit [limit=${limit}]`,
    cause: 'There are `limits.caches` caches and tables.',
    remedy: 'Destroy caches that are no longer needed, or raise limits.caches.',
  },
  COUNTER_LIMIT: {
    status: 1,
    http: 409,
    wrap: 'always',
    text: (limit: Text) => `Failed to create counter: the number of counters has reached its limit [limit=${limit}]`,
    cause: 'There are `limits.counters` counters.',
    remedy: 'Create counters that expire (`ttlMs`), or raise limits.counters.',
  },
  TEMPLATE_NOT_FOUND: {
    status: 1,
    http: 404,
    wrap: 'always',
    text: (name: string, known: readonly string[]) =>
      `Failed to find cache template [templateName=${name}, templates=[${known.join(', ')}]]`,
    cause: 'There is no template with the name in `templateName`.',
    remedy: 'Use one of the templates in the text, or declare this one in the configuration.',
  },
  REGION_NOT_FOUND: {
    status: 1,
    http: 404,
    wrap: 'always',
    text: (name: string, known: readonly string[]) =>
      `Failed to find data region [dataRegion=${name}, dataRegions=[${known.join(', ')}]]`,
    cause: 'There is no data region with the name in `dataRegion`.',
    remedy: 'Use one of the data regions in the text, or declare this one in the configuration.',
  },
  REGION_FULL: {
    status: 1,
    http: 503,
    wrap: 'always',
    text: (name: string, maxSize: Text) => `Out of memory in data region [name=${name}, maxSize=${maxSize}]`,
    cause: 'The data region has reached its `maxSizeBytes`.',
    remedy: 'Remove entries, or raise the maxSize of the region in the configuration.',
  },
  BACKUPS_NEGATIVE: {
    status: 1,
    http: 400,
    wrap: 'always',
    text: (value: Text) => `Number of cache backups must not be negative [backups=${value}]`,
    cause: '`backups` is less than 0.',
    remedy: 'Send a whole number of 0 or more.',
  },
  NOTATION_INVALID: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (name: string, value: string, known: string) =>
      `Unknown notation [${name}=${value}] (expected one of: ${known})`,
    cause: '`numbers` or `dates`, or the header Prefer, has a word that does not exist.',
    remedy: 'Send one of the words in the text, or omit the parameter.',
  },
  SLIDING_WITHOUT_TTL: {
    status: 1,
    http: 400,
    wrap: 'always',
    text: () => 'Sliding expiry needs a time to live of the cache [sliding=true, ttlMs=0]',
    cause: '`sliding=true` came without a time to live that reads could extend.',
    remedy: 'Send ttlMs, too.',
  },
  GROUP_MISMATCH: {
    status: 1,
    http: 409,
    wrap: 'always',
    text: (group: string, existing: string, existingBackups: Text, starting: string, startingBackups: Text) =>
      `Backups mismatch for caches related to the same group [groupName=${group}, existingCache=${existing}, ` +
      `existingBackups=${existingBackups}, startingCache=${starting}, startingBackups=${startingBackups}]`,
    cause: 'The cache group has caches with another number of backups.',
    remedy: 'Give all caches of a group the same number of backups, mode and data region.',
  },
  GROUP_CONFLICT: {
    status: 1,
    http: 409,
    wrap: 'always',
    text: (group: string, starting: string) =>
      `Mode, backups or data region differ from those of the other caches of the group [groupName=${group}, ` +
      `startingCache=${starting}]`,
    cause: 'As GROUP_MISMATCH or GROUP_REGION_MISMATCH, where the user has no right on another cache of the group.',
    remedy: 'Choose another cache group, or give the cache the settings of the group.',
  },
  GROUP_REGION_MISMATCH: {
    status: 1,
    http: 409,
    wrap: 'always',
    text: (group: string, existing: string, existingRegion: string, starting: string, startingRegion: string) =>
      `Data region mismatch for caches related to the same group [groupName=${group}, existingCache=${existing}, ` +
      `existingDataRegion=${existingRegion}, startingCache=${starting}, startingDataRegion=${startingRegion}]`,
    cause: 'The cache group has caches in another data region.',
    remedy: 'Give all caches of a group the same data region.',
  },
  INCOMPATIBLE_TYPES: {
    status: 1,
    http: 409,
    wrap: 'always',
    // Ignite shows the stored value, too: who may put may not always read, and the interceptor may mask it.
    text: (value: string, type: string, oldType: string) =>
      `Incompatible types [appendVal=${value},type=${type}, oldType=${oldType}]`,
    cause: '`append` or `prepend` met a stored value of another type than the one sent.',
    remedy: 'Append and prepend strings to strings, lists to lists, and maps to maps.',
  },
  CLUSTER_GROUP_EMPTY: {
    status: 1,
    http: 404,
    wrap: 'always',
    text: () => 'Cluster group is empty.',
    cause: 'No node has the id in `destId`.',
    remedy: 'Send a node id from the top command as destId, or omit destId.',
  },
  STATE_MISSING: {
    status: 1,
    http: 400,
    wrap: 'command',
    text: () => "State can't be null.",
    cause: '`setstate` came without `state`.',
    remedy: 'Send state=ACTIVE, ACTIVE_READ_ONLY or INACTIVE.',
  },
  STATE_INVALID: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (value: string) => `Failed to parse parameter of ClusterState type [state=${value}]`,
    cause: '`state` is not one of the three states.',
    remedy: 'Send ACTIVE, ACTIVE_READ_ONLY or INACTIVE, in upper case.',
  },
  READ_ONLY: {
    status: 1,
    http: 409,
    wrap: 'command',
    text: (operation: string, cache: string) =>
      `Failed to perform ${operation} (cluster is in read-only mode) [cacheGrp=null, cache=${cache}]`,
    cause: 'The state is ACTIVE_READ_ONLY, in which nothing can be changed.',
    remedy: 'Set the state to ACTIVE with setstate.',
  },
  INACTIVE: {
    status: 1,
    http: 503,
    wrap: 'command',
    text: () =>
      'Can not perform the operation because the cluster is inactive. Note, that the cluster is considered inactive ' +
      'by default if Persistent Store is used to let all the nodes join the cluster. To activate the cluster call ' +
      'setstate with state=ACTIVE.',
    cause: 'The state is INACTIVE, in which no data are available.',
    remedy: 'Set the state to ACTIVE with setstate.',
  },
  DEACTIVATION_STOPPED: {
    status: 1,
    http: 409,
    wrap: 'command',
    text: (caches: readonly string[]) =>
      'Deactivation stopped. Deactivation clears in-memory caches (without persistence) including the system caches. ' +
      `In memory caches: [${caches.join(', ')}] .To deactivate cluster pass '--force' flag (force=true here).`,
    cause: 'INACTIVE would discard entries of caches that are not persistent.',
    remedy: 'Send force=true if the entries of these caches may be lost.',
  },
  NODE_NOT_FOUND: {
    status: 1,
    http: 404,
    wrap: 'always',
    text: (id: string) => `Failed to find a node with this id [nodeId=${id}]`,
    cause: 'No node has the id in `nodeId`.',
    remedy: 'Send a node id from the top command, or omit nodeId.',
  },
  CACHE_LIST_OPTIONS: {
    status: 1,
    http: 400,
    wrap: 'always',
    text: notCombined,
    cause: '`cachelist` came with two of its parameters that ask for different lists.',
    remedy: 'Send one of groups, seq and config.',
  },
  PATTERN_INVALID: {
    status: 1,
    http: 400,
    wrap: 'always',
    text: (pattern: string) => `Failed to parse the regular expression [regex=${pattern}]`,
    cause: '`regex` is not a regular expression.',
    remedy: 'Send a regular expression in the syntax of Java.',
  },
  PROBE_KIND_INVALID: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (kind: string, known: string) => `Unknown probe kind: ${kind} (expected one of: ${known})`,
    cause: '`kind` is not one of the kinds of probes.',
    remedy: 'Send one of the kinds in the text, or omit kind.',
  },
  NOT_READY: {
    status: 1,
    http: 503,
    httpAlways: true,
    wrap: 'never',
    text: () => 'grid is not ready',
    cause: 'The service starts, stops, is drained, or has no usable data or nodes.',
    remedy: 'Try again later. An administrator finds the reason in the log and in the state of the cluster.',
  },
  DRAIN_ACTION_INVALID: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (action: string, known: string) => `Unknown drain action: ${action} (expected one of: ${known})`,
    cause: '`action` is not one of the actions of `drain`.',
    remedy: 'Send one of the actions in the text.',
  },
  NODE_ID_OR_IP_MISSING: {
    status: 1,
    http: 400,
    wrap: 'always',
    text: () => 'Failed to handle request (either id or ip should be specified).',
    cause: '`node` came with neither `id` nor `ip`.',
    remedy: 'Send id or ip; top lists the nodes.',
  },
  UUID_INVALID: {
    status: 1,
    igniteStatus: 4,
    http: 400,
    wrap: 'never',
    text: invalidUuid,
    cause: 'A part of the id of a task is not a UUID.',
    remedy: 'Send five groups of hexadecimal digits, separated by dashes.',
  },
  NOT_A_UUID: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (name: string, value: string) => `Failed to parse parameter of UUID type [${name}=${value}]`,
    cause: 'A group of `id` has digits that are not hexadecimal, or too many of them.',
    remedy: 'Send five groups of hexadecimal digits, separated by dashes.',
  },
  OPERATION_FAILED: {
    status: 1,
    http: 500,
    wrap: 'command',
    text: (text: string) => text,
    cause: 'The engine could not execute the command, for a reason that has no code of its own.',
    remedy: 'The text says what failed.',
  },
  SQL: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (text: string) => text,
    cause: 'The statement is wrong: its syntax, its types, the number of its arguments, or a value that it met.',
    remedy: 'Correct the statement at the position that the text names.',
  },
  SQL_OBJECT_NOT_FOUND: {
    status: 1,
    http: 404,
    wrap: 'never',
    text: (text: string) => text,
    cause: 'The statement names a table, column, index or schema that does not exist.',
    remedy: 'Correct the name. The text suggests a similar one.',
  },
  SQL_CONFLICT: {
    status: 1,
    http: 409,
    wrap: 'never',
    text: (text: string) => text,
    cause: 'The statement creates a table, column, index or row that exists.',
    remedy: 'Use another name or key: this one exists already.',
  },
  QUERY_NOT_FOUND: {
    status: 1,
    http: 404,
    wrap: 'never',
    text: (id: Text) =>
      `Failed to find query with ID: ${id}. Possible reasons: wrong query ID, no more data to fetch from query, ` +
      'query was closed by timeout or node where query was executed is not found.',
    cause:
      'The cursor is closed: its last page was read, nobody used it for `query.idleTimeout`, somebody killed ' +
      'it, or it belongs to another user.',
    remedy: 'Run the query again.',
  },
  QUERY_LOST: {
    status: 1,
    http: 503,
    wrap: 'never',
    httpAlways: true,
    text: () => 'The process that ran the query has ended. Repeat the query.',
    cause:
      'The process that held the cursor or ran the statement was ended because another statement in it did not end, or ' +
      'it failed.',
    remedy: 'Run the query again.',
  },
  QUERY_PROCESS_MEMORY: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: () => 'The query was cancelled because its process has run out of memory',
    cause: 'The statement, with the cursors of its process, needs more memory than `query.maxProcessMemoryBytes`.',
    remedy: 'Read or build less at once, or raise query.maxProcessMemoryBytes.',
  },
  QUERY_ELSEWHERE: {
    status: 1,
    http: 503,
    wrap: 'never',
    text: (id: Text, url: string, reason: string) =>
      `Failed to reach the query with ID: ${id}. The service that runs it does not answer [url=${url}, reason=${reason}]`,
    cause: 'Another service in front of the same cluster holds the cursor, and cannot be reached.',
    remedy: 'Send the request to that service, or run the query again.',
  },
  QUERY_BUSY: {
    status: 1,
    http: 409,
    wrap: 'never',
    text: (id: Text) => `A page of the query with ID ${id} is being sent to another request.`,
    cause: 'Two requests read the same cursor at once.',
    remedy: 'Read the page to its end before requesting the next one.',
  },
  QUERY_TYPE_NOT_FOUND: {
    status: 1,
    http: 404,
    wrap: 'never',
    text: (name: string) => `Failed to find SQL table for type: ${name}`,
    cause: 'The cache has no query entity for `type`.',
    remedy: 'Use a type that the metadata command lists for the cache.',
  },
  QUERY_CANCELLED: {
    status: 1,
    http: 504,
    wrap: 'never',
    text: (reason: string) => `The query was cancelled while executing: ${reason}`,
    cause: 'Somebody ended the statement with `qrykill` or `KILL QUERY`, or its client left.',
    remedy: 'Send it again if its result is still needed.',
  },
  QUERY_TIMEOUT: {
    status: 1,
    http: 504,
    wrap: 'never',
    text: (limit: string) => `The query was cancelled while executing: the time limit is over${limit}`,
    cause: 'The statement reached its time limit: `timeout` of the request, `query.timeout` or `query.maxTimeout`.',
    remedy: 'Raise the time limit (timeout) or make the statement cheaper.',
  },
  QUERY_PREEMPTED: {
    status: 1,
    http: 503,
    wrap: 'never',
    httpAlways: true,
    text: () => 'The query was ended because its user had several running and another user waited for a query thread',
    cause:
      'All query threads ran long statements, and a user without any had waited for a second. The longest statement of ' +
      'the user with the most was ended.',
    remedy: 'Send it again, run fewer long statements at once, or raise query.threads.',
  },
  QUERY_MEMORY: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (limit: Text) => `The query was cancelled because it needs too much memory [limit=${limit}]`,
    cause: 'The statement needs more memory than `query.maxMemoryBytes`.',
    remedy: 'Read or build less at once, or raise query.maxMemoryBytes.',
  },
  QUERIES_MEMORY: {
    status: 1,
    http: 503,
    wrap: 'never',
    httpAlways: true,
    text: (limit: Text) =>
      `The query was cancelled because all running queries together need too much memory [limit=${limit}]`,
    cause:
      'The statements that ran at once needed more memory than `query.maxTotalMemoryBytes`. This one had the most.',
    remedy: 'Try again later, read or build less at once, or raise query.maxTotalMemoryBytes.',
  },
  QUERY_DISK: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (limit: Text) => `The query was cancelled because it writes too much to temporary files [limit=${limit}]`,
    cause: 'The statement writes more than `query.maxTemporaryBytes` to temporary files, for sorting or grouping.',
    remedy: 'Sort or group fewer rows, create an index, or raise query.maxTemporaryBytes.',
  },
  QUERIES_DISK: {
    status: 1,
    http: 503,
    wrap: 'never',
    httpAlways: true,
    text: () => 'The query was cancelled because all running queries together need too much space for temporary files',
    cause:
      'The temporary files of the statements that ran at once exceeded `query.maxTotalTemporaryBytes`, or left less than ' +
      '`storage.minFreeBytes` of their disk. This one had the most.',
    remedy: 'Try again later, sort or group fewer rows at once, or give temporary files more space (SQLITE_TMPDIR).',
  },
  QUERY_RESULT_BYTES: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (limitBytes: Text) =>
      `The query was cancelled because its result is too large, all pages together [limitBytes=${limitBytes}]`,
    cause: 'The rows of the statement exceed `query.maxResultBytes`.',
    remedy: 'Select fewer rows or columns, split the result by key, or raise query.maxResultBytes.',
  },
  WRITE_LOCK_TIME: {
    status: 1,
    http: 504,
    wrap: 'never',
    text: (limitMs: Text) =>
      `The statement was rolled back because it kept other changes waiting for too long [limitMs=${limitMs}]`,
    cause: 'The statement held the write lock for longer than `query.maxWriteLockMs`. Its changes were rolled back.',
    remedy: 'Change fewer rows with each statement, make it cheaper, or raise query.maxWriteLockMs.',
  },
  QUERIES_BUSY: {
    status: 1,
    http: 503,
    wrap: 'never',
    httpAlways: true,
    text: (threads: Text) => `All query threads are busy with other statements [threads=${threads}]`,
    cause: 'No query thread became free within the time limit of the statement.',
    remedy: 'Try again later, cancel long statements, or raise query.threads or the time limit (timeout).',
  },
  CURSOR_LIMIT: {
    status: 1,
    http: 503,
    wrap: 'never',
    text: (limit: Text) => `Too many open cursors [limit=${limit}]`,
    cause: 'The user holds all cursors that `limits.openCursors` allows, or those that a node of the cluster allows.',
    remedy: 'Close cursors with qrycls, or raise limits.openCursors.',
  },
  USER_SHARE: {
    status: 1,
    http: 429,
    wrap: 'never',
    text: (what: string, own: Text, limit: Text) =>
      `Too many ${what}: none are left, and this user already has its share [own=${own}, limit=${limit}]`,
    cause: 'The service has no more of it, and the user has its equal share or more.',
    remedy:
      'Close cursors or sessions that are no longer needed, send less at once, or raise limits.openCursors, ' +
      'limits.sessions or limits.requestBufferBytes.',
  },
  SESSION_LIMIT: {
    status: 1,
    http: 503,
    wrap: 'never',
    text: (limit: Text) => `Too many sessions [limit=${limit}]`,
    cause: 'The user holds all sessions that `limits.sessions` allows.',
    remedy: 'Reuse session tokens instead of logging in with each request, or raise limits.sessions.',
  },
  CLASS_NOT_FOUND: {
    status: 1,
    http: 404,
    wrap: 'never',
    text: (name: string) => `Failed to find target class: ${name}`,
    cause: 'There is no scan predicate with the name in `className`, and in front of a cluster no class of the nodes.',
    remedy: 'Register the predicate under this class name in the configuration (scanPredicates).',
  },
  CLASS_NOT_A_FILTER: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (name: string) =>
      'Failed to create instance (target class does not extend or implement required class or interface) ' +
      `[cls=${name}]`,
    cause: 'The class of the nodes that `className` names cannot filter entries.',
    remedy: 'Name a scan predicate of the configuration.',
  },
  TASK_NOT_FOUND: {
    status: 1,
    http: 404,
    wrap: 'always',
    text: (name: string) =>
      `Unknown task name or failed to auto-deploy task (was task (re|un)deployed?) [taskName=${name}]`,
    cause: 'No task has the name in `name`.',
    remedy: 'Declare the task in the configuration (tasks).',
  },
  CLASS_NOT_A_TASK: {
    status: 1,
    http: 400,
    wrap: 'always',
    text: (name: string) => `Failed to auto-deploy task (deployed class is not a task) [taskName=${name}]`,
    cause: 'The class that `name` names is not a task.',
    remedy: 'Name a task of the configuration (tasks).',
  },
  TASK_FAILED: {
    status: 1,
    http: 500,
    wrap: 'always',
    text: (text: string) => text,
    cause: 'The task threw an error, or was cancelled.',
    remedy: 'The text is the error message of the task.',
  },
  TASK_TIMEOUT: {
    status: 1,
    http: 504,
    wrap: 'always',
    text: (name: string, timeoutMs: Text) =>
      `Task timed out (check logs for error messages): [taskName=${name}, timeout=${timeoutMs}]`,
    cause: 'The task ran for longer than its `timeout`.',
    remedy: 'Raise timeout, or make the task faster.',
  },
  TASK_ID_INVALID: {
    status: 1,
    http: 400,
    wrap: 'always',
    text: (id: string) => `Failed to parse id parameter: ${id}`,
    cause: '`id` does not have the form of a task id.',
    remedy: 'Send the id that exe returned.',
  },
  TASK_SYNCHRONOUS: {
    status: 1,
    http: 400,
    wrap: 'always',
    text: (id: string) =>
      `Failed to parse id parameter: ${id}. The task ran synchronously, so its result was in the response of exe`,
    cause: '`res` asks for the result of a task that was started without `async=true`.',
    remedy: 'Start the task with async=true to read its result later.',
  },
  TASK_NOT_STARTED: {
    status: 1,
    http: 404,
    wrap: 'always',
    text: (taskId: string, nodeId: string) =>
      `Task with provided id has never been started on provided node [taskId=${taskId}, taskResHolderId=${nodeId}]`,
    cause: 'There is no task with this id: it was never started, or its result is no longer kept.',
    remedy: 'Send the id that exe returned with async=true.',
  },
  TASK_NOT_RUNNING: {
    status: 1,
    http: 404,
    wrap: 'always',
    text: (id: string) => `Failed to find a running task with ID: ${id}`,
    cause: 'No task with this id runs on this service, or it is the task of another user.',
    remedy: 'tasklist returns the ids of the running tasks.',
  },
  TASK_HOLDER_LEFT: {
    status: 1,
    http: 404,
    wrap: 'always',
    text: (nodeId: string) => `Task result holder has left grid: ${nodeId}`,
    cause: 'The node in the id of the task is not part of the cluster.',
    remedy: 'Send the id that exe returned with async=true.',
  },
  TOKEN_MISSING: {
    status: 2,
    http: 401,
    wrap: 'never',
    text: () => 'Failed to handle request - session token not found or invalid',
    cause: 'Authentication is on, and the request has neither a session token nor credentials.',
    remedy: 'Send sessionToken, or credentials.',
  },
  TOKEN_UNKNOWN: {
    status: 1,
    http: 401,
    wrap: 'never',
    text: (token: string) =>
      `Failed to handle request - unknown session token (maybe expired session) [sesTok=${token}]`,
    cause: 'The session expired, was ended, or never existed.',
    remedy: 'Log in again with authenticate.',
  },
  CREDENTIALS_WRONG: {
    status: 2,
    http: 401,
    wrap: 'never',
    text: (user: string | null, given?: string, meant = '') =>
      `The user name or password is incorrect [userName=${user}]` +
      (given === undefined ? '' : `: the parameter ${given} is unknown, did you mean ${meant}?`),
    cause: 'There is no such user, or the password is another one, or the parameters with them have other names.',
    remedy: 'Send the right name and password.',
  },
  TOO_MANY_ATTEMPTS: {
    status: 2,
    http: 429,
    wrap: 'never',
    text: (seconds: Text) => `Too many failed attempts to log in, try again in ${seconds} s`,
    cause: 'There were too many wrong passwords for this user or from this network.',
    remedy: 'Wait for the time in the text.',
  },
  PERMISSION_DENIED: {
    status: 3,
    http: 403,
    wrap: 'never',
    text: (user: string, missing: string) => `Authorization failed [user=${user}, missing=${missing}]`,
    cause: 'No role of the user has the permission that the text names.',
    remedy: 'Ask an administrator for a role with the missing permission.',
  },
  /** One text for all reasons, so that nobody finds out which ids exist. */
  API_KEY_UNKNOWN: {
    status: 2,
    http: 401,
    wrap: 'never',
    text: (id: string) => `The API key is unknown, expired or revoked [id=${id}]`,
    cause: 'No API key has this id and this secret, or the key has expired, or was removed.',
    remedy: 'Send a current key. apikeylist shows the keys, and apikeyrotate replaces the secret of one.',
  },
  JWT_INVALID: {
    status: 2,
    http: 401,
    wrap: 'never',
    text: (reason: string) => `The JSON Web Token is not accepted: ${reason}`,
    cause:
      'The signature, the issuer, the audience, the times or the user of the token are not what the ' +
      'configuration requires.',
    remedy: 'Get a new token from the identity provider, for the audience of this service.',
  },
  JWT_KEYS_UNAVAILABLE: {
    status: 1,
    http: 503,
    wrap: 'never',
    text: () => 'The keys that JSON Web Tokens are verified with are not available',
    cause: 'The keys of `jwt.keys` could not be loaded.',
    remedy: 'Try again later. The log of the service says why the keys of jwt.keys could not be loaded.',
  },
  SIGNATURE_WRONG: {
    status: 3,
    http: 401,
    httpAlways: true,
    wrap: 'never',
    text: (reason: string) => `Failed to handle request - security check failed: ${reason}`,
    cause: 'The service has a secret key, and the header X-Signature is missing, wrong or too old.',
    remedy: 'Send X-Signature: TIMESTAMP:BASE64(SHA1(TIMESTAMP:KEY)).',
  },
  ORIGIN_FORBIDDEN: {
    status: 3,
    http: 403,
    wrap: 'never',
    text: (what: string, option: string) =>
      `Failed to handle request - rejected because it comes from another site: ${what} (allow it with ${option})`,
    cause: "A web page of another site sent the request, or the request names a host that is not the service's.",
    remedy: 'Add the origin or host to the configuration (http.origins, http.hosts).',
  },
  SECURITY_DISABLED: {
    status: 1,
    http: 400,
    wrap: 'always',
    text: () => 'Operation cannot be performed: security disabled.',
    cause: 'The command manages users or keys, and authentication is off.',
    remedy: 'Start the service with SVC_AUTHENTICATION=true.',
  },
  USER_OPERATION: {
    status: 1,
    http: 400,
    wrap: 'always',
    text: (text: string) => text,
    cause: 'The name or the password is not allowed, or the user may not do this.',
    remedy: 'The text says what is wrong with the user operation.',
  },
  OLD_PASSWORD_WRONG: {
    status: 1,
    http: 403,
    wrap: 'always',
    text: () => 'The old password is wrong',
    cause: 'A user who changes the own password has sent no old password, or another one.',
    remedy: 'Send the current password as oldPassword. Who has forgotten it asks an administrator for a new one.',
  },
  USER_EXISTS: {
    status: 1,
    http: 409,
    wrap: 'always',
    text: (name: string) => `User already exists [login=${name}]`,
    cause: 'There is a user with this name.',
    remedy: 'Choose another name, or change the password of the user with updateuser.',
  },
  API_KEY_INVALID: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (reason: string) => `The API key cannot be created or changed: ${reason}`,
    cause: 'A parameter of the key is wrong, or the key would permit more than its user.',
    remedy: 'The text says which parameter is wrong.',
  },
  API_KEY_EXISTS: {
    status: 1,
    http: 409,
    wrap: 'never',
    text: (user: string, name: string) => `The user has an API key with this name [user=${user}, name=${name}]`,
    cause: 'The user has a key with this name.',
    remedy: 'Choose another name, or replace the secret of the key with apikeyrotate.',
  },
  API_KEY_NOT_FOUND: {
    status: 1,
    http: 404,
    wrap: 'never',
    text: (id: string) => `There is no API key with this id [id=${id}]`,
    cause: 'No API key has this id, or it belongs to another user.',
    remedy: 'Use an id of apikeylist. Only administrators change the keys of other users.',
  },
  ROLE_INVALID: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (reason: string) => `The role cannot be stored or assigned: ${reason}`,
    cause: 'The name or the rights of a role are wrong, or a user would get too many roles.',
    remedy: 'The text says what is wrong.',
  },
  ROLE_EXISTS: {
    status: 1,
    http: 409,
    wrap: 'never',
    text: (name: string) => `There is a role with this name [role=${name}]`,
    cause: 'A stored role, one of the configuration, or a built-in one has this name.',
    remedy: 'Choose another name, or change the stored role with roleupdate.',
  },
  ROLE_NOT_FOUND: {
    status: 1,
    http: 404,
    wrap: 'never',
    text: (name: string) => `There is no role with this name [role=${name}]`,
    cause: 'No role has this name.',
    remedy: 'Use a name of rolelist. Names are case-sensitive.',
  },
  ROLE_KEPT: {
    status: 1,
    http: 409,
    wrap: 'never',
    text: (name: string) => `The role is built in or defined in the configuration file [role=${name}]`,
    cause: 'Commands change only the roles that commands have stored.',
    remedy: 'Change permissions.roles in the configuration file, or store a role with another name.',
  },
  ROLES_OF_USER_KEPT: {
    status: 1,
    http: 409,
    wrap: 'never',
    text: (user: string) => `The configuration file assigns the roles of this user [user=${user}]`,
    cause: 'The user is the default user, or permissions.users names the user.',
    remedy: 'Change permissions.users in the configuration file.',
  },
  ROLE_IN_USE: {
    status: 1,
    http: 409,
    wrap: 'never',
    text: (name: string, users: readonly string[], count: number) =>
      `The role is assigned to ${count === 1 ? 'a user' : `${count} users`} [role=${name}, users=${users.join(', ')}` +
      `${count > users.length ? ', ...' : ''}]`,
    cause: 'Without the role, its users would have other rights than before.',
    remedy: 'Assign other roles to these users with roleassign first.',
  },
  ROLE_NOT_INCLUDED: {
    status: 3,
    http: 403,
    wrap: 'never',
    text: (name: string, user: string) =>
      `The role permits more than each role of the user [role=${name}, user=${user}]`,
    cause: 'Nobody grants, changes or takes away rights that no single role of their own has.',
    remedy: 'Ask a user whose role permits as much, such as one with the role admin.',
  },
  ROLE_LOCKOUT: {
    status: 1,
    http: 409,
    wrap: 'never',
    text: (user: string) => `After this change, you could no longer manage users [user=${user}]`,
    cause: 'The change would take the administration right users from the user who makes it.',
    remedy: 'Ask another administrator to make the change.',
  },
  ROLE_LIMIT: {
    status: 1,
    http: 409,
    wrap: 'never',
    text: (limit: Text) => `Too many stored roles [limit=${limit}]`,
    cause: 'There are as many stored roles as there can be.',
    remedy: 'Remove roles with rolermv.',
  },
  SESSION_NOT_FOUND: {
    status: 1,
    http: 404,
    wrap: 'never',
    text: (id: string) => `There is no session with this id [id=${id}]`,
    cause: 'No session has this id, it has ended, or it belongs to another user.',
    remedy: 'Use an id of sessionlist. Only administrators end the sessions of other users.',
  },
  API_KEY_LIMIT: {
    status: 1,
    http: 409,
    wrap: 'never',
    text: (whose: string, limit: Text) => `Too many API keys for ${whose} [limit=${limit}]`,
    cause: 'The user, or all users together, have as many keys as the limit allows.',
    remedy: 'Remove keys with apikeyrmv, or raise limits.apiKeys or limits.apiKeysPerUser.',
  },
  USER_NOT_FOUND: {
    status: 1,
    http: 404,
    wrap: 'always',
    text: (name: string) => `User doesn't exist [userName=${name}]`,
    cause: 'There is no user with this name.',
    remedy: 'Add the user with adduser. Names are case-sensitive.',
  },
  LOG_PATH_FORBIDDEN: {
    status: 1,
    http: 403,
    wrap: 'always',
    text: (path: string) => `File path is not allowed, it must be inside the log folder [path=${path}]`,
    cause: '`path` is outside the log folder.',
    remedy: 'Name a file inside the log folder, or omit path.',
  },
  LOG_RANGE_INVALID: {
    status: 1,
    http: 400,
    wrap: 'always',
    text: (reason: string) => reason,
    cause: '`from`, `to` and `lines` describe no range of lines of the file.',
    remedy: 'Send from and to with 0 <= from < to, or lines.',
  },
  LOG_NOT_FOUND: {
    status: 1,
    http: 404,
    wrap: 'always',
    text: (path: string) => `Log file is not found [path=${path}]`,
    cause: 'The log folder has no such file.',
    remedy: 'Name a file inside the log folder, or omit path.',
  },
  REQUEST_MALFORMED: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (reason: string) => `Failed to read the request: ${reason}`,
    cause: 'The request is not HTTP, or its parameters or its body cannot be decoded.',
    remedy: 'Percent-encode parameters as UTF-8; send a form or a JSON object as body.',
  },
  PATH_NOT_FOUND: {
    status: 1,
    http: 404,
    wrap: 'never',
    text: (path: string) => `Not found, commands are sent to ${path}, for example ${path}?cmd=version`,
    cause: 'The service has nothing at this path.',
    remedy: 'Use the path in the text.',
  },
  CONSOLE_NOT_BUILT: {
    status: 1,
    http: 503,
    wrap: 'never',
    text: (reason: string) => `The console cannot be built: ${reason}`,
    cause: 'The packages that the console is built from are not installed, in a clone.',
    remedy: 'Run `npm ci`, then load the page again.',
  },
  METHOD_NOT_ALLOWED: {
    status: 1,
    http: 405,
    wrap: 'never',
    text: (allowed: string) => `Method not allowed, use one of: ${allowed}`,
    cause: 'The path does not accept the method of the request.',
    remedy: 'Send commands with GET or POST.',
  },
  REQUEST_TIMEOUT: {
    status: 1,
    http: 408,
    wrap: 'never',
    text: () => 'The request did not arrive in time',
    cause: 'The head or the body arrived too slowly.',
    remedy: 'Send the whole request without long pauses.',
  },
  IMPORT_INVALID: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (line: Text, reason: string) => `Line ${line}: ${reason}`,
    cause: 'A parameter, the header or a line of the import is wrong, or the source is in no known format.',
    remedy: 'Correct the parameter, the header or the line that the text names.',
  },
  IMPORT_REJECTED: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: (line: Text, reason: string) => `Line ${line} was rejected: ${reason}`,
    cause: 'The values of a record do not fit the table or the cache, or its key exists.',
    remedy:
      'Correct the line and continue, or send onError=skip to import the other rows. `response` says what is stored.',
  },
  IMPORT_RECORD_TOO_LONG: {
    status: 1,
    http: 413,
    wrap: 'never',
    text: (line: Text, limit: Text) => `Line ${line}: the record is too long [limitBytes=${limit}]`,
    cause: 'A record exceeds `limits.importRecordBytes`, often because a quote is not closed.',
    remedy: 'Check the quotes, or raise limits.importRecordBytes.',
  },
  IMPORT_NOT_FOUND: {
    status: 1,
    http: 404,
    wrap: 'never',
    text: (id: string) => `There is no import with this id [importId=${id}]`,
    cause: 'No import of this user has the id, or it is no longer remembered.',
    remedy: 'Use the id of an import of the same user. Imports are forgotten a day after their last change.',
  },
  IMPORT_CONFLICT: {
    status: 1,
    http: 409,
    wrap: 'never',
    text: (id: string) => `Another request is running this import [importId=${id}]`,
    cause: 'The import cannot go on in this way; the text says why.',
    remedy: 'Wait until the other request has ended, or follow what the text says.',
  },
  IMPORTS_BUSY: {
    status: 1,
    http: 503,
    wrap: 'never',
    httpAlways: true,
    text: (limit: Text) => `Too many imports are running [limit=${limit}]`,
    cause: '`limits.imports` imports run at once.',
    remedy: 'Try again when another import has ended, or raise limits.imports.',
  },
  TABLE_NOT_FOUND: {
    status: 1,
    http: 404,
    wrap: 'never',
    text: (name: string, nearest: string | undefined) =>
      `There is no table ${name}${nearest === undefined ? '' : `. Did you mean ${nearest}?`}`,
    cause: 'No table has this name.',
    remedy: 'Create the table, or correct its name. Views and system views have no rows of their own.',
  },
  BODY_INCOMPLETE: {
    status: 1,
    http: 400,
    wrap: 'never',
    text: () => 'The connection ended before the whole body had arrived',
    cause: 'The client closed the connection, or sent fewer bytes than it announced.',
    remedy: 'Send the whole body. An import with an id continues where it stopped.',
  },
  BODY_TOO_LARGE: {
    status: 1,
    http: 413,
    wrap: 'never',
    text: (limit: Text) => `The request body is too large [limitBytes=${limit}]`,
    cause: 'The body exceeds `limits.requestBodyBytes`.',
    remedy: 'Send less at once, or raise limits.requestBodyBytes.',
  },
  HEAD_TOO_LARGE: {
    status: 1,
    http: 431,
    wrap: 'never',
    text: (limit: Text) => `The request line and headers are too large [limitBytes=${limit}]`,
    cause: 'The address and the headers exceed `limits.requestHeadBytes`, often because of long parameters.',
    remedy: 'Send the parameters in the body of a POST, or raise limits.requestHeadBytes.',
  },
  OVERLOADED: {
    status: 1,
    http: 503,
    wrap: 'never',
    httpAlways: true,
    text: (waiting: Text) => `Too many requests are waiting [waiting=${waiting}]`,
    cause: 'Requests arrive faster than the service can answer them, and would wait for longer than `limits.queueMs`.',
    remedy: 'Try again later, send fewer requests at once, or raise limits.queueMs or limits.requestsWaiting.',
  },
  RATE_LIMITED: {
    status: 1,
    http: 429,
    wrap: 'never',
    httpAlways: true,
    text: (subject: string, requests: Text, seconds: Text, retrySeconds: Text) =>
      `Too many requests of this ${subject}, try again in ${retrySeconds} s [limit=${requests} in ${seconds} s]`,
    cause: 'The address, the user or the API key sent more requests than its rate allows.',
    remedy: 'Wait for the time in the text and in the header Retry-After. RateLimit tells how many requests are left.',
  },
  BUFFERS_FULL: {
    status: 1,
    http: 503,
    wrap: 'never',
    text: (limit: Text) => `Too many bytes of requests are buffered [limitBytes=${limit}]`,
    cause: 'The requests that are arriving take `limits.requestBufferBytes`.',
    remedy: 'Send the request again later, or raise limits.requestBufferBytes.',
  },
  STOPPING: {
    status: 1,
    http: 503,
    wrap: 'never',
    text: () => 'Failed to handle request (received request while stopping grid).',
    cause: 'The service is about to end, and completes only what it has begun.',
    remedy: 'Try again when the service has restarted.',
  },
  STORAGE_FULL: {
    status: 1,
    http: 503,
    wrap: 'command',
    text: () => 'The disk is full: nothing was written.',
    cause: 'The disk of the data folder has no space left.',
    remedy: 'Free disk space. The service then continues by itself.',
  },
  WRITE_HEADER_MISSING: {
    status: 1,
    http: 403,
    wrap: 'never',
    text: (name: string) => `A GET request that changes data needs the header ${name}.`,
    cause: '`http.writeHeader` names a header that the request does not have.',
    remedy: 'Send the header with any value, or use POST. The option http.writeHeader demands it.',
  },
  STORAGE_LOW: {
    status: 1,
    http: 503,
    wrap: 'command',
    text: () => 'The disk is almost full: nothing was written. Deletes are still possible.',
    cause: 'The free space on the disk of the data folder is less than `storage.minFreeBytes`.',
    remedy: 'Free disk space, delete data or lower storage.minFreeBytes. The service then continues by itself.',
  },
  STORAGE_READ_ONLY: {
    status: 1,
    http: 503,
    wrap: 'command',
    text: () => 'The data folder cannot be written to: nothing was written.',
    cause: 'The file system or its permissions do not allow changes of the data folder.',
    remedy: 'Allow the service to write to its data folder.',
  },
  STORAGE_CORRUPT: {
    status: 1,
    http: 500,
    wrap: 'command',
    text: (detail: string) => `The data file is damaged: ${detail}`,
    cause:
      'The data file has pages that no version of the service wrote: the disk, the memory or another program ' +
      'changed them.',
    remedy: 'Stop the service and restore the last backup. The log has the details.',
  },
  STORAGE_FAILED: {
    status: 1,
    http: 503,
    wrap: 'command',
    text: (detail: string) => `The data file cannot be read or written: ${detail}`,
    cause: 'The operating system reported an error when the data file was read or written.',
    remedy: 'Check the disk and its file system. The log has the details.',
  },
  BACKUP_FOLDER_MISSING: {
    status: 1,
    http: 400,
    wrap: 'command',
    text: () => 'No backup folder is configured: set backup.folder, or send stream=true to receive the backup.',
    cause: '`backup.folder` is not set.',
    remedy: 'Set the option backup.folder (SVC_BACKUP_FOLDER) and restart, or send stream=true.',
  },
  BACKUP_NAME_INVALID: {
    status: 1,
    http: 400,
    wrap: 'command',
    text: (name: string, reason: string) => `The name of a backup ${reason} [name=${name}]`,
    cause: 'The name has characters that are not allowed, or the folder has a backup of that name.',
    remedy: 'Send letters, digits, dots, dashes and underscores that name no file of the folder, or no name.',
  },
  BACKUP_RUNNING: {
    status: 1,
    http: 409,
    wrap: 'command',
    text: () => 'A backup is already running; only one can run at a time.',
    cause: 'Somebody else, or the schedule, started a backup that has not ended.',
    remedy: 'Wait until it is done; the command backups shows it.',
  },
  BACKUP_SPACE: {
    status: 1,
    http: 503,
    wrap: 'command',
    text: (folder: string, freeBytes: number, reserveBytes: number) =>
      `The disk is almost full, so there is no backup [folder=${folder}, free=${freeBytes}, reserve=${reserveBytes}]`,
    cause:
      'The folder for backups has less free space than the reserve `storage.minFreeBytes`, or the data less than half.',
    remedy: 'Free disk space, choose another folder, or receive the backup with stream=true.',
  },
  BACKUP_FAILED: {
    status: 1,
    http: 500,
    wrap: 'command',
    text: (reason: string) => `The backup failed: ${reason}`,
    cause: 'The backup could not be written.',
    remedy: 'The text says what failed. An incomplete backup is never restored.',
  },
  OUTCOME_UNKNOWN: {
    status: 1,
    http: 409,
    httpWithKey: true,
    wrap: 'command',
    text: (reason: string) => `The connection was lost, the outcome of the operation is unknown: ${reason}`,
    cause: 'The connection to a node ended, or the process was killed, between a change and its response.',
    remedy: 'Read what the request should have changed before sending it again.',
  },
  CLUSTER_UNREACHABLE: {
    status: 1,
    http: 503,
    wrap: 'command',
    text: (reason: string) => `No node of the cluster can be reached: ${reason}`,
    cause: 'None of `engine.cluster.endpoints` answers.',
    remedy: 'Check that the nodes are running and that the endpoints are correct.',
  },
  CIRCULAR_REFERENCE: {
    status: 1,
    http: 409,
    wrap: 'never',
    text: () => 'Failed convert to JSON object for circular references',
    cause: 'A program of the cluster stored an object that contains itself, which JSON cannot represent.',
    remedy: 'Read the entry with a program of the cluster, or store an object that does not contain itself.',
  },
  CLUSTER_ANSWER_INVALID: {
    status: 1,
    http: 502,
    wrap: 'command',
    text: (reason: string) => `A node of the cluster sent an unreadable response: ${reason}`,
    cause: 'A node answered with bytes that the protocol does not allow, or with more than the limits for answers.',
    remedy:
      'Check that the endpoints are nodes of a supported version. Request less at once if the response is too large.',
  },
  NOT_SUPPORTED: {
    status: 1,
    http: 400,
    wrap: 'command',
    text: (what: string, reason: string) => `Not supported by this engine: ${what} (${reason})`,
    cause: 'The command, or this use of it, does not work with the engine that the service runs.',
    remedy: 'The documentation lists the capabilities of each engine.',
  },
  INTERNAL: {
    status: 1,
    http: 500,
    wrap: 'command',
    text: (id: string) => `Internal error, the log has the detail [id=${id}]`,
    cause: 'The service has a defect.',
    remedy: 'Report the id together with the log lines that contain it.',
  },
});

export type ErrorCode = keyof typeof ERRORS;

interface SpecificError {
  readonly code: ErrorCode;
  readonly text: (...details: never[]) => string;
}

function defineSpecific<const T extends Record<string, SpecificError>>(entries: T): T {
  return entries;
}

/** Errors that share their code, and so their status and remedy, with others. */
export const SPECIFIC_ERRORS = defineSpecific({
  // The data folder and the data file.
  FOLDER_IN_USE: {
    code: 'OPERATION_FAILED',
    text: (folder: string, processId?: number) =>
      processId === undefined
        ? `The data folder is in use by another process: ${folder} (dataDir)`
        : `The data folder is in use by process ${processId}: ${folder} (dataDir). Stop it with svc stop, or choose another folder`,
  },
  FOLDER_UNUSABLE: {
    code: 'OPERATION_FAILED',
    text: (folder: string, reason: string) =>
      `The data folder cannot be used [dataDir=${folder}, reason=${reason}]: choose another folder (dataDir, SVC_DATA_DIR)`,
  },
  SQLITE_UNSUITABLE: {
    code: 'OPERATION_FAILED',
    text: (version: string, fault: string) =>
      `SQLite ${version} cannot be used: ${fault}. On macOS it is that of the system: update to macOS 14 or later`,
  },
  FOLDER_DAMAGED: {
    code: 'STORAGE_CORRUPT',
    text: (folder: string, reason: string) =>
      `The data file is damaged, restore the last backup [folder=${folder}, reason=${reason}]`,
  },
  DATA_FILE_MISSING: {
    code: 'STORAGE_CORRUPT',
    text: (folder: string, evidence: string) =>
      `The data file svc.db is missing or empty, but ${evidence}: put the file back, or restore the last backup. For an ` +
      `empty store choose another folder [folder=${folder}]`,
  },
  FOLDER_PUBLIC: {
    code: 'OPERATION_FAILED',
    text: (folder: string) =>
      `Everybody can create files in ${folder}: name a folder of the service's own inside it (dataDir, SVC_DATA_DIR)`,
  },
  FILE_PUBLIC: {
    code: 'OPERATION_FAILED',
    text: (path: string, advice: string) => `Everybody can change ${path}: ${advice}`,
  },
  SCHEMA_NEWER: {
    code: 'OPERATION_FAILED',
    text: (folder: string, version: number, writer: string | undefined, program: string, known: number) =>
      `The data folder was written by a newer program${writer === undefined ? '' : ` (${writer})`} and has schema ` +
      `version ${version}; this program (${program}) supports versions up to ${known}. Start the newer program, or ` +
      `restore a backup made before the upgrade [folder=${folder}]`,
  },
  SCHEMA_UNRELEASED: {
    code: 'OPERATION_FAILED',
    text: (folder: string, table: string, version: number) =>
      `A development version wrote the data folder: it has schema version ${version}, but its table ${table} has other ` +
      `columns. Export its data with that version and import them into a new folder, or choose another one ` +
      `[folder=${folder}]`,
  },
  FOLDER_EMPTY: {
    code: 'OPERATION_FAILED',
    text: (folder: string) => `There is no data file in the folder [folder=${folder}]`,
  },
  FOLDER_NOT_EMPTY: {
    code: 'OPERATION_FAILED',
    text: (folder: string) =>
      `The folder is not empty: choose another one, or replace its contents with --replace [folder=${folder}]`,
  },
  RESTORE_INCOMPLETE: {
    code: 'OPERATION_FAILED',
    text: (folder: string) =>
      `A restore to this folder was interrupted: run svc restore with it again [folder=${folder}]`,
  },
  // Backups as files.
  BACKUP_DAMAGED: {
    code: 'STORAGE_CORRUPT',
    text: (reason: string) => `The backup is damaged or incomplete: ${reason}`,
  },
  BACKUP_NEWER: {
    code: 'OPERATION_FAILED',
    text: (version: number, known: number) =>
      `The backup has format version ${version}; this program supports versions up to ${known}. Use the newer program.`,
  },
  TOO_MANY_REGIONS: {
    code: 'OPERATION_FAILED',
    text: (limit: number) => `There can be at most ${limit} data regions that do not persist.`,
  },
  REGION_REMOVED: {
    code: 'OPERATION_FAILED',
    text: (region: string, cache: string) =>
      `The data region ${region} holds the cache ${cache}, but it is no longer declared. ${KEEP_REGION}`,
  },
  REGION_CHANGED: {
    code: 'OPERATION_FAILED',
    text: (region: string, cache: string, now: boolean) =>
      `The data region ${region} holds the cache ${cache}, but persistent is ${now} now and was ${!now}. ${KEEP_REGION}`,
  },

  // Changes and scans.
  READ_ONLY_STATEMENT: {
    code: 'READ_ONLY',
    text: (statement: string, parameters: number, table: string) =>
      `Failed to execute DML statement. Cluster in read-only mode [stmt=${statement}, params=${parameters}, ` +
      `table=${table}]`,
  },
  NULL_NOT_ALLOWED: { code: 'OPERATION_FAILED', text: nullNotAllowed },
  SCAN_POSITION_INVALID: {
    code: 'OPERATION_FAILED',
    text: (position: string) => `Not a scan position: ${position}`,
  },

  // Migrations.
  MIGRATION_CACHES_UNKNOWN: {
    code: 'CACHE_NOT_FOUND',
    text: (caches: string) => `The source has no cache ${caches}.`,
  },
  PROGRESS_OF_OTHER_MIGRATION: {
    code: 'OPERATION_FAILED',
    text: (path: string, from: string, to: string) =>
      `${path} belongs to the migration from ${from} to ${to}; finish it, or remove the file`,
  },
  PROGRESS_UNREADABLE: {
    code: 'OPERATION_FAILED',
    text: (path: string) => `${path} is not a progress file of a migration; remove it to start over`,
  },

  // Users.
  USER_NAME_EMPTY: { code: 'USER_OPERATION', text: () => 'User name is empty' },
  /** The spelling "less then" is Ignite's. */
  USER_NAME_TOO_LONG: {
    code: 'USER_OPERATION',
    text: (limit: number) => `User name is too long. The user name length must be less then ${limit} bytes in UTF8`,
  },
  USER_NAME_CHARACTER: {
    code: 'USER_OPERATION',
    text: (name: string) => `User name has a character that is not allowed [login=${name}]`,
  },
  USER_NAME_FORBIDDEN: {
    code: 'USER_OPERATION',
    text: (name: string) => `User name must not begin with jwt: or contain # or control characters [login=${name}]`,
  },
  OLD_PASSWORD_MISSING: {
    code: 'OLD_PASSWORD_WRONG',
    text: () =>
      'Changing your own password needs the old one: send it as oldPassword of updateuser, or log in with the request ' +
      'itself',
  },
  PASSWORD_EMPTY: { code: 'USER_OPERATION', text: () => 'Password is empty' },
  PASSWORD_TOO_LONG: {
    code: 'USER_OPERATION',
    text: (limit: number) => `Password is too long. It can have ${limit} characters`,
  },
  DEFAULT_USER_KEPT: { code: 'USER_OPERATION', text: () => 'Default user cannot be removed.' },
  USER_MANAGEMENT_FORBIDDEN: {
    code: 'USER_OPERATION',
    text: (user: string | null) => `User management operations are not allowed for user. [curUser=${user}]`,
  },
  API_KEY_AS_PARAMETER: {
    code: 'TOKEN_MISSING',
    text: () =>
      'Failed to handle request - session token not found or invalid: an API key belongs in the header ' +
      'Authorization: Bearer KEY, because addresses are logged',
  },
  /** The credentials may be in the part that was not read, so the text says why it was not. */
  TOKEN_MISSING_UNREAD: {
    code: 'TOKEN_MISSING',
    text: (reason: string) => `Failed to handle request - session token not found or invalid. ${reason}`,
  },
  /** Without the statement, which may contain a password. */
  USER_STATEMENT_SYNTAX: {
    code: 'SQL',
    text: (form: string) => `Syntax error in SQL statement, expected: ${form}`,
  },

  // Tasks.
  TASK_CANCELLED: { code: 'TASK_FAILED', text: (name: string) => `The task was cancelled [taskName=${name}]` },
  TASK_WITHOUT_JOBS: { code: 'TASK_FAILED', text: () => 'Split returned no jobs.' },
  TASK_MAP_FAILED: {
    code: 'TASK_FAILED',
    text: (cause: string) => `Failed to map task jobs to nodes due to undeclared user exception [cause=${cause}]`,
  },
  TASK_REDUCE_FAILED: {
    code: 'TASK_FAILED',
    text: (name: string, cause: string) =>
      `Failed to reduce job results due to undeclared user exception [task=${name}, err=${cause}]`,
  },
  TASK_JOB_FAILED: {
    code: 'TASK_FAILED',
    text: (cause: string) =>
      'Remote job threw user exception (override or implement ComputeTask.result(..) method if you would like to ' +
      `have automatic failover for this exception): ${cause}`,
  },

  // Lines of logs.
  LOG_FROM_MISSING: { code: 'LOG_RANGE_INVALID', text: () => "Request parameter 'from' is not set." },
  LOG_TO_MISSING: { code: 'LOG_RANGE_INVALID', text: () => "Request parameter 'to' is not set." },
  LOG_RANGE_NEGATIVE: {
    code: 'LOG_RANGE_INVALID',
    text: (from: Text, to: Text) => `One of the request parameters is invalid [from=${from}, to=${to}]`,
  },
  LOG_RANGE_REVERSED: {
    code: 'LOG_RANGE_INVALID',
    text: () => "Request parameter 'from' must be less than 'to'.",
  },
  LOG_LINES_INVALID: {
    code: 'LOG_RANGE_INVALID',
    text: (lines: Text) => `The parameter lines must be 1 or more, and cannot be combined with to [lines=${lines}]`,
  },
  LOG_LINES_MISSING: {
    code: 'LOG_RANGE_INVALID',
    text: () => "Request parameter 'from' and 'to' are for lines that do not exist in log file.",
  },

  // Imports.
  IMPORT_BODY_MISSING: {
    code: 'IMPORT_INVALID',
    text: () =>
      'The rows are missing: send them as the body of a POST request, with Content-Type text/csv or ' +
      'application/x-ndjson and all parameters in the address',
  },
  IMPORT_FORMAT_MISSING: {
    code: 'IMPORT_INVALID',
    text: (type: string | null) =>
      `The format of the rows is unknown: send format=csv or format=ndjson [Content-Type=${type ?? 'none'}]`,
  },
  IMPORT_TARGET: {
    code: 'IMPORT_INVALID',
    text: (given: string) => `Send either table or cacheName (${given})`,
  },
  IMPORT_OPTION_INVALID: {
    code: 'IMPORT_INVALID',
    text: (name: string, value: string, allowed: string) => `${name} must be ${allowed} [${name}=${value}]`,
  },
  IMPORT_COLUMN_UNKNOWN: {
    code: 'IMPORT_INVALID',
    text: (name: string, columns: readonly string[]) =>
      `There is no column "${name}". The columns are ${columns.join(', ')}`,
  },
  IMPORT_COLUMN_REPEATED: {
    code: 'IMPORT_INVALID',
    text: (name: string) => `The column "${name}" is named twice`,
  },
  IMPORT_COLUMN_REQUIRED: {
    code: 'IMPORT_INVALID',
    text: (name: string) => `The column ${name} is missing`,
  },
  IMPORT_QUOTES_WRONG: {
    code: 'IMPORT_INVALID',
    text: (line: Text, limit: Text) =>
      `Line ${line}: too many records have misplaced quotes; is the delimiter right? [limit=${limit}]`,
  },
  IMPORT_COLUMNS_TOO_MANY: {
    code: 'IMPORT_INVALID',
    text: (line: Text, limit: Text) => `Line ${line}: the record has too many fields [limit=${limit}]`,
  },
  REGION_LOST: {
    code: 'IMPORT_CONFLICT',
    text: () =>
      'The data region has lost its entries since the import began, because the cluster was inactive: start again',
  },
  EXPORT_VALUE: {
    code: 'OPERATION_FAILED',
    text: (column: string, reason: string) => `A value of ${column} cannot be exported: ${reason}`,
  },
  BEGAN_ONCE: {
    code: 'OUTCOME_UNKNOWN',
    text: () =>
      'An earlier request with this Idempotency-Key began, and how it ended is not known: nothing was done this time',
  },
  ENTRY_NULL: { code: 'OPERATION_FAILED', text: (part: string) => `The ${part} is missing or null` },
  KEY_EXISTS: { code: 'OPERATION_FAILED', text: (key: string) => `The key exists already: ${key}` },
  IMPORT_DIFFERS: {
    code: 'IMPORT_CONFLICT',
    text: (id: string, name: string) =>
      `The import was started with a different value of ${name}: send the same parameters, or another id [importId=${id}]`,
  },
  IMPORT_POSITION: {
    code: 'IMPORT_CONFLICT',
    text: (sent: Text, stored: Text) =>
      `The body begins after the stored position: send the source from that position [offset=${sent}, stored=${stored}]`,
  },
  IMPORT_REPEATS: {
    code: 'IMPORT_INVALID',
    text: () =>
      'On a cluster an import with an id needs onDuplicate=replace or skip: after an interruption its last records are ' +
      'sent again, and cannot be told from duplicates',
  },
  IMPORT_ATOMIC_OPTION: {
    code: 'IMPORT_INVALID',
    text: (name: string) =>
      `atomic=true cannot be combined with ${name}: an atomic import is stored as a whole by one request, or not at all`,
  },
  IMPORT_ATOMIC_ROWS: {
    code: 'IMPORT_CONFLICT',
    text: (name: string, limit: Text) =>
      `${name} has entries, and an atomic import adds at most ${limit} to them: empty it first, or import without atomic`,
  },
  IMPORT_ATOMIC_KEYS: {
    code: 'IMPORT_CONFLICT',
    text: (count: Text, key: string) =>
      `Nothing was imported, because keys exist already: send onDuplicate=replace or skip [keys=${count}, first=${key}]`,
  },
  IMPORT_TABLE_CHANGED: {
    code: 'IMPORT_CONFLICT',
    text: (name: string) => `The definition of ${name} has changed since the import began: start again`,
  },
});

type AnyError = typeof ERRORS & typeof SPECIFIC_ERRORS;

const ALL_ERRORS: AnyError = { ...ERRORS, ...SPECIFIC_ERRORS };

/** An error of {@link ERRORS}. `message` is its text, not wrapped. */
export class GridError extends Error {
  readonly code: ErrorCode;
  /** JSON of the envelope's `response` beside the error; undefined: null. */
  readonly response: string | undefined;

  /** The message is cut after {@link ERROR_CHARACTERS} characters: it can come from a client or a cluster. */
  constructor(code: ErrorCode, message: string, options?: ErrorOptions & { readonly response?: string }) {
    super(shortened(message, ERROR_CHARACTERS), options);
    this.name = 'GridError';
    this.code = code;
    this.response = options?.response;
  }

  /** The declaration of this error. */
  get entry(): ErrorEntry {
    return ERRORS[this.code];
  }
}

/**
 * Creates an error of {@link ERRORS} or {@link SPECIFIC_ERRORS}. The details are the arguments of its text, which
 * quotes at most {@link QUOTED_CHARACTERS} characters of each: details often come from the client, and a response must
 * not repeat a wrong value of 20 MB.
 */
export function fail<K extends keyof AnyError>(key: K, ...details: Parameters<AnyError[K]['text']>): GridError {
  const text = ALL_ERRORS[key].text as (...all: readonly unknown[]) => string;
  return new GridError(
    codeOf(key),
    text(...details.map((each) => (typeof each === 'string' ? shortened(each) : each))),
  );
}

function codeOf(key: keyof AnyError): ErrorCode {
  return isSpecific(key) ? SPECIFIC_ERRORS[key].code : key;
}

function isSpecific(key: keyof AnyError): key is keyof typeof SPECIFIC_ERRORS {
  return Object.hasOwn(SPECIFIC_ERRORS, key);
}

/**
 * Returns the beginning of a text of more than `maxCharacters`, with an ellipsis; a shorter text as it is. A text of
 * more than {@link QUOTABLE_CHARACTERS} is replaced by its length: to read any part of it, the runtime would join the
 * chunks in which it was decoded, 20 ms for 20 MB.
 */
export function shortened(text: string, maxCharacters: number = QUOTED_CHARACTERS): string {
  if (text.length > QUOTABLE_CHARACTERS) return `(${text.length} characters)`;
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}...` : text;
}

/** Like {@link shortened}, but keeps the characters around the first `mark` instead of the first ones. */
export function shortenedAround(text: string, mark: string): string {
  const start = Math.max(0, text.indexOf(mark) - QUOTED_CHARACTERS / 2);
  return start === 0 ? shortened(text) : `...${shortened(text.slice(start))}`;
}
