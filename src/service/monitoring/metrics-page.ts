/** Values of metrics, family by family, and their text in Prometheus format. */
import type { Distribution } from '../../base/histogram.ts';
import { type HistogramName, type LabelsOf, METRICS, type MetricName } from './metric-declarations.ts';

export type Sample<N extends MetricName> = readonly [labels: LabelsOf<N>, value: number];

type Labels = Readonly<Record<string, string>>;

/** One metric's values at a time. */
export interface MetricFamily {
  readonly name: MetricName;
  /** A histogram has distributions, whose bounds are in the base unit of its name. */
  readonly samples: ReadonlyArray<readonly [labels: Labels, value: number | Distribution]>;
}

/** Collects metrics. A metric without samples has no family. */
export class MetricFamilies {
  readonly all: MetricFamily[] = [];

  /** Adds a metric without labels. Adds nothing for undefined. */
  single<N extends MetricName>(name: [LabelsOf<N>] extends [Record<never, string>] ? N : never, value?: number): void {
    if (value !== undefined) this.all.push({ name, samples: [[{}, value]] });
  }

  /** Adds a metric with its samples. */
  family<N extends MetricName>(name: N, samples: ReadonlyArray<Sample<N>>): void {
    if (samples.length > 0) this.all.push({ name, samples });
  }

  /** Adds a histogram. The bounds must be in the base unit of its name. */
  histogram<N extends HistogramName>(
    name: N,
    samples: ReadonlyArray<readonly [labels: LabelsOf<N>, distribution: Distribution]>,
  ): void {
    if (samples.length > 0) this.all.push({ name, samples });
  }

  /** Returns the families in the Prometheus text format. */
  text(): string {
    return `${this.all.flatMap(linesOf).join('\n')}\n`;
  }
}

function linesOf({ name, samples }: MetricFamily): string[] {
  const { type, help } = METRICS[name];
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
  for (const [labels, value] of samples) {
    if (typeof value === 'number') lines.push(lineOf(name, labels, value));
    else lines.push(...histogramLines(name, labels, value));
  }
  return lines;
}

function histogramLines(name: string, labels: Labels, { bounds, buckets, sum }: Distribution): string[] {
  let count = 0;
  const lines = buckets.map((each, index) => {
    count += each;
    const bound = bounds[index];
    return lineOf(`${name}_bucket`, { ...labels, le: bound === undefined ? '+Inf' : String(bound) }, count);
  });
  return [...lines, lineOf(`${name}_sum`, labels, sum), lineOf(`${name}_count`, labels, count)];
}

function lineOf(name: string, labels: Labels, value: number): string {
  const shown = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${shown.length === 0 ? '' : `{${shown.join(',')}}`} ${value}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}
