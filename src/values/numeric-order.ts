/** The order of numbers of any type by their exact amounts. */
import type { Decimal } from './value.ts';

/** The data of any numeric value. */
export type Amount = number | bigint | Decimal;

/** Compares two amounts exactly; -0.0 is less than 0.0, and NaN is greater than everything else. */
export function compareAmounts(a: Amount, b: Amount): number {
  if (typeof a !== 'object' && typeof b !== 'object') {
    if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
    if (a === 0 && b === 0) return Number(Object.is(b, -0)) - Number(Object.is(a, -0));
    return comparePrimitives(a, b);
  }
  if (typeof a === 'number' && !Number.isFinite(a)) return a < 0 ? -1 : 1;
  if (typeof b === 'number' && !Number.isFinite(b)) return b < 0 ? 1 : -1;
  return compareDecimals(toDecimal(a), toDecimal(b));
}

/** Compares two primitives by `<` and `>`: numbers by amount, strings by UTF-16 code units, false before true. */
export function comparePrimitives<T extends string | number | bigint | boolean>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the exact decimal of a finite amount. */
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

/** Compares the amounts of two decimals of any scales. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const sign = comparePrimitives(a.unscaled, 0n);
  const otherSign = comparePrimitives(b.unscaled, 0n);
  if (sign !== otherSign) return sign - otherSign;
  if (sign === 0) return 0;
  const order = magnitudeExponent(a) - magnitudeExponent(b);
  if (order !== 0) return sign * order;
  const scale = Math.max(a.scale, b.scale);
  return comparePrimitives(a.unscaled * 10n ** BigInt(scale - a.scale), b.unscaled * 10n ** BigInt(scale - b.scale));
}

/**
 * Returns the exponent of the first digit. Amounts with the same exponent are scaled by at most
 * the number of their digits.
 */
function magnitudeExponent({ unscaled, scale }: Decimal): number {
  return (unscaled < 0n ? -unscaled : unscaled).toString().length - scale;
}
