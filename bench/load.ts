/** Plans of load, and the process that carries them out. */
import { join } from 'node:path';

export type Operation = 'get' | 'put' | 'getput' | 'incr' | 'getall' | 'putall';
export const OPERATIONS: readonly Operation[] = ['get', 'put', 'getput', 'incr', 'getall', 'putall'];

/** One measurement: which requests, how many connections, how long. */
export interface LoadPlan {
  readonly port: number;
  /** Path of the endpoint, for instance `/svc`. */
  readonly path: string;
  readonly host: string;
  readonly operation: Operation | 'bare';
  readonly cache: string;
  /** Keys are whole numbers below this one, as text. */
  readonly entries: number;
  readonly connections: number;
  readonly warmUpMs: number;
  readonly durationMs: number;
  readonly serverPid: number;
}

/** What came of it. */
export interface LoadResult {
  readonly requests: number;
  readonly failed: number;
  readonly firstFailure: string;
  readonly perSecond: number;
  /** CPU time of the server's process per request, user and system, in microseconds. */
  readonly cpuMicros: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Runs the load generator; throws when requests failed. */
export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'load-process.ts'), JSON.stringify(plan)], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const output = await child.stdout.text();
  if ((await child.exited) !== 0) throw new Error(`The load generator failed for ${plan.operation}.`);
  const result = JSON.parse(output) as LoadResult;
  if (result.failed > 0) {
    throw new Error(`${result.failed} of ${result.requests} ${plan.operation} failed: ${result.firstFailure}`);
  }
  return result;
}

/** The middle one by CPU time. */
export function median(results: readonly LoadResult[]): LoadResult {
  const sorted = [...results].sort((a, b) => a.cpuMicros - b.cpuMicros);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error('There is nothing to take the median of.');
  return middle;
}
