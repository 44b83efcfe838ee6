/**
 * Collects the garbage that large bodies leave in a thread that serves requests: texts, parameters and trees of JSON.
 * The runtime sizes its heap by the machine's memory and would keep some 50 MB of it in each thread.
 */
import { fullGC } from 'bun:jsc';
import type { Clock } from '../base/clock.ts';

/** Bytes of large bodies after which their garbage is collected. */
const COLLECTED_BYTES = 4 * 1024 * 1024;
/** Time between two collections at least, in ms. Other requests of the thread wait some 8 ms for each. */
const PAUSE_MS = 100;

export class BodyGarbage {
  readonly #clock: Clock;
  readonly #collect: () => void;
  #bytes = 0;
  #isScheduled = false;

  /** `collect` collects the garbage of this thread. */
  constructor(clock: Clock, collect: () => void = fullGC) {
    this.#clock = clock;
    this.#collect = collect;
  }

  /** Notes that a request with a large body has ended. */
  note(bytes: number): void {
    this.#bytes += bytes;
    if (this.#isScheduled || this.#bytes < COLLECTED_BYTES) return;
    this.#isScheduled = true;
    this.#clock.after(PAUSE_MS, () => {
      this.#isScheduled = false;
      this.#bytes = 0;
      this.#collect();
    });
  }
}
