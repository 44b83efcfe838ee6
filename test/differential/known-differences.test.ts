import { describe, expect, test } from 'bun:test';
import { EXAMPLES, KNOWN, knownDifference } from './known-differences.ts';

function answersNothing(text = ''): boolean {
  return text.endsWith(': ');
}

describe('known differences', () => {
  test.each(EXAMPLES.map((example) => [example.reason, example] as const))('%s', (reason, example) => {
    expect(knownDifference({ seed: 0, number: 0, ...example })?.reason).toBe(reason);
  });

  test('every reason has one recorded example', () => {
    expect(EXAMPLES.map(({ reason }) => reason).toSorted()).toEqual(KNOWN.map(({ reason }) => reason).toSorted());
  });

  test('a recorded statement with a different answer is not a known difference', () => {
    for (const { what, sql, said } of EXAMPLES) {
      // For an empty result the answer of this test could be right.
      if (what !== 'rows' || said.reference?.endsWith(': ')) continue;
      const wrong = { ...said, svc: answersNothing(said.svc) ? 'Integer: [424242]' : 'Integer: ' };
      expect({ sql, known: knownDifference({ seed: 0, number: 0, sql, what, said: wrong })?.reason }).toEqual({
        sql,
        known: undefined,
      });
    }
  });
});
