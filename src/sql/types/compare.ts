/** The sort order of SQL values. */
import { convert } from './convert.ts';
import { compare as compareDecimals, isDecimal } from './decimal.ts';
import type { SqlData, SqlType } from './sql-types.ts';
import { foldCase } from './sql-values.ts';
import { elementType, higherType, isTextType } from './type-order.ts';
import { instantOfZoned } from './zoned-timestamp.ts';

/**
 * Returns a number below 0, 0 or above 0 as `a` sorts before, with or after `b`, both of the type. Strings compare by
 * UTF-16 units, bytes as unsigned numbers, UUIDs by their halves as signed numbers, arrays element by element. NaN
 * sorts above all numbers, NULL below everything.
 */
export function compareData(a: SqlData, b: SqlData, type: SqlType): number {
  if (a === null || b === null) return (a === null ? 0 : 1) - (b === null ? 0 : 1);
  if (typeof a === 'string' && typeof b === 'string') {
    if (type.name === 'TIMESTAMP_TZ') return order(instantOfZoned(a), instantOfZoned(b));
    if (type.name === 'UUID') return order(signedHalves(a), signedHalves(b));
    return type.name === 'VARCHAR_IGNORECASE' ? order(foldCase(a), foldCase(b)) : order(a, b);
  }
  if (typeof a === 'number' && typeof b === 'number') {
    return Number.isNaN(a) || Number.isNaN(b) ? (Number.isNaN(a) ? 1 : 0) - (Number.isNaN(b) ? 1 : 0) : order(a, b);
  }
  if (typeof a === 'bigint' && typeof b === 'bigint') return order(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  if (isDecimal(a) && isDecimal(b)) return compareDecimals(a, b);
  if (Array.isArray(a) && Array.isArray(b)) return compareArrays(a, b, type);
  throw new TypeError(`data of type ${type.name} do not compare: ${typeof a}, ${typeof b}`);
}

function order<T extends string | number | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns a string that sorts as the halves of the UUID do as signed numbers. */
function signedHalves(uuid: string): string {
  const low = uuid.slice(19);
  return `${uuid < '8' ? '1' : '0'}${uuid.slice(0, 18)}${low < '8' ? '1' : '0'}${low}`;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b);
}

function compareArrays(a: readonly SqlData[], b: readonly SqlData[], type: SqlType): number {
  for (let at = 0; at < Math.min(a.length, b.length); at += 1) {
    const difference = compareMixed(
      a[at] ?? null,
      elementType(type, at, a[at] ?? null),
      b[at] ?? null,
      elementType(type, at, b[at] ?? null),
    );
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Compares values of two types in their common type. Throws the errors of {@link convert}. */
export function compareMixed(a: SqlData, aType: SqlType, b: SqlData, bType: SqlType): number {
  if (aType.name === bType.name || (isTextType(aType.name) && isTextType(bType.name))) {
    return compareData(a, b, bType.name === 'VARCHAR_IGNORECASE' ? bType : aType);
  }
  const common = higherType(aType, bType);
  return compareData(convert(a, aType, common), convert(b, bType, common), common);
}
