/** The values of all metrics, and the page `/metrics` in the Prometheus text format. */

import type { QueueStatistics } from '../../base/admission.ts';
import type { FailoverStatus } from '../../base/failover-status.ts';
import type { Distribution } from '../../base/histogram.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { ContinuousStatus, RestoreCheck } from '../../grid/backup.ts';
import type { FeedStatistics } from '../../grid/change-feed.ts';
import type { Grid } from '../../grid/grid.ts';
import { STATEMENT_ENDS, STATEMENT_STATES, type StatementReport } from '../../grid/statement-report.ts';
import type { StorageReport } from '../../grid/storage-report.ts';
import { CREDENTIALS, LOGIN_FAILURES, type LoginReport } from './login-report.ts';
import { REGION_SOURCES } from './metric-declarations.ts';
import {
  type CommandMetrics,
  LATENCY_BOUNDS_MS,
  type Metrics,
  ONCE_OUTCOMES,
  OUTCOMES,
  SHADOW_RESULTS,
  SLOW_KINDS,
} from './metrics.ts';
import { MetricFamilies, type MetricFamily, type Sample } from './metrics-page.ts';
import type { ProcessMetrics } from './process-metrics.ts';
import type { StallStatistics } from './watched-threads.ts';

/** Version 0.0.4 is the text format that every version of Prometheus reads. */
export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Backups since startup. */
export interface BackupMetrics {
  readonly completed: number;
  readonly failed: number;
  /** Whether a backup is in progress. */
  readonly running: boolean;
  /** Time of the last complete backup, in ms since the epoch, or 0 if there is none. */
  readonly lastCompletedMs: number;
  readonly lastBytes: number;
  readonly lastDurationMs: number;
  /** The continuous backup, or undefined if none is configured. */
  readonly continuous: ContinuousMetrics | undefined;
}

export interface ContinuousMetrics extends ContinuousStatus {
  /** How long something has been missing from the destination. */
  readonly behindMs: number;
  /** Checks that it restores; undefined if none are made. */
  readonly restoreChecks: RestoreCheckReport | undefined;
}

/** The checks that the continuous backup restores. */
export interface RestoreCheckReport {
  readonly intervalMs: number;
  /** When the last successful check ended, in ms since 1970, or 0 if there was none. */
  readonly verifiedMs: number;
  readonly isRunning: boolean;
  /** When the next one is due, in ms since 1970. */
  readonly nextMs: number;
  /** The last check, or undefined if none has ended. */
  readonly last: (RestoreCheck & { readonly endedMs: number; readonly durationMs: number }) | undefined;
  /** Checks since startup. */
  readonly counts: Readonly<Record<RestoreCheck['outcome'], number>>;
}

export interface PrometheusOptions {
  readonly metrics: Metrics;
  readonly stalls: StallStatistics;
  /** Statistics of the queues, by name, besides the request queue. */
  readonly queues: Readonly<Record<string, QueueStatistics>>;
  readonly grid: Grid;
  readonly machine: ProcessMetrics;
  /** Counts the sessions; undefined without authentication. */
  readonly sessions: { count(): MaybePromise<number> } | undefined;
  readonly ready: () => MaybePromise<boolean>;
  readonly build: BuildInfo;
  /** Reports files and commits; undefined if the engine does not store the data. */
  readonly storage: () => StorageReport | undefined;
  /** Reports on the change feed; undefined if the engine has none. */
  readonly changeFeed: () => FeedStatistics | undefined;
  /** Logins since startup, or undefined without authentication. */
  readonly logins: LoginReport | undefined;
  /** Whether a request rate is configured. */
  readonly hasRates: boolean;
  /** Reports running statements; undefined if the engine does not know them. */
  readonly statements: () => StatementReport | undefined;
  /** Describes the service's role as the primary; undefined if no other service takes over. */
  readonly failover: () => FailoverStatus | undefined;
  /** Time between syncs of each persistent region, in ms, or 0 if every commit is synced. Empty on a cluster. */
  readonly syncIntervals: ReadonlyMap<string, number>;
  /** Backups since startup, or undefined if the engine makes none. */
  readonly backups: BackupMetrics | undefined;
}

