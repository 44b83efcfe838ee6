/**
 * Decides which thread writes to the database files: the writer, or the thread that imports. The lock is in shared
 * memory, because an import acquires it hundreds of times a second for a fraction of a millisecond, and a message
 * would take longer. When both wait, the writer goes first.
 */

const FREE = 0;
const WRITER = 1;
const IMPORTER = 2;

/** Longest time between two looks at the lock, in case that a notification was missed. */
const RECHECK_MS = 20;

/** Integers of a lock in shared memory. */
export const LOCK_INTEGERS = 2;

export class WriteLock {
  readonly #integers: Int32Array;
  readonly #holder: number;
  /** Index of the flag that the writer waits. */
  readonly #awaited: number;

  /** Uses {@link LOCK_INTEGERS} integers from `index` on. */
  constructor(integers: Int32Array, index: number) {
    this.#integers = integers;
    this.#holder = index;
    this.#awaited = index + 1;
  }

  /** Acquires the lock for the writer. Returns false while an import holds it. */
  tryAcquire(): boolean {
    if (!this.#tryTake(WRITER)) return false;
    if (Atomics.load(this.#integers, this.#awaited) !== 0) {
      Atomics.store(this.#integers, this.#awaited, 0);
      Atomics.notify(this.#integers, this.#awaited);
    }
    return true;
  }

  /** Resolves when the writer may try again. The import waits for the writer from now on. */
  async whenFree(): Promise<void> {
    Atomics.store(this.#integers, this.#awaited, 1);
    for (;;) {
      const holder = Atomics.load(this.#integers, this.#holder);
      if (holder !== IMPORTER) return;
      await this.#changeOf(this.#holder, holder);
    }
  }

  /** Acquires the lock for the writer, when an import has released it. */
  async acquire(): Promise<void> {
    while (!this.tryAcquire()) await this.whenFree();
  }

  /** Acquires the lock for the thread that imports, after the writer if that waits. */
  async acquireForImport(): Promise<void> {
    for (;;) {
      while (Atomics.load(this.#integers, this.#awaited) !== 0) await this.#changeOf(this.#awaited, 1);
      if (this.#tryTake(IMPORTER)) return;
      await this.#changeOf(this.#holder, WRITER);
    }
  }

  release(): void {
    Atomics.store(this.#integers, this.#holder, FREE);
    Atomics.notify(this.#integers, this.#holder);
  }

  /** Releases the lock if the thread that imports holds it, because that thread has ended. */
  releaseOfImport(): void {
    if (Atomics.compareExchange(this.#integers, this.#holder, IMPORTER, FREE) === IMPORTER) {
      Atomics.notify(this.#integers, this.#holder);
    }
  }

  #tryTake(holder: number): boolean {
    return Atomics.compareExchange(this.#integers, this.#holder, FREE, holder) === FREE;
  }

  async #changeOf(index: number, value: number): Promise<void> {
    const waiting = Atomics.waitAsync(this.#integers, index, value, RECHECK_MS);
    if (waiting.async) await waiting.value;
  }
}
