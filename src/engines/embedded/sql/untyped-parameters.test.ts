/** A parameter whose type nothing in the statement determines has its argument's type. */
import { expect, test } from 'bun:test';
import { SqlStore } from '../../../../test/fixtures/embedded/sql-store.ts';
import { writeJson } from '../../../values/json.ts';
import { NULL, TRUE, text, type Value } from '../../../values/value.ts';

const sql = new SqlStore();

const TYPED: readonly Value[] = [
  { type: 'boolean', data: true },
  { type: 'byte', data: -128 },
  { type: 'short', data: 32767 },
  { type: 'integer', data: 5 },
  { type: 'long', data: 9223372036854775807n },
  { type: 'float', data: 0.5 },
  { type: 'double', data: 5 },
  { type: 'double', data: Number.NaN },
  { type: 'decimal', data: { unscaled: 150n, scale: 2 } },
  { type: 'string', data: 'TRUE' },
  { type: 'date', data: -1 },
  { type: 'time', data: 36_611_500 },
  { type: 'timestamp', data: -1n },
  { type: 'uuid', data: '123e4567-e89b-12d3-a456-426614174000' },
  { type: 'bytes', data: Uint8Array.of(1, 2) },
  { type: 'list', data: [TRUE, NULL, { type: 'map', data: [[text('a'), { type: 'integer', data: 1 }]] }] },
  { type: 'array', element: 'date', data: [{ type: 'date', data: 0 }] },
];
const QUERIES = [
  'select ?',
  'select ?1',
  'select distinct ?',
  'select ? order by 1',
  'select (select ?)',
  'select ? from system_range(1, 1)',
  'select max(?)',
  'select coalesce(null, ?)',
  'select case when x = 1 then ? end from system_range(1, 1)',
  'select nullif(?, null)',
  'select * from (values (?)) t',
  'select ? union select ?1',
  'select ? where ?1 = ?1',
  'select ? where ?1 in (?1, ?1)',
  'select ? where ?1 between ?1 and ?1',
];
const isComparable = ({ type }: Value): boolean => type !== 'list' && type !== 'array';
for (const value of TYPED) {
  const json = writeJson(value);
  for (const query of QUERIES) {
    if (query !== 'select ?' && query !== 'select (select ?)' && !isComparable(value)) continue;
    test(`${query} with ${value.type} ${json}`, () => expect(sql.answer(query, [value])).toBe(`[[${json}]]`));
  }
}

const integer = (data: number): Value => ({ type: 'integer', data });
const cases: ReadonlyArray<readonly [query: string, rows: string, ...Value[]]> = [
  ['select coalesce(?, ?)', '[[5]]', NULL, integer(5)],
  ['select greatest(?, ?)', '[[10]]', integer(5), integer(10)],
  ['select ? < ?', '[[false]]', integer(10), integer(9)],
  ['select ? < ?', '[[true]]', text('10'), text('9')],
  ['select ? = ?', '[[true]]', integer(1), { type: 'double', data: 1 }],
  ['select ? between ? and ?', '[[true]]', integer(5), integer(1), integer(10)],
  ['select abs(?)', '[[5]]', integer(-5)],
  ['select ? union all select ?', '[[1],[2]]', integer(1), integer(2)],
  ['values (?), (?)', '[[true],[false]]', TRUE, { type: 'boolean', data: false }],
  ['select (?, ?)', '[[[true,1]]]', TRUE, integer(1)],
  ['select ? / ?', '[[0.5]]', integer(1), integer(2)],
  // If the statement determines a type, the argument is converted to it.
  ['select coalesce(?, 1)', '[[3]]', { type: 'double', data: 2.5 }],
  ['select ? || ?', '[["TRUE1"]]', TRUE, integer(1)],
  ['select ? + 1', '[[2]]', text('1')],
];
for (const [query, rows, ...args] of cases) test(query, () => expect(sql.answer(query, args)).toBe(rows));

test('arguments that are strings are strings', () => {
  for (const query of QUERIES) expect(sql.answer(query, [text('10')])).toBe('[["10"]]');
});
