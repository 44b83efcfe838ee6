/** Converts the metrics of `/metrics` to OTLP, with the same names and labels. */
import { ValueType } from '@opentelemetry/api';
import { millisToHrTime } from '@opentelemetry/core';
import { AggregationTemporality, DataPointType, type MetricData } from '@opentelemetry/sdk-metrics';
import type { Distribution } from '../../base/histogram.ts';
import { METRICS } from '../monitoring/metric-declarations.ts';
import type { MetricFamily } from '../monitoring/metrics-page.ts';

/** Units by the last words of a name, where Prometheus's conventions put them. */
const UNITS: ReadonlyArray<readonly [pattern: RegExp, unit: string]> = [
  [/_seconds(?:_total)?$/, 's'],
  [/_bytes(?:_total)?$/, 'By'],
  [/_ratio$/, '1'],
];

/** Converts families. Counters and histograms count since `startMs`; times are in ms since 1970. */
export function otlpMetrics(families: readonly MetricFamily[], startMs: number, nowMs: number): MetricData[] {
  const times = { startTime: millisToHrTime(startMs), endTime: millisToHrTime(nowMs) };
  return families.map(({ name, samples }): MetricData => {
    const { type, help } = METRICS[name];
    const unit = UNITS.find(([pattern]) => pattern.test(name))?.[1] ?? '';
    const shared = {
      descriptor: { name, description: help, unit, valueType: ValueType.DOUBLE },
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
    };
    const numbers = samples.flatMap(([attributes, value]) =>
      typeof value === 'number' ? [{ ...times, attributes, value }] : [],
    );
    if (type === 'counter') {
      return { ...shared, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: numbers };
    }
    if (type === 'gauge') return { ...shared, dataPointType: DataPointType.GAUGE, dataPoints: numbers };
    const dataPoints = samples.flatMap(([attributes, value]) =>
      typeof value === 'number' ? [] : [{ ...times, attributes, value: histogramOf(value) }],
    );
    return { ...shared, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  });
}

function histogramOf({ bounds, buckets, sum }: Distribution) {
  const count = buckets.reduce((total, each) => total + each, 0);
  return { buckets: { boundaries: [...bounds], counts: [...buckets] }, sum, count };
}
