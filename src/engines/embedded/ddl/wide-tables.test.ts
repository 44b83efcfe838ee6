/** Tables with many columns, up to the maximum. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openSqlGrid, type SqlGrid } from '../../../../test/fixtures/embedded/sql-grid.ts';
import { entriesOf } from '../../../../test/grid/entry-methods.ts';
import { CHANGE_FEED_BOUNDS, SQL_BOUNDS } from '../../../base/limits.ts';
import { parseStatement } from '../../../sql/syntax/parser.ts';
import { text } from '../../../values/value.ts';
import { DATA_DATABASE, databasePath, openForWriting } from '../storage/databases.ts';
import { feedWidth } from '../storage/feed-tables.ts';

const MOST = SQL_BOUNDS.tableColumns;
const TOO_MANY = `A table can have at most ${MOST} columns`;

let sql: SqlGrid;
beforeAll(async () => {
  sql = await openSqlGrid({ regions: [{ name: 'memory', persistent: false }], caches: [{ name: 'plain' }] });
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

test('a cache with too many columns for SQLite is rejected, and its type can be used', async () => {
  const field = (name: string) => ({ name, type: { kind: 'scalar', type: 'integer' } as const });
  const fields = Array.from({ length: SQL_BOUNDS.cacheColumns + 1 }, (_, at) => field(`F${at}`));
  const plain = sql.grid.thread.registry.require('plain');
  const entity = { keyType: 'integer', valueType: 'Wide', keyFields: ['ID'], fields: [field('ID'), ...fields] };
  const definition = { ...plain.definition, name: 'wide', entities: [entity] };
  await expect(sql.grid.writer.submit('defineCache', { definition })).rejects.toThrow('columns');
  await sql.run('CREATE TABLE w (id INT PRIMARY KEY, n INT) WITH "value_type=Wide"');
  const { names } = sql.grid.thread;
  expect(names.nameOf(names.idOf('Wide'))).toBe('Wide');
  await sql.run('DROP TABLE w');
});

test('a declared cache of more columns can be changed, but for further columns', async () => {
  const field = (name: string) => ({ name, type: { kind: 'scalar', type: 'integer' } as const });
  const fields = Array.from({ length: MOST + 10 }, (_, at) => field(`F${at}`));
  const entity = { keyType: 'integer', valueType: 'Many', keyFields: ['ID'], fields: [field('ID'), ...fields] };
  const many = await openSqlGrid({ caches: [{ name: 'many', schema: 'PUBLIC', entities: [entity] }] });
  try {
    await many.run('INSERT INTO many (id, f0, f1001) VALUES (1, 2, 3)');
    await many.run('CREATE INDEX many_f0 ON many (f0)');
    await many.run('ALTER TABLE many DROP COLUMN f1');
    expect((await many.run('SELECT id, f1001 FROM many WHERE f0 = 2')).json).toBe('[[1,3]]');
    await expect(many.run('ALTER TABLE many ADD COLUMN more INT')).rejects.toThrow(TOO_MANY);
  } finally {
    await many.close();
  }
});

test('a cache with entries becomes a table of many columns', async () => {
  await entriesOf(sql.grid).put('plain', text('a'), text('b'), undefined);
  await sql.run(`CREATE TABLE p (id INT PRIMARY KEY, ${columns(300, ' INT')}) WITH "cache_name=plain"`);
  await sql.run('INSERT INTO p (id, c300) VALUES (1, 2)');
  expect(await rows('SELECT id, c1, c300 FROM p')).toEqual([[1, null, 2]]);
  expect(await entriesOf(sql.grid).get('plain', text('a'))).toEqual(text('b'));
});

describe.each(['default', 'memory'])('columns that are added to a table with rows in the region %s', (region) => {
  const withRegion = `WITH "data_region=${region}"`;

  /** Returns the columns of fields in the file of the table W. */
  function stored(): readonly string[] {
    const [found] = sql.grid.thread.registry.findTables('PUBLIC', 'W');
    const { database, table } = found?.handle ?? { database: 0, table: '' };
    const connection = sql.grid.thread.reads.get(database);
    connection.refresh();
    const names = connection.database.query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?)');
    return names.all(table).flatMap(({ name }) => (/^f[0-9]/.test(name) ? [name] : []));
  }

  test('are many or few', async () => {
    await sql.run(`CREATE TABLE w (id INT PRIMARY KEY, a INT, b INT) ${withRegion}`);
    await sql.run('INSERT INTO w (id, a) VALUES (1, 2)');
    await sql.run(`ALTER TABLE w ADD COLUMN (${columns(300, ' INT')})`);
    await sql.run('ALTER TABLE w ADD COLUMN d INT');
    await sql.run('UPDATE w SET c300 = 5, d = 6');
    expect(await rows('SELECT id, a, b, c1, c300, d FROM w')).toEqual([[1, 2, null, null, 5, 6]]);
    expect(stored()).toHaveLength(303);
    await sql.run('DROP TABLE w');
  });

  test('are those that an interrupted statement has left', async () => {
    await sql.run(`CREATE TABLE w (id INT PRIMARY KEY, a INT, b INT) ${withRegion}`);
    await sql.run('INSERT INTO w (id, a) VALUES (1, 2)');
    const statement = parseStatement('ALTER TABLE w ADD COLUMN (c INT, d INT, e INT)').statement;
    if (statement.kind !== 'addColumns') throw new Error(statement.kind);
    const plan = await sql.grid.writer.submit('planColumns', { statement, schema: 'PUBLIC' });
    expect(plan).toMatchObject({ from: 3, to: 6 });
    const { reads, shared } = sql.grid.thread;
    const { database: number = DATA_DATABASE, table } = plan ?? {};
    await sql.grid.writer.withWriteLock(async () => {
      using database = openForWriting(databasePath(reads.files, number, shared.epoch()), number === DATA_DATABASE);
      database.run(`ALTER TABLE ${table} ADD COLUMN f3 ANY`);
      return [number];
    });
    await sql.run('ALTER TABLE w ADD COLUMN (x INT, y INT)');
    await sql.run('UPDATE w SET x = 7, y = 8');
    expect(await rows('SELECT * FROM w')).toEqual([[1, 2, null, 7, 8]]);
    expect(stored()).toEqual(['f1', 'f2', 'f3', 'f4']);
    await sql.run('DROP TABLE w');
  });

  test('are rejected before any is added', async () => {
    await sql.run(`CREATE TABLE w (id INT PRIMARY KEY, a INT, b INT) ${withRegion}`);
    await sql.run('INSERT INTO w (id, a) VALUES (1, 2)');
    await expect(sql.run('ALTER TABLE w ADD COLUMN (c INT, a INT)')).rejects.toThrow('Column already exists: A');
    await expect(sql.run('ALTER TABLE w ADD COLUMN _key INT')).rejects.toThrow('Column already exists: _KEY');
    expect(stored()).toEqual(['f1', 'f2']);
    await expect(sql.run('CREATE INDEX none.i ON w(a)')).rejects.toThrow('Schema "NONE" not found');
    await sql.run('DROP TABLE w');
    await expect(sql.run('ALTER TABLE w ADD COLUMN (c INT, d INT)')).rejects.toThrow("Table doesn't exist: W");
  });
});

