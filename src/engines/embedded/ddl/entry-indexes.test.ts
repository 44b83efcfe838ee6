/** Indexes on paths into the values of entries. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlGrid, type SqlGrid } from '../../../../test/fixtures/embedded/sql-grid.ts';
import { entriesOf } from '../../../../test/grid/entry-methods.ts';
import { readCustom } from '../../../values/custom.ts';
import { text, type Value } from '../../../values/value.ts';
import { DATA_FILE } from '../storage/data-folder.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'svc-entry-indexes-'));
let sql: SqlGrid;
const open = () => openSqlGrid({ dataDir });
beforeAll(async () => {
  sql = await open();
});
afterAll(async () => {
  await sql.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const P = '"people".ENTRIES';
const BORN = "JSON_VALUE(_val, '$.born' RETURNING INT)";

function person(json: string): Value {
  return readCustom('Person', json, { find: (name) => sql.grid.types.find(name, 'people') });
}

async function answer(statement: string, args: readonly string[] = []): Promise<unknown> {
  try {
    const rows: unknown[][] = JSON.parse((await sql.run(statement, args)).json);
    return rows.every((row) => row.length === 1) ? rows.flat() : rows;
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}

const plan = async (statement: string): Promise<string> => JSON.stringify(await answer(`EXPLAIN ${statement}`, ['1']));

/** Expressions that each have an index, and conditions that it serves. */
const INDEXES: ReadonlyArray<readonly [name: string, expression: string, conditions: readonly string[]]> = [
  [
    'BORN',
    BORN,
    [`${BORN} = 1990`, `${BORN} > 1985`, `${BORN} = ?`, `JSON_VALUE(_val, '$."born"' RETURNING INTEGER) < 5`],
  ],
  [
    'CITY',
    "JSON_VALUE(_val, '$.home.city') DESC",
    ["JSON_VALUE(_val, '$.home.city') = 'Oslo'", "JSON_VALUE(_val, '$.home.city' RETURNING VARCHAR) LIKE 'O%'"],
  ],
  [
    'RATE',
    "JSON_VALUE(_val, '$.rate' RETURNING DECIMAL)",
    ["JSON_VALUE(_val, '$.rate' RETURNING DECIMAL) > 0.25", "JSON_VALUE(_val, '$.rate' RETURNING DECIMAL) < ?"],
  ],
  [
    'DAY',
    "JSON_VALUE(_val, '$.day' RETURNING DATE)",
    ["JSON_VALUE(_val, '$.day' RETURNING DATE) >= DATE '2020-01-01'"],
  ],
  ['OK', "JSON_VALUE(_val, '$.ok' RETURNING BOOLEAN)", []],
  [
    'AT',
    "JSON_VALUE(_val, '$.at' RETURNING TIMESTAMP)",
    ["JSON_VALUE(_val, '$.at' RETURNING TIMESTAMP) > TIMESTAMP '2020-01-01 00:00:00'"],
  ],
  [
    'LONG',
    "JSON_VALUE(_val, '$.big' RETURNING BIGINT)",
    ["JSON_VALUE(_val, '$.big' RETURNING BIGINT) = 9007199254740993"],
  ],
  ['DOUBLE', "JSON_VALUE(_val, '$.rate' RETURNING DOUBLE)", ["JSON_VALUE(_val, '$.rate' RETURNING DOUBLE) < 1"]],
  ['UUID', "JSON_VALUE(_val, '$.id' RETURNING UUID)", []],
];

const OBJECTS: Readonly<Record<string, string>> = {
  ann:
    '{"born":1990,"home":{"city":"Oslo"},"rate":0.50,"day":"2020-01-02","ok":true,"at":"2020-01-02 03:04:05.6",' +
    '"big":9007199254740993,"id":"00000000-0000-0001-0000-00000000000A"}',
  bob: '{"born":1980.5,"home":{"city":"Bergen"},"rate":"0.25","day":"x","ok":"false","at":"2019-01-01 00:00:00"}',
  cat: '{"born":"1970","home":{"city":["Rome"]},"rate":1e2,"ok":null}',
  dan: '{"born":{"year":1}}',
};

/** The value of every path in every entry, computed by an expression without an index. */
async function computed(): Promise<unknown> {
  const expressions = INDEXES.map(([, expression]) => expression.replace(' DESC', '').replace(')', ' NULL ON EMPTY)'));
  return answer(
    `SELECT _key, ${expressions.join(', ').replaceAll('ON EMPTY', 'ON EMPTY DEFAULT NULL ON ERROR')} FROM ${P} ORDER BY _key`,
  );
}
const stored = () =>
  answer(
    `SELECT _key, ${INDEXES.map(([, expression]) => expression.replace(' DESC', '')).join(', ')} FROM ${P} ORDER BY _key`,
  );

