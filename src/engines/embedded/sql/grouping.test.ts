/** Groups, and columns next to them: the answers of an Ignite 2.17 node, and where the dialect accepts more. */
import { describe, expect, test } from 'bun:test';
import { SqlStore } from '../../../../test/fixtures/embedded/sql-store.ts';

const sql = new SqlStore();
sql.run('create table S(id int primary key, name varchar, dept int, pay int, born date, title varchar)');
sql.run(
  "insert into S values (1,'Ada',1,10,'1980-01-01','Dr'),(2,'Bob',1,20,'1981-02-02','Dr')," +
    "(3,'Cyd',2,30,'1982-03-03',null)",
);
sql.run('create table D(id int primary key, title varchar)');
sql.run("insert into D values (1,'One'),(2,'Two')");
sql.run('create table W(a int, b int, c varchar, primary key(a, b))');
sql.run("insert into W values (1,1,'x'),(1,2,'y'),(2,1,'z')");
sql.run('create table E(id int primary key, n int)');

/** The statement and its rows in any order, or the column that must be in the GROUP BY list. */
type Line = readonly [string, string];

const AS_IGNITE: Readonly<Record<string, readonly Line[]>> = {
  'a number in GROUP BY is a constant, not a position': [
    ['select dept, count(*) from S group by 1', 'DEPT'],
    ['select extract(year from born) y, count(*) from S group by 1', 'BORN'],
    ['select dept from S group by 1 order by 1', 'DEPT'],
    ['select count(*) from S group by 99', '[3]'],
    ["select count(*) from S group by 'x'", '[3]'],
    ['select count(*) from E group by 1', ''],
    ['select n, count(*) from E group by 1', ''],
    ['select dept, count(*) from S group by 1, dept', '[1,2] [2,1]'],
  ],
  'a column must have one value in each group': [
    ['select name from S group by dept', 'NAME'],
    ['select dept, name, count(*) from S group by dept', 'NAME'],
    ['select * from S group by dept', 'ID'],
    ['select _val from S group by dept', '_VAL'],
    ['select dept + 1 + pay from S group by dept + 1', 'PAY'],
    ["select name || '!' from S group by dept", 'NAME'],
    ['select dept, case when pay > 10 then 1 else 0 end from S group by dept', 'PAY'],
    ['select dept, pay in (10, 20) from S group by dept', 'PAY'],
    ['select dept, pay in (select id from D) from S group by dept', 'PAY'],
    ['select name, count(*) from S group by length(name)', 'NAME'],
    ['select dept, min(pay), name from S group by dept', 'NAME'],
    ['select dept, max(pay), pay from S group by dept', 'PAY'],
    ['select name from S group by title', 'NAME'],
    ['select distinct name from S group by dept', 'NAME'],
    ['select a, c from W group by a', 'C'],
    ['select id, abs(id - 2) from S group by abs(id - 2)', 'ID'],
    ['select x from system_range(1, 3) group by x / 2', 'X'],
    ['select dept a, name b from S group by a', 'NAME'],
  ],
  'which the rows decide': [
    ['select dept, title from S group by dept', '[1,"Dr"] [2,null]'],
    ['select upper(title) from S group by dept', '["DR"] [null]'],
    ['select name from S where dept = 2 group by dept', '["Cyd"]'],
    ['select dept, count(*) from S group by dept + 1', '[1,2] [2,1]'],
    [
      'select born, count(*) from S group by extract(year from born)',
      '["1980-01-01",1] ["1981-02-02",1] ["1982-03-03",1]',
    ],
    ['select distinct dept from S group by name', '[1] [2]'],
    ['select n, count(*) from E group by id', ''],
    ['select dept, count(distinct pay), title from S group by dept', '[1,2,"Dr"] [2,1,null]'],
    ['select x, count(*) from system_range(1, 1)', '[1,1]'],
  ],
  'a key in GROUP BY determines the columns of its table': [
    ['select id, name from S group by id', '[1,"Ada"] [2,"Bob"] [3,"Cyd"]'],
    ['select name from S group by _key', '["Ada"] ["Bob"] ["Cyd"]'],
    ['select c from W group by b, a', '["x"] ["y"] ["z"]'],
    ['select d.*, count(*) from D d join S s on s.dept = d.id group by d.id', '[1,"One",2] [2,"Two",1]'],
    ['select d.title, s.name from D d left join S s on s.dept = d.id group by d.id', 'S.NAME'],
  ],
  'expressions and aliases of GROUP BY': [
    ['select dept + 1 as d, count(*) from S group by d', '[2,2] [3,1]'],
    ['select dept + 1, count(*) from S group by 1 + dept', '[2,2] [3,1]'],
    ['select length(s.name), count(*) from S s group by length(name)', '[3,3]'],
    ['select length(name) n, count(*) from S group by n order by n', '[3,3]'],
    ['select count(*) from S group by length(name) order by length(name)', '[3]'],
    [
      'select case when pay > 10 then 1 else 0 end, count(*) from S group by case when pay > 10 then 1 else 0 end',
      '[0,1] [1,2]',
    ],
    [
      'select (select title from D where D.id = length(s.name)) x, count(*) from S s group by (select title from D where D.id = length(s.name))',
      '[null,3]',
    ],
    ['select name as dept from S group by dept', '["Ada"] ["Bob"] ["Cyd"]'],
    ["select 5, 'x', count(*) from S group by dept", '[5,"x",1] [5,"x",2]'],
  ],
  'ORDER BY and HAVING': [
    ['select dept from S group by dept order by name', 'NAME'],
    ['select dept, count(*) from S group by dept order by name, dept', 'NAME'],
    ["select dept from S group by dept having name = 'Ada'", 'NAME'],
    ['select dept, count(*) from S group by dept having pay > 10', 'PAY'],
    ['select name from S group by dept having count(*) = 1', 'NAME'],
    ['select name from S group by dept having dept = 2', 'NAME'],
    ['select name from S group by dept limit 1', 'NAME'],
    ['select dept, count(*) c from S group by dept having c > 1', '[1,2]'],
    ['select dept from S group by dept order by max(pay) desc', '[1] [2]'],
  ],
  'without GROUP BY, all rows are one group': [
    ['select name, count(*) from S', 'NAME'],
    ['select name, count(*) from S where id = 1', '["Ada",1]'],
    ['select name, count(*) from S where id = 77', 'NAME'],
    ['select n, count(*) from E', 'N'],
    ['select count(*) from S order by name', 'NAME'],
    ["select count(*) from S having name = 'Ada'", 'NAME'],
    ['select * from S having count(*) > 0', 'ID'],
    ['select name from S where id = 1 having 1 = 1', '["Ada"]'],
    ['select 1 from S having max(pay) > 10', '[1]'],
  ],
  'in every query of a statement': [
    ['select * from (select name from S group by dept) q', 'NAME'],
    ['select name from (select dept, name from S) q group by dept', 'NAME'],
    ['select (select name from S group by dept limit 1)', 'NAME'],
    ['select 1 where exists (select name from S group by dept)', 'NAME'],
    ['select id from D where id in (select pay from S group by dept)', 'PAY'],
    ['select name from S group by dept union select title from D', 'NAME'],
    ['select title from D union all select name from S group by dept', 'NAME'],
    ['with w as (select dept, name from S) select dept, name from w group by dept', 'NAME'],
    ['insert into E select id, pay from S group by dept', 'ID'],
    ['select d.id, (select d.title from S s group by s.dept limit 1) from D d', '[1,"One"] [2,"Two"]'],
    ['select d.id, (select d.title || max(s.name) from S s where s.dept = d.id) from D d', '[1,"OneBob"] [2,"TwoCyd"]'],
    ['select dept, (select title from D where D.id = s.dept) from S s group by dept', '[1,"One"] [2,"Two"]'],
    ['select dept, (select s.pay) from S s group by dept', 'S.PAY'],
    ['select dept, (select count(*) from S t where t.pay >= s.pay) from S s group by dept', 'S.PAY'],
    ['select max(pay), (select count(*) from D where D.id = s.dept) from S s', 'S.DEPT'],
  ],
};

