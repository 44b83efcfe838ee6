/** The offsets of time zones from UTC. */

import { LRUCache } from 'lru-cache';
import { daysFromCivil } from '../../values/calendar.ts';
import { MS_PER_DAY, NS_PER_MS } from './calendar-arithmetic.ts';

/**
 * Returns the offset of a zone from UTC in milliseconds, or undefined for an unknown zone. `local` is the wall clock
 * time as if it were UTC, in nanoseconds.
 */
export function zoneOffset(zone: string, local: bigint): number | undefined {
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

/** Returns the offset of a zone from UTC at an instant, in milliseconds, or undefined for an unknown zone. */
export function zoneOffsetMs(zone: string, givenMs: number): number | undefined {
  // The runtime knows no daylight saving rules beyond its calendar, so the rules at its last instant apply.
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

/** Like {@link zoneOffsetMs}, for a wall clock time in the zone. */
export function localZoneOffsetMs(zone: string, wallMs: number): number | undefined {
  const guess = zoneOffsetMs(zone, wallMs);
  if (guess === undefined) return undefined;
  return zoneOffsetMs(zone, wallMs - guess);
}
