/** Runs long computations in slices, so that the thread can serve other requests in between. */
import { type Clock, sleep } from './clock.ts';
import { gridError } from './errors.ts';
import { createMutex, type MaybePromise } from './maybe-promise.ts';

/** A computation that can pause: each step takes about a millisecond at most. */
export type Steps<T> = Pick<Iterator<undefined, T>, 'next'>;

/** Runs all steps without pausing and returns the result. For work that is known to be short. */
export function completeAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const next = steps.next();
    if (next.done === true) return next.value;
  }
}

/** Duration of one slice in milliseconds; its last step may exceed it. */
export const SLICE_MS = 1;

/** Number of characters or bytes that a step reads. A longer text is read in slices, a shorter one in one go. */
export const STEP_CHARACTERS = 16 * 1_024;

/**
 * Size, in characters or bytes, from which a text or a body is large: other requests do not wait for it, and its
 * memory is returned when no longer needed.
 */
export const LARGE_CHARACTERS = 1_024 * 1_024;

/** Yields the items of `source`, and lets the event loop read sockets after each slice. */
export async function* inSlices<T>(source: Iterable<T>, clock: Clock): AsyncGenerator<T> {
  let endMs = clock.monotonicMs() + SLICE_MS;
  for (const value of source) {
    yield value;
    if (clock.monotonicMs() < endMs) continue;
    // A timer lets the event loop read sockets; the end of the tick would not.
    await sleep(clock, 0);
    endMs = clock.monotonicMs() + SLICE_MS;
  }
}

/**
 * A thread's slices: its queues share one per tick, because each additional one would delay
 * other requests as long again.
 */
class ThreadSlices {
  static readonly #ofClocks = new WeakMap<Clock, ThreadSlices>();
  readonly #clock: Clock;
  readonly #waiting: Array<() => void> = [];
  #endMs = Number.NEGATIVE_INFINITY;
  /** Whether the event loop reads sockets before the next slice. */
  #isResting = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the slices of the thread that a clock belongs to. */
  static of(clock: Clock): ThreadSlices {
    const found = ThreadSlices.#ofClocks.get(clock) ?? new ThreadSlices(clock);
    ThreadSlices.#ofClocks.set(clock, found);
    return found;
  }

  /**
   * Runs steps in the next slice, and returns the result of the last one. `check` throws if the result is not needed.
   */
  async run<T>(steps: Steps<T>, check: () => void): Promise<IteratorResult<undefined, T>> {
    while (this.#isResting) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const startMs = this.#clock.monotonicMs();
    // Work that ends early leaves the rest of its slice to others.
    if (this.#isOver(startMs)) this.#endMs = startMs + SLICE_MS;
    try {
      check();
      let next = steps.next();
      while (next.done !== true && !this.#isOver()) next = steps.next();
      return next;
    } finally {
      if (this.#isOver()) this.#rest();
      else this.#waiting.shift()?.();
    }
  }

  #isOver(nowMs = this.#clock.monotonicMs()): boolean {
    return nowMs >= this.#endMs;
  }

  #rest(): void {
    this.#isResting = true;
    // A timer lets the event loop read sockets; the end of the tick would not.
    this.#clock.after(0, () => {
      this.#isResting = false;
      this.#waiting.shift()?.();
    });
  }
}

/** Runs computations one after another, in the order in which they arrive. */
export class SliceQueue {
  readonly #clock: Clock;
  readonly #slices: ThreadSlices;
  readonly #exclusively = createMutex();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#slices = ThreadSlices.of(clock);
  }

  /** Returns the result of a generator that ends within `atOnceMs`; otherwise completes it in slices. */
  begin<T>(atOnceMs: number, steps: Steps<T>): MaybePromise<T> {
    const endMs = this.#clock.monotonicMs() + atOnceMs;
    while (this.#clock.monotonicMs() < endMs) {
      const next = steps.next();
      if (next.done === true) return next.value;
    }
    return this.complete(undefined, steps);
  }

  /**
   * Resolves with the result of a generator, whose steps run in slices after those of earlier generators. If `signal`
   * aborts, rejects with REQUEST_TIMEOUT and stops working, because the result is no longer needed.
   */
  complete<T>(signal: AbortSignal | undefined, steps: Steps<T>): Promise<T> {
    const check = (): void => {
      if (signal?.aborted === true) throw gridError('REQUEST_TIMEOUT');
    };
    return this.#exclusively(async () => {
      for (;;) {
        const next = await this.#slices.run(steps, check);
        if (next.done === true) return next.value;
      }
    });
  }
}
