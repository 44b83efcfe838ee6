/** When a table gets the index of its deadlines (storage/deadline-index.ts). */

import type { Database } from 'bun:sqlite';
import { afterAll, describe, expect, test } from 'bun:test';
import { ManualClock } from '../../../test/fixtures/base/manual-clock.ts';
import { CACHE, type Opened, open, removeFolders, request, sourceOf } from '../../../test/fixtures/embedded/imports.ts';
import { openSqlGrid } from '../../../test/fixtures/embedded/sql-grid.ts';
import { entriesOf } from '../../../test/grid/entry-methods.ts';
import { text } from '../../values/value.ts';
import type { EmbeddedGrid } from './embedded-grid.ts';
import { openForWriting } from './storage/databases.ts';
import { deadlineIndex, INDEXED_ENTRIES } from './storage/deadline-index.ts';
import { EntryWriter } from './writer/entry-writer.ts';

afterAll(removeFolders);

const FUTURE_MS = 4_000_000_000_000;
const entries = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => ({ key: text(`k${from + at}`), value: text('v') }));

function isIndexed(grid: EmbeddedGrid, cache: string): boolean {
  const { table, database } = grid.thread.registry.require(cache);
  const connection = grid.thread.reads.get(database);
  connection.refresh();
  const found = connection.database.query("SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?");
  return found.get(deadlineIndex(table)) !== null;
}

async function withGrid(action: (opened: Opened) => Promise<void>): Promise<void> {
  await using opened = await open({
    caches: [{ name: 'plain' }, { name: 'expiring', ttlMs: 60_000 }, { name: 'fast', region: 'fast' }],
    regions: [{ name: 'fast', persistent: false }],
  });
  await action(opened);
}

describe('a table has the index of its deadlines', () => {
  test('from the beginning if the cache has a time to live', () =>
    withGrid(async ({ grid }) => {
      expect([isIndexed(grid, 'expiring'), isIndexed(grid, 'plain')]).toEqual([true, false]);
    }));

  const first: ReadonlyArray<readonly [title: string, act: (opened: Opened, cache: string) => unknown]> = [
    ['put', ({ grid }, cache) => entriesOf(grid).put(cache, text('a'), text('b'), 60_000n)],
    ['putAll', ({ grid }, cache) => entriesOf(grid).putAll(cache, entries(0, 3), 60_000n)],
    [
      'updateTtl',
      async ({ grid }, cache) => {
        await entriesOf(grid).put(cache, text('a'), text('b'));
        await entriesOf(grid).updateTtl(cache, text('a'), 60_000n);
      },
    ],
    [
      'an import',
      ({ bulk }, cache) =>
        bulk.importRows(request({ ...CACHE, cache }), sourceOf(`key,value,expires\na,1,${FUTURE_MS}\n`)),
    ],
    [
      'an atomic import that adds to entries',
      async ({ grid, bulk }, cache) => {
        await entriesOf(grid).put(cache, text('z'), text('b'));
        const target = request({ ...CACHE, cache }, { isAtomic: true });
        await bulk.importRows(target, sourceOf(`key,value,expires\na,1,${FUTURE_MS}\n`));
      },
    ],
  ];
  for (const cache of ['plain', 'fast']) {
    test.each(first)(`of the cache ${cache} with the first deadline: %s`, (_, act) =>
      withGrid(async (opened) => {
        const { grid } = opened;
        await entriesOf(grid).put(cache, text('lasting'), text('x'));
        expect(isIndexed(grid, cache)).toBe(false);
        await act(opened, cache);
        expect(isIndexed(grid, cache)).toBe(true);
      }),
    );
  }

  test.each(['plain', 'fast'])('of the cache %s when it has many entries', (cache) =>
    withGrid(async ({ grid }) => {
      await entriesOf(grid).putAll(cache, entries(0, INDEXED_ENTRIES - 1));
      expect(isIndexed(grid, cache)).toBe(false);
      await entriesOf(grid).put(cache, text('another'), text('v'));
      expect(isIndexed(grid, cache)).toBe(true);
    }),
  );

  test('when an import has added many', () =>
    withGrid(async ({ grid, bulk }) => {
      const rows = Array.from({ length: INDEXED_ENTRIES }, (_, at) => `${at},v\n`).join('');
      await bulk.importRows(request({ ...CACHE, cache: 'plain' }), sourceOf(`key,value\n${rows}`));
      expect(isIndexed(grid, 'plain')).toBe(true);
    }));

  test('again after the transaction that created it was rolled back', () =>
    withGrid(async ({ grid }) => {
      const handle = grid.thread.registry.require('plain');
      const database: Database = openForWriting(`${grid.thread.reads.files.dataDir}/svc.db`, false);
      const clock = new ManualClock();
      const { names } = grid.thread;
      const writer = new EntryWriter({ database, prefix: '' }, handle, names, clock, grid.thread.shared, undefined);
      const put = (end: 'COMMIT' | 'ROLLBACK'): void => {
        database.run('BEGIN IMMEDIATE');
        writer.put(text('a'), text('b'), 60_000n);
        database.run(end);
      };
      put('ROLLBACK');
      writer.rolledBack();
      put('COMMIT');
      expect(
        database.query('SELECT 1 FROM sqlite_schema WHERE name = ?').get(deadlineIndex(handle.table)),
      ).not.toBeNull();
      writer.finalize();
      database.close(true);
    }));
});

describe('entries with a deadline beside others', () => {
  test('are counted and removed as before', async () => {
    const clock = new ManualClock();
    const sql = await openSqlGrid({ caches: [{ name: 'c' }] }, undefined, clock);
    const { grid } = sql;
    expect(await entriesOf(grid).size('c')).toBe(0);
    await entriesOf(grid).putAll('c', entries(0, 5));
    expect(await entriesOf(grid).size('c')).toBe(5);
    await entriesOf(grid).put('c', text('short'), text('v'), 1_000n);
    expect(await entriesOf(grid).size('c')).toBe(6);
    clock.advance(1_000);
    expect(await entriesOf(grid).size('c')).toBe(5);
    await grid.sweep();
    expect(await entriesOf(grid).size('c')).toBe(5);
    const { table } = grid.thread.registry.require('c');
    const connection = grid.thread.reads.get(0);
    connection.refresh();
    expect(connection.database.query(`SELECT count(*) AS n FROM ${table}`).get()).toEqual({ n: 5n });
    await sql.close();
  });

  test('of a statement that adds many rows', async () => {
    const sql = await openSqlGrid();
    await sql.run('CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR)');
    expect(isIndexed(sql.grid, 'SQL_PUBLIC_T')).toBe(false);
    await sql.run(`INSERT INTO t (id, a) SELECT x, x FROM SYSTEM_RANGE(1, ${INDEXED_ENTRIES})`);
    expect(isIndexed(sql.grid, 'SQL_PUBLIC_T')).toBe(true);
    await sql.close();
  });
});
