/** The page `/metrics`, in the Prometheus text format. */
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { QueueStatistics } from '../../base/queue-delay.ts';
import type { Grid } from '../../grid/grid.ts';
import { STATEMENT_ENDS, STATEMENT_STATES, type StatementReport } from '../../grid/statement-report.ts';
import { LATENCY_BOUNDS_MS, type Metrics, ONCE_OUTCOMES, OUTCOMES } from './metrics.ts';
import type { ProcessMetrics } from './process-metrics.ts';
import type { StallStatistics } from './watched-threads.ts';

/** Version 0.0.4 is the text format that every version of Prometheus reads. */
export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Backups since the start. */
export interface BackupMetrics {
  readonly completed: number;
  readonly failed: number;
  /** Whether a backup is being made. */
  readonly running: boolean;
  /** Time of the last complete backup, in ms since the epoch; 0: there is none. */
  readonly lastCompletedMs: number;
  readonly lastBytes: number;
  readonly lastDurationMs: number;
}

export interface PrometheusOptions {
  readonly metrics: Metrics;
  readonly stalls: StallStatistics;
  /** Statistics of the queues, by name, besides that of the requests. */
  readonly queues: Readonly<Record<string, QueueStatistics>>;
  readonly grid: Grid;
  readonly machine: ProcessMetrics;
  /** Counts the sessions; undefined without authentication. */
  readonly sessions: { count(): MaybePromise<number> } | undefined;
  readonly ready: () => MaybePromise<boolean>;
  readonly version: string;
  /** Reports running statements; undefined: the engine does not know them. */
  readonly statements: () => StatementReport | undefined;
  /** Backups since the start; undefined: the engine makes none. */
  readonly backups: BackupMetrics | undefined;
}

/** Caches with metrics of their own; those of the others are summed under the empty name. */
const NAMED_CACHES = 100;
const CACHE_METRICS = ['reads', 'writes', 'hits', 'misses'] as const;

/** Returns the page. */
export async function metricsText(options: PrometheusOptions): Promise<string> {
  const { metrics, stalls, grid, machine, sessions, ready, version } = options;
  const page = new Page();
  const memory = machine.memory();
  const processor = machine.processor();
  page.family('svc_info', 'gauge', 'The running version.', [[{ version }, 1]]);
  page.single('svc_ready', 'gauge', 'Whether the service can execute commands.', (await ready()) ? 1 : 0);
  page.single('svc_uptime_seconds', 'gauge', 'Time since the start.', machine.upTimeMs() / 1000);
  page.single('svc_cpu_seconds_total', 'counter', 'Processor time used.', processor.usedMs / 1000);
  page.single('svc_resident_memory_bytes', 'gauge', 'Resident memory.', memory.residentBytes);
  page.single('svc_heap_used_bytes', 'gauge', 'Heap in use by the responding thread.', memory.heapUsedBytes);
  addRequests(page, metrics);
  page.single('svc_http_requests_total', 'counter', 'HTTP requests of all kinds.', metrics.metric('httpRequests'));
  page.single(
    'svc_ignored_parameters_total',
    'counter',
    'Parameters that their commands do not declare, and that were ignored.',
    metrics.ignoredParameters(),
  );
  page.single(
    'svc_http_rejected_total',
    'counter',
    'HTTP requests rejected before a command ran.',
    metrics.metric('httpRejected'),
  );
  page.single(
    'svc_rate_limited_total',
    'counter',
    'Requests rejected because their address, user or API key exceeded its rate.',
    metrics.metric('rateLimited'),
  );
  page.single('svc_http_in_flight', 'gauge', 'HTTP requests in flight.', metrics.metric('httpInFlight'));
  page.single('svc_http_waiting', 'gauge', 'HTTP requests that wait to be processed.', metrics.metric('httpWaiting'));
  page.single('svc_http_received_bytes_total', 'counter', 'Bytes received.', metrics.metric('receivedBytes'));
  page.single('svc_http_sent_bytes_total', 'counter', 'Bytes sent.', metrics.metric('sentBytes'));
  page.single('svc_open_cursors', 'gauge', 'Open query cursors.', metrics.metric('openCursors'));
  page.family(
    'svc_evicted_total',
    'counter',
    'Cursors, sessions and arriving requests ended because others needed their share.',
    [
      [{ resource: 'cursors' }, metrics.metric('evictedCursors')],
      [{ resource: 'sessions' }, metrics.metric('evictedSessions')],
      [{ resource: 'requests' }, metrics.metric('evictedRequests')],
    ],
  );
  page.single(
    'svc_event_loop_delay_seconds',
    'gauge',
    'Latest delay of the event loop in the slowest thread.',
    metrics.metric('loopDelayMs') / 1000,
  );
  page.single(
    'svc_event_loop_delay_max_seconds',
    'gauge',
    'Longest delay of the event loop since the previous measurement.',
    metrics.metric('maximumLoopDelayMs') / 1000,
  );
  addQueues(page, metrics, options.queues);
  addStalls(page, stalls);
  addStatements(page, options.statements());
  addBackups(page, options.backups);
  if (sessions !== undefined)
    page.single('svc_sessions', 'gauge', 'Sessions that have not expired.', await sessions.count());
  await addCaches(page, grid);
  await addRegions(page, grid);
  return page.text();
}

