/** Wakes code that waits for other threads' commits, which they count in shared memory. */
import type { Clock, Timer } from '../../../base/clock.ts';
import type { SharedState } from '../storage/shared-state.ts';

/** Time between checks of the counters: the longest delay of a change, and the time of a page under load. */
const POLL_MS = 10;

/** The commits that a waiter waits for, and how long. Times are by the monotonic clock. */
export interface Wait {
  readonly databases: readonly number[];
  /** The commit numbers that it knows. */
  readonly seen: readonly number[];
  /** Commits before this time wait for more. If undefined, they do not. */
  readonly notBeforeMs?: number;
  readonly untilMs: number;
}

interface Waiter extends Wait {
  readonly signals: readonly AbortSignal[];
  readonly wake: () => void;
}

export class CommitWaiters {
  readonly #shared: SharedState;
  readonly #clock: Clock;
  readonly #waiters = new Set<Waiter>();
  #timer: Timer | undefined;

  constructor(shared: SharedState, clock: Clock) {
    this.#shared = shared;
    this.#clock = clock;
  }

  /** Returns the commit numbers to pass to {@link wait} after reading. */
  seen(databases: readonly number[]): readonly number[] {
    return databases.map((each) => this.#shared.commits(each));
  }

  /** Resolves after a commit to one of the databases, at `untilMs`, or with a signal. */
  wait(wait: Wait, ...signals: readonly AbortSignal[]): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.add({ ...wait, signals, wake: resolve });
      this.#timer ??= this.#clock.every(POLL_MS, () => this.#poll());
    });
  }

  #poll(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const waiter of this.#waiters) {
      const { databases, seen, notBeforeMs = 0, untilMs, signals, wake } = waiter;
      const isNew = nowMs >= notBeforeMs && databases.some((each, index) => this.#shared.commits(each) !== seen[index]);
      if (!isNew && nowMs < untilMs && !signals.some(({ aborted }) => aborted)) continue;
      this.#waiters.delete(waiter);
      wake();
    }
    if (this.#waiters.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
