/** Statements that only the guard can interrupt, on real connections. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../../test/system/until.ts';
import { systemClock as clock } from '../../../base/clock.ts';
import { type GuardLibrary, openGuardLibrary } from './guard-library.ts';
import { GUARD_BLOCK_BYTES, type GuardedConnection, type RunBounds, StatementGuard } from './statement-guard.ts';

const STOP_OFFSET = GUARD_BLOCK_BYTES;
const CANCEL_OFFSET = GUARD_BLOCK_BYTES + 4;
const CANCELLED = 7;
const MB = 1024 * 1024;
const BOUNDS: RunBounds = {
  timeMs: Number.POSITIVE_INFINITY,
  memoryBytes: 0,
  diskBytes: 0,
  cancelOffset: CANCEL_OFFSET,
  cancelValue: CANCELLED,
};
const ENDLESS = 'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r';
const LINUX = process.platform === 'linux' && (process.arch === 'x64' || process.arch === 'arm64');
const folder = mkdtempSync(join(tmpdir(), 'svc-guard-'));

let library: GuardLibrary;
let memory: SharedArrayBuffer;
let database: Database;
let connection: GuardedConnection;

beforeAll(async () => {
  library = await openGuardLibrary(`${process.platform}-${process.arch}`);
  if (library.path === undefined) return;
  memory = new SharedArrayBuffer(GUARD_BLOCK_BYTES + 8);
  const options = {
    library: library.path,
    memory,
    blockOffset: 0,
    stopOffset: STOP_OFFSET,
    lengthBytes: 64 * MB,
    clock,
  };
  database = new Database(join(folder, 'data.db'), { safeIntegers: true });
  database.run('PRAGMA temp_store = FILE');
  connection = new StatementGuard(options).attach(database);
  database.run('CREATE TABLE numbers (n INTEGER PRIMARY KEY, t TEXT)');
  database.run(
    `INSERT INTO numbers WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r LIMIT 500000)
    SELECT n, 'text ' || (n * 7919 % 500000) FROM r`,
  );
});

afterAll(() => {
  connection?.close();
  database?.close(true);
  library.release();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a statement under the guard. Returns why it was interrupted, and after how many ms. */
function run(sql: string, bounds: Partial<RunBounds>): { reason: string | undefined; durationMs: number } {
  const startMs = clock.monotonicMs();
  connection.begin({ ...BOUNDS, ...bounds });
  try {
    using statement = database.prepare(sql);
    statement.values();
    return { reason: undefined, durationMs: 0 };
  } catch (error) {
    return { reason: connection.guard.reason ?? String(error), durationMs: clock.monotonicMs() - startMs };
  } finally {
    connection.end();
  }
}

const TIMED: ReadonlyArray<readonly [title: string, sql: string, timeMs?: number]> = [
  ['an endless recursive query', ENDLESS],
  ['a product of tables', 'SELECT sum(a.n * b.n) FROM numbers a, numbers b'],
  ['a sort', 'SELECT a.t FROM numbers a, numbers b ORDER BY 1 LIMIT 1'],
  ['CREATE INDEX', 'CREATE INDEX by_text ON numbers(t, n)'],
  // Copies the rows, which takes 20 ms and more, then the pages, which nothing interrupts.
  ['VACUUM', 'VACUUM', 5],
  ['UPDATE', 'UPDATE numbers SET t = t || n || t'],
];

for (const [title, sql, timeMs = 30] of TIMED) {
  test.if(LINUX)(`${title} is interrupted at its deadline`, () => {
    const { reason, durationMs } = run(sql, { timeMs });
    expect(reason).toBe('time');
    expect(durationMs).toBeLessThan(5_000);
  });
}

test.if(LINUX)('a statement is interrupted after its processor time, which does not pass in steps', () => {
  const limited = (cpuMs: number) => {
    const { reason, durationMs } = run(ENDLESS, { cpuMs });
    const { usedCpuMs } = connection.guard;
    // The kernel counts up to now when it is asked, not up to its last tick.
    expect(usedCpuMs).toBeWithin(cpuMs, cpuMs + 2);
    expect(durationMs).toBeGreaterThan(cpuMs * 0.9);
    return reason;
  };
  for (const cpuMs of [0.5, 1, 3, 5, 30]) expect(limited(cpuMs)).toBe('time');
  run('SELECT 1', { cpuMs: 1 });
  expect(connection.guard.usedCpuMs).toBeLessThan(0.5);
});

