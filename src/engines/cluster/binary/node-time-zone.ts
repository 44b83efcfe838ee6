/**
 * The time zone of the cluster's nodes. Dates, times and timestamps travel as instants that the nodes read in their
 * own zone; values of ours carry the same wall-clock reading counted as if it were UTC.
 */
import { LRUCache } from 'lru-cache';

export interface NodeTimeZone {
  /** Wall-clock reading, in ms as if UTC, of an instant. */
  toLocal(instantMs: number): number;
  /** Instant of a wall-clock reading; of two instants the earlier one, as Java takes it. */
  toInstant(localMs: number): number;
}

export const UTC_ZONE: NodeTimeZone = { toLocal: (instantMs) => instantMs, toInstant: (localMs) => localMs };

/** Offsets change on quarter hours at the earliest, so one answer holds for a whole one. */
const QUARTER_MS = 900_000;
/** Dates of the runtime reach so far on both sides of the epoch, with room for any offset. */
const LAST_DATE_MS = 8_640_000_000_000_000 - 3 * 86_400_000;
const CACHED_QUARTERS = 4096;

/** The zone with the given IANA name; UTC for an empty or unknown one. */
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
    // Java's dates reach further than those of the runtime; the zone's last offset holds there.
    const quarter = Math.floor(Math.max(-LAST_DATE_MS, Math.min(LAST_DATE_MS, instantMs)) / QUARTER_MS);
    const known = offsets.get(quarter);
    if (known !== undefined) return known;
    const offset = wallClockMs(format, quarter * QUARTER_MS) - quarter * QUARTER_MS;
    offsets.set(quarter, offset);
    return offset;
  }

  return {
    toLocal: (instantMs) => instantMs + offsetMs(instantMs),
    toInstant(localMs) {
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
