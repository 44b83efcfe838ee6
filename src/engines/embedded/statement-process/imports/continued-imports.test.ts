/** Imports that continue earlier ones, and the limits of imports. */

import { afterAll, describe, expect, test } from 'bun:test';
import {
  CACHE,
  CREATE,
  newFolder,
  open,
  outcome,
  PERSON,
  removeFolders,
  request,
  sourceOf,
} from '../../../../../test/fixtures/embedded/imports.ts';
import { entriesOf } from '../../../../../test/grid/entry-methods.ts';
import type { ImportReport, ImportRequest, ImportTarget } from '../../../../grid/bulk.ts';

afterAll(removeFolders);

describe('an import with an id', () => {
  const LINES = Array.from({ length: 3_000 }, (_, id) => `${id},"n\n${id % 7}",${id % 100}`);
  const SOURCE = Buffer.from(`id,name,age\n${LINES.join('\n')}\n`);

  test('continues where it stopped, without a lost or repeated row', async () => {
    await using opened = await open();
    await opened.run(CREATE);
    let report: ImportReport | undefined;
    let requests = 0;
    // Each request ends in the middle of a record.
    while (report?.state !== 'done') {
      const from = report?.offset ?? 0;
      const isLast = requests === 9;
      const body = SOURCE.subarray(from, isLast ? SOURCE.length : from + 7_001);
      report = await opened.bulk.importRows(request(PERSON, { id: 'i', offset: from, isLast }), sourceOf(body, 500));
      requests++;
    }
    expect(report).toMatchObject({ rows: 3_000, offset: SOURCE.length, line: 6_001 });
    expect(entriesOf(opened.grid).size('p')).toBe(3_000);
    expect(await opened.bulk.importState('i', 'ann')).toEqual(report);
    // A client that missed the answer sends the source again.
    expect(await opened.bulk.importRows(request(PERSON, { id: 'i' }), sourceOf(SOURCE))).toEqual(report);
  });

  test('skips what is stored when the source is sent from its beginning', async () => {
    await using opened = await open();
    await opened.run(CREATE);
    const source = {
      parts: 0,
      async read(): Promise<Uint8Array> {
        this.parts++;
        if (this.parts === 3) throw new TypeError('cut');
        return SOURCE.subarray((this.parts - 1) * 10_000, this.parts * 10_000);
      },
    };
    expect(opened.bulk.importRows(request(PERSON, { id: 'i' }), source)).rejects.toThrow(new TypeError('cut'));
    expect(await opened.bulk.importState('i', 'ann')).toMatchObject({ state: 'open', rows: expect.any(Number) });
    const report = await opened.bulk.importRows(request(PERSON, { id: 'i' }), sourceOf(SOURCE));
    expect(report).toMatchObject({ state: 'done', rows: 3_000, offset: SOURCE.length });
    expect(entriesOf(opened.grid).size('p')).toBe(3_000);
  });

  test('survives a restart, and its rows with it', async () => {
    const folder = newFolder();
    let offset = 0;
    {
      await using opened = await open({ folder });
      await opened.run(CREATE);
      const cut = sourceOf(SOURCE.subarray(0, 20_000), 5_000);
      const stopped = await opened.bulk.importRows(request(PERSON, { id: 'i', isLast: false }), cut);
      offset = stopped.offset;
      expect(offset).toBeGreaterThan(19_000);
    }
    await using opened = await open({ folder });
    expect(await opened.bulk.importState('i', 'ann')).toMatchObject({ state: 'open', offset });
    const report = await opened.bulk.importRows(
      request(PERSON, { id: 'i', offset: 100 }),
      sourceOf(SOURCE.subarray(100)),
    );
    expect(report).toMatchObject({ state: 'done', rows: 3_000, offset: SOURCE.length });
    expect(entriesOf(opened.grid).size('p')).toBe(3_000);
  });

  test('continues behind a record that was rejected, when that has been corrected', async () => {
    await using opened = await open();
    await opened.run(CREATE);
    const wrong = 'id,name,age\n1,a,1\n2,b,x\n3,c,3\n';
    const first = await outcome(opened.bulk.importRows(request(PERSON, { id: 'i' }), sourceOf(wrong)));
    expect(first).toMatchObject({ state: 'open', rows: 1, offset: 18, line: 2 });
    const corrected = wrong.replace('x', '2');
    const report = await opened.bulk.importRows(request(PERSON, { id: 'i' }), sourceOf(corrected));
    expect(report).toMatchObject({ state: 'done', rows: 3, rejected: 0, line: 4 });
  });

  test('reads the header again when no record behind it was stored', async () => {
    await using opened = await open();
    await opened.run('create table t(name varchar primary key, city varchar) with "cache_name=t"');
    const target: ImportTarget = { kind: 'table', name: 't', cache: 'default' };
    const rejected = sourceOf('name,city\nAnn,Oslo,Turku\n');
    const first = await outcome(opened.bulk.importRows(request(target, { id: 'i' }), rejected));
    expect(first).toMatchObject({ state: 'open', rows: 0, offset: 0, line: 0 });
    const report = await opened.bulk.importRows(request(target, { id: 'i' }), sourceOf('name,city\nAnn,Oslo\n'));
    expect(report).toMatchObject({ state: 'done', rows: 1, line: 2 });
    const head = await opened.bulk.importRows(request(target, { id: 'h', isLast: false }), sourceOf('name,city\n'));
    expect(head).toMatchObject({ state: 'open', offset: 0 });
    await opened.bulk.importRows(request(target, { id: 'h' }), sourceOf('name,city\nBen,Turku\n'));
    expect(await opened.rows('t')).toEqual(['Ann {"CITY":"Oslo"}', 'Ben {"CITY":"Turku"}']);
  });

  const CONFLICTS: ReadonlyArray<readonly [title: string, options: Partial<ImportRequest>, message: string]> = [
    ['another table', { target: { ...PERSON, name: 'PERSON' } }, 'different value of table'],
    ['another delimiter', { delimiter: ';' }, 'different value of delimiter'],
    ['another treatment of errors', { onError: 'skip' }, 'different value of onError'],
    ['a position behind the stored one', { offset: 1_000 }, 'offset=1000, stored=18'],
  ];
  for (const [title, options, message] of CONFLICTS) {
    test(`cannot be continued with ${title}`, async () => {
      await using opened = await open();
      await opened.run(CREATE);
      await opened.bulk.importRows(request(PERSON, { id: 'i', isLast: false }), sourceOf('id,name,age\n1,a,1\n'));
      const again = opened.bulk.importRows(request(PERSON, { id: 'i', ...options }), sourceOf(''));
      expect(again).rejects.toThrow(message);
    });
  }

  test('belongs to its owner', async () => {
    await using opened = await open();
    await opened.run(CREATE);
    const { bulk } = opened;
    await bulk.importRows(request(PERSON, { id: 'i', isLast: false }), sourceOf('id\n1\n'));
    expect(bulk.importState('i', 'bob')).rejects.toThrow('There is no import with this id');
    expect(bulk.discardImport('i', 'bob')).rejects.toThrow('There is no import with this id');
    const other = await bulk.importRows(request(PERSON, { id: 'i', owner: 'bob' }), sourceOf('id\n2\n'));
    expect(other).toMatchObject({ rows: 1, state: 'done' });
    await bulk.discardImport('i', 'ann');
    expect(bulk.importState('i', 'ann')).rejects.toThrow('There is no import with this id');
    expect(entriesOf(opened.grid).size('p')).toBe(2);
  });
});

