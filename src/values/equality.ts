/**
 * Equality and order of values. Equality is typed: integer 5 does not equal long 5, NaN equals NaN, 0.0 does not equal
 * -0.0, and decimals of different scales differ. The order of an object's fields matters, the order of a map's entries
 * and a set's items does not. A set does not equal a list.
 */
import { comparePrimitives } from './numeric-order.ts';
import { compareScalars, equalScalars, isScalar, keyOfScalar, SCALAR_TRAITS } from './scalar-traits.ts';
import type { Field, ScalarTypeName, SetKind, Value, ValueOf, ValueType } from './value.ts';

/** Reports whether two values are equal. */
export function equalValues(a: Value, b: Value): boolean {
  if (a === b) return true;
  switch (a.type) {
    case 'null':
      return b.type === 'null';
    case 'list':
      return b.type === 'list' && (isSet(a) || isSet(b) ? keyOf(a) === keyOf(b) : equalItems(a.data, b.data));
    case 'array':
      return b.type === 'array' && a.element === b.element && equalItems(a.data, b.data);
    case 'map':
      return b.type === 'map' && equalMaps(a, b);
    case 'object':
      return b.type === 'object' && a.typeName === b.typeName && equalFields(a.fields, b.fields);
    case 'enum':
      return b.type === 'enum' && a.typeName === b.typeName && a.ordinal === b.ordinal;
    case 'opaque':
      return b.type === 'opaque' && a.className === b.className && a.text === b.text;
  }
  return a.type === b.type && equalScalars(a.type, a, b);
}

/** Reports whether a list is a set. */
export function isSet(list: ValueOf<'list'>): list is ValueOf<'list'> & { readonly kind: SetKind } {
  return list.kind !== undefined && list.kind !== 'linkedList';
}

function equalItems(a: readonly Value[], b: readonly Value[]): boolean {
  return a.length === b.length && a.every((item, index) => equalAt(item, b[index]));
}

function equalAt(a: Value, b: Value | undefined): boolean {
  return b !== undefined && equalValues(a, b);
}

function equalFields(a: readonly Field[], b: readonly Field[]): boolean {
  return (
    a.length === b.length &&
    a.every((field, index) => field.name === b[index]?.name && equalAt(field.value, b[index]?.value))
  );
}

function equalMaps(a: ValueOf<'map'>, b: ValueOf<'map'>): boolean {
  return a.data.length === b.data.length && keyOf(a) === keyOf(b);
}

/**
 * Returns a string that is equal for equal values and different for all others: the key for maps keyed by values. Parts
 * carry their length, so no two values share a key.
 */
export function keyOf(value: Value): string {
  switch (value.type) {
    case 'null':
      return 'n';
    case 'list': {
      const parts = value.data.map(keyOf);
      return isSet(value) ? `set:${joinParts(parts.sort())}` : `list:${joinParts(parts)}`;
    }
    case 'array':
      return `array:${value.element}:${joinParts(value.data.map(keyOf))}`;
    case 'map':
      return `map:${joinParts(value.data.map(([key, item]) => joinParts([keyOf(key), keyOf(item)])).sort())}`;
    case 'object':
      return `object:${joinParts([value.typeName, ...value.fields.flatMap((each) => [each.name, keyOf(each.value)])])}`;
    case 'enum':
      return `enum:${joinParts([value.typeName, String(value.ordinal)])}`;
    case 'opaque':
      return `opaque:${joinParts([value.className, value.text])}`;
  }
  return keyOfScalar(value.type, value);
}

function joinParts(parts: readonly string[]): string {
  let joined = '';
  for (const part of parts) joined += `${part.length}.${part}`;
  return joined;
}

/** Ranks of the non-scalar types; SCALAR_TRAITS has the ranks of the others, from 1 to 10. */
const RANKS: { readonly [T in Exclude<ValueType, ScalarTypeName>]: number } = {
  null: 0,
  array: 11,
  list: 12,
  map: 13,
  object: 14,
  enum: 15,
  opaque: 16,
};

function rankOf(value: Value): number {
  return isScalar(value) ? SCALAR_TRAITS[value.type].order.rank : RANKS[value.type];
}

/**
 * Compares two values in a total order that is consistent with equality: null, booleans, numbers of all types by amount
 * (NaN last), strings by UTF-16 code units as in Java, then dates, times and so on by type. Values with the same amount
 * but different types are in a fixed order.
 */
export function compareValues(a: Value, b: Value): number {
  const byRank = rankOf(a) - rankOf(b);
  if (byRank !== 0) return byRank;
  return compareSameRank(a, b) || comparePrimitives(keyOf(a), keyOf(b));
}

function compareSameRank(a: Value, b: Value): number {
  if (isScalar(a) && isScalar(b)) return compareScalars(a.type, a, b);
  if (a.type === 'list' && b.type === 'list') return isSet(a) || isSet(b) ? 0 : compareItems(a.data, b.data);
  if (a.type === 'array' && b.type === 'array') return compareItems(a.data, b.data);
  return 0;
}

/** Compares item by item; a prefix comes first. */
function compareItems(a: readonly Value[], b: readonly Value[]): number {
  for (const [index, left] of a.entries()) {
    const right = b[index];
    if (right === undefined) return 1;
    const order = compareValues(left, right);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}
