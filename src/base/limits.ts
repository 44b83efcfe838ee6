/**
 * The limits of the service.
 *
 * A constant belongs here when it limits how much a client, a file or another node can make the service accept, hold,
 * compute or send, and exceeding it is visible: the request fails, the connection closes or the result is cut. The
 * tables below protect the process and are fixed; settable-limits.ts has the limits that users may set.
 *
 * A constant stays next to its code when only the speed or the memory of one algorithm depends on it (sizes of
 * caches, chunks and buffers, intervals between polls), when it belongs to a format or protocol (days of a week,
 * bytes of a header), or when it shortens messages. Its comment says which. A delay or an interval that
 * users may set is an option.
 *
 * The last word of a name is its unit.
 */

export * from './settable-limits.ts';

/** Limits on HTTP requests, besides those that users can set. */
export const HTTP_BOUNDS = {
  /** Header lines of a request. */
  headerLines: 200,
  /** Bytes of the extensions of one chunk, and of all chunks in a body. */
  chunkExtensionBytes: 1_024,
  chunkExtensionsBytes: 16 * 1_024,
  /** Bytes and lines of a body's trailers. */
  trailerBytes: 16 * 1_024,
  trailers: 200,
  /** Bytes of pipelined requests that wait while one is being processed. Beyond that, the socket is paused. */
  pipelinedBytes: 256 * 1_024,
  /** Bytes that a rejected client may still send before its connection is cut. */
  lingerBytes: 64 * 1_024 * 1_024,
  /** Bytes of a form in UTF-16 or ISO-2022; in all character sets, smaller forms are decoded without a pause. */
  smallFormBytes: 16 * 1_024,
  /** Digits of a chunk size. */
  chunkSizeDigits: 8,
  /** Bytes of a PROXY protocol header after its fixed part. */
  proxyHeaderBytes: 4 * 1_024,
  /** Seconds within which a whole head, and a TLS handshake, must arrive. */
  headSeconds: 12,
} as const;

/** Limits of tools for language models over HTTP: of a message, and of a command's result. */
export const MCP_BOUNDS = {
  messageBytes: 256 * 1_024,
  resultCharacters: 256 * 1_024,
} as const;

/** Bounds of tasks. The first two are defaults of options. */
export const TASK_BOUNDS = {
  /** Memory of one task process, in bytes. */
  processBytes: 1_024 ** 3,
  /** Longest running time of a task. */
  maxTimeoutMs: 600_000,
  /** Steps of tasks that may wait for a process. */
  waiting: 10_000,
} as const;

/** Bounds of logs. */
export const LOG_BOUNDS = {
  /** Bytes of one file, and how many older files are kept. */
  fileBytes: 32 * 1_024 * 1_024,
  filesKept: 8,
  /** Lines that the command `log` returns unless the request says otherwise. */
  defaultLines: 1_000,
  /** Bytes of the lines that the command `log` returns. */
  responseBytes: 64 * 1_024 * 1_024,
} as const;

/**
 * Bounds of the audit log. Rejected and failed requests have a separate file, so no number of them
 * displaces the records of changes.
 */
export const AUDIT_BOUNDS = {
  /** Bytes of each text of a line, as JSON in UTF-8: enough to recognize a key or name. */
  textBytes: 200,
  /** Lines per minute about rejected and failed requests: per network, and in total. */
  networkLines: 60,
  allLines: 3_000,
  /** Lines per minute guaranteed to a network even when the total is used up. */
  assuredLines: 10,
  /** Networks whose omitted lines are counted separately. */
  countedNetworks: 1_000,
} as const;

/** Bounds of logins. The numbers of allowed failures and the maximum back-off are options. */
export const LOGIN_BOUNDS = {
  /** Bytes of a user's name in UTF-8. The bound is exclusive, as in Ignite: a name of this length is rejected. */
  nameBytes: 60,
  /** Characters of a password. */
  passwordCharacters: 1_024,
  /** Longest delay of an attempt because of earlier failures. One that would wait longer fails with 429. */
  waitMs: 20_000,
  /** Attempts from all networks that wait at once; each holds a request. Beyond that: 429. */
  waiting: 500,
  /** Passwords checked at once for all networks; each check is expensive. Beyond that: 503. */
  checked: 200,
  /** Passwords, new ones and those to verify, that wait to be hashed, which is expensive. */
  hashesWaiting: 300,
  /** First back-off of a user who has failed too often from one network; it doubles with each failure. */
  firstBackoffMs: 1_000,
  /** A user's failures from one network are forgotten after this time without a new one. */
  failuresMs: 15 * 60_000,
  /** A network's failures are each forgotten after this time. */
  networkFailuresMs: 60_000,
  /** Time between attempts from a network that has failed too often. */
  networkIntervalMs: 1_000,
  /** Rejected guesses for a user from one network after which a cached password is no longer accepted. */
  rejectedGuesses: 100,
} as const;

