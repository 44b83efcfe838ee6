/** Tables and columns declared over existing objects. Answers as recorded from a node of Apache Ignite. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { ManualClock } from '../../../../test/fixtures/base/manual-clock.ts';
import { openSqlGrid, type SqlGrid } from '../../../../test/fixtures/embedded/sql-grid.ts';
import { entriesOf } from '../../../../test/grid/entry-methods.ts';
import { readCustom } from '../../../values/custom.ts';
import { formatText } from '../../../values/json.ts';
import { text, type Value } from '../../../values/value.ts';
import { systemViews } from '../system-views/system-views.ts';

let sql: SqlGrid;
beforeAll(async () => {
  sql = await openSqlGrid({ regions: [{ name: 'default' }, { name: 'memory', persistent: false }] });
});
afterAll(() => sql.close());

const TYPE = 'Person';
let caches = 0;

/** Puts objects, as a request does. */
async function put(cache: string, objects: Readonly<Record<string, string>>, key: (name: string) => Value = text) {
  const types = { find: (name: string) => sql.grid.types.find(name, cache) };
  for (const [name, json] of Object.entries(objects)) {
    await entriesOf(sql.grid).put(cache, key(name), readCustom(TYPE, json, types));
  }
}

/** Returns the JSON of an object. */
async function get(cache: string, key: string | Value): Promise<string> {
  const value = await entriesOf(sql.grid).get(cache, typeof key === 'string' ? text(key) : key);
  return value === undefined ? 'absent' : formatText(value);
}

async function rows(statement: string): Promise<unknown> {
  return JSON.parse((await sql.run(statement)).json);
}

interface Case {
  readonly title: string;
  /** The columns behind the key, and constraints. */
  readonly columns: string;
  readonly objects: Readonly<Record<string, string>>;
  /** The rows, or the error. */
  readonly rows: readonly unknown[] | string;
  /** The result of get, if it differs from the JSON that was put. */
  readonly changed?: Readonly<Record<string, string>>;
}

const ANN = '{"name":"Ann","born":1990}';
const DECLARED: readonly Case[] = [
  { title: 'all fields', columns: 'name VARCHAR, born INT', objects: { a: ANN }, rows: [['a', 'Ann', 1990]] },
  {
    title: 'fields in another order, further and absent ones',
    columns: 'name VARCHAR, born INT',
    objects: { a: '{"born":1990,"toy":"ball","name":"Ann"}', b: '{"toy":1}', c: '{"name":null}', d: '{}' },
    rows: [
      ['a', 'Ann', 1990],
      ['b', null, null],
      ['c', null, null],
      ['d', null, null],
    ],
  },
  {
    title: 'values of other types, by the rules of a put',
    columns: 'name VARCHAR, born INT, at DATE, d DECIMAL(9,2)',
    objects: { a: '{"name":5,"born":"12","at":"2020-01-02","d":1.5}' },
    rows: [['a', '5', 12, '2020-01-02', 1.5]],
    changed: { a: '{"name":"5","born":12,"at":"2020-01-02","d":1.5}' },
  },
  {
    title: 'a column of the exact name beside one in another case',
    columns: '"name" VARCHAR, name INT',
    objects: { a: '{"name":"x"}' },
    rows: [['a', 'x', null]],
  },
  {
    title: 'no column that alone differs in case',
    columns: '"nAme" VARCHAR, name INT',
    objects: { a: '{"name":"x"}' },
    rows: [['a', null, null]],
  },
  {
    title: 'two names of a field',
    columns: 'name VARCHAR',
    objects: { a: ANN, b: '{"NAME":"Bob"}' },
    rows: 'in the cache CACHE write the field of one column in several ways: NAME, name',
  },
  {
    title: 'values that do not fit',
    columns: 'born INT',
    objects: { a: ANN, b: '{"born":"x"}', c: '{"born":[1]}' },
    rows: '2 entries of the cache CACHE do not fit the table: b (field born: not a whole number), c (',
  },
  {
    title: 'more values than are shown',
    columns: 'born INT',
    objects: Object.fromEntries([...'abcdefghijkl'].map((key) => [key, '{"born":"x"}'])),
    rows: 'j (field born: not a whole number), ...',
  },
  {
    title: 'a text that is too long',
    columns: 'name VARCHAR(2)',
    objects: { a: ANN, b: '{"name":"Bo"}' },
    rows:
      'An entry of the cache CACHE does not fit the table: ' +
      "a (Value for a column 'NAME' is too long. Maximum length: 2, actual length: 3)",
  },
  {
    title: 'a missing value of NOT NULL',
    columns: 'name VARCHAR, born INT NOT NULL',
    objects: { a: ANN, b: '{"name":"Bob"}' },
    rows: "An entry of the cache CACHE does not fit the table: b (Null value is not allowed for column 'BORN')",
  },
];

