/**
 * The bound of decimals in parameters, JSON, statements and results. Decimals from a cluster have a wider bound
 * (WIRE_BOUNDS), because they are not used in calculations.
 */
import { DECIMAL_BOUNDS } from '../base/limits.ts';
import type { Decimal } from './value.ts';

const BEYOND = 10n ** BigInt(DECIMAL_BOUNDS.digits);

/** Reports whether a decimal is within the bound. */
export function isWithinBounds({ unscaled, scale }: Decimal): boolean {
  return isScaleWithinBounds(scale) && unscaled < BEYOND && unscaled > -BEYOND;
}

export function isScaleWithinBounds(scale: number): boolean {
  return scale <= DECIMAL_BOUNDS.scale && scale >= -DECIMAL_BOUNDS.scale;
}

/** Reports whether the number of digits, without leading zeros, is within the bound. */
export function areDigitsWithinBounds(digits: string): boolean {
  if (digits.length <= DECIMAL_BOUNDS.digits) return true;
  let zeros = 0;
  while (digits.charCodeAt(zeros) === 48) zeros += 1;
  return digits.length - zeros <= DECIMAL_BOUNDS.digits;
}
