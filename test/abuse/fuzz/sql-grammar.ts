/** Grammar of SQL statements over the tables, with the constants that are hard to handle. */
import type { Random } from '../../simulation/random.ts';
import { damage, oneIn, several } from './mutations.ts';

/** Tables and a view that the statements name. */
export const DEFINITIONS = [
  'create table T (id int primary key, v varchar, n decimal, d double, ts timestamp, b boolean)',
  'create table U (a int, b varchar, c int, primary key (a, b))',
  'create index TV on T (v)',
] as const;

/** Columns of T, and names that are rarely valid. */
const COLUMNS = ['id', 'v', 'n', 'd', 'ts', 'b'] as const;
const ODD_COLUMNS = ['T.id', 'a', 'c', '_KEY', '_VAL', 'nope', '"ID"', '`id`', '*', 'T.*'] as const;
const SOURCES = [
  'T a',
  'U b',
  'U',
  'PUBLIC.T',
  'NOPE',
  '(select 1 as id, 2 as v) s',
  'system_range(1, 10) r',
  'table(id int=(1,2)) t',
] as const;
const CONSTANTS = [
  '0',
  '1',
  '-1',
  '1.5',
  '1e999999999',
  '2147483648',
  '9223372036854775807',
  "'a'",
  "''",
  "'%a_'",
  'null',
  'true',
  "date '2020-01-02'",
  "timestamp '2020-01-02 03:04:05'",
  "x'0aff'",
  '?',
  '?2',
  "'é😀'",
  '$$a$$',
  '0x1f',
] as const;
const OPERATORS = [
  '+',
  '-',
  '*',
  '/',
  '%',
  '||',
  '=',
  '<>',
  '<',
  '>',
  '<=',
  '>=',
  'and',
  'or',
  'like',
  'regexp',
] as const;
const FUNCTIONS = [
  'abs',
  'length',
  'upper',
  'repeat',
  'substring',
  'concat',
  'coalesce',
  'nullif',
  'round',
  'mod',
  'cast',
  'count',
  'sum',
  'max',
  'array_agg',
  'group_concat',
  'regexp_replace',
  'regexp_like',
  'to_char',
  'parsedatetime',
  'formatdatetime',
  'dateadd',
  'hash',
  'stringencode',
  'xmlnode',
  'lpad',
  'replace',
  'translate',
  'decode',
  'casewhen',
  'nosuch',
  'rand',
  'now',
  'bitand',
  'space',
  'soundex',
  'rawtohex',
  'compress',
] as const;
const TYPES = [
  'int',
  'varchar',
  'varchar(3)',
  'decimal(10,2)',
  'double',
  'timestamp',
  'boolean',
  'binary',
  'uuid',
] as const;
const WORDS = [
  'select',
  'from',
  'where',
  'group by',
  'order by',
  'limit',
  'union',
  'join',
  'on',
  '(',
  ')',
  ',',
  'not',
  'exists',
  'in',
  'case',
  'when',
  'end',
  'as',
  ';',
  '--',
  '/*',
  "'",
  '"',
  '$$',
  '?',
  'distinct',
  'for update',
  'over',
  'values',
  'set',
  '\ud800',
  '{ts ',
] as const;

/** A statement; one in four is damaged. */
export function generateStatement(random: Random): string {
  const text = statement(random);
  return oneIn(random, 4) ? damage(random, text, WORDS) : text;
}

