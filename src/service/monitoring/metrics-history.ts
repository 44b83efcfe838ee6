/** Samples of the last hour's metrics, in memory of fixed size. */
import type { Clock, Timer } from '../../base/clock.ts';
import type { Distribution } from '../../base/histogram.ts';
import type { MetricsHistoryService } from '../../commands/context.ts';
import { METRIC_SERIES, type MetricSeries } from '../../commands/metric-series.ts';
import type { MetricsLimits, MetricsSamples } from '../../commands/metrics-samples.ts';
import type { StatementReport } from '../../grid/statement-report.ts';
import type { StorageReport } from '../../grid/storage-report.ts';
import { LATENCY_BOUNDS_MS, type Metrics } from './metrics.ts';
import type { ProcessMetrics } from './process-metrics.ts';
import type { ContinuousMetrics } from './prometheus.ts';

/** An hour of samples, frequent enough to show what happened within a minute. */
export const SAMPLE_MS = 5_000;
const SAMPLES = 720;

export interface MetricsHistoryOptions {
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly machine: Pick<ProcessMetrics, 'memory' | 'processor' | 'disk' | 'totalMemoryBytes'>;
  readonly stalls: () => { readonly count: number };
  readonly storage: () => StorageReport | undefined;
  readonly statements: () => StatementReport | undefined;
  /** Reports on the continuous backup; undefined if there is none. */
  readonly continuous: () => ContinuousMetrics | undefined;
  /** Time after which requests and statements are logged as slow, or 0 for never. */
  readonly slowMs: number;
  /** Names of all commands. */
  readonly commands: readonly string[];
}

/** Counters at a sample, from which the next one computes rates. */
interface Totals {
  readonly atMs: number;
  readonly failures: number;
  readonly latencies: readonly number[];
  readonly commands: ReadonlyMap<string, number>;
  readonly commits: Distribution | undefined;
  readonly receivedBytes: number;
  readonly sentBytes: number;
  readonly stalls: number;
  readonly processorMs: number;
}

type Values = Readonly<Record<MetricSeries, number | undefined>>;

export class MetricsHistory implements MetricsHistoryService {
  readonly #options: MetricsHistoryOptions;
  /** Sample after sample: its time, the series, and each command's requests per second. NaN means no value. */
  #values: Float64Array | undefined;
  readonly #width: number;
  readonly #timer: Timer;
  #count = 0;
  #isStopped = false;
  #last: Totals;

  constructor(options: MetricsHistoryOptions) {
    this.#options = options;
    this.#width = 1 + METRIC_SERIES.length + options.commands.length;
    this.#last = this.#totals();
    this.#timer = options.clock.every(SAMPLE_MS, () => this.#sample());
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer.cancel();
  }

  since(afterMs: number): MetricsSamples {
    // A request right after startup returns what is known already, such as a full disk.
    if (this.#count === 0 && !this.#isStopped) this.#sample();
    const kept = Math.min(this.#count, SAMPLES);
    const rows: Float64Array[] = [];
    for (let index = this.#count - kept; index < this.#count; index++) {
      const row = this.#row(index);
      if ((row[0] ?? 0) > afterMs) rows.push(row);
    }
    const column = (at: number) => rows.map((row) => shortened(row[at]));
    const commands = this.#options.commands
      .map((name, index) => [name, column(1 + METRIC_SERIES.length + index)] as const)
      .filter(([, rates]) => rates.some((rate) => rate !== 0));
    return {
      intervalMs: SAMPLE_MS,
      times: rows.map((row) => row[0] ?? 0),
      series: Object.fromEntries(METRIC_SERIES.map(({ name }, index) => [name, column(1 + index)])),
      commands: Object.fromEntries(commands),
      limits: this.#limits(),
    };
  }

  #limits(): MetricsLimits {
    const { slowMs, machine, storage } = this.#options;
    return {
      slowMs: slowMs === 0 ? null : slowMs,
      memoryBytes: machine.totalMemoryBytes,
      diskBytes: machine.disk()?.totalBytes ?? null,
      diskReserveBytes: storage()?.reserveBytes ?? null,
    };
  }

  #row(index: number): Float64Array {
    const at = (index % SAMPLES) * this.#width;
    this.#values ??= new Float64Array(SAMPLES * this.#width);
    return this.#values.subarray(at, at + this.#width);
  }

