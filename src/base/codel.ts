/**
 * Detects a queue that keeps growing, by the criterion of CoDel (Nichols and Jacobson, "Controlling Queue Delay",
 * 2012): every item that left within an interval had waited longer than a target. A burst drains within an interval,
 * after which some items leave immediately.
 */
import type { Clock } from './clock.ts';

/** The interval that the authors recommend. */
const INTERVAL_MS = 100;
/** Minimum number of items that must leave in an interval: one item waiting on slow work is not a trend. */
const MIN_DEPARTURES = 2;

export class CoDel {
  readonly #clock: Clock;
  readonly #targetMs: number;
  #intervalEndMs = 0;
  #departures = 0;
  #shortestMs = Number.POSITIVE_INFINITY;
  #isOverloaded = false;

  constructor(clock: Clock, targetMs: number) {
    this.#clock = clock;
    this.#targetMs = targetMs;
  }

  /** Records that an item left the queue to be processed. */
  left(waitedMs: number): void {
    this.#endInterval();
    this.#departures++;
    this.#shortestMs = Math.min(this.#shortestMs, waitedMs);
  }

  /**
   * Reports whether a new item should be rejected. Call it only while items wait: an empty queue is never overloaded.
   */
  isOverloaded(): boolean {
    this.#endInterval();
    return this.#isOverloaded;
  }

  /** Evaluates the interval if it has ended. One that ended an interval ago is no longer relevant. */
  #endInterval(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#intervalEndMs) return;
    this.#isOverloaded =
      nowMs < this.#intervalEndMs + INTERVAL_MS &&
      this.#departures >= MIN_DEPARTURES &&
      this.#shortestMs > this.#targetMs;
    this.#intervalEndMs = nowMs + INTERVAL_MS;
    this.#departures = 0;
    this.#shortestMs = Number.POSITIVE_INFINITY;
  }
}
