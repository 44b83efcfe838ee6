/** INSERT, MERGE, UPDATE and DELETE of the entries of a cache. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { openSqlGrid, type SqlGrid } from '../../../../test/fixtures/embedded/sql-grid.ts';
import { entriesOf } from '../../../../test/grid/entry-methods.ts';
import { readCustom } from '../../../values/custom.ts';
import { writeJson } from '../../../values/json.ts';
import { text, type Value } from '../../../values/value.ts';

let sql: SqlGrid;
const TTL_MS = 3_600_000;

beforeAll(async () => {
  sql = await openSqlGrid({ regions: [{ name: 'default' }, { name: 'memory', persistent: false }] });
  await sql.grid.caches.getOrCreate('people', { changeFeed: true });
  await sql.grid.caches.getOrCreate('short', { region: 'memory', ttlMs: TTL_MS });
  await sql.run('CREATE TABLE Pet(id INT PRIMARY KEY, name VARCHAR(5), age INT) WITH "CACHE_NAME=pets,VALUE_TYPE=Pet"');
  await sql.run('CREATE TABLE Owner(id VARCHAR PRIMARY KEY, pet VARCHAR)');
  await sql.run("INSERT INTO Owner VALUES ('ann', 'Rex'), ('eve', 'Tom'), ('fay', NULL)");
});
afterAll(() => sql.close());

const P = '"people".ENTRIES';
const entries = () => entriesOf(sql.grid);

function person(json: string): Value {
  return readCustom('Person', json, { find: (name) => sql.grid.types.find(name, 'people') });
}

beforeEach(async () => {
  for (const cache of ['people', 'short', 'pets']) await entries().clear(cache);
  await entries().put('people', text('ann'), person('{"name":"Ann","born":1990}'));
  await entries().put('people', text('bob'), person('{"name":"Bob","born":1980,"id":9007199254740993}'));
  await entries().put('people', { type: 'integer', data: 7 }, text('seven'));
  await sql.run("INSERT INTO Pet VALUES (1, 'Rex', 3)");
});

async function rows(statement: string, args: readonly string[] = []): Promise<unknown> {
  try {
    return JSON.parse((await sql.run(statement, args)).json);
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}

/** Every entry of a cache: key, type of the key, value, type of the value. */
const content = async (cache: string): Promise<unknown> =>
  rows(`SELECT _key, key_type, _val, value_type FROM "${cache}".ENTRIES ORDER BY key_type, CAST(_key AS VARCHAR)`);

const SEVEN = [7, 'integer', 'seven', 'string'];
const ANN = ['ann', 'string', { name: 'Ann', born: 1990 }, 'Person'];
const BOB = ['bob', 'string', { name: 'Bob', born: 1980, id: 9007199254740992 }, 'Person'];

const STATEMENTS: ReadonlyArray<
  readonly [statement: string, changed: number | string, content: readonly unknown[], args?: readonly string[]]
