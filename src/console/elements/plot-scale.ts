/** The upper end of a plot's y axis, chosen so that a few peaks do not flatten everything else. */

export interface PlotScale {
  readonly top: number;
  /** The part that does not fit; undefined if everything does. */
  readonly cut: { readonly count: number; readonly highest: number; readonly at: number } | undefined;
}

/** Beyond this multiple of the usual values, a value flattens the others. */
const PEAK = 4;
/** Peaks are at most this share of the values: anything more frequent is usual. */
const PEAK_SHARE = 0.1;
/** Fewer values do not show what is usual. */
const MIN_VALUES = 24;
/** The axis goes a little beyond the highest value. */
const FACTOR_ABOVE_MOST = 1.1;
const FACTOR_ABOVE_USUAL = 2;

/** Returns the minimum and maximum of any number of values; infinity without one. */
export function endsOf(values: readonly number[]): readonly [least: number, most: number] {
  return values.reduce<[number, number]>(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
}

/** Returns the highest of the values of several series at each position, or null if none has one. */
function highestOf(series: ReadonlyArray<ArrayLike<number | null>>): Array<number | null> {
  const length = Math.max(0, ...series.map((values) => values.length));
  return Array.from({ length }, (_, at) => {
    const known = series.flatMap((values) => values[at] ?? []);
    return known.length === 0 ? null : Math.max(...known);
  });
}

/**
 * Returns where the axis ends. With `cutsPeaks`, rare values far above the usual ones are cut off. A limit is shown
 * when the values come near it.
 */
export function scaleOf(
  series: ReadonlyArray<ArrayLike<number | null>>,
  { cutsPeaks = false, limit }: { readonly cutsPeaks?: boolean; readonly limit?: number | undefined } = {},
): PlotScale {
  const highest = highestOf(series);
  const known = highest.filter((value) => value !== null).sort((a, b) => a - b);
  const most = known.at(-1) ?? 0;
  if (most <= 0) return { top: 1, cut: undefined };
  const withLimit = (top: number): number => (limit !== undefined && most >= limit / 2 ? Math.max(top, limit) : top);
  const usual = known[Math.ceil(known.length * (1 - PEAK_SHARE)) - 1] ?? 0;
  if (!cutsPeaks || known.length < MIN_VALUES || usual <= 0 || most <= PEAK * usual) {
    return { top: withLimit(most) * FACTOR_ABOVE_MOST, cut: undefined };
  }
  const top = usual * FACTOR_ABOVE_USUAL;
  const count = known.filter((value) => value > top).length;
  return { top, cut: { count, highest: most, at: highest.indexOf(most) } };
}
