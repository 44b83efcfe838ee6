/** Imports into tables and caches of the embedded engine, in one thread. */

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
import type { ImportRequest, ImportTarget } from '../../../../grid/bulk.ts';
import { text, type Value } from '../../../../values/value.ts';

afterAll(removeFolders);

describe('into a table', () => {
  test('stores rows, and the next import finds them', async () => {
    await using opened = await open();
    await opened.run(CREATE);
    const { bulk, grid } = opened;
    const report = await bulk.importRows(request(PERSON), sourceOf('id,name,age\n1,Ann,30\n2,,\n3,"",-1\n'));
    expect(report).toEqual({
      importId: null,
      state: 'done',
      rows: 3,
      skipped: 0,
      rejected: 0,
      offset: 33,
      line: 4,
      errors: [],
    });
    expect(await opened.rows('p')).toEqual([
      '1 {"NAME":"Ann","AGE":30}',
      '2 {"NAME":null,"AGE":null}',
      '3 {"NAME":"","AGE":-1}',
    ]);
    expect(entriesOf(grid).size('p')).toBe(3);
    expect((await grid.caches.metrics('p')).writes).toBe(3);
  });

  /** Values of each type as they are written, and as they are read back. */
  const TYPES: ReadonlyArray<readonly [type: string, written: string, read: string]> = [
    ['boolean', 'true', 'true'],
    ['boolean', 'F', 'false'],
    ['boolean', ' true ', 'true'],
    ['int', ' 7 ', '7'],
    ['decimal(9,2)', ' 7.50', '7.50'],
    ['date', ' 2024-02-29 ', '"2024-02-29"'],
    ['uuid', ' 123e4567-e89b-12d3-a456-426614174000', '"123e4567-e89b-12d3-a456-426614174000"'],
    ['tinyint', '-128', '-128'],
    ['smallint', '32767', '32767'],
    ['int', '-2147483648', '-2147483648'],
    ['int', '+5', '5'],
    ['bigint', '9223372036854775807', '9223372036854775807'],
    ['bigint', '-9', '-9'],
    ['real', '1.5', '1.5'],
    ['double', '1e300', '1.0E300'],
    ['decimal(30,5)', '12345678901234567890.10', '12345678901234567890.10'],
    ['varchar', ' x ', '" x "'],
    ['date', '2024-02-29', '"2024-02-29"'],
    ['time', '23:59:59', '"23:59:59"'],
    ['timestamp', '2024-02-29 10:11:12.123456789', '"2024-02-29 10:11:12.123456789"'],
    ['uuid', '123E4567-e89b-12d3-a456-426614174000', '"123e4567-e89b-12d3-a456-426614174000"'],
    ['binary', 'AQI=', '"AQI="'],
  ];
  for (const [type, written, read] of TYPES) {
    test(`reads ${written} as ${type}, from CSV and from NDJSON`, async () => {
      await using opened = await open();
      await opened.run(`create table t(id int primary key, v ${type}) with "cache_name=t"`);
      const target: ImportTarget = { kind: 'table', name: 't', cache: 'default' };
      const ndjson = `{"ID":2,"V":${JSON.stringify(written)}}\n{"v":null,"id":3}`;
      await opened.bulk.importRows(request(target), sourceOf(`id,v\n1,${written}\n`));
      await opened.bulk.importRows(request(target, { format: 'ndjson' }), sourceOf(ndjson));
      expect(await opened.rows('t')).toEqual([`1 {"V":${read}}`, `2 {"V":${read}}`, '3 {"V":null}']);
    });
  }

  test('reads JSON numbers and booleans with all their digits', async () => {
    await using opened = await open();
    await opened.run('create table t(id bigint primary key, d decimal(40,20), b boolean) with "cache_name=t"');
    const target: ImportTarget = { kind: 'table', name: 't', cache: 'default' };
    const source = '{"id":9007199254740993,"d":0.10000000000000000001,"b":true}';
    await opened.bulk.importRows(request(target, { format: 'ndjson' }), sourceOf(source));
    expect(await opened.rows('t')).toEqual(['9007199254740993 {"D":0.10000000000000000001,"B":true}']);
  });

  test('absent columns have their default values', async () => {
    await using opened = await open();
    await opened.run('create table t(id int primary key, a varchar default \'x\', b int) with "cache_name=t"');
    const target: ImportTarget = { kind: 'table', name: 't', cache: 'default' };
    await opened.bulk.importRows(request(target), sourceOf('id\n1\n'));
    await opened.bulk.importRows(request(target, { format: 'ndjson' }), sourceOf('{"id":2,"a":null}\n{"id":3,"b":1}'));
    expect(await opened.rows('t')).toEqual(['1 {"A":"x","B":null}', '2 {"A":null,"B":null}', '3 {"A":"x","B":1}']);
  });

  test('a composite key, quoted names and other columns', async () => {
    await using opened = await open();
    await opened.run('create table "T x"("a" int, "b" varchar, v int, primary key("a","b")) with "cache_name=t"');
    const target: ImportTarget = { kind: 'table', name: 'PUBLIC."T x"', cache: 'default' };
    const options = { header: false, columns: ['v', 'b', 'a'], delimiter: ';' } as const;
    await opened.bulk.importRows(request(target, options), sourceOf('1;x;2\n3;y;4'));
    expect(entriesOf(opened.grid).size('t')).toBe(2);
    const again = await outcome(opened.bulk.importRows(request(target, options), sourceOf('9;z;9\n1;x;2')));
    expect(again).toMatchObject({ rows: 1, error: expect.stringContaining('already in cache') });
  });

  const WRONG: ReadonlyArray<readonly [title: string, record: string, message: string]> = [
    ['a text that is no number', '5,x,y', 'column AGE: Data conversion error converting "y"'],
    ['a number out of range', '5,x,3000000000', 'column AGE: Data conversion error converting "3000000000"'],
    ['a text that is too long', '5,12345678901,1', "Value for a column 'NAME' is too long"],
    ['no key', ',x,1', "Null value is not allowed for column 'ID'"],
    ['a key that exists', '1,x,1', 'already in cache [keys=[1]]'],
    ['too few fields', '5,x', '3 fields expected, 2 found'],
    ['a wrong quote', '5,x"y,1', 'a quote inside a field'],
  ];
  for (const [title, record, message] of WRONG) {
    test(`${title} ends the import at its line`, async () => {
      await using opened = await open();
      await opened.run(CREATE);
      const source = `id,name,age\n1,a,1\n2,b,2\n${record}\n3,c,3\n`;
      const report = await outcome(opened.bulk.importRows(request(PERSON), sourceOf(source)));
      expect(report.error).toStartWith('Line 4 was rejected: ');
      expect(report.error).toContain(message);
      expect(report).toMatchObject({ state: 'open', rows: 2, rejected: 0, offset: 24, line: 3 });
      expect(await opened.rows('p')).toHaveLength(2);
    });

    test(`${title} is skipped with onError=skip`, async () => {
      await using opened = await open();
      await opened.run(CREATE);
      const source = `id,name,age\n1,a,1\n2,b,2\n${record}\n3,c,3\n`;
      const report = await opened.bulk.importRows(request(PERSON, { onError: 'skip' }), sourceOf(source));
      expect(report).toMatchObject({ state: 'done', rows: 3, rejected: 1, offset: source.length, line: 5 });
      expect(report.errors).toEqual([{ line: 4, message: expect.stringContaining(message) }]);
    });
  }

  test('lists a bounded number of rejected records, and counts all', async () => {
    await using opened = await open();
    await opened.run(CREATE);
    const source = `id,name,age\n${'x,y,z\n'.repeat(5_000)}`;
    const report = await opened.bulk.importRows(request(PERSON, { onError: 'skip' }), sourceOf(source));
    expect(report).toMatchObject({ rows: 0, rejected: 5_000, line: 5_001 });
    expect(report.errors).toHaveLength(100);
  });

  const DUPLICATES = [
    ['error', { rows: 1, skipped: 0, rejected: 1 }, ['1 {"NAME":"old","AGE":1}', '2 {"NAME":"b","AGE":2}']],
    ['skip', { rows: 1, skipped: 1, rejected: 0 }, ['1 {"NAME":"old","AGE":1}', '2 {"NAME":"b","AGE":2}']],
    ['replace', { rows: 2, skipped: 0, rejected: 0 }, ['1 {"NAME":"a","AGE":10}', '2 {"NAME":"b","AGE":2}']],
  ] as const;
  for (const [onDuplicate, counts, rows] of DUPLICATES) {
    test(`a key that exists: onDuplicate=${onDuplicate}`, async () => {
      await using opened = await open();
      await opened.run(CREATE);
      await opened.bulk.importRows(request(PERSON), sourceOf('id,name,age\n1,old,1\n'));
      const options = { onDuplicate, onError: 'skip' } as const;
      const report = await opened.bulk.importRows(request(PERSON, options), sourceOf('id,name,age\n1,a,10\n2,b,2\n'));
      expect(report).toMatchObject(counts);
      expect(await opened.rows('p')).toEqual([...rows]);
      expect(entriesOf(opened.grid).size('p')).toBe(2);
    });
  }

  const REJECTED: ReadonlyArray<
    readonly [title: string, options: Partial<ImportRequest>, source: string, message: string]
  > = [
    ['an unknown column', {}, 'id,nam\n1,x\n', 'There is no column "nam". The columns are ID, NAME, AGE'],
    ['no column of the key', {}, 'name\nx\n', 'The column ID is missing'],
    [
      'an unknown table',
      { target: { ...PERSON, name: 'persn' } },
      'id\n1\n',
      'There is no table persn. Did you mean PERSON?',
    ],
    ['an unknown schema', { target: { ...PERSON, name: 'a.person' } }, 'id\n1\n', 'There is no table a.person'],
    ['a name of three parts', { target: { ...PERSON, name: 'a.b.c' } }, 'id\n1\n', 'There is no table a.b.c'],
    ['an unknown cache', { target: { ...CACHE, cache: 'none' } }, 'key,value\n1,1\n', 'none'],
  ];
  for (const [title, options, source, message] of REJECTED) {
    test(`${title} is rejected`, async () => {
      await using opened = await open();
      await opened.run(CREATE);
      expect(opened.bulk.importRows(request(PERSON, options), sourceOf(source))).rejects.toThrow(message);
    });
  }

  test('ends when the definition of the table changes, but not for an index of another table', async () => {
    await using opened = await open();
    await opened.run(CREATE);
    await opened.run('create table other(id int primary key, v int)');
    let part = 0;
    const source = {
      async read() {
        part++;
        // Everything sent before is stored by then, except the record that the parser holds back.
        await Bun.sleep(20);
        if (part === 2) await opened.run('alter table other add column x int');
        if (part === 3) await opened.run('alter table person add column x int');
        return part < 5 ? Buffer.from(part === 1 ? 'id,name,age\n1,a,1\n' : `${part},a,1\n`) : undefined;
      },
    };
    const report = await outcome(opened.bulk.importRows(request(PERSON), source));
    expect(report).toMatchObject({ rows: 1, error: expect.stringContaining('The definition of PERSON has changed') });
  });

  test('other changes go on meanwhile', async () => {
    await using opened = await open();
    await opened.run(CREATE);
    const lines = Array.from({ length: 20_000 }, (_, id) => `${id},n${id},${id % 100}`);
    let puts = 0;
    let isImporting = true;
    const importing = opened.bulk
      .importRows(request(PERSON), sourceOf(`id,name,age\n${lines.join('\n')}\n`, 10_000))
      .finally(() => {
        isImporting = false;
      });
    while (isImporting) await entriesOf(opened.grid).put('default', text(`k${puts++}`), text('v'));
    expect((await importing).rows).toBe(20_000);
    expect(puts).toBeGreaterThan(20);
    expect(entriesOf(opened.grid).size('default')).toBe(puts);
    expect(entriesOf(opened.grid).size('p')).toBe(20_000);
  });
});

