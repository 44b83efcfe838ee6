/** Statements that read run in processes, which the kernel bounds and which end with the service. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processesOf, run } from '../../proof/processes/kills.ts';
import { queryOf, type ServiceProcess, startService } from '../service-process.ts';
import { until } from '../until.ts';

const LIMIT_MS = 60_000;
const MEBIBYTE = 1024 * 1024;

const isLost = (error: string | null): boolean => error?.includes('Repeat the query') === true;

async function cursorOf(service: ServiceProcess): Promise<number> {
  const { response } = await run(service, 'SELECT x FROM SYSTEM_RANGE(1, 1000)', 1);
  return (response as { queryId: number }).queryId;
}

const fetchPage = (service: ServiceProcess, queryId: number) =>
  service.send(queryOf({ cmd: 'qryfetch', qryId: queryId, pageSize: 1 }));

test(
  'there is none before the first statement that needs one, and one at rest; all end with the service',
  async () => {
    const service = await startService();
    for (const definition of [
      'CREATE TABLE t(id INT PRIMARY KEY, n INT)',
      'ALTER TABLE t DROP COLUMN n',
      'CREATE VIEW v AS SELECT id FROM t',
      'DROP VIEW v',
      'DROP TABLE t',
    ])
      expect((await run(service, definition)).error).toBeNull();
    expect(processesOf(service.pid)).toEqual([]);
    await Promise.all(Array.from({ length: 6 }, () => run(service, 'SELECT SUM(x) FROM SYSTEM_RANGE(1, 300000)')));
    const first = processesOf(service.pid);
    expect(first.length).toBeGreaterThan(0);
    await until('one is left', () => processesOf(service.pid).length === 1);
    const { dataDir, pid } = service;
    await service.stop();
    expect(processesOf(pid)).toEqual([]);
    expect(existsSync(join(dataDir, 'svc.db-wal'))).toBe(false);
    await service[Symbol.asyncDispose]();
  },
  LIMIT_MS,
);

test(
  'the cursors of a killed process are lost, those of others are not',
  async () => {
    await using service = await startService();
    const queryId = await cursorOf(service);
    for (const id of processesOf(service.pid)) process.kill(id, 'SIGKILL');
    await until('the end is noticed', async () => isLost((await fetchPage(service, queryId)).error));
    expect((await fetchPage(service, queryId)).http).toBe(503);
    const next = await cursorOf(service);
    expect((await fetchPage(service, next)).error).toBeNull();
    expect(isLost((await fetchPage(service, queryId)).error)).toBe(true);
  },
  LIMIT_MS,
);

test(
  'a step that SQLite cannot interrupt ends alone when its process has no memory left',
  async () => {
    await using service = await startService({
      env: {
        SVC_QUERY_MAX_MEMORY_BYTES: String(64 * MEBIBYTE),
        SVC_QUERY_MAX_PROCESS_MEMORY_BYTES: String(64 * MEBIBYTE),
      },
    });
    await run(service, 'SELECT COUNT(*) FROM SYSTEM_RANGE(1, 10)');
    const before = processesOf(service.pid);
    expect(limitOf(before[0])).toBeGreaterThan(64 * MEBIBYTE);
    // SQLite makes each text of a row without looking at the memory of the statement.
    const texts = Array.from({ length: 40 }, () => "REPEAT('x', 4000000)").join(' || ');
    const { error } = await run(service, `SELECT LENGTH(${texts})`);
    expect(error).toMatch(/too much memory|Limit exceeded/);
    expect((await run(service, 'SELECT COUNT(*) FROM SYSTEM_RANGE(1, 10)')).error).toBeNull();
  },
  LIMIT_MS,
);

test(
  'a process that has taken half of its memory is replaced, and fails no statement',
  async () => {
    await using service = await startService({
      env: {
        SVC_QUERY_MAX_MEMORY_BYTES: String(128 * MEBIBYTE),
        // The statement ends when it has taken half of this.
        SVC_QUERY_MAX_PROCESS_MEMORY_BYTES: String(256 * MEBIBYTE),
      },
    });
    const doubled = "SELECT 1 n, 'a' s UNION ALL SELECT n + 1, s || s FROM r";
    for (let round = 0; round < 3; round++) {
      expect((await run(service, 'SELECT COUNT(*) FROM SYSTEM_RANGE(1, 10)')).error).toBeNull();
      const before = processesOf(service.pid);
      const { error } = await run(service, `WITH RECURSIVE r(n, s) AS (${doubled}) SELECT COUNT(*) FROM r`);
      expect(error).toContain('too much memory');
      const large = await run(service, "SELECT x, REPEAT('a', 1000000) FROM SYSTEM_RANGE(1, 9)");
      expect(large.error).toBeNull();
      await until('it is replaced', () => !processesOf(service.pid).some((id) => before.includes(id)));
    }
  },
  LIMIT_MS,
);

test(
  'the process for changes is replaced while changes never leave it idle',
  async () => {
    await using service = await startService({
      env: {
        SVC_QUERY_MAX_MEMORY_BYTES: String(128 * MEBIBYTE),
        SVC_QUERY_MAX_PROCESS_MEMORY_BYTES: String(256 * MEBIBYTE),
      },
    });
    await run(service, 'CREATE TABLE t(id INT PRIMARY KEY, n INT)');
    await run(service, 'INSERT INTO t SELECT x, 0 FROM SYSTEM_RANGE(1, 100)');
    const before = processesOf(service.pid, 'changes');
    const errors = new Set<string | null>();
    let isOver = false;
    const clients = Array.from({ length: 16 }, async () => {
      while (!isOver) errors.add((await run(service, 'UPDATE t SET n = n + 1 WHERE id > 0')).error);
    });
    // Fails with too much memory, of which the process has taken half then.
    const rows = "SELECT 1 n, 'a' s UNION ALL SELECT n + 1, s || s FROM r";
    const large = `INSERT INTO t WITH RECURSIVE r(n, s) AS (${rows}) SELECT n + 1000, LENGTH(s) FROM r`;
    await until('it is replaced', async () => {
      expect((await run(service, large)).error).not.toBeNull();
      return !processesOf(service.pid, 'changes').some((id) => before.includes(id));
    });
    isOver = true;
    await Promise.all(clients);
    expect([...errors]).toEqual([null]);
  },
  LIMIT_MS,
);

/** Returns the kernel's bound of a process's data in bytes, or 0 without one. */
function limitOf(id: number | undefined): number {
  const limits = readFileSync(`/proc/${id}/limits`, 'utf8');
  return Number(/^Max data size\s+(\d+)/m.exec(limits)?.[1] ?? 0);
}

