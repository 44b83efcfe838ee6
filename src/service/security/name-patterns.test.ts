import { describe, expect, test } from 'bun:test';
import { ROLE_BOUNDS } from '../../base/limits.ts';
import { patternMatcher } from './name-patterns.ts';

describe('patternMatcher', () => {
  const cases: ReadonlyArray<readonly [pattern: string, matched: readonly string[], others: readonly string[]]> = [
    ['orders', ['orders'], ['', 'order', 'orders2', 'ORDERS']],
    ['', [''], ['a']],
    ['*', ['', 'a', 'a\nb'], []],
    ['**', ['', 'a'], []],
    ['a*', ['a', 'ab', 'a\nb', 'a*'], ['', 'ba']],
    ['*a', ['a', 'ba', 'aa'], ['', 'ab']],
    ['a*a', ['aa', 'aba', 'aaa'], ['a', 'ab', 'aab']],
    ['ab*ba', ['abba', 'abxba'], ['aba', 'ab', 'ba']],
    ['a*b*c', ['abc', 'axbxc', 'abcbc', 'aabbcc'], ['ac', 'acb', 'abcd', 'acbd']],
    ['*ab*ab*', ['abab', 'xabxabx', 'aababab'], ['ab', 'aba', 'xabx']],
    ['*aab', ['aaab', 'aab'], ['aaba']],
    ['a.c', ['a.c'], ['abc']],
    ['(a+)+$', ['(a+)+$'], ['aa']],
    ['*🎈*', ['🎈', 'a🎈b'], ['a', '\ud83c']],
  ];
  for (const [pattern, matched, others] of cases) {
    const matches = patternMatcher([pattern]);
    for (const text of matched)
      test(`"${pattern}" matches ${JSON.stringify(text)}`, () => expect(matches(text)).toBe(true));
    for (const text of others)
      test(`"${pattern}" does not match ${JSON.stringify(text)}`, () => expect(matches(text)).toBe(false));
  }

  test('one of several patterns is enough', () => {
    const matches = patternMatcher(['a*', '*b', 'c']);
    expect(['ax', 'xb', 'c', 'x'].map(matches)).toEqual([true, true, true, false]);
    expect(patternMatcher([])('')).toBe(false);
  });

  test('a pattern with many wildcards takes linear time', () => {
    const matches = patternMatcher([`${'*a'.repeat(2_000)}*b`]);
    expect(matches('a'.repeat(10_000))).toBe(false);
    expect(matches(`${'a'.repeat(10_000)}b`)).toBe(true);
  });

  test('only `*` matches a name that is too long for a pattern', () => {
    const text = 'a'.repeat(ROLE_BOUNDS.matchedCharacters + 1);
    expect([patternMatcher(['*'])(text), patternMatcher(['a*'])(text), patternMatcher(['a*'])(text.slice(1))]).toEqual([
      true,
      false,
      true,
    ]);
  });
});
