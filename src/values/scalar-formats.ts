/**
 * Text forms of the scalar types (docs/spec/ignite-data.md 5; stricter by known difference 10). Every `parse` function
 * throws ConversionFailure, and `parse(format(x))` equals `x`.
 */

import { DECIMAL_BOUND } from '../base/decimal-bound.ts';
import { JSON_BOUNDS } from '../base/limits.ts';
import { civilFromDays, daysFromCivil, daysOfMonth, fromJavaDays, MAX_INSTANT_MS, toJavaDays } from './calendar.ts';
import { illegalArgumentFailure, numberFormatFailure } from './conversion-failure.ts';
import { isWithinBounds } from './decimal-bounds.ts';
import { trimJava } from './java-number.ts';
import { type Decimal, FALSE, TRUE, type ValueOf } from './value.ts';

/** Reads `true` or `false` in any case. */
export function parseBoolean(text: string): ValueOf<'boolean'> {
  const lower = text.length <= 5 ? text.toLowerCase() : '';
  if (lower === 'true') return TRUE;
  if (lower === 'false') return FALSE;
  throw illegalArgumentFailure('neither true nor false', `Boolean must be true or false: "${text}"`);
}

/** Accepts a string of one UTF-16 code unit. */
export function parseChar(text: string): string {
  if (text.length !== 1) throw illegalArgumentFailure('not one character', `Expected one character: "${text}"`);
  return text;
}

const DATE = /^(-?[0-9]{4}|[+-]?[0-9]{5,10})-([0-9]{1,2})-([0-9]{1,2})$/;
/** The largest absolute value of a year in SQL. */
const MAX_YEAR = 1_000_000_001;

/**
 * Reads a date as days since 1970-01-01: a year of four digits, or more with or without a sign; month and
 * day have one or two digits.
 */
export function parseDate(text: string): number {
  const days = parseDay(text);
  if (days !== undefined) return days;
  if (DATE.test(text)) throw illegalArgumentFailure('there is no such day', `There is no such day: ${text}`);
  throw illegalArgumentFailure('the form is yyyy-mm-dd', 'Date format must be yyyy-mm-dd');
}

/** Reads a time of day, `H:M:S[.f]` with one or two digits each and a fraction, as milliseconds. */
export function parseTime(text: string): number {
  const milliseconds = parseTimeOfDay(text);
  if (milliseconds === undefined) throw illegalArgumentFailure('the form is hh:mm:ss', 'Time format must be hh:mm:ss');
  return milliseconds;
}

function parseDay(text: string): number | undefined {
  const match = DATE.exec(text);
  if (match === null) return undefined;
  const year = Number(match[1]);
  const month = Number(match[2]);
  const day = Number(match[3]);
  if (Math.abs(year) > MAX_YEAR || month < 1 || month > 12 || day < 1 || day > daysOfMonth(year, month))
    return undefined;
  return daysFromCivil(year, month, day);
}

