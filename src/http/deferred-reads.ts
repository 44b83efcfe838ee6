/** Connections whose sockets are paused so that others are read first; they continue in turn. */
import type { Clock } from '../base/clock.ts';
import { SLICE_MS } from '../base/slices.ts';

export interface DeferredReader {
  /** Continues reading. A connection that has more to read defers itself again, after the others. */
  continueReading(): void;
}

export class DeferredReads {
  readonly #clock: Clock;
  /** In the order of {@link add}. */
  readonly #readers: DeferredReader[] = [];
  #isScheduled = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether connections wait that are read before others. */
  get isEmpty(): boolean {
    return this.#readers.length === 0;
  }

  /** Lets a connection continue reading in a later tick, after those added before. */
  add(reader: DeferredReader): void {
    this.#readers.push(reader);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // A timer lets the event loop read other sockets; the end of the tick would not.
    this.#clock.after(0, () => this.#continue());
  }

  /** Lets connections continue reading for one slice; the rest wait for the next tick. */
  #continue(): void {
    const endMs = this.#clock.monotonicMs() + SLICE_MS;
    let done = 0;
    try {
      do this.#readers[done++]?.continueReading();
      while (done < this.#readers.length && this.#clock.monotonicMs() < endMs);
    } finally {
      this.#readers.splice(0, done);
      this.#isScheduled = false;
      if (!this.isEmpty) this.#schedule();
    }
  }
}
