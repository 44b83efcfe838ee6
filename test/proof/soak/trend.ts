/**
 * The trend of a measurement over a long run. Neighbouring samples are correlated (a garbage collection lowers several
 * of them), so the line is fitted to the means of a few long parts of the run, which hardly are.
 */

export interface Sample {
  /** Time since the begin of the run, in ms. */
  readonly atMs: number;
  readonly value: number;
  /** Threads of the process at that time, if the value depends on their number. */
  readonly threads?: number;
}

/** A fitted line: its slope per hour with the bounds of its confidence interval. */
export interface Trend {
  readonly mean: number;
  readonly perHour: number;
  readonly lowPerHour: number;
  readonly highPerHour: number;
  /** Length of the time that was fitted, in hours. */
  readonly hours: number;
}

/** Parts of a run whose means are fitted. */
const PARTS = 10;
/** Smaller changes of the mean number of threads explain nothing. */
const MIN_THREADS = 0.5;
/** Share of the run that fills caches and pools. */
const WARM_UP = 0.25;
/** The 99.5th percentile of Student's t distribution: an interval of 99 %. By the degrees of freedom. */
const T_VALUES = { 8: 3.355, 7: 3.499 } as const;
const HOUR_MS = 3_600_000;

/**
 * Fits a line to the samples after the warm-up. Where the number of threads changes, the slope is that at an equal
 * number of threads: a busy machine makes the service start threads, which need memory. Throws if there are too few
 * samples.
 */
export function trendOf(samples: readonly Sample[]): Trend {
  const settled = samples.slice(Math.ceil(samples.length * WARM_UP));
  if (settled.length < PARTS) throw new Error(`${settled.length} samples are too few for a trend`);
  const parts = Array.from({ length: PARTS }, (_, part) => {
    const slice = settled.slice((part * settled.length) / PARTS, ((part + 1) * settled.length) / PARTS);
    return {
      hours: meanOf(slice.map(({ atMs }) => atMs)) / HOUR_MS,
      value: meanOf(slice.map(({ value }) => value)),
      threads: meanOf(slice.map(({ threads = 0 }) => threads)),
    };
  });
  const mean = meanOf(parts.map(({ value }) => value));
  const threads = parts.map((part) => part.threads);
  const isConstant = Math.max(...threads) - Math.min(...threads) < MIN_THREADS;
  const unexplained = (values: readonly number[]) => residualsOf(values, isConstant ? undefined : threads);
  const hours = unexplained(parts.map((part) => part.hours));
  const heights = unexplained(parts.map(({ value }) => value));
  const spread = sumOf(hours.map((each) => each ** 2));
  const perHour = sumOf(hours.map((each, part) => each * (heights[part] ?? 0))) / spread;
  const residuals = heights.map((each, part) => each - perHour * (hours[part] ?? 0));
  const degrees = isConstant ? 8 : 7;
  const deviation = T_VALUES[degrees] * Math.sqrt(sumOf(residuals.map((each) => each ** 2)) / degrees / spread);
  const [first, last] = [settled[0]?.atMs ?? 0, settled.at(-1)?.atMs ?? 0];
  return {
    mean,
    perHour,
    lowPerHour: perHour - deviation,
    highPerHour: perHour + deviation,
    hours: (last - first) / HOUR_MS,
  };
}

/**
 * Reports whether a measurement grew: certainly, and during the run by more than `allowed`, a share of its mean, and by
 * more than `least`.
 */
export function hasGrown(trend: Trend, allowed: number, least: number): boolean {
  const growth = trend.perHour * trend.hours;
  return trend.lowPerHour > 0 && growth > Math.max(allowed * trend.mean, least);
}

/** Returns the residuals of `values` from the line through them over `explaining`, or from their mean without it. */
function residualsOf(values: readonly number[], explaining: readonly number[] | undefined): number[] {
  const mean = meanOf(values);
  const left = values.map((value) => value - mean);
  if (explaining === undefined) return left;
  const offsets = residualsOf(explaining, undefined);
  const slope = sumOf(offsets.map((each, at) => each * (left[at] ?? 0))) / sumOf(offsets.map((each) => each ** 2));
  return left.map((each, at) => each - slope * (offsets[at] ?? 0));
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function meanOf(values: readonly number[]): number {
  return sumOf(values) / values.length;
}