function parseTimeOfDay(text: string): number | undefined {
  const match = /^([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:\.([0-9]{1,9}))?$/.exec(text);
  if (match === null) return undefined;
  const hours = Number(match[1]);
  const minutes = Number(match[2]);
  const seconds = Number(match[3]);
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined;
  const ofDay = ((hours * 60 + minutes) * 60 + seconds) * 1000;
  return match[4] === undefined ? ofDay : ofDay + Number(match[4].slice(0, 3).padEnd(3, '0'));
}

function pad(value: number, width: number): string {
  return value < 0 ? `-${String(-value).padStart(width, '0')}` : String(value).padStart(width, '0');
}

/** Writes days since 1970-01-01 as `YYYY-MM-DD`. */
export function formatDate(days: number): string {
  const { year, month, day } = civilFromDays(days);
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
}

/** Writes milliseconds of the day as `HH:MM:SS`, as Ignite shows them: without a fraction of a second. */
export function formatTime(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  return `${pad(Math.floor(seconds / 3600), 2)}:${pad(Math.floor(seconds / 60) % 60, 2)}:${pad(seconds % 60, 2)}`;
}

/** Writes milliseconds of the day as `HH:MM:SS[.fff]`, which {@link parseTime} reads as the same time. */
export function formatExactTime(milliseconds: number): string {
  const fraction = milliseconds % 1000;
  return formatTime(milliseconds) + (fraction === 0 ? '' : `.${pad(fraction, 3).replace(/0+$/, '')}`);
}

const DAY_NANOSECONDS = 86_400_000_000_000n;

/** Writes nanoseconds since the epoch as `YYYY-MM-DD HH:MM:SS.f`, with 1 to 9 digits after the point. */
export function formatTimestamp(nanoseconds: bigint): string {
  let days = nanoseconds / DAY_NANOSECONDS;
  let rest = nanoseconds % DAY_NANOSECONDS;
  if (rest < 0n) {
    rest += DAY_NANOSECONDS;
    days -= 1n;
  }
  const ofDay = Number(rest);
  const fraction = String(ofDay % 1_000_000_000)
    .padStart(9, '0')
    .replace(/0{1,8}$/, '');
  return `${formatDate(Number(days))} ${formatTime(Math.floor(ofDay / 1_000_000))}.${fraction}`;
}

const TIMESTAMP_FORM = 'yyyy-mm-dd hh:mm:ss[.fffffffff]';
const TIMESTAMP = /^([^ T]*)[ T]([0-9:]*)(?:\.([0-9]{1,9}))?(?:Z|([+-])([0-9]{2}):?([0-9]{2})?)?$/;

/**
 * Reads a timestamp as nanoseconds since the epoch: a date, a space or `T`, a time, up to 9 digits of a fraction, and
 * optionally `Z` or the offset from UTC.
 */
export function parseTimestamp(text: string): bigint {
  const match = TIMESTAMP.exec(trimJava(text));
  const days = parseDay(match?.[1] ?? '');
  const ofDay = parseTimeOfDay(match?.[2] ?? '');
  const offset = (Number(match?.[5] ?? 0) * 60 + Number(match?.[6] ?? 0)) * (match?.[4] === '-' ? -1 : 1);
  if (days === undefined || ofDay === undefined || Math.abs(offset) > MAX_OFFSET_MINUTES)
    throw illegalArgumentFailure(`the form is ${TIMESTAMP_FORM}`, `Timestamp format must be ${TIMESTAMP_FORM}`);
  const fraction = BigInt((match?.[3] ?? '').padEnd(9, '0'));
  return BigInt(days) * DAY_NANOSECONDS + BigInt(ofDay - offset * 60_000) * 1_000_000n + fraction;
}

/** As in SQL: the largest offset that java.time supports. */
const MAX_OFFSET_MINUTES = 18 * 60;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Writes milliseconds since the epoch as Ignite shows java.util.Date: `Jan 2, 2018, 3:04:05 AM`. */
export function formatInstant(milliseconds: number): string {
  const days = Math.floor(milliseconds / 86_400_000);
  const { year, month, day } = civilFromDays(fromJavaDays(days));
  const seconds = Math.floor((milliseconds - days * 86_400_000) / 1000);
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const clock = `${hours % 12 === 0 ? 12 : hours % 12}:${pad(minutes, 2)}:${pad(seconds % 60, 2)}`;
  return `${MONTHS[month - 1] ?? ''} ${day}, ${year}, ${clock} ${hours < 12 ? 'AM' : 'PM'}`;
}

const INSTANT = /^([a-z]{3})[a-z]* ([0-9]{1,2}), ([0-9]{1,9}), ([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2}) (am|pm)$/i;

/** Writes milliseconds since the epoch as ISO 8601, which {@link parseInstant} reads as the same moment. */
export function formatExactInstant(milliseconds: number): string {
  return Math.abs(milliseconds) > MAX_INSTANT_MS ? String(milliseconds) : new Date(milliseconds).toISOString();
}

const EXACT_INSTANT = /^(?:[+-][0-9]{6}|[0-9]{4})-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,3})?Z$/;

const INSTANT_FORMS = '2018-02-07T09:05:00Z, milliseconds since 1970, or Feb 7, 2018, 9:05:00 AM';

