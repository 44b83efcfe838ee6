import { expect, test } from 'bun:test';
import { basisOf } from './import-plan.ts';

test.each([
  [1, true, 'from its only record'],
  [2, true, 'from all of its 2 records'],
  [500, false, 'from its first 500 records'],
])('%i records', (records, complete, text) => {
  expect(basisOf({ statement: null, parameters: {}, records, complete })).toBe(text);
});
