/** Statements of compatibility mode `reference`, where Ignite loses rows or digits (known difference 57). */
import { describe, expect, test } from 'bun:test';
import { SqlStore } from '../../../../test/fixtures/embedded/sql-store.ts';

function store(asIgnite: boolean): SqlStore {
  const sql = new SqlStore();
  sql.asIgnite = asIgnite;
  for (const name of ['A', 'B', 'C']) sql.run(`create table ${name}(id int primary key, n${name} int, s varchar)`);
  for (const name of ['A', 'B', 'C']) sql.run(`insert into ${name} values (1, 10, '2000-01-01 11:11:11.1234567')`);
  return sql;
}

const LINES: ReadonlyArray<readonly [statement: string, rows: string, asIgnite: string]> = [
  // Values of two tables are objects of different types.
  ['select na, nb from A natural join B', '[[10,10]]', '[]'],
  ['select na from A natural join (select 1 id) x', '[[10]]', '[[10]]'],
  ['select a.id from A join B on true natural join C', '[[1]]', '[]'],
  ['select na from A left join (select 1 z) y on true natural join (select 2 z) x', '[]', '[]'],
  ['select a.id from A left join (select 2 q) y on true natural join (select 2 id) x', '[]', '[[1]]'],
  ['select cast(s as timestamp(0)) from A', '[["2000-01-01 11:11:11.0"]]', '[["2000-01-01 11:11:11.123457"]]'],
  ["select cast('11:11:11.6' as time(0)) from A", '[["11:11:12"]]', '[["11:11:12"]]'],
  [
    "select * from (select cast('2000-01-01 11:11:11.123' as timestamp(0)))",
    '[["2000-01-01 11:11:11.0"]]',
    '[["2000-01-01 11:11:11.123"]]',
  ],
  // Ignite declares DATE - 1 as a timestamp, to which it converts the left side.
  ["select id from A where '2010-01-01' in (select d - 1 from (select date '2010-01-02' d) q)", '[[1]]', '[]'],
  ["select id from A where date '2010-01-01' = any (select d - 1 from (select date '2010-01-02' d) q)", '[[1]]', '[]'],
  ["select id from A where date '2010-01-01' not in (select d - 1 from (select date '2010-01-02' d) q)", '[]', '[[1]]'],
  ["select id from A where date '2010-01-01' = (select d - 1 from (select date '2010-01-02' d) q)", '[[1]]', '[[1]]'],
  ["select id from A where '2010-01-01' in (select d from (select date '2010-01-01' d) q)", '[[1]]', '[[1]]'],
  ['select * from system_range(1, 8, 2) where x = 2', '[]', '[[2]]'],
  ['select * from system_range(1, 8, 2) where x in (2, 4)', '[]', '[[2],[4]]'],
  ['select * from system_range(1, 8, 2) where x between 2 and 6', '[[3],[5]]', '[[2],[4],[6]]'],
  ['select * from system_range(1, 8, 2) where 2 < x', '[[3],[5],[7]]', '[[4],[6],[8]]'],
  ['select * from system_range(1, 20, 5) where x > 2.5', '[[6],[11],[16]]', '[[3],[8],[13],[18]]'],
  ['select * from system_range(1, 8, 2) where x < 6', '[[1],[3],[5]]', '[[1],[3],[5]]'],
  ['select * from system_range(8, 1, -2) where x < 5', '[[4],[2]]', '[[4],[2]]'],
  ['select count(*) from system_range(1, 10, 3)', '[[4]]', '[[4]]'],
  ['select count(*), 5, count(*) from system_range(10, 1, -3)', '[[4,5,4]]', '[[4,5,4]]'],
  ['select count(*) from system_range(10, 1)', '[[0]]', '[[0]]'],
  ['select count(*) from system_range(1, 10) where x > 3', '[[7]]', '[[7]]'],
  ['select count(*) from system_range(1, 10) having count(*) > 10', '[]', '[]'],
  ['select count(*) + 1, max(x) from system_range(1, 10, 2)', '[[6,9]]', '[[6,9]]'],
  // Ignite's conversion goes through 64 bits of milliseconds.
  [
    "select cast(cast(timestamp with time zone '300000000-01-01 00:00:00.123456789+02:00' as timestamp) as varchar)",
    '[["299999999-12-31 22:00:00.123457"]]',
    '[["-284548207-10-01 07:34:08.507457"]]',
  ],
  [
    "select cast(cast(timestamp with time zone '300000000-01-01 00:00:00.1+02:00' as date) as varchar)",
    '[["299999999-12-31"]]',
    '[["-284548207-10-01"]]',
  ],
  [
    "select cast(timestamp with time zone '2000-01-01 00:00:00.5+02:00' as timestamp)",
    '[["1999-12-31 22:00:00.5"]]',
    '[["1999-12-31 22:00:00.5"]]',
  ],
];

