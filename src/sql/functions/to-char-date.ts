/** Formats dates and times with formats of TO_CHAR, such as `YYYY-MM-DD HH24:MI:SS.FF3`. */

import { civilFromDays } from '../../values/calendar.ts';
import {
  dayOfWeek,
  dayOfYear,
  daysOfTimestamp,
  NS_PER_SECOND,
  nanosOfDay,
  weekOfYear,
} from '../types/calendar-arithmetic.ts';
import { checkFormat } from '../types/format-length.ts';
import { DAY_NAMES, MONTH_NAMES } from './names.ts';
import { invalidFormat, toRoman } from './to-char-number.ts';

/** Length of the longest month or day name, to which others are padded. */
const NAME_WIDTH = 9;

/** Julian day of 1970-01-01. */
export const JULIAN_DAY_OF_EPOCH = 2_440_588;

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
export const hour12 = (moment: Moment): string => pad(((hourOf(moment) + 11) % 12) + 1, 2);
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
