/** Folds operations over constants, with the result types that Ignite uses. */
import { SQL_FUNCTION_BOUNDS } from '../../base/limits.ts';
import { SqlFailure } from '../../base/sql-failure.ts';
import { sizeOf } from '../types/data-size.ts';
import type { SqlData, SqlType } from '../types/sql-types.ts';
import {
  BOOLEAN,
  type Bound,
  type BoundConstant,
  constant,
  isConstant,
  isNullConstant,
  isOpen,
  NULL_TYPE,
} from './bound.ts';

/**
 * Returns whether Ignite evaluates the expression while parsing the statement. It does not evaluate a NULL that was
 * cast, so results keep their type.
 */
export function isFolded(bound: Bound): boolean {
  return isConstant(bound) && bound.deferred !== true && (bound.data !== null || isOpen(bound.type));
}

/** Returns whether the constants are small enough to be evaluated before the statement runs. */
export function isSmall(operands: readonly Bound[]): boolean {
  const size = operands.reduce((sum, operand) => sum + (isConstant(operand) ? sizeOf(operand.data) : 0), 0);
  return size <= SQL_FUNCTION_BOUNDS.foldedSize;
}

/** Folds an operation. Returns undefined if it fails, but only at run time, or if the result is too large. */
export function folded(operands: readonly Bound[], type: SqlType, compute: () => SqlData): BoundConstant | undefined {
  return whenFolded(operands, () => {
    const data = compute();
    return sizeOf(data) > SQL_FUNCTION_BOUNDS.foldedSize ? undefined : foldedConstant(operands, type, data);
  });
}

/** Returns the result of folding a function over the operands. Returns undefined if it fails, but only at run time. */
export function whenFolded<T>(operands: readonly Bound[], fold: () => T): T | undefined {
  try {
    return fold();
  } catch (failure) {
    if (failure instanceof SqlFailure && !operands.every(isFolded)) return undefined;
    throw failure;
  }
}

/** Returns the constant computed from the operands by an operation. */
export function foldedConstant(operands: readonly Bound[], type: SqlType, data: SqlData): BoundConstant {
  if (data === null) return nullOf(type, operands);
  return operands.every(isFolded) ? constant(type, data) : { ...constant(type, data), deferred: true };
}

/** Returns NULL as the result of an operation; without a type if Ignite evaluates all operands while parsing. */
export function nullOf(type: SqlType, operands: readonly Bound[]): BoundConstant {
  return constant(operands.every(isFolded) ? NULL_TYPE : type, null);
}

/** Returns the result of a test with a NULL operand. */
export function unknownTruth(operands: readonly Bound[]): BoundConstant {
  const bare = operands.some((operand) => isNullConstant(operand) && isOpen(operand.type));
  return constant(bare ? NULL_TYPE : BOOLEAN, null);
}
