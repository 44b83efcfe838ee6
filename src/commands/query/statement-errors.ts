/** The errors that commands with statements and scans share. */

/** Of one that begins: nothing is free for it. */
export const BEGUN_ERRORS = ['QUERIES_BUSY', 'QUERY_PREEMPTED', 'CURSOR_LIMIT', 'USER_SHARE'] as const;

/** Of one that runs. */
export const RUNNING_ERRORS = [
  'QUERY_CANCELLED',
  'QUERY_TIMEOUT',
  'QUERY_LOST',
  'QUERY_MEMORY',
  'QUERY_PROCESS_MEMORY',
  'QUERIES_MEMORY',
  'QUERY_RESULT_BYTES',
] as const;

/** Of a statement, which can move rows to temporary files. */
export const SPILLING_ERRORS = ['QUERY_DISK', 'QUERIES_DISK'] as const;
