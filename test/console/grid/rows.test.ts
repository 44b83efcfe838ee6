/** The statements that the console sends for the rows of a table. */
import { expect, test } from 'bun:test';
import { deleteRowsOf, hasSameKey, insertOf, isIncomplete, updateOf } from '../../../src/console/caches/row-change.ts';
import {
  conditionOf,
  countStatement,
  filterProblem,
  hasKeyset,
  type PageStart,
  pageStatement,
  positionStatement,
  rowByKeyStatement,
  statementOf,
} from '../../../src/console/caches/row-query.ts';
import { shownStatement, statementPreview } from '../../../src/console/caches/shown-statement.ts';
import { mayBeNull, placeholderOf } from '../../../src/console/caches/stored-rows.ts';
import type { RowTexts } from '../../../src/console/rows/row.ts';
import { typeText } from '../../../src/console/rows/sql-types.ts';

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
const RAW = { name: 'RAW', type: 'java.lang.Object', sqlType: 'OTHER', ...PLAIN };
const PHOTO = { name: 'PHOTO', type: '[B', sqlType: 'VARBINARY', ...PLAIN };
const AT = { name: 'AT', type: 'java.sql.Timestamp', sqlType: 'TIMESTAMP', ...PLAIN };
const DAY = { name: 'DAY', type: 'java.sql.Date', sqlType: 'DATE', ...PLAIN };
const columns = [ID, SHOP, PAY, RAW];

/** The values of a filter of times, and its condition. */
test.each([
  [AT, '>= 2025-06-01', '"AT" >= ?', ['2025-06-01 00:00:00']],
  [AT, '> 2025-06-01', '"AT" >= ?', ['2025-06-02 00:00:00']],
  [AT, '<= 2025-12-31', '"AT" < ?', ['2026-01-01 00:00:00']],
  [AT, '< 2025', '"AT" < ?', ['2025-01-01 00:00:00']],
  [AT, '2024-02-29', '"AT" >= ? AND "AT" < ?', ['2024-02-29 00:00:00', '2024-03-01 00:00:00']],
  [AT, '2025-02', '"AT" >= ? AND "AT" < ?', ['2025-02-01 00:00:00', '2025-03-01 00:00:00']],
  [AT, '!= 2025', '("AT" < ? OR "AT" >= ?)', ['2025-01-01 00:00:00', '2026-01-01 00:00:00']],
  [AT, '2025-01..2025-03', '"AT" >= ? AND "AT" < ?', ['2025-01-01 00:00:00', '2025-04-01 00:00:00']],
  [AT, '> 2025-06-01 10:20', '"AT" > ?', ['2025-06-01 10:20:00']],
  [AT, '2025-06-01 10:20:30.5', '"AT" = ?', ['2025-06-01 10:20:30.5']],
  [DAY, '2025', '"DAY" >= ? AND "DAY" < ?', ['2025-01-01', '2026-01-01']],
  [DAY, '> 2025-06-01', '"DAY" > ?', ['2025-06-01']],
  [DAY, '2025-06-01 .. 2025-06-30', '"DAY" >= ? AND "DAY" <= ?', ['2025-06-01', '2025-06-30']],
  [ID, '5..10', '"ID" >= ? AND "ID" <= ?', ['5', '10']],
  [PAY, '-.5..1.5', '"PAY" >= ? AND "PAY" <= ?', ['-.5', '1.5']],
] as const)('a filter of times or a range: %j %s', (column, text, sql, values) => {
  const condition = conditionOf(column, text);
  expect(condition?.sql).toBe(sql);
  expect(condition?.args.map(({ value }) => value)).toEqual([...values]);
  expect(filterProblem({ columns: [column], filters: { [column.name]: text } })).toBeUndefined();
});

test.each([
  [AT, '>= 2025-13', 'AT (TIMESTAMP) needs a date and time'],
  [DAY, '2025..soon', 'DAY (DATE) needs a date such as 2026-01-31, not "soon".'],
  [ID, '1..x', 'ID (INTEGER) needs a whole number, not "x".'],
] as const)('a filter that names no time: %j %s', (column, text, problem) => {
  expect(filterProblem({ columns: [column], filters: { [column.name]: text } })).toStartWith(problem);
});

test('a long value is cut off in a preview, and whole in a statement that is executed', () => {
  const args = [
    { type: 'string', value: 'x'.repeat(4_000_000) },
    { type: '[B', value: btoa('a'.repeat(3_000)) },
  ];
  expect(statementPreview('SELECT ?, ?', args)).toHaveLength(
    `SELECT '${'x'.repeat(500)} … (4,000,000 characters)', X'${'61'.repeat(375)}' … (3,000 bytes)`.length,
  );
  expect(shownStatement('SELECT ?', args.slice(0, 1))).toHaveLength(4_000_009);
});

