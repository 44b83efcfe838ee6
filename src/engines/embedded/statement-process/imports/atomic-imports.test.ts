/** Atomic imports: all records become visible together, or none of them does. */

import { Database } from 'bun:sqlite';
import { afterAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import {
  CACHE,
  CREATE,
  newFolder,
  type Opened,
  open,
  outcome,
  PERSON,
  removeFolders,
  request,
  sourceOf,
} from '../../../../../test/fixtures/embedded/imports.ts';
import { entriesOf } from '../../../../../test/grid/entry-methods.ts';
import type { ImportRequest } from '../../../../grid/bulk.ts';
import { text } from '../../../../values/value.ts';

afterAll(removeFolders);

const line = (id: number): string => `${id},n${id},${id % 100}\n`;
const lines = (from: number, to: number): string =>
  `id,name,age\n${Array.from({ length: to - from }, (_, at) => line(from + at)).join('')}`;
const row = (id: number): string => `${id} {"NAME":"n${id}","AGE":${id % 100}}`;

const atomic = (options: Partial<ImportRequest> = {}) => request(PERSON, { isAtomic: true, ...options });

/** The entry tables of a folder's data file that belong to no cache. */
function leftOver(folder: string): string[] {
  using database = new Database(join(folder, 'svc.db'), { readonly: true });
  const tables = database
    .query<{ name: string }, []>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'e[0-9]*' AND name NOT IN (SELECT 'e' || id FROM caches WHERE live = 1)",
    )
    .all();
  const rows = database.query<{ name: string }, []>('SELECT name FROM caches WHERE live = 0').all();
  return [...tables, ...rows].map(({ name }) => name);
}

/** Waits until what an import has staged is gone. */
async function untilDiscarded({ folder }: Opened): Promise<void> {
  for (let tries = 0; leftOver(folder).some((name) => name.startsWith('e')) && tries < 500; tries++) await Bun.sleep(2);
  expect(leftOver(folder).filter((name) => name.startsWith('e'))).toEqual([]);
}

/** A source that calls `between` before its last part. */
function interrupted(data: string, between: () => Promise<unknown>) {
  const parts = [data.slice(0, data.length / 2), data.slice(data.length / 2)];
  return {
    async read() {
      if (parts.length === 1) await between();
      const part = parts.shift();
      return part === undefined ? undefined : new Uint8Array(Buffer.from(part));
    },
  };
}

test('what adds rows to others may take as long as they need', async () => {
  const works: number[] = [];
  await using opened = await open({
    limits: { atomicImportRows: 200_000 },
    onWork: (limitMs) => works.push(limitMs),
  });
  await opened.run(CREATE);
  await opened.bulk.importRows(atomic(), sourceOf(lines(0, 10)));
  expect(works).toEqual([]);
  await opened.bulk.importRows(atomic(), sourceOf(lines(10, 20)));
  expect(works).toEqual([10_000]);
  await opened.bulk.importRows(atomic(), sourceOf(lines(20, 120_020)));
  expect(works).toEqual([10_000, 12_000]);
});

