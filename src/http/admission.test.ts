import { expect, test } from 'bun:test';
import { RequestAdmission } from './admission.ts';

const of = (key: string) => () => ({ key, isAdministrator: key === 'admin' });

/** Fills all places but those of the reserve; `begin` reports whether a request of a tenant is admitted. */
function fill(limit: number) {
  const admission = new RequestAdmission(limit);
  for (let n = 0; n < limit; n++) expect(admission.begin(of('greedy'))).toBeUndefined();
  const begin = (key: string): boolean => {
    try {
      admission.begin(of(key));
      return true;
    } catch (error) {
      expect(String(error)).toContain('Too many requests');
      return false;
    }
  };
  return { admission, begin };
}

test('requests beyond the limit are rejected at once, and admitted again when others have ended', () => {
  const { admission, begin } = fill(4);
  expect([begin('a'), admission.inWork, admission.rejected]).toEqual([false, 4, 1]);
  admission.end();
  expect([begin('a'), admission.inWork]).toEqual([true, 4]);
});

test('tenants with few requests use a reserve, each a part of it', () => {
  const { admission, begin } = fill(64);
  expect(['a', 'a', 'a', 'b', 'b', 'c'].map(begin)).toEqual([true, true, false, true, true, false]);
  expect(admission.inWork).toBe(68);
  admission.end('a');
  expect(begin('c')).toBe(true);
});

test('half of the reserve is for administrators', () => {
  const { begin } = fill(64);
  for (const key of ['a', 'a', 'b', 'b']) begin(key);
  expect(['c', 'admin', 'admin', 'admin', 'admin', 'admin'].map(begin)).toEqual([false, true, true, true, true, false]);
});