test.each([
  [SHOP, '', undefined],
  [SHOP, 'os', { sql: 'LOWER("SHOP") LIKE LOWER(?)', args: [{ type: 'string', value: '%os%' }] }],
  [SHOP, '50%_\\', { sql: 'LOWER("SHOP") LIKE LOWER(?)', args: [{ type: 'string', value: '%50\\%\\_\\\\%' }] }],
  [SHOP, '= Oslo', { sql: '"SHOP" = ?', args: [{ type: 'string', value: 'Oslo' }] }],
  [SHOP, 'NULL', { sql: '"SHOP" IS NULL', args: [] }],
  [SHOP, '!null', { sql: '"SHOP" IS NOT NULL', args: [] }],
  [ID, '7', { sql: '"ID" = ?', args: [{ type: 'int', value: '7' }] }],
  [PAY, '>= 5.50', { sql: '"PAY" >= ?', args: [{ type: 'decimal', value: '5.50' }] }],
  [PHOTO, '>= 00ff', { sql: '"PHOTO" >= ?', args: [{ type: '[B', value: 'AP8=' }] }],
  [PAY, '!=5', { sql: '"PAY" <> ?', args: [{ type: 'decimal', value: '5' }] }],
] as const)('a filter of a column: %j %s', (column, text, expected) => {
  expect(conditionOf(column, text)).toEqual(expected);
});

