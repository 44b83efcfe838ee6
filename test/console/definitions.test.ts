/** The statements with which the forms of the console create tables, columns and indexes. */
import { expect, test } from 'bun:test';
import { expiryOf } from '../../src/console/caches/expiry.ts';
import {
  addColumn,
  cacheOfTable,
  createIndex,
  createTable,
  dropColumn,
  dropIndex,
  durationMs,
  type NewColumn,
  type NewTable,
  tableProblem,
} from '../../src/console/definitions/statements.ts';
import { quotedIfNeeded } from '../../src/console/elements/sql-names.ts';
import { RESERVED } from '../../src/sql/syntax/token-reader.ts';

const column = (name: string, type: string, more: Partial<NewColumn> = {}): NewColumn => ({
  name,
  type,
  size: '',
  isKey: false,
  isNotNull: false,
  defaultText: '',
  ...more,
});

const table = (more: Partial<NewTable> = {}): NewTable => ({
  name: 'sale',
  columns: [column('id', 'INTEGER', { isKey: true }), column('shop', 'VARCHAR')],
  cacheName: '',
  ttlMs: '',
  isSliding: false,
  hasFeed: false,
  template: '',
  backups: '',
  ...more,
});

test('a table is created with its columns, its key and the settings of its cache', () => {
  expect(createTable(table())).toBe(
    'CREATE TABLE sale (\n  id INTEGER NOT NULL,\n  shop VARCHAR,\n  PRIMARY KEY (id)\n)',
  );
  const columns = [
    column('id', 'BIGINT', { isKey: true }),
    column('full name', 'VARCHAR', { size: ' 20 ', isNotNull: true, defaultText: "O'Hare" }),
    column('pay', 'DECIMAL', { size: '9, 2', defaultText: '1.50' }),
    column('is_open', 'BOOLEAN', { defaultText: 'true' }),
    column('day', 'DATE', { size: '3', defaultText: '2026-01-31' }),
  ];
  const settings = { cacheName: 'sales', ttlMs: '60000', isSliding: true, hasFeed: true, backups: '1' };
  expect(createTable(table({ name: 'My sale', columns, ...settings, template: 'REPLICATED' }))).toBe(
    `CREATE TABLE "My sale" (
  id BIGINT NOT NULL,
  "full name" VARCHAR(20) NOT NULL DEFAULT 'O''Hare',
  pay DECIMAL(9, 2) DEFAULT 1.50,
  is_open BOOLEAN DEFAULT TRUE,
  day DATE DEFAULT '2026-01-31',
  PRIMARY KEY (id)
) WITH "CACHE_NAME=sales,TEMPLATE=REPLICATED,BACKUPS=1,TTLMS=60000,SLIDING=true,CHANGE_FEED=true"`,
  );
});

test('a form says what its table lacks', () => {
  for (const [problem, more] of [
    ['', {}],
    ['Name the table.', { name: ' ' }],
    ['Each column needs a name.', { columns: [...table().columns, column('', 'DATE')] }],
    ['Two columns have the name ID.', { columns: [...table().columns, column('"ID"', 'DATE')] }],
    ['At least one column must be part of the key.', { columns: [column('a', 'DATE')] }],
    ['At least one column must be outside the key.', { columns: [column('a', 'DATE', { isKey: true })] }],
    ['The number of backups must be a whole number.', { backups: 'two' }],
  ] as const) {
    expect(tableProblem(table(more))).toBe(problem);
  }
});

test('the cache of a new table has its name, as the service folds it', () => {
  expect(cacheOfTable({ name: 'sale', cacheName: '' })).toBe('SQL_PUBLIC_SALE');
  expect(cacheOfTable({ name: 'My sale', cacheName: '' })).toBe('SQL_PUBLIC_My sale');
  expect(cacheOfTable({ name: 'sale', cacheName: 'sales' })).toBe('sales');
});

test('columns and indexes of a table that exists are named as it has them', () => {
  const at = { schema: 'PUBLIC', name: 'SALE' };
  const columns = [
    { name: 'SHOP', isDescending: false },
    { name: 'pay', isDescending: true },
  ];
  expect(createIndex({ table: at, name: '', columns })).toBe('CREATE INDEX ON SALE (SHOP, "pay" DESC)');
  expect(createIndex({ table: at, name: 'by_shop', columns: columns.slice(0, 1) })).toBe(
    'CREATE INDEX by_shop ON SALE (SHOP)',
  );
  expect(dropIndex({ schema: 'cars' }, 'BY_SHOP')).toBe('DROP INDEX "cars".BY_SHOP');
  expect(addColumn(at, column('note', 'VARCHAR', { size: '5' }))).toBe('ALTER TABLE SALE ADD COLUMN note VARCHAR(5)');
  expect(dropColumn({ schema: 'cars', name: 'Car' }, 'Full name')).toBe(
    'ALTER TABLE "cars"."Car" DROP COLUMN "Full name"',
  );
});

test('words of SQL are quoted where they are names, and what surrounds a typed name is no part of it', () => {
  const at = { schema: 'PUBLIC', name: 'ORDER' };
  expect(createIndex({ table: at, name: ' by_group ', columns: [{ name: 'GROUP', isDescending: false }] })).toBe(
    'CREATE INDEX by_group ON "ORDER" ("GROUP")',
  );
  expect(addColumn(at, column('from', 'DATE'))).toBe('ALTER TABLE "ORDER" ADD COLUMN "FROM" DATE');
  expect(cacheOfTable({ name: 'order', cacheName: '' })).toBe('SQL_PUBLIC_ORDER');
  for (const word of RESERVED) expect(quotedIfNeeded(word)).toBe(`"${word}"`);
});

test('durations are given in a unit, and sent in milliseconds', () => {
  expect(durationMs('', 'hours')).toBe('');
  expect(durationMs(' 1.5 ', 'minutes')).toBe('90000');
  for (const wrong of ['0', '-1', 'soon', '1e20']) expect(durationMs(wrong, 'days')).toBeUndefined();
});

test('the time to live of a cache is read from its expiry policy', () => {
  expect(expiryOf('ModifiedExpiryPolicy [ttlMs=60000]')).toEqual({ ttlMs: 60_000, isSliding: false });
  expect(expiryOf('TouchedExpiryPolicy [ttlMs=5]')).toEqual({ ttlMs: 5, isSliding: true });
  expect(expiryOf('null')).toBeUndefined();
});
