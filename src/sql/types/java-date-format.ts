/** Formats timestamps by patterns of java.text.SimpleDateFormat, for FORMATDATETIME. */

import { civilFromDays, daysFromCivil } from '../../values/calendar.ts';
import {
  dayOfYear,
  daysOfTimestamp,
  floorDivide,
  isoDayOfWeek,
  NS_PER_MS,
  nanosOfDay,
  weekOfYear,
} from './calendar-arithmetic.ts';
import { formatOffset, type Language, languageOf, padded, zoneShown } from './date-language.ts';
import { partsOf } from './java-date-pattern.ts';
import { zoneOffsetMs } from './time-zones.ts';

/** Returns the zone of an argument. Unknown names mean GMT, as in Java, which knows offsets from GMT only. */
export function knownZone(zone: string | undefined): string {
  if (zone === undefined) return 'UTC';
  if (/^(?:UTC?)?[+-]/.test(zone)) return 'GMT';
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
