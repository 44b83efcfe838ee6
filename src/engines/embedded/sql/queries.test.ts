/** Tests the results of queries over one small store. */
import { describe, expect, test } from 'bun:test';
import { SqlStore } from '../../../../test/fixtures/embedded/sql-store.ts';
import type { Value } from '../../../values/value.ts';

function store(): SqlStore {
  const sql = new SqlStore();
  sql.run('create table T(id int primary key, g int, n int, d double, x decimal, name varchar, dt date)');
  sql.run(
    "insert into T values (1,1,10,1.5,1.10,'a','2020-01-01'),(2,1,20,2.5,2.20,'b','2020-02-01')," +
      "(3,2,30,null,3.30,'c',null),(4,2,5,0.5,1.100,'A','2019-01-01')",
  );
  sql.run('create table K(a int, b varchar, v bigint, primary key(a, b))');
  sql.run("insert into K values (1,'x',5),(1,'y',null),(2,'x',7),(9,'z',8)");
  sql.run('create view V(i, label) as select id, name from T where n > 5');
  sql.addVirtual({
    schema: 'INFORMATION_SCHEMA',
    name: 'TABLES',
    columns: [
      { name: 'TABLE_SCHEMA', type: { name: 'VARCHAR' } },
      { name: 'TABLE_NAME', type: { name: 'VARCHAR' } },
      { name: 'ROW_COUNT', type: { name: 'BIGINT' } },
    ],
    rows: () => [
      ['PUBLIC', 'T', 4],
      ['SYS', 'NODES', null],
    ],
  });
  return sql;
}

/** Statement, rows, arguments. */
type Line = readonly [string, string, ...string[]];