describe('into a cache', () => {
  test('types come from the request, the record or JSON', async () => {
    await using opened = await open();
    const typed = { ...CACHE, keyType: 'long', valueType: 'double' };
    await opened.bulk.importRows(request(typed), sourceOf('key,value\n1,2\n'));
    await opened.bulk.importRows(request(CACHE), sourceOf('key,value\n1,2\n'));
    const ndjson = [
      '{"key":"a","value":{"x":[1,2.5,"y",null]}}',
      '{"key":"b","value":12345678901}',
      '{"key":"c","value":"7","valueType":"int"}',
      '{"key":"2020-01-01","keyType":"date","value":true}',
    ].join('\n');
    await opened.bulk.importRows(request(CACHE, { format: 'ndjson' }), sourceOf(ndjson));
    const get = async (key: Value) => entriesOf(opened.grid).get('default', key);
    expect(await get({ type: 'long', data: 1n })).toEqual({ type: 'double', data: 2 });
    expect(await get(text('1'))).toEqual(text('2'));
    expect(await get(text('a'))).toMatchObject({ type: 'map' });
    expect(await get(text('b'))).toEqual({ type: 'long', data: 12345678901n });
    expect(await get(text('c'))).toEqual({ type: 'integer', data: 7 });
    expect(await get({ type: 'date', data: 18262 })).toEqual({ type: 'boolean', data: true });
  });

  test('entries have the time to live of the request, unless their record says when they expire', async () => {
    const caches = [{ name: 'timed', ttlMs: 3_600_000 }];
    await using opened = await open({ caches });
    const ttlOf = async (cache: string, key: string) => entriesOf(opened.grid).timeToLive(cache, text(key));
    const within = async (cache: string, key: string, low: bigint, high: bigint) => {
      const ttl = (await ttlOf(cache, key)) ?? 0n;
      expect([key, ttl > low, ttl <= high]).toEqual([key, true, true]);
    };
    const day = 86_400_000n;
    const source = `key,value,expires\na,1,\nb,2,${Date.now() + 5 * 3_600_000}\nn,3,0\n`;
    for (const isAtomic of [false, true]) {
      for (const cache of ['default', 'timed']) {
        const target = { ...CACHE, cache, ttlMs: day };
        await opened.bulk.importRows(request(target, { isAtomic }), sourceOf(source));
        await within(cache, 'a', day / 2n, day);
        await within(cache, 'b', 3_600_000n, 5n * 3_600_000n);
        expect(await ttlOf(cache, 'n')).toBeNull();
      }
    }
    await opened.bulk.importRows(request({ ...CACHE, cache: 'timed', ttlMs: null }), sourceOf('key,value\nc,1\n'));
    expect(await ttlOf('timed', 'c')).toBeNull();
    await opened.bulk.importRows(request({ ...CACHE, cache: 'timed' }), sourceOf('key,value\nd,1\n'));
    await within('timed', 'd', 0n, 3_600_000n);
  });

  test('objects get new types, which other threads and restarts know', async () => {
    const folder = newFolder();
    {
      await using opened = await open({ folder });
      const target = { ...CACHE, valueType: 'org.example.Car' };
      await opened.bulk.importRows(request(target), sourceOf('key,value\na,"{""wheels"":4}"\n'));
      expect(await opened.entries('default')).toEqual(['a={"wheels":4}']);
    }
    await using again = await open({ folder });
    expect(await entriesOf(again.grid).get('default', text('a'))).toMatchObject({ typeName: 'org.example.Car' });
  });

  test('entries expire at the time of their record', async () => {
    await using opened = await open();
    const soon = Date.now() + 300;
    const source = `key,value,expires\na,1,${soon}\nb,2,\nc,3,${Date.now() - 1}\n`;
    const report = await opened.bulk.importRows(request(CACHE), sourceOf(source));
    expect(report).toMatchObject({ rows: 2, skipped: 1 });
    expect(await opened.entries('default')).toEqual(['a=1', 'b=2']);
    await Bun.sleep(400);
    expect(await opened.entries('default')).toEqual(['b=2']);
    expect(entriesOf(opened.grid).size('default')).toBe(1);
  });

  const WRONG: ReadonlyArray<readonly [title: string, record: string, message: string]> = [
    ['a key of another type', 'x,1', 'type=int, val=x'],
    ['no key', ',1', 'The key is missing or null'],
    ['no value', '1,', 'The value is missing or null'],
  ];
  for (const [title, record, message] of WRONG) {
    test(`${title} is rejected`, async () => {
      await using opened = await open();
      const typed = { ...CACHE, keyType: 'int' };
      const report = await outcome(opened.bulk.importRows(request(typed), sourceOf(`key,value\n5,5\n${record}\n`)));
      expect(report.error).toContain(message);
      expect(report).toMatchObject({ rows: 1, line: 2 });
    });
  }

  for (const [onDuplicate, counts] of [
    ['error', { rows: 0, skipped: 0, rejected: 1 }],
    ['skip', { rows: 0, skipped: 1, rejected: 0 }],
    ['replace', { rows: 1, skipped: 0, rejected: 0 }],
  ] as const) {
    test(`a key that exists: onDuplicate=${onDuplicate}`, async () => {
      await using opened = await open();
      await entriesOf(opened.grid).put('default', text('a'), text('old'));
      const options = { onDuplicate, onError: 'skip' } as const;
      const report = await opened.bulk.importRows(request(CACHE, options), sourceOf('key,value\na,new\n'));
      expect(report).toMatchObject(counts);
      expect(await opened.entries('default')).toEqual([onDuplicate === 'replace' ? 'a=new' : 'a=old']);
    });
  }
});

