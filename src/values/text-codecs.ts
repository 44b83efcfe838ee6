/**
 * The text form of every scalar type (docs/spec/ignite-data.md 5; stricter by known difference 10): how a parameter
 * reads, how a value is written. `parse` throws ConversionFailure; parse(format(x)) = x.
 */
import { JSON_BOUNDS } from '../base/limits.ts';
import { civilFromDays, daysFromCivil, daysOfMonth, fromJavaDays, toJavaDays } from './calendar.ts';
import { type ConversionFailure, illegalArgumentFailure, numberFormatFailure } from './conversion-failure.ts';
import { DECIMAL_BOUND, isWithinBounds } from './decimal-bounds.ts';
import {
  formatDouble,
  formatFloat,
  parseByte,
  parseDouble,
  parseFloat32,
  parseInteger,
  parseLong,
  parseShort,
  trimJava,
} from './java-number.ts';
import { type Decimal, FALSE, type ScalarTypeName, TRUE, type ValueOf } from './value.ts';

/** The text face of one scalar type. */
export interface TextCodec<T extends ScalarTypeName> {
  parse(text: string): ValueOf<T>;
  format(value: ValueOf<T>): string;
}

/** Day of `YYYY-M-D`: year of four digits from 0001, month and day of one or two. Undefined: no such day. */
function parseDay(text: string): number | undefined {
  const match = /^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})$/.exec(text);
  if (match === null) return undefined;
  const year = Number(match[1]);
  const month = Number(match[2]);
  const day = Number(match[3]);
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysOfMonth(year, month)) return undefined;
  return daysFromCivil(year, month, day);
}

/** Milliseconds of the day of `H:M:S`, each of one or two digits. Undefined: no such time. */
function parseTimeOfDay(text: string): number | undefined {
  const match = /^([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})$/.exec(text);
  if (match === null) return undefined;
  const hours = Number(match[1]);
  const minutes = Number(match[2]);
  const seconds = Number(match[3]);
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined;
  return ((hours * 60 + minutes) * 60 + seconds) * 1000;
}

function pad(value: number, width: number): string {
  return value < 0 ? `-${String(-value).padStart(width, '0')}` : String(value).padStart(width, '0');
}

/** Writes days since 1970-01-01 as `YYYY-MM-DD`. */
export function formatDate(days: number): string {
  const { year, month, day } = civilFromDays(days);
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
}

/** Writes milliseconds of the day as `HH:MM:SS`; a fraction of a second is not shown. */
export function formatTime(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  return `${pad(Math.floor(seconds / 3600), 2)}:${pad(Math.floor(seconds / 60) % 60, 2)}:${pad(seconds % 60, 2)}`;
}

const DAY_NANOSECONDS = 86_400_000_000_000n;

/** Writes nanoseconds since the epoch as `YYYY-MM-DD HH:MM:SS.f`, with 1 to 9 digits behind the point. */
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

const TIMESTAMP_FORMAT = 'Timestamp format must be yyyy-mm-dd hh:mm:ss[.fffffffff]';

function parseTimestamp(text: string): bigint {
  const match = /^([^ ]*) ([0-9:]*)(?:\.([0-9]{1,9}))?$/.exec(trimJava(text));
  const days = parseDay(match?.[1] ?? '');
  const ofDay = parseTimeOfDay(match?.[2] ?? '');
  if (days === undefined || ofDay === undefined) throw illegalArgumentFailure(TIMESTAMP_FORMAT);
  const fraction = BigInt((match?.[3] ?? '').padEnd(9, '0'));
  return BigInt(days) * DAY_NANOSECONDS + BigInt(ofDay) * 1_000_000n + fraction;
}

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

function parseInstant(text: string): number {
  const match = INSTANT.exec(text);
  const name = (match?.[1] ?? '').toLowerCase();
  const month = MONTHS.findIndex((known) => known.toLowerCase() === name) + 1;
  const [day, year, hours, minutes, seconds] = (match?.slice(2, 7) ?? []).map(Number);
  if (month === 0 || !day || !year || !hours || minutes === undefined || seconds === undefined) {
    throw illegalArgumentFailure(`Unparseable date: "${text}"`);
  }
  if (day > daysOfMonth(year, month) || hours > 12 || minutes > 59 || seconds > 59 || year > 200_000) {
    throw illegalArgumentFailure(`Unparseable date: "${text}"`);
  }
  const ofDay = (((hours % 12) + (match?.[7]?.toLowerCase() === 'pm' ? 12 : 0)) * 60 + minutes) * 60 + seconds;
  return toJavaDays(daysFromCivil(year, month, day)) * 86_400_000 + ofDay * 1000;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function parseUuid(text: string): string {
  const lower = text.toLowerCase();
  if (!UUID.test(lower)) throw illegalArgumentFailure(`Invalid UUID string: ${text}`);
  return lower;
}

/** Checks the counter of a grid UUID: Ignite keeps its digits in reverse, as a signed number of 64 bits. */
function parseGridUuid(text: string): string {
  const dash = text.indexOf('-');
  const counter = text.slice(0, Math.max(dash, 0)).toLowerCase();
  if (dash < 0) throw illegalArgumentFailure(`Invalid UUID string: ${text}`);
  const uuid = parseUuid(text.slice(dash + 1));
  const fits = /^[0-9a-f]{1,16}$/.test(counter) && (counter.length < 16 || /[0-7]$/.test(counter));
  if (!fits) throw numberFormatFailure(`For input string: "${counter}" under radix 16`);
  return `${counter}-${uuid}`;
}

const DECIMAL = /^([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]{1,10}))?$/;

