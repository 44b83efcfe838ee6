/**
 * Pages whose rows the extension collects, as a statement process sends them, against a thread without the extension.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openSqlGrid, runnerOf, type SqlGrid } from '../../../../../test/fixtures/embedded/sql-grid.ts';
import { systemClock as clock } from '../../../../base/clock.ts';
import type { RowFormat } from '../../../../grid/grid.ts';
import { RandomSource } from '../../../../sql/types/random-source.ts';
import { type GuardLibrary, openGuardLibrary } from '../../native/guard-library.ts';
import { StatementGuard } from '../../native/statement-guard.ts';
import { SharedQueryState } from '../../shared/shared-query-state.ts';
import type { PageChunk } from '../../shared/statement-protocol.ts';
import type { StatementServer } from '../statement-server.ts';

const LINUX = process.platform === 'linux' && (process.arch === 'x64' || process.arch === 'arm64');
const OWNER = 'ann';
let grid: SqlGrid;
let library: GuardLibrary;
/** With and without the extension. */
let threads: readonly [Thread, Thread];

interface Thread {
  readonly runner: StatementServer;
  readonly queryState: SharedQueryState;
}

function openThread(queryState: SharedQueryState, path: string | undefined): Thread {
  const guard =
    path === undefined
      ? undefined
      : new StatementGuard({
          library: path,
          memory: queryState.memory,
          blockOffset: queryState.guardOffset(0),
          stopOffset: queryState.stopOffset,
          lengthBytes: 64 * 1024 * 1024,
          clock,
        });
  return { runner: runnerOf(grid.grid, queryState, () => [], clock, guard), queryState };
}

beforeAll(async () => {
  grid = await openSqlGrid();
  await grid.run('CREATE TABLE T(id INT PRIMARY KEY, name VARCHAR, part DOUBLE)');
  await grid.run("INSERT INTO T SELECT x, 'name ' || MOD(x, 300), x / 7.0 FROM SYSTEM_RANGE(1, 4000)");
  const odd = ['],["', '\\', '\\"', '[', '\u{1f600} é', '"', ''];
  for (const [at, name] of odd.entries()) {
    await grid.run(`UPDATE T SET name = '${name}' WHERE id = ${at * 97 + 1}`);
  }
  // Rows that are longer than a chunk, than a large row, and than both together.
  for (const [id, length] of [
    [50, 140_000],
    [1_200, 600_000],
    [1_201, 1_500_000],
  ] as const) {
    await grid.run(`UPDATE T SET name = RPAD('x', ${length}, 'é') WHERE id = ${id}`);
  }
  library = await openGuardLibrary(`${process.platform}-${process.arch}`);
  threads = [openThread(new SharedQueryState(), library.path), openThread(new SharedQueryState(), undefined)];
});

afterAll(async () => {
  for (const { runner } of threads) runner.close();
  await grid.close();
  library.release();
});

/** Returns a page with all of its chunks. */
function wholePage({ runner }: Thread, first: PageChunk, ticket: number): PageChunk {
  let chunk = first;
  let text = first.text;
  while (chunk.more) {
    chunk = runner.cursors.more({ queryId: first.queryId, owner: OWNER, ticket });
    text += chunk.text;
  }
  return { ...chunk, text };
}

async function execute(thread: Thread, sql: string, pageSize: number, maxRows?: number): Promise<PageChunk> {
  const ticket = thread.queryState.nextTicket();
  const query = { kind: 'fields', cache: 'default', owner: OWNER, format: 'json', args: [], timeoutMs: 0 } as const;
  const limit = maxRows === undefined ? {} : { maxRows };
  const first = await thread.runner.execute({ ...query, ...limit, sql, pageSize, ticket, sentAtMs: clock.nowMs() });
  if (first === null) throw new Error('another process has claimed the statement');
  return wholePage(thread, first, ticket);
}

function fetchPage(thread: Thread, queryId: number, pageSize: number, format: RowFormat): PageChunk {
  const ticket = thread.queryState.nextTicket();
  return wholePage(thread, thread.runner.fetch({ queryId, pageSize, owner: OWNER, format, ticket }), ticket);
}

