/**
 * Formats and parses timestamps by patterns of java.text.SimpleDateFormat, for FORMATDATETIME and PARSEDATETIME. Names
 * of months, days and zones come from the locale data of the runtime.
 */

import { LRUCache } from 'lru-cache';
import { civilFromDays, daysFromCivil } from '../../values/calendar.ts';
import {
  dayOfYear,
  daysOfTimestamp,
  floorDivide,
  isoDayOfWeek,
  localZoneOffsetMs,
  NS_PER_MS,
  nanosOfDay,
  timestampOf,
  weekOfYear,
  withinDates,
  zoneOffsetMs,
} from './date-time.ts';
import { checkFormat } from './format-length.ts';
import { sqlFailure } from './sql-errors.ts';
import type { SqlFailure } from './sql-failure.ts';

/** A run of one pattern letter, or literal text. */
type Part = { readonly letter: string; readonly width: number } | { readonly literal: string };

const LETTERS = 'GyYMLwWDdFEuaHkKhmsSzZX';
/**
 * Two-digit years are within the hundred years up to this one. Java's window ends 20 years after the day of the call,
 * so the result for constant arguments would change over time.
 */
const LAST_SHORT_YEAR = 2049;

function unreadable(detail: string): SqlFailure {
  return sqlFailure('DATE_UNREADABLE', detail);
}

/** The most digits of a date field. */
const MAX_DIGITS = 10;

function compilePattern(pattern: string, described: string): readonly Part[] {
  const parts: Part[] = [];
  let literal = '';
  const flush = (): void => {
    if (literal !== '') parts.push({ literal });
    literal = '';
  };
  for (let at = 0; at < pattern.length; ) {
    const character = pattern.charAt(at);
    if (character === "'") {
      if (pattern.charAt(at + 1) === "'") {
        literal += "'";
        at += 2;
        continue;
      }
      const quote = readQuoted(pattern, at + 1);
      if (quote === undefined) throw unreadable(described);
      literal += quote.text;
      at = quote.end;
    } else if (/[A-Za-z]/.test(character)) {
      if (!LETTERS.includes(character)) throw unreadable(described);
      let end = at + 1;
      while (pattern.charAt(end) === character) end += 1;
      flush();
      parts.push({ letter: character, width: end - at });
      at = end;
    } else {
      literal += character;
      at += 1;
    }
  }
  flush();
  return parts;
}

/** Returns the text up to the closing quote, where two quotes are an escaped one; undefined when it is unclosed. */
function readQuoted(pattern: string, start: number): { text: string; end: number } | undefined {
  let text = '';
  for (let at = start; at < pattern.length; at += 1) {
    if (pattern.charAt(at) !== "'") text += pattern.charAt(at);
    else if (pattern.charAt(at + 1) === "'") {
      text += "'";
      at += 1;
    } else return { text, end: at + 1 };
  }
  return undefined;
}

/** Entries of each cache. Applications use few languages, patterns and zones. */
const CACHED = 64;

/** The names of a language. Each list is created once, since that costs more than a thousand lookups. */
class Language {
  readonly tag: string;
  private readonly lists = new Map<string, readonly string[]>();
  private readonly zones = new LRUCache<string, Intl.DateTimeFormat>({ max: CACHED });

  constructor(locale: string | undefined) {
    this.tag = languageTag(locale);
  }

  private list(name: string, create: () => readonly string[]): readonly string[] {
    const known = this.lists.get(name) ?? create();
    this.lists.set(name, known);
    return known;
  }

  months(width: 'long' | 'short'): readonly string[] {
    return this.list(`months ${width}`, () => this.createMonths(width));
  }

  private createMonths(width: 'long' | 'short'): readonly string[] {
    const format = new Intl.DateTimeFormat(this.tag, { day: 'numeric', month: width, timeZone: 'UTC' });
    return Array.from({ length: 12 }, (_, month) =>
      partOf(format, daysFromCivil(2021, month + 1, 1) * 86_400_000, 'month'),
    );
  }

  /** Returns the days from Monday to Sunday. */
  days(width: 'long' | 'short'): readonly string[] {
    return this.list(`days ${width}`, () => {
      const format = new Intl.DateTimeFormat(this.tag, { weekday: width, timeZone: 'UTC' });
      return Array.from({ length: 7 }, (_, day) => partOf(format, (4 + day) * 86_400_000, 'weekday'));
    });
  }

