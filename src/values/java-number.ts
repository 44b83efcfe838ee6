/**
 * Parsing and formatting of numbers as in Java 17, because clients compare these texts.
 *
 * Java 17 does not always write the shortest string that reads back as the same number. It generates the decimal digits
 * of the exact binary value one by one and stops as soon as the rest is below half a unit in the last place. It always
 * writes at least two digits in exponent form, and uses another algorithm for large whole numbers. `generateDigits`
 * does the same; where the shortest string is known to be equal, the runtime's is used.
 */
import { numberFormatFailure } from './conversion-failure.ts';

const WHOLE_NUMBER = /^[+-]?[0-9]+$/;

function outOfRange(low: number | bigint, high: number | bigint): string {
  return `not between ${low} and ${high}`;
}

/** Creates the failure for a string that is not a whole number, or is outside a range that Java checks with it. */
function notWhole(text: string, low: number | bigint, high: number | bigint): Error {
  const reason = WHOLE_NUMBER.test(text) ? outOfRange(low, high) : 'not a whole number';
  return numberFormatFailure(`For input string: "${text}"`, reason);
}

function parseRange(text: string, low: number, high: number): number {
  const value = WHOLE_NUMBER.test(text) ? Number(text) : Number.NaN;
  if (!(value >= -2147483648 && value <= 2147483647)) throw notWhole(text, low, high);
  if (value < low || value > high) {
    throw numberFormatFailure(`Value out of range. Value:"${text}" Radix:10`, outOfRange(low, high));
  }
  return value + 0;
}

/** Parses a byte as Java's Byte.parseByte does. Throws ConversionFailure. */
export function parseByte(text: string): number {
  return parseRange(text, -128, 127);
}

/** Parses a short as Java's Short.parseShort does. Throws ConversionFailure. */
export function parseShort(text: string): number {
  return parseRange(text, -32768, 32767);
}

/** Parses an int as Java's Integer.parseInt does. Throws ConversionFailure. */
export function parseInteger(text: string): number {
  return parseRange(text, -2147483648, 2147483647);
}

export const LONG_MIN = -(2n ** 63n);
export const LONG_MAX = 2n ** 63n - 1n;

/** Any number with this many digits is exact in a double. */
const EXACT_DIGITS = 15;

/** Returns the number for a string of a few digits, the most common case, or undefined for any other string. */
export function fewDigits(text: string): number | undefined {
  if (text.length === 0 || text.length > EXACT_DIGITS) return undefined;
  let number = 0;
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return undefined;
    number = number * 10 + digit;
  }
  return number;
}

/** Parses a long as Java's Long.parseLong does. Throws ConversionFailure. */
export function parseLong(text: string): bigint {
  const few = fewDigits(text);
  if (few !== undefined) return BigInt(few);
  if (!WHOLE_NUMBER.test(text)) throw notWhole(text, LONG_MIN, LONG_MAX);
  if (text.length <= EXACT_DIGITS) return BigInt(Number(text));
  const value = text.length > 40 ? shortenedWholeNumber(text) : BigInt(text);
  if (value < LONG_MIN || value > LONG_MAX) throw notWhole(text, LONG_MIN, LONG_MAX);
  return value;
}

/** Parses a whole number. Beyond 20 digits, all that matters is that it is out of range. */
function shortenedWholeNumber(text: string): bigint {
  const digits = text.replace(/^[+-]?0*/, '').slice(0, 20);
  return digits === '' ? 0n : BigInt(text.startsWith('-') ? `-${digits}` : digits);
}

/** An IEEE format's significand bits and exponent bounds. */
interface Format {
  readonly precision: 53 | 24;
  /** Exponent of the least positive value, as a power of two. */
  readonly minimum: number;
  /** Exponent of the greatest power of two that is finite. */
  readonly maximum: number;
}

const DOUBLE: Format = { precision: 53, minimum: -1074, maximum: 1023 };
const FLOAT: Format = { precision: 24, minimum: -149, maximum: 127 };

const DECIMAL = /^[+-]?(?:NaN|Infinity|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[fFdD]?)$/;
const HEXADECIMAL = /^([+-]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?[0-9]+)[fFdD]?$/;

/** Trims as Java's String.trim does: removes characters up to U+0020 at both ends. */
export function trimJava(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) <= 32) start++;
  while (end > start && text.charCodeAt(end - 1) <= 32) end--;
  return text.slice(start, end);
}

/** Parses a double as Java's Double.parseDouble does. Throws ConversionFailure. */
export function parseDouble(text: string): number {
  const trimmed = trimJava(text);
  return parseDecimal(trimmed) ?? parseHexadecimal(trimmed, text, DOUBLE);
}

