/** Numeric functions. Most calculate in doubles, as Ignite's do. */

import { formatDouble } from '../../values/java-number.ts';
import {
  convert,
  fitsInteger,
  isIntegerType,
  isNumericType,
  isTextType,
  javaClassOf,
  textOf,
} from '../types/convert.ts';
import { startOfDay } from '../types/date-time.ts';
import { decimal, isDecimal, negate, powerOfTen, setScale, signum } from '../types/decimal.ts';
import { sqlFailure } from '../types/sql-errors.ts';
import type { Constants, SqlData, SqlFunction, SqlType } from '../types/sql-types.ts';
import {
  BIGINT,
  BOOLEAN,
  type Call,
  DATE,
  DECIMAL,
  DOUBLE,
  defineFunctions,
  type FunctionSketch,
  INTEGER,
  isConstantCall,
  NULL,
  TIMESTAMP,
} from './definition.ts';

/** A function of one double. */
function ofDouble(name: string, summary: string, apply: (x: number) => number, ...aliases: string[]): FunctionSketch {
  return {
    names: [name, ...aliases],
    count: 1,
    takes: ['DOUBLE'],
    gives: DOUBLE,
    cheap: true,
    summary,
    compute: (call) => withoutNegativeZero(apply(call.double(0))),
  };
}

/** A function of two longs; `operator` is SQLite's, where it has one. */
function ofLongs(
  name: string,
  summary: string,
  apply: (a: bigint, b: bigint) => bigint,
  operator?: string,
): FunctionSketch {
  return {
    names: [name],
    count: 2,
    takes: ['BIGINT'],
    gives: BIGINT,
    cheap: true,
    summary,
    compute: (call) => apply(call.long(0), call.long(1)),
    emit: ([a, b], types) =>
      operator !== undefined && types.every((type) => isIntegerType(type.name)) ? `(${a} ${operator} ${b})` : undefined,
  };
}

/** The dialect has no -0. */
function withoutNegativeZero(number: number): number {
  return number === 0 ? 0 : number;
}

/** -1, 0 or 1. Texts, dates and the like are refused. */
function signOf(data: SqlData, type: SqlType): number {
  if (type.name === 'TIME' && typeof data === 'number') return Math.sign(data);
  if (isDecimal(data)) return signum(data);
  if (typeof data === 'bigint' && isIntegerType(type.name)) return data > 0n ? 1 : data < 0n ? -1 : 0;
  if (typeof data === 'number' && (type.name === 'DOUBLE' || type.name === 'REAL')) {
    return Number.isNaN(data) ? 1 : Math.sign(data);
  }
  throw sqlFailure(
    'FEATURE_UNSUPPORTED',
    `${type.name === 'VARCHAR_IGNORECASE' || type.name === 'CHAR' ? 'VARCHAR' : type.name} SIGNUM`,
  );
}

function absolute(call: Call): SqlData {
  const [data, type] = [call.data(0), call.type(0)];
  if (signOf(data, type) >= 0) return data;
  if (isDecimal(data)) return negate(data);
  if (typeof data === 'number') return -data;
  const negated = -call.long(0);
  if (!fitsInteger(type.name, negated))
    throw sqlFailure('OUT_OF_RANGE', String(type.name === 'BIGINT' ? data : negated));
  return negated;
}

/** Rounds half away from zero; whole parts beyond a long become the greatest long. */
function round(number: number, digits: number): number {
  const factor = 10 ** digits;
  const scaled = Math.abs(number * factor);
  const floor = Math.floor(scaled);
  const whole = Number.isNaN(scaled) ? 0 : Math.min(scaled - floor >= 0.5 ? floor + 1 : floor, 2 ** 63);
  return (whole / factor) * (number > 0 ? 1 : -1);
}

function truncate(number: number, digits: number): number {
  const factor = 10 ** digits;
  return Math.trunc(number * factor) / factor;
}

