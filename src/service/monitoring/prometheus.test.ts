import { describe, expect, test } from 'bun:test';
import { ManualClock } from '../../../test/fixtures/base/manual-clock.ts';
import { entriesOf } from '../../../test/grid/entry-methods.ts';
import { openModelGrid } from '../../../test/model/model-grid.ts';
import { gridError } from '../../base/errors.ts';
import type { StatementReport } from '../../grid/statement-report.ts';
import type { StorageReport } from '../../grid/storage-report.ts';
import { METRICS, REGION_SOURCES } from './metric-declarations.ts';
import { Metrics } from './metrics.ts';
import type { ProcessMetrics } from './process-metrics.ts';
import {
  metricsText,
  type PrometheusOptions,
  type StandbyMetrics,
  standbyMetricsText,
  waitingMetricsText,
} from './prometheus.ts';

const BUILD = { version: '1.0.0', runtime: 'bun 1', platform: 'linux-x64', engine: 'embedded' };

const MACHINE: ProcessMetrics = {
  startedAtMs: 1_500,
  upTimeMs: () => 1_500,
  memory: () => ({ residentBytes: 1, heapUsedBytes: 2, heapCommittedBytes: 3, externalBytes: 4 }),
  processor: () => ({ count: 2, usedMs: 250, currentLoad: 0.5, averageLoad: 0.25 }),
  threads: () => ({ current: 1, maximum: 1, started: 1 }),
  openFiles: async () => 12,
  maxOpenFiles: 1_024,
  disk: () => ({ freeBytes: 900, usableBytes: 800, totalBytes: 2_000 }),
  properties: () => ({}),
  processId: 1,
  userName: '',
  totalMemoryBytes: 1,
  hardwareAddresses: () => [],
  networkAddresses: () => [],
};

const STATEMENTS: StatementReport = {
  states: { waitingForProcess: 1, running: 2, waitingForLock: 0, idle: 3 },
  oldestMs: 4_500,
  ended: { time: 5, memory: 0, disk: 0, result: 0, lock: 0, killed: 6, client: 0, share: 0 },
  processes: { started: 3, busy: 2 },
};

const STORAGE: StorageReport = {
  files: [
    { region: 'data', bytes: 4_096, logBytes: 100 },
    { region: 'fast', bytes: 8_192, logBytes: 0 },
  ],
  commitMs: { bounds: [1, 10], buckets: [2, 1, 1], sum: 30 },
  commitChanges: { bounds: [1, 5], buckets: [3, 1, 0], sum: 7 },
  rollbacks: 1,
  checkpoints: { completed: 4, postponed: 2 },
  unfitEntries: 3,
  isDiskLow: false,
  reserveBytes: 128,
};

const STANDBY: StandbyMetrics = {
  role: 'standby',
  epoch: 3,
  primary: null,
  takeover: {
    epoch: 3,
    atMs: 1_000,
    because: 'expiry',
    from: 'process 1 on h, data folder /data',
    mayHaveLostMs: 5_000,
  },
  lost: { commits: 3, withinMs: 1_500, atMs: 2_000 },
  position: '000000000000001f',
  behindMs: 500,
  behindPositions: 1,
  lastObjectAgeMs: 20,
  isSilent: false,
  reason: null,
  isHeld: true,
  waitsFor: null,
  mayLoseMs: 0,
  objects: 4,
  copies: 1,
  lastObjectMs: 2_500,
};

const NOTHING = { wrong: 0, throttled: 0 };

/** Everything that a service can report. */
function fullOptions(): PrometheusOptions {
  const metrics = new Metrics(['get', 'put'], 1);
  return {
    metrics,
    grid: openModelGrid({ clock: new ManualClock() }),
    machine: MACHINE,
    stalls: { count: 2, totalMs: 3_500, longestMs: 2_000, replacedStatementProcesses: 1 },
    queues: { statements: { rejected: 3, waits: 5, waitedMs: 1_500 } },
    sessions: { count: () => 7 },
    logins: { accepted: 9, failures: { password: { wrong: 4, throttled: 1 }, api_key: NOTHING, jwt: NOTHING } },
    ready: () => true,
    build: BUILD,
    statements: () => STATEMENTS,
    storage: () => STORAGE,
    changeFeed: () => ({ consumers: 2, delivered: 30, lost: 1, keptBytes: 4_096 }),
    hasRates: true,
    failover: () => ({ ...STANDBY, role: 'primary' }),
    syncIntervals: new Map([
      ['default', 0],
      ['events', 1_000],
    ]),
    backups: {
      completed: 2,
      failed: 1,
      running: true,
      lastCompletedMs: 1_500,
      lastBytes: 10,
      lastDurationMs: 250,
      continuous: {
        state: 'waiting',
        reason: 'the disk is full',
        takenFrom: null,
        position: '0000000000000001',
        lastObjectMs: 2_500,
        reportAgeMs: 500,
        behindSinceMs: 1_000,
        behindMs: 4_500,
        behindBytes: 64,
        objects: 3,
        bytes: 300,
        failures: 2,
        snapshots: 1,
        restoreChecks: {
          intervalMs: 3_600_000,
          verifiedMs: 1_500,
          isRunning: false,
          nextMs: 0,
          last: {
            outcome: 'damaged',
            reason: 'a byte',
            atMs: 1,
            position: null,
            entries: 0,
            restoredBytes: 0,
            endedMs: 2_500,
            durationMs: 250,
          },
          counts: { verified: 4, damaged: 1, failed: 2 },
        },
      },
    },
  };
}