const ROWS = 'insert into A(id, na) values (2, 20), (1, 11), (3, 30), (3, 31), (4, 40)';
const QUERY = 'insert into A(id, na) select id + x - 1, 5 from A, system_range(1, 3)';
const EXISTS = 'Failed to INSERT some keys because they are already in cache';

describe.each([false, true])('as Ignite: %p', (asIgnite) => {
  test('an INSERT with keys that are in the table stores none of its rows; in Ignite, those with new keys', () => {
    const sql = store(asIgnite);
    expect(sql.answer(ROWS)).toStartWith(`${EXISTS} [keys=[${asIgnite ? '1, 3' : '1'}]]`);
    expect(sql.answer('select id, na from A order by id')).toBe(
      asIgnite ? '[[1,10],[2,20],[3,30],[4,40]]' : '[[1,10]]',
    );
    expect(sql.answer('insert into A(id) values (9)')).toBe('[[1]]');
    expect(sql.answer('delete from A where id > 1')).toBe(asIgnite ? '[[4]]' : '[[1]]');
    expect(sql.answer(QUERY)).toStartWith(`${EXISTS} [keys=[1]]`);
    expect(sql.answer('select id, na from A order by id')).toBe(asIgnite ? '[[1,10],[2,5],[3,5]]' : '[[1,10]]');
  });

  test.each([
    ['tinyint', '-128'],
    ['smallint', '-32768'],
    ['int', '-2147483648'],
    ['bigint', '-9223372036854775808'],
  ])('the smallest %s divided by -1 is out of range; in Ignite, itself', (type, smallest) => {
    const sql = store(asIgnite);
    const quotients = [
      `select cast(${smallest} as ${type}) / cast(-1 as ${type})`,
      `select cast(x as ${type}) / cast(-1 as ${type}) from (select ${smallest} x)`,
      `select cast(${smallest} as ${type}) / cast(-id as ${type}) from A`,
    ];
    for (const quotient of quotients) {
      if (asIgnite) expect(sql.answer(quotient)).toBe(`[[${smallest}]]`);
      else expect(sql.answer(quotient)).toStartWith('Numeric value out of range');
    }
    expect(sql.answer(`select cast(${smallest} as ${type}) * cast(-1 as ${type})`)).toStartWith('Numeric value out');
    expect(sql.answer('select cast(7 as bigint) / -1, 7 / cast(-2 as int), -7 / id from A')).toBe('[[-7,-3,-7]]');
  });

  test.each([
    ['insert into A(id, na) values (5, default)', 'Explicit DEFAULT values are unsupported for INSERT.'],
    ['merge into A(id, na) values (5, default)', 'Explicit DEFAULT values are unsupported for MERGE.'],
    ['update A set na = default', 'DEFAULT values are unsupported for UPDATE.'],
  ])('DEFAULT is a value; not so in Ignite: %s', (statement, error) => {
    const answer = store(asIgnite).answer(statement);
    if (asIgnite) expect(answer).toStartWith(error);
    else expect(answer).toBe('[[1]]');
  });

  test.each(LINES)('%s', (statement, rows, ignite) => {
    expect(store(asIgnite).answer(statement)).toBe(asIgnite ? ignite : rows);
  });

  test('MERGE needs a list of columns in Ignite', () => {
    const sql = store(asIgnite);
    const merge = () => sql.run("merge into A values (1, 11, 'x')");
    if (asIgnite) expect(merge).toThrow('Column count does not match');
    else merge();
    sql.run("merge into A(id, na, s) values (2, 12, 'y')");
    expect(sql.answer('select na from A order by id')).toBe(asIgnite ? '[[10],[12]]' : '[[11],[12]]');
  });
});

test('the rows of a huge range are not read to count them, as in Ignite', () => {
  expect(store(true).answer('select count(*) from system_range(-9000000000000000000, 9000000000000000000, 3)')).toBe(
    '[[6000000000000000001]]',
  );
});
