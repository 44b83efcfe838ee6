/** Attacks with tables of many columns, and with statements of many columns or arguments. */
import { type Attack, after, body, FORM, type Params, short, statement } from './attack.ts';

const times = (count: number, text: (at: number) => string, separator = ','): string =>
  Array.from({ length: count }, (_, at) => text(at)).join(separator);
const sql = (qry: string): Params => ({ cmd: 'qryfldexe', pageSize: '1', timeout: '10000', qry });
const columns = (count: number, type = ' int') => times(count, (at) => `c${at}${type}`);
/** Creating and changing a table takes longer than other statements on a busy machine. */
const LONGER = { params: { timeout: '10000' }, limitMs: 10_000 };

const DROP = sql('drop table if exists W');
const NARROW = [DROP, sql('create table W (id int primary key, v varchar)')];
const WIDE = [DROP, sql(`create table W (id int primary key, ${columns(1_990)})`)];
const LONG = [...NARROW, sql("insert into W select x, 'abcdefghijklmnopqrstuvwxyz' from system_range(1, 300000)")];

const TABLES: readonly Attack[] = [
  ...short(statement(`create table W (id int primary key, ${columns(30_000)})`)),
  after(
    'a table of 1,990 columns',
    [DROP],
    statement(`create table W (id int primary key, ${columns(1_990)})`, LONGER),
  ),
  after('30,000 columns added to a table', NARROW, statement(`alter table W add column (${columns(30_000)})`)),
  ...short(
    after('1,900 columns added to a table', NARROW, statement(`alter table W add column (${columns(1_900)})`, LONGER)),
  ),
  after('a column added to a table of 300,000 rows', LONG, statement('alter table W add column c int', LONGER)),
  after('a column added to a table of 1,990 columns', WIDE, statement('alter table W add column c int', LONGER)),
  after('1,980 columns dropped', WIDE, statement(`alter table W drop column (${columns(1_980, '')})`, LONGER)),
  after('a row of 1,990 columns', WIDE, statement(`insert into W values (1, ${times(1_990, String)})`, { count: 8 })),
  after('1,990 columns of no row', WIDE, statement('select * from W', { count: 8 })),
  after('a row by key of 1,990 columns', WIDE, statement('select * from W where id = 1', { count: 32 })),
  after('an update of 1,990 columns', WIDE, statement(`update W set ${columns(1_990, ' = 1')} where id = 1`)),
  after('100,000 columns of an INSERT', NARROW, statement(`insert into W (${times(100_000, () => 'id')}) values (1)`)),
  after('100,000 values of an INSERT', NARROW, statement(`insert into W values (${times(100_000, () => '1')})`)),
];

export const WIDE_ATTACKS: readonly Attack[] = [
  ...TABLES,
  body(
    '99,999 arguments of a statement',
    FORM,
    () => `cmd=qryfldexe&pageSize=1&qry=select+1${times(99_990, (at) => `&arg${at + 1}=x`, '')}`,
    { anyEngine: false },
  ),
];
