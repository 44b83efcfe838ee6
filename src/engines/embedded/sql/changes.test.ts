/** Tests which rows INSERT, MERGE, UPDATE and DELETE change, and which values they reject. */
import { describe, expect, test } from 'bun:test';
import { SqlStore } from '../../../../test/fixtures/embedded/sql-store.ts';

function store(): SqlStore {
  const sql = new SqlStore();
  sql.run(
    "create table T(id int primary key, name varchar(5) default 'x', n int not null default 7, c decimal(6, 2), u uuid)",
  );
  sql.run('create table K(a int, b varchar, v int, primary key(a, b)) with "key_type=KT,value_type=VT"');
  sql.run('create table W(id varchar primary key, v decimal) with "wrap_value=false"');
  sql.define(
    {
      keyType: 'integer',
      valueType: 'Hidden',
      fields: [
        { name: 'id', type: { kind: 'scalar', type: 'integer' } },
        { name: 'name', type: { kind: 'scalar', type: 'string' } },
      ],
    },
    'PUBLIC',
    'hidden',
  );
  sql.run("insert into T(id, name, n, c) values (1, 'a', 10, 1.5), (2, 'b', 20, 2.25), (3, null, 30, null)");
  return sql;
}

/** Statements in order: text, rows or error, arguments. */
type Script = ReadonlyArray<readonly [string, string, ...string[]]>;