/** Ignite rejects these, or its result depends on the last row that it read (docs/differences.md, row 83). */
const OTHERWISE: readonly Line[] = [
  ['select length(name) + 1, count(*) from S group by length(name)', '[4,3]'],
  ['select count(*) from S group by length(name) having length(name) > 1', '[3]'],
  ['select length(name) n, count(*) from S group by n having n > 1', '[3,3]'],
  ['select sum(pay) / count(*) + dept from S group by dept', '[16] [32]'],
  ['select dept, max(pay) - pay from S group by dept', 'PAY'],
  ['select dept from S s group by dept having exists (select 1 from D where D.id = s.id)', 'S.ID'],
  ['select dept, (select max(s.pay) from D) from S s group by dept', 'S.PAY'],
];

function answer(statement: string): string {
  const text = sql.answer(statement);
  const [, column] = /^Column "(.*)" must be in the GROUP BY list; SQL statement:\n.* \[90016-197\]/s.exec(text) ?? [];
  if (column !== undefined) return column;
  const rows: unknown[] = JSON.parse(text);
  return rows
    .map((row) => JSON.stringify(row))
    .toSorted()
    .join(' ');
}

for (const [title, lines] of Object.entries({ ...AS_IGNITE, 'where the dialect is not as Ignite': OTHERWISE })) {
  describe(title, () => {
    test.each(lines)('%s', (statement, expected) => expect(answer(statement)).toBe(expected));
  });
}

test('parameters are different, whatever their values', () => {
  expect(sql.answer('select pay / ?, count(*) from S group by pay / ?', ['20', '20'])).toStartWith('Column "PAY" must');
  expect(sql.answer('select pay / ?1, count(*) from S group by pay / ?1', ['40'])).toBe('[[0,3]]');
});

test.each(['select count(*) from S group by count(*)', 'select count(*) c from S group by c'])(
  '%s fails',
  (statement) => expect(sql.answer(statement)).toStartWith('Invalid use of aggregate function "COUNT(*)"'),
);
