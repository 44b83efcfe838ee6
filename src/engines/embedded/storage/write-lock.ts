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
export const LOCK_INTEGERS = 4;

export class WriteLock {
  readonly #integers: Int32Array;
  readonly #holder: number;
  /** Index of the flag that the writer waits. */
  readonly #awaited: number;
  /** Index of the number of times that the lock was acquired. */
  readonly #acquisitions: number;
  /** Index of the number of times that its holder was to change entries whose keys nobody else knows. */
  readonly #unknown: number;

  /** Uses {@link LOCK_INTEGERS} integers from `index` on. */
  constructor(integers: Int32Array, index: number) {
    this.#integers = integers;
    this.#holder = index;
    this.#awaited = index + 1;
    this.#acquisitions = index + 2;
    this.#unknown = index + 3;
  }

  /**
   * Returns a number that stays the same until somebody acquires the lock; undefined while it is held. If it is the
   * same at two times, nothing was committed in between.
   */
  freeSince(): number | undefined {
    // Read first: whoever acquires the lock after the second line has not yet counted.
    const acquisitions = Atomics.load(this.#integers, this.#acquisitions);
    return Atomics.load(this.#integers, this.#holder) === FREE ? acquisitions : undefined;
  }

  /** Returns whether nobody has acquired the lock since {@link freeSince}. */
  isFreeSince(acquisitions: number | undefined): boolean {
    return acquisitions === Atomics.load(this.#integers, this.#acquisitions);
  }

  /** Returns how often {@link changesUnknown} was called. */
  unknownChanges(): number {
    return Atomics.load(this.#integers, this.#unknown);
  }

  /** Notes that the holder may change any entry. Must be called before it commits. */
  changesUnknown(): void {
    Atomics.add(this.#integers, this.#unknown, 1);
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
      if (this.#tryTake(IMPORTER)) {
        this.changesUnknown();
        return;
      }
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
    if (Atomics.compareExchange(this.#integers, this.#holder, FREE, holder) !== FREE) return false;
    Atomics.add(this.#integers, this.#acquisitions, 1);
    return true;
  }

  async #changeOf(index: number, value: number): Promise<void> {
    const waiting = Atomics.waitAsync(this.#integers, index, value, RECHECK_MS);
    if (waiting.async) await waiting.value;
  }
}
