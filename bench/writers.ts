/**
 * `bun bench/writers.ts [--rounds 5]`: a prototype of one writer per region. Each writer is a thread with the whole
 * embedded engine and a file of its own. Prints, for one writer and for two, how many entries are stored in a second
 * and what each costs, on disk and in memory. 64 changes are always under way: one writer has them all in a commit,
 * two have half of them each. The rounds alternate; each line is their median. There is no HTTP and no client.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** What a writer does. */
export interface WriterPlan {
  readonly dataDir: string;
  readonly region: 'default' | 'memory';
  readonly perCommit: number;
  readonly durationMs: number;
}

interface Result {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, duration: { type: 'string', default: '2000' } },
});
const CHANGES_UNDER_WAY = 64;
const durationMs = Number(values.duration);

/** Runs writers side by side and returns what they stored together. */
async function measure(region: WriterPlan['region'], writers: number): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-writers-'));
  const perCommit = CHANGES_UNDER_WAY / writers;
  const threads = Array.from({ length: writers }, (_, number) => {
    const thread = new Worker(join(import.meta.dir, 'writers-process.ts'));
    thread.postMessage({ dataDir: join(folder, String(number)), region, perCommit, durationMs } satisfies WriterPlan);
    return thread;
  });
  try {
    await Promise.all(threads.map((thread) => nextMessage(thread)));
    const before = process.cpuUsage();
    const startMs = performance.now();
    const ends = threads.map((thread) => nextMessage(thread));
    for (const thread of threads) thread.postMessage('start');
    const stored = (await Promise.all(ends)).reduce((sum, each) => sum + each, 0);
    const lastedMs = performance.now() - startMs;
    const { user, system } = process.cpuUsage(before);
    return { perSecond: (stored * 1_000) / lastedMs, cpuMicros: (user + system) / stored };
  } finally {
    for (const thread of threads) thread.terminate();
    rmSync(folder, { recursive: true, force: true });
  }
}

function nextMessage(thread: Worker): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  thread.onmessage = ({ data }: MessageEvent<number>) => resolve(data);
  thread.onerror = ({ message }) => reject(new Error(message));
  return promise;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((left, right) => left - right)[numbers.length >> 1] ?? Number.NaN;
}

if (import.meta.main) {
  process.stdout.write('| region | writers | changes/s | CPU µs of a change | changes/s against one writer |\n');
  process.stdout.write('|---|---|---|---|---|\n');
  for (const region of ['memory', 'default'] as const) {
    const [one, two]: [Result[], Result[]] = [[], []];
    for (let round = 0; round < Number(values.rounds); round++) {
      one.push(await measure(region, 1));
      two.push(await measure(region, 2));
    }
    const ratios = two.map((each, round) => each.perSecond / (one[round]?.perSecond ?? Number.NaN));
    print(region, 1, one, []);
    print(region, 2, two, ratios);
  }
}

function print(
  region: WriterPlan['region'],
  writers: number,
  results: readonly Result[],
  ratios: readonly number[],
): void {
  const perSecond = Math.round(median(results.map((each) => each.perSecond)));
  const cpuMicros = median(results.map((each) => each.cpuMicros)).toFixed(1);
  const sorted = [...ratios].sort((left, right) => left - right).map((each) => each.toFixed(2));
  const ratio = ratios.length === 0 ? '' : `${median(ratios).toFixed(2)} (${sorted[0]} to ${sorted.at(-1)})`;
  const name = region === 'default' ? 'on disk, each commit synced' : 'in memory';
  process.stdout.write(`| ${name} | ${writers} | ${perSecond} | ${cpuMicros} | ${ratio} |\n`);
}
