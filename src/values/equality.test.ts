import { describe, expect, test } from 'bun:test';
import { randomValue, seededRandom } from '../../test/fixtures/values/random-values.ts';
import { compareValues, equalValues, keyOf } from './equality.ts';
import { compareDecimals } from './numeric-order.ts';
import { parseAnyDecimal } from './scalar-formats.ts';
import { parseText } from './scalar-traits.ts';
import { type Field, NULL, text, type Value } from './value.ts';

const integer = (data: number): Value => ({ type: 'integer', data });
const double = (data: number): Value => ({ type: 'double', data });
const list = (...data: Value[]): Value => ({ type: 'list', data });
const set = (...data: Value[]): Value => ({ type: 'list', data, kind: 'hashSet' });
const map = (...data: Array<[Value, Value]>): Value => ({ type: 'map', data });
const object = (...fields: Field[]): Value => ({ type: 'object', typeName: 'T', fields });
const bytes = (...data: number[]): Value => ({ type: 'bytes', data: Uint8Array.from(data) });
const decimal = (source: string): Value => ({ type: 'decimal', data: parseAnyDecimal(source) });
const x = { name: 'x', value: integer(1) };
const y = { name: 'y', value: integer(2) };

const CASES: ReadonlyArray<readonly [title: string, equal: boolean, a: Value, b: Value]> = [
  ['integer 5 equals integer 5', true, integer(5), integer(5)],
  ['integer 5 does not equal long 5', false, integer(5), { type: 'long', data: 5n }],
  ['integer 5 does not equal the string 5', false, integer(5), text('5')],
  ['long 5 does not equal bigInteger 5', false, { type: 'long', data: 5n }, { type: 'bigInteger', data: 5n }],
  ['float 1 does not equal double 1', false, { type: 'float', data: 1 }, double(1)],
  ['NaN equals NaN', true, double(Number.NaN), double(Number.NaN)],
  ['0.0 does not equal -0.0', false, double(0), double(-0)],
  ['strings are compared by code units', false, text('é'), text('e\u0301')],
  ['a character does not equal a string', false, { type: 'char', data: 'a' }, text('a')],
  ['2018-1-2 equals 2018-01-02', true, parseText('date', '2018-1-2'), parseText('date', '2018-01-02')],
  ['a date does not equal a time with the same number', false, { type: 'date', data: 1 }, { type: 'time', data: 1 }],
  ['1.50 does not equal 1.5', false, decimal('1.50'), decimal('1.5')],
  ['bytes are compared by content', true, bytes(1, 2), bytes(1, 2)],
  ['byte arrays of different lengths differ', false, bytes(1, 2), bytes(1, 2, 3)],
  ['lists are compared in order', false, list(integer(1), integer(2)), list(integer(2), integer(1))],
  ['lists of equal items are equal', true, list(integer(1), NULL), list(integer(1), NULL)],
  ['the order of the items of a set does not matter', true, set(x.value, y.value), set(y.value, x.value)],
  ['sets of different items differ', false, set(x.value), set(y.value)],
  ['a set does not equal a list', false, set(x.value), list(x.value)],
  ['sets of different classes are equal', true, set(x.value), { type: 'list', data: [x.value], kind: 'treeSet' }],
  ['lists of different classes are equal', true, list(x.value), { type: 'list', data: [x.value], kind: 'linkedList' }],
  [
    'a list does not equal an array',
    false,
    list(integer(1)),
    { type: 'array', element: 'integer', data: [integer(1)] },
  ],
  [
    'arrays of different element types differ',
    false,
    { type: 'array', element: 'long', data: [] },
    { type: 'array', element: 'integer', data: [] },
  ],
  [
    'the order of the entries of a map does not matter',
    true,
    map([text('a'), x.value], [text('b'), y.value]),
    map([text('b'), y.value], [text('a'), x.value]),
  ],
  ['maps with different values differ', false, map([text('a'), x.value]), map([text('a'), y.value])],
  ['the order of the fields of an object matters', false, object(x, y), object(y, x)],
  ['objects with equal fields are equal', true, object(x, y), object(x, y)],
  ['objects with an additional field differ', false, object(x), object(x, y)],
  ['objects of different types differ', false, object(x), { type: 'object', typeName: 'U', fields: [x] }],
  ['an object does not equal a map', false, object(x), map([text('x'), x.value])],
  ['null equals null', true, NULL, { type: 'null' }],
  [
    'enum constants are compared by ordinal',
    true,
    { type: 'enum', typeName: 'E', ordinal: 1, name: 'A' },
    { type: 'enum', typeName: 'E', ordinal: 1, name: undefined },
  ],
];

