/**
 * `bun bench/scale.ts [--entries 1000000] [--rows N]`: fills a cache and a table, with as many rows as entries unless
 * `--rows` says otherwise, and prints how costs grow with their size: load rate, CPU time of get and point SELECT
 * against 1,000 entries and rows, `size`, CREATE INDEX, backup, time to start, and the longest wait of other requests
 * while the cache is destroyed. Exits with 1 if a get or a SELECT takes more than 1.5 times what it takes with 1,000,
 * or if another request waits for more than 0.2 s during the destruction.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runLoad } from './load.ts';
import type { BenchRequest } from './requests.ts';
import { type MeasuredServer, startSvc } from './servers.ts';
import { keysOf, oneWorkload, oneWorkloadOptions, shownWorkload, valueText } from './workload.ts';

const { values } = parseArgs({
  options: {
    ...oneWorkloadOptions,
    entries: { type: 'string', default: '1000000' },
    rows: { type: 'string' },
    duration: { type: 'string', default: '1500' },
  },
});
const workload = oneWorkload(values);
const { entries } = workload;
const rows = Number(values.rows ?? entries);
const FEW = 1_000;
const MOST_RATIO = 1.5;
const MOST_WAIT_MS = 200;
const LINES_PER_PART = 10_000;
const ROUNDS = 3;
const REQUESTS = 50_000;
const COLUMNS = 'id BIGINT PRIMARY KEY, name VARCHAR, code INT';

const dataDir = mkdtempSync(join(tmpdir(), 'svc-scale-'));
let isMissed = false;
try {
  await measureAll();
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
process.exitCode = isMissed ? 1 : 0;

function start(): Promise<MeasuredServer> {
  return startSvc(1, '', { SVC_DATA_DIR: dataDir });
}

function say(what: string, result: string): void {
  process.stdout.write(`| ${what} | ${result} |\n`);
}

async function send(server: MeasuredServer, query: string, init?: RequestInit): Promise<unknown> {
  const answer = await fetch(`http://127.0.0.1:${server.port}${server.path}?${query}`, { ...init, timeout: false });
  const { error, response } = (await answer.json()) as { error: string | null; response: unknown };
  if (error !== null) throw new Error(`${query}: ${error}`);
  return response;
}

function sql(server: MeasuredServer, qry: string): Promise<unknown> {
  return send(server, new URLSearchParams({ cmd: 'qryfldexe', pageSize: '1', qry }).toString());
}

/** Streams CSV, so that no file and no text holds all of it. */
function csv(count: number, header: string, lineOf: (number: number) => string): ReadableStream<Uint8Array> {
  let next = -1;
  return new ReadableStream({
    pull(controller) {
      if (next < 0) {
        controller.enqueue(Buffer.from(`${header}\n`));
        next = 0;
        return;
      }
      const lines: string[] = [];
      for (const end = Math.min(count, next + LINES_PER_PART); next < end; next++) lines.push(lineOf(next));
      if (lines.length === 0) controller.close();
      else controller.enqueue(Buffer.from(`${lines.join('\n')}\n`));
    },
  });
}

/** Imports rows and returns how many are stored in a second. */
async function load(server: MeasuredServer, target: string, body: ReadableStream<Uint8Array>): Promise<number> {
  const startMs = performance.now();
  await send(server, `cmd=import&${target}`, { method: 'POST', headers: { 'content-type': 'text/csv' }, body });
  return performance.now() - startMs;
}

async function fillBoth(
  server: MeasuredServer,
  suffix: string,
  [entryCount, rowCount]: readonly [number, number],
): Promise<readonly [number, number]> {
  await send(server, `cmd=getorcreate&cacheName=cache${suffix}`);
  const intoCache = csv(entryCount, 'key,value', (number) => `${number},${valueText(number, workload)}`);
  const cacheMs = await load(server, `cacheName=cache${suffix}`, intoCache);
  await sql(server, `CREATE TABLE t${suffix} (${COLUMNS})`);
  const intoTable = csv(
    rowCount,
    'id,name,code',
    (number) => `${number},${valueText(number, workload)},${(number * 7_919) % rowCount}`,
  );
  const tableMs = await load(server, `table=t${suffix}`, intoTable);
  return [cacheMs, tableMs];
}

function requestsOf(server: MeasuredServer, count: number, queryOf: (key: number) => string): BenchRequest[] {
  const key = keysOf(workload, count);
  return Array.from({ length: REQUESTS }, () => ({
    method: 'GET',
    path: `${server.path}?${queryOf(key())}`,
    body: '',
  }));
}