const SCRIPTS: Readonly<Record<string, Script>> = {
  'INSERT sets omitted columns to their defaults': [
    ['insert into T(id) values (9)', '[[1]]'],
    ['insert into T(id, name, n) values (10, default, default)', '[[1]]'],
    ['select id, name, n, c from T where id > 8 order by id', '[[9,"x",7,null],[10,"x",7,null]]'],
  ],
  'INSERT converts to the types of the columns': [
    ["insert into T(id, n, c, u) values ('11', '5', '3.1', '0-0-0-0-0000000000000000000000000000000a')", '[[1]]'],
    ['insert into T(id, n, c) values (?, ?, ?)', '[[1]]', '12', '6', '4.10'],
    [
      'select id, n, c, u from T where id > 10 order by id',
      '[[11,5,3.1,"00000000-0000-0000-0000-00000000000a"],[12,6,4.10,null]]',
    ],
    ['insert into T(id, n) values (13, ?)', 'Data conversion error converting "x"', 'x'],
  ],
  'INSERT of a query': [
    ['insert into T(id, name, n) select id + 100, name, n from T where n > 10', '[[2]]'],
    ['select id, name, n from T where id > 100 order by id', '[[102,"b",20],[103,null,30]]'],
    [
      'insert into T(id, c) select 200, 1.999',
      "Value for a column 'C' is out of range. Maximum scale : 2, actual scale: 3",
    ],
    ['insert into T(id) select 1', 'Failed to INSERT some keys because they are already in cache [keys=[1]]'],
  ],
  'WITH in front of a change is visible in all of it': [
    ["with q as (select 91 i) insert into T(id, name) select i, 'q' from q", '[[1]]'],
    ['with q(i) as (select 92), r as (select i + 1 i from q) insert into T(id) values ((select i from r))', '[[1]]'],
    ["with q as (select ? i) merge into T(id, name) select i, 'm' from q", '[[1]]', '94'],
    ["with q as (select 91 i) update T set name = (select 'u' from q) where id in (select i from q)", '[[1]]'],
    ['with q as (select 94 i) delete from T where id = (select i from q)', '[[1]]'],
    ["with q as (select 93 i) merge into T using q on T.id = q.i when matched then update set name = 's'", '[[1]]'],
    [
      'with q as (select 95 i), r as (select 95 j) merge into T using q x join r on i = j on T.id = x.i ' +
        "when not matched then insert(id, name) values (x.i, 'j')",
      '[[1]]',
    ],
    ['select id, name from T where id > 90 order by id', '[[91,"u"],[93,"s"],[95,"j"]]'],
    // The target is always a table.
    ["with T as (select 96 id) insert into T(id, name) select id, 't' from T", '[[1]]'],
    [
      'with recursive r(i) as (select 96 union select i + 1 from r where i < 98) delete from T where id in (select i from r)',
      '[[1]]',
    ],
    ['with q as (select nope from K) delete from T where id = 1', 'Column "NOPE" not found'],
    [
      'with q as (select name from (select 1 i) x) delete from T where id in (select 1 from q)',
      'Column "NAME" not found',
    ],
    ['with q as (select 1 i) replace into T(id) select i from q', 'Syntax error in SQL statement'],
  ],
  'a failed INSERT stores no row': [
    [
      'insert into T(id) values (20), (1), (21)',
      'Failed to INSERT some keys because they are already in cache [keys=[1]]',
    ],
    [
      'insert into T(id, name) values (20, null), (21, ?)',
      "Value for a column 'NAME' is too long. Maximum length: 5, actual length: 6",
      'abcdef',
    ],
    ['select count(*) from T', '[[3]]'],
  ],
  'INSERT rejects values that violate a constraint of the column': [
    [
      "insert into T(id, name) values (4, 'abcdef')",
      "Value for a column 'NAME' is too long. Maximum length: 5, actual length: 6",
    ],
    [
      'insert into T(id, c) values (4, 123456.7)',
      "Value for a column 'C' is out of range. Maximum precision: 6, actual precision: 7",
    ],
    ['insert into T(id, n) values (4, null)', "Null value is not allowed for column 'N'"],
    ['insert into T(id) values (null)', "Null value is not allowed for column 'ID'"],
    ['insert into T(n) values (4)', 'Failed to prepare update plan. (the statement has no value for the key ID)'],
    ['insert into T values (4)', 'Column count does not match'],
    ['insert into T(id, nope) values (4, 5)', 'Column "NOPE" not found'],
    ['insert into T(id, id) values (4, 5)', 'Duplicate column name "ID"'],
    ['insert into NOPE values (4)', 'Table "NOPE" not found'],
  ],
  'composite keys': [
    ["insert into K values (1, 'x', 5), (1, 'y', 6)", '[[2]]'],
    [
      "insert into K values (1, 'x', 7)",
      'Failed to INSERT some keys because they are already in cache [keys=[KT [A=1, B=x]]] (key A, B of K)',
    ],
    ["merge into K(a, b, v) values (1, 'x', 8), (2, 'x', 9)", '[[2]]'],
    ["update K set v = v + 1 where a = 1 and b = 'x'", '[[1]]'],
    ['select * from K order by a, b', '[[1,"x",9],[1,"y",6],[2,"x",9]]'],
    ["delete from K where a = 1 and b = 'y'", '[[1]]'],
    ['update K set b = 3', "SQL UPDATE can't modify key or its fields directly"],
    ['select _key, _val from K order by a', '[[{"A":1,"B":"x"},{"V":9}],[{"A":2,"B":"x"},{"V":9}]]'],
  ],
  'a key that is no column is written as _KEY': [
    ["insert into Hidden(_key, id, name) values (1, 10, 'a'), (2, 20, 'b')", '[[2]]'],
    ['insert into Hidden(name, _key) values (?, ?)', '[[1]]', 'c', '3'],
    [
      'insert into Hidden(_key, id) values (1, 5)',
      'Failed to INSERT some keys because they are already in cache [keys=[1]]',
    ],
    ["merge into Hidden(_key, name) key(_key) values (2, 'd'), (4, 'e')", '[[2]]'],
    ['insert into Hidden(_key, id) select id + 100, n from T where id < 3', '[[2]]'],
    [
      'merge into Hidden h using (select 4 i union all select 5) s on h._key = s.i ' +
        "when matched then update set name = 'm' when not matched then insert (_key, id) values (s.i, 50)",
      '[[2]]',
    ],
    [
      'select _key, id, name from Hidden order by _key',
      '[[1,10,"a"],[2,null,"d"],[3,null,"c"],[4,null,"m"],[5,50,null],[101,10,null],[102,20,null]]',
    ],
    ['insert into Hidden(_key) values (null)', "Null value is not allowed for column '_KEY'"],
    ["insert into Hidden(_key) values ('x')", 'Data conversion error converting "x"'],
    ['insert into Hidden(_key, _key) values (1, 1)', 'Duplicate column name "_KEY"'],
    [
      'insert into Hidden(id) values (9)',
      'Failed to prepare update plan. (the statement has no value for the key _KEY)',
    ],
    ["insert into Hidden values (9, 'z')", 'Failed to prepare update plan.'],
    ["insert into Hidden(_key, _val) values (9, 'z')", 'Update of composite value column is not supported'],
    ['update Hidden set _key = 9', "SQL UPDATE can't modify key or its fields directly"],
    ['delete from Hidden where _key > 2', '[[5]]'],
    ['select _key, _val from Hidden order by 1', '[[1,{"id":10,"name":"a"}],[2,{"id":null,"name":"d"}]]'],
  ],
  'values that are not wrapped in an object': [
    ["insert into W values ('a', 1.50), ('b', 2)", '[[2]]'],
    ["update W set v = v * 2 where id = 'a'", '[[1]]'],
    ["update W set _val = 7 where id = 'b'", '[[1]]'],
    ['select _key, _val from W order by 1', '[["a",3.00],["b",7]]'],
    ["insert into W values ('c', null)", "Null value is not allowed for column 'V'"],
    ['update W set v = null', "Null value is not allowed for column 'V'"],
    ['insert into W(_key, _val) values (?, ?)', '[[1]]', 'd', '4'],
    ['select sum(v) from W', '[[14.00]]'],
  ],
  'MERGE replaces the whole row': [
    ['merge into T(id, n) values (1, 11), (30, 12)', '[[2]]'],
    ['select id, name, n, c from T where id in (1, 30) order by id', '[[1,"x",11,null],[30,"x",12,null]]'],
    ["merge into T(id, name, n) key(id) select id, 'm', n from T where id < 3", '[[2]]'],
    ['replace into T(id, n) values (1, 99)', '[[1]]'],
    ['select id, name, n from T where id < 3 order by id', '[[1,"x",99],[2,"m",20]]'],
  ],
  'MERGE USING': [
    [
      'merge into T using (select 1 i, 100 m union all select 2, 200 union all select 50, 500) s on T.id = s.i ' +
        'when matched then update set n = s.m delete where s.m = 200 when not matched then insert (id, n) values (s.i, s.m)',
      '[[4]]',
    ],
    ['select id, n from T order by id', '[[1,100],[3,30],[50,500]]'],
  ],
  'UPDATE reads the rows as they were before it': [
    ['update T set n = n + 1, c = c * 2 where id < 3', '[[2]]'],
    ['select n, c from T order by id', '[[11,3.0],[21,4.50],[30,null]]'],
    ['update T set n = (select max(n) from T b where b.id <> T.id)', '[[3]]'],
    ['select n from T order by id', '[[30],[30],[21]]'],
    ["update T set (n, name) = (select 1, 'q') where id = 2", '[[1]]'],
    ['update T t set t.n = default where t.id = 2', '[[1]]'],
    ['select n, name from T where id = 2', '[[7,"q"]]'],
    ['update T set n = 0 where id < 3 limit 1', '[[1]]'],
    ['update T set n = 0 where id = 77', '[[0]]'],
  ],
  'UPDATE rejects values that violate a constraint of the column': [
    ["update T set name = 'abcdef'", "Value for a column 'NAME' is too long. Maximum length: 5, actual length: 6"],
    ['update T set n = null', "Null value is not allowed for column 'N'"],
    ['update T set n = ? where id = 1', "Null value is not allowed for column 'N'"],
    ['update T set c = c / 7', "Value for a column 'C' is out of range."],
    ['update T set id = 5', "SQL UPDATE can't modify key or its fields directly"],
    ['update T set nope = 5', 'Column "NOPE" not found'],
    ['update T set n = 1, n = 2', 'Duplicate column name "N"'],
    ['update T set _val = 1', 'Update of composite value column is not supported'],
    ['select n, c from T order by id', '[[10,1.5],[20,2.25],[30,null]]'],
  ],
  DELETE: [
    ['delete from T where n > 10 limit 1', '[[1]]'],
    ['delete top 0 from T', '[[0]]'],
    ['delete from T t where exists (select 1 from T u where u.id <> t.id)', '[[2]]'],
    ['delete from T', '[[0]]'],
  ],
};

