/** Numeric functions. Most compute with doubles, as Ignite's do. */

import { sqlFailure } from '../../base/sql-errors.ts';
import { formatDouble } from '../../values/java-number.ts';
import { convert, textOf } from '../types/convert.ts';
import { startOfDay } from '../types/date-time-fields.ts';
import { decimal, isDecimal, negate, powerOfTen, setScale, signum } from '../types/decimal.ts';
import { unsupportedOperation } from '../types/operations.ts';
import type { Constants, SqlData, SqlFunction, SqlType } from '../types/sql-types.ts';
import { fitsInteger, isIntegerType, isNumericType, isTextType, javaClassOf } from '../types/type-order.ts';
import { withLocal } from '../types/zoned-timestamp.ts';
import { atan, atan2 } from './arc-tangent.ts';
import { log10 } from './common-logarithm.ts';
import {
  BIGINT,
  BOOLEAN,
  type Call,
  DATE,
  DECIMAL,
  DOUBLE,
  defineFunctions,
  type FunctionDeclaration,
  INTEGER,
  isConstantCall,
  TIMESTAMP,
  withoutArguments,
} from './definition.ts';
import { type DoubleDouble, exactProduct, multiply } from './double-double.ts';
import { acos, asin, cosh, sinh, tanh } from './strict-math.ts';

/** Declares a function of one double. */
function ofDouble(
  name: string,
  summary: string,
  apply: (x: number) => number,
  ...aliases: string[]
): FunctionDeclaration {
  return {
    names: [name, ...aliases],
    count: 1,
    argumentTypes: ['DOUBLE'],
    result: DOUBLE,
    summary,
    compute: (call) => withoutNegativeZero(apply(call.double(0))),
  };
}

