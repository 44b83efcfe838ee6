/** The metrics of the overview, their thresholds and trends, and what it says about backups. */
import { expect, test } from 'bun:test';
import type { BackupsResult } from '../../../src/client/commands.ts';
import { backupLines } from '../../../src/console/elements/backup-lines.ts';
import { linePoints, metricsOf } from '../../../src/console/overview/metrics.ts';
import { diskFullInMs, type Limits, type Measured, NO_LIMITS } from '../../../src/console/overview/windows.ts';

const INTERVAL_MS = 5_000;
const HOUR = 720;
const LIMITS: Limits = { slowMs: 250, memoryBytes: 2 ** 30, diskBytes: 2 ** 40, diskReserveBytes: 2 ** 27 };

/** Returns the samples of an hour; a function computes the value of each from its number. */
function measured(
  series: Readonly<Record<string, number | null | ((at: number) => number | null)>>,
  limits = LIMITS,
  count = HOUR,
): Measured {
  const times = Array.from({ length: count }, (_, at) => at * INTERVAL_MS);
  const values = Object.entries(series).map(([name, value]) => [
    name,
    times.map((_, at) => (typeof value === 'function' ? value(at) : value)),
  ]);
  return { intervalMs: INTERVAL_MS, times, series: Object.fromEntries(values), limits };
}

const GIB = 2 ** 30;
const LOAD = {
  requestsPerSecond: 40,
  failuresPerSecond: 0,
  p99Ms: 12,
  residentBytes: GIB / 4,
  diskFreeBytes: 100 * GIB,
};

type Case = readonly [name: string, text: string, level: string, detail: string, measured: Measured];
const METRICS: readonly Case[] = [
  ['Requests', '40/s', 'good', 'mean over the last minute', measured(LOAD)],
  ['Requests', '0.42/s', 'good', 'mean', measured({ ...LOAD, requestsPerSecond: 0.42 })],
  ['Errors', '0/s', 'good', 'warning from 5 %', measured(LOAD)],
  ['Errors', '10 %', 'warning', 'warning from 5 %', measured({ ...LOAD, failuresPerSecond: 4 })],
  ['Errors', '2.5 %', 'good', 'warning from 5 %', measured({ ...LOAD, failuresPerSecond: 1 })],
  ['Errors', '0.1/s', 'good', '', measured({ ...LOAD, requestsPerSecond: 0.1, failuresPerSecond: 0.1 })],
  ['Response time, p99', '12 ms', 'good', 'slow from 250 ms', measured(LOAD)],
  ['Response time, p99', '300 ms', 'warning', 'slow from 250 ms', measured({ ...LOAD, p99Ms: 300 })],
  ['Response time, p99', '300 ms', 'good', 'slow from 1 s', measured({ ...LOAD, p99Ms: 300 }, NO_LIMITS)],
  ['Response time, p99', '–', 'good', 'slow from', measured({ ...LOAD, p99Ms: null })],
  ['Memory', '256 MiB', 'good', 'of 1 GiB in the machine', measured(LOAD)],
  ['Memory', '900 MiB', 'warning', 'of 1 GiB', measured({ ...LOAD, residentBytes: 900 * 2 ** 20 })],
  ['Disk, free', '100 GiB', 'good', 'of 1 TiB, reserve 128 MiB', measured(LOAD)],
  ['Disk, free', '120 MiB', 'danger', 'reserve 128 MiB', measured({ ...LOAD, diskFreeBytes: 120 * 2 ** 20 })],
  ['Disk, free', '300 MiB', 'warning', 'reserve', measured({ ...LOAD, diskFreeBytes: 300 * 2 ** 20 })],
  [
    'Disk, free',
    '28 GiB',
    'warning',
    'full in 23 min',
    measured({ ...LOAD, diskFreeBytes: (at) => (100 - at / 10) * GIB }),
  ],
];

test.each(METRICS)('%s: %s, %s', (name, text, level, detail, given) => {
  const found = metricsOf(given).find((metric) => metric.name === name);
  expect([found?.text, found?.level]).toEqual([text, level]);
  expect(found?.detail).toContain(detail);
});

test('a metric shows the last ten minutes and their range', () => {
  const given = measured({ ...LOAD, requestsPerSecond: (at) => (at < HOUR - 120 ? 1_000 : at === HOUR - 1 ? 8 : 4) });
  const [requests] = metricsOf(given);
  expect(requests?.trend).toHaveLength(120);
  expect(requests?.range).toBe('4/s to 8/s in 10 min');
});