for (const [title, script] of Object.entries(SCRIPTS)) {
  test(title, () => {
    const sql = store();
    for (const [text, answer, ...args] of script) {
      const values = text.includes('n = ? where id = 1') ? [{ type: 'null' } as const] : args;
      expect(`${text}\n${sql.answer(text, values).slice(0, answer.length)}`).toBe(`${text}\n${answer}`);
    }
  });
}

const NUMBERED = [{ name: 'N', value: { type: 'integer', data: 1 } }] as const;

describe('DELETE without a condition', () => {
  const EXPIRED = 1n;
  const CASES: ReadonlyArray<
    readonly [name: string, statement: string, other: 'none' | bigint | null, emptied: number]
  > = [
    ['empties the table at once', 'delete from T', 'none', 1],
    ['also with entries of another type that have expired', 'delete from T', EXPIRED, 1],
    ['leaves live entries of another type', 'delete from T', null, 0],
    ['with a condition removes row by row', 'delete from T where 1 = 1', 'none', 0],
    ['with a limit removes row by row', 'delete from T limit 10', 'none', 0],
  ];
  test.each(CASES)('%s', (_name, statement, other, emptied) => {
    const sql = store();
    if (other !== 'none') {
      const { physical, kt } = sql.table('T');
      sql.database.run(`INSERT INTO ${physical} (kt, k, vt, exp) VALUES (?, 99, 12345, ?)`, [kt ?? null, other]);
    }
    expect(sql.answer(statement)).toBe('[[3]]');
    expect(sql.emptied).toBe(emptied);
    expect(sql.answer('select count(*) from T')).toBe('[[0]]');
    const left = sql.database.query(`SELECT k FROM ${sql.table('T').physical}`).values();
    expect(left).toEqual(other === null ? [[99n]] : []);
    expect(sql.answer('delete from T')).toBe('[[0]]');
  });
});

