/** The effect of startup on a cache whose declaration in the configuration differs from the stored one. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlGrid } from '../../../../test/fixtures/embedded/sql-grid.ts';
import { entriesOf } from '../../../../test/grid/entry-methods.ts';
import { systemClock } from '../../../base/clock.ts';
import type { CacheDeclaration } from '../../../grid/declarations.ts';
import type { EntityField, QueryEntity } from '../../../grid/grid.ts';
import { readCustom } from '../../../values/custom.ts';
import { formatText } from '../../../values/json.ts';
import { text, type Value } from '../../../values/value.ts';
import { type EmbeddedGrid, openEmbeddedGrid } from '../embedded-grid.ts';

const INT = { kind: 'scalar', type: 'integer' } as const;
const DECIMAL = { kind: 'scalar', type: 'decimal', precision: 5, scale: 2 } as const;
const ENTITY: QueryEntity = {
  keyType: 'string',
  valueType: 'V',
  fields: [
    { name: 'a', type: INT },
    { name: 'b', type: DECIMAL },
  ],
  indexes: [{ name: 'byA', fields: [{ name: 'a' }] }],
};
const A = ENTITY.fields[0] ?? expect.unreachable();
const VALUE: Value = { type: 'object', typeName: 'V', fields: [{ name: 'a', value: { type: 'integer', data: 1 } }] };
const KEYS = [text('k1'), text('k2')];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-declared-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Opens a folder with a cache as it is declared. */
async function open(name: string, cache: Partial<CacheDeclaration>): Promise<EmbeddedGrid> {
  const regions = [{ name: 'memory', persistent: false }, { name: 'disk' }];
  const caches = [{ name: 'c', ...cache }];
  return openEmbeddedGrid({ dataDir: join(folder, name), clock: systemClock, version: '1.0.0', regions, caches });
}

