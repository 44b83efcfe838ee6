/** Types and rows that an Ignite node has returned: edge cases of its typing, constant folding and rounding. */
import { describe, expect, test } from 'bun:test';
import { SqlStore } from '../../../../test/fixtures/embedded/sql-store.ts';

const sql = new SqlStore();
sql.run(
  'create table T(id int primary key, i int, b bigint, d decimal(10,2), r real, f double, v varchar, dt date, u uuid)',
);
sql.run(
  "insert into T values (1,1,1,1.5,1.5,1.5,'abc','2001-01-01','00000000-0000-0000-0000-000000000001')," +
    "(2,2,2,2.25,2.5,2.5,'a','2002-01-01','80000000-0000-0000-0000-000000000001')," +
    "(3,null,null,null,null,null,null,null,'7fffffff-0000-0000-0000-000000000001')",
);

const ZONED = "timestamp with time zone '2018-01-02 10:11:12+02:30'";
const ZONED_TEXTS = '[["2018-01-02 07:41:12.0","2018-01-02 10:11:12+02:30"]]';

/** Statement, types and rows. */
type Line = readonly [string, string];

const LINES: Readonly<Record<string, readonly Line[]>> = {
  'operators that a type does not have return NULL for NULL': [
    ['select u + 1, u * u, -u from T where id = 9', 'UUID UUID UUID []'],
    ['select -v, v - v, v || 1 from T where id = 3', 'String String String [[null,null,null]]'],
    ['select max((1, id)) / 4, -max((1, id)) from T where id = 9', 'Array Array [[null,null]]'],
    ['select (1, id) % cast(null as int), -dt from T where id = 3', 'Array Date [[null,null]]'],
    ['select (1, 2) * null', 'Void [[null]]'],
    ["select -time '00:00:00'", 'Time [["00:00:00"]]'],
  ],
  'aggregates of a table round decimals to the scale that their expression declares': [
    [
      'select sum(d / 3), min(d / 7), max(d / 3), avg(d / 3) from T',
      'BigDecimal BigDecimal BigDecimal BigDecimal [[1.25,0.21,0.75,0.63]]',
    ],
    ['select sum(d * 1.055), sum(d * 2.5) from T', 'BigDecimal BigDecimal [[3.956,9.38]]'],
    ['select id, sum(d / 7) from T group by id having id < 3 order by 1', 'Integer BigDecimal [[1,0.21],[2,0.32]]'],
    ['select -sum(d / 3), sum(d / 3) * 2 from T', 'BigDecimal BigDecimal [[-1.25,2.50]]'],
    ['select s from (select sum(d / 7) s from T) q', 'BigDecimal [[0.54]]'],
    ['select sum(x) from (select d * d / 7 x from T) q', 'BigDecimal [[1.04]]'],
    [
      'select avg(case when false then 0.55 else id end), sum(case when true then id else 0.5 end) from T',
      'BigDecimal BigDecimal [[2.00,6.0]]',
    ],
    [
      'select avg(case when i > 1 then 1 when false then 0.55 else id end), max(case 1 when 2 then 0.5 else id end) from T',
      'BigDecimal BigDecimal [[1.67,3.0]]',
    ],
    ['select avg(cast(i as decimal)), avg(id / 7.0) from T', 'BigDecimal BigDecimal [[1.5,0.3]]'],
    [
      'select min((select min(d) from T)), min((select max(d / 7) from T)), max((select sum(d) + 1 from T)) from T',
      'BigDecimal BigDecimal BigDecimal [[1.50,0.32,4.75]]',
    ],
  ],
  'a column of the type NULL has no other value': [
    [
      'select x, x + 1, y from table(x null=(null, 2), y int=(1, 2))',
      'Void Integer Integer [[null,null,1],[null,null,2]]',
    ],
    ['select 1 in (select * from table(x null=()))', 'Boolean [[false]]'],
    ["select count(*), max(x) from table(x null=('a', 2))", 'Long Void [[2,null]]'],
    ["select * from table(x null='a')", 'Void [[null]]'],
  ],
  'AVG beside a distinct aggregate is not rounded, and that of BIGINTs not truncated': [
    ['select avg(d / 3), sum(d / 3), count(distinct i) from T', 'BigDecimal BigDecimal Long [[0.625,1.25,2]]'],
    ['select avg(b), avg(i) from T', 'Long Integer [[1,1]]'],
    ['select avg(b), avg(distinct i) from T', 'Long Integer [[2,1]]'],
    ['select avg(b - 4) from T', 'Long [[-2]]'],
    ['select avg(distinct b - 4) from T', 'Long [[-3]]'],
  ],
  'aggregates in subqueries, of one entry or without a table are exact': [
    ['select (select sum(d / 3) from T), (select avg(b) from T)', 'BigDecimal Long [[1.25,2]]'],
    [
      'select (select max(cast(d as decimal(20, 4))) from T), (select sum(cast(d / 7 as decimal(20, 2))) from T)',
      'BigDecimal BigDecimal [[2.2500,0.53]]',
    ],
    ['select sum(d / 7) from T where id = 1', 'BigDecimal [[0.21428571428571428571428571]]'],
    [
      'select avg(x), avg(x / 3.0), sum(x / 3.0) from system_range(1, 4)',
      'Long BigDecimal BigDecimal [[3,0.833333333333333333333333325,3.3333333333333333333333333]]',
    ],
    ['select avg(x) from (select x from system_range(1, 4)) q', 'Long [[3]]'],
  ],
  'HAVING without GROUP BY returns at most one row': [
    ['select 1 from T having count(*) > 1', 'Integer [[1]]'],
    ['select 1 from T having count(*) = 0', 'Integer []'],
    ['select 1 from T where false having count(*) = 0', 'Integer [[1]]'],
    ['select cast(null as int) + count(*) from T', 'Long [[null]]'],
  ],
  'an expression over a cast NULL has a type, like one over a column': [
    ['select floor(99.99)', 'Double [[99.0]]'],
    ['select floor(coalesce(99.99, cast(null as int)))', 'BigDecimal [[99.0]]'],
    ['select round(case when true then 0.5 else d end, 1) from T where id = 1', 'BigDecimal [[0.5]]'],
    ['select case 6 when 1 then 2 end', 'Void [[null]]'],
    ['select case 6 when 1 then i end from T where id = 1', 'Integer [[null]]'],
    ["select case when 1 = 2 then 'a' else null end", 'Void [[null]]'],
    ["select case when true then 1 else 'a' end", 'Integer [[1]]'],
    ['select nullif(1, 2.5)', 'Integer [[1]]'],
    [
      'select coalesce(i, cast(v as int)), ifnull(d, v), casewhen(i = 1, 5, v) from T where id = 1',
      'Integer BigDecimal Integer [[1,1.5,5]]',
    ],
    ["select coalesce(i, 'x'), nvl2(i, i, 'x') from T where id = 1", 'Integer Integer [[1,1]]'],
    ["select floor(v || '1.5'), round(i = 1) from T where id = 9", 'String Boolean []'],
    [
      'select id / coalesce(cast(null as int), 0), 1 / coalesce(cast(null as int), 0) from T where id > 9',
      'Integer Integer []',
    ],
    ["select case when i = 1 then dt else 'x' end from T where id = 1", 'Date [["2001-01-01"]]'],
    ["select case i when 1 then 5 when 2 then 'x' end from T where id = 1", 'Integer [[5]]'],
    ['select - (i = 1), - true from T where id = 1', 'Boolean Boolean [[false,false]]'],
    ["select nullif('5', 6)", 'String [["5"]]'],
    ['select nullif(i, 2.5) from T where id = 1', 'BigDecimal [[1]]'],
  ],
  'AND and OR return the other operand unconverted when a constant does not decide': [
    ['select i or 0, i and 1, 0 or i from T where id = 2', 'Integer Integer Integer [[2,2,2]]'],
    ['select 5 or 0, 0 and 1, 0 or 0, 1 and 1', 'Integer Integer Boolean Boolean [[5,0,false,true]]'],
    ['select id from T where i or 0 order by id', 'Integer [[1],[2]]'],
  ],
  'what is compared with NULL is not evaluated': [
    [
      "select i > cast('x' || id as int), i + 1 in (1, cast('x' || id as int)), v like cast(cast('x' || id as int) as varchar) from T where id = 3",
      'Boolean Boolean Boolean [[null,null,null]]',
    ],
    [
      "select coalesce(i, null) = cast('x' || id as int), i = (select cast('x' || t.id as int)) from T where id = 3",
      'Boolean Boolean [[null,null]]',
    ],
    ["select id from T where round(d, 1) > cast('x' || id as int) and id = 3", 'Integer []'],
    ["select id from T where i <= cast('x' || id as int) and id = 3", 'Integer []'],
  ],
  'AND and OR are folded when a constant decides, even if another operand is not folded': [
    ["select nullif(false, cast(null as int) is not null and date '2001-01-01' = date '2001-01-02')", 'Void [[null]]'],
    ['select nullif(true, cast(null as int) is null or 1 = 1)', 'Void [[null]]'],
    ['select nullif(false, cast(null as int) is not null and true)', 'Boolean [[null]]'],
  ],
  'a function of a NULL that is not folded declares its own type': [
    [
      'select abs((select null)), abs(max(null)), round((select null), 1), trunc((select max(null) from T)) from T',
      'Integer Integer Integer Integer [[null,null,null,null]]',
    ],
    ['select -(select null), abs(-(select null)), -(select null) + 1', 'Void Integer Integer [[null,null,null]]'],
    ['select abs(null), round(null, 1), -null, coalesce(null, null)', 'Void Void Void Void [[null,null,null,null]]'],
    [
      'select case when id > 5 then null end, coalesce((select null), null), greatest((select null), null) from T where id = 1',
      'String String String [[null,null,null]]',
    ],
    [
      'select casewhen(id > 5, null, null), nvl2(id, null, null), decode(id, 1, null) from T where id = 1',
      'Void Void String [[null,null,null]]',
    ],
    [
      'select case when id > 5 then null end + 1, id in (case when id > 5 then null end) from T where id = 1',
      'Integer Boolean [[null,null]]',
    ],
    [
      "select nullif(case when cast(null as varchar) like '%' then 'a' else 'b' end, 'b'), cast(null as varchar) like '%'",
      'String Boolean [[null,false]]',
    ],
  ],
  'a LIKE pattern that ends in its escape character matches NULL': [
    ["select v like 'a\\' from T where id = 1", 'Void [[null]]'],
    ["select v like v || '\\' from T where id = 1", 'Boolean [[null]]'],
    ["select id from T where not (v like 'x\\')", 'Integer []'],
    ["select v like 'a\\bc', v like 'a#bc' escape '#' from T where id = 1", 'Boolean Boolean [[true,true]]'],
    ["select 'abc' like 'abx' escape 'b'", 'Boolean [[false]]'],
  ],
  'IN over rows of untyped NULLs ignores them': [
    ['select i in (select null) from T order by id', 'Boolean [[false],[false],[null]]'],
    ['select id from T where i not in (select null) order by id', 'Integer [[1],[2]]'],
    ['select i in (select null from T where id = 99) from T where id = 3', 'Boolean [[false]]'],
    ['select i in (select cast(null as int)) from T where id = 1', 'Boolean [[null]]'],
  ],
  'IN converts the values of a list to the type of its operand': [
    ['select 2 in (1.5, 3), 2 in (1.5)', 'Boolean Boolean [[true,false]]'],
    ['select id from T where i in (1.5, 2.4) order by id', 'Integer [[2]]'],
    ['select id from T where i not in (1.5, 7) order by id', 'Integer [[1]]'],
    ["select id from T where v in (12, i, 'abc') order by id", 'Integer [[1]]'],
    ["select 1 in (1, 'x'), 'a' in (1, 'a'), true in ('true', 'x')", 'Boolean Boolean Boolean [[true,true,true]]'],
    ["select id from T where dt in (timestamp '2001-01-01 10:00:00', null) order by id", 'Integer [[1]]'],
    ['select id from T where i in (3000000000, 2)', 'Integer [[2]]'],
  ],
  'a NULL operand decides before the others are converted': [
    [
      "select null + 'a', null * true, bitor('', null), instr(null, 'a', 'x')",
      'Void Void Void Void [[null,null,null,null]]',
    ],
    ["select concat_ws(null, null), concat_ws(',', null)", 'Void String [[null,""]]'],
  ],
  'a date plus days is declared as a TIMESTAMP, and is one beside timestamps': [
    ["select dateadd('DAY', id, date '2001-01-01') from T where id = 1", 'Timestamp [["2001-01-02"]]'],
    ['select dt + 1 from T where id = 1', 'Timestamp [["2001-01-02"]]'],
    ["select dateadd('DAY', 1, date '2001-01-01')", 'Date [["2001-01-02"]]'],
    ['select coalesce(dt + id, dt) from T where id = 1', 'Timestamp [["2001-01-02 00:00:00.0"]]'],
    ['select max(dt + id) from T', 'Timestamp [["2002-01-03 00:00:00.0"]]'],
    ['select case when i = 1 then dt + 1 end from T where id = 1', 'Timestamp [["2001-01-02 00:00:00.0"]]'],
  ],
  'AND and OR evaluate the cheaper operand first, and the other only when it decides': [
    ['select v + 1 > 5 and id = 99 from T where id = 1', 'Boolean [[false]]'],
    ['select v + 1 > 5 or id < 99 from T where id = 1', 'Boolean [[true]]'],
    ['select id between v + 1 and -1 from T where id = 1', 'Boolean [[false]]'],
    ['select i > 5 and d = 1.5, i < 5 or d = 9 from T where id = 3', 'Boolean Boolean [[null,null]]'],
  ],
  'a comparison converts a string only when the other side is not NULL': [
    ['select i < v, v > i, i between v and 5 from T where id = 3', 'Boolean Boolean Boolean [[null,null,null]]'],
    [
      'select a.i < b.v, a.i in (b.v, 5) from T a right join T b on false where b.id = 1',
      'Boolean Boolean [[null,null]]',
    ],
  ],
  'a TIMESTAMP does not become a UUID while the other side is NULL': [
    [
      'select ts = c from (select cast(dt as timestamp) as ts, cast(null as uuid) as c from T) x',
      'Boolean [[null],[null],[null]]',
    ],
  ],
  'midnight divided by zero is midnight': [
    [
      "select time '00:00:00' / 0, c / 0, c / cast(0 as double) from (select cast('00:00:00' as time) as c) x",
      'Time Time Time [["00:00:00","00:00:00","00:00:00"]]',
    ],
  ],
  'a row compares with a single value as with a row of it, by the types of both': [
    [
      "select (time '01:02:03', c) > c, (c, c) > c, (c, c) = c from (select cast('10:00:00' as time) as c from T where id = 1) x",
      'Boolean Boolean Boolean [[false,true,false]]',
    ],
    ['select (i, i) > i, i < (i, i) from T where id = 1', 'Boolean Boolean [[true,true]]'],
    [
      'select (1, 2) > c, (1, 2) = c from (select cast(null as int) as c from T where id = 1) x',
      'Boolean Boolean [[null,null]]',
    ],
  ],
  'a TIMESTAMP WITH TIME ZONE has a wall clock time and compares by its instant': [
    [
      "select timestamp with time zone '2018-01-02 10:11:12.5+02:30', cast('2018-01-02' as timestamp with time zone)",
      'TimestampWithTimeZone TimestampWithTimeZone [["2018-01-02T10:11:12.5+02:30","2018-01-02T00:00:00+00:00"]]',
    ],
    [
      `select hour(${ZONED}), extract(timezone_hour from ${ZONED}), extract(timezone_minute from ${ZONED})`,
      'Integer Integer Integer [[10,2,30]]',
    ],
    [`select extract(epoch from ${ZONED}), extract(epoch from v) from T where false`, 'BigDecimal Integer []'],
    [`select cast(${ZONED} as timestamp), cast(${ZONED} as varchar)`, `Timestamp String ${ZONED_TEXTS}`],
    [
      `select ${ZONED} = timestamp '2018-01-02 07:41:12', ${ZONED} < date '2018-01-03'`,
      'Boolean Boolean [[true,true]]',
    ],
    [`select date_trunc('day', ${ZONED})`, 'TimestampWithTimeZone [["2018-01-02T00:00:00+02:30"]]'],
    [`select dateadd('month', 1, ${ZONED})`, 'TimestampWithTimeZone [["2018-02-02T10:11:12+02:30"]]'],
    [`select formatdatetime(${ZONED}, 'HH:mm z')`, 'String [["10:11 GMT+02:30"]]'],
    [`select ${ZONED} + time '01:00:00'`, 'Timestamp [["2018-01-02 08:41:12.0"]]'],
    [
      "select to_timestamp_tz('2018-01-02 -02:30', 'YYYY-MM-DD TZH:TZM')",
      'TimestampWithTimeZone [["2018-01-02T00:00:00-02:30"]]',
    ],
    [
      `select max(x), min(x), count(distinct x) from (values (${ZONED}), (timestamp '2018-01-02 08:00:00')) q(x)`,
      'TimestampWithTimeZone TimestampWithTimeZone Long [["2018-01-02T08:00:00+00:00","2018-01-02T10:11:12+02:30",2]]',
    ],
  ],
  'CAST knows the types of H2 by all of their names': [
    ["select cast('7' as long), cast(1 as serial), cast('0a' as long raw)", 'Long Integer [B [[7,1,"Cg=="]]'],
    ["select cast('x' as text), cast('0102' as blob)", 'Clob Blob [["x","AQI="]]'],
    [
      "select coalesce(cast(v as clob), 'x'), case when i = 1 then cast(v as text) end, nvl2(i, v, cast(v as clob)) from T where id = 1",
      'Clob Clob String [["abc","abc","abc"]]',
    ],
    [
      'select greatest(cast(v as clob), v), upper(cast(v as clob)) || v, max(cast(v as clob)) from T where id = 1 group by v',
      'Clob String Clob [["abc","ABCabc","abc"]]',
    ],
    [
      'select cast(v as clob) from T where id = 1 union select v from T where id = 2 order by 1',
      'Clob [["a"],["abc"]]',
    ],
    [
      "select cast('2018-01-01 10:11:12.987654321' as timestamp(3)), cast('10:00:00' as time without time zone)",
      'Timestamp Time [["2018-01-01 10:11:12.988","10:00:00"]]',
    ],
  ],
  'elements of rows keep their types': [
    [
      'select (id, dt, u), (select id, dt from T where id = 1) from T where id = 1',
      'Array Array [[[1,"2001-01-01","00000000-0000-0000-0000-000000000001"],[1,"2001-01-01"]]]',
    ],
    [
      "select (id, time '10:11:12', timestamp '2018-01-02 10:11:12.5', r, i > 1) from T where id = 2",
      'Array [[[2,"10:11:12","2018-01-02 10:11:12.5",2.5,true]]]',
    ],
    [
      "select array_get((id, dt), 2), cast((id, dt, time '10:11:12', r) as varchar) from T where id = 1",
      'String String [["2001-01-01","(1, 2001-01-01, 10:11:12, 1.5)"]]',
    ],
    [
      'select coalesce((id, dt), (id, dt)), max((id, dt)), (id, (dt, id)) from T where id = 1 group by id, dt',
      'Array Array Array [[[1,"2001-01-01"],[1,"2001-01-01"],[1,["2001-01-01",1]]]]',
    ],
    [
      'select case when i = 1 then (id, dt) else (dt, id) end from T where i < 3 order by id',
      'Array [[[1,"2001-01-01"]],[["2002-01-01",2]]]',
    ],
    ['select (select id, dt from T where id = 1) = (select id, dt from T where id = 1)', 'Boolean [[true]]'],
  ],
  'a TIME in an expression has nanoseconds': [
    [
      "select extract(nanosecond from time '10:11:12.123456789'), cast(time '00:00:00.000000001' * 3 as varchar)",
      'Integer String [[123456789,"00:00:00.000000003"]]',
    ],
    ["select time '10:11:12.1234' = time '10:11:12.123'", 'Boolean [[false]]'],
  ],
  'rows compare item by item with NULL below all values, and never as NULL': [
    [
      'select (1, null) = (1, 1), (1, null) = (1, null), (1, null) < (1, 1)',
      'Boolean Boolean Boolean [[false,true,true]]',
    ],
    ['select id from T where (id, i) <> (1, 1) order by id', 'Integer [[2],[3]]'],
    ['select id from T where (i, id) < (1, 2) order by id', 'Integer [[1],[3]]'],
    ['select id from T where (i, id) >= (1, 2) order by id', 'Integer [[2]]'],
  ],
  'DATE_TRUNC knows the units of EXTRACT by all of their names': [
    [
      "select date_trunc('MS', ts), date_trunc('MI', ts), date_trunc('WW', ts) from (select timestamp '2020-05-17 03:04:05.6789' ts) q",
      'Void Void Void [["2020-05-17 03:04:05.678","2020-05-17 03:04:00.0","2020-05-11 00:00:00.0"]]',
    ],
    [
      "select date_trunc('DECADE', ts), date_trunc('CENTURY', ts) from (select timestamp '2020-05-17 03:04:05' ts) q",
      'Void Void [["2020-01-01 00:00:00.0","2001-01-01 00:00:00.0"]]',
    ],
  ],
  'ARRAY_CONTAINS finds values of the type of the elements': [
    ['select array_contains((7, 5), 7), array_contains((7, 5), cast(7 as bigint))', 'Boolean Boolean [[true,false]]'],
  ],
  'ORA_HASH ignores the seed 0, and ARRAY_GET what has no elements': [
    ["select ora_hash(1, 9, 0), ora_hash('abc', 5, -1), array_get(1.5, 'a')", 'Long Long Void [[4,-3,null]]'],
  ],
  'random numbers follow from the last seed of the statement': [
    [
      'select rand(5), rand(), rand()',
      'Double Double Double [[0.730519863614471,0.08825840967622589,0.4889045498516358]]',
    ],
    ['select rand(5) from T where id < 3', 'Double [[0.730519863614471],[0.730519863614471]]'],
    ['select rand(null), rand()', 'Double Double [[null,0.5]]'],
  ],
  'UUIDs sort by their halves as signed numbers': [
    ['select id from T order by u', 'Integer [[2],[1],[3]]'],
    ['select id from T order by u desc', 'Integer [[3],[1],[2]]'],
    ["select id from T where u > '00000000-0000-0000-0000-000000000000' order by id", 'Integer [[1],[3]]'],
    ["select id from T where u = '80000000-0000-0000-0000-000000000001'", 'Integer [[2]]'],
    ['select id from T where u in (select max(u) from T)', 'Integer [[3]]'],
    ['select u from T union select u from T order by 1 limit 1', 'UUID [["80000000-0000-0000-0000-000000000001"]]'],
  ],
  'a condition over a cast NULL has a type, like one over a column': [
    ['select nullif(cast(null as date) is not null, false), nullif(null is null, true)', 'Boolean Void [[null,null]]'],
    ['select nullif(not (coalesce(cast(null as int), 5) = 5), false)', 'Boolean [[null]]'],
    ['select nullif(coalesce(cast(null as int), 5) = 5 and 1 = 1, true)', 'Boolean [[null]]'],
    ['select nullif(1 = 1 or coalesce(cast(null as int), 5) = 6, true)', 'Void [[null]]'],
    ["select nullif(coalesce(cast(null as varchar), 'a') like 'a', true)", 'Boolean [[null]]'],
    ['select nullif(1 in (cast(null as int), 1), true)', 'Boolean [[null]]'],
  ],
  'a constant is converted when a row needs it, unless all operands are constant': [
    ["select (select max(dateadd('DAY', 5, dt)) from T where id = 3) >= 5", 'Boolean [[null]]'],
    [
      "select 5 <= dateadd('DAY', 1, dt), dateadd('DAY', 1, dt) = true from T where id = 3",
      'Boolean Boolean [[null,null]]',
    ],
    ["select id from T where dateadd('DAY', 1, dt) >= 5 and id = 3", 'Integer []'],
    ["select cast(coalesce('ze', cast(null as varchar)) as uuid) from T where id = 9", 'UUID []'],
    ["select cast(coalesce(left('b', 0), cast(null as varchar)) as date) from T where id = 9", 'Date []'],
    ["select 'ze' from T where id = 9 union all select id from T where id = 9", 'Integer []'],
    ["select '' from T where id = 9 union select id from T where id = 1", 'Integer [[1]]'],
    [
      "select concat(cast(null as varchar), 'x') + 1, - coalesce(cast(null as varchar), 'x') from T where id = 9",
      'Integer String []',
    ],
    ["select mod(case when false then id else -2 end, 7) < 'x' from T where id = 9", 'Boolean []'],
    ["select 1 in (coalesce(cast(null as varchar), 'x'), 2) from T where id = 9", 'Boolean []'],
    [
      'select i in (coalesce(cast(null as decimal), 3000000000), 2) from T order by id',
      'Boolean [[false],[true],[null]]',
    ],
    [
      'select nullif((0, id) < (-1, id), false), nullif((0, 1) < (-1, 2), false) from T where id = 1',
      'Boolean Void [[null,null]]',
    ],
    ["select cast(date '2020-12-31' + time '23:59:59' as bigint) from T where id = 9", 'Long []'],
    ["select cast(timestamp '2020-12-31 00:00:00' - time '23:59:59' as bigint) from T where id = 9", 'Long []'],
    [
      "select cast(time '03:59:59' + time '01:00:00' as bigint), cast(time '03:59:59' * 2 as bigint), cast(time '03:59:59' / 2 as bigint) from T where id = 9",
      'Long Long Long []',
    ],
  ],
  'constants, types and words are read in every form that Ignite accepts': [
    ['select with w as (select 7 x) select w.x from w', 'Integer [[7]]'],
    ['select 5 + from T select max(id)', 'Integer [[8]]'],
    ['select 0x7fffffff, 0x80000000', 'Integer BigDecimal [[2147483647,2147483648]]'],
    [
      "select cast('10.11.12' as time), timestamp '2001-01-01 10.11.12'",
      'Time Timestamp [["10:11:12","2001-01-01 10:11:12.0"]]',
    ],
    ['select cast(5 as identity)', 'Long [[5]]'],
    [
      'select current_date() = today(), current_timestamp(3) is null, sysdate() is null',
      'Boolean Boolean Boolean [[true,false,false]]',
    ],
    ["select extract(milliseconds from time '10:00:00.123')", 'Integer [[123]]'],
    ["select char_length('abc'), ora_hash(1)", 'Long Long [[3,49]]'],
    ['select char_length(v), length(v) from T where id = 1', 'Integer Long [[3,3]]'],
    [
      'select power(1.05, 10), power(1.01, 365), power(0.1, 5), power(-1.3, 7), power(2, -3)',
      'Double Double Double Double Double [[1.628894626777442,37.78343433288728,1.0000000000000003E-5,-6.274851700000002,0.125]]',
    ],
  ],
  'literals with suffixes and prefixes': [
    ['select 1000L, 5000000000L, -5l, 0xFFL', 'Long Long Long Integer [[1000,5000000000,-5,255]]'],
    ['select 99999999999999999999L, 1.5L', 'BigDecimal BigDecimal [[99999999999999999999,1.5]]'],
    ['select 10L + 1, 10Lx', 'Long Long [[11,10]]'],
    ["select E'a\\\\b', e 'x', E'a\\tb'", 'String String String [["a\\\\b","x","a\\\\tb"]]'],
    ["select X '41', N 'abc'", '[B String [["QQ==","abc"]]'],
  ],
  'elements of arrays count from 0, positions of ARRAY_GET from 1': [
    ['select (10, 20)[1], array_get((10, 20), 1), (10, 20)[2]', 'Integer Integer Void [[20,10,null]]'],
    ['select (1, id)[id] from T where id = 1', 'Integer [[1]]'],
  ],
  'aliases of VALUES and of parentheses': [
    ['select * from (values 1, 2) t(v)', 'Integer [[1],[2]]'],
    ['select v + w from (values (1, 2)) t(v, w)', 'Integer [[3]]'],
    ['select q.id from (T) q where q.id = 1', 'Integer [[1]]'],
  ],
  'tables of the same name, while no column is ambiguous': [
    ['select 1 from T, T where 1 = 2', 'Integer []'],
    ['select count(*) from T a, T a', 'Long [[9]]'],
    ['select 1 from (select 1) t, (select 2) t', 'Integer [[1]]'],
  ],
  'fields of time zones': [
    [
      `select dateadd('TIMEZONE_HOUR', 1, ${ZONED}), dateadd(timezone_minute, -30, ${ZONED})`,
      'TimestampWithTimeZone TimestampWithTimeZone [["2018-01-02T10:11:12+03:30","2018-01-02T10:11:12+02:00"]]',
    ],
    [
      `select datediff(timezone_hour, timestamp '2018-01-01 00:00:00', ${ZONED}), datediff(timezone_minute, ${ZONED}, now())`,
      'Long Long [[2,-150]]',
    ],
    ["select timestamp '2000-01-10 00:00:00 -02'", 'Timestamp [["2000-01-10 02:00:00.0"]]'],
    [
      "select timestamp with time zone '2000-01-10 00:00:00+09:00[Asia/Tokyo]'",
      'TimestampWithTimeZone [["2000-01-10T00:00:00+09:00"]]',
    ],
    ["select formatdatetime(time '10:15:20', 'HH:mm z', 'en', 'UTC-05')", 'String [["10:15 GMT"]]'],
    ["select formatdatetime(time '10:15:20', 'HH:mm z', 'en', 'GMT-05')", 'String [["05:15 GMT-05:00"]]'],
  ],
  'patterns that match everything but NULL': [
    [
      "select v like '%', v ilike '%', v regexp '%' from T where id > 1 order by id",
      'Boolean Boolean Boolean [[true,true,true],[false,false,false]]',
    ],
    ["select id from T where v ilike 'ABC'", 'Integer [[1]]'],
  ],
  'functions on values of other types': [
    ["select to_char(cast(5 as tinyint), '000'), to_char(cast(5 as smallint), '000')", 'String String [["5"," 005"]]'],
    ['select secure_rand(null)', '[B [[null]]'],
  ],
};

