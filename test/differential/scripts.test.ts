import { expect, test } from 'bun:test';
import { metadataReasonOf } from './script-explanations.ts';
import { statementsOf, withKey } from './scripts.ts';
import type { Outcome } from './targets.ts';

test('a script is split into statements, without comments and expected results', () => {
  const script = `-- comment
create table t(id int,
  v int);
> ok

@reconnect
select 1; -- not the end
select 2;
>> 2
`;
  expect(statementsOf(script)).toEqual([
    { sql: 'create table t(id int,\n  v int)', line: 2 },
    { sql: 'select 1; -- not the end\nselect 2', line: 7 },
  ]);
});

test.each([
  ['create table t(id int, v varchar(5))', 'create table t(id int, v varchar(5), primary key (id))'],
  [
    'create cached table if not exists "t"("x y" int)',
    'create table if not exists "t"("x y" int, primary key ("x y"))',
  ],
  ['create table t(id int primary key)', 'create table t(id int primary key)'],
  ['create table t(id int) as select 1', 'create table t(id int) as select 1'],
  ['select 1', 'select 1'],
])('%s gets a primary key', (sql, expected) => {
  expect(withKey(sql)).toBe(expected);
});

const rows = (names: readonly string[], ...values: string[][]): Outcome => ({
  kind: 'rows',
  names,
  types: names.map(() => 'java.lang.String'),
  rows: values,
});

test('rows of INFORMATION_SCHEMA may differ in columns that depend on the node, and in no others', () => {
  const sql = 'select * from information_schema.schemata';
  const names = ['CATALOG_NAME', 'SCHEMA_NAME', 'ID'];
  const ours = rows(names, ['"SVC"', '"PUBLIC"', '0'], ['"SVC"', '"SYS"', '1']);
  const theirs = rows(names, ['"A1"', '"SYS"', '7'], ['"A1"', '"PUBLIC"', '8']);
  expect(metadataReasonOf(sql, theirs, ours)).toBeDefined();
  expect(metadataReasonOf(sql, rows(names, ['"A1"', '"PUBLIC"', '8']), ours)).toBeUndefined();
  expect(metadataReasonOf('select * from t', theirs, ours)).toBeUndefined();
});
