import { expect, test } from 'bun:test';
import { type ErrorCode, GridError, gridError } from '../base/errors.ts';
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
  [
    'SQL_CONFLICT',
    'they are already in cache [keys=[SQL_PUBLIC_B_ae036114_ae33_4742_b6fa_f63687193dc2_KEY [ROOM=2, DAY=2026-03-02]]]',
    'they are already in cache [keys=[[ROOM=2, DAY=2026-03-02]]]',
  ],
  ['OPERATION_FAILED', 'javax.cache.CacheException: class org.apache.ignite.X: y', 'X: y'],
  ['CLASS_NOT_FOUND', 'Failed to find target class: java.lang.Foo', 'Failed to find target class: java.lang.Foo'],
];

test.each(LINES)('%s: %s', (code, text, contract) => {
  expect(contractText(new GridError(code, text))).toBe(contract);
});

test.each([
  ['1', 'String', 'Integer', '[val=1, type=string, storedType=integer]'],
  ['[1]', 'ArrayList', 'HashMap', '[val=[1], type=list, storedType=map]'],
  ['[1]', 'int[]', 'T', '[val=[1], type=int[], storedType=T]'],
  ['a\nb', 'String', 'BigDecimal', '[val=a\nb, type=string, storedType=decimal]'],
])('the types of %s (%s) and %s', (value, type, storedType, contract) => {
  const error = gridError('INCOMPATIBLE_TYPES', value, type, storedType);
  const text = contractText(error);
  expect(text).toBe(`Incompatible types ${contract}`);
  const ofBatch = contractText(new GridError('INCOMPATIBLE_TYPES', `Command 1 of the batch failed: ${error.message}`));
  expect(ofBatch).toBe(`Command 1 of the batch failed: ${text}`);
  expect(text).not.toMatch(/appendVal|String|ArrayList|HashMap|Integer/);
});
