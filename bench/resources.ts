/**
 * `npm run bench:resources [-- --pairs N --operations get,put,...]`: measures requests for entries and rows beside the
 * commands that they are translated to, in pairs on one service. Both have the same statement and arguments, and the
 * commands return lines of JSON objects, or CSV where the resource does. Changes have the same values, as JSON and as a
 * form. Exits with 1 when a median ratio of the CPU time per request is above the demand.
 *
 * `page` is a page that others follow, so that its answer has a cursor, and `rows` one that none follows. `created` and
 * `inserted` store entries and rows that are new and remove them again, one request each.
 */
import { parseArgs } from 'node:util';
import { type LoadResult, medianOf, runLoad } from './load.ts';
import type { BenchRequest } from './requests.ts';
import { startSvc } from './servers.ts';
import { createTable, run } from './sql-subjects.ts';
import { fill, keysOf, oneWorkload, oneWorkloadOptions, shownWorkload, valueText } from './workload.ts';

const CONNECTIONS = 64;
const DEMAND = 1.1;
const REQUESTS = 20_000;
/** Rows of the ranges that are read. */
const ROWS = 20;
/** Keys that are stored and removed, one after the other. */
const NEW_KEYS = REQUESTS / 2;
/** Stored keys among them: a key is removed when so many others have been stored after it, more than are in flight. */
const STORED_KEYS = 1_000;
const NDJSON = 'application/x-ndjson';

const ALL = 'get,put,created,row,rows,page,ndjson,csv,patch,inserted';
const { values } = parseArgs({
  options: {
    ...oneWorkloadOptions,
    // With fewer, the median of a busy machine moves by 3 %.
    pairs: { type: 'string', default: '24' },
    operations: { type: 'string', default: ALL },
  },
});
const workload = oneWorkload(values);

await using server = await startSvc(1, '', {});
await fill(server, 'durable', workload);
await createTable(server, workload);

const { path } = server;
const key = keysOf(workload);

type Pair = readonly [resource: BenchRequest, command: BenchRequest];

/** An argument of a statement: an INT, or a VARCHAR. */
type Argument = number | string;

function get(target: string, accept?: string): BenchRequest {
  return { method: 'GET', path: target, body: '', ...(accept !== undefined && { accept }) };
}

function json(method: 'PUT' | 'POST' | 'PATCH', target: string, value: unknown): BenchRequest {
  return { method, path: `${path}/${target}`, body: JSON.stringify(value), contentType: 'application/json' };
}

function form(params: URLSearchParams | Readonly<Record<string, string>>): BenchRequest {
  return { method: 'POST', path, body: String(new URLSearchParams(params)) };
}

function remove(target: string): BenchRequest {
  return { method: 'DELETE', path: `${path}/${target}`, body: '' };
}

function statement(qry: string, pageSize: number, args: readonly Argument[]): URLSearchParams {
  const params = new URLSearchParams({ cmd: 'qryfldexe', pageSize: String(pageSize), qry });
  for (const [at, arg] of args.entries()) {
    params.set(`arg${at + 1}`, String(arg));
    params.set(`arg${at + 1}Type`, typeof arg === 'number' ? 'int' : 'string');
  }
  return params;
}

function query(qry: string, pageSize: number, args: readonly Argument[], accept: string): BenchRequest {
  return get(`${path}?${statement(qry, pageSize, args)}`, accept);
}

const TABLE = '"PUBLIC"."MEASURED"';
const COLUMNS = ['ID', 'NAME', 'CODE', 'KIND', 'AMOUNT'] as const;
const NAMES = COLUMNS.map((name) => `"${name}"`).join(', ');
const FROM = `SELECT ${NAMES} FROM ${TABLE} WHERE`;

/** The rows of a range, which fit on a page. `accept` undefined: the resource returns an array. */
function range(accept?: string): Pair {
  const from = key();
  const sql = `${FROM} "CODE" >= ? AND "CODE" < ? ORDER BY "ID" LIMIT ${ROWS + 1}`;
  const filter = `code=gte.${from}&code=lt.${from + ROWS}&limit=${ROWS}`;
  return [
    get(`${path}/tables/Measured/rows?${filter}`, accept),
    query(sql, ROWS + 2, [from, from + ROWS], accept ?? NDJSON),
  ];
}

/** Returns which of the new keys is stored or removed by a request, by its place in the list. */
function newKeyOf(at: number): { readonly stores: boolean; readonly key: number } {
  const stores = at % 2 === 0;
  const place = Math.floor(at / 2);
  return { stores, key: stores ? place : (place + NEW_KEYS - STORED_KEYS) % NEW_KEYS };
}

