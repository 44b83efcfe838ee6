/** A declaration of a type belongs to its cache, as on Apache Ignite. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openSqlGrid, type SqlGrid } from '../../../../test/fixtures/embedded/sql-grid.ts';

let sql: SqlGrid;

beforeAll(async () => {
  sql = await openSqlGrid();
  await sql.grid.caches.getOrCreate('other', {});
  await sql.run(
    'CREATE TABLE xp (id INT, part INT, age INT, PRIMARY KEY (id, part)) WITH "CACHE_NAME=xp,KEY_TYPE=Id,VALUE_TYPE=Pers"',
  );
  await sql.run('CREATE TABLE xq (id INT PRIMARY KEY, name VARCHAR) WITH "CACHE_NAME=xq,VALUE_TYPE=Pers"');
  await sql.run('CREATE TABLE xs (id DATE PRIMARY KEY, v DECIMAL) WITH "CACHE_NAME=xs,WRAP_VALUE=false"');
});
afterAll(() => sql.close());

const FOUND: ReadonlyArray<
  readonly [typeName: string, cache: string | undefined, fields: readonly string[] | undefined]
> = [
  ['Pers', 'xp', ['AGE']],
  ['pers', 'xp', ['AGE']],
  ['Id', 'xp', ['ID', 'PART']],
  ['Pers', 'xq', ['NAME']],
  ['Id', 'xq', undefined],
  ['Pers', 'other', undefined],
  ['pers', 'other', undefined],
  ['Pers', 'none', undefined],
  ['Pers', undefined, ['AGE']],
  // A scalar type is not an object, whichever tables have values of it.
  ['decimal', undefined, undefined],
  ['decimal', 'xs', undefined],
  ['java.math.BigDecimal', undefined, undefined],
  ['date', 'xs', undefined],
];

test.each(FOUND)('%s in %s has the fields %j', (typeName, cache, fields) => {
  expect(sql.grid.types.find(typeName, cache)?.fields.map(({ name }) => name)).toEqual(fields?.slice());
});
