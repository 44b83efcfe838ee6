/**
 * Parses and formats dates, times and timestamps, and does calendar arithmetic. A date is a number of days since
 * 1970-01-01, a time milliseconds of the day, a timestamp nanoseconds since the epoch; all in UTC and in the proleptic
 * Gregorian calendar.
 */

import { LRUCache } from 'lru-cache';
import { civilFromDays, daysFromCivil, daysOfMonth } from '../../values/calendar.ts';
import { sqlFailure } from './sql-errors.ts';

export const MS_PER_DAY = 86_400_000;
export const NS_PER_MS = 1_000_000n;
export const NS_PER_SECOND = 1_000_000_000n;
export const NS_PER_DAY = 86_400_000_000_000n;

/** The largest absolute value of a year that can be parsed. */
const YEAR_MAX = 999_999_999;

export function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}

/** Returns the date of a timestamp. */
export function daysOfTimestamp(nanos: bigint): number {
  return Number(floorDivide(nanos, NS_PER_DAY));
}

export function nanosOfDay(nanos: bigint): bigint {
  return nanos - floorDivide(nanos, NS_PER_DAY) * NS_PER_DAY;
}

export function timestampOf(days: number, nanos = 0n): bigint {
  return BigInt(days) * NS_PER_DAY + nanos;
}

/** Returns 1 (Monday) to 7 (Sunday). */
export function isoDayOfWeek(days: number): number {
  return ((((days + 3) % 7) + 7) % 7) + 1;
}

/** Returns 1 (Sunday) to 7 (Saturday). */
export function dayOfWeek(days: number): number {
  return (isoDayOfWeek(days) % 7) + 1;
}

export function dayOfYear(days: number): number {
  return days - daysFromCivil(civilFromDays(days).year, 1, 1) + 1;
}

/**
 * Returns the week of a date and the year the week belongs to. `firstDay` is the ISO number of the day that begins a
 * week, `minimalDays` the days that the first week must have in its year: (1, 4) is ISO, (7, 1) the rule of the USA.
 */
export function weekOfYear(days: number, firstDay: number, minimalDays: number): { week: number; year: number } {
  const { year } = civilFromDays(days);
  const startOf = (of: number): number => {
    const first = daysFromCivil(of, 1, 1);
    const offset = (isoDayOfWeek(first) - firstDay + 7) % 7;
    return 7 - offset >= minimalDays ? first - offset : first - offset + 7;
  };
  const next = startOf(year + 1);
  if (days >= next) return { week: 1, year: year + 1 };
  const start = startOf(year);
  if (days >= start) return { week: Math.floor((days - start) / 7) + 1, year };
  return { week: Math.floor((days - startOf(year - 1)) / 7) + 1, year: year - 1 };
}

/** Adds months to a date. The 31st becomes the last day of a shorter month. */
export function addMonths(days: number, months: number): number {
  const { year, month, day } = civilFromDays(days);
  const count = year * 12 + (month - 1) + months;
  const newYear = Math.floor(count / 12);
  const newMonth = count - newYear * 12 + 1;
  return daysFromCivil(newYear, newMonth, Math.min(day, daysOfMonth(newYear, newMonth)));
}

const DATE_TEXT = /^\+?([+-]?\d{1,9})-([+]?\d{1,9})-([+]?\d{1,9})$/;
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

/** Parses `h:m:s[.fraction]` and `h.m.s[.fraction]`. Drops digits below the millisecond. */
export function parseTime(text: string): number {
  const nanos = readTimeNanos(text);
  if (nanos === undefined) throw sqlFailure('CONSTANT_UNREADABLE', 'TIME', text);
  return Number(nanos / NS_PER_MS);
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
  const blank = text.indexOf(' ');
  const dateEnd = blank >= 0 ? blank : text.indexOf('T');
  const days = readDate(dateEnd < 0 ? text : text.slice(0, dateEnd));
  if (days === undefined) return undefined;
  if (dateEnd < 0) return timestampOf(days);
  const { time, zone } = splitZone(text.slice(dateEnd + 1));
  const nanos = readTimeNanos(time);
  if (nanos === undefined) return undefined;
  const local = timestampOf(days, nanos);
  if (zone === undefined) return local;
  const offsetMs = zoneOffset(zone, local);
  return offsetMs === undefined ? undefined : local - BigInt(offsetMs) * NS_PER_MS;
}