/** A client's view of a page. */
const seen = ({ text, last, rowCount }: PageChunk) => ({ text, last, rowCount });

const STATEMENTS = [
  'SELECT * FROM T ORDER BY id',
  'SELECT part, id FROM T WHERE id > 3000 ORDER BY part DESC',
  'SELECT DISTINCT name FROM T ORDER BY 1',
  'SELECT id FROM T WHERE id < 3 UNION ALL SELECT id FROM T WHERE id > 3998 ORDER BY 1 LIMIT 3',
  'SELECT id FROM T WHERE id < 0',
  // These fail if SQLite computes a column without a row.
  'SELECT id, MOD(COALESCE(CAST(NULL AS INT), 5), COALESCE(CAST(NULL AS INT), 0)) FROM T WHERE id = -1',
  'SELECT id, COALESCE(CAST(NULL AS INT), 2147483647) + COALESCE(CAST(NULL AS INT), 1) FROM T WHERE id = -1',
  "SELECT COALESCE(CAST(NULL AS VARCHAR), 'x') + 1, id FROM T WHERE id = -1 ORDER BY 2",
  'SELECT COUNT(*), SUM(id), MAX(name) FROM T WHERE id > 10 AND id < 40',
  'SELECT a.id, b.name FROM T a LEFT JOIN T b ON b.id = a.id - 3990 WHERE a.id > 3985 ORDER BY b.id DESC, a.id',
  'SELECT id FROM T WHERE id = 7',
];

for (const sql of STATEMENTS) {
  test.if(LINUX)(`${sql}: the same pages of any size`, async () => {
    for (const pageSize of [0, 1, 2, 999, 1_000, 1_001, 5_000]) {
      const pages = await Promise.all(threads.map((thread) => execute(thread, sql, pageSize)));
      const [one, two] = pages.map(seen);
      expect(one).toEqual(two);
      for (const [at, page] of pages.entries()) threads[at]?.runner.cursors.close(page.queryId, OWNER);
    }
  });
}

test.if(LINUX)('the same pages in any order of sizes, formats and moves off the snapshot', async () => {
  const source = new RandomSource(() => 0.5);
  source.seed(42n);
  const random = (below: number) => Math.floor(source.next() * below);
  for (let run = 0; run < 20; run++) {
    const sql = STATEMENTS[random(3)] ?? '';
    const sizes = [random(3) === 0 ? 0 : random(1_500), random(1_500), random(40)];
    const pages = await Promise.all(threads.map((thread) => execute(thread, sql, sizes[0] ?? 0)));
    let [last = true] = pages.map((page) => page.last);
    for (let step = 0; !last && step < 12; step++) {
      if (random(6) === 0) for (const { runner } of threads) await runner.detachCursors();
      const format = (['json', 'json', 'json', 'csv', 'ndjson'] as const)[random(5)] ?? 'json';
      const size = sizes[random(3)] ?? 0;
      const [one, two] = threads.map((thread, at) => fetchPage(thread, pages[at]?.queryId ?? 0, size, format));
      expect(one && seen(one)).toEqual(two && seen(two));
      last = one?.last ?? true;
    }
    for (const [at, page] of pages.entries()) threads[at]?.runner.cursors.close(page.queryId, OWNER);
    expect(threads.map(({ runner }) => runner.cursors.size)).toEqual([0, 0]);
  }
});

test.if(LINUX)('a row that fails ends the statement, and a limit of rows keeps it from being read', async () => {
  const sql = 'SELECT 1 / (id - 1500) FROM T ORDER BY id';
  for (const thread of threads) {
    const first = await execute(thread, sql, 1_000);
    expect([first.rowCount, first.last]).toEqual([1_000, false]);
    expect(() => fetchPage(thread, first.queryId, 1_000, 'json')).toThrow('Division by zero');
    expect(await execute(thread, sql, 2_000, 1_499)).toMatchObject({ rowCount: 1_499, last: true });
    const failure = await execute(thread, sql, 2_000).catch((error: unknown) => String(error));
    expect(failure).toContain('Division by zero');
    expect(await execute(thread, 'SELECT id FROM T WHERE id = 7', 10)).toMatchObject({ text: '[7]' });
  }
});