for (const region of ['default', 'memory']) {
  test.each(DECLARED)(`CREATE TABLE over objects in the region ${region}: $title`, async (each) => {
    const cache = `c${++caches}`;
    await sql.grid.caches.getOrCreate(cache, { region });
    await put(cache, each.objects);
    await entriesOf(sql.grid).put(cache, { type: 'long', data: 1n }, text('of another type'));
    const created = sql.run(
      `CREATE TABLE T${caches} (id VARCHAR PRIMARY KEY, ${each.columns}) WITH "CACHE_NAME=${cache},VALUE_TYPE=${TYPE}"`,
    );
    if (typeof each.rows === 'string') await expect(created).rejects.toThrow(each.rows.replace('CACHE', cache));
    else {
      await created;
      expect(await rows(`SELECT * FROM T${caches} ORDER BY id`)).toEqual([...each.rows]);
    }
    for (const [key, json] of Object.entries({ ...each.objects, ...each.changed })) {
      expect(await get(cache, key)).toBe(json);
    }
    expect(await get(cache, { type: 'long', data: 1n })).toBe('of another type');
  });
}

test('later puts, INSERT and UPDATE use the names of the objects', async () => {
  await sql.grid.caches.getOrCreate('later', {});
  await put('later', { a: ANN });
  await sql.run(
    'CREATE TABLE Later (id VARCHAR PRIMARY KEY, name VARCHAR, born INT) WITH "CACHE_NAME=later,VALUE_TYPE=Person"',
  );
  await put('later', { b: '{"NAME":"Bob","born":1991}', c: '{"name":"Cy"}' });
  await sql.run("INSERT INTO Later VALUES ('d', 'Di', 1992)");
  await sql.run("UPDATE Later SET name = 'Ann 2' WHERE id = 'a'");
  await sql.run('CREATE INDEX later_name ON Later (name)');
  expect(await rows("SELECT id FROM Later WHERE name = 'Bob'")).toEqual([['b']]);
  expect(await Promise.all(['a', 'b', 'c', 'd'].map((key) => get('later', key)))).toEqual([
    '{"name":"Ann 2","born":1990}',
    '{"name":"Bob","born":1991}',
    '{"name":"Cy"}',
    '{"name":"Di","born":1992}',
  ]);
});

const AT = 36_000_123;
const WHOLE: ReadonlyArray<readonly [column: string, value: Value, shown: string]> = [
  ['VARCHAR', { type: 'time', data: AT }, '"10:00:00.123"'],
  ['VARCHAR', { type: 'instant', data: Date.UTC(10_000, 0) + AT }, '"+010000-01-01T10:00:00.123Z"'],
  ['VARCHAR', { type: 'date', data: Date.UTC(12_345, 0, 2) / 86_400_000 }, '"12345-01-02"'],
  ['TIMESTAMP', { type: 'instant', data: AT }, '"1970-01-01 10:00:00.123"'],
  ['VARCHAR', { type: 'array', element: 'char', data: [{ type: 'char', data: 'x' }] }, '"x"'],
];

test.each(WHOLE)('CREATE TABLE writes the whole of a value to a column %s: %j', async (column, value, shown) => {
  const cache = `w${++caches}`;
  await sql.grid.caches.getOrCreate(cache, {});
  await entriesOf(sql.grid).put(cache, text('a'), { type: 'object', typeName: TYPE, fields: [{ name: 'f', value }] });
  await sql.run(
    `CREATE TABLE W${caches} (id VARCHAR PRIMARY KEY, f ${column}) WITH "CACHE_NAME=${cache},VALUE_TYPE=${TYPE}"`,
  );
  expect((await sql.run(`SELECT f FROM W${caches}`)).json).toBe(`[[${shown}]]`);
});