/** Returns the names of the families of a page. */
function families(text: string): string[] {
  return [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name ?? '');
}

test('the page has every sample of a busy service, in the text format', async () => {
  const options = fullOptions();
  const { metrics, grid } = options;
  metrics.begin();
  metrics.end('get', 0, 0.3);
  metrics.end('get', 1, 20);
  metrics.count('statement');
  await grid.caches.getOrCreate('we"ird', {});
  await entriesOf(grid).put('we"ird', { type: 'string', data: 'a' }, { type: 'string', data: 'b' });
  const text = await metricsText(options);
  const name = '[a-z_]+';
  const sample = new RegExp(`^${name}(\\{(${name}="(?:[^"\\\\]|\\\\.)*",?)*\\})? -?[0-9.e+-]+$`);
  for (const line of text.trimEnd().split('\n'))
    expect(line.startsWith('# ') || sample.test(line) ? '' : line).toBe('');
  for (const line of [
    'svc_build_info{version="1.0.0",runtime="bun 1",platform="linux-x64",engine="embedded"} 1',
    'svc_ready 1',
    'process_start_time_seconds 1.5',
    'process_open_fds 12',
    'svc_thread_stalls_total 2',
    'svc_overload_rejected_total{queue="requests"} 0',
    'svc_overload_rejected_total{queue="statements"} 3',
    'svc_queue_waits_total{queue="statements"} 5',
    'svc_queue_wait_seconds_total{queue="statements"} 1.5',
    'svc_thread_stall_seconds_total 3.5',
    'svc_backups_total{outcome="completed"} 2',
    'svc_backups_total{outcome="failed"} 1',
    'svc_backup_running 1',
    'svc_region_sync_interval_seconds{region="default"} 0',
    'svc_region_sync_interval_seconds{region="events"} 1',
    'svc_backup_last_completed_timestamp_seconds 1.5',
    'svc_backup_continuous_running 0',
    'svc_backup_continuous_lag_seconds 4.5',
    'svc_backup_continuous_report_age_seconds 0.5',
    'svc_backup_continuous_lag_bytes 64',
    'svc_backup_continuous_last_object_timestamp_seconds 2.5',
    'svc_backup_restore_checks_total{outcome="failed"} 2',
    'svc_backup_restore_check_interval_seconds 3600',
    'svc_backup_restore_verified_timestamp_seconds 1.5',
    'svc_backup_restore_damaged 1',
    'svc_backup_restore_check_duration_seconds 0.25',
    'svc_backup_last_size_bytes 10',
    'svc_backup_last_duration_seconds 0.25',
    'svc_thread_stall_max_seconds 2',
    'svc_statement_processes_replaced_total 1',
    'svc_statement_processes{state="started"} 3',
    'svc_statement_processes{state="busy"} 2',
    'svc_requests_total{command="get",outcome="success"} 1',
    'svc_requests_total{command="get",outcome="failure"} 1',
    'svc_request_duration_seconds_bucket{command="get",le="0.001"} 1',
    'svc_request_duration_seconds_bucket{command="get",le="+Inf"} 2',
    'svc_request_duration_seconds_count{command="get"} 2',
    'svc_requests_in_flight 0',
    'svc_slow_commands_total{kind="statement"} 1',
    'svc_slow_commands_total{kind="other"} 0',
    'svc_sessions 7',
    'svc_logins_total 9',
    'svc_login_failures_total{credential="password",reason="wrong"} 4',
    'svc_login_failures_total{credential="jwt",reason="throttled"} 0',
    'svc_statements{state="waiting_for_process"} 1',
    'svc_statements{state="idle"} 3',
    'svc_statement_oldest_seconds 4.5',
    'svc_statements_ended_total{reason="time"} 5',
    'svc_statements_ended_total{reason="killed"} 6',
    'svc_commit_duration_seconds_bucket{le="0.001"} 2',
    'svc_commit_duration_seconds_bucket{le="0.01"} 3',
    'svc_commit_duration_seconds_bucket{le="+Inf"} 4',
    'svc_commit_duration_seconds_sum 0.03',
    'svc_commit_changes_bucket{le="5"} 4',
    'svc_commit_changes_count 4',
    'svc_commit_rollbacks_total 1',
    'svc_wal_size_bytes{region="data"} 100',
    'svc_database_size_bytes{region="fast"} 8192',
    'svc_checkpoints_total{outcome="postponed"} 2',
    'svc_disk_free_bytes 800',
    'svc_disk_reserve_bytes 128',
    'svc_disk_low 0',
    'svc_unfit_entries 3',
    'svc_cache_writes_total{cache="we\\"ird"} 1',
  ]) {
    expect(text.split('\n')).toContain(line);
  }
});

