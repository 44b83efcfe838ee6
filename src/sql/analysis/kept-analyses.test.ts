import { expect, test } from 'bun:test';
import { KeptAnalyses } from './kept-analyses.ts';

test('at most so many entries are kept, and those asked for stay', () => {
  const kept = new KeptAnalyses<number>(100);
  kept.set('used', -1);
  for (let at = 0; at < 10_000; at += 1) {
    kept.set(`text ${at}`, at);
    expect(kept.get('used')).toBe(-1);
    expect(kept.size).toBeLessThanOrEqual(100);
  }
  expect(kept.get('text 9999')).toBe(9999);
  expect(kept.get('text 0')).toBeUndefined();
});
