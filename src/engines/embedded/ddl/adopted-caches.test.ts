/** Tables over caches that existed before: what DROP TABLE removes. Texts recorded on Apache Ignite. */
import { expect, test } from 'bun:test';
import { openSqlGrid } from '../../../../test/fixtures/embedded/sql-grid.ts';
import { entriesOf } from '../../../../test/grid/entry-methods.ts';
import { GridError } from '../../../base/errors.ts';
import { text } from '../../../values/value.ts';

const NOT_DROPPED = 'Only cache created with CREATE TABLE may be removed with DROP TABLE [cacheName=';

const CASES: ReadonlyArray<
  readonly [title: string, existing: string | undefined, create: string, drop: string, expected: string]
> = [
  ['CREATE TABLE created', undefined, 'CREATE TABLE t (id INT PRIMARY KEY, v INT)', 'DROP TABLE t', 'dropped'],
  [
    'CREATE TABLE created under another name',
    undefined,
    'CREATE TABLE t (id INT PRIMARY KEY, v INT) WITH "CACHE_NAME=own"',
    'DROP TABLE t',
    'dropped',
  ],
  [
    'existed',
    'own',
    'CREATE TABLE t (id INT PRIMARY KEY, v INT) WITH "CACHE_NAME=own"',
    'DROP TABLE t',
    `${NOT_DROPPED}own] Remove the cache and its entries with destcache (cacheName=own).`,
  ],
  [
    'existed, where the table may be missing',
    'own',
    'CREATE TABLE t (id INT PRIMARY KEY, v INT) WITH "CACHE_NAME=own"',
    'DROP TABLE IF EXISTS t',
    `${NOT_DROPPED}own] Remove the cache and its entries with destcache (cacheName=own).`,
  ],
  [
    'existed with the name of a new one',
    'SQL_PUBLIC_T',
    'CREATE TABLE t (id INT PRIMARY KEY, v INT) WITH "CACHE_NAME=SQL_PUBLIC_T"',
    'DROP TABLE t',
    `${NOT_DROPPED}SQL_PUBLIC_T] Remove the cache and its entries with destcache (cacheName=SQL_PUBLIC_T).`,
  ],
  [
    'exists with the name of the new one',
    'SQL_PUBLIC_T',
    'CREATE TABLE t (id INT PRIMARY KEY, v INT)',
    'DROP TABLE t',
    'Table already exists: T The cache SQL_PUBLIC_T exists, but has no table. Make it one by WITH ' +
      '"CACHE_NAME=SQL_PUBLIC_T" in the statement, or remove it with destcache.',
  ],
  [
    'exists with the name of the new one, if there is no table',
    'SQL_PUBLIC_T',
    'CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY, v INT)',
    'DROP TABLE t',
    "Table doesn't exist: T ",
  ],
];

for (const [title, existing, create, drop, expected] of CASES) {
  test(`DROP TABLE of a cache that ${title}`, async () => {
    const sql = await openSqlGrid();
    try {
      const { grid } = sql;
      const key = text('precious');
      if (existing !== undefined) {
        await grid.caches.getOrCreate(existing, {});
        await entriesOf(grid).put(existing, key, key);
      }
      let outcome = 'dropped';
      try {
        await sql.run(create);
        await sql.run(drop);
      } catch (error) {
        if (!(error instanceof GridError)) throw error;
        outcome = expected.startsWith("Table doesn't") ? `${error.message} ` : `${error.message} ${error.remedy}`;
      }
      expect(outcome).toBe(expected);
      if (existing !== undefined) expect(await entriesOf(grid).get(existing, key)).toEqual(key);
      else expect(await grid.caches.list()).toHaveLength(1);
    } finally {
      await sql.close();
    }
  });
}

for (const [name, expected] of [
  ['SQL_PUBLIC_OLD', 'dropped'],
  ['own', `${NOT_DROPPED}own]`],
] as const) {
  test(`DROP TABLE of the cache ${name}, of which no version recorded who created it`, async () => {
    const sql = await openSqlGrid();
    try {
      await sql.run(`CREATE TABLE old (id INT PRIMARY KEY, v INT) WITH "CACHE_NAME=template"`);
      const { createdBySql, ...definition } = (await sql.grid.caches.find('template')) ?? expect.unreachable();
      expect(createdBySql).toBe(true);
      await sql.run('DROP TABLE old');
      await sql.grid.transfer.define({ ...definition, name });
      const outcome = await sql.run('DROP TABLE old').then(
        () => 'dropped',
        (error: unknown) => (error instanceof GridError ? error.message : String(error)),
      );
      expect(outcome).toBe(expected);
    } finally {
      await sql.close();
    }
  });
}
