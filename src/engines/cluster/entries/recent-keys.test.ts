import { expect, test } from 'bun:test';
import { RecentKeys } from './recent-keys.ts';

const DAY_MS = 86_400_000;

test('counts the keys of each tenant until they expire', () => {
  const keys = new RecentKeys();
  for (let minute = 0; minute < 10; minute++) {
    keys.add('ann', DAY_MS + minute * 60_000);
    if (minute % 2 === 0) keys.add('bob', DAY_MS + minute * 60_000);
  }
  const counts = (nowMs: number) => ['ann', 'bob', 'eve'].map((tenant) => keys.countOf(tenant, nowMs));
  expect(counts(0)).toEqual([10, 5, 0]);
  expect(counts(DAY_MS + 4 * 60_000)).toEqual([5, 2, 0]);
  keys.sweep(DAY_MS + 20 * 60_000);
  expect(counts(0)).toEqual([0, 0, 0]);
});