/** Takes the rounding errors from the end of a double's text. */
function roundMagic(number: number): number {
  if (Math.abs(number) < 1e-13) return 0;
  const text = formatDouble(number);
  if (Math.abs(number) > 1e12 || text.includes('E') || text.length < 16 || text.indexOf('.') > text.length - 3)
    return number;
  const cut = text.slice(0, -2);
  const before = cut.slice(-4, -1);
  if (before === '000') return Number(`${cut.slice(0, -1)}0`);
  return Number(before === '999' ? `${cut.slice(0, -1)}9999` : cut);
}

/** Exponents up to this are multiplied out. */
const MAX_WHOLE_EXPONENT = 1024;

/**
 * The power rounded once. The runtime multiplies whole exponents out in doubles, and loses some digits; here a second
 * double carries what each product rounds away.
 */
function power(base: number, exponent: number): number {
  const rough = base ** exponent;
  const size = Math.abs(exponent);
  const isWhole = Number.isInteger(exponent) && size > 2 && size <= MAX_WHOLE_EXPONENT;
  // Near the ends of the range what is rounded away has no double of its own.
  if (!isWhole || !(Math.abs(rough) > 1e-150 && Math.abs(rough) < 1e150)) return rough;
  let result: DoubleDouble = [1, 0];
  let square: DoubleDouble = [base, 0];
  for (let left = size; ; square = product(square, square)) {
    if (left % 2 === 1) result = product(result, square);
    left = Math.floor(left / 2);
    if (left === 0) break;
  }
  const [high, low] = result;
  if (exponent > 0) return high + low;
  const inverse = 1 / high;
  const [whole, rest] = exactProduct(inverse, high);
  return inverse + inverse * (1 - whole - rest - inverse * low);
}

/** A number as the sum of a double and what that double has rounded away. */
type DoubleDouble = readonly [number, number];

function product([a, aLow]: DoubleDouble, [b, bLow]: DoubleDouble): DoubleDouble {
  const [high, rest] = exactProduct(a, b);
  const low = rest + (a * bLow + aLow * b);
  const sum = high + low;
  return [sum, low - (sum - high)];
}

/** Dekker's product: a double and its rounding error. */
function exactProduct(a: number, b: number): DoubleDouble {
  const high = a * b;
  const [aHigh, aLow] = split(a);
  const [bHigh, bLow] = split(b);
  return [high, aLow * bLow - (high - aHigh * bHigh - aLow * bHigh - aHigh * bLow)];
}

/** The upper and the lower half of a double's digits. */
function split(number: number): DoubleDouble {
  const scaled = number * 134_217_729;
  const high = scaled - (scaled - number);
  return [high, number - high];
}

/** The call as Ignite's refusals show it. */
function shown(name: string, call: Call): string {
  return `${name}(${call.args.map((one, at) => (one === null ? 'NULL' : textOf(one, call.type(at)))).join(', ')})`;
}

/** The argument comes unconverted, because the refusal shows it as it was given. */
function cotangent(call: Call): number {
  const angle = convert(call.data(0), call.type(0), DOUBLE);
  const tangent = typeof angle === 'number' ? Math.tan(angle) : Number.NaN;
  if (tangent === 0) throw sqlFailure('DIVISION_BY_ZERO', shown('COT', call));
  return 1 / tangent;
}

/** java.util.Random's first double of a seed. */
function randomOfSeed(seed: bigint): number {
  const mask = (1n << 48n) - 1n;
  let state = (seed ^ 0x5deece66dn) & mask;
  const next = (bits: bigint): bigint => {
    state = (state * 0x5deece66dn + 0xbn) & mask;
    return state >> (48n - bits);
  };
  const high = next(26n);
  return Number((high << 27n) + next(27n)) / 2 ** 53;
}

/**
 * A function that calculates in doubles and gives the type of its first argument; of constants it gives DOUBLE, as the
 * reference does. Whole numbers stay exact.
 */
