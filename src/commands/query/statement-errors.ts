/** The errors shared by commands with statements and scans. */

/** Errors when one begins: no capacity is free for it. */
export const BEGUN_ERRORS = ['QUERIES_BUSY', 'QUERY_PREEMPTED', 'CURSOR_LIMIT', 'USER_SHARE'] as const;

/** Errors of a running one. */
export const RUNNING_ERRORS = [
  'QUERY_CANCELLED',
  'QUERY_TIMEOUT',
  'QUERY_LOST',
  'QUERY_MEMORY',
  'QUERY_PROCESS_MEMORY',
  'QUERIES_MEMORY',
  'QUERY_RESULT_BYTES',
] as const;

/** Errors of a statement, which can move rows to temporary files. */
export const SPILLING_ERRORS = ['QUERY_DISK', 'QUERIES_DISK'] as const;
