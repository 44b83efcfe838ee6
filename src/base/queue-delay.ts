/**
 * Bounds a queue by time: while something has been waiting for a while, what would have to wait for longer than a
 * target is rejected at once. A burst into an empty queue is accepted whole, because it drains again.
 */
import type { QueueStatistics } from './admission.ts';
import type { Clock } from './clock.ts';

export interface QueueDelayOptions {
  readonly clock: Clock;
  /** Expected wait above which further entries are rejected, in ms. */
  readonly targetMs: number;
  /** So many entries may wait regardless of the time. */
  readonly alwaysAdmitted: number;
}

/** How long the oldest entry may wait before any is rejected, as a part of the target. */
const BURST_PART = 1 / 4;
/** Time over which the rate of departures is measured, at least; at most it is twice as long. */
const WINDOW_MS = 100;

export class QueueDelay {
  readonly #options: QueueDelayOptions;
  #departures = 0;
  /** Beginning of the present window and of the one before. */
  #window = { sinceMs: 0, departures: 0 };
  #former = this.#window;
  #rejected = 0;
  #waits = 0;
  #waitedMs = 0;

  constructor(options: QueueDelayOptions) {
    this.#options = options;
  }

  /**
   * Returns whether one more entry may wait. `waiting` entries wait already, the oldest since `oldestMs` of the
   * monotonic clock. Counts the rejection.
   */
  admits(waiting: number, oldestMs: number): boolean {
    const { clock, targetMs, alwaysAdmitted } = this.#options;
    const nowMs = clock.monotonicMs();
    if (waiting === 0) {
      // What left before says nothing about how fast this queue drains.
      this.#window = { sinceMs: nowMs, departures: this.#departures };
      this.#former = this.#window;
      return true;
    }
    this.#moveWindow(nowMs);
    if (waiting < alwaysAdmitted || nowMs - oldestMs < targetMs * BURST_PART) return true;
    const departures = Math.max(1, this.#departures - this.#former.departures);
    if ((waiting * (nowMs - this.#former.sinceMs)) / departures <= targetMs) return true;
    this.#rejected++;
    return false;
  }

  /** Notes that an entry left the queue to be processed. */
  left(waitedMs: number): void {
    this.#departures++;
    this.#waits++;
    this.#waitedMs += waitedMs;
    this.#moveWindow(this.#options.clock.monotonicMs());
  }

  statistics(): QueueStatistics {
    return { rejected: this.#rejected, waits: this.#waits, waitedMs: this.#waitedMs };
  }

  #moveWindow(nowMs: number): void {
    if (nowMs - this.#window.sinceMs < WINDOW_MS) return;
    this.#former = this.#window;
    this.#window = { sinceMs: nowMs, departures: this.#departures };
  }
}
