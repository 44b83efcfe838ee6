/** Indexes on paths in a region that does not persist: its file commits separately from the definitions. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlGrid, type SqlGrid } from '../../../../test/fixtures/embedded/sql-grid.ts';
import { entriesOf } from '../../../../test/grid/entry-methods.ts';
import { text } from '../../../values/value.ts';
import { DATA_FILE } from '../storage/data-folder.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'svc-entry-indexes-'));
let sql: SqlGrid;
const open = (): Promise<SqlGrid> =>
  openSqlGrid({ dataDir, regions: [{ name: 'default' }, { name: 'memory', persistent: false }] });
beforeAll(async () => {
  sql = await open();
});
afterAll(async () => {
  await sql.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const P = '"people".ENTRIES';
const BORN = "JSON_VALUE(_val, '$.born' RETURNING INT)";
const CITY = "JSON_VALUE(_val, '$.city')";
const SEARCH = `SELECT _key FROM ${P} WHERE ${BORN} < 5 ORDER BY ${BORN}`;

async function answer(statement: string): Promise<unknown> {
  try {
    const rows: unknown[][] = JSON.parse((await sql.run(statement)).json);
    return rows.every((row) => row.length === 1) ? rows.flat() : rows;
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}

const run = async (statement: string): Promise<void> =>
  expect([statement, await answer(statement)]).toEqual([statement, [expect.any(Number)]]);
const plan = async (statement: string): Promise<string> => JSON.stringify(await answer(`EXPLAIN ${statement}`));
const put = (key: string, json: string, cache = 'people') => entriesOf(sql.grid).put(cache, text(key), text(json));

/** The columns of the paths have the values that an expression without an index computes. */
async function isKept(): Promise<void> {
  const ask = (clauses: string) =>
    answer(`SELECT _key, JSON_VALUE(_val, '$.born' RETURNING INT${clauses}) FROM ${P} ORDER BY _key`);
  expect(await ask('')).toEqual(await ask(' NULL ON EMPTY DEFAULT NULL ON ERROR'));
  expect(await plan(SEARCH)).toContain('by index BORN (');
}

test('is built over what exists, searched, and kept by every write', async () => {
  await sql.grid.caches.getOrCreate('people', { region: 'memory', changeFeed: true });
  await put('ann', '{"born":1,"city":"Oslo"}');
  await put('bob', '{"born":1990}');
  await run(`CREATE INDEX born ON ${P} (${BORN})`);
  await run(`CREATE INDEX city ON ${P} (${CITY} DESC)`);
  await run(`CREATE INDEX IF NOT EXISTS city ON ${P} (${CITY})`);
  expect(await answer(`CREATE INDEX city ON ${P} (${CITY})`)).toContain('already exists');
  expect(await answer(SEARCH)).toEqual(['ann']);
  expect(await answer(`SELECT _key FROM ${P} WHERE ${CITY} = 'Oslo'`)).toEqual(['ann']);
  await isKept();
  await put('bob', '{"born":0}');
  await run(`INSERT INTO ${P} (_key, _val) VALUES ('cat', '{"born":2}')`);
  await run(`UPDATE ${P} SET _val = '{"born":3}' WHERE _key = 'ann'`);
  expect(await answer(SEARCH)).toEqual(['bob', 'cat', 'ann']);
  await isKept();
  await run(`DELETE FROM ${P} WHERE ${BORN} = 2`);
  expect(await answer(SEARCH)).toEqual(['bob', 'ann']);
});

test('is one change of the cache in its feed', async () => {
  const changes = (): number => Number(sql.grid.changeFeed?.position(['fed'])?.split('.').at(-1));
  await sql.grid.caches.getOrCreate('fed', { region: 'memory', changeFeed: true });
  for (const statement of ['CREATE INDEX n ON "fed".ENTRIES (JSON_VALUE(_val, \'$.n\'))', 'DROP INDEX "fed".n']) {
    const before = changes();
    await run(statement);
    expect([statement, changes() - before]).toEqual([statement, 1]);
  }
});

test('DROP INDEX leaves no value to the next index, or to a column', async () => {
  await run('DROP INDEX "people".city');
  await put('dan', '{"city":"Rome"}');
  await run(`CREATE INDEX city ON ${P} (${CITY})`);
  expect(await answer(`SELECT _key, ${CITY} FROM ${P} WHERE ${CITY} IS NOT NULL`)).toEqual([['dan', 'Rome']]);
  await run('DROP INDEX "people".city');
});

