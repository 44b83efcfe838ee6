/** Literals, and the types of numeric ones. */

import { DECIMAL_BOUNDS } from '../../base/limits.ts';
import { sqlFailure, sqlFailureAt } from '../../base/sql-errors.ts';
import { areDigitsWithinBounds } from '../../values/decimal-bounds.ts';
import { parseDecimal } from '../types/decimal.ts';
import type { SqlData, SqlType } from '../types/sql-types.ts';
import type { Expression } from './ast.ts';
import type { Token } from './tokenizer.ts';

/** Creates a literal from a token. */
export function literal(type: SqlType, data: SqlData, token: Token): Expression {
  return { kind: 'literal', type, data, at: token.start };
}

/**
 * Creates a numeric literal of the smallest type that holds it. Numbers with a point or an exponent and hexadecimal
 * ones beyond INTEGER are decimals. Throws 22018 for an invalid number and 22003 for one out of bounds.
 */
export function numberLiteral(token: Token, negative: boolean): Expression {
  const isHex = /^0x/i.test(token.text);
  // Parsing a long number takes more than linear time, so it is rejected first.
  if (token.text.length > DECIMAL_BOUNDS.digits + DECIMAL_BOUNDS.scale) throw sqlFailure('DECIMAL_OUT_OF_BOUNDS');
  const isLong = /^\d+L$/i.test(token.text);
  const text = isHex ? `${BigInt(token.text)}` : isLong ? token.text.slice(0, -1) : token.text;
  if (/^\d+$/.test(text) && areDigitsWithinBounds(text)) {
    const number = negative ? -BigInt(text) : BigInt(text);
    if (BigInt.asIntN(32, number) === number && !isLong) return literal({ name: 'INTEGER' }, number, token);
    if (BigInt.asIntN(64, number) === number && !isHex) return literal({ name: 'BIGINT' }, number, token);
  }
  const number = parseDecimal(text);
  if (number === undefined) throw sqlFailureAt({ at: token.start }, 'DATA_CONVERSION', text);
  const data = negative ? { unscaled: -number.unscaled, scale: number.scale } : number;
  return literal({ name: 'DECIMAL' }, data, token);
}
