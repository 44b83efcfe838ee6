/** The sentence on the health of the service: what is worst comes first. */
import { expect, test } from 'bun:test';
import { healthOf, type Observed } from '../../src/console/overview/health.ts';

const MINUTE = 12;
const all = (value: number | null) => new Array<number | null>(MINUTE).fill(value);

function observed(series: Readonly<Record<string, number | null>>, other: Partial<Observed> = {}): Observed {
  const values = Object.fromEntries(Object.entries(series).map(([name, value]) => [name, all(value)]));
  const times = all(0).map((_, index) => index * 5_000);
  return {
    isReady: true,
    state: 'ACTIVE',
    samples: { intervalMs: 5_000, times, series: values },
    ...other,
  };
}

const BUSY = { requestsPerSecond: 100, failuresPerSecond: 0, p99Ms: 4, stalls: 0 };
const CASES: ReadonlyArray<readonly [level: string, text: string, observed: Observed]> = [
  ['good', 'All is well: 100 requests a second, 99 % within 4 ms.', observed(BUSY)],
  ['good', 'Nothing was requested', observed({ requestsPerSecond: 0, p99Ms: null })],
  ['good', 'is ready', { isReady: true, state: undefined, samples: { intervalMs: 5_000, times: [], series: {} } }],
  ['good', 'All is well', observed({ ...BUSY, failuresPerSecond: 1 })],
  ['good', 'All is well', observed({ ...BUSY, requestsPerSecond: 0.2, failuresPerSecond: 0.2 })],
  ['warning', '7 % of the requests', observed({ ...BUSY, failuresPerSecond: 7 })],
  ['warning', 'stood still 12 times', observed({ ...BUSY, stalls: 1 })],
  ['warning', 'took up to 2.5 s', observed({ ...BUSY, p99Ms: 2_500 })],
  ['danger', 'is 2 min 0 s behind', observed({ ...BUSY, failuresPerSecond: 50, backupLagMs: 120_000 })],
  ['warning', 'read-only', observed({ ...BUSY, failuresPerSecond: 50 }, { state: 'ACTIVE_READ_ONLY' })],
  ['danger', 'not ready', observed(BUSY, { isReady: false })],
  ['danger', 'inactive', observed(BUSY, { isReady: false, state: 'INACTIVE' })],
];

test.each(CASES)('%s: %s', (level, text, given) => {
  const health = healthOf(given);
  expect([health.level, health.text]).toEqual([level, expect.stringContaining(text)]);
  expect(health.advice === '').toBe(health.level === 'good');
});
