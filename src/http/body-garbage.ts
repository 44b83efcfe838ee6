/**
 * Collects the garbage that large bodies leave in a thread that serves requests: strings, parameters and JSON trees.
 * The runtime sizes its heap by the machine's memory and would keep much of it in each thread.
 */
import type { Clock } from '../base/clock.ts';
import { garbageCollector } from '../base/garbage.ts';

/** Number of bytes of large bodies after which their garbage is collected. */
const COLLECTED_BYTES = 4 * 1024 * 1024;
/** The same while others are being handled: their parameters would also be marked, which takes long. */
const COLLECTED_WHILE_BUSY_BYTES = 16 * 1024 * 1024;
/** Minimum time between collections, in ms. */
const PAUSE_MS = 100;

export class BodyGarbage {
  readonly #clock: Clock;
  readonly #collect: () => void;
  #bytes = 0;
  /** Requests with large bodies that are being handled. */
  #handled = 0;
  #isScheduled = false;

  /** `collect` collects this thread's garbage. */
  constructor(clock: Clock, collect: () => void = garbageCollector()) {
    this.#clock = clock;
    this.#collect = collect;
  }

  /** Records the beginning of a request with a large body. */
  begin(): void {
    this.#handled++;
  }

  /** Records the end of such a request. */
  end(bytes: number): void {
    this.#handled--;
    this.#bytes += bytes;
    if (this.#isScheduled || !this.#isDue) return;
    this.#isScheduled = true;
    this.#clock.after(PAUSE_MS, () => {
      this.#isScheduled = false;
      // The end of those that have begun in the meantime is also recorded.
      if (!this.#isDue) return;
      this.#bytes = 0;
      this.#collect();
    });
  }

  get #isDue(): boolean {
    return this.#bytes >= (this.#handled === 0 ? COLLECTED_BYTES : COLLECTED_WHILE_BUSY_BYTES);
  }
}
