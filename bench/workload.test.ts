import { expect, test } from 'bun:test';
import { createRequests } from './requests.ts';
import { keysOf, valueText, type Workload, workloadsOf } from './workload.ts';

const ENTRIES = 1_000;
const DRAWN = 100_000;

/** Returns how often each key was drawn, the most frequent first. */
function frequencies(distribution: 'uniform' | 'zipf'): Array<readonly [key: number, times: number]> {
  const next = keysOf({ entries: ENTRIES, distribution, valueBytes: 1 });
  const times = new Map<number, number>();
  for (let drawn = 0; drawn < DRAWN; drawn++) {
    const key = next();
    times.set(key, (times.get(key) ?? 0) + 1);
  }
  expect([...times.keys()].every((key) => Number.isInteger(key) && key >= 0 && key < ENTRIES)).toBe(true);
  return [...times].sort(([, left], [, right]) => right - left);
}

test('uniform keys are all equally frequent', () => {
  const found = frequencies('uniform');
  expect(found.length).toBe(ENTRIES);
  expect(found[0]?.[1]).toBeLessThan((2 * DRAWN) / ENTRIES);
});

test('the most frequent key of a Zipf distribution has its share, twice that of the second', () => {
  let total = 0;
  for (let rank = 1; rank <= ENTRIES; rank++) total += rank ** -0.99;
  const [first, second] = frequencies('zipf').map(([, times]) => times / DRAWN);
  expect(first).toBeCloseTo(1 / total, 1);
  expect(first).toBeGreaterThan(1.7 * (second ?? 1));
});

test('frequent keys are far apart', () => {
  const [first = 0, second = 0, third = 0] = frequencies('zipf').map(([key]) => key);
  expect(Math.min(Math.abs(first - second), Math.abs(second - third))).toBeGreaterThan(1);
});

test('keys are the same in every run', () => {
  const draw = () => Array.from({ length: 5 }, keysOf({ entries: ENTRIES, distribution: 'zipf', valueBytes: 1 }));
  expect(draw()).toEqual(draw());
});

test.each([1, 100, 1_024])('values have %i bytes', (valueBytes) => {
  for (const number of [0, 9]) {
    const value = valueText(number, { valueBytes });
    expect(value.length).toBe(Math.max(2, valueBytes));
    expect(encodeURIComponent(value)).toBe(value);
  }
});

test('workloads are all combinations of the options', () => {
  const found = workloadsOf({ entries: '10,20', distribution: 'uniform,zipf', 'value-bytes': '5' });
  expect(found.map(({ entries, distribution }) => `${entries} ${distribution}`)).toEqual([
    '10 uniform',
    '10 zipf',
    '20 uniform',
    '20 zipf',
  ]);
  expect(() => workloadsOf({ entries: '10', distribution: 'normal', 'value-bytes': '5' })).toThrow('--distribution');
  expect(() => workloadsOf({ entries: '0', distribution: 'zipf', 'value-bytes': '5' })).toThrow('--entries');
});

test.each(['put', 'putall'] as const)(
  'no %s stores the value that is there, however often the list is sent',
  (operation) => {
    const workload: Workload = { entries: ENTRIES, distribution: 'zipf', valueBytes: 16 };
    const stored = new Map(Array.from({ length: ENTRIES }, (_, key) => [String(key), valueText(key, workload)]));
    const changes = createRequests('', operation, 'c', workload).flatMap(({ path, body }) => {
      const parameters = new URLSearchParams(operation === 'put' ? path : body);
      const names =
        operation === 'put' ? [['key', 'val']] : Array.from({ length: 100 }, (_, at) => [`k${at + 1}`, `v${at + 1}`]);
      return names.map((pair) => pair.map((name) => parameters.get(name) ?? ''));
    });
    let same = 0;
    for (let round = 0; round < 2; round++) {
      for (const [key = '', value = ''] of changes) {
        if (stored.get(key) === value) same++;
        stored.set(key, value);
      }
    }
    expect(same).toBe(0);
  },
);
