/** Limits on statements that would run forever, use all memory or block others, over real sockets. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { allowedMs } from '../machine.ts';
import { WORKERS } from '../modes.ts';
import { type Answer, type ServiceProcess, startService } from '../service-process.ts';

const ENDLESS = 'SELECT count(*) FROM SYSTEM_RANGE(1, 1000000000000)';
const MB = 1024;
const LIMIT_MS = 60_000;
/** Four times the largest body plus 128 MiB. */
const MAX_GROWTH_KIB = 384 * MB;
const OVERRUN_MS = 500;
const RESULT_BYTES = 8 * MB * 1024;

function residentKib({ pid }: ServiceProcess): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
}

function run(service: ServiceProcess, qry: string, timeout?: number, signal?: AbortSignal): Promise<Answer> {
  const init = { method: 'POST', body: new URLSearchParams({ qry }), ...(signal && { signal }) };
  return service.send(`cmd=qryfldexe&pageSize=10${timeout === undefined ? '' : `&timeout=${timeout}`}`, init);
}

/** Runs a statement; returns its response, its time and the maximum growth of the process. */
async function measured(service: ServiceProcess, qry: string, timeout?: number) {
  const before = residentKib(service);
  let peak = before;
  const sampling = setInterval(() => {
    peak = Math.max(peak, residentKib(service));
  }, 5);
  const begunMs = performance.now();
  const { error } = await run(service, qry, timeout);
  const tookMs = performance.now() - begunMs;
  clearInterval(sampling);
  return { error, tookMs, grownKib: peak - before };
}

const TIMED: ReadonlyArray<readonly [title: string, sql: string]> = [
  ['an endless count', ENDLESS],
  [
    'an endless recursive query',
    'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r',
  ],
  ['a product of a table', 'SELECT sum(a.n + b.n) FROM item a, item b'],
  ['a sort of long strings', "SELECT x, REPEAT('a', 100000) || x s FROM SYSTEM_RANGE(1, 1000000) ORDER BY 2"],
  ['an update', 'UPDATE item SET n = (SELECT count(*) FROM SYSTEM_RANGE(1, 1000000000))'],
  ['a delete', 'DELETE FROM item WHERE n IN (SELECT -x FROM SYSTEM_RANGE(1, 1000000000))'],
  ['an insert', 'INSERT INTO item SELECT x + 1000000, NULL, x FROM SYSTEM_RANGE(1, 1000000000)'],
];

const GREEDY: ReadonlyArray<readonly [title: string, sql: string]> = [
  [
    'strings that double',
    "WITH RECURSIVE r(n, s) AS (SELECT 1, 'a' UNION ALL SELECT n + 1, s || s FROM r) SELECT count(*) FROM r",
  ],
  ['an array of long strings', "SELECT LENGTH(ARRAY_AGG(REPEAT('a', 30000000) || x)) FROM SYSTEM_RANGE(1, 100000)"],
  ['a string of all rows', "SELECT LENGTH(GROUP_CONCAT(REPEAT('a', 3000000) || x)) FROM SYSTEM_RANGE(1, 100000)"],
  [
    'a row of many long strings',
    `SELECT ${Array.from({ length: 60 }, (_, at) => `s || s || ${at}`).join()} FROM (SELECT REPEAT(name, 3000000) s
      FROM item WHERE n < 10)`,
  ],
];

const LARGE: ReadonlyArray<readonly [title: string, query: string]> = [
  ['a statement', 'cmd=qryfldexe&pageSize=1&qry=SELECT%20*%20FROM%20wide'],
  ['a query of a type', 'cmd=qryexe&pageSize=1&cacheName=wide&type=Wide&qry=id%20%3E%200'],
  ['a scan', 'cmd=qryscanexe&pageSize=1&cacheName=wide'],
];

