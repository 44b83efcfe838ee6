/** Tables with many columns, up to the most that a table can have. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL_BOUNDS } from '../../../base/limits.ts';
import { openSqlGrid, type SqlGrid } from '../system-views/sql-grid.fixture.ts';

const MOST = SQL_BOUNDS.tableColumns;
const TOO_MANY = `A table can have at most ${MOST} columns`;

let sql: SqlGrid;
beforeAll(async () => {
  sql = await openSqlGrid({});
});
afterAll(() => sql.close());

function columns(count: number, type: string, from = 1): string {
  return Array.from({ length: count }, (_, at) => `c${from + at}${type}`).join(', ');
}

async function rows(statement: string): Promise<unknown> {
  return JSON.parse((await sql.run(statement)).json);
}

describe('a table with as many columns as possible', () => {
  test('stores and returns rows', async () => {
    await sql.run(`CREATE TABLE w (id INT PRIMARY KEY, ${columns(MOST - 1, ' INT')})`);
    const values = Array.from({ length: MOST }, (_, at) => at);
    await sql.run(`INSERT INTO w (id, ${columns(MOST - 1, '')}) VALUES (${values.join(', ')})`);
    await sql.run(`UPDATE w SET c${MOST - 1} = -1 WHERE id = 0`);
    expect(await rows('SELECT * FROM w')).toEqual([[...values.slice(0, -1), -1]]);
    await sql.run('DROP TABLE w');
  });

  test('can have a key of many columns', async () => {
    const key = columns(100, '');
    await sql.run(`CREATE TABLE w (${columns(MOST, ' INT')}, PRIMARY KEY (${key}))`);
    await sql.run(`INSERT INTO w (${key}, c101) VALUES (${Array(101).fill(7).join(', ')})`);
    expect(await rows('SELECT c1, c100, c101, c102 FROM w')).toEqual([[7, 7, 7, null]]);
    await sql.run('DROP TABLE w');
  });
});

describe('more columns are rejected', () => {
  test('in CREATE TABLE', async () => {
    const create = (count: number) => sql.run(`CREATE TABLE w (id INT PRIMARY KEY, ${columns(count, ' INT')})`);
    await expect(create(MOST)).rejects.toThrow(TOO_MANY);
    await expect(create(30_000)).rejects.toThrow(TOO_MANY);
    expect(await sql.objects("SELECT TABLE_NAME FROM SYS.TABLES WHERE TABLE_NAME = 'W'")).toEqual([]);
  });

  test('in ALTER TABLE, which counts dropped columns', async () => {
    await sql.run(`CREATE TABLE w (id INT PRIMARY KEY, ${columns(MOST - 1, ' INT')})`);
    await sql.run('ALTER TABLE w DROP COLUMN c1, c2');
    await sql.run('ALTER TABLE w ADD COLUMN d1 INT');
    await expect(sql.run('ALTER TABLE w ADD COLUMN d2 INT')).rejects.toThrow(TOO_MANY);
    await expect(sql.run(`ALTER TABLE w ADD COLUMN (${columns(30_000, ' INT')})`)).rejects.toThrow(TOO_MANY);
    await sql.run('INSERT INTO w (id, d1) VALUES (1, 2)');
    expect(await rows('SELECT d1 FROM w')).toEqual([[2]]);
    await sql.run('DROP TABLE w');
  });
});
