/** The names of months, days and time zones in a language, from the runtime's locale data. */

import { LRUCache } from 'lru-cache';
import { daysFromCivil } from '../../values/calendar.ts';
import { withinDates, zoneOffsetMs } from './time-zones.ts';

/** Maximum number of entries per cache. Applications use few languages, patterns and zones. */
export const CACHED = 64;

/** The names of a language. Each list is created only once, because that costs far more than a lookup. */
export class Language {
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

export function cached<V extends object>(cache: LRUCache<string, V>, key: string, create: () => V): V {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const created = create();
  cache.set(key, created);
  return created;
}

export function languageOf(locale: string | undefined): Language {
  // No language tag is longer.
  const known = locale === undefined || locale.length > 100 ? 'en' : locale;
  return cached(languages, known, () => new Language(known));
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

export function padded(number: number, width: number): string {
  return `${number < 0 ? '-' : ''}${String(Math.abs(number)).padStart(width, '0')}`;
}

export function formatOffset(offsetMs: number, separator: string): string {
  const minutes = Math.floor(Math.abs(offsetMs) / 60_000);
  return `${offsetMs < 0 ? '-' : '+'}${padded(Math.floor(minutes / 60), 2)}${separator}${padded(minutes % 60, 2)}`;
}

export function zoneShown(zone: string, instantMs: number, width: number, language: Language): string {
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
