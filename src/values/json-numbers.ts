/** Conversion of a JSON number, passed as its source text, to scalar values (docs/spec/ignite-data.md 5.1). */
import { MAX_INSTANT_MS } from './calendar.ts';
import { illegalArgumentFailure } from './conversion-failure.ts';
import { formatDouble } from './java-number.ts';
import { parseAnyDecimal } from './scalar-formats.ts';
import { FALSE, TRUE, type ValueOf } from './value.ts';

const HAS_FRACTION_OR_EXPONENT = /[.eE]/;

/** Truncates a number to its whole part. Throws ConversionFailure if that has more than `maxDigits` digits. */
export function truncateNumber(source: string, maxDigits: number): bigint {
  const { unscaled, scale } = parseAnyDecimal(source);
  if (unscaled === 0n) return 0n;
  if (scale > 0) return scale > source.length ? 0n : unscaled / 10n ** BigInt(scale);
  const digits = unscaled.toString().length;
  if (digits - scale > maxDigits)
    throw illegalArgumentFailure('the number has too many digits', `Numeric value (${source}) out of range`);
  return unscaled * 10n ** BigInt(-scale);
}

/** Converts a whole number to a boolean: 0 is false. Returns undefined for other numbers. */
export function booleanOfNumber(source: string): ValueOf<'boolean'> | undefined {
  if (HAS_FRACTION_OR_EXPONENT.test(source)) return undefined;
  return BigInt(source) === 0n ? FALSE : TRUE;
}

/** Converts a whole number of milliseconds since the epoch. Returns undefined for other numbers. */
export function instantOfNumber(source: string): ValueOf<'instant'> | undefined {
  if (HAS_FRACTION_OR_EXPONENT.test(source) || Math.abs(Number(source)) > MAX_INSTANT_MS) return undefined;
  return { type: 'instant', data: Number(source) + 0 };
}

/** Converts a UTF-16 code unit. Returns undefined for other numbers. */
export function charOfNumber(source: string): ValueOf<'char'> | undefined {
  if (!/^[0-9]{1,5}$/.test(source) || Number(source) > 0xffff) return undefined;
  return { type: 'char', data: String.fromCharCode(Number(source)) };
}

const INTEGER_MAX = 2n ** 31n;
const LONG_MAX = 2n ** 63n;
/** Decimal digits that every double preserves. */
const DOUBLE_DIGITS = 15;
/** Number of digits that identify any double. */
const MAX_DIGITS = 17;
/** The smallest double with all its digits. */
const DOUBLE_MIN_NORMAL = 2.2250738585072014e-308;

/** Returns a number's digits without leading zeros. */
function significantDigits(source: string): string {
  return source.replace(/[eE].*$/, '').replace(/^[-0.]+|\./g, '');
}

/** Reports whether a double represents a JSON number such that it reads back with the same digits. */
export function isExactDouble(source: string): boolean {
  const digits = significantDigits(source);
  if (digits === '') return true;
  const double = Number(source);
  const size = Math.abs(double);
  if (size === 0 || !Number.isFinite(size)) return false;
  if (digits.length <= DOUBLE_DIGITS && size >= DOUBLE_MIN_NORMAL) return true;
  // The form in which responses write a double is a double again.
  return digits.length <= MAX_DIGITS && [formatDouble(double), String(double)].map(significantDigits).includes(digits);
}

/** Returns the narrowest type that represents a JSON number exactly, as requests name it. */
export function numberType(source: string): string {
  if (!HAS_FRACTION_OR_EXPONENT.test(source)) {
    const number = BigInt(source);
    if (number >= -INTEGER_MAX && number < INTEGER_MAX) return 'int';
    return number >= -LONG_MAX && number < LONG_MAX ? 'long' : 'java.math.BigDecimal';
  }
  return isExactDouble(source) ? 'double' : 'java.math.BigDecimal';
}

/** Forms that responses write only for decimals, because a double has no scale: `1.50`, `1E-7`, `1E+3`. */
const HAS_SCALE = /^(?!-0\.0+$)(?:.*\.\d+0(?!\d)|-?\d+E|.*E\+)/;

/** Returns the type of a JSON number as an argument: as above, except that a scale counts, because columns keep it. */
export function argumentType(source: string): string {
  const type = numberType(source);
  return type === 'double' && HAS_SCALE.test(source) ? 'java.math.BigDecimal' : type;
}
