/** Which joins Ignite rejects with `distributedJoins=true`. */
import { expect, test } from 'bun:test';
import { SqlStore } from '../../../../test/fixtures/embedded/sql-store.ts';
import type { FieldsQuery } from '../../../grid/grid.ts';
import { checkDistributedJoin } from './statement.ts';

const sql = new SqlStore();
sql.run('create table A(id int primary key, a int)');
sql.run('create table B(id int primary key, a int)');
sql.run('create index BX on B(a)');

const QUERY = { kind: 'fields', cache: 'c', owner: '', pageSize: 1, format: 'json', sql: '', args: [] } as const;

function rejects(text: string, options: Partial<FieldsQuery> = { distributedJoins: true, asIgnite: true }): boolean {
  const prepared = sql.prepare(text);
  if (prepared.kind !== 'query') throw new TypeError(text);
  try {
    checkDistributedJoin(prepared, { ...QUERY, ...options });
    return false;
  } catch (error) {
    expect(String(error)).toContain('join condition does not use index [joinedCache=');
    return true;
  }
}

test.each([
  ['select * from A x join A y on x.a = y.a', true],
  ['select * from A x, A y where x.a = y.a', true],
  ['select * from A x, A y', true],
  ['select * from A x join A y on x.a > y.a', true],
  ['select * from A x left join A y on x.a = y.a', true],
  ['select * from A x cross join B y', true],
  ['select * from A x join B y on x.a = y.id', false],
  ['select * from A x join B y on x.id = y.a', false],
  ['select * from A x join A y on x.id = y.id', false],
  ['select * from A x join B y on x.a = y.a', false],
  ['select * from A x join A y on x.a = y.a where x.id = 1', false],
  ['select * from A x join B y on x.id = y.id join A z on z.a = y.a', false],
  ['select * from A', false],
])('%s: %p', (text, rejected) => {
  expect(rejects(text)).toBe(rejected);
});

test('only where the answer must be that of Ignite, and only with distributedJoins', () => {
  expect(rejects('select * from A x, A y', { distributedJoins: true })).toBe(false);
  expect(rejects('select * from A x, A y', { asIgnite: true })).toBe(false);
});