  #totals(): Totals {
    const { clock, metrics, machine, stalls, storage } = this.#options;
    const latencies = new Array<number>(LATENCY_BOUNDS_MS.length + 1).fill(0);
    const commands = new Map<string, number>();
    let failures = 0;
    for (const { command, outcomes, buckets } of metrics.commands()) {
      const all = outcomes.reduce((sum, each) => sum + each, 0);
      commands.set(command, all);
      failures += all - (outcomes[0] ?? 0);
      buckets.forEach((each, index) => {
        latencies[index] = (latencies[index] ?? 0) + each;
      });
    }
    return {
      atMs: clock.nowMs(),
      failures,
      latencies,
      commands,
      commits: storage()?.commitMs,
      receivedBytes: metrics.metric('receivedBytes'),
      sentBytes: metrics.metric('sentBytes'),
      stalls: stalls().count,
      processorMs: machine.processor().usedMs,
    };
  }

  #sample(): void {
    const before = this.#last;
    const now = this.#totals();
    this.#last = now;
    const seconds = Math.max(0.001, (now.atMs - before.atMs) / 1_000);
    const values = this.#valuesOf(before, now, seconds);
    const row = this.#row(this.#count++);
    row[0] = now.atMs;
    METRIC_SERIES.forEach(({ name }, index) => {
      row[1 + index] = values[name] ?? Number.NaN;
    });
    this.#options.commands.forEach((name, index) => {
      const requests = (now.commands.get(name) ?? 0) - (before.commands.get(name) ?? 0);
      row[1 + METRIC_SERIES.length + index] = requests / seconds;
    });
  }

  #valuesOf(before: Totals, now: Totals, seconds: number): Values {
    const { metrics, machine, storage, statements } = this.#options;
    const backup = this.#options.continuous();
    const age = (ms: number | undefined) => (ms === undefined || ms === 0 ? undefined : Math.max(0, now.atMs - ms));
    const latencies = difference(now.latencies, before.latencies);
    const commits = now.commits && difference(now.commits.buckets, before.commits?.buckets ?? []);
    const commitBounds = now.commits?.bounds ?? [];
    const stored = storage();
    const files = stored?.files;
    const running = statements();
    const memory = machine.memory();
    return {
      requestsPerSecond: total(latencies) / seconds,
      failuresPerSecond: (now.failures - before.failures) / seconds,
      p50Ms: quantile(LATENCY_BOUNDS_MS, latencies, 0.5),
      p95Ms: quantile(LATENCY_BOUNDS_MS, latencies, 0.95),
      p99Ms: quantile(LATENCY_BOUNDS_MS, latencies, 0.99),
      inFlight: metrics.inFlight(),
      waiting: metrics.metric('httpWaiting'),
      eventLoopDelayMs: metrics.metric('maximumLoopDelayMs'),
      stalls: now.stalls - before.stalls,
      residentBytes: memory.residentBytes,
      heapUsedBytes: memory.heapUsedBytes,
      processorPercent: ((now.processorMs - before.processorMs) / (seconds * 1_000)) * 100,
      storeBytes: files?.reduce((sum, { bytes }) => sum + bytes, 0),
      walBytes: files?.reduce((sum, { logBytes }) => sum + logBytes, 0),
      diskFreeBytes: machine.disk()?.usableBytes,
      unfitEntries: stored?.unfitEntries,
      commitsPerSecond: commits && total(commits) / seconds,
      commitP50Ms: commits && quantile(commitBounds, commits, 0.5),
      commitP99Ms: commits && quantile(commitBounds, commits, 0.99),
      statementProcesses: running?.processes.started,
      busyStatementProcesses: running?.processes.busy,
      runningStatements: running && running.states.running + running.states.waitingForLock,
      openCursors: metrics.metric('openCursors'),
      receivedBytesPerSecond: (now.receivedBytes - before.receivedBytes) / seconds,
      sentBytesPerSecond: (now.sentBytes - before.sentBytes) / seconds,
      backupLagMs: backup?.behindMs,
      backupObjectAgeMs: age(backup?.lastObjectMs),
      backupVerifiedAgeMs: age(backup?.restoreChecks?.verifiedMs),
    };
  }
}

/** A difference of a thousandth is invisible. */
function shortened(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : Math.round(value * 1_000) / 1_000;
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}

function difference(now: readonly number[], before: readonly number[]): number[] {
  return now.map((each, index) => each - (before[index] ?? 0));
}

/**
 * Returns a quantile, interpolated within its bucket as in Prometheus, or undefined if nothing was counted. Values
 * beyond the last bound count as equal to it.
 */
export function quantile(bounds: readonly number[], buckets: readonly number[], share: number): number | undefined {
  const count = total(buckets);
  if (count === 0) return undefined;
  const wanted = count * share;
  let passed = 0;
  for (let index = 0; index < bounds.length; index++) {
    const within = buckets[index] ?? 0;
    if (passed + within >= wanted && within > 0) {
      const lower = index === 0 ? 0 : (bounds[index - 1] ?? 0);
      return lower + ((bounds[index] ?? 0) - lower) * ((wanted - passed) / within);
    }
    passed += within;
  }
  return bounds.at(-1);
}
