/** Texts of times: dates and hours in the browser's locale and time zone, distances in words. */
import { formatDuration, LOCALE } from './formats.ts';

const INSTANTS = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'medium' });
const MINUTES = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' });
/** Columns and axes have no room for AM and PM. */
const HOURS = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const BY_PRECISION = {
  day: new Intl.DateTimeFormat(LOCALE, { day: '2-digit', month: '2-digit', year: 'numeric' }),
  minute: new Intl.DateTimeFormat(LOCALE, HOURS),
  second: new Intl.DateTimeFormat(LOCALE, { ...HOURS, second: '2-digit' }),
  millisecond: new Intl.DateTimeFormat(LOCALE, { ...HOURS, second: '2-digit', fractionalSecondDigits: 3 }),
};

/** Returns the date and the time of a number of milliseconds since 1970. */
export function formatInstant(ms: number): string {
  return INSTANTS.format(ms);
}

/** Returns the date and the time of the day without its seconds. */
export function formatMinute(ms: number): string {
  return MINUTES.format(ms);
}

/** Returns only the date, or only the time of day. */
export function formatTime(ms: number, precision: keyof typeof BY_PRECISION): string {
  return BY_PRECISION[precision].format(ms);
}

/** Returns how long ago or how soon a time is: `3 h 2 min ago`, `in 5 min`. */
export function formatDistance(ms: number, nowMs: number): string {
  const distanceMs = ms - nowMs;
  if (Math.abs(distanceMs) < 1_000) return 'now';
  return distanceMs < 0 ? `${formatDuration(-distanceMs)} ago` : `in ${formatDuration(distanceMs)}`;
}