describe('limits', () => {
  test('imports beyond the limit are rejected, but a reserve is left for others', async () => {
    await using opened = await open({ limits: { imports: 8 } });
    const { runner } = opened;
    const as = (key: string) => request(CACHE, { tenant: { key, isAdministrator: false } });
    for (let each = 0; each < 8; each++) expect(typeof (await runner.begin(as('user ann')))).toBe('number');
    expect(runner.begin(as('user ann'))).rejects.toThrow('Too many imports are running [limit=8]');
    const number = await runner.begin(as('user bob'));
    expect(typeof number).toBe('number');
    expect(runner.begin(as('user cid'))).rejects.toThrow('Too many imports');
    if (typeof number === 'number') await runner.end({ number, failure: undefined });
    expect(typeof (await runner.begin(as('user cid')))).toBe('number');
  });

  test('a region that does not persist has its bound, and loses imports with its entries', async () => {
    const regions = [{ name: 'small', persistent: false, maxSizeBytes: 400_000 }];
    const caches = [{ name: 'c', region: 'small' }];
    await using opened = await open({ regions, caches });
    const target = { ...CACHE, cache: 'c' };
    const lines = Array.from({ length: 20_000 }, (_, id) => `k${id},${'x'.repeat(50)}`);
    const source = `key,value\n${lines.join('\n')}\n`;
    const report = await outcome(opened.bulk.importRows(request(target, { id: 'i' }), sourceOf(source)));
    expect(report.error).toContain('small');
    expect(report.rows).toBeGreaterThan(1_000);
    expect(entriesOf(opened.grid).size('c')).toBe(report.rows);
    await opened.grid.cluster.setState('INACTIVE', true);
    opened.runner.releaseRegions();
    await opened.grid.cluster.setState('ACTIVE', false);
    expect(opened.bulk.importState('i', 'ann')).rejects.toThrow('There is no import');
  });

  for (const [state, message] of [
    ['INACTIVE', 'the cluster is inactive'],
    ['ACTIVE_READ_ONLY', 'read-only mode'],
  ] as const) {
    test(`ends when the cluster becomes ${state}`, async () => {
      await using opened = await open();
      await opened.run(CREATE);
      let part = 0;
      const source = {
        async read() {
          part++;
          await Bun.sleep(20);
          if (part === 2) await opened.grid.cluster.setState(state, true);
          return Buffer.from(part === 1 ? 'id,name,age\n0,a,1\n1,a,1\n' : `${part},a,1\n`);
        },
      };
      const report = await outcome(opened.bulk.importRows(request(PERSON), source));
      expect(report).toMatchObject({ rows: 1 });
      expect(report.error).toContain(message);
    });
  }
});