/** Bounds of API keys. How many there may be is set by options. */
export const API_KEY_BOUNDS = {
  /** Characters of a key's name. */
  nameCharacters: 100,
  /** Characters of a key's scope. */
  scopeCharacters: 4_096,
  /** Addresses and networks of one key. */
  addresses: 100,
  /** Longest time for which the previous secret is still accepted after a rotation. */
  overlapMs: 30 * 24 * 3_600_000,
  /** Latest expiry of a key, unless it never expires. */
  lifetimeMs: 10 * 365 * 24 * 3_600_000,
} as const;

/** Bounds of saved queries. Their numbers are options. */
export const SAVED_QUERY_BOUNDS = {
  /** Characters of a query's name. */
  nameCharacters: 100,
  /** Characters of a query's text. */
  textCharacters: 64 * 1_024,
  /** Characters of the JSON of a query's parameters. */
  parametersCharacters: 16 * 1_024,
} as const;

/** Bounds of stored roles. */
export const ROLE_BOUNDS = {
  /** Roles in the store. */
  roles: 1_000,
  /** Characters of a role's name. */
  nameCharacters: 100,
  /** Characters of a role's rights. */
  rightsCharacters: 8_192,
  /** Roles assigned to one user. */
  rolesPerUser: 32,
  /** Characters of the longest name that a pattern in a role or an API key's scope can match. */
  matchedCharacters: 64 * 1_024,
} as const;

/** Bounds of JSON Web Tokens and of the keys that verify them. */
export const JWT_BOUNDS = {
  /** Characters of a token. A longer one is not a token. */
  tokenCharacters: 8_192,
  /** Characters of a user name in a token. */
  nameCharacters: 255,
  /** Verified tokens that a thread caches, and for how long. */
  verifiedTokens: 1_000,
  verifiedMs: 5 * 60_000,
  /** Tokens that a thread verifies at once. */
  verifications: 64,
  /** Bytes and keys of a key set. */
  keySetBytes: 256 * 1_024,
  keys: 100,
  /** Time for downloading a key set. */
  downloadMs: 5_000,
  /** Age at which a key set is loaded again, and the time between attempts. */
  urlMaxAgeMs: 10 * 60_000,
  urlCooldownMs: 30_000,
  fileMaxAgeMs: 10_000,
  fileCooldownMs: 1_000,
  /** Age at which a thread asks for newer keys. */
  threadKeysMs: 10_000,
} as const;

/** Bounds of the requests that the service sends to a cluster. */
export const CLUSTER_BOUNDS = {
  /** Users for whom the service keeps cluster connections at once. */
  users: 500,
  /** Time for starting or destroying a cache and for changing the cluster's state. */
  changeMs: 120_000,
  /** Time that a node may take to cancel a statement, after which its connection is closed. */
  cancelMs: 5_000,
  /** Time that closing waits for outstanding responses. */
  closeMs: 5_000,
  /** Transactions at once per connection pool; nodes accept 100 per connection. Beyond that: 503. */
  transactions: 64,
  /** Time that another instance of the service may take to return a page of one of its cursors. */
  peerMs: 60_000,
} as const;

/** Limits on messages from a cluster node. */
export const WIRE_BOUNDS = {
  /** Bytes of one response. A larger one is skipped, and its request fails. */
  responseBytes: 256 * 1024 * 1024,
  /** Bytes of the response to a handshake. */
  handshakeBytes: 64 * 1024,
  /** Nesting of collections and objects. */
  depth: 1_000,
  /** Bytes by which a response may exceed twice its size when back references are expanded. */
  expandedBytes: 16 * 1024 * 1024,
  /** Types whose metadata one response may need. */
  typesPerResponse: 256,
  /** Bytes of the digits of a decimal or big integer, about 9,800 decimal digits. */
  numberBytes: 4_096,
  /** Maximum absolute scale of a decimal. */
  decimalScale: 100_000,
  /** Partitions per cache. */
  partitions: 65_536,
  /** Nodes per cluster. */
  nodes: 4_096,
  /** Bytes of task results that arrive before their requests are registered. */
  unclaimedBytes: 16 * 1024 * 1024,
  /** The number of these results. The rest are dropped. */
  unclaimedResults: 1_000,
} as const;