const LINES: Readonly<Record<string, readonly Line[]>> = {
  joins: [
    ['select t.id, k.v from T t join K k on t.id = k.a order by 1, 2', '[[1,null],[1,5],[2,7]]'],
    [
      'select t.id, k.v from T t left join K k on t.id = k.a and k.v > 5 order by 1',
      '[[1,null],[2,7],[3,null],[4,null]]',
    ],
    ['select t.id, k.v from T t right join K k on t.id = k.a order by k.a, k.b', '[[1,5],[1,null],[2,7],[null,8]]'],
    [
      'select t.id, o.id from T t left join (K k join T o on o.id = k.a) on k.v = t.n order by 1',
      '[[1,null],[2,null],[3,null],[4,1]]',
    ],
    ['select count(*) from T cross join K', '[[16]]'],
    [
      'select id, v from (select id, g a from T) t join K using (a) where b = ? order by 1',
      '[[1,5],[2,5],[3,7],[4,7]]',
      'x',
    ],
    ['select *', '[[1]]'],
    ['select * from (select 1 a, 2 b) x natural join (select 1 a, 3 c) y', '[[1,2,3]]'],
    ['select a.id from T a, T b where a.n = b.n + 10 order by 1', '[[2],[3]]'],
  ],
  'correlated sub-queries': [
    ['select id from T a where n = (select max(n) from T b where b.g = a.g) order by 1', '[[2],[3]]'],
    ['select id, (select count(*) from K where K.a = T.id) from T order by 1', '[[1,2],[2,1],[3,0],[4,0]]'],
    ['select id from T where exists (select 1 from K where a = id and v is null)', '[[1]]'],
    ['select id from T where id not in (select a from K) order by 1', '[[3],[4]]'],
    ['select id from T where id not in (select v from K)', '[]'],
    ['select id from T where (g, n) in (select g, max(n) from T group by g) order by 1', '[[2],[3]]'],
    [
      'select id > all (select a from K where a < 3), id = any (select a from K) from T order by id',
      '[[false,true],[false,true],[true,false],[true,false]]',
    ],
    ['select id > all (select 1 from T where 1 = 0), id > any (select null) from T where id = 1', '[[true,null]]'],
    ['select (select n, name from T where id = 1)', '[[[10,"a"]]]'],
    // An aggregate belongs to the query that it is written in, whichever columns its argument has.
    ['select id, (select sum(n)) from T order by id', '[[1,10],[2,20],[3,30],[4,5]]'],
    ['select id from T where (select sum(n)) > 15 order by id', '[[2],[3]]'],
    ['select id, (select sum(T.id) from K) from T order by id', '[[1,4],[2,8],[3,12],[4,16]]'],
    ['select id, (select count(distinct T.id) from K) from T order by id', '[[1,1],[2,1],[3,1],[4,1]]'],
    ['select id, (select avg(cast(T.id as double)) from K) from T order by id', '[[1,1.0],[2,2.0],[3,3.0],[4,4.0]]'],
    ['select sum(n), (select count(*) from K having max(T.id) > 0) from T where id = 1 group by id', '[[10,4]]'],
    ['select (select a from K group by a order by max(T.id), a limit 1) from T where id = 1', '[[1]]'],
  ],
  'a choice among arguments alone is a string': [
    ['select coalesce(?, ?), ifnull(null, ?)', '[["1","3"]]', '1', '2', '3'],
    ['select nullif(?, ?), nullif(?, ?)', '[[null,"b"]]', 'a', 'a', 'b', 'c'],
    ['select greatest(?, ?), least(?, null, ?)', '[["b","c"]]', 'a', 'b', 'd', 'c'],
    ["select decode(?, 'x', ?, ?), upper(coalesce(?, ?))", '[["c","D"]]', 'a', 'b', 'c', 'd', 'e'],
  ],
  'further arguments are ignored, except by queries by key': [
    ['select id from T where n > ? order by n', '[[2],[3]]', '15', 'x'],
    ['select ?2, ?1 from T where g = 1 and id < ?1', '[["b","2"]]', '2', 'b', 'c'],
    ['select $2, $1 from T where g = 1 and id < $1', '[["b","2"]]', '2', 'b', 'c'],
    ['select count(*) from T', '[[4]]', '1'],
  ],
  'groups and aggregates': [
    [
      'select g, count(*), sum(n), avg(n), min(name), max(dt) from T group by g order by g',
      '[[1,2,30,15,"a","2020-02-01"],[2,2,35,17,"A","2019-01-01"]]',
    ],
    ['select g from T group by g having sum(n) > 30', '[[2]]'],
    ['select n > 10 big, count(*) from T group by big order by 1', '[[false,2],[true,2]]'],
    ['select sum(x), avg(x), min(x), max(x), sum(d), avg(d) from T', '[[7.700,1.925,1.10,3.30,4.5,1.5]]'],
    ['select sum(n), max(name), count(n), avg(x) from T where 1 = 0', '[[null,null,0,null]]'],
    ['select count(distinct g), sum(distinct g), count(*) filter (where n > 5) from T', '[[2,3,3]]'],
    [
      "select group_concat(name order by id desc separator '-'), group_concat(distinct g) from T",
      '[["A-c-b-a","1,2"]]',
    ],
    ['select median(n), bool_or(n > 20), array_agg(n) from T', '[[15,true,[10,20,30,5]]]'],
    ['select x, count(*) from T group by x order by x', '[[1.10,1],[1.100,1],[2.20,1],[3.30,1]]'],
    ['select max(n) from T group by g order by max(n) desc', '[[30],[20]]'],
    // An aggregate in the argument of another one has no rows.
    ['select max(sum(n)), sum(count(n)), count(count(*)), count(max(n)) from T', '[[null,0,4,0]]'],
    ['select g, max(n + count(*)), min(coalesce(sum(n), g)) from T group by g order by g', '[[1,20,1],[2,30,2]]'],
    ['select g from T group by g having max(sum(n)) is null order by max(sum(n)), g', '[[1],[2]]'],
    ['select count(count(*)), group_concat(count(*)) from T where id > 100', '[[0,null]]'],
    ['select (select max(sum(n)) from T), count(*) from T', '[[null,4]]'],
  ],
  'joins without ON nest': [
    // Of a JOIN b JOIN c ON x ON y, b is joined last.
    [
      'select a.id, b.id, c.id from T a join T b join T c on a.id = c.id on a.id = b.id + 1 order by 1',
      '[[2,1,2],[3,2,3],[4,3,4]]',
    ],
    [
      'select a.id, b.id, c.id from T a join T b join T c on b.id = c.id on a.id = b.id + 1 order by 1',
      '[[2,1,1],[3,2,2],[4,3,3]]',
    ],
    ['select count(*), count(a.id), count(b.id) from T a join T b right join T c on 1 > 2', '[[16,0,16]]'],
    [
      'select count(*), count(a.id), count(b.id) from T a right join T b left join T c on b.id = c.id + 1 on a.id = b.id + 1',
      '[[4,3,4]]',
    ],
  ],
  'NOT before a comparison, and with nothing behind it': [
    ['select 1 not > 2, 1 + 2 not, 3 not = 3', '[[true,3,false]]'],
    ['select id from T where n not > 10 order by id', '[[1],[4]]'],
  ],
  'rows from queries': [
    ['select id from T where (id, g) in (select (id, g) from T where id = 1)', '[[1]]'],
    ['select id from T where (id, g) not in (select (id, g) from T where id = 1) order by id', '[[2],[3],[4]]'],
    ['select id from T where (id, g) = any (select (id, g) from T where id < 3) order by id', '[[1],[2]]'],
    ['select id from T a where (id, g) in (select (b.id, b.g) from T b where b.id = a.id) and id < 2', '[[1]]'],
    ['select id from T where (id, g) in (select (1, 1) union all (select (3, 2) limit 1)) order by id', '[[1],[3]]'],
    ['select id from T where (id, g) in (values ((1, 1)), ((4, 2))) order by id', '[[1],[4]]'],
    ['select id from T where (id, g) = (select (id, g) from T where id = 2)', '[[2]]'],
    ['select id from T where (id, g) > (select (id, g) from T where id = 2) order by id', '[[3],[4]]'],
  ],
  'escapes of JDBC': [
    [
      'select t.id, k.v from {oj T t left outer join K k on t.id = k.a and k.v > 5} where t.id < 3 order by 1',
      '[[1,null],[2,7]]',
    ],
    ['select a.id, k.v from T a, {OJ T t right join K k on t.id = k.a} where a.id = 1 and k.v > 7', '[[1,8]]'],
    ['select count(*) from {oj T a left join {oj T b left join K on K.a = b.id} on b.id = a.id}', '[[5]]'],
    ['select count(*) from {oj T a, T b} where a.id < b.id', '[[6]]'],
    ['select count(*) from {oj T a, T b} right join T c on b.id = c.id + 1', '[[16]]'],
    ['select count(*) from {oj {oj T a, T b}, T c}, T d', '[[256]]'],
    ["select id from T where name like '!a' {escape '!'} or name like 'b' order by 1", '[[1],[2]]'],
    ["select {fn ucase('a')}, {d '2020-01-01'} from {oj T} where id = 1", '[["A","2020-01-01"]]'],
  ],
  'COUNT of all columns of a table counts rows': [
    ['select count(T.*), count(public.T.*), count("T".*), count(nope.*) from T', '[[4,4,4,4]]'],
    ['select count(k.*) from T t left join K k on t.id = k.a', '[[5]]'],
    ['select g, count(x.*) from T x group by g having count(x.*) > 1 order by g', '[[1,2],[2,2]]'],
  ],
  'window functions': [
    ['select id, row_number() over (partition by g order by n) from T order by id', '[[1,1],[2,2],[3,2],[4,1]]'],
    [
      'select sum(n) over (order by id rows between 1 preceding and current row) from T order by id',
      '[[10],[30],[50],[35]]',
    ],
    [
      'select sum(x) over (order by id rows between 1 preceding and current row) from T order by id',
      '[[1.10],[3.30],[5.50],[4.400]]',
    ],
    [
      'select lag(n) over (order by id), lead(n, 1, 0) over (order by id) from T order by id',
      '[[null,20],[10,30],[20,5],[30,0]]',
    ],
    ['select avg(d) over (order by id), count(*) over () from T order by id', '[[1.5,4],[2.0,4],[2.0,4],[1.5,4]]'],
  ],
  'set operations and orders': [
    ['select g from T union select 7 order by 1', '[[1],[2],[7]]'],
    ['select g from T union all select 7 order by 1 desc limit 2', '[[7],[2]]'],
    ['select n from T except select 10 intersect select 10 order by 1', '[[5],[20],[30]]'],
    ['select 1 a union all select 2.5 union all select null order by a desc', '[[2.5],[1],[null]]'],
    ['(select id from T order by id desc limit 1) union all (select 0) order by 1', '[[0],[4]]'],
    ['select id from T order by x, id desc', '[[4],[1],[2],[3]]'],
    ['select id from T order by d nulls last, id', '[[4],[1],[2],[3]]'],
    ['select id from T order by d desc', '[[2],[1],[4],[3]]'],
    ['select top 2 id from T order by id', '[[1],[2]]'],
    ['select id from T order by id offset 1 row fetch next 2 rows only', '[[2],[3]]'],
    ['select id from T order by id limit ? offset ?', '[[2]]', '1', '1'],
    ['select distinct g from T order by g desc', '[[2],[1]]'],
    ['select name from T order by lower(name), id', '[["a"],["A"],["b"],["c"]]'],
  ],
  'tables without a cache': [
    ['select * from dual', '[[1]]'],
    ['select x from system_range(1, 10, 4)', '[[1],[5],[9]]'],
    ['select x from system_range(3, 1, -1)', '[[3],[2],[1]]'],
    ['select count(*) from system_range(?, ?)', '[[5]]', '1', '5'],
    ["select * from table(a int = (1, '2'), b varchar = ('x'))", '[[1,"x"],[2,null]]'],
    ['select * from unnest(array[1, 2])', '[[1],[2]]'],
    ["select * from (values (1, 'a'), (2, null)) v where c1 = 2", '[[2,null]]'],
    ['with q(p) as (select id from T where g = 1) select p from q order by p', '[[1],[2]]'],
    [
      'with recursive f(n, a, b) as (select 1, 0, 1 union all select n + 1, b, a + b from f where n < 8) select max(a) from f',
      '[[13]]',
    ],
    ['select i, label from V where i < 3 order by 1', '[[1,"a"],[2,"b"]]'],
    ["select table_name, row_count from information_schema.tables where table_schema not in ('SYS')", '[["T",4]]'],
  ],
  'decimals compare as numbers and keep their scale': [
    ['select x from T where x = 1.1 order by id', '[[1.10],[1.100]]'],
    ['select x from T where x in (1.1, ?) order by id', '[[1.10],[3.30],[1.100]]', '3.3'],
    ['select id from T where x > 1.1 and x <= 2.20', '[[2]]'],
    ['select id from T where x < 1.11 and x >= 1.1 order by 1', '[[1],[4]]'],
    [
      'select 1.10 + 1, 1.10 * 1.10, 10 / 4.0, 1.0 / 3, 100 * 1.00',
      '[[2.10,1.2100,2.5,0.33333333333333333333333333,100.00]]',
    ],
    ['select id from T where n > 9.5 and n < 20.5 and n <> 10.0', '[[2]]'],
    ['select cast(1.15 as decimal(10, 1)), cast(5 as decimal(5, 2))', '[[1.2,5.00]]'],
  ],
  'LIKE, ILIKE and REGEXP': [
    ["select id from T where name like 'a%' or name like '_' and id = 4 order by 1", '[[1],[4]]'],
    [
      "select 'a%b' like 'a\\%b', 'axb' like 'a!%b' escape '!', 'abc' like '%b%', 'abc' not like 'ab'",
      '[[true,false,true,true]]',
    ],
    ["select id from T where name ilike 'A' order by 1", '[[1],[4]]'],
    ["select id from T where name regexp '^[bc]' order by 1", '[[2],[3]]'],
    ['select id from T where name like ? order by 1', '[[2]]', 'b%'],
    ["select cast(name as varchar_ignorecase) = 'A' from T order by id", '[[true],[false],[false],[true]]'],
  ],
  'three-valued logic': [
    ['select null and false, null or true, not null, null = null, null is null', '[[false,true,null,null,true]]'],
    ['select 1 in (2, null), 1 in (1, null), 1 not in (2, null), 1 in ()', '[[null,true,null,false]]'],
    [
      'select d is null, d > 1, not (d > 1) from T order by id',
      '[[false,true,false],[false,true,false],[true,null,null],[false,false,true]]',
    ],
    ['select 1 is distinct from null, null is not distinct from null', '[[true,true]]'],
    ['select id from T where not (d > 1)', '[[4]]'],
  ],
  keys: [
    ['select _key, _val from T where id = 1', '[[1,{"G":1,"N":10,"D":1.5,"X":1.10,"NAME":"a","DT":"2020-01-01"}]]'],
    ["select _key, v from K where a = 1 and b = 'x'", '[[{"A":1,"B":"x"},5]]'],
    ['select v from K where a = 2', '[[7]]'],
    ['select id from T where _key = 3', '[[3]]'],
  ],
};