describe('a table whose changes are recorded', () => {
  const { columns: most } = CHANGE_FEED_BOUNDS;
  const recorded = (count: number) =>
    `CREATE TABLE r (id INT PRIMARY KEY, ${columns(count, ' INT')}) WITH "change_feed=true"`;

  test('has its columns in the change feed before it is created, and when it is altered', async () => {
    const width = () => feedWidth({ database: sql.grid.thread.reads.get(DATA_DATABASE).database, prefix: '' });
    const statement = parseStatement(recorded(50)).statement;
    if (statement.kind !== 'createTable') throw new Error(statement.kind);
    const request = { statement, schema: 'PUBLIC' };
    expect(await sql.grid.writer.submit('planColumns', request)).toMatchObject({ feedFields: 50 });
    await sql.run(recorded(50));
    expect(width()).toBe(50);
    await sql.run('INSERT INTO r (id, c50) VALUES (1, 2)');
    await sql.run(`ALTER TABLE r ADD COLUMN (${columns(10, ' INT', 51)})`);
    await sql.run('UPDATE r SET c60 = 3');
    expect(width()).toBe(60);
    expect(await rows('SELECT id, c50, c60 FROM r')).toEqual([[1, 2, 3]]);
    await sql.run('DROP TABLE r');
    expect(await sql.grid.writer.submit('planColumns', request)).toBeUndefined();
  });

  test('is one that exists, when its recording begins', async () => {
    await sql.run(`CREATE TABLE r (id INT PRIMARY KEY, ${columns(90, ' INT')})`);
    expect(await sql.grid.writer.submit('recordCache', { name: 'SQL_PUBLIC_R', isRecorded: true })).toBe(false);
    await sql.grid.changeFeed?.setRecorded('SQL_PUBLIC_R', true);
    expect(feedWidth({ database: sql.grid.thread.reads.get(DATA_DATABASE).database, prefix: '' })).toBe(90);
    await sql.run('INSERT INTO r (id, c90) VALUES (1, 2)');
    await sql.grid.changeFeed?.setRecorded('SQL_PUBLIC_R', false);
    await sql.run('DROP TABLE r');
  });

  test('can have a limited number of columns', async () => {
    await sql.run(recorded(most));
    await sql.run(`INSERT INTO r (id, c${most}) VALUES (1, 2)`);
    await sql.run(`UPDATE r SET c1 = 3`);
    const tooMany = `The table has too many columns to record its changes: SQL_PUBLIC_R [limit=${most}]`;
    await expect(sql.run('ALTER TABLE r ADD COLUMN d INT')).rejects.toThrow(tooMany);
    await sql.run('DROP TABLE r');
    await expect(sql.run(recorded(most + 1))).rejects.toThrow(tooMany);
  }, 60_000);
});
