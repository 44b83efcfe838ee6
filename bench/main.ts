/**
 * `npm run bench [-- --quick] [--rounds 3] [--entries N,N] [--distribution uniform,zipf] [--value-bytes N,N]
 * [--no-ignite]`: measures svc, on disk and in memory, a bare HTTP server of the same runtime and, if Java and Maven
 * are present, an Ignite node in turns. A run with Ignite that is not quick writes bench/RESULTS.md.
 */
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startIgnite } from './ignite-server.ts';
import { type LoadResult, median, medianOf, runLoad } from './load.ts';
import { residentMegabytes } from './process-usage.ts';
import { type Measurement, writeReport } from './report.ts';
import { createRequests, OPERATIONS, type Operation } from './requests.ts';
import { type MeasuredServer, startBare, startSvc } from './servers.ts';
import { fill, oneWorkloadOptions, type Workload, workloadOptions, workloadsOf } from './workload.ts';

const isQuick = process.argv.includes('--quick');
const { values } = parseArgs({
  options: {
    ...(isQuick ? oneWorkloadOptions : workloadOptions),
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string', default: isQuick ? '1' : '3' },
    'no-ignite': { type: 'boolean', default: false },
  },
});
const workloads = workloadsOf(values);
const rounds = Number(values.rounds);
const DURATION_MS = 1_000;
const CONNECTIONS = 64;
/** Measured with the first workload only: they show how a service scales. */
const FURTHER_CONNECTIONS = [1, 256];
const STARTS = 5;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** A cache of a server. */
interface Subject {
  readonly name: keyof Measurement['results'];
  readonly server: MeasuredServer;
  readonly cache: string;
}

/** Measures an operation on all subjects and the bare server in turns, and returns the median of each. */
async function measure(
  subjects: readonly Subject[],
  bare: MeasuredServer,
  workload: Workload,
  operation: Operation,
  connections: number,
): Promise<Measurement> {
  const measured = [
    ...subjects.map(({ name, server, cache }) => ({ name, server, cache, asked: operation })),
    { name: 'bare' as const, server: bare, cache: 'durable', asked: 'get' as const },
  ].map((each) => ({
    ...each,
    requests: createRequests(each.server.path, each.asked, each.cache, workload),
    results: [] as LoadResult[],
  }));
  for (let round = 0; round < rounds; round++) {
    for (const { server, requests, results } of measured) {
      const plan = { kind: 'sockets', port: server.port, connections, serverPid: server.pid } as const;
      results.push(await runLoad({ ...plan, warmUpMs: 300, durationMs: DURATION_MS }, requests));
    }
  }
  const results = Object.fromEntries(measured.map((each) => [each.name, median(each.results)]));
  const shown = measured.map(({ name }) => `${name} ${results[name]?.cpuMicros.toFixed(1)}`).join(', ');
  say(`${operation} ${JSON.stringify(workload)} connections=${connections}: CPU µs ${shown}`);
  return { operation, workload, connections, results };
}

/** Has the runtimes compile the code that is measured; a virtual machine takes longer than Bun does. */
async function warmUp({ server, cache }: Subject, workload: Workload): Promise<void> {
  const durationMs = server.name === 'Apache Ignite' && !isQuick ? 5_000 : 1_000;
  const plan = { kind: 'sockets', port: server.port, connections: CONNECTIONS, serverPid: server.pid } as const;
  for (const operation of OPERATIONS) {
    await runLoad({ ...plan, warmUpMs: 0, durationMs }, createRequests(server.path, operation, cache, workload));
  }
}

/** Empties the cache of Ignite, whose node serves all workloads. */
async function emptyCache({ port, path }: MeasuredServer): Promise<void> {
  for (const cmd of ['destcache', 'getorcreate']) {
    await (await fetch(`http://127.0.0.1:${port}${path}?cmd=${cmd}&cacheName=durable`)).text();
  }
}

/** Measures the workloads of one size of values. */
async function measureSize(
  own: readonly Workload[],
  bare: MeasuredServer,
  ignite: MeasuredServer | undefined,
): Promise<Measurement[]> {
  await using svc = await startSvc(1);
  const subjects: Subject[] = [
    { name: 'svc', server: svc, cache: 'durable' },
    { name: 'svcMemory', server: svc, cache: 'memory' },
  ];
  if (ignite !== undefined) {
    await emptyCache(ignite);
    subjects.push({ name: 'ignite', server: ignite, cache: 'durable' });
  }
  const measurements: Measurement[] = [];
  let filled = 0;
  for (const workload of own) {
    if (workload.entries !== filled) {
      for (const { server, cache } of subjects) await fill(server, cache, workload, filled);
      if (filled === 0) for (const subject of subjects) await warmUp(subject, workload);
      filled = workload.entries;
    }
    const further = workload === workloads[0] && !isQuick ? FURTHER_CONNECTIONS : [];
    for (const operation of OPERATIONS) {
      for (const connections of [CONNECTIONS, ...further]) {
        measurements.push(await measure(subjects, bare, workload, operation, connections));
      }
    }
  }
  return measurements;
}

async function measureStart(): Promise<{ readonly firstAnswerMs: number; readonly idleMegabytes: number }> {
  const starts: Array<{ readonly firstAnswerMs: number; readonly idleMegabytes: number }> = [];
  for (let start = 0; start < STARTS; start++) {
    await using server = await startSvc(1);
    await Bun.sleep(500);
    starts.push({ firstAnswerMs: server.firstAnswerMs, idleMegabytes: residentMegabytes(server.pid) });
  }
  return {
    firstAnswerMs: medianOf(starts.map((each) => each.firstAnswerMs)),
    idleMegabytes: medianOf(starts.map((each) => each.idleMegabytes)),
  };
}

async function main(): Promise<void> {
  const loadBefore = loadavg()[0] ?? 0;
  const atStart = await measureStart();
  await using bare = await startBare();
  const ignite = values['no-ignite'] ? { missing: 'switched off' } : await startIgnite();
  await using node = 'missing' in ignite ? undefined : ignite;
  const measurements: Measurement[] = [];
  for (const size of new Set(workloads.map(({ valueBytes }) => valueBytes))) {
    const own = workloads.filter(({ valueBytes }) => valueBytes === size);
    measurements.push(...(await measureSize(own, bare, node)));
  }
  const text = writeReport({
    ...atStart,
    measurements,
    rounds,
    durationMs: DURATION_MS,
    loads: [loadBefore, loadavg()[0] ?? 0],
    igniteMissing: 'missing' in ignite ? ignite.missing : undefined,
  });
  say(`\n${text}`);
  if (!isQuick && node !== undefined) await Bun.write(join(import.meta.dir, 'RESULTS.md'), text);
}

await main();
