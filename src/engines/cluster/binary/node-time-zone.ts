/**
 * The time zone of the cluster's nodes. Dates, times and timestamps are transferred as instants, which the nodes
 * interpret in their own zone and in Java's calendar, which is Julian before 1582-10-15. Values of the service hold the
 * same wall-clock time as if it were UTC in the Gregorian calendar.
 */
import { LRUCache } from 'lru-cache';
import { fromJavaMs, toJavaMs } from '../../../values/calendar.ts';

export interface NodeTimeZone {
  /** Returns the wall-clock time of an instant, in ms as if it were UTC. */
  toLocal(instantMs: number): number;
  /** Returns the instant of a wall-clock time. If there are two, returns the earlier one, as Java does. */
  toInstant(localMs: number): number;
}

export const UTC_ZONE: NodeTimeZone = { toLocal: fromJavaMs, toInstant: toJavaMs };

/** Offsets change at quarter hours, so one lookup is valid for a whole quarter. */
const QUARTER_MS = 900_000;
/** Largest date of the runtime on both sides of the epoch, minus the largest offset. */
const LAST_DATE_MS = 8_640_000_000_000_000 - 3 * 86_400_000;
const CACHED_QUARTERS = 4096;

/** Returns the zone with an IANA name, or UTC for an empty or unknown name. */
export function timeZoneNamed(name: string): NodeTimeZone {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return UTC_ZONE;
  }
  if (/^(Etc\/|)(UTC|GMT|UCT|Zulu|Universal|Greenwich)$/i.test(name) || name === '') return UTC_ZONE;
  const offsets = new LRUCache<number, number>({ max: CACHED_QUARTERS });

  function offsetMs(instantMs: number): number {
    // Java's dates have a wider range than the runtime's; the last known offset applies beyond it.
    const quarter = Math.floor(Math.max(-LAST_DATE_MS, Math.min(LAST_DATE_MS, instantMs)) / QUARTER_MS);
    const known = offsets.get(quarter);
    if (known !== undefined) return known;
    const offset = wallClockMs(format, quarter * QUARTER_MS) - quarter * QUARTER_MS;
    offsets.set(quarter, offset);
    return offset;
  }

  return {
    toLocal: (instantMs) => fromJavaMs(instantMs + offsetMs(instantMs)),
    toInstant(gregorianMs) {
      const localMs = toJavaMs(gregorianMs);
      const day = 86_400_000;
      const before = localMs - offsetMs(localMs - day);
      if (before + offsetMs(before) === localMs) return before;
      const after = localMs - offsetMs(localMs + day);
      return after + offsetMs(after) === localMs ? after : before;
    },
  };
}

function wallClockMs(format: Intl.DateTimeFormat, instantMs: number): number {
  const parts: Record<string, string> = {};
  for (const part of format.formatToParts(instantMs)) parts[part.type] = part.value;
  const year = Number(parts.year) * (parts.era === 'BC' ? -1 : 1) + (parts.era === 'BC' ? 1 : 0);
  const date = new Date(0);
  date.setUTCFullYear(year, Number(parts.month) - 1, Number(parts.day));
  date.setUTCHours(Number(parts.hour), Number(parts.minute), Number(parts.second), 0);
  return date.getTime();
}
