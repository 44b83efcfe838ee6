import { describe, expect, test } from 'bun:test';
import { SQL_BOUNDS } from '../../base/limits.ts';
import { analyze, parseOnce, type StatementAnalysis, type StatementKind } from './analysis.ts';
import { costOf } from './cheap-calls.ts';
import { VERB_CHARACTERS } from './outline.ts';

type Cost = StatementAnalysis['cost'];

function namesOf(tables: StatementAnalysis['reads']): string {
  return tables.map(({ schema, name }) => (schema === undefined ? name : `${schema}.${name}`)).join(' ');
}

describe('the tables and the cost of a statement', () => {
  /** Statement, kind, tables that it reads, tables that it changes, cost. */
  const cases: ReadonlyArray<readonly [string, StatementKind, string, string, Cost]> = [
    ['select 1', 'query', '', '', 'constant'],
    ['select upper(?) || ?', 'query', '', '', 'constant'],
    ['values (1), (2)', 'query', '', '', 'constant'],
    ['(select 1) union (select 2)', 'query', '', '', 'constant'],
    ['select * from T where id = 1', 'query', 'T', '', 'byKey'],
    ['select * from t x where x.id = ?', 'query', 'T', '', 'byKey'],
    ['select * from "t" where id = 1', 'query', 't', '', 'byKey'],
    ['select * from `t` where id = 1', 'query', 'T', '', 'byKey'],
    ['select * from s.t where id = 1', 'query', 'S.T', '', 'byKey'],
    ['select * from db.s.t where id = 1', 'query', 'S.T', '', 'byKey'],
    ["select * from t where id = 1 and name like 'a%'", 'query', 'T', '', 'byKey'],
    ['select * from t where id = 1 and name like ?', 'query', 'T', '', 'unbounded'],
    ["select * from t where id = 1 and name like '%a%b'", 'query', 'T', '', 'byKey'],
    ["select * from t where id = 1 and name like '%a_b%'", 'query', 'T', '', 'unbounded'],
    ["select * from t where id = 1 and name regexp 'a'", 'query', 'T', '', 'unbounded'],
    ["select * from t where id = 1 and name ~ 'a'", 'query', 'T', '', 'unbounded'],
    ['select * from t', 'query', 'T', '', 'unbounded'],
    ['select * from t, u where t.id = 1', 'query', 'T U', '', 'unbounded'],
    ['select * from t join s.u using(id) where id = 1', 'query', 'T S.U', '', 'unbounded'],
    ['select (select count(*) from T a, T b)', 'query', 'T', '', 'unbounded'],
    ['select 1 where exists (select 1 from t)', 'query', 'T', '', 'unbounded'],
    ['select * from t where id = (select max(id) from u)', 'query', 'T U', '', 'unbounded'],
    ['select * from t where id = 1 order by (select count(*) from u)', 'query', 'T U', '', 'unbounded'],
    ['select * from t where id = 1 limit (select count(*) from u)', 'query', 'T U', '', 'unbounded'],
    ['select array_agg(select x from t)', 'query', 'T', '', 'unbounded'],
    ['select * from (select * from t) where id = 1', 'query', 'T', '', 'unbounded'],
    ['select * from (values (1)) where c1 = 1', 'query', '', '', 'unbounded'],
    ['select * from system_range(1, 1000000000) where x = 1', 'query', '', '', 'unbounded'],
    ["select repeat('a', 200)", 'query', '', '', 'unbounded'],
    ["select hash('SHA256', ?, 10000000)", 'query', '', '', 'unbounded'],
    ['select nosuchfunction(1)', 'query', '', '', 'unbounded'],
    ['select name, repeat(name, 100) from t where id = 1', 'query', 'T', '', 'unbounded'],
    ['with a as (select * from t) select * from a', 'query', 'T', '', 'unbounded'],
    // A common table hides the table of its name, but not in its own query.
    ['with t as (select * from t) select * from t', 'query', 'T', '', 'unbounded'],
    ['with recursive r(n) as (select 1 union all select n + 1 from r) select * from r', 'query', '', '', 'unbounded'],
    // With RECURSIVE neither, except in the last operand of its UNION.
    ['with recursive t as (select * from t) select * from t', 'query', 'T', '', 'unbounded'],
    ['with recursive t as (select * from t union all select * from t) select * from t', 'query', 'T', '', 'unbounded'],
    ['with recursive t as (select 1 union all select * from s.t) select * from t', 'query', 'S.T', '', 'unbounded'],
    [
      'with recursive t as (select 1 union select * from t except select 2) select * from t',
      'query',
      'T',
      '',
      'unbounded',
    ],
    ['with recursive t as (select 1 except select * from t) select * from t', 'query', 'T', '', 'unbounded'],
    ['with t as (select 1 union all select * from t) select * from t', 'query', '', '', 'unbounded'],
    ['with t as (select 1), t as (select * from t) select * from t', 'query', '', '', 'unbounded'],
    ['with t as (with t as (select * from t) select * from t) select * from t', 'query', 'T', '', 'unbounded'],
    [
      'with recursive a as (select 1 union all select (with a as (select * from a) select 1 from a)) select * from a',
      ...(['query', '', '', 'unbounded'] as const),
    ],
    ['with "t" as (select 1) select * from t', 'query', 'T', '', 'unbounded'],
    ['with a as (select 1) select * from a, s.a', 'query', 'S.A', '', 'unbounded'],
    ['select * from (with a as (select 1) select * from a) x, a', 'query', 'A', '', 'unbounded'],
    ['explain select * from t', 'explain', 'T', '', 'unbounded'],
    ['insert into t values (1, ?)', 'insert', '', 'T', 'byKey'],
    ['insert into t(id) values (1), (2)', 'insert', '', 'T', 'byKey'],
    ["insert into t values (1, repeat('a', 9))", 'insert', '', 'T', 'unbounded'],
    ['insert into t select * from u', 'insert', 'U', 'T', 'unbounded'],
    ['insert into t values ((select max(id) from u))', 'insert', 'U', 'T', 'unbounded'],
    ['merge into s.t values (1)', 'merge', '', 'S.T', 'byKey'],
    ['replace into t values (1)', 'merge', '', 'T', 'byKey'],
    ['merge into t using u on (t.id = u.id) when matched then delete', 'mergeUsing', 'U', 'T', 'unbounded'],
    ['update t set a = 1 where id = 2', 'update', '', 'T', 'byKey'],
    ['update t set a = 1', 'update', '', 'T', 'unbounded'],
    ['update t set a = (select 1 from u) where id = 2', 'update', 'U', 'T', 'unbounded'],
    ['delete from t where id = 2', 'delete', '', 'T', 'byKey'],
    ['delete from t where id in (select id from u)', 'delete', 'U', 'T', 'unbounded'],
    ['with a as (select * from u) insert into t select * from a', 'insert', 'U', 'T', 'unbounded'],
    ['with t as (select * from u) update t set a = (select 1 from t)', 'update', 'U', 'T', 'unbounded'],
    [
      'with recursive u as (select * from u) delete from t where id in (select id from u)',
      'delete',
      'U',
      'T',
      'unbounded',
    ],
    [
      'with u as (select 1 id) merge into t using u on (t.id = u.id) when matched then delete',
      'mergeUsing',
      '',
      'T',
      'unbounded',
    ],
    ['create table s.t(id int primary key)', 'createTable', '', 'S.T', 'unbounded'],
    ['drop table t, u', 'dropTable', '', 'T U', 'unbounded'],
    ['alter table t add column c int', 'addColumns', '', 'T', 'unbounded'],
    ['alter table t drop column c', 'dropColumns', '', 'T', 'unbounded'],
    ['create index i on t(a)', 'createIndex', '', 'T', 'unbounded'],
    ['drop index i', 'dropIndex', '', '', 'unbounded'],
    ['create view v as select * from t', 'createView', 'T', 'V', 'unbounded'],
    ['analyze t', 'analyze', 'T', '', 'unbounded'],
    ['truncate table t', 'truncate', '', 'T', 'unbounded'],
  ];
  test.each(cases)('%s', (sql, kind, reads, writes, cost) => {
    const found = analyze(sql);
    expect([found.kind, namesOf(found.reads), namesOf(found.writes), costOf(found)]).toEqual([
      kind,
      reads,
      writes,
      cost,
    ]);
    expect(found.parsed).toBe(true);
    expect(found.statements).toBe(1);
  });
});