/** Parses a float as Java's Float.parseFloat does, rounding the decimal string once. Throws ConversionFailure. */
export function parseFloat32(text: string): number {
  const trimmed = trimJava(text);
  const double = parseDecimal(trimmed);
  return double === undefined ? parseHexadecimal(trimmed, text, FLOAT) : roundToFloat(double, trimmed);
}

/** Parses a decimal string with an optional suffix. Returns undefined for anything else. */
function parseDecimal(trimmed: string): number | undefined {
  if (!DECIMAL.test(trimmed)) return undefined;
  const last = trimmed.charCodeAt(trimmed.length - 1) | 32;
  const suffixed = (last === 100 || last === 102) && !trimmed.endsWith('Infinity');
  return Number(suffixed ? trimmed.slice(0, -1) : trimmed);
}

/**
 * Rounds a decimal string to a float. `double` is the number rounded to 53 bits; if it is a midpoint of floats, the
 * string decides.
 */
function roundToFloat(double: number, text: string): number {
  const near = Math.fround(double);
  if (near === double || Number.isNaN(double)) return near;
  const magnitude = Math.abs(double);
  const [below, above] = floatNeighbours(magnitude);
  if ((below + above) / 2 !== magnitude) return near;
  const order = compareDecimalWithDouble(text, magnitude);
  if (order === 0) return near;
  const rounded = Math.fround(order < 0 ? below : above);
  return double < 0 ? -rounded : rounded;
}

const FLOAT_BITS = new Float32Array(1);
const FLOAT_BITS_AS_INTEGER = new Int32Array(FLOAT_BITS.buffer);

/** Returns the floats below and above a positive number that is not a float; 2^128 stands for infinity. */
function floatNeighbours(magnitude: number): [number, number] {
  FLOAT_BITS[0] = magnitude;
  if (!(FLOAT_BITS[0] <= magnitude)) FLOAT_BITS_AS_INTEGER[0] = (FLOAT_BITS_AS_INTEGER[0] ?? 0) - 1;
  const below = FLOAT_BITS[0];
  FLOAT_BITS_AS_INTEGER[0] = (FLOAT_BITS_AS_INTEGER[0] ?? 0) + 1;
  const above = FLOAT_BITS[0];
  return [below, above === Number.POSITIVE_INFINITY ? 2 ** 128 : above];
}

/** Number of digits that suffice to distinguish any decimal string from the midpoint of two floats. */
const DECISIVE_DIGITS = 200;

/** Returns the exact sign of the difference between the magnitudes of the decimal string and the double. */
function compareDecimalWithDouble(text: string, double: number): number {
  const match = /^[+-]?([0-9]*)\.?([0-9]*)(?:[eE]([+-]?[0-9]+))?/.exec(text);
  const fraction = match?.[2] ?? '';
  const digits = ((match?.[1] ?? '') + fraction).replace(/^0+/, '');
  let exponent = Number(match?.[3] ?? 0) - fraction.length;
  let decisive = digits;
  if (digits.length > DECISIVE_DIGITS) {
    const rest = /[1-9]/.test(digits.slice(DECISIVE_DIGITS)) ? '1' : '0';
    decisive = digits.slice(0, DECISIVE_DIGITS) + rest;
    exponent += digits.length - decisive.length;
  }
  const { significand, exponent: binary } = decompose(double);
  let left = BigInt(decisive);
  let right = significand;
  if (exponent >= 0) left *= 10n ** BigInt(exponent);
  else right *= 10n ** BigInt(-exponent);
  if (binary >= 0) right <<= BigInt(binary);
  else left <<= BigInt(-binary);
  return left < right ? -1 : left > right ? 1 : 0;
}

const DOUBLE_BITS = new Float64Array(1);
const DOUBLE_BITS_AS_BIGINT = new BigInt64Array(DOUBLE_BITS.buffer);

/** Splits a positive finite double into `significand * 2 ** exponent`. */
function decompose(double: number): { significand: bigint; exponent: number } {
  DOUBLE_BITS[0] = double;
  const bits = DOUBLE_BITS_AS_BIGINT[0] ?? 0n;
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  return biased === 0
    ? { significand: fraction, exponent: -1074 }
    : { significand: fraction | 0x10000000000000n, exponent: biased - 1075 };
}