/** The labels of `svc_build_info`. */
export interface BuildInfo {
  readonly version: string;
  readonly runtime: string;
  readonly platform: string;
  readonly engine: string;
}

/** A command with fewer requests since startup has only the bounds of {@link IDLE_BOUNDS_MS}. */
const IDLE_REQUESTS = 100;
/** Every third bound, so that rates over all commands stay correct to within these few requests. */
const IDLE_BOUNDS_MS: ReadonlySet<number> = new Set([1, 10, 100, 1_000, 10_000]);

/** Maximum number of caches with separate metrics; the metrics of the others are summed under the empty name. */
const NAMED_CACHES = 100;
const CACHE_METRICS = ['reads', 'writes', 'hits', 'misses'] as const;

/** Returns the page, on which commands with few requests have few buckets. */
export async function metricsText(options: PrometheusOptions): Promise<string> {
  return (await readMetrics(options, IDLE_REQUESTS)).text();
}

/** Returns all metrics with all buckets, whose bounds never change. */
export async function metricFamilies(options: PrometheusOptions): Promise<readonly MetricFamily[]> {
  return (await readMetrics(options, 0)).all;
}

async function readMetrics(options: PrometheusOptions, idleRequests: number): Promise<MetricFamilies> {
  const { metrics, stalls, grid, sessions, logins } = options;
  const page = new MetricFamilies();
  await addProcess(page, options);
  addRequests(page, metrics, idleRequests);
  if (logins !== undefined || options.hasRates) page.single('svc_rate_limited_total', metrics.metric('rateLimited'));
  addConnections(page, metrics, sessions !== undefined);
  addQueues(page, metrics, options.queues);
  const [open] = sessions === undefined ? [] : await listOrEmpty(async () => [await sessions.count()]);
  if (open !== undefined) page.single('svc_sessions', open);
  if (logins !== undefined) addLogins(page, logins);
  addStatements(page, options.statements(), stalls.replacedStatementProcesses);
  page.single('svc_open_cursors', metrics.metric('openCursors'));
  addStorage(page, options);
  addChangeFeed(page, options.changeFeed());
  addBackups(page, options.backups);
  await addCaches(page, grid);
  await addRegions(page, grid);
  addSyncIntervals(page, options.syncIntervals);
  return page;
}

/** Returns the page of a service that waits for its cluster. */
export function waitingMetricsText(build: BuildInfo, attempts: number): string {
  const page = new MetricFamilies();
  page.family('svc_build_info', [[{ ...build }, 1]]);
  page.single('svc_ready', 0);
  page.single('svc_cluster_attempts_total', attempts);
  return page.text();
}

/** A standby's report on itself, which includes nothing about its data. */
export interface StandbyMetrics extends FailoverStatus {
  readonly objects: number;
  readonly copies: number;
  /** The time of the last applied object, in ms since 1970, or 0 if there is none. */
  readonly lastObjectMs: number;
}

export function standbyMetricsText(build: BuildInfo, standby: StandbyMetrics): string {
  const page = new MetricFamilies();
  page.family('svc_build_info', [[{ ...build }, 1]]);
  page.single('svc_ready', 0);
  addFailover(page, standby);
  page.single('svc_standby_position', standby.position === null ? 0 : Number.parseInt(standby.position, 16));
  page.single('svc_standby_behind_positions', standby.behindPositions);
  page.single('svc_standby_behind_seconds', standby.behindMs / 1000);
  page.single('svc_standby_last_object_timestamp_seconds', standby.lastObjectMs / 1000);
  page.single('svc_standby_silent', standby.isSilent ? 1 : 0);
  page.single('svc_standby_objects_total', standby.objects);
  page.single('svc_standby_copies_total', standby.copies);
  return page.text();
}

