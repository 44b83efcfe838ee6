import { expect, test } from 'bun:test';
import { ManualClock } from '../../../test/fixtures/base/manual-clock.ts';
import { Metrics } from './metrics.ts';
import { MetricsHistory, quantile, SAMPLE_MS } from './metrics-history.ts';
import type { ContinuousMetrics } from './prometheus.ts';

function historyOf(commands = ['get', 'put'], continuous?: ContinuousMetrics) {
  const clock = new ManualClock();
  const metrics = new Metrics(commands, 1);
  const memory = { residentBytes: 1000, heapUsedBytes: 500, heapCommittedBytes: 0, externalBytes: 0 };
  const history = new MetricsHistory({
    clock,
    metrics,
    machine: {
      memory: () => memory,
      processor: () => ({ count: 1, usedMs: clock.nowMs() / 2, currentLoad: 0, averageLoad: 0 }),
      disk: () => ({ freeBytes: 900, usableBytes: 800, totalBytes: 2_000 }),
      totalMemoryBytes: 4_000,
    },
    slowMs: 250,
    stalls: () => ({ count: 0 }),
    storage: () => undefined,
    statements: () => undefined,
    continuous: () => continuous,
    commands,
  });
  return { clock, metrics, history };
}

test('a sample has the rates since the one before', () => {
  const { clock, metrics, history } = historyOf();
  for (let count = 0; count < 10; count++) metrics.end('get', count === 0 ? 1 : 0, 0.2);
  clock.advance(SAMPLE_MS);
  clock.advance(SAMPLE_MS);
  const { times, series, commands, limits } = history.since(0);
  expect(times).toHaveLength(2);
  expect(series.requestsPerSecond).toEqual([2, 0]);
  expect(series.failuresPerSecond).toEqual([0.2, 0]);
  expect(series.p99Ms?.[1]).toBeNull();
  expect(series.processorPercent).toEqual([50, 50]);
  expect(series.storeBytes).toEqual([null, null]);
  expect(series.diskFreeBytes).toEqual([800, 800]);
  expect(limits).toEqual({ slowMs: 250, memoryBytes: 4_000, diskBytes: 2_000, diskReserveBytes: null });
  expect(commands).toEqual({ get: [2, 0] });
  expect(history.since(times[0] ?? 0).times).toEqual(times.slice(1));
});

test('what is known right after the start is a sample', () => {
  const { clock, metrics, history } = historyOf();
  clock.advance(1_000);
  for (let count = 0; count < 10; count++) metrics.end('get', 0, 0.2);
  expect(history.since(0).series).toMatchObject({ diskFreeBytes: [800], requestsPerSecond: [10] });
  clock.advance(SAMPLE_MS - 1_000);
  expect(history.since(0).series).toMatchObject({ diskFreeBytes: [800, 800], requestsPerSecond: [10, 0] });
});

test('ages of the continuous backup count until the sample', () => {
  const startMs = new ManualClock().nowMs();
  const continuous: ContinuousMetrics = {
    state: 'shipping',
    reason: null,
    takenFrom: null,
    position: '01',
    lastObjectMs: startMs - 1_000,
    reportAgeMs: 500,
    behindSinceMs: 0,
    behindMs: 700,
    behindBytes: 0,
    objects: 1,
    bytes: 1,
    failures: 0,
    snapshots: 1,
    restoreChecks: {
      intervalMs: 1,
      verifiedMs: startMs - 60_000,
      isRunning: false,
      nextMs: 0,
      last: undefined,
      counts: { verified: 1, damaged: 0, failed: 0 },
    },
  };
  const { clock, history } = historyOf([], continuous);
  clock.advance(SAMPLE_MS);
  expect(history.since(0).series).toMatchObject({
    backupLagMs: [700],
    backupObjectAgeMs: [1_000 + SAMPLE_MS],
    backupVerifiedAgeMs: [60_000 + SAMPLE_MS],
  });
});

test('an hour is kept, whatever the time since the start', () => {
  const { clock, history } = historyOf();
  for (let sample = 0; sample < 1_000; sample++) clock.advance(SAMPLE_MS);
  const { times } = history.since(0);
  expect(times).toHaveLength(3_600_000 / SAMPLE_MS);
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBe(3_600_000 - SAMPLE_MS);
});

test('a stopped history takes no samples', () => {
  const { clock, history } = historyOf();
  history.stop();
  clock.advance(SAMPLE_MS);
  expect(history.since(0).times).toEqual([]);
});

test('quantiles are interpolated within their bucket', () => {
  const cases: ReadonlyArray<readonly [buckets: number[], share: number, expected: number | undefined]> = [
    [[0, 0, 0], 0.5, undefined],
    [[10, 0, 0], 0.5, 0.5],
    [[0, 10, 0], 0.5, 6],
    [[5, 5, 0], 0.99, 10.8],
    [[0, 0, 4], 0.5, 11],
  ];
  for (const [buckets, share, expected] of cases) {
    const found = quantile([1, 11], buckets, share);
    expect([buckets, found === undefined ? undefined : Math.round(found * 100) / 100]).toEqual([buckets, expected]);
  }
});
