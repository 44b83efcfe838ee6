/** Statements that the extension groups, as a query thread runs them, against a thread without the extension. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { systemClock as clock } from '../../../base/clock.ts';
import { type GuardLibrary, openGuardLibrary } from '../native/guard-library.ts';
import { StatementGuard } from '../native/statement-guard.ts';
import { openSqlGrid, runnerOf, type SqlGrid } from '../system-views/sql-grid.fixture.ts';
import type { QueryRunner } from './query-runner.ts';
import { SharedQueryState } from './shared-query-state.ts';

const LINUX = process.platform === 'linux' && (process.arch === 'x64' || process.arch === 'arm64');
const queryState = new SharedQueryState();
let grid: SqlGrid;
let library: GuardLibrary;
let runner: QueryRunner;

beforeAll(async () => {
  grid = await openSqlGrid();
  await grid.run('CREATE TABLE T(id INT PRIMARY KEY, kind INT, code INT, name VARCHAR, amount INT)');
  await grid.run('CREATE INDEX T_code ON T(code)');
  await grid.run(
    "INSERT INTO T SELECT x, MOD(x, 7), MOD(x, 100), 'name ' || MOD(x, 3), MOD(x * 31, 1000) FROM SYSTEM_RANGE(1, 9000)",
  );
  library = await openGuardLibrary(`${process.platform}-${process.arch}`);
  if (library.path === undefined) return;
  const guard = new StatementGuard({
    library: library.path,
    memory: queryState.memory,
    blockOffset: queryState.guardOffset(0),
    stopOffset: queryState.stopOffset,
    lengthBytes: 64 * 1024 * 1024,
    clock,
  });
  runner = runnerOf(grid.grid, queryState, () => [], clock, guard);
});

afterAll(async () => {
  runner?.close();
  await grid.close();
  library.release();
});

async function guarded(sql: string, timeoutMs = 0): Promise<string> {
  const ticket = queryState.nextTicket();
  const { text, more } = await runner.execute({
    kind: 'fields',
    cache: 'default',
    owner: '',
    pageSize: 10_000,
    format: 'json',
    sql,
    args: [],
    timeoutMs,
    ticket,
    sentAtMs: clock.nowMs(),
  });
  expect(more).toBe(false);
  return `[${text}]`;
}

const STATEMENTS: readonly string[] = [
  'SELECT kind, COUNT(*), SUM(amount), AVG(amount) FROM T GROUP BY kind',
  'SELECT name, kind, MIN(amount) FROM T WHERE amount > 500 GROUP BY name, kind ORDER BY 3 DESC, 1, 2',
  // SQLite reads these groups one after the other from an index.
  'SELECT code, COUNT(*) FROM T GROUP BY code',
  // These are too many groups for the extension.
  'SELECT amount, id, COUNT(*) FROM T WHERE id < 6000 GROUP BY amount, id',
];

for (const sql of STATEMENTS) {
  test.if(LINUX)(`${sql}: the same rows with the extension`, async () => {
    const { json } = await grid.run(sql);
    expect(await guarded(sql)).toBe(json);
    // The second run knows whether the extension can group the rows.
    expect(await guarded(sql)).toBe(json);
  });
}

test.if(LINUX)('a grouping of the extension ends when it is cancelled', async () => {
  const endless =
    'SELECT a.kind, COUNT(*) FROM T a JOIN T b ON b.kind = a.kind JOIN T c ON c.kind = a.kind GROUP BY a.kind';
  const failure = await guarded(endless, 100).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'QUERY_TIMEOUT' });
});

test.if(LINUX)('a grouping of the extension sees changes of its table', async () => {
  const sql = 'SELECT kind, SUM(amount) FROM T WHERE id > 8990 GROUP BY kind';
  await guarded(sql);
  await grid.run('UPDATE T SET amount = amount + 1 WHERE id = 8995');
  expect(await guarded(sql)).toBe((await grid.run(sql)).json);
});