test('is built over what exists, searched, and kept by every write', async () => {
  await sql.grid.caches.getOrCreate('people', { changeFeed: true });
  const entries = entriesOf(sql.grid);
  for (const [key, json] of Object.entries(OBJECTS)) await entries.put('people', text(key), person(json));
  await entries.put('people', text('eve'), text('{"born":2000,"home":{"city":"Oslo"},"rate":0.1}'));
  await entries.put('people', text('fin'), text('no JSON'));
  await entries.put('people', { type: 'integer', data: 5 }, { type: 'integer', data: 5 });
  const before = await computed();
  for (const [name, expression, conditions] of INDEXES) {
    const wanted = await Promise.all(
      conditions.map((each) => answer(`SELECT _key FROM ${P} WHERE ${each} ORDER BY _key`, ['1990'])),
    );
    expect(await answer(`CREATE INDEX ${name} ON ${P} (${expression})`)).toEqual([0]);
    for (const [at, condition] of conditions.entries()) {
      const statement = `SELECT _key FROM ${P} WHERE ${condition} ORDER BY _key`;
      expect([statement, await answer(statement, ['1990'])]).toEqual([statement, wanted[at]]);
      expect(await plan(`SELECT _key FROM ${P} WHERE ${condition}`)).toContain(`by index ${name} (`);
    }
  }
  expect(await stored()).toEqual(before);
  expect(await plan(`SELECT _key FROM ${P} ORDER BY ${BORN} DESC LIMIT 2`)).not.toContain('sorts');

  await entries.put('people', text('ann'), person('{"born":1,"home":{"city":"Rome"}}'));
  await entries.putAll('people', [
    { key: text('gil'), value: person('{"born":2}') },
    { key: text('hal'), value: text('{"born":3}') },
  ]);
  await entries.remove('people', text('bob'));
  await entries.replace('people', text('cat'), text('{"born":4}'));
  await entries.append('people', text('hal'), text(' '));
  expect(await stored()).toEqual(await computed());
  expect(await answer(`SELECT _key FROM ${P} WHERE ${BORN} < 5 ORDER BY ${BORN}`)).toEqual([
    'ann',
    'gil',
    'hal',
    'cat',
  ]);
  await entries.put('people', text('old'), text('{"born":3}'), 1n);
  await Bun.sleep(5);
  expect(await answer(`SELECT COUNT(*) FROM ${P} WHERE ${BORN} = 3`)).toEqual([1]);
  expect(await entries.get('people', text('gil'))).toEqual(person('{"born":2}'));
});

test('a range has both ends, also where one is an argument', async () => {
  const range = await plan(`SELECT COUNT(*) FROM ${P} WHERE ${BORN} BETWEEN ? AND 2000`);
  expect(range).toMatch(/by index BORN \(\S+ > \? AND \S+ < \?\)/);
});

test('is there after a restart, until DROP INDEX', async () => {
  await sql.close();
  sql = await open();
  const search = `SELECT _key FROM ${P} WHERE ${BORN} < 5 ORDER BY ${BORN}`;
  expect(await answer(search)).toEqual(['ann', 'gil', 'hal', 'cat']);
  expect(await plan(search)).toContain('by index BORN (');
  await entriesOf(sql.grid).put('people', text('ivy'), text('{"born":0}'));
  expect(await answer(search)).toEqual(['ivy', 'ann', 'gil', 'hal', 'cat']);
  expect(await answer('DROP INDEX "people".BORN')).toEqual([0]);
  expect(await plan(search)).toContain('reads all rows');
  expect(await plan(search)).not.toContain('advice');
  await entriesOf(sql.grid).put('people', text('jim'), text('{"born":-1}'));
  expect(await answer(search)).toEqual(['jim', 'ivy', 'ann', 'gil', 'hal', 'cat']);
  expect(await answer('DROP INDEX "people".BORN')).toContain("Index doesn't exist");
  expect(await answer(`CREATE INDEX BORN ON ${P} (${BORN})`)).toEqual([0]);
  expect(await answer(search)).toEqual(['jim', 'ivy', 'ann', 'gil', 'hal', 'cat']);
  expect(await plan(search)).toContain('by index BORN (');
});