const sql = store();
for (const [title, lines] of Object.entries(LINES)) {
  describe(title, () => {
    for (const [text, rows, ...args] of lines) {
      test(text, () => {
        expect(sql.answer(text, args)).toBe(rows);
      });
    }
  });
}

describe('errors contain the position and the nearest name', () => {
  const rejected: readonly Line[] = [
    ['select id from T where (id, g) in (select (id, g, n) from T)', 'Subquery is not a single column query'],
    ['select sum(T.*) from T', 'Syntax error in SQL statement "SELECT SUM(T.*[*]) FROM T "'],
    [
      'select nam from T',
      'Column "NAM" not found; SQL statement:\nselect nam from T [42122-197] (at line 1, column 8; did you mean NAME?)',
    ],
    [
      'select * from T where NAME = "Ann"',
      'Column "Ann" not found; SQL statement:\nselect * from T where NAME = "Ann" [42122-197] (at line 1, column 30; double quotes are for names, single quotes for texts)',
    ],
    [
      'select * from TT',
      'Table "TT" not found; SQL statement:\nselect * from TT [42102-197] (at line 1, column 15; did you mean T?)',
    ],
    [
      "select uper('a')",
      'Function "UPER" not found; SQL statement:\nselect uper(\'a\') [90022-197] (at line 1, column 8; did you mean UPPER?)',
    ],
    [
      'select * from publi.T',
      'Schema "PUBLI" not found; SQL statement:\nselect * from publi.T [90079-197] (at line 1, column 15; did you mean PUBLIC?)',
    ],
    ['select id from T, K k, T u', 'Ambiguous column name "ID"'],
    ['select name, count(*) from T', 'Column "NAME" must be in the GROUP BY list'],
    ['select sum(name) from T', 'SUM or AVG on wrong data type for "SUM(NAME)"'],
    ['select id from T where count(*) > 1', 'Invalid use of aggregate function "COUNT(*)"'],
    ['select id from T where max(sum(n)) > 1', 'Invalid use of aggregate function "MAX(SUM(N))"'],
    ['select sum(distinct sum(n)) from T', 'Invalid use of aggregate function "SUM(N)"'],
    ['select cast(1 as float(54))', 'Scale($"54") must not be bigger than precision({1})'],
    ['select cast(1 as decimal(2, 5))', 'Scale($"5") must not be bigger than precision("2")'],
    ['select distinct g from T order by id', 'Order by expression "ID" must be in the result list in this case'],
    ['select id from T order by 9', 'Order by expression "9" must be in the result list in this case'],
    ['select 1 union select 1, 2', 'Column count does not match'],
    ['select * from (select id, id from T)', 'Duplicate column name "ID"'],
    // Each of the 900,000 that a statement may have would become all columns of the table.
    [`select ${'*,'.repeat(900)}* from T`, 'The statement is too large: its result has too many columns'],
    ['select * from (select ? as p)', 'Unknown data type: "P"', '1'],
    ['select (select n from T where g = 1)', 'Scalar subquery contains more than one row'],
    ['select id from T where id = ?', 'Invalid number of query parameters [expected=1, actual=0]'],
    [
      'select id from T where id = ?',
      'Failed to bind parameter [idx=2, obj=2]: there are more arguments than parameters [expected=1, actual=2]',
      '1',
      '2',
    ],
    ['select id from T where id = ?', 'Data conversion error converting "abc"', 'abc'],
    ['select id from T where n > ? order by id', 'Invalid number of query parameters [expected=1, actual=0]'],
    ['select n / 0 from T', 'Division by zero: "10"'],
    ['select n + 2147483647 from T', 'Numeric value out of range: "2147483657"'],
    ['select v + 9223372036854775807 from K where v = 5', 'Numeric value out of range: "5"'],
    ['select id from T where name > 1', 'Data conversion error converting "a"'],
    ["select 'a' + 'b'", 'Feature not supported: "VARCHAR +"'],
    ['select id from T use index (nope)', 'Index "NOPE" not found'],
    ['select row_number() from T', 'Function "ROW_NUMBER" needs OVER (...)'],
    ['select nextval(1)', 'Function "NEXTVAL" is not supported'],
    ['select abs()', 'Invalid parameter count for "ABS"'],
    ['truncate table T', 'Unsupported statement: truncate table T'],
    ['truncate table NOPE', 'Table "NOPE" not found'],
  ];
  for (const [text, failure, ...args] of rejected) {
    test(text, () => {
      expect(sql.answer(text, args).slice(0, failure.length)).toBe(failure);
    });
  }

  const quoted = new SqlStore();
  quoted.run('create table Q(id int primary key, "USER" int, "TODAY" int, "mixed" int, plain int)');
  quoted.run('create table "ORDER"(id int primary key, n int)');
  const suggested: ReadonlyArray<readonly [statement: string, suggestion: string]> = [
    ['select usr from Q', 'USER'],
    ['select toda from Q', '"TODAY"'],
    ['select mixd from Q', '"mixed"'],
    ['select plan from Q', 'PLAIN'],
    ['insert into Q(id, usr) values (1, 2)', 'USER'],
    ['update Q set mixd = 1', '"mixed"'],
    ['select * from orderz', '"ORDER"'],
    ['select * from Q natural join orderz', '"ORDER"'],
  ];
  for (const [text, suggestion] of suggested) {
    test(`${text} suggests ${suggestion}`, () => {
      expect(quoted.answer(text, [])).toEndWith(`; did you mean ${suggestion}?)`);
    });
  }

  /** The place and the target follow the text that Ignite defines. */
  const conversions: ReadonlyArray<readonly [sql: string, hint: string, ...args: string[]]> = [
    ["select cast('x' as int)", 'at line 1, column 13; converting to INTEGER'],
    ["select id\nfrom T where n = 'x'", 'at line 2, column 18; converting to INTEGER'],
    ["select 'x' || 'y' where cast('x' as int) = 1", 'converting to INTEGER'],
    ["insert into T(id, n) values (9, 'it''s')", 'at line 1, column 33; converting to INTEGER for column N'],
    ['insert into T(id, n) values (9, ?)', 'converting argument 1 to INTEGER for column N', 'x'],
    ["update T set n = 'x' where id = 1", 'at line 1, column 18; converting to INTEGER for column N'],
    ['select id from T where id = ?', 'converting argument 1 to INTEGER', 'abc'],
    ['select cast(? as date)', 'converting argument 1 to DATE', '2024-02-31'],
    ["select cast('2024-02-31' as date)", 'at line 1, column 13; converting to DATE'],
    ['select cast(12345678901 as int)', 'converting to INTEGER'],
    ['select cast(name as int) from T', 'at line 1, column 13; converting column NAME to INTEGER'],
    ["select 'name' -- name\nfrom T where T.name = 1", 'at line 2, column 16; converting column NAME to INTEGER'],
    ['select name, cast("NAME" as int) from T', 'at line 1, column 20; converting column NAME to INTEGER'],
    ['select name, name::date from T', 'at line 1, column 14; converting column NAME to DATE'],
    ['select name from T where name = 1', 'converting column NAME to INTEGER'],
    ["select cast(name || 'x' as date) from T", 'at line 1, column 13; converting column NAME to DATE'],
    ['select cast(name || n as date) from T', 'converting to DATE'],
    ['select cast(c as int) from (select name as c from T)', 'converting to INTEGER'],
    ['update T set n = name where id = 1', 'at line 1, column 18; converting column NAME to INTEGER for column N'],
    ['insert into T(id, n) select id + 100, name from T', 'converting to INTEGER for column N'],
    ['update T set (n, g) = (select name, 1 from T as s where s.id = T.id)', 'converting to INTEGER for column N'],
  ];
  for (const [text, hint, ...args] of conversions) {
    test(`${text}: ${hint}`, () => expect(sql.answer(text, args)).toEndWith(`-197] (${hint})`));
  }
});

