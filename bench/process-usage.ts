/** Metrics of processes, and of lists of times. */
import { readdirSync, readFileSync } from 'node:fs';
import type { LoadResult } from './load.ts';

/** CPU time of a process with all its threads, in ms (/proc/PID/stat, in ticks of 10 ms). */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** CPU time of the living threads of a process, in ms, to the nanosecond (/proc/PID/task/TID/schedstat). */
export function threadsCpuMs(pid: number): number {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  }
  return nanoseconds / 1e6;
}

/** Returns the value below which a share of a sorted list lies. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** The counts of a load generator during the measurement. */
export interface Counts extends Pick<LoadResult, 'failed' | 'firstFailure'> {
  readonly answered: number;
  readonly lastedMs: number;
  /** CPU time of the server. */
  readonly usedMs: number;
  /** CPU time of the process behind the server. */
  readonly behindMs: number;
  readonly latenciesMs: readonly number[];
}

/** Writes the result of a load generator as one line of JSON, and ends its process. */
export function writeResult({ answered, failed, firstFailure, lastedMs, usedMs, behindMs, latenciesMs }: Counts): void {
  const sorted = [...latenciesMs].sort((a, b) => a - b);
  const result: LoadResult = {
    requests: answered,
    failed,
    firstFailure,
    perSecond: (answered * 1000) / lastedMs,
    cpuMicros: (usedMs * 1000) / Math.max(1, answered),
    behindCpuMicros: (behindMs * 1000) / Math.max(1, answered),
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
  };
  process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
}
