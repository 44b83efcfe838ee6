/** svc and Apache Ignite, which have the same HTTP interface. */
import { availableParallelism } from 'node:os';
import { startIgnite } from '../ignite-server.ts';
import type { BenchRequest } from '../requests.ts';
import { type MeasuredServer, startSvc } from '../servers.ts';
import { createKinds, createTable, dropTable, joinRequest } from '../sql-subjects.ts';
import { fill } from '../workload.ts';
import { COUNTERS, type Step } from './operations.ts';
import { type MeasuredSystem, type Missing, type StartOptions, send } from './system.ts';

const KINDS_OF_STEPS = ['read', 'update', 'increment', 'readMany', 'writeMany', 'join'] as const;

/** Returns the request of a step. */
export function gridRequest(server: Pick<MeasuredServer, 'path'>, cache: string, step: Step): BenchRequest {
  const get = (query: string, success: string): BenchRequest => ({
    method: 'GET',
    path: `${server.path}?${query}`,
    body: '',
    success,
  });
  const post = (cmd: string, pairs: readonly string[], success: string): BenchRequest => ({
    method: 'POST',
    path: `${server.path}?cmd=${cmd}&cacheName=${cache}`,
    body: pairs.join('&'),
    success,
  });
  switch (step.kind) {
    case 'read':
      return get(`cmd=get&cacheName=${cache}&key=${step.key}`, `"response":"`);
    case 'update':
      return get(`cmd=put&cacheName=${cache}&key=${step.key}&val=${step.value}`, '"response":true');
    case 'increment':
      return get(`cmd=incr&cacheName=${cache}&key=counter${step.counter}&delta=1`, '"successStatus":0');
    case 'readMany':
      return post(
        'getall',
        step.keys.map((key, at) => `k${at + 1}=${key}`),
        '"response":{"',
      );
    case 'writeMany': {
      const pairs = step.entries.map(([key, value], at) => `k${at + 1}=${key}&v${at + 1}=${value}`);
      return post('putall', pairs, '"response":true');
    }
    case 'join':
      return { ...joinRequest(server, step.from), success: '"items":[[' };
  }
}

function systemOf(
  server: MeasuredServer,
  own: Pick<MeasuredSystem, 'name' | 'title' | 'setting'>,
  cache: string,
): MeasuredSystem {
  return {
    ...own,
    port: server.port,
    pids: [server.pid],
    steps: new Set(KINDS_OF_STEPS),
    async fill(workload) {
      await fill(server, cache, workload);
      for (let counter = 0; counter < COUNTERS; counter++) {
        await send(server.port, gridRequest(server, cache, { kind: 'increment', counter }).path);
      }
    },
    async fillTables(workload) {
      await createKinds(server);
      await dropTable(server);
      await createTable(server, workload);
    },
    request: (step) => gridRequest(server, cache, step),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

export async function startOwn({ durability, threads }: StartOptions): Promise<MeasuredSystem> {
  const server = await startSvc(threads);
  const version = JSON.parse(await send(server.port, `${server.path}?cmd=version`)) as { response: unknown };
  const setting =
    durability === 'synced' ? 'as by default: fsync before the answer' : 'a region with `persistent: false`';
  const own = {
    name: 'svc',
    title: `svc ${version.response}`,
    setting: `${setting}; ${threads} HTTP threads`,
  } as const;
  return systemOf(server, own, durability === 'synced' ? 'durable' : 'memory');
}

export async function startNode({ durability }: StartOptions): Promise<MeasuredSystem | Missing> {
  const isSynced = durability === 'synced';
  const server = await startIgnite(isSynced ? { persistent: true, java: ['-Dnode.walMode=FSYNC'] } : {});
  if ('missing' in server) return server;
  const version = JSON.parse(await send(server.port, `${server.path}?cmd=version`)) as { response: unknown };
  const setting = isSynced ? 'persistence with `walMode=FSYNC`' : 'in memory, as by default';
  const own = { name: 'ignite', title: `Apache Ignite ${version.response}`, setting } as const;
  return systemOf(server, { ...own, setting: `${setting}; ${availableParallelism()} cores, 2 GiB of heap` }, 'durable');
}
