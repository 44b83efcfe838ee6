/**
 * The trend of a measurement over a long run. Neighbouring samples depend on one another (a collection of garbage
 * lowers several of them), so the line is fitted to the means of a few long parts of the run, which hardly do.
 */

export interface Sample {
  /** Time since the begin of the run, in ms. */
  readonly atMs: number;
  readonly value: number;
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
/** Share of the run that fills caches and pools. */
const WARM_UP = 0.25;
/** The 99.5th percentile of Student's t distribution with PARTS - 2 degrees of freedom: an interval of 99 %. */
const T_VALUE = 3.355;
const HOUR_MS = 3_600_000;

/** Fits a line to the samples after the warm-up. Throws if there are too few of them. */
export function trendOf(samples: readonly Sample[]): Trend {
  const settled = samples.slice(Math.ceil(samples.length * WARM_UP));
  if (settled.length < PARTS) throw new Error(`${settled.length} samples are too few for a trend`);
  const parts = Array.from({ length: PARTS }, (_, part) => {
    const slice = settled.slice((part * settled.length) / PARTS, ((part + 1) * settled.length) / PARTS);
    return { hours: meanOf(slice.map(({ atMs }) => atMs)) / HOUR_MS, value: meanOf(slice.map(({ value }) => value)) };
  });
  const meanHours = meanOf(parts.map(({ hours }) => hours));
  const mean = meanOf(parts.map(({ value }) => value));
  const spread = sumOf(parts.map(({ hours }) => (hours - meanHours) ** 2));
  const perHour = sumOf(parts.map(({ hours, value }) => (hours - meanHours) * (value - mean))) / spread;
  const residuals = parts.map(({ hours, value }) => value - mean - perHour * (hours - meanHours));
  const deviation = Math.sqrt(sumOf(residuals.map((each) => each ** 2)) / (PARTS - 2) / spread);
  const [first, last] = [settled[0]?.atMs ?? 0, settled.at(-1)?.atMs ?? 0];
  return {
    mean,
    perHour,
    lowPerHour: perHour - T_VALUE * deviation,
    highPerHour: perHour + T_VALUE * deviation,
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

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function meanOf(values: readonly number[]): number {
  return sumOf(values) / values.length;
}