/** Bounds of statements. */
export const SQL_BOUNDS = {
  /** Nesting of parentheses, sub-queries, CASE, NOT and signs. */
  depth: 1_000,
  /** Consecutive operators at one level that nest to the left: `1 + 1 + ...`, casts, joins, UNION. */
  chain: 4_000,
  /** Views nested in views. */
  views: 30,
  /** Views per statement, including nested ones. */
  expandedViews: 500,
  /** Characters of their queries. */
  expandedCharacters: 1024 * 1024,
  /** Expressions that are written once and computed several times, such as the operand of BETWEEN. */
  repeatedParts: 50_000,
  /** Characters generated for one expression, or sixteen times the statement's length if that is more. */
  emittedCharacters: 2 * 1024 * 1024,
  /** Tables of one FROM, the most that SQLite joins. */
  joinedTables: 64,
  /** Different windows in one select list: for each, SQLite nests another query. */
  windows: 200,
  /** Columns of a result, the most that SQLite returns. */
  resultColumns: 2_000,
  /** Columns of a table that a statement creates or extends, including dropped ones. */
  tableColumns: 1_000,
  /** Columns of a declared cache's query entities: SQLite's maximum less the columns that all rows have. */
  cacheColumns: 1_995,
  /** Highest number of a numbered parameter (`?1`). */
  parameters: 100_000,
  /** Characters of a number. */
  numberCharacters: 10_000,
  /** Tokens and characters of the longest statement that is parsed on a request thread; others are only scanned. */
  parsedTokens: 1_000,
  parsedCharacters: 128 * 1_024,
  /**
   * Columns of all tables in the longest statement that is prepared on a request thread. Each table counts as eight
   * more, and a view counts as everything that it reads.
   */
  preparedColumns: 300,
  /** Characters from which a statement counts as long: its tokens and trees may take much memory. */
  longCharacters: 64 * 1_024,
  /** Characters of the longest definition whose effect a dry run describes. */
  previewedCharacters: 4_096,
  /** Analyses that a thread caches. */
  cachedAnalyses: 1_000,
  /** Characters of all statements whose analyses a thread caches. */
  allKeptCharacters: 1_024 * 1_024,
} as const;

/** Bounds of queries and storage in the embedded engine. */
export const EMBEDDED_BOUNDS = {
  /** Bytes of the statements that wait for a statement process. */
  waitingBytes: 64 * 1024 * 1024,
  /** Bytes of a cursor's rows that are moved to a temporary file. */
  spilledBytes: 4 * 1024 ** 3,
  /**
   * Open cursors that are kept regardless of size. Beyond that, query.maxTotalMemoryBytes bounds their total memory.
   */
  cursorsOfAnySize: 64,
  /** Running statements that can be listed and killed. The rest run unlisted. */
  shownStatements: 8_192,
  /** Statement texts in SYS.SQL_QUERIES_HISTORY. A new one replaces one that was started long ago. */
  historyStatements: 1_024,
  /**
   * SQL functions that a connection to a database file keeps. A new one, for other types, columns or constants,
   * replaces the least recently used one.
   */
  sqlFunctions: 8_192,
  /** Destroyed caches whose definitions the data file keeps until the next startup, so threads learn of them. */
  destroyedCaches: 128,
  /** Data regions that do not persist. */
  temporaryRegions: 63,
  /** Time between syncs of a region whose changes are acknowledged before they are on disk. */
  syncIntervalMs: 60_000,
} as const;

/** Bounds of comma-separated lists in one parameter or option. */
export const LIST_BOUNDS = {
  /** Items of one list: cache or column names, options after WITH. */
  items: 2_000,
  /** Characters of one list. */
  characters: 256 * 1_024,
} as const;

