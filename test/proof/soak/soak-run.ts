/** Runs the mixed load against one service for a long time and measures what the service uses meanwhile. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, type ServiceProcess, startService } from '../../system/service-process.ts';
import { ADMIN, Load } from './load.ts';
import { hasGrown, type Sample, type Trend, trendOf } from './trend.ts';

export interface SoakOptions {
  readonly seed: number;
  readonly minutes: number;
  /** Requests per second on entries and rows. */
  readonly rate: number;
  /** HTTP threads. */
  readonly workers: number;
  /** File that pauses the load while it exists; the time of a pause does not count. */
  readonly pauseFile?: string;
  /** Ends the run early, with a report about the time until then. */
  readonly signal?: AbortSignal;
  readonly onSample?: (line: string) => void;
}

/** The measurements; sizes in bytes. */
export const MEASUREMENTS = [
  'memoryBytes',
  'childMemoryBytes',
  'threads',
  'descriptors',
  'dataBytes',
  'logBytes',
  'folderBytes',
  'requestsPerSecond',
  'p50Ms',
  'p99Ms',
] as const;
export type Measurement = (typeof MEASUREMENTS)[number];

/** The permitted growth of a measurement during the run: a share of its mean, and at least this much. */
const ALLOWED_GROWTH: Readonly<Partial<Record<Measurement, readonly [share: number, least: number]>>> = {
  memoryBytes: [0.05, 8 * 1024 * 1024],
  childMemoryBytes: [0.1, 32 * 1024 * 1024],
  // Their number is bounded, and follows how busy the machine is.
  threads: [0.1, 16],
  descriptors: [0.05, 4],
  dataBytes: [0.05, 256 * 1024],
  logBytes: [0.2, 2 * 1024 * 1024],
  folderBytes: [0.1, 2 * 1024 * 1024],
};

/** The resources of which each thread uses some. */
const USED_BY_THREADS: ReadonlySet<Measurement> = new Set(['memoryBytes', 'descriptors']);

export interface SoakResult {
  readonly minutes: number;
  readonly samples: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly failed: number;
  /** Absent: the run was too short. */
  readonly trends: Partial<Record<Measurement, Trend>>;
  readonly wrong: readonly string[];
}

/** Samples of a run, and the minimum number for fitting a trend. */
const SAMPLES = 360;
const MIN_SAMPLES = 40;
const MIN_SAMPLE_MS = 500;
const PAUSE_CHECK_MS = 200;

