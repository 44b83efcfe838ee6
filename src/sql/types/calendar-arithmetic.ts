/** Days, weeks and months of the proleptic Gregorian calendar, and the units of time. */

import { civilFromDays, daysFromCivil, daysOfMonth } from '../../values/calendar.ts';

export const MS_PER_DAY = 86_400_000;
export const NS_PER_MS = 1_000_000n;
export const NS_PER_SECOND = 1_000_000_000n;
export const NS_PER_DAY = 86_400_000_000_000n;

/** Returns the nanoseconds of a TIME, which is milliseconds of the day with a fraction. */
export function nanosOfTime(milliseconds: number): bigint {
  return BigInt(Math.round(milliseconds * 1e6));
}

/** Returns the TIME for the nanoseconds of the day. A double holds its milliseconds with all nine digits. */
export function timeOfNanos(nanos: bigint): number {
  return Number(nanos) / 1e6;
}

export function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}

/** Returns the date of a timestamp. */
export function daysOfTimestamp(nanos: bigint): number {
  return Number(floorDivide(nanos, NS_PER_DAY));
}

export function nanosOfDay(nanos: bigint): bigint {
  return nanos - floorDivide(nanos, NS_PER_DAY) * NS_PER_DAY;
}

export function timestampOf(days: number, nanos = 0n): bigint {
  return BigInt(days) * NS_PER_DAY + nanos;
}

/** Returns 1 (Monday) to 7 (Sunday). */
export function isoDayOfWeek(days: number): number {
  return ((((days + 3) % 7) + 7) % 7) + 1;
}

/** Returns 1 (Sunday) to 7 (Saturday). */
export function dayOfWeek(days: number): number {
  return (isoDayOfWeek(days) % 7) + 1;
}

export function dayOfYear(days: number): number {
  return days - daysFromCivil(civilFromDays(days).year, 1, 1) + 1;
}

/**
 * Returns the week of a date and the year the week belongs to. `firstDay` is the ISO number of the day that begins a
 * week, `minimalDays` the days that the first week must have in its year: (1, 4) is ISO, (7, 1) the rule of the USA.
 */
export function weekOfYear(days: number, firstDay: number, minimalDays: number): { week: number; year: number } {
  const { year } = civilFromDays(days);
  const startOf = (of: number): number => {
    const first = daysFromCivil(of, 1, 1);
    const offset = (isoDayOfWeek(first) - firstDay + 7) % 7;
    return 7 - offset >= minimalDays ? first - offset : first - offset + 7;
  };
  const next = startOf(year + 1);
  if (days >= next) return { week: 1, year: year + 1 };
  const start = startOf(year);
  if (days >= start) return { week: Math.floor((days - start) / 7) + 1, year };
  return { week: Math.floor((days - startOf(year - 1)) / 7) + 1, year: year - 1 };
}

/** Adds months to a date. The 31st becomes the last day of a shorter month. */
export function addMonths(days: number, months: number): number {
  const { year, month, day } = civilFromDays(days);
  const count = year * 12 + (month - 1) + months;
  const newYear = Math.floor(count / 12);
  const newMonth = count - newYear * 12 + 1;
  return daysFromCivil(newYear, newMonth, Math.min(day, daysOfMonth(newYear, newMonth)));
}
