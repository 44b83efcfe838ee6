/** IN with a list of values: what is looked for, and in which type. */

import { compareData } from '../types/compare.ts';
import { convert, higherType, isIntegerType } from '../types/convert.ts';
import { SqlFailure } from '../types/sql-failure.ts';
import type { SqlType } from '../types/sql-types.ts';
import { BOOLEAN, type Bound, type BoundConstant, constant, isConstant } from './bound.ts';
import { coerceCompared, comparison, isNullConstant, isOpen, nullOf, or, unknownTruth } from './build.ts';

const VARCHAR: SqlType = { name: 'VARCHAR' };

/** Whether the operand is one of the items. Several items are converted to its type, as Ignite does. */
export function inList(operand: Bound, items: readonly Bound[]): Bound {
  if (items.length === 0) return constant(BOOLEAN, false);
  const [only] = items;
  // IN (array) looks into the array: the emitter's matter. A single other value is an equality.
  if (items.length === 1 && only !== undefined && only.type.name !== 'ARRAY') return comparison('=', operand, only);
  if (operand.kind === 'row' || items.some((item) => item.kind === 'row' || item.type.name === 'ARRAY')) {
    return or(items.map((item) => comparison('=', operand, item)));
  }
  if (isNullConstant(operand)) return unknownTruth([operand]);
  if (isConstant(operand) && items.every(isConstant)) return foundAmong(operand, items);
  const type = isOpen(operand.type) ? commonType(items) : { name: operand.type.name };
  if (!items.every((item) => fits(item, type))) return or(items.map((item) => comparison('=', operand, item)));
  return {
    kind: 'inList',
    type: BOOLEAN,
    operand: coerceCompared(operand, type),
    items: items.map((item) => converted(item, type)),
  };
}

/** Known values are looked at one by one, up to the first that is equal. */
function foundAmong(operand: BoundConstant, items: readonly BoundConstant[]): Bound {
  const { type, data } = operand;
  let hasNull = false;
  for (const item of items) {
    if (item.data === null) hasNull = true;
    else if (compareData(data, convert(item.data, item.type, { name: type.name }), type) === 0)
      return constant(BOOLEAN, true);
  }
  return hasNull ? nullOf(BOOLEAN, [operand, ...items]) : constant(BOOLEAN, false);
}

function commonType(items: readonly Bound[]): SqlType {
  const common = items.reduce<SqlType>(
    (type, item) => (isOpen(item.type) ? type : isOpen(type) ? item.type : higherType(type, item.type)),
    { name: 'UNKNOWN' },
  );
  return common.name === 'UNKNOWN' ? VARCHAR : common;
}

function converted(item: Bound, type: SqlType): Bound {
  if (isNullConstant(item)) return constant(type, null);
  // Whole numbers of all sizes are the same cells.
  if (!isConstant(item) && isIntegerType(item.type.name) && isIntegerType(type.name)) return item;
  return coerceCompared(item, type);
}

/** False: a known number that the type cannot hold. It is equal to none of them, and refused by Ignite. */
function fits(item: Bound, type: SqlType): boolean {
  if (!isConstant(item) || item.data === null) return true;
  try {
    convert(item.data, item.type, type);
    return true;
  } catch (failure) {
    if (failure instanceof SqlFailure && (failure.h2Code === 22003 || failure.h2Code === 22004)) return false;
    throw failure;
  }
}