test.if(LINUX)('a statement is interrupted when another thread cancels it or all statements', async () => {
  for (const offset of [CANCEL_OFFSET, STOP_OFFSET]) {
    const flag = new Int32Array(memory, offset, 1);
    const worker = new Worker(
      URL.createObjectURL(
        new Blob([
          'self.onmessage = ({ data: [memory, offset, value] }) => {' +
            'setTimeout(() => Atomics.store(new Int32Array(memory, offset, 1), 0, value), 50); self.postMessage(0); };',
        ]),
      ),
    );
    const begun = new Promise((resolve) => worker.addEventListener('message', resolve));
    worker.postMessage([memory, offset, CANCELLED]);
    await begun;
    expect(run(ENDLESS, { timeMs: 5_000 }).reason).toBe('cancelled');
    worker.terminate();
    flag[0] = 0;
  }
});

const GREEDY: ReadonlyArray<readonly [title: string, sql: string]> = [
  [
    'strings that double in length',
    "WITH RECURSIVE r(n, s) AS (SELECT 1, 'a' UNION ALL SELECT n + 1, s || s FROM r) SELECT count(*) FROM r",
  ],
  ['one string of all rows', "SELECT length(group_concat(printf('%.*c', 1000000, 'a') || n)) FROM numbers"],
];

for (const [title, sql] of GREEDY) {
  test.if(LINUX)(`${title}: interrupted for the use of memory`, async () => {
    const before = process.memoryUsage.rss();
    // SQLite also bounds the length of a string, and may fail the statement first.
    expect(run(sql, { timeMs: 10_000, memoryBytes: 32 * MB }).reason).toMatch(/memory|too big/);
    // The allocator returns freed memory after a while.
    await until('the memory is returned', () => process.memoryUsage.rss() - before < 160 * MB);
  });
}

test.if(LINUX)('a sort is interrupted when it writes too much to temporary files', () => {
  const sql = "SELECT n, printf('%.*c', 20000, 'a') || n AS s FROM numbers ORDER BY s DESC LIMIT 1 OFFSET 400000";
  expect(run(sql, { timeMs: 20_000, diskBytes: 64 * MB }).reason).toBe('disk');
});

test.if(LINUX)('a cheap statement completes under all bounds', () => {
  const bounds = { timeMs: 10_000, memoryBytes: 32 * MB, diskBytes: 64 * MB };
  expect(run('SELECT count(*), sum(n) FROM numbers', bounds).reason).toBeUndefined();
});

test.if(LINUX)('rows are collected up to a number and a size, after they were sorted', () => {
  const { guard } = connection;
  using statement = database.prepare<{ j: string }, []>(
    `SELECT statement_guard_rows() AS j FROM (SELECT json_array(n, t) AS j FROM (SELECT n, 'a' || n AS t FROM numbers
      WHERE n <= 10 ORDER BY n DESC) LIMIT -1) WHERE statement_guard_row(j) UNION ALL SELECT statement_guard_rows()`,
  );
  const rows = statement.iterate();
  const next = (count: number, bytes: number) => {
    guard.wantRows(count, bytes);
    const step = rows.next();
    return step.done === true ? undefined : [step.value.j, guard.collectedRows];
  };
  expect(next(0, 100)).toEqual(['', { count: 0, follow: true }]);
  expect(next(2, 100)).toEqual(['[10,"a10"],[9,"a9"]', { count: 2, follow: true }]);
  expect(next(5, 10)).toEqual(['[8,"a8"],[7,"a7"]', { count: 2, follow: true }]);
  expect(next(5, 1)).toEqual(['[6,"a6"]', { count: 1, follow: true }]);
  expect(next(100, 1_000)?.[1]).toEqual({ count: 5, follow: false });
  expect(next(100, 1_000)).toBeUndefined();
  // A statement that ends early leaves the row after the text.
  const again = statement.iterate();
  guard.wantRows(1, 100);
  again.next();
  again.return?.();
  connection.dropRows();
  expect(next(100, 1_000)).toBeUndefined();
  using empty = database.prepare<{ j: string }, []>('SELECT statement_guard_rows() AS j');
  expect([empty.get()?.j, guard.collectedRows.count]).toEqual(['', 0]);
});

test('the checked-in libraries were built from the checked-in source', () => {
  const lines = readFileSync(join(import.meta.dir, 'statement-guard.sha256'), 'utf8')
    .trim()
    .split('\n');
  const actual = lines.map((line) => {
    const name = line.slice(line.indexOf('  ') + 2);
    const bytes = readFileSync(join(import.meta.dir, name));
    return `${new Bun.CryptoHasher('sha256').update(bytes).digest('hex')}  ${name}`;
  });
  expect(lines).toEqual(actual);
  expect(lines.length).toBe(5);
});

test('a platform without a library is reported with the reason', async () => {
  const { path, reason } = await openGuardLibrary('plan9-x64');
  expect([path, reason]).toEqual([undefined, 'there is no library for plan9-x64']);
});