/** Reads the format of {@link formatInstant} or {@link formatExactInstant} as milliseconds since the epoch. */
export function parseInstant(text: string): number {
  const exact = EXACT_INSTANT.test(text) ? Date.parse(text) : /^-?[0-9]{16,20}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isNaN(exact)) return exact;
  const match = INSTANT.exec(text);
  const name = (match?.[1] ?? '').toLowerCase();
  const month = MONTHS.findIndex((known) => known.toLowerCase() === name) + 1;
  const [day, year, hours, minutes, seconds] = (match?.slice(2, 7) ?? []).map(Number);
  if (month === 0 || !day || !year || !hours || minutes === undefined || seconds === undefined) {
    throw illegalArgumentFailure(`the form is ${INSTANT_FORMS}`, `Unparseable date: "${text}"`);
  }
  if (day > daysOfMonth(year, month) || hours > 12 || minutes > 59 || seconds > 59 || year > 200_000) {
    throw illegalArgumentFailure('there is no such moment', `Unparseable date: "${text}"`);
  }
  const ofDay = (((hours % 12) + (match?.[7]?.toLowerCase() === 'pm' ? 12 : 0)) * 60 + minutes) * 60 + seconds;
  return toJavaDays(daysFromCivil(year, month, day)) * 86_400_000 + ofDay * 1000;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Reads a UUID and folds it to lower case. */
export function parseUuid(text: string): string {
  const lower = text.toLowerCase();
  if (!UUID.test(lower))
    throw illegalArgumentFailure('the form is 8-4-4-4-12 hexadecimal digits', `Invalid UUID string: ${text}`);
  return lower;
}

/** Reads `counter-uuid`. Ignite stores the counter's digits in reverse, as a signed 64-bit number, so not all fit. */
export function parseGridUuid(text: string): string {
  const dash = text.indexOf('-');
  const counter = text.slice(0, Math.max(dash, 0)).toLowerCase();
  if (dash < 0) throw illegalArgumentFailure('not a counter and a UUID', `Invalid UUID string: ${text}`);
  const uuid = parseUuid(text.slice(dash + 1));
  const fits = /^[0-9a-f]{1,16}$/.test(counter) && (counter.length < 16 || /[0-7]$/.test(counter));
  if (!fits)
    throw numberFormatFailure(
      `For input string: "${counter}" under radix 16`,
      'the counter is not a hexadecimal number',
    );
  return `${counter}-${uuid}`;
}

const DECIMAL = /^([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]{1,10}))?$/;

/** Reads a decimal as Java's BigDecimal does: the digits as written determine the scale. Enforces DECIMAL_BOUNDS. */
export function parseDecimal(text: string): Decimal {
  const decimal = parseAnyDecimal(text);
  if (!isWithinBounds(decimal))
    throw numberFormatFailure(`A decimal can have ${DECIMAL_BOUND}: "${text}"`, `a decimal can have ${DECIMAL_BOUND}`);
  return decimal;
}

/**
 * Reads a decimal with any exponent. Do not calculate with the result: unlike in {@link
 * parseDecimal}, its scale is unbounded.
 */
export function parseAnyDecimal(text: string): Decimal {
  const match = text.length > JSON_BOUNDS.numberCharacters ? null : DECIMAL.exec(text);
  const digits = (match?.[2] ?? '') + (match?.[3] ?? '');
  if (match === null || digits === '') throw numberFormatFailure(`For input string: "${text}"`);
  const scale = (match[3] ?? '').length - Number(match[4] ?? 0);
  const unscaled = BigInt(digits);
  return { unscaled: match[1] === '-' ? -unscaled : unscaled, scale: scale + 0 };
}

/** Writes a decimal as Java's BigDecimal.toString does: plain unless the scale is negative or the number very small. */
export function formatDecimal({ unscaled, scale }: Decimal): string {
  if (scale === 0) return unscaled.toString();
  const sign = unscaled < 0n ? '-' : '';
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString();
  const exponent = digits.length - 1 - scale;
  if (scale > 0 && exponent >= -6) {
    const padded = digits.padStart(scale + 1, '0');
    return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
  }
  const significand = digits.length > 1 ? `${digits.slice(0, 1)}.${digits.slice(1)}` : digits;
  return `${sign}${significand}${exponent === 0 ? '' : `E${exponent < 0 ? '' : '+'}${exponent}`}`;
}

const WHOLE = 'not a whole number';

/** Reads a whole number of any size, with an optional sign. */
export function parseBigInteger(text: string): bigint {
  if (text.length > JSON_BOUNDS.numberCharacters || !/^[+-]?[0-9]+$/.test(text)) {
    throw numberFormatFailure(`For input string: "${text}"`, WHOLE);
  }
  return BigInt(text.startsWith('+') ? text.slice(1) : text);
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Reads padded Base64. */
export function parseBytes(text: string): Uint8Array {
  if (text.length % 4 !== 0 || !BASE64.test(text)) throw illegalArgumentFailure('Illegal Base64 text');
  return Uint8Array.fromBase64(text);
}
