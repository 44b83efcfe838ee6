import { expect, test } from 'bun:test';
import { errorObject } from './error-object.ts';
import { fail, GridError } from './errors.ts';

type Details = readonly [type: string, value: string, reason: string, parameter?: string];
const cases: ReadonlyArray<readonly [details: Details, message: string]> = [
  [['int', 'one', 'not a whole number', 'key'], 'Cannot convert "one" to int: not a whole number (key)'],
  [['int', '', 'not a whole number'], 'Cannot convert "" to int: not a whole number'],
  [
    ['long', 'a, reason=b]', 'not a whole number', 'k2'],
    'Cannot convert "a, reason=b]" to long: not a whole number (k2)',
  ],
  [['Pet', '{"age":"x"}', 'not a whole number', 'val'], 'Cannot convert {"age":"x"} to Pet: not a whole number (val)'],
  [['int[]', '1,2', 'arrays are named "[I"', 'val'], 'Cannot convert "1,2" to int[]: arrays are named "[I" (val)'],
];
test.each(cases)('an object says in words that %p cannot be converted', (details, message) => {
  const error = fail('CONVERSION', ...details);
  expect(errorObject(error).message).toBe(message);
  expect(error.message).toStartWith('Failed to convert value to specified type [type=');
});

test('a text that was cut stays as it is, and takes linear time', () => {
  const text = `Failed to convert value to specified type [type=int${', val='.repeat(300)}${', reason='.repeat(200)}`;
  const error = new GridError('CONVERSION', text);
  const startMs = performance.now();
  for (let count = 0; count < 100; count++) expect(errorObject(error).message).toBe(text);
  expect(performance.now() - startMs).toBeLessThan(1_000);
});

test('an object has the text of any other error', () => {
  expect(errorObject(fail('CACHE_NOT_FOUND', 'users')).message).toBe(
    'Failed to find cache for given cache name: users',
  );
});
