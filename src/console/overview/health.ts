/** How the service is: well, or what is wrong and what to do. */
import { formatDuration, formatMs, formatNumber } from '../elements/formats.ts';

export interface Health {
  readonly level: 'good' | 'warning' | 'danger';
  readonly text: string;
  /** What to do; empty where nothing is to be done. */
  readonly advice: string;
}

interface Samples {
  readonly intervalMs: number;
  readonly times: readonly number[];
  readonly series: Readonly<Record<string, readonly (number | null)[]>>;
}

export interface Observed {
  /** Undefined: not known yet, or not to this user. */
  readonly isReady: boolean | undefined;
  readonly state: string | undefined;
  readonly samples: Samples;
}

const MINUTE_MS = 60_000;
/** More failures are no mistakes of single clients. */
const FAILED_SHARE = 0.05;
/** Fewer requests say nothing about a share of them. */
const LEAST_REQUESTS = 20;
/** Users notice longer responses. */
const SLOW_MS = 1_000;
/** Continuous backups ship each second; a store that is away is noticed by then. */
const BACKUP_LAG_MS = 30_000;

/** Returns the values of a series in the last minute that are known. */
function lastMinute({ series, times, intervalMs }: Samples, name: string): number[] {
  const count = Math.min(times.length, Math.ceil(MINUTE_MS / intervalMs));
  if (count === 0) return [];
  return (series[name] ?? []).slice(-count).filter((value) => value !== null);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Returns what is worst now, or that all is well. */
export function healthOf({ isReady, state, samples }: Observed): Health {
  if (state === 'INACTIVE') {
    return {
      level: 'danger',
      text: 'The service is inactive: no entry can be read or changed.',
      advice: 'Change the state to ACTIVE below.',
    };
  }
  if (isReady === false) {
    return {
      level: 'danger',
      text: 'The service is not ready: it cannot execute commands.',
      advice: 'Administration shows the log, which says why.',
    };
  }
  if (state === 'ACTIVE_READ_ONLY') {
    return {
      level: 'warning',
      text: 'The service is read-only: every change is rejected.',
      advice: 'Change the state to ACTIVE below.',
    };
  }
  const seconds = samples.intervalMs / 1_000;
  const requests = sum(lastMinute(samples, 'requestsPerSecond')) * seconds;
  const failures = sum(lastMinute(samples, 'failuresPerSecond')) * seconds;
  const lag = lastMinute(samples, 'backupLagMs').at(-1);
  const stalls = sum(lastMinute(samples, 'stalls'));
  const slowest = Math.max(0, ...lastMinute(samples, 'p99Ms'));
  if (lag !== undefined && lag > BACKUP_LAG_MS) {
    return {
      level: 'danger',
      text: `The continuous backup is ${formatDuration(lag)} behind.`,
      advice: 'Check that its destination can be reached and has space; the log says what failed.',
    };
  }
  if (requests >= LEAST_REQUESTS && failures / requests >= FAILED_SHARE) {
    return {
      level: 'warning',
      text: `${formatNumber(Math.round((failures / requests) * 100))} % of the requests of the last minute failed.`,
      advice: 'The log under Administration says which and why.',
    };
  }
  if (stalls > 0) {
    return {
      level: 'warning',
      text: `The service stood still ${stalls === 1 ? 'once' : `${formatNumber(stalls)} times`} in the last minute.`,
      advice: 'Look for very large requests, or for other programs that take the processors of this machine.',
    };
  }
  if (slowest > SLOW_MS) {
    return {
      level: 'warning',
      text: `One of 100 requests took up to ${formatMs(slowest)} in the last minute.`,
      advice: 'Running statements, on the screen Query, shows what takes long.',
    };
  }
  if (samples.times.length === 0) return { level: 'good', text: 'The service is ready.', advice: '' };
  if (requests === 0)
    return { level: 'good', text: 'All is well. Nothing was requested in the last minute.', advice: '' };
  const rate = requests / (lastMinute(samples, 'requestsPerSecond').length * seconds);
  return {
    level: 'good',
    text: `All is well: ${formatNumber(Math.round(rate * 10) / 10)} requests a second, 99 % within ${formatMs(slowest)}.`,
    advice: '',
  };
}