describe('quotes and comments end where they do for the parser', () => {
  /** Text, kind, first words, number of statements. */
  const cases: ReadonlyArray<readonly [string, StatementKind, string, number]> = [
    ['', 'empty', '', 0],
    [' ;; -- nothing', 'empty', '', 0],
    ['select 1;  ;', 'query', 'SELECT', 1],
    ['/* drop */ -- update\nselect 1', 'query', 'SELECT', 1],
    ['// update\nselect 1', 'query', 'SELECT', 1],
    ["select ';' from t", 'query', 'SELECT', 1],
    ['select ";" from t', 'query', 'SELECT', 1],
    ['select `;` from t', 'query', 'SELECT', 1],
    ['select $$;drop table t$$ from t', 'query', 'SELECT', 1],
    ["select 'it''s; here' from t", 'query', 'SELECT', 1],
    ['select 1 -- ; not here', 'query', 'SELECT', 1],
    ['(select 1) union (select 2)', 'query', 'SELECT', 1],
    ['select 1\r\n', 'query', 'SELECT', 1],
    ['-- a\r\nselect 1', 'query', 'SELECT', 1],
    ['create /* a */ table t(id int primary key)', 'createTable', 'CREATE TABLE', 1],
    // Several statements, and texts outside of the grammar.
    ['select 1; select 2', 'unknown', 'SELECT', 2],
    ["select ''; drop table t", 'unknown', 'SELECT', 2],
    ['select $$a$$; drop table t', 'unknown', 'SELECT', 2],
    ['selection', 'unknown', 'SELECTION', 1],
    ['call f()', 'unknown', 'CALL F', 1],
    ['show tables', 'unknown', 'SHOW TABLES', 1],
    ['select 1 from', 'unknown', 'SELECT', 1],
    ['explain delete from t', 'unknown', 'EXPLAIN DELETE', 1],
    ['with a as (select 1) insert into t select * from a', 'insert', 'WITH A', 1],
    ['select * from final table (delete from t)', 'unknown', 'SELECT', 1],
    ["select 'open", 'unknown', 'SELECT', 0],
    ['select "open', 'unknown', 'SELECT', 0],
    ['select `open', 'unknown', 'SELECT', 0],
    ['select $$open', 'unknown', 'SELECT', 0],
    ['select /* open', 'unknown', 'SELECT', 0],
    // Other SQL parsers end these comments elsewhere.
    ['-- \r delete from t where /* \n select /* */ 1', 'unknown', 'SELECT', 1],
    ['/* /* */ select 1', 'unknown', 'SELECT', 1],
  ];
  test.each(cases)('%j', (sql, kind, verb, statements) => {
    expect(analyze(sql)).toMatchObject({ kind, verb, statements });
  });
});

