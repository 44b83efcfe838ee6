/** Errors of statements, scans and cursors, and of users who have reached their share. */
import { defineErrors, defineTexts, type Text } from './error-entry.ts';

/** The texts for values that their column does not accept, in statements and in commands. */
export const COLUMN_TEXTS = {
  NULL_NOT_ALLOWED: (column: string) => `Null value is not allowed for column '${column}'`,
  VALUE_TOO_LONG: (column: string, limit: number, length: number) =>
    `Value for a column '${column}' is too long. Maximum length: ${limit}, actual length: ${length}`,
  PRECISION_OUT_OF_RANGE: (column: string, limit: number, actual: number) =>
    `Value for a column '${column}' is out of range. Maximum precision: ${limit}, actual precision: ${actual}`,
  SCALE_OUT_OF_RANGE: (column: string, limit: number, actual: number) =>
    `Value for a column '${column}' is out of range. Maximum scale : ${limit}, actual scale: ${actual}`,
};

export const STATEMENT_ERRORS = defineErrors({
  SQL: {
    http: 400,
    text: (text: string) => text,
    cause:
      'The statement is invalid: its syntax, its types, the number of its arguments, or a value that it processed.',
    remedy: 'Correct the part of the statement, or the argument, that the text names.',
  },
  SQL_OBJECT_NOT_FOUND: {
    http: 404,
    text: (text: string) => text,
    cause: 'The statement names a table, column, index or schema that does not exist.',
    remedy: 'Correct the name: the text may suggest a similar one. SYS.TABLES and SYS.TABLE_COLUMNS list all names.',
  },
  SQL_CONFLICT: {
    http: 409,
    text: (text: string) => text,
    cause: 'The statement creates a table, column, index or row that already exists.',
    remedy: 'Use another name or key.',
  },
  QUERY_NOT_FOUND: {
    http: 404,
    text: (id: Text) =>
      `Failed to find query with ID: ${id}. Possible reasons: wrong query ID, no more data to fetch from query, ` +
      'query was closed by timeout or node where query was executed is not found.',
    cause:
      'The cursor is closed: its last page was read, it was not used for `query.idleTimeout`, it was killed, ' +
      'or it belongs to another user.',
    remedy: 'Run the query again.',
  },
  QUERY_LOST: {
    http: 503,
    httpAlways: true,
    text: () => 'The process that ran the query has ended. Repeat the query.',
    cause:
      'The process that held the cursor or ran the statement was ended because another statement in it did not end, or ' +
      'it failed.',
    remedy: 'Run the query again.',
  },
  QUERY_PROCESS_MEMORY: {
    http: 400,
    text: () => 'The query was cancelled because its process has run out of memory',
    cause: 'The statement and the cursors of its process together need more memory than `query.maxProcessMemoryBytes`.',
    remedy: 'Read or build less at once, or raise query.maxProcessMemoryBytes.',
  },
  QUERY_ELSEWHERE: {
    http: 503,
    text: (id: Text, url: string, reason: string) =>
      `Failed to reach the query with ID: ${id}. The service that runs it does not respond [url=${url}, reason=${reason}]`,
    cause: 'The cursor is held by another service in front of the same cluster, which cannot be reached.',
    remedy: 'Send the request to that service, or run the query again.',
  },
  QUERY_BUSY: {
    http: 409,
    text: (id: Text) => `A page of the query with ID ${id} is being sent to another request.`,
    cause: 'Two requests read the same cursor at once.',
    remedy: 'Read the page to its end before requesting the next one.',
  },
  QUERY_TYPE_NOT_FOUND: {
    http: 404,
    text: (name: string) => `Failed to find SQL table for type: ${name}`,
    cause: 'The cache has no query entity for `type`.',
    remedy: 'Use a type that the metadata command lists for the cache.',
  },
  QUERY_CANCELLED: {
    http: 504,
    text: (reason: string) => `The query was cancelled while executing: ${reason}`,
    cause: 'The statement was ended with `qrykill` or `KILL QUERY`, or its client disconnected.',
    remedy: 'If you still need the result, send the statement again.',
  },
  QUERY_TIMEOUT: {
    http: 504,
    text: (limit: string) => `The query was cancelled while executing: the time limit is over${limit}`,
    cause: 'The statement reached its time limit: `timeout` of the request, `query.timeout` or `query.maxTimeout`.',
    remedy: 'Raise the time limit (timeout) or make the statement cheaper.',
  },
  QUERY_PREEMPTED: {
    http: 503,
    httpAlways: true,
    text: () => 'The query was cancelled to free a statement process for a user without one',
    cause:
      'All statement processes ran long statements while a user without any was waiting. The longest statement of ' +
      'the user with the most was ended.',
    remedy: 'Send the statement again, run fewer long statements at once, or raise query.processes.',
  },
  QUERY_MEMORY: {
    http: 400,
    text: (limit: Text) => `The query was cancelled because it needs too much memory [limit=${limit}]`,
    cause: 'The statement needs more memory than `query.maxMemoryBytes`.',
    remedy: 'Read or build less at once, or raise query.maxMemoryBytes.',
  },
  QUERIES_MEMORY: {
    http: 503,
    httpAlways: true,
    text: (limit: Text) =>
      `The query was cancelled because all running queries together need too much memory [limit=${limit}]`,
    cause:
      'The statements that ran at once needed more memory than `query.maxTotalMemoryBytes`. This one used the most.',
    remedy: 'Try again later, read or build less at once, or raise query.maxTotalMemoryBytes.',
  },
  QUERY_DISK: {
    http: 400,
    text: (limit: Text) => `The query was cancelled because it writes too much to temporary files [limit=${limit}]`,
    cause: 'The statement writes more than `query.maxTemporaryBytes` to temporary files, for sorting or grouping.',
    remedy: 'Sort or group fewer rows, create an index, or raise query.maxTemporaryBytes.',
  },
  QUERIES_DISK: {
    http: 503,
    httpAlways: true,
    text: () => 'The query was cancelled because all running queries together need too much space for temporary files',
    cause:
      'The temporary files of concurrent statements exceeded `query.maxTotalTemporaryBytes`, or left less than ' +
      '`storage.minFreeBytes` on their disk. This statement used the most.',
    remedy: 'Try again later, sort or group fewer rows at once, or give temporary files more space (SQLITE_TMPDIR).',
  },
  QUERY_RESULT_BYTES: {
    http: 400,
    text: (limitBytes: Text) =>
      `The query was cancelled because its result is too large, all pages together [limitBytes=${limitBytes}]`,
    cause: 'The rows of the statement exceed `query.maxResultBytes`.',
    remedy: 'Select fewer rows or columns, split the result by key, or raise query.maxResultBytes.',
  },
  WRITE_LOCK_TIME: {
    http: 504,
    text: (limitMs: Text) =>
      `The statement was rolled back because it kept other changes waiting for too long [limitMs=${limitMs}]`,
    cause: 'The statement held the write lock for longer than `query.maxWriteLockMs`. Its changes were rolled back.',
    remedy: 'Change fewer rows with each statement, make it cheaper, or raise query.maxWriteLockMs.',
  },
  QUERIES_BUSY: {
    http: 503,
    httpAlways: true,
    text: (processes: Text) => `All statement processes are busy with other statements [processes=${processes}]`,
    cause: 'No statement process became free within the time limit of the statement.',
    remedy: 'Try again later, cancel long statements, or raise query.processes or the time limit (timeout).',
  },
  CURSOR_LIMIT: {
    http: 503,
    text: (limit: Text) => `Too many open cursors [limit=${limit}]`,
    cause: 'The user holds all cursors that `limits.openCursors` or a node of the cluster allows.',
    remedy: 'Close cursors with qrycls, or raise limits.openCursors.',
  },
  USER_SHARE: {
    http: 429,
    text: (what: string, own: Text, limit: Text) =>
      `No more ${what} available: this user already holds its share [own=${own}, limit=${limit}]`,
    cause: 'The resource is exhausted or scarce, and the user holds its share or more.',
    remedy:
      'Close cursors or sessions that are no longer needed, send less at once, or raise limits.openCursors, ' +
      'limits.sessions or limits.requestBufferBytes.',
  },
  SESSION_LIMIT: {
    http: 503,
    text: (limit: Text) => `Too many sessions [limit=${limit}]`,
    cause: 'The user holds all sessions that `limits.sessions` allows.',
    remedy: 'Reuse session tokens instead of logging in with each request, or raise limits.sessions.',
  },
});