function keepingType(
  names: readonly [string, ...string[]],
  count: FunctionSketch['count'],
  summary: string,
  ofDoubles: (number: number, digits: number) => number,
  ofWhole: (number: bigint, digits: number) => bigint,
): FunctionSketch {
  const kept = (given: readonly SqlType[], constants: Constants | undefined): SqlType => {
    const type = given[0] ?? DOUBLE;
    return isConstantCall(given, constants) || !isNumericType(type.name) ? DOUBLE : type;
  };
  return {
    names,
    count,
    takes: (given, constants) => [kept(given, constants).name === 'DOUBLE' ? 'DOUBLE' : 'any', 'INTEGER'],
    gives: (given, constants) => {
      const type = kept(given, constants);
      const [first] = given;
      // A text or a truth is declared to stay one.
      if (first !== undefined && !isNumericType(first.name) && !isConstantCall(given, constants)) {
        return first.name === 'UNKNOWN' ? type : { ...type, className: javaClassOf(first) };
      }
      return type.name === 'DECIMAL' ? DECIMAL : type;
    },
    cheap: true,
    summary,
    compute: (call) => {
      const [data, digits] = [call.data(0), call.count > 1 ? call.integer(1) : 0];
      if (typeof data === 'bigint') return convert(ofWhole(data, digits), BIGINT, call.type(0));
      const number = convert(data, call.type(0), DOUBLE);
      const result = withoutNegativeZero(ofDoubles(typeof number === 'number' ? number : Number.NaN, digits));
      return convert(result, DOUBLE, isDecimal(data) ? DECIMAL : call.type(0));
    },
  };
}

/** Rounds a whole number to a power of ten, half away from zero. */
function roundWhole(number: bigint, digits: number): bigint {
  return digits >= 0
    ? number
    : setScale(decimal(number), Math.max(digits, -LONG_DIGITS)).unscaled * wholePower(-digits);
}

function truncateWhole(number: bigint, digits: number): bigint {
  return digits >= 0 ? number : number - (number % wholePower(-digits));
}

/** No long has as many digits. */
const LONG_DIGITS = 20;

function wholePower(exponent: number): bigint {
  return powerOfTen(Math.min(exponent, LONG_DIGITS));
}

function truncateSketch(): FunctionSketch {
  const numeric = keepingType(
    ['TRUNCATE', 'TRUNC'],
    [1, 2],
    'Cuts a number to some digits after the point, or a timestamp to its day.',
    truncate,
    truncateWhole,
  );
  const ofMoment = (type: SqlType | undefined): boolean =>
    type !== undefined && (type.name === 'TIMESTAMP' || type.name === 'DATE' || isTextType(type.name));
  const { takes, gives } = numeric;
  return {
    ...numeric,
    takes: (given, constants) =>
      ofMoment(given[0]) ? ['TIMESTAMP', 'INTEGER'] : typeof takes === 'function' ? takes(given, constants) : ['any'],
    gives: (given, constants) => {
      if (!ofMoment(given[0])) return typeof gives === 'function' ? gives(given, constants) : gives;
      // Ignite declares a date, and gives a timestamp.
      return isConstantCall(given, constants) ? TIMESTAMP : { ...TIMESTAMP, className: javaClassOf(DATE) };
    },
    compute: (call) => (call.type(0).name === 'TIMESTAMP' ? startOfDay(call.long(0)) : numeric.compute(call)),
  };
}

