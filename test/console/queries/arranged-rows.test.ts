/** Results that are sorted and filtered in the page. */
import { expect, test } from 'bun:test';
import { Decimal, type Json } from '../../../src/client/exact-json.ts';
import { arrangedRows, arrangementProblem } from '../../../src/console/rows/arranged-rows.ts';
import type { Column } from '../../../src/console/rows/row.ts';

const column = (name: string, type: string): Column => ({ name, type, schema: '', table: '' });
const NUMBER = column('N', 'java.lang.Long');
const PAY = column('PAY', 'java.math.BigDecimal');
const TEXT = column('CITY', 'java.lang.String');
const DAY = column('DAY', 'java.sql.Date');
const AT = column('AT', 'java.sql.Timestamp');
const FLAG = column('FLAG', 'java.lang.Boolean');
const ID = column('ID', 'java.util.UUID');

/** Returns the values of a column, filtered and sorted. */
function arranged(of: Column, values: readonly Json[], filter: string, order?: 'up' | 'down'): readonly Json[] {
  const rows = values.map((value) => [value]);
  const filters = new Map([[0, filter]]);
  const by = order === undefined ? undefined : { column: 0, isDescending: order === 'down' };
  return arrangedRows([of], rows, { order: by, filters }).map(([value]) => value ?? null);
}

const LONGS: readonly Json[] = [10, 9, null, 9_007_199_254_740_993n, 9_007_199_254_740_992n, -1];

test.each([
  ['up', [null, -1, 9, 10, 9_007_199_254_740_992n, 9_007_199_254_740_993n]],
  ['down', [9_007_199_254_740_993n, 9_007_199_254_740_992n, 10, 9, -1, null]],
] as const)('numbers are sorted by all their digits, and NULL is first: %s', (order, expected) => {
  expect(arranged(NUMBER, LONGS, '', order)).toEqual([...expected]);
});

test('equal values stay in their order, and texts follow their code units', () => {
  const rows = [
    ['b', 1],
    ['a', 2],
    ['b', 3],
    ['B', 4],
  ];
  const order = { column: 0, isDescending: false };
  const sorted = arrangedRows([TEXT, NUMBER], rows, { order, filters: new Map() });
  expect(sorted.map(([, at]) => at)).toEqual([4, 2, 1, 3]);
});

test.each([
  [TEXT, 'os', ['Oslo', 'Rome'], ['Oslo']],
  [TEXT, '= Rome', ['rome', 'Rome'], ['Rome']],
  [TEXT, '!null', ['a', null], ['a']],
  [TEXT, 'null', ['a', null], [null]],
  [NUMBER, '> 9', [9, 10, null], [10]],
  [NUMBER, '9007199254740993', [9_007_199_254_740_992n, 9_007_199_254_740_993n], [9_007_199_254_740_993n]],
  [NUMBER, '2..3', [1, 2, 3, 4], [2, 3]],
  [NUMBER, '!= 2', [1, 2, null], [1]],
  [DAY, '2025-02', ['2025-01-31', '2025-02-01', '2025-02-28', '2025-03-01'], ['2025-02-01', '2025-02-28']],
  [DAY, '!= 2025', ['2024-12-31', '2025-06-01', '2026-01-01'], ['2024-12-31', '2026-01-01']],
  [AT, '2025-06-01', ['2025-06-01 10:20:30.0', '2025-06-02 00:00:00.0'], ['2025-06-01 10:20:30.0']],
  [AT, '= 2025-06-01 10:20:30.5', ['2025-06-01 10:20:30.500'], ['2025-06-01 10:20:30.500']],
  [AT, '> 2025-06-01 10:20', ['2025-06-01 10:20:00.0', '2025-06-01 10:20:00.1'], ['2025-06-01 10:20:00.1']],
  [FLAG, 'TRUE', [true, false, null], [true]],
  [ID, 'D00D8A44-0E00-4B80-8D00-60A0B0D0E088', ['d00d8a44-0e00-4b80-8d00-60a0b0d0e088'], 1],
] as const)('a filter of values that were read: %j %s', (of, filter, values, expected) => {
  const found = arranged(of, [...values], filter);
  if (typeof expected === 'number') expect(found).toHaveLength(expected);
  else expect(found).toEqual([...expected]);
});

test('decimals are compared by their values, whatever their scales', () => {
  const values = ['1.50', '1.5', '1.50000000000000000001'].map((text) => new Decimal(text));
  expect(arranged(PAY, values, '= 1.5').map(String)).toEqual(['1.50', '1.5']);
  expect(arranged(PAY, values, '> 1.5').map(String)).toEqual(['1.50000000000000000001']);
});

test('columns of the same name are filtered apart, and filters that name no value are told', () => {
  const rows = [
    [1, 2],
    [2, 1],
  ];
  const arrangement = { order: undefined, filters: new Map([[1, '2']]) };
  expect(arrangedRows([NUMBER, NUMBER], rows, arrangement)).toEqual([[1, 2]]);
  expect(arrangementProblem([NUMBER], { order: undefined, filters: new Map([[0, '> many']]) })).toBe(
    'N (BIGINT) needs a whole number, not "many".',
  );
});