describe.each(WORKERS)('limits on statements with %i HTTP threads', (workers) => {
  let service: ServiceProcess;

  beforeAll(async () => {
    service = await startService({
      env: {
        SVC_WORKERS: String(workers),
        SVC_QUERY_MAX_WRITE_LOCK_MS: '4000',
        SVC_QUERY_MAX_RESULT_BYTES: String(RESULT_BYTES),
      },
    });
    await run(service, 'CREATE TABLE item(id INT PRIMARY KEY, name VARCHAR, n INT)');
    await run(service, "INSERT INTO item SELECT x, 'n' || x, x FROM SYSTEM_RANGE(1, 100000)");
    await run(service, 'SELECT count(*) FROM item, item b WHERE item.id = b.id');
    await run(service, 'CREATE TABLE wide(id INT PRIMARY KEY, s VARCHAR) WITH "CACHE_NAME=wide,VALUE_TYPE=Wide"');
    await run(service, "INSERT INTO wide SELECT x, REPEAT('a', 1000000) FROM SYSTEM_RANGE(1, 12)");
  });
  afterAll(() => service[Symbol.asyncDispose]());

  for (const [title, sql] of TIMED) {
    test(
      `${title} ends at its time limit`,
      async () => {
        const { error, tookMs } = await measured(service, sql, 1_000);
        expect(error).toMatch(/the time limit is over|too much memory/);
        expect(tookMs).toBeLessThan(1_000 + allowedMs(OVERRUN_MS));
      },
      LIMIT_MS,
    );
  }

  test(
    'an index ends at its time limit, and is not there',
    async () => {
      const { error, tookMs } = await measured(service, 'CREATE INDEX slow ON item(name, n)', 20);
      expect(error).toContain('the time limit is over');
      expect(tookMs).toBeLessThan(20 + allowedMs(OVERRUN_MS));
      const indexes = await run(service, "SELECT count(*) FROM SYS.INDEXES WHERE INDEX_NAME = 'SLOW'");
      expect(indexes.response).toMatchObject({ items: [[0]] });
    },
    LIMIT_MS,
  );

  for (const [title, sql] of GREEDY) {
    test(
      `${title} is cancelled at the memory limit`,
      async () => {
        const { error, tookMs, grownKib } = await measured(service, sql, 3_000);
        expect(error).toMatch(/too much memory|Limit exceeded|time limit/);
        expect(grownKib).toBeLessThan(MAX_GROWTH_KIB);
        expect(tookMs).toBeLessThan(3_000 + allowedMs(OVERRUN_MS));
      },
      LIMIT_MS,
    );
  }

  for (const [title, query] of LARGE) {
    test(
      `${title} is cancelled when all its pages together are too large`,
      async () => {
        const first = await service.send(query);
        expect(first.error).toBeNull();
        const { queryId } = first.response as { queryId: number };
        let last = first;
        let pages = 1;
        for (; last.error === null && pages < 12; pages++) {
          last = await service.send(`cmd=qryfetch&pageSize=1&qryId=${queryId}`);
        }
        expect(last.error).toContain(`its result is too large, all pages together [limitBytes=${RESULT_BYTES}]`);
        // Each page has one row of a million bytes.
        expect(pages).toBe(9);
        expect((await service.send(`cmd=qryfetch&pageSize=1&qryId=${queryId}`)).error).toContain(
          'Failed to find query',
        );
      },
      LIMIT_MS,
    );
  }

  test(
    'six endless statements block no other statement, put or scan',
    async () => {
      const leaving = new AbortController();
      let ended = 0;
      const endless = Array.from({ length: 6 }, async () => {
        await run(service, ENDLESS, 50_000, leaving.signal).catch(() => undefined);
        ended += 1;
      });
      await Bun.sleep(1_500);
      expect((await run(service, 'SELECT count(*) FROM item WHERE n + 0 > 0')).error).toBeNull();
      await service.command('cmd=put&key=a&val=1');
      expect(await service.command('cmd=qryscanexe&pageSize=1')).toMatchObject({ items: [{ key: 'a', value: '1' }] });
      expect(ended).toBe(0);
      leaving.abort();
      await Promise.all(endless);
    },
    LIMIT_MS,
  );

  test(
    'a change that holds the write lock too long is rolled back, and waiting changes proceed',
    async () => {
      const change = run(service, 'UPDATE item SET n = (SELECT count(*) FROM SYSTEM_RANGE(1, 100000000000))');
      await Bun.sleep(500);
      const put = service.command('cmd=put&key=waits&val=1');
      const statuses: number[] = [];
      for (let attempt = 0; attempt < 6; attempt++) {
        statuses.push((await fetch(`${service.origin}/health/ready`)).status);
        await Bun.sleep(400);
      }
      expect(statuses).toContain(503);
      expect((await change).error).toContain('it kept other changes waiting for too long [limitMs=4000]');
      expect(await put).toBe(true);
      await Bun.sleep(500);
      expect((await fetch(`${service.origin}/health/ready`)).status).toBe(200);
      expect((await run(service, 'SELECT count(*) FROM item WHERE n <> id')).response).toMatchObject({ items: [[0]] });
    },
    LIMIT_MS,
  );

  test(
    'a statement ends when its client disconnects',
    async () => {
      const leaving = new AbortController();
      const left = run(service, ENDLESS, 30_000, leaving.signal).catch(() => 'left');
      await Bun.sleep(500);
      leaving.abort();
      expect(await left).toBe('left');
      await Bun.sleep(OVERRUN_MS);
      const running = await run(service, "SELECT count(*) FROM SYS.SQL_QUERIES WHERE SQL LIKE '%1000000000000%'");
      // The query itself is a running statement.
      expect(running.response).toMatchObject({ items: [[1]] });
    },
    LIMIT_MS,
  );
});

for (const workers of WORKERS.map(String)) {
  test(
    `SIGTERM ends the process within 5 s while statements run, workers=${workers}`,
    async () => {
      const service = await startService({ env: { SVC_WORKERS: workers } });
      await run(service, 'CREATE TABLE item(id INT PRIMARY KEY, n INT)');
      await run(service, 'INSERT INTO item VALUES (1, 1)');
      const statements = [
        ENDLESS,
        ENDLESS,
        'UPDATE item SET n = (SELECT count(*) FROM SYSTEM_RANGE(1, 1000000000000))',
      ];
      const answers = statements.map((sql) => run(service, sql).catch(() => undefined));
      await Bun.sleep(700);
      const begunMs = performance.now();
      expect(await service.stop()).toBe(0);
      expect(performance.now() - begunMs).toBeLessThan(allowedMs(5_000));
      await Promise.all(answers);
    },
    LIMIT_MS,
  );
}