function addFailover(page: MetricFamilies, { role, epoch, takeover, lost }: FailoverStatus): void {
  page.single('svc_failover_primary', role === 'primary' ? 1 : 0);
  page.single('svc_failover_epoch', epoch);
  if (lost !== undefined) {
    page.single('svc_failover_lost_commits', lost.commits ?? Number.NaN);
    page.single('svc_failover_lost_seconds', lost.withinMs / 1000);
  }
  if (takeover === null) return;
  const { because, atMs, mayHaveLostMs } = takeover;
  if (mayHaveLostMs !== undefined) {
    page.single('svc_failover_may_have_lost_seconds', (mayHaveLostMs ?? Number.POSITIVE_INFINITY) / 1000);
  }
  page.family('svc_failover_takeover_timestamp_seconds', [[{ because }, atMs / 1000]]);
}

async function addProcess(
  page: MetricFamilies,
  { build, ready, machine, metrics, stalls, failover }: PrometheusOptions,
): Promise<void> {
  const memory = machine.memory();
  page.family('svc_build_info', [[{ ...build }, 1]]);
  page.single('svc_ready', (await ready()) ? 1 : 0);
  const status = failover();
  if (status !== undefined) addFailover(page, status);
  page.single('process_start_time_seconds', machine.startedAtMs / 1000);
  page.single('process_cpu_seconds_total', machine.processor().usedMs / 1000);
  page.single('process_resident_memory_bytes', memory.residentBytes);
  page.single('process_open_fds', await machine.openFiles());
  page.single('process_max_fds', machine.maxOpenFiles);
  page.single('svc_heap_used_bytes', memory.heapUsedBytes);
  page.single('svc_event_loop_delay_seconds', metrics.metric('loopDelayMs') / 1000);
  page.single('svc_event_loop_delay_max_seconds', metrics.metric('maximumLoopDelayMs') / 1000);
  page.single('svc_thread_stalls_total', stalls.count);
  page.single('svc_thread_stall_seconds_total', stalls.totalMs / 1000);
  page.single('svc_thread_stall_max_seconds', stalls.longestMs / 1000);
}

function addRequests(page: MetricFamilies, metrics: Metrics, idleRequests: number): void {
  const commands = metrics.commands();
  page.single('svc_requests_in_flight', metrics.inFlight());
  page.family(
    'svc_requests_total',
    commands.flatMap(({ command, outcomes }) =>
      outcomes.flatMap(
        (count, status): Array<Sample<'svc_requests_total'>> =>
          count === 0 ? [] : [[{ command, outcome: OUTCOMES[status] ?? '' }, count]],
      ),
    ),
  );
  page.histogram(
    'svc_request_duration_seconds',
    commands.map((each) => [{ command: each.command }, durationsOf(each, idleRequests)]),
  );
  page.family(
    'svc_slow_commands_total',
    SLOW_KINDS.map((kind) => [{ kind }, metrics.counted(kind)]),
  );
  page.family(
    'svc_idempotency_not_executed_total',
    ONCE_OUTCOMES.map((reason) => [{ reason: snake(reason) }, metrics.counted(reason)]),
  );
  page.single('svc_ignored_parameters_total', metrics.counted('ignored'));
  page.family(
    'svc_shadow_reads_total',
    SHADOW_RESULTS.flatMap((result): Array<Sample<'svc_shadow_reads_total'>> => {
      const count = metrics.counted(result);
      return count === 0 ? [] : [[{ result }, count]];
    }),
  );
}

/** Returns a command's durations in seconds, in fewer buckets if it has had fewer requests than given. */
function durationsOf({ outcomes, buckets, totalMs }: CommandMetrics, idleRequests: number): Distribution {
  const isIdle = outcomes.reduce((total, each) => total + each, 0) < idleRequests;
  const bounds: number[] = [];
  const merged: number[] = [];
  let count = 0;
  buckets.forEach((each, index) => {
    count += each;
    const boundMs = LATENCY_BOUNDS_MS[index];
    if (boundMs !== undefined && isIdle && !IDLE_BOUNDS_MS.has(boundMs)) return;
    merged.push(count);
    count = 0;
    if (boundMs !== undefined) bounds.push(boundMs / 1000);
  });
  return { bounds, buckets: merged, sum: totalMs / 1000 };
}

