/**
 * Every limit of the service, with its default. All can be set in the configuration file under `limits`
 * and by environment (`SVC_LIMITS_` + the name in upper snake case). Units stand last in the names.
 */
export const DEFAULT_LIMITS = {
  /** Request line and headers, in bytes. More: 431. */
  requestHeadBytes: 16 * 1024,
  /** Request body, in bytes. More: 413. */
  requestBodyBytes: 64 * 1024 * 1024,
  /** Bytes of requests that are buffered at once, over all threads. More: 503. At least one body always fits. */
  requestBufferBytes: 128 * 1024 * 1024,
  /** The part of them that requests may take whose sender is not known yet, where requests have to name one. */
  unauthenticatedBufferBytes: 80 * 1024 * 1024,
  /** Bytes of answers on each thread that clients have not read yet. More: the connection is closed. */
  responseBufferBytes: 256 * 1024 * 1024,
  /** Bytes a second that a body has to bring on average, after the first idle time. */
  bodyBytesPerSecond: 16 * 1024,
  /** Parameters in one request, query string and body together. */
  parametersPerRequest: 100_000,
  /** A key's text, in characters. */
  keyCharacters: 64 * 1024,
  /** A value's text, in characters. */
  valueCharacters: 32 * 1024 * 1024,
  /** Keys of one bulk command. */
  keysPerCommand: 50_000,
  /** A cache's name, in characters. */
  cacheNameCharacters: 256,
  /** Caches, tables included. Each has counters in shared memory. */
  caches: 16_384,
  /** Rows of one query page; larger page sizes are accepted and cut to it where rows are left. */
  pageRows: 2_147_483_647,
  /** A statement's text, in characters. */
  statementCharacters: 1024 * 1024,
  /** Query cursors open at once, over all users. */
  openCursors: 1_000,
  /** Sessions at once, over all users. */
  sessions: 100_000,
  /** Results of asynchronous tasks kept. */
  taskResults: 10_240,
  /** Connections of clients at once; more are refused with 503. */
  connections: 16_384,
  /** Requests in work at once; more wait in order. */
  requestsInWork: 4_096,
  /** Requests that may wait; more are refused with 503. */
  requestsWaiting: 16_384,
} as const;

export type Limits = { readonly [L in keyof typeof DEFAULT_LIMITS]: number };

/** Throws when limits contradict each other; called once when the configuration has been read. */
export function checkLimits(limits: Limits): string | undefined {
  if (limits.requestHeadBytes > 48 * 1024) return 'requestHeadBytes can be at most 49152';
  if (limits.requestHeadBytes < 1024) return 'requestHeadBytes must be at least 1024';
  if (limits.caches > 65_536) return 'caches can be at most 65536';
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isSafeInteger(value) || value < 1) return `${name} must be a whole number greater than 0`;
  }
  return undefined;
}

/** Bounds of what a node of a cluster sends. They protect the process and are not configurable. */
export const WIRE_BOUNDS = {
  /** Bytes of one answer. A larger one is skipped, and its request fails. */
  answerBytes: 256 * 1024 * 1024,
  /** Bytes of the answer to a handshake. */
  handshakeBytes: 64 * 1024,
  /** Collections and objects inside each other. */
  depth: 1_000,
  /** Bytes that back references may add to an answer, beside its own size once more. */
  expandedBytes: 16 * 1024 * 1024,
  /** Types whose metadata one answer may need. */
  typesPerAnswer: 256,
  /** Bytes of the digits of one decimal or big integer, about 9,800 decimal digits. */
  numberBytes: 4_096,
  /** Largest scale of a decimal, and largest negative one. */
  decimalScale: 100_000,
  /** Partitions of one cache. */
  partitions: 65_536,
  /** Nodes of one cluster. */
  nodes: 4_096,
  /** Bytes of results of tasks that came before anybody asked for them. */
  unclaimedBytes: 16 * 1024 * 1024,
} as const;

/** Bounds of statements. They protect the process and are not configurable. */
export const SQL_BOUNDS = {
  /** Nested parentheses, sub-queries, CASE, NOT and signs. */
  depth: 1_000,
  /** Operators of one level in a row that nest to the left: `1 + 1 + ...`, casts, joins, UNION. */
  chain: 4_000,
  /** Characters of one number. */
  numberCharacters: 10_000,
  /** Tokens of a statement that a thread that answers requests parses; it only scans longer ones. */
  parsedTokens: 1_000,
  /** Analyses that a thread keeps, and the characters of the longest statement among them. */
  keptAnalyses: 1_000,
  keptCharacters: 4_096,
} as const;

/** How a stop proceeds, in ms after the signal. It ends within 5 s whatever runs; see docs/operating.md. */
export const STOP_STEPS = {
  /** Statements and tasks that still run are cancelled, and their requests answered. */
  cancelMs: 2_000,
  /** Connections that are still open are closed. */
  closeMs: 3_000,
  /** The process exits. */
  exitMs: 4_200,
} as const;

/** Bounds of JSON texts. They protect the process and are not configurable. */
export const JSON_BOUNDS = {
  /** Arrays and objects inside each other. */
  depth: 1_000,
  /** Values inside one key, value or argument, those of all levels together. Each takes a hundred bytes while read. */
  values: 250_000,
  /** Characters of one number, and digits that its exponent may add. */
  numberCharacters: 1_000,
} as const;

/** Bounds of decimals, wherever they come from. One operation on two such numbers takes well under a millisecond. */
export const DECIMAL_BOUNDS = {
  /** Digits, leading zeros left out. */
  digits: 1_000,
  /** Digits behind the point, and zeros that an exponent adds in front of it. */
  scale: 1_000,
} as const;

/** Bounds of what one function of a statement may do. They protect the process and are not configurable. */
export const SQL_FUNCTION_BOUNDS = {
  /** Characters of a text that a function produces. */
  textCharacters: 16 * 1024 * 1024,
  /** Bytes of a binary value that a function produces. */
  binaryBytes: 16 * 1024 * 1024,
  /** Bytes that one aggregate may hold while it reads its rows. */
  aggregateBytes: 64 * 1024 * 1024,
  /** Characters or bytes of the arguments and of the result of a call that is computed before the statement runs. */
  foldedSize: 64 * 1024,
  /** Repetitions of HASH. */
  hashIterations: 100_000,
  /** Characters of a pattern of dates, times or numbers. */
  formatCharacters: 1_000,
  /** Characters of a regular expression. */
  regexCharacters: 10_000,
  /** Instructions of a compiled regular expression; a counted repetition has its body so many times. */
  regexInstructions: 20_000,
  /** States of a match: branches of the regular expression, times the characters of the text. */
  regexStates: 128 * 1024 * 1024,
  /** Steps of a match that look-around, possessive quantifiers or back-references keep from linear time. */
  regexSteps: 10_000_000,
  /** Comparisons of one LIKE whose pattern mixes `_` and text between two `%`. */
  likeSteps: 100_000_000,
} as const;

/** Characters of a parameter's name as it is sent; a longer one is not that of any parameter and is skipped. */
export const LONGEST_NAME_CHARACTERS = 1_024;
