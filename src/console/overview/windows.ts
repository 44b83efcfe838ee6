/** What the latest samples say: values of the last minute, trends of the last minutes, and shares. */

export type Values = readonly (number | null)[];

/** What the values are compared with; null where nothing is known. */
export interface Limits {
  readonly slowMs: number | null;
  readonly memoryBytes: number | null;
  readonly diskBytes: number | null;
  readonly diskReserveBytes: number | null;
}

export const NO_LIMITS: Limits = { slowMs: null, memoryBytes: null, diskBytes: null, diskReserveBytes: null };

export interface Measured {
  readonly intervalMs: number;
  readonly times: readonly number[];
  readonly series: Readonly<Record<string, Values>>;
  readonly limits: Limits;
}

const MINUTE_MS = 60_000;
/** The time that trends show. */
export const TREND_MINUTES = 10;

/** Returns the values of a series in the last minutes; null where there is none. */
export function lastMinutes({ series, times, intervalMs }: Measured, name: string, minutes: number): Values {
  const count = Math.min(times.length, Math.ceil((minutes * MINUTE_MS) / intervalMs));
  return count === 0 ? [] : (series[name] ?? []).slice(-count);
}

/** Returns the values of the last minute that are known. */
export function lastMinute(measured: Measured, name: string): readonly number[] {
  return lastMinutes(measured, name, 1).filter((value) => value !== null);
}

/** Returns the latest value of the last minute; undefined where none is known. */
export function latest(measured: Measured, name: string): number | undefined {
  return lastMinute(measured, name).at(-1);
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Returns the mean of the last minute; undefined where no value is known. */
export function meanOfMinute(measured: Measured, name: string): number | undefined {
  const values = lastMinute(measured, name);
  return values.length === 0 ? undefined : sum(values) / values.length;
}

/** Fewer requests say nothing about a share of them: the console alone sends some, and its user mistypes a few. */
const MIN_REQUESTS = 100;

/** Returns the share of the requests of the last minute that failed; undefined if there were too few to tell. */
export function failedShare(measured: Measured): number | undefined {
  const requests = sum(lastMinute(measured, 'requestsPerSecond'));
  const failures = sum(lastMinute(measured, 'failuresPerSecond'));
  return requests * (measured.intervalMs / 1_000) < MIN_REQUESTS ? undefined : failures / requests;
}

/** A line through fewer minutes says little of the hours to come. */
const MIN_MINUTES = 15;

/**
 * Returns the time until the free space of the disk is down to its reserve if it goes on as in the last hour; undefined
 * if it does not shrink, or is not known for long enough.
 */
export function diskFullInMs(measured: Measured): number | undefined {
  const free = measured.series.diskFreeBytes ?? [];
  const first = free.findIndex((value) => value !== null);
  const [before, now] = [free[first], free.at(-1)];
  if (before === null || before === undefined || now === null || now === undefined) return undefined;
  const passedMs = (measured.times.at(-1) ?? 0) - (measured.times[first] ?? 0);
  const lost = before - now;
  if (passedMs < MIN_MINUTES * MINUTE_MS || lost <= 0) return undefined;
  return Math.max(0, ((now - (measured.limits.diskReserveBytes ?? 0)) / lost) * passedMs);
}