for (const [title, lines] of Object.entries(LINES)) {
  describe(title, () => {
    for (const [text, expected] of lines) {
      test(text, () => {
        const { columns, rows } = sql.run(text);
        const types = columns.map((column) => column.fieldTypeName.split('.').at(-1));
        expect(`${types.join(' ')} ${rows}`).toBe(expected);
      });
    }
  });
}

test.each([
  ['select abs(id) > 5 and id = 9 from T', '(ID = 9)\n    AND (ABS(ID) > 5)'],
  ['select id > 5 and id = 9 and f > 2 from T', '(F > 2.0)\n    AND ((ID > 5)\n    AND (ID = 9))'],
  ['select id between abs(id) and 5 from T', '(ID <= 5)\n    AND (ABS(ID) <= ID)'],
  ['select q + 1 from (values (1)) t(q)', 'C1 + 1'],
  ['select t.z * 2 from system_range(1, 2) t(z)', 'T.X * 2'],
  ['select q from (values (1)) t(q)', 'Q'],
  ['select cast(v as clob(9)) from T', 'CAST(V AS CLOB)'],
  ['select cast(u as blob) from T', 'CAST(U AS BLOB)'],
  ['select cast(u as binary(16)) from T', 'CAST(U AS VARBINARY(16))'],
  ["select v ilike '%' from T", 'CAST(V AS VARCHAR_IGNORECASE) IS NOT NULL'],
])('%s names its column by the order of evaluation', (text, name) => {
  expect(sql.run(text).columns.map((column) => column.fieldName)).toEqual([name]);
});

