import { expect, test } from 'bun:test';
import { DECIMAL_BOUNDS } from '../../base/limits.ts';
import type { Decimal } from '../../values/value.ts';
import {
  add,
  compare,
  decimal,
  divide,
  divideRounded,
  formatDecimal,
  multiply,
  negate,
  parseDecimal,
  precision,
  type Rounding,
  remainder,
  setScale,
  stripTrailingZeros,
  subtract,
  toBigInt,
  toDouble,
  toPlainString,
  toScientificString,
  ZERO,
} from './decimal.ts';

function read(text: string): Decimal {
  const number = parseDecimal(text);
  if (number === undefined) throw new Error(`no decimal: ${text}`);
  return number;
}

const OPERATIONS = { '+': add, '-': subtract, '*': multiply, '/': divide, '%': remainder } as const;

/** Results of an Ignite node. */
const ARITHMETIC: ReadonlyArray<readonly [string, keyof typeof OPERATIONS, string, string]> = [
  ['1.10', '+', '2.2', '3.30'],
  ['10.00', '-', '10', '0.00'],
  ['0.1', '-', '0.1', '0.0'],
  ['1.1', '*', '1.10', '1.210'],
  ['1E30', '*', '1E30', '1E+60'],
  ['123456789012345678901234567890.123', '*', '2', '246913578024691357802469135780.246'],
  ['1.0', '/', '3', '0.33333333333333333333333333'],
  ['1', '/', '3.0', '0.3333333333333333333333333'],
  ['10.00', '/', '4', '2.5'],
  ['7.0', '/', '2', '3.5'],
  ['7.000', '/', '2.00', '3.5'],
  ['100.0', '/', '10', '10'],
  ['0.0', '/', '5', '0'],
  ['1', '/', '8.0', '0.125'],
  ['-1.5', '/', '0.7', '-2.14285714285714285714285714'],
  ['1E-30', '/', '3', '3.333333333333333333333333E-31'],
  ['100', '/', '1E2', '1'],
  ['5.5', '%', '2', '1.5'],
  ['-7.5', '%', '2', '-1.5'],
  ['100', '%', '0.3', '0.1'],
  ['100', '%', '2.0', '0'],
  ['1E2', '%', '3', '1'],
];

test.each(ARITHMETIC)('%s %s %s = %s', (left, operator, right, result) => {
  expect(formatDecimal(OPERATIONS[operator](read(left), read(right)))).toBe(result);
});

test('a quotient without a remainder has a negative scale where Ignite returns one', () => {
  expect(divide(read('100.0'), read('10'))).toEqual({ unscaled: 1n, scale: -1 });
});

const TEXTS: ReadonlyArray<readonly [string, string, string, string]> = [
  ['0', '0', '0', '0'],
  ['-0', '0', '0', '0'],
  ['1.50', '1.50', '1.50', '1.50'],
  ['-.5', '-0.5', '-0.5', '-0.5'],
  ['5.', '5', '5', '5'],
  ['+7', '7', '7', '7'],
  ['1E3', '1000', '1E+3', '1000'],
  ['12E3', '12000', '1.2E+4', '12000'],
  ['1.0E3', '1000', '1.0E+3', '1000'],
  ['0.000001', '0.000001', '0.000001', '0.000001'],
  ['0.0000001', '0.0000001', '1E-7', '0.0000001'],
  ['0E3', '0', '0E+3', '0'],
  ['0.00', '0.00', '0.00', '0.00'],
  ['1E38', `1${'0'.repeat(38)}`, '1E+38', `1${'0'.repeat(38)}`],
  ['1E39', `1${'0'.repeat(39)}`, '1E+39', '1E+39'],
  ['1E400', `1${'0'.repeat(400)}`, '1E+400', '1E+400'],
];

test.each(TEXTS)('%s is parsed and formatted as by java.math.BigDecimal', (text, plain, scientific, shown) => {
  const number = read(text);
  expect([toPlainString(number), toScientificString(number), formatDecimal(number)]).toEqual([
    plain,
    scientific,
    shown,
  ]);
});

test.each(['', '.', '-', 'e5', '1e', '1.2.3', ' 1', '1 ', '0x1', 'NaN', '1E10000000000', '१'])(
  'the text "%s" is no decimal',
  (text) => {
    expect(parseDecimal(text)).toBeUndefined();
  },
);

const ROUNDINGS: ReadonlyArray<readonly [Rounding, string]> = [
  ['halfUp', '3 2 -3 -2 3'],
  ['halfDown', '2 1 -2 -1 3'],
  ['halfEven', '2 2 -2 -2 3'],
  ['down', '2 1 -2 -1 2'],
  ['ceiling', '3 2 -2 -1 3'],
  ['floor', '2 1 -3 -2 2'],
];

test.each(ROUNDINGS)('rounding %s of 2.5 1.5 -2.5 -1.5 2.6', (rounding, expected) => {
  const rounded = ['2.5', '1.5', '-2.5', '-1.5', '2.6'].map((text) => toBigInt(read(text), rounding));
  expect(rounded.join(' ')).toBe(expected);
});