> = [
  // INSERT: the types of the values are those of the expressions, or those that are named.
  [`INSERT INTO ${P}(_key, _val) VALUES ('cy', 'text')`, 1, [SEVEN, ANN, BOB, ['cy', 'string', 'text', 'string']]],
  [
    `INSERT INTO ${P}(_key, _val) VALUES (8, 1.50), (9, TRUE)`,
    2,
    [SEVEN, [8, 'integer', 1.5, 'java.math.BigDecimal'], [9, 'integer', true, 'boolean'], ANN, BOB],
  ],
  [
    `INSERT INTO ${P}(_key, _val, value_type) VALUES ('cy', '{"name":"Cy","n":0.10}', 'Person')`,
    1,
    [SEVEN, ANN, BOB, ['cy', 'string', { name: 'Cy', n: 0.1 }, 'Person']],
  ],
  [
    `INSERT INTO ${P}(_key, key_type, _val, value_type) VALUES ('7', 'long', '5', 'int')`,
    1,
    [SEVEN, [7, 'long', 5, 'integer'], ANN, BOB],
  ],
  [`INSERT INTO ${P}(_key, _val) VALUES (?, ?)`, 1, [SEVEN, ANN, BOB, ['cy', 'string', '3', 'string']], ['cy', '3']],
  [
    `INSERT INTO ${P}(_val, _key) SELECT 'x', id FROM Owner WHERE id > 'bob'`,
    2,
    [SEVEN, ANN, BOB, ['eve', 'string', 'x', 'string'], ['fay', 'string', 'x', 'string']],
  ],
  // All columns of another cache: the same entries.
  [
    `INSERT INTO ${P} SELECT * FROM "pets".ENTRIES`,
    1,
    [[1, 'integer', { NAME: 'Rex', AGE: 3 }, 'Pet'], SEVEN, ANN, BOB],
  ],
  [
    `INSERT INTO ${P}(_key, _val) SELECT 100 + CAST(_key AS INT), _val FROM ${P} WHERE key_type = 'integer'`,
    1,
    [[107, 'integer', 'seven', 'string'], SEVEN, ANN, BOB],
  ],
  [
    `INSERT INTO ${P}(_key, _val) VALUES ((SELECT MAX(id) FROM Owner), 1), ('gil', (SELECT COUNT(*) FROM ${P}))`,
    2,
    [SEVEN, ANN, BOB, ['fay', 'string', 1, 'integer'], ['gil', 'string', 3, 'long']],
  ],
  // Nothing of a statement that fails is stored.
  [
    `INSERT INTO ${P}(_key, _val) VALUES ('cy', 1), ('ann', 2)`,
    'they are already in cache [keys=[ann]]',
    [SEVEN, ANN, BOB],
  ],
  [
    `INSERT INTO ${P}(_key, _val, value_type) VALUES ('cy', '{}', 'New'), ('dan', 'x', 'Newer')`,
    'type=Newer, val=x',
    [SEVEN, ANN, BOB],
  ],
  [`INSERT INTO ${P}(_key, _val) VALUES (NULL, 1)`, '_KEY', [SEVEN, ANN, BOB]],
  [`INSERT INTO ${P}(_key, _val) SELECT 'x', pet FROM Owner WHERE pet IS NULL`, '_VAL', [SEVEN, ANN, BOB]],
  [`INSERT INTO ${P}(_key) VALUES ('x')`, 'no value for _VAL', [SEVEN, ANN, BOB]],
  [`INSERT INTO ${P}(_key, _val) VALUES ('x', DEFAULT)`, 'DEFAULT', [SEVEN, ANN, BOB]],
  [`INSERT INTO ${P}(_key, _val, nothing) VALUES ('x', 1, 2)`, 'Column "NOTHING" not found', [SEVEN, ANN, BOB]],
  // MERGE.
  [
    `MERGE INTO ${P}(_key, _val) VALUES ('ann', 1), ('cy', 2)`,
    2,
    [SEVEN, ['ann', 'string', 1, 'integer'], BOB, ['cy', 'string', 2, 'integer']],
  ],
  [
    `MERGE INTO ${P} e USING Owner o ON e._key = o.id WHEN MATCHED THEN UPDATE SET _val = o.pet
     WHEN NOT MATCHED THEN INSERT (_key, _val) VALUES (o.id, COALESCE(o.pet, 'none'))`,
    3,
    [
      SEVEN,
      ['ann', 'string', 'Rex', 'string'],
      BOB,
      ['eve', 'string', 'Tom', 'string'],
      ['fay', 'string', 'none', 'string'],
    ],
  ],
  [
    `MERGE INTO ${P} e USING Owner o ON e._key = o.id WHEN MATCHED THEN
     UPDATE SET _val = o.pet DELETE WHERE e._val = 'Rex'`,
    2,
    [SEVEN, BOB],
  ],
  // UPDATE.
  [`UPDATE ${P} SET _val = 'x' WHERE _val ->> 'born' = '1990'`, 1, [SEVEN, ['ann', 'string', 'x', 'string'], BOB]],
  [
    `UPDATE ${P} SET _val = '{"name":"B"}', value_type = value_type
     WHERE JSON_VALUE(_val, '$.id' RETURNING BIGINT) = 9007199254740993`,
    1,
    [SEVEN, ANN, ['bob', 'string', { name: 'B' }, 'Person']],
  ],
  [
    `UPDATE ${P} e SET _val = (SELECT pet FROM Owner WHERE id = e._key) WHERE _key = 'ann'`,
    1,
    [SEVEN, ['ann', 'string', 'Rex', 'string'], BOB],
  ],
  [
    `UPDATE ${P} SET _val = _key WHERE key_type = 'string' ORDER BY _key DESC LIMIT 1`,
    1,
    [SEVEN, ANN, ['bob', 'string', 'bob', 'string']],
  ],
  [`UPDATE ${P} SET _val = NULL WHERE _key = 'ann'`, '_VAL', [SEVEN, ANN, BOB]],
  [`UPDATE ${P} SET _val = (SELECT pet FROM Owner WHERE id = 'fay') WHERE _key = 'ann'`, '_VAL', [SEVEN, ANN, BOB]],
  [`UPDATE ${P} SET _key = 'x'`, "can't modify key", [SEVEN, ANN, BOB]],
  [`UPDATE ${P} SET key_type = 'x'`, "can't modify key", [SEVEN, ANN, BOB]],
  [`UPDATE ${P} SET value_type = 'Human'`, 'set _VAL in the same statement', [SEVEN, ANN, BOB]],
  [`UPDATE ${P} SET (_val, expires) = (SELECT 1, NULL)`, 'cannot be set together', [SEVEN, ANN, BOB]],
  // DELETE.
  [`DELETE FROM ${P} WHERE _key = 'ann' OR _val = 'seven'`, 2, [BOB]],
  [`DELETE FROM ${P} WHERE JSON_EXISTS(_val, '$.id')`, 1, [SEVEN, ANN]],
  [`DELETE FROM ${P} WHERE value_type = 'Person' LIMIT 1`, 1, [SEVEN, BOB]],
  [`DELETE FROM ${P}`, 3, []],
  [`DELETE FROM "people".Other`, 'Schema "people" not found', [SEVEN, ANN, BOB]],
];

