/** Formats of TO_CHAR for dates, TO_DATE and TO_TIMESTAMP, such as `YYYY-MM-DD HH24:MI:SS.FF3`. */

import { civilFromDays, daysFromCivil, daysOfMonth } from '../../values/calendar.ts';
import {
  dayOfWeek,
  dayOfYear,
  daysOfTimestamp,
  MS_PER_DAY,
  NS_PER_SECOND,
  nanosOfDay,
  timestampOf,
  weekOfYear,
} from '../types/calendar-arithmetic.ts';
import { checkFormat } from '../types/format-length.ts';
import { sqlFailure } from '../types/sql-errors.ts';
import type { SqlFailure } from '../types/sql-failure.ts';
import { DAY_NAMES, MONTH_NAMES } from './names.ts';
import { invalidFormat, toRoman } from './to-char-number.ts';

/** Length of the longest name of a month or day, to which others are padded. */
const NAME_WIDTH = 9;
/** Julian day of 1970-01-01. */
const JULIAN_DAY_OF_EPOCH = 2_440_588;

/** The fields of a timestamp that tokens format. */
interface Moment {
  readonly days: number;
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly secondOfDay: number;
  readonly nanosOfSecond: number;
  readonly names: { readonly day: string; readonly month: string };
}

function describe(nanos: bigint): Moment {
  const days = daysOfTimestamp(nanos);
  const clock = nanosOfDay(nanos);
  const { year, month, day } = civilFromDays(days);
  return {
    days,
    year,
    month,
    day,
    secondOfDay: Number(clock / NS_PER_SECOND),
    nanosOfSecond: Number(clock % NS_PER_SECOND),
    names: { day: DAY_NAMES[dayOfWeek(days) - 1] ?? '', month: MONTH_NAMES[month - 1] ?? '' },
  };
}

function pad(number: number, width: number): string {
  return String(number).padStart(width, '0');
}

/** Converts a string to the case of a token: MON, Mon or mon. */
function casedLike(token: string, text: string): string {
  if (token === token.toUpperCase()) return text.toUpperCase();
  return token === token.toLowerCase()
    ? text.toLowerCase()
    : text.charAt(0).toUpperCase() + text.slice(1).toLowerCase();
}

function lastDigits(number: number, count: number): string {
  return pad(Math.abs(number) % 10 ** count, count);
}

type Writer = (moment: Moment, token: string, fill: boolean) => string;

const hourOf = (moment: Moment): number => Math.floor(moment.secondOfDay / 3600);
const hour12 = (moment: Moment): string => pad(((hourOf(moment) + 11) % 12) + 1, 2);
const era: Writer = (moment, token) => casedLike(token, moment.year > 0 ? 'AD' : 'BC');
const dottedEra: Writer = (moment, token) =>
  (moment.year > 0 ? 'A.D.' : 'B.C.')[token === token.toLowerCase() ? 'toLowerCase' : 'toUpperCase']();
const half: Writer = (moment, token) => casedLike(token, hourOf(moment) < 12 ? 'AM' : 'PM');
const dottedHalf: Writer = (moment, token) =>
  (hourOf(moment) < 12 ? 'A.M.' : 'P.M.')[token === token.toLowerCase() ? 'toLowerCase' : 'toUpperCase']();
const isoYear = (moment: Moment): number => weekOfYear(moment.days, 1, 4).year;
const yearText = (year: number): string => (year > 0 ? pad(year, 4) : String(year));
const fraction: Writer = (moment, token) => pad(moment.nanosOfSecond, 9).slice(0, Number(token.slice(2) || '9'));

