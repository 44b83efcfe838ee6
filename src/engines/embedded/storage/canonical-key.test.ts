/** The form in which keys are stored. */
import { describe, expect, test } from 'bun:test';
import { openSqlGrid } from '../../../../test/fixtures/embedded/sql-grid.ts';
import { entriesOf } from '../../../../test/grid/entry-methods.ts';
import { parseDecimal } from '../../../values/scalar-formats.ts';
import type { Field, Value } from '../../../values/value.ts';
import { canonicalDecimal, canonicalKey } from './canonical-key.ts';
import { encodeStructure } from './value-storage.ts';

const int = (data: number): Value => ({ type: 'integer', data });
const decimal = (text: string): Value => ({ type: 'decimal', data: parseDecimal(text) });
const string = (data: string): Value => ({ type: 'string', data });
const map = (...pairs: Array<readonly [Value, Value]>): Value => ({ type: 'map', data: pairs });

test.each([
  ['0', '0'],
  ['0.00', '0'],
  ['1.0', '1'],
  ['1.50', '1.5'],
  ['-1.500', '-1.5'],
  ['100', '100'],
  ['1E+2', '100'],
  ['1.20E+3', '1200'],
  ['0.010', '0.01'],
])('the decimal %s is stored as %s', (given, stored) => {
  expect(canonicalDecimal(parseDecimal(given))).toEqual(parseDecimal(stored));
});

test('a decimal too large to write without an exponent has one form, too', () => {
  const [one, other] = [
    canonicalDecimal({ unscaled: 1n, scale: -5_000 }),
    canonicalDecimal({ unscaled: 100n, scale: -4_998 }),
  ];
  expect(one).toEqual(other);
});

describe('maps that are equal have one form', () => {
  const formOf = (key: Value) => canonicalKey(key, { textOf: encodeStructure, isOfTable: false });
  const a = [string('a'), int(1)] as const;
  const b = [string('b'), int(2)] as const;
  test.each([
    ['as keys', map(a, b), map(b, a)],
    ['in lists', { type: 'list', data: [map(a, b)] } as const, { type: 'list', data: [map(b, a)] } as const],
    ['in maps', map([map(a, b), int(1)]), map([map(b, a), int(1)])],
  ])('%s', (_, one, other) => expect(formOf(one)).toEqual(formOf(other)));

  test('and others have others', () => {
    expect(formOf(map(a))).not.toEqual(formOf(map(b)));
    expect(formOf(decimal('1.0'))).not.toEqual(formOf(decimal('1.00')));
  });
});

test('a composite key has the declared fields, in any order', async () => {
  const { grid, run, close } = await openSqlGrid();
  await run('CREATE TABLE P(a INT, b DECIMAL, v INT, PRIMARY KEY(a, b)) WITH "CACHE_NAME=P,KEY_TYPE=Pk,VALUE_TYPE=Pv"');
  const entries = entriesOf(grid);
  const key = (...fields: Array<readonly [string, Value]>): Value => ({
    type: 'object',
    typeName: 'Pk',
    fields: fields.map(([name, value]): Field => ({ name, value })),
  });
  const value: Value = { type: 'object', typeName: 'Pv', fields: [{ name: 'V', value: int(7) }] };
  await run('INSERT INTO P VALUES (1, 2.0, 5)');
  await entries.put('P', key(['B', decimal('2.00')], ['A', int(1)]), value);
  expect((await run('SELECT a, b, v FROM P')).json).toBe('[[1,2,7]]');
  for (const [fields, found] of [
    [[['A', int(1)]], 'A'],
    [
      [
        ['A', int(1)],
        ['B', decimal('2')],
        ['X', int(3)],
      ],
      'A, B, X',
    ],
    [
      [
        ['A', int(1)],
        ['B', { type: 'null' }],
      ],
      'A',
    ],
    [[], 'none'],
  ] as Array<[Array<readonly [string, Value]>, string]>)
    await expect((async () => entries.put('P', key(...fields), value))()).rejects.toThrow(
      `A key of type Pk needs exactly the fields A, B, got ${found}`,
    );
  expect(await entries.remove('P', key(['B', decimal('2')], ['A', int(1)]))).toBe(true);
  expect((await run('SELECT COUNT(*) FROM P')).json).toBe('[[0]]');
  await close();
});