/** Measures the CPU time of a request with many and with few entries in turns, and prints the median ratio. */
async function compare(
  server: MeasuredServer,
  what: string,
  many: number,
  queryOf: (suffix: string, key: number) => string,
): Promise<void> {
  const measure = async (suffix: string, count: number): Promise<number> => {
    const durationMs = Number(values.duration);
    const plan = { kind: 'sockets', port: server.port, connections: 64, serverPid: server.pid } as const;
    const requests = requestsOf(server, count, (key) => queryOf(suffix, key));
    return (await runLoad({ ...plan, warmUpMs: 300, durationMs }, requests)).cpuMicros;
  };
  const results: Array<{ readonly ratio: number; readonly text: string }> = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [withFew, withMany] = [await measure('Few', FEW), await measure('Many', many)];
    results.push({ ratio: withMany / withFew, text: `${withFew.toFixed(1)} and ${withMany.toFixed(1)} µs` });
  }
  results.sort((left, right) => left.ratio - right.ratio);
  const { ratio, text } = results[results.length >> 1] ?? { ratio: Number.NaN, text: '' };
  isMissed ||= !(ratio <= MOST_RATIO);
  say(what, `${text}, ratio ${ratio.toFixed(2)} (at most ${MOST_RATIO})`);
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await action();
  return performance.now() - startMs;
}

/** Returns the longest time of other requests while the action runs and shortly after. */
async function longestWaitMs(server: MeasuredServer, action: () => Promise<unknown>): Promise<number> {
  let [isOver, longestMs] = [false, 0];
  const others = (async () => {
    for (let number = 0; !isOver; number++) {
      const query = number % 2 === 0 ? 'cmd=get&cacheName=cacheFew&key=1' : 'cmd=put&cacheName=cacheFew&key=1&val=1';
      longestMs = Math.max(longestMs, await timed(() => send(server, query)));
    }
  })();
  await action();
  await Bun.sleep(2_000);
  isOver = true;
  await others;
  return longestMs;
}

async function measureAll(): Promise<void> {
  process.stdout.write(`| ${shownWorkload(workload)}, ${rows} rows | result |\n|---|---|\n`);
  {
    await using server = await start();
    await fillBoth(server, 'Few', [FEW, FEW]);
    const [cacheMs, tableMs] = await fillBoth(server, 'Many', [entries, rows]);
    say('load of entries', `${Math.round((entries * 1_000) / cacheMs)} entries/s`);
    say('load of rows', `${Math.round((rows * 1_000) / tableMs)} rows/s`);
    const bytes = ['svc.db', 'svc.db-wal'].map((name) => statSync(join(dataDir, name)).size);
    say('data file and its log', `${bytes.map((each) => (each / 1e6).toFixed(0)).join(' and ')} MB`);
    await compare(server, 'get', entries, (suffix, key) => `cmd=get&cacheName=cache${suffix}&key=${key}`);
    await compare(server, 'point SELECT', rows, (suffix, key) => {
      const qry = encodeURIComponent(`SELECT name FROM t${suffix} WHERE id = ?`);
      return `cmd=qryfldexe&pageSize=1&qry=${qry}&arg1=${key}&arg1Type=long`;
    });
    say('size', `${(await timed(() => send(server, 'cmd=size&cacheName=cacheMany'))).toFixed(1)} ms`);
    const indexMs = await timed(() => sql(server, 'CREATE INDEX codes ON tMany (code)'));
    say('CREATE INDEX', `${(indexMs / 1_000).toFixed(2)} s`);
    const backupMs = await timed(async () => {
      const answer = await fetch(`http://127.0.0.1:${server.port}${server.path}?cmd=backup&stream=true`, {
        timeout: false,
      });
      if (!answer.ok) throw new Error('the backup failed');
      for await (const _part of answer.body ?? []);
    });
    say('backup', `${(backupMs / 1_000).toFixed(2)} s`);
  }
  await using server = await start();
  say('start, to the first answer', `${server.firstAnswerMs.toFixed(0)} ms`);
  const idleMs = await longestWaitMs(server, () => Bun.sleep(1_000));
  const destroyMs: number[] = [];
  const waitMs = await longestWaitMs(server, async () => {
    destroyMs.push(await timed(() => send(server, 'cmd=destcache&cacheName=cacheMany')));
  });
  isMissed ||= waitMs > MOST_WAIT_MS;
  say('destcache', `${destroyMs[0]?.toFixed(1)} ms`);
  say(
    'longest wait of others meanwhile',
    `${waitMs.toFixed(1)} ms (idle ${idleMs.toFixed(1)}; at most ${MOST_WAIT_MS})`,
  );
}