/** Starts with one declaration, stores entries, and returns the outcome of a start with the other. */
async function restarted(
  name: string,
  first: Partial<CacheDeclaration>,
  second: Partial<CacheDeclaration>,
  isEmpty = false,
): Promise<unknown> {
  const before = await open(name, first);
  if (!isEmpty) for (const key of KEYS) await entriesOf(before).put('c', key, VALUE);
  await before.close();
  let after: EmbeddedGrid;
  try {
    after = await open(name, second);
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
  try {
    const { region, ttlMs, sliding, changeFeed, entities } = (await after.caches.find('c')) ?? expect.unreachable();
    const names = (await after.caches.metadata('c')).indexes;
    const rest = JSON.parse(JSON.stringify({ region, ttlMs, sliding, changeFeed, fields: entities[0]?.fields.length }));
    return {
      ...rest,
      indexes: Object.values(names)
        .flat()
        .map((each) => each.name),
      size: entriesOf(after).size('c'),
    };
  } finally {
    await after.close();
  }
}

const entity = (changed: Partial<QueryEntity>): Partial<CacheDeclaration> => ({
  entities: [{ ...ENTITY, ...changed }],
});
const AS_STORED = { region: 'default', fields: 2, indexes: ['BYA'], size: 2 };

const APPLIED: ReadonlyArray<readonly [string, Partial<CacheDeclaration>, Partial<CacheDeclaration>, object]> = [
  ['nothing', entity({}), entity({}), AS_STORED],
  [
    'a time to live',
    entity({}),
    { ...entity({}), ttlMs: 60_000, sliding: true },
    { ...AS_STORED, ttlMs: 60_000, sliding: true },
  ],
  ['no time to live', { ...entity({}), ttlMs: 60_000 }, entity({}), AS_STORED],
  ['a change feed', entity({}), { ...entity({}), changeFeed: true }, { ...AS_STORED, changeFeed: true }],
  ['no change feed', { ...entity({}), changeFeed: true }, { ...entity({}), changeFeed: false }, AS_STORED],
  [
    'a change feed of which it says nothing',
    { ...entity({}), changeFeed: true },
    entity({}),
    { ...AS_STORED, changeFeed: true },
  ],
  [
    'another index',
    entity({}),
    entity({ indexes: [...(ENTITY.indexes ?? []), { fields: [{ name: 'b', descending: true }] }] }),
    { ...AS_STORED, indexes: ['BYA', 'V_B_DESC_IDX'] },
  ],
  [
    'another field',
    entity({}),
    entity({ fields: [...ENTITY.fields, { name: 'z', type: INT }] }),
    { ...AS_STORED, fields: 3 },
  ],
  [
    'another entity',
    entity({}),
    { entities: [ENTITY, { ...ENTITY, valueType: 'W', indexes: [{ name: 'w', fields: [{ name: 'b' }] }] }] },
    { ...AS_STORED, indexes: ['BYA', 'W'] },
  ],
  ['a first entity', { schema: 'c' }, entity({}), AS_STORED],
  ['fewer indexes', entity({}), entity({ indexes: [] }), AS_STORED],
  ['fewer fields', entity({}), entity({ fields: [A] }), AS_STORED],
  ['no entities', entity({}), {}, AS_STORED],
];

test.each(APPLIED)('%s is applied', async (name, first, second, expected) => {
  expect(await restarted(`applied ${name}`, first, second)).toEqual(expected);
});

const REJECTED: ReadonlyArray<readonly [Partial<CacheDeclaration>, what: string]> = [
  [{ ...entity({}), region: 'disk' }, 'the region cannot change: it is default in the data folder and disk in'],
  [{ ...entity({}), schema: 'S' }, 'the schema cannot change: it is c in the data folder and S in'],
  [entity({ keyType: 'long' }), 'the key type of V cannot change: it is string in the data folder and long in'],
  [entity({ tableName: 'W' }), 'the table name of V cannot change: it is V in the data folder and W in'],
  [entity({ keyFields: ['a'] }), 'the key fields of V cannot change: it is none in the data folder and a in'],
  [
    entity({ fields: [{ name: 'a', type: { ...INT, type: 'long' } }] }),
    'the field a of V cannot change: it is integer in the data folder and long in',
  ],
  [
    entity({ fields: [A, { name: 'b', type: { ...DECIMAL, scale: 3 } }] }),
    'the field b of V cannot change: it is decimal(5, 2) in the data folder and decimal(5, 3) in',
  ],
  [
    entity({ indexes: [{ name: 'byA', fields: [{ name: 'b' }] }] }),
    'the index byA cannot change: it is (A) in the data folder and (B) in',
  ],
  [
    entity({ indexes: [{ name: 'unique', fields: [{ name: 'a' }], unique: true }] }),
    'the index unique cannot change: it is over equal values in the data folder and unique in',
  ],
];

test.each(REJECTED)('a cache with entries keeps what it has: %j', async (second, what) => {
  const message = `The cache c has entries, so ${what} the configuration`;
  expect(await restarted(what, entity({}), second)).toContain(message);
});

test.each(REJECTED)('a cache without entries is created again: %j', async (second, what) => {
  const declared = second.entities?.[0] ?? ENTITY;
  expect(await restarted(`empty ${what}`, entity({}), second, true)).toMatchObject({
    region: second.region ?? 'default',
    size: 0,
    indexes: expect.arrayContaining((declared.indexes ?? []).map(({ name }) => name?.toUpperCase())),
  });
});

test('a cache in memory moves to a region that persists', async () => {
  const first = { ...entity({}), region: 'memory' };
  expect(await restarted('moved', first, { ...entity({}), region: 'disk' })).toMatchObject({ region: 'disk', size: 0 });
});

const OBJECTS: Readonly<Record<string, string>> = {
  a: '{"A":1,"z":5,"other":true}',
  b: '{"z":"6"}',
  c: '{"A":2}',
  d: '{"z":"x"}',
};
const LATER = { ...ENTITY, fields: [...ENTITY.fields, { name: 'z', type: INT }] };
const DEFAULT: Value = { type: 'decimal', data: { unscaled: 150n, scale: 2 } };
const WITH_INDEX = { ...LATER, indexes: [{ name: 'byZ', fields: [{ name: 'z' }] }] };

test.each([
  ['an entity', {}],
  ['a field', entity({ indexes: [] })],
])('%s that is new applies to objects that exist', async (name, first) => {
  const before = await open(`objects ${name}`, first);
  for (const [key, json] of Object.entries(OBJECTS)) {
    const types = { find: (type: string) => before.types.find(type, 'c') };
    await entriesOf(before).put('c', text(key), readCustom('V', json, types));
  }
  await before.close();
  // Each start retries the entries that did not fit, and nothing changes until they are repaired.
  for (const start of [1, 2, 3]) {
    const logged: string[] = [];
    const dataDir = join(folder, `objects ${name}`);
    const sql = await openSqlGrid({
      dataDir,
      regions: [{ name: 'memory', persistent: false }, { name: 'disk' }],
      caches: [{ name: 'c', entities: [WITH_INDEX] }],
      log: (_, line) => logged.push(line),
    });
    const shown = logged.filter((line) => line.includes('fit'));
    const isUnfit = start < 3;
    expect(shown).toEqual(
      isUnfit ? ['An entry of the cache c does not fit the table: d (field z: not a whole number)'] : [],
    );
    expect((await sql.grid.caches.metadata('c')).unfit).toEqual(isUnfit ? { V: 1 } : undefined);
    expect(sql.grid.storage().unfitEntries).toBe(isUnfit ? 1 : 0);
    if (!isUnfit) {
      expect((await sql.run(`SELECT _KEY FROM "c".V WHERE z = 7`)).json).toBe('[["d"]]');
      await sql.close();
      return;
    }
    expect((await sql.run('SELECT _KEY, a, z FROM "c".V ORDER BY _KEY')).json).toBe(
      '[["a",1,5],["b",null,6],["c",2,null],["d",null,null]]',
    );
    expect((await sql.run('SELECT _KEY FROM "c".V WHERE z = 6')).json).toBe('[["b"]]');
    const values = Object.keys(OBJECTS).map((key) => entriesOf(sql.grid).get('c', text(key)));
    expect((await Promise.all(values)).map((value) => formatText(value ?? text('absent'))).join(' ')).toBe(
      name === 'an entity'
        ? '{"A":1,"z":5,"other":true} {"z":6} {"A":2} {"z":"x"}'
        : '{"a":1,"z":5,"other":true} {"z":6} {"a":2} {"z":"x"}',
    );
    const types = { find: (type: string) => sql.grid.types.find(type, 'c') };
    if (start === 2) await entriesOf(sql.grid).put('c', text('d'), readCustom('V', '{"z":7}', types));
    await sql.close();
  }
});

test('a start that tries again what does not fit changes nothing in the feed', async () => {
  const value: Value = { type: 'object', typeName: 'V', fields: [{ name: 'z', value: text('x') }] };
  const before = await open('unfit feed', { changeFeed: true });
  await entriesOf(before).put('c', text('d'), value);
  await before.close();
  const positions: unknown[] = [];
  for (const _start of [1, 2, 3]) {
    const grid = await open('unfit feed', { changeFeed: true, entities: [LATER] });
    expect((await grid.caches.metadata('c')).unfit).toEqual({ V: 1 });
    positions.push(grid.changeFeed?.position(['c']));
    await grid.close();
  }
  expect(positions).toEqual([1, 2, 3].map(() => expect.stringMatching(/^\w+\.\d+$/)));
  expect(new Set(positions).size).toBe(1);
  const grid = await open('unfit feed', { changeFeed: true, entities: [LATER] });
  await entriesOf(grid).put('c', text('d'), text('recorded'));
  expect(grid.changeFeed?.position(['c'])).not.toBe(positions[0]);
  await grid.close();
});

test('a start converts objects that write a field in two ways, and says so', async () => {
  const dataDir = join(folder, 'variants');
  const before = await open('variants', {});
  for (const name of ['z', 'Z']) {
    const value: Value = { type: 'object', typeName: 'V', fields: [{ name, value: { type: 'integer', data: 1 } }] };
    await entriesOf(before).put('c', text(name), value);
  }
  await before.close();
  const logged: string[] = [];
  const caches = [{ name: 'c', entities: [LATER] }];
  const sql = await openSqlGrid({ dataDir, caches, log: (_, line) => logged.push(line) });
  expect(logged).toContain('Objects of type V in the cache c write the field of one column in several ways: Z, z');
  expect((await sql.run('SELECT _KEY, z FROM "c".V ORDER BY _KEY')).json).toBe('[["Z",1],["z",1]]');
  await sql.close();
});

test('fields and indexes that the configuration adds to a table of SQL have names as SQL writes them', async () => {
  const dataDir = join(folder, 'of-sql');
  const before = await openSqlGrid({ dataDir });
  await before.run('CREATE TABLE T (id VARCHAR PRIMARY KEY, a INT) WITH "CACHE_NAME=c,VALUE_TYPE=V"');
  await before.run("INSERT INTO T VALUES ('k', 1)");
  await before.close();
  const fields: EntityField[] = [
    { name: 'id', type: { kind: 'scalar', type: 'string' } },
    A,
    { name: 'further', type: INT },
    { name: 'other', type: INT, alias: 'another' },
  ];
  const indexes = [{ name: 'byFurther', fields: [{ name: 'further' }] }];
  const entities = [{ ...ENTITY, tableName: 'T', keyFields: ['id'], fields, indexes }];
  for (const _ of [1, 2]) {
    const sql = await openSqlGrid({ dataDir, caches: [{ name: 'c', schema: 'PUBLIC', entities }] });
    const types = { find: (type: string) => sql.grid.types.find(type, 'c') };
    await entriesOf(sql.grid).put('c', text('l'), readCustom('V', '{"further":2,"other":3}', types));
    expect((await sql.run('SELECT id, a, further, another FROM T ORDER BY id')).json).toBe(
      '[["k",1,null,null],["l",null,2,3]]',
    );
    expect((await sql.run('EXPLAIN SELECT id FROM T WHERE further = 2')).json).toContain('BYFURTHER');
    await sql.close();
  }
});

test('NOT NULL and default values are those that are declared now', async () => {
  const before = await open('constraints', entity({}));
  await entriesOf(before).put('c', text('k1'), VALUE);
  await before.close();
  const fields = [A, { ...LATER.fields[1], notNull: true, defaultValue: DEFAULT } as EntityField];
  for (const _ of [1, 2]) {
    const sql = await openSqlGrid({
      dataDir: join(folder, 'constraints'),
      caches: [{ name: 'c', ...entity({ fields }) }],
    });
    const put = async () => entriesOf(sql.grid).put('c', text('k2'), VALUE);
    expect(put()).rejects.toThrow("Null value is not allowed for column 'B'");
    await sql.run('INSERT INTO "c".V (_KEY, a) VALUES (\'k3\', 2)');
    expect((await sql.run('SELECT _KEY, b FROM "c".V ORDER BY _KEY')).json).toBe('[["k1",null],["k3",1.50]]');
    await sql.run('DELETE FROM "c".V WHERE b IS NOT NULL');
    await sql.close();
  }
  const after = await open('constraints', entity({}));
  expect(await entriesOf(after).put('c', text('k2'), VALUE)).toBeUndefined();
  await after.close();
});