  /** Returns the markers before and after noon. */
  halves(): readonly string[] {
    return this.list('halves', () => {
      const format = new Intl.DateTimeFormat(this.tag, { hour: 'numeric', hour12: true, timeZone: 'UTC' });
      return [partOf(format, 3_600_000, 'dayPeriod') || 'AM', partOf(format, 46_800_000, 'dayPeriod') || 'PM'];
    });
  }

  zoneName(zone: string, instantMs: number, width: 'long' | 'short'): string {
    const format = cached(
      this.zones,
      `${width} ${zone}`,
      () => new Intl.DateTimeFormat(this.tag, { timeZone: zone, timeZoneName: width }),
    );
    return partOf(format, instantMs, 'timeZoneName');
  }
}

const languages = new LRUCache<string, Language>({ max: CACHED });
const patterns = new LRUCache<string, readonly Part[]>({ max: CACHED });

function cached<V extends object>(cache: LRUCache<string, V>, key: string, create: () => V): V {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const created = create();
  cache.set(key, created);
  return created;
}

function languageOf(locale: string | undefined): Language {
  // No language tag is longer.
  const known = locale === undefined || locale.length > 100 ? 'en' : locale;
  return cached(languages, known, () => new Language(known));
}

function partsOf(pattern: string, locale: string | undefined, timeZone: string | undefined): readonly Part[] {
  checkFormat(pattern);
  const described = `${pattern}/${locale ?? null}/${timeZone ?? null}`;
  return cached(patterns, pattern, () => compilePattern(pattern, described));
}

function partOf(format: Intl.DateTimeFormat, instantMs: number, type: Intl.DateTimeFormatPartTypes): string {
  return format.formatToParts(withinDates(instantMs)).find((part) => part.type === type)?.value ?? '';
}

function languageTag(locale: string | undefined): string {
  try {
    const [tag] = Intl.DateTimeFormat.supportedLocalesOf((locale ?? 'en').replaceAll('_', '-'));
    return tag ?? 'en';
  } catch {
    return 'en';
  }
}

function padded(number: number, width: number): string {
  return `${number < 0 ? '-' : ''}${String(Math.abs(number)).padStart(width, '0')}`;
}

function formatOffset(offsetMs: number, separator: string): string {
  const minutes = Math.floor(Math.abs(offsetMs) / 60_000);
  return `${offsetMs < 0 ? '-' : '+'}${padded(Math.floor(minutes / 60), 2)}${separator}${padded(minutes % 60, 2)}`;
}

function zoneShown(zone: string, instantMs: number, width: number, language: Language): string {
  const fixed = /^(?:GMT|UTC|UT|Z)$/.test(zone);
  if (fixed) return width >= 4 ? (zone === 'GMT' ? 'Greenwich Mean Time' : 'Coordinated Universal Time') : zone;
  if (/^GMT[+-]/.test(zone)) return `GMT${formatOffset(zoneOffsetMs(zone, instantMs) ?? 0, ':')}`;
  if (width >= 4) return language.zoneName(zone, instantMs, 'long');
  // The runtime has short names only for the regions that use them.
  const short = language.zoneName(zone, instantMs, 'short');
  return /^(?:GMT|UTC)[+-]/.test(short) ? shortZoneName(zone, instantMs) : short;
}

/** Common abbreviations of zones: standard time, daylight saving time. */
const SHORT_ZONE_NAMES: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['Central European', ['CET', 'CEST']],
  ['Eastern European', ['EET', 'EEST']],
  ['Western European', ['WET', 'WEST']],
  ['Greenwich Mean', ['GMT', 'BST']],
  ['British Summer', ['GMT', 'BST']],
  ['Moscow', ['MSK', 'MSD']],
  ['India', ['IST', 'IST']],
  ['Japan', ['JST', 'JDT']],
  ['China', ['CST', 'CDT']],
  ['Korean', ['KST', 'KDT']],
  ['Singapore', ['SGT', 'SGT']],
  ['Australian Eastern', ['AEST', 'AEDT']],
  ['Australian Central', ['ACST', 'ACDT']],
  ['Australian Western', ['AWST', 'AWDT']],
  ['New Zealand', ['NZST', 'NZDT']],
  ['Israel', ['IST', 'IDT']],
  ['South Africa', ['SAST', 'SAST']],
]);

function shortZoneName(zone: string, instantMs: number): string {
  const english = languageOf('en');
  const long = english.zoneName(zone, instantMs, 'long');
  for (const [beginning, [standard, summer]] of SHORT_ZONE_NAMES) {
    if (long.startsWith(beginning)) return /Summer|Daylight/.test(long) ? summer : standard;
  }
  return english.zoneName(zone, instantMs, 'short');
}

