/** What the service reports of running statements and scans. */

/** What a running statement is doing. `idle`: its cursor waits for the client's next request. */
export const STATEMENT_STATES = ['waitingForProcess', 'running', 'waitingForLock', 'idle'] as const;
export type StatementState = (typeof STATEMENT_STATES)[number];

/**
 * Why statements are ended before they are done. `client`: it left, or closed the cursor. `share`: another user waited
 * for its thread.
 */
export const STATEMENT_ENDS = ['time', 'memory', 'disk', 'result', 'lock', 'killed', 'client', 'share'] as const;
export type StatementEnd = (typeof STATEMENT_ENDS)[number];

export interface StatementReport {
  /** Number of statements by state. */
  readonly states: Readonly<Record<StatementState, number>>;
  /** Age of the oldest statement that is not idle, in ms; 0: there is none. */
  readonly oldestMs: number;
  /** Number of statements that were ended early since the start, by reason. */
  readonly ended: Readonly<Record<StatementEnd, number>>;
  /** Statement processes: those that run, and those of them that have work. */
  readonly processes: { readonly started: number; readonly busy: number };
}
