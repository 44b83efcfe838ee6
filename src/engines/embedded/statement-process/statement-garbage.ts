/** Returns the memory of ended statements to the system, in the thread that ran them. */
import type { Clock } from '../../../base/clock.ts';

/** Collects all garbage of the thread and returns its memory immediately, which `fullGC` only does later. */
export function collectGarbage(): void {
  Bun.gc(true);
}

/** Collects the garbage of a thread's statements after their responses have been sent. */
export class StatementGarbage {
  readonly #clock: Clock;
  readonly #trim: () => void;
  #settled: Promise<void> = Promise.resolve();

  /** `trim` frees SQLite's cached pages. */
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
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#settled = promise;
    this.#clock.after(0, () => {
      collectGarbage();
      this.#trim();
      resolve();
    });
  }
}
