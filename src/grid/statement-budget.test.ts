import { expect, test } from 'bun:test';
import { addResultBytes, type ReadBudget, timeLimitMs, uncountedCharacters } from './statement-budget.ts';

const BUDGET: ReadBudget = { timeMs: 60_000, maxTimeMs: 100_000, resultBytes: 10 };

const LIMITS: ReadonlyArray<readonly [title: string, budget: Partial<ReadBudget>, asked: number, limit: number]> = [
  ['a request that does not say gets the setting', {}, 0, 60_000],
  ['a request may ask for more', {}, 80_000, 80_000],
  ['but not for more than the most', {}, 500_000, 100_000],
  ['nothing is unlimited where there is a most', { timeMs: 0 }, 0, 100_000],
  ['0 and 0: any time', { timeMs: 0, maxTimeMs: 0 }, 0, 0],
];

for (const [title, budget, asked, limit] of LIMITS) {
  test(title, () => expect(timeLimitMs({ ...BUDGET, ...budget }, asked)).toBe(limit));
}

const TEXTS: ReadonlyArray<readonly [title: string, limit: number, used: number, text: string, fits: boolean]> = [
  ['a result of just the limit fits', 10, 0, '1234567890', true],
  ['one byte more does not', 10, 0, '12345678901', false],
  ['bytes of UTF-8 count, not characters', 10, 0, '€€€€', false],
  ['and a text of few bytes fits', 10, 0, '€€€1', true],
  ['earlier pages count', 10, 5, '123456', false],
  ['a limit of 0 is none', 0, 5, '123456', true],
];

for (const [title, resultBytes, used, text, fits] of TEXTS) {
  test(title, () => {
    const tooLarge = expect.objectContaining({ code: 'QUERY_RESULT_BYTES' });
    const add = (): unknown => addResultBytes({ resultBytes }, used, text);
    if (fits) expect(add).not.toThrow();
    else expect(add).toThrow(tooLarge);
    if (used > 0) return;
    if (text.length <= uncountedCharacters({ resultBytes })) expect(fits).toBe(true);
  });
}