describe('equality', () => {
  test.each(CASES)('%s', (_, equal, a, b) => {
    expect(equalValues(a, b)).toBe(equal);
    expect(equalValues(b, a)).toBe(equal);
    expect(keyOf(a) === keyOf(b)).toBe(equal);
    expect(compareValues(a, b) === 0).toBe(equal);
  });

  test('strings cannot imitate the keys of other values', () => {
    const values = [
      text('n'),
      NULL,
      list(text('a'), text('b')),
      list(text('a1.sb')),
      text('list:2.sa2.sb'),
      list(text('a2.sb')),
    ];
    expect(new Set(values.map(keyOf)).size).toBe(values.length);
  });

  test('equality, keys and order agree for random values', () => {
    const random = seededRandom(4);
    const values = Array.from({ length: 400 }, () => randomValue(random, 2));
    for (const a of values) {
      for (const b of values) {
        const equal = equalValues(a, b);
        if ((keyOf(a) === keyOf(b)) !== equal) throw new Error(`key text: ${keyOf(a)} and ${keyOf(b)}`);
        const order = compareValues(a, b);
        if ((order === 0) !== equal) throw new Error(`order: ${keyOf(a)} and ${keyOf(b)}`);
        if (Math.sign(order) !== -Math.sign(compareValues(b, a)))
          throw new Error(`not antisymmetric: ${keyOf(a)} and ${keyOf(b)}`);
      }
    }
    const sorted = [...values].sort(compareValues);
    for (let index = 0; index < 20_000; index++) {
      const [low, high] = [random.below(400), random.below(400)].sort((left, right) => left - right);
      const first = sorted[low ?? 0] ?? NULL;
      const second = sorted[high ?? 0] ?? NULL;
      if (compareValues(first, second) > 0) throw new Error(`not sorted: ${keyOf(first)} and ${keyOf(second)}`);
    }
  });
});

const ASCENDING: ReadonlyArray<readonly [title: string, values: readonly Value[]]> = [
  [
    'numbers of all types by amount, NaN last',
    [
      double(Number.NEGATIVE_INFINITY),
      decimal('-1e400'),
      { type: 'long', data: -(2n ** 63n) },
      integer(-1),
      double(-0),
      double(0.1),
      decimal('0.2'),
      integer(1),
      decimal('1.00000000000000000001'),
      { type: 'long', data: 9007199254740993n },
      double(9007199254740994),
      decimal('1e999999999'),
      double(Number.POSITIVE_INFINITY),
      double(Number.NaN),
    ],
  ],
  [
    'strings by code units',
    [text(''), text('A'), text('a'), text('ab'), text('b'), text('é'), text('😀'), text('\uffff')],
  ],
  ['bytes without sign', [bytes(), bytes(1), bytes(1, 0), bytes(127), bytes(128)]],
  ['lists item by item', [list(), list(integer(1)), list(integer(1), integer(0)), list(integer(2))]],
];

describe('order', () => {
  test.each(ASCENDING)('%s', (_, values) => {
    expect([...values].reverse().sort(compareValues)).toEqual([...values]);
  });

  const DECIMALS: ReadonlyArray<readonly [a: string, sign: number, b: string]> = [
    ['1.50', 0, '1.5'],
    ['0.00', 0, '0e9'],
    ['-1', -1, '0'],
    ['0', -1, '1e-999999999'],
    ['1e999999999', 1, '9e999999998'],
    ['-1e999999999', -1, '9e999999998'],
    ['-2', -1, '-1.9'],
    ['99', -1, '1e2'],
  ];
  test.each(DECIMALS)('%s compares %d with %s', (a, sign, b) => {
    expect(Math.sign(compareDecimals(parseAnyDecimal(a), parseAnyDecimal(b)))).toBe(sign);
  });
});
