/**
 * Exact decimal arithmetic: a decimal is `unscaled * 10 ** -scale`. Results have the same scales as in Ignite, which
 * are those of java.math.BigDecimal, except that a quotient has 25 more fractional digits than its dividend.
 */

import { DECIMAL_BOUNDS } from '../../base/limits.ts';
import { sqlFailure } from '../../base/sql-errors.ts';
import { areDigitsWithinBounds, isScaleWithinBounds, isWithinBounds } from '../../values/decimal-bounds.ts';
import type { Decimal } from '../../values/value.ts';

/** Fractional digits of a quotient in addition to the dividend's. */
const QUOTIENT_SCALE_ADDED = 25;
/** Strings of at least this length are written with an exponent. */
const PLAIN_TEXT_MAX = 40;
/** Powers of ten that align numbers within the bounds. */
const MAX_POWER = 3 * DECIMAL_BOUNDS.scale;

export type Rounding = 'halfUp' | 'halfDown' | 'halfEven' | 'down' | 'ceiling' | 'floor';

export const ZERO: Decimal = Object.freeze({ unscaled: 0n, scale: 0 });

/** Creates a decimal. Zero of scale 0 is a shared object. */
export function decimal(unscaled: bigint, scale = 0): Decimal {
  return unscaled === 0n && scale === 0 ? ZERO : { unscaled, scale };
}

export function isDecimal(data: unknown): data is Decimal {
  return typeof data === 'object' && data !== null && 'unscaled' in data && 'scale' in data;
}

/** Returns `10 ** exponent`. Small powers come from a table, because every aligned operation needs them. */
const POWERS: readonly bigint[] = Array.from({ length: 64 }, (_, exponent) => 10n ** BigInt(exponent));
/** Returns a power of ten. Throws 22003 for one that only out-of-bounds numbers need. */
export function powerOfTen(exponent: number): bigint {
  const known = POWERS[exponent];
  if (known !== undefined) return known;
  if (exponent > MAX_POWER) throw sqlFailure('DECIMAL_OUT_OF_BOUNDS');
  return 10n ** BigInt(exponent);
}

/** Creates the decimal for a result. Throws 22003 if it is out of bounds. */
function bounded(unscaled: bigint, scale: number): Decimal {
  const result = decimal(unscaled, scale);
  if (!isWithinBounds(result)) throw sqlFailure('DECIMAL_OUT_OF_BOUNDS');
  return result;
}

function unscaledAt(a: Decimal, scale: number): bigint {
  return a.unscaled * powerOfTen(scale - a.scale);
}

export function add(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return bounded(unscaledAt(a, scale) + unscaledAt(b, scale), scale);
}

export function subtract(a: Decimal, b: Decimal): Decimal {
  return add(a, negate(b));
}

export function multiply(a: Decimal, b: Decimal): Decimal {
  return bounded(a.unscaled * b.unscaled, a.scale + b.scale);
}

export function negate(a: Decimal): Decimal {
  return decimal(-a.unscaled, a.scale);
}

/**
 * Divides with Ignite's scale: 25 more fractional digits than the dividend, rounded half down, then without trailing
 * zeros. The divisor must not be zero.
 */
export function divide(a: Decimal, b: Decimal): Decimal {
  const scale = Math.min(a.scale + QUOTIENT_SCALE_ADDED, DECIMAL_BOUNDS.scale);
  const shift = scale - a.scale + b.scale;
  const numerator = shift >= 0 ? a.unscaled * powerOfTen(shift) : a.unscaled;
  const denominator = shift >= 0 ? b.unscaled : b.unscaled * powerOfTen(-shift);
  const quotient = divideRounded(numerator, denominator, 'halfDown');
  if (quotient === 0n) return ZERO;
  return scale > 0 && quotient % 2n === 0n ? stripTrailingZeros(bounded(quotient, scale)) : bounded(quotient, scale);
}

/** Returns the remainder of `a / b`, with the sign of `a`. The divisor must not be zero. */
export function remainder(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  const preferred = a.scale - b.scale;
  const stripped = stripTrailingZeros(decimal(unscaledAt(a, scale) / unscaledAt(b, scale)), preferred);
  const quotient = stripped.scale < preferred ? setScale(stripped, preferred) : stripped;
  return subtract(a, multiply(quotient, b));
}

/** Returns a number below 0, 0 or above 0 as `a` is less than, equal to or greater than `b`. 1.0 equals 1.00. */
export function compare(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale);
  const left = unscaledAt(a, scale);
  const right = unscaledAt(b, scale);
  return left < right ? -1 : left > right ? 1 : 0;
}

export function signum(a: Decimal): number {
  return a.unscaled > 0n ? 1 : a.unscaled < 0n ? -1 : 0;
}

/** Returns the number of digits in the unscaled number; 1 for zero. */
export function precision(a: Decimal): number {
  const text = a.unscaled.toString();
  return a.unscaled < 0n ? text.length - 1 : text.length;
}

