import { describe, expect, test } from 'bun:test';
import { SQL_BOUNDS } from '../../base/limits.ts';
import { STEP_CHARACTERS } from '../../base/slices.ts';
import { analysisAtHand, analyze, hold, isLongStatement } from './analysis.ts';

describe('the analysis of a long statement is held while its request is in progress', () => {
  const lengths: ReadonlyArray<readonly [string, number]> = [
    ['one that is short enough for any request', SQL_BOUNDS.keptCharacters + 1],
    ['a longer one', STEP_CHARACTERS + 1],
  ];
  test.each(lengths)('%s', (_, length) => {
    const sql = `create user ann with password '${'x'.repeat(length)}'`;
    expect(isLongStatement(sql)).toBe(true);
    const first = hold(sql);
    const seen = analyze(sql);
    const second = hold(sql);
    first[Symbol.dispose]();
    expect(analysisAtHand(sql)).toBe(seen);
    expect(analyze(sql)).toBe(seen);
    second[Symbol.dispose]();
    expect(analyze(sql)).not.toBe(seen);
    expect(seen.userStatement).toMatchObject({ kind: 'createUser', user: 'ANN' });
  });

  test('that of a longer one is not at hand before', () => {
    expect(analysisAtHand(`x${'('.repeat(STEP_CHARACTERS)}`)).toBeUndefined();
  });
});

test('a short statement is not long', () => {
  expect(isLongStatement('x'.repeat(SQL_BOUNDS.keptCharacters))).toBe(false);
});