describe('into an empty table', () => {
  test('swaps the staged rows in, which nobody sees before', async () => {
    await using opened = await open({ limits: { atomicImportRows: 10 } });
    await opened.run(`${CREATE}`);
    await opened.run('create index person_age on person(age)');
    const seen: number[] = [];
    const source = interrupted(lines(0, 5_000), async () => {
      await Bun.sleep(5);
      seen.push(await entriesOf(opened.grid).size('p'), (await opened.rows('p')).length);
    });
    const report = await opened.bulk.importRows(atomic(), source);
    expect(report).toMatchObject({ state: 'done', rows: 5_000, rejected: 0, line: 5_001 });
    expect(seen).toEqual([0, 0]);
    expect(entriesOf(opened.grid).size('p')).toBe(5_000);
    expect((await opened.rows('p')).slice(0, 2)).toEqual([row(0), row(1)]);
    await untilDiscarded(opened);
    // The table continues as before.
    expect((await outcome(opened.bulk.importRows(request(PERSON), sourceOf('id\n1\n')))).error).toContain('Line 2');
    await opened.run('alter table person add column city varchar');
    expect(await opened.bulk.importRows(request(PERSON), sourceOf('id,city\n9000,Oslo\n'))).toMatchObject({ rows: 1 });
  });

  test('survives a restart', async () => {
    const folder = newFolder();
    {
      await using opened = await open({ folder });
      await opened.run(CREATE);
      await opened.bulk.importRows(atomic(), sourceOf(lines(0, 100)));
    }
    await using opened = await open({ folder });
    expect(entriesOf(opened.grid).size('p')).toBe(100);
    expect(leftOver(folder)).toEqual([]);
  });

  test('a cache with deadlines, also in a region that does not persist', async () => {
    const regions = [{ name: 'memory', persistent: false }];
    await using opened = await open({ regions, caches: [{ name: 'm', region: 'memory' }] });
    const far = Date.now() + 60_000;
    const source = `key,value,expires\na,1,${far}\nb,2,\nc,3,1\n`;
    const target = { ...CACHE, cache: 'm' };
    const report = await opened.bulk.importRows(request(target, { isAtomic: true }), sourceOf(source));
    expect(report).toMatchObject({ rows: 2, skipped: 1 });
    expect(await opened.entries('m')).toEqual(['a=1', 'b=2']);
    expect(await entriesOf(opened.grid).timeToLive('m', text('a'))).toBeGreaterThan(0n);
    await entriesOf(opened.grid).put('m', text('d'), text('4'));
    expect(entriesOf(opened.grid).size('m')).toBe(3);
  });
});

describe('into a table with rows', () => {
  const CASES: ReadonlyArray<
    readonly [onDuplicate: ImportRequest['onDuplicate'], rows: number, skipped: number, age: number]
  > = [
    ['replace', 4, 0, 3],
    ['skip', 3, 1, 99],
  ];
  for (const [onDuplicate, rows, skipped, age] of CASES) {
    test(`${onDuplicate}: adds all rows in one transaction`, async () => {
      await using opened = await open();
      await opened.run(CREATE);
      await opened.bulk.importRows(request(PERSON), sourceOf('id,name,age\n3,n3,99\n7,n7,7\n'));
      const report = await opened.bulk.importRows(atomic({ onDuplicate }), sourceOf(lines(0, 4)));
      expect(report).toMatchObject({ rows, skipped });
      const third = `3 {"NAME":"n3","AGE":${age}}`;
      expect(await opened.rows('p')).toEqual([row(0), row(1), row(2), third, row(7)]);
      expect(entriesOf(opened.grid).size('p')).toBe(5);
      await untilDiscarded(opened);
    });
  }

  test('error: a key that exists rejects everything, and the error names it', async () => {
    await using opened = await open();
    await opened.run(CREATE);
    await opened.bulk.importRows(request(PERSON), sourceOf('id,name,age\n3,n3,99\n'));
    const report = await outcome(opened.bulk.importRows(atomic(), sourceOf(lines(0, 4))));
    expect(report).toMatchObject({ rows: 0, skipped: 0 });
    expect(report.error).toContain('Nothing was imported, because keys already exist');
    expect(report.error).toContain('[keys=1, first=3]');
    expect(await opened.rows('p')).toEqual(['3 {"NAME":"n3","AGE":99}']);
    expect(entriesOf(opened.grid).size('p')).toBe(1);
    await untilDiscarded(opened);
  });

  test('a unique index, and an expired entry with the same key', async () => {
    await using opened = await open();
    await opened.bulk.importRows(request(CACHE), sourceOf(`key,value,expires\na,1,${Date.now() + 30}\nb,2,\n`));
    await Bun.sleep(40);
    const target = request(CACHE, { isAtomic: true, onDuplicate: 'error' });
    expect(await opened.bulk.importRows(target, sourceOf('key,value\na,9\n'))).toMatchObject({ rows: 1 });
    expect(await opened.entries('default')).toEqual(['a=9', 'b=2']);
    expect(entriesOf(opened.grid).size('default')).toBe(2);
  });

  test('more rows than one transaction may add are rejected, before the end of the source', async () => {
    await using opened = await open({ limits: { atomicImportRows: 100 } });
    await opened.run(CREATE);
    await opened.bulk.importRows(request(PERSON), sourceOf('id\n100000\n'));
    const report = await outcome(opened.bulk.importRows(atomic(), sourceOf(lines(0, 20_000), 10_000)));
    expect(report.error).toContain('adds at most 100 to them');
    expect(await opened.rows('p')).toEqual(['100000 {"NAME":null,"AGE":null}']);
    await untilDiscarded(opened);
  });
});