test('views that name each other twice are rejected before the statement is too long', () => {
  const views = store();
  views.run('create view V0 as select id from T');
  const create = (number: number) =>
    views.run(`create view V${number} as select id from V${number - 1} union all select id from V${number - 1}`);
  for (let number = 1; number <= 25; number++) create(number);
  expect(views.answer('select count(*) from V5')).not.toBe('[[0]]');
  const reason = 'The statement contains more than 500 views, with those in views';
  expect(() => views.run('select count(*) from V25')).toThrow(reason);
  views.run(`create view LONG as select id from T where id in (${'1,'.repeat(100_000)}1)`);
  expect(() => views.run(`select 1 from ${'LONG,'.repeat(20)} T`)).toThrow('characters of views');
});

describe('columns are described as in Ignite', () => {
  const described: ReadonlyArray<readonly [string, string]> = [
    [
      'select id, name as "x y", n + 1, count(*) over () from T',
      'PUBLIC.T.ID:Integer, .T.x y:String, ..N + 1:Integer, ..COUNT(*) OVER ():Long',
    ],
    [
      'select 1+2, 10000000000, 1.5, true, null, ?',
      '..3:Integer, ..10000000000:Long, ..1.5:BigDecimal, ..TRUE:Boolean, ..NULL:Void, ..?1:Object',
    ],
    [
      'select cast(null as int), upper(name), max(dt) from T group by name',
      '..CAST(NULL AS INTEGER):Integer, ..UPPER(NAME):String, ..MAX(DT):Date',
    ],
    [
      'select count(distinct name), sum(n), sum(x), sum(d), avg(n) from T',
      '..COUNT(DISTINCT NAME):Long, ..SUM(N):Long, ..SUM(X):BigDecimal, ..SUM(D):Double, ..AVG(N):Integer',
    ],
    [
      "select sum(n + 1), max(-n), count(distinct n + 1), string_agg(name, ';') from T",
      "..SUM(N + 1):Long, ..MAX(- N):Integer, ..COUNT(DISTINCT (N + 1)):Long, ..GROUP_CONCAT(NAME SEPARATOR ';'):String",
    ],
    [
      'select case n when 1 then 2 end, case when n = 1 then 2 else null end, substr(name, 1), concat(name, null) from T',
      '..CASE N WHEN 1 THEN 2 END:Integer, ..CASE WHEN (N = 1) THEN 2 ELSE NULL END:Integer, ' +
        '..SUBSTR(NAME, 1):String, ..CONCAT(NAME, NULL):String',
    ],
    [
      'select n between 1 and 2, not (n = 1 and g < 2) from T',
      '..(N >= 1)\n    AND (N <= 2):Boolean, ..(N <> 1)\n    OR (G >= 2):Boolean',
    ],
    ['select * from dual', 'PUBLIC.SYSTEM_RANGE.X:Long'],
    ['select v.i from V v', 'PUBLIC.V.I:Integer'],
    ['values (1)', 'PUBLIC.TABLE.C1:Integer'],
    ['select _key, _val from K', 'PUBLIC.K._KEY:Object, PUBLIC.K._VAL:Object'],
    ['explain select 1', '..PLAN:String'],
    ['delete from T where 1 = 0', '..UPDATED:Long'],
  ];
  for (const [text, columns] of described) {
    test(text, () => {
      const { columns: found } = sql.prepare(text);
      const shown = found.map(
        (column) =>
          `${column.schemaName}.${column.typeName}.${column.fieldName}:${column.fieldTypeName.split('.').at(-1)}`,
      );
      expect(shown.join(', ')).toBe(columns);
    });
  }
});