test('every declared metric is on the page of a service or of one that waits', async () => {
  const options = fullOptions();
  const { metrics, grid } = options;
  metrics.begin();
  metrics.end('get', 0, 1);
  metrics.count('equal');
  await grid.caches.getOrCreate('c', {});
  const key = { type: 'string', data: 'a' } as const;
  await entriesOf(grid).put('c', key, key);
  await entriesOf(grid).get('c', key);
  await entriesOf(grid).get('c', { type: 'string', data: 'none' });
  const region = Object.fromEntries(REGION_SOURCES.map(([, source]) => [source, 2]));
  const cluster = { ...grid.cluster, regions: () => [{ ...region, name: 'r' }] };
  const text = await metricsText({ ...options, grid: { ...grid, cluster } });
  const present = [
    ...families(text),
    ...families(waitingMetricsText(BUILD, 3)),
    ...families(standbyMetricsText(BUILD, STANDBY)),
  ];
  expect(new Set(present)).toEqual(new Set(Object.keys(METRICS)));
  expect(text).toContain('svc_region_replaced_page_age_seconds{region="r"} 0.002\n');
});

describe('what cannot happen has no series', () => {
  const cases: ReadonlyArray<readonly [string, Partial<PrometheusOptions>, RegExp]> = [
    ['without authentication', { sessions: undefined, logins: undefined }, /svc_sessions|svc_login|"sessions"/],
    [
      'where sessions cannot be counted',
      {
        sessions: {
          count: () => {
            throw gridError('INACTIVE');
          },
        },
      },
      /svc_sessions/,
    ],
    ['without rates', { logins: undefined, hasRates: false }, /svc_rate_limited/],
    [
      'on a cluster',
      { storage: () => undefined, statements: () => undefined, backups: undefined },
      /svc_(commit|wal|disk|backup|statement)/,
    ],
    [
      'elsewhere than on Linux',
      { machine: { ...MACHINE, openFiles: async () => undefined, maxOpenFiles: undefined } },
      /_fds/,
    ],
  ];
  for (const [title, options, pattern] of cases) {
    test(title, async () => {
      const all = fullOptions();
      expect(await metricsText(all)).toMatch(pattern);
      expect(await metricsText({ ...all, ...options })).not.toMatch(pattern);
    });
  }

  test('caches and commands that were not used', async () => {
    const options = fullOptions();
    await options.grid.caches.getOrCreate('idle', {});
    expect(await metricsText(options)).not.toMatch(/svc_cache_|command=/);
  });
});

test('a command has few buckets until it had 100 requests', async () => {
  const options = fullOptions();
  const buckets = async () =>
    [...(await metricsText(options)).matchAll(/duration_seconds_bucket\{command="put",le="([^"]+)"\} (\d+)/g)].map(
      ([, bound, count]) => `${bound}: ${count}`,
    );
  for (let each = 0; each < 99; each++) options.metrics.end('put', 0, 0.3 * (1 + each));
  const few = await buckets();
  expect(few).toEqual(['0.001: 3', '0.01: 33', '0.1: 99', '1: 99', '10: 99', '+Inf: 99']);
  options.metrics.end('put', 0, 0.3);
  const all = await buckets();
  expect(all).toHaveLength(16);
  expect(all).toContain('0.001: 4');
  expect(all).toContain('0.0025: 9');
  expect(all.at(-1)).toBe('+Inf: 100');
});
