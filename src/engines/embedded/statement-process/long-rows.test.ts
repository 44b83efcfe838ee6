/** Queries by key of rows with texts from 1 MiB on, which statement processes read. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openSqlGrid, type SqlGrid } from '../../../../test/fixtures/embedded/sql-grid.ts';

const LONG = 1024 * 1024;

let sql: SqlGrid;
beforeAll(async () => {
  sql = await openSqlGrid({});
  await sql.run('CREATE TABLE t (id INT PRIMARY KEY, text VARCHAR, n INT)');
  await sql.run(`INSERT INTO t VALUES (1, REPEAT('a', ${LONG - 1}), 1), (2, REPEAT('b', ${LONG}), 2)`);
});
afterAll(() => sql.close());

const BY_KEY: ReadonlyArray<readonly [what: string, statement: string, isLocal: boolean, row: readonly unknown[]]> = [
  ['a shorter text', 'SELECT text FROM t WHERE id = 1', true, ['a'.repeat(LONG - 1)]],
  ['a long text', 'SELECT text FROM t WHERE id = 2', false, ['b'.repeat(LONG)]],
  ['a long text among others', 'SELECT id, text, n FROM t WHERE id = 2', false, [2, 'b'.repeat(LONG), 2]],
  ['other columns, and a row without a long text', 'SELECT id, n FROM t WHERE id = 1', true, [1, 1]],
];

test.each(BY_KEY)('%s', async (_what, statement, isLocal, row) => {
  const result = await sql.run(statement);
  expect(result.isLocal).toBe(isLocal);
  expect(JSON.parse(result.json)).toEqual([row]);
});

test('a query that is not by key leaves a long text to a statement process, and stays here for others', async () => {
  await sql.run('CREATE TABLE w (id INT PRIMARY KEY, text VARCHAR, n INT)');
  await sql.run(`INSERT INTO w VALUES (1, REPEAT('a', ${LONG - 1}), 1), (2, REPEAT('b', ${LONG}), 2)`);
  const statement = 'SELECT text FROM w WHERE n = ?';
  for (let run = 0; run < 8; run++) await sql.run(statement, ['1']);
  expect((await sql.run('SELECT n FROM w WHERE n < 9')).json).toBe('[[1],[2]]');
  const result = await sql.run(statement, ['2']);
  expect(result.isLocal).toBe(false);
  expect(JSON.parse(result.json)).toEqual([['b'.repeat(LONG)]]);
});
