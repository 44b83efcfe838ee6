import { expect, test } from 'bun:test';
import { TextCache } from './text-cache.ts';

test('evicts the least recently used text, which is never the last one', () => {
  const evicted: number[] = [];
  const cache = new TextCache<number>({ max: 2, dispose: (value) => evicted.push(value) });
  cache.set('a', 1);
  cache.set('b', 2);
  expect([cache.get('a'), cache.get('a'), cache.get('x'), cache.get('a')]).toEqual([1, 1, undefined, 1]);
  cache.set('c', 3);
  expect(evicted).toEqual([2]);
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3]);
});

test('returns nothing that was replaced or removed', () => {
  const cache = new TextCache<number>({ max: 2 });
  cache.set('a', 1);
  expect(cache.get('a')).toBe(1);
  cache.set('a', 2);
  expect(cache.get('a')).toBe(2);
  cache.delete('a');
  expect(cache.get('a')).toBeUndefined();
  cache.set('a', 3);
  expect(cache.get('a')).toBe(3);
  cache.clear();
  expect(cache.get('a')).toBeUndefined();
});
