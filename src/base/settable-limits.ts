/** The limits that users can set. src/base/limits.ts has the fixed ones and defines what counts as a limit. */

/** The subjects of limits: requests, entries and caches, and so on. docs/limits has a page for each. */
export type LimitGroup = 'http' | 'entry' | 'query' | 'transfer' | 'task' | 'user' | 'backup' | 'cluster' | 'server';

/** A limit that users can set, with its subject and the effect of exceeding it. */
export interface LimitDeclaration {
  readonly group: LimitGroup;
  readonly default: number;
  readonly help: string;
  /** The error codes when it is exceeded, or a description of the effect. */
  readonly beyond: string | readonly string[];
  /** The unit, if the name does not say it. */
  readonly unit?: string;
}

/**
 * The limits that users can set, in the configuration file under `limits` and in the environment as `SVC_LIMITS_`
 * followed by the name in upper snake case. Options and the page of limits are generated from this table.
 */
export const LIMITS = {
  requestHeadBytes: {
    group: 'http',
    default: 16 * 1024,
    help: 'Maximum size of request line and headers in bytes, up to 49152; larger heads get 431.',
    beyond: ['HEAD_TOO_LARGE'],
  },
  requestBodyBytes: {
    group: 'http',
    default: 64 * 1024 * 1024,
    help: 'Maximum size of a request body in bytes; larger bodies get 413.',
    beyond: ['BODY_TOO_LARGE'],
  },
  /**
   * Bytes of requests buffered at once by all threads, and an eighth more for senders with little. More: 503, or 429
   * for a sender who has its share. One body always fits.
   */
  requestBufferBytes: {
    group: 'http',
    default: 128 * 1024 * 1024,
    help: 'Maximum request bytes buffered by all threads together, at least requestBodyBytes; beyond that, requests get 503.',
    beyond: ['BUFFERS_FULL', 'USER_SHARE'],
  },
  unauthenticatedBufferBytes: {
    group: 'http',
    default: 80 * 1024 * 1024,
    help: 'Share of requestBufferBytes for requests not yet authenticated, with authentication or a secret key.',
    beyond: ['BUFFERS_FULL', 'USER_SHARE'],
  },
  responseBufferBytes: {
    group: 'http',
    default: 128 * 1024 * 1024,
    help: 'Maximum unread response bytes across all threads; beyond that, connections are closed, starting with the one that has read nothing for the longest time.',
    beyond: 'The most stalled connections are closed.',
  },
  compressedResponses: {
    group: 'http',
    default: 32,
    help: 'Maximum number of long responses compressed at the same time, per thread; the rest are sent uncompressed.',
    beyond: 'The response is sent uncompressed.',
    unit: 'responses',
  },
  bodyBytesPerSecond: {
    group: 'http',
    default: 16 * 1024,
    help: 'Minimum average rate of a request body in bytes per second after http.idleTimeoutSeconds; slower bodies get 408.',
    beyond: ['REQUEST_TIMEOUT'],
    unit: 'bytes per second',
  },
  parametersPerRequest: {
    group: 'http',
    default: 10_000,
    help: "Maximum number of parameters in one request: in query string and body together, including a batch's commands.",
    beyond: ['REQUEST_MALFORMED'],
    unit: 'parameters',
  },
  keyCharacters: {
    group: 'entry',
    default: 64 * 1024,
    help: 'Maximum length of a key in characters.',
    beyond: ['LIMIT_EXCEEDED'],
  },
  valueCharacters: {
    group: 'entry',
    default: 4 * 1024 * 1024,
    help: 'Maximum length of a value that a request stores, in characters; longer stored values can still be read.',
    beyond: ['LIMIT_EXCEEDED'],
  },
  largeReadCharacters: {
    group: 'entry',
    default: 32 * 1024 * 1024,
    help: 'Maximum length of the values that one getall returns, in characters; a single value can be longer (embedded engine).',
    beyond: ['LIMIT_EXCEEDED'],
  },
  keysPerCommand: {
    group: 'entry',
    default: 2_048,
    help: 'Maximum number of keys in one bulk command.',
    beyond: ['LIMIT_EXCEEDED'],
    unit: 'keys',
  },
  batchCommands: {
    group: 'entry',
    default: 1_000,
    help: 'Maximum number of commands in one batch.',
    beyond: ['LIMIT_EXCEEDED'],
    unit: 'commands',
  },
  batchCharacters: {
    group: 'entry',
    default: 4 * 1024 * 1024,
    help: 'Maximum length of the commands of one batch in characters.',
    beyond: ['LIMIT_EXCEEDED'],
  },
  batchResponseCharacters: {
    group: 'entry',
    default: 32 * 1024 * 1024,
    help: 'Maximum length of the results of one batch in characters; the batch ends there.',
    beyond: ['LIMIT_EXCEEDED'],
  },
  /** Idempotency keys kept, at about 150 bytes and their answers each. More: 503, but a reserve for users with few. */
  idempotencyKeys: {
    group: 'http',
    default: 1_000_000,
    help: 'Maximum number of idempotency keys stored; beyond that, new ones are rejected with 503. Users with few keys have a reserve.',
    beyond: ['IDEMPOTENCY_FULL'],
    unit: 'keys',
  },
  idempotencyAnswerCharacters: {
    group: 'http',
    default: 64 * 1024,
    help: 'Maximum length of the result stored with an idempotency key, in characters; a change with a longer one is rejected.',
    beyond: ['LIMIT_EXCEEDED'],
  },
  cacheNameCharacters: {
    group: 'entry',
    default: 256,
    help: 'Maximum length of a cache name in characters.',
    beyond: ['CACHE_NAME_INVALID'],
  },
  caches: {
    group: 'entry',
    default: 4_096,
    help: 'Maximum number of caches including tables, up to 65536.',
    beyond: ['CACHE_LIMIT'],
  },
  counters: {
    group: 'entry',
    default: 1_000_000,
    help: 'Maximum number of counters (embedded engine).',
    beyond: ['COUNTER_LIMIT'],
  },
  pageRows: {
    group: 'query',
    default: 2_147_483_647,
    help: 'Maximum number of rows in a query page; larger page sizes are reduced to it.',
    beyond: 'The page has that many rows; more pages follow.',
  },
  statementCharacters: {
    group: 'query',
    default: 128 * 1024,
    help: 'Maximum length of a statement in characters.',
    beyond: ['LIMIT_EXCEEDED'],
  },
  openCursors: {
    group: 'query',
    default: 1_000,
    help: 'Maximum number of open query cursors, over all users.',
    beyond: ['CURSOR_LIMIT', 'USER_SHARE'],
    unit: 'cursors',
  },
  sessions: {
    group: 'user',
    default: 100_000,
    help: 'Maximum number of sessions, over all users.',
    beyond: ['SESSION_LIMIT', 'USER_SHARE'],
  },
  apiKeys: {
    group: 'user',
    default: 1_000,
    help: 'Maximum number of API keys, over all users.',
    beyond: ['API_KEY_LIMIT'],
    unit: 'keys',
  },
  apiKeysPerUser: {
    group: 'user',
    default: 100,
    help: 'Maximum number of API keys of one user.',
    beyond: ['API_KEY_LIMIT'],
    unit: 'keys',
  },
  savedQueries: {
    group: 'user',
    default: 1_000,
    help: 'Maximum number of saved queries, over all users.',
    beyond: ['SAVED_QUERY_LIMIT'],
    unit: 'queries',
  },
  savedQueriesPerUser: {
    group: 'user',
    default: 200,
    help: 'Maximum number of saved queries of one user.',
    beyond: ['SAVED_QUERY_LIMIT'],
    unit: 'queries',
  },
  taskResults: {
    group: 'task',
    default: 10_240,
    help: 'Maximum number of results kept for asynchronous tasks.',
    beyond: ['OVERLOADED'],
    unit: 'results',
  },
  connections: {
    group: 'http',
    default: 16_384,
    help: 'Maximum number of client connections per thread; beyond that, new ones get 503.',
    beyond: ['OVERLOADED'],
  },
  requestsInFlight: {
    group: 'http',
    default: 4_096,
    help: 'Maximum number of requests that a thread executes at once. Together with limits.requestsWaiting, it bounds those in progress; beyond that, new ones get 503.',
    beyond: ['OVERLOADED'],
    unit: 'requests',
  },
  requestsWaiting: {
    group: 'http',
    default: 16_384,
    help: 'Maximum number of requests in progress that wait, for example for a statement process; beyond that, new ones get 503.',
    beyond: ['OVERLOADED', 'QUERIES_BUSY'],
    unit: 'requests',
  },
  imports: {
    group: 'transfer',
    default: 16,
    help: 'Maximum number of concurrent imports; beyond that, new ones get 503.',
    beyond: ['IMPORTS_BUSY'],
    unit: 'imports',
  },
  importRecordBytes: {
    group: 'transfer',
    default: 16 * 1024 * 1024,
    help: 'Maximum length of one record of an import in bytes.',
    beyond: ['IMPORT_RECORD_TOO_LONG'],
  },
  atomicImportRows: {
    group: 'transfer',
    default: 100_000,
    help: 'Maximum number of rows that an atomic import adds to a table or cache that is not empty.',
    beyond: ['IMPORT_CONFLICT'],
    unit: 'rows',
  },
  changeConsumers: {
    group: 'transfer',
    default: 1_000,
    help: 'Maximum number of consumers of the change feed; beyond that, new ones get 503. Users with few of them have a reserve.',
    beyond: ['CHANGE_CONSUMERS'],
    unit: 'consumers',
  },
  queueMs: {
    group: 'http',
    default: 2_000,
    help: 'CoDel target in milliseconds: while all requests leaving a queue have waited longer, new ones get 503 with Retry-After.',
    beyond: ['OVERLOADED', 'QUERIES_BUSY'],
  },
} as const satisfies Readonly<Record<string, LimitDeclaration>>;

export type Limits = { readonly [L in keyof typeof LIMITS]: number };

export const LIMIT_NAMES = Object.keys(LIMITS) as ReadonlyArray<keyof Limits>;

export const DEFAULT_LIMITS = Object.fromEntries(LIMIT_NAMES.map((name) => [name, LIMITS[name].default])) as Limits;

/** Returns the problem with the limits, or undefined. Called once, after reading the configuration. */
export function checkLimits(limits: Limits): string | undefined {
  if (limits.requestHeadBytes > 48 * 1024) return 'requestHeadBytes can be at most 49152';
  if (limits.requestHeadBytes < 1024) return 'requestHeadBytes must be at least 1024';
  if (limits.caches > 65_536) return 'caches can be at most 65536';
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isSafeInteger(value) || value < 1) return `${name} must be a whole number greater than 0`;
  }
  return undefined;
}
