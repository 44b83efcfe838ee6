/** Checks values against NOT NULL, length, precision and scale of their column. */

import { DECIMAL_BOUNDS } from '../../base/limits.ts';
import { sqlFailure } from '../../base/sql-errors.ts';
import { convert } from './convert.ts';
import { isDecimal, powerOfTen, precision } from './decimal.ts';
import type { SqlData, SqlType } from './sql-types.ts';
import { isTextType } from './type-order.ts';

/** A column as far as its values are checked. */
export interface CheckedColumn {
  readonly name: string;
  readonly type: SqlType;
  readonly notNull: boolean;
}

type BoundKey = 'VALUE_TOO_LONG' | 'PRECISION_OUT_OF_RANGE' | 'SCALE_OUT_OF_RANGE';

/** The error for a value beyond a bound of its column, and what its text tells. */
type Excess = readonly [key: BoundKey, column: string, limit: number, actual: number];

/** A column that stores values as they are given. */
export interface StoringColumn extends CheckedColumn {
  readonly isKey: boolean;
  readonly whole: 'key' | 'value' | undefined;
}

/**
 * Converts a value that is given for a column, and checks it. Fields keep -0.0, which conversions make 0.0: an answer
 * contains it where an entry does, and could not be sent back.
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

/** Returns the bound of the column that a value of its type exceeds; undefined: none. */
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

/** Compares with a power of ten where that is known: writing the digits would take longer. */
function hasMoreDigits(unscaled: bigint, most: number): boolean {
  if (most >= DECIMAL_BOUNDS.digits) return precision({ unscaled, scale: 0 }) > most;
  const beyond = powerOfTen(most);
  return unscaled >= beyond || (unscaled < 0n && unscaled <= -beyond);
}

function lengthExcess(name: string, limit: number, length: number): Excess | undefined {
  return length <= limit ? undefined : ['VALUE_TOO_LONG', name, limit, length];
}
