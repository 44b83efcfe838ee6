/**
 * Equality and order of values by the rules of the port: typed (integer 5 is not long 5), NaN equals NaN, 0.0 is not
 * -0.0, decimals with another scale differ, the order of an object's fields counts, that of a map's entries does not.
 */
import type { Decimal, Field, Value, ValueOf, ValueType } from './value.ts';

/** Whether two values are the same value. */
export function equalValues(a: Value, b: Value): boolean {
  if (a === b) return true;
  switch (a.type) {
    case 'null':
      return b.type === 'null';
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
      return a.type === b.type && Object.is(a.data, b.data);
    case 'decimal':
      return b.type === 'decimal' && a.data.scale === b.data.scale && a.data.unscaled === b.data.unscaled;
    case 'bytes':
      return b.type === 'bytes' && equalBytes(a.data, b.data);
    case 'list':
      return b.type === 'list' && equalItems(a.data, b.data);
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
}

function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
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
 * A text that is the same for equal values and for them alone, for maps that are keyed by values. Parts carry their
 * length, so that no two values can read alike.
 */
export function keyOf(value: Value): string {
  switch (value.type) {
    case 'string':
      return `s${value.data}`;
    case 'null':
      return 'n';
    case 'boolean':
    case 'byte':
    case 'short':
    case 'integer':
    case 'long':
    case 'char':
    case 'date':
    case 'time':
    case 'timestamp':
    case 'instant':
    case 'uuid':
    case 'gridUuid':
    case 'bigInteger':
      return `${value.type}:${value.data}`;
    case 'float':
    case 'double':
      return `${value.type}:${Object.is(value.data, -0) ? '-0' : value.data}`;
    case 'decimal':
      return `decimal:${value.data.unscaled}:${value.data.scale}`;
    case 'bytes':
      return `bytes:${value.data.toBase64()}`;
    case 'list':
      return `list:${joinParts(value.data.map(keyOf))}`;
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
}

function joinParts(parts: readonly string[]): string {
  let joined = '';
  for (const part of parts) joined += `${part.length}.${part}`;
  return joined;
}

/** Rank of each type; numbers of all types share one, so that they compare by amount first. */
const RANKS: { readonly [T in ValueType]: number } = {
  null: 0,
  boolean: 1,
  byte: 2,
  short: 2,
  integer: 2,
  long: 2,
  float: 2,
  double: 2,
  bigInteger: 2,
  decimal: 2,
  char: 3,
  string: 3,
  date: 4,
  time: 5,
  timestamp: 6,
  instant: 7,
  uuid: 8,
  gridUuid: 9,
  bytes: 10,
  array: 11,
  list: 12,
  map: 13,
  object: 14,
  enum: 15,
  opaque: 16,
};

/**
 * A total order of values, consistent with equality: null, booleans, numbers of all types by amount (NaN last), texts
 * by their UTF-16 units as Java's, dates, times and so on by type; values of one amount but several types stand in a
 * fixed order.
 */
export function compareValues(a: Value, b: Value): number {
  const byRank = RANKS[a.type] - RANKS[b.type];
  if (byRank !== 0) return byRank;
  return compareSameRank(a, b) || compare(keyOf(a), keyOf(b));
}

function compare<T extends string | number | bigint | boolean>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareSameRank(a: Value, b: Value): number {
  const left = amountOf(a);
  const right = amountOf(b);
  if (left !== undefined && right !== undefined) return compareAmounts(left, right);
  if (a.type === 'timestamp' && b.type === 'timestamp') return compare(a.data, b.data);
  if (a.type === 'date' && b.type === 'date') return compare(a.data, b.data);
  if (a.type === 'time' && b.type === 'time') return compare(a.data, b.data);
  if (a.type === 'instant' && b.type === 'instant') return compare(a.data, b.data);
  if (a.type === 'boolean' && b.type === 'boolean') return compare(a.data, b.data);
  if ((a.type === 'string' || a.type === 'char') && (b.type === 'string' || b.type === 'char')) {
    return compare(a.data, b.data);
  }
  if (a.type === 'bytes' && b.type === 'bytes') return compareSequences([...a.data], [...b.data], compare);
  if (a.type === 'list' && b.type === 'list') return compareSequences(a.data, b.data, compareValues);
  if (a.type === 'array' && b.type === 'array') return compareSequences(a.data, b.data, compareValues);
  return 0;
}

function compareSequences<T>(a: readonly T[], b: readonly T[], compareItems: (a: T, b: T) => number): number {
  for (const [index, left] of a.entries()) {
    const right = b[index];
    if (right === undefined) return 1;
    const order = compareItems(left, right);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

type Amount = number | bigint | Decimal;

function amountOf(value: Value): Amount | undefined {
  const isNumber = RANKS[value.type] === RANKS.integer && value.type !== 'null' && 'data' in value;
  const data = isNumber ? value.data : undefined;
  if (typeof data === 'number' || typeof data === 'bigint') return data;
  return value.type === 'decimal' ? value.data : undefined;
}

function compareAmounts(a: Amount, b: Amount): number {
  if (typeof a !== 'object' && typeof b !== 'object') {
    if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
    if (a === 0 && b === 0) return Number(Object.is(b, -0)) - Number(Object.is(a, -0));
    return a < b ? -1 : a > b ? 1 : 0;
  }
  if (typeof a === 'number' && !Number.isFinite(a)) return a < 0 ? -1 : 1;
  if (typeof b === 'number' && !Number.isFinite(b)) return b < 0 ? 1 : -1;
  return compareDecimals(toDecimal(a), toDecimal(b));
}

/** The exact decimal of a finite amount. */
function toDecimal(amount: Amount): Decimal {
  if (typeof amount === 'object') return amount;
  if (typeof amount === 'bigint' || Number.isInteger(amount)) return { unscaled: BigInt(amount), scale: 0 };
  let scale = 0;
  let scaled = amount;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    scale++;
  }
  return { unscaled: BigInt(scaled) * 5n ** BigInt(scale), scale };
}

/** Compares the amounts of two decimals, whatever their scales. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const sign = compare(a.unscaled, 0n);
  const otherSign = compare(b.unscaled, 0n);
  if (sign !== otherSign) return sign - otherSign;
  if (sign === 0) return 0;
  const order = magnitudeExponent(a) - magnitudeExponent(b);
  if (order !== 0) return sign * order;
  const scale = Math.max(a.scale, b.scale);
  return compare(a.unscaled * 10n ** BigInt(scale - a.scale), b.unscaled * 10n ** BigInt(scale - b.scale));
}

/** Exponent of the first digit; two amounts of one exponent differ in scale by their digits alone. */
function magnitudeExponent({ unscaled, scale }: Decimal): number {
  return (unscaled < 0n ? -unscaled : unscaled).toString().length - scale;
}
