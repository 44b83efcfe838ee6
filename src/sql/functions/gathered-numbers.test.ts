import { expect, test } from 'bun:test';
import { GatheredNumbers } from './gathered-numbers.ts';

test('keeps the order of arrival, and sorts a copy', () => {
  const numbers = new GatheredNumbers();
  const added = Array.from({ length: 200_000 }, (_, index) => BigInt((index * 7_919) % 200_000) - 100_000n);
  expect(added.every((value) => numbers.add(value))).toBe(true);
  expect(numbers.count).toBe(200_000);
  const sorted = numbers.sorted();
  expect([sorted.length, sorted[0], sorted[100_000], sorted[199_999]]).toEqual([200_000, -100_000n, 0n, 99_999n]);
  expect(numbers.toArray()).toEqual(added);
});

test('sorts NaN behind infinity and -0 before 0', () => {
  const numbers = new GatheredNumbers();
  for (const value of [Number.NaN, 0, Number.POSITIVE_INFINITY, -0, -1.5]) numbers.add(value);
  expect([...numbers.sorted()]).toEqual([-1.5, -0, 0, Number.POSITIVE_INFINITY, Number.NaN]);
});

test.each([
  ['a double after a long', 1n, 1.5],
  ['a long after a double', 1.5, 1n],
  ['an integer of more than 64 bits', 1n, 1n << 63n],
  ['a string', 1n, '1'],
  ['NULL', 1n, null],
])('does not add %s', (_, before, value) => {
  const numbers = new GatheredNumbers();
  numbers.add(before);
  expect(numbers.add(value)).toBe(false);
  expect(numbers.toArray()).toEqual([before]);
});

test('is empty at first', () => {
  const numbers = new GatheredNumbers();
  expect([numbers.count, numbers.toArray().length, numbers.sorted().length]).toEqual([0, 0, 0]);
});
