/** A client's wait for its statement: its time limit, its cancellation and a kill end it, whatever the process does. */
import type { Clock, Timer } from '../../../base/clock.ts';
import { type GridError, gridError } from '../../../base/errors.ts';
import { NO_PROCESS, type RunningEntry, type RunningStatement, waitingId } from '../shared/running-statements.ts';
import { LONG_STATEMENT_MS, type SharedQueryState } from '../shared/shared-query-state.ts';
import { KILLED } from '../shared/statement-protocol.ts';
import type { ProcessKind } from './statement-slots.ts';

/**
 * Time after its limit at which a statement is answered although its process has not ended it: on a busy machine the
 * process, which has a low priority, may run late.
 */
const OVERDUE_MS = 100;
const COMMIT_POLL_MS = 50;

export interface StatementWaitOptions {
  readonly clock: Clock;
  readonly queryState: SharedQueryState;
  readonly place: ProcessKind;
  readonly ticket: number;
  /** Time from now within which it must be answered, in ms. */
  readonly limitMs: number;
  /** Its entry in the system views while it waits for a process. */
  readonly shown: Omit<RunningStatement, 'id'>;
  /** Its error if its limit passes before a process is free. */
  readonly noSlot: () => GridError;
}

export class StatementWait {
  /**
   * Rejects when the client gets an error whatever the process does, with QUERY_CANCELLED, QUERY_TIMEOUT or the error
   * of `noSlot`. Then no process begins the statement, or its result is discarded.
   */
  readonly ended: Promise<never>;
  readonly #options: StatementWaitOptions;
  readonly #reject: (error: GridError) => void;
  readonly #startMs: number;
  #timer: Timer;
  #entry: RunningEntry | undefined;
  #isAbandoned = false;

  constructor(options: StatementWaitOptions) {
    const { clock, limitMs } = options;
    const { promise, reject } = Promise.withResolvers<never>();
    this.ended = promise;
    this.#options = options;
    this.#reject = reject;
    this.#startMs = clock.monotonicMs();
    this.#timer = clock.after(Math.min(limitMs, LONG_STATEMENT_MS), () => this.#look());
  }

  /** Remaining time until the limit, in ms. */
  get leftMs(): number {
    return this.#options.limitMs - (this.#options.clock.monotonicMs() - this.#startMs);
  }

  /** Whether the client received its response while the process was running the statement. */
  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  /** Whether the statement was killed before a process had begun it. */
  get isKilled(): boolean {
    return this.#entry?.isKilled === true && !this.#options.queryState.isClaimed(this.#options.ticket);
  }

  close(): void {
    this.#timer.cancel();
    this.#entry?.end();
  }

  #look(): void {
    if (this.#options.queryState.isClaimed(this.#options.ticket)) this.#lookAtRunning();
    else this.#lookAtWaiting();
  }

  /** A process runs the statement and ends it in time, unless the process itself runs late. */
  #lookAtRunning(): void {
    const { queryState, ticket, place, limitMs } = this.#options;
    const leftMs = this.leftMs;
    if (leftMs <= -OVERDUE_MS && queryState.abandon(ticket)) {
      this.#isAbandoned = true;
      this.#reject(gridError('QUERY_TIMEOUT', ''));
      return;
    }
    const isChange = place === 'writing';
    // Its process may be inside the change that holds the write lock, reading no messages.
    if (isChange && queryState.statements.endKilledWaiting(ticket)) this.#reject(gridError('QUERY_CANCELLED', KILLED));
    else if (isChange || limitMs < Number.POSITIVE_INFINITY) this.#lookAgain(leftMs + OVERDUE_MS);
  }

  #lookAtWaiting(): void {
    const { queryState, ticket, place, noSlot } = this.#options;
    const leftMs = this.leftMs;
    // The claim keeps every process from starting it later.
    if ((leftMs <= 0 || queryState.isCancelled(ticket)) && queryState.claim(ticket)) {
      const reason = this.#entry?.isKilled === true ? KILLED : 'the client went away';
      if (queryState.isCancelled(ticket)) this.#reject(gridError('QUERY_CANCELLED', reason));
      else this.#reject(place === 'reading' ? noSlot() : gridError('QUERY_TIMEOUT', ''));
      return;
    }
    this.#entry ??= this.#show();
    this.#lookAgain(leftMs);
  }

  #lookAgain(leftMs: number): void {
    // A commit that has begun ends soon.
    const delayMs = leftMs > 0 ? Math.min(leftMs, LONG_STATEMENT_MS) : COMMIT_POLL_MS;
    this.#timer = this.#options.clock.after(delayMs, () => this.#look());
  }

  /** Shows that the statement waits. Its process ends this entry when it begins another. */
  #show(): RunningEntry | undefined {
    const { queryState, ticket, shown } = this.#options;
    const entry = queryState.statements.begin(NO_PROCESS, { ...shown, id: waitingId(ticket) }, ticket);
    if (queryState.isClaimed(ticket)) entry?.end();
    return entry;
  }
}
