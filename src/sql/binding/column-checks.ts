/** What a column may hold, in Ignite's words. */

import { isTextType } from '../types/convert.ts';
import { isDecimal, precision } from '../types/decimal.ts';
import { StatementFailure } from '../types/failures.ts';
import type { SqlData } from '../types/sql-types.ts';
import type { SqlColumn } from './catalog.ts';

/** Throws when the column cannot hold the datum, which has its type already. */
export function checkColumn({ name, type, notNull }: SqlColumn, data: SqlData): void {
  if (data === null) {
    if (notNull) throw new StatementFailure(`Null value is not allowed for column '${name}'`, undefined);
    return;
  }
  if (type.precision === undefined) return;
  if (typeof data === 'string' && isTextType(type.name)) checkLength(name, type.precision, data.length);
  else if (data instanceof Uint8Array) checkLength(name, type.precision, data.length);
  else if (isDecimal(data)) {
    const digits = precision(data);
    if (digits > type.precision) throw outOfRange(name, 'precision:', type.precision, 'precision', digits);
    if (type.scale !== undefined && data.scale > type.scale)
      throw outOfRange(name, 'scale :', type.scale, 'scale', data.scale);
  }
}

function checkLength(name: string, limit: number, length: number): void {
  if (length <= limit) return;
  throw new StatementFailure(
    `Value for a column '${name}' is too long. Maximum length: ${limit}, actual length: ${length}`,
    undefined,
  );
}

function outOfRange(name: string, limitWord: string, limit: number, word: string, actual: number): StatementFailure {
  return new StatementFailure(
    `Value for a column '${name}' is out of range. Maximum ${limitWord} ${limit}, actual ${word}: ${actual}`,
    undefined,
  );
}