test.each(['default', 'memory'])('ADD COLUMN finds the fields that objects have in the region %s', async (region) => {
  const cache = `pets${++caches}`;
  const table = `Pets${caches}`;
  await sql.run(
    `CREATE TABLE ${table} (id VARCHAR PRIMARY KEY, nm VARCHAR) WITH "CACHE_NAME=${cache},VALUE_TYPE=Person,DATA_REGION=${region},CHANGE_FEED=true"`,
  );
  await put(cache, { a: '{"NM":"x","toy":"ball"}', b: '{"NM":"y"}', c: '{"toy":"kite","NM":"z","n":1}', d: '{"n":2}' });
  await sql.run(`INSERT INTO ${table} VALUES ('e', 'v')`);
  await sql.run(`ALTER TABLE ${table} ADD COLUMN (toy VARCHAR, hat VARCHAR)`);
  await sql.run(`CREATE INDEX ${table}_toy ON ${table} (toy)`);
  expect(await rows(`SELECT id, toy, hat FROM ${table} ORDER BY id`)).toEqual([
    ['a', 'ball', null],
    ['b', null, null],
    ['c', 'kite', null],
    ['d', null, null],
    ['e', null, null],
  ]);
  expect(await rows(`SELECT id FROM ${table} WHERE toy = 'kite'`)).toEqual([['c']]);
  const all = async () => (await Promise.all(['a', 'b', 'c', 'd', 'e'].map((key) => get(cache, key)))).join(' ');
  expect(await all()).toBe('{"NM":"x","toy":"ball"} {"NM":"y"} {"NM":"z","toy":"kite","n":1} {"n":2} {"NM":"v"}');
  await sql.run(`UPDATE ${table} SET hat = 'red' WHERE id <> 'b'`);
  await put(cache, { b: '{"nm":"y","TOY":"top","hat":null}' });
  expect(await all()).toBe(
    '{"NM":"x","toy":"ball","HAT":"red"} {"NM":"y","toy":"top","HAT":null} {"NM":"z","toy":"kite","HAT":"red","n":1} ' +
      '{"n":2,"HAT":"red"} {"NM":"v","HAT":"red"}',
  );
});

test('CREATE TABLE over values that are not wrapped in an object rejects what is too long', async () => {
  await sql.grid.caches.getOrCreate('whole', {});
  await entriesOf(sql.grid).put('whole', text('a'), text('abcd'));
  await expect(
    sql.run('CREATE TABLE Whole (id VARCHAR PRIMARY KEY, nm VARCHAR(3)) WITH "CACHE_NAME=whole,WRAP_VALUE=false"'),
  ).rejects.toThrow("a (Value for a column 'NM' is too long. Maximum length: 3, actual length: 4)");
});

test.each(['default', 'memory'])('what has expired is absent for declarations in the region %s', async (region) => {
  const clock = new ManualClock();
  const regions = [{ name: 'default' }, { name: 'memory', persistent: false }];
  const own = await openSqlGrid({ regions }, systemViews, clock);
  try {
    const entries = entriesOf(own.grid);
    const one: Value = { type: 'decimal', data: { unscaled: 10n, scale: 1 } };
    // It has the key of another entry, does not fit, and writes fields in another way.
    const expired: ReadonlyArray<readonly [key: bigint, json: string]> = [
      [1n, '{"born":1}'],
      [2n, '{"born":"x"}'],
      [3n, '{"BORN":3}'],
      [4n, '{"toy":4}'],
    ];
    const types = { find: () => undefined };
    await own.grid.caches.getOrCreate('c', { region });
    for (const [unscaled, json] of expired) {
      const key: Value = { type: 'decimal', data: { unscaled, scale: 0 } };
      await entries.put('c', key, readCustom(TYPE, json, types), 1n);
    }
    await entries.put('c', one, readCustom(TYPE, '{"born":1990,"TOY":"ball"}', types));
    clock.advance(5);
    await own.run('CREATE TABLE T (k DECIMAL PRIMARY KEY, born INT NOT NULL) WITH "CACHE_NAME=c,VALUE_TYPE=Person"');
    await own.run('ALTER TABLE T ADD COLUMN toy VARCHAR(4)');
    expect((await own.run('SELECT * FROM T')).json).toBe('[[1,1990,"ball"]]');
    expect(formatText((await entries.get('c', one)) ?? text('absent'))).toBe('{"born":1990,"TOY":"ball"}');
    expect(entries.size('c')).toBe(1);
  } finally {
    await own.close();
  }
});

