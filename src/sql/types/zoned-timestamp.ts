/**
 * Values of TIMESTAMP WITH TIME ZONE: a wall clock time and its offset from UTC. In expressions they are strings such
 * as `2018-01-02 10:11:12.5+02:30`, which CAST AS VARCHAR also returns. No column can have the type.
 */

import { sqlFailure } from '../../base/sql-errors.ts';
import { fromJavaDays } from '../../values/calendar.ts';
import { daysOfTimestamp, floorDivide, NS_PER_MS, nanosOfDay, timestampOf } from './calendar-arithmetic.ts';
import { formatTimestamp, readZonedTimestamp } from './date-time.ts';

export interface ZonedTimestamp {
  /** The wall clock time, in nanoseconds since the epoch as if it were UTC. */
  readonly local: bigint;
  readonly offsetMinutes: number;
}

const MS_PER_MINUTE = 60_000;
const NS_PER_MINUTE = BigInt(MS_PER_MINUTE) * NS_PER_MS;
/** The largest absolute offset, in minutes. */
const MAX_OFFSET = 18 * 60;

/** Parses `date`, `date time` or `dateTtime` with an optional time zone, which is UTC by default. */
export function parseZoned(text: string): ZonedTimestamp {
  const read = readZonedTimestamp(text);
  const offsetMinutes = Math.round((read?.offsetMs ?? 0) / MS_PER_MINUTE);
  if (read === undefined || Math.abs(offsetMinutes) > MAX_OFFSET)
    throw sqlFailure('CONSTANT_UNREADABLE', 'TIMESTAMP WITH TIME ZONE', text);
  return { local: read.local, offsetMinutes };
}

/** Formats a value as `yyyy-mm-dd hh:mm:ss[.fraction]+hh[:mm]`. */
export function formatZoned({ local, offsetMinutes }: ZonedTimestamp): string {
  const { hours, minutes, sign } = offsetParts(offsetMinutes);
  return `${formatTimestamp(local)}${sign}${hours}${minutes === '00' ? '' : `:${minutes}`}`;
}

/** Formats a value as ISO 8601: `2018-01-02T10:11:12.5+02:30`. */
export function isoTextOfZoned(text: string): string {
  const { local, offsetMinutes } = parseZoned(text);
  const { hours, minutes, sign } = offsetParts(offsetMinutes);
  return `${formatTimestamp(local).replace(' ', 'T')}${sign}${hours}:${minutes}`;
}

function offsetParts(offsetMinutes: number): {
  readonly sign: string;
  readonly hours: string;
  readonly minutes: string;
} {
  const size = Math.abs(offsetMinutes);
  const two = (number: number): string => String(number).padStart(2, '0');
  return { sign: offsetMinutes < 0 ? '-' : '+', hours: two(Math.floor(size / 60)), minutes: two(size % 60) };
}

/** Returns the name of a value's time zone: `GMT+02:30`, or UTC. */
export function zoneNameOf(text: string): string {
  const { offsetMinutes } = parseZoned(text);
  const { hours, minutes, sign } = offsetParts(offsetMinutes);
  return offsetMinutes === 0 ? 'UTC' : `GMT${sign}${hours}:${minutes}`;
}

/** Returns the instant of a value, in nanoseconds since the epoch. */
export function instantOfZoned(text: string): bigint {
  const { local, offsetMinutes } = parseZoned(text);
  return local - BigInt(offsetMinutes) * NS_PER_MINUTE;
}

/**
 * Returns an instant as 64-bit milliseconds represent it: out of range, it becomes a different one, which Java's
 * calendar shows as a date.
 */
export function javaInstantOf(nanos: bigint): bigint {
  const ms = floorDivide(nanos, NS_PER_MS);
  const wrapped = BigInt.asIntN(64, ms);
  if (wrapped === ms) return nanos;
  const instant = nanos + (wrapped - ms) * NS_PER_MS;
  return timestampOf(fromJavaDays(daysOfTimestamp(instant)), nanosOfDay(instant));
}

/** Returns the value at UTC for an instant. */
export function zonedOfInstant(nanos: bigint): string {
  return formatZoned({ local: nanos, offsetMinutes: 0 });
}

/** Returns the value with minutes added to its offset, and the same wall clock time. Throws 90008. */
export function withLaterOffset(text: string, minutes: bigint): string {
  const zoned = parseZoned(text);
  const offsetMinutes = zoned.offsetMinutes + Number(minutes);
  if (Math.abs(offsetMinutes) > MAX_OFFSET) throw sqlFailure('INVALID_VALUE', String(minutes), 'DATEADD count');
  return formatZoned({ ...zoned, offsetMinutes });
}

/** Returns the value with its wall clock time replaced, at the same offset. */
export function withLocal(text: string, change: (local: bigint) => bigint): string {
  const zoned = parseZoned(text);
  return formatZoned({ ...zoned, local: change(zoned.local) });
}
