/** Figures from the latest samples: values of the last minute, trends of the last minutes, and shares. */

export type Values = readonly (number | null)[];

/** The reference of the values; null where nothing is known. */
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

/** Returns the values of a series in the last minutes, or null if there is none. */
export function lastMinutes({ series, times, intervalMs }: Measured, name: string, minutes: number): Values {
  const count = Math.min(times.length, Math.ceil((minutes * MINUTE_MS) / intervalMs));
  return count === 0 ? [] : (series[name] ?? []).slice(-count);
}

/** Returns the values of the last minute that are known. */
export function lastMinute(measured: Measured, name: string): readonly number[] {
  return lastMinutes(measured, name, 1).filter((value) => value !== null);
}

/** Returns the latest value of the last minute, or undefined if none is known. */
export function latest(measured: Measured, name: string): number | undefined {
  return lastMinute(measured, name).at(-1);
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Returns the mean of the last minute, or undefined if no value is known. */
export function meanOfMinute(measured: Measured, name: string): number | undefined {
  const values = lastMinute(measured, name);
  return values.length === 0 ? undefined : sum(values) / values.length;
}

/** A share of fewer requests means nothing: the console alone sends some, and its user mistypes a few. */
const MIN_REQUESTS = 100;

/** Returns the share of the requests of the last minute that failed, or undefined if there were too few to tell. */
export function failedShare(measured: Measured): number | undefined {
  const requests = sum(lastMinute(measured, 'requestsPerSecond'));
  const failures = sum(lastMinute(measured, 'failuresPerSecond'));
  return requests * (measured.intervalMs / 1_000) < MIN_REQUESTS ? undefined : failures / requests;
}

/** Less than an hour says little of the hours to come. The first and the last sample are one interval less apart. */
const TREND_MS = 59 * MINUTE_MS;
/** Parts of the hour in each of which the space must shrink: one import is no trend. */
const PARTS = 4;

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

/** Returns by how much values grow in a millisecond along the line that fits them best. */
function slopeOf(points: ReadonlyArray<readonly [ms: number, value: number]>): number {
  const [meanMs, meanValue] = [mean(points.map(([ms]) => ms)), mean(points.map(([, value]) => value))];
  const shared = sum(points.map(([ms, value]) => (ms - meanMs) * (value - meanValue)));
  return shared / sum(points.map(([ms]) => (ms - meanMs) ** 2));
}

/**
 * Returns the time until the free space of the disk is down to its reserve if the trend of the last hour continues;
 * undefined if it has not shrunk throughout the hour, or is not known for an hour.
 */
export function diskFullInMs({ series, times, limits }: Measured): number | undefined {
  const points = (series.diskFreeBytes ?? []).flatMap((value, at) =>
    value === null ? [] : [[times[at] ?? 0, value] as const],
  );
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || last[0] - first[0] < TREND_MS) return undefined;
  const size = Math.ceil(points.length / PARTS);
  const means = Array.from({ length: PARTS }, (_, part) =>
    mean(points.slice(part * size, (part + 1) * size).map(([, value]) => value)),
  );
  if (means.some((value, part) => part > 0 && value >= (means[part - 1] ?? 0))) return undefined;
  return Math.max(0, (last[1] - (limits.diskReserveBytes ?? 0)) / -slopeOf(points));
}
