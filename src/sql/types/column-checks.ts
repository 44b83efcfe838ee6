/** Checks values against their column's NOT NULL, length, precision and scale. */

import { DECIMAL_BOUNDS } from '../../base/limits.ts';
import { sqlFailure } from '../../base/sql-errors.ts';
import { convert } from './convert.ts';
import { isDecimal, powerOfTen, precision } from './decimal.ts';
import type { SqlData, SqlType } from './sql-types.ts';
import { isTextType } from './type-order.ts';

/** The part of a column needed to check its values. */
export interface CheckedColumn {
  readonly name: string;
  readonly type: SqlType;
  readonly notNull: boolean;
}

type BoundKey = 'VALUE_TOO_LONG' | 'PRECISION_OUT_OF_RANGE' | 'SCALE_OUT_OF_RANGE';

/** The error for a value beyond a bound of its column, and the arguments of its text. */
type Excess = readonly [key: BoundKey, column: string, limit: number, actual: number];

/** A column that stores values unchanged. */
export interface StoringColumn extends CheckedColumn {
  readonly isKey: boolean;
  readonly whole: 'key' | 'value' | undefined;
}

/**
 * Converts a column's new value, and checks it. Fields keep -0.0, which conversions turn into 0.0: a response that
 * contains it for an entry could otherwise not be sent back.
 */
export function convertToColumn(column: StoringColumn, data: SqlData, from: SqlType): SqlData {
  const { type, isKey, whole } = column;
  const converted = convert(data, from, { name: type.name });
  checkColumn(column, converted);
  const isField = (type.name === 'DOUBLE' || type.name === 'REAL') && !isKey && whole === undefined;
  return isField && converted === 0 && Object.is(typeof data === 'string' ? Number(data) : data, -0) ? -0 : converted;
}

/** Throws when the column cannot hold a value of its type. */
export function checkColumn(column: CheckedColumn, data: SqlData): void {
  if (data === null) {
    if (column.notNull) throw sqlFailure('NULL_NOT_ALLOWED', column.name);
    return;
  }
  const excess = excessOf(column, data);
  if (excess !== undefined) throw sqlFailure(...excess);
}

/** Returns the column's bound that a value of its type exceeds, or undefined if none. */
export function excessOf({ name, type }: CheckedColumn, data: SqlData): Excess | undefined {
  if (type.precision === undefined) return undefined;
  if (typeof data === 'string' && isTextType(type.name)) return lengthExcess(name, type.precision, data.length);
  if (data instanceof Uint8Array) return lengthExcess(name, type.precision, data.length);
  if (!isDecimal(data)) return undefined;
  if (hasMoreDigits(data.unscaled, type.precision))
    return ['PRECISION_OUT_OF_RANGE', name, type.precision, precision(data)];
  if (type.scale === undefined || data.scale <= type.scale) return undefined;
  return ['SCALE_OUT_OF_RANGE', name, type.scale, data.scale];
}

/** Compares with a known power of ten if possible: writing the digits would take longer. */
function hasMoreDigits(unscaled: bigint, most: number): boolean {
  if (most >= DECIMAL_BOUNDS.digits) return precision({ unscaled, scale: 0 }) > most;
  const beyond = powerOfTen(most);
  return unscaled >= beyond || (unscaled < 0n && unscaled <= -beyond);
}

function lengthExcess(name: string, limit: number, length: number): Excess | undefined {
  return length <= limit ? undefined : ['VALUE_TOO_LONG', name, limit, length];
}
