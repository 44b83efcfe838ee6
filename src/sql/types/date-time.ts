/**
 * Parses and formats dates, times and timestamps. A date is a number of days since 1970-01-01, a time milliseconds of
 * the day with a fraction, a timestamp nanoseconds since the epoch; all in UTC and in the proleptic Gregorian calendar.
 */

import { sqlFailure } from '../../base/sql-errors.ts';
import { civilFromDays, daysFromCivil, daysOfMonth } from '../../values/calendar.ts';
import {
  daysOfTimestamp,
  NS_PER_MS,
  NS_PER_SECOND,
  nanosOfDay,
  nanosOfTime,
  timeOfNanos,
  timestampOf,
} from './calendar-arithmetic.ts';
import { zoneOffset } from './time-zones.ts';

/** The largest absolute value of a year that can be parsed; rounding may have moved one with a zone into the next. */
const YEAR_MAX = 1_000_000_001;

const DATE_TEXT = /^\+?([+-]?\d{1,10})-([+]?\d{1,9})-([+]?\d{1,9})$/;
const TIME_TEXT = /^(\d{1,9})([:.])(\d{1,9})\2(\d{1,9})(?:\.(\d*))?$/;

function readDate(text: string): number | undefined {
  const match = DATE_TEXT.exec(text);
  if (match === null) return undefined;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (Math.abs(year) > YEAR_MAX || month < 1 || month > 12 || day < 1 || day > daysOfMonth(year, month))
    return undefined;
  return daysFromCivil(year, month, day);
}

function readTimeNanos(text: string): bigint | undefined {
  const match = TIME_TEXT.exec(text);
  if (match === null) return undefined;
  const [hour, minute, second] = [Number(match[1]), Number(match[3]), Number(match[4])];
  if (hour >= 24 || minute >= 60 || second >= 60) return undefined;
  const fraction = `${match[5] ?? ''}000000000`.slice(0, 9);
  return BigInt(hour * 3600 + minute * 60 + second) * NS_PER_SECOND + BigInt(fraction);
}

/** Parses `[+-]y-m-d`. */
export function parseDate(text: string): number {
  const days = readDate(text);
  if (days === undefined) throw sqlFailure('CONSTANT_UNREADABLE', 'DATE', text);
  return days;
}

/** Parses `h:m:s[.fraction]` and `h.m.s[.fraction]`, in milliseconds with a fraction. */
export function parseTime(text: string): number {
  const nanos = readTimeNanos(text);
  if (nanos === undefined) throw sqlFailure('CONSTANT_UNREADABLE', 'TIME', text);
  return timeOfNanos(nanos);
}

/**
 * Parses `date`, `date time` or `dateTtime`, each optionally followed by `Z`, an offset (`+02`, `+02:00`) or the name
 * of a time zone.
 */
export function parseTimestamp(text: string): bigint {
  const nanos = readTimestamp(text);
  if (nanos === undefined) throw sqlFailure('CONSTANT_UNREADABLE', 'TIMESTAMP', text);
  return nanos;
}

function readTimestamp(text: string): bigint | undefined {
  const read = readZonedTimestamp(text);
  return read === undefined ? undefined : read.local - BigInt(read.offsetMs) * NS_PER_MS;
}

/** Reads a timestamp and its offset from UTC, 0 by default. Returns undefined if the text is not one. */
export function readZonedTimestamp(text: string): { readonly local: bigint; readonly offsetMs: number } | undefined {
  const blank = text.indexOf(' ');
  const dateEnd = blank >= 0 ? blank : text.indexOf('T');
  const days = readDate(dateEnd < 0 ? text : text.slice(0, dateEnd));
  if (days === undefined) return undefined;
  if (dateEnd < 0) return { local: timestampOf(days), offsetMs: 0 };
  const { time, zone } = splitZone(text.slice(dateEnd + 1));
  const nanos = readTimeNanos(time);
  if (nanos === undefined) return undefined;
  const local = timestampOf(days, nanos);
  const offsetMs = zone === undefined ? 0 : zoneOffset(zone, local);
  return offsetMs === undefined ? undefined : { local, offsetMs };
}

function splitZone(text: string): { time: string; zone?: string } {
  if (text.endsWith('Z')) return { time: text.slice(0, -1), zone: 'Z' };
  const sign = text.search(/[+]/) >= 0 ? text.indexOf('+') : text.indexOf('-');
  if (sign >= 0) {
    // One blank may precede the offset, and the name of a zone in brackets may follow it.
    const end = sign > 0 && text.charAt(sign - 1) === ' ' ? sign - 1 : sign;
    return { time: text.slice(0, end), zone: text.slice(sign).replace(/\[.*$/s, '') };
  }
  const blank = text.indexOf(' ');
  return blank > 0 ? { time: text.slice(0, blank), zone: text.slice(blank + 1) } : { time: text };
}

function pad(number: number, width: number): string {
  return String(number).padStart(width, '0');
}

/** Formats a date as `yyyy-mm-dd`. Years below 1 are neither padded nor shifted. */
export function formatDate(days: number): string {
  const { year, month, day } = civilFromDays(days);
  return `${year > 0 ? pad(year, 4) : year}-${pad(month, 2)}-${pad(day, 2)}`;
}

/** Formats a time as `hh:mm:ss[.fraction]`, without trailing zeros in the fraction. */
export function formatTimeNanos(nanos: bigint): string {
  const seconds = Number(nanos / NS_PER_SECOND);
  const fraction = pad(Number(nanos % NS_PER_SECOND), 9).replace(/0+$/, '');
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const clock = parts.map((part) => pad(part, 2)).join(':');
  return fraction === '' ? clock : `${clock}.${fraction}`;
}

export function formatTime(milliseconds: number): string {
  return formatTimeNanos(nanosOfTime(milliseconds));
}

/** Formats a timestamp as `yyyy-mm-dd hh:mm:ss[.fraction]`. */
export function formatTimestamp(nanos: bigint): string {
  return `${formatDate(daysOfTimestamp(nanos))} ${formatTimeNanos(nanosOfDay(nanos))}`;
}
