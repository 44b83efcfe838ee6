/** Arithmetic on SQL values, with Ignite's result types, overflow checks and errors. */

import { sqlFailure } from '../../base/sql-errors.ts';
import type { SqlFailure } from '../../base/sql-failure.ts';
import { formatDouble } from '../../values/java-number.ts';
import type { Decimal } from '../../values/value.ts';
import { nanosOfDay, nanosOfTime, timeOfNanos } from './calendar-arithmetic.ts';
import { convert, textOf } from './convert.ts';
import { add, divide, isDecimal, multiply, negate, remainder, signum, subtract } from './decimal.ts';
import type { SqlData, SqlType, SqlTypeName } from './sql-types.ts';
import { fitsInteger, isIntegerType, isNumericType, typeTitle } from './type-order.ts';

export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%';

/**
 * Computes an operation whose operands have been converted to `type`. Returns NULL for NULL operands. With `wraps`,
 * dividing the smallest integer by -1 yields that integer, as in Ignite.
 */
export function calculate(
  operator: ArithmeticOperator,
  left: SqlData,
  right: SqlData,
  type: SqlType,
  wraps = false,
): SqlData {
  if (left === null || right === null) return null;
  if (typeof left === 'bigint' && typeof right === 'bigint' && isIntegerType(type.name)) {
    // No other quotient is out of range.
    if (wraps && operator === '/' && right === -1n && !fitsInteger(type.name, -left)) return left;
    return integerOperation(operator, left, right, type);
  }
  if (type.name === 'TIME' && typeof left === 'number' && typeof right === 'number')
    return timeOperation(operator, left, right);
  if (typeof left === 'number' && typeof right === 'number') return floatOperation(operator, left, right, type);
  if (isDecimal(left) && isDecimal(right)) {
    checkDivisor(operator, signum(right) === 0, left, type);
    return DECIMALS[operator](left, right);
  }
  throw unsupportedOperation(type, operator);
}

/** Returns whether values of the type can be added, multiplied and negated. Values of other types fail, except NULL. */
export function hasArithmetic(type: SqlType): boolean {
  return isNumericType(type.name) || type.name === 'UNKNOWN' || type.name === 'NULL';
}

/** Types whose values Ignite reports under another type's name. */
const VALUE_TITLES: Partial<Record<SqlTypeName, string>> = {
  BINARY: 'VARBINARY',
  CHAR: 'VARCHAR',
  VARCHAR_IGNORECASE: 'VARCHAR',
};

/** Returns the error for an operation on a non-NULL value whose type does not support it. */
export function unsupportedOperation(type: SqlType, operation: string): SqlFailure {
  return sqlFailure('FEATURE_UNSUPPORTED', `${VALUE_TITLES[type.name] ?? typeTitle(type.name)} ${operation}`);
}

/** Throws 22012 for a division by zero. */
function checkDivisor(
  operator: ArithmeticOperator,
  isZero: boolean,
  dividend: Exclude<SqlData, null>,
  type: SqlType,
): void {
  if (isZero && (operator === '/' || operator === '%')) throw sqlFailure('DIVISION_BY_ZERO', textOf(dividend, type));
}

type Operations<T> = Readonly<Record<ArithmeticOperator, (left: T, right: T) => T>>;

const DECIMALS: Operations<Decimal> = { '+': add, '-': subtract, '*': multiply, '/': divide, '%': remainder };

const INTEGERS: Operations<bigint> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': (left, right) => left % right,
};

const FLOATS: Operations<number> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': (left, right) => left % right,
};

function integerOperation(operator: ArithmeticOperator, left: bigint, right: bigint, type: SqlType): bigint {
  checkDivisor(operator, right === 0n, left, type);
  return checkedInteger(INTEGERS[operator](left, right), type, left);
}

/** Returns `result`. Throws 22003 if it overflows; the text has the result, or for BIGINT the first operand. */
export function checkedInteger(result: bigint, type: SqlType, left: bigint): bigint {
  if (fitsInteger(type.name, result)) return result;
  throw sqlFailure('OUT_OF_RANGE', (type.name === 'BIGINT' ? left : result).toString());
}

function floatOperation(operator: ArithmeticOperator, left: number, right: number, type: SqlType): number {
  checkDivisor(operator, right === 0, left, type);
  const exact = FLOATS[operator](left, right);
  const result = type.name === 'REAL' ? Math.fround(exact) : exact;
  return result === 0 ? 0 : result;
}

/** Adds or subtracts two TIMEs, modulo a day. */
function timeOperation(operator: ArithmeticOperator, left: number, right: number): number {
  if (operator !== '+' && operator !== '-') throw sqlFailure('FEATURE_UNSUPPORTED', `TIME ${operator} TIME`);
  const [a, b] = [nanosOfTime(left), nanosOfTime(right)];
  return timeOfNanos(nanosOfDay(operator === '+' ? a + b : a - b));
}

/** Multiplies or divides a TIME by a number, modulo a day. */
export function scaleTime(operator: '*' | '/', time: SqlData, factor: SqlData): SqlData {
  if (typeof time !== 'number' || typeof factor !== 'number') return null;
  const nanos = Number(nanosOfTime(time));
  // Midnight divided by zero is not a number, which becomes midnight.
  if (operator === '/' && factor === 0 && nanos !== 0)
    throw sqlFailure('DIVISION_BY_ZERO', textOf(time, { name: 'TIME' }));
  const result = operator === '*' ? nanos * factor : nanos / factor;
  if (Math.abs(result) === Number.POSITIVE_INFINITY) throw sqlFailure('OUT_OF_RANGE', formatDouble(result));
  return timeOfNanos(nanosOfDay(BigInt(Math.trunc(result || 0))));
}

/** Adds a TIME to a date or timestamp, or subtracts it. */
export function addTime(operator: '+' | '-', moment: SqlData, momentType: SqlType, time: SqlData): SqlData {
  if (moment === null || typeof time !== 'number') return null;
  const nanos = convert(moment, momentType, { name: 'TIMESTAMP' });
  if (typeof nanos !== 'bigint') return null;
  const shift = nanosOfTime(time);
  return operator === '+' ? nanos + shift : nanos - shift;
}

/** Returns the number with the opposite sign. Throws 22003 on overflow, and 50100 for values of other types. */
export function negated(data: SqlData, type: SqlType): SqlData {
  if (data === null) return null;
  if (type.name === 'TIME') return negatedTime(data);
  if (!hasArithmetic(type)) throw unsupportedOperation(type, 'NEG');
  if (typeof data === 'bigint') return checkedInteger(-data, type, data);
  if (typeof data === 'number') return data === 0 ? 0 : -data;
  return isDecimal(data) ? negate(data) : null;
}

/** Returns midnight. Throws 22007 for other times. */
function negatedTime(time: SqlData): SqlData {
  if (typeof time === 'number' && nanosOfTime(time) !== 0n)
    throw sqlFailure('CONSTANT_UNREADABLE', 'TIME', `-${textOf(time, { name: 'TIME' })}`);
  return time;
}
