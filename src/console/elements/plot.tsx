/** Plots of numbers over time or over another number. */
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { theme } from './theme.ts';

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
}

const HEIGHT = 190;
const LINES = ['#2f6fed', '#d1570a', '#16874a', '#a53fc0', '#b8860b', '#d0335c', '#008a99', '#6b6f76'];

function pathsOf(kind: PlotProps['kind']): uPlot.Series.PathBuilder | undefined {
  if (kind === 'bar') return uPlot.paths.bars?.({ size: [0.8, 60] });
  return kind === 'scatter' ? () => null : undefined;
}

const DAY_SECONDS = 86_400;

/** Returns the local time, or the date where the marks of the axis are days apart. */
function timeOf(seconds: number, step: number): string {
  const date = new Date(seconds * 1_000);
  const pad = (part: number): string => String(part).padStart(2, '0');
  if (step >= DAY_SECONDS) return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  const time = `${pad(date.getHours())}:${pad(date.getMinutes())}`;
  return step >= 60 ? time : `${time}:${pad(date.getSeconds())}`;
}

function optionsOf({ series, format, isTime, kind, names, xLabel }: PlotProps, width: number): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const probe = document.body.appendChild(document.createElement('span'));
  const colour = (name: string): string => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const [text, line] = [colour('--text'), colour('--soft-line')];
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
    height: HEIGHT,
    scales: {
      x: { time: isTime === true },
      y: { range: (_, min, max) => [Math.min(0, min), max > 0 ? max * 1.1 : 1] },
    },
    axes: [
      {
        ...axis,
        ...(names && { values: (_, splits) => splits.map(nameOf) }),
        ...(isTime === true && { values: (_, splits, __, ___, step) => splits.map((at) => timeOf(at, step)) }),
      },
      { ...axis, size: 74, values: (_, splits) => splits.map(format) },
    ],
    series: [
      {
        label: xLabel ?? (isTime === true ? 'Time' : 'x'),
        ...(names && { value: (_, value) => nameOf(value) }),
        ...(isTime === true && { value: (_: uPlot, at: number | null) => (at === null ? '–' : timeOf(at, 1)) }),
      },
      ...series.map(({ label }, index) => ({
        label,
        stroke: LINES[index % LINES.length] ?? text,
        width: 2,
        ...(kind === 'bar' && { fill: `${LINES[index % LINES.length]}80` }),
        ...(paths && { paths }),
        spanGaps: true,
        points: { show: kind === 'scatter', size: 5 },
        value: (_: uPlot, value: number | null) => (value === null ? '–' : format(value)),
      })),
    ],
  };
}

/** Draws a plot, and its latest values as text for those who do not see it. */
export function Plot(props: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const data = [props.x, ...props.series.map(({ values }) => values)] as unknown as uPlot.AlignedData;
  const shape = [props.kind, theme.value, props.xLabel, ...props.series.map(({ label }) => label), props.names?.length];
  useEffect(() => {
    const { current: parent } = place;
    if (parent === null) return;
    const created = new uPlot(optionsOf(props, parent.clientWidth), data, parent);
    plot.current = created;
    const observer = new ResizeObserver(() => {
      // A plot that is drawn changes the height of its parent. Drawing it again then could go on forever.
      if (parent.clientWidth !== created.width) created.setSize({ width: parent.clientWidth, height: HEIGHT });
    });
    observer.observe(parent);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const redraw = (): void => created.redraw();
    scheme.addEventListener('change', redraw);
    return () => {
      observer.disconnect();
      scheme.removeEventListener('change', redraw);
      created.destroy();
      plot.current = undefined;
    };
  }, [JSON.stringify(shape)]);
  useEffect(() => {
    if (plot.current !== undefined && plot.current.data !== data) plot.current.setData(data);
  });
  const latest = props.series.map(({ label, values }) => {
    const last = values[values.length - 1];
    return `${label}: ${last === null || last === undefined ? 'no value' : props.format(last)}`;
  });
  return (
    <figure class="plot">
      <figcaption>{props.title}</figcaption>
      <div ref={place} aria-hidden="true" />
      <p class="hidden">Latest values. {latest.join('; ')}</p>
    </figure>
  );
}