test.each([
  ['select id from T, T', 'Ambiguous column name "ID"'],
  ['select * from T a, T a', 'Ambiguous column name "ID"'],
  ['select (1, 2)[0][1]', 'Syntax error in SQL statement "SELECT (1, 2)[0][[*]1] "'],
  ['select dateadd(year, 1, dt) + dt from T', 'Feature not supported: "DATE + TIMESTAMP"'],
  ['select dt + dateadd(year, 1, dt) from T', 'Feature not supported: "DATE + TIMESTAMP"'],
  [
    "select dateadd(year, 1, dt) + timestamp '2020-01-01 00:00:00' from T",
    'Feature not supported: "TIMESTAMP + TIMESTAMP"',
  ],
  ['select dateadd(year, 1, dt) * dt from T', 'Feature not supported: "TIMESTAMP * DATE"'],
  ["select dateadd(timezone_hour, 1, date '2020-01-01')", 'Feature not supported: "DATEADD TIMEZONE_HOUR"'],
  [`select dateadd(timezone_hour, 20, ${ZONED})`, 'Invalid value "1200" for parameter "DATEADD count"'],
  ["select date '2020-01-01' + null", 'Feature not supported: "NULL + DATE"'],
  ["select date '2020-01-01' - null", 'Feature not supported: "DATE - NULL"'],
  [`select ts + ${ZONED} from (select now() ts) q`, 'Feature not supported: "TIMESTAMP + TIMESTAMP WITH TIME ZONE"'],
])('%s is rejected', (text, error) => {
  expect(sql.answer(text)).toStartWith(error);
});

