/** Runs the fuzzers under a watchdog, and prints findings in a form that can be replayed. */

import type { WorkerOrder, WorkerResult } from './fuzz-worker.ts';
import type { Finding } from './fuzzer.ts';
import { FUZZERS, type Share } from './fuzzers.ts';

export interface FuzzReport {
  readonly fuzzer: string;
  readonly inputs: number;
  readonly seconds: number;
  readonly finding: Finding | undefined;
}

/** An input that takes longer than this, in milliseconds, never ends. */
const ENDLESS_MS = 20_000;

/** Returns the seed of SVC_ABUSE_SEED; where it is not set, the default or a new one for each run. */
export function chosenSeed(defaultSeed?: number): number {
  const given = process.env.SVC_ABUSE_SEED ?? defaultSeed;
  return given === undefined ? (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) : Number(given) >>> 0;
}

/** Checks `count` inputs of one fuzzer, from index `from` on. */
export async function runFuzzer(share: Share, seed: number, from: number, count: number): Promise<FuzzReport> {
  const { fuzzer } = share;
  const startMs = performance.now();
  const progress = new SharedArrayBuffer(4);
  const worker = new Worker(new URL('./fuzz-worker.ts', import.meta.url).href);
  const finding = await new Promise<Finding | undefined>((resolve, reject) => {
    let seen = -1;
    const watch = setInterval(() => {
      const index = Atomics.load(new Int32Array(progress), 0);
      if (index !== seen) {
        seen = index;
        return;
      }
      clearInterval(watch);
      const input = fuzzer.showInput(seed, index);
      resolve({ fuzzer: fuzzer.name, seed, index, reason: 'does not end', input, smallest: input });
    }, ENDLESS_MS);
    worker.onmessage = ({ data }: MessageEvent<WorkerResult>) => {
      clearInterval(watch);
      resolve(data.finding);
    };
    worker.onerror = (event) => {
      clearInterval(watch);
      reject(new Error(`The thread of ${fuzzer.name} ended (seed ${seed}): ${event.message}`));
    };
    worker.postMessage({ fuzzer: fuzzer.name, seed, from, count, progress } satisfies WorkerOrder);
  });
  worker.terminate();
  const seconds = (performance.now() - startMs) / 1000;
  return { fuzzer: fuzzer.name, inputs: finding === undefined ? count : finding.index - from + 1, seconds, finding };
}

/** Checks `total` inputs over all fuzzers, one fuzzer after another. */
export async function runFuzzers(total: number, seed: number, print: (line: string) => void): Promise<FuzzReport[]> {
  print(`seed ${seed}`);
  const reports: FuzzReport[] = [];
  for (const share of FUZZERS) {
    const report = await runFuzzer(share, seed, 0, Math.ceil((total * share.percent) / 100));
    reports.push(report);
    print(describeReport(report));
  }
  return reports;
}

export function describeReport({ fuzzer, inputs, seconds, finding }: FuzzReport): string {
  const micros = ((seconds * 1e6) / Math.max(1, inputs)).toFixed(1);
  const line = `${fuzzer}: ${inputs} inputs in ${seconds.toFixed(1)} s (${micros} us each)`;
  return finding === undefined ? line : `${line}\n${describeFinding(finding)}`;
}

export function describeFinding({ fuzzer, seed, index, reason, input, smallest }: Finding): string {
  return [
    `FOUND by ${fuzzer}: ${reason}`,
    `  smallest input: ${smallest}`,
    `  input: ${input.slice(0, 2_000)}`,
    `  replay: SVC_ABUSE_SEED=${seed} npm run abuse -- replay ${fuzzer} ${index}`,
  ].join('\n');
}