function addConnections(page: MetricFamilies, metrics: Metrics, hasSessions: boolean): void {
  page.single('svc_http_requests_total', metrics.metric('httpRequests'));
  page.single('svc_http_rejected_total', metrics.metric('httpRejected'));
  page.single('svc_http_in_flight', metrics.metric('httpInFlight'));
  page.single('svc_http_waiting', metrics.metric('httpWaiting'));
  page.single('svc_http_received_bytes_total', metrics.metric('receivedBytes'));
  page.single('svc_http_sent_bytes_total', metrics.metric('sentBytes'));
  page.family('svc_evicted_total', [
    [{ resource: 'cursors' }, metrics.metric('evictedCursors')],
    ...(hasSessions ? [[{ resource: 'sessions' }, metrics.metric('evictedSessions')] as const] : []),
  ]);
}

function addQueues(page: MetricFamilies, metrics: Metrics, others: PrometheusOptions['queues']): void {
  const requests: QueueStatistics = {
    rejected: metrics.metric('queueRejected'),
    waits: metrics.metric('queueWaits'),
    waitedMs: metrics.metric('queueWaitedMs'),
  };
  const queues = Object.entries({ requests, ...others });
  const samples = (value: (queue: QueueStatistics) => number) =>
    queues.map(([queue, statistics]) => [{ queue }, value(statistics)] as const);
  page.family(
    'svc_queue_waits_total',
    samples(({ waits }) => waits),
  );
  page.family(
    'svc_queue_wait_seconds_total',
    samples(({ waitedMs }) => waitedMs / 1000),
  );
  page.family(
    'svc_overload_rejected_total',
    samples(({ rejected }) => rejected),
  );
}

function addLogins(page: MetricFamilies, { accepted, failures }: LoginReport): void {
  page.single('svc_logins_total', accepted);
  page.family(
    'svc_login_failures_total',
    CREDENTIALS.flatMap((credential) =>
      LOGIN_FAILURES.map((reason) => [{ credential, reason }, failures[credential][reason]] as const),
    ),
  );
}

function addStatements(page: MetricFamilies, report: StatementReport | undefined, replacedThreads: number): void {
  if (report === undefined) return;
  const { states, oldestMs, ended, processes } = report;
  page.family(
    'svc_statements',
    STATEMENT_STATES.map((state) => [{ state: snake(state) }, states[state]]),
  );
  page.single('svc_statement_oldest_seconds', oldestMs / 1000);
  page.family(
    'svc_statements_ended_total',
    STATEMENT_ENDS.map((reason) => [{ reason }, ended[reason]]),
  );
  page.family('svc_statement_processes', [
    [{ state: 'started' }, processes.started],
    [{ state: 'busy' }, processes.busy],
  ]);
  page.single('svc_statement_processes_replaced_total', replacedThreads);
}

function addStorage(page: MetricFamilies, { storage, machine }: PrometheusOptions): void {
  const report = storage();
  if (report === undefined) return;
  const { files, commitMs, commitChanges, rollbacks, checkpoints, isDiskLow, reserveBytes, unfitEntries } = report;
  const seconds = { ...commitMs, bounds: commitMs.bounds.map((each) => each / 1000), sum: commitMs.sum / 1000 };
  page.histogram('svc_commit_duration_seconds', [[{}, seconds]]);
  page.histogram('svc_commit_changes', [[{}, commitChanges]]);
  page.single('svc_commit_rollbacks_total', rollbacks);
  page.family(
    'svc_database_size_bytes',
    files.map(({ region, bytes }) => [{ region }, bytes]),
  );
  page.family(
    'svc_wal_size_bytes',
    files.map(({ region, logBytes }) => [{ region }, logBytes]),
  );
  page.family('svc_checkpoints_total', [
    [{ outcome: 'completed' }, checkpoints.completed],
    [{ outcome: 'postponed' }, checkpoints.postponed],
  ]);
  const disk = machine.disk();
  page.single('svc_disk_free_bytes', disk?.usableBytes);
  page.single('svc_disk_size_bytes', disk?.totalBytes);
  page.single('svc_disk_reserve_bytes', reserveBytes);
  page.single('svc_disk_low', isDiskLow ? 1 : 0);
  page.single('svc_unfit_entries', unfitEntries);
}

