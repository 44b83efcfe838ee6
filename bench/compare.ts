/**
 * `npm run bench:compare -- --against FOLDER [--operations get,put,new,select] [--pairs 10] [--duration 1500]
 * [--connections 64] [--entries 100000] [--distribution uniform] [--value-bytes 100] [--limit 1.03]`: measures
 * operations of this checkout and of another one in interleaved pairs, and prints the ratio of CPU time per request,
 * pair by pair and its median. Exits with 1 when a median is above the limit. The other checkout needs its
 * `node_modules`. CPU time and memory are those of all processes of a service.
 *
 * Operations are the commands `get`, `put`, `getput`, `incr`, `getall`, `putall`; `new`, puts of keys that are not
 * stored yet; and the statements `select`, `range`, `join`, `insert`, `grouping`, `scan`, `generated`, `update` of
 * bench/sql-subjects.ts. `new` and `insert` add to the data, on both sides: name them last. Nothing is removed in
 * between, because the service would do part of that work later, during the measurement.
 *
 * `--threads 2 --against-threads 1` sets the number of HTTP threads of each; without `--against`, both are of this
 * checkout. `--env NAME=VALUE,...` sets variables of this checkout's service only. The throughput and, for puts, the
 * mean number of changes in a commit are printed next to the CPU time.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type LoadResult, medianOf, runLoad } from './load.ts';
import { residentMegabytes } from './process-usage.ts';
import { type BenchRequest, createNew, createRequests, OPERATIONS } from './requests.ts';
import { type MeasuredServer, startSvc } from './servers.ts';
import { createKinds, createTable, pagePaths, ROUND_TRIP_SUBJECTS, SQL_SUBJECTS } from './sql-subjects.ts';
import { fill, oneWorkloadOptions, shownWorkload, type Workload, workloadsOf } from './workload.ts';

const { values } = parseArgs({
  options: {
    ...oneWorkloadOptions,
    against: { type: 'string' },
    pairs: { type: 'string', default: '10' },
    duration: { type: 'string', default: '1500' },
    limit: { type: 'string', default: '1.03' },
    operations: { type: 'string', default: 'get,put,new,select' },
    threads: { type: 'string', default: '1' },
    'against-threads': { type: 'string' },
    connections: { type: 'string', default: '64' },
    env: { type: 'string', default: '' },
  },
});
const [threads, otherThreads] = [Number(values.threads), Number(values['against-threads'] ?? values.threads)];
const env = Object.fromEntries(new URLSearchParams(values.env.replaceAll(',', '&')));
if (values.against === undefined && threads === otherThreads && values.env === '') {
  throw new Error('--against needs the folder of another checkout, or --against-threads another number of threads');
}
const durationMs = Number(values.duration);
const SETTLE_MS = 3_000;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

interface Subject {
  readonly name: string;
  requests(server: MeasuredServer, workload: Workload): BenchRequest[];
  readonly isStatement: boolean;
  readonly kind: 'sockets' | 'pages';
}

const SUBJECTS: readonly Subject[] = [
  ...OPERATIONS.map(
    (name): Subject => ({
      name,
      requests: ({ path }, workload) => createRequests(path, name, 'durable', workload),
      isStatement: false,
      kind: 'sockets',
    }),
  ),
  {
    name: 'new',
    requests: ({ path }, workload) => createNew(path, 'durable', workload),
    isStatement: false,
    kind: 'sockets',
  },
  ...[...SQL_SUBJECTS, ...ROUND_TRIP_SUBJECTS].map(
    ({ word, kind, requests }): Subject => ({
      name: word,
      requests,
      isStatement: true,
      kind,
    }),
  ),
];

interface Sample extends LoadResult {
  /** Mean number of changes in a commit; NaN if nothing was committed. */
  readonly changes: number;
}

async function send({ port, path }: MeasuredServer, query: string): Promise<void> {
  await (await fetch(`http://127.0.0.1:${port}${path}?${query}`)).text();
}

/** Returns the server's number of commits, and of the changes in them. */
async function committed({ port }: MeasuredServer): Promise<{ readonly commits: number; readonly changes: number }> {
  const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const read = (name: string) => Number(new RegExp(`^svc_commit_changes_${name}\\S* (\\S+)$`, 'm').exec(page)?.[1]);
  return { commits: read('count'), changes: read('sum') };
}