/** Declares a function of two longs; `operator` is SQLite's equivalent, if any. */
function ofLongs(
  name: string,
  summary: string,
  apply: (a: bigint, b: bigint) => bigint,
  operator?: string,
): FunctionDeclaration {
  return {
    names: [name],
    count: 2,
    argumentTypes: ['BIGINT'],
    result: BIGINT,
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

/** Returns -1, 0 or 1. Throws for strings, dates and other types that are not numeric. */
function signOf(data: SqlData, type: SqlType): number {
  if (type.name === 'TIME' && typeof data === 'number') return Math.sign(data);
  if (isDecimal(data)) return signum(data);
  if (typeof data === 'bigint' && isIntegerType(type.name)) return data > 0n ? 1 : data < 0n ? -1 : 0;
  if (typeof data === 'number' && (type.name === 'DOUBLE' || type.name === 'REAL')) {
    return Number.isNaN(data) ? 1 : Math.sign(data);
  }
  throw unsupportedOperation(type, 'SIGNUM');
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

/** Rounds half away from zero; a whole part beyond the range of long becomes the largest long. */
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

/** Removes rounding errors from the last digits of a double. */
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

/** Powers up to this exponent are computed by multiplication. */
const MAX_WHOLE_EXPONENT = 1024;

/**
 * Returns the power, rounded once. For whole exponents, the runtime multiplies doubles and loses digits; here a second
 * double carries the rounding error of each product.
 */
function power(base: number, exponent: number): number {
  const rough = base ** exponent;
  const size = Math.abs(exponent);
  const isWhole = Number.isInteger(exponent) && size > 2 && size <= MAX_WHOLE_EXPONENT;
  // Near the ends of the range the rounding error is not a normal double.
  if (!isWhole || !(Math.abs(rough) > 1e-150 && Math.abs(rough) < 1e150)) return rough;
  let result: DoubleDouble = [1, 0];
  let square: DoubleDouble = [base, 0];
  for (let left = size; ; square = multiply(square, square)) {
    if (left % 2 === 1) result = multiply(result, square);
    left = Math.floor(left / 2);
    if (left === 0) break;
  }
  const [high, low] = result;
  if (exponent > 0) return high + low;
  const inverse = 1 / high;
  const [whole, rest] = exactProduct(inverse, high);
  return inverse + inverse * (1 - whole - rest - inverse * low);
}

/** Formats a call as in Ignite's error messages. */
function shown(name: string, call: Call): string {
  return `${name}(${call.args.map((one, at) => (one === null ? 'NULL' : textOf(one, call.type(at)))).join(', ')})`;
}

/** Converts the argument itself, because the error message shows it unconverted. */
function cotangent(call: Call): number {
  const angle = convert(call.data(0), call.type(0), DOUBLE);
  const tangent = typeof angle === 'number' ? Math.tan(angle) : Number.NaN;
  if (tangent === 0) throw sqlFailure('DIVISION_BY_ZERO', shown('COT', call));
  return 1 / tangent;
}

/**
 * Declares a function that computes with doubles and returns the type of its first argument, but DOUBLE for constants,
 * as in Ignite. Whole numbers stay exact.
 */
function keepingType(
  names: readonly [string, ...string[]],
  count: FunctionDeclaration['count'],
  summary: string,
  ofDoubles: (number: number, digits: number) => number,
  ofWhole: (number: bigint, digits: number) => bigint,
): FunctionDeclaration {
  const kept = (given: readonly SqlType[], constants: Constants | undefined): SqlType => {
    const type = given[0] ?? DOUBLE;
    return isConstantCall(given, constants) || !isNumericType(type.name) ? DOUBLE : type;
  };
  return {
    names,
    count,
    argumentTypes: (given, constants) => [kept(given, constants).name === 'DOUBLE' ? 'DOUBLE' : 'any', 'INTEGER'],
    result: (given, constants) => {
      const type = kept(given, constants);
      const [first] = given;
      // Ignite declares the type of a string or boolean unchanged.
      if (first !== undefined && !isNumericType(first.name) && !isConstantCall(given, constants)) {
        const declared = first.name === 'NULL' ? INTEGER : first;
        return first.name === 'UNKNOWN' ? type : { ...type, className: javaClassOf(declared) };
      }
      return type.name === 'DECIMAL' ? DECIMAL : type;
    },
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

function truncateDeclaration(): FunctionDeclaration {
  const numeric = keepingType(
    ['TRUNCATE', 'TRUNC'],
    [1, 2],
    'Truncates a number to a number of fractional digits, or a timestamp to its day.',
    truncate,
    truncateWhole,
  );
  const ofMoment = (type: SqlType | undefined): boolean =>
    type !== undefined && (['TIMESTAMP', 'TIMESTAMP_TZ', 'DATE'].includes(type.name) || isTextType(type.name));
  const { argumentTypes, result } = numeric;
  return {
    ...numeric,
    argumentTypes: (given, constants) =>
      ofMoment(given[0])
        ? [given[0]?.name === 'TIMESTAMP_TZ' ? 'TIMESTAMP_TZ' : 'TIMESTAMP', 'INTEGER']
        : typeof argumentTypes === 'function'
          ? argumentTypes(given, constants)
          : ['any'],
    result: (given, constants) => {
      if (!ofMoment(given[0])) return typeof result === 'function' ? result(given, constants) : result;
      if (given[0]?.name === 'TIMESTAMP_TZ') return given[0];
      // Ignite declares a date and returns a timestamp.
      return isConstantCall(given, constants) ? TIMESTAMP : { ...TIMESTAMP, className: javaClassOf(DATE) };
    },
    compute: (call) => {
      if (call.type(0).name === 'TIMESTAMP_TZ') return withLocal(call.text(0), startOfDay);
      return call.type(0).name === 'TIMESTAMP' ? startOfDay(call.long(0)) : numeric.compute(call);
    },
  };
}

export const NUMERIC_FUNCTIONS: readonly SqlFunction[] = defineFunctions('numeric', [
  {
    names: ['ABS'],
    count: 1,
    argumentTypes: ['any'],
    result: ([given]) => (given === undefined || given.name === 'NULL' ? INTEGER : given),
    summary: 'Returns the absolute value in the type of the argument.',
    compute: absolute,
  },
  ofDouble('ACOS', 'Returns the arc cosine.', acos),
  ofDouble('ASIN', 'Returns the arc sine.', asin),
  ofDouble('ATAN', 'Returns the arc tangent.', atan),
  ofDouble('COS', 'Returns the cosine.', Math.cos),
  ofDouble('COSH', 'Returns the hyperbolic cosine.', cosh),
  {
    names: ['COT'],
    count: 1,
    argumentTypes: ['any'],
    result: DOUBLE,
    summary: 'Returns the cotangent.',
    compute: cotangent,
  },
  ofDouble('SIN', 'Returns the sine.', Math.sin),
  ofDouble('SINH', 'Returns the hyperbolic sine.', sinh),
  ofDouble('TAN', 'Returns the tangent.', Math.tan),
  ofDouble('TANH', 'Returns the hyperbolic tangent.', tanh),
  {
    names: ['ATAN2'],
    count: 2,
    argumentTypes: ['DOUBLE'],
    result: DOUBLE,
    summary: 'Returns the angle of the point (second, first argument) in polar coordinates.',
    compute: (call) => withoutNegativeZero(atan2(call.double(0), call.double(1))),
  },
  ofLongs('BITAND', 'Returns the bitwise AND.', (a, b) => a & b, '&'),
  ofLongs('BITOR', 'Returns the bitwise OR.', (a, b) => a | b, '|'),
  ofLongs('BITXOR', 'Returns the bitwise XOR.', (a, b) => a ^ b),
  {
    names: ['BITGET'],
    count: 2,
    argumentTypes: ['BIGINT', 'INTEGER'],
    result: BOOLEAN,
    summary: 'Reports whether the bit at a position, from 0, is set.',
    compute: (call) => ((call.long(0) >> (call.long(1) & 63n)) & 1n) === 1n,
  },
  {
    names: ['MOD'],
    count: 2,
    argumentTypes: ['BIGINT'],
    result: BIGINT,
    summary: 'Returns the remainder of an integer division, with the sign of the dividend.',
    compute: (call) => {
      if (call.long(1) === 0n) throw sqlFailure('DIVISION_BY_ZERO', shown('MOD', call));
      return call.long(0) % call.long(1);
    },
  },
  ofDouble('CEILING', 'Rounds up to an integer.', Math.ceil, 'CEIL'),
  ofDouble('DEGREES', 'Converts radians to degrees.', (x) => x * (180 / Math.PI)),
  ofDouble('EXP', 'Raises e to a power.', Math.exp),
  keepingType(['FLOOR'], 1, 'Rounds down to an integer.', Math.floor, (number) => number),
  ofDouble('LOG', 'Returns the natural logarithm.', Math.log, 'LN'),
  ofDouble('LOG10', 'Returns the logarithm to base 10.', log10),
  ofDouble('RADIANS', 'Converts degrees to radians.', (x) => x * (Math.PI / 180)),
  ofDouble('SQRT', 'Returns the square root.', Math.sqrt),
  withoutArguments(['PI'], DOUBLE, 'Returns pi.', () => Math.PI),
  {
    names: ['POWER'],
    count: 2,
    argumentTypes: ['DOUBLE'],
    result: DOUBLE,
    summary: 'Raises the first number to the power of the second.',
    compute: (call) => withoutNegativeZero(power(call.double(0), call.double(1))),
  },
  {
    names: ['RAND', 'RANDOM'],
    count: [0, 1],
    argumentTypes: ['INTEGER'],
    result: DOUBLE,
    deterministic: false,
    nullOnNull: false,
    summary: 'Returns a random number from 0 (inclusive) to 1 (exclusive). After a seed the same ones follow.',
    compute: (call) => {
      if (call.count > 0 && !call.has(0)) return null;
      if (call.count > 0) call.environment.seed(call.long(0));
      return call.environment.random();
    },
  },
  keepingType(['ROUND'], [1, 2], 'Rounds to a number of fractional digits, half away from zero.', round, roundWhole),
  ofDouble('ROUNDMAGIC', 'Removes the rounding errors of double arithmetic from the last digits.', roundMagic),
  {
    names: ['SIGN'],
    count: 1,
    argumentTypes: ['any'],
    result: INTEGER,
    summary: 'Returns -1 for a negative number, 0 for zero, 1 for a positive number.',
    compute: (call) => BigInt(signOf(call.data(0), call.type(0))),
  },
  truncateDeclaration(),
  withoutArguments(['ZERO'], INTEGER, 'Returns 0.', () => 0n),
]);