test('ADD COLUMN rejects what does not fit, and changes nothing', async () => {
  await sql.run('CREATE TABLE Unfit (id VARCHAR PRIMARY KEY, nm VARCHAR) WITH "CACHE_NAME=unfit,VALUE_TYPE=Person"');
  await put('unfit', { a: '{"NM":"x","toy":"ball"}' });
  await expect(sql.run('ALTER TABLE Unfit ADD COLUMN toy INT')).rejects.toThrow(
    'An entry of the cache unfit does not fit the table: a (field toy: not a whole number)',
  );
  expect(await get('unfit', 'a')).toBe('{"NM":"x","toy":"ball"}');
  expect(await rows('SELECT * FROM Unfit')).toEqual([['a', 'x']]);
  await sql.run('ALTER TABLE Unfit ADD COLUMN toy VARCHAR');
  expect(await rows('SELECT * FROM Unfit')).toEqual([['a', 'x', 'ball']]);
});

test.each(['', 'CHANGE_FEED=true,', 'DATA_REGION=memory,'])(
  'objects keep the fields of dropped columns: %s',
  async (options) => {
    const [cache, table] = [`dropped${++caches}`, `Dropped${caches}`];
    await sql.run(
      `CREATE TABLE ${table} (id VARCHAR PRIMARY KEY, a VARCHAR, b INT, c VARCHAR) WITH "${options}CACHE_NAME=${cache},VALUE_TYPE=Person"`,
    );
    await sql.run(`INSERT INTO ${table} VALUES ('a', 'x', 5, 'z'), ('b', 'x', NULL, 'z')`);
    await put(cache, { c: '{"B":7,"A":"y"}', d: '{"C":"w","toy":"ball"}' });
    const all = async () => (await Promise.all([...'abcdef'].map((key) => get(cache, key)))).join(' ');
    await sql.run(`ALTER TABLE ${table} DROP COLUMN b`);
    const kept = '{"A":"x","C":"z","B":5} {"A":"x","C":"z","B":null} {"A":"y","B":7} {"C":"w","toy":"ball"}';
    expect(await all()).toBe(`${kept} absent absent`);
    expect(await rows(`SELECT * FROM ${table} WHERE id < 'c' ORDER BY id`)).toEqual([
      ['a', 'x', 'z'],
      ['b', 'x', 'z'],
    ]);
    await expect(sql.run(`SELECT b FROM ${table}`)).rejects.toThrow('not found');
    await sql.run(`INSERT INTO ${table} VALUES ('e', 'n', 'm')`);
    await sql.run(`MERGE INTO ${table} (id, a, c) VALUES ('a', 'x', 'z2')`);
    await sql.run(`UPDATE ${table} SET a = 'u' WHERE id = 'c'`);
    await put(cache, { f: '{"A":"f","C":"g","b":"text"}' });
    const changed =
      '{"A":"x","C":"z2","B":null} {"A":"x","C":"z","B":null} {"A":"u","B":7} {"C":"w","toy":"ball"} ' +
      '{"A":"n","C":"m","B":null} {"A":"f","C":"g","b":"text"}';
    expect(await all()).toBe(changed);
    await expect(sql.run(`ALTER TABLE ${table} ADD COLUMN b INT`)).rejects.toThrow('write the field of one column');
    await put(cache, { f: '{"A":"f","C":"g","B":"text"}' });
    await expect(sql.run(`ALTER TABLE ${table} ADD COLUMN b INT`)).rejects.toThrow('f (field B: not a whole number)');
    expect(await all()).toBe(changed.replace('"b"', '"B"'));
    await sql.run(`ALTER TABLE ${table} ADD COLUMN b VARCHAR`);
    expect(await rows(`SELECT id, b FROM ${table} WHERE b IS NOT NULL ORDER BY id`)).toEqual([
      ['c', '7'],
      ['f', 'text'],
    ]);
    expect(await all()).toBe(changed.replace('"b"', '"B"').replace('7', '"7"'));
    await sql.run(`ALTER TABLE ${table} DROP COLUMN (b, c)`);
    await expect(sql.run(`ALTER TABLE ${table} ADD COLUMN b VARCHAR(2)`)).rejects.toThrow('f (Value for a column');
    await sql.run(`ALTER TABLE ${table} ADD COLUMN (c VARCHAR, b VARCHAR(4) NOT NULL)`);
    expect(await all()).toBe(changed.replace('"b"', '"B"').replace('7', '"7"'));
    expect(await rows(`SELECT * FROM ${table} WHERE id IN ('a', 'c', 'f') ORDER BY id`)).toEqual([
      ['a', 'x', 'z2', null],
      ['c', 'u', null, '7'],
      ['f', 'f', 'g', 'text'],
    ]);
  },
);

