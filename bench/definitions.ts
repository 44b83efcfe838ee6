/**
 * `npm run bench:definitions [-- --caches 10000]`: creates and destroys caches and tables, and reads and writes caches
 * in rotation, with 100 caches and with many. Prints the CPU time of the service for each command, with what it does in
 * the background afterwards, and the ratio, and exits with 1 when a ratio is above `--limit` (default 2). Puts have no
 * limit: each of many caches has pages of its own, which checkpoints write. Preparing their statements again would cost
 * ten times as much. Then prints what SQLite alone needs, in a process that does nothing else.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createEntryTable, dropTable } from '../src/engines/embedded/ddl/cache-table.ts';
import { tablesAtOnce } from '../src/engines/embedded/ddl/spare-tables.ts';
import { openForReading, openForWriting, schemaStatement } from '../src/engines/embedded/storage/databases.ts';
import { migrateDataFile } from '../src/engines/embedded/storage/schema.ts';
import { cpuMs as processCpuMs } from './process-usage.ts';
import { type MeasuredServer, startSvc } from './servers.ts';

const { values } = parseArgs({
  options: { caches: { type: 'string', default: '10000' }, limit: { type: 'string', default: '2' } },
});
const FEW = 100;
const many = Number(values.caches);
const limit = Number(values.limit);
/** Commands of each kind that are measured: with many caches, several batches of spare tables. */
const MEASURED = 192;
const CONNECTIONS = 16;
/** The service looks for tables to drop twice a second. It is at rest when it uses less CPU time in between. */
const REST_MS = 700;
const RESTING_CPU_MS = 20;

await using server = await startSvc(1, '', { SVC_LIMITS_CACHES: String(many + 4 * MEASURED + FEW) });
const url = `http://127.0.0.1:${server.port}${server.path}`;

async function send(query: string): Promise<void> {
  const answer = (await (await fetch(`${url}?${query}`)).json()) as { error: string | null };
  if (answer.error !== null) throw new Error(`${query}: ${answer.error}`);
}

interface Cost {
  readonly cpuMs: number;
  readonly medianMs: number;
  readonly maximumMs: number;
}

/** Sends commands one after the other and returns what one costs. */
async function measure(subject: MeasuredServer, queries: readonly string[]): Promise<Cost> {
  const beforeMs = processCpuMs(subject.pid);
  const times: number[] = [];
  for (const query of queries) {
    const startMs = performance.now();
    await send(query);
    times.push(performance.now() - startMs);
  }
  const cpuMs = ((await cpuMsAtRest(subject)) - beforeMs) / queries.length;
  times.sort((left, right) => left - right);
  return { cpuMs, medianMs: times[times.length >> 1] ?? 0, maximumMs: times.at(-1) ?? 0 };
}

/** Returns the CPU time that a server has used when it has nothing left to do. */
async function cpuMsAtRest({ pid }: MeasuredServer): Promise<number> {
  for (let beforeMs = processCpuMs(pid); ; ) {
    await Bun.sleep(REST_MS);
    const afterMs = processCpuMs(pid);
    if (afterMs - beforeMs <= RESTING_CPU_MS) return afterMs;
    beforeMs = afterMs;
  }
}

/** Creates caches until there are so many. */
async function fill(from: number, to: number): Promise<void> {
  let next = from;
  const create = async (): Promise<void> => {
    while (next < to) await send(`cmd=getorcreate&cacheName=c${next++}`);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, create));
}

const numbers = Array.from({ length: MEASURED }, (_, index) => index);
const statement = (text: string): string =>
  `cmd=qryfldexe&cacheName=durable&pageSize=1&qry=${encodeURIComponent(text)}`;

