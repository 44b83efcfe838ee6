/** Numbers as they are written in a statement. */

import { DECIMAL_BOUNDS } from '../../base/limits.ts';
import { areDigitsWithinBounds } from '../../values/decimal-bounds.ts';
import { parseDecimal } from '../types/decimal.ts';
import { sqlFailure, sqlFailureAt } from '../types/sql-errors.ts';
import type { SqlData, SqlType } from '../types/sql-types.ts';
import type { Expression } from './ast.ts';
import type { Token } from './tokenizer.ts';

/** The literal of a token. */
export function literal(type: SqlType, data: SqlData, token: Token): Expression {
  return { kind: 'literal', type, data, at: token.start };
}

/** The smallest type that holds it; a decimal with a point, an exponent, or hexadecimal and no INTEGER. */
export function numberLiteral(token: Token, negative: boolean): Expression {
  const isHex = /^0x/i.test(token.text);
  // Long numbers take more than linear time to read: they are rejected before.
  if (token.text.length > DECIMAL_BOUNDS.digits + DECIMAL_BOUNDS.scale) throw sqlFailure('DECIMAL_OUT_OF_BOUNDS');
  const text = isHex ? `${BigInt(token.text)}` : token.text;
  if (/^\d+$/.test(text) && areDigitsWithinBounds(text)) {
    const number = negative ? -BigInt(text) : BigInt(text);
    if (BigInt.asIntN(32, number) === number) return literal({ name: 'INTEGER' }, number, token);
    if (BigInt.asIntN(64, number) === number && !isHex) return literal({ name: 'BIGINT' }, number, token);
  }
  const number = parseDecimal(text);
  if (number === undefined) throw sqlFailureAt({ at: token.start }, 'DATA_CONVERSION', text);
  const data = negative ? { unscaled: -number.unscaled, scale: number.scale } : number;
  return literal({ name: 'DECIMAL' }, data, token);
}
