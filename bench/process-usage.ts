/** Metrics of processes, and of lists of times. */
import { readdirSync, readFileSync } from 'node:fs';
import type { LoadResult } from './load.ts';

/**
 * CPU time of a process, its threads and its child processes, in ms (/proc/PID/stat, in ticks of 10 ms). That of
 * children that have ended is included.
 */
export function cpuMs(pid: number): number {
  let ticks = 0;
  for (const each of processTree(pid)) {
    const fields = readIfThere(`/proc/${each}/stat`).split(') ')[1]?.split(' ') ?? [];
    for (const own of fields.slice(11, 15)) ticks += Number(own);
  }
  return ticks * 10;
}

/** CPU time of the living threads of a process and its children, in ms, to the nanosecond (`schedstat`). */
export function threadsCpuMs(pid: number): number {
  let nanoseconds = 0;
  for (const each of processTree(pid)) {
    for (const thread of threadsOf(each)) {
      nanoseconds += Number(readIfThere(`/proc/${each}/task/${thread}/schedstat`).split(' ')[0]);
    }
  }
  return nanoseconds / 1e6;
}

/**
 * Returns the memory of a process and its descendants in MB (10^6 bytes). Shared memory counts once; memory that they
 * share with other programs, such as the pages of the runtime, counts in full.
 */
export function residentMegabytes(pid: number): number {
  let ownKilobytes = 0;
  let filesKilobytes = 0;
  for (const each of processTree(pid)) {
    const text = readIfThere(`/proc/${each}/smaps_rollup`);
    const read = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0);
    ownKilobytes += read('Pss_Anon') + read('Pss_Shmem');
    filesKilobytes = Math.max(filesKilobytes, read('Rss') - read('Anonymous') - read('Pss_Shmem'));
  }
  return ((ownKilobytes + filesKilobytes) * 1024) / 1e6;
}

/** Returns a process and its descendants. */
function processTree(pid: number): number[] {
  const children = threadsOf(pid).flatMap((thread) =>
    readIfThere(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(processTree)];
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Returns a file of `/proc`; empty if its process or thread has ended. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
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