describe('rows that have expired', () => {
  test('are replaced by an INSERT', () => {
    const sql = store();
    const typeName = sql.table('T').valueType;
    sql.put('T', { type: 'integer', data: 5 }, { type: 'object', typeName, fields: NUMBERED }, { exp: 1n });
    expect(sql.answer('insert into T(id, n) values (5, 1)')).toBe('[[1]]');
    expect(sql.answer('select n from T where id = 5')).toBe('[[1]]');
  });

  test('are neither changed nor removed', () => {
    const sql = store();
    const typeName = sql.table('T').valueType;
    sql.put('T', { type: 'integer', data: 5 }, { type: 'object', typeName, fields: NUMBERED }, { exp: 1n });
    expect(sql.answer('update T set c = 1 where id = 5')).toBe('[[0]]');
    expect(sql.answer('delete from T where id = 5')).toBe('[[0]]');
  });
});

test('an UPDATE of a column does not change the other fields of the object', () => {
  const sql = store();
  const { valueType } = sql.table('T');
  const fields = [
    { name: 'extra', value: { type: 'list', data: [{ type: 'long', data: 5n }] } },
    { name: 'N', value: { type: 'integer', data: 1 } },
    { name: 'NAME', value: { type: 'string', data: 'p' } },
  ] as const;
  sql.put('T', { type: 'integer', data: 60 }, { type: 'object', typeName: valueType, fields });
  expect(sql.answer('update T set n = 2, c = 3.5 where id = 60')).toBe('[[1]]');
  expect(sql.answer('select _val from T where id = 60')).toBe('[[{"extra":[5],"N":2,"NAME":"p","C":3.5}]]');
});

describe('an INSERT of many rows', () => {
  const COUNT = 5_000;
  const insert = (value: string, first = 100): string =>
    `insert into T(id, n) values ${Array.from({ length: COUNT }, (_, at) => `(${first + at}, ${value})`).join(', ')}`;

  function stepsOf(sql: SqlStore, text: string): number {
    const prepared = sql.prepare(text);
    if (prepared.kind !== 'change') throw new Error('not a change');
    return prepared.steps.length;
  }

  test('has several steps, and stores all rows', () => {
    const sql = store();
    expect(stepsOf(sql, insert('5'))).toBeGreaterThan(1);
    expect(sql.answer(insert('5'))).toBe(`[[${COUNT}]]`);
    expect(sql.answer('select count(*), min(id), max(id), sum(n) from T where id >= 100')).toBe(
      `[[${COUNT},100,${99 + COUNT},${5 * COUNT}]]`,
    );
  });

  test('stores none when the key of the last one exists', () => {
    const sql = store();
    sql.run(`insert into T(id) values (${99 + COUNT})`);
    expect(sql.answer(insert('5'))).toContain(`[keys=[${99 + COUNT}]]`);
    expect(sql.answer('select count(*) from T')).toBe('[[4]]');
  });

  test('names the keys of all steps as Ignite does, and stores the others', () => {
    const sql = store();
    sql.asIgnite = true;
    sql.run(`insert into T(id) values (100), (${99 + COUNT})`);
    expect(sql.answer(insert('5'))).toContain(`[keys=[100, ${99 + COUNT}]]`);
    expect(sql.answer('select count(*) from T where id >= 100')).toBe(`[[${COUNT}]]`);
  });

  test('with subqueries has one step, so that no row sees another', () => {
    const sql = store();
    const text = insert('(select count(*) from T)');
    expect(stepsOf(sql, text)).toBe(1);
    expect(sql.answer(text)).toBe(`[[${COUNT}]]`);
    expect(sql.answer('select distinct n from T where id >= 100')).toBe('[[3]]');
  });

  test('is rejected for a wrong value in any of them', () => {
    const sql = store();
    expect(sql.answer(`${insert('5')}, (9, 'x')`)).toContain('Data conversion error');
    expect(sql.answer('select count(*) from T')).toBe('[[3]]');
  });
});
