/** The memory of a statement past its limit, or killed, is returned within a minute, mostly at once. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { type Answer, type ServiceProcess, startService } from '../service-process.ts';

const LIMIT_MS = 300_000;
const RETURNED_MS = 60_000;
const SETTLED_MS = 1_000;
const KIB_PER_MIB = 1_024;
/** Memory that may stay: caches, compiled code, and pages that the allocator keeps. */
const KEPT_MIB = 64;
/** Most of these rounds have to return it. */
const ROUNDS = 3;
/** So many rows that no machine builds the index within the time limit. */
const ROWS = 4_000_000;

/** Statements that hold much memory when they end. */
const STATEMENTS: ReadonlyArray<readonly [title: string, sql: string]> = [
  ['an index over a large table', 'CREATE INDEX slow ON large(name, n)'],
  ['a sort', "SELECT x, REPEAT('a', 1000) || MOD(x * 7919, 1000003) s FROM SYSTEM_RANGE(1, 100000000) ORDER BY 2"],
  ['long strings', "SELECT SUM(LENGTH(REPEAT('a', 5000000) || x)) FROM SYSTEM_RANGE(1, 10000000)"],
  [
    'an update of many rows',
    'UPDATE large SET name = name || (SELECT COUNT(*) FROM SYSTEM_RANGE(1, 1000) WHERE X < large.n)',
  ],
];

let service: ServiceProcess;

function run(qry: string, timeout?: number): Promise<Answer> {
  const limit = timeout === undefined ? '' : `&timeout=${timeout}`;
  return service.send(`cmd=qryfldexe&pageSize=1${limit}`, { method: 'POST', body: new URLSearchParams({ qry }) });
}

function residentMib(): number {
  const status = readFileSync(`/proc/${service.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / KIB_PER_MIB;
}

/** Returns the id of a statement that runs, or undefined if none of this text does. */
async function runningId(sql: string): Promise<string | undefined> {
  const begin = sql.slice(0, 20).replaceAll("'", "''");
  const query = `SELECT QUERY_ID FROM SYS.RUNNING_STATEMENTS WHERE STATEMENT LIKE '${begin}%'`;
  const { items } = (await run(query)).response as { items: string[][] };
  return items[0]?.[0];
}

async function untilRunning(sql: string): Promise<string> {
  for (;;) {
    const id = await runningId(sql);
    if (id !== undefined) return id;
    await Bun.sleep(10);
  }
}

/** Ends a statement after it has run for a while; returns its error. */
const ENDS: ReadonlyArray<readonly [title: string, end: (sql: string) => Promise<string | null>]> = [
  ['at its time limit', async (sql) => (await run(sql, 400)).error],
  [
    'when it is killed',
    async (sql) => {
      // A statement that has exceeded its limit runs until it has been rolled back, although its client has the
      // response.
      while ((await runningId(sql)) !== undefined) await Bun.sleep(10);
      const running = run(sql);
      const id = await untilRunning(sql);
      await Bun.sleep(300);
      await service.command(`cmd=qrykill&qryId=${id}`);
      return (await running).error;
    },
  ],
];

beforeAll(async () => {
  service = await startService({ env: { SVC_QUERY_MAX_MEMORY_BYTES: String(512 * 1024 * 1024) } });
  expect((await run('CREATE TABLE large(id INT PRIMARY KEY, name VARCHAR, n INT)')).error).toBeNull();
  const filled = await run(
    `INSERT INTO large SELECT x, 'name' || MOD(x * 7919, 1000003), x FROM SYSTEM_RANGE(1, ${ROWS})`,
  );
  expect(filled.error).toBeNull();
}, LIMIT_MS);
afterAll(() => service[Symbol.asyncDispose]());

for (const [statement, sql] of STATEMENTS) {
  for (const [title, end] of ENDS) {
    test(
      `the memory of ${statement} is returned ${title}`,
      async () => {
        const keptMib: number[] = [];
        const peaksMib: number[] = [];
        // The first round starts threads and fills caches.
        await end(sql);
        await Bun.sleep(SETTLED_MS);
        const before = residentMib();
        for (let round = 0; round < ROUNDS; round++) {
          let peak = before;
          const sampling = setInterval(() => {
            peak = Math.max(peak, residentMib());
          }, 5);
          expect(await end(sql)).toMatch(/it was killed|the time limit is over|too much memory/);
          const untilMs = performance.now() + RETURNED_MS;
          clearInterval(sampling);
          let after = residentMib();
          while (after > before + KEPT_MIB && performance.now() < untilMs) {
            await Bun.sleep(50);
            after = residentMib();
          }
          keptMib.push(after - before);
          peaksMib.push(peak - before);
        }
        if (process.env.SVC_TEST_SHOW !== undefined) {
          const shown = `${keptMib.map(Math.round)} of ${peaksMib.map(Math.round)} MiB`;
          process.stderr.write(`${statement}, ${title}: kept ${shown}\n`);
        }
        expect(keptMib.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)]).toBeLessThan(KEPT_MIB);
      },
      LIMIT_MS,
    );
  }
}

test(
  'the garbage of functions does not count as memory that a statement needs',
  async () => {
    await using own = await startService();
    // 2 * 10^6 texts, of which it holds 10,000 at a time.
    const qry = "SELECT SELECTIVITY(REPEAT('a', 100) || x) FROM SYSTEM_RANGE(1, 2000000)";
    const query = `cmd=qryfldexe&pageSize=1&qry=${encodeURIComponent(qry)}`;
    expect(await own.send(query)).toMatchObject({ error: null, response: { items: [[100]] } });
  },
  LIMIT_MS,
);