/** Returns the zone of an argument. Unknown names mean GMT, as in Java. */
function knownZone(zone: string | undefined): string {
  if (zone === undefined) return 'UTC';
  return zoneOffsetMs(zone, 0) === undefined ? 'GMT' : zone;
}

/** The ISO number of the day that begins a week, and the days that the first week must have in its year. */
const WEEK_RULE = { firstDay: 7, minimalDays: 1 } as const;

/** Formats a timestamp, by default in English and UTC. Throws 90014 for an invalid pattern. */
export function formatByPattern(nanos: bigint, pattern: string, locale?: string, timeZone?: string): string {
  const parts = partsOf(pattern, locale, timeZone);
  const language = languageOf(locale);
  const zone = knownZone(timeZone);
  const instantMs = Number(floorDivide(nanos, NS_PER_MS));
  const offsetMs = zoneOffsetMs(zone, instantMs) ?? 0;
  const local = nanos + BigInt(offsetMs) * NS_PER_MS;
  return parts
    .map((part) => {
      if ('literal' in part) return part.literal;
      if (part.letter === 'z') return zoneShown(zone, instantMs, part.width, language);
      if (part.letter === 'Z') return formatOffset(offsetMs, '');
      if (part.letter === 'X') return isoOffset(offsetMs, part.width);
      return formatLetter(part.letter, part.width, local, language);
    })
    .join('');
}

function isoOffset(offsetMs: number, width: number): string {
  if (offsetMs === 0) return 'Z';
  return width === 1 ? formatOffset(offsetMs, '').slice(0, 3) : formatOffset(offsetMs, width === 2 ? '' : ':');
}

function formatLetter(letter: string, width: number, local: bigint, language: Language): string {
  const days = daysOfTimestamp(local);
  const ms = Number(nanosOfDay(local) / NS_PER_MS);
  const { year, month, day } = civilFromDays(days);
  const hour = Math.floor(ms / 3_600_000);
  const yearOfEra = year > 0 ? year : 1 - year;
  switch (letter) {
    case 'G':
      return year > 0 ? 'AD' : 'BC';
    case 'y':
      return width === 2 ? padded(yearOfEra % 100, 2) : padded(yearOfEra, width);
    case 'Y': {
      const week = weekOfYear(days, WEEK_RULE.firstDay, WEEK_RULE.minimalDays);
      return width === 2 ? padded(week.year % 100, 2) : padded(week.year, width);
    }
    case 'M':
    case 'L':
      return width >= 3 ? (language.months(width === 3 ? 'short' : 'long')[month - 1] ?? '') : padded(month, width);
    case 'w':
      return padded(weekOfYear(days, WEEK_RULE.firstDay, WEEK_RULE.minimalDays).week, width);
    case 'W':
      return padded(weekOfMonth(days), width);
    case 'D':
      return padded(dayOfYear(days), width);
    case 'd':
      return padded(day, width);
    case 'F':
      return padded(Math.floor((day - 1) / 7) + 1, width);
    case 'E':
      return language.days(width >= 4 ? 'long' : 'short')[isoDayOfWeek(days) - 1] ?? '';
    case 'u':
      return padded(isoDayOfWeek(days), width);
    case 'a':
      return language.halves()[hour < 12 ? 0 : 1] ?? '';
    case 'H':
      return padded(hour, width);
    case 'k':
      return padded(hour === 0 ? 24 : hour, width);
    case 'K':
      return padded(hour % 12, width);
    case 'h':
      return padded(hour % 12 === 0 ? 12 : hour % 12, width);
    case 'm':
      return padded(Math.floor(ms / 60_000) % 60, width);
    case 's':
      return padded(Math.floor(ms / 1000) % 60, width);
    default:
      return padded(ms % 1000, width);
  }
}

function weekOfMonth(days: number): number {
  const { year, month, day } = civilFromDays(days);
  const firstOffset = isoDayOfWeek(daysFromCivil(year, month, 1)) % 7;
  return Math.floor((day - 1 + firstOffset) / 7) + 1;
}

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
 * ones are those of 1970-01-01 00:00. Throws 90014 when the string does not match.
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

/** Returns the digits of the integer within the next `characters`; undefined when there are none. */
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

/** Returns the longest name at this place of the string, in any letter case. */
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
