/** Builds AND, OR, NOT and IS NULL, and folds them over constants. */

import { BOOLEAN, type Bound, constant, isConstant, isNullConstant } from './bound.ts';
import { condition } from './coerce.ts';
import { ordered } from './evaluation-order.ts';
import { foldedConstant, isFolded, nullOf, unknownTruth } from './fold.ts';

export function and(operands: readonly Bound[]): Bound {
  return logic('and', operands, false);
}

export function or(operands: readonly Bound[]): Bound {
  return logic('or', operands, true);
}

/** Builds AND or OR. `decisive` is the constant that determines the result regardless of the other operands. */
function logic(kind: 'and' | 'or', operands: readonly Bound[], decisive: boolean): Bound {
  const kept: Bound[] = [];
  let unknown = false;
  for (const operand of operands) {
    const truth = condition(operand);
    if (!isConstant(truth)) kept.push(operand);
    // Returns the operand as written, since 0 AND 1 is the number 0.
    else if (truth.data === decisive) return operands.every(isConstant) ? earliest(operands, operand, decisive) : truth;
    else if (truth.data === null) unknown = true;
  }
  if (kept.length === 0 && unknown) return nullOf(BOOLEAN, operands);
  if (unknown) kept.push(constant(BOOLEAN, null));
  const [first, ...others] = kept;
  if (first === undefined) return foldedConstant(operands, BOOLEAN, !decisive);
  if (others.length === 0) return first.kind === 'parameter' ? condition(first) : first;
  return ordered(kind, [condition(first), ...others.map(condition)]);
}

/** Returns the decisive operand, or the one that Ignite evaluates during parsing regardless of the others. */
function earliest(operands: readonly Bound[], decisiveOne: Bound, decisive: boolean): Bound {
  if (isFolded(decisiveOne)) return decisiveOne;
  return operands.find((one) => isConstant(one) && one.data === decisive && isFolded(one)) ?? decisiveOne;
}

export function not(operand: Bound): Bound {
  if (isNullConstant(operand)) return unknownTruth([operand]);
  const typed = condition(operand);
  if (isConstant(typed)) return foldedConstant([operand], BOOLEAN, typed.data !== true);
  return { kind: 'not', type: BOOLEAN, operand: typed };
}

export function isNull(operand: Bound, isNegated: boolean): Bound {
  if (isConstant(operand)) return foldedConstant([operand], BOOLEAN, (operand.data === null) !== isNegated);
  return { kind: 'isNull', type: BOOLEAN, operand, negated: isNegated };
}
