/** Times in the notation of the browser. */

const INSTANT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const DISTANCE = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });

const UNITS: ReadonlyArray<readonly [unit: Intl.RelativeTimeFormatUnit, ms: number]> = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** Returns a time in milliseconds since 1970, in the browser's zone and notation. */
export function formatInstant(ms: number): string {
  return INSTANT.format(ms);
}

/** Returns how far a time is from another, in its largest unit: `3 min. ago`, `in 2 days`. */
export function formatDistance(ms: number, nowMs: number): string {
  const distanceMs = ms - nowMs;
  const found = UNITS.find(([, unitMs]) => Math.abs(distanceMs) >= unitMs);
  if (found === undefined) return DISTANCE.format(Math.round(distanceMs / 1_000), 'second');
  return DISTANCE.format(Math.round(distanceMs / found[1]), found[0]);
}
