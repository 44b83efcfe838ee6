/**
 * `npm run bench:import [-- --entries 100000 --pairs 6 --phase 1500 --connections 4]`: rows per second of imports into
 * a table over HTTP, through `svc import` and atomically, and of exports; with the service's CPU time for each row,
 * which other work on the machine affects less. Then it measures the puts of other clients while an import runs and
 * while none does, in short turns. Exits with 1 when an import over HTTP stores less than 100,000 rows a second, or
 * when the 99th percentile of the puts is more than twice as long as without an import.
 */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { medianOf } from './load.ts';
import { cpuMs } from './process-usage.ts';
import { measurePuts, PutClients, type PutPhase, shownPuts } from './put-clients.ts';
import { type MeasuredServer, startSvc } from './servers.ts';
import { fill, oneWorkload, oneWorkloadOptions, shownWorkload, valueText } from './workload.ts';

const { values } = parseArgs({
  options: {
    ...oneWorkloadOptions,
    pairs: { type: 'string', default: '6' },
    phase: { type: 'string', default: '1500' },
    connections: { type: 'string', default: '4' },
  },
});
const workload = oneWorkload(values);
const rows = workload.entries;
const MAX_LATENCY = 2;
const LEAST_PER_SECOND = 100_000;
const CLI = join(import.meta.dir, '../src/main.ts');
const COLUMNS = 'id BIGINT PRIMARY KEY, name VARCHAR, age INT, city VARCHAR, amount DECIMAL(12, 2)';
const CITIES = ['Oslo', 'Turku', 'Lyon', 'Porto', 'Graz'];

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Writes the rows as CSV, or as NDJSON. */
function writeRows(file: string, isCsv: boolean): void {
  const lines = isCsv ? ['id,name,age,city,amount'] : [];
  for (let id = 0; id < rows; id++) {
    const [name, age, city, amount] = [
      valueText(id, workload),
      id % 90,
      CITIES[id % 5],
      `${id % 1_000}.${10 + (id % 90)}`,
    ];
    lines.push(
      isCsv
        ? `${id},"${name}",${age},${city},${amount}`
        : `{"id":${id},"name":"${name}","age":${age},"city":"${city}","amount":${amount}}`,
    );
  }
  writeFileSync(file, `${lines.join('\n')}\n`);
}

async function send(server: MeasuredServer, query: string, init?: RequestInit): Promise<unknown> {
  const answer = await fetch(`http://127.0.0.1:${server.port}${server.path}?${query}`, init);
  const { error, response } = (await answer.json()) as { error: string | null; response: unknown };
  if (error !== null) throw new Error(error);
  return response;
}

function sql(server: MeasuredServer, qry: string): Promise<unknown> {
  return send(server, new URLSearchParams({ cmd: 'qryfldexe', pageSize: '1', qry }).toString());
}

function upload(server: MeasuredServer, file: string, parameters: string, signal?: AbortSignal): Promise<unknown> {
  const type = file.endsWith('.csv') ? 'text/csv' : 'application/x-ndjson';
  const init = { method: 'POST', headers: { 'Content-Type': type }, body: Bun.file(file), ...(signal && { signal }) };
  return send(server, `cmd=import&${parameters}`, init);
}

async function svcImport(server: MeasuredServer, file: string, table: string): Promise<void> {
  const url = `http://127.0.0.1:${server.port}${server.path}`;
  const command = [process.execPath, CLI, 'import', file, '--table', table, '--url', url];
  const child = Bun.spawn(command, { stdout: 'ignore', stderr: 'inherit' });
  if ((await child.exited) !== 0) throw new Error('svc import failed');
}

async function download(server: MeasuredServer, parameters: string): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${server.port}${server.path}?cmd=export&${parameters}`);
  for await (const _ of answer.body ?? []);
}

/** Runs an action on a new table and prints its cost per row. Returns the rows per second. */
async function measure(
  server: MeasuredServer,
  title: string,
  action: (table: string) => Promise<unknown>,
): Promise<number> {
  const table = `T${++tables}`;
  await sql(server, `CREATE TABLE ${table}(${COLUMNS})`);
  const [startMs, startCpuMs] = [performance.now(), cpuMs(server.pid)];
  await action(table);
  const perSecond = rows / ((performance.now() - startMs) / 1000);
  const cpuMicros = ((cpuMs(server.pid) - startCpuMs) * 1000) / rows;
  say(
    `${title.padEnd(30)} ${perSecond.toFixed(0).padStart(9)} rows/s ${cpuMicros.toFixed(2).padStart(7)} µs CPU a row`,
  );
  return perSecond;
}

/** Imports until the returned function is called, which returns the number of complete imports. */
function repeatImports(server: MeasuredServer, file: string): () => Promise<number> {
  const leaving = new AbortController();
  let imports = 0;
  const done = (async () => {
    for (; !leaving.signal.aborted; imports++) {
      await upload(server, file, 'table=Repeated&onDuplicate=replace', leaving.signal);
    }
  })().catch((error: unknown) => {
    if (!leaving.signal.aborted) throw error;
  });
  return async () => {
    leaving.abort();
    await done;
    return imports;
  };
}

let tables = 0;
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-import-'));
const [csv, ndjson] = [join(folder, 'rows.csv'), join(folder, 'rows.ndjson')];
const pairs: Array<{ readonly idle: PutPhase; readonly busy: PutPhase }> = [];
let perSecond = 0;
try {
  writeRows(csv, true);
  writeRows(ndjson, false);
  const megabytes = (file: string) => `${(statSync(file).size / 1e6).toFixed(1)} MB`;
  say(`${shownWorkload(workload)}; CSV ${megabytes(csv)}, NDJSON ${megabytes(ndjson)}`);
  await using server = await startSvc(1);
  await measure(server, '(first import, not counted)', (table) => upload(server, csv, `table=${table}`));
  perSecond = await measure(server, 'CSV over HTTP', (table) => upload(server, csv, `table=${table}`));
  await measure(server, 'NDJSON over HTTP', (table) => upload(server, ndjson, `table=${table}`));
  await measure(server, 'CSV, atomic', (table) => upload(server, csv, `table=${table}&atomic=true`));
  await measure(server, 'CSV, svc import', (table) => svcImport(server, csv, table));
  await measure(server, 'export as CSV', () => download(server, 'table=T1&format=csv'));
  await measure(server, 'export as NDJSON', () => download(server, 'table=T1&format=ndjson'));
  await sql(server, `CREATE TABLE Repeated(${COLUMNS})`);
  await fill(server, 'durable', workload);
  const puts = new PutClients(workload);
  await puts.start(server, Number(values.connections));
  await measurePuts(puts, Number(values.phase));
  for (let pair = 0; pair < Number(values.pairs); pair++) {
    const idle = await measurePuts(puts, Number(values.phase));
    const stop = repeatImports(server, csv);
    const busy = await measurePuts(puts, Number(values.phase));
    await stop();
    pairs.push({ idle, busy });
  }
  puts.stop();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const [idle, busy] = [pairs.map((pair) => pair.idle), pairs.map((pair) => pair.busy)];
const p99 = medianOf(pairs.map((pair) => pair.busy.p99Ms / pair.idle.p99Ms));
say(shownPuts('puts without an import:', idle));
say(shownPuts('puts with an import:   ', busy));
say(`median of the ratios of ${pairs.length} pairs: p99 ${p99.toFixed(2)}`);
process.exit(p99 > MAX_LATENCY || perSecond < LEAST_PER_SECOND ? 1 : 0);
