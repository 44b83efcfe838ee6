/**
 * The long forms: `npm run proof -- crash|power|history [--option value ...]`; without a name all of them. Each prints
 * its figures and its seed; the exit code is 1 when anything is wrong.
 */
import { parseArgs } from 'node:util';
import { runCrashes } from './crash/crash-run.ts';
import { shimMissing } from './crash/shim.ts';

/** Start of a service after a crash, with 10^6 entries. */
const MOST_START_MS = 1_000;
const LEAST_SHARE_INSIDE_COMMIT = 0.3;

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    crashes: { type: 'string', default: '200' },
    entries: { type: 'string', default: '1000000' },
    workers: { type: 'string', default: '2' },
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
  const options = { kind, seed, crashes: Number(values.crashes), workers: Number(values.workers), onCrash: say };
  // A power cut copies the disk; 10^6 entries are for the kills.
  const figures = await runCrashes({ ...options, entries: kind === 'kill' ? Number(values.entries) : 0 });
  const { wrong, ...rest } = figures;
  say(JSON.stringify({ kind, seed, ...rest, wrong: wrong.length }, undefined, 2));
  for (const sentence of wrong) failures.push(sentence);
  demand(figures.crashes === options.crashes, `${kind}: ${figures.crashes} of ${options.crashes} crashes`);
  const share = figures.insideCommit / figures.crashes;
  demand(share >= LEAST_SHARE_INSIDE_COMMIT, `${kind}: only ${(share * 100).toFixed(0)} % hit a commit`);
  demand(figures.longestStartMs <= MOST_START_MS, `${kind}: a start took ${figures.longestStartMs.toFixed(0)} ms`);
}

const PROOFS: Readonly<Record<string, () => Promise<void>>> = {
  crash: () => crashes('kill'),
  power: () => crashes('power'),
};

for (const name of positionals.length > 0 ? positionals : Object.keys(PROOFS)) {
  const proof = PROOFS[name];
  if (proof === undefined) throw new Error(`no proof is called ${name}; there are ${Object.keys(PROOFS).join(', ')}`);
  say(`-- ${name}, seed ${seed}`);
  await proof();
}
for (const sentence of failures) say(`(fail) ${sentence}`);
process.exitCode = failures.length > 0 ? 1 : 0;