describe('user statements', () => {
  const cases: ReadonlyArray<readonly [string, StatementAnalysis['userStatement'] | 'wrong']> = [
    [`create user "q_1" with password 'x'`, { kind: 'createUser', user: 'q_1', password: 'x' }],
    [`CREATE USER ann WITH PASSWORD 'x'`, { kind: 'createUser', user: 'ANN', password: 'x' }],
    [`create  user\n"A b""c"  with password 'it''s';`, { kind: 'createUser', user: 'A b"c', password: "it's" }],
    [`/* a */ create user ann -- b\n with password $$it's$$`, { kind: 'createUser', user: 'ANN', password: "it's" }],
    [
      `CREATE USER ann WITH PASSWORD 'x' ROLES reader, "Shop.write"`,
      { kind: 'createUser', user: 'ANN', password: 'x', roles: ['reader', 'Shop.write'] },
    ],
    [`create user ann with password 'x' roles`, 'wrong'],
    [`alter user ann with password 'x' roles reader`, 'wrong'],
    [`alter user "ann" with password ''`, { kind: 'alterUser', user: 'ann', password: '' }],
    ['drop user "ann"', { kind: 'dropUser', user: 'ann' }],
    ['drop user ann ;', { kind: 'dropUser', user: 'ANN' }],
    [
      `create user ann with password '${'x'.repeat(100_000)}'`,
      { kind: 'createUser', user: 'ANN', password: 'x'.repeat(100_000) },
    ],
    ['create user ann', 'wrong'],
    [`create user "" with password 'x'`, 'wrong'],
    [`create user ann password 'x'`, 'wrong'],
    [`create user ann with password 'x' and more`, 'wrong'],
    [`create user ann with password 'x'; drop table t`, 'wrong'],
    [`create user ann with password 'x`, 'wrong'],
    [`create user ann with password 'x'${' and'.repeat(2_000)}`, 'wrong'],
    [`drop user ann with password 'x'`, 'wrong'],
    ['drop user', 'wrong'],
    ['create table user(id int primary key)', undefined],
    ['select user', undefined],
    ['create userx', undefined],
  ];
  for (const [sql, expected] of cases) {
    test(sql.slice(0, 80), () => {
      const { kind, userStatement } = analyze(sql);
      if (expected === 'wrong') expect(kind).toBe(`${sql.split(' ', 1)[0]}User` as StatementKind);
      expect(userStatement).toEqual(expected === 'wrong' ? undefined : expected);
    });
  }
});