describe('nothing is stored', () => {
  const FAILURES: ReadonlyArray<readonly [title: string, source: string, error: string]> = [
    ['a wrong value in the last line', `${lines(0, 3_000)}x,a,1\n`, 'Line 3002 was rejected: column ID'],
    ['a key that the source has twice', `${lines(0, 3_000)}5,a,1\n`, 'Line 3002 was rejected'],
    ['an unknown column', 'id,nothing\n1,2\n', 'There is no column'],
  ];
  for (const [title, source, error] of FAILURES) {
    test(title, async () => {
      await using opened = await open();
      await opened.run(CREATE);
      const failed = await outcome(opened.bulk.importRows(atomic(), sourceOf(source, 1_000)));
      expect(failed.error).toContain(error);
      expect(failed).toMatchObject({ state: 'open', rows: 0 });
      expect(entriesOf(opened.grid).size('p')).toBe(0);
      await untilDiscarded(opened);
    });
  }

  test('onError=skip stores the other records together', async () => {
    await using opened = await open();
    await opened.run(CREATE);
    const report = await opened.bulk.importRows(atomic({ onError: 'skip' }), sourceOf(`${lines(0, 3)}x,a,1\n`));
    expect(report).toMatchObject({ rows: 3, rejected: 1, errors: [{ line: 5 }] });
    expect(entriesOf(opened.grid).size('p')).toBe(3);
  });

  test('a change of the definition meanwhile', async () => {
    await using opened = await open();
    await opened.run(CREATE);
    const source = interrupted(lines(0, 2_000), () => opened.run('create index late on person(age)'));
    expect((await outcome(opened.bulk.importRows(atomic(), source))).error).toContain(
      'has changed since the import began',
    );
    expect(entriesOf(opened.grid).size('p')).toBe(0);
  });

  test('the end of the process that imports: what was staged is removed at once', async () => {
    await using opened = await open();
    await opened.run(CREATE);
    const never = Promise.withResolvers<undefined>();
    void opened.bulk
      .importRows(
        atomic(),
        interrupted(lines(0, 2_000), () => never.promise),
      )
      .catch(() => {});
    for (let tries = 0; leftOver(opened.folder).length < 2 && tries < 100; tries++) await Bun.sleep(2);
    expect(leftOver(opened.folder)).toHaveLength(2);
    await opened.grid.writer.submit('dropStaged', { id: null });
    await untilDiscarded(opened);
  });

  test('a crash in the middle: the next start removes what was staged', async () => {
    const folder = newFolder();
    {
      await using opened = await open({ folder });
      await opened.run(CREATE);
      const never = Promise.withResolvers<undefined>();
      const source = interrupted(lines(0, 2_000), () => never.promise);
      void opened.bulk.importRows(atomic(), source).catch(() => {});
      for (let tries = 0; leftOver(folder).length < 2 && tries < 100; tries++) await Bun.sleep(2);
      expect(leftOver(folder)).toHaveLength(2);
    }
    expect(leftOver(folder)).toHaveLength(2);
    await using opened = await open({ folder });
    expect(leftOver(folder)).toEqual([]);
    expect(entriesOf(opened.grid).size('p')).toBe(0);
  });
});
