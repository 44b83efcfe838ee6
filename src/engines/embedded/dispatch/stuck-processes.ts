/**
 * Finds statement processes that hang: the statement has not ended although its time limit has passed or it was
 * cancelled, or the process keeps the write lock. SQLite and the SQL functions end in time, but configured code (a
 * predicate, an interceptor) may not, and a process may be suspended.
 */
import type { Clock } from '../../../base/clock.ts';
import { WATCHDOG_BOUNDS } from '../../../base/limits.ts';
import type { SharedQueryState } from '../shared/shared-query-state.ts';
import { TIME_OVER } from '../shared/statement-protocol.ts';
import type { WriteLock } from '../storage/write-lock.ts';

/** A hung process and its statement, if that is what does not end. */
export interface StuckProcess {
  readonly index: number;
  readonly ticket?: number;
  readonly reason: string;
}

export interface StuckProcessesOptions {
  readonly queryState: SharedQueryState;
  readonly clock: Clock;
  readonly writeLock: Pick<WriteLock, 'currentHold'>;
  /** The longest time for which a statement may hold the write lock, in ms, or 0 for any. */
  readonly writeLockMs: number;
  /** Returns a process's processor time, or undefined if the system does not report it. */
  readonly ticksOf: (index: number) => string | undefined;
}

interface SeenRun {
  readonly number: number;
  readonly sinceMs: number;
  cancelledMs: number | undefined;
}

/** The current hold of the write lock. */
interface SeenHold {
  readonly number: number;
  /** Since when it is outside a run, or the process has done nothing in one. */
  readonly sinceMs: number;
  /** Whether it has been in a run, and the process's progress by then. */
  readonly hasRun: boolean;
  readonly ticks?: string | undefined;
}

export class StuckProcesses {
  readonly #queryState: SharedQueryState;
  readonly #clock: Clock;
  readonly #writeLock: Pick<WriteLock, 'currentHold'>;
  readonly #lockMs: number;
  readonly #ticksOf: StuckProcessesOptions['ticksOf'];
  readonly #seen = new Map<number, SeenRun>();
  #hold: SeenHold | undefined;

  constructor({ queryState, clock, writeLock, writeLockMs, ticksOf }: StuckProcessesOptions) {
    const { statementGraceMs, commitMs } = WATCHDOG_BOUNDS;
    this.#queryState = queryState;
    this.#clock = clock;
    this.#writeLock = writeLock;
    this.#ticksOf = ticksOf;
    this.#lockMs = writeLockMs > 0 ? writeLockMs + statementGraceMs : commitMs;
  }

  /**
   * Returns which of the processes hang; `writers` has the numbers under which they hold the write lock. Called every
   * few hundred milliseconds: it measures a run from when it first sees it, because the monotonic clocks of two
   * processes are not comparable.
   */
  find(writers: ReadonlyMap<number, number>): StuckProcess[] {
    const holder = this.#checkLock(writers);
    return [...writers.keys()].flatMap((index) => {
      const stuck = this.#check(index);
      return stuck ?? (index === holder ? [{ index, reason: 'it kept the write lock' }] : []);
    });
  }

  /** Reports whether a process has read no messages for too long; `sinceMs` is by this object's clock. */
  isSilent(sinceMs: number): boolean {
    return this.#clock.monotonicMs() - sinceMs > WATCHDOG_BOUNDS.silentMs;
  }

  /** Returns the process that keeps the write lock without a statement whose limits bound it, or that does nothing. */
  #checkLock(writers: ReadonlyMap<number, number>): number | undefined {
    const hold = this.#writeLock.currentHold();
    const nowMs = this.#clock.monotonicMs();
    if (hold === undefined || hold.number !== this.#hold?.number) {
      this.#hold = hold && { number: hold.number, sinceMs: nowMs, hasRun: false };
      return undefined;
    }
    const [index] = [...writers].find(([, number]) => number === hold.thread) ?? [];
    if (index === undefined) return undefined;
    const run = this.#queryState.currentRun(index);
    const isCommitting = run !== undefined && this.#queryState.isCommitting(run.ticket);
    if (run !== undefined && !isCommitting) {
      // The statement may have no limit.
      const ticks = this.#ticksOf(index);
      const isIdle = ticks !== undefined && ticks === this.#hold.ticks;
      const sinceMs = isIdle ? this.#hold.sinceMs : nowMs;
      this.#hold = { number: hold.number, sinceMs, hasRun: true, ticks };
      return nowMs - sinceMs > WATCHDOG_BOUNDS.commitMs ? index : undefined;
    }
    // A run is followed by its commit.
    const commitMs = Math.max(WATCHDOG_BOUNDS.commitMs, run?.limitMs ?? 0);
    const limitMs = isCommitting || this.#hold.hasRun ? commitMs : this.#lockMs;
    return nowMs - this.#hold.sinceMs > limitMs ? index : undefined;
  }

  #check(index: number): StuckProcess | undefined {
    const run = this.#queryState.currentRun(index);
    if (run === undefined) {
      this.#seen.delete(index);
      return undefined;
    }
    const nowMs = this.#clock.monotonicMs();
    const { number, ticket, limitMs } = run;
    let seen = this.#seen.get(index);
    if (seen?.number !== number) {
      seen = { number, sinceMs: nowMs, cancelledMs: undefined };
      this.#seen.set(index, seen);
    }
    // A commit that has begun only waits for the disk; the limit of the write lock applies to it.
    if (this.#queryState.isCommitting(ticket)) return undefined;
    if (seen.cancelledMs === undefined && this.#queryState.isCancelled(ticket)) seen.cancelledMs = nowMs;
    const { statementGraceMs } = WATCHDOG_BOUNDS;
    if (limitMs > 0 && nowMs - seen.sinceMs > limitMs + statementGraceMs) {
      return { index, ticket, reason: TIME_OVER };
    }
    if (seen.cancelledMs !== undefined && nowMs - seen.cancelledMs > statementGraceMs) {
      return { index, ticket, reason: 'the client went away or the query was closed' };
    }
    return undefined;
  }
}
