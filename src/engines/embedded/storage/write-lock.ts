/**
 * Decides which thread writes to the database files: the writer, or the thread that imports. The lock is in shared
 * memory, because an import acquires it hundreds of times a second for a fraction of a millisecond, and a message
 * would take longer. When both wait, the writer goes first. Nothing can wait on memory that processes share, so who
 * waits looks again and again.
 */
import { type Clock, sleep } from '../../../base/clock.ts';

const FREE = 0;
const WRITER = 1;
const IMPORTER = 2;

/** Time between two looks at the lock; holders that others wait for hold it for less. */
const POLL_MS = 1;

/** Integers of a lock in shared memory. */
export const LOCK_INTEGERS = 2;

export class WriteLock {
  readonly #integers: Int32Array;
  readonly #clock: Clock;
  readonly #holder: number;
  /** Index of the flag that the writer waits. */
  readonly #awaited: number;

  /** Uses {@link LOCK_INTEGERS} integers from `index` on. */
  constructor(integers: Int32Array, index: number, clock: Clock) {
    this.#integers = integers;
    this.#clock = clock;
    this.#holder = index;
    this.#awaited = index + 1;
  }

  /** Acquires the lock for the writer. Returns false while an import holds it. */
  tryAcquire(): boolean {
    if (!this.#tryTake(WRITER)) return false;
    Atomics.store(this.#integers, this.#awaited, 0);
    return true;
  }

  /** Resolves when the writer may try again. The import waits for the writer from now on. */
  async whenFree(): Promise<void> {
    Atomics.store(this.#integers, this.#awaited, 1);
    while (Atomics.load(this.#integers, this.#holder) === IMPORTER) await sleep(this.#clock, POLL_MS);
  }

  /** Acquires the lock for the writer, when an import has released it. */
  async acquire(): Promise<void> {
    while (!this.tryAcquire()) await this.whenFree();
  }

  /** Acquires the lock for the thread that imports, after the writer if that waits. */
  async acquireForImport(): Promise<void> {
    for (;;) {
      while (Atomics.load(this.#integers, this.#awaited) !== 0) await sleep(this.#clock, POLL_MS);
      if (this.#tryTake(IMPORTER)) return;
      await sleep(this.#clock, POLL_MS);
    }
  }

  release(): void {
    Atomics.store(this.#integers, this.#holder, FREE);
  }

  /** Releases the lock if the thread that imports holds it, because that thread has ended. */
  releaseOfImport(): void {
    Atomics.compareExchange(this.#integers, this.#holder, IMPORTER, FREE);
  }

  #tryTake(holder: number): boolean {
    return Atomics.compareExchange(this.#integers, this.#holder, FREE, holder) === FREE;
  }
}