function addChangeFeed(page: MetricFamilies, statistics: FeedStatistics | undefined): void {
  if (statistics === undefined) return;
  page.single('svc_change_feed_consumers', statistics.consumers);
  page.single('svc_change_feed_changes_total', statistics.delivered);
  page.single('svc_change_feed_lost_total', statistics.lost);
  page.single('svc_change_feed_size_bytes', statistics.keptBytes);
}

function addBackups(page: MetricFamilies, backups: BackupMetrics | undefined): void {
  if (backups === undefined) return;
  const { completed, failed, running, lastCompletedMs, lastBytes, lastDurationMs, continuous } = backups;
  page.family('svc_backups_total', [
    [{ outcome: 'completed' }, completed],
    [{ outcome: 'failed' }, failed],
  ]);
  page.single('svc_backup_running', running ? 1 : 0);
  page.single('svc_backup_last_completed_timestamp_seconds', lastCompletedMs / 1000);
  if (continuous !== undefined) addContinuous(page, continuous);
  if (lastCompletedMs === 0) return;
  page.single('svc_backup_last_size_bytes', lastBytes);
  page.single('svc_backup_last_duration_seconds', lastDurationMs / 1000);
}

function addContinuous(page: MetricFamilies, status: ContinuousMetrics): void {
  const { state, reportAgeMs, lastObjectMs, behindMs, behindBytes, objects, bytes, failures, snapshots } = status;
  page.single('svc_backup_continuous_running', state === 'shipping' ? 1 : 0);
  page.single('svc_backup_continuous_report_age_seconds', reportAgeMs / 1000);
  page.single('svc_backup_continuous_last_object_timestamp_seconds', lastObjectMs / 1000);
  page.single('svc_backup_continuous_lag_seconds', behindMs / 1000);
  page.single('svc_backup_continuous_lag_bytes', behindBytes);
  page.single('svc_backup_continuous_objects_total', objects);
  page.single('svc_backup_continuous_written_bytes_total', bytes);
  page.single('svc_backup_continuous_failures_total', failures);
  page.single('svc_backup_continuous_snapshots_total', snapshots);
  const { restoreChecks } = status;
  if (restoreChecks === undefined) return;
  const { intervalMs, verifiedMs, last, counts } = restoreChecks;
  page.family(
    'svc_backup_restore_checks_total',
    Object.entries(counts).map(([outcome, count]) => [{ outcome }, count]),
  );
  page.single('svc_backup_restore_check_interval_seconds', intervalMs / 1000);
  page.single('svc_backup_restore_verified_timestamp_seconds', verifiedMs / 1000);
  page.single('svc_backup_restore_damaged', last?.outcome === 'damaged' ? 1 : 0);
  if (last !== undefined) page.single('svc_backup_restore_check_duration_seconds', last.durationMs / 1000);
}

async function addCaches(page: MetricFamilies, grid: Grid): Promise<void> {
  const caches = await listOrEmpty(() => grid.caches.list());
  page.single('svc_caches', caches.length);
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
    const used = [...totals].filter(([, count]) => count > 0);
    page.family(
      `svc_cache_${metric}_total`,
      used.map(([cache, count]) => [{ cache }, count]),
    );
  }
}

async function addRegions(page: MetricFamilies, grid: Grid): Promise<void> {
  const regions = await listOrEmpty(() => grid.cluster.regions());
  for (const [name, source, factor] of REGION_SOURCES) {
    page.family(
      name,
      regions.flatMap((region) => {
        const value = region[source];
        return typeof value === 'number' && value !== 0 ? [[{ region: region.name }, value * factor] as const] : [];
      }),
    );
  }
}

function addSyncIntervals(page: MetricFamilies, intervals: PrometheusOptions['syncIntervals']): void {
  page.family(
    'svc_region_sync_interval_seconds',
    [...intervals].map(([region, intervalMs]) => [{ region }, intervalMs / 1000]),
  );
}

/** Returns an empty list if the call fails, for example because the cluster is inactive. */
async function listOrEmpty<T>(list: () => MaybePromise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await list();
  } catch {
    return [];
  }
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/[^a-z0-9_]/g, '_');
}
