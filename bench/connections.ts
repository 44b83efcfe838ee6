/**
 * `npm run bench:connections [-- --idle 10000] [--active 1000] [--rounds 5]`: gets of many active connections, beside
 * as many more that are idle and without them, in turns. Prints the CPU time of a get and its latency, what an idle
 * connection takes of memory and processor time, and exits with 1 when a get costs more than `--limit` times as much
 * (default 1.2) or an idle connection was closed.
 */
import { parseArgs } from 'node:util';
import { type LoadResult, medianOf, runLoad } from './load.ts';
import { cpuMs, residentMegabytes } from './process-usage.ts';
import { createRequests } from './requests.ts';
import { startSvc } from './servers.ts';
import { fill, oneWorkload, oneWorkloadOptions } from './workload.ts';

const { values } = parseArgs({
  options: {
    ...oneWorkloadOptions,
    idle: { type: 'string', default: '10000' },
    active: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '5' },
    limit: { type: 'string', default: '1.2' },
  },
});
const idle = Number(values.idle);
const workload = oneWorkload(values);
/** Connections that are opened at once: fewer than wait in the queue of a listening socket. */
const OPENED_AT_ONCE = 100;
const IDLE_MS = 3_000;
const SETTLE_MS = 500;

// The cost of a get is measured, not when an overloaded service rejects it.
await using server = await startSvc(1, '', { SVC_LIMITS_QUEUE_MS: '10000' });
await fill(server, 'durable', workload);
let closed = 0;

/** Opens a connection, has one request answered on it and leaves it open. */
async function openIdle(): Promise<Bun.Socket> {
  const answered = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: server.port,
    socket: {
      open: (opened) => void opened.write(`GET ${server.path}?cmd=version HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`),
      data: () => answered.resolve(),
      close: () => {
        closed++;
      },
    },
  });
  await answered.promise;
  return socket;
}

async function openAll(): Promise<Bun.Socket[]> {
  const sockets: Bun.Socket[] = [];
  while (sockets.length < idle) {
    const count = Math.min(OPENED_AT_ONCE, idle - sockets.length);
    sockets.push(...(await Promise.all(Array.from({ length: count }, openIdle))));
  }
  return sockets;
}

const requests = createRequests(server.path, 'get', 'durable', workload);
const measure = (): Promise<LoadResult> =>
  runLoad(
    {
      ...{ kind: 'sockets', port: server.port, connections: Number(values.active), serverPid: server.pid },
      ...{ warmUpMs: 500, durationMs: 1_500 },
    },
    requests,
  );

await measure();
const alone: LoadResult[] = [];
const beside: LoadResult[] = [];
const megabytes: number[] = [];
const idleCpu: number[] = [];
let lost = 0;
for (let round = 0; round < Number(values.rounds); round++) {
  alone.push(await measure());
  const beforeMegabytes = residentMegabytes(server.pid);
  const sockets = await openAll();
  await Bun.sleep(SETTLE_MS);
  // Later connections use the memory of earlier ones, so only the first round shows what they take.
  megabytes.push(residentMegabytes(server.pid) - beforeMegabytes);
  const beforeMs = cpuMs(server.pid);
  await Bun.sleep(IDLE_MS);
  idleCpu.push((cpuMs(server.pid) - beforeMs) / IDLE_MS);
  closed = 0;
  beside.push(await measure());
  lost += closed;
  for (const socket of sockets) socket.terminate();
  await Bun.sleep(SETTLE_MS);
}
const shown = (results: readonly LoadResult[]): string => {
  const of = (value: (result: LoadResult) => number, digits: number) => medianOf(results.map(value)).toFixed(digits);
  return (
    `${of(({ perSecond }) => perSecond, 0)} gets/s, CPU ${of(({ cpuMicros }) => cpuMicros, 1)} us, ` +
    `p50 ${of(({ p50Ms }) => p50Ms, 1)} ms, p99 ${of(({ p99Ms }) => p99Ms, 1)} ms`
  );
};
const ratio = medianOf(beside.map((each, round) => each.cpuMicros / (alone[round]?.cpuMicros ?? Number.NaN)));
process.stdout.write(`${values.active} active connections alone: ${shown(alone)}\n`);
process.stdout.write(`beside ${idle} idle ones: ${shown(beside)}; ratio of CPU time ${ratio.toFixed(3)}\n`);
process.stdout.write(
  `${idle} idle connections: ${(megabytes[0] ?? Number.NaN).toFixed(1)} MB more resident memory, ` +
    `${(100 * medianOf(idleCpu)).toFixed(1)} % of a core, ${lost} closed by the service\n`,
);
process.exitCode = ratio > Number(values.limit) || lost > 0 ? 1 : 0;
