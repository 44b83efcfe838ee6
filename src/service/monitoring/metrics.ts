/**
 * Request counters in shared memory. Each thread writes only its own part, without locks; readers add the parts up. The
 * labels are the registered commands, so their number is bounded.
 */
import type { Outcome } from '../request.ts';

/** Upper bounds of the latency histogram in ms; one more bucket counts slower requests. */
export const LATENCY_BOUNDS_MS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000] as const;

/** Names of the outcomes, by successStatus. */
export const OUTCOMES = ['success', 'failure', 'authorization', 'security', 'illegal'] as const;

/** The outcomes of requests with an idempotency key that were not executed. */
export const ONCE_OUTCOMES = ['replayed', 'reused', 'inUse', 'full'] as const;

/** How slow commands are counted: those with statements and scans, and others. */
export const SLOW_KINDS = ['statement', 'other'] as const;

/** Results of requests to the shadow service: equal, four kinds of differences, and not compared. */
export const SHADOW_RESULTS = ['equal', 'failure', 'text', 'response', 'form', 'unanswered', 'skipped'] as const;
export type ShadowResult = (typeof SHADOW_RESULTS)[number];

/** Counters besides requests; `ignored` is a parameter that its command does not declare. */
const COUNTED_EVENTS = ['ignored', ...ONCE_OUTCOMES, ...SLOW_KINDS, ...SHADOW_RESULTS] as const;
export type CountedEvent = (typeof COUNTED_EVENTS)[number];

/** Metrics that each thread publishes periodically. */
export const THREAD_METRICS = [
  'httpRequests',
  'httpRejected',
  'httpInFlight',
  'httpWaiting',
  'queueRejected',
  'queueWaits',
  'queueWaitedMs',
  'receivedBytes',
  'sentBytes',
  'openCursors',
  'evictedCursors',
  'evictedSessions',
  'rateLimited',
  'loopDelayMs',
  'maximumLoopDelayMs',
] as const;
export type ThreadMetric = (typeof THREAD_METRICS)[number];

const BUCKETS = LATENCY_BOUNDS_MS.length + 1;
/** For each command: requests by outcome, buckets, and the sum of durations in ms. */
const PER_COMMAND = OUTCOMES.length + BUCKETS + 1;
const BEGUN = 0;
const ENDED = 1;
const EVENTS = 2;
const THREAD = EVENTS + COUNTED_EVENTS.length;
const OWN = THREAD + THREAD_METRICS.length;

/** Counters of one command, summed over all threads. */
export interface CommandMetrics {
  readonly command: string;
  /** In the order of {@link OUTCOMES}. */
  readonly outcomes: readonly number[];
  /** Not cumulative; in the order of {@link LATENCY_BOUNDS_MS}, slower requests last. */
  readonly buckets: readonly number[];
  readonly totalMs: number;
}

export class Metrics {
  /** Passed to the other threads. */
  readonly memory: SharedArrayBuffer;
  readonly #commands: readonly string[];
  readonly #threads: number;
  readonly #all: Float64Array;
  readonly #mine: Float64Array;
  readonly #index: ReadonlyMap<string, number>;

  /** `thread` is this thread's index, from 0; `memory` comes from the first thread's metrics. */
  constructor(commands: readonly string[], threads: number, thread = 0, memory?: SharedArrayBuffer) {
    const size = OWN + commands.length * PER_COMMAND;
    this.memory = memory ?? new SharedArrayBuffer(threads * size * Float64Array.BYTES_PER_ELEMENT);
    this.#commands = commands;
    this.#threads = threads;
    this.#all = new Float64Array(this.memory);
    this.#mine = this.#all.subarray(thread * size, (thread + 1) * size);
    this.#index = new Map(commands.map((name, index) => [name, OWN + index * PER_COMMAND]));
  }

  begin(): void {
    this.#add(BEGUN, 1);
  }

  end(command: string, successStatus: Outcome['successStatus'], durationMs: number): void {
    this.#add(ENDED, 1);
    const at = this.#index.get(command);
    if (at === undefined) return;
    let bucket = 0;
    while (bucket < LATENCY_BOUNDS_MS.length && durationMs > (LATENCY_BOUNDS_MS[bucket] ?? 0)) bucket++;
    this.#add(at + successStatus, 1);
    this.#add(at + OUTCOMES.length + bucket, 1);
    this.#add(at + OUTCOMES.length + BUCKETS, durationMs);
  }

  count(event: CountedEvent): void {
    this.#add(EVENTS + COUNTED_EVENTS.indexOf(event), 1);
  }

  counted(event: CountedEvent): number {
    return sum(this.#parts(EVENTS + COUNTED_EVENTS.indexOf(event)));
  }

  /** Sets metrics of this thread. */
  publish(metrics: Partial<Readonly<Record<ThreadMetric, number>>>): void {
    THREAD_METRICS.forEach((name, index) => {
      const value = metrics[name];
      if (value !== undefined) this.#mine[THREAD + index] = value;
    });
  }

  /** Returns the sum of a metric over the threads; for delays, the maximum. */
  metric(name: ThreadMetric): number {
    const parts = this.#parts(THREAD + THREAD_METRICS.indexOf(name));
    return name === 'maximumLoopDelayMs' || name === 'loopDelayMs' ? Math.max(...parts) : sum(parts);
  }

  /** Returns the number of commands in flight. */
  inFlight(): number {
    return Math.max(0, sum(this.#parts(BEGUN)) - sum(this.#parts(ENDED)));
  }

  /** Returns the number of commands that have ended. */
  ended(): number {
    return sum(this.#parts(ENDED));
  }

  /** Returns the counters of every command that has ended at least once. */
  commands(): CommandMetrics[] {
    // Reading every command would delay the first response.
    if (this.ended() === 0) return [];
    return this.#commands.flatMap((command, index) => {
      const at = OWN + index * PER_COMMAND;
      const read = (offset: number) => sum(this.#parts(at + offset));
      const outcomes = OUTCOMES.map((_, status) => read(status));
      if (sum(outcomes) === 0) return [];
      const buckets = Array.from({ length: BUCKETS }, (_, bucket) => read(OUTCOMES.length + bucket));
      return [{ command, outcomes, buckets, totalMs: read(OUTCOMES.length + BUCKETS) }];
    });
  }

  #add(at: number, amount: number): void {
    this.#mine[at] = (this.#mine[at] ?? 0) + amount;
  }

  #parts(at: number): number[] {
    const size = this.#all.length / this.#threads;
    return Array.from({ length: this.#threads }, (_, thread) => this.#all[thread * size + at] ?? 0);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