describe('changes', () => {
  test.each(STATEMENTS)('%s', async (statement, changed, expected, args = []) => {
    const found = await rows(statement, args);
    if (typeof changed === 'string') expect(found).toContain(changed);
    else expect(found).toEqual([[changed]]);
    expect(await content('people')).toEqual(expected);
    expect(await entries().size('people')).toBe(expected.length);
  });
});

const expires = (cache: string): Promise<unknown> => rows(`SELECT _key, expires FROM "${cache}".ENTRIES ORDER BY _key`);

test('deadlines are set, kept and removed', async () => {
  const FAR = '2100-01-01 00:00:00.0';
  await sql.run(`DELETE FROM ${P} WHERE _key <> 'ann'`);
  expect(
    await rows(
      `INSERT INTO ${P}(_key, _val, expires) VALUES ('cy', 1, TIMESTAMP '2100-01-01 00:00:00'), ('di', 2, NULL)`,
    ),
  ).toEqual([[2]]);
  const set = [
    ['ann', null],
    ['cy', FAR],
    ['di', null],
  ];
  expect(await expires('people')).toEqual(set);
  // As with put, a new value leaves the deadline.
  expect(await rows(`UPDATE ${P} SET _val = 3 WHERE _key = 'cy'`)).toEqual([[1]]);
  expect(await rows(`MERGE INTO ${P}(_key, _val) VALUES ('cy', 4)`)).toEqual([[1]]);
  expect(await expires('people')).toEqual(set);
  expect(await rows(`UPDATE ${P} SET expires = NULL WHERE expires IS NOT NULL`)).toEqual([[1]]);
  expect(await rows(`UPDATE ${P} SET expires = ? WHERE _key = 'ann'`, ['2100-01-01 00:00:00'])).toEqual([[1]]);
  expect(await expires('people')).toEqual([
    ['ann', FAR],
    ['cy', null],
    ['di', null],
  ]);
  // One that has passed removes the entry.
  expect(await rows(`UPDATE ${P} SET expires = TIMESTAMP '2000-01-01 00:00:00', _val = 1 WHERE _key = 'ann'`)).toEqual([
    [1],
  ]);
  expect(await entries().get('people', text('ann'))).toBeUndefined();
  expect(await entries().size('people')).toBe(2);
  expect(await rows(`INSERT INTO ${P}(_key, _val) VALUES ('ann', 5)`)).toEqual([[1]]);
  expect(await expires('people')).toEqual([
    ['ann', null],
    ['cy', null],
    ['di', null],
  ]);
});

