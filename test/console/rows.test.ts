/** The statements that the console sends for the rows of a table. */
import { expect, test } from 'bun:test';
import { deleteOf, insertOf, updateOf } from '../../src/console/caches/row-change.ts';
import { conditionOf, statementOf } from '../../src/console/caches/row-query.ts';
import { shownStatement } from '../../src/console/caches/shown-statement.ts';
import { typeText } from '../../src/console/rows/sql-types.ts';

const table = { schema: 'PUBLIC', name: 'SALE' };
const PLAIN = { isKey: false, isNullable: true, defaultValue: null };
const ID = {
  name: 'ID',
  type: 'java.lang.Integer',
  sqlType: 'INTEGER',
  isKey: true,
  isNullable: false,
  defaultValue: null,
};
const SHOP = { name: 'SHOP', type: 'java.lang.String', sqlType: 'VARCHAR(60)', ...PLAIN };
const PAY = { name: 'PAY', type: 'java.math.BigDecimal', sqlType: 'DECIMAL(9, 2)', ...PLAIN };
const RAW = { name: 'RAW', type: '[B', sqlType: 'VARBINARY', ...PLAIN };
const columns = [ID, SHOP, PAY, RAW];

test.each([
  [SHOP, '', undefined],
  [SHOP, 'os', { sql: 'LOWER("SHOP") LIKE LOWER(?)', args: [{ type: 'string', value: '%os%' }] }],
  [SHOP, '50%_\\', { sql: 'LOWER("SHOP") LIKE LOWER(?)', args: [{ type: 'string', value: '%50\\%\\_\\\\%' }] }],
  [SHOP, '= Oslo', { sql: '"SHOP" = ?', args: [{ type: 'string', value: 'Oslo' }] }],
  [SHOP, 'NULL', { sql: '"SHOP" IS NULL', args: [] }],
  [SHOP, '!null', { sql: '"SHOP" IS NOT NULL', args: [] }],
  [ID, '7', { sql: '"ID" = ?', args: [{ type: 'int', value: '7' }] }],
  [PAY, '>= 5.50', { sql: '"PAY" >= ?', args: [{ type: 'decimal', value: '5.50' }] }],
  [PAY, '!=5', { sql: '"PAY" <> ?', args: [{ type: 'decimal', value: '5' }] }],
] as const)('a filter of a column: %j %s', (column, text, expected) => {
  expect(conditionOf(column, text)).toEqual(expected);
});

test('rows are ordered by a column and the key, and filtered by all filters', () => {
  const order = { column: 'PAY', isDescending: true };
  const { sql, args } = statementOf({ table, columns, filters: { SHOP: 'os', ID: '<9' }, order });
  expect(sql).toBe(
    'SELECT "ID", "SHOP", "PAY", "RAW" FROM "PUBLIC"."SALE" WHERE "ID" < ? AND LOWER("SHOP") LIKE LOWER(?) ' +
      'ORDER BY "PAY" DESC, "ID"',
  );
  expect(args).toEqual([
    { type: 'int', value: '9' },
    { type: 'string', value: '%os%' },
  ]);
});

test('a change names all values that were read, except those that cannot be sent', () => {
  const before = { ID: '1', SHOP: null, PAY: '5.50', RAW: 'AAEC' };
  const shape = { table, columns };
  expect(updateOf(shape, before, before)).toBeUndefined();
  expect(updateOf(shape, before, { ...before, SHOP: "O'Hare" })).toEqual({
    sql: 'UPDATE "PUBLIC"."SALE" SET "SHOP" = ? WHERE "ID" = ? AND "SHOP" IS NULL AND "PAY" = ?',
    args: [
      { type: 'string', value: "O'Hare" },
      { type: 'int', value: '1' },
      { type: 'decimal', value: '5.50' },
    ],
  });
  expect(deleteOf(shape, before).sql).toBe(
    'DELETE FROM "PUBLIC"."SALE" WHERE "ID" = ? AND "SHOP" IS NULL AND "PAY" = ?',
  );
  expect(insertOf(shape, { ID: '2', SHOP: '', PAY: null })).toEqual({
    sql: 'INSERT INTO "PUBLIC"."SALE" ("ID", "SHOP") VALUES (?, ?)',
    args: [
      { type: 'int', value: '2' },
      { type: 'string', value: '' },
    ],
  });
});

test('a statement is shown with its arguments, outside of names', () => {
  const args = [
    { type: 'int', value: '7' },
    { type: 'string', value: "it's" },
    { type: 'int', value: '7 OR 1=1' },
  ];
  expect(shownStatement('SELECT "a?" FROM t WHERE x = ? AND y = ? AND z = ?', args)).toBe(
    `SELECT "a?" FROM t WHERE x = 7 AND y = 'it''s' AND z = '7 OR 1=1'`,
  );
});

test.each([
  ['java.lang.String', 60, -1, 'VARCHAR(60)'],
  ['java.lang.String', -1, -1, 'VARCHAR'],
  ['java.math.BigDecimal', 9, 2, 'DECIMAL(9, 2)'],
  ['java.math.BigDecimal', 9, 0, 'DECIMAL(9)'],
  ['java.lang.Integer', 10, 0, 'INTEGER'],
  ['java.sql.Date', -1, -1, 'DATE'],
  ['[B', -1, -1, 'VARBINARY'],
  ['com.example.Colour', -1, -1, 'OTHER'],
])('the type of a column: %s(%d, %d) is %s', (className, precision, scale, expected) => {
  expect(typeText(className, precision, scale)).toBe(expected);
});
