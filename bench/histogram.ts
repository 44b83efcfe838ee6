/** Histograms of latencies in microseconds: HdrHistogram with three significant digits, up to two minutes. */
import { build, decodeFromCompressedBase64, encodeIntoCompressedBase64, type Histogram } from 'hdr-histogram-js';

const MOST_MICROS = 120_000_000;

/** Returns an empty histogram. */
export function createHistogram(): Histogram {
  return build({
    bitBucketSize: 32,
    lowestDiscernibleValue: 1,
    highestTrackableValue: MOST_MICROS,
    numberOfSignificantValueDigits: 3,
    autoResize: false,
    useWebAssembly: false,
  });
}

/** Records a time in ms; a time outside the range counts as the nearest end. */
export function record(histogram: Histogram, latencyMs: number): void {
  histogram.recordValue(Math.min(MOST_MICROS, Math.max(1, Math.round(latencyMs * 1_000))));
}

/** Returns the histogram as text, in HdrHistogram's compressed format (V2) that its tools read. */
export function encode(histogram: Histogram): string {
  return encodeIntoCompressedBase64(histogram);
}

/** Returns the sum of encoded histograms. */
export function merge(texts: readonly string[]): Histogram {
  const sum = createHistogram();
  for (const text of texts) sum.add(decodeFromCompressedBase64(text, 32, false));
  return sum;
}

/** Returns a percentile in ms. */
export function percentileMs(histogram: Histogram, percent: number): number {
  return histogram.getValueAtPercentile(percent) / 1_000;
}
