/**
 * `npm run bench:sql [-- --quick] [--entries N,N] [--distribution uniform,zipf] [--value-bytes N,N] [--only WORD,WORD]
 * [--rounds 3] [--workers N] [--ignite URL,PID]`: measures statements of svc and of an Ignite node alternately.
 * `--ignite` names a running node instead of starting one; without Java only svc is measured.
 */
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { startIgnite } from './ignite-server.ts';
import { type LoadPlan, type LoadResult, median, runLoad } from './load.ts';
import { type MeasuredServer, startSvc } from './servers.ts';
import { type SqlMeasurement, writeSqlReport } from './sql-report.ts';
import { createKinds, createTable, dropTable, pagePaths, SQL_SUBJECTS, type SqlSubject } from './sql-subjects.ts';
import { oneWorkloadOptions, shownWorkload, type Workload, workloadOptions, workloadsOf } from './workload.ts';

const quick = process.argv.includes('--quick');
const { values } = parseArgs({
  options: {
    ...(quick ? oneWorkloadOptions : workloadOptions),
    quick: { type: 'boolean' },
    only: { type: 'string' },
    rounds: { type: 'string', default: quick ? '1' : '3' },
    /** HTTP threads of svc: as many as there are cores, as Ignite has. */
    workers: { type: 'string', default: String(availableParallelism()) },
    ignite: { type: 'string' },
  },
});
const workloads = workloadsOf(values);
const only = values.only?.split(',');
const subjects = SQL_SUBJECTS.filter(({ word }) => only?.includes(word) ?? true);
const workers = Number(values.workers);
const rounds = Number(values.rounds);
const connectionCounts = [1, 64];
const durationMs = 1_000;
const longMs = 3_000;
/** Warm-up: a virtual machine compiles frequently executed code. */
const WARM_UP_MS = quick ? 3_000 : 6_000;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** A node that is already running, by `URL,PID`. */
function runningIgnite(place: string): MeasuredServer {
  const [url = '', pid = ''] = place.split(',');
  const { port, pathname } = new URL(url);
  return {
    name: 'Apache Ignite',
    port: Number(port),
    path: pathname,
    pid: Number(pid),
    firstAnswerMs: 0,
    batch: 400,
    async [Symbol.asyncDispose]() {},
  };
}

function planOf(server: MeasuredServer, { kind, long }: SqlSubject, connections: number): LoadPlan {
  const times = long ? { warmUpMs: 500, durationMs: longMs } : { warmUpMs: 500, durationMs };
  const once = long && kind === 'sockets' && connections > 1;
  return { kind, port: server.port, connections, serverPid: server.pid, once, ...times, ...pagePaths(server) };
}

async function warmUp(server: MeasuredServer, workload: Workload): Promise<void> {
  for (const subject of subjects) {
    const plan = planOf(server, subject, subject.long ? 1 : 64);
    const lastedMs = server.name === 'Apache Ignite' && !subject.long ? WARM_UP_MS : 1_500;
    await runLoad({ ...plan, warmUpMs: 0, durationMs: lastedMs }, subject.requests(server, workload));
  }
}

/** Measures a statement on each server alternately; returns the results so far if a server fails. */
async function measure(
  servers: readonly MeasuredServer[],
  subject: SqlSubject,
  workload: Workload,
  connections: number,
): Promise<SqlMeasurement[]> {
  const results = new Map<MeasuredServer, LoadResult[]>(servers.map((server) => [server, []]));
  for (let round = 0; round < (subject.long ? 1 : rounds); round++) {
    for (const server of servers) {
      try {
        results
          .get(server)
          ?.push(await runLoad(planOf(server, subject, connections), subject.requests(server, workload)));
      } catch (error) {
        say(`${server.name} ${subject.name}: ${error instanceof Error ? error.message : error}`);
      }
    }
  }
  return servers.flatMap((server) => {
    const own = results.get(server) ?? [];
    if (own.length === 0) return [];
    const result = median(own);
    say(
      `${server.name} ${subject.name} (${shownWorkload(workload)}) connections=${connections}: ` +
        `${result.perSecond.toFixed(1)}/s, ` +
        `${result.cpuMicros.toFixed(0)} µs CPU, p50 ${result.p50Ms.toFixed(1)} ms, p99 ${result.p99Ms.toFixed(1)} ms`,
    );
    return [{ server: server.name, subject, workload, connections, result }];
  });
}

async function main(): Promise<void> {
  const loadBefore = loadavg()[0] ?? 0;
  await using svc = await startSvc(workers);
  const place = values.ignite;
  const ignite = place === undefined ? await startIgnite() : runningIgnite(place);
  if ('missing' in ignite) say(`Ignite is not measured: ${ignite.missing}`);
  await using node = 'missing' in ignite ? undefined : ignite;
  const servers = node === undefined ? [svc] : [svc, node];
  const measurements: SqlMeasurement[] = [];
  for (const server of servers) await createKinds(server);
  for (const [at, workload] of workloads.entries()) {
    for (const server of servers) {
      const begunMs = performance.now();
      // The table that INSERTs have grown is recreated for each workload.
      await dropTable(server);
      await createTable(server, workload);
      const seconds = ((performance.now() - begunMs) / 1000).toFixed(1);
      say(`${server.name}: ${shownWorkload(workload)} made in ${seconds} s`);
      if (at === 0) await warmUp(server, workload);
    }
    for (const subject of subjects) {
      for (const connections of connectionCounts) {
        measurements.push(...(await measure(servers, subject, workload, connections)));
      }
    }
  }
  const text = writeSqlReport({
    measurements,
    workers,
    rounds,
    durationMs,
    longMs,
    loads: [loadBefore, loadavg()[0] ?? 0],
    igniteMissing: 'missing' in ignite ? ignite.missing : undefined,
  });
  say(`\n${text}`);
}

await main();
