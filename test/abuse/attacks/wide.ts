/** Attacks with tables of many columns, and with statements of many columns or arguments. */
import { SQL_BOUNDS } from '../../../src/base/limits.ts';
import { type Attack, after, body, FORM, type Params, short, statement } from './attack.ts';

const times = (count: number, text: (at: number) => string, separator = ','): string =>
  Array.from({ length: count }, (_, at) => text(at)).join(separator);
const sql = (qry: string): Params => ({ cmd: 'qryfldexe', pageSize: '1', timeout: '10000', qry });
const columns = (count: number, type = ' int') => times(count, (at) => `c${at}${type}`);
/** Creating and changing a table takes longer than other statements on a busy machine. */
const LONGER = { params: { timeout: '10000' }, limitMs: 10_000 };

const DROP = sql('drop table if exists W');
const NARROW = [DROP, sql('create table W (id int primary key, v varchar)')];
/** The columns of the widest table beside its key, but for one that can be added. */
const MOST = SQL_BOUNDS.tableColumns - 2;
const WIDE = [DROP, sql(`create table W (id int primary key, ${columns(MOST)})`)];
const titled = (count: number, title: string) => title.replace('#', count.toLocaleString('en'));
const LONG = [...NARROW, sql("insert into W select x, 'abcdefghijklmnopqrstuvwxyz' from system_range(1, 300000)")];

const TABLES: readonly Attack[] = [
  ...short(statement(`create table W (id int primary key, ${columns(30_000)})`)),
  after(
    'a table of as many columns as possible',
    [DROP],
    statement(`create table W (id int primary key, ${columns(MOST + 1)})`, LONGER),
  ),
  after(
    'a table of one column too many',
    [DROP],
    statement(`create table W (id int primary key, ${columns(MOST + 2)})`, LONGER),
  ),
  after('30,000 columns added to a table', NARROW, statement(`alter table W add column (${columns(30_000)})`)),
  ...short(
    after(
      titled(MOST - 10, '# columns added to a table'),
      NARROW,
      statement(`alter table W add column (${columns(MOST - 10)})`, LONGER),
    ),
  ),
  after(
    '300 columns of a table whose changes are recorded',
    [DROP],
    statement(`create table W (id int primary key, ${columns(300)}) with "change_feed=true"`, LONGER),
  ),
  after('a column added to a table of 300,000 rows', LONG, statement('alter table W add column c int', LONGER)),
  after(
    titled(MOST, 'a column added to a table of # columns'),
    WIDE,
    statement('alter table W add column c int', LONGER),
  ),
  after(
    titled(MOST - 10, '# columns dropped'),
    WIDE,
    statement(`alter table W drop column (${columns(MOST - 10, '')})`, LONGER),
  ),
  after(
    titled(MOST, 'a row of # columns'),
    WIDE,
    statement(`insert into W values (1, ${times(MOST, String)})`, { count: 8 }),
  ),
  after(titled(MOST, '# columns of no row'), WIDE, statement('select * from W', { count: 8 })),
  after('as many columns of no row as possible', WIDE, statement('select a.*, b.* from W a, W b', { count: 8 })),
  after(titled(MOST, 'a row by key of # columns'), WIDE, statement('select * from W where id = 1', { count: 32 })),
  after(titled(MOST, 'an update of # columns'), WIDE, statement(`update W set ${columns(MOST, ' = 1')} where id = 1`)),
  after('a column of a wide table updated by key', WIDE, statement('update W set c1 = 1 where id = 1', { count: 32 })),
  after('100,000 columns of an INSERT', NARROW, statement(`insert into W (${times(100_000, () => 'id')}) values (1)`)),
  after('100,000 values of an INSERT', NARROW, statement(`insert into W values (${times(100_000, () => '1')})`)),
];

/** Returns a form with a statement and arguments; typed ones have their type in a parameter of its own. */
function withArguments(qry: string, count: number, argument = 'x', type = ''): string {
  const typed = (at: number) => (type === '' ? '' : `&arg${at + 1}Type=${type}`);
  const params = new URLSearchParams({ cmd: 'qryfldexe', pageSize: '1', timeout: '10000', qry });
  return `${params}${times(count, (at) => `&arg${at + 1}=${argument}${typed(at)}`, '')}`;
}

/** Returns a form with a batch of statements with a thousand arguments each. */
function batchOfStatements(atomic: string): string {
  const statement = { cmd: 'qryfldexe', pageSize: 1, qry: 'select 1', args: Array(1_000).fill('1') };
  const commands = JSON.stringify(Array(1_000).fill(statement));
  return new URLSearchParams({ cmd: 'batch', atomic, timeout: '10000', commands }).toString();
}

const MANY = { anyEngine: false };
const marks = (count: number) => times(count, () => '?');

const ARGUMENTS: readonly Attack[] = [
  ...short(body('99,990 arguments of a statement', FORM, () => withArguments('select 1', 99_990), MANY)),
  body('49,990 arguments with types', FORM, () => withArguments('select 1', 49_990, '1', 'int'), MANY),
  body('49,990 decimals', FORM, () => withArguments('select 1', 49_990, '1.5', 'decimal'), MANY),
  body('99,990 arguments of a query by key', FORM, () => withArguments('select v from T where id = 1', 99_990), MANY),
  body(
    '99,990 arguments of a change by key',
    FORM,
    () => withArguments('update T set n = 1 where id = 1', 99_990),
    MANY,
  ),
  body(
    '30,000 arguments of IN',
    FORM,
    () => withArguments(`select count(*) from T where id in (${marks(30_000)})`, 30_000, '1', 'int'),
    MANY,
  ),
  body('99,990 arguments of a SELECT', FORM, () => withArguments(`select coalesce(${marks(99_990)})`, 99_990), MANY),
  body(
    '30,000 arguments of an INSERT',
    FORM,
    () => withArguments(`insert into T (id, v) values ${times(30_000, () => '(1,?)')}`, 30_000),
    MANY,
  ),
  body('a batch of 1,000 statements with 1,000 arguments', FORM, () => batchOfStatements('false'), MANY),
  body('an atomic batch of 1,000 statements with 1,000 arguments', FORM, () => batchOfStatements('true'), MANY),
];

export const WIDE_ATTACKS: readonly Attack[] = [...TABLES, ...ARGUMENTS];
