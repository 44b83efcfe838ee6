/**
 * `npm run bench [-- --quick]`: measures svc and a bare HTTP server of the same runtime alternately, and an Ignite node
 * if Java and Maven are present. Prints ratios. The full run writes bench/RESULTS.md.
 */
import { join } from 'node:path';
import { startIgnite } from './ignite-server.ts';
import { type LoadKind, type LoadResult, median, runLoad } from './load.ts';
import { type Measurement, type Report, writeReport } from './report.ts';
import { createRequests, OPERATIONS, type Operation } from './requests.ts';
import { fill, type MeasuredServer, residentMegabytes, startBare, startSvc } from './servers.ts';

interface Settings {
  readonly quick: boolean;
  readonly sizes: readonly number[];
  readonly connections: readonly number[];
  readonly rounds: number;
  readonly durationMs: number;
  readonly withIgnite: boolean;
}

const quick = process.argv.includes('--quick');
const settings: Settings = {
  quick,
  sizes: quick ? [1_000] : [1_000, 100_000, 1_000_000],
  connections: quick ? [64] : [1, 64, 256],
  rounds: quick ? 1 : 3,
  durationMs: quick ? 800 : 1_000,
  withIgnite: !process.argv.includes('--no-ignite'),
};
const CACHES = ['durable', 'memory'] as const;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** A case to measure: operation, cache, number of entries and connections. */
interface Subject {
  readonly kind: LoadKind;
  readonly operation: Operation;
  readonly cache: string;
  readonly entries: number;
  readonly connections: number;
}

/** Measures an operation and the bare server alternately, and returns the median of each. */
async function beside(server: MeasuredServer, bare: MeasuredServer, subject: Subject): Promise<Measurement> {
  const { kind, operation, cache, entries, connections } = subject;
  const run = (of: MeasuredServer, asked: Operation) =>
    runLoad(
      { kind, port: of.port, connections, serverPid: of.pid, warmUpMs: 400, durationMs: settings.durationMs },
      createRequests(of.path, asked, cache, entries),
    );
  const own: LoadResult[] = [];
  const yardstick: LoadResult[] = [];
  // The goals apply to 64 connections. The other numbers show how svc scales and are measured once.
  const rounds = connections === 64 ? settings.rounds : 1;
  for (let round = 0; round < rounds; round++) {
    yardstick.push(await run(bare, 'get'));
    own.push(await run(server, operation));
  }
  const measured = { server: server.name, ...subject, own: median(own), bare: median(yardstick) };
  const ratio = (measured.own.cpuMicros / measured.bare.cpuMicros).toFixed(2);
  say(
    `${server.name} ${kind} ${cache} ${operation} entries=${entries} connections=${connections}: ` +
      `${Math.round(measured.own.perSecond)}/s, ${measured.own.cpuMicros.toFixed(1)} µs CPU, ${ratio} x bare`,
  );
  return measured;
}

/** Warms up the runtime, so that compilation does not count towards the first requests. */
async function warmUp(server: MeasuredServer, cache: string, durationMs = 1_500): Promise<void> {
  const plan = { kind: 'sockets', port: server.port, connections: 64, serverPid: server.pid, warmUpMs: 0 } as const;
  for (const operation of OPERATIONS) {
    await runLoad({ ...plan, durationMs }, createRequests(server.path, operation, cache, 1_000));
  }
}

/** Lists every operation on every cache, size and number of connections; 64 connections also with full load. */
async function measureAll(
  server: MeasuredServer,
  bare: MeasuredServer,
  caches: readonly string[],
  sizes: readonly number[],
): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  // A virtual machine takes longer to compile than Bun does.
  await warmUp(server, caches[0] ?? 'durable', server.name === 'Apache Ignite' && !settings.quick ? 6_000 : 1_500);
  let filled = 0;
  for (const entries of sizes) {
    for (const cache of caches) await fill(server, cache, filled, entries);
    filled = entries;
    for (const cache of caches) {
      for (const operation of OPERATIONS) {
        for (const connections of settings.connections) {
          const subject = { kind: 'clients', operation, cache, entries, connections } as const;
          measurements.push(await beside(server, bare, subject));
        }
        if (entries !== sizes[0]) continue;
        const subject = { kind: 'sockets', operation, cache, entries, connections: 64 } as const;
        measurements.push(await beside(server, bare, subject));
      }
    }
  }
  return measurements;
}

/** Measures get and put with one and with two HTTP threads, alternately. */
async function measureThreads(bare: MeasuredServer): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  await using one = await startSvc(1, ' (beside two)');
  await using two = await startSvc(2);
  for (const server of [one, two]) {
    await fill(server, 'durable', 0, 1_000);
    await warmUp(server, 'durable');
  }
  for (const kind of ['clients', 'sockets'] as const) {
    for (const operation of ['get', 'put'] as const) {
      for (const server of [one, two]) {
        const subject = { kind, operation, cache: 'durable', entries: 1_000, connections: 64 };
        measurements.push(await beside(server, bare, subject));
      }
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
  await warmUp(bare, 'durable');
  const measurements: Measurement[] = [];
  {
    await using svc = await startSvc(1);
    measurements.push(...(await measureAll(svc, bare, CACHES, settings.sizes)));
  }
  measurements.push(...(await measureThreads(bare)));
  const ignite = settings.withIgnite ? await startIgnite() : { missing: 'switched off' };
  if ('missing' in ignite) say(`Ignite is not measured: ${ignite.missing}`);
  else {
    await using node = ignite;
    measurements.push(...(await measureAll(node, bare, ['durable'], settings.sizes.slice(0, 1))));
  }
  const report: Report = {
    ...atStart,
    measurements,
    quick: settings.quick,
    rounds: settings.rounds,
    durationMs: settings.durationMs,
    igniteMissing: 'missing' in ignite ? ignite.missing : undefined,
  };
  const text = writeReport(report);
  say(`\n${text}`);
  if (!settings.quick) await Bun.write(join(import.meta.dir, 'RESULTS.md'), text);
}

await main();