/** Returns the page of a service that waits for its cluster. */
export function waitingMetricsText(version: string, attempts: number): string {
  const page = new Page();
  page.family('svc_info', 'gauge', 'The running version.', [[{ version }, 1]]);
  page.single('svc_ready', 'gauge', 'Whether the service can execute commands.', 0);
  page.single('svc_cluster_attempts_total', 'counter', 'Attempts to reach the cluster since the start.', attempts);
  return page.text();
}

function addRequests(page: Page, metrics: Metrics): void {
  const commands = metrics.commands();
  page.single('svc_requests_in_flight', 'gauge', 'Commands in flight.', metrics.inFlight());
  page.family(
    'svc_requests_total',
    'counter',
    'Commands by name and outcome.',
    commands.flatMap(({ command, outcomes }) =>
      outcomes.flatMap((count, status): Sample[] =>
        count === 0 ? [] : [[{ command, outcome: OUTCOMES[status] ?? '' }, count]],
      ),
    ),
  );
  page.histogram('svc_request_duration_seconds', 'Time from the request to its outcome, by command.', commands);
  page.family(
    'svc_idempotency_not_executed_total',
    'counter',
    'Requests with an idempotency key that were not executed, by reason.',
    ONCE_OUTCOMES.map((reason): Sample => [{ reason: snake(reason) }, metrics.notExecutedFor(reason)]),
  );
}

function addQueues(page: Page, metrics: Metrics, others: PrometheusOptions['queues']): void {
  const requests: QueueStatistics = {
    rejected: metrics.metric('queueRejected'),
    waits: metrics.metric('queueWaits'),
    waitedMs: metrics.metric('queueWaitedMs'),
  };
  const queues = Object.entries({ requests, ...others });
  const samples = (value: (queue: QueueStatistics) => number) =>
    queues.map(([queue, statistics]): Sample => [{ queue }, value(statistics)]);
  page.family(
    'svc_overload_rejected_total',
    'counter',
    'Rejected because too many wait, by the queue.',
    samples(({ rejected }) => rejected),
  );
  page.family(
    'svc_queue_waits_total',
    'counter',
    'Times that something waited in the queue.',
    samples(({ waits }) => waits),
  );
  page.family(
    'svc_queue_wait_seconds_total',
    'counter',
    'Time spent waiting in the queue.',
    samples(({ waitedMs }) => waitedMs / 1000),
  );
}

function addStalls(page: Page, { count, totalMs, longestMs, replacedQueryThreads }: StallStatistics): void {
  page.single('svc_thread_stalls_total', 'counter', 'Times that a thread answered nothing for over a second.', count);
  page.single('svc_thread_stall_seconds_total', 'counter', 'Time for which threads were blocked so.', totalMs / 1000);
  page.single('svc_thread_stall_max_seconds', 'gauge', 'Longest of these times since the start.', longestMs / 1000);
  page.single(
    'svc_query_threads_replaced_total',
    'counter',
    'Query threads that were replaced because their statement did not end.',
    replacedQueryThreads,
  );
}

function addStatements(page: Page, report: StatementReport | undefined): void {
  if (report === undefined) return;
  const { states, oldestMs, ended } = report;
  page.family(
    'svc_statements',
    'gauge',
    'Running statements and scans by state; idle ones are open cursors.',
    STATEMENT_STATES.map((state): Sample => [{ state: snake(state) }, states[state]]),
  );
  page.single(
    'svc_statement_oldest_seconds',
    'gauge',
    'Age of the oldest statement or scan that is not idle.',
    oldestMs / 1000,
  );
  page.family(
    'svc_statements_ended_total',
    'counter',
    'Statements and scans that were ended before they were done, by reason.',
    STATEMENT_ENDS.map((reason): Sample => [{ reason }, ended[reason]]),
  );
}