export const NUMERIC_FUNCTIONS: readonly SqlFunction[] = defineFunctions('numeric', [
  {
    names: ['ABS'],
    count: 1,
    takes: ['any'],
    gives: (given) => given[0] ?? NULL,
    cheap: true,
    summary: 'The absolute value, in the type of the argument.',
    compute: absolute,
  },
  ofDouble('ACOS', 'Arc cosine.', Math.acos),
  ofDouble('ASIN', 'Arc sine.', Math.asin),
  ofDouble('ATAN', 'Arc tangent.', Math.atan),
  ofDouble('COS', 'Cosine.', Math.cos),
  ofDouble('COSH', 'Hyperbolic cosine.', Math.cosh),
  {
    names: ['COT'],
    count: 1,
    takes: ['any'],
    gives: DOUBLE,
    cheap: true,
    summary: 'Cotangent.',
    compute: cotangent,
  },
  ofDouble('SIN', 'Sine.', Math.sin),
  ofDouble('SINH', 'Hyperbolic sine.', Math.sinh),
  ofDouble('TAN', 'Tangent.', Math.tan),
  ofDouble('TANH', 'Hyperbolic tangent.', Math.tanh),
  {
    names: ['ATAN2'],
    count: 2,
    takes: ['DOUBLE'],
    gives: DOUBLE,
    cheap: true,
    summary: 'Angle of the point (second, first argument) in polar coordinates.',
    compute: (call) => withoutNegativeZero(Math.atan2(call.double(0), call.double(1))),
  },
  ofLongs('BITAND', 'Bits that both numbers have.', (a, b) => a & b, '&'),
  ofLongs('BITOR', 'Bits that one of the numbers has.', (a, b) => a | b, '|'),
  ofLongs('BITXOR', 'Bits that only one of the numbers has.', (a, b) => a ^ b),
  {
    names: ['BITGET'],
    count: 2,
    takes: ['BIGINT', 'INTEGER'],
    gives: BOOLEAN,
    cheap: true,
    summary: 'Whether the bit at a place, from 0, is set.',
    compute: (call) => ((call.long(0) >> (call.long(1) & 63n)) & 1n) === 1n,
  },
  {
    names: ['MOD'],
    count: 2,
    takes: ['BIGINT'],
    gives: BIGINT,
    cheap: true,
    summary: 'Remainder of a whole division, with the sign of the first number.',
    compute: (call) => {
      if (call.long(1) === 0n) throw sqlFailure('DIVISION_BY_ZERO', shown('MOD', call));
      return call.long(0) % call.long(1);
    },
  },
  ofDouble('CEILING', 'The next whole number not below.', Math.ceil, 'CEIL'),
  ofDouble('DEGREES', 'Radians in degrees.', (x) => x * (180 / Math.PI)),
  ofDouble('EXP', 'e to a power.', Math.exp),
  keepingType(['FLOOR'], 1, 'The next whole number not above.', Math.floor, (number) => number),
  ofDouble('LOG', 'Natural logarithm.', Math.log, 'LN'),
  ofDouble('LOG10', 'Logarithm to base 10.', Math.log10),
  ofDouble('RADIANS', 'Degrees in radians.', (x) => x * (Math.PI / 180)),
  ofDouble('SQRT', 'Square root.', Math.sqrt),
  { names: ['PI'], count: 0, gives: DOUBLE, cheap: true, summary: 'The number pi.', compute: () => Math.PI },
  {
    names: ['POWER'],
    count: 2,
    takes: ['DOUBLE'],
    gives: DOUBLE,
    cheap: true,
    summary: 'The first number to the power of the second.',
    compute: (call) => withoutNegativeZero(power(call.double(0), call.double(1))),
  },
  {
    names: ['RAND', 'RANDOM'],
    count: [0, 1],
    takes: ['INTEGER'],
    gives: DOUBLE,
    deterministic: false,
    cheap: true,
    summary: 'A random number from 0 to below 1; with a seed always the same one.',
    compute: (call) => (call.count > 0 ? randomOfSeed(call.long(0)) : call.environment.random()),
  },
  keepingType(['ROUND'], [1, 2], 'Rounds to some digits after the point, half away from zero.', round, roundWhole),
  ofDouble('ROUNDMAGIC', 'Takes away what calculating in doubles has added.', roundMagic),
  {
    names: ['SIGN'],
    count: 1,
    takes: ['any'],
    gives: INTEGER,
    cheap: true,
    summary: '-1 below zero, 0 for zero, 1 above.',
    compute: (call) => BigInt(signOf(call.data(0), call.type(0))),
  },
  truncateSketch(),
  { names: ['ZERO'], count: 0, gives: INTEGER, cheap: true, summary: 'The number 0.', compute: () => 0n },
]);
