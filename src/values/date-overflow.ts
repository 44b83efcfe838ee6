/**
 * Dates and times that roll over as in Java: `2018-02-30` is March 2nd, `25:00:00` is one o'clock (known difference 41,
 * docs/spec/ignite-data.md 5).
 */
import type { RequestCompatibility } from '../base/compatibility.ts';
import { daysFromCivil } from './calendar.ts';
import { trimJava } from './java-number.ts';
import { formatDate, formatTime } from './scalar-formats.ts';
import type { ScalarTypeName } from './value.ts';

const DATE = /^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})$/;
const TIME = /^([+-]?[0-9]{1,9}):([+-]?[0-9]{1,9}):([+-]?[0-9]{1,9})$/;
const TIMESTAMP = /^([^ ]*) ([^ .]*)(\.[0-9]{1,9})?$/;
const DAY_SECONDS = 86_400;

/**
 * Returns the date, time or timestamp that `text` rolls over to. Any other string of these types is invalid, as in
 * Java, and becomes a string that no type accepts. Strings of other types are returned unchanged.
 */
export function rollOver(type: ScalarTypeName, text: string): string {
  if (type === 'date') return rollOverDate(text, 0) ?? NO_VALUE;
  if (type === 'time') {
    const seconds = secondsOf(text);
    return seconds === undefined ? NO_VALUE : timeText(seconds);
  }
  if (type !== 'timestamp') return text;
  const [, date = '', time = '', fraction = ''] = TIMESTAMP.exec(trimJava(text)) ?? [];
  const seconds = secondsOf(time);
  if (seconds === undefined) return NO_VALUE;
  const day = rollOverDate(date, Math.floor(seconds / DAY_SECONDS));
  return day === undefined ? NO_VALUE : `${day} ${timeText(seconds)}${fraction}`;
}

const NO_VALUE = '';

const FOUR_DIGITS = /^(?!0000)[0-9]{4}-/;
const PLAIN_TIMESTAMP = /^[0-9-]* [0-9:]*(?:\.[0-9]{1,9})?$/;

/**
 * Returns a date, time or timestamp if its form is one that Ignite accepts: years from 0001 to 9999, times
 * without a fraction, timestamps without a zone. Otherwise returns a string that no type accepts. Strings of
 * other types are returned unchanged.
 */
export function igniteForm(type: ScalarTypeName, text: string): string {
  switch (type) {
    case 'date':
      return FOUR_DIGITS.test(text) ? text : NO_VALUE;
    case 'time':
      return text.includes('.') ? NO_VALUE : text;
    case 'timestamp': {
      const trimmed = trimJava(text);
      return FOUR_DIGITS.test(trimmed) && PLAIN_TIMESTAMP.test(trimmed) ? text : NO_VALUE;
    }
    default:
      return text;
  }
}

/**
 * Returns the string in the form in which it is read: with `reference`, impossible dates roll over; requests that
 * Ignite also has are read only in its forms (docs/differences.md, row 41).
 */
export function dateForm(compatibility: RequestCompatibility, type: ScalarTypeName, text: string): string {
  if (compatibility === 'reference') return rollOver(type, text);
  return compatibility === 'contract' ? igniteForm(type, text) : text;
}

/** Returns a date plus some days. Java accepts every month with 31 days, and takes the year 0 for the year 1. */
function rollOverDate(text: string, further: number): string | undefined {
  const [, year = '', month = '', day = ''] = DATE.exec(text) ?? [];
  if (!(Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= 31)) return undefined;
  return formatDate(daysFromCivil(Math.max(1, Number(year)), Number(month), 1) + Number(day) - 1 + further);
}

/** Returns the seconds of a time whose parts may be negative or too large. */
function secondsOf(text: string): number | undefined {
  const match = TIME.exec(text);
  if (match === null) return undefined;
  return (Number(match[1]) * 60 + Number(match[2])) * 60 + Number(match[3]);
}

/** Returns the time of day for a number of seconds since or before midnight. */
function timeText(seconds: number): string {
  return formatTime((((seconds % DAY_SECONDS) + DAY_SECONDS) % DAY_SECONDS) * 1_000);
}