test('a larger scale adds zeros, a smaller one rounds', () => {
  expect(setScale(read('1.5'), 3)).toEqual({ unscaled: 1500n, scale: 3 });
  expect(setScale(read('1.255'), 2)).toEqual({ unscaled: 126n, scale: 2 });
  expect(setScale(read('149'), -2)).toEqual({ unscaled: 1n, scale: -2 });
  expect(stripTrailingZeros(read('1200.00'))).toEqual({ unscaled: 12n, scale: -2 });
  expect(stripTrailingZeros(read('1200.00'), 1)).toEqual({ unscaled: 12000n, scale: 1 });
  expect(precision(read('-00123.40'))).toBe(5);
});

test('1.0 equals 1.00, and numbers of all scales compare', () => {
  expect(compare(read('1.0'), read('1.00'))).toBe(0);
  expect(compare(read('-2'), read('1E-9'))).toBe(-1);
  expect(compare(read('1E10'), read('9999999999.9'))).toBe(1);
});

test('a decimal converts to the nearest double', () => {
  expect(toDouble(read('0.1'))).toBe(0.1);
  expect(toDouble(read('1E400'))).toBe(Number.POSITIVE_INFINITY);
  expect(toDouble(read('123456789012345678901234567890'))).toBe(1.2345678901234568e29);
  expect(toDouble(read('5E-324'))).toBe(5e-324);
});

/** A random generator with a fixed seed, so that failures can be reproduced. */
function* seeded(seed: number, count: number): Generator<Decimal> {
  let state = seed;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  for (let made = 0; made < count; made += 1) {
    const digits = Array.from({ length: next(25) + 1 }, () => next(10)).join('');
    yield decimal(BigInt(next(2) === 0 ? digits : `-${digits}`), next(30) - 8);
  }
}

test('strings round-trip, and quotients times divisors are the dividends (500 numbers of seed 7)', () => {
  let before = decimal(7n, 3);
  for (const number of seeded(7, 500)) {
    for (const text of [toPlainString(number), toScientificString(number), formatDecimal(number)]) {
      expect(compare(read(text), number)).toBe(0);
    }
    expect(negate(negate(number))).toEqual(number);
    if (number.unscaled === 0n) continue;
    const rest = remainder(before, number);
    const whole = subtract(before, rest);
    expect(remainder(whole, number).unscaled).toBe(0n);
    expect(compare(setScale(divide(whole, number), 0), divide(whole, number))).toBe(0);
    before = number;
  }
});

test('division rounds alike for all signs', () => {
  for (const [a, b] of [
    [7n, 2n],
    [-7n, 2n],
    [7n, -2n],
    [-7n, -2n],
  ] as const) {
    const magnitude = (number: bigint): bigint => (number < 0n ? -number : number);
    expect(magnitude(divideRounded(a, b, 'halfUp'))).toBe(4n);
    expect(magnitude(divideRounded(a, b, 'down'))).toBe(3n);
  }
});

const LARGE = parseDecimal(`${'9'.repeat(DECIMAL_BOUNDS.digits)}E-${DECIMAL_BOUNDS.scale}`) ?? ZERO;
const SMALL = parseDecimal(`1E-${DECIMAL_BOUNDS.scale}`) ?? ZERO;

test.each<[string, () => unknown]>([
  ['a string with too large an exponent', () => parseDecimal('1E999999999')],
  ['a string with too small an exponent', () => parseDecimal('1E-999999999')],
  ['a string with the largest exponent', () => parseDecimal('1E9999999999')],
  ['a string with too many digits', () => parseDecimal('7'.repeat(1_000_000))],
  ['a sum', () => add(LARGE, SMALL)],
  ['a product', () => multiply(LARGE, LARGE)],
  ['a product with too large a scale', () => multiply(SMALL, SMALL)],
  ['a scale', () => setScale(SMALL, 1_000_000_000)],
  ['the alignment of a stored number out of bounds', () => compare({ unscaled: 1n, scale: -999_999_999 }, SMALL)],
  ['the digits of a stored number out of bounds', () => toPlainString({ unscaled: 1n, scale: -999_999_999 })],
])('%s beyond the bound of decimals is rejected', (_, action) => {
  expect(action).toThrow('a decimal can have at most 1000 digits and a scale from -1000 to 1000');
});

test('leading zeros do not count as digits', () => {
  expect(parseDecimal(`${'0'.repeat(10_000)}1.5`)).toEqual({ unscaled: 15n, scale: 1 });
});

test('the scale of a quotient is within the bound', () => {
  expect(divide(SMALL, decimal(3n)).scale).toBeLessThanOrEqual(DECIMAL_BOUNDS.scale);
});

test('repeated multiplication ends at the bound', () => {
  let product = parseDecimal('1.0000000001') ?? ZERO;
  expect(() => {
    for (;;) product = multiply(product, product);
  }).toThrow('a decimal can have');
});
