/**
 * `npm run bench:peers [-- --quick] [--systems svc,etcd] [--workloads ycsb-a,join] [--durability synced,unsynced]
 * [--entries N,N] [--distribution uniform,zipf] [--value-bytes N,N] [--rounds 3] [--duration 5000] [--threads N]
 * [--pocketbase PATH] [--rqlite PATH] [--output FOLDER] [--report]`: measures svc and other systems with an HTTP
 * interface at equal durability. Starts and ends them; names a missing one and how to install it. Each workload is
 * written to a file in `bench/results-peers` when it has been measured, and bench/RESULTS-PEERS.md and the plots are
 * created from all files there, so a run may measure a part; `--report` only creates these. `--quick` runs each for a
 * second to check that all work, and writes nothing unless `--output` names a folder.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { shownWorkload, workloadOptions, workloadsOf } from '../workload.ts';
import { startEtcd } from './etcd.ts';
import { startNode, startOwn } from './grid-interface.ts';
import { measureWorkload, type Schedule, type WorkloadResult } from './measure.ts';
import { WORKLOADS } from './operations.ts';
import { latencyPlot, throughputPlot } from './plots.ts';
import { startPocketbase } from './pocketbase.ts';
import { REASONS } from './reasons.ts';
import { groupsOf, setName, writePeersReport } from './report.ts';
import { startRqlite } from './rqlite.ts';
import {
  DURABILITIES,
  type Durability,
  type MeasuredSystem,
  type Missing,
  outputOf,
  type StartOptions,
  SYSTEMS,
  type SystemName,
} from './system.ts';
import { startWebdis } from './webdis.ts';

const isQuick = process.argv.includes('--quick');
const { values } = parseArgs({
  options: {
    entries: { ...workloadOptions.entries, default: '100000' },
    distribution: { ...workloadOptions.distribution, default: 'zipf' },
    'value-bytes': { ...workloadOptions['value-bytes'], default: '100' },
    quick: { type: 'boolean', default: false },
    report: { type: 'boolean', default: false },
    systems: { type: 'string', default: SYSTEMS.join(',') },
    workloads: { type: 'string', default: WORKLOADS.join(',') },
    durability: { type: 'string', default: DURABILITIES.join(',') },
    rounds: { type: 'string', default: isQuick ? '1' : '3' },
    duration: { type: 'string', default: isQuick ? '1000' : '5000' },
    threads: { type: 'string', default: String(availableParallelism()) },
    pocketbase: { type: 'string' },
    rqlite: { type: 'string' },
    output: { type: 'string' },
  },
});

const CONNECTIONS = 64;
const WARM_UP_MS = isQuick ? 300 : 2_000;
const JAVA_WARM_UP_MS = isQuick ? 1_000 : 10_000;
const STARTERS: Readonly<Record<SystemName, (options: StartOptions) => Promise<MeasuredSystem | Missing>>> = {
  svc: startOwn,
  ignite: startNode,
  webdis: startWebdis,
  pocketbase: startPocketbase,
  etcd: startEtcd,
  rqlite: startRqlite,
};
const schedule: Schedule = {
  rounds: positive('rounds'),
  durationMs: positive('duration'),
  connections: CONNECTIONS,
  warmUpMs: {
    svc: WARM_UP_MS,
    ignite: JAVA_WARM_UP_MS,
    webdis: WARM_UP_MS,
    pocketbase: WARM_UP_MS,
    etcd: WARM_UP_MS,
    rqlite: WARM_UP_MS,
  },
};
const asked = {
  systems: chosen('systems', SYSTEMS),
  workloads: chosen('workloads', WORKLOADS),
  durabilities: chosen('durability', DURABILITIES),
};
const workloads = workloadsOf(values);
const results = values.output ?? (isQuick ? undefined : join(import.meta.dir, '../results-peers'));
/** The systems that run now; the last started ends first. */
const running: MeasuredSystem[] = [];
let starting: Promise<unknown> = Promise.resolve();
/** Set by a signal: nothing else is started or written, and the systems end. */
let interruption: Promise<void> | undefined;

function positive(option: 'rounds' | 'duration' | 'threads'): number {
  const number = Number(values[option]);
  if (!Number.isSafeInteger(number) || number <= 0) throw new Error(`--${option} is a whole number above 0`);
  return number;
}

function chosen<T extends string>(option: 'systems' | 'workloads' | 'durability', all: readonly T[]): T[] {
  const names = values[option].split(',');
  const found = all.filter((each) => names.includes(each));
  if (found.length !== names.length) throw new Error(`--${option} has some of ${all.join(', ')}`);
  return found;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function endAll(): Promise<void> {
  await starting.catch(() => undefined);
  for (let system = running.pop(); system !== undefined; system = running.pop()) await system[Symbol.asyncDispose]();
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    say(`${signal}: ending the systems.`);
    interruption ??= endAll();
  });
}

