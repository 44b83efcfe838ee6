/** System views over real sockets: rows about the service's own process are correct on every thread. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { openConnection } from '../http-connection.ts';
import { WORKERS } from '../modes.ts';
import { type ServiceProcess, startService } from '../service-process.ts';

const CONFIG = join(import.meta.dir, '../../fixtures/system-views.config.ts');
const LIMIT_MS = 60_000;
/** Runs until it is cancelled. */
const ENDLESS = 'SELECT count(*) FROM SYSTEM_RANGE(1, 1000000000000)';

interface Page {
  readonly items: unknown[][];
  readonly last: boolean;
  readonly queryId: number;
  readonly fieldsMetadata: ReadonlyArray<{ readonly fieldName: string }>;
}

describe.each(WORKERS)('system views with %i HTTP threads', (workers) => {
  let service: ServiceProcess;

  beforeAll(async () => {
    service = await startService({
      args: ['--config', CONFIG],
      env: { SVC_WORKERS: String(workers), SVC_AUTHENTICATION: 'true', SVC_ADMIN_PASSWORD: 'pass' },
    });
  }, LIMIT_MS);
  afterAll(() => service[Symbol.asyncDispose]());

  async function run(qry: string, pageSize = 1_000, signal?: AbortSignal): Promise<Page> {
    const params = new URLSearchParams({
      cmd: 'qryfldexe',
      qry,
      pageSize: String(pageSize),
      'svc.login': 'svc',
      'svc.password': 'pass',
    });
    const answer = await service.send(params.toString(), signal && { signal });
    if (answer.error !== null) throw new Error(answer.error);
    return answer.response as Page;
  }

  async function rows(qry: string): Promise<Array<Record<string, unknown>>> {
    const { items, fieldsMetadata } = await run(qry);
    return items.map((item) => Object.fromEntries(item.map((value, at) => [fieldsMetadata[at]?.fieldName, value])));
  }

  async function until<T>(probe: () => Promise<T | undefined>): Promise<T> {
    for (let tries = 0; tries < 200; tries++) {
      const found = await probe();
      if (found !== undefined) return found;
      await Bun.sleep(25);
    }
    throw new Error('it never came');
  }

  test(
    'a statement is listed with its schema and user',
    async () => {
      const text = 'SELECT SQL, SCHEMA_NAME, INITIATOR_ID, DURATION FROM SYS.SQL_QUERIES';
      const [own, ...others] = await rows(text);
      expect(own).toMatchObject({ SQL: text, SCHEMA_NAME: 'PUBLIC', INITIATOR_ID: 'svc' });
      expect(Number(own?.DURATION)).toBeWithin(0, 10_000);
      expect(others).toEqual([]);
    },
    LIMIT_MS,
  );

  test(
    'a long statement is listed until its client disconnects',
    async () => {
      const gone = new AbortController();
      const endless = run(ENDLESS, 10, gone.signal).catch(() => undefined);
      const found = await until(async () => {
        const running = await rows(`SELECT QUERY_ID, SQL FROM SYS.SQL_QUERIES WHERE SQL = '${ENDLESS}'`);
        return running[0];
      });
      expect(String(found.QUERY_ID)).toMatch(/^[0-9a-f-]{36}_\d+$/);
      gone.abort();
      await endless;
      await until(async () => {
        const left = await rows(`SELECT QUERY_ID FROM SYS.SQL_QUERIES WHERE SQL = '${ENDLESS}'`);
        return left.length === 0 ? true : undefined;
      });
    },
    LIMIT_MS,
  );

  test(
    'open cursors and scans are listed until they are closed',
    async () => {
      const text = 'SELECT x FROM SYSTEM_RANGE(1, 1000)';
      const { queryId } = await run(text, 10);
      const listed = () => rows(`SELECT SQL FROM SYS.SQL_QUERIES WHERE QUERY_ID LIKE '%_${queryId}'`);
      expect(await listed()).toEqual([{ SQL: text }]);
      await service.command(`cmd=qrycls&qryId=${queryId}&svc.login=svc&svc.password=pass`);
      expect(await listed()).toEqual([]);
      const login = '&svc.login=svc&svc.password=pass';
      await service.command(`cmd=putall&k1=a&v1=1&k2=b&v2=2${login}`);
      const scan = (await service.command(`cmd=qryscanexe&pageSize=1${login}`)) as Page;
      expect(await rows('SELECT CACHE_NAME, PAGE_SIZE FROM SYS.SCAN_QUERIES')).toEqual([
        { CACHE_NAME: 'default', PAGE_SIZE: 1 },
      ]);
      await service.command(`cmd=qrycls&qryId=${scan.queryId}${login}`);
      expect(await rows('SELECT CACHE_NAME FROM SYS.SCAN_QUERIES')).toEqual([]);
    },
    LIMIT_MS,
  );

  test(
    'open client connections are listed',
    async () => {
      const before = (await rows('SELECT CONNECTION_ID FROM SYS.CLIENT_CONNECTIONS')).map((row) => row.CONNECTION_ID);
      expect(before.length).toBeGreaterThan(0);
      const connection = await openConnection(service.port);
      const after = await until(async () => {
        const now = await rows('SELECT CONNECTION_ID, LOCAL_ADDRESS, REMOTE_ADDRESS, TYPE FROM SYS.CLIENT_CONNECTIONS');
        return now.length > before.length ? now : undefined;
      });
      expect(new Set(after.map((row) => row.CONNECTION_ID)).size).toBe(after.length);
      for (const row of after) {
        expect(row).toMatchObject({ LOCAL_ADDRESS: `127.0.0.1:${service.port}`, TYPE: 'HTTP' });
        expect(String(row.REMOTE_ADDRESS)).toMatch(/^127\.0\.0\.1:\d+$/);
      }
      connection.close();
    },
    LIMIT_MS,
  );

  test(
    'a task is listed while it runs',
    async () => {
      expect(await rows('SELECT TASK_NAME FROM SYS.TASKS')).toEqual([]);
      const task = service.command('cmd=exe&name=Waiting&p1=1500&svc.login=svc&svc.password=pass');
      const [running] = await until(async () => {
        const now = await rows('SELECT TASK_NAME, START_TIME, END_TIME FROM SYS.TASKS');
        return now.length > 0 ? now : undefined;
      });
      expect(running).toMatchObject({ TASK_NAME: 'Waiting', END_TIME: 0 });
      expect(Math.abs(Number(running?.START_TIME) - Date.now())).toBeLessThan(20_000);
      await task;
      expect(await rows('SELECT TASK_NAME FROM SYS.TASKS')).toEqual([]);
    },
    LIMIT_MS,
  );

  test(
    'a job is listed while its task runs',
    async () => {
      const columns = 'TASK_NAME, SESSION_ID, STATE, CREATE_TIME, START_TIME, IS_STARTED';
      expect(await rows(`SELECT ${columns} FROM SYS.JOBS`)).toEqual([]);
      const task = service.command('cmd=exe&name=Waiting&p1=1500&svc.login=svc&svc.password=pass');
      const [job] = await until(async () => {
        const now = await rows(`SELECT ${columns} FROM SYS.JOBS WHERE STATE = 'ACTIVE'`);
        return now.length > 0 ? now : undefined;
      });
      expect(job).toMatchObject({ TASK_NAME: 'Waiting', STATE: 'ACTIVE', IS_STARTED: true });
      expect(Number(job?.START_TIME)).toBeGreaterThanOrEqual(Number(job?.CREATE_TIME));
      await task;
      expect(await rows(`SELECT ${columns} FROM SYS.JOBS`)).toEqual([]);
    },
    LIMIT_MS,
  );

  test(
    'executed statements are in the history, whichever thread ran them',
    async () => {
      await run('CREATE TABLE past(id INT PRIMARY KEY, v INT)');
      await run('INSERT INTO past VALUES (1, 10), (2, 20), (3, 30)');
      for (let times = 0; times < 4; times++) await run('SELECT v FROM past WHERE id = 1');
      await run('SELECT p.v FROM past p JOIN past q ON q.v = p.v ORDER BY p.v');
      await expect(run('INSERT INTO past VALUES (1, 10)')).rejects.toThrow('already in cache');
      await expect(run('SELECT 1 / (v - 10) FROM past')).rejects.toThrow('Division by zero');
      await expect(run('SELECT nothing FROM past')).rejects.toThrow('not found');
      const history = await rows(
        "SELECT SQL, SCHEMA_NAME, LOCAL, EXECUTIONS, FAILURES FROM SYS.SQL_QUERIES_HISTORY WHERE SQL LIKE '%past%' " +
          "AND SQL NOT LIKE '%SYS%'",
      );
      const counts = history.map(({ SQL, EXECUTIONS, FAILURES }) => [SQL, EXECUTIONS, FAILURES]);
      expect(counts.sort()).toEqual([
        ['CREATE TABLE past(id INT PRIMARY KEY, v INT)', 1, 0],
        ['INSERT INTO past VALUES (1, 10), (2, 20), (3, 30)', 1, 0],
        ['INSERT INTO past VALUES (1, 10)', 1, 1],
        ['SELECT 1 / (v - 10) FROM past', 1, 1],
        ['SELECT p.v FROM past p JOIN past q ON q.v = p.v ORDER BY p.v', 1, 0],
        ['SELECT v FROM past WHERE id = 1', 4, 0],
      ]);
      expect(history[0]).toMatchObject({ SCHEMA_NAME: 'PUBLIC', LOCAL: false });
      const [statistics] = await rows(
        'SELECT EXECUTION_COUNT, MIN_ROW_COUNT, MAX_ROW_COUNT, CUMULATIVE_ROW_COUNT, AVERAGE_EXECUTION_TIME ' +
          "FROM INFORMATION_SCHEMA.QUERY_STATISTICS WHERE SQL_STATEMENT = 'SELECT v FROM past WHERE id = 1'",
      );
      expect(statistics).toMatchObject({
        EXECUTION_COUNT: 4,
        MIN_ROW_COUNT: 1,
        MAX_ROW_COUNT: 1,
        CUMULATIVE_ROW_COUNT: 4,
      });
      expect(Number(statistics?.AVERAGE_EXECUTION_TIME)).toBeGreaterThan(0);
      await run('DROP TABLE past');
    },
    LIMIT_MS,
  );

  test(
    'metrics of the node are those of this process',
    async () => {
      const [metrics] = await rows('SELECT * FROM SYS.NODE_METRICS');
      expect(Number(metrics?.TOTAL_CPU)).toBe(navigator.hardwareConcurrency);
      expect(Number(metrics?.UPTIME)).toBeWithin(1, 10 * 60_000);
      expect(Number(metrics?.HEAP_MEMORY_USED)).toBeGreaterThan(1_000_000);
      const [node] = await rows('SELECT ADDRESSES FROM SYS.NODES');
      expect(node).toEqual({ ADDRESSES: '[127.0.0.1]' });
      const [port] = await rows("SELECT VALUE FROM SYS.NODE_ATTRIBUTES WHERE NAME LIKE '%rest.jetty.port'");
      expect(port).toEqual({ VALUE: String(service.port) });
    },
    LIMIT_MS,
  );

  test(
    'effective settings are listed without secrets',
    async () => {
      const settings = await rows("SELECT NAME, VALUE FROM INFORMATION_SCHEMA.SETTINGS WHERE NAME LIKE 'svc.%'");
      const found = Object.fromEntries(settings.map(({ NAME, VALUE }) => [NAME, VALUE]));
      expect(found).toMatchObject({
        'svc.workers': String(workers),
        'svc.dataDir': service.dataDir,
        'svc.authentication': 'true',
        'svc.http.port': String(service.port),
      });
      expect(JSON.stringify(found)).not.toContain('"pass"');
      expect(await rows('SELECT NAME, ADMIN FROM INFORMATION_SCHEMA.USERS')).toEqual([{ NAME: 'svc', ADMIN: 'true' }]);
    },
    LIMIT_MS,
  );

  test(
    'statements that change rows can read system views',
    async () => {
      await run('CREATE TABLE seen(id BIGINT PRIMARY KEY, text VARCHAR)');
      await run('INSERT INTO seen SELECT DURATION, SQL FROM SYS.SQL_QUERIES');
      const [row] = await rows('SELECT text FROM seen');
      expect(row).toEqual({ TEXT: 'INSERT INTO seen SELECT DURATION, SQL FROM SYS.SQL_QUERIES' });
      await run('DROP TABLE seen');
    },
    LIMIT_MS,
  );
});