/** Rounds to `scale` fractional digits. */
export function setScale(a: Decimal, scale: number, rounding: Rounding = 'halfUp'): Decimal {
  if (scale >= a.scale) return bounded(unscaledAt(a, scale), scale);
  return bounded(divideRounded(a.unscaled, powerOfTen(a.scale - scale), rounding), scale);
}

/** Removes trailing zeros down to a scale of `minScale`. The scale of zero becomes 0 or `minScale`. */
export function stripTrailingZeros(a: Decimal, minScale = Number.NEGATIVE_INFINITY): Decimal {
  if (a.unscaled === 0n) return decimal(0n, Number.isFinite(minScale) ? minScale : 0);
  let { unscaled, scale } = a;
  while (scale > minScale && unscaled % 10n === 0n) {
    unscaled /= 10n;
    scale -= 1;
  }
  return decimal(unscaled, scale);
}

/** Rounds to an integer. */
export function toBigInt(a: Decimal, rounding: Rounding = 'halfUp'): bigint {
  return setScale(a, 0, rounding).unscaled;
}

/** Returns the nearest double, or an infinity if out of range. */
export function toDouble(a: Decimal): number {
  if (a.scale === 0) return Number(a.unscaled);
  return Number(`${a.unscaled}E${-a.scale}`);
}

const DECIMAL_TEXT = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,10}))?$/;

/**
 * Parses `[+-]digits[.digits][E[+-]digits]` and keeps the written scale. Returns undefined for any other string. Throws
 * 22003 if the number is out of bounds.
 */
export function parseDecimal(text: string): Decimal | undefined {
  const match = DECIMAL_TEXT.exec(text);
  if (match === null) return undefined;
  const whole = match[2] ?? '';
  const fraction = match[3] ?? '';
  if (whole.length + fraction.length === 0) return undefined;
  const scale = fraction.length - Number(match[4] ?? '0');
  const written = whole + fraction;
  if (!isScaleWithinBounds(scale) || !areDigitsWithinBounds(written)) throw sqlFailure('DECIMAL_OUT_OF_BOUNDS');
  const digits = BigInt(written);
  return decimal(match[1] === '-' ? -digits : digits, scale);
}

function withPoint(digits: string, scale: number): string {
  const padded = digits.padStart(scale + 1, '0');
  return `${padded.slice(0, padded.length - scale)}.${padded.slice(padded.length - scale)}`;
}

/** Formats a decimal without an exponent: `1E+3` is 1000. */
export function toPlainString(a: Decimal): string {
  if (!isScaleWithinBounds(a.scale)) throw sqlFailure('DECIMAL_OUT_OF_BOUNDS');
  const sign = a.unscaled < 0n ? '-' : '';
  const digits = (a.unscaled < 0n ? -a.unscaled : a.unscaled).toString();
  if (a.scale > 0) return sign + withPoint(digits, a.scale);
  return sign + (a.unscaled === 0n ? digits : digits + '0'.repeat(-a.scale));
}

/** Formats as java.math.BigDecimal: with an exponent for a negative scale and for numbers below 1E-6. */
export function toScientificString(a: Decimal): string {
  const digits = (a.unscaled < 0n ? -a.unscaled : a.unscaled).toString();
  const exponent = digits.length - 1 - a.scale;
  if (a.scale >= 0 && exponent >= -6) return toPlainString(a);
  const sign = a.unscaled < 0n ? '-' : '';
  const mantissa = digits.length > 1 ? `${digits[0]}.${digits.slice(1)}` : digits;
  return `${sign}${mantissa}${exponent === 0 ? '' : `E${exponent > 0 ? '+' : ''}${exponent}`}`;
}

/** Formats as Ignite's SQL does: without an exponent below 40 characters, otherwise as {@link toScientificString}. */
export function formatDecimal(a: Decimal): string {
  if (Math.abs(a.scale) < PLAIN_TEXT_MAX) {
    const plain = toPlainString(a);
    if (plain.length < PLAIN_TEXT_MAX) return plain;
  }
  return toScientificString(a);
}

/** Divides and rounds to an integer. The denominator must not be zero. */
export function divideRounded(numerator: bigint, denominator: bigint, rounding: Rounding): bigint {
  const quotient = numerator / denominator;
  const rest = numerator % denominator;
  if (rest === 0n) return quotient;
  const negative = rest < 0n !== denominator < 0n;
  const away = quotient + (negative ? -1n : 1n);
  const twice = (rest < 0n ? -rest : rest) * 2n - (denominator < 0n ? -denominator : denominator);
  const rules: { readonly [R in Rounding]: boolean } = {
    halfUp: twice >= 0n,
    halfDown: twice > 0n,
    halfEven: twice > 0n || (twice === 0n && quotient % 2n !== 0n),
    down: false,
    ceiling: !negative,
    floor: negative,
  };
  return rules[rounding] ? away : quotient;
}
