import { expect, test } from 'bun:test';
import { DEFAULT_LIMITS } from '../base/limits.ts';
import type { CacheDefinition, QueryEntity } from '../grid/grid.ts';
import type { ResourceOptions } from './call.ts';
import { findTable, type Table } from './tables.ts';

function definition(name: string, schema: string | undefined, entity: QueryEntity): CacheDefinition {
  return {
    name,
    schema,
    entities: [entity],
    mode: 'PARTITIONED',
    backups: 0,
    region: 'default',
    group: undefined,
    writeMode: 'FULL_SYNC',
    atomicity: 'ATOMIC',
    persistent: true,
  };
}

const scalar = (type: 'integer' | 'string') => ({ kind: 'scalar', type }) as const;
const CITY: QueryEntity = {
  keyType: 'CityKey',
  valueType: 'City',
  tableName: 'CITY',
  keyFields: ['NO', 'LAND'],
  fields: [
    { name: 'LAND', type: scalar('string') },
    { name: 'NO', type: scalar('integer') },
    { name: 'NAME', type: scalar('string'), notNull: true },
    { name: 'TAGS', type: { kind: 'list' } },
  ],
  fromSql: true,
};
const PERSON: QueryEntity = {
  keyType: 'java.lang.Integer',
  valueType: 'org.example.Person',
  fields: [{ name: 'name', type: scalar('string'), alias: 'fullName' }],
};

/** A cluster, which does not reveal the cache of a table. */
const cluster: ResourceOptions = {
  service: { execute: () => Promise.reject(new Error('no statement is run')) },
  caches: {
    cacheOfTable: () => undefined,
    find: () => Promise.resolve(undefined),
    list: () => Promise.resolve([definition('city', undefined, CITY), definition('people', 'people', PERSON)]),
  },
  serviceName: 'svc',
  defaultCache: 'default',
  limits: DEFAULT_LIMITS,
  manyNodes: true,
};

function shown(table: Table | undefined) {
  return table && [table.quoted, table.key.map(({ name }) => name), table.columns.map(({ name }) => name)];
}

test.each([
  ['city', ['"PUBLIC"."CITY"', ['NO', 'LAND'], ['LAND', 'NO', 'NAME', 'TAGS']]],
  ['PUBLIC.City', ['"PUBLIC"."CITY"', ['NO', 'LAND'], ['LAND', 'NO', 'NAME', 'TAGS']]],
  ['people.person', ['"people"."PERSON"', ['_KEY'], ['_KEY', 'FULLNAME']]],
  ['"city"', undefined],
  ['person', undefined],
  ['a.b.c', undefined],
])('in a cluster, %s is the table %j', async (written, expected) => {
  expect(shown(await findTable(cluster, written))).toEqual(expected);
});

test('columns know their types, and which can be NULL', async () => {
  const table = await findTable(cluster, 'CITY');
  expect(table?.column('name')).toMatchObject({ name: 'NAME', type: 'string', isNullable: false });
  expect(table?.column('TAGS')).toMatchObject({ type: undefined, isNullable: true });
  expect(table?.column('nothing')).toBeUndefined();
  expect(table?.rowSql).toBe('SELECT "LAND", "NO", "NAME", "TAGS" FROM "PUBLIC"."CITY" WHERE "NO" = ? AND "LAND" = ?');
  expect((await findTable(cluster, 'people.Person'))?.key[0]).toMatchObject({ name: '_KEY', type: 'integer' });
});

test('a name in quotes cannot leave them', async () => {
  const odd = definition('odd', undefined, { ...CITY, tableName: 'A" OR "B', keyFields: ['NO'] });
  const table = await findTable({ ...cluster, caches: { ...cluster.caches, list: () => [odd] } }, '"A"" OR ""B"');
  expect(table?.quoted).toBe('"PUBLIC"."A"" OR ""B"');
});
