import { describe, expect, test } from 'bun:test';
import { EXAMPLES, KNOWN, knownDifference } from './known-differences.ts';

/** Reasons of which no example has been recorded yet; no further one may come. */
const WITHOUT_EXAMPLE = 12;

function answersNothing(text = ''): boolean {
  return text.endsWith(': ');
}

describe('known differences', () => {
  test.each(EXAMPLES.map((example) => [example.reason, example] as const))('%s', (reason, example) => {
    expect(knownDifference({ seed: 0, number: 0, ...example })?.reason).toBe(reason);
  });

  test('of every reason an example is recorded, but of those that were found before examples were', () => {
    const recorded = new Set(EXAMPLES.map(({ reason }) => reason));
    expect(KNOWN.filter(({ reason }) => !recorded.has(reason)).length).toBeLessThanOrEqual(WITHOUT_EXAMPLE);
    expect(EXAMPLES.length).toBe(recorded.size);
  });

  test('an example with another answer is no known difference', () => {
    for (const { what, sql, said } of EXAMPLES) {
      // Of no rows at all the answer of the test would be right.
      if (what !== 'rows' || said.reference?.endsWith(': ')) continue;
      const wrong = { ...said, svc: answersNothing(said.svc) ? 'Integer: [424242]' : 'Integer: ' };
      expect({ sql, known: knownDifference({ seed: 0, number: 0, sql, what, said: wrong })?.reason }).toEqual({
        sql,
        known: undefined,
      });
    }
  });
});