/** Parses a hexadecimal floating-point string; `written` is the original string for the error message. */
function parseHexadecimal(trimmed: string, written: string, format: Format): number {
  const match = HEXADECIMAL.exec(trimmed);
  const whole = match?.[2] ?? '';
  const fraction = match?.[3] ?? '';
  if (match === null || whole + fraction === '') {
    throw numberFormatFailure(trimmed === '' ? 'empty String' : `For input string: "${trimJava(written)}"`);
  }
  const digits = (whole + fraction).replace(/^0+/, '');
  const sign = match[1] === '-' ? -1 : 1;
  if (digits === '') return sign * 0;
  const kept = digits.slice(0, 32);
  const sticky = /[1-9a-fA-F]/.test(digits.slice(32)) ? 1n : 0n;
  const significand = (BigInt(`0x${kept}`) << 1n) | sticky;
  const exponent = Number(match[4]) - 4 * fraction.length + 4 * (digits.length - kept.length) - 1;
  return sign * roundBinary(significand, exponent, format);
}

/** Returns `significand * 2 ** exponent` (significand > 0), rounded once to the format, ties to even. */
function roundBinary(significand: bigint, exponent: number, format: Format): number {
  const bits = significand.toString(2).length;
  if (bits + exponent - 1 > format.maximum) return Number.POSITIVE_INFINITY;
  if (bits + exponent < format.minimum) return 0;
  const lowest = Math.max(bits + exponent - format.precision, format.minimum);
  const dropped = lowest - exponent;
  if (dropped <= 0) return Number(significand) * 2 ** exponent;
  const shift = BigInt(dropped);
  let kept = significand >> shift;
  const rest = significand - (kept << shift);
  const half = 1n << (shift - 1n);
  if (rest > half || (rest === half && (kept & 1n) === 1n)) kept += 1n;
  const length = kept.toString(2).length;
  if (length + lowest - 1 > format.maximum) return Number.POSITIVE_INFINITY;
  return scaleByPowerOfTwo(Number(kept), lowest);
}

/** Multiplies by a power of two. Exact if the result is a double, even if the power itself is subnormal. */
function scaleByPowerOfTwo(value: number, exponent: number): number {
  return exponent < -1000 ? value * 2 ** -500 * 2 ** (exponent + 500) : value * 2 ** exponent;
}

/** Formats a double exactly as Java 17's Double.toString. */
export function formatDouble(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return Object.is(value, -0) ? '-0.0' : `${value}.0`;
  return formatFloating(value, DOUBLE);
}

/** Formats a float exactly as Java 17's Float.toString. */
export function formatFloat(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return Object.is(value, -0) ? '-0.0' : `${value}.0`;
  return formatFloating(value, FLOAT);
}

/** Decimal digits and the position of the point: the number is 0.DIGITS * 10 ** point. */
interface Digits {
  readonly digits: string;
  readonly point: number;
}

function formatFloating(value: number, format: Format): string {
  if (Number.isNaN(value)) return 'NaN';
  const sign = value < 0 ? '-' : '';
  const magnitude = Math.abs(value);
  if (magnitude === Number.POSITIVE_INFINITY) return `${sign}Infinity`;
  const digits = shortestDigits(magnitude, format) ?? generateDigits(magnitude, format);
  return sign + formatDigits(digits);
}

/** Formats digits as Java does: plain from 10^-3 to below 10^7, otherwise with an exponent. */
function formatDigits({ digits, point }: Digits): string {
  if (point > 0 && point < 8) {
    if (digits.length <= point) return `${digits}${'0'.repeat(point - digits.length)}.0`;
    return `${digits.slice(0, point)}.${digits.slice(point)}`;
  }
  if (point <= 0 && point > -3) return `0.${'0'.repeat(-point)}${digits}`;
  return `${digits.slice(0, 1)}.${digits.slice(1) || '0'}E${point - 1}`;
}

/** Returns the runtime's shortest digits if Java's are known to be the same, otherwise undefined. */
function shortestDigits(magnitude: number, format: Format): Digits | undefined {
  if (format.precision !== 53 || magnitude < 1e-300) return undefined;
  if (magnitude >= 9007199254740992 && magnitude < 1e26) return undefined;
  const text = String(magnitude);
  const exponentAt = text.indexOf('e');
  const significand = exponentAt < 0 ? text : text.slice(0, exponentAt);
  const dot = significand.indexOf('.');
  const whole = dot < 0 ? significand : significand.slice(0, dot);
  const fraction = dot < 0 ? '' : significand.slice(dot + 1);
  const padded = whole + fraction;
  const digits = trimZeros(padded);
  if (digits.length < 2 || digits.length > 15 || isPowerOfTwo(magnitude)) return undefined;
  const leadingZeros = padded.length - padded.replace(/^0+/, '').length;
  const exponent = exponentAt < 0 ? 0 : Number(text.slice(exponentAt + 1));
  return { digits, point: whole.length - leadingZeros + exponent };
}

function trimZeros(digits: string): string {
  return digits.replace(/^0+/, '').replace(/0+$/, '');
}

