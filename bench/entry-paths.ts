/**
 * `npm run bench:paths [-- --entries 1000000 --searches 3000 --pairs 5]`: searches by an indexed path into objects that
 * no one declared compared with searches by a declared and indexed column with the same values, and a scan with one
 * path compared with reading all objects by `qryscanexe`. It compares the CPU time of the service and its processes,
 * alternately. Exits with 1 when a search by a path takes more than 1.5 times that by a column, or a scan more than a
 * fifth of reading all.
 */
import { parseArgs } from 'node:util';
import { medianOf } from './load.ts';
import { cpuMs, threadsCpuMs } from './process-usage.ts';
import { type MeasuredServer, startSvc } from './servers.ts';

const { values } = parseArgs({
  options: {
    entries: { type: 'string', default: '1000000' },
    searches: { type: 'string', default: '3000' },
    pairs: { type: 'string', default: '5' },
  },
});
const entries = Number(values.entries);
const searches = Number(values.searches);
const pairs = Number(values.pairs);
const MOST_OF_COLUMN = 1.5;
const LEAST_OF_READING = 5;
/** Number of entries per import. */
const PART = 50_000;
/** Number of distinct values of the searched field. */
const YEARS = 50_000;
const CITIES = ['Oslo', 'Turku', 'Lyon', 'Porto', 'Graz'];
const PATH = "JSON_VALUE(_val, '$.born' RETURNING INT)";
const SCANNED = "JSON_VALUE(_val, '$.home.city')";

interface Answer {
  readonly error: string | null;
  readonly response: { readonly items?: readonly unknown[]; readonly queryId?: number; readonly last?: boolean };
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function send(server: MeasuredServer, params: Readonly<Record<string, string>>, body?: string): Promise<Answer> {
  const url = `http://127.0.0.1:${server.port}${server.path}?${new URLSearchParams(params)}`;
  const init = { method: 'POST', headers: { 'Content-Type': 'application/x-ndjson' }, body: body ?? '' };
  const answer = (await (await fetch(url, body === undefined ? {} : init)).json()) as Answer;
  if (answer.error !== null) throw new Error(answer.error);
  return answer;
}

const sql = (server: MeasuredServer, qry: string, more: Readonly<Record<string, string>> = {}) =>
  send(server, { cmd: 'qryfldexe', pageSize: '100', qry, ...more });

function objectOf(id: number): string {
  const born = (id * 7_919) % YEARS;
  const home = `{"city":"${CITIES[id % 5]}","zip":"${10_000 + (id % 900)}"}`;
  return `{"name":"person ${id}","born":${born},"home":${home},"tags":["a","b",${id % 9}]}`;
}

async function fill(server: MeasuredServer): Promise<void> {
  await send(server, { cmd: 'getorcreate', cacheName: 'people' });
  await sql(server, 'CREATE TABLE Person (id INT PRIMARY KEY, born INT, data VARCHAR) WITH "CACHE_NAME=persons"');
  for (let from = 0; from < entries; from += PART) {
    const ids = Array.from({ length: Math.min(PART, entries - from) }, (_, at) => from + at);
    const objects = ids.map((id) => `{"key":${id},"value":${objectOf(id)}}`).join('\n');
    await send(server, { cmd: 'import', cacheName: 'people', keyType: 'int', valueType: 'Person' }, objects);
    const rows = ids.map((id) => `{"id":${id},"born":${(id * 7_919) % YEARS},"data":${JSON.stringify(objectOf(id))}}`);
    await send(server, { cmd: 'import', table: 'Person' }, rows.join('\n'));
  }
}

/**
 * Returns the CPU time of the service while an action runs, in ms. Statement processes may end during an action that
 * reads everything; their time is counted in ticks of 10 ms.
 */
async function cpuOf(server: MeasuredServer, action: () => Promise<unknown>, timeOf = cpuMs): Promise<number> {
  const before = timeOf(server.pid);
  await action();
  return timeOf(server.pid) - before;
}

async function search(server: MeasuredServer, qry: string): Promise<void> {
  for (let at = 0; at < searches; at++) await sql(server, qry, { arg1: String((at * 31) % YEARS) });
}

async function readAll(server: MeasuredServer): Promise<void> {
  let { response } = await send(server, { cmd: 'qryscanexe', cacheName: 'people', pageSize: '1000' });
  let read = response.items?.length ?? 0;
  while (response.last !== true) {
    ({ response } = await send(server, { cmd: 'qryfetch', qryId: String(response.queryId), pageSize: '1000' }));
    read += response.items?.length ?? 0;
  }
  if (read !== entries) throw new Error(`read ${read} of ${entries} entries`);
}

/** Compares two actions alternately. Returns the median of the ratios of their CPU times. */
async function compare(
  server: MeasuredServer,
  rounds: number,
  count: number,
  [one, other]: readonly [Named, Named],
): Promise<number> {
  const ratios: number[] = [];
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const first = await cpuOf(server, one.run, one.timeOf);
    const second = await cpuOf(server, other.run, other.timeOf);
    times[0].push(first);
    times[1].push(second);
    ratios.push(first / second);
  }
  const shown = (list: readonly number[]): string => `${((medianOf(list) * 1_000) / count).toFixed(2)} us`;
  const ratio = medianOf(ratios);
  say(`${one.name}: ${shown(times[0])}; ${other.name}: ${shown(times[1])}; median ratio ${ratio.toFixed(3)}`);
  return ratio;
}

