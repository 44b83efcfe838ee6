/** The results of a replay: numbers, times and differences for each command. */
import { type Distribution, Histogram } from '../base/histogram.ts';
import type { Difference, DifferenceKind } from './comparison.ts';
import type { Exchange, RequestParameters } from './exchange.ts';

/** Why a request is not sent. */
export type Skip = 'write' | 'login' | 'incomplete' | 'secret' | 'cursor';

/** The result of one request that was answered by every target. */
export interface Answered {
  readonly exchange: Exchange;
  readonly request: RequestParameters;
  /** Response time of each target, in ms. */
  readonly times: ReadonlyArray<number | undefined>;
  /** False if there was nothing to compare the response with. */
  readonly isCompared: boolean;
  readonly difference: Difference | undefined;
}

/** A difference with the request that showed it first. */
export interface Finding extends Difference {
  readonly command: string;
  /** How many requests for this command differ in this way, at this location. */
  readonly count: number;
  /** The first of those requests. */
  readonly target: string;
}

/** Half of the responses, and 99 of 100, came within this many ms. */
export interface Times {
  readonly p50: number;
  readonly p99: number;
}

export interface CommandResult {
  readonly command: string;
  readonly sent: number;
  readonly equal: number;
  readonly different: number;
  readonly notCompared: number;
  readonly unanswered: number;
  readonly skipped: number;
  readonly recorded: Times | undefined;
  /** For each target. */
  readonly targets: ReadonlyArray<Times | undefined>;
}

export interface ReplayResult {
  readonly commands: readonly CommandResult[];
  readonly findings: readonly Finding[];
  readonly skipped: Readonly<Partial<Record<Skip, number>>>;
  /** Messages of requests without a response, with their number. */
  readonly failures: ReadonlyArray<{ readonly target: number; readonly message: string; readonly count: number }>;
  readonly differences: Readonly<Record<DifferenceKind, number>>;
  /** How much later than planned the latest request was sent. */
  readonly latestMs: number;
}

/** Upper bounds of the buckets in ms; each is a tenth above the previous one. */
const BOUNDS_MS: readonly number[] = Array.from({ length: 150 }, (_, index) => 0.05 * 1.1 ** index);
/** Differences at more locations are only counted. */
const MAX_FINDINGS = 1_000;
const INDEX = /\[\d+\]/g;

class CommandCounts {
  equal = 0;
  different = 0;
  notCompared = 0;
  unanswered = 0;
  skipped = 0;
  readonly recorded = new Histogram(BOUNDS_MS);
  readonly targets: readonly Histogram[];

  constructor(targets: number) {
    this.targets = Array.from({ length: targets }, () => new Histogram(BOUNDS_MS));
  }
}

/** Collects the results of a replay over `targets` services. */
export class ReplayReport {
  readonly #targets: number;
  readonly #commands = new Map<string, CommandCounts>();
  readonly #findings = new Map<string, Finding>();
  readonly #skipped: Partial<Record<Skip, number>> = {};
  readonly #failures = new Map<string, { target: number; message: string; count: number }>();
  readonly #differences: Record<DifferenceKind, number> = { failure: 0, text: 0, response: 0, form: 0 };
  #latestMs = 0;

  constructor(targets: number) {
    this.#targets = targets;
  }

  skipped(command: string, reason: Skip): void {
    this.#of(command).skipped++;
    this.#skipped[reason] = (this.#skipped[reason] ?? 0) + 1;
  }

  /** Records that a request was sent this much later than planned. */
  delayed(ms: number): void {
    this.#latestMs = Math.max(this.#latestMs, ms);
  }

  /** Records that a target did not respond. */
  unanswered(
    command: string,
    recordedMs: number,
    times: ReadonlyArray<number | undefined>,
    target: number,
    message: string,
  ): void {
    this.#time(command, recordedMs, times).unanswered++;
    const key = `${target} ${message}`;
    const known = this.#failures.get(key) ?? { target, message, count: 0 };
    known.count++;
    this.#failures.set(key, known);
  }

  answered({ exchange, request: { cmd }, times, isCompared, difference }: Answered): void {
    const counts = this.#time(cmd, exchange.answer.timeMs, times);
    if (!isCompared) counts.notCompared++;
    else if (difference === undefined) counts.equal++;
    else {
      counts.different++;
      this.#differences[difference.kind]++;
      this.#found(cmd, exchange, difference);
    }
  }

  #found(command: string, { target }: Exchange, difference: Difference): void {
    const key = `${command} ${difference.kind} ${difference.path.replace(INDEX, '[]')}`;
    const known = this.#findings.get(key);
    if (known === undefined && this.#findings.size >= MAX_FINDINGS) return;
    this.#findings.set(key, { command, target, ...difference, ...known, count: (known?.count ?? 0) + 1 });
  }

  #time(command: string, recordedMs: number, times: ReadonlyArray<number | undefined>): CommandCounts {
    const counts = this.#of(command);
    counts.recorded.record(recordedMs);
    for (const [index, timeMs] of times.entries()) if (timeMs !== undefined) counts.targets[index]?.record(timeMs);
    return counts;
  }

  #of(command: string): CommandCounts {
    let counts = this.#commands.get(command);
    if (counts === undefined) {
      counts = new CommandCounts(this.#targets);
      this.#commands.set(command, counts);
    }
    return counts;
  }

  result(): ReplayResult {
    const commands = [...this.#commands].map(([command, counts]): CommandResult => {
      const { recorded, targets, ...numbers } = counts;
      return {
        command,
        sent: numbers.equal + numbers.different + numbers.notCompared + numbers.unanswered,
        ...numbers,
        recorded: timesOf(recorded.read()),
        targets: targets.map((each) => timesOf(each.read())),
      };
    });
    return {
      commands: commands.sort((a, b) => b.sent + b.skipped - a.sent - a.skipped),
      findings: [...this.#findings.values()].sort((a, b) => b.count - a.count),
      skipped: this.#skipped,
      failures: [...this.#failures.values()].sort((a, b) => b.count - a.count),
      differences: this.#differences,
      latestMs: this.#latestMs,
    };
  }
}

function timesOf(distribution: Distribution): Times | undefined {
  const count = distribution.buckets.reduce((sum, each) => sum + each, 0);
  if (count === 0) return undefined;
  return { p50: quantile(distribution, count, 0.5), p99: quantile(distribution, count, 0.99) };
}

/** Returns the upper bound of the bucket that contains the quantile, or the highest bound for the last bucket. */
function quantile({ bounds, buckets }: Distribution, count: number, share: number): number {
  let seen = 0;
  for (const [index, bound] of bounds.entries()) {
    seen += buckets[index] ?? 0;
    if (seen >= count * share) return bound;
  }
  return bounds.at(-1) ?? 0;
}
