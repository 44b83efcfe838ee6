/** The sentence about the health of the service: the worst problem comes first. */
import { expect, test } from 'bun:test';
import type { BackupsResult } from '../../../src/client/commands.ts';
import { healthOf, type Observed } from '../../../src/console/overview/health.ts';
import { NO_LIMITS } from '../../../src/console/overview/windows.ts';

const MINUTE = 12;
const all = (value: number | null) => new Array<number | null>(MINUTE).fill(value);

const LIMITS = { slowMs: 500, memoryBytes: 1_000_000, diskBytes: 100_000_000, diskReserveBytes: 1_000_000 };
const BACKUPS: BackupsResult = {
  folder: '/backups',
  running: null,
  nextAt: null,
  lastFailure: null,
  continuous: null,
  backups: [],
};
const CONTINUOUS = {
  url: 'file:///destination',
  state: 'shipping',
  reason: null,
  position: null,
  shippedAt: null,
  reportAgeMs: 500,
  behindMs: 0,
  behindBytes: 0,
  restorable: null,
  restoreCheck: null,
} as const satisfies BackupsResult['continuous'];

function observed(series: Readonly<Record<string, number | null>>, other: Partial<Observed> = {}): Observed {
  const values = Object.fromEntries(Object.entries(series).map(([name, value]) => [name, all(value)]));
  const times = all(0).map((_, index) => index * 5_000);
  return {
    state: 'ACTIVE',
    backups: BACKUPS,
    samples: { intervalMs: 5_000, times, series: values, limits: LIMITS },
    ...other,
  };
}

const damaged = {
  running: false,
  nextAt: '',
  verifiedAt: null,
  last: { outcome: 'damaged', reason: null, endedAt: '', instant: null, position: null },
} as const;
const NOTHING = { intervalMs: 5_000, times: [], series: {}, limits: NO_LIMITS };

const BUSY = { requestsPerSecond: 100, failuresPerSecond: 0, p99Ms: 4, stalls: 0 };
const CASES: ReadonlyArray<readonly [level: string, text: string, observed: Observed]> = [
  ['good', 'All is well: 100 requests a second, 99 % within 4 ms.', observed(BUSY)],
  ['good', 'Nothing was requested', observed({ requestsPerSecond: 0, p99Ms: null })],
  ['good', 'is ready', { state: undefined, backups: undefined, samples: NOTHING }],
  ['good', 'All is well', observed({ ...BUSY, failuresPerSecond: 1 })],
  ['good', 'All is well', observed({ ...BUSY, requestsPerSecond: 0.2, failuresPerSecond: 0.2 })],
  ['good', 'All is well', observed({ ...BUSY, requestsPerSecond: 1.5, failuresPerSecond: 0.1 })],
  ['warning', '7 % of the requests', observed({ ...BUSY, failuresPerSecond: 7 })],
  ['warning', 'stalled 12 times', observed({ ...BUSY, stalls: 1 })],
  ['warning', 'took 2.5 s or longer', observed({ ...BUSY, p99Ms: 2_500 })],
  ['danger', 'is 2 min behind', observed({ ...BUSY, failuresPerSecond: 50, backupLagMs: 120_000 })],
  ['warning', 'read-only', observed({ ...BUSY, failuresPerSecond: 50 }, { state: 'ACTIVE_READ_ONLY' })],
  ['good', 'All is well', observed({ ...BUSY, p99Ms: 499 })],
  ['warning', 'took 501 ms or longer', observed({ ...BUSY, p99Ms: 501 })],
  ['warning', "85 % of the machine's memory", observed({ ...BUSY, residentBytes: 850_000 })],
  ['danger', "96 % of the machine's memory", observed({ ...BUSY, failuresPerSecond: 50, residentBytes: 960_000 })],
  ['warning', 'The disk has 2.9 MiB left.', observed({ ...BUSY, diskFreeBytes: 3_000_000 })],
  ['danger', 'changes that add data are rejected', observed({ ...BUSY, diskFreeBytes: 900_000 })],
  ['warning', '2 entries do not fit the columns of their tables', observed({ ...BUSY, unfitEntries: 2 })],
  [
    'warning',
    'The last backup failed',
    observed(BUSY, { backups: { ...BACKUPS, lastFailure: { failedAt: '', error: 'No space.' } } }),
  ],
  [
    'danger',
    'has stopped',
    observed(BUSY, { backups: { ...BACKUPS, continuous: { ...CONTINUOUS, state: 'stopped', reason: 'Restart.' } } }),
  ],
  [
    'danger',
    'does not restore',
    observed(BUSY, { backups: { ...BACKUPS, continuous: { ...CONTINUOUS, restoreCheck: damaged } } }),
  ],
];

test('a backup that is behind because its process hangs says so', () => {
  const continuous = { ...CONTINUOUS, state: 'waiting', reason: 'its process has not reported since then' } as const;
  const { text, advice } = healthOf(
    observed({ ...BUSY, backupLagMs: 600_000 }, { backups: { ...BACKUPS, continuous } }),
  );
  expect([text, advice]).toEqual([expect.stringContaining('10'), continuous.reason]);
});

/** The sections that links lead to. */
const LINKED = ['state', 'backups', 'statements', 'log'];

test.each(CASES)('%s: %s', (level, text, given) => {
  const health = healthOf(given);
  expect([health.level, health.text]).toEqual([level, expect.stringContaining(text)]);
  expect(health.advice === '').toBe(health.level === 'good');
  if (health.link !== undefined) expect(LINKED).toContain(health.link.part);
});
