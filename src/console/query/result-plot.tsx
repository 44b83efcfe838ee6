/** A plot of the rows that were read: lines, bars, points, or a histogram of one column. */
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Decimal } from '../../client/exact-json.ts';
import { bound, SelectField } from '../elements/elements.tsx';
import { formatNumber, formatValue } from '../elements/formats.ts';
import { Plot } from '../elements/plot.tsx';
import { endsOf } from '../elements/plot-scale.ts';
import type { Json } from '../requests/request.ts';
import type { PagedRows } from '../rows/paged-rows.ts';
import { choosePlot, type PlotKind } from './plot-choice.ts';

const KINDS: ReadonlyArray<readonly [kind: PlotKind, text: string]> = [
  ['line', 'Lines'],
  ['bar', 'Bars'],
  ['scatter', 'Points'],
  ['histogram', 'Histogram'],
];
/** More points than these cannot be told apart. */
const MAX_POINTS = 20_000;
const MAX_BARS = 200;
const PLOT_PIXELS = 320;
const BUCKETS = 30;

/** Axes are wider than their values, and must not reach infinity. */
const LARGEST = 1e300;
/** The width of an axis in parts of its values. */
const MIN_WIDTH = 1e-9;

const TEMPORAL = /^\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}.*)?$/;

function numberOf(value: Json | undefined): number | null {
  const number = typeof value === 'bigint' ? Number(value) : value instanceof Decimal ? Number(value.text) : value;
  return typeof number === 'number' && Math.abs(number) <= LARGEST ? number : null;
}

/** Whether an axis can have ticks that differ: the plot would look for them forever where doubles are too coarse. */
function isWide(values: readonly number[]): boolean {
  const [least, most] = endsOf(values);
  return most - least >= Math.max(Math.abs(least), Math.abs(most)) * MIN_WIDTH;
}

/** Returns a date or a time in the browser's time zone, in which the axis is written. */
function millisecondsOf(text: string): number {
  return Date.parse(text.includes(':') ? text.replace(' ', 'T') : `${text}T00:00`);
}

interface Points {
  readonly x: number[];
  readonly y: Array<number | null>;
  readonly names?: string[];
  readonly isTime: boolean;
}

/** Returns the points of two columns: numbers and times by value, other texts in their order. */
function pointsOf(rows: readonly (readonly Json[])[], xColumn: number, yColumn: number, kind: PlotKind): Points {
  const xs = rows.map((row) => row[xColumn]);
  const ys = rows.map((row) => numberOf(row[yColumn]));
  const sorted = (values: readonly number[], isTime: boolean): Points => {
    const order = values.map((_, index) => index).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
    return { x: order.map((at) => values[at] ?? 0), y: order.map((at) => ys[at] ?? null), isTime };
  };
  const numbers = xs.map(numberOf).filter((x) => x !== null);
  if (kind !== 'bar' && numbers.length === xs.length && isWide(numbers)) return sorted(numbers, false);
  const times = xs.map((x) => (typeof x === 'string' && TEMPORAL.test(x) ? millisecondsOf(x) : Number.NaN));
  if (kind !== 'bar' && times.every(Number.isFinite))
    return sorted(
      times.map((ms) => ms / 1_000),
      true,
    );
  const shown = kind === 'bar' ? xs.slice(0, MAX_BARS) : xs;
  return {
    x: shown.map((_, index) => index),
    y: ys.slice(0, shown.length),
    names: shown.map(formatValue),
    isTime: false,
  };
}

/** Returns how many values are in each of {@link BUCKETS} ranges of the same width. */
export function histogramOf(values: readonly number[]): { readonly names: string[]; readonly counts: number[] } {
  const [least, most] = endsOf(values);
  const width = (most - least) / BUCKETS || 1;
  const counts = new Array<number>(BUCKETS).fill(0);
  for (const value of values) {
    const bucket = Math.min(BUCKETS - 1, Math.floor((value - least) / width));
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  return { names: counts.map((_, index) => formatNumber(least + index * width)), counts };
}

export function ResultPlot({ result }: { readonly result: PagedRows }) {
  const columns = result.columns.value;
  const rows = [...result.cachedRows(MAX_POINTS)];
  const numeric = columns.flatMap((_, column) => (rows.some((row) => numberOf(row[column]) !== null) ? [column] : []));
  const suggested = useMemo(
    () => choosePlot(columns.map((column, at) => ({ ...column, isDrawable: numeric.includes(at) }))),
    [columns],
  );
  const kind = useSignal<PlotKind>(suggested?.kind ?? 'bar');
  const xName = useSignal(suggested?.x ?? 0);
  const yName = useSignal(suggested?.y ?? numeric[0] ?? 0);
  const choices = columns.map(({ name }, index) => [`${index}`, name] as const);
  if (numeric.length === 0) return <p class="hint">No column has numbers, so there is nothing to plot.</p>;
  const isHistogram = kind.value === 'histogram';
  const label = columns[yName.value]?.name ?? '';
  const values = rows.flatMap((row) => numberOf(row[yName.value]) ?? []);
  const histogram = isHistogram && values.length > 0 ? histogramOf(values) : undefined;
  const points = pointsOf(rows, xName.value, yName.value, kind.value);
  return (
    <section aria-label="Plot">
      <div class="form-row short">
        <SelectField label="Kind" {...bound(kind)} options={KINDS} />
        {!isHistogram && (
          <SelectField
            label="x"
            value={`${xName.value}`}
            options={choices}
            onValue={(at) => (xName.value = Number(at))}
          />
        )}
        <SelectField
          label={isHistogram ? 'Column' : 'y'}
          value={`${yName.value}`}
          options={choices}
          onValue={(at) => (yName.value = Number(at))}
        />
      </div>
      {values.length === 0 ? (
        <p class="hint">The column {label} has no numbers.</p>
      ) : histogram !== undefined ? (
        <Plot
          key="histogram"
          title={`Histogram of ${label}`}
          x={histogram.counts.map((_, index) => index)}
          names={histogram.names}
          series={[{ label: 'Rows', values: histogram.counts }]}
          kind="bar"
          format={formatNumber}
          height={PLOT_PIXELS}
          xLabel={label}
        />
      ) : (
        <Plot
          key={`${kind.value}${xName.value}-${yName.value}`}
          title={`${label} by ${columns[xName.value]?.name ?? ''}`}
          x={points.x}
          {...(points.names && { names: points.names })}
          isTime={points.isTime}
          series={[{ label, values: points.y }]}
          kind={kind.value === 'histogram' ? 'bar' : kind.value}
          format={formatNumber}
          height={PLOT_PIXELS}
          xLabel={columns[xName.value]?.name ?? 'x'}
        />
      )}
      <p class="hint">
        {formatNumber(rows.length)} of {formatNumber(result.rowCount.value)} rows that were read
        {kind.value === 'bar' && rows.length > MAX_BARS && `; the first ${formatNumber(MAX_BARS)} have a bar`}.
      </p>
    </section>
  );
}