/** The contents of the data file, as read by a program without the functions of svc. */
function readFile<T>(query: string): T[] {
  using file = new Database(join(dataDir, DATA_FILE), { readonly: true });
  return file.query<T, []>(query).all();
}

test('DROP INDEX removes what the column stores, and the next index has the column', async () => {
  const { table = '', fields = [] } = sql.grid.thread.registry.find('people') ?? {};
  const column = `f${fields.find(({ field }) => field === 'CITY')?.place}`;
  const count = `SELECT count(${column}) AS n FROM ${table}`;
  expect(readFile<{ n: number }>(count)[0]?.n).toBeGreaterThan(0);
  expect(await answer('DROP INDEX "people".CITY')).toEqual([0]);
  expect(readFile<{ n: number }>(count)).toEqual([{ n: 0 }]);
  await entriesOf(sql.grid).put('people', text('kim'), text('{"home":{"city":"Oslo"}}'));
  expect(readFile<{ n: number }>(count)).toEqual([{ n: 0 }]);
  expect(await answer(`CREATE INDEX CITY ON ${P} (JSON_VALUE(_val, '$.home.city'))`)).toEqual([0]);
  const again = sql.grid.thread.registry.find('people')?.fields.find(({ field }) => field === 'CITY');
  expect(`f${again?.place}`).toBe(column);
  expect(await stored()).toEqual(await computed());
});

test('stays when a table is declared over the cache, and every statement keeps it', async () => {
  const search = `SELECT _key FROM ${P} WHERE ${BORN} < 5 ORDER BY ${BORN}`;
  const before = await answer(search);
  const isKept = async (): Promise<void> => {
    expect(await stored()).toEqual(await computed());
    expect(await plan(search)).toContain('by index BORN (');
  };
  expect(
    await answer('CREATE TABLE Person (id VARCHAR PRIMARY KEY, born INT) WITH "CACHE_NAME=people,VALUE_TYPE=Human"'),
  ).toEqual([0]);
  expect(await answer(search)).toEqual(before);
  await isKept();
  for (const statement of [
    "INSERT INTO Person (id, born) VALUES ('t1', -7), ('t2', NULL)",
    "INSERT INTO Person (id, born) SELECT 't3', born - 1 FROM Person WHERE id = 't1'",
    "UPDATE Person SET born = born * 2 WHERE id LIKE 't%'",
    "UPDATE Person SET born = (SELECT COUNT(*) FROM Person) WHERE id = 't2'",
    "MERGE INTO Person (id, born) VALUES ('t2', 4), ('t4', 3)",
    'MERGE INTO Person p USING (SELECT id, born FROM Person) s ON p.id = s.id WHEN MATCHED THEN UPDATE SET born = s.born + 1',
    'ALTER TABLE Person ADD COLUMN "rate" DECIMAL',
    'UPDATE Person SET "rate" = 0.50 WHERE id = \'t1\'',
    `UPDATE ${P} SET _val = '{"born":11}', value_type = 'Human' WHERE _key = 't3'`,
    'ALTER TABLE Person DROP COLUMN "rate"',
    "DELETE FROM Person WHERE id = 't4'",
    'CREATE INDEX person_born ON Person (born)',
    `CREATE INDEX RATE2 ON ${P} (JSON_VALUE(_val, '$.rate'))`,
    "UPDATE Person SET born = 12 WHERE id = 't3'",
  ]) {
    expect([statement, await answer(statement)]).toEqual([statement, [expect.any(Number)]]);
    await isKept();
  }
  expect(await answer(`SELECT id FROM Person WHERE JSON_VALUE(_val, '$.rate') = '0.50'`)).toEqual(['t1']);
  expect(await answer('DROP INDEX "people".RATE2')).toEqual([0]);
  expect(await answer(`SELECT id FROM Person WHERE JSON_VALUE(_val, '$.rate') = '0.50'`)).toEqual(['t1']);
});

test('serves searches in the rows of a table', async () => {
  await sql.run('CREATE TABLE Pet (id INT PRIMARY KEY, name VARCHAR) WITH "CACHE_NAME=pets,VALUE_TYPE=Pet"');
  expect(await answer(`CREATE INDEX toy ON "pets".ENTRIES (JSON_VALUE(_val, '$.toy'))`)).toEqual([0]);
  const pet = readCustom('Pet', '{"name":"Rex","toy":"ball"}', { find: (name) => sql.grid.types.find(name, 'pets') });
  await entriesOf(sql.grid).put('pets', { type: 'integer', data: 1 }, pet);
  const search = `SELECT name FROM Pet WHERE JSON_VALUE(_val, '$.toy') = 'ball'`;
  expect(await answer(search)).toEqual(['Rex']);
  expect(await plan(search)).toContain('by index TOY (');
  expect(await answer("UPDATE Pet SET name = 'Max'")).toEqual([1]);
  expect(await answer(search)).toEqual(['Max']);
  expect(await answer('DROP TABLE Pet')).toEqual([0]);
});