/** Returns a function that measures a subject; both sides have the same requests. */
function measurer(subject: Subject, workload: Workload): (server: MeasuredServer) => Promise<Sample> {
  let requests: BenchRequest[] = [];
  return async (server) => {
    // Each INSERT has a new key.
    if (requests.length === 0 || subject.name === 'insert') requests = subject.requests(server, workload);
    const { port, pid } = server;
    const plan = {
      kind: subject.kind,
      port,
      connections: Number(values.connections),
      serverPid: pid,
      warmUpMs: 300,
      durationMs,
    };
    const before = await committed(server);
    const result = await runLoad({ ...plan, ...pagePaths(server) }, requests);
    const after = await committed(server);
    return { ...result, changes: (after.changes - before.changes) / (after.commits - before.commits) };
  };
}

/** Returns the medians of both sides as text. */
function beside(samples: readonly (readonly [Sample, Sample])[], numberOf: (sample: Sample) => number): string {
  return [0, 1].map((side) => medianOf(samples.map((pair) => numberOf(pair[side] ?? pair[0]))).toFixed(1)).join('/');
}

/** Prints the memory before the first statement and at rest after it. */
async function sayMemory(servers: readonly MeasuredServer[]): Promise<void> {
  const measured: number[][] = [];
  for (const server of servers) {
    await Bun.sleep(SETTLE_MS);
    const before = residentMegabytes(server.pid);
    await send(
      server,
      `cmd=qryfldexe&pageSize=10&qry=${encodeURIComponent('SELECT SUM(x) FROM SYSTEM_RANGE(1, 1000)')}`,
    );
    await Bun.sleep(SETTLE_MS);
    measured.push([before, residentMegabytes(server.pid)]);
  }
  const of = (at: number) => measured.map((each) => each[at]?.toFixed(0)).join('/');
  say(`memory of all processes in MB, this/other: ${of(0)} before the first statement, ${of(1)} at rest after it`);
}

/** Returns variables that keep the other service from rejecting requests on a busy machine, if it knows them. */
function otherEnv(folder: string | undefined): Readonly<Record<string, string>> {
  if (folder === undefined) return {};
  const config = readFileSync(join(folder, 'bench/bench.config.ts'), 'utf8');
  return config.includes('queueMs') ? { SVC_LIMITS_QUEUE_MS: '10000' } : {};
}

/** Measures a workload. Returns whether every median is within the limit. */
async function compare(workload: Workload, subjects: readonly Subject[]): Promise<boolean> {
  say(shownWorkload(workload));
  const otherFolder = values.against === undefined ? undefined : resolve(values.against);
  await using own = await startSvc(threads, '', env);
  await using other = await startSvc(otherThreads, ' (other)', otherEnv(otherFolder), otherFolder);
  const servers = [own, other];
  say(`first answer in ms, this/other: ${servers.map((each) => each.firstAnswerMs.toFixed(0)).join('/')}`);
  await sayMemory(servers);
  for (const server of servers) {
    await fill(server, 'durable', workload);
    if (!subjects.some(({ isStatement }) => isStatement)) continue;
    await createKinds(server);
    await createTable(server, workload);
  }
  let isMet = true;
  for (const subject of subjects) {
    const measure = measurer(subject, workload);
    for (const server of servers) await measure(server);
    const samples: Array<readonly [Sample, Sample]> = [];
    for (let pair = 0; pair < Number(values.pairs); pair++) {
      // The order alternates, so a drift in the machine's speed favours neither.
      const ownFirst = pair % 2 === 0;
      const first = await measure(ownFirst ? own : other);
      const second = await measure(ownFirst ? other : own);
      samples.push(ownFirst ? [first, second] : [second, first]);
    }
    const median = medianOf(samples.map(([a, b]) => a.cpuMicros / b.cpuMicros));
    isMet &&= median <= Number(values.limit);
    const shown = samples.map(([a, b]) => `${a.cpuMicros.toFixed(1)}/${b.cpuMicros.toFixed(1)}`).join(' ');
    const perSecond = beside(samples, (sample) => sample.perSecond / 1_000);
    const changes = beside(samples, (sample) => sample.changes);
    say(
      `${subject.name}: CPU time per request in us, this/other: ${shown}; median ratio ${median.toFixed(3)}; ` +
        `thousand requests a second ${perSecond}${changes.includes('NaN') ? '' : `; changes in a commit ${changes}`}`,
    );
  }
  return isMet;
}

const names = values.operations.split(',');
const subjects = names.map((name) => {
  const found = SUBJECTS.find((each) => each.name === name);
  if (found === undefined) throw new Error(`--operations are some of ${SUBJECTS.map((each) => each.name).join(', ')}`);
  return found;
});
let isMet = true;
for (const workload of workloadsOf(values)) isMet = (await compare(workload, subjects)) && isMet;
process.exitCode = isMet ? 0 : 1;