/** Measures every command. Leaves as many caches as there were. */
async function measureAll(caches: number): Promise<ReadonlyMap<string, Cost>> {
  const costs = new Map<string, Cost>();
  const names = numbers.map((each) => `n${caches}_${each}`);
  const step = async (what: string, queries: readonly string[]): Promise<void> => {
    costs.set(what, await measure(server, queries));
  };
  await step(
    'create a cache',
    names.map((name) => `cmd=getorcreate&cacheName=${name}`),
  );
  await step(
    'destroy a cache',
    names.map((name) => `cmd=destcache&cacheName=${name}`),
  );
  await step(
    'CREATE TABLE',
    names.map((name) => statement(`CREATE TABLE ${name} (id INT PRIMARY KEY, a INT, b VARCHAR)`)),
  );
  await step(
    'DROP TABLE',
    names.map((name) => statement(`DROP TABLE ${name}`)),
  );
  // The first rotation prepares the statements, which the second one finds.
  const rotation = Array.from({ length: caches }, (_, index) => `c${index % caches}`);
  const rounds = Array.from({ length: Math.ceil(10_000 / caches) }, () => rotation).flat();
  for (const [what, queryOf] of [
    ['put, in rotation', (name: string) => `cmd=put&cacheName=${name}&key=1&val=1`],
    ['get, in rotation', (name: string) => `cmd=get&cacheName=${name}&key=1`],
  ] as const) {
    await measure(server, rotation.map(queryOf));
    await step(what, rounds.map(queryOf));
  }
  return costs;
}

await fill(0, FEW);
await measureAll(FEW);
const few = await measureAll(FEW);
const startMs = performance.now();
await fill(FEW, many);
process.stdout.write(`filled to ${many} caches in ${((performance.now() - startMs) / 1_000).toFixed(1)} s\n`);
const most = await measureAll(many);
let isMissed = false;
process.stdout.write(
  `| command | CPU ms, ${FEW} caches | CPU ms, ${many} | ratio | median ms | median ms | longest ms | longest ms |\n`,
);
process.stdout.write('|---|---|---|---|---|---|---|---|\n');
for (const [what, after] of most) {
  const before = few.get(what) ?? after;
  const ratio = after.cpuMs / before.cpuMs;
  isMissed ||= ratio > limit && !what.startsWith('put');
  const times = [before.medianMs, after.medianMs, before.maximumMs, after.maximumMs].map((each) => each.toFixed(2));
  const cpu = [before.cpuMs, after.cpuMs].map((each) => each.toFixed(3));
  process.stdout.write(`| ${what} | ${cpu.join(' | ')} | ${ratio.toFixed(2)} | ${times.join(' | ')} |\n`);
}
process.stdout.write(isMissed ? `missed: a ratio is above ${limit}\n` : `met: every ratio is at most ${limit}\n`);
process.exitCode = isMissed ? 1 : 0;

/** Returns the CPU time of this process for an action, in ms. */
function usedMs(action: () => void): number {
  const { user, system } = process.cpuUsage();
  action();
  const after = process.cpuUsage();
  return (after.user + after.system - user - system) / 1_000;
}

/** Prints the least CPU time that SQLite needs for what it does with the tables of a number of caches. */
function printAlone(caches: number): void {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const path = join(folder, 'svc.db');
  const database = openForWriting(path, false);
  migrateDataFile(database, folder, '');
  const reader = openForReading(path);
  let next = 1;
  const atOnce = tablesAtOnce(many);
  const create = database.transaction(() => {
    for (let count = 0; count < atOnce; count++) createEntryTable(database, next++, [], false);
  });
  const drop = database.transaction(() => {
    for (let count = 0; count < atOnce; count++) dropTable(database, --next);
  });
  while (next <= caches) create();
  const times = Array.from({ length: 9 }, () => [
    usedMs(create) / atOnce,
    usedMs(drop) / atOnce,
    usedMs(() => reader.prepare(schemaStatement()).get()),
  ]);
  const least = [0, 1, 2].map((index) => Math.min(...times.map((each) => each[index] ?? 0)).toFixed(3));
  process.stdout.write(`SQLite alone with ${caches}: CREATE TABLE ${least[0]} ms, DROP TABLE ${least[1]} ms, `);
  process.stdout.write(`reading the schema again ${least[2]} ms\n`);
  reader.close();
  database.close();
  rmSync(folder, { recursive: true });
}

printAlone(FEW);
printAlone(many);
