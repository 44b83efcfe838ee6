/** Tests how the history keeps statements of several lines. */
import { expect, test } from 'bun:test';
import { joinLines } from './history.ts';

const CASES: ReadonlyArray<
  readonly [title: string, typed: readonly string[], history: readonly string[], expected: readonly string[]]
> = [
  [
    'lines become one',
    ['select a', '  from t', ';'],
    [';', '  from t', 'select a', 'old'],
    ['select a from t ;', 'old'],
  ],
  ['comments are left out', ['select a -- b', 'from t;'], ['from t;', 'select a -- b'], ['select a from t;']],
  ['blank lines were not kept', ['select', '', '1;'], ['1;', 'select', 'old'], ['select 1;', 'old']],
  [
    'equal lines were kept once',
    ['select 1', ',', '2', ',', '3;'],
    ['3;', ',', '2', 'select 1'],
    ['select 1 , 2 , 3;'],
  ],
  ['a later line stays first', ['select', '1;'], ['next', '1;', 'select'], ['next', 'select 1;']],
  ['line breaks in texts stay', ["select 'a", "b';"], ["b';", "select 'a"], ["b';", "select 'a"]],
];
for (const [title, typed, history, expected] of CASES) {
  test(title, () => {
    const kept = [...history];
    joinLines(kept, typed);
    expect(kept).toEqual([...expected]);
  });
}
