/** Conversion of a JSON number, passed as its source text, to scalar values (docs/spec/ignite-data.md 5.1). */
import { MAX_INSTANT_MS } from './calendar.ts';
import { illegalArgumentFailure } from './conversion-failure.ts';
import { parseAnyDecimal } from './scalar-formats.ts';
import { FALSE, TRUE, type ValueOf } from './value.ts';

const HAS_FRACTION_OR_EXPONENT = /[.eE]/;

/** Truncates a number to its whole part. Throws ConversionFailure when that has more than `maxDigits` digits. */
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
