/**
 * `npm run bench:compare -- --against FOLDER [--pairs 10] [--duration 1500] [--operations get,put] [--load sockets]
 * [--entries 1000]`: measures operations of this checkout and of another one in interleaved pairs, and prints the ratio
 * of CPU time per request, pair by pair and its median. Exits with 1 when a median is above `--limit` (default 1.03).
 *
 * `--threads 2 --against-threads 1` sets the number of HTTP threads of each; without `--against`, both are of this
 * checkout. The throughput and, for puts, the mean number of changes in a commit are printed beside the CPU time.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type LoadKind, runLoad } from './load.ts';
import { createRequests, OPERATIONS, type Operation } from './requests.ts';
import { fill, type MeasuredServer, startSvc } from './servers.ts';

const { values } = parseArgs({
  options: {
    against: { type: 'string' },
    pairs: { type: 'string', default: '10' },
    duration: { type: 'string', default: '1500' },
    limit: { type: 'string', default: '1.03' },
    operations: { type: 'string', default: 'get,put' },
    entries: { type: 'string', default: '1000' },
    load: { type: 'string', default: 'sockets' },
    threads: { type: 'string', default: '1' },
    'against-threads': { type: 'string' },
  },
});
const [threads, otherThreads] = [Number(values.threads), Number(values['against-threads'] ?? values.threads)];
if (values.against === undefined && threads === otherThreads) {
  throw new Error('--against needs the folder of another checkout, or --against-threads another number of threads');
}
const LOAD_KINDS = ['sockets', 'clients'] as const;
const pairs = Number(values.pairs);
const durationMs = Number(values.duration);
const limit = Number(values.limit);
const entries = Number(values.entries);
const names = values.operations.split(',');
const SUBJECTS = OPERATIONS.filter((each) => names.includes(each));
if (SUBJECTS.length !== names.length) throw new Error(`--operations are some of ${OPERATIONS.join(', ')}`);
const kind = LOAD_KINDS.find((each) => each === values.load);
if (kind === undefined) throw new Error(`--load is one of ${LOAD_KINDS.join(', ')}`);

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

interface Sample {
  readonly cpuMicros: number;
  readonly perSecond: number;
  /** Mean number of changes in a commit; NaN: nothing was committed. */
  readonly changes: number;
}

/** Returns how many commits the server has made, and how many changes were in them. */
async function committed({ port }: MeasuredServer): Promise<{ readonly commits: number; readonly changes: number }> {
  const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const read = (name: string) => Number(new RegExp(`^svc_commit_changes_${name}\\S* (\\S+)$`, 'm').exec(page)?.[1]);
  return { commits: read('count'), changes: read('sum') };
}

async function measure(server: MeasuredServer, operation: Operation, load: LoadKind): Promise<Sample> {
  const plan = { port: server.port, connections: 64, serverPid: server.pid, warmUpMs: 300, durationMs } as const;
  const before = await committed(server);
  const result = await runLoad({ ...plan, kind: load }, createRequests(server.path, operation, 'durable', entries));
  const after = await committed(server);
  return { ...result, changes: (after.changes - before.changes) / (after.commits - before.commits) };
}

function medianOf(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const low = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  const high = sorted[Math.floor(middle)] ?? Number.NaN;
  return (low + high) / 2;
}

/** Returns the medians of both sides as text. */
function beside(samples: readonly (readonly [Sample, Sample])[], numberOf: (sample: Sample) => number): string {
  const [own, other] = [0, 1].map((side) => medianOf(samples.map((pair) => numberOf(side === 0 ? pair[0] : pair[1]))));
  return `${own?.toFixed(1)}/${other?.toFixed(1)}`;
}

const otherFolder = values.against === undefined ? undefined : resolve(values.against);
await using own = await startSvc(threads);
await using other = await startSvc(otherThreads, ' (other)', {}, otherFolder);
for (const server of [own, other]) await fill(server, 'durable', 0, entries);
for (const operation of SUBJECTS) {
  for (const server of [own, other]) await measure(server, operation, 'sockets');
}
let failed = false;
for (const operation of SUBJECTS) {
  const samples: Array<readonly [Sample, Sample]> = [];
  for (let pair = 0; pair < pairs; pair++) {
    // The order alternates, so that a drift of the machine's speed favours neither.
    const ownFirst = pair % 2 === 0;
    const first = await measure(ownFirst ? own : other, operation, kind);
    const second = await measure(ownFirst ? other : own, operation, kind);
    samples.push(ownFirst ? [first, second] : [second, first]);
  }
  const median = medianOf(samples.map(([a, b]) => a.cpuMicros / b.cpuMicros));
  failed ||= median > limit;
  const shown = samples.map(([a, b]) => `${a.cpuMicros.toFixed(1)}/${b.cpuMicros.toFixed(1)}`).join(' ');
  const perSecond = beside(samples, (sample) => sample.perSecond / 1_000);
  const changes = beside(samples, (sample) => sample.changes);
  say(
    `${operation}: CPU time per request in us, this/other: ${shown}; median ratio ${median.toFixed(3)}; ` +
      `thousand requests a second ${perSecond}${changes.includes('NaN') ? '' : `; changes in a commit ${changes}`}`,
  );
}
process.exitCode = failed ? 1 : 0;
