import { describe, expect, test } from 'bun:test';
import { Decimal, decimalOf, exactOf, type Json, parseAsSent, parseExact, writeExact } from './exact-json.ts';

/** Numbers as the service sends them, what the client parses them to, and whether its text differs. */
const NUMBERS: ReadonlyArray<readonly [text: string, parsed: Json, shown?: Json]> = [
  ['7', 7],
  ['-7', -7],
  ['9007199254740993', 9_007_199_254_740_993n],
  ['1000000000000000000000000000000', 10n ** 30n],
  // Doubles, which end in `.0` when they are whole. A decimal of one digit looks the same.
  ['1.5', 1.5],
  ['0.1', 0.1],
  ['0.30000000000000004', 0.1 + 0.2],
  ['1.0', 1, new Decimal('1.0')],
  ['-0.0', -0, new Decimal('-0.0')],
  ['1.0E20', 1e20, new Decimal('1.0E20')],
  ['1.0E-7', 1e-7, new Decimal('1.0E-7')],
  // JavaScript formats this double with different digits.
  ['4.9E-324', new Decimal('4.9E-324')],
  ['1e-7', 1e-7],
  // Decimals, with a scale that a double does not have.
  ['2410611.00', new Decimal('2410611.00')],
  ['1.50', new Decimal('1.50')],
  ['-0.10', new Decimal('-0.10')],
  ['0.00', new Decimal('0.00')],
  ['0E-8', new Decimal('0E-8')],
  ['1E-7', new Decimal('1E-7')],
  ['1E+3', new Decimal('1E+3')],
  ['1.5E+9', new Decimal('1.5E+9')],
  ['12345678901234567890.5', new Decimal('12345678901234567890.5')],
  ['1e400', new Decimal('1e400')],
];

describe('a number', () => {
  for (const [text, parsed, shown = parsed] of NUMBERS) {
    test(`${text} keeps its digits and its scale`, () => {
      expect(parseExact(text)).toStrictEqual(parsed);
      // Among others, which decide how a text is parsed.
      const mixed = `{"id":"5b0e2c0a 1.50 1E9","list":[${text},7.00],"x":1.25}`;
      const rest = { id: '5b0e2c0a 1.50 1E9', x: 1.25 };
      expect(parseExact(mixed)).toStrictEqual({ ...rest, list: [parsed, new Decimal('7.00')] });
      expect(parseAsSent(text)).toStrictEqual(shown);
      expect(exactOf(parseAsSent(mixed))).toStrictEqual({ ...rest, list: [parsed, new Decimal('7.00')] });
      expect(writeExact(parseAsSent(text))).toBe(text);
    });
  }
});

test('a zero keeps its sign', () => {
  expect(writeExact({ a: -0, b: [0, -0] })).toBe('{"a":-0,"b":[0,-0]}');
});

test('numbers of a column of decimals are Decimal', () => {
  expect([7, 1.5, 10n ** 30n, new Decimal('1.0'), null, 'text'].map(decimalOf)).toStrictEqual([
    new Decimal('7'),
    new Decimal('1.5'),
    new Decimal(String(10n ** 30n)),
    new Decimal('1.0'),
    null,
    'text',
  ]);
});
