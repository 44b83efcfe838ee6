/** The values from which something needs attention, shared by the metrics and the health sentence. */
import { diskFullInMs, failedShare, lastMinute, latest, type Measured } from './windows.ts';

export type Level = 'good' | 'warning' | 'danger';

/** More failures are not the mistakes of single clients. */
export const FAILED_SHARE = 0.05;
/** Users notice longer responses. The service can be configured to call others slow. */
const SLOW_MS = 1_000;
/** Continuous backups ship each second; an unreachable store is noticed by then. */
const BACKUP_LAG_MS = 30_000;
/** Shares of the machine's memory: beyond these, other programs soon run short of it, or this one is killed. */
const MUCH_MEMORY = 0.8;
const ALL_MEMORY = 0.95;
/** With less free space than this multiple of the reserve, one import may use it up. */
const FEW_RESERVES = 4;
const DAY_MS = 86_400_000;

/** Returns the time after which requests count as slow: the service's own, if it logs slow ones. */
export function slowMs({ limits }: Measured): number {
  return limits.slowMs ?? SLOW_MS;
}

/** Returns the longest p99 of the last minute, or undefined without requests. */
export function slowestMs(measured: Measured): number | undefined {
  const values = lastMinute(measured, 'p99Ms');
  return values.length === 0 ? undefined : Math.max(...values);
}

export function errorsLevel(measured: Measured): Level {
  return (failedShare(measured) ?? 0) >= FAILED_SHARE ? 'warning' : 'good';
}

export function slownessLevel(measured: Measured): Level {
  return (slowestMs(measured) ?? 0) > slowMs(measured) ? 'warning' : 'good';
}

export function memoryLevel(measured: Measured): Level {
  const { memoryBytes } = measured.limits;
  const share = memoryBytes === null ? 0 : (latest(measured, 'residentBytes') ?? 0) / memoryBytes;
  if (share >= ALL_MEMORY) return 'danger';
  return share >= MUCH_MEMORY ? 'warning' : 'good';
}

export function diskLevel(measured: Measured): Level {
  const free = latest(measured, 'diskFreeBytes');
  const { diskReserveBytes } = measured.limits;
  if (free === undefined) return 'good';
  if (diskReserveBytes !== null && free < diskReserveBytes) return 'danger';
  const isShort = diskReserveBytes !== null && free < diskReserveBytes * FEW_RESERVES;
  return isShort || (diskFullInMs(measured) ?? Number.POSITIVE_INFINITY) < DAY_MS ? 'warning' : 'good';
}

export function backupLagLevel(measured: Measured): Level {
  return (latest(measured, 'backupLagMs') ?? 0) > BACKUP_LAG_MS ? 'danger' : 'good';
}
