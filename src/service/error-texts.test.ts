import { expect, test } from 'bun:test';
import { type ErrorCode, fail, GridError } from '../base/errors.ts';
import { contractText } from './error-texts.ts';

const LINES: ReadonlyArray<readonly [code: ErrorCode, text: string, contract: string]> = [
  [
    'SQL',
    'General error: "java.lang.IndexOutOfBoundsException: No group 5"; SQL statement:\nselect \'java.lang.X: \' [50000-197]',
    'General error: "No group 5"; SQL statement:\nselect \'java.lang.X: \' [50000-197]',
  ],
  [
    'SQL',
    'Deserialization failed, cause: "class org.apache.ignite.IgniteCheckedException: Invalid flag value: -85"',
    'Deserialization failed, cause: "Invalid flag value: -85"',
  ],
  [
    'SQL_CONFLICT',
    'Value conversion failed [column=I, from=java.lang.Integer, to=java.util.UUID]',
    'Value conversion failed [column=I, from=Integer, to=UUID]',
  ],
  ['OPERATION_FAILED', 'javax.cache.CacheException: class org.apache.ignite.X: y', 'X: y'],
  ['CLASS_NOT_FOUND', 'Failed to find target class: java.lang.Foo', 'Failed to find target class: java.lang.Foo'],
];

test.each(LINES)('%s: %s', (code, text, contract) => {
  expect(contractText(new GridError(code, text))).toBe(contract);
});

test.each([
  ['1', 'String', '5', 'Integer', '[val=1, type=string, stored=5, storedType=integer]'],
  ['[1]', 'ArrayList', '{"a":1}', 'HashMap', '[val=[1], type=list, stored={"a":1}, storedType=map]'],
  ['[1]', 'int[]', '{"x":1}', 'T', '[val=[1], type=int[], stored={"x":1}, storedType=T]'],
  ['a\nb', 'String', '1.0', 'BigDecimal', '[val=a\nb, type=string, stored=1.0, storedType=decimal]'],
])('the types of %s (%s) and %s (%s)', (value, type, stored, storedType, contract) => {
  const text = contractText(fail('INCOMPATIBLE_TYPES', value, type, stored, storedType));
  expect(text).toStartWith(`Incompatible types ${contract}`);
  expect(text).not.toMatch(/appendVal|String|ArrayList|HashMap|Integer/);
});