describe('keys and indexes are used', () => {
  const indexed = store();
  indexed.run('create index I on T(n)');
  indexed.run('create index J on T(x desc)');
  indexed.run('create index L on T(name)');
  const plans: ReadonlyArray<readonly [string, string]> = [
    ['select * from T where id = 5', 'SEARCH t1 USING PRIMARY KEY (k=? AND kt=?)'],
    ['select * from T where id in (1, 2) and n > 3', 'SEARCH t1 USING PRIMARY KEY (k=? AND kt=?)'],
    ['select * from T where id = 1 or id = 2', 'SEARCH t1 USING PRIMARY KEY (k=? AND kt=?)'],
    ['select * from T where id > 5 and id < 9', 'SEARCH t1 USING PRIMARY KEY (k>? AND k<?)'],
    ['select * from T where id > 5 and n = 7', 'SEARCH t1 USING INDEX x3 (f2=? AND k>?)'],
    ['select * from T where n between 1 and 5', 'SEARCH t1 USING INDEX x3 (f2>? AND f2<?)'],
    ['select * from T where n > 1.5', 'SEARCH t1 USING INDEX x3 (f2>?)'],
    ['select id from T where n = 5 order by id', 'SEARCH t1 USING INDEX x3 (f2=?)'],
    ['select * from T where x = 1.5', 'SEARCH t1 USING INDEX x4 (f4>? AND f4<?)'],
    ['select * from T where x > 1.5', 'SEARCH t1 USING INDEX x4 (f4>?)'],
    ['select * from T where name like ?', 'SEARCH t1 USING INDEX x5 (f5>? AND f5<?)'],
    ["select * from T where name like 'ab%'", 'SEARCH t1 USING INDEX x5 (f5>? AND f5<?)'],
    ['select id from T order by id desc limit 3', 'SCAN t1'],
    ['select max(id) from T', 'SEARCH t1'],
    ["select * from K where a = 1 and b = 'x'", 'SEARCH t1 USING PRIMARY KEY (k=? AND kt=?)'],
    ['select * from T a join T b on a.n = b.id where a.id = 3', 'SEARCH t2 USING PRIMARY KEY (k=? AND kt=?)'],
    // A second operand that may fail.
    ['select * from T a join T b on b.id = a.n + 1 where a.id = 3', 'SEARCH t2 USING PRIMARY KEY (k=? AND kt=?)'],
    ['select * from T a join T b on b.n > a.id + 1 where a.id = 3', 'SEARCH t2 USING INDEX x3 (f2>?)'],
    ['select * from T a join T b on b.id in (a.n + 1, 5) where a.id = 3', 'SEARCH t2 USING PRIMARY KEY (k=? AND kt=?)'],
    ['select * from T a join T b on b.g = a.n + 1', 'USING AUTOMATIC PARTIAL COVERING INDEX (kt=? AND vt=? AND f1=?)'],
  ];
  for (const [text, plan] of plans) {
    test(text, () => {
      expect(indexed.answer(`explain ${text}`, text.includes('?') ? ['a%'] : [])).toContain(plan);
    });
  }
});

