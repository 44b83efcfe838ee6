import { expect, test } from 'bun:test';
import { SQL_BOUNDS } from '../../../base/limits.ts';
import { routeOf } from './statement-route.ts';

const LIST = Array.from({ length: SQL_BOUNDS.parsedTokens }, (_, at) => at).join();

/** Statement, and whether it runs as a query, is repeatable, may change definitions. */
const cases: ReadonlyArray<readonly [string, boolean, boolean, boolean]> = [
  ['select 1', true, true, false],
  ['  SELECT 1;', true, true, false],
  ['select 1;  ;', true, true, false],
  ['(select 1) union (select 2)', true, true, false],
  ['-- a comment\nselect 1', true, true, false],
  ['/* a comment */ with x as (select 1) select * from x', true, true, false],
  ['values (1)', true, true, false],
  ['explain select 1', true, true, false],
  ["select ';' from t", true, true, false],
  ['select ";" from t', true, true, false],
  ['select $$;$$ from t', true, true, false],
  ["select 'it''s; here' from t", true, true, false],
  ['select 1 -- ; not here', true, true, false],
  [`select * from t where a in (${LIST})`, true, true, false],
  // The nodes' grammar may accept statements that ours does not, so such a statement is sent, but only once.
  ['select * from final table (delete from t)', true, false, false],
  ['select a from t tablesample system (10)', true, false, false],
  ['with x as (select 1) insert into t select * from x', true, false, false],
  ['explain delete from t', true, false, false],
  ['show tables', true, false, false],
  ['/* /* */ select 1', true, false, false],
  [`select * from final table (delete from t where a in (${LIST}))`, true, false, false],
  ['select 1; select 2', false, false, true],
  ['select 1; drop table t', false, false, true],
  ["select ''; drop table t", false, false, true],
  ['select $$a$$; drop table t', false, false, true],
  ["select 'open", false, false, true],
  ['insert into t values (1)', false, false, false],
  ['merge into t values (1)', false, false, false],
  ['update t set a = 1', false, false, false],
  ['delete from t', false, false, false],
  ['selection', false, false, true],
  ['create table t(id int primary key)', false, false, true],
  ['DROP TABLE t', false, false, true],
  ['alter table t add column c int', false, false, true],
  ['', false, false, true],
];

test.each(cases)('%p: as a query %p, repeatable %p, redefines %p', (sql, asQuery, repeatable, redefines) => {
  expect(routeOf(sql)).toEqual({ asQuery, repeatable, redefines });
});