test('a time to live of the cache holds unless a statement gives a deadline', async () => {
  const E = '"short".ENTRIES';
  await sql.run(`INSERT INTO ${E}(_key, _val) VALUES ('own', 1)`);
  await sql.run(`INSERT INTO ${E}(_key, _val, expires) VALUES ('none', 1, NULL)`);
  expect(await rows(`SELECT _key, expires > CURRENT_TIMESTAMP FROM ${E} ORDER BY _key`)).toEqual([
    ['none', null],
    ['own', true],
  ]);
  await sql.run(`UPDATE ${E} SET _val = 2`);
  expect(await rows(`SELECT COUNT(*) FROM ${E} WHERE expires IS NULL`)).toEqual([[0]]);
});

test('an entry is a row where it has the types of one, with all checks', async () => {
  const E = '"pets".ENTRIES';
  expect(
    await rows(`INSERT INTO ${E}(_key, _val, value_type) VALUES (2, '{"NAME":"Mia","AGE":"4","toy":"ball"}', 'Pet')`),
  ).toEqual([[1]]);
  expect(await rows('SELECT * FROM Pet ORDER BY id')).toEqual([
    [1, 'Rex', 3],
    [2, 'Mia', 4],
  ]);
  expect(await rows(`INSERT INTO ${E}(_key, _val, value_type) VALUES (3, '{"NAME":"Maxima"}', 'Pet')`)).toContain(
    'too long',
  );
  expect(await rows(`INSERT INTO ${E}(_key, _val, value_type) VALUES ('3', '{"NAME":"Max"}', 'Pet')`)).toContain(
    'incorrect key class',
  );
  expect(await rows(`UPDATE ${E} SET _val = '{"NAME":"Max"}', value_type = 'Pet' WHERE _key = 1`)).toEqual([[1]]);
  expect(await rows('SELECT * FROM Pet ORDER BY id')).toEqual([
    [1, 'Max', null],
    [2, 'Mia', 4],
  ]);
  expect(await rows(`UPDATE ${E} SET _val = 5 WHERE _key = 1`)).toEqual([[1]]);
  expect(await rows('SELECT id FROM Pet')).toEqual([[2]]);
  expect(writeJson((await entries().get('pets', { type: 'integer', data: 2 })) ?? text('none'))).toBe(
    '{"NAME":"Mia","AGE":4,"toy":"ball"}',
  );
});

test('values keep their types and all their digits', async () => {
  const literals: ReadonlyArray<readonly [literal: string, value: unknown, type: string]> = [
    ['12345678901234567890123456789.1200', '12345678901234567890123456789.1200', 'java.math.BigDecimal'],
    ['CAST(1 AS TINYINT)', '1', 'byte'],
    ['9223372036854775807', '9223372036854775807', 'long'],
    ["DATE '2020-01-01'", '2020-01-01', 'date'],
    ["TIMESTAMP '2020-01-01 00:00:00.123456789'", '2020-01-01 00:00:00.123456789', 'timestamp'],
    ['CAST(1.5 AS REAL)', '1.5', 'float'],
    ["X'00ff'", '00ff', '[B'],
    ["''", '', 'string'],
  ];
  for (const [at, [literal, value, type]] of literals.entries()) {
    expect(await rows(`INSERT INTO ${P}(_key, _val) VALUES ('v${at}', ${literal})`)).toEqual([[1]]);
    await sql.run(
      `INSERT INTO ${P} SELECT 'w' || _key, _val, key_type, value_type, NULL FROM ${P} WHERE _key = 'v${at}'`,
    );
    for (const key of [`v${at}`, `wv${at}`])
      expect([literal, await rows(`SELECT CAST(_val AS VARCHAR), value_type FROM ${P} WHERE _key = '${key}'`)]).toEqual(
        [literal, [[value, type]]],
      );
  }
});

test('a new type is there for everybody, also in another region and after a failure', async () => {
  const E = '"short".ENTRIES';
  const insert = (name: string, value: string) =>
    rows(
      `INSERT INTO ${E}(_key, _val, value_type) SELECT '${name}', '${value}', '${name}' FROM Owner WHERE id = 'ann'`,
    );
  expect(await entries().get('short', text('Fresh'))).toBeUndefined();
  expect(await insert('Fresh', '{}')).toEqual([[1]]);
  expect(await entries().get('short', text('Fresh'))).toMatchObject({ type: 'object', typeName: 'Fresh' });
  expect(await insert('Gone', 'no object')).toContain('type=Gone');
  expect(await insert('Gone', '{}')).toEqual([[1]]);
  expect(await entries().get('short', text('Gone'))).toMatchObject({ typeName: 'Gone' });
});
