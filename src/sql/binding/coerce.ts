/** Conversions of bound expressions: explicit ones, and those that operators and arguments imply. */

import { SqlFailure } from '../../base/sql-failure.ts';
import { CAST_SCALES, convert } from '../types/convert.ts';
import type { SqlType } from '../types/sql-types.ts';
import { BOOLEAN, type Bound, constant, isConstant, isOpen, isUnknown } from './bound.ts';

/** Converts an expression to the type. Parameters without a type get it, as do objects, which have no conversion. */
export function coerce(bound: Bound, type: SqlType, options: { compared?: boolean; written?: boolean } = {}): Bound {
  if (bound.kind === 'parameter' && (isUnknown(bound) || (bound.type.name === 'OTHER' && !isOpen(type)))) {
    return { ...bound, type, compared: options.compared ?? false };
  }
  if (type.name === 'UNKNOWN' || type.name === 'NULL') return bound;
  const unconverted: Bound = { kind: 'convert', type, operand: bound, written: options.written ?? false };
  if (isConstant(bound)) {
    try {
      const converted = constant(type, convert(bound.data, bound.type, type));
      return bound.deferred === true ? { ...converted, deferred: true } : converted;
    } catch (failure) {
      // Ignite converts a deferred value only when a row needs it.
      if (bound.deferred === true && failure instanceof SqlFailure) return unconverted;
      throw failure;
    }
  }
  if (bound.type.name === type.name && !narrows(bound.type, type)) {
    return options.written === true ? { kind: 'convert', type, operand: bound, written: true } : bound;
  }
  return unconverted;
}

/** Builds an explicit CAST, which also rounds the seconds of times and timestamps. */
export function castTo(bound: Bound, type: SqlType): Bound {
  const written = coerce(bound, type, { written: true });
  const scale = type.scale ?? CAST_SCALES.get(type.name);
  if (scale === undefined || !CAST_SCALES.has(type.name)) return written;
  const rounded: SqlType = { ...type, scale };
  if (isConstant(written)) return { ...written, data: convert(written.data, type, rounded) };
  return { kind: 'convert', type: rounded, operand: written, written: false };
}

/** Like {@link coerce}, but a constant remembers how it was written, for the deparser. */
export function operandOf(bound: Bound, type: SqlType): Bound {
  const coerced = coerce(bound, type);
  return isConstant(bound) && isConstant(coerced) ? { ...coerced, written: bound.written ?? bound } : coerced;
}

/** Converts an operand of a comparison. Ignores precision and scale, so that nothing is truncated or rounded. */
export function coerceCompared(bound: Bound, type: SqlType): Bound {
  return coerce(bound, withoutBounds(type), { compared: true });
}

/** Like {@link operandOf}, but an error of the conversion is deferred until a row needs the value. */
export function operandWhenNeeded(bound: Bound, type: SqlType): Bound {
  return orWhenNeeded(bound, type, operandOf);
}

/** Like {@link coerce}, but an error of the conversion is deferred until a row needs the value. */
export function coerceWhenNeeded(bound: Bound, type: SqlType): Bound {
  return orWhenNeeded(bound, type, (given, wanted) => coerce(given, wanted));
}

/** Like {@link coerceCompared}, but an error of the conversion is deferred until a row needs the value. */
export function coerceComparedWhenNeeded(bound: Bound, type: SqlType): Bound {
  return orWhenNeeded(bound, withoutBounds(type), coerceCompared);
}

function orWhenNeeded(bound: Bound, type: SqlType, convertNow: (bound: Bound, type: SqlType) => Bound): Bound {
  try {
    return convertNow(bound, type);
  } catch (failure) {
    if (!(failure instanceof SqlFailure)) throw failure;
    return { kind: 'convert', type, operand: bound, written: false };
  }
}

export function condition(bound: Bound): Bound {
  return coerce(bound, BOOLEAN);
}

/** Returns the type without precision and scale. */
export function withoutBounds(type: SqlType): SqlType {
  const { name, element, elements, className, isAny } = type;
  return { name, element, elements, className, isAny };
}

/** Returns whether a conversion within one type can change values. */
function narrows(from: SqlType, to: SqlType): boolean {
  if (to.precision !== undefined && (from.precision === undefined || from.precision > to.precision)) return true;
  return to.name === 'DECIMAL' && to.scale !== undefined && from.scale !== to.scale;
}