test('a service whose data is elsewhere has no disk to show', () => {
  expect(metricsOf(measured({ ...LOAD, diskFreeBytes: null })).map(({ name }) => name)).not.toContain('Disk, free');
});

test('a service that has just started has metrics without values', () => {
  const texts = metricsOf(measured({}, NO_LIMITS, 0)).map(({ text }) => text);
  expect(new Set(texts)).toEqual(new Set(['–']));
});

test('the line of a trend leaves gaps out, and one peak does not flatten it', () => {
  expect(linePoints([0, null, 10, 11], 30, 10)).toBe('0,10 20,1.7 30,0.9');
  expect(linePoints([], 30, 10)).toBe('');
  const [first] = linePoints([...new Array(30).fill(5), 1_000], 30, 10).split(' ');
  expect(first).toBe('0,5');
});

test.each([
  ['a disk that fills up, down to its reserve', (at: number) => 1_000 - at, HOUR, (281 - 100) * INTERVAL_MS],
  ['a disk that does not', () => 500, HOUR, undefined],
  ['a disk that empties', (at: number) => 500 + at, HOUR, undefined],
  ['28 minutes of steady use', (at: number) => 1_000 - at, 336, undefined],
  ['one import within the hour', (at: number) => (at < 400 ? 900 : 500), HOUR, undefined],
  ['only five minutes', (at: number) => 1_000 - at, 60, undefined],
  ['no disk', () => null, HOUR, undefined],
] as const)('when the disk is full: %s', (_, free, count, expected) => {
  const given = measured({ diskFreeBytes: free }, { ...NO_LIMITS, diskReserveBytes: 100 }, count);
  const found = diskFullInMs(given);
  if (expected === undefined) expect(found).toBeUndefined();
  else expect(Math.round((found ?? 0) / 10_000)).toBe(Math.round(expected / 10_000));
});

const NOW_MS = Date.parse('2026-01-02T12:00:00Z');
const NONE: BackupsResult = {
  folder: null,
  running: null,
  nextAt: null,
  lastFailure: null,
  continuous: null,
  backups: [],
};
const AGES = { lagMs: undefined, objectAgeMs: undefined, verifiedAgeMs: undefined };

test('without backups there is nothing to show', () => {
  expect(backupLines(NONE, AGES, NOW_MS)).toEqual([]);
  expect(backupLines(undefined, AGES, NOW_MS)).toEqual([]);
});

test('the newest backup and the next one', () => {
  const backups = [
    { name: 'b.svcbackup', bytes: 2_048, completedAt: '2026-01-02T11:00:00Z' },
    { name: 'a.svcbackup', bytes: 1_024, completedAt: '2026-01-01T11:00:00Z' },
  ];
  const given = { ...NONE, folder: '/b', nextAt: '2026-01-03T11:00:00Z', backups };
  expect(backupLines(given, AGES, NOW_MS)).toEqual([
    ['Last backup', '1 h ago', 'b.svcbackup, 2 KiB'],
    ['Next backup', 'in 23 h', ''],
  ]);
});

test('the lag of the continuous backup and its last verified restore', () => {
  const restoreCheck = {
    running: false,
    nextAt: '2026-01-02T13:00:00Z',
    verifiedAt: '2026-01-02T11:00:00Z',
    last: { outcome: 'failed', reason: 'no room', endedAt: '', instant: null, position: null },
  } as const;
  const continuous = {
    ...{ url: 'file:///destination', position: null, shippedAt: null, restorable: null },
    ...({
      state: 'waiting',
      reason: 'no route',
      reportAgeMs: 500,
      behindMs: 1,
      behindBytes: 1_024,
      restoreCheck,
    } as const),
  };
  const ages = { lagMs: 65_000, objectAgeMs: 70_000, verifiedAgeMs: 3_600_000 };
  expect(backupLines({ ...NONE, continuous }, ages, NOW_MS)).toEqual([
    ['Lag of the backup', '1 min 5 s', 'Waiting for its destination: no route, 1 KiB'],
    ['Last shipped object', '1 min 10 s ago', ''],
    ['Last verified restore', '1 h ago', 'failed: no room'],
  ]);
});

test('users who may read the metrics only see the ages that these have', () => {
  const ages = { lagMs: 400, objectAgeMs: undefined, verifiedAgeMs: 2_000 };
  expect(backupLines(undefined, ages, NOW_MS)).toEqual([
    ['Lag of the backup', '400 ms', ''],
    ['Last verified restore', '2 s ago', ''],
  ]);
});
