/**
 * The write lock: only its holder may write to the database files. It is in shared memory, because an import acquires
 * it hundreds of times a second for a fraction of a millisecond, and a message would take longer. If several threads
 * wait, the one that owns the data folder goes first. Memory shared by processes cannot be waited on, so waiting
 * threads poll it.
 */

import type { Clock } from '../../../base/clock.ts';

/** The kind of a holder's writes. */
const HOLDERS = {
  /** Changes of clients, in batches of some milliseconds; one of many keys can take a second. */
  changes: 1,
  /** A part of an import, for less than a millisecond. */
  rows: 2,
  /** A statement, a batch or a definition, which may take seconds. */
  statement: 3,
  /** Nothing: the owner of the data folder prevents all others from writing. */
  pause: 4,
} as const;

export type LockHolder = keyof typeof HOLDERS;

const FREE = 0;
/** The word of the holder: its thread's number, with the kind of its writes in the lowest bits. */
const KIND_BITS = 3;
const KIND_MASK = 2 ** KIND_BITS - 1;

/** Number of integers per lock in shared memory. */
export const LOCK_INTEGERS = 4;

/** One acquisition of the lock. */
export interface LockHold {
  /** The number of the thread that has it. */
  readonly thread: number;
  /** Distinguishes it from that thread's other acquisitions. */
  readonly number: number;
}

export class WriteLock {
  readonly #integers: Int32Array;
  /** The thread that uses this object. */
  readonly #thread: number;
  readonly #clock: Clock;
  readonly #holder: number;
  /** Index of the flag that the data folder's owner is waiting. */
  readonly #awaited: number;
  /** Index of the count of acquisitions by statements. */
  readonly #statements: number;
  /** Index of the count of acquisitions by threads other than the data folder's owner. */
  readonly #holds: number;

  /** Uses {@link LOCK_INTEGERS} integers from `index` on. */
  constructor(integers: Int32Array, index: number, thread: number, clock: Clock) {
    this.#clock = clock;
    this.#integers = integers;
    this.#thread = thread;
    this.#holder = index;
    this.#awaited = index + 1;
    this.#statements = index + 2;
    this.#holds = index + 3;
  }

  /** Reports whether a holder has the lock that may keep it for seconds. */
  isHeldLong(): boolean {
    return (Atomics.load(this.#integers, this.#holder) & KIND_MASK) >= HOLDERS.statement;
  }

  /** Returns the holder of the lock, if it is not the data folder's owner. */
  currentHold(): LockHold | undefined {
    const word = Atomics.load(this.#integers, this.#holder);
    const kind = word & KIND_MASK;
    if (kind !== HOLDERS.rows && kind !== HOLDERS.statement) return undefined;
    return { thread: word >> KIND_BITS, number: Atomics.load(this.#integers, this.#holds) };
  }

  /** Returns how often a statement has acquired the lock. */
  statements(): number {
    return Atomics.load(this.#integers, this.#statements);
  }

  /** Acquires the lock, unless another holder has it or the data folder's owner waits for it. */
  tryAcquire(holder: LockHolder): boolean {
    const goesFirst = holder === 'changes' || holder === 'pause';
    if (!goesFirst && Atomics.load(this.#integers, this.#awaited) !== 0) return false;
    const word = (this.#thread << KIND_BITS) | HOLDERS[holder];
    if (Atomics.compareExchange(this.#integers, this.#holder, FREE, word) !== FREE) return false;
    if (holder === 'statement') Atomics.add(this.#integers, this.#statements, 1);
    if (goesFirst) this.#setAwaited(0);
    else Atomics.add(this.#integers, this.#holds, 1);
    return true;
  }

  /**
   * Acquires the lock as soon as it is free. Calls `poll` repeatedly while waiting, and stops waiting if that throws.
   */
  async acquire(holder: LockHolder, poll: () => void = () => {}): Promise<void> {
    const goesFirst = holder === 'changes' || holder === 'pause';
    poll();
    while (!this.tryAcquire(holder)) {
      if (goesFirst) this.#setAwaited(1);
      await this.#clock.pollDelay();
      try {
        poll();
      } catch (error) {
        if (goesFirst) this.#setAwaited(0);
        throw error;
      }
    }
  }

  release(): void {
    Atomics.store(this.#integers, this.#holder, FREE);
  }

  /** Runs `action` while no other thread writes. */
  async hold<T>(holder: LockHolder, action: () => T, poll?: () => void): Promise<T> {
    await this.acquire(holder, poll);
    try {
      return action();
    } finally {
      this.release();
    }
  }

  /** Does the same immediately, unless another holder has the lock. Returns whether `action` ran. */
  tryHold(holder: LockHolder, action: () => void): boolean {
    if (!this.tryAcquire(holder)) return false;
    try {
      action();
    } finally {
      this.release();
    }
    return true;
  }

  /** Releases the lock if a thread that has ended holds it. Returns whether it did. */
  releaseOf(thread: number): boolean {
    const word = Atomics.load(this.#integers, this.#holder);
    if (word === FREE || word >> KIND_BITS !== thread) return false;
    return Atomics.compareExchange(this.#integers, this.#holder, word, FREE) === word;
  }

  #setAwaited(value: 0 | 1): void {
    Atomics.store(this.#integers, this.#awaited, value);
  }
}