describe('a pattern in an argument', () => {
  const indexed = store();
  indexed.run('create index L on T(name)');
  for (const [pattern, rows] of [
    ['a%', '[[1]]'],
    ['%', '[[1],[2],[3],[4]]'],
    ['_', '[[1],[2],[3],[4]]'],
    ['', '[]'],
    ['b', '[[2]]'],
    ['\\a', '[[1]]'],
    ['a\\', '[]'],
  ] as const) {
    test(`${pattern} uses an index`, () => {
      expect(indexed.answer('select id from T where name like ? order by id', [pattern]).slice(0, rows.length)).toBe(
        rows,
      );
    });
  }
});

describe('arguments with a type', () => {
  const decimal = (unscaled: bigint, scale: number) => ({ type: 'decimal', data: { unscaled, scale } }) as const;
  const cases: ReadonlyArray<readonly [string, string, ...Value[]]> = [
    ['select id from T where n > ? order by id', '[[2],[3]]', { type: 'double', data: 12.5 }],
    ['select id from T where n = ?', '[[2]]', decimal(200n, 1)],
    ['select id from T where n = ?', '[]', { type: 'long', data: 2n ** 40n }],
    ['select id from T where n = ?', '[]', { type: 'null' }],
    ['select id from T where x = ? order by id', '[[1],[4]]', decimal(11n, 1)],
    ['select id from T where x > ?', '[[3]]', { type: 'integer', data: 3 }],
    ['select id from T where d = ?', '[[1]]', decimal(15n, 1)],
    ['select id from T where dt = ?', '[[1]]', { type: 'date', data: 18_262 }],
    ['select id from T where dt < ?', '[[4]]', { type: 'timestamp', data: 18_262n * 86_400_000_000_000n }],
    ['select id from T where name = ?', '[[1]]', { type: 'char', data: 'a' }],
    ['select ?, ?, ?', '[[5,1.50,"x"]]', { type: 'long', data: 5n }, decimal(150n, 2), { type: 'string', data: 'x' }],
    ['select id from T where ? and id < 3 order by id', '[[1],[2]]', { type: 'boolean', data: true }],
  ];
  for (const [text, rows, ...args] of cases) {
    test(`${text} with ${args.map((arg) => arg.type).join(', ')}`, () => {
      expect(sql.answer(text, args)).toBe(rows);
    });
  }
});

