/**
 * Whether what stands behind parentheses is a query. Decided by looking ahead: parsing
 * the same text twice takes exponential time where parentheses nest.
 */
import type { TokenReader } from './token-reader.ts';

/** Whether a query begins here, perhaps behind parentheses. */
export function startsQuery(reader: TokenReader): boolean {
  const ahead = reader.aheadOfParentheses();
  if (reader.isAhead(ahead, 'VALUES')) return reader.isAhead(ahead + 1, '(');
  return ['SELECT', 'WITH', 'FROM'].some((word) => reader.isAhead(ahead, word));
}

const AFTER_QUERY = [')', 'UNION', 'EXCEPT', 'MINUS', 'INTERSECT', 'ORDER', 'OFFSET', 'FETCH', 'LIMIT', 'SAMPLE_SIZE'];

/** As {@link startsQuery}, behind an open parenthesis: `((select ..) + 1)` begins like a query and is none. */
export function isWholeQuery(reader: TokenReader): boolean {
  if (!startsQuery(reader)) return false;
  return !reader.is('(') || isFollowedAsQuery(reader, 0);
}

/** Whether behind the parenthesis that opens `ahead` stands what goes on with a query. */
export function isFollowedAsQuery(reader: TokenReader, ahead: number): boolean {
  const behind = reader.aheadOfClosing(ahead);
  return AFTER_QUERY.some((word) => reader.isAhead(behind, word));
}