describe('a statement of many tokens is scanned, not parsed', () => {
  const items = Array.from({ length: SQL_BOUNDS.parsedTokens }, (_, at) => at).join();
  const cases: ReadonlyArray<readonly [string, StatementKind, number]> = [
    [`select * from t where a in (${items})`, 'query', 1],
    [`with x as (select ${items}) select * from x`, 'query', 1],
    [`explain select ${items}`, 'explain', 1],
    [`insert into t values (${items})`, 'insert', 1],
    [`merge into t values (${items})`, 'merge', 1],
    [`update t set a = 1 where a in (${items})`, 'update', 1],
    [`delete from t where a in (${items})`, 'delete', 1],
    [`select ${items}; select 1`, 'unknown', 2],
    [`select ${items}; delete from t`, 'unknown', 2],
    [`select ${items} from final table (delete from t)`, 'unknown', 1],
    [`select ${items}, "delete", 'delete' /* delete */ from t`, 'query', 1],
    [`/* /* */ select ${items}`, 'unknown', 1],
    [`select ${items}, 'open`, 'unknown', 0],
    [`create table t(${items})`, 'unknown', 1],
  ];
  for (const [sql, kind, statements] of cases) {
    test(`${sql.slice(0, 40)} ... ${sql.slice(-40)}`, () => {
      expect(analyze(sql)).toMatchObject({ kind, statements, parsed: false, cost: 'unbounded', hasSubquery: true });
    });
  }
});

test('the words of a verb are cut, with and without parsing', () => {
  const word = 'x'.repeat(100);
  const cut = `${'X'.repeat(VERB_CHARACTERS)} ${'X'.repeat(VERB_CHARACTERS)}`;
  for (const sql of [`${word} ${word}`, `${word} ${word}${' 1'.repeat(SQL_BOUNDS.parsedTokens)}`]) {
    expect(analyze(sql).verb).toBe(cut);
  }
});

test('the analysis of a text is cached', () => {
  expect(analyze('select a from kept')).toBe(analyze('select a from kept'));
});

test('a text that may hold a password is not cached', () => {
  for (const sql of ["create user x with password 'y'", "creat user x with password 'y'", "create user x 'y'"]) {
    expect(analyze(sql)).not.toBe(analyze(sql));
  }
});

test('the tree of an analysis is returned once, and parsed again after that', () => {
  const sql = 'select a from handed_over';
  analyze(sql);
  const first = parseOnce(sql);
  expect(first.statement.kind).toBe('query');
  expect(parseOnce(sql)).not.toBe(first);
  analyze('select b from handed_over');
  expect(parseOnce(sql)).toEqual(first);
});
