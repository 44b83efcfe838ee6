/**
 * `npm run bench [-- --quick]`: measures svc beside a bare HTTP server of the same runtime, in turns in the same run, and
 * beside a reference node where Java and Maven are present. Prints ratios and writes bench/RESULTS.md.
 */
import { join } from 'node:path';
import { type LoadPlan, type LoadResult, median, OPERATIONS, type Operation, runLoad } from './load.ts';
import { startReference } from './reference.ts';
import { type Measurement, type Report, writeReport } from './report.ts';
import { fill, type MeasuredServer, residentMegabytes, startBare, startSvc } from './servers.ts';

interface Settings {
  readonly quick: boolean;
  readonly sizes: readonly number[];
  readonly connections: readonly number[];
  readonly rounds: number;
  readonly durationMs: number;
  readonly withReference: boolean;
}

const quick = process.argv.includes('--quick');
const settings: Settings = {
  quick,
  sizes: quick ? [1_000] : [1_000, 100_000, 1_000_000],
  connections: quick ? [64] : [1, 64, 256],
  rounds: quick ? 1 : 3,
  durationMs: quick ? 600 : 1_000,
  withReference: !process.argv.includes('--no-reference'),
};
const CACHES = ['durable', 'memory'] as const;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function plan(server: MeasuredServer, operation: LoadPlan['operation'], more: Partial<LoadPlan>): LoadPlan {
  return {
    port: server.port,
    path: server.path,
    host: `127.0.0.1:${server.port}`,
    serverPid: server.pid,
    operation,
    cache: 'durable',
    entries: 1_000,
    connections: 64,
    warmUpMs: 300,
    durationMs: settings.durationMs,
    ...more,
  };
}

/** Measures an operation and the bare server in turns, and gives the middle of each. */
async function beside(
  server: MeasuredServer,
  bare: MeasuredServer,
  operation: Operation,
  more: Partial<LoadPlan>,
): Promise<{ readonly own: LoadResult; readonly bare: LoadResult }> {
  const own: LoadResult[] = [];
  const yardstick: LoadResult[] = [];
  for (let round = 0; round < settings.rounds; round++) {
    yardstick.push(await runLoad(plan(bare, 'bare', more)));
    own.push(await runLoad(plan(server, operation, more)));
  }
  return { own: median(own), bare: median(yardstick) };
}

async function measureAll(server: MeasuredServer, bare: MeasuredServer, caches: readonly string[]) {
  const measurements: Measurement[] = [];
  let filled = 0;
  for (const entries of settings.sizes) {
    for (const cache of caches) await fill(server, cache, filled, entries);
    filled = entries;
    for (const cache of caches) {
      for (const connections of settings.connections) {
        for (const operation of OPERATIONS) {
          const result = await beside(server, bare, operation, { cache, entries, connections });
          measurements.push({ server: server.name, operation, cache, entries, connections, ...result });
          const ratio = (result.own.cpuMicros / result.bare.cpuMicros).toFixed(2);
          say(
            `${server.name} ${cache} ${operation} entries=${entries} connections=${connections}: ` +
              `${Math.round(result.own.perSecond)}/s, ${result.own.cpuMicros.toFixed(1)} µs CPU, ${ratio} x bare`,
          );
        }
      }
    }
  }
  return measurements;
}

/** Get and put with one and with two HTTP threads, in turns. */
async function measureThreads(bare: MeasuredServer): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  await using one = await startSvc(1);
  await using two = await startSvc(2);
  for (const server of [one, two]) await fill(server, 'durable', 0, 1_000);
  for (const operation of ['get', 'put'] as const) {
    for (const server of [one, two]) {
      const result = await beside(server, bare, operation, {});
      const place = { cache: 'durable', entries: 1_000, connections: 64 };
      measurements.push({ server: server.name, operation, ...place, ...result });
      say(`${server.name} ${operation}: ${result.own.cpuMicros.toFixed(1)} µs CPU`);
    }
  }
  return measurements;
}

async function measureStart(): Promise<{ readonly firstAnswerMs: number; readonly idleMegabytes: number }> {
  const firstAnswersMs: number[] = [];
  let idleMegabytes = 0;
  for (let i = 0; i < 5; i++) {
    await using server = await startSvc(1);
    firstAnswersMs.push(server.firstAnswerMs);
    await Bun.sleep(500);
    idleMegabytes = Math.max(idleMegabytes, residentMegabytes(server.pid));
  }
  firstAnswersMs.sort((a, b) => a - b);
  return { firstAnswerMs: firstAnswersMs[2] ?? 0, idleMegabytes };
}

async function main(): Promise<void> {
  const atStart = await measureStart();
  say(`first answer ${atStart.firstAnswerMs.toFixed(0)} ms, idle ${atStart.idleMegabytes.toFixed(0)} MB`);
  await using bare = await startBare();
  const measurements: Measurement[] = [];
  {
    await using svc = await startSvc(1);
    measurements.push(...(await measureAll(svc, bare, CACHES)));
  }
  measurements.push(...(await measureThreads(bare)));
  const reference = settings.withReference ? await startReference() : { missing: 'switched off' };
  if ('missing' in reference) say(`the reference is not measured: ${reference.missing}`);
  else {
    await using node = reference;
    measurements.push(...(await measureAll(node, bare, ['durable'])));
  }
  const report: Report = {
    ...atStart,
    measurements,
    quick: settings.quick,
    rounds: settings.rounds,
    durationMs: settings.durationMs,
    referenceMissing: 'missing' in reference ? reference.missing : undefined,
  };
  const path = join(import.meta.dir, settings.quick ? 'RESULTS-quick.md' : 'RESULTS.md');
  await Bun.write(path, writeReport(report));
  say(`written to ${path}`);
}

await main();
