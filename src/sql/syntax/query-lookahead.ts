/**
 * Decides by lookahead whether a query is in parentheses. Backtracking instead would take exponential time for
 * nested parentheses.
 */
import type { TokenReader } from './token-reader.ts';

/** Returns whether a query begins here, possibly after opening parentheses. */
export function startsQuery(reader: TokenReader): boolean {
  const ahead = reader.aheadOfParentheses();
  if (reader.isAhead(ahead, 'VALUES')) return reader.isAhead(ahead + 1, '(');
  return ['SELECT', 'WITH', 'FROM'].some((word) => reader.isAhead(ahead, word));
}

const AFTER_QUERY = [')', 'UNION', 'EXCEPT', 'MINUS', 'INTERSECT', 'ORDER', 'OFFSET', 'FETCH', 'LIMIT', 'SAMPLE_SIZE'];

/** The same after an opening parenthesis, except for `((select ..) + 1)`, which begins like a query but is not one. */
export function isWholeQuery(reader: TokenReader): boolean {
  if (!startsQuery(reader)) return false;
  return !reader.is('(') || isFollowedAsQuery(reader, 0);
}

/** Returns whether the parenthesis that opens `ahead` is followed by a token that can follow a query. */
export function isFollowedAsQuery(reader: TokenReader, ahead: number): boolean {
  const behind = reader.aheadOfClosing(ahead);
  return AFTER_QUERY.some((word) => reader.isAhead(behind, word));
}
