/** Parses dates and times with formats of TO_DATE and TO_TIMESTAMP, such as `YYYY-MM-DD HH24:MI:SS.FF3`. */

import { sqlFailure } from '../../base/sql-errors.ts';
import type { SqlFailure } from '../../base/sql-failure.ts';
import { civilFromDays, daysFromCivil, daysOfMonth } from '../../values/calendar.ts';
import { MS_PER_DAY, NS_PER_MS, NS_PER_SECOND, timestampOf } from '../types/calendar-arithmetic.ts';
import { checkFormat } from '../types/format-length.ts';
import { localZoneOffsetMs, zoneOffsetMs } from '../types/time-zones.ts';
import type { ZonedTimestamp } from '../types/zoned-timestamp.ts';
import { DAY_NAMES, MONTH_NAMES } from './names.ts';
import { JULIAN_DAY_OF_EPOCH } from './to-char-date.ts';
import { toRoman } from './to-char-number.ts';

/** The fields parsed so far. */
interface Reading {
  year?: number;
  month?: number;
  day?: number;
  dayOfYear?: number;
  julianDay?: number;
  hour?: number;
  hour12?: number;
  afternoon?: boolean;
  beforeChrist?: boolean;
  minute?: number;
  second?: number;
  secondOfDay?: number;
  nanos?: number;
  zoneHours?: number;
  zoneMinutes?: number;
  zone?: string;
}

/** Parses a token at the start of a string. Returns the number of characters it consumed, or undefined. */
type Reader = (rest: string, reading: Reading, currentYear: number) => number | undefined;

function digits(most: number, store: (reading: Reading, number: number, currentYear: number) => void): Reader {
  const pattern = new RegExp(`^[+-]?\\d{1,${most}}`);
  return (rest, reading, currentYear) => {
    const found = pattern.exec(rest)?.[0];
    if (found !== undefined) store(reading, Number(found), currentYear);
    return found?.length;
  };
}

function words(list: readonly string[], store: (reading: Reading, index: number) => void): Reader {
  return (rest, reading) => {
    const index = list.findIndex((word) => rest.slice(0, word.length).toUpperCase() === word.toUpperCase());
    if (index < 0) return undefined;
    store(reading, index);
    return list[index]?.length;
  };
}

type NumberOfReading = {
  [K in keyof Required<Reading>]: Required<Reading>[K] extends number ? K : never;
}[keyof Reading];

function into(part: NumberOfReading): (reading: Reading, number: number) => void {
  return (reading, number) => {
    reading[part] = number;
  };
}

function intoMonth(reading: Reading, index: number): void {
  reading.month = index + 1;
}

const readHalf = words(['A.M.', 'P.M.', 'AM', 'PM'], (reading, index) => {
  reading.afternoon = index % 2 === 1;
});

const readEra = words(['A.D.', 'B.C.', 'AD', 'BC'], (reading, index) => {
  reading.beforeChrist = index % 2 === 1;
});

const readYear: Reader = (rest, reading) => {
  const found = /^[+-]?\d{4}/.exec(rest)?.[0];
  if (found !== undefined) reading.year = Number(found);
  return found?.length;
};

const readShortYear = (count: number): Reader =>
  digits(count, (reading, number, currentYear) => {
    reading.year = Math.floor(currentYear / 10 ** count) * 10 ** count + number;
  });

const readHour12 = digits(2, into('hour12'));

const readFraction =
  (count: number): Reader =>
  (rest, reading) => {
    const found = new RegExp(`^\\d{1,${count}}`).exec(rest)?.[0];
    if (found !== undefined) reading.nanos = Number(found.padEnd(9, '0'));
    return found?.length;
  };

const readZone: Reader = (rest, reading) => {
  const found = /^[A-Za-z][\w/+-]*/.exec(rest)?.[0];
  if (found === undefined || zoneOffsetMs(found, 0) === undefined) return undefined;
  reading.zone = found;
  return found.length;
};

const READERS: ReadonlyArray<readonly [string, Reader]> = [
  ['A.D.', readEra],
  ['B.C.', readEra],
  ['AD', readEra],
  ['BC', readEra],
  ['A.M.', readHalf],
  ['P.M.', readHalf],
  ['AM', readHalf],
  ['PM', readHalf],
  ['DDD', digits(3, into('dayOfYear'))],
  ['DD', digits(2, into('day'))],
  [
    'DY',
    words(
      DAY_NAMES.map((name) => name.slice(0, 3)),
      () => {},
    ),
  ],
  ['DAY', words(DAY_NAMES, () => {})],
  ['J', digits(7, into('julianDay'))],
  ['HH24', digits(2, into('hour'))],
  ['HH12', readHour12],
  ['HH', readHour12],
  ['MI', digits(2, into('minute'))],
  ['SSSSS', digits(5, into('secondOfDay'))],
  ['SS', digits(2, into('second'))],
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((count) => [`FF${count}`, readFraction(count)] as const),
  ['FF', readFraction(9)],
  ['Y,YYY', readCommaYear],
  ['SYYYY', readYear],
  ['YYYY', readYear],
  ['RRRR', readYear],
  ['YYY', readShortYear(3)],
  ['YY', readShortYear(2)],
  ['RR', readShortYear(2)],
  ['Y', readShortYear(1)],
  ['RM', readRomanMonth],
  ['MONTH', words(MONTH_NAMES, intoMonth)],
  [
    'MON',
    words(
      MONTH_NAMES.map((name) => name.slice(0, 3)),
      intoMonth,
    ),
  ],
  ['MM', digits(2, into('month'))],
  ['TZH', digits(2, into('zoneHours'))],
  ['TZM', digits(2, into('zoneMinutes'))],
  ['TZR', readZone],
];