/** Reads a decimal as Java's BigDecimal does: the scale follows from the written digits. */
export function parseDecimal(text: string): Decimal {
  const decimal = parseAnyDecimal(text);
  if (!isWithinBounds(decimal)) throw numberFormatFailure(`A decimal can have ${DECIMAL_BOUND}: "${text}"`);
  return decimal;
}

/** As {@link parseDecimal}, with any exponent: do not calculate with the result. */
export function parseAnyDecimal(text: string): Decimal {
  const match = text.length > JSON_BOUNDS.numberCharacters ? null : DECIMAL.exec(text);
  const digits = (match?.[2] ?? '') + (match?.[3] ?? '');
  if (match === null || digits === '') throw numberFormatFailure(`For input string: "${text}"`);
  const scale = (match[3] ?? '').length - Number(match[4] ?? 0);
  const unscaled = BigInt(digits);
  return { unscaled: match[1] === '-' ? -unscaled : unscaled, scale: scale + 0 };
}

/** Writes a decimal as Java's BigDecimal.toString: plain unless the scale is negative or the number very small. */
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

function parseBigInteger(text: string): bigint {
  if (text.length > JSON_BOUNDS.numberCharacters || !/^[+-]?[0-9]+$/.test(text)) {
    throw numberFormatFailure(`For input string: "${text}"`);
  }
  return BigInt(text.startsWith('+') ? text.slice(1) : text);
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function parseBytes(text: string): Uint8Array {
  if (text.length % 4 !== 0 || !BASE64.test(text)) throw illegalArgumentFailure('Illegal Base64 text');
  return Uint8Array.fromBase64(text);
}

function dateFailure(text: string): ConversionFailure {
  return illegalArgumentFailure(
    /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}$/.test(text) ? `There is no such day: ${text}` : 'Date format must be yyyy-mm-dd',
  );
}

/** The text face of all scalar types. */
export const TEXT_CODECS: { readonly [T in ScalarTypeName]: TextCodec<T> } = {
  boolean: {
    parse(text) {
      const lower = text.length <= 5 ? text.toLowerCase() : '';
      if (lower === 'true') return TRUE;
      if (lower === 'false') return FALSE;
      throw illegalArgumentFailure(`Boolean must be true or false: "${text}"`);
    },
    format: (value) => (value.data ? 'true' : 'false'),
  },
  byte: { parse: (text) => ({ type: 'byte', data: parseByte(text) }), format: (value) => String(value.data) },
  short: { parse: (text) => ({ type: 'short', data: parseShort(text) }), format: (value) => String(value.data) },
  integer: { parse: (text) => ({ type: 'integer', data: parseInteger(text) }), format: (value) => String(value.data) },
  long: { parse: (text) => ({ type: 'long', data: parseLong(text) }), format: (value) => value.data.toString() },
  float: { parse: (text) => ({ type: 'float', data: parseFloat32(text) }), format: (value) => formatFloat(value.data) },
  double: {
    parse: (text) => ({ type: 'double', data: parseDouble(text) }),
    format: (value) => formatDouble(value.data),
  },
  char: {
    parse(text) {
      if (text.length !== 1) throw illegalArgumentFailure(`Expected one character: "${text}"`);
      return { type: 'char', data: text };
    },
    format: (value) => value.data,
  },
  string: { parse: (data) => ({ type: 'string', data }), format: (value) => value.data },
  date: {
    parse(text) {
      const data = parseDay(text);
      if (data === undefined) throw dateFailure(text);
      return { type: 'date', data };
    },
    format: (value) => formatDate(value.data),
  },
  time: {
    parse(text) {
      const data = parseTimeOfDay(text);
      if (data === undefined) throw illegalArgumentFailure('Time format must be hh:mm:ss');
      return { type: 'time', data };
    },
    format: (value) => formatTime(value.data),
  },
  timestamp: {
    parse: (text) => ({ type: 'timestamp', data: parseTimestamp(text) }),
    format: (value) => formatTimestamp(value.data),
  },
  instant: {
    parse: (text) => ({ type: 'instant', data: parseInstant(text) }),
    format: (value) => formatInstant(value.data),
  },
  uuid: { parse: (text) => ({ type: 'uuid', data: parseUuid(text) }), format: (value) => value.data },
  gridUuid: { parse: (text) => ({ type: 'gridUuid', data: parseGridUuid(text) }), format: (value) => value.data },
  decimal: {
    parse: (text) => ({ type: 'decimal', data: parseDecimal(text) }),
    format: (value) => formatDecimal(value.data),
  },
  bigInteger: {
    parse: (text) => ({ type: 'bigInteger', data: parseBigInteger(text) }),
    format: (value) => value.data.toString(),
  },
  bytes: {
    parse: (text) => ({ type: 'bytes', data: parseBytes(text) }),
    format: (value) => value.data.toBase64(),
  },
};

/** Reads a text as a value of a scalar type. Throws ConversionFailure. */
export function parseText<T extends ScalarTypeName>(type: T, text: string): ValueOf<T> {
  return TEXT_CODECS[type].parse(text);
}

/** A value of a scalar type. */
export type ScalarValue = ValueOf<ScalarTypeName>;

/** Writes a scalar value as the text that its type reads. */
export function formatScalar(value: ScalarValue): string {
  return formatAs(value.type, value);
}

function formatAs<T extends ScalarTypeName>(type: T, value: ValueOf<T>): string {
  return TEXT_CODECS[type].format(value);
}
