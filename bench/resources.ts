/**
 * `npm run bench:resources [-- --rounds N --operations get,put,row,rows]`: measures requests for entries and rows
 * beside the commands that they are translated to, alternately on one service: those for rows return lines of JSON
 * objects, from which a resource makes its answer. Exits with 1 when the median ratio of the CPU time per request is
 * above the demand.
 */
import { parseArgs } from 'node:util';
import { type LoadResult, medianOf, runLoad } from './load.ts';
import type { BenchRequest } from './requests.ts';
import { startSvc } from './servers.ts';
import { createTable } from './sql-subjects.ts';
import { fill, keysOf, oneWorkload, oneWorkloadOptions, shownWorkload, valueText } from './workload.ts';

const CONNECTIONS = 64;
const DEMAND = 1.1;
const REQUESTS = 20_000;
/** Rows of the ranges that are read. */
const ROWS = 20;
const { values } = parseArgs({
  options: {
    ...oneWorkloadOptions,
    rounds: { type: 'string', default: '7' },
    operations: { type: 'string', default: 'get,put,row,rows' },
  },
});
const rounds = Number(values.rounds);
const workload = oneWorkload(values);

await using server = await startSvc(1, '', {});
await fill(server, 'durable', workload);
await createTable(server, workload);

const { path } = server;
const key = keysOf(workload);
const get = (target: string): BenchRequest => ({ method: 'GET', path: target, body: '' });
const statement = (qry: string, pageSize: number, ...args: number[]): BenchRequest => {
  const params = new URLSearchParams({ cmd: 'qryfldexe', pageSize: String(pageSize), qry });
  for (const [at, arg] of args.entries()) {
    params.set(`arg${at + 1}`, String(arg));
    params.set(`arg${at + 1}Type`, 'int');
  }
  return { ...get(`${path}?${params}`), accept: 'application/x-ndjson' };
};
const COLUMNS = '"ID", "NAME", "CODE", "KIND", "AMOUNT"';
const FROM = `SELECT ${COLUMNS} FROM "PUBLIC"."MEASURED" WHERE`;

interface Subject {
  /** The request for a resource and the command that it is translated to, with the same argument. */
  pair(): readonly [resource: BenchRequest, command: BenchRequest];
}

const SUBJECTS: Readonly<Record<string, Subject>> = {
  get: {
    pair() {
      const next = key();
      return [get(`${path}/caches/durable/entries/${next}`), get(`${path}?cmd=get&cacheName=durable&key=${next}`)];
    },
  },
  put: {
    pair() {
      const next = key();
      const value = valueText(next + 1, workload);
      const target = `${path}/caches/durable/entries/${next}`;
      const form = `cmd=put&cacheName=durable&key=${next}&val=${value}&created=true`;
      return [
        { method: 'PUT', path: target, body: `"${value}"`, contentType: 'application/json' },
        { method: 'POST', path, body: form },
      ];
    },
  },
  row: {
    pair() {
      const next = key();
      return [get(`${path}/tables/Measured/rows/${next}`), statement(`${FROM} "ID" = ?`, 2, next)];
    },
  },
  rows: {
    pair() {
      const next = key();
      const sql = `${FROM} "CODE" >= ? AND "CODE" < ? ORDER BY "ID" LIMIT ${ROWS + 1}`;
      const query = `code=gte.${next}&code=lt.${next + ROWS}&limit=${ROWS}`;
      return [get(`${path}/tables/Measured/rows?${query}`), statement(sql, ROWS + 2, next, next + ROWS)];
    },
  },
};

const plan = {
  kind: 'sockets',
  port: server.port,
  serverPid: server.pid,
  connections: CONNECTIONS,
  success: 'HTTP/1.1 20',
} as const;

async function measure(requests: BenchRequest[]): Promise<LoadResult> {
  const result = await runLoad({ ...plan, warmUpMs: 300, durationMs: 1_200 }, requests);
  if (result.failed > 0) throw new Error(result.firstFailure);
  return result;
}

process.stdout.write(`${shownWorkload(workload)}\n`);
for (const name of values.operations.split(',')) {
  const subject = SUBJECTS[name];
  if (subject === undefined) throw new Error(`--operations are some of ${Object.keys(SUBJECTS).join(', ')}`);
  const pairs = Array.from({ length: REQUESTS }, () => subject.pair());
  const lists = [pairs.map(([resource]) => resource), pairs.map(([, command]) => command)];
  const samples: number[][] = [[], []];
  for (let round = 0; round <= rounds; round++) {
    for (const [side, requests] of lists.entries()) {
      const { cpuMicros } = await measure(requests);
      // The first round warms up.
      if (round > 0) samples[side]?.push(cpuMicros);
    }
  }
  const [resources = [], commands = []] = samples;
  const ratio = medianOf(resources.map((micros, at) => micros / (commands[at] ?? micros)));
  if (ratio > DEMAND) process.exitCode = 1;
  const shown = samples.map((each) => medianOf(each).toFixed(1)).join(' beside ');
  process.stdout.write(`${name}: ${shown} µs CPU per request, ratio ${ratio.toFixed(3)} (at most ${DEMAND})\n`);
}
