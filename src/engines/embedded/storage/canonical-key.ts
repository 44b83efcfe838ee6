/**
 * The form in which keys are stored: one form for all equal keys. The entries of a map have a fixed order, because a
 * HashMap in Java has none, and a set is stored as a list. Decimals in table keys have no trailing zeros after the
 * point, because SQL compares them by number; in other entries, 1.0 and 1.00 are different keys, as in Ignite.
 */
import { isWithinBounds } from '../../../values/decimal-bounds.ts';
import type { Decimal, Value } from '../../../values/value.ts';
import { withoutZeros } from './decimal-storage.ts';

/** Returns the exact text of a value; different values have different texts. */
type TextOf = (value: Value) => string;

export interface KeyForm {
  readonly textOf: TextOf;
  /** Whether decimals that are equal in SQL are the same key. */
  readonly isOfTable: boolean;
}

/** Returns the stored form of a key. Map entries are in the order of their keys' texts. */
export function canonicalKey(key: Value, keyForm: KeyForm): Value {
  const form = canonical(key, keyForm);
  return form.type === 'list' ? { type: 'list', data: form.data } : form;
}

/** Returns the only form of a decimal for this number: without zeros after the point, and without an exponent. */
export function canonicalDecimal({ unscaled, scale }: Decimal): Decimal {
  if (unscaled === 0n) return { unscaled: 0n, scale: 0 };
  if (scale <= 0) {
    const whole = { unscaled: unscaled * 10n ** BigInt(-scale), scale: 0 };
    // Only numbers from a cluster or written with an exponent are larger.
    return isWithinBounds(whole) ? whole : withoutTrailingZeros(unscaled, scale, Number.NEGATIVE_INFINITY);
  }
  return withoutTrailingZeros(unscaled, scale, 0);
}

/** Removes trailing zeros of a number other than 0, until the scale is `minScale`. */
function withoutTrailingZeros(unscaled: bigint, scale: number, minScale: number): Decimal {
  const digits = unscaled.toString();
  const zeros = Math.min(digits.length - withoutZeros(digits).length, scale - minScale);
  return zeros === 0 ? { unscaled, scale } : { unscaled: BigInt(digits.slice(0, -zeros)), scale: scale - zeros };
}

function canonical(value: Value, form: KeyForm): Value {
  switch (value.type) {
    case 'decimal':
      return form.isOfTable ? { type: 'decimal', data: canonicalDecimal(value.data) } : value;
    case 'list':
    case 'array':
      return { ...value, data: value.data.map((item) => canonical(item, form)) };
    case 'map': {
      const pairs = value.data.map(([key, item]) => [canonical(key, form), canonical(item, form)] as const);
      const order = new Map(pairs.map((pair) => [pair, form.textOf(pair[0])]));
      return { type: 'map', data: pairs.toSorted((left, right) => compare(order.get(left), order.get(right))) };
    }
    case 'object':
      return { ...value, fields: value.fields.map((field) => ({ ...field, value: canonical(field.value, form) })) };
    case 'null':
    case 'boolean':
    case 'byte':
    case 'short':
    case 'integer':
    case 'long':
    case 'float':
    case 'double':
    case 'char':
    case 'string':
    case 'date':
    case 'time':
    case 'timestamp':
    case 'instant':
    case 'uuid':
    case 'gridUuid':
    case 'bigInteger':
    case 'bytes':
    case 'enum':
    case 'opaque':
      return value;
  }
}

function compare(left = '', right = ''): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
