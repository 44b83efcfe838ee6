/** Writes metrics in the Prometheus text format, family by family. */
import type { Distribution } from '../../base/histogram.ts';
import { type HistogramName, type LabelsOf, METRICS, type MetricName } from './metric-declarations.ts';

export type Sample<N extends MetricName> = readonly [labels: LabelsOf<N>, value: number];

export class MetricsPage {
  readonly #lines: string[] = [];

  /** Adds a metric without labels. Adds nothing for undefined. */
  single<N extends MetricName>(name: [LabelsOf<N>] extends [Record<never, string>] ? N : never, value?: number): void {
    if (value === undefined) return;
    this.#head(name);
    this.#sample(name, {}, value);
  }

  /** Adds a metric with its samples. Adds nothing without samples. */
  family<N extends MetricName>(name: N, samples: ReadonlyArray<Sample<N>>): void {
    if (samples.length === 0) return;
    this.#head(name);
    for (const [labels, value] of samples) this.#sample(name, labels, value);
  }

  /** Adds a histogram. The bounds must be in the base unit of its name. */
  histogram<N extends HistogramName>(
    name: N,
    samples: ReadonlyArray<readonly [labels: LabelsOf<N>, distribution: Distribution]>,
  ): void {
    if (samples.length === 0) return;
    this.#head(name);
    for (const [labels, { bounds, buckets, sum }] of samples) {
      let count = 0;
      buckets.forEach((each, index) => {
        count += each;
        const bound = bounds[index];
        this.#sample(`${name}_bucket`, { ...labels, le: bound === undefined ? '+Inf' : String(bound) }, count);
      });
      this.#sample(`${name}_sum`, labels, sum);
      this.#sample(`${name}_count`, labels, count);
    }
  }

  text(): string {
    return `${this.#lines.join('\n')}\n`;
  }

  #head(name: MetricName): void {
    const { type, help } = METRICS[name];
    this.#lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
  }

  #sample(name: string, labels: Readonly<Record<string, string>>, value: number): void {
    const shown = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    this.#lines.push(`${name}${shown.length === 0 ? '' : `{${shown.join(',')}}`} ${value}`);
  }
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}
