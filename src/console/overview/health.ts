/** The health of the service: that all is well, or what is wrong and what to do. */

import type { BackupsResult } from '../../client/commands.ts';
import { formatBytes, formatDuration, formatMs, formatNumber, formatPerSecond } from '../elements/formats.ts';
import {
  backupLagLevel,
  diskLevel,
  errorsLevel,
  type Level,
  memoryLevel,
  slowestMs,
  slownessLevel,
} from './thresholds.ts';
import { diskFullInMs, failedShare, lastMinute, latest, type Measured, sum } from './windows.ts';

/** The screen on which to follow the advice. */
export interface HealthLink {
  readonly text: string;
  readonly screen: 'overview' | 'administration';
  /** The part of the screen. */
  readonly part: string;
}

export interface Health {
  readonly level: Level;
  readonly text: string;
  /** What to do; empty if there is nothing to do. */
  readonly advice: string;
  readonly link?: HealthLink;
}

export interface Observed {
  /** Undefined: not known yet, or not to this user. */
  readonly state: string | undefined;
  /** Undefined: not known, or not to this user. */
  readonly backups: BackupsResult | undefined;
  readonly samples: Measured;
}

const STATE_LINK: HealthLink = { text: 'Change the state', screen: 'overview', part: 'state' };
const BACKUPS_LINK: HealthLink = { text: 'Show the backups', screen: 'overview', part: 'backups' };
const LOG_LINK: HealthLink = { text: 'Open the log', screen: 'administration', part: 'log' };
const STATEMENTS_LINK: HealthLink = { text: 'Show the statements', screen: 'overview', part: 'statements' };

function healthOfState({ state }: Observed): Health | undefined {
  if (state !== 'ACTIVE_READ_ONLY') return undefined;
  return {
    level: 'warning',
    text: 'The service is read-only: every change is rejected.',
    advice: 'Change the state to ACTIVE.',
    link: STATE_LINK,
  };
}

function healthOfDisk({ samples }: Observed): Health | undefined {
  const level = diskLevel(samples);
  const free = formatBytes(latest(samples, 'diskFreeBytes') ?? 0);
  const advice = 'Add space, or remove unneeded data, old backups or other files.';
  if (level === 'danger') {
    return { level, text: `The disk has ${free} left: changes that add data are rejected.`, advice };
  }
  if (level === 'good') return undefined;
  const fullInMs = diskFullInMs(samples);
  const text = `The disk has ${free} left${
    fullInMs === undefined ? '.' : `; at the rate of the last hour, it will be full in ${formatDuration(fullInMs)}.`
  }`;
  return { level, text, advice };
}

function healthOfBackups({ samples, backups }: Observed): Health | undefined {
  const check = backups?.continuous?.restoreCheck?.last;
  if (check?.outcome === 'damaged') {
    return {
      level: 'danger',
      text: 'The continuous backup does not restore: the last check found damage.',
      advice: 'Make a backup to a file now, and ship to a new destination.',
      link: BACKUPS_LINK,
    };
  }
  if (backups?.continuous?.state === 'stopped') {
    return {
      level: 'danger',
      text: 'The continuous backup has stopped.',
      advice: backups.continuous.reason ?? 'The log has the reason. Some failures need a restart.',
      link: BACKUPS_LINK,
    };
  }
  if (backupLagLevel(samples) !== 'good') {
    return {
      level: 'danger',
      text: `The continuous backup is ${formatDuration(latest(samples, 'backupLagMs') ?? 0)} behind.`,
      advice:
        backups?.continuous?.reason ??
        'Check that its destination can be reached and has space; the log says what failed.',
      link: BACKUPS_LINK,
    };
  }
  if (backups?.lastFailure === undefined || backups.lastFailure === null) return undefined;
  return {
    level: 'warning',
    text: 'The last backup failed.',
    advice: backups.lastFailure.error,
    link: BACKUPS_LINK,
  };
}

function healthOfEntries({ samples }: Observed): Health | undefined {
  const count = latest(samples, 'unfitEntries') ?? 0;
  if (count === 0) return undefined;
  return {
    level: 'warning',
    text: `${formatNumber(count)} ${count === 1 ? 'entry does' : 'entries do'} not fit the columns of their tables.`,
    advice: 'The log of the startup names the first ones. Store corrected entries, then restart the service.',
    link: LOG_LINK,
  };
}

function healthOfLoad({ samples }: Observed): Health | undefined {
  const memory = memoryLevel(samples);
  if (memory !== 'good') {
    const percent = ((latest(samples, 'residentBytes') ?? 0) / (samples.limits.memoryBytes ?? 1)) * 100;
    return {
      level: memory,
      text: `The service uses ${formatNumber(Math.round(percent))} % of the machine's memory.`,
      advice: 'Look at the running statements, and lower limits.requestsInFlight or query.maxMemoryBytes.',
      link: STATEMENTS_LINK,
    };
  }
  if (errorsLevel(samples) !== 'good') {
    const percent = formatNumber(Math.round((failedShare(samples) ?? 0) * 100));
    return {
      level: 'warning',
      text: `${percent} % of the requests in the last minute failed.`,
      advice: 'The log says which and why.',
      link: LOG_LINK,
    };
  }
  const stalls = sum(lastMinute(samples, 'stalls'));
  if (stalls > 0) {
    return {
      level: 'warning',
      text: `The service stalled ${stalls === 1 ? 'once' : `${formatNumber(stalls)} times`} in the last minute.`,
      advice: "Look for very large requests, or for other programs that keep the machine's processors busy.",
      link: LOG_LINK,
    };
  }
  if (slownessLevel(samples) === 'good') return undefined;
  return {
    level: 'warning',
    text: `One in 100 requests took ${formatMs(slowestMs(samples) ?? 0)} or longer in the last minute.`,
    advice: 'The running and the slow statements may show why.',
    link: STATEMENTS_LINK,
  };
}

function wellOf({ samples }: Observed): Health {
  const perSecond = lastMinute(samples, 'requestsPerSecond');
  if (perSecond.length === 0) return { level: 'good', text: 'The service is ready.', advice: '' };
  const rate = sum(perSecond) / perSecond.length;
  const slowest = slowestMs(samples);
  const text =
    rate === 0
      ? 'All is well. Nothing was requested in the last minute.'
      : `All is well: ${formatPerSecond(rate, 'request')}${
          slowest === undefined ? '' : `, 99 % within ${formatMs(slowest)}`
        }.`;
  return { level: 'good', text, advice: '' };
}

/** Returns the worst current problem of a service that answers and is ready, or that all is well. */
export function healthOf(observed: Observed): Health {
  const found = [healthOfState, healthOfDisk, healthOfBackups, healthOfEntries, healthOfLoad].flatMap(
    (of) => of(observed) ?? [],
  );
  return found.find(({ level }) => level === 'danger') ?? found[0] ?? wellOf(observed);
}
