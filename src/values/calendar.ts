/** The proleptic Gregorian calendar, and its conversion to Java's calendar. */

/** The largest distance from the epoch, in ms, that java.util.Date and JavaScript both support. */
export const MAX_INSTANT_MS = 8.64e15;

/** Returns the number of days from 1970-01-01 to a date; month 1..12. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146097 + dayOfEra - 719468;
}

/** A date of the calendar; month 1..12. */
export interface CivilDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** Returns the date that is `days` after 1970-01-01. */
export function civilFromDays(days: number): CivilDay {
  const shifted = days + 719468;
  const era = Math.floor(shifted / 146097);
  const dayOfEra = shifted - era * 146097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36524) - Math.floor(dayOfEra / 146096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
  };
}

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Returns the number of days in a month (1..12). */
export function daysOfMonth(year: number, month: number): number {
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return (MONTH_DAYS[month - 1] ?? 0) + (leap ? 1 : 0);
}

/** First day of the Gregorian calendar, 1582-10-15, in days from 1970-01-01. */
const CUTOVER_DAYS = -141427;

/**
 * Returns the day (from 1970-01-01) with the same year, month and day in Java's calendar, which is Julian before
 * 1582-10-15. The ten days before the cutover, which Java skips, become the ten days after it, as in Java.
 */
export function toJavaDays(days: number): number {
  if (days >= CUTOVER_DAYS) return days;
  const { year, month, day } = civilFromDays(days);
  return daysFromJulian(year, month, day);
}

/** The inverse of {@link toJavaDays}. */
export function fromJavaDays(days: number): number {
  if (days >= CUTOVER_DAYS) return days;
  const shifted = days + 719470;
  const era = Math.floor(shifted / 1461);
  const dayOfEra = shifted - era * 1461;
  const yearOfEra = Math.floor((dayOfEra - Math.floor(dayOfEra / 1460)) / 365);
  const dayOfYear = dayOfEra - 365 * yearOfEra;
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const year = yearOfEra + era * 4 + (month <= 2 ? 1 : 0);
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  return daysFromCivil(year, month, Math.min(day, daysOfMonth(year, month)));
}

const DAY_MS = 86_400_000;
const CUTOVER_MS = CUTOVER_DAYS * DAY_MS;

/** Like {@link toJavaDays}, for a time in ms from 1970-01-01. */
export function toJavaMs(ms: number): number {
  if (ms >= CUTOVER_MS) return ms;
  const days = Math.floor(ms / DAY_MS);
  return ms + (toJavaDays(days) - days) * DAY_MS;
}

/** The inverse of {@link toJavaMs}. */
export function fromJavaMs(ms: number): number {
  if (ms >= CUTOVER_MS) return ms;
  const days = Math.floor(ms / DAY_MS);
  return ms + (fromJavaDays(days) - days) * DAY_MS;
}

function daysFromJulian(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return shifted * 365 + Math.floor(shifted / 4) + dayOfYear - 719470;
}
