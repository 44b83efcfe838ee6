/** etcd's HTTP gateway: JSON with keys and values in base64. */
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

/** etcd accepts 128 writes in a transaction by default. */
const FILL_BATCH = 100;
const QUOTA_BYTES = 8 * 1024 ** 3;

const base64 = (text: string | number): string => Buffer.from(String(text)).toString('base64');
const put = (key: number, value: string) => ({ requestPut: { key: base64(key), value: base64(value) } });

function post(path: string, body: unknown, success: string): BenchRequest {
  return { method: 'POST', path, body: JSON.stringify(body), contentType: 'application/json', success };
}

/** Returns the request of a step. */
export function etcdRequest(step: Step): BenchRequest {
  switch (step.kind) {
    case 'read':
      return post('/v3/kv/range', { key: base64(step.key) }, '"kvs":[');
    case 'update':
      return post('/v3/kv/put', { key: base64(step.key), value: base64(step.value) }, '"revision":"');
    case 'readMany': {
      const success = step.keys.map((key) => ({ requestRange: { key: base64(key) } }));
      return post('/v3/kv/txn', { success }, '"succeeded":true');
    }
    case 'writeMany':
      return post('/v3/kv/txn', { success: step.entries.map(([key, value]) => put(key, value)) }, '"succeeded":true');
    case 'increment':
    case 'join':
      throw new Error(`etcd has no step ${step.kind}.`);
  }
}

export async function startEtcd({ durability }: StartOptions): Promise<MeasuredSystem | Missing> {
  const program = programPath('etcd');
  if (program === undefined) return { missing: 'install the Debian package etcd-server' };
  const version = /Version: (\S+)/.exec(await outputOf([program, '--version']))?.[1] ?? '';
  const [port, peerPort] = [freePort(), freePort()];
  const processes = new Processes();
  const [url, peerUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  let compacted = '';
  const isSynced = durability === 'synced';
  try {
    const pid = processes.start([
      program,
      ...['--data-dir', join(processes.folder, 'data')],
      ...['--listen-client-urls', url, '--advertise-client-urls', url],
      ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
      ...['--initial-cluster', `default=${peerUrl}`, '--log-level', 'error'],
      ...['--quota-backend-bytes', String(QUOTA_BYTES)],
      ...(isSynced ? [] : ['--unsafe-no-fsync']),
    ]);
    await processes.until(() => send(port, '/v3/kv/put', { key: base64('ready'), value: base64('yes') }));
    return {
      name: 'etcd',
      title: `etcd ${version}`,
      setting: isSynced ? 'as by default; one member' : '`--unsafe-no-fsync`; one member',
      port,
      pids: [pid],
      steps: new Set<Step['kind']>(['read', 'update', 'readMany', 'writeMany']),
      fill: (workload) =>
        inBatches(workload.entries, FILL_BATCH, (keys) =>
          send(port, '/v3/kv/txn', { success: keys.map((key) => put(key, valueText(key, workload))) }),
        ),
      async fillTables() {},
      request: etcdRequest,
      /** Every update leaves a version of its key until compaction. */
      async tidy() {
        const answer = JSON.parse(await send(port, '/v3/kv/range', { key: base64('ready') })) as {
          header: { revision: string };
        };
        const { revision } = answer.header;
        if (revision === compacted) return;
        await send(port, '/v3/kv/compaction', { revision, physical: true });
        compacted = revision;
      },
      [Symbol.asyncDispose]: () => processes[Symbol.asyncDispose](),
    };
  } catch (error) {
    await processes[Symbol.asyncDispose]();
    throw error;
  }
}
