/**
 * Recognizes a queue that grows without end, by the criterion of CoDel (Nichols and Jacobson, "Controlling Queue
 * Delay", 2012): every item that left within an interval had waited for longer than a target. The wait of a burst
 * drains within an interval, and then some items leave at once.
 */
import type { Clock } from './clock.ts';

/** The interval that the authors recommend. */
const INTERVAL_MS = 100;
/** Items that leave in an interval, at least: the wait of a single one behind something slow tells no trend. */
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

  /** Notes that an item left the queue to be processed. */
  left(waitedMs: number): void {
    this.#endInterval();
    this.#departures++;
    this.#shortestMs = Math.min(this.#shortestMs, waitedMs);
  }

  /** Reports whether a further item should be rejected. Items must be waiting: an empty queue is never overloaded. */
  isOverloaded(): boolean {
    this.#endInterval();
    return this.#isOverloaded;
  }

  /** Judges the interval that has ended, if it has. One that ended an interval ago says nothing any more. */
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
