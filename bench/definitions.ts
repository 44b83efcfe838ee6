/**
 * `npm run bench:definitions [-- --caches 10000 --rounds 5]`: creates and destroys caches and tables, and reads and
 * writes caches in rotation, in a service with 100 caches and in one with many, in turns. Prints the CPU time of the
 * service for each command, with what it does in the background afterwards, and the ratio, as medians of the rounds,
 * and exits with 1 when a ratio is above `--limit` (default 2). Puts have no limit: each of many caches has pages of
 * its own, which checkpoints write. Preparing their statements again would cost ten times as much. Then prints what
 * SQLite alone needs, in a process that does nothing else.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createEntryTable } from '../src/engines/embedded/ddl/cache-table.ts';
import { tablesAtOnce } from '../src/engines/embedded/ddl/spare-tables.ts';
import { openForReading, openForWriting, schemaStatement } from '../src/engines/embedded/storage/databases.ts';
import { tableName } from '../src/engines/embedded/storage/definitions.ts';
import { migrateDataFile } from '../src/engines/embedded/storage/schema.ts';
import { medianOf } from './load.ts';
import { cpuMs as processCpuMs } from './process-usage.ts';
import { type MeasuredServer, startSvc } from './servers.ts';

const { values } = parseArgs({
  options: {
    caches: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    limit: { type: 'string', default: '2' },
  },
});
const FEW = 100;
const many = Number(values.caches);
const limit = Number(values.limit);
/** Commands of each kind that are measured: with many caches, several batches of spare tables. */
const MEASURED = 192;
/** Rounds before the measured ones: the runtime compiles what runs often, above all while many caches are created. */
const WARM_ROUNDS = 4;
const CONNECTIONS = 16;
/** The service looks for tables to drop twice a second. It is at rest when it uses less CPU time in between. */
const REST_MS = 700;
const RESTING_CPU_MS = 20;

interface Cost {
  readonly cpuMs: number;
  readonly medianMs: number;
  readonly maximumMs: number;
}

async function send({ port, path }: MeasuredServer, query: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}${path}?${query}`);
  const answer = (await response.json()) as { error: string | null };
  if (answer.error !== null) throw new Error(`${query}: ${answer.error}`);
}

/** Sends commands one after the other and returns what one costs. */
async function measure(server: MeasuredServer, queries: readonly string[]): Promise<Cost> {
  const beforeMs = processCpuMs(server.pid);
  const times: number[] = [];
  for (const query of queries) {
    const startMs = performance.now();
    await send(server, query);
    times.push(performance.now() - startMs);
  }
  const cpuMs = ((await cpuMsAtRest(server)) - beforeMs) / queries.length;
  return { cpuMs, medianMs: medianOf(times), maximumMs: Math.max(...times) };
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

/** Starts a service and creates caches. */
async function startWith(caches: number): Promise<MeasuredServer> {
  const server = await startSvc(1, '', { SVC_LIMITS_CACHES: String(caches + 4 * MEASURED) });
  let next = 0;
  const create = async (): Promise<void> => {
    while (next < caches) await send(server, `cmd=getorcreate&cacheName=c${next++}`);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, create));
  return server;
}

const statement = (text: string): string =>
  `cmd=qryfldexe&cacheName=durable&pageSize=1&qry=${encodeURIComponent(text)}`;
const names = Array.from({ length: MEASURED }, (_, index) => `n${index}`);
const DEFINITIONS = {
  'create a cache': names.map((name) => `cmd=getorcreate&cacheName=${name}`),
  'destroy a cache': names.map((name) => `cmd=destcache&cacheName=${name}`),
  'CREATE TABLE': names.map((name) => statement(`CREATE TABLE ${name} (id INT PRIMARY KEY, a INT, b VARCHAR)`)),
  'DROP TABLE': names.map((name) => statement(`DROP TABLE ${name}`)),
};

/** Returns commands over so many caches. */
function rotations(caches: number): Readonly<Record<string, readonly string[]>> {
  const rotation = Array.from({ length: many }, (_, index) => `c${index % caches}`);
  return {
    'put, in rotation': rotation.map((name) => `cmd=put&cacheName=${name}&key=1&val=1`),
    'get, in rotation': rotation.map((name) => `cmd=get&cacheName=${name}&key=1`),
  };
}

await using small = await startWith(FEW);
const startMs = performance.now();
await using large = await startWith(many);
process.stdout.write(`filled to ${many} caches in ${((performance.now() - startMs) / 1_000).toFixed(1)} s\n`);
/** By command, the costs of each round in both services. */
const costs = new Map<string, Array<readonly [Cost, Cost]>>();

/** Runs all commands in both services, in turns. */
async function runRounds(
  count: number,
  few: Readonly<Record<string, readonly string[]>>,
  most: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  for (let round = 0; round < count; round++) {
    for (const [what, queries] of Object.entries(few)) {
      const cost = [await measure(small, queries), await measure(large, most[what] ?? [])] as const;
      costs.set(what, [...(costs.get(what) ?? []), cost]);
    }
  }
}

const rounds = Number(values.rounds);
await runRounds(WARM_ROUNDS, DEFINITIONS, DEFINITIONS);
costs.clear();
await runRounds(rounds, DEFINITIONS, DEFINITIONS);
// The first rotation prepares the statements, which the next ones find.
await runRounds(rounds + 1, rotations(FEW), rotations(many));
for (const what of Object.keys(rotations(0))) costs.get(what)?.shift();
let isMissed = false;
process.stdout.write(
  `| command | CPU ms, ${FEW} caches | CPU ms, ${many} | ratio | median ms | median ms | longest ms | longest ms |\n`,
);
process.stdout.write('|---|---|---|---|---|---|---|---|\n');
for (const [what, measured] of costs) {
  const both = (value: (cost: Cost) => number): string[] =>
    [0, 1].map((index) => medianOf(measured.map((round) => value(round[index === 0 ? 0 : 1]))).toFixed(2));
  const ratio = medianOf(measured.map(([before, after]) => after.cpuMs / before.cpuMs));
  isMissed ||= ratio > limit && !what.startsWith('put');
  const columns = [
    ...both(({ cpuMs }) => cpuMs),
    ratio.toFixed(2),
    ...both(({ medianMs }) => medianMs),
    ...both(({ maximumMs }) => maximumMs),
  ];
  process.stdout.write(`| ${what} | ${columns.join(' | ')} |\n`);
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
    for (let count = 0; count < atOnce; count++) database.run(`DROP TABLE ${tableName(--next)}`);
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
