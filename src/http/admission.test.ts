import { expect, test } from 'bun:test';
import { RequestReserve } from './admission.ts';

/** Opens the reserve of a limit; `begin` reports whether a request of a tenant is admitted. */
function open(limit: number) {
  const reserve = new RequestReserve(limit);
  const begin = (key: string): boolean => {
    try {
      reserve.begin({ key, isAdministrator: key === 'admin' });
      return true;
    } catch (error) {
      expect(String(error)).toContain('Too many requests');
      return false;
    }
  };
  return { reserve, begin };
}

test('a small limit has no reserve', () => {
  const { reserve, begin } = open(4);
  expect([begin('a'), reserve.used, reserve.rejected]).toEqual([false, 0, 1]);
});

test('tenants with few requests use a reserve, each a part of it', () => {
  const { reserve, begin } = open(64);
  expect(['a', 'a', 'a', 'b', 'b', 'c'].map(begin)).toEqual([true, true, false, true, true, false]);
  expect(reserve.used).toBe(4);
  reserve.end('a');
  expect(begin('c')).toBe(true);
});

test('half of the reserve is for administrators', () => {
  const { begin } = open(64);
  for (const key of ['a', 'a', 'b', 'b']) begin(key);
  expect(['c', 'admin', 'admin', 'admin', 'admin', 'admin'].map(begin)).toEqual([false, true, true, true, true, false]);
});
