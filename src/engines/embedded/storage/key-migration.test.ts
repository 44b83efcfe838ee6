/** Keys that an earlier version stored in other forms. */
import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlGrid } from '../../../../test/fixtures/embedded/sql-grid.ts';
import { entriesOf } from '../../../../test/grid/entry-methods.ts';
import type { Decimal, Value } from '../../../values/value.ts';
import { encodeDecimal } from './decimal-storage.ts';
import { equalKeysOf } from './key-migration.ts';
import { encodeFields, encodeStructure, TYPE_CODES } from './value-storage.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-keys-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const BEFORE = 2;
const text = (data: string): Value => ({ type: 'string', data });
const decimal = (unscaled: bigint, scale: number): Value => ({ type: 'decimal', data: { unscaled, scale } });
const map = (...keys: string[]): Value => ({ type: 'map', data: keys.map((key) => [text(key), text(`v${key}`)]) });
const int = (data: number): Value => ({ type: 'integer', data });
const form = ({ unscaled, scale }: Decimal): string => encodeDecimal({ unscaled, scale });

const open = (dataDir: string) => openSqlGrid({ dataDir });

/** Creates a data folder of the previous version; `change` converts its raw rows to their earlier form. */
async function folderBefore(name: string, change: (run: (sql: string, ...values: unknown[]) => void) => void) {
  const folder = join(root, name);
  const { grid, run, close } = await open(folder);
  await run('CREATE TABLE D(id DECIMAL PRIMARY KEY, n INT) WITH "CACHE_NAME=D"');
  await run('INSERT INTO D VALUES (1.5, 1), (7, 2)');
  await run('CREATE TABLE C(a DECIMAL, b INT, n INT, PRIMARY KEY(a, b)) WITH "CACHE_NAME=C,KEY_TYPE=Ck"');
  await run('INSERT INTO C VALUES (2.5, 1, 3)');
  await grid.caches.getOrCreate('plain', {});
  const entries = entriesOf(grid);
  await entries.put('plain', map('a', 'b'), int(4));
  await entries.put('plain', decimal(10n, 1), int(5));
  await close();
  const database = new Database(join(folder, 'svc.db'), { strict: true, safeIntegers: true });
  const tableOf = (cache: string) =>
    `e${database.query<{ id: bigint }, [string]>('SELECT id FROM caches WHERE name = ?').get(cache)?.id}`;
  change((sql, ...values) => {
    const named = sql.replace(/\{(\w+)\}/g, (_, cache: string) => tableOf(cache));
    expect(database.query(named).run(...(values as string[])).changes).toBe(1);
  });
  database.run(`PRAGMA user_version = ${BEFORE}`);
  database.close(true);
  return folder;
}

const EARLIER = (run: (sql: string, ...values: unknown[]) => void): void => {
  run('UPDATE {D} SET k = ? WHERE k = ?', form({ unscaled: 1500n, scale: 3 }), form({ unscaled: 15n, scale: 1 }));
  const composite = encodeFields([
    { name: 'B', value: int(1) },
    { name: 'A', value: decimal(250n, 2) },
  ]);
  run('UPDATE {C} SET k = ?, f1 = ?', composite, form({ unscaled: 250n, scale: 2 }));
  run(`UPDATE {plain} SET k = ? WHERE kt = ${TYPE_CODES.map}`, encodeStructure(map('b', 'a')));
};

test('are brought to the form of this version at the first start', async () => {
  const { grid, run, close } = await open(await folderBefore('converted', EARLIER));
  expect((await run('SELECT id, n FROM D ORDER BY id')).json).toBe('[[1.5,1],[7,2]]');
  expect((await run('SELECT a, b, n FROM C WHERE a = 2.50 AND b = 1')).json).toBe('[[2.5,1,3]]');
  const key: Value = {
    type: 'object',
    typeName: 'Ck',
    fields: [
      { name: 'A', value: decimal(2500n, 3) },
      { name: 'B', value: int(1) },
    ],
  };
  expect(await entriesOf(grid).get('C', key)).toMatchObject({ type: 'object' });
  expect(await entriesOf(grid).get('plain', map('b', 'a'))).toEqual(int(4));
  expect(await entriesOf(grid).get('plain', map('a', 'b'))).toEqual(int(4));
  // Entries that no table declares have a key for each scale.
  expect(await entriesOf(grid).get('plain', decimal(10n, 1))).toEqual(int(5));
  expect(await entriesOf(grid).get('plain', decimal(1n, 0))).toBeUndefined();
  await close();
});

test.each([
  [
    'two forms of a number',
    'INSERT INTO {D} (kt, k, vt, v) SELECT kt, ?, vt, v FROM {D} WHERE k = ?',
    '1.50 and 1.5 in cache D',
  ],
])('that are equal now end the start, and nothing is changed: %s', async (name, sql, pairs) => {
  const folder = await folderBefore(name, (run) =>
    run(sql, form({ unscaled: 150n, scale: 2 }), form({ unscaled: 15n, scale: 1 })),
  );
  expect(equalKeysOf(folder)).toEqual([pairs]);
  await expect(open(folder)).rejects.toThrow(pairs);
  const database = new Database(join(folder, 'svc.db'), { safeIntegers: true });
  expect(database.query('PRAGMA user_version').values()).toEqual([[BigInt(BEFORE)]]);
  database.close(true);
});