test('stays beside a table, whose columns are others', async () => {
  await put('eve', '{"born":4}');
  await run('CREATE TABLE Person (id VARCHAR PRIMARY KEY, born INT) WITH "CACHE_NAME=people,VALUE_TYPE=Human"');
  await isKept();
  for (const statement of [
    "INSERT INTO Person (id, born) VALUES ('t1', -7), ('t2', NULL)",
    'ALTER TABLE Person ADD COLUMN n INT',
    "UPDATE Person SET born = 4, n = 5 WHERE id = 't2'",
    'CREATE INDEX person_born ON Person (born)',
    "MERGE INTO Person (id, born) VALUES ('t3', 2)",
  ]) {
    await run(statement);
    await isKept();
  }
  expect(await answer('SELECT id, born, n FROM Person ORDER BY id')).toEqual([
    ['t1', -7, null],
    ['t2', 4, 5],
    ['t3', 2, null],
  ]);
  expect(await answer('DROP TABLE Person')).toContain('people');
  expect(await answer(`SELECT COUNT(*) FROM ${P} WHERE ${BORN} = 4`)).toEqual([1]);
});

const refill = async (): Promise<void> => {
  expect(await answer(`SELECT COUNT(*) FROM ${P}`)).toEqual([0]);
  await put('ann', '{"born":1}');
  expect(await answer(SEARCH)).toEqual(['ann']);
  await isKept();
};

test.each([
  [
    'clear',
    async (): Promise<void> => {
      await entriesOf(sql.grid).clear('people');
    },
  ],
  [
    'a restart',
    async (): Promise<void> => {
      await sql.close();
      sql = await open();
    },
  ],
  [
    'INACTIVE',
    async (): Promise<void> => {
      await sql.grid.cluster.setState('INACTIVE', true);
      expect(await answer(`CREATE INDEX i ON ${P} (${CITY})`)).toContain('inactive');
      expect(await answer('DROP INDEX "people".born')).toContain('inactive');
      await sql.grid.cluster.setState('ACTIVE', true);
    },
  ],
] as const)('is declared, without entries, after %s', async (_title, action) => {
  await action();
  await refill();
});

test('ends with its cache, and with a table that CREATE TABLE created', async () => {
  await sql.grid.caches.destroy('people');
  await sql.grid.caches.getOrCreate('people', { region: 'memory' });
  expect(await plan(SEARCH)).toContain('reads all rows');
  const create =
    'CREATE TABLE Pet (id VARCHAR PRIMARY KEY, n INT) WITH "CACHE_NAME=pets,VALUE_TYPE=Pet,DATA_REGION=memory"';
  const index = `CREATE INDEX toy ON "pets".ENTRIES (JSON_VALUE(_val, '$.toy'))`;
  for (let round = 0; round < 2; round++) {
    await run(create);
    await run(index);
    await run("INSERT INTO Pet (id, n) VALUES ('a', 1)");
    await put('b', '{"toy":"ball"}', 'pets');
    expect(await answer(`SELECT _key FROM "pets".ENTRIES WHERE JSON_VALUE(_val, '$.toy') = 'ball'`)).toEqual(['b']);
    await run('DROP TABLE Pet');
  }
});

/** Changes the data file in a way that svc never does. */
function changeFile(statement: string): void {
  using file = new Database(join(dataDir, DATA_FILE));
  file.run(statement);
}

test('a build that ends before the definition changes leaves no value to a column, and can be done again', async () => {
  await sql.grid.caches.getOrCreate('left', { region: 'memory' });
  await put('a', '{"born":1}', 'left');
  const index = `CREATE INDEX born ON "left".ENTRIES (${BORN})`;
  changeFile(`CREATE TRIGGER fails BEFORE UPDATE OF definition ON caches WHEN new.definition LIKE '%entryIndexes%'
    BEGIN SELECT RAISE(ABORT, 'ended'); END`);
  expect(await answer(index)).toBeString();
  changeFile('DROP TRIGGER fails');
  await run('CREATE TABLE L (id VARCHAR PRIMARY KEY, n INT) WITH "CACHE_NAME=left,VALUE_TYPE=L"');
  await run("INSERT INTO L (id, n) VALUES ('b', 2)");
  await run('ALTER TABLE L ADD COLUMN o INT');
  expect(await answer('SELECT id, n, o FROM L')).toEqual([['b', 2, null]]);
  await run(index);
  expect(await answer(`SELECT _key FROM "left".ENTRIES WHERE ${BORN} > 0`)).toEqual(['a']);
  expect(await answer('SELECT id, n, o FROM L')).toEqual([['b', 2, null]]);
});
