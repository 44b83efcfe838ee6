/** The metrics at the top of the overview: the current value, its trend, and its reference. */
import { formatBytes, formatDuration, formatMs, formatRounded } from '../elements/formats.ts';
import { scaleOf } from '../elements/plot-scale.ts';
import {
  diskLevel,
  errorsLevel,
  FAILED_SHARE,
  type Level,
  memoryLevel,
  slowestMs,
  slowMs,
  slownessLevel,
} from './thresholds.ts';
import {
  diskFullInMs,
  failedShare,
  lastMinutes,
  latest,
  type Measured,
  meanOfMinute,
  TREND_MINUTES,
  type Values,
} from './windows.ts';

export interface Metric {
  readonly name: string;
  /** The value; a dash where it is not known. */
  readonly text: string;
  readonly level: Level;
  /** The reference of the value. */
  readonly detail: string;
  /** The values of the last minutes. */
  readonly trend: Values;
  /** The range of the trend, in words. */
  readonly range: string;
}

type Format = (value: number) => string;

const UNKNOWN = '–';
const HOUR_MS = 3_600_000;
const DAYS_SHOWN = 30;

function shown(value: number | undefined, format: Format): string {
  return value === undefined ? UNKNOWN : format(value);
}

/** Returns the range of a trend and its time span: a service that has just started has measured little of it. */
function rangeOf(trend: Values, intervalMs: number, format: Format): string {
  const known = trend.filter((value) => value !== null);
  if (known.length < 2) return '';
  const time = formatDuration(trend.length * intervalMs);
  const [least, most] = [format(Math.min(...known)), format(Math.max(...known))];
  return least === most ? `no change in ${time}` : `${least} to ${most} in ${time}`;
}

function diskDetail(measured: Measured): string {
  const { diskBytes, diskReserveBytes } = measured.limits;
  const fullInMs = diskFullInMs(measured);
  if (fullInMs !== undefined && fullInMs < DAYS_SHOWN * 24 * HOUR_MS) {
    return `full in ${formatDuration(fullInMs)} at the rate of the last hour`;
  }
  const of = diskBytes === null ? '' : `of ${formatBytes(diskBytes)}`;
  return diskReserveBytes === null ? of : `${of}, reserve ${formatBytes(diskReserveBytes)}`;
}

/** Returns the metrics of the load and of the machine. */
export function metricsOf(measured: Measured): readonly Metric[] {
  const trendOf = (name: string): Values => lastMinutes(measured, name, TREND_MINUTES);
  const metric = (name: string, text: string, level: Level, detail: string, trend: Values, format: Format): Metric => {
    return { name, text, level, detail, trend, range: rangeOf(trend, measured.intervalMs, format) };
  };
  const share = failedShare(measured);
  const failures = meanOfMinute(measured, 'failuresPerSecond');
  const perSecond: Format = (value) => `${formatRounded(value)}/s`;
  const errors =
    failures === undefined
      ? UNKNOWN
      : share === undefined || failures === 0
        ? perSecond(failures)
        : `${formatRounded(share * 100)} %`;
  const { memoryBytes } = measured.limits;
  const disk = trendOf('diskFreeBytes');
  return [
    metric(
      'Requests',
      shown(meanOfMinute(measured, 'requestsPerSecond'), perSecond),
      'good',
      'mean over the last minute',
      trendOf('requestsPerSecond'),
      perSecond,
    ),
    metric(
      'Errors',
      errors,
      errorsLevel(measured),
      `warning from ${FAILED_SHARE * 100} %`,
      trendOf('failuresPerSecond'),
      perSecond,
    ),
    metric(
      'Response time, p99',
      shown(slowestMs(measured), formatMs),
      slownessLevel(measured),
      `slow from ${formatMs(slowMs(measured))}`,
      trendOf('p99Ms'),
      formatMs,
    ),
    metric(
      'Memory',
      shown(latest(measured, 'residentBytes'), formatBytes),
      memoryLevel(measured),
      memoryBytes === null ? '' : `of ${formatBytes(memoryBytes)} in the machine`,
      trendOf('residentBytes'),
      formatBytes,
    ),
    // In front of a cluster, the data is on the disks of its nodes.
    ...(disk.every((value) => value === null) && disk.length > 0
      ? []
      : [
          metric(
            'Disk, free',
            shown(latest(measured, 'diskFreeBytes'), formatBytes),
            diskLevel(measured),
            diskDetail(measured),
            disk,
            formatBytes,
          ),
        ]),
  ];
}

/** Returns the points of a line through values in a box, from the left to the right: `0,10 5,3`. */
export function linePoints(values: Values, width: number, height: number): string {
  const known = values.filter((value) => value !== null);
  const { top: most } = scaleOf([values], { cutsPeaks: true });
  const least = Math.min(0, ...known);
  const step = width / Math.max(1, values.length - 1);
  const tenth = (value: number): number => Math.round(value * 10) / 10;
  return values
    .flatMap((value, at) => {
      if (value === null) return [];
      const share = Math.min(1, (value - least) / (most - least));
      return [`${tenth(at * step)},${tenth(height - share * height)}`];
    })
    .join(' ');
}
