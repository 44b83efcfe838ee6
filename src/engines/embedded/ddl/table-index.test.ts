import { expect, test } from 'bun:test';
import type { CacheDefinition, QueryEntity } from '../../../grid/grid.ts';
import { TableIndex } from './table-index.ts';

function entity(tableName: string): QueryEntity {
  return { keyType: 'long', valueType: tableName, tableName, fields: [], fromSql: true };
}

function cache(
  name: string,
  schema: string,
  ...tables: string[]
): { readonly definition: CacheDefinition; readonly schema: string } {
  const definition: CacheDefinition = {
    name,
    mode: 'PARTITIONED',
    backups: 0,
    region: 'default',
    group: undefined,
    writeMode: 'FULL_SYNC',
    atomicity: 'ATOMIC',
    schema,
    entities: tables.map(entity),
    persistent: true,
  };
  return { definition, schema };
}

test('finds tables by schema and name until their cache is removed', () => {
  const index = new TableIndex();
  const [a, b] = [cache('a', 'PUBLIC', 'T'), cache('b', 'OTHER', 'T', 'U')];
  index.add(a);
  index.add(b);
  expect(index.find('PUBLIC', 'T').map(({ handle }) => handle)).toEqual([a]);
  expect(index.find('OTHER', 'U').map(({ handle }) => handle)).toEqual([b]);
  expect(index.find('PUBLIC', 'U')).toEqual([]);
  expect([...index.schemas()].sort()).toEqual(['OTHER', 'PUBLIC']);
  index.remove(b);
  expect(index.find('OTHER', 'T')).toEqual([]);
  expect([...index.schemas()]).toEqual(['PUBLIC']);
});

test('keeps tables of the same name in the order of their caches', () => {
  const index = new TableIndex();
  const [first, second] = [cache('first', 'PUBLIC', 'T'), cache('second', 'PUBLIC', 'T')];
  index.add(first);
  index.add(second);
  expect(index.find('PUBLIC', 'T').map(({ handle }) => handle)).toEqual([first, second]);
  index.remove(first);
  expect(index.find('PUBLIC', 'T').map(({ handle }) => handle)).toEqual([second]);
});

test('knows the schemas of caches without tables', () => {
  const index = new TableIndex();
  const [one, other] = [cache('one', 'S'), cache('other', 'S')];
  index.add(one);
  index.add(other);
  index.remove(one);
  expect([index.hasSchema('S'), [...index.schemas()]]).toEqual([true, []]);
  index.remove(other);
  expect(index.hasSchema('S')).toBe(false);
});
