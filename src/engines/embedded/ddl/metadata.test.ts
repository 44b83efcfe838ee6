import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openSqlGrid, type SqlGrid } from '../../../../test/fixtures/embedded/sql-grid.ts';
import type { CacheMetadata } from '../../../grid/grid.ts';

let sql: SqlGrid;

beforeAll(async () => {
  sql = await openSqlGrid({
    caches: [
      {
        name: 'person',
        entities: [
          {
            keyType: 'integer',
            valueType: 'org.example.Fixture$Person',
            tableName: 'Person',
            keyFields: ['id'],
            fields: [
              { name: 'id', type: { kind: 'scalar', type: 'integer' } },
              { name: 'name', type: { kind: 'scalar', type: 'string' }, alias: 'fullName' },
              { name: 'longs', type: { kind: 'array', element: 'long' } },
              { name: 'place', type: { kind: 'scalar', type: 'gridUuid' } },
            ],
            indexes: [
              { fields: [{ name: 'name', descending: true }] },
              { name: 'byId', fields: [{ name: 'id' }], unique: true },
            ],
          },
        ],
      },
    ],
  });
  for (const statement of [
    `CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR, n DECIMAL(10,2), d DOUBLE, b BOOLEAN, ts TIMESTAMP, u UUID,
       bin BINARY, bi BIGINT, sm SMALLINT, ti TINYINT, re REAL, dt DATE, tm TIME, c CHAR(3), "x y" VARCHAR)
     WITH "cache_name=simple,value_type=V"`,
    'CREATE INDEX ix ON t (name, n DESC)',
    'CREATE INDEX "lower" ON t ("x y")',
    'CREATE TABLE k (a INT, b VARCHAR, v INT, PRIMARY KEY (a, b)) WITH "cache_name=composite,key_type=K,value_type=V2"',
    'CREATE TABLE p (id BIGINT PRIMARY KEY, v VARCHAR) WITH "cache_name=plain,wrap_value=false"',
    'CREATE TABLE later (id INT PRIMARY KEY, a INT, b INT) WITH "cache_name=changed,value_type=C"',
    'ALTER TABLE later ADD COLUMN (c DATE, d UUID)',
    'ALTER TABLE later DROP COLUMN a',
    'CREATE INDEX gone ON later (b)',
    'DROP INDEX gone',
  ])
    await sql.run(statement);
});

afterAll(() => sql.close());

/** Returns the metadata of a cache with one type. */
function of(
  cacheName: string,
  type: string,
  keyClass: string,
  valueClass: string,
  fields: Readonly<Record<string, string>>,
  indexes: CacheMetadata['indexes'][string] = [],
): CacheMetadata {
  return {
    cacheName,
    types: [type],
    keyClasses: { [type]: keyClass },
    valClasses: { [type]: valueClass },
    fields: { [type]: { _KEY: keyClass, _VAL: valueClass, ...fields } },
    indexes: { [type]: indexes },
  };
}

const OBJECT = 'java.lang.Object';
const INTEGER = 'java.lang.Integer';
const STRING = 'java.lang.String';

const DESCRIPTIONS: ReadonlyArray<readonly [title: string, description: CacheMetadata]> = [
  [
    'a cache without types',
    { cacheName: 'default', types: [], keyClasses: {}, valClasses: {}, fields: {}, indexes: {} },
  ],
  [
    'a configured entity has upper-case names and its simple type name',
    of(
      'person',
      'Person',
      INTEGER,
      OBJECT,
      { ID: INTEGER, FULLNAME: STRING, LONGS: OBJECT, PLACE: 'org.apache.ignite.lang.IgniteUuid' },
      [
        { name: 'PERSON_NAME_DESC_IDX', fields: ['FULLNAME'], descendings: ['FULLNAME'], unique: false },
        { name: 'BYID', fields: ['ID'], descendings: [], unique: true },
      ],
    ),
  ],
  [
    'a table keeps the names of its statement',
    of(
      'simple',
      'V',
      INTEGER,
      OBJECT,
      {
        ID: INTEGER,
        NAME: STRING,
        N: 'java.math.BigDecimal',
        D: 'java.lang.Double',
        B: 'java.lang.Boolean',
        TS: 'java.sql.Timestamp',
        U: 'java.util.UUID',
        BIN: '[B',
        BI: 'java.lang.Long',
        SM: 'java.lang.Short',
        TI: 'java.lang.Byte',
        RE: 'java.lang.Float',
        DT: 'java.sql.Date',
        TM: 'java.sql.Time',
        C: STRING,
        'x y': STRING,
      },
      [
        { name: 'IX', fields: ['NAME', 'N'], descendings: ['N'], unique: false },
        { name: 'lower', fields: ['x y'], descendings: [], unique: false },
      ],
    ),
  ],
  [
    'a composite key is an object, and its columns are fields like the others',
    of('composite', 'V2', OBJECT, OBJECT, { A: INTEGER, B: STRING, V: INTEGER }),
  ],
  [
    'an altered table has its new columns',
    of('changed', 'C', INTEGER, OBJECT, { ID: INTEGER, B: INTEGER, C: 'java.sql.Date', D: 'java.util.UUID' }),
  ],
];

test.each(DESCRIPTIONS)('%s', async (_title, description) => {
  expect(await sql.grid.caches.metadata(description.cacheName)).toEqual(description);
});

test('an unwrapped value has its own class', async () => {
  const { keyClasses, valClasses, fields } = await sql.grid.caches.metadata('plain');
  expect(Object.values(keyClasses)).toEqual(['java.lang.Long']);
  expect(Object.values(valClasses)).toEqual([STRING]);
  expect(Object.values(fields)).toEqual([{ _KEY: 'java.lang.Long', _VAL: STRING, ID: 'java.lang.Long', V: STRING }]);
});
