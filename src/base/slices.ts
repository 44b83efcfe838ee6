/** Runs long computations in slices, so that the thread can serve other requests between them. */
import { type Clock, sleep } from './clock.ts';
import { fail } from './errors.ts';
import { createMutex, type MaybePromise } from './maybe-promise.ts';

/** A computation that can pause: each step takes about a millisecond at most. */
export type Steps<T> = Pick<Iterator<undefined, T>, 'next'>;

/** Runs all steps without a pause, and returns the result. For work that is known to be short. */
export function completeAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const next = steps.next();
    if (next.done === true) return next.value;
  }
}

/** Time of one slice, in milliseconds; the last step of a slice may exceed it. */
export const SLICE_MS = 1;

/** Characters, or bytes, that a step reads. A text with more is read in slices, and any other at once. */
export const STEP_CHARACTERS = 16 * 1_024;

/**
 * Characters, or bytes, from which on a text or a body is large: others do not wait behind it, and its memory is
 * returned when it is no longer needed.
 */
export const LARGE_CHARACTERS = 1_024 * 1_024;

/** Yields what `source` yields, and lets the event loop read sockets after each slice. */
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

/** The slices of a thread: its queues share one in each tick, since each one more would delay others as long again. */
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

  /** Does steps in the next slice, and returns the result of the last one. `check` throws if nobody waits. */
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

/** Runs computations one after another, in the order of their arrival. */
export class SliceQueue {
  readonly #clock: Clock;
  readonly #slices: ThreadSlices;
  readonly #exclusively = createMutex();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#slices = ThreadSlices.of(clock);
  }

  /** Returns the result of a generator that ends within `atOnceMs`, or completes the rest of its steps. */
  begin<T>(atOnceMs: number, steps: Steps<T>): MaybePromise<T> {
    const endMs = this.#clock.monotonicMs() + atOnceMs;
    while (this.#clock.monotonicMs() < endMs) {
      const next = steps.next();
      if (next.done === true) return next.value;
    }
    return this.complete(undefined, steps);
  }

  /**
   * Resolves with the result of a generator, whose steps are run in slices after those of the ones before. Rejects with
   * REQUEST_TIMEOUT, without doing more of the work, when `signal` aborts: nobody waits for the result.
   */
  complete<T>(signal: AbortSignal | undefined, steps: Steps<T>): Promise<T> {
    const check = (): void => {
      if (signal?.aborted === true) throw fail('REQUEST_TIMEOUT');
    };
    return this.#exclusively(async () => {
      for (;;) {
        const next = await this.#slices.run(steps, check);
        if (next.done === true) return next.value;
      }
    });
  }
}
