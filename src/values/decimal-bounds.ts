/**
 * The bound of decimals in parameters, JSON, statements and results. Answers of a cluster have a wider one
 * (WIRE_BOUNDS):
 * nothing is calculated with them.
 */
import { DECIMAL_BOUNDS } from '../base/limits.ts';
import type { Decimal } from './value.ts';

const BEYOND = 10n ** BigInt(DECIMAL_BOUNDS.digits);

const { digits: MAX_DIGITS, scale: MAX_SCALE } = DECIMAL_BOUNDS;

/** Names the bound, for messages. */
export const DECIMAL_BOUND = `at most ${MAX_DIGITS} digits and a scale from ${-MAX_SCALE} to ${MAX_SCALE}`;

/** Whether a decimal is within the bound. */
export function isWithinBounds({ unscaled, scale }: Decimal): boolean {
  return isScaleWithinBounds(scale) && unscaled < BEYOND && unscaled > -BEYOND;
}

export function isScaleWithinBounds(scale: number): boolean {
  return scale <= DECIMAL_BOUNDS.scale && scale >= -DECIMAL_BOUNDS.scale;
}

/** Whether the digits of a text, leading zeros left out, are few enough to be read. */
export function areDigitsWithinBounds(digits: string): boolean {
  if (digits.length <= DECIMAL_BOUNDS.digits) return true;
  let zeros = 0;
  while (digits.charCodeAt(zeros) === 48) zeros += 1;
  return digits.length - zeros <= DECIMAL_BOUNDS.digits;
}