/** Texts of errors that share their code with others. */
export const STATEMENT_TEXTS = defineTexts({
  READ_ONLY_STATEMENT: {
    code: 'READ_ONLY',
    text: (statement: string, parameters: number, table: string) =>
      `Failed to execute DML statement. Cluster in read-only mode [stmt=${statement}, params=${parameters}, ` +
      `table=${table}]`,
  },
  NULL_NOT_ALLOWED: { code: 'VALUE_REJECTED', text: COLUMN_TEXTS.NULL_NOT_ALLOWED },
  VALUE_TOO_LONG: { code: 'VALUE_REJECTED', text: COLUMN_TEXTS.VALUE_TOO_LONG },
  PRECISION_OUT_OF_RANGE: { code: 'VALUE_REJECTED', text: COLUMN_TEXTS.PRECISION_OUT_OF_RANGE },
  SCALE_OUT_OF_RANGE: { code: 'VALUE_REJECTED', text: COLUMN_TEXTS.SCALE_OUT_OF_RANGE },
  KEY_CLASS: {
    code: 'VALUE_REJECTED',
    text: (expected: string, actual: string) =>
      `Failed to update index, incorrect key class [expCls=${expected}, actualCls=${actual}]`,
  },
  KEY_FIELDS: {
    code: 'VALUE_REJECTED',
    text: (type: string, declared: readonly string[], found: readonly string[]) =>
      `A key of type ${type} needs exactly the fields ${declared.join(', ')}, got ${found.join(', ') || 'none'}`,
  },
  SCAN_POSITION_INVALID: {
    code: 'OPERATION_FAILED',
    text: (position: string) => `Not a scan position: ${position}`,
  },
});
