/**
 * Encodes decimals as text whose bytes sort like the numbers.
 *
 * A number is 0.d1d2d3... x 10^e with d1 not 0. Its text is a sign (`-` negative, `=` zero, `>` positive), the exponent
 * and the digits; trailing zeros encode the scale. Negative numbers have 9-d for every digit d, then `~`, then the
 * zeros of the scale. So `rtrim(text, '0')` is equal for 1.5 and 1.50, and different for different numbers, while the
 * text keeps the scale. `src/engines/embedded/sql/DESIGN.md` proves the order.
 */
import type { Decimal } from '../../../values/value.ts';

/** Exponents from -31 to 31 are one character of this ordered alphabet; others are `!` or `~` and ten digits. */
const EXPONENTS = '$%&()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcde';
const MIDDLE = 31;
const FAR = '9999999999';
const TEN_DIGITS = 10_000_000_000;

function encodeExponent(exponent: number): string {
  if (exponent >= -MIDDLE && exponent <= MIDDLE) return EXPONENTS.charAt(exponent + MIDDLE);
  if (exponent > 0) return `~${String(exponent).padStart(FAR.length, '0')}`;
  return `!${String(TEN_DIGITS + exponent).padStart(FAR.length, '0')}`;
}

function complement(digits: string): string {
  let text = '';
  for (let at = 0; at < digits.length; at++) text += String.fromCharCode(105 - digits.charCodeAt(at));
  return text;
}

/** Returns the digits without trailing zeros. */
export function withoutZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === 48) end--;
  return digits.slice(0, end);
}

/** Returns the text of a decimal. A zero with a negative scale becomes one with scale 0. */
export function encodeDecimal({ unscaled, scale }: Decimal): string {
  if (unscaled === 0n) return `=${'0'.repeat(Math.max(0, scale))}`;
  if (unscaled > 0n) {
    const digits = unscaled.toString();
    return `>${encodeExponent(digits.length - scale)}${digits}`;
  }
  const digits = (-unscaled).toString();
  const kept = withoutZeros(digits);
  const zeros = '0'.repeat(digits.length - kept.length);
  return `-${encodeExponent(scale - digits.length)}${complement(kept)}~${zeros}`;
}

/** Parses the output of {@link encodeDecimal}. */
export function decodeDecimal(storageValue: string): Decimal {
  const sign = storageValue.charCodeAt(0);
  if (sign === 61) return { unscaled: 0n, scale: storageValue.length - 1 };
  const mark = storageValue.charAt(1);
  const far = mark === '~' || mark === '!';
  const start = far ? 2 + FAR.length : 2;
  const exponent = far
    ? Number(storageValue.slice(2, start)) - (mark === '!' ? TEN_DIGITS : 0)
    : EXPONENTS.indexOf(mark) - MIDDLE;
  if (sign === 62) {
    const digits = storageValue.slice(start);
    return { unscaled: BigInt(digits), scale: digits.length - exponent };
  }
  const end = storageValue.indexOf('~', start);
  const digits = complement(storageValue.slice(start, end)) + storageValue.slice(end + 1);
  return { unscaled: -BigInt(digits), scale: digits.length + exponent };
}
