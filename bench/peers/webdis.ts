/** Webdis in front of Redis: commands over HTTP. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchRequest } from '../requests.ts';
import { freePort } from '../servers.ts';
import { valueText } from '../workload.ts';
import type { Step } from './operations.ts';
import {
  inBatches,
  type MeasuredSystem,
  type Missing,
  outputOf,
  Processes,
  programPath,
  type StartOptions,
  send,
} from './system.ts';

const FILL_BATCH = 500;
const MOST_REQUEST_BYTES = 128 * 1024 * 1024;

/** Returns the request of a step. */
export function webdisRequest(step: Step): BenchRequest {
  const get = (parts: readonly (string | number)[], success: string): BenchRequest => ({
    method: 'GET',
    path: `/${parts.join('/')}`,
    body: '',
    success,
  });
  const post = (parts: readonly (string | number)[], success: string): BenchRequest => ({
    method: 'POST',
    path: '/',
    body: parts.join('/'),
    success,
  });
  switch (step.kind) {
    case 'read':
      return get(['GET', step.key], '{"GET":"');
    case 'update':
      return get(['SET', step.key, step.value], '{"SET":[true,"OK"]}');
    case 'increment':
      return get(['INCRBY', `counter${step.counter}`, 1], '{"INCRBY":');
    case 'readMany':
      return post(['MGET', ...step.keys], '{"MGET":["');
    case 'writeMany':
      return post(['MSET', ...step.entries.flat()], '{"MSET":[true,"OK"]}');
    case 'join':
      throw new Error('Redis has no SQL.');
  }
}

export async function startWebdis({ durability, threads }: StartOptions): Promise<MeasuredSystem | Missing> {
  const [redis, webdis] = [programPath('redis-server'), programPath('webdis')];
  if (redis === undefined || webdis === undefined)
    return { missing: 'install the Debian packages redis-server and webdis' };
  const version = /v=(\S+)/.exec(await outputOf([redis, '--version']))?.[1] ?? '';
  const [redisPort, port] = [freePort(), freePort()];
  const processes = new Processes();
  const isSynced = durability === 'synced';
  try {
    const synced = isSynced ? ['--appendonly', 'yes', '--appendfsync', 'always'] : [];
    const redisPid = processes.start([
      redis,
      '--port',
      String(redisPort),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      ...synced,
    ]);
    await processes.until(async () =>
      (await Bun.connect({ hostname: '127.0.0.1', port: redisPort, socket: { data() {} } })).end(),
    );
    const file = join(processes.folder, 'webdis.json');
    const configuration = {
      redis_host: '127.0.0.1',
      redis_port: redisPort,
      http_host: '127.0.0.1',
      http_port: port,
      threads,
      http_max_request_size: MOST_REQUEST_BYTES,
      pool_size: 8,
      daemonize: false,
      websockets: false,
      database: 0,
      verbosity: 0,
      logfile: join(processes.folder, 'webdis.log'),
    };
    writeFileSync(file, JSON.stringify(configuration));
    const webdisPid = processes.start([webdis, file]);
    await processes.until(() => send(port, '/PING'));
    const setting = isSynced ? '`appendfsync always`' : 'in memory, without a log';
    return {
      name: 'webdis',
      title: `Webdis with Redis ${version}`,
      setting: `${setting}; ${threads} threads of Webdis`,
      port,
      pids: [webdisPid, redisPid],
      steps: new Set<Step['kind']>(['read', 'update', 'increment', 'readMany', 'writeMany']),
      fill: (workload) =>
        inBatches(workload.entries, FILL_BATCH, (keys) =>
          send(port, '/', ['MSET', ...keys.flatMap((key) => [key, valueText(key, workload)])].join('/')),
        ),
      async fillTables() {},
      request: webdisRequest,
      [Symbol.asyncDispose]: () => processes[Symbol.asyncDispose](),
    };
  } catch (error) {
    await processes[Symbol.asyncDispose]();
    throw error;
  }
}