interface Named {
  readonly name: string;
  readonly timeOf?: typeof cpuMs;
  readonly run: () => Promise<void>;
}

await using server = await startSvc(1);
say(`${entries} objects`);
await fill(server);
const indexMs = await cpuOf(server, () => sql(server, `CREATE INDEX born ON "people".ENTRIES (${PATH})`));
say(`CREATE INDEX on a path: ${((indexMs * 1_000) / entries).toFixed(2)} us of CPU time for an entry`);
await sql(server, 'CREATE INDEX person_born ON Person (born)');
const byPath = { name: 'search by a path', qry: `SELECT _key FROM "people".ENTRIES WHERE ${PATH} = ?` };
const byColumn = { name: 'search by a column', qry: 'SELECT id FROM Person WHERE born = ?' };
const named = ({ name, qry }: typeof byPath): Named => ({
  name,
  timeOf: threadsCpuMs,
  run: () => search(server, qry),
});
for (const each of [byPath, byColumn]) await search(server, each.qry);
const ofColumn = await compare(server, pairs, searches, [named(byPath), named(byColumn)]);
const range = (column: string, table: string) => `SELECT COUNT(*) FROM ${table} WHERE ${column} BETWEEN ? AND 49000`;
const pathRange = { name: 'count of a range by a path', qry: range(PATH, '"people".ENTRIES') };
const columnRange = { name: 'count of a range by a column', qry: range('born', 'Person') };
const counting = ({ name, qry }: typeof byPath): Named => ({
  name,
  timeOf: threadsCpuMs,
  run: async () => {
    for (let at = 0; at < 10; at++) await sql(server, qry, { arg1: String(40_000 + at) });
  },
});
const ofRange = await compare(server, pairs, 10, [counting(pathRange), counting(columnRange)]);
const scan: Named = {
  name: 'scan with one path',
  run: async () => {
    const { response } = await sql(server, `SELECT COUNT(*) FROM "people".ENTRIES WHERE ${SCANNED} = 'Oslo'`);
    if (JSON.stringify(response.items) !== `[[${Math.ceil(entries / 5)}]]`) throw new Error('wrong count');
  },
};
const reading: Named = { name: 'reading all by qryscanexe', run: () => readAll(server) };
const ofReading = 1 / (await compare(server, Math.min(pairs, 3), entries, [scan, reading]));
say(`a scan is ${ofReading.toFixed(2)} times as fast as reading all`);
if (Math.max(ofColumn, ofRange) > MOST_OF_COLUMN || ofReading < LEAST_OF_READING) process.exitCode = 1;
