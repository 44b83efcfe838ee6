/** Arithmetic on SQL values, with the result types, overflow checks and errors of Ignite. */

import { sqlFailure } from '../../base/sql-errors.ts';
import type { SqlFailure } from '../../base/sql-failure.ts';
import { nanosOfDay, nanosOfTime, timeOfNanos } from './calendar-arithmetic.ts';
import { convert, textOf } from './convert.ts';
import { add, divide, isDecimal, multiply, negate, remainder, signum, subtract } from './decimal.ts';
import type { SqlData, SqlType, SqlTypeName } from './sql-types.ts';
import { fitsInteger, isIntegerType, isNumericType, typeTitle } from './type-order.ts';

export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%';

/**
 * Computes an operation whose operands have been converted to `type`. Returns NULL for NULL operands. With `wraps`, the
 * quotient of the smallest integer and -1 is that integer, as in Ignite.
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
    // No other quotient is beyond the range.
    if (wraps && operator === '/' && right === -1n && !fitsInteger(type.name, -left)) return left;
    return integerOperation(operator, left, right, type);
  }
  if (type.name === 'TIME' && typeof left === 'number' && typeof right === 'number')
    return timeOperation(operator, left, right);
  if (typeof left === 'number' && typeof right === 'number') return floatOperation(operator, left, right, type);
  if (isDecimal(left) && isDecimal(right)) {
    switch (operator) {
      case '+':
        return add(left, right);
      case '-':
        return subtract(left, right);
      case '*':
        return multiply(left, right);
      case '/':
        if (signum(right) === 0) throw sqlFailure('DIVISION_BY_ZERO', textOf(left, type));
        return divide(left, right);
      case '%':
        if (signum(right) === 0) throw sqlFailure('DIVISION_BY_ZERO', textOf(left, type));
        return remainder(left, right);
    }
  }
  throw unsupportedOperation(type, operator);
}

/** Returns whether values of the type can be added, multiplied and negated. Those of other types fail, except NULL. */
export function hasArithmetic(type: SqlType): boolean {
  return isNumericType(type.name) || type.name === 'UNKNOWN' || type.name === 'NULL';
}

/** Types whose values Ignite reports under the name of another type. */
const VALUE_TITLES: Partial<Record<SqlTypeName, string>> = {
  BINARY: 'VARBINARY',
  CHAR: 'VARCHAR',
  VARCHAR_IGNORECASE: 'VARCHAR',
};

/** Returns the error of an operation with a value that is not NULL of a type that does not have it. */
export function unsupportedOperation(type: SqlType, operation: string): SqlFailure {
  return sqlFailure('FEATURE_UNSUPPORTED', `${VALUE_TITLES[type.name] ?? typeTitle(type.name)} ${operation}`);
}

function integerOperation(operator: ArithmeticOperator, left: bigint, right: bigint, type: SqlType): bigint {
  let result: bigint;
  switch (operator) {
    case '+':
      result = left + right;
      break;
    case '-':
      result = left - right;
      break;
    case '*':
      result = left * right;
      break;
    case '/':
      if (right === 0n) throw sqlFailure('DIVISION_BY_ZERO', left.toString());
      result = left / right;
      break;
    case '%':
      if (right === 0n) throw sqlFailure('DIVISION_BY_ZERO', left.toString());
      result = left % right;
      break;
  }
  return checkedInteger(result, type, left);
}

/** Returns `result`. Throws 22003 when it overflows; the text has the result, or for BIGINT the first operand. */
export function checkedInteger(result: bigint, type: SqlType, left: bigint): bigint {
  if (fitsInteger(type.name, result)) return result;
  throw sqlFailure('OUT_OF_RANGE', (type.name === 'BIGINT' ? left : result).toString());
}

function floatOperation(operator: ArithmeticOperator, left: number, right: number, type: SqlType): number {
  const exact = floatResult(operator, left, right, type);
  const result = type.name === 'REAL' ? Math.fround(exact) : exact;
  return result === 0 ? 0 : result;
}

function floatResult(operator: ArithmeticOperator, left: number, right: number, type: SqlType): number {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      if (right === 0) throw sqlFailure('DIVISION_BY_ZERO', textOf(left, type));
      return left / right;
    case '%':
      if (right === 0) throw sqlFailure('DIVISION_BY_ZERO', textOf(left, type));
      return left % right;
  }
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
  if (operator === '/' && factor === 0) throw sqlFailure('DIVISION_BY_ZERO', textOf(time, { name: 'TIME' }));
  const nanos = Number(nanosOfTime(time));
  return timeOfNanos(nanosOfDay(BigInt(Math.trunc(operator === '*' ? nanos * factor : nanos / factor))));
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