function isPowerOfTwo(magnitude: number): boolean {
  DOUBLE_BITS[0] = magnitude;
  return ((DOUBLE_BITS_AS_BIGINT[0] ?? 0n) & 0xfffffffffffffn) === 0n;
}

/** Returns the bits of 5 ** n as in Java's table: exact up to 26, three per power beyond. */
function bitsOfPowerOfFive(power: number): number {
  return power < 27 ? (power === 0 ? 0 : (5n ** BigInt(power)).toString(2).length) : power * 3;
}

/** Returns the digits that Java generates for a positive finite number. */
function generateDigits(magnitude: number, format: Format): Digits {
  const { significand, exponent } = decompose(magnitude);
  const text = significand.toString(2);
  const fractionBits = text.replace(/0+$/, '').length;
  const fraction = significand >> BigInt(text.length - fractionBits);
  const binaryExponent = exponent + text.length - 1;
  const leastExponent = format.minimum + format.precision - 1;
  const significantBits = format.precision - Math.max(0, leastExponent - binaryExponent);
  const tinyBits = Math.max(0, fractionBits - binaryExponent - 1);
  if (tinyBits === 0 && binaryExponent <= 62) {
    return generateWholeDigits(BigInt(magnitude), binaryExponent - significantBits - 1);
  }
  const estimate = Math.floor(
    (Number(significand) / 2 ** (text.length - 1) - 1.5) * 0.289529654 +
      0.176091259 +
      binaryExponent * 0.301029995663981,
  );
  const b5 = Math.max(0, -estimate);
  const s5 = Math.max(0, estimate);
  let b2 = b5 + tinyBits + binaryExponent;
  let s2 = s5 + tinyBits;
  let m2 = b2 - significantBits;
  b2 -= fractionBits - 1;
  const common = Math.min(b2, s2);
  b2 -= common;
  s2 -= common;
  m2 -= common;
  if (fractionBits === 1) m2 -= 1;
  if (m2 < 0) {
    b2 -= m2;
    s2 -= m2;
    m2 = 0;
  }
  const bits = Math.max(fractionBits + b2 + bitsOfPowerOfFive(b5), s2 + 1 + bitsOfPowerOfFive(s5 + 1));
  return divideOut(
    (fraction * 5n ** BigInt(b5)) << BigInt(b2),
    (5n ** BigInt(s5)) << BigInt(s2),
    (5n ** BigInt(b5)) << BigInt(m2),
    estimate,
    bits < 32 ? 32 : bits < 64 ? 64 : undefined,
  );
}

/**
 * Generates the digits of b / s until the rest is less than m (half a unit in the last place) away from a digit.
 * `width` is the width in bits of the integers that Java uses here, whose sums wrap around; undefined means unbounded.
 */
function divideOut(b: bigint, s: bigint, m: bigint, estimate: number, width: 32 | 64 | undefined): Digits {
  const tens = s * 10n;
  const nextDigitNear = (rest: bigint, margin: bigint): boolean =>
    width === undefined ? rest + margin >= tens : BigInt.asIntN(width, rest + margin) > tens;
  let exponent = estimate;
  let digits = '';
  let quotient = b / s;
  b = (b % s) * 10n;
  m *= 10n;
  let low = b < m;
  let high = nextDigitNear(b, m);
  if (quotient === 0n && !high) exponent -= 1;
  else digits += quotient;
  if (exponent < -3 || exponent >= 8) {
    high = false;
    low = false;
  }
  while (!low && !high) {
    quotient = b / s;
    b = (b % s) * 10n;
    m *= 10n;
    const overflows = width !== undefined && BigInt.asIntN(width, m) <= 0n;
    low = overflows || b < m;
    high = overflows || nextDigitNear(b, m);
    digits += quotient;
  }
  const double = b * 2n;
  const up = high && (!low || double > tens || (double === tens && Number(digits.at(-1)) % 2 === 1));
  if (!up) return { digits, point: exponent + 1 };
  const rounded = (BigInt(digits) + 1n).toString();
  if (rounded.length > digits.length) return { digits: rounded.slice(0, -1), point: exponent + 2 };
  return { digits: rounded, point: exponent + 1 };
}

/** Returns the digits of a whole number below 2^63 whose last `spareBits` bits are insignificant. */
function generateWholeDigits(value: bigint, spareBits: number): Digits {
  let dropped = 0;
  if (spareBits > 1) {
    dropped = Math.floor(spareBits * Math.log10(2));
    const power = 10n ** BigInt(dropped);
    const rest = value % power;
    value /= power;
    if (dropped > 0 && rest >= power / 2n) value += 1n;
  }
  const text = value.toString();
  return { digits: text.replace(/0+$/, ''), point: text.length + dropped };
}