function readCommaYear(rest: string, reading: Reading): number | undefined {
  const found = /^\d,\d{3}/.exec(rest)?.[0];
  if (found !== undefined) reading.year = Number(found.replace(',', ''));
  return found?.length;
}

/** Number of characters in VIII. */
const MAX_ROMAN_MONTH = 4;

function readRomanMonth(rest: string, reading: Reading): number | undefined {
  const found = /^[IVX]+/i.exec(rest.slice(0, MAX_ROMAN_MONTH + 1))?.[0];
  const month = MONTH_NAMES.findIndex((_, index) => toRoman(index + 1) === found?.toUpperCase()) + 1;
  if (found === undefined || month === 0) return undefined;
  reading.month = month;
  return found.length;
}

/**
 * Parses a timestamp at the start of a string, and its offset, which is 0 by default. Missing fields are taken from the
 * first day of the current month. Throws 90056 with `name`, which is the SQL function.
 */
export function parseMoment(name: string, text: string, pattern: string, nowMs: number): ZonedTimestamp {
  checkFormat(pattern);
  const today = civilFromDays(Math.floor(nowMs / MS_PER_DAY));
  const reading: Reading = {};
  const upper = pattern.toUpperCase();
  let at = 0;
  for (let place = 0; place < pattern.length; ) {
    const found = READERS.find(([token]) => upper.startsWith(token, place));
    if (found !== undefined) {
      const [token, read] = found;
      const length = read(text.slice(at), reading, today.year);
      if (length === undefined) throw unreadable(name, text, pattern, `Issue happened when parsing token '${token}'`);
      at += length;
      place += token.length;
    } else if (upper.startsWith('FM', place) || upper.startsWith('FX', place)) place += 2;
    else if (upper.charAt(place) === '"') {
      const end = pattern.indexOf('"', place + 1);
      const literal = pattern.slice(place + 1, end < 0 ? undefined : end);
      at += literal.length;
      place = end < 0 ? pattern.length : end + 1;
    } else if (/[A-Za-z]/.test(pattern.charAt(place))) {
      throw unreadable(name, text, pattern, `token '${pattern.charAt(place)}' not supported`);
    } else {
      at += 1;
      place += 1;
    }
  }
  const days = daysOfReading(reading, today);
  const nanos = clockOfReading(reading);
  if (days === undefined || nanos === undefined) throw unreadable(name, text, pattern, 'there is no such date');
  const { zoneHours = 0, zoneMinutes = 0 } = reading;
  const named = zoneHours * 60 + (zoneHours < 0 ? -zoneMinutes : zoneMinutes);
  const local = timestampOf(days, nanos);
  const ofZone = reading.zone === undefined ? undefined : localZoneOffsetMs(reading.zone, Number(local / NS_PER_MS));
  return { local, offsetMinutes: ofZone === undefined ? named : ofZone / 60_000 };
}

function daysOfReading(reading: Reading, today: { readonly year: number; readonly month: number }): number | undefined {
  if (reading.julianDay !== undefined) return reading.julianDay - JULIAN_DAY_OF_EPOCH;
  const given = reading.year ?? (reading.month === undefined && reading.day === undefined ? today.year : 1970);
  const year = reading.beforeChrist === true ? 1 - given : given;
  if (reading.dayOfYear !== undefined) return daysFromCivil(year, 1, 1) + reading.dayOfYear - 1;
  const month = reading.month ?? today.month;
  const day = reading.day ?? 1;
  if (month < 1 || month > 12 || day < 1 || day > daysOfMonth(year, month)) return undefined;
  return daysFromCivil(year, month, day);
}

function clockOfReading(reading: Reading): bigint | undefined {
  const half12 =
    reading.hour12 === undefined ? undefined : (reading.hour12 % 12) + (reading.afternoon === true ? 12 : 0);
  const hour = reading.hour ?? half12 ?? 0;
  const [minute, second] = [reading.minute ?? 0, reading.second ?? 0];
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const total = reading.secondOfDay ?? hour * 3600 + minute * 60 + second;
  return total < MS_PER_DAY / 1000 ? BigInt(total) * NS_PER_SECOND + BigInt(reading.nanos ?? 0) : undefined;
}

function unreadable(name: string, text: string, pattern: string, reason: string): SqlFailure {
  const detail = ` ${reason}. Details: ${name}('${text}', '${pattern}')`;
  return sqlFailure('DATE_FORMAT', name, detail);
}
