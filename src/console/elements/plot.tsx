/** Plots of numbers over time or over another number. */

import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { Button } from './elements.tsx';
import { formatBytes, formatNumber } from './formats.ts';
import { endsOf, type PlotScale, scaleOf } from './plot-scale.ts';
import { isSystemDark, theme } from './theme.ts';
import { formatTime } from './times.ts';

export interface PlotSeries {
  readonly label: string;
  readonly values: ArrayLike<number | null>;
}

export interface PlotProps {
  readonly title: string;
  /** Seconds since 1970 if `isTime`. */
  readonly x: ArrayLike<number>;
  readonly series: readonly PlotSeries[];
  readonly format: (value: number) => string;
  readonly isTime?: boolean;
  readonly kind?: 'line' | 'bar' | 'scatter';
  /** Texts of the positions on the x axis, instead of numbers. */
  readonly names?: readonly string[];
  readonly xLabel?: string;
  /** In pixels; a plot that shares the page with others is low. */
  readonly height?: number;
  /** Whether rare values far above the usual ones are cut off, with a button that shows them in full. */
  readonly cutsPeaks?: boolean;
  /** The limit for the values: shown as a line once they come near. */
  readonly limit?: { readonly value: number; readonly label: string } | undefined;
}

const LOW_PIXELS = 190;
const NAMES_PIXELS = 36;
/** Distances of the marks of sizes: powers of two, so they are whole in their unit. */
const BYTES = Array.from({ length: 50 }, (_, power) => 2 ** power);
/** Distances of other marks: with few digits, so no two of them have the same text. */
const STEPS = Array.from({ length: 64 }, (_, at) => at - 32).flatMap((power) =>
  [1, 2, 5].map((digit) => Number(`${digit}e${power}`)),
);
/** Colours of lines, which repeat after these. */
const LINES = 8;

/** Returns the colour of a line from the style sheet. */
function lineColour(index: number): string {
  return `var(--plot-${(index % LINES) + 1})`;
}

function pathsOf(kind: PlotProps['kind']): uPlot.Series.PathBuilder | undefined {
  if (kind === 'bar') return uPlot.paths.bars?.({ size: [0.8, 60] });
  return kind === 'scatter' ? () => null : undefined;
}

/** Names are at whole numbers. */
const WHOLE_STEPS = STEPS.filter(Number.isInteger);

const DAY_SECONDS = 86_400;

/** Returns the local time, or the date where the marks of the axis are days apart. */
function timeOf(seconds: number, step: number): string {
  return formatTime(seconds * 1_000, step >= DAY_SECONDS ? 'day' : step >= 60 ? 'minute' : 'second');
}

/** Returns the text of a position on the x axis. */
function positionOf({ x, names, isTime, xLabel }: PlotProps, at: number): string {
  const value = x[at] ?? Number.NaN;
  if (names !== undefined) return names[value] ?? '';
  if (isTime !== true) return formatNumber(value);
  const [day, time] = [timeOf(value, DAY_SECONDS), timeOf(value, 1)];
  if (xLabel === undefined) return time;
  return new Date(value * 1_000).toTimeString().startsWith('00:00:00') ? day : `${day} ${time}`;
}

interface PlotState {
  /** What the plot shows now. */
  readonly props: PlotProps;
  readonly scale: PlotScale;
}

/** Draws the line of the limit where it is within the scale. */
function drawLimit(plot: uPlot, { props, scale }: PlotState, colour: string): void {
  const { limit } = props;
  if (limit === undefined || limit.value > scale.top) return;
  const { ctx, bbox } = plot;
  const y = plot.valToPos(limit.value, 'y', true);
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 2 * devicePixelRatio;
  ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
}

function hasOneValue(values: ArrayLike<number | null | undefined> | undefined): boolean {
  return Array.from(values ?? []).filter((value) => value !== null && value !== undefined).length === 1;
}

function optionsOf(
  state: { readonly current: PlotState },
  width: number,
  hovered: Signal<number | undefined>,
  hidden: readonly string[],
): uPlot.Options {
  const { series, format, isTime, kind, names, height = LOW_PIXELS } = state.current.props;
  const style = getComputedStyle(document.documentElement);
  const probe = document.body.appendChild(document.createElement('span'));
  const colour = (text: string): string => {
    probe.style.color = text;
    return getComputedStyle(probe).color;
  };
  const [text, line, warning] = [colour('var(--text)'), colour('var(--soft-line)'), colour('var(--warning)')];
  const strokes = series.map((_, index) => colour(lineColour(index)));
  const fills = series.map((_, index) => colour(`color-mix(in srgb, ${lineColour(index)} 50%, transparent)`));
  probe.remove();
  const axis = {
    stroke: text,
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line },
    font: `12px ${style.fontFamily}`,
  };
  const paths = pathsOf(kind);
  const nameOf = (value: number): string => names?.[value] ?? '';
  return {
    width,
    height,
    scales: {
      // A bar extends equally to the left and right of its position.
      x: { time: isTime === true, ...(names && { range: (_, min, max) => [min - 0.5, max + 0.5] }) },
      y: { range: (_, min) => [Math.min(0, min), state.current.scale.top] },
    },
    legend: { show: false },
    hooks: {
      draw: [(plot) => drawLimit(plot, state.current, warning)],
      setCursor: [
        ({ cursor }) => {
          hovered.value = cursor.idx ?? undefined;
        },
      ],
    },
    axes: [
      {
        ...axis,
        size: NAMES_PIXELS,
        ...(names && { values: (_, splits) => splits.map(nameOf), incrs: WHOLE_STEPS }),
        // A date is wider than a time.
        ...(isTime === true && {
          space: 84,
          values: (_, splits, __, ___, step) => splits.map((at) => timeOf(at, step)),
        }),
      },
      { ...axis, size: 74, values: (_, splits) => splits.map(format), incrs: format === formatBytes ? BYTES : STEPS },
    ],
    series: [
      {},
      ...series.map(({ label }, index) => ({
        label,
        show: !hidden.includes(label),
        stroke: strokes[index] ?? text,
        width: 2,
        ...(kind === 'bar' && { fill: fills[index] ?? text }),
        ...(paths && { paths }),
        spanGaps: true,
        // A line needs two values; a single one would be invisible.
        points: {
          show: ({ data }: Pick<uPlot, 'data'>, at: number) => kind === 'scatter' || hasOneValue(data[at]),
          size: 5,
          fill: strokes[index] ?? text,
        },
      })),
    ],
  };
}

