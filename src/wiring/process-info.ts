/** Metrics of this process from the runtime and the operating system. */
import { promises as fs, statfsSync } from 'node:fs';
import os from 'node:os';
import type { Clock } from '../base/clock.ts';
import type { ProcessMetrics } from '../service/monitoring/process-metrics.ts';
import { openFilesLimit } from './open-files.ts';

/** Period over which `currentLoad` averages CPU usage. */
const LOAD_INTERVAL_MS = 2_000;

/** Number of threads that the program has started. */
export interface ThreadCount {
  current: number;
  maximum: number;
  started: number;
}

/** Creates the metrics; `dataDir` is undefined if the process stores no data. */
export function processInfo(clock: Clock, dataDir: string | undefined, threads: ThreadCount): ProcessMetrics {
  const startedAtMs = clock.nowMs() - process.uptime() * 1000;
  const processors = os.availableParallelism();
  let last = { atMs: clock.monotonicMs(), usedMs: usedMs() };
  let currentLoad = 0;
  clock.every(LOAD_INTERVAL_MS, () => {
    const now = { atMs: clock.monotonicMs(), usedMs: usedMs() };
    currentLoad = share(now.usedMs - last.usedMs, now.atMs - last.atMs, processors);
    last = now;
  });

  return {
    startedAtMs,
    upTimeMs: () => process.uptime() * 1000,
    memory() {
      const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
      return { residentBytes: rss, heapUsedBytes: heapUsed, heapCommittedBytes: heapTotal, externalBytes: external };
    },
    processor: () => ({
      count: processors,
      usedMs: usedMs(),
      currentLoad,
      averageLoad: share(usedMs(), process.uptime() * 1000, processors),
    }),
    threads: () => threads,
    async openFiles() {
      try {
        return (await fs.readdir('/proc/self/fd')).length;
      } catch {
        return undefined;
      }
    },
    maxOpenFiles: openFilesLimit(),
    disk() {
      if (dataDir === undefined) return undefined;
      try {
        const { bsize, bfree, bavail, blocks } = statfsSync(dataDir);
        return { freeBytes: bfree * bsize, usableBytes: bavail * bsize, totalBytes: blocks * bsize };
      } catch {
        return undefined;
      }
    },
    properties: () => ({
      'os.name': os.type(),
      'os.arch': os.arch(),
      'os.version': os.release(),
      'user.name': userName(),
      'user.timezone': 'UTC',
      'file.separator': '/',
      'runtime.name': 'bun',
      'runtime.version': Bun.version,
    }),
    processId: process.pid,
    userName: userName(),
    totalMemoryBytes: os.totalmem(),
    hardwareAddresses: () => [...new Set(interfaces().map(({ mac }) => mac.replaceAll(':', '').toUpperCase()))],
    networkAddresses: () => interfaces().map(({ address }) => address),
  };
}

function interfaces(): os.NetworkInterfaceInfo[] {
  return Object.values(os.networkInterfaces()).flatMap((each) => each ?? []);
}

function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function share(usedMs: number, passedMs: number, processors: number): number {
  return passedMs <= 0 ? 0 : Math.min(1, Math.max(0, usedMs / passedMs / processors));
}

/** A container may run as a user without a name. */
function userName(): string {
  try {
    return os.userInfo().username;
  } catch {
    return String(process.getuid?.() ?? '');
  }
}
