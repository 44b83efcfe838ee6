/** Returns the memory of ended statements to the system, in the thread that ran them. */
import { edenGC } from 'bun:jsc';
import type { Clock, Timer } from '../../../base/clock.ts';

/**
 * Time between full collections after statements that exceed the limit of a value. Such statements fail fast and can be
 * sent again at once, and a full collection delays the requests of other threads.
 */
const COLLECTION_MS = 1_000;

/** Collects all garbage of the thread and returns its memory at once; `fullGC` does not return it until later. */
export function collectGarbage(): void {
  Bun.gc(true);
}

/** Collects the garbage of a thread's statements after their responses have been sent. */
export class StatementGarbage {
  readonly #clock: Clock;
  readonly #trim: () => void;
  /** When all garbage was last collected, by the monotonic clock. */
  #freedMs = Number.NEGATIVE_INFINITY;
  /** The full collection that is due after {@link COLLECTION_MS}. */
  #due: Timer | undefined;
  #settled: Promise<void> = Promise.resolve();

  /** `trim` frees the cached pages of SQLite. */
  constructor(clock: Clock, trim: () => void) {
    this.#clock = clock;
    this.#trim = trim;
  }

  /** Resolves when the memory of the last ended statement has been returned. */
  get settled(): Promise<void> {
    return this.#settled;
  }

  /** Frees all memory. */
  free(): void {
    this.#after(() => {
      collectGarbage();
      this.#freedMs = this.#clock.monotonicMs();
      this.#trim();
    });
  }

  /** Frees what young objects hold now, and all memory at most once a second. */
  freeOften(): void {
    const sinceMs = this.#clock.monotonicMs() - this.#freedMs;
    if (sinceMs >= COLLECTION_MS) {
      this.free();
      return;
    }
    this.#after(edenGC);
    this.#due ??= this.#clock.after(COLLECTION_MS - sinceMs, () => {
      this.#due = undefined;
      this.free();
    });
  }

  close(): void {
    this.#due?.cancel();
  }

  #after(action: () => void): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#settled = promise;
    this.#clock.after(0, () => {
      action();
      resolve();
    });
  }
}
