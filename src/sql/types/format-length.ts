/** The limit of patterns that parse and format dates and numbers. */
import { gridError } from '../../base/errors.ts';
import { SQL_FUNCTION_BOUNDS } from '../../base/limits.ts';

/** Throws LIMIT_EXCEEDED for a pattern that is too long. */
export function checkFormat(pattern: string): void {
  const limit = SQL_FUNCTION_BOUNDS.formatCharacters;
  if (pattern.length > limit)
    throw gridError('LIMIT_EXCEEDED', 'characters of a format', limit, pattern.length, 'fixed');
}