function throwIfInterrupted(): void {
  if (interruption !== undefined) throw new Error('interrupted');
}

/** Starts the systems one after another; returns why some are not measured. */
async function startAll(durability: Durability): Promise<Partial<Record<SystemName, string>>> {
  const missing: Partial<Record<SystemName, string>> = {};
  const programs = { pocketbase: values.pocketbase, rqlite: values.rqlite };
  for (const name of asked.systems) {
    throwIfInterrupted();
    const start = STARTERS[name]({ durability, threads: positive('threads'), programs }).then(
      (system) => {
        if ('missing' in system) missing[name] = system.missing;
        else running.push(system);
      },
      (error: unknown) => {
        missing[name] = `it did not start: ${error instanceof Error ? error.message : error}`.slice(0, 1_000);
      },
    );
    starting = start;
    await start;
    say(`${durability} ${name}: ${missing[name] === undefined ? 'started' : `not measured: ${missing[name]}`}`);
  }
  return missing;
}

/** Fills the systems; one that fails is not measured. */
async function fillAll(
  workload: (typeof workloads)[number],
  tables: boolean,
  missing: Partial<Record<SystemName, string>>,
): Promise<void> {
  for (const system of [...running]) {
    const begunMs = performance.now();
    try {
      await system.fill(workload);
      if (tables && system.steps.has('join')) await system.fillTables(workload);
      say(`${system.title}: filled in ${((performance.now() - begunMs) / 1_000).toFixed(1)} s`);
    } catch (error) {
      missing[system.name] = `it could not be filled: ${error instanceof Error ? error.message : error}`.slice(0, 300);
      say(`${system.title}: ${missing[system.name]}`);
      running.splice(running.indexOf(system), 1);
      await system[Symbol.asyncDispose]();
    }
  }
}

/** Measures all workloads at a durability. */
async function measureAll(durability: Durability, fileSystem: string): Promise<WorkloadResult[]> {
  const measured: WorkloadResult[] = [];
  const missing = await startAll(durability);
  let filled = '';
  for (const workload of workloads) {
    const data = `${workload.entries} ${workload.valueBytes}`;
    if (data !== filled) await fillAll(workload, asked.workloads.includes('join'), missing);
    filled = data;
    for (const name of asked.workloads) {
      say(`${name} ${durability} (${shownWorkload(workload)})`);
      throwIfInterrupted();
      const about = { durability, name, workload, fileSystem, missing };
      const result = await measureWorkload(about, running, schedule, say);
      throwIfInterrupted();
      measured.push(result);
      if (results === undefined) continue;
      mkdirSync(results, { recursive: true });
      writeFileSync(join(results, `${name}-${setName(result)}.json`), `${JSON.stringify(result, undefined, 1)}\n`);
    }
  }
  await endAll();
  return measured;
}

/** Writes the report and the plots of all results in the folder. */
function writeAll(folder: string): void {
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  const measured = files.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as WorkloadResult);
  const plots = new Map<string, string[]>();
  const page = join(folder, '..', 'RESULTS-PEERS.md');
  for (const group of groupsOf(measured)) {
    const [first] = group;
    if (first === undefined) continue;
    const set = setName(first);
    const durability = first.durability === 'synced' ? 'every write synced' : 'nobody syncs';
    const title = `${durability}, ${shownWorkload(first.workload)}`;
    const pictures = [
      [`throughput-${set}.svg`, throughputPlot(`Throughput and CPU: ${title}`, group)],
      [`latency-${set}.svg`, latencyPlot(`Latency: ${title}`, group)],
    ] as const;
    for (const [name, text] of pictures) writeFileSync(join(folder, name), text);
    plots.set(
      set,
      pictures.map(([name]) => relative(join(folder, '..'), join(folder, name))),
    );
  }
  writeFileSync(page, writePeersReport(measured, REASONS, plots));
  say(`${page} written`);
}

async function main(): Promise<void> {
  if (!values.report) {
    const fileSystem = (await outputOf(['stat', '-f', '-c', '%T', tmpdir()])).trim();
    if (fileSystem === 'tmpfs' && asked.durabilities.includes('synced'))
      throw new Error('The folder for temporary files is in memory; set TMPDIR to one on a disk.');
    const measured: WorkloadResult[] = [];
    try {
      for (const durability of asked.durabilities) measured.push(...(await measureAll(durability, fileSystem)));
    } finally {
      await endAll();
    }
    if (results === undefined) say(`\n${writePeersReport(measured, REASONS, new Map())}`);
  }
  if (results !== undefined) writeAll(results);
}

try {
  await main();
} catch (error) {
  if (interruption === undefined) throw error;
}
await interruption;
process.exit(interruption === undefined ? 0 : 130);
