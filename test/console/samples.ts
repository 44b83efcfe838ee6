/** Responses of `metricshistory` whose samples a test chooses, as a service has them after an hour. */
import { METRIC_SERIES } from '../../src/commands/metric-series.ts';

const INTERVAL_MS = 5_000;
export const HOUR_SAMPLES = 720;
/** Commands that the plot of requests names, with the requests per second in the middle of their waves. */
const COMMANDS: Readonly<Record<string, number>> = {
  get: 900,
  getall: 40,
  put: 300,
  qryfldexe: 60,
  qryfetch: 25,
  size: 2,
};

/** Returns an envelope with `count` samples, from the one with a number on. */
export function samplesFrom(first: number, count: number): object {
  const numbers = Array.from({ length: count }, (_, index) => first + index);
  const waves = (scale: number, phase: number) =>
    numbers.map((number) => (1.5 + Math.sin(number / 50 + phase) + Math.sin(number * 2.3 + phase) / 9) * scale);
  const response = {
    intervalMs: INTERVAL_MS,
    times: numbers.map((number) => 1_800_000_000_000 + number * INTERVAL_MS),
    series: {
      ...Object.fromEntries(METRIC_SERIES.map(({ name }, index) => [name, waves(scaleOf(name), index / 4)])),
      stalls: numbers.map(() => 0),
      unfitEntries: numbers.map(() => 0),
      diskFreeBytes: numbers.map((number) => 60_000_000_000 - (number % HOUR_SAMPLES) * 100_000),
    },
    commands: Object.fromEntries(Object.entries(COMMANDS).map(([name, scale]) => [name, waves(scale, scale / 99)])),
    limits: { slowMs: 1_000, memoryBytes: 8 * 2 ** 30, diskBytes: 100 * 2 ** 30, diskReserveBytes: 2 ** 28 },
  };
  return { successStatus: 0, sessionToken: null, securitySubjectId: null, error: null, response };
}

/** Usual values of series for which {@link scaleOf} would be wrong. */
const SCALES: Readonly<Record<string, number>> = {
  p50Ms: 0.4,
  p95Ms: 1,
  p99Ms: 2,
  failuresPerSecond: 0.1,
  waiting: 0.5,
  heapUsedBytes: 20_000_000,
};

/** Returns a usual value of a series, by the unit at the end of its name. */
function scaleOf(name: string): number {
  const { [name]: own } = SCALES;
  if (own !== undefined) return own;
  if (name.endsWith('Bytes')) return 60_000_000;
  if (name.endsWith('BytesPerSecond')) return 300_000;
  if (name.endsWith('Percent')) return 30;
  return name.endsWith('Ms') ? 2 : 4;
}
