/** Formats of TO_CHAR for numbers, such as `9,990.00`, `FM000`, `9.9EEEE`, `XXXX`, `RN` and `TM`. */

import { sqlFailure } from '../../base/sql-errors.ts';
import type { SqlFailure } from '../../base/sql-failure.ts';
import type { Decimal } from '../../values/value.ts';
import { decimal, negate, precision, setScale, signum, toBigInt, toPlainString } from '../types/decimal.ts';
import { checkFormat } from '../types/format-length.ts';

/** Width to which Roman numerals are padded. */
const ROMAN_WIDTH = 15;
const CURRENCY = { code: 'USD', symbol: '$' } as const;

const ROMAN: ReadonlyArray<readonly [number, string]> = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
];

/** Larger numbers are formatted as this one, which bounds the length of the result. */
const ROMAN_MAX = 100_000;

export function toRoman(number: number): string {
  let rest = Math.min(number, ROMAN_MAX);
  let text = '';
  for (const [value, digits] of ROMAN) {
    for (; rest >= value; rest -= value) text += digits;
  }
  return text;
}

function exponentText(power: number): string {
  return `E${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** Returns the exponent in scientific notation and the mantissa. */
function normalized(number: Decimal): { power: number; mantissa: Decimal } {
  const power = precision(number) - number.scale - 1;
  return { power, mantissa: decimal(number.unscaled, number.scale + power) };
}

/**
 * Formats a number; without a format, with all digits and without the zero before the point. Throws 90010 for an
 * invalid format.
 */
export function formatNumber(number: Decimal, pattern: string | undefined): string {
  if (pattern !== undefined) checkFormat(pattern);
  const upper = pattern?.toUpperCase();
  if (pattern === undefined || upper === undefined || upper === 'TM' || upper === 'TM9') {
    return toPlainString(number).replace(/^0\./, '.');
  }
  if (upper === 'TME') {
    const { power, mantissa } = normalized(number);
    return toPlainString(mantissa) + exponentText(power);
  }
  if (upper === 'RN' || upper === 'FMRN') {
    const roman = toRoman(Number(toBigInt(number, 'down')));
    const cased = pattern.at(-2) === 'r' ? roman.toLowerCase() : roman;
    return upper === 'RN' ? cased.padStart(ROMAN_WIDTH) : cased;
  }
  return upper.endsWith('X') ? formatHexadecimal(number, pattern) : new NumberPattern(pattern).format(number);
}

function formatHexadecimal(number: Decimal, pattern: string): string {
  const fill = !pattern.toUpperCase().startsWith('FM');
  const width = pattern.replace(/[^0xX]/g, '').length;
  const hex = Number(BigInt.asUintN(32, toBigInt(number))).toString(16);
  if (hex.length > width) return '#'.repeat(width + 1);
  const cased = pattern.includes('x') ? hex : hex.toUpperCase();
  const padded = pattern.startsWith('0') ? cased.padStart(width, '0') : cased;
  return fill ? padded.padStart(pattern.length + 1) : padded;
}

type SignLocation = 'before' | 'leading' | 'trailing' | 'minus' | 'brackets';

/** A parsed format of 9, 0 and separators. */
class NumberPattern {
  private readonly original: string;
  private readonly picture: string;
  private readonly sign: SignLocation;
  private readonly fill: boolean;
  private readonly scientific: boolean;
  /** The power of ten by which V multiplies. */
  private readonly shift: number;
  /** Index of the decimal point, or the length of the picture. */
  private readonly point: number;

  constructor(pattern: string) {
    this.original = pattern;
    const { rest, sign } = takeSign(pattern);
    const split = rest.toUpperCase().indexOf('V');
    this.shift = split < 0 ? 0 : rest.slice(split + 1).replace(/[^09]/g, '').length;
    let picture = split < 0 ? rest : rest.slice(0, split) + rest.slice(split + 1);
    this.scientific = picture.endsWith('EEEE');
    if (this.scientific) picture = picture.slice(0, -4);
    this.fill = !/^FM/i.test(pattern);
    if (!this.fill) picture = picture.slice(2);
    picture = picture.replace(/b/gi, '');
    const point = picture.search(/[.dD]/);
    this.point = point < 0 ? picture.length : point;
    // A 9 after a 0 also shows leading zeros.
    const zero = picture.indexOf('0');
    const filled = zero >= 0 && zero < this.point;
    this.picture = filled
      ? picture.slice(0, zero) + picture.slice(zero, this.point).replaceAll('9', '0') + picture.slice(this.point)
      : picture;
    this.sign = sign;
  }

  format(given: Decimal): string {
    const shifted = decimal(given.unscaled, given.scale - this.shift);
    const { power, mantissa } = this.scientific ? normalized(shifted) : { power: 0, mantissa: shifted };
    const scale = this.picture.slice(this.point).replace(/[^09]/g, '').length;
    const number = setScale(mantissa, Math.max(Math.min(mantissa.scale, scale), 0));
    const plain = toPlainString(signum(number) < 0 ? negate(number) : number);
    const [whole = '', fraction = ''] = plain.split('.');
    const shown = whole === '0' && number.unscaled !== 0n ? '' : whole;
    const before = this.formatWhole(shown);
    if (before === undefined) return '#'.repeat(this.picture.length + 1);
    const digits = before + this.formatFraction(fraction);
    const signed = this.withSign(digits, signum(number)) + (this.scientific ? exponentText(power) : '');
    if (!this.fill) return signed;
    return this.scientific ? ` ${signed}` : signed.padStart(this.width());
  }

  /** Formats the whole part. Returns undefined if the picture has too few digits. */
  private formatWhole(digits: string): string | undefined {
    let result = '';
    let left = digits.length;
    for (let at = this.point - 1; at >= 0; at -= 1) {
      const place = this.picture.charAt(at).toUpperCase();
      if (place === '9' || place === '0') {
        if (left > 0) {
          left -= 1;
          result = digits.charAt(left) + result;
        } else if (place === '0' && !this.scientific) result = `0${result}`;
      } else if (place === ',' || place === 'G') {
        if (left > 0 || this.picture.charAt(at - 1) === '0') result = `,${result}`;
      } else if (place === 'C') result = CURRENCY.code + result;
      else if (place === 'L' || place === 'U' || place === '$') result = CURRENCY.symbol + result;
      else throw invalidFormat(this.original);
    }
    return left > 0 ? undefined : result;
  }

  private formatFraction(digits: string): string {
    if (this.point >= this.picture.length) return '';
    let result = '.';
    const places = this.picture.slice(this.point + 1);
    for (let at = 0; at < places.length; at += 1) {
      const place = places.charAt(at);
      if (place !== '9' && place !== '0') throw invalidFormat(this.original);
      if (at < digits.length) result += digits.charAt(at);
      else if (place === '0' || this.fill) result += '0';
    }
    return result;
  }

  private withSign(digits: string, sign: number): string {
    const blank = this.fill ? ' ' : '';
    if (this.sign === 'brackets') return sign < 0 ? `<${digits}>` : blank + digits + blank;
    if (this.sign === 'minus') return digits + (sign < 0 ? '-' : blank);
    const explicit = this.sign === 'leading' || this.sign === 'trailing';
    const shown = sign < 0 ? '-' : sign === 0 ? '' : explicit ? '+' : blank;
    return this.sign === 'trailing' ? digits + shown : shown + digits;
  }

  private width(): number {
    const currencies = this.picture.slice(0, this.point).toUpperCase();
    const extra = 6 * (currencies.split('C').length - 1) + 9 * (currencies.split(/[LU]/).length - 1);
    return this.picture.length + 1 + extra;
  }
}

function takeSign(pattern: string): { rest: string; sign: SignLocation } {
  const upper = pattern.toUpperCase();
  if (upper.startsWith('S')) return { rest: pattern.slice(1), sign: 'leading' };
  if (upper.endsWith('S')) return { rest: pattern.slice(0, -1), sign: 'trailing' };
  if (upper.endsWith('MI')) return { rest: pattern.slice(0, -2), sign: 'minus' };
  if (upper.endsWith('PR')) return { rest: pattern.slice(0, -2), sign: 'brackets' };
  return { rest: pattern, sign: 'before' };
}

export function invalidFormat(pattern: string): SqlFailure {
  return sqlFailure('NUMBER_FORMAT', pattern);
}
