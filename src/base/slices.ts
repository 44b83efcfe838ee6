/** Runs long computations in slices, so that the thread can serve other requests between them. */
import { type Clock, sleep } from './clock.ts';
import { fail } from './errors.ts';
import type { MaybePromise } from './maybe-promise.ts';

/** A computation that can pause. Each step takes about a millisecond at most. */
export interface SlicedWork {
  /** Runs the next step; returns false after the last one. */
  step(): boolean;
}

/** A generator as {@link SlicedWork}; `result` is set when it is done. */
export class GeneratorWork<T> implements SlicedWork {
  readonly #steps: Iterator<undefined, T>;
  #end: IteratorReturnResult<T> | undefined;

  constructor(steps: Iterator<undefined, T>) {
    this.#steps = steps;
  }

  step(): boolean {
    const next = this.#steps.next();
    if (next.done !== true) return true;
    this.#end = next;
    return false;
  }

  get result(): T | undefined {
    return this.#end?.value;
  }

  /** Returns the result of the work when it is done. */
  end(): T {
    if (this.#end === undefined) throw new Error('the work is not done');
    return this.#end.value;
  }
}

/** Runs all steps without a pause. For work that is known to be short. */
export function runAtOnce(work: SlicedWork): void {
  while (work.step());
}

/** Runs all steps of a generator without a pause, and returns its result. */
export function completeAtOnce<T>(steps: Iterator<undefined, T>): T {
  const work = new GeneratorWork(steps);
  runAtOnce(work);
  return work.end();
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

  /** Does steps of the work in the next slice, and returns whether there are more. `check` throws if nobody waits. */
  async run(work: SlicedWork, check: () => void): Promise<boolean> {
    while (this.#isResting) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const startMs = this.#clock.monotonicMs();
    // Work that ends early leaves the rest of its slice to others.
    if (this.#isOver(startMs)) this.#endMs = startMs + SLICE_MS;
    try {
      check();
      let hasMore = true;
      while (hasMore && !this.#isOver()) hasMore = work.step();
      return hasMore;
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
  #tail: Promise<void> = Promise.resolve();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#slices = ThreadSlices.of(clock);
  }

  /**
   * Resolves with the result of `task` when those before it have ended. `run` does work in slices. Rejects with
   * REQUEST_TIMEOUT, without doing more of the work, when `signal` aborts: nobody waits for the result.
   */
  enqueue<T>(
    signal: AbortSignal | undefined,
    task: (run: (work: SlicedWork) => Promise<void>) => Promise<T>,
  ): Promise<T> {
    const result = this.#tail.then(() => {
      if (signal?.aborted === true) throw fail('REQUEST_TIMEOUT');
      return task((work) => this.#run(work, signal));
    });
    this.#tail = result.then(ignore, ignore);
    return result;
  }

  /** Returns the result of a generator that ends within `atOnceMs`; the rest of its steps are a task of the queue. */
  begin<T>(atOnceMs: number, steps: Iterator<undefined, T>): MaybePromise<T> {
    const work = new GeneratorWork(steps);
    const endMs = this.#clock.monotonicMs() + atOnceMs;
    let hasMore = true;
    while (hasMore && this.#clock.monotonicMs() < endMs) hasMore = work.step();
    if (!hasMore) return work.end();
    return this.enqueue(undefined, async (run) => {
      await run(work);
      return work.end();
    });
  }

  /** Resolves with the result of a generator whose steps are one task. Rejects as {@link enqueue} does. */
  complete<T>(signal: AbortSignal, steps: Iterator<undefined, T>): Promise<T> {
    return this.enqueue(signal, async (run) => {
      const work = new GeneratorWork(steps);
      await run(work);
      return work.end();
    });
  }

  async #run(work: SlicedWork, signal: AbortSignal | undefined): Promise<void> {
    const check = (): void => {
      if (signal?.aborted === true) throw fail('REQUEST_TIMEOUT');
    };
    while (await this.#slices.run(work, check));
  }
}

function ignore(): void {}
