/**
 * Lets one query thread at a time hold large values: those that an aggregate collects, and long texts and arrays. On
 * their way to the response they are copied several times, and eight statements at once took 800 MiB.
 */
import type { Clock } from '../../../base/clock.ts';
import { collectGarbage } from './statement-garbage.ts';

/** Which thread holds large values. */
export interface LargeValuesLock {
  beginLarge(thread: number, nowMs: () => number, poll: () => void): void;
  endLarge(thread: number): void;
}

export interface LargeValuesOptions {
  readonly clock: Clock;
  readonly queryState: LargeValuesLock;
  /** Index of this thread among the query threads. */
  readonly index: number;
  /** Returns the freed memory of SQLite to the system. */
  readonly trim: () => void;
}

/** Characters of a row from which on one thread at a time holds it. */
export const LARGE_CHARACTERS = 1024 * 1024;

/** The large values of one query thread. */
export class LargeValues {
  readonly #options: LargeValuesOptions;
  #isHolding = false;
  /** Whether what it does now may hold large values. */
  #isBusy = false;
  /** Texts that are kept until their last parts have been sent. */
  #kept = 0;

  constructor(options: LargeValuesOptions) {
    this.#options = options;
  }

  /**
   * Waits until other threads hold no large values. This thread may hold them until what it does now has ended, and
   * what it has kept is released. `poll` throws to end the wait.
   */
  begin(poll: () => void): void {
    if (this.#isBusy) return;
    const { clock, queryState, index } = this.#options;
    let isWaiting = false;
    queryState.beginLarge(index, clock.nowMs, () => {
      poll();
      if (isWaiting) return;
      isWaiting = true;
      collectGarbage();
    });
    this.#isHolding = true;
    this.#isBusy = true;
    clock.after(0, () => {
      this.#isBusy = false;
      this.#end();
    });
  }

  /** Notes that a text is kept. */
  keep(): void {
    this.#kept++;
  }

  /** Notes that a text is no longer kept. */
  release(): void {
    this.#kept--;
    this.#options.clock.after(0, () => this.#end());
  }

  #end(): void {
    const { queryState, index, trim } = this.#options;
    if (!this.#isHolding || this.#isBusy || this.#kept > 0) return;
    this.#isHolding = false;
    collectGarbage();
    trim();
    queryState.endLarge(index);
  }
}
