import { describe, expect, test } from 'bun:test';
import { describeFailure, SqlFailure } from '../../base/sql-failure.ts';
import { parseStatement } from './parser.ts';

function failureOf(sql: string): SqlFailure | undefined {
  try {
    parseStatement(sql);
  } catch (failure) {
    if (failure instanceof SqlFailure) return failure;
    throw failure;
  }
  return undefined;
}

function errorOf(sql: string): string {
  const failure = failureOf(sql);
  return failure === undefined ? 'accepted' : describeFailure(failure, sql);
}

describe('accepted statements', () => {
  const accepted = [
    'select 1',
    'select 1;',
    '  /* a */ select 1 -- b',
    "select 'a''b', $$it's$$, X'0102', N'x', 1.5e3, .5, 0x10, true, null",
    "select date '2020-01-02', time '03:04:05', timestamp '2020-01-02 03:04:05', {d '2020-01-02'}, {ts '2020-01-02 00:00:00'}",
    'select top 5 distinct a, b.*, t."x" as y, sum(c) z from s.t as b where not a = 1 and b is not null or c',
    'select * from a, b c left outer join d on c.x = d.x right join e using (y) natural join f cross join g',
    'select * from a join b join c on b.x = c.x on a.x = b.x',
    'select * from (select 1 x union all select 2 minus values (3)) t(x) order by 1 desc nulls last limit 5 offset 2',
    'select x from t fetch first 3 rows only',
    'select x from t offset 2 rows fetch next row only',
    'select x from t limit 2, 5',
    'with recursive r(n) as (select 1 union all select n + 1 from r where n < 5), q as (select 1) select * from r',
    'select case a when 1 then 2 else 3 end, case when a then b end from t',
    'select case, left, key, "order" from t',
    'select a = all (select 1), b <> any (select 2), exists (select 3), c in (select 4), d in (1, 2), e in ()',
    "select a like 'x' escape '!', a not like b, a regexp 'x', a ~ 'x', a !~ 'y', a ilike 'z', a not between 1 and 2",
    'select count(*), count(distinct a), group_concat(distinct a order by b desc, c separator 1), sum(a) filter (where b > 1)',
    'select row_number() over (partition by a order by b rows between 1 preceding and current row) from t',
    "select extract(year from d), trim(both 'x' from y), trim(leading from y), substring(x from 2 for 3), position('a' in b)",
    'select dateadd(day, 1, d), datediff("DAY", a, b), cast(a as decimal(10, 2)), convert(a, varchar(5)), a::int',
    'select current_date, current timestamp, user, now(), user()',
    'select (1, 2) = (a, b), array[1, 2], a[1], () from t',
    'select * from system_range(1, 5) x, table(a int = (1, 2), b varchar = ?) t, (values (1, 2)) v, values (1) w',
    'select * from t use index (a, b) where x = ?2 and y = ?',
    'from t select *',
    'values (1, 2), (3, 4)',
    '(select 1) union (select 2) order by 1',
    'explain plan for select 1',
    'explain analyze select 1',
    "insert into t values (1, default), (2, 'x')",
    'insert into s.t(a, b) select 1, 2',
    'insert into t(a) (select 1)',
    'insert into t set a = 1, b = default',
    'merge into t(a, b) key(a) values (1, 2)',
    'merge into t select 1',
    'merge into t a using (select 1 x) s on (a.x = s.x) when matched then update set b = 1 delete where c = 2 when not matched then insert (x) values (s.x)',
    'replace into t values (1)',
    'update t a set b = 1, (c, d) = (select 1, 2) where e = 1 limit 5',
    'delete from t where a = 1 limit 5',
    'delete top 5 from t',
    'delete t where a = 1',
    'create table if not exists s.t (a int primary key, b varchar(10) not null default \'x\', c decimal(10, 2) null) with "template=replicated", "backups=1"',
    'create table t (a int, b varchar, constraint pk primary key (a, b))',
    "create table t (a int comment null primary key, b int comment 5 not null, c int comment x'00', d int comment 'a' || 'b')",
    'drop table if exists t cascade',
    'alter table t add column if not exists a int',
    'alter table if exists t add (a int, b varchar)',
    'alter table t drop column if exists a, b',
    'alter table t drop (a, b)',
    'create index if not exists i on t(a desc, b asc) inline_size 10 parallel 4',
    'create index on t(a)',
    'drop index if exists s.i',
    'create or replace view v(a) as select 1',
    'drop view if exists v',
    "create user u with password 'x'",
    'alter user "u" with password \'x\'',
    'drop user u',
    'analyze t',
    "kill query async 'x'",
    "kill query 'x'",
    "kill scan 'node' 'cache' 12",
    'select été, $x, _y from t',
  ];
  for (const sql of accepted) {
    test(sql, () => {
      expect(errorOf(sql)).toBe('accepted');
    });
  }
});