/** Tokens precede their own prefixes. */
const WRITERS: ReadonlyArray<readonly [string, Writer]> = [
  ['A.D.', dottedEra],
  ['B.C.', dottedEra],
  ['AD', era],
  ['BC', era],
  ['A.M.', dottedHalf],
  ['P.M.', dottedHalf],
  ['AM', half],
  ['PM', half],
  ['DL', (moment) => `${moment.names.day}, ${moment.names.month} ${moment.day}, ${moment.year}`],
  ['DS', (moment) => `${pad(moment.month, 2)}/${pad(moment.day, 2)}/${moment.year}`],
  [
    'TS',
    (moment) => `${Number(hour12(moment))}:${minutes(moment)}:${seconds(moment)} ${hourOf(moment) < 12 ? 'AM' : 'PM'}`,
  ],
  ['DDD', (moment) => String(dayOfYear(moment.days))],
  ['DD', (moment) => pad(moment.day, 2)],
  ['DY', (moment, token) => casedLike(token, moment.names.day.slice(0, 3))],
  ['DAY', (moment, token, fill) => casedLike(token, fill ? moment.names.day.padEnd(NAME_WIDTH) : moment.names.day)],
  ['D', (moment) => String(dayOfWeek(moment.days))],
  ['J', (moment) => String(moment.days + JULIAN_DAY_OF_EPOCH)],
  ['HH24', (moment) => pad(hourOf(moment), 2)],
  ['HH12', hour12],
  ['HH', hour12],
  ['MI', minutes],
  ['SSSSS', (moment) => String(moment.secondOfDay)],
  ['SS', seconds],
  ...['FF1', 'FF2', 'FF3', 'FF4', 'FF5', 'FF6', 'FF7', 'FF8', 'FF9'].map((token) => [token, fraction] as const),
  ['FF', fraction],
  ['TZR', () => 'UTC'],
  ['TZD', () => 'UTC'],
  ['IW', (moment) => String(weekOfYear(moment.days, 1, 4).week)],
  ['WW', (moment) => String(weekOfYear(moment.days, 7, 1).week)],
  ['W', (moment) => String(Math.floor((moment.day - 1) / 7) + 1)],
  ['Y,YYY', (moment) => moment.year.toLocaleString('en-US')],
  ['SYYYY', (moment) => yearText(moment.year)],
  ['YYYY', (moment) => yearText(moment.year)],
  ['RRRR', (moment) => yearText(moment.year)],
  ['IYYY', (moment) => yearText(isoYear(moment))],
  ['YYY', (moment) => lastDigits(moment.year, 3)],
  ['IYY', (moment) => lastDigits(isoYear(moment), 3)],
  ['YY', (moment) => lastDigits(moment.year, 2)],
  ['RR', (moment) => lastDigits(moment.year, 2)],
  ['IY', (moment) => lastDigits(isoYear(moment), 2)],
  ['I', (moment) => lastDigits(isoYear(moment), 1)],
  ['Q', (moment) => String(Math.floor((moment.month - 1) / 3) + 1)],
  ['RM', (moment, token) => casedLike(token, toRoman(moment.month))],
  [
    'MONTH',
    (moment, token, fill) => casedLike(token, fill ? moment.names.month.padEnd(NAME_WIDTH) : moment.names.month),
  ],
  ['MON', (moment, token) => casedLike(token, moment.names.month.slice(0, 3))],
  ['MM', (moment) => pad(moment.month, 2)],
  ['X', () => '.'],
];

function minutes(moment: Moment): string {
  return pad(Math.floor(moment.secondOfDay / 60) % 60, 2);
}

function seconds(moment: Moment): string {
  return pad(moment.secondOfDay % 60, 2);
}

const DEFAULT_PATTERN = 'DD-MON-YY HH.MI.SS.FF PM';

/** Formats a timestamp. Throws 90010 for an invalid format. */
export function formatMoment(nanos: bigint, pattern = DEFAULT_PATTERN): string {
  checkFormat(pattern);
  const moment = describe(nanos);
  const upper = pattern.toUpperCase();
  let result = '';
  let fill = true;
  for (let at = 0; at < pattern.length; ) {
    // A single Y comes last, because many tokens start with it.
    const found =
      WRITERS.find(([token]) => upper.startsWith(token, at)) ?? (upper.charAt(at) === 'Y' ? LAST_DIGIT : undefined);
    if (found !== undefined) {
      const [token, write] = found;
      result += write(moment, pattern.slice(at, at + token.length), fill);
      at += token.length;
    } else if (upper.startsWith('FM', at) || upper.startsWith('FX', at)) {
      if (upper.startsWith('FM', at)) fill = !fill;
      at += 2;
    } else if (upper.charAt(at) === '"') {
      const end = pattern.indexOf('"', at + 1);
      result += pattern.slice(at + 1, end < 0 ? undefined : end);
      at = end < 0 ? pattern.length : end + 1;
    } else if (/[-/,.;: ]/.test(pattern.charAt(at))) {
      result += pattern.charAt(at);
      at += 1;
    } else throw invalidFormat(pattern);
  }
  return result;
}

const LAST_DIGIT: readonly [string, Writer] = ['Y', (moment) => lastDigits(moment.year, 1)];

/** The fields that have been parsed. */
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
];

function readCommaYear(rest: string, reading: Reading): number | undefined {
  const found = /^\d,\d{3}/.exec(rest)?.[0];
  if (found !== undefined) reading.year = Number(found.replace(',', ''));
  return found?.length;
}

/** Characters of VIII. */
const MAX_ROMAN_MONTH = 4;

function readRomanMonth(rest: string, reading: Reading): number | undefined {
  const found = /^[IVX]+/i.exec(rest.slice(0, MAX_ROMAN_MONTH + 1))?.[0];
  const month = MONTH_NAMES.findIndex((_, index) => toRoman(index + 1) === found?.toUpperCase()) + 1;
  if (found === undefined || month === 0) return undefined;
  reading.month = month;
  return found.length;
}

/**
 * Parses a timestamp at the start of a string. `name` is the SQL function, for error messages. Missing fields are those
 * of the first day of the current month. Throws 90056.
 */
export function parseMoment(name: string, text: string, pattern: string, nowMs: number): bigint {
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
  return timestampOf(days, nanos);
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
