/** Plans of load, and the load generators that execute them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchRequest } from './requests.ts';

/**
 * `sockets`: requests as bytes, one at a time on each connection, as fast as one thread can write them.
 * `pages`: queries whose results are read to their end, page by page.
 */
export type LoadKind = 'sockets' | 'pages';

/** One measurement: connections, duration and server. */
export interface LoadPlan {
  /** `arrivals`: operations of one or several requests that are due at a fixed rate, whatever the server does. */
  readonly kind: LoadKind | 'arrivals';
  readonly port: number;
  readonly connections: number;
  readonly warmUpMs: number;
  readonly durationMs: number;
  readonly serverPid: number;
  /** A second process of the server, whose CPU time also counts; for `sockets`. */
  readonly furtherPid?: number;
  /** A process behind the server, whose CPU time is reported separately. */
  readonly behindPid?: number;
  /** The text that a successful response contains; for `sockets`. Default: svc's status. */
  readonly success?: string;
  /** For `sockets`: each connection sends one request, and the time until all are answered is measured. */
  readonly once?: boolean;
  /** For `pages`: paths that fetch from a query and close it; the id of the query is appended. */
  readonly fetchPath?: string;
  readonly closePath?: string;
  /** For `arrivals`: operations per second; default: each connection sends the next one as soon as it may. */
  readonly perSecond?: number;
}

/** The result of a measurement. */
export interface LoadResult {
  readonly requests: number;
  readonly failed: number;
  readonly firstFailure: string;
  readonly perSecond: number;
  /** CPU time of the server's processes per request, user and system, in microseconds. */
  readonly cpuMicros: number;
  /** The same of the process behind the server; 0 if there is none. */
  readonly behindCpuMicros: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** The result of `arrivals`; a request is an operation, and latencies count from the time when it was due. */
export interface ArrivalsResult extends LoadResult {
  /** Latencies in microseconds (HdrHistogram, compressed, base64). */
  readonly histogram: string;
  /** Operations that were due and had no answer when the measurement was given up; their time until then counts. */
  readonly unanswered: number;
  /** How long the generator left an operation waiting although a connection was free, 99th percentile. */
  readonly delayP99Micros: number;
  /** CPU time of the generator per second, 1 for a core: near 1, it limits the throughput. */
  readonly generatorCores: number;
}

const PROGRAMS: Readonly<Record<LoadPlan['kind'], readonly string[]>> = {
  sockets: [process.execPath, join(import.meta.dir, 'load-sockets-process.ts')],
  pages: [process.execPath, join(import.meta.dir, 'load-pages-process.ts')],
  arrivals: [process.execPath, join(import.meta.dir, 'load-arrivals-process.ts')],
};

/** The texts of the lists measured last: long ones take longer to serialize than to send. */
const texts = new WeakMap<readonly BenchRequest[], string>();

function textOf(requests: readonly BenchRequest[]): string {
  const text = texts.get(requests) ?? JSON.stringify(requests);
  texts.set(requests, text);
  return text;
}

/** Runs a load generator, a separate process; throws when requests failed. */
export function runLoad(plan: LoadPlan, requests: readonly BenchRequest[]): Promise<LoadResult> {
  return run(plan, requests);
}

/** The same for `arrivals`. */
export function runArrivals(plan: Omit<LoadPlan, 'kind'>, requests: readonly BenchRequest[]): Promise<ArrivalsResult> {
  return run({ ...plan, kind: 'arrivals' }, requests);
}

async function run<R extends LoadResult>(plan: LoadPlan, requests: readonly BenchRequest[]): Promise<R> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-load-'));
  try {
    const file = join(folder, 'plan.json');
    await Bun.write(file, `${JSON.stringify(plan).slice(0, -1)},"list":${textOf(requests)}}`);
    const child = Bun.spawn([...PROGRAMS[plan.kind], file], {
      // The generator exits when this pipe closes.
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'inherit',
    });
    const output = await child.stdout.text();
    if ((await child.exited) !== 0) throw new Error(`The load generator failed: ${requests[0]?.path}`);
    const result = JSON.parse(output) as R;
    if (result.failed > 0) {
      throw new Error(`${result.failed} of ${result.requests} failed (${requests[0]?.path}): ${result.firstFailure}`);
    }
    return result;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the measurement with the median CPU time. */
export function median(results: readonly LoadResult[]): LoadResult {
  const sorted = [...results].sort((a, b) => a.cpuMicros - b.cpuMicros);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error('There is nothing to take the median of.');
  return middle;
}

/** Returns the mean of the two middle values, or the middle one. */
export function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}
