/**
 * `npm run bench:sql [-- --quick] [--rows N,N] [--only WORD] [--workers N] [--ignite URL,PID]`: measures
 * statements of svc and of an Ignite node alternately. The full run writes bench/RESULTS-SQL.md and needs ten minutes.
 * `--ignite` names a running node instead of starting one; without Java only svc is measured.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { startIgnite } from './ignite-server.ts';
import { type LoadPlan, type LoadResult, median, runLoad } from './load.ts';
import { type MeasuredServer, startSvc } from './servers.ts';
import { type SqlMeasurement, writeSqlReport } from './sql-report.ts';
import { createKinds, createTable, dropTable, pagePaths, SQL_SUBJECTS, type SqlSubject } from './sql-subjects.ts';

const quick = process.argv.includes('--quick');
const sizes = argumentOf('--rows')?.split(',').map(Number) ?? (quick ? [100_000] : [100_000, 1_000_000]);
const only = argumentOf('--only');
/** HTTP threads of svc: as many as there are cores, as Ignite has. */
const workers = Number(argumentOf('--workers') ?? availableParallelism());
const connectionCounts = [1, 64];
const rounds = quick ? 1 : 3;
const durationMs = quick ? 1_000 : 1_500;
const longMs = quick ? 2_000 : 6_000;
/** Warm-up: a virtual machine compiles frequently executed code. */
const WARM_UP_MS = quick ? 3_000 : 8_000;

function argumentOf(flag: string): string | undefined {
  const at = process.argv.indexOf(flag);
  return at < 0 ? undefined : process.argv[at + 1];
}

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

async function warmUp(server: MeasuredServer, rows: number): Promise<void> {
  for (const subject of SQL_SUBJECTS) {
    if (only !== undefined && !subject.name.includes(only)) continue;
    const plan = planOf(server, subject, subject.long ? 1 : 64);
    const lastedMs = server.name === 'Apache Ignite' && !subject.long ? WARM_UP_MS : 1_500;
    await runLoad({ ...plan, warmUpMs: 0, durationMs: lastedMs }, subject.requests(server, rows));
  }
}

/** Measures a statement on each server alternately; returns the results so far if a server fails. */
async function measure(
  servers: readonly MeasuredServer[],
  subject: SqlSubject,
  rows: number,
  connections: number,
): Promise<SqlMeasurement[]> {
  const results = new Map<MeasuredServer, LoadResult[]>(servers.map((server) => [server, []]));
  for (let round = 0; round < (subject.long ? 1 : rounds); round++) {
    for (const server of servers) {
      try {
        results.get(server)?.push(await runLoad(planOf(server, subject, connections), subject.requests(server, rows)));
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
      `${server.name} ${subject.name} rows=${rows} connections=${connections}: ${result.perSecond.toFixed(1)}/s, ` +
        `${result.cpuMicros.toFixed(0)} µs CPU, p50 ${result.p50Ms.toFixed(1)} ms, p99 ${result.p99Ms.toFixed(1)} ms`,
    );
    return [{ server: server.name, subject, rows, connections, result }];
  });
}

async function main(): Promise<void> {
  await using svc = await startSvc(workers);
  const place = argumentOf('--ignite');
  const ignite = place === undefined ? await startIgnite() : runningIgnite(place);
  if ('missing' in ignite) say(`Ignite is not measured: ${ignite.missing}`);
  await using node = 'missing' in ignite ? undefined : ignite;
  const servers = node === undefined ? [svc] : [svc, node];
  const measurements: SqlMeasurement[] = [];
  for (const server of servers) await createKinds(server);
  for (const rows of sizes) {
    for (const server of servers) {
      const begunMs = performance.now();
      await createTable(server, rows);
      say(`${server.name}: ${rows} rows made in ${((performance.now() - begunMs) / 1000).toFixed(1)} s`);
      if (rows === sizes[0]) await warmUp(server, rows);
    }
    for (const subject of SQL_SUBJECTS) {
      if (only !== undefined && !subject.name.includes(only)) continue;
      for (const connections of connectionCounts) {
        measurements.push(...(await measure(servers, subject, rows, connections)));
      }
    }
    for (const server of servers) await dropTable(server, rows);
  }
  const text = writeSqlReport({
    measurements,
    workers,
    quick,
    rounds,
    durationMs,
    longMs,
    igniteMissing: 'missing' in ignite ? ignite.missing : undefined,
  });
  say(`\n${text}`);
  if (!quick && only === undefined && node !== undefined)
    await Bun.write(join(import.meta.dir, 'RESULTS-SQL.md'), text);
}

await main();