test('ADD COLUMN NOT NULL leaves NULL in the rows that exist, as Ignite does', async () => {
  await sql.run('CREATE TABLE Filled (id VARCHAR PRIMARY KEY, nm VARCHAR) WITH "CACHE_NAME=filled,VALUE_TYPE=Person"');
  await put('filled', { a: '{"NM":"x","toy":1}', b: '{"NM":"y"}', c: '{"NM":"z","AGE":4}' });
  await sql.run('ALTER TABLE Filled ADD COLUMN age INT NOT NULL');
  expect(await rows('SELECT id, age FROM Filled ORDER BY id')).toEqual([
    ['a', null],
    ['b', null],
    ['c', 4],
  ]);
  await expect(sql.run("INSERT INTO Filled (id, nm) VALUES ('d', 'x')")).rejects.toThrow('Null value is not allowed');
  await expect(put('filled', { d: '{"NM":"x"}' })).rejects.toThrow('Null value is not allowed');
});

const decimal = (unscaled: bigint, scale: number): Value => ({ type: 'decimal', data: { unscaled, scale } });
const composite = (...names: readonly [string, string]): Value => ({
  type: 'object',
  typeName: 'PersonKey',
  fields: names.map((name) => ({ name, value: { type: 'integer', data: name.toLowerCase() === 'a' ? 1 : 2 } })),
});

interface KeyCase {
  readonly title: string;
  readonly keys: readonly Value[];
  readonly declared: string;
  readonly options: string;
  readonly rows: readonly unknown[] | string;
}

const KEYS: readonly KeyCase[] = [
  {
    title: 'decimals',
    keys: [decimal(150n, 2), decimal(10n, 1)],
    declared: 'id DECIMAL PRIMARY KEY',
    options: '',
    rows: [[1], [1.5]],
  },
  {
    title: 'equal decimals',
    keys: [decimal(150n, 2), decimal(15n, 1)],
    declared: 'id DECIMAL PRIMARY KEY',
    options: '',
    rows: 'An entry of the cache CACHE does not fit the table: 1.50 (equals the key 1.5)',
  },
  {
    title: 'another type',
    keys: [text('a')],
    declared: 'id INT PRIMARY KEY',
    options: '',
    rows: 'does not fit the table: a (the key has type string, not integer)',
  },
  {
    title: 'objects',
    keys: [composite('b', 'a')],
    declared: 'a INT, b INT, PRIMARY KEY (a, b)',
    options: ',KEY_TYPE=PersonKey',
    rows: [[1, 2]],
  },
  {
    title: 'objects with other fields',
    keys: [composite('b', 'c')],
    declared: 'a INT, b INT, PRIMARY KEY (a, b)',
    options: ',KEY_TYPE=PersonKey',
    rows: 'An entry of the cache CACHE does not fit the table: {"b":2,"c":2} (',
  },
];

test.each(KEYS)('CREATE TABLE over keys: $title', async (each) => {
  const cache = `k${++caches}`;
  await sql.grid.caches.getOrCreate(cache, {});
  for (const key of each.keys) await put(cache, { any: ANN }, () => key);
  const created = sql.run(
    `CREATE TABLE K${caches} (${each.declared}, name VARCHAR) WITH "CACHE_NAME=${cache},VALUE_TYPE=Person${each.options}"`,
  );
  if (typeof each.rows === 'string') await expect(created).rejects.toThrow(each.rows.replace('CACHE', cache));
  else {
    await created;
    const found = (await rows(`SELECT * FROM K${caches} ORDER BY 1`)) as unknown[][];
    expect(found.map((row) => row.slice(0, -1))).toEqual([...each.rows] as unknown[][]);
    expect(found.map((row) => row.at(-1))).toEqual(each.keys.map(() => 'Ann'));
  }
  for (const key of each.keys) expect(await get(cache, key)).toBe(ANN);
});
