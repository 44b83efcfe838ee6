import { describe, expect, test } from 'bun:test';
import { formatText, writeJson } from './json.ts';
import { notationConverter } from './notation.ts';
import { text, type Value } from './value.ts';

const long = (data: bigint): Value => ({ type: 'long', data });
const strings = notationConverter({ numbersAsStrings: true, isoDates: false });
const iso = notationConverter({ numbersAsStrings: false, isoDates: true });
const both = notationConverter({ numbersAsStrings: true, isoDates: true });

describe('longs, big integers and decimals are strings with the same digits', () => {
  const cases: ReadonlyArray<readonly [value: Value, json: string]> = [
    [long(9_223_372_036_854_775_807n), '"9223372036854775807"'],
    [long(-1n), '"-1"'],
    [{ type: 'bigInteger', data: 10n ** 40n }, `"1${'0'.repeat(40)}"`],
    [{ type: 'decimal', data: { unscaled: 1_000n, scale: 2 } }, '"10.00"'],
    [{ type: 'decimal', data: { unscaled: 1n, scale: -5 } }, '"1E+5"'],
    [{ type: 'integer', data: 5 }, '5'],
    [{ type: 'double', data: 0.1 }, '0.1'],
    [text('5'), '"5"'],
    [{ type: 'null' }, 'null'],
    [{ type: 'list', data: [long(1n), text('x'), { type: 'null' }] }, '["1","x",null]'],
    [{ type: 'array', element: 'long', data: [long(1n)] }, '["1"]'],
    [{ type: 'array', element: 'char', data: [{ type: 'char', data: 'x' }] }, '"x"'],
    [{ type: 'map', data: [[long(1n), { type: 'list', data: [long(2n)] }]] }, '{"1":["2"]}'],
    [{ type: 'object', typeName: 'T', fields: [{ name: 'n', value: long(3n) }] }, '{"n":"3"}'],
  ];
  for (const [value, json] of cases) test(json, () => expect(writeJson(strings(value))).toBe(json));
});

describe('dates, times and timestamps are written as ISO 8601 [12.2]', () => {
  const second = 1_000_000_000n;
  const cases: ReadonlyArray<readonly [value: Value, written: string]> = [
    [{ type: 'date', data: 0 }, '1970-01-01'],
    [{ type: 'date', data: -719_528 }, '0000-01-01'],
    [{ type: 'date', data: -719_529 }, '-000001-12-31'],
    [{ type: 'date', data: 2_932_897 }, '+010000-01-01'],
    [{ type: 'time', data: 0 }, '00:00:00'],
    [{ type: 'time', data: 86_399_500 }, '23:59:59.5'],
    [{ type: 'timestamp', data: 0n }, '1970-01-01T00:00:00'],
    [{ type: 'timestamp', data: -1n }, '1969-12-31T23:59:59.999999999'],
    [{ type: 'timestamp', data: -second }, '1969-12-31T23:59:59'],
    [{ type: 'timestamp', data: 1_709_251_199n * second + 500_000_000n }, '2024-02-29T23:59:59.5'],
    [{ type: 'timestamp', data: 86_400n * second }, '1970-01-02T00:00:00'],
    [{ type: 'instant', data: 1_709_251_199_050 }, '2024-02-29T23:59:59.050Z'],
  ];
  for (const [value, written] of cases) test(written, () => expect(formatText(iso(value))).toBe(written));

  test('other values stay as they are', () => {
    for (const value of [long(5n), text('x'), { type: 'boolean', data: true } as const]) expect(iso(value)).toBe(value);
  });
});

test('both forms apply inside objects', () => {
  const value: Value = {
    type: 'object',
    typeName: 'T',
    fields: [
      { name: 'n', value: long(1n) },
      { name: 'd', value: { type: 'timestamp', data: 0n } },
    ],
  };
  expect(writeJson(both(value))).toBe('{"n":"1","d":"1970-01-01T00:00:00"}');
});
