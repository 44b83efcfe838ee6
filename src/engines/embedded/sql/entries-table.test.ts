/** The entries of a cache as a table: `"people".ENTRIES`. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openSqlGrid, type SqlGrid } from '../../../../test/fixtures/embedded/sql-grid.ts';
import { entriesOf } from '../../../../test/grid/entry-methods.ts';
import { readCustom } from '../../../values/custom.ts';
import { text, type Value } from '../../../values/value.ts';

let sql: SqlGrid;

const ENTRIES: ReadonlyArray<readonly [key: Value, value: Value | string]> = [
  [text('ann'), '{"name":"Ann","born":1990,"tags":["a","b"]}'],
  [text('bob'), '{"name":"Bob","born":1980}'],
  [text('7'), text('seven')],
  [
    { type: 'integer', data: 7 },
    { type: 'integer', data: 49 },
  ],
  [
    { type: 'long', data: 7n },
    { type: 'long', data: 2n ** 60n },
  ],
  [
    { type: 'decimal', data: { unscaled: 70n, scale: 1 } },
    { type: 'decimal', data: { unscaled: 490n, scale: 1 } },
  ],
  [
    { type: 'uuid', data: '00000000-0000-0001-0000-000000000002' },
    { type: 'double', data: 1.5 },
  ],
  [
    { type: 'date', data: 0 },
    { type: 'boolean', data: true },
  ],
];

beforeAll(async () => {
  sql = await openSqlGrid({ regions: [{ name: 'default' }, { name: 'memory', persistent: false }] });
  const entries = entriesOf(sql.grid);
  const types = { find: (name: string) => sql.grid.types.find(name, 'people') };
  await sql.grid.caches.getOrCreate('people', {});
  for (const [key, value] of ENTRIES)
    await entries.put('people', key, typeof value === 'string' ? readCustom('Person', value, types) : value);
  await sql.grid.caches.getOrCreate('short', { region: 'memory' });
  await entries.put('short', text('ann'), text('x'), 3_600_000n);
  await sql.run('CREATE TABLE Owner(id VARCHAR PRIMARY KEY, pet VARCHAR)');
  await sql.run("INSERT INTO Owner VALUES ('ann', 'Rex'), ('bob', 'Tom'), ('eve', NULL)");
  await sql.run('CREATE TABLE Entries(id INT PRIMARY KEY, v INT) WITH "CACHE_NAME=declared"');
});
afterAll(() => sql.close());

const P = '"people".ENTRIES';

async function rows(statement: string, args: readonly string[] = []): Promise<unknown> {
  try {
    return JSON.parse((await sql.run(statement, args)).json);
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}

const STATEMENTS: ReadonlyArray<readonly [statement: string, rows: unknown, args?: readonly string[]]> = [
  [
    `SELECT * FROM ${P} WHERE _key = 'ann'`,
    [['ann', { name: 'Ann', born: 1990, tags: ['a', 'b'] }, 'string', 'Person', null]],
  ],
  [`SELECT COUNT(*), COUNT(expires) FROM ${P}`, [[8, 0]]],
  ['SELECT e._val, e.expires > CURRENT_TIMESTAMP FROM "short".ENTRIES e', [['x', true]]],
  ['SELECT _key FROM "people".ENTRIES e WHERE "people".ENTRIES._key = 1', 'Column "people.ENTRIES._KEY" not found'],
  [
    `SELECT value_type, COUNT(*) FROM ${P} WHERE key_type = 'string' GROUP BY value_type ORDER BY 1`,
    [
      ['Person', 2],
      ['string', 1],
    ],
  ],
  // The order of the store: numbers before texts, without a sort.
  [`SELECT _key FROM ${P} WHERE key_type <> 'uuid' ORDER BY _key LIMIT 4`, [['1970-01-01'], [7], [7], ['7']]],
  [
    `SELECT key_type, _key FROM ${P} WHERE key_type = 'string' ORDER BY _key DESC`,
    [
      ['string', 'bob'],
      ['string', 'ann'],
      ['string', '7'],
    ],
  ],
  // A key is found by the type that it is compared with. A number in the statement has every numeric type.
  [`SELECT key_type FROM ${P} WHERE _key = '7'`, [['string']]],
  [`SELECT key_type FROM ${P} WHERE _key = ?`, [['string']], ['7']],
  [`SELECT key_type FROM ${P} WHERE _key = 7 ORDER BY 1`, [['integer'], ['java.math.BigDecimal'], ['long']]],
  [`SELECT key_type FROM ${P} WHERE _key = 7.0 ORDER BY 1`, [['integer'], ['java.math.BigDecimal'], ['long']]],
  [`SELECT key_type FROM ${P} WHERE 7 = _key AND key_type = 'long'`, [['long']]],
  [`SELECT _val FROM ${P} WHERE _key = CAST('00000000-0000-0001-0000-000000000002' AS UUID)`, [[1.5]]],
  [`SELECT _val FROM ${P} WHERE _key = DATE '1970-01-01'`, [[true]]],
  [`SELECT COUNT(*) FROM ${P} WHERE _key <> 'ann'`, [[7]]],
  [`SELECT COUNT(*) FROM ${P} WHERE NOT (_key = 'ann')`, [[7]]],
  [`SELECT COUNT(*) FROM ${P} WHERE _key IN ('ann', 'bob', 7)`, [[5]]],
  [`SELECT COUNT(*) FROM ${P} WHERE _key IN (SELECT id FROM Owner)`, [[2]]],
  [`SELECT COUNT(*) FROM ${P} WHERE _key NOT IN (SELECT id FROM Owner)`, [[6]]],
  [`SELECT COUNT(*) FROM ${P} WHERE _key > 'ann' AND _key <= 'bob'`, [[1]]],
  [`SELECT _key FROM ${P} WHERE _key LIKE 'a%'`, [['ann']]],
  [`SELECT _key FROM ${P} WHERE _val = 49 ORDER BY key_type`, [[7], [7]]],
  [`SELECT _key FROM ${P} WHERE _val > 1.25 AND _val < 49`, [['00000000-0000-0001-0000-000000000002']]],
  [`SELECT _key FROM ${P} WHERE _val IS TRUE`, [['1970-01-01']]],
  [
    `SELECT UPPER(_key), CAST(_val AS VARCHAR) FROM ${P} WHERE key_type = 'string' AND _key < 'bob' ORDER BY 1`,
    [
      ['7', 'seven'],
      ['ANN', '{"name":"Ann","born":1990,"tags":["a","b"]}'],
    ],
  ],
  [`SELECT SUM(CAST(_val AS INT)) FROM ${P} WHERE value_type = 'integer'`, [[49]]],
  [`SELECT k FROM (SELECT _key AS k FROM ${P}) WHERE k = 'ann'`, [['ann']]],
  [`SELECT COUNT(*) FROM (SELECT _key AS k FROM ${P}) WHERE k = 7`, [[3]]],
  [`SELECT COUNT(*) FROM ${P} a JOIN ${P} b ON a._key = b._key`, [[8]]],
  [
    `SELECT o.pet, e._val FROM Owner o LEFT JOIN ${P} e ON e._key = o.id WHERE o.id <> 'ann' ORDER BY o.id`,
    [
      ['Tom', { name: 'Bob', born: 1980 }],
      [null, null],
    ],
  ],
  [`SELECT (SELECT key_type FROM ${P} WHERE _key = o.id) FROM Owner o WHERE o.pet = 'Rex'`, [['string']]],
  [`SELECT o.pet, s._val FROM Owner o JOIN "short".ENTRIES s ON s._key = o.id`, [['Rex', 'x']]],
  // The entries of a table have its rows as objects.
  ['SELECT _key, _val FROM "SQL_PUBLIC_OWNER".ENTRIES WHERE _key = \'eve\'', [['eve', { PET: null }]]],
  // Only the qualified name means the entries, and a declared table takes precedence.
  ['SELECT * FROM ENTRIES', []],
  ['SELECT * FROM PUBLIC.ENTRIES', []],
  ['SELECT * FROM "people".Other', 'Schema "people" not found'],
  ['SELECT * FROM people.ENTRIES', 'Schema "PEOPLE" not found'],
  ['SELECT * FROM "nobody".ENTRIES', 'Schema "nobody" not found'],
  ['SELECT * FROM "svc-sys-cache".ENTRIES', 'Schema "svc-sys-cache" not found'],
  ["SELECT COUNT(*) FROM SYS.TABLES WHERE table_name = 'ENTRIES'", [[1]]],
  ["SELECT COUNT(*) FROM INFORMATION_SCHEMA.TABLES WHERE table_name = 'ENTRIES'", [[1]]],
  ["SELECT COUNT(*) FROM SYS.SCHEMAS WHERE schema_name = 'people'", [[0]]],
];

describe('statements', () => {
  test.each(STATEMENTS)('%s', async (statement, expected, args = []) => {
    const found = await rows(statement, args);
    if (typeof expected === 'string') expect(found).toContain(expected);
    else expect(found).toEqual(expected);
  });

  test.each([
    [`SELECT _val FROM ${P} WHERE _key = 'ann'`, 'finds rows of people.ENTRIES by the primary key (_KEY = '],
    [`SELECT _val FROM ${P} WHERE _key = ?`, 'finds rows of people.ENTRIES by the primary key (_KEY = '],
    [
      `SELECT o.pet FROM Owner o JOIN ${P} e ON e._key = o.id`,
      'finds rows of people.ENTRIES by the primary key (_KEY = ',
    ],
    [`SELECT _val FROM ${P} ORDER BY _key LIMIT 1`, 'reads all rows of people.ENTRIES'],
  ])('EXPLAIN %s', async (statement, step) => {
    const plan = JSON.stringify(await rows(`EXPLAIN ${statement}`, ['x']));
    expect(plan).toContain(step);
    expect(plan).not.toContain('sorts');
    expect(plan).not.toContain('advice');
  });
});

test('a column that is dropped moves behind the declared ones for statements, too, that read the values before', async () => {
  await sql.run(
    'CREATE TABLE Relation(k INT PRIMARY KEY, a VARCHAR, b VARCHAR) WITH "CACHE_NAME=moved,VALUE_TYPE=Moved"',
  );
  await sql.run("INSERT INTO Relation VALUES (1, 'x', 'y')");
  const read = () =>
    Promise.all([
      rows('SELECT _val FROM "moved".ENTRIES'),
      rows('SELECT _val FROM Relation'),
      rows('SELECT JSON_QUERY(_val, \'$\') FROM "moved".ENTRIES'),
    ]);
  const values = (object: object) => [[[object]], [[object]], [[JSON.stringify(object)]]];
  expect(JSON.stringify(await read())).toBe(JSON.stringify(values({ A: 'x', B: 'y' })));
  await sql.run('ALTER TABLE Relation DROP COLUMN a');
  expect(JSON.stringify(await read())).toBe(JSON.stringify(values({ B: 'y', A: 'x' })));
});