describe('tables of query entities without key fields', () => {
  const NAME = [{ name: 'name', type: { kind: 'scalar', type: 'string' } }] as const;
  const caches = [
    { name: 'e', entities: [{ keyType: 'long', valueType: 'P', fields: NAME }] },
    { name: 'o', entities: [{ keyType: 'K', valueType: 'O', fields: NAME }] },
    {
      name: 'v',
      entities: [
        {
          keyType: 'integer',
          valueType: 'string',
          tableName: 'V',
          keyFields: ['id'],
          fields: [{ name: 'id', type: { kind: 'scalar', type: 'integer' } }] as const,
        },
      ],
    },
  ];
  const into = (name: string): ImportTarget => ({ kind: 'table', name, cache: 'default' });

  test('have their keys in the column _KEY', async () => {
    await using opened = await open({ caches });
    const ndjson = '{"_KEY":5,"NAME":"Ann"}\n{"NAME":"Bob","_KEY":"6"}\n';
    const report = await opened.bulk.importRows(request(into('e.P'), { format: 'ndjson' }), sourceOf(ndjson));
    expect(report.rows).toBe(2);
    expect(await opened.rows('e')).toEqual(['5 {"name":"Ann"}', '6 {"name":"Bob"}']);
  });

  const REJECTED: ReadonlyArray<readonly [table: string, source: string, error: string]> = [
    ['e.P', 'NAME\nAnn\n', '_KEY'],
    ['o.O', 'NAME\nAnn\n', 'lack the keys; import into the cache o'],
    ['v.V', 'ID\n1\n', 'lack the values; import into the cache v'],
  ];
  test.each(REJECTED)('%s rejects %j', async (table, source, error) => {
    await using opened = await open({ caches });
    const imported = async () => opened.bulk.importRows(request(into(table)), sourceOf(source));
    expect(imported()).rejects.toThrow(error);
  });
});
