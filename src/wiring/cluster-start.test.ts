import { describe, expect, test } from 'bun:test';
import { delayMs } from './cluster-start.ts';

describe('delayMs', () => {
  const cases: ReadonlyArray<readonly [number, number]> = [
    [0, 250],
    [1, 500],
    [2, 1_000],
    [5, 8_000],
    [6, 10_000],
    [1_000_000, 10_000],
  ];
  test.each(cases)(
    'after %p failures returns at most %p ms, and at least three quarters of that',
    (failures, longestMs) => {
      expect(delayMs(failures, 1)).toBe(longestMs);
      expect(delayMs(failures, 0)).toBe(longestMs * 0.75);
    },
  );
});
