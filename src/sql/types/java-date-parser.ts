/** Parses timestamps by patterns of java.text.SimpleDateFormat, for PARSEDATETIME. */

import { daysFromCivil } from '../../values/calendar.ts';
import { isoDayOfWeek, NS_PER_MS, timestampOf } from './calendar-arithmetic.ts';
import { type Language, languageOf } from './date-language.ts';
import { knownZone } from './java-date-format.ts';
import { type Part, partsOf, unreadable } from './java-date-pattern.ts';
import { localZoneOffsetMs, zoneOffsetMs } from './time-zones.ts';

/**
 * Two-digit years are within the hundred years up to this one. Java's window ends 20 years after the day of the call,
 * so the result for constant arguments would change over time.
 */
const LAST_SHORT_YEAR = 2049;

/** The most digits of a date field. */
const MAX_DIGITS = 10;

/** The fields read from a string, by pattern letter. */
interface Reading {
  readonly numbers: Map<string, number>;
  /** The offset from UTC that the string contains. */
  offsetMs?: number;
  zone?: string;
  beforeChrist?: boolean;
}

/**
 * Parses the beginning of a string by a pattern and ignores the rest. Fields roll over (month 13 is January); missing
 * ones are taken from 1970-01-01 00:00. Throws 90014 if the string does not match.
 */
export function parseByPattern(text: string, pattern: string, locale?: string, timeZone?: string): bigint {
  const parts = partsOf(pattern, locale, timeZone);
  const language = languageOf(locale);
  const reading: Reading = { numbers: new Map() };
  let at = 0;
  parts.forEach((part, index) => {
    const end =
      'literal' in part
        ? readLiteral(text, at, part.literal)
        : readPart(text, at, part, parts[index + 1], language, reading);
    if (end === undefined) throw unreadable(text);
    at = end;
  });
  const local = momentOfReading(reading);
  const zone = reading.zone ?? knownZone(timeZone);
  const offsetMs = reading.offsetMs ?? localZoneOffsetMs(zone, Number(local / NS_PER_MS)) ?? 0;
  return local - BigInt(offsetMs) * NS_PER_MS;
}

function readLiteral(text: string, at: number, literal: string): number | undefined {
  return text.startsWith(literal, at) ? at + literal.length : undefined;
}

type Letters = { readonly letter: string; readonly width: number };

function readPart(
  text: string,
  start: number,
  { letter, width }: Letters,
  next: Part | undefined,
  language: Language,
  reading: Reading,
): number | undefined {
  let at = start;
  while (text.charAt(at) === ' ' || text.charAt(at) === '\t') at += 1;
  if (letter === 'z' || letter === 'Z' || letter === 'X') return readZone(text, at, letter, reading);
  const names = namesOf(letter, width, language);
  if (names !== undefined) {
    const found = readName(text, at, names);
    if (found !== undefined) {
      if (letter === 'G') reading.beforeChrist = found.index === 1;
      else reading.numbers.set(letter, found.index + 1);
      return found.end;
    }
    if (letter === 'G' || letter === 'a' || letter === 'E') return undefined;
  }
  // Adjacent numbers without a separator are split by their widths.
  const abutting = next !== undefined && 'letter' in next && namesOf(next.letter, next.width, language) === undefined;
  const digits = readDigits(text, at, abutting ? width : MAX_DIGITS + 2);
  const number = Number(digits);
  if (digits === undefined || Math.abs(number) > 0x7fff_ffff) return undefined;
  const short = (letter === 'y' || letter === 'Y') && width <= 2 && /^\d\d$/.test(digits);
  reading.numbers.set(letter, short ? fullYear(number) : number);
  return at + digits.length;
}

const DIGITS = /-?\d+/y;

/** Returns the digits of the integer within the next `characters`, or undefined if there are none. */
function readDigits(text: string, at: number, characters: number): string | undefined {
  DIGITS.lastIndex = 0;
  return DIGITS.exec(text.slice(at, at + characters))?.[0];
}

/** Returns the full year for a two-digit one. */
function fullYear(number: number): number {
  const year = Math.floor(LAST_SHORT_YEAR / 100) * 100 + number;
  return year <= LAST_SHORT_YEAR ? year : year - 100;
}

function namesOf(letter: string, width: number, language: Language): ReadonlyArray<readonly string[]> | undefined {
  if (letter === 'G') return [['AD'], ['BC']];
  if (letter === 'a') return language.halves().map((half) => [half]);
  if (letter === 'E') return pairs(language.days('long'), language.days('short'));
  if ((letter === 'M' || letter === 'L') && width >= 3) return pairs(language.months('long'), language.months('short'));
  return undefined;
}