/** Characters of an idempotency key. */
export const IDEMPOTENCY_KEY_CHARACTERS = 255;

/** Bounds of imports and exports, besides those that users may set. */
export const IMPORT_BOUNDS = {
  /** Fields of one record. */
  columns: 10_000,
  /** Bytes of a source from which a new table's columns are inferred. */
  sampleBytes: 128 * 1_024,
  /** Rejected records that a report lists. All of them are counted. */
  listedErrors: 100,
  /** CSV: records per request with misplaced quotes. Each costs a new parser. Beyond that, the import ends. */
  wrongQuotes: 100_000,
  /** Characters that a report says about one of them. */
  errorCharacters: 500,
  /** Ended or stopped imports with an id that are remembered, and for how long. */
  remembered: 1_000,
  rememberedMs: 24 * 3_600_000,
  /** Characters of an import's id. */
  idCharacters: 100,
} as const;

/** Bounds of the change feed, besides those that users may set. */
export const CHANGE_FEED_BOUNDS = {
  /** Columns and fields of a table whose changes can be recorded. */
  columns: 400,
  /** Changes, and bytes of changes, sent to a consumer at once. A single change always fits. */
  pageChanges: 512,
  pageBytes: 256 * 1_024,
  /** Characters of a position. */
  positionCharacters: 2_048,
  /** Time between checks that a consumer may still read the caches. */
  authorizationMs: 1_000,
  /** Shortest and longest time between heartbeats. */
  leastHeartbeatMs: 100,
  heartbeatMs: 300_000,
  /** Longest time that a read waits for a position. */
  waitMs: 60_000,
  /** Bytes buffered for a consumer's stream in front of a cluster. */
  waitingBytes: 4 * 1_024 * 1_024,
} as const;

/** Bounds of shadow mode. */
export const SHADOW_BOUNDS = {
  /** Requests per thread that wait for the second service. */
  inFlight: 32,
  /** Characters of a response that are compared. */
  answerCharacters: 256 * 1_024,
} as const;

/** Bounds of `svc record`. */
export const RECORDING_BOUNDS = {
  /** Bytes of a body that are recorded. */
  bodyBytes: 1_024 * 1_024,
  /** Bytes of a response that are recorded. */
  answerBytes: 64 * 1_024,
} as const;

/** Bounds of backups. */
export const BACKUP_BOUNDS = {
  /** Bytes of a backup's header. */
  headerBytes: 16 * 1024 * 1024,
  /** Bytes of one run of pages in a backup. */
  runBytes: 16 * 1024 * 1024,
  /** Database files in a backup. */
  files: 64,
  /** Characters of a backup's name. */
  nameCharacters: 128,
  /** Milliseconds for which taking the snapshot may hold the write lock. */
  snapshotMs: 2_000,
  /** Milliseconds after which a client that reads nothing of its backup is disconnected. */
  stalledMs: 60_000,
  /** Milliseconds for which a process that makes or checks a backup may neither report progress nor use a processor. */
  silentMs: 60_000,
} as const;

/** Bounds of the continuous backup. */
export const SHIPPING_BOUNDS = {
  /** Milliseconds in which the current log must be shipped before it is emptied; writes do not wait for it. */
  shipMs: 60_000,
  /** Longest time in milliseconds that writes wait for the last object before the log is emptied. */
  releaseMs: 2_000,
  /** Milliseconds for which a shutdown waits for the last object. */
  finishMs: 2_000,
  /** Milliseconds for which a shutdown then waits for the shipping process to exit. */
  endMs: 1_000,
  /** Milliseconds after which a status of the shipping process is outdated. */
  silentMs: 15_000,
  /** Milliseconds until the shipping process is restarted: the first time, and at most after repeated exits. */
  restartMs: 1_000,
  maxRestartMs: 30_000,
} as const;

/**
 * Steps of a shutdown, in ms after the signal and the delay of `shutdown.delaySeconds`. The process ends within 5 s of
 * that in any case; see docs/operating.md.
 */
export const STOP_STEPS = {
  /** A service with standbys keeps responding until they notice that it is about to stop. */
  announceMs: 300,
  /** Statements and tasks that still run are cancelled, and their requests fail. */
  cancelMs: 2_000,
  /** Open connections are closed. */
  closeMs: 3_000,
  /** The process exits. */
  exitMs: 4_200,
  /** The watchdog kills the process if it still runs. */
  killMs: 4_500,
} as const;

