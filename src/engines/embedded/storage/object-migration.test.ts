/** Objects that an earlier version left unchanged when their fields were declared. */
import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlGrid } from '../../../../test/fixtures/embedded/sql-grid.ts';
import { entriesOf } from '../../../../test/grid/entry-methods.ts';
import { formatText } from '../../../values/json.ts';
import { text, type Value } from '../../../values/value.ts';
import { encodeFields } from './value-storage.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-objects-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const BEFORE = 2;
type Fields = Readonly<Record<string, string | number>>;

const fieldsOf = (fields: Fields) =>
  Object.entries(fields).map(([name, data]) => {
    const value: Value = typeof data === 'number' ? { type: 'integer', data } : text(data);
    return { name, value };
  });

interface Case {
  readonly title: string;
  /** The contents of the rows in `v` and in the columns NAME and BORN. */
  readonly before: Readonly<Record<string, readonly [v: Fields | null, name: string | null, born: number | null]>>;
  readonly rows: readonly unknown[];
  readonly objects: readonly string[];
}

const CASES: readonly Case[] = [
  {
    title: 'objects from before the table',
    before: { a: [{ name: 'Ann', born: 1990 }, null, null], b: [{ born: '1991', toy: 'x' }, null, null] },
    rows: [
      ['a', 'Ann', 1990],
      ['b', null, 1991],
    ],
    objects: ['{"name":"Ann","born":1990}', '{"born":1991,"toy":"x"}'],
  },
  {
    title: 'objects from before and after',
    before: { a: [{ name: 'Ann' }, null, null], b: [null, 'Bob', 1991] },
    rows: [
      ['a', 'Ann', null],
      ['b', 'Bob', 1991],
    ],
    objects: ['{"name":"Ann"}', '{"name":"Bob","BORN":1991}'],
  },
  {
    title: 'fields that have a value in a column, too: that counts',
    before: { a: [{ name: 'Ann', born: 1990 }, 'Bob', null] },
    rows: [['a', 'Bob', 1990]],
    objects: ['{"name":"Bob","born":1990}'],
  },
  {
    title: 'several names of a field: the column keeps its own',
    before: { a: [{ name: 'Ann' }, null, null], b: [{ Name: 'Bob' }, null, null] },
    rows: [
      ['a', 'Ann', null],
      ['b', 'Bob', null],
    ],
    objects: ['{"NAME":"Ann"}', '{"NAME":"Bob"}'],
  },
  {
    title: 'values that do not fit stay as they are',
    before: { a: [{ born: 'x', name: 'Ann' }, null, null], b: [{ born: 1991 }, null, null] },
    rows: [
      ['a', null, null],
      ['b', null, 1991],
    ],
    objects: ['{"born":"x","name":"Ann"}', '{"born":1991}'],
  },
];

test.each(CASES)('$title', async ({ title, before, rows, objects }) => {
  const dataDir = join(root, title.replaceAll(/\W/g, '-'));
  const options = 'WITH "CACHE_NAME=people,VALUE_TYPE=Person,CHANGE_FEED=true"';
  const earlier = await openSqlGrid({ dataDir });
  await earlier.run(`CREATE TABLE P (id VARCHAR PRIMARY KEY, name VARCHAR, born INT) ${options}`);
  for (const key of Object.keys(before)) await earlier.run(`INSERT INTO P (id) VALUES ('${key}')`);
  await earlier.close();
  const database = new Database(join(dataDir, 'svc.db'), { strict: true });
  const id = database.query<{ id: number }, []>("SELECT id FROM caches WHERE name = 'people'").get()?.id;
  for (const [key, [v, name, born]] of Object.entries(before)) {
    const stored = v === null ? null : encodeFields(fieldsOf(v));
    database.query(`UPDATE e${id} SET v = ?, f1 = ?, f2 = ? WHERE k = ?`).run(stored, name, born, key);
  }
  const changes = database.query('SELECT count(*) FROM feed WHERE operation < 4').values();
  database.run(`PRAGMA user_version = ${BEFORE}`);
  database.close(true);
  for (const _ of ['migrated', 'opened again']) {
    const { grid, run, close } = await openSqlGrid({ dataDir });
    expect(JSON.parse((await run('SELECT * FROM P ORDER BY id')).json)).toEqual([...rows]);
    const found = await Promise.all(Object.keys(before).map((key) => entriesOf(grid).get('people', text(key))));
    expect(found.map((value) => formatText(value ?? text('absent')))).toEqual([...objects]);
    await close();
  }
  const after = new Database(join(dataDir, 'svc.db'), { readonly: true });
  expect(after.query('SELECT count(*) FROM feed WHERE operation < 4').values()).toEqual(changes);
  after.close(true);
});
