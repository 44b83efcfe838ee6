import { expect, test } from 'bun:test';
import { isDefinition, isSelect } from './statement-text.ts';

const cases: ReadonlyArray<readonly [string, boolean, boolean]> = [
  ['select 1', true, false],
  ['  SELECT 1;', true, false],
  ['select 1;  ;', true, false],
  ['(select 1) union (select 2)', true, false],
  ['-- a comment\nselect 1', true, false],
  ['/* a comment */ with x as (select 1) select * from x', true, false],
  ['values (1)', true, false],
  ['explain select 1', true, false],
  ["select ';' from t", true, false],
  ['select ";" from t', true, false],
  ["select 'it''s; here' from t", true, false],
  ['select 1 -- ; not here', true, false],
  ['select 1; select 2', false, false],
  ['select 1; drop table t', false, false],
  ["select ''; drop table t", false, false],
  ['insert into t values (1)', false, false],
  ['selection', false, false],
  ['merge into t values (1)', false, false],
  ['create table t(id int primary key)', false, true],
  ['DROP TABLE t', false, true],
  ['alter table t add column c int', false, true],
  ['', false, false],
];

test.each(cases)('%p: reads %p, defines %p', (sql, reads, defines) => {
  expect(isSelect(sql)).toBe(reads);
  expect(isDefinition(sql)).toBe(defines);
});