interface Subject {
  /** Returns the request for a resource and the command that it is translated to; `at` is their place in the lists. */
  pair(at: number): Pair;
  /** Restores what the requests expect to be stored. */
  prepare?(): Promise<void>;
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
      const next = String(key());
      const val = valueText(Number(next) + 1, workload);
      const command = { cmd: 'put', cacheName: 'durable', key: next, val, created: 'true' };
      return [json('PUT', `caches/durable/entries/${next}`, val), form(command)];
    },
  },
  created: {
    pair(at) {
      const { stores, key } = newKeyOf(at);
      const target = `caches/created/entries/${key}`;
      const entry = { cacheName: 'created', key: String(key) };
      if (!stores) return [remove(target), form({ cmd: 'rmv', ...entry })];
      const val = valueText(key, workload);
      return [json('POST', target, val), form({ cmd: 'putifabs', ...entry, val })];
    },
    async prepare() {
      for (const cmd of ['getorcreate', 'clear']) {
        const answer = await fetch(`http://127.0.0.1:${server.port}${path}?cmd=${cmd}&cacheName=created`);
        if (!(await answer.text()).includes('"error":null')) throw new Error(`${cmd} failed`);
      }
      await fill(server, 'created', { ...workload, entries: NEW_KEYS }, NEW_KEYS - STORED_KEYS);
    },
  },
  row: {
    pair() {
      const next = key();
      return [get(`${path}/tables/Measured/rows/${next}`), query(`${FROM} "ID" = ?`, 2, [next], NDJSON)];
    },
  },
  rows: { pair: () => range() },
  page: {
    pair() {
      const from = key();
      const sql = `${FROM} "ID" >= ? ORDER BY "ID" LIMIT ${ROWS + 1}`;
      const resource = get(`${path}/tables/Measured/rows?id=gte.${from}&limit=${ROWS}`);
      return [resource, query(sql, ROWS + 2, [from], NDJSON)];
    },
  },
  ndjson: { pair: () => range(NDJSON) },
  csv: { pair: () => range('text/csv') },
  patch: {
    pair() {
      const [next, amount] = [key(), key()];
      const sql = `UPDATE ${TABLE} SET "AMOUNT" = ? WHERE "ID" = ?`;
      return [
        json('PATCH', `tables/Measured/rows/${next}`, { AMOUNT: amount }),
        form(statement(sql, 1, [amount, next])),
      ];
    },
  },
  inserted: {
    pair(at) {
      const { stores, key } = newKeyOf(at);
      const id = workload.entries + key;
      if (!stores) {
        const sql = `DELETE FROM ${TABLE} WHERE "ID" = ?`;
        return [remove(`tables/Measured/rows/${id}`), form(statement(sql, 1, [id]))];
      }
      const args = [id, valueText(id, workload), id, 1, 2];
      const row = Object.fromEntries(COLUMNS.map((name, index) => [name, args[index]]));
      const sql = `INSERT INTO ${TABLE} (${NAMES}) VALUES (?, ?, ?, ?, ?)`;
      return [json('POST', 'tables/Measured/rows', row), form(statement(sql, 1, args))];
    },
    async prepare() {
      const end = workload.entries + NEW_KEYS;
      await run(server, `DELETE FROM ${TABLE} WHERE "ID" >= ${workload.entries}`);
      const source = `SYSTEM_RANGE(${end - STORED_KEYS}, ${end - 1})`;
      await run(server, `INSERT INTO ${TABLE} (${NAMES}) SELECT x, 'new', x, 1, 2 FROM ${source}`);
    },
  },
};

const plan = {
  kind: 'sockets',
  port: server.port,
  serverPid: server.pid,
  connections: CONNECTIONS,
  success: 'HTTP/1.1 20',
  warmUpMs: 300,
  durationMs: 1_200,
} as const;

async function measure(subject: Subject, requests: BenchRequest[]): Promise<number> {
  await subject.prepare?.();
  const { cpuMicros }: LoadResult = await runLoad(plan, requests);
  return cpuMicros;
}

process.stdout.write(`${shownWorkload(workload)}\n`);
for (const name of values.operations.split(',')) {
  const subject = SUBJECTS[name];
  if (subject === undefined) throw new Error(`--operations are some of ${Object.keys(SUBJECTS).join(', ')}`);
  const pairs = Array.from({ length: REQUESTS }, (_, at) => subject.pair(at));
  const resources = pairs.map(([resource]) => resource);
  const commands = pairs.map(([, command]) => command);
  for (const requests of [resources, commands]) await measure(subject, requests);
  const samples: Array<readonly [number, number]> = [];
  for (let pair = 0; pair < Number(values.pairs); pair++) {
    // The order alternates, so that a drift of the machine's speed favours neither.
    const isFirst = pair % 2 === 0;
    const first = await measure(subject, isFirst ? resources : commands);
    const second = await measure(subject, isFirst ? commands : resources);
    samples.push(isFirst ? [first, second] : [second, first]);
  }
  const ratio = medianOf(samples.map(([resource, command]) => resource / command));
  if (ratio > DEMAND) process.exitCode = 1;
  const shown = [0, 1].map((side) => medianOf(samples.map((each) => each[side] ?? 0)).toFixed(1)).join(' beside ');
  process.stdout.write(`${name}: ${shown} µs CPU per request, ratio ${ratio.toFixed(3)} (at most ${DEMAND})\n`);
}
