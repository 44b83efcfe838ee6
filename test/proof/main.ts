/**
 * The long forms: `npm run proof -- crash|power|history [--option value ...]`; without a name all of them. Each prints
 * its results and its seed; the exit code is 1 if any check fails.
 */
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runCrashes } from './crash/crash-run.ts';
import { shimMissing } from './crash/shim.ts';
import { buildChecker, checkHistories, findGo } from './history/checker.ts';
import { recordHistory } from './history/record.ts';

/** Maximum time to start after a crash with 10^6 entries. */
const MOST_START_MS = 1_000;
const LEAST_SHARE_INSIDE_COMMIT = 0.3;

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    crashes: { type: 'string', default: '200' },
    entries: { type: 'string', default: '1000000' },
    operations: { type: 'string', default: '1000000' },
    kills: { type: 'string', default: '20' },
    clients: { type: 'string', default: '32' },
    /** HTTP threads; absent: 2 for crashes, one run with 1 and one with 2 for histories. */
    workers: { type: 'string' },
  },
});

const seed = Number(values.seed ?? Date.now() % 1_000_000);
const failures: string[] = [];

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function demand(holds: boolean, sentence: string): void {
  if (!holds) failures.push(sentence);
}

async function crashes(kind: 'kill' | 'power'): Promise<void> {
  const missing = shimMissing();
  if (missing !== undefined) return demand(false, `${kind}: ${missing}`);
  const options = { kind, seed, crashes: Number(values.crashes), workers: Number(values.workers ?? 2), onCrash: say };
  // Power cuts copy the disk, so only kills run with 10^6 entries.
  const metrics = await runCrashes({ ...options, entries: kind === 'kill' ? Number(values.entries) : 0 });
  const { wrong, ...rest } = metrics;
  say(JSON.stringify({ kind, seed, ...rest, wrong: wrong.length }, undefined, 2));
  for (const sentence of wrong) failures.push(sentence);
  demand(metrics.crashes === options.crashes, `${kind}: ${metrics.crashes} of ${options.crashes} crashes`);
  const share = metrics.insideCommit / metrics.crashes;
  demand(share >= LEAST_SHARE_INSIDE_COMMIT, `${kind}: only ${(share * 100).toFixed(0)} % hit a commit`);
  demand(metrics.longestStartMs <= MOST_START_MS, `${kind}: a start took ${metrics.longestStartMs.toFixed(0)} ms`);
}

async function histories(): Promise<void> {
  const go = findGo();
  if (go === undefined) return demand(false, 'history: there is no Go (go) to build the checker');
  const program = await buildChecker(go);
  for (const workers of values.workers === undefined ? [1, 2] : [Number(values.workers)]) {
    // Kept, because the analysis of a rejected key needs it.
    const folder = join(tmpdir(), `svc-history-${seed}-${workers}`);
    mkdirSync(folder, { recursive: true });
    const path = join(folder, 'history.tsv');
    const metrics = await recordHistory({
      seed,
      workers,
      path,
      operations: Number(values.operations),
      clients: Number(values.clients),
      kills: Number(values.kills),
    });
    const begunMs = performance.now();
    const verdict = await checkHistories(program, [path], folder);
    const checkedSeconds = (performance.now() - begunMs) / 1000;
    say(JSON.stringify({ workers, seed, ...metrics, ...verdict, checkedSeconds, folder }, undefined, 2));
    demand(verdict.rejected.length === 0, `workers=${workers}: not linearizable: ${verdict.rejected.join(', ')}`);
    demand(verdict.unknown.length === 0, `workers=${workers}: not judged in time: ${verdict.unknown.join(', ')}`);
    demand(verdict.operations === metrics.operations, `workers=${workers}: not every operation was judged`);
  }
}

const PROOFS: Readonly<Record<string, () => Promise<void>>> = {
  crash: () => crashes('kill'),
  power: () => crashes('power'),
  history: histories,
};

for (const name of positionals.length > 0 ? positionals : Object.keys(PROOFS)) {
  const proof = PROOFS[name];
  if (proof === undefined) throw new Error(`no proof is called ${name}; there are ${Object.keys(PROOFS).join(', ')}`);
  say(`-- ${name}, seed ${seed}`);
  await proof();
}
for (const sentence of failures) say(`(fail) ${sentence}`);
process.exitCode = failures.length > 0 ? 1 : 0;