/** Returns whether the latest value is current: times from a column have its name. */
function isLive({ isTime, xLabel }: PlotProps): boolean {
  return isTime === true && xLabel === undefined;
}

/** Returns the value that the legend shows: the one under the pointer, otherwise the latest or the range of all. */
function shownValue(plot: PlotProps, values: ArrayLike<number | null>, at: number | undefined): string {
  const { format } = plot;
  if (at === undefined && !isLive(plot)) {
    const known = Array.from(values).filter((value) => value !== null);
    const [least, most] = endsOf(known);
    return known.length === 0 ? 'no value' : `${format(least)} to ${format(most)}`;
  }
  const value = values[at ?? values.length - 1];
  return value === null || value === undefined ? 'no value' : format(value);
}

/** The names of the lines with their values. With several lines, a click hides or shows one. */
function Legend(props: {
  readonly plot: PlotProps;
  readonly hovered: Signal<number | undefined>;
  readonly hidden: Signal<readonly string[]>;
}) {
  const { plot, hovered, hidden } = props;
  const at = hovered.value === undefined || hovered.value >= plot.x.length ? undefined : hovered.value;
  const toggle = (label: string): void => {
    const others = hidden.value.filter((each) => each !== label);
    hidden.value = others.length < hidden.value.length ? others : [...others, label];
  };
  const prefix = isLive(plot) ? '' : `${plot.xLabel ?? 'x'}: `;
  const place = at === undefined ? (isLive(plot) ? 'Now' : '') : `${prefix}${positionOf(plot, at)}`;
  return (
    <ul class="legend">
      {place !== '' && <li class="legend-place">{place}</li>}
      {plot.series.map(({ label, values }, index) => {
        const text = (
          <>
            <svg class="swatch" viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
              <rect width="10" height="10" rx="2" fill={lineColour(index)} />
            </svg>
            {label} <span class="legend-value">{shownValue(plot, values, at)}</span>
          </>
        );
        return (
          <li key={label}>
            {plot.series.length === 1 ? (
              <span class="legend-line">{text}</span>
            ) : (
              <Button
                class="plain legend-line"
                aria-pressed={!hidden.value.includes(label)}
                onClick={() => toggle(label)}
              >
                {text}
              </Button>
            )}
          </li>
        );
      })}
      {plot.limit !== undefined && (
        <li class="legend-line">
          {plot.limit.label} <span class="legend-value">{plot.format(plot.limit.value)}</span>
        </li>
      )}
    </ul>
  );
}

/** Draws a plot. The legend has the values as text, including for users who cannot see the plot. */
export function Plot(props: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const hovered = useSignal<number | undefined>(undefined);
  const hidden = useSignal<readonly string[]>([]);
  const isWhole = useSignal(false);
  const { title, x, series, format, limit, cutsPeaks = false } = props;
  const visible = series.filter(({ label }) => !hidden.value.includes(label)).map(({ values }) => values);
  const robust = scaleOf(visible, { cutsPeaks, limit: limit?.value });
  const scale = isWhole.value ? scaleOf(visible, { limit: limit?.value }) : robust;
  const state = useRef<PlotState>({ props, scale });
  state.current = { props, scale };
  const data = [x, ...series.map(({ values }) => values)] as unknown as uPlot.AlignedData;
  const colours = [theme.value, isSystemDark.value];
  const shape = [props.kind, colours, hidden.value, ...series.map(({ label }) => label), props.names?.length];
  useEffect(() => {
    const { current: parent } = place;
    if (parent === null) return;
    const created = new uPlot(optionsOf(state, parent.clientWidth, hovered, hidden.peek()), data, parent);
    plot.current = created;
    const observer = new ResizeObserver(() => {
      // Drawing a plot changes its parent's height. Redrawing it then could continue forever.
      if (parent.clientWidth !== created.width) created.setSize({ width: parent.clientWidth, height: created.height });
    });
    observer.observe(parent);
    return () => {
      observer.disconnect();
      created.destroy();
      plot.current = undefined;
    };
  }, [JSON.stringify(shape)]);
  useEffect(() => {
    if (plot.current !== undefined && plot.current.data !== data) plot.current.setData(data);
  });
  return (
    <figure class="plot" aria-label={title}>
      <figcaption>{title}</figcaption>
      <div ref={place} aria-hidden="true" />
      <Legend plot={props} hovered={hovered} hidden={hidden} />
      {robust.cut !== undefined && (
        <p class="hint">
          {isWhole.value
            ? 'Shown in full. '
            : `${formatNumber(robust.cut.count)} of ${formatNumber(x.length)} values are cut off. `}
          The highest is {format(robust.cut.highest)}, at {positionOf(props, robust.cut.at)}.{' '}
          <Button class="link" onClick={() => (isWhole.value = !isWhole.value)}>
            {isWhole.value ? 'Cut off the peaks' : 'Show in full'}
            <span class="hidden">: {title}</span>
          </Button>
        </p>
      )}
    </figure>
  );
}
