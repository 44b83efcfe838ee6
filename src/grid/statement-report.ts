/** The service's report on running statements and scans. */

/** The activity of a running statement. `idle`: its cursor waits for the client's next request. */
export const STATEMENT_STATES = ['waitingForProcess', 'running', 'waitingForLock', 'idle'] as const;
export type StatementState = (typeof STATEMENT_STATES)[number];

/**
 * Why statements are ended early. `client`: it disconnected, or closed the cursor. `share`: another
 * user waited for its thread.
 */
export const STATEMENT_ENDS = ['time', 'memory', 'disk', 'result', 'lock', 'killed', 'client', 'share'] as const;
export type StatementEnd = (typeof STATEMENT_ENDS)[number];

export interface StatementReport {
  /** Number of statements by state. */
  readonly states: Readonly<Record<StatementState, number>>;
  /** Age of the oldest statement that is not idle, in ms, or 0 if there is none. */
  readonly oldestMs: number;
  /** Number of statements ended early since startup, by reason. */
  readonly ended: Readonly<Record<StatementEnd, number>>;
  /** Statement processes: running ones, and busy ones. */
  readonly processes: { readonly started: number; readonly busy: number };
}
