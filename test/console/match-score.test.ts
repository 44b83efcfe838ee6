import { expect, test } from 'bun:test';
import { matchScore } from '../../src/console/frame/match-score.ts';

/** Names from the best match to the worst. */
const ORDERS: ReadonlyArray<readonly [text: string, names: readonly string[]]> = [
  ['sale', ['SALE', 'SALES', 'sale_history', 'old_sale', 'resale', 'special_case']],
  ['put', ['put', 'putall', 'getandput', 'popup-time']],
  ['ov', ['Overview', 'remove']],
];

test.each(ORDERS)('%s finds the better name first', (text, names) => {
  const scores = names.map((name) => matchScore(name, text));
  expect(scores.every((score) => score > 0)).toBe(true);
  expect(scores).toEqual(scores.toSorted((a, b) => b - a));
});

test.each([
  ['sale', 'SAL'],
  ['tup', 'put'],
])('%s does not find %s', (text, name) => {
  expect(matchScore(name, text)).toBe(0);
});