function pairs(long: readonly string[], short: readonly string[]): string[][] {
  return long.map((name, index) => [name, short[index] ?? name]);
}

/** Returns the longest name at this position of the string, in any letter case. */
function readName(
  text: string,
  at: number,
  names: ReadonlyArray<readonly string[]>,
): { index: number; end: number } | undefined {
  let found: { index: number; end: number } | undefined;
  names.forEach((forms, index) => {
    for (const form of forms) {
      const same = text.slice(at, at + form.length).toLowerCase() === form.toLowerCase();
      if (same && at + form.length > (found?.end ?? at)) found = { index, end: at + form.length };
    }
  });
  return found;
}

/** The most characters of a zone name. */
const MAX_ZONE = 100;

function readZone(text: string, at: number, letter: string, reading: Reading): number | undefined {
  const rest = text.slice(at, at + MAX_ZONE);
  if (letter === 'X' && rest.startsWith('Z')) {
    reading.offsetMs = 0;
    return at + 1;
  }
  const offset = /^(?:GMT|UTC)?([+-])(\d{1,2}):?(\d\d)?/.exec(rest);
  if (offset !== null) {
    const size = (Number(offset[2]) * 60 + Number(offset[3] ?? '0')) * 60_000;
    reading.offsetMs = offset[1] === '-' ? -size : size;
    return at + offset[0].length;
  }
  const name = /^[A-Za-z]+(?:[/_][A-Za-z_]+)*/.exec(rest)?.[0];
  if (letter === 'X' || name === undefined) return undefined;
  const summer = SUMMER_ZONES.get(name.toUpperCase());
  if (summer !== undefined) reading.offsetMs = summer * 3_600_000;
  else if (zoneOffsetMs(name, 0) === undefined) return undefined;
  else reading.zone = name;
  return at + name.length;
}

/** Zone abbreviations that mean a fixed offset, in hours. */
const SUMMER_ZONES: ReadonlyMap<string, number> = new Map([
  ['EST', -5],
  ['EDT', -4],
  ['CST', -6],
  ['CDT', -5],
  ['MST', -7],
  ['MDT', -6],
  ['PST', -8],
  ['PDT', -7],
  ['CET', 1],
  ['CEST', 2],
  ['EET', 2],
  ['EEST', 3],
  ['WET', 0],
  ['WEST', 1],
  ['BST', 1],
  ['MSK', 3],
]);

function momentOfReading({ numbers, beforeChrist }: Reading): bigint {
  const read = (letter: string): number | undefined => numbers.get(letter);
  const given = read('y') ?? read('Y') ?? 1970;
  const year = beforeChrist === true ? 1 - given : given;
  return timestampOf(dateOfReading(read, year)) + BigInt(clockOfReading(read)) * NS_PER_MS;
}

function dateOfReading(read: (letter: string) => number | undefined, year: number): number {
  const month = read('M') ?? read('L');
  const week = read('w');
  const weekday = read('u') ?? read('E');
  if (month === undefined && read('d') === undefined) {
    const dayInYear = read('D');
    if (dayInYear !== undefined) return daysFromCivil(year, 1, 1) + dayInYear - 1;
    if (week !== undefined) {
      const first = daysFromCivil(year, 1, 1);
      const begin = first - (isoDayOfWeek(first) % 7);
      return begin + (week - 1) * 7 + ((weekday ?? 7) % 7);
    }
  }
  const count = year * 12 + (month ?? 1) - 1;
  const rolledYear = Math.floor(count / 12);
  const rolledMonth = count - rolledYear * 12 + 1;
  const day = read('d') ?? 1;
  return daysFromCivil(rolledYear, rolledMonth, 1) + day - 1;
}

function clockOfReading(read: (letter: string) => number | undefined): number {
  const half = read('a');
  const twelve = read('h') ?? read('K');
  const ofHalf = twelve === undefined ? undefined : (twelve % 12) + (half === 2 ? 12 : 0);
  const twentyFour = read('k');
  const hour = read('H') ?? (twentyFour === 24 ? 0 : twentyFour) ?? ofHalf ?? (half === 2 ? 12 : 0);
  return ((hour * 60 + (read('m') ?? 0)) * 60 + (read('s') ?? 0)) * 1000 + (read('S') ?? 0);
}
