import { expect, test } from 'bun:test';
import { DivergedTables, metadataReasonOf } from './script-explanations.ts';
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

const rejected = (text: string): Outcome => ({ kind: 'rejected', text });
const rows = (names: readonly string[], ...values: string[][]): Outcome => ({
  kind: 'rows',
  names,
  types: names.map(() => 'java.lang.String'),
  rows: values,
});

test('rows of a table differ after a change that svc and Ignite answer in different ways on purpose', () => {
  const tables = new DivergedTables();
  tables.note('insert into parent values(1), (2)', rejected('Failed to INSERT some keys because they are ...'));
  tables.note('insert into other values(1)', rejected('Column count does not match; SQL statement: ...'));
  tables.note('create view v as select * from parent', rows(['UPDATED'], ['0']));
  expect(tables.reasonOf('select * from parent')).toBe('An INSERT of several rows is atomic (known difference 27).');
  expect(tables.reasonOf('select id from V where id = 1')).toBe(
    'An INSERT of several rows is atomic (known difference 27).',
  );
  expect(tables.reasonOf('select * from other')).toBeUndefined();
  tables.note('drop table parent', rows(['UPDATED'], ['0']));
  expect(tables.reasonOf('select * from parent')).toBeUndefined();
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
