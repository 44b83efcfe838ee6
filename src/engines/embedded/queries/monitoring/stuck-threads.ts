/**
 * Finds query threads that are stuck: the statement has not ended although its time limit has passed or it was
 * cancelled. SQLite and the SQL functions end in time, but configured code (a predicate, an interceptor) may not.
 */
import type { Clock } from '../../../../base/clock.ts';
import { WATCHDOG_BOUNDS } from '../../../../base/limits.ts';
import type { SharedQueryState } from '../shared-query-state.ts';
import { TIME_OVER } from '../statement-watch.ts';

/** A stuck thread and its statement. */
export interface StuckThread {
  readonly thread: number;
  readonly ticket: number;
  readonly reason: string;
}

interface SeenRun {
  readonly number: number;
  readonly sinceMs: number;
  cancelledMs: number | undefined;
}

export class StuckThreads {
  readonly #queryState: SharedQueryState;
  readonly #clock: Clock;
  readonly #seen = new Map<number, SeenRun>();

  constructor(queryState: SharedQueryState, clock: Clock) {
    this.#queryState = queryState;
    this.#clock = clock;
  }

  /**
   * Returns those of the threads that are stuck. Called every few hundred milliseconds: it measures a run from when it
   * first sees it, because the monotonic clocks of two threads are not comparable.
   */
  find(threads: readonly number[]): StuckThread[] {
    return threads.flatMap((thread) => this.#check(thread) ?? []);
  }

  #check(thread: number): StuckThread | undefined {
    const run = this.#queryState.currentRun(thread);
    if (run === undefined) {
      this.#seen.delete(thread);
      return undefined;
    }
    const nowMs = this.#clock.monotonicMs();
    const { number, ticket, limitMs } = run;
    let seen = this.#seen.get(thread);
    if (seen?.number !== number) {
      seen = { number, sinceMs: nowMs, cancelledMs: undefined };
      this.#seen.set(thread, seen);
    }
    // A commit that has begun waits for the disk alone, and must not be cut short.
    if (this.#queryState.isCommitting(ticket)) return undefined;
    if (seen.cancelledMs === undefined && this.#queryState.isCancelled(ticket)) seen.cancelledMs = nowMs;
    const { statementGraceMs } = WATCHDOG_BOUNDS;
    if (limitMs > 0 && nowMs - seen.sinceMs > limitMs + statementGraceMs) {
      return { thread, ticket, reason: TIME_OVER };
    }
    if (seen.cancelledMs !== undefined && nowMs - seen.cancelledMs > statementGraceMs) {
      return { thread, ticket, reason: 'the client went away or the query was closed' };
    }
    return undefined;
  }
}
