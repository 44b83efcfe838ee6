/** Builds LIKE, ILIKE and REGEXP. Folds constants, and replaces LIKE without wildcards by an equality. */

import { SQL_FUNCTION_BOUNDS } from '../../base/limits.ts';
import { VARCHAR } from '../functions/definition.ts';
import { DEFAULT_ESCAPE, escapeCharacter, matchesLike, parseLike } from '../functions/like.ts';
import type { SqlType } from '../types/sql-types.ts';
import { BOOLEAN, type Bound, constant, isConstant, isNullConstant, isOpen, NULL_TYPE } from './bound.ts';
import { comparison } from './build.ts';
import { isNull } from './build-logic.ts';
import { castTo, coerce } from './coerce.ts';
import { foldedConstant, unknownTruth } from './fold.ts';

const IGNORING_CASE: SqlType = { name: 'VARCHAR_IGNORECASE' };

export function like(operand: Bound, pattern: Bound, escapedBy: Bound | undefined, ignoreCase: boolean): Bound {
  const operands = escapedBy === undefined ? [operand, pattern] : [operand, pattern, escapedBy];
  if (isEverything(pattern) && isNullConstant(operand) && !isOpen(operand.type))
    return foldedConstant(operands, BOOLEAN, false);
  if (operands.some(isNullConstant)) return unknownTruth(operands);
  const ignoresCase = ignoreCase || operand.type.name === 'VARCHAR_IGNORECASE';
  const text = coerce(operand, VARCHAR);
  const typedPattern = coerce(pattern, VARCHAR);
  const typedEscape = escapedBy === undefined ? undefined : coerce(escapedBy, VARCHAR);
  if (endsInEscape(typedPattern, typedEscape)) return constant(NULL_TYPE, null);
  if (!isConstant(text) && typedEscape === undefined) {
    const compared = ignoreCase ? castTo(operand, IGNORING_CASE) : text;
    if (isEverything(typedPattern)) return isNull(compared, true);
    const literal = ignoresCase && !ignoreCase ? undefined : literalPattern(typedPattern);
    if (literal !== undefined) return comparison('=', compared, constant(VARCHAR, literal));
  }
  const isQuick =
    isConstant(text) && isConstant(typedPattern) && isQuickMatch(String(text.data), String(typedPattern.data));
  if (
    isQuick &&
    isConstant(text) &&
    isConstant(typedPattern) &&
    (typedEscape === undefined || isConstant(typedEscape))
  ) {
    const character = typedEscape === undefined ? DEFAULT_ESCAPE : escapeCharacter(String(typedEscape.data));
    const matches = matchesLike(String(text.data), String(typedPattern.data), character, ignoresCase);
    return foldedConstant(operands, BOOLEAN, matches);
  }
  return {
    kind: 'like',
    type: BOOLEAN,
    operand: text,
    pattern: typedPattern,
    escapedBy: typedEscape,
    ignoreCase: ignoresCase,
  };
}

/** Returns whether every match of these lengths takes only a fraction of a millisecond. */
function isQuickMatch(text: string, pattern: string): boolean {
  return text.length * pattern.length <= SQL_FUNCTION_BOUNDS.foldedSize;
}

/** Returns whether the pattern is `%`, which matches everything but NULL. */
function isEverything(pattern: Bound): boolean {
  return isConstant(pattern) && pattern.data === '%';
}

/** Returns whether a constant pattern ends in its escape character. */
function endsInEscape(pattern: Bound, escapedBy: Bound | undefined): boolean {
  if (!isConstant(pattern) || (escapedBy !== undefined && !isConstant(escapedBy))) return false;
  const character = escapedBy === undefined ? DEFAULT_ESCAPE : escapeCharacter(String(escapedBy.data));
  return parseLike(String(pattern.data), character) === undefined;
}

/** Returns the string that a constant pattern without wildcards matches. */
function literalPattern(pattern: Bound): string | undefined {
  if (!isConstant(pattern) || typeof pattern.data !== 'string') return undefined;
  const parts = parseLike(pattern.data, DEFAULT_ESCAPE) ?? [];
  const [only] = parts;
  return parts.length === 1 && only?.kind === 'text' ? only.text : undefined;
}

export function regexp(operand: Bound, pattern: Bound, ignoreCase: boolean): Bound {
  if (isNullConstant(operand) || isNullConstant(pattern)) return unknownTruth([operand, pattern]);
  const ignoresCase = ignoreCase || operand.type.name === 'VARCHAR_IGNORECASE';
  const [text, expression] = [coerce(operand, VARCHAR), coerce(pattern, VARCHAR)];
  // Ignite mistakes this pattern for a LIKE pattern.
  if (isEverything(expression) && !isConstant(text))
    return isNull(ignoreCase ? castTo(operand, IGNORING_CASE) : text, true);
  // Not folded, since a match can take long.
  return { kind: 'regexp', type: BOOLEAN, operand: text, pattern: expression, ignoreCase: ignoresCase };
}