export async function runSoak(options: SoakOptions): Promise<SoakResult> {
  const folder = newFolder();
  try {
    await using service = await startService({
      dataDir: join(folder, 'data'),
      args: ['--config', join(import.meta.dir, 'soak.config.ts')],
      env: {
        SVC_WORKERS: String(options.workers),
        SVC_AUTHENTICATION: 'true',
        SVC_ADMIN_PASSWORD: ADMIN.password,
        SVC_LOG_DIR: join(folder, 'log'),
        SVC_BACKUP_FOLDER: join(folder, 'backups'),
        SVC_BACKUP_INTERVAL_MS: '60000',
        SVC_BACKUP_KEEP: '3',
        // Data kept for a time reaches its level early in the run.
        SVC_QUERY_IDLE_TIMEOUT: '20',
        SVC_IDEMPOTENCY_RETENTION_SECONDS: '60',
        SVC_LIMITS_TASK_RESULTS: '100',
      },
    });
    return await measure(options, service, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(options: SoakOptions, service: ServiceProcess, folder: string): Promise<SoakResult> {
  const { seed, rate, pauseFile, signal, onSample } = options;
  const isEnded = () => signal?.aborted === true;
  const isPaused = () => pauseFile !== undefined && existsSync(pauseFile);
  const unpaused = async () => {
    if (!isPaused()) return false;
    while (isPaused() && !isEnded()) await Bun.sleep(PAUSE_CHECK_MS);
    return true;
  };
  const load = new Load({ port: service.port, seed, rate, unpaused });
  await load.start();
  const totalMs = options.minutes * 60_000;
  const sampleMs = Math.max(MIN_SAMPLE_MS, totalMs / SAMPLES);
  const samples: Array<{ readonly atMs: number; readonly values: Record<Measurement, number> }> = [];
  let activeMs = 0;
  while (activeMs < totalMs && !isEnded()) {
    await unpaused();
    load.takePart();
    let partMs = 0;
    while (partMs < sampleMs && !isPaused() && !isEnded()) {
      const startMs = performance.now();
      await Bun.sleep(Math.min(PAUSE_CHECK_MS, sampleMs - partMs));
      partMs += performance.now() - startMs;
    }
    activeMs += partMs;
    // A part that a pause has cut short says little.
    if (partMs < sampleMs) continue;
    const part = load.takePart();
    const values = { ...usageOf(service.pid, folder), ...part, requestsPerSecond: part.requests / (partMs / 1000) };
    samples.push({ atMs: activeMs, values });
    onSample?.(lineOf(activeMs, values, load.failed));
  }
  await load.stop();
  const wrong = load.failures.map((failure) => `a request failed: ${failure}`);
  const trends: Partial<Record<Measurement, Trend>> = {};
  for (const name of MEASUREMENTS) {
    const series = samples.map(({ atMs, values }): Sample => {
      return { atMs, value: values[name], ...(USED_BY_THREADS.has(name) && { threads: values.threads }) };
    });
    if (series.length < MIN_SAMPLES) continue;
    const trend = trendOf(series);
    trends[name] = trend;
    const [share, least] = ALLOWED_GROWTH[name] ?? [];
    if (share !== undefined && least !== undefined && hasGrown(trend, share, least)) {
      wrong.push(`${name} grew by ${Math.round(trend.perHour)} per hour, on average ${Math.round(trend.mean)}`);
    }
  }
  const { counts, failed } = load;
  return { minutes: activeMs / 60_000, samples: samples.length, counts, failed, trends, wrong };
}

function lineOf(activeMs: number, values: Readonly<Record<Measurement, number>>, failed: number): string {
  const mebibytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);
  return (
    `${(activeMs / 60_000).toFixed(1)} min: ${mebibytes(values.memoryBytes)} MiB of memory, ` +
    `${mebibytes(values.childMemoryBytes)} in processes, ${values.threads} threads, ${values.descriptors} descriptors, ` +
    `file ${mebibytes(values.dataBytes)}, log ${mebibytes(values.logBytes)} MiB, ` +
    `${values.requestsPerSecond.toFixed(0)} requests/s, p99 ${values.p99Ms.toFixed(1)} ms, ${failed} failed`
  );
}

type Usage = Pick<
  Record<Measurement, number>,
  'memoryBytes' | 'childMemoryBytes' | 'threads' | 'descriptors' | 'dataBytes' | 'logBytes' | 'folderBytes'
>;

/** Returns the resources that a process and its files use; Linux only. */
function usageOf(pid: number, folder: string): Usage {
  const data = join(folder, 'data');
  return {
    memoryBytes: residentBytes(pid),
    childMemoryBytes: childrenOf(pid).reduce((sum, child) => sum + residentBytes(child), 0),
    threads: readdirSync(`/proc/${pid}/task`).length,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    dataBytes: sizeOf(join(data, 'svc.db')),
    logBytes: sizeOf(join(data, 'svc.db-wal')),
    folderBytes: readdirSync(data, { recursive: true })
      .map(String)
      .reduce((sum, name) => sum + sizeOf(join(data, name)), 0),
  };
}

/** Returns the resident memory of a process, or 0 when it has ended. */
function residentBytes(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

function childrenOf(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.flatMap((thread) => {
    try {
      return readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
    } catch {
      // The thread has ended.
      return [];
    }
  });
}

function sizeOf(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true ? found.size : 0;
}