function statement(random: Random): string {
  switch (random.below(16)) {
    case 0:
      return `insert into T (id, v) values (${expression(random, 2)}, ${expression(random, 1)})`;
    case 1:
      return `merge into U (a, b, c) values (1, ${expression(random, 1)}, ${expression(random, 1)})`;
    case 2:
      return `update T set v = ${expression(random, 2)} ${where(random)}`;
    case 3:
      return `delete from T ${where(random)}`;
    case 4:
      return `insert into T (id, v) ${query(random, 2)}`;
    case 5:
      return `create table ${random.pick(['T', 'X', '"y z"'])} (id ${random.pick(TYPES)} primary key, v ${random.pick(TYPES)} default ${expression(random, 1)})`;
    case 6:
      return random.pick([
        'drop table T',
        'drop table if exists X',
        'create index I on T (v desc)',
        'alter table T add column x int',
        'alter table T drop column v',
        'truncate table T',
        'analyze T',
        "kill query async 'a_1'",
        'set streaming on',
        'create view W as select 1',
        'call 1',
      ]);
    case 7:
      return `explain ${query(random, 2)}`;
    case 8:
      return `with c(x) as (${query(random, 1)}) select x from c`;
    case 9:
      return `merge into T using U on T.id = U.a when matched then update set v = ${expression(random, 1)}`;
    default:
      return query(random, 3);
  }
}

function query(random: Random, depth: number): string {
  const items = several(
    random,
    1,
    oneIn(random, 2) ? 1 : 3,
    () => `${expression(random, depth)}${oneIn(random, 5) ? ' as x' : ''}`,
  ).join(', ');
  const head = `select ${oneIn(random, 10) ? 'distinct ' : ''}${items}`;
  if (oneIn(random, 8)) return head;
  let text = `${head} from ${source(random, depth)} ${where(random)}`;
  if (oneIn(random, 6))
    text += ` group by ${column(random)}${oneIn(random, 2) ? ` having ${expression(random, 1)}` : ''}`;
  if (oneIn(random, 6)) text += ` order by ${oneIn(random, 2) ? '1' : expression(random, 1)} desc`;
  if (oneIn(random, 6)) text += ` limit ${random.pick(CONSTANTS)}`;
  if (oneIn(random, 12) && depth > 0)
    text += ` ${random.pick(['union', 'union all', 'except', 'intersect'])} ${query(random, depth - 1)}`;
  return text;
}

function source(random: Random, depth: number): string {
  const first = oneIn(random, 4) ? random.pick(SOURCES) : 'T';
  if (oneIn(random, 4)) return `${first}, ${random.pick(SOURCES)}`;
  if (oneIn(random, 4)) {
    return `${first} ${random.pick(['', 'left', 'right', 'inner', 'cross'])} join ${random.pick(SOURCES)} on ${expression(random, 1)}`;
  }
  return oneIn(random, 10) && depth > 0 ? `(${query(random, depth - 1)}) q` : first;
}

function where(random: Random): string {
  return oneIn(random, 3) ? '' : `where ${oneIn(random, 3) ? 'id = ?' : expression(random, 2)}`;
}

function column(random: Random): string {
  return oneIn(random, 12) ? random.pick(ODD_COLUMNS) : random.pick(COLUMNS);
}

function expression(random: Random, depth: number): string {
  if (depth <= 0 || oneIn(random, 3)) return oneIn(random, 2) ? random.pick(CONSTANTS) : column(random);
  const inner = () => expression(random, depth - 1);
  switch (random.below(11)) {
    case 0:
    case 1:
      return `${inner()} ${random.pick(OPERATORS)} ${inner()}`;
    case 10:
      return `${inner()} is ${oneIn(random, 2) ? 'not ' : ''}null`;
    case 2:
      return `(${inner()})`;
    case 3:
      return `case when ${inner()} then ${inner()} else ${inner()} end`;
    case 4:
      return `cast(${inner()} as ${random.pick(TYPES)})`;
    case 5:
      return `${inner()} ${random.pick(['in', 'not in'])} (${several(random, 1, 3, inner).join(', ')})`;
    case 6:
      return `${inner()} between ${inner()} and ${inner()}`;
    case 7:
      return oneIn(random, 2) ? `(${query(random, depth - 1)})` : `exists (${query(random, depth - 1)})`;
    default:
      return `${random.pick(FUNCTIONS)}(${several(random, 0, 3, inner).join(', ')})`;
  }
}
