/**
 * Lets one query thread at a time hold large values: those that an aggregate collects, and long texts and arrays. On
 * their way to the response they are copied several times, and eight statements at once took 800 MiB.
 */
import type { Clock } from '../../../base/clock.ts';

/** Which thread holds large values. */
export interface LargeValuesLock {
  beginLarge(thread: number, nowMs: () => number, poll: () => void, residentBytes: () => number): void;
  endLarge(thread: number, nowMs: number): void;
}

export interface LargeValuesOptions {
  readonly clock: Clock;
  readonly queryState: { readonly memoryLocks: LargeValuesLock };
  /** Index of this thread among the query threads. */
  readonly index: number;
  /** Collects the garbage that a statement with large values left in this thread. */
  readonly collect: () => void;
  /** Collects garbage while the thread holds large values. */
  readonly collectHolding: () => void;
  /** Frees the cached pages of SQLite. */
  readonly trim: () => void;
  /** Returns the memory of the process. */
  readonly residentBytes: () => number;
}

/** Characters of a row from which on one thread at a time holds it. */
export const LARGE_CHARACTERS = 512 * 1024;
/** Characters of such rows after which their memory is returned: that takes milliseconds. */
const RETURNED_CHARACTERS = 8 * 1024 * 1024;

/** The large values of one query thread. */
export class LargeValues {
  readonly #options: LargeValuesOptions;
  /** How often the thread began to hold large values, and came upon a large row. */
  #begun = 0;
  #rows = 0;
  #isHolding = false;
  /** Whether what it does now may hold large values. */
  #isBusy = false;
  /** Whether memory is returned at the end in any case. */
  #isDue = false;
  /** Texts that are kept until their last parts have been sent. */
  #kept = 0;
  /** Their characters since memory was returned. */
  #characters = 0;

  constructor(options: LargeValuesOptions) {
    this.#options = options;
  }

  /**
   * Waits until other threads hold no large values. This thread may hold them until what it does now has ended, and
   * what it has kept is released. `poll` throws to end the wait.
   */
  begin(poll: () => void): void {
    this.#isDue = true;
    this.#begin(poll);
  }

  /** The same for a row that is kept or sent, whose memory is returned with that of others. */
  beginRow(poll: () => void): void {
    this.#begin(poll);
  }

  #begin(poll: () => void): void {
    this.#begun++;
    if (this.#isBusy) return;
    const { clock, queryState, index, collect, residentBytes } = this.#options;
    let isWaiting = false;
    const pollOnce = (): void => {
      poll();
      if (isWaiting) return;
      isWaiting = true;
      collect();
    };
    queryState.memoryLocks.beginLarge(index, clock.nowMs, pollOnce, residentBytes);
    this.#isHolding = true;
    this.#isBusy = true;
    clock.after(0, () => {
      this.#isBusy = false;
      this.#end();
    });
  }

  /** Notes that a stored row is large. */
  noteRow(): void {
    this.#rows++;
  }

  /** How often the thread began to hold large values, and how many large rows it has read. */
  get counts(): { readonly begun: number; readonly rows: number } {
    return { begun: this.#begun, rows: this.#rows };
  }

  /** Whether texts are kept until their last parts have been sent. */
  get isKeeping(): boolean {
    return this.#kept > 0;
  }

  /** Notes that a text of so many characters is kept. */
  keep(characters: number): void {
    this.#kept++;
    this.#characters += characters;
  }

  /** Notes that a text of so many characters is kept in place of the one before. */
  keepNext(characters: number): void {
    this.#characters += characters;
    if (this.#characters < RETURNED_CHARACTERS) return;
    this.#options.collectHolding();
    this.#characters = 0;
  }

  /** Notes that a text is no longer kept. */
  release(): void {
    this.#kept--;
    this.#options.clock.after(0, () => this.#end());
  }

  #end(): void {
    const { clock, queryState, index, collect, trim } = this.#options;
    if (!this.#isHolding || this.#isBusy || this.#kept > 0) return;
    this.#isHolding = false;
    if (this.#isDue || this.#characters >= RETURNED_CHARACTERS) {
      collect();
      trim();
      this.#isDue = false;
      this.#characters = 0;
    }
    queryState.memoryLocks.endLarge(index, clock.nowMs());
  }
}
