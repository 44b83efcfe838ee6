import { expect, test } from 'bun:test';
import { compareData, compareMixed } from './compare.ts';
import { decimal } from './decimal.ts';
import type { SqlData, SqlType, SqlTypeName } from './sql-types.ts';

const ORDERED: ReadonlyArray<readonly [SqlTypeName, readonly SqlData[]]> = [
  ['BOOLEAN', [null, false, true]],
  ['BIGINT', [null, -(2n ** 63n), -1n, 0n, 2n ** 63n - 1n]],
  ['DOUBLE', [null, Number.NEGATIVE_INFINITY, -1.5, 0, 1e300, Number.POSITIVE_INFINITY, Number.NaN]],
  ['DECIMAL', [null, decimal(-12n, 1), decimal(0n), decimal(11n, 1), decimal(12n, 0)]],
  ['VARCHAR', [null, '', 'A', 'B', 'a', 'ä', '😀', '\uFFFF']],
  ['VARCHAR_IGNORECASE', [null, '', 'A', 'b', 'C']],
  ['BINARY', [null, new Uint8Array(), new Uint8Array([1]), new Uint8Array([1, 0]), new Uint8Array([255])]],
  ['ARRAY', [null, [], [1n], [1n, 'a'], [1n, 'b'], [2n]]],
];

test.each(ORDERED)('%s sorts as Ignite sorts it', (name, values) => {
  values.forEach((a, first) => {
    values.forEach((b, second) => {
      expect(Math.sign(compareData(a, b, { name }))).toBe(Math.sign(first - second));
    });
  });
});

test('decimals of different scales and strings of different case are equal', () => {
  expect(compareData(decimal(10n, 1), decimal(1n), { name: 'DECIMAL' })).toBe(0);
  expect(compareData('Straße', 'STRASSE', { name: 'VARCHAR_IGNORECASE' })).toBe(0);
  expect(compareData('a', 'A', { name: 'VARCHAR' })).toBeGreaterThan(0);
});

test('values of two types are compared in their common type', () => {
  const [text, whole, date]: SqlType[] = [{ name: 'VARCHAR' }, { name: 'INTEGER' }, { name: 'DATE' }];
  if (text === undefined || whole === undefined || date === undefined) throw new Error('three types');
  expect(compareMixed('10', text, 9n, whole)).toBeGreaterThan(0);
  expect(compareMixed(0, date, '1970-01-01', text)).toBe(0);
  expect(() => compareMixed('x', text, 9n, whole)).toThrow('Data conversion error converting "x"');
});
