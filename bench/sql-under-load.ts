/**
 * `bun bench/sql-under-load.ts [--rows N] [--workers N] [--only WORD] [--quick]`: measures how long statements
 * affect other requests. While 64 connections get (and put), statements over a large table run one after the other.
 * Prints the 99th percentile of the requests and the growth of memory, which must not exceed 20 ms and 64 MB.
 */
import { runLoad } from './load.ts';
import { type BenchRequest, createRequests } from './requests.ts';
import { fill, type MeasuredServer, residentMegabytes, startSvc } from './servers.ts';

const CONNECTIONS = 64;
const KEYS = 10_000;
const DEMAND_MS = 20;
const DEMAND_MB = 64;
const quick = process.argv.includes('--quick');
const rows = numberAfter('--rows') ?? (quick ? 100_000 : 1_000_000);
const workers = numberAfter('--workers') ?? 1;
const only = argumentAfter('--only');
const durationMs = quick ? 2_000 : 8_000;

function numberAfter(flag: string): number | undefined {
  const text = argumentAfter(flag);
  return text === undefined ? undefined : Number(text);
}

function argumentAfter(flag: string): string | undefined {
  const at = process.argv.indexOf(flag);
  return at < 0 ? undefined : process.argv[at + 1];
}

interface Page {
  readonly queryId: number;
  readonly last: boolean;
  readonly items: unknown[];
}

async function send(server: MeasuredServer, params: Readonly<Record<string, string>>): Promise<Page> {
  const answer = await fetch(`http://127.0.0.1:${server.port}${server.path}?${new URLSearchParams(params)}`);
  const envelope = (await answer.json()) as { error: string | null; response: Page };
  if (envelope.error !== null) throw new Error(envelope.error);
  return envelope.response;
}

function run(server: MeasuredServer, sql: string, pageSize = 1_000): Promise<Page> {
  return send(server, { cmd: 'qryfldexe', pageSize: String(pageSize), qry: sql });
}

/** Reads a result to its end, page by page. */
async function pageThrough(server: MeasuredServer, sql: string, stop: () => boolean): Promise<number> {
  let page = await run(server, sql);
  let count = page.items.length;
  const qryId = String(page.queryId);
  while (!page.last && !stop()) {
    page = await send(server, { cmd: 'qryfetch', pageSize: '10000', qryId });
    count += page.items.length;
  }
  if (!page.last) await send(server, { cmd: 'qrycls', qryId });
  return count;
}

interface Scene {
  readonly name: string;
  readonly load: 'get' | 'get and put';
  /** Runs once; called repeatedly while the load lasts. */
  statement(server: MeasuredServer, round: number, stop: () => boolean): Promise<unknown>;
}

const SCENES: readonly Scene[] = [
  { name: 'nothing', load: 'get and put', statement: () => Bun.sleep(100) },
  {
    name: 'paging through all rows',
    load: 'get and put',
    statement: (server, _round, stop) => pageThrough(server, 'SELECT * FROM Big', stop),
  },
  {
    name: 'paging through all entries by a scan',
    load: 'get and put',
    async statement(server, _round, stop) {
      let page = await send(server, { cmd: 'qryscanexe', pageSize: '10000', cacheName: 'SQL_PUBLIC_BIG' });
      const qryId = String(page.queryId);
      while (!page.last && !stop()) page = await send(server, { cmd: 'qryfetch', pageSize: '10000', qryId });
      if (!page.last) await send(server, { cmd: 'qrycls', qryId });
    },
  },
  {
    name: 'sorting all rows',
    load: 'get and put',
    statement: async (server) => {
      const { queryId } = await run(server, 'SELECT * FROM Big ORDER BY name DESC', 10);
      await send(server, { cmd: 'qrycls', qryId: String(queryId) });
    },
  },
  {
    name: 'grouping all rows',
    load: 'get and put',
    statement: (server) => run(server, 'SELECT n, count(*) FROM Big GROUP BY n'),
  },
  {
    name: 'UPDATE of all rows',
    load: 'get',
    statement: (server, round) => run(server, `UPDATE Big SET n = n + ${round}`),
  },
  {
    name: 'CREATE INDEX',
    load: 'get',
    async statement(server, round) {
      await run(server, `CREATE INDEX Big_${round} ON Big(name)`);
      await run(server, `DROP INDEX Big_${round}`);
    },
  },
];

function requestsOf(server: MeasuredServer, load: Scene['load']): BenchRequest[] {
  const gets = createRequests(server.path, 'get', 'durable', KEYS);
  if (load === 'get') return gets;
  return createRequests(server.path, 'put', 'durable', KEYS).flatMap((put, at) => [put, gets[at] ?? put]);
}

async function play(server: MeasuredServer, { name, load, statement }: Scene): Promise<boolean> {
  const beforeMb = residentMegabytes(server.pid);
  let mostMb = beforeMb;
  let over = false;
  let rounds = 0;
  let longestMs = 0;
  const watching = (async () => {
    for (; !over; await Bun.sleep(50)) mostMb = Math.max(mostMb, residentMegabytes(server.pid));
  })();
  const working = (async () => {
    await Bun.sleep(500);
    while (!over) {
      const begunMs = performance.now();
      await statement(server, ++rounds, () => over);
      if (!over || rounds === 1) longestMs = Math.max(longestMs, performance.now() - begunMs);
    }
  })();
  const result = await runLoad(
    { kind: 'sockets', port: server.port, connections: CONNECTIONS, serverPid: server.pid, warmUpMs: 600, durationMs },
    requestsOf(server, load),
  );
  over = true;
  await Promise.all([watching, working]);
  const grownMb = mostMb - beforeMb;
  const good = result.p99Ms <= DEMAND_MS && grownMb <= DEMAND_MB;
  process.stdout.write(
    `${name}: ${load} p50 ${result.p50Ms.toFixed(1)} ms, p99 ${result.p99Ms.toFixed(1)} ms, ` +
      `${Math.round(result.perSecond)}/s; ${rounds} statements, the longest ${(longestMs / 1000).toFixed(1)} s; ` +
      `memory ${beforeMb.toFixed(0)} MB + ${grownMb.toFixed(0)} MB${good ? '' : ' (more than demanded)'}\n`,
  );
  return good;
}

await using server = await startSvc(workers);
await fill(server, 'durable', 0, KEYS);
await run(server, 'CREATE TABLE Big(id INT PRIMARY KEY, name VARCHAR, n INT)');
const begunMs = performance.now();
await run(server, `INSERT INTO Big SELECT x, 'name of ' || x, MOD(x, 100) FROM SYSTEM_RANGE(1, ${rows})`);
process.stdout.write(`INSERT of ${rows} rows: ${((performance.now() - begunMs) / 1000).toFixed(1)} s\n`);
// The first scene always runs: the load alone makes a process grow that has just started.
for (const [at, scene] of SCENES.entries()) {
  if (at === 0 || only === undefined || scene.name.includes(only)) await play(server, scene);
}