function addBackups(page: Page, backups: BackupMetrics | undefined): void {
  if (backups === undefined) return;
  const { completed, failed, running, lastCompletedMs, lastBytes, lastDurationMs } = backups;
  page.family('svc_backups_total', 'counter', 'Backups since the start, by outcome.', [
    [{ outcome: 'completed' }, completed],
    [{ outcome: 'failed' }, failed],
  ]);
  page.single('svc_backup_running', 'gauge', 'Whether a backup is being made.', running ? 1 : 0);
  page.single(
    'svc_backup_last_completed_timestamp_seconds',
    'gauge',
    'Time of the last complete backup since 1970; 0 if there is none.',
    lastCompletedMs / 1000,
  );
  page.single('svc_backup_last_bytes', 'gauge', 'Size of the last complete backup since the start.', lastBytes);
  page.single(
    'svc_backup_last_duration_seconds',
    'gauge',
    'Duration of the last complete backup since the start.',
    lastDurationMs / 1000,
  );
}

async function addCaches(page: Page, grid: Grid): Promise<void> {
  const caches = await listOrEmpty(() => grid.caches.list());
  page.single('svc_caches', 'gauge', 'Caches, tables included.', caches.length);
  const rows = await Promise.all(
    caches.map(async ({ name }, index) => {
      const [metrics] = await listOrEmpty(async () => [await grid.caches.metrics(name)]);
      return { cache: index < NAMED_CACHES ? name : '', metrics };
    }),
  );
  for (const metric of CACHE_METRICS) {
    const totals = new Map<string, number>();
    for (const { cache, metrics } of rows) {
      if (metrics !== undefined) totals.set(cache, (totals.get(cache) ?? 0) + metrics[metric]);
    }
    const samples = [...totals].map(([cache, count]): Sample => [{ cache }, count]);
    page.family(`svc_cache_${metric}_total`, 'counter', `Cache ${metric} since the start.`, samples);
  }
}

async function addRegions(page: Page, grid: Grid): Promise<void> {
  const regions = await listOrEmpty(() => grid.cluster.regions());
  const metrics = new Set(regions.flatMap((region) => Object.keys(region)));
  for (const metric of [...metrics].sort()) {
    const samples = regions.flatMap((region): Sample[] => {
      const value = region[metric];
      return typeof value === 'number' ? [[{ region: region.name }, value]] : [];
    });
    if (samples.length > 0) page.family(`svc_region_${snake(metric)}`, 'gauge', `Data region: ${metric}.`, samples);
  }
}

/** Returns an empty list if the call fails, for example because the cluster is inactive. */
async function listOrEmpty<T>(list: () => MaybePromise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await list();
  } catch {
    return [];
  }
}

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [Labels, number];

/** Builds the page family by family. */
class Page {
  readonly #lines: string[] = [];

  single(name: string, type: 'counter' | 'gauge', help: string, value: number): void {
    this.family(name, type, help, [[{}, value]]);
  }

  family(name: string, type: 'counter' | 'gauge', help: string, samples: readonly Sample[]): void {
    this.#head(name, type, help);
    for (const [labels, value] of samples) this.#sample(name, labels, value);
  }

  histogram(name: string, help: string, commands: ReturnType<Metrics['commands']>): void {
    this.#head(name, 'histogram', help);
    for (const { command, buckets, totalMs } of commands) {
      let count = 0;
      buckets.forEach((each, index) => {
        count += each;
        const boundMs = LATENCY_BOUNDS_MS[index];
        this.#sample(`${name}_bucket`, { command, le: boundMs === undefined ? '+Inf' : String(boundMs / 1000) }, count);
      });
      this.#sample(`${name}_sum`, { command }, totalMs / 1000);
      this.#sample(`${name}_count`, { command }, count);
    }
  }

  text(): string {
    return `${this.#lines.join('\n')}\n`;
  }

  #head(name: string, type: string, help: string): void {
    this.#lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
  }

  #sample(name: string, labels: Labels, value: number): void {
    const shown = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    this.#lines.push(`${name}${shown.length === 0 ? '' : `{${shown.join(',')}}`} ${value}`);
  }
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/[^a-z0-9_]/g, '_');
}