test.each([
  "select cast(coalesce('ze', cast(null as varchar)) as uuid) from T",
  "select 1 in (coalesce(cast(null as varchar), 'ze'), 2) from T",
  "select concat(cast(null as varchar), 'ze') + 1 from T",
  "select cast('ze' as uuid) from T where id = 9",
  "select mod(5, 'ze') from T where id = 9",
  "select id = 'ze' from T where id = 9",
  "select id + 1 in ('ze', 7) from T where id = 9",
  "select id + 'ze' from T",
  "select 1 in ('ze', 2) from T where id = 9",
  "select cast(v || 'ze' as int) > i from (select '' v, i from T where id = 3) q",
  "select i + cast(v || 'ze' as int) from (select '' v, i from T where id = 3) q",
])('%s fails', (text) => {
  expect(sql.answer(text)).toStartWith('Data conversion error converting "ze"');
});

test.each([
  ['select array_contains(?, 2), array_length(?1), array_get(?1, 1)', '[1,2]', '[[true,2,"1"]]'],
  ['select array_length(?)', '[[1],null]', '[[2]]'],
  ['select array_length(?)', 'abc', 'Data conversion error converting "abc"'],
  ['select array_length(?)', '{"a":1}', 'Data conversion error converting "{""a"":1}"'],
])('%s reads the argument %s as an array', (text, argument, expected) => {
  expect(sql.answer(text, [argument])).toStartWith(expected);
});

test('a string cannot be cast to an object', () => {
  expect(sql.answer("select cast('aced' as other)")).toStartWith('Data conversion error converting "aced"');
});

test.each([
  ['select u + 1 from T', 'Feature not supported: "UUID +"'],
  ['select -v from T', 'Feature not supported: "VARCHAR NEG"'],
  ["select -'5'", 'Feature not supported: "VARCHAR NEG"'],
  ["select x'00' * 1", 'Feature not supported: "VARBINARY *"'],
  ['select -dt from T', 'Feature not supported: "DATE NEG"'],
  ['select max((1, id)) / 4 from T', 'Feature not supported: "ARRAY /"'],
  ["select -time '01:02:03'", 'Cannot parse "TIME" constant "-01:02:03"'],
])('%s fails for a value that is not NULL', (text, expected) => {
  expect(sql.answer(text)).toStartWith(expected);
});