test('a filter whose value does not fit its column is not sent, and named', () => {
  const problemOf = (filters: Readonly<Record<string, string>>) => filterProblem({ columns, filters });
  expect(problemOf({ ID: '>= 5', SHOP: 'any', PAY: 'null' })).toBeUndefined();
  expect(filterProblem({ columns: [PHOTO], filters: { PHOTO: '= 0' } })).toContain('pairs of hexadecimal digits');
  expect(problemOf({ ID: '>= many', PAY: 'x' })).toBe(
    'ID (INTEGER) needs a whole number, not "many". PAY (DECIMAL(9, 2)) needs a decimal number, not "x".',
  );
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
  expect(deleteRowsOf(shape, [before]).sql).toBe(
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

test('a new row has the NULL that was chosen, also where the default is another value', () => {
  const shape = { table, columns: [ID, { ...SHOP, defaultValue: "'Oslo'" }, PAY] };
  expect(insertOf(shape, { ID: '2' }).sql).toBe('INSERT INTO "PUBLIC"."SALE" ("ID") VALUES (?)');
  expect(insertOf(shape, { ID: '2', SHOP: null, PAY: null })).toEqual({
    sql: 'INSERT INTO "PUBLIC"."SALE" ("ID", "SHOP") VALUES (?, NULL)',
    args: [{ type: 'int', value: '2' }],
  });
});

test('a new row says what an empty field becomes, and is added once its key and all that needs a value are there', () => {
  const key = { ...ID, isNullable: true };
  const shop = { ...SHOP, isNullable: false };
  const added = [key, shop, PAY, { ...PAY, name: 'TAX', defaultValue: '0.25' }];
  expect(added.map((column) => placeholderOf(column, undefined))).toEqual(['required', 'required', 'NULL', '0.25']);
  expect(placeholderOf({ ...PAY, defaultValue: '0.25' }, null)).toBe('NULL');
  expect(mayBeNull(key)).toBe(false);
  const isAdded = (row: RowTexts) => !isIncomplete({ table, columns: added }, row);
  expect([{ SHOP: 'Oslo' }, { ID: '2' }, { ID: '2', SHOP: 'Oslo' }].map(isAdded)).toEqual([false, false, true]);
});

test('rows are the same by all columns of their key', () => {
  const shape = { table, columns: [ID, PLACE, SHOP] };
  const row = { ID: '1', PLACE: 'a', SHOP: 'x' };
  expect([hasSameKey(shape, row, { ...row, SHOP: 'y' }), hasSameKey(shape, row, { ...row, PLACE: 'b' })]).toEqual([
    true,
    false,
  ]);
});

test('a statement shows bytes as SQL writes them', () => {
  expect(shownStatement('SELECT ?', [{ type: '[B', value: 'AP8=' }])).toBe("SELECT X'00ff'");
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

const PLACE = { name: 'PLACE', type: 'java.lang.String', sqlType: 'VARCHAR', ...PLAIN, isKey: true, isNullable: false };
const ROW = { ID: '7', SHOP: 'Oslo', PAY: null };
const both = [ID, PLACE, SHOP];

/** A table, its order, where a page begins, and what follows WHERE. */
const PAGES: ReadonlyArray<
  readonly [columns: typeof columns, order: string | undefined, start: PageStart, sql: string, values: string]
> = [
  [columns, undefined, { skipped: 0 }, 'ORDER BY "ID" LIMIT 300', ''],
  [columns, undefined, { skipped: 600 }, 'ORDER BY "ID" LIMIT 300 OFFSET 600', ''],
  [columns, undefined, { after: ROW }, '("ID" > ?) ORDER BY "ID" LIMIT 300', '7'],
  [columns, undefined, { before: ROW }, '("ID" < ?) ORDER BY "ID" DESC LIMIT 300', '7'],
  [columns, 'ID desc', { after: ROW }, '("ID" < ?) ORDER BY "ID" DESC LIMIT 300', '7'],
  [
    columns,
    'SHOP',
    { after: ROW },
    '"SHOP" >= ? AND (("SHOP" > ?) OR ("SHOP" = ? AND "ID" > ?)) ORDER BY "SHOP", "ID" LIMIT 300',
    'Oslo,Oslo,Oslo,7',
  ],
  // NULL comes before all values, or after them in descending order.
  [
    columns,
    'SHOP desc',
    { after: ROW },
    '((("SHOP" < ? OR "SHOP" IS NULL)) OR ("SHOP" = ? AND "ID" > ?)) ORDER BY "SHOP" DESC, "ID" LIMIT 300',
    'Oslo,Oslo,7',
  ],
  [
    columns,
    'PAY',
    { after: ROW },
    '(("PAY" IS NOT NULL) OR ("PAY" IS NULL AND "ID" > ?)) ORDER BY "PAY", "ID" LIMIT 300',
    '7',
  ],
  [
    columns,
    'PAY',
    { before: ROW },
    '((FALSE) OR ("PAY" IS NULL AND "ID" < ?)) ORDER BY "PAY" DESC, "ID" DESC LIMIT 300',
    '7',
  ],
  [
    both,
    undefined,
    { after: { ID: '7', PLACE: 'x', SHOP: null } },
    '"ID" >= ? AND (("ID" > ?) OR ("ID" = ? AND "PLACE" > ?)) ORDER BY "ID", "PLACE" LIMIT 300',
    '7,7,7,x',
  ],
];

test.each(PAGES)('a page of rows: %# %j %s', (each, order, start, sql, values) => {
  const [column = '', direction] = order?.split(' ') ?? [];
  const chosen = order === undefined ? undefined : { column, isDescending: direction === 'desc' };
  const page = pageStatement({ table, columns: each, filters: {}, order: chosen }, start, 300);
  expect(page.sql.replace(/^.*?FROM "PUBLIC"."SALE" (?:WHERE )?/, '')).toBe(sql);
  expect(page.args.map(({ value }) => value).join(',')).toBe(values);
});

test('rows are counted, found by key, and counted before a row, all with the filters', () => {
  const query = { table, columns, filters: { SHOP: '= Oslo' }, order: undefined };
  const oslo = { type: 'string', value: 'Oslo' };
  const seven = { type: 'int', value: '7' };
  expect(countStatement(query)).toEqual({ sql: 'SELECT COUNT(*) FROM "PUBLIC"."SALE" WHERE "SHOP" = ?', args: [oslo] });
  expect(positionStatement(query, ROW)).toEqual({
    sql: 'SELECT COUNT(*) FROM "PUBLIC"."SALE" WHERE "SHOP" = ? AND ("ID" < ?)',
    args: [oslo, seven],
  });
  expect(rowByKeyStatement(query, { ID: '7' })).toEqual({
    sql: 'SELECT "ID", "SHOP", "PAY", "RAW" FROM "PUBLIC"."SALE" WHERE "SHOP" = ? AND "ID" = ? ORDER BY "ID"',
    args: [oslo, seven],
  });
});

test('rows are read from those beside them only if all that orders them can be compared', () => {
  const of = (order: string | undefined, each = columns) =>
    hasKeyset({
      table,
      columns: each,
      filters: {},
      order: order === undefined ? undefined : { column: order, isDescending: false },
    });
  expect([of(undefined), of('SHOP'), of('RAW'), of(undefined, [SHOP])]).toEqual([true, true, false, false]);
});
