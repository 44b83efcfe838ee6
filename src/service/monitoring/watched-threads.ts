/**
 * The watchdog's view of the threads that answer requests, in shared memory: whether their event loops run, and
 * which command they execute. Counts stalls for the metrics.
 */

/** Statistics of all threads since startup. */
export interface StallStatistics {
  /** Stalls, including current ones. */
  readonly count: number;
  readonly totalMs: number;
  readonly longestMs: number;
  /** Statement processes that hung and were replaced. */
  readonly replacedStatementProcesses: number;
}

const STATISTICS = ['count', 'totalMs', 'longestMs', 'replacedStatementProcesses'] as const;
const SIGNALS = STATISTICS.length * 2;
const THREADS = SIGNALS + 2;
/** Slots of a thread. */
const BEATS = 0;
const COMMAND = 1;
const SLOTS = 2;

/** A thread's command. */
export interface PresentCommand {
  /** Index of the command, or undefined if none has begun yet. */
  readonly index: number | undefined;
  /** False if the command has ended, or waits for something while the thread does other work. */
  readonly isRunning: boolean;
}

export class WatchedThreads {
  readonly memory: SharedArrayBuffer;
  readonly count: number;
  readonly #slots: Int32Array;
  readonly #statistics: Float64Array;

  /** `memory` comes from the first thread; undefined if this is the first. */
  constructor(count: number, memory = new SharedArrayBuffer((THREADS + count * SLOTS) * 4)) {
    this.memory = memory;
    this.count = count;
    this.#slots = new Int32Array(memory);
    this.#statistics = new Float64Array(memory, 0, STATISTICS.length);
  }

  /** The number of stop signals that the process has received, counted by the native handler. */
  get signals(): Int32Array {
    return this.#slots.subarray(SIGNALS, SIGNALS + 1);
  }

  /** Records that the thread's event loop runs. The thread is watched from the first call on. */
  beat(thread: number): void {
    const at = THREADS + thread * SLOTS + BEATS;
    // 0 means that the thread is not watched.
    Atomics.store(this.#slots, at, ((this.#slots[at] ?? 0) + 1) | 0 || 1);
  }

  /** Stops watching a thread that has ended. */
  ended(thread: number): void {
    Atomics.store(this.#slots, THREADS + thread * SLOTS + BEATS, 0);
  }

  /** Returns a number that changes while the thread's event loop runs, or 0 if the thread is not watched. */
  beats(thread: number): number {
    return Atomics.load(this.#slots, THREADS + thread * SLOTS + BEATS);
  }

  /**
   * Returns the place where a thread records its command: the index plus 1, negated when the command has ended or waits
   * for something.
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

  /** Adds to the total duration of stalls; `lengthMs` is the length of this one so far. */
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

  // Only the watchdog counts stalls, and only the main thread counts replaced threads.
  #add(name: (typeof STATISTICS)[number], amount: number): void {
    const at = STATISTICS.indexOf(name);
    this.#statistics[at] = (this.#statistics[at] ?? 0) + amount;
  }
}
