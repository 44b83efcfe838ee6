/** Times until API keys expire, as they are offered. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Choices of a time until a key expires, in ms. */
export const EXPIRIES: ReadonlyArray<readonly [ttlMs: string, text: string]> = [
  [String(HOUR_MS), 'In an hour'],
  [String(DAY_MS), 'In a day'],
  [String(7 * DAY_MS), 'In 7 days'],
  [String(30 * DAY_MS), 'In 30 days'],
  [String(90 * DAY_MS), 'In 90 days'],
  [String(365 * DAY_MS), 'In a year'],
];

/** Choices of how long the former secret of a rotated key is accepted. */
export const OVERLAPS: ReadonlyArray<readonly [overlapMs: string, text: string]> = [
  ['0', 'No longer'],
  [String(HOUR_MS), 'For an hour'],
  [String(DAY_MS), 'For a day'],
  [String(7 * DAY_MS), 'For 7 days'],
];

export const DEFAULT_OVERLAP = String(DAY_MS);
