/** Checks values against NOT NULL, precision and scale of their column. */

import { sqlFailure } from '../../base/sql-errors.ts';
import { isDecimal, precision } from './decimal.ts';
import type { SqlData, SqlType } from './sql-types.ts';
import { isTextType } from './type-order.ts';

/** A column as far as its values are checked. */
interface CheckedColumn {
  readonly name: string;
  readonly type: SqlType;
  readonly notNull: boolean;
}

/** Throws when the column cannot hold a value of its type. */
export function checkColumn({ name, type, notNull }: CheckedColumn, data: SqlData): void {
  if (data === null) {
    if (notNull) throw sqlFailure('NULL_NOT_ALLOWED', name);
    return;
  }
  if (type.precision === undefined) return;
  if (typeof data === 'string' && isTextType(type.name)) checkLength(name, type.precision, data.length);
  else if (data instanceof Uint8Array) checkLength(name, type.precision, data.length);
  else if (isDecimal(data)) {
    const digits = precision(data);
    if (digits > type.precision) throw sqlFailure('PRECISION_OUT_OF_RANGE', name, type.precision, digits);
    if (type.scale !== undefined && data.scale > type.scale) {
      throw sqlFailure('SCALE_OUT_OF_RANGE', name, type.scale, data.scale);
    }
  }
}

function checkLength(name: string, limit: number, length: number): void {
  if (length <= limit) return;
  throw sqlFailure('VALUE_TOO_LONG', name, limit, length);
}