/** Returns the folders that a service has created for its processes. */
function processFoldersOf(id: number): string[] {
  return ['/dev/shm', tmpdir()].flatMap((parent) =>
    existsSync(parent)
      ? readdirSync(parent)
          .filter((name) => name.startsWith(`svc-processes-${id}-`))
          .map((name) => join(parent, name))
      : [],
  );
}

test(
  'the folder of their sockets is removed, after a kill by the next start of any service',
  async () => {
    await using service = await startService();
    await run(service, 'SELECT COUNT(*) FROM SYSTEM_RANGE(1, 10)');
    // Counted before the kill: any service that starts afterwards, even another test's, removes the folder.
    expect(processFoldersOf(service.pid)).toHaveLength(1);
    await service.kill();
    await using running = await startService();
    await using other = await startService();
    expect(processFoldersOf(service.pid)).toEqual([]);
    expect(processFoldersOf(running.pid)).toHaveLength(1);
    await other.stop();
    expect(processFoldersOf(other.pid)).toEqual([]);
  },
  LIMIT_MS,
);

test(
  'nothing fails when that folder is removed',
  async () => {
    await using service = await startService({ env: { SVC_WORKERS: '2' } });
    await run(service, 'CREATE TABLE t(id INT PRIMARY KEY, n INT)');
    await run(service, 'INSERT INTO t SELECT x, x FROM SYSTEM_RANGE(1, 10)');
    const count = () => run(service, 'SELECT COUNT(*) FROM SYSTEM_RANGE(1, 10)');
    for (let round = 0; round < 3; round++) {
      for (const folder of processFoldersOf(service.pid)) rmSync(folder, { recursive: true });
      // More at once than processes run, so some start without the folder.
      const statements = Array.from({ length: 6 }, () => run(service, 'SELECT SUM(x) FROM SYSTEM_RANGE(1, 300000)'));
      for (const { error } of await Promise.all(statements)) expect(error).toBeNull();
      expect((await run(service, 'UPDATE t SET n = n + 1 WHERE id > 0')).error).toBeNull();
      for (const id of processesOf(service.pid)) process.kill(id, 'SIGKILL');
      await until('another process reads', async () => (await count()).error === null);
      await until(
        'another process writes',
        async () => (await run(service, 'DELETE FROM t WHERE n = 0')).error === null,
      );
    }
    expect((await service.send('cmd=put&key=a&val=b')).error).toBeNull();
  },
  LIMIT_MS,
);

test(
  'the process for changes analyses the tables that a process reads',
  async () => {
    await using service = await startService();
    await run(service, 'CREATE TABLE analysed(id INT PRIMARY KEY, n INT)');
    await run(service, 'CREATE INDEX analysed_n ON analysed(n)');
    await run(service, 'INSERT INTO analysed SELECT x, MOD(x, 10) FROM SYSTEM_RANGE(1, 5000)');
    await run(service, 'SELECT COUNT(*) FROM analysed WHERE n + 0 = 3');
    const analysedRows = (): number => {
      using database = new Database(join(service.dataDir, 'svc.db'), { readonly: true });
      const row = database.query<{ n: number | null }, []>('SELECT max(CAST(stat AS INTEGER)) AS n FROM sqlite_stat1');
      return row.get()?.n ?? 0;
    };
    await until('it is analysed', () => analysedRows() >= 1_000);
  },
  LIMIT_MS,
);

test(
  'the one for changes starts with the first of them, ends when it is idle, and leaves its log to the service',
  async () => {
    await using service = await startService();
    await service.command('cmd=put&key=a&val=1');
    expect(processesOf(service.pid, 'changes')).toEqual([]);
    await run(service, 'CREATE TABLE t(id INT PRIMARY KEY, n INT)');
    await run(service, 'MERGE INTO t SELECT x, 0 FROM SYSTEM_RANGE(1, 100000)');
    expect(processesOf(service.pid, 'changes')).toHaveLength(1);
    const file = join(service.dataDir, 'svc.db');
    await until('the log is written back', () => statSync(file).size > MEBIBYTE);
    await until('it has ended', () => processesOf(service.pid, 'changes').length === 0);
    expect((await run(service, 'UPDATE t SET n = n + 1')).error).toBeNull();
  },
  LIMIT_MS,
);
