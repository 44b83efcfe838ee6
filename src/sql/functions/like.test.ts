import { expect, test } from 'bun:test';
import { matchesLike, rangeOfLike, successor } from './like.ts';

test.each([
  ['', '', true],
  ['', '%', true],
  ['', '_', false],
  ['abc', 'abc', true],
  ['abc', 'a_c', true],
  ['abc', 'a__', true],
  ['abc', 'a_', false],
  ['abc', '%', true],
  ['abc', '%c', true],
  ['abc', 'a%', true],
  ['abc', 'a%c', true],
  ['abc', 'a%b', false],
  ['abc', '%b%', true],
  ['ab', 'ab%b', false],
  ['aba', 'a%a', true],
  ['a', 'a%a', false],
  ['abcabd', '%ab_', true],
  ['abcabd', '%ab_%ab_', true],
  ['abcabd', '%ab_%ab_%ab_', false],
  ['xaybaz', '%a_b%z', true],
  ['xaybaz', '%a_b__', true],
  ['aab', '%a_%', true],
  ['aXbaYc', '%a_c', true],
  ['a%c', 'a\\%c', true],
  ['abc', 'a\\%c', false],
  ['a\nb', 'a_b', true],
  ['😀', '__', true],
  ['\ud83d', '_', true],
  ['a\0b', 'a_b', true],
])('%j LIKE %j is %p', (text, pattern, expected) => {
  expect(matchesLike(text, pattern, '\\', false)).toBe(expected);
});

test.each([
  ['ABC', '%b%', true],
  ['É', 'é', true],
  ['ß', 'SS', false],
  ['ſ', 's', false],
  ['ı', 'I', false],
])('without regard to case, %j LIKE %j is %p', (text, pattern, expected) => {
  expect(matchesLike(text, pattern, '\\', true)).toBe(expected);
});

test('LIKE with a pattern that ends in its escape character is NULL', () => {
  expect(matchesLike('a', 'a\\', '\\', false)).toBeNull();
});

test('random patterns match like their translation to regular expressions', () => {
  let seed = 20_240_601;
  const below = (count: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((seed / 2 ** 32) * count);
  };
  const random = (alphabet: string, length: number): string =>
    Array.from({ length: below(length) }, () => alphabet.charAt(below(alphabet.length))).join('');
  for (let round = 0; round < 5_000; round++) {
    const [text, pattern] = [random('aab', 12), random('aab%%__', 8)];
    const expected = new RegExp(`^${pattern.replaceAll('%', '[^]*').replaceAll('_', '[^]')}$`).test(text);
    expect({ text, pattern, like: matchesLike(text, pattern, '\\', false) }).toEqual({ text, pattern, like: expected });
  }
});

const LONG = 'a'.repeat(1_000_000);

test.each([
  ['many wildcards', `${'%a'.repeat(200)}%b`],
  ['a long text that almost occurs', `%${'a'.repeat(500_000)}b%`],
  ['texts and characters of any kind', `${'%a_'.repeat(1_000)}b%`],
  ['characters of any kind alone', `${'%_'.repeat(1_000)}b`],
])('%s do not slow a match of a long text down', (_, pattern) => {
  const begun = performance.now();
  expect(matchesLike(LONG, pattern, '\\', false)).toBe(false);
  expect(performance.now() - begun).toBeLessThan(5_000);
});

test('a pattern that would need too many steps is rejected', () => {
  expect(() => matchesLike(LONG, `%${'a_'.repeat(10_000)}b%`, '\\', false)).toThrow('steps of LIKE');
});

test.each([
  ['ab', 'ac'],
  ['a\u{10ffff}', 'b'],
  ['\ud7ff', '\ue000'],
  ['a😀', 'a😁'],
  ['\u{10ffff}', undefined],
  ['', undefined],
])('the texts that begin with %j end before %j', (prefix, next) => {
  expect(successor(prefix)).toBe(next);
});

test('the range of a long prefix is found', () => {
  expect(rangeOfLike(`${LONG}%`, '\\')).toEqual({ low: LONG, high: `${LONG.slice(1)}b` });
});