test('a file with indexed paths is one that sqlite3 reads and writes', () => {
  expect(readFile<{ integrity_check: string }>('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  const { table = '', indexes = [] } = sql.grid.thread.registry.find('people') ?? {};
  const born = indexes.find(({ name }) => name === 'BORN')?.sqliteName;
  const [plan] = readFile<{ detail: string }>(
    `EXPLAIN QUERY PLAN SELECT k FROM ${table} INDEXED BY ${born} WHERE f1 < 5 OR f1 >= 5`,
  );
  expect(plan?.detail).toBeString();
});

test('is there after a restart, with the table, and after clear; destcache removes it', async () => {
  await sql.close();
  sql = await open();
  expect(await stored()).toEqual(await computed());
  await sql.run("INSERT INTO Person (id, born) VALUES ('t9', 1)");
  expect(await stored()).toEqual(await computed());
  await entriesOf(sql.grid).clear('people');
  await sql.run("INSERT INTO Person (id, born) VALUES ('t9', 1)");
  expect(await plan(`SELECT _key FROM ${P} WHERE ${BORN} < 5`)).toContain('by index BORN (');
  const { id = 0 } = sql.grid.thread.registry.find('people') ?? {};
  await sql.grid.caches.destroy('people');
  await sql.grid.caches.getOrCreate('people', {});
  expect(await plan(`SELECT _key FROM ${P} WHERE ${BORN} < 5`)).toContain('reads all rows');
  const left = `SELECT name FROM sqlite_schema WHERE name GLOB 'x${id}_*'`;
  await sql.close();
  sql = await open();
  expect(readFile(left)).toEqual([]);
});

test('is part of the definition that another grid gets', async () => {
  await sql.grid.caches.getOrCreate('moved', {});
  await entriesOf(sql.grid).put('moved', text('a'), text('{"born":7}'));
  expect(await answer(`CREATE INDEX m ON "moved".ENTRIES (${BORN} DESC)`)).toEqual([0]);
  const definition = sql.grid.thread.registry.find('moved')?.definition;
  if (definition === undefined) throw new Error('no cache');
  expect(definition.entryIndexes).toEqual([{ name: 'M', path: '$."born"', type: 'INTEGER', descending: true }]);
  await sql.grid.caches.destroy('moved');
  await sql.grid.transfer.define(definition);
  await entriesOf(sql.grid).put('moved', text('a'), text('{"born":7}'));
  expect(await answer(`SELECT _key FROM "moved".ENTRIES WHERE ${BORN} = 7`)).toEqual(['a']);
  expect(await plan(`SELECT _key FROM "moved".ENTRIES WHERE ${BORN} = 7`)).toContain('by index M (');
});

test.each([
  [`CREATE INDEX i ON "nobody".ENTRIES (${BORN})`, 'Schema'],
  ['CREATE INDEX i ON "plain".ENTRIES (_key)', 'An index is on columns, or on one JSON_VALUE'],
  [`CREATE INDEX i ON "plain".ENTRIES (${BORN}, ${BORN})`, 'Already defined column in index'],
  ['CREATE INDEX i ON "plain".ENTRIES (JSON_VALUE(_val, \'$.a\' NULL ON EMPTY ERROR ON ERROR))', 'without clauses'],
  ['CREATE INDEX i ON "plain".ENTRIES (JSON_VALUE(_val, \'$..a\'))', 'is invalid at character 2'],
  ['CREATE INDEX i ON "plain".ENTRIES (JSON_VALUE(_val, \'$.a\' RETURNING TIME))', 'cannot have the type TIME'],
  [`CREATE INDEX "other".i ON "plain".ENTRIES (${BORN})`, 'Schema'],
  [`CREATE INDEX i ON Plain (${BORN})`, 'An index is on columns'],
] as const)('%s is rejected: %s', async (statement, reason) => {
  await sql.grid.caches.getOrCreate('plain', {});
  await sql.run('CREATE TABLE IF NOT EXISTS Plain (id INT PRIMARY KEY, v INT)');
  expect(await answer(statement)).toContain(reason);
});