describe('an object is an argument only where an object is meant', () => {
  const given = (text: string) => sql.answer(text, [{ type: 'map', data: [] }]);
  const rejected = [
    'select cast(? as varchar)',
    'select ? || 1',
    'select abs(?) + 1',
    'select length(?)',
    'select id from T where name = ?',
    'select id from T where id = ?',
    'insert into T(id, name) values (70, ?)',
    'update T set name = ? where id = 1',
  ];
  for (const text of rejected) {
    test(text, () => expect(given(text)).toContain('an object as an argument that stands for no object'));
  }

  test('it is compared with values', () => expect(given('select id from T where _val = ?')).toBe('[]'));
  test('it is a result', () => expect(given('select ?')).toBe('[[{}]]'));
});

describe('a statement by key is recognized', () => {
  const cases: ReadonlyArray<readonly [string, boolean]> = [
    ['select * from T where id = ?', true],
    ['select n from T where id = 5 and name = ?', true],
    ["select * from K where a = 1 and b = 'x'", true],
    ['select 1', true],
    ['select (select count(*) from T a, T b)', false],
    ['select 1 where exists (select 1 from T)', false],
    ['select 1 limit (select count(*) from T)', false],
    ["select repeat('a', 9)", false],
    ['select repeat(name, 9) from T where id = ?', false],
    ["select id from T where id = ? and name regexp 'a'", false],
    ['select id from T where id = ? and name like ?', false],
    ['select upper(name) from T where id = ?', true],
    ["insert into T(id, name) values (1, repeat('a', 9))", false],
    ["update T set name = repeat('a', 9) where id = ?", false],
    ["delete from T where id = 1 and name regexp 'a'", false],
    ['select * from K where a = 1', false],
    ['select * from T', false],
    ['select * from T where id > 5', false],
    ['select * from T where id = (select max(id) from T)', false],
    ["insert into T(id, name) values (?, 'x'), (2, upper(?))", true],
    ['insert into T(id) select 1', false],
    ['merge into T(id, n) values (1, 2)', true],
    ['update T set n = n + ? where id = ?', true],
    ['update T set n = (select 1) where id = ?', false],
    ['update T set n = 1', false],
    ['delete from T where _key = 1', true],
    ['delete from T where n = 1', false],
  ];
  for (const [text, byKey] of cases) {
    test(text, () => {
      const prepared = sql.prepare(text);
      expect(prepared.kind === 'ddl' ? undefined : prepared.byKey).toBe(byKey);
    });
  }
});

test('rows of other types and expired rows are not rows of the table', () => {
  const mixed = store();
  const value = (name: string) =>
    ({
      type: 'object',
      typeName: mixed.table('T').valueType,
      fields: [{ name: 'NAME', value: { type: 'string', data: name } }],
    }) as const;
  mixed.put('T', { type: 'integer', data: 50 }, value('live'), { exp: BigInt(mixed.nowMs + 1) });
  mixed.put('T', { type: 'integer', data: 51 }, value('dead'), { exp: BigInt(mixed.nowMs) });
  expect(() => mixed.put('T', { type: 'string', data: '52' }, value('text key'))).toThrow(
    'Failed to update index, incorrect key class [expCls=integer, actualCls=string]',
  );
  mixed.put('T', { type: 'integer', data: 53 }, { type: 'string', data: 'no row' });
  expect(mixed.answer('select id, name from T where id > 4 order by id')).toBe('[[50,"live"]]');
  expect(mixed.answer('select count(*) from T')).toBe('[[5]]');
});
