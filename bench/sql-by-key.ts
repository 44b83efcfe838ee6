/**
 * `bun bench/sql-by-key.ts [--rounds N]`: compares statements by key with the data commands that do the same,
 * alternately. Prints the CPU time of the server per request and the ratios, which must not exceed 1.6.
 */
import { type LoadResult, median, runLoad } from './load.ts';
import { type BenchRequest, createRequests } from './requests.ts';
import { fill, type MeasuredServer, startSvc } from './servers.ts';

const ROWS = 10_000;
const REQUESTS = 10_000;
const DEMAND = 1.6;
const rounds = Number(process.argv[process.argv.indexOf('--rounds') + 1]) || 3;

interface Subject {
  readonly name: string;
  /** The data command to compare with. */
  readonly beside: 'get' | 'put';
  readonly cache: 'durable' | 'memory';
  requests(path: string): BenchRequest[];
}

function send(path: string, sql: string, ...args: ReadonlyArray<string | number>): BenchRequest {
  const params = new URLSearchParams({ cmd: 'qryfldexe', pageSize: '10', qry: sql });
  for (const [index, arg] of args.entries()) params.set(`arg${index + 1}`, String(arg));
  return { method: 'GET', path: `${path}?${params}`, body: '' };
}

/** Statements of one table; INSERT and DELETE alternate, so that each finds the rows it needs. */
function subjectsOf(cache: Subject['cache']): Subject[] {
  const table = cache === 'durable' ? 'DurableItem' : 'MemoryItem';
  const each = (create: (path: string, key: number) => BenchRequest | BenchRequest[]) => (path: string) =>
    Array.from({ length: REQUESTS }, (_, at) => create(path, (at * 7919) % ROWS)).flat();
  return [
    {
      name: 'SELECT one column',
      beside: 'get',
      cache,
      requests: each((path, key) => send(path, `SELECT name FROM ${table} WHERE id = ?`, key)),
    },
    {
      name: 'SELECT *',
      beside: 'get',
      cache,
      requests: each((path, key) => send(path, `SELECT * FROM ${table} WHERE id = ?`, key)),
    },
    {
      name: 'UPDATE',
      beside: 'put',
      cache,
      requests: each((path, key) => send(path, `UPDATE ${table} SET name = ? WHERE id = ?`, `value-${key}`, key)),
    },
    {
      name: 'MERGE',
      beside: 'put',
      cache,
      requests: each((path, key) => send(path, `MERGE INTO ${table}(id, name) VALUES(?, ?)`, key, `value-${key}`)),
    },
    {
      name: 'INSERT',
      beside: 'put',
      cache,
      // Each request has a new key; there are far more than a round can send.
      requests: (path) =>
        Array.from({ length: 200_000 }, (_, at) =>
          send(path, `INSERT INTO ${table}(id, name) VALUES(?, ?)`, nextKey++, `value-${at}`),
        ),
    },
    {
      name: 'DELETE',
      beside: 'put',
      cache,
      requests: each((path, key) => send(path, `DELETE FROM ${table} WHERE id = ?`, key)),
    },
  ];
}
let nextKey = 1_000_000;

async function prepareTables(server: MeasuredServer): Promise<void> {
  for (const [table, region] of [
    ['DurableItem', 'default'],
    ['MemoryItem', 'temporary'],
  ]) {
    const run = async (sql: string): Promise<void> => {
      const { path } = send(server.path, sql);
      const answer = (await (await fetch(`http://127.0.0.1:${server.port}${path}`)).json()) as { error: string | null };
      if (answer.error !== null) throw new Error(answer.error);
    };
    await run(`CREATE TABLE ${table}(id INT PRIMARY KEY, name VARCHAR) WITH "data_region=${region}"`);
    await run(`INSERT INTO ${table} SELECT x, 'value-' || x FROM SYSTEM_RANGE(0, ${ROWS - 1})`);
  }
}

function load(server: MeasuredServer, requests: readonly BenchRequest[]): Promise<LoadResult> {
  const plan = { kind: 'sockets', port: server.port, connections: 64, serverPid: server.pid } as const;
  return runLoad({ ...plan, warmUpMs: 600, durationMs: 1_500 }, requests);
}

await using server = await startSvc(1);
await prepareTables(server);
for (const cache of ['durable', 'memory'] as const) {
  await fill(server, cache, 0, ROWS);
  const commands = {
    get: createRequests(server.path, 'get', cache, ROWS),
    put: createRequests(server.path, 'put', cache, ROWS),
  };
  for (const subject of subjectsOf(cache)) {
    const own: LoadResult[] = [];
    const yardstick: LoadResult[] = [];
    for (let round = 0; round < rounds; round++) {
      yardstick.push(await load(server, commands[subject.beside]));
      own.push(await load(server, subject.requests(server.path)));
    }
    const [sql, command] = [median(own), median(yardstick)];
    const ratio = sql.cpuMicros / command.cpuMicros;
    process.stdout.write(
      `${cache} ${subject.name}: ${sql.cpuMicros.toFixed(1)} µs CPU, ${Math.round(sql.perSecond)}/s; ` +
        `${subject.beside}: ${command.cpuMicros.toFixed(1)} µs; ratio ${ratio.toFixed(2)}` +
        `${ratio > DEMAND ? ` (more than ${DEMAND})` : ''}\n`,
    );
  }
}
