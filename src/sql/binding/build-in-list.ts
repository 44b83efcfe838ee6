/** Builds IN with a list of values: the type of the comparison, and the conversions. */

import { SqlFailure } from '../../base/sql-failure.ts';
import { VARCHAR } from '../functions/definition.ts';
import { compareData } from '../types/compare.ts';
import { convert } from '../types/convert.ts';
import type { SqlType } from '../types/sql-types.ts';
import { higherType, isIntegerType } from '../types/type-order.ts';
import { BOOLEAN, type Bound, type BoundConstant, constant, isConstant, isNullConstant, isOpen } from './bound.ts';
import { comparison } from './build.ts';
import { or } from './build-logic.ts';
import { coerceCompared, coerceComparedWhenNeeded } from './coerce.ts';
import { foldedConstant, unknownTruth, whenFolded } from './fold.ts';

/** Builds `operand IN (items)`. Converts the items to the type of the operand, as Ignite does. */
export function inList(operand: Bound, items: readonly Bound[]): Bound {
  if (items.length === 0) return constant(BOOLEAN, false);
  const [only] = items;
  // The engine evaluates IN (array). IN with any other single value is an equality.
  if (items.length === 1 && only !== undefined && only.type.name !== 'ARRAY') return comparison('=', operand, only);
  const isCompound = items.some((item) => item.kind === 'row' || item.type.name === 'ARRAY');
  if (operand.kind === 'row' || operand.type.isAny === true || isCompound) {
    return or(items.map((item) => comparison('=', operand, item)));
  }
  if (isNullConstant(operand)) return unknownTruth([operand]);
  if (isConstant(operand) && items.every(isConstant)) {
    const found = whenFolded([operand, ...items], () => foundAmong(operand, items));
    if (found !== undefined) return found;
  }
  const type = isOpen(operand.type) ? commonType(items) : { name: operand.type.name };
  // Ignite converts a list of constants in one step, any other list row by row.
  const isKnown = items.every(isConstant);
  if (!items.every((item) => fits(item, type, isKnown))) return or(items.map((item) => comparison('=', operand, item)));
  return {
    kind: 'inList',
    type: BOOLEAN,
    operand: coerceCompared(operand, type),
    items: items.map((item) => converted(item, type, isKnown)),
  };
}

/** Evaluates IN over constants, up to the first equal one. */
function foundAmong(operand: BoundConstant, items: readonly BoundConstant[]): Bound {
  const { type, data } = operand;
  let hasNull = false;
  for (const item of items) {
    if (item.data === null) hasNull = true;
    else if (compareData(data, convert(item.data, item.type, { name: type.name }), type) === 0)
      return foldedConstant([operand, ...items], BOOLEAN, true);
  }
  return foldedConstant([operand, ...items], BOOLEAN, hasNull ? null : false);
}

function commonType(items: readonly Bound[]): SqlType {
  const common = items.reduce<SqlType>(
    (type, item) => (isOpen(item.type) ? type : isOpen(type) ? item.type : higherType(type, item.type)),
    { name: 'UNKNOWN' },
  );
  return common.name === 'UNKNOWN' ? VARCHAR : common;
}

function converted(item: Bound, type: SqlType, isKnown: boolean): Bound {
  if (isNullConstant(item)) return constant(type, null);
  // Integers of all sizes have the same storage values.
  if (!isConstant(item) && isIntegerType(item.type.name) && isIntegerType(type.name)) return item;
  return isKnown ? coerceCompared(item, type) : coerceComparedWhenNeeded(item, type);
}

/**
 * Returns false for a constant number outside the type's range, which no value equals. Throws for any other constant
 * that cannot be converted, if the whole list is known.
 */
function fits(item: Bound, type: SqlType, isKnown: boolean): boolean {
  if (!isConstant(item) || item.data === null) return true;
  try {
    convert(item.data, item.type, type);
    return true;
  } catch (failure) {
    if (failure instanceof SqlFailure && (failure.h2Code === 22003 || failure.h2Code === 22004)) return false;
    if (item.deferred === true || !isKnown) return true;
    throw failure;
  }
}