/** Bounds of the watchdog, in ms. */
export const WATCHDOG_BOUNDS = {
  /** A thread that answers requests and is blocked for longer is logged and counted. */
  stallMs: 1_000,
  /** A thread that is blocked for longer is also logged while it is still blocked. */
  longStallMs: 10_000,
  /** Where signals cannot be counted, the process is killed when its main thread is blocked for longer. */
  hangMs: 60_000,
  /**
   * A statement process is replaced when its statement has not ended this long after its time limit or cancellation.
   */
  statementGraceMs: 2_000,
  /** A statement process is replaced when a commit has not ended after this time: its disk or the process hangs. */
  commitMs: 60_000,
  /** A statement process is replaced when it has requests but has run nothing and read no message for this long. */
  silentMs: 30_000,
} as const;

/** Bounds of JSON documents. */
export const JSON_BOUNDS = {
  /** Nesting of arrays and objects. */
  depth: 1_000,
  /** Values inside one key, value or argument, across all levels. Each takes a hundred bytes while being parsed. */
  values: 250_000,
  /** Characters of a number, and digits that its exponent may add. */
  numberCharacters: 1_000,
} as const;

/** Bounds of all decimals. An operation on two decimals within them takes well under a millisecond. */
export const DECIMAL_BOUNDS = {
  /** Digits, without leading zeros. */
  digits: 1_000,
  /** Digits after the point, and zeros that an exponent adds before it. */
  scale: 1_000,
} as const;

/** Characters of a value that is neither a string nor binary: a number, date, time, UUID. */
export const SCALAR_CHARACTERS = 10_000;

/** Bounds of one function call in a statement. */
export const SQL_FUNCTION_BOUNDS = {
  /** Characters of a string that a function returns. */
  textCharacters: 16 * 1024 * 1024,
  /** Bytes of a binary value that a function returns. */
  binaryBytes: 16 * 1024 * 1024,
  /** Bytes that one aggregate holds while it reads its rows. */
  aggregateBytes: 64 * 1024 * 1024,
  /** Bytes of the values that ARRAY_AGG collects, or MEDIAN of non-numbers; each value counts as 100 more. */
  arrayBytes: 16 * 1024 * 1024,
  /** Characters or bytes of the arguments and the result of a call that is folded into a constant. */
  foldedSize: 64 * 1024,
  /** Iterations of HASH. */
  hashIterations: 100_000,
  /** Characters of a format for dates, times or numbers. */
  formatCharacters: 1_000,
  /** Characters of a regular expression. */
  regexCharacters: 10_000,
  /** Instructions of a compiled regular expression. A counted repetition repeats its body. */
  regexInstructions: 20_000,
  /** States of a match: branches of the regular expression times characters of the string. */
  regexStates: 128 * 1024 * 1024,
  /** Steps of a match that is not linear because of look-around, possessive quantifiers or back-references. */
  regexSteps: 10_000_000,
  /** Pending branches of a match; each takes 8 bytes. */
  regexPending: 8 * 1024 * 1024,
  /** Nesting of groups and classes of a regular expression. */
  regexDepth: 200,
  /** Characters that a look-behind may match. Java rejects one without an obvious maximum. */
  regexLookBehindCharacters: 1_000,
  /** Comparisons of one LIKE whose pattern mixes `_` and characters between two `%`. */
  likeSteps: 100_000_000,
} as const;

/** Characters of a value, name or statement that an error text quotes. Longer ones end with an ellipsis. */
export const QUOTED_CHARACTERS = 1_000;

/** Characters of the longest string whose beginning an error text quotes; for longer ones it states the length. */
export const QUOTABLE_CHARACTERS = 1024 * 1024;

/** Comparisons of undeclared parameter names with declared ones, per request. Beyond that, the request fails. */
export const PARAMETER_COMPARISONS = 1_000;

/** Characters of a whole error text, which can quote several of these. */
export const ERROR_CHARACTERS = 4_000;

/** Bytes of one string in a log line, as JSON in UTF-8; enough for the stack of an unexpected error. */
export const LOG_FIELD_BYTES = 10_000;

/** Characters of a parameter name as sent. Longer names match no parameter and are ignored. */
export const MAX_NAME_CHARACTERS = 1_024;