function splitZone(text: string): { time: string; zone?: string } {
  if (text.endsWith('Z')) return { time: text.slice(0, -1), zone: 'Z' };
  const sign = text.search(/[+]/) >= 0 ? text.indexOf('+') : text.indexOf('-');
  if (sign >= 0) return { time: text.slice(0, sign), zone: text.slice(sign) };
  const blank = text.indexOf(' ');
  return blank > 0 ? { time: text.slice(0, blank), zone: text.slice(blank + 1) } : { time: text };
}

/**
 * Returns the offset of a zone from UTC in milliseconds; undefined for an unknown zone. `local` is the wall clock time
 * as if it were UTC, in nanoseconds.
 */
function zoneOffset(zone: string, local: bigint): number | undefined {
  if (zone === 'Z') return 0;
  const match = /^([+-])(\d\d)(?::(\d\d))?$/.exec(zone);
  if (match !== null) {
    const [hours, minutes] = [Number(match[2]), Number(match[3] ?? '0')];
    if (hours > 23 || minutes > 59) return undefined;
    return (match[1] === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000;
  }
  return /^[A-Za-z]/.test(zone) ? localZoneOffsetMs(zone, Number(local / NS_PER_MS)) : undefined;
}

/** Zone names of Java that the time zone database lacks. */
const SHORT_ZONES: ReadonlyMap<string, string> = new Map([
  ['ACT', 'Australia/Darwin'],
  ['AET', 'Australia/Sydney'],
  ['AGT', 'America/Argentina/Buenos_Aires'],
  ['ART', 'Africa/Cairo'],
  ['AST', 'America/Anchorage'],
  ['BET', 'America/Sao_Paulo'],
  ['BST', 'Asia/Dhaka'],
  ['CAT', 'Africa/Harare'],
  ['CNT', 'America/St_Johns'],
  ['CST', 'America/Chicago'],
  ['CTT', 'Asia/Shanghai'],
  ['EAT', 'Africa/Addis_Ababa'],
  ['ECT', 'Europe/Paris'],
  ['IET', 'America/Indiana/Indianapolis'],
  ['IST', 'Asia/Kolkata'],
  ['JST', 'Asia/Tokyo'],
  ['MIT', 'Pacific/Apia'],
  ['NET', 'Asia/Yerevan'],
  ['NST', 'Pacific/Auckland'],
  ['PLT', 'Asia/Karachi'],
  ['PNT', 'America/Phoenix'],
  ['PRT', 'America/Puerto_Rico'],
  ['PST', 'America/Los_Angeles'],
  ['SST', 'Pacific/Guadalcanal'],
  ['VST', 'Asia/Ho_Chi_Minh'],
]);

/** The largest absolute time of the runtime's calendar, in milliseconds since the epoch. */
const CALENDAR_MAX_MS = 8.64e15;

/** Returns the nearest instant within the runtime's calendar. */
export function withinDates(instantMs: number): number {
  return Math.min(Math.max(instantMs, -CALENDAR_MAX_MS), CALENDAR_MAX_MS);
}

/** Returns the offset of a zone from UTC at an instant, in milliseconds; undefined for an unknown zone. */
export function zoneOffsetMs(zone: string, givenMs: number): number | undefined {
  // The runtime knows no daylight saving rules beyond its calendar, so those of its last instant apply.
  const instantMs = withinDates(givenMs);
  const custom = /^(?:GMT|UTC|UT)?(?:([+-])(\d{1,2})(?::?(\d\d))?)?$/.exec(zone);
  if (custom !== null && zone !== '') {
    const size = (Number(custom[2] ?? '0') * 60 + Number(custom[3] ?? '0')) * 60_000;
    return custom[1] === '-' ? -size : size;
  }
  const clock = wallClock(zone);
  if (clock === undefined) return undefined;
  const parts = clock.formatToParts(instantMs);
  const part = (type: string): number => Number(parts.find((candidate) => candidate.type === type)?.value ?? '0');
  const days = daysFromCivil(part('year'), part('month'), part('day'));
  const wall = days * MS_PER_DAY + (part('hour') * 3600 + part('minute') * 60 + part('second')) * 1000;
  return wall - Math.floor(instantMs / 1000) * 1000;
}

/** Formatters by zone, cached because creating one costs far more than using it. */
const wallClocks = new LRUCache<string, Intl.DateTimeFormat>({ max: 64 });

function wallClock(zone: string): Intl.DateTimeFormat | undefined {
  const known = wallClocks.get(zone);
  if (known !== undefined) return known;
  const numeric = 'numeric';
  try {
    const created = new Intl.DateTimeFormat('en-US', {
      timeZone: SHORT_ZONES.get(zone) ?? zone,
      hourCycle: 'h23',
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    });
    wallClocks.set(zone, created);
    return created;
  } catch {
    return undefined;
  }
}

/** The same as {@link zoneOffsetMs}, for a wall clock time in the zone. */
export function localZoneOffsetMs(zone: string, wallMs: number): number | undefined {
  const guess = zoneOffsetMs(zone, wallMs);
  if (guess === undefined) return undefined;
  return zoneOffsetMs(zone, wallMs - guess);
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
  return formatTimeNanos(BigInt(milliseconds) * NS_PER_MS);
}

/** Formats a timestamp as `yyyy-mm-dd hh:mm:ss[.fraction]`. */
export function formatTimestamp(nanos: bigint): string {
  return `${formatDate(daysOfTimestamp(nanos))} ${formatTimeNanos(nanosOfDay(nanos))}`;
}

export type DateTimeField =
  | 'YEAR'
  | 'QUARTER'
  | 'MONTH'
  | 'WEEK'
  | 'DAY_OF_MONTH'
  | 'HOUR'
  | 'MINUTE'
  | 'SECOND'
  | 'MILLISECOND'
  | 'MICROSECOND'
  | 'NANOSECOND'
  | 'DAY_OF_YEAR'
  | 'DAY_OF_WEEK'
  | 'ISO_DAY_OF_WEEK'
  | 'ISO_WEEK'
  | 'EPOCH';

const FIELD_NAMES: ReadonlyMap<string, DateTimeField> = new Map<string, DateTimeField>([
  ['YEAR', 'YEAR'],
  ['YYYY', 'YEAR'],
  ['YY', 'YEAR'],
  ['SQL_TSI_YEAR', 'YEAR'],
  ['QUARTER', 'QUARTER'],
  ['SQL_TSI_QUARTER', 'QUARTER'],
  ['MONTH', 'MONTH'],
  ['MM', 'MONTH'],
  ['M', 'MONTH'],
  ['SQL_TSI_MONTH', 'MONTH'],
  ['ISO_WEEK', 'ISO_WEEK'],
  ['WEEK', 'WEEK'],
  ['WW', 'WEEK'],
  ['WK', 'WEEK'],
  ['SQL_TSI_WEEK', 'WEEK'],
  ['DAY', 'DAY_OF_MONTH'],
  ['DD', 'DAY_OF_MONTH'],
  ['D', 'DAY_OF_MONTH'],
  ['SQL_TSI_DAY', 'DAY_OF_MONTH'],
  ['DAY_OF_MONTH', 'DAY_OF_MONTH'],
  ['DAYOFMONTH', 'DAY_OF_MONTH'],
  ['DAY_OF_WEEK', 'DAY_OF_WEEK'],
  ['DAYOFWEEK', 'DAY_OF_WEEK'],
  ['DOW', 'DAY_OF_WEEK'],
  ['ISO_DAY_OF_WEEK', 'ISO_DAY_OF_WEEK'],
  ['DAY_OF_YEAR', 'DAY_OF_YEAR'],
  ['DAYOFYEAR', 'DAY_OF_YEAR'],
  ['DY', 'DAY_OF_YEAR'],
  ['DOY', 'DAY_OF_YEAR'],
  ['HOUR', 'HOUR'],
  ['HH', 'HOUR'],
  ['SQL_TSI_HOUR', 'HOUR'],
  ['MINUTE', 'MINUTE'],
  ['MI', 'MINUTE'],
  ['N', 'MINUTE'],
  ['SQL_TSI_MINUTE', 'MINUTE'],
  ['SECOND', 'SECOND'],
  ['SS', 'SECOND'],
  ['S', 'SECOND'],
  ['SQL_TSI_SECOND', 'SECOND'],
  ['MILLISECOND', 'MILLISECOND'],
  ['MILLISECONDS', 'MILLISECOND'],
  ['MS', 'MILLISECOND'],
  ['MICROSECOND', 'MICROSECOND'],
  ['MICROSECONDS', 'MICROSECOND'],
  ['MCS', 'MICROSECOND'],
  ['NANOSECOND', 'NANOSECOND'],
  ['NS', 'NANOSECOND'],
  ['EPOCH', 'EPOCH'],
]);

/** Returns the field for a unit name of EXTRACT, DATEADD or DATEDIFF, in any letter case. */
export function findField(name: string): DateTimeField | undefined {
  return FIELD_NAMES.get(name.toUpperCase());
}

const SUB_SECONDS: ReadonlyMap<DateTimeField, bigint> = new Map<DateTimeField, bigint>([
  ['HOUR', 3_600n * NS_PER_SECOND],
  ['MINUTE', 60n * NS_PER_SECOND],
  ['SECOND', NS_PER_SECOND],
  ['EPOCH', NS_PER_SECOND],
  ['MILLISECOND', NS_PER_MS],
  ['MICROSECOND', 1_000n],
  ['NANOSECOND', 1n],
]);

const MONTHS_PER: ReadonlyMap<DateTimeField, number> = new Map<DateTimeField, number>([
  ['YEAR', 12],
  ['QUARTER', 3],
  ['MONTH', 1],
]);

export function startOfDay(nanos: bigint): bigint {
  return floorDivide(nanos, NS_PER_DAY) * NS_PER_DAY;
}

const secondOf = (nanos: bigint): number => Number(nanosOfDay(nanos) / NS_PER_SECOND);
const fractionOf = (nanos: bigint): number => Number(nanosOfDay(nanos) % NS_PER_SECOND);

const FIELD_READERS: { readonly [F in Exclude<DateTimeField, 'EPOCH'>]: (nanos: bigint) => number } = {
  YEAR: (nanos) => civilFromDays(daysOfTimestamp(nanos)).year,
  QUARTER: (nanos) => Math.floor((civilFromDays(daysOfTimestamp(nanos)).month - 1) / 3) + 1,
  MONTH: (nanos) => civilFromDays(daysOfTimestamp(nanos)).month,
  WEEK: (nanos) => weekOfYear(daysOfTimestamp(nanos), 7, 1).week,
  DAY_OF_MONTH: (nanos) => civilFromDays(daysOfTimestamp(nanos)).day,
  HOUR: (nanos) => Math.floor(secondOf(nanos) / 3600),
  MINUTE: (nanos) => Math.floor(secondOf(nanos) / 60) % 60,
  SECOND: (nanos) => secondOf(nanos) % 60,
  MILLISECOND: (nanos) => Math.floor(fractionOf(nanos) / 1_000_000),
  MICROSECOND: (nanos) => Math.floor(fractionOf(nanos) / 1_000),
  NANOSECOND: fractionOf,
  DAY_OF_YEAR: (nanos) => dayOfYear(daysOfTimestamp(nanos)),
  DAY_OF_WEEK: (nanos) => dayOfWeek(daysOfTimestamp(nanos)),
  ISO_DAY_OF_WEEK: (nanos) => isoDayOfWeek(daysOfTimestamp(nanos)),
  ISO_WEEK: (nanos) => weekOfYear(daysOfTimestamp(nanos), 1, 4).week,
};

/** Returns a field of a timestamp. EPOCH is not a calendar field. */
export function extractField(field: Exclude<DateTimeField, 'EPOCH'>, nanos: bigint): number {
  return FIELD_READERS[field](nanos);
}

/** Adds `count` units to a timestamp. */
export function addField(field: DateTimeField, count: bigint, nanos: bigint): bigint {
  const months = MONTHS_PER.get(field);
  if (months !== undefined) {
    return timestampOf(addMonths(daysOfTimestamp(nanos), Number(count) * months), nanosOfDay(nanos));
  }
  const unit = SUB_SECONDS.get(field);
  if (unit !== undefined) return nanos + count * unit;
  if (field === 'WEEK' || field === 'ISO_WEEK') return nanos + count * 7n * NS_PER_DAY;
  return nanos + count * NS_PER_DAY;
}

/** Returns how many boundaries of a unit lie between two timestamps. */
export function differenceInField(field: DateTimeField, from: bigint, to: bigint): bigint {
  const unit = SUB_SECONDS.get(field);
  if (unit !== undefined) return floorDivide(to, unit) - floorDivide(from, unit);
  const [first, second] = [daysOfTimestamp(from), daysOfTimestamp(to)];
  const months = MONTHS_PER.get(field);
  if (months !== undefined) {
    const count = (days: number): number => {
      const { year, month } = civilFromDays(days);
      return Math.floor((year * 12 + month - 1) / months);
    };
    return BigInt(count(second) - count(first));
  }
  // A week begins on Sunday, an ISO week on Monday; 1970-01-01 was a Thursday.
  if (field === 'WEEK') return BigInt(Math.floor((second + 4) / 7) - Math.floor((first + 4) / 7));
  if (field === 'ISO_WEEK') return BigInt(Math.floor((second + 3) / 7) - Math.floor((first + 3) / 7));
  return BigInt(second - first);
}