describe('statements of other databases have the query that does the same as a suggestion', () => {
  const suggestions: ReadonlyArray<readonly [statement: string, suggestion: string | undefined]> = [
    ['show tables', 'SELECT * FROM SYS.TABLES'],
    ['SHOW COLUMNS FROM t', 'SELECT * FROM SYS.TABLE_COLUMNS'],
    ['show databases;', 'SELECT * FROM SYS.SCHEMAS'],
    ['show', undefined],
    ['show grants', undefined],
    ['describe city', "SELECT * FROM SYS.TABLE_COLUMNS WHERE TABLE_NAME = 'CITY'"],
    ['desc "My \'town\'"', "SELECT * FROM SYS.TABLE_COLUMNS WHERE TABLE_NAME = 'My ''town'''"],
    ['describe', 'SELECT * FROM SYS.TABLE_COLUMNS'],
    ['create table t (a string)', 'VARCHAR'],
    ['create table t (a dat)', 'DATE'],
    ['create table t (a nosuch)', undefined],
  ];
  for (const [sql, suggestion] of suggestions) {
    test(sql, () => expect(failureOf(sql)?.place.suggestion).toBe(suggestion));
  }
});

describe("errors have Ignite's texts", () => {
  const rejected: ReadonlyArray<readonly [string, string]> = [
    ['selec 1', 'Syntax error in SQL statement "SELEC[*] 1 "; expected "SELECT, '],
    ['select 1 2', 'Syntax error in SQL statement "SELECT 1 2[*] "; SQL statement:\nselect 1 2 [42000-197]'],
    ['select', 'Syntax error in SQL statement "SELECT [*]"; expected "'],
    ["select 'abc", `Syntax error in SQL statement "select [*]'abc"; SQL statement:\nselect 'abc [42000-197]`],
    [
      'select * from t where id = = 1',
      'Syntax error in SQL statement "SELECT * FROM T WHERE ID = =[*] 1 "; expected "',
    ],
    ['insert t values(1)', 'Syntax error in SQL statement "INSERT T[*] VALUES(1) "; expected "INTO"'],
    ['select * from t order', 'Syntax error in SQL statement "SELECT * FROM T ORDER [*]"; expected "BY"'],
    ['select 1 from', 'Syntax error in SQL statement "SELECT 1 FROM [*]"; expected "identifier"'],
    ['create tabl x', 'Syntax error in SQL statement "CREATE TABL[*] X "; expected "'],
    ['drop tabl x', 'Syntax error in SQL statement "DROP TABL[*] X "; expected "TABLE, INDEX, VIEW, USER'],
    ['', 'Failed to parse SQL statement "[*]": Invalid SQL query.'],
    ['-- nothing', 'Failed to parse SQL statement "[*]-- nothing": Invalid SQL query.'],
    ['; select 1', 'Failed to parse SQL statement "[*]; select 1": Invalid SQL query.'],
    [
      'insert into t values (1) on duplicate key update a = 1',
      'Syntax error in SQL statement "INSERT INTO T VALUES (1) ON[*] DUPLICATE KEY UPDATE A = 1 "',
    ],
    ['select 1; select 2', 'Multiple statements queries are not supported.'],
    ['begin', 'Failed to parse SQL statement "[*]begin": BEGIN command is not supported'],
    ['  commit;', 'Failed to parse SQL statement "  [*]commit;": COMMIT command is not supported'],
    ['start transaction', 'Failed to parse SQL statement "start [*]transaction": START command is not supported'],
    ['show tables', 'Failed to parse SQL statement "[*]show tables": SHOW command is not supported'],
    ['call 1', 'Unsupported statement: call 1'],
    ['create schema x', 'Unsupported statement: create schema x'],
    ['create sequence s', 'Unsupported statement: create sequence s'],
    ['set @a = 1', 'Unsupported statement: set @a = 1'],
    ['set streaming on', 'SET STREAMING command can only be executed from JDBC or ODBC driver.'],
    ['analyze', 'Unsupported statement: analyze'],
    ['select rownum from t', 'Unsupported expression: ROWNUM() [type=Rownum]'],
    ['select * from t for update', 'SELECT FOR UPDATE is not supported.'],
    ['explain update t set a = 1', 'Explains of update queries are not supported.'],
    ['create table t(a nosuch)', 'Unknown data type: "NOSUCH"'],
    ['create table t(a identity)', 'AUTO_INCREMENT columns are not supported [colName=A]'],
    ['create table t(a int primary key, b int auto_increment)', 'AUTO_INCREMENT columns are not supported [colName=B]'],
    [
      'create table t(a int primary key, b int check (b > 1))',
      'Column CHECK constraints are not supported [colName=B]',
    ],
    ['create table t(a int primary key, b int, unique(b))', 'Too many constraints - only PRIMARY KEY is supported'],
    [
      'create table t(a int primary key, b int, primary key(b))',
      'Attempt to define a second primary key; SQL statement:',
    ],
    [
      'create table t(a int primary key) with backups=1',
      'Syntax error in SQL statement "CREATE TABLE T(A INT PRIMARY KEY) WITH BACKUPS=[*]1 "',
    ],
    ['create temp table t(a int primary key)', 'GLOBAL TEMPORARY keyword is not supported'],
    ['create table t as select 1', 'CREATE TABLE ... AS ... syntax is not supported'],
    ['create unique index i on t(a)', 'Only SPATIAL modifier is supported for CREATE INDEX'],
    ['create index i on t(a nulls last)', 'NULLS FIRST and NULLS LAST modifiers are not supported for index columns'],
    ['create index i on t(a, a)', 'Already defined column in index: A ASC'],
    ['alter table t rename to x', 'Unsupported statement: alter table t rename to x'],
    ['alter table t alter column a bigint', 'ALTER COLUMN is not supported'],
    ['alter table t add a int default 5', 'ALTER TABLE ADD COLUMN with DEFAULT value is not supported [col=A]'],
    ["create user u password 'x'", "Unsupported statement: create user u password 'x'"],
    ["select date '2020-13-01'", 'Cannot parse "DATE" constant "2020-13-01"; SQL statement:'],
    [`select ${'('.repeat(5000)}1`, 'The statement is too complex'],
    [`select ${'1+'.repeat(5000)}1`, 'The statement is too complex'],
    ['select * from t full join u on 1=1', 'FULL OUTER JOIN is not supported'],
  ];
  for (const [sql, text] of rejected) {
    test(sql.slice(0, 80), () => {
      expect(errorOf(sql).slice(0, text.length)).toBe(text);
    });
  }
});

describe('errors name the place that their text marks', () => {
  test.each([
    ["select 'abc", 7],
    ["select 1'abc", 8],
    ['select 1 /* open', 9],
    ['select 1 2', 9],
    ['  commit;', 2],
    ['start transaction', 6],
  ])('%p', (sql, at) => expect(() => parseStatement(sql)).toThrow(expect.objectContaining({ place: { at } })));
});
