import { expect, test } from 'bun:test';
import { errorObject } from './error-object.ts';
import { GridError, gridError } from './errors.ts';

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
  const error = gridError('CONVERSION', ...details);
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
  expect(errorObject(gridError('CACHE_NOT_FOUND', 'users')).message).toBe(
    'Failed to find cache for given cache name: users',
  );
});

const STATEMENT = "SELECT '; SQL statement: [1]' [12345-197]\nFROM t";
const texts: ReadonlyArray<readonly [text: string, position: number | undefined, message: string]> = [
  [
    `Column "NMAE" not found; SQL statement:\n${STATEMENT} [42122-197] (at line 2, column 1; did you mean NAME?)`,
    44,
    'Column "NMAE" not found (did you mean NAME?)',
  ],
  [
    'Syntax error in SQL statement "SELEC[*] 1 "; expected "SELECT, INSERT, WITH"; SQL statement:\nSELEC 1 [42001-197] ' +
      '(at line 1, column 1)',
    1,
    'Syntax error at "SELEC": expected SELECT, INSERT or WITH',
  ],
  [
    `Syntax error in SQL statement "A (B [*]"; expected "${'X, '.repeat(12)}Y"; SQL statement:\na (b [42001-197]`,
    undefined,
    'Syntax error at the end',
  ],
  [
    'Syntax error in SQL statement "F(1,)[*] "; expected "NOT, EXISTS, INTERSECTS"; SQL statement:\nf(1,) [42001-197]',
    undefined,
    'Syntax error at ")": expected an expression',
  ],
  [
    'Syntax error in SQL statement "SELECT [*]\'a"; SQL statement:\nSELECT \'a [42000-197]',
    8,
    'Syntax error: a text or comment has no end',
  ],
  [
    'Failed to parse SQL statement "[*]SHOW": SHOW command is not supported (at line 1, column 1)',
    1,
    'SHOW command is not supported',
  ],
  ['FULL OUTER JOIN is not supported (at line 1, column 9)', 9, 'FULL OUTER JOIN is not supported'],
  ['Division by zero: "1"; SQL statement:\nSELECT 1/0 [22012-197]', undefined, 'Division by zero: "1"'],
  ['Table "T" not found; SQL statement:\nSELECT and more that was cut', undefined, 'Table "T" not found'],
  // No position says what the place says.
  ['Command 2: unsupported (at line 1, column 9)', undefined, 'Command 2: unsupported (at line 1, column 9)'],
];
test.each(texts)('an object says of a statement what is wrong: %p', (text, position, message) => {
  expect(errorObject(new GridError('SQL', text, { position })).message).toBe(message);
});
