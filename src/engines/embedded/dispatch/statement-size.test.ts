/** Which statements a request thread prepares, by their text and the columns of their tables. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openSqlGrid, type SqlGrid } from '../../../../test/fixtures/embedded/sql-grid.ts';
import { SQL_BOUNDS } from '../../../base/limits.ts';
import { analyze } from '../../../sql/analysis/analysis.ts';
import { isNarrow, isShort } from './statement-size.ts';

const MOST = SQL_BOUNDS.preparedColumns;

let sql: SqlGrid;
beforeAll(async () => {
  sql = await openSqlGrid();
  const columns = (count: number) => Array.from({ length: count }, (_, at) => `c${at} INT`).join(', ');
  await sql.run(`CREATE TABLE wide (id INT PRIMARY KEY, ${columns(MOST)})`);
  await sql.run('INSERT INTO wide (id, c1) VALUES (1, 2)');
  await sql.run(`CREATE TABLE half (id INT PRIMARY KEY, ${columns(MOST / 2)})`);
  await sql.run('CREATE TABLE narrow (id INT PRIMARY KEY, n INT)');
  await sql.run('INSERT INTO narrow VALUES (1, 2)');
  await sql.run('CREATE VIEW wide_view AS SELECT id FROM wide');
  await sql.run('CREATE VIEW narrow_view AS SELECT id FROM narrow');
  await sql.run('CREATE VIEW v0 AS SELECT a.id FROM narrow a, narrow b');
  await sql.run('CREATE VIEW w0 AS SELECT a.id FROM narrow a, narrow b');
  for (let at = 1; at < 7; at++) {
    await sql.run(`CREATE VIEW v${at} AS SELECT a.id FROM v${at - 1} a, w${at - 1} b`);
    await sql.run(`CREATE VIEW w${at} AS SELECT a.id FROM v${at - 1} a, w${at - 1} b`);
  }
});
afterAll(() => sql.close());

const joined = (table: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${table} t${at}`).join(' NATURAL JOIN ');

test.each([
  ['SELECT * FROM narrow WHERE id = 1', true],
  ['SELECT * FROM wide WHERE id = 1', false],
  ['SELECT id FROM PUBLIC.wide WHERE id = 1', false],
  ['SELECT * FROM half', true],
  ['SELECT * FROM half a JOIN half b ON a.id = b.id', false],
  ['SELECT * FROM half WHERE id IN (SELECT id FROM wide)', false],
  ['INSERT INTO wide (id) VALUES (2)', false],
  ['UPDATE narrow SET n = 1 WHERE id = 1', true],
  ['DELETE FROM wide WHERE id = 2', false],
  [`SELECT * FROM ${joined('narrow', 3)}`, true],
  [`SELECT * FROM ${joined('narrow', 60)}`, false],
  ['SELECT * FROM narrow_view', true],
  ['SELECT * FROM wide_view', false],
  ['SELECT * FROM v1', true],
  ['SELECT * FROM v6', false],
  ['SELECT * FROM SYS.TABLES', true],
  ['SELECT * FROM missing', true],
  ['SELECT * FROM', true],
])('%s', (text, expected) => {
  expect(isNarrow(analyze(text), 'PUBLIC', sql.catalog)).toBe(expected);
});

test('statements by key run on the request thread if they are narrow', async () => {
  expect(await sql.run('SELECT * FROM narrow WHERE id = 1')).toMatchObject({ json: '[[1,2]]', isLocal: true });
  expect(await sql.run('SELECT id, c1 FROM wide WHERE id = 1')).toMatchObject({ json: '[[1,2]]', isLocal: false });
  expect(await sql.run('UPDATE narrow SET n = 3 WHERE id = 1')).toMatchObject({ json: '[[1]]', isLocal: true });
  expect(await sql.run('UPDATE wide SET c1 = 3 WHERE id = 1')).toMatchObject({ json: '[[1]]', isLocal: false });
});

test.each([
  ['a short statement', 'SELECT 1', true],
  ['a short statement with an error', 'SELECT FROM WHERE', true],
  ['a short statement of too many tokens', `INSERT INTO narrow (id) VALUES ${'(1),'.repeat(300)}(2)`, false],
  ['a long statement of few tokens', `SELECT '${'x'.repeat(10_000)}'`, false],
  ['a long statement with an error', `SELECT FROM '${'x'.repeat(10_000)}'`, false],
  ['a call that may take long', "SELECT REPEAT('x', 1000000)", false],
])('%s', (_, text, expected) => {
  expect(isShort(text, analyze(text))).toBe(expected);
});
