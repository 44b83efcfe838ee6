/** Attacks with tables of many columns, and with statements of many columns or arguments. */
import { DEFAULT_LIMITS, SQL_BOUNDS } from '../../../src/base/limits.ts';
import { type Attack, after, body, FORM, listed, numbered, sql, statement } from './attack.ts';

const columns = (count: number, type = ' int') => numbered(count, (at) => `c${at}${type}`, ',');
/** Creating and changing a table takes longer than other statements on a busy machine. */
const LONGER = { params: { timeout: '10000' }, limitMs: 10_000 };

const DROP = sql('drop table if exists W');
const NARROW = [DROP, sql('create table W (id int primary key, v varchar)')];
/** The columns of the widest table besides its key, minus one that can still be added. */
const MOST = SQL_BOUNDS.tableColumns - 2;
const WIDE = [DROP, sql(`create table W (id int primary key, ${columns(MOST)})`)];
const LONG = [...NARROW, sql("insert into W select x, 'abcdefghijklmnopqrstuvwxyz' from system_range(1, 300000)")];

const TABLES: readonly Attack[] = [
  statement(`create table W (id int primary key, ${listed((at) => `c${at} int`)})`),
  after(
    'a table of as many columns as possible',
    [DROP],
    statement(`create table W (id int primary key, ${columns(MOST + 1)})`, LONGER),
  ),
  after('many columns added to a table', NARROW, statement(`alter table W add column (${columns(MOST - 10)})`, LONGER)),
  after(
    '300 columns of a table whose changes are recorded',
    [DROP],
    statement(`create table W (id int primary key, ${columns(300)}) with "change_feed=true"`, LONGER),
  ),
  after('a column added to a table of 300,000 rows', LONG, statement('alter table W add column c int', LONGER)),
  after(
    'a row of many columns',
    WIDE,
    statement(`insert into W values (1, ${numbered(MOST, String, ',')})`, { count: 8 }),
  ),
  after('as many columns of no row as possible', WIDE, statement('select a.*, b.* from W a, W b', { count: 8 })),
  after('a row by key of many columns', WIDE, statement('select * from W where id = 1', { count: 32 })),
  after('an update of many columns', WIDE, statement(`update W set ${columns(MOST, ' = 1')} where id = 1`)),
  after('very many values of an INSERT', NARROW, statement(`insert into W values (${listed(() => '1')})`)),
];

/** The maximum number of arguments in a request, with room for its other parameters. */
const ARGUMENTS = DEFAULT_LIMITS.parametersPerRequest - 10;

/** Returns a form with a statement and arguments; typed ones have their type in a separate parameter. */
function withArguments(qry: string, count: number, argument = 'x', type = ''): string {
  const typed = (at: number) => (type === '' ? '' : `&arg${at + 1}Type=${type}`);
  const params = new URLSearchParams({ cmd: 'qryfldexe', pageSize: '1', timeout: '10000', qry });
  return `${params}${numbered(count, (at) => `&arg${at + 1}=${argument}${typed(at)}`)}`;
}

/** Returns a form with a batch of statements with a thousand arguments each. */
function batchOfStatements(atomic: string): string {
  const statement = { cmd: 'qryfldexe', pageSize: 1, qry: 'select 1', args: Array(1_000).fill('1') };
  const commands = JSON.stringify(Array(DEFAULT_LIMITS.batchCommands).fill(statement));
  return new URLSearchParams({ cmd: 'batch', atomic, timeout: '10000', commands }).toString();
}

const MANY = { anyEngine: false };

export const WIDE_ATTACKS: readonly Attack[] = [
  ...TABLES,
  body('as many arguments of a statement as possible', FORM, () => withArguments('select 1', ARGUMENTS), MANY),
  body('many decimals', FORM, () => withArguments('select 1', ARGUMENTS / 2, '1.5', 'decimal'), MANY),
  body(
    'many arguments of a change by key',
    FORM,
    () => withArguments('update T set n = 1 where id = 1', ARGUMENTS),
    MANY,
  ),
  body(
    'many arguments of IN',
    FORM,
    () => {
      const marks = numbered(ARGUMENTS / 2, () => '?', ',');
      return withArguments(`select count(*) from T where id in (${marks})`, ARGUMENTS / 2, '1', 'int');
    },
    MANY,
  ),
  body('a batch of statements with many arguments', FORM, () => batchOfStatements('false'), MANY),
  body('an atomic batch of statements with many arguments', FORM, () => batchOfStatements('true'), MANY),
];
