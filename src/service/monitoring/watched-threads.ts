/**
 * What the watchdog knows of the threads that answer requests, in shared memory: whether their event loops run, and in
 * which command they are. It counts stalls for the metrics.
 */

/** Statistics of all threads since the start. */
export interface StallStatistics {
  /** Stalls, the present ones included. */
  readonly count: number;
  readonly totalMs: number;
  readonly longestMs: number;
  /** Statement processes that were stuck and have been replaced. */
  readonly replacedStatementProcesses: number;
}

const STATISTICS = ['count', 'totalMs', 'longestMs', 'replacedStatementProcesses'] as const;
const SIGNALS = STATISTICS.length * 2;
const THREADS = SIGNALS + 2;
/** Slots of a thread. */
const BEATS = 0;
const COMMAND = 1;
const SLOTS = 2;

/** The command of a thread. */
export interface PresentCommand {
  /** Index of the command; undefined: none has begun yet. */
  readonly index: number | undefined;
  /** False: the command has ended, or waits for something, and the thread went on with other work. */
  readonly isRunning: boolean;
}

export class WatchedThreads {
  readonly memory: SharedArrayBuffer;
  readonly count: number;
  readonly #slots: Int32Array;
  readonly #statistics: Float64Array;

  /** `memory` is that of the first thread; absent: this is the first. */
  constructor(count: number, memory = new SharedArrayBuffer((THREADS + count * SLOTS) * 4)) {
    this.memory = memory;
    this.count = count;
    this.#slots = new Int32Array(memory);
    this.#statistics = new Float64Array(memory, 0, STATISTICS.length);
  }

  /** The number of signals to stop that the process has received, which the native handler counts. */
  get signals(): Int32Array {
    return this.#slots.subarray(SIGNALS, SIGNALS + 1);
  }

  /** Notes that the event loop of the thread runs. The thread is watched from the first call on. */
  beat(thread: number): void {
    const at = THREADS + thread * SLOTS + BEATS;
    // 0 means that the thread is not watched.
    Atomics.store(this.#slots, at, ((this.#slots[at] ?? 0) + 1) | 0 || 1);
  }

  /** Stops watching a thread that has ended. */
  ended(thread: number): void {
    Atomics.store(this.#slots, THREADS + thread * SLOTS + BEATS, 0);
  }

  /** Returns a number that changes while the event loop of the thread runs; 0: the thread is not watched. */
  beats(thread: number): number {
    return Atomics.load(this.#slots, THREADS + thread * SLOTS + BEATS);
  }

  /**
   * Returns where a thread notes its command: the index and 1; the same number below 0 when the command has ended or
   * waits for something.
   */
  commandOf(thread: number): Int32Array {
    const at = THREADS + thread * SLOTS + COMMAND;
    return this.#slots.subarray(at, at + 1);
  }

  command(thread: number): PresentCommand {
    const value = Atomics.load(this.#slots, THREADS + thread * SLOTS + COMMAND);
    return { index: value === 0 ? undefined : Math.abs(value) - 1, isRunning: value > 0 };
  }

  /** Counts a stall that has begun. */
  stallBegan(): void {
    this.#add('count', 1);
  }

  /** Adds to the time of stalls; `lengthMs` is the length of this one so far. */
  stallLasts(addedMs: number, lengthMs: number): void {
    this.#add('totalMs', addedMs);
    const at = STATISTICS.indexOf('longestMs');
    this.#statistics[at] = Math.max(this.#statistics[at] ?? 0, lengthMs);
  }

  statementProcessReplaced(): void {
    this.#add('replacedStatementProcesses', 1);
  }

  statistics(): StallStatistics {
    const [count = 0, totalMs = 0, longestMs = 0, replacedStatementProcesses = 0] = this.#statistics;
    return { count, totalMs, longestMs, replacedStatementProcesses };
  }

  // The watchdog alone counts stalls, and the main thread alone the replaced threads.
  #add(name: (typeof STATISTICS)[number], amount: number): void {
    const at = STATISTICS.indexOf(name);
    this.#statistics[at] = (this.#statistics[at] ?? 0) + amount;
  }
}
