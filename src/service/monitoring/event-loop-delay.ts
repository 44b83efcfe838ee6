/** Measures the delay of the event loop: how late a periodic timer fires. */
import type { Clock } from '../../base/clock.ts';

/** Ten measurements per second detect every stall of a tenth of a second, and rarely wake an idle process. */
const INTERVAL_MS = 100;

export class EventLoopDelay {
  #lastMs: number;
  #currentMs = 0;
  #maximumMs = 0;

  /** `onTick` is called at every measurement. */
  constructor(clock: Clock, onTick: () => void) {
    this.#lastMs = clock.monotonicMs();
    clock.every(INTERVAL_MS, () => {
      onTick();
      const nowMs = clock.monotonicMs();
      this.#currentMs = Math.max(0, nowMs - this.#lastMs - INTERVAL_MS);
      this.#maximumMs = Math.max(this.#maximumMs, this.#currentMs);
      this.#lastMs = nowMs;
    });
  }

  /** Returns the latest delay and the longest since the last call, in ms. */
  sample(): { readonly currentMs: number; readonly maximumMs: number } {
    const sample = { currentMs: this.#currentMs, maximumMs: this.#maximumMs };
    this.#maximumMs = this.#currentMs;
    return sample;
  }
}
