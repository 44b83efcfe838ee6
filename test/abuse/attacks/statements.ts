/** Attacks with statements that are expensive to parse, fold, run or keep. */
import { type Attack, after, command, filled, listed, numbered, series, sql, statement } from './attack.ts';

/** Contents that make the longest statement expensive to read. */
const READING: ReadonlyArray<readonly [text: string, atOnce: number]> = [
  ['/* ', 1],
  ['-- \n', 1],
  [" '", 1],
  [' $$', 1],
  ['(', 8],
  [' select', 8],
  ['é', 1],
];

/** The longest statements that are expensive to parse. */
const PARSED: readonly string[] = [
  `create user ${filled('a', 60_000)} with password '${filled('x', 60_000)}'`,
  `select ${filled("'a'||")}'a'`,
  `select 1 where 1 in (${filled('1,')}1)`,
  `select ${filled('case when 1=1 then ', 60_000)}1${filled(' end', 12_000)}`,
  `select 1 ${filled('union all select 1 ')}`,
  `select * from ${listed((at) => `T t${at}`)}`,
  `values ${filled('(1),')}(1)`,
  `select count(*) from T where ${listed((at) => `id = ${at}`, ' or ')}`,
  `select ${filled('sum(n) over (order by id),')}1 from T`,
  `select ${listed((at) => `${at} as "a${at}"`)}`,
  `select ${filled('(select ', 60_000)}1${filled(')', 7_000)}`,
];

/** Definitions that double with each level. */
const DOUBLING: readonly Attack[] = [
  statement(
    `with c0 as (select 1 as n), ${numbered(40, (at) => `c${at + 1} as (select a.n from c${at} a, c${at} b)`, ', ')}
      select count(*) from c40`,
  ),
  statement(`select * from ${'(select a.*, b.* from '.repeat(20)}T${' a, T b) x'.repeat(20)}`),
  statement(`select * from ${numbered(60, (at) => `T t${at}`, ' natural join ')}`),
  after(
    'views that double',
    [
      sql('create view if not exists DV0 as select id from T'),
      ...Array.from({ length: 30 }, (_, at) =>
        sql(`create view if not exists DV${at + 1} as select a.id from DV${at} a, DV${at} b`),
      ),
    ],
    statement('select count(*) from DV30'),
  ),
];

/** A pattern with many steps: the expression that is used in every place. */
const LIKE = "S like '%a%a%a%a%a%a%a%a%b'";

/** Expressions that are expensive; `S` is replaced by a text of 200 characters, a constant or a stored value. */
const EXPRESSIONS: readonly string[] = [
  LIKE,
  "regexp_like(S, '(a+)+b')",
  "regexp_like(S, '(?=(a+))\\1b')",
  "regexp_replace(S, '(a|aa)+$', 'x')",
  "hash('SHA256', stringtoutf8(S), 10000000)",
  'length(stringencode(repeat(S, 100000)))',
  "length(xmlnode('a', null, repeat(char(10), 30000000)))",
  'length(repeat(S, 100000000))',
  "length(lpad(S, 2000000000, 'x'))",
  "length(replace(repeat(S, 100000), 'a', repeat('b', 1000)))",
  "length(encrypt('AES', '00', stringtoutf8(repeat(S, 100000))))",
  "to_char(1, repeat('9', 1000000))",
  'power(10.0, 1000000000)',
  'length(secure_rand(2000000000))',
  "parsedatetime(repeat('a', 1000000), repeat('''', 1000000))",
  "cast(repeat('9', 10000000) as decimal)",
  "regexp_replace(repeat('a', 5000000), 'a', repeat('$0', 1000))",
  "repeat('a', 1000000) like repeat('%a', 500000)",
  'array_contains((select array_agg(x) from system_range(1, 1000000)), -1)',
];

const asConstant = (expression: string) => expression.replaceAll(/\bS\b/g, "repeat('a',200)");
const asColumn = (expression: string) => expression.replaceAll(/\bS\b/g, 'v');

const TWO_TABLES = '(select count(*) from T a, T b, T c)';
const ENDLESS = '(select count(*) from system_range(1, 100000000) a, system_range(1, 100000000) b)';

/** Places that are read or folded by different code from the select list. */
const PLACES: readonly string[] = [
  'select 1 from T where id = 1 and (X) is null',
  'explain analyze select X',
  'select id from T limit casewhen((X) is null, 1, 2)',
  'merge into T (id, v) values (100001, cast(X as varchar))',
  'update T set v = cast(X as varchar) where id = 2',
  'create table if not exists AB (id int primary key, v varchar default X)',
];

/** Statements that never end, or whose memory grows without limit. */
const RUNNING: readonly Attack[] = [
  statement(`select ${TWO_TABLES}`),
  statement(`select ${ENDLESS} from T where id = 1`),
  // More than the statement processes that run at first.
  statement(`select ${ENDLESS}`, { count: 6 }),
  statement(`select ${ENDLESS}`, { params: { maxRows: '1', timeout: '0' }, leaves: true }),
  statement(`update T set n = ${ENDLESS}`),
  statement(`delete from T where ${ENDLESS} < 0`),
  statement("insert into T (id, v) select 300000 + x, repeat('a', 1000000) from system_range(1, 100000)"),
  statement("with recursive r(n,s) as (select 1,'a' union all select n+1, s||s from r) select count(*) from r"),
  statement("select length(array_agg(repeat('a',30000000)||x)) from system_range(1,100000)"),
  statement("select count(distinct repeat('a',3000000)||x) from system_range(1,100000)"),
  statement("select repeat('a',3000000)||x from system_range(1,100000) order by 1"),
  statement('select x, count(*) from system_range(1,1000000000) group by x'),
  statement('select a.x from system_range(1,1000000000) a union select b.x from system_range(1,1000000000) b'),
  statement('create index TX on T (n)'),
];

const LONG_TEXT = "repeat('a',100)||x";

/** Statements that collect rows in memory; more run at once than there are statement processes. */
const COLLECTING: readonly Attack[] = [
  `length(array_agg(${LONG_TEXT})) from system_range(1,100000000)`,
  `array_agg(${LONG_TEXT}) from system_range(1,75000)`,
  `array_agg(${LONG_TEXT}) over (order by x) from system_range(1,100000000)`,
  'sum(x) over (order by x rows between unbounded preceding and unbounded following) from system_range(1,100000000)',
  `length(group_concat(${LONG_TEXT})) from system_range(1,100000000)`,
  `max(${LONG_TEXT}) from system_range(1,100000000) group by mod(x, 1000000)`,
  `count(*) from system_range(1,100000000) where regexp_like(${LONG_TEXT}, '(a+)+b')`,
  `${LONG_TEXT} from system_range(1,100000000) order by 1`,
].map((text) => statement(`select ${text}`, { count: 8 }));

/** Statements of different kinds in one process, whose memory must not add up. */
const DIFFERENT_KINDS: readonly string[] = [
  `x${filled('(')}`,
  `select ${filled("'a'||")}'a'`,
  `values ${filled('(1),')}(1)`,
  'select length(repeat(v, 100000000)) from T where id = 1',
  "select length(array_agg(repeat('a',30000000)||x)) from system_range(1,100000)",
  "with recursive r(n,s) as (select 1,'a' union all select n+1, s||s from r) select count(*) from r",
  "select repeat('a',3000000)||x from system_range(1,100000) order by 1",
  'select x, count(*) from system_range(1,1000000000) group by x',
  "insert into T (id, v) select 400000 + x, repeat('a', 1000000) from system_range(1, 100000)",
  `update T set n = ${ENDLESS}`,
];

export const STATEMENT_ATTACKS: readonly Attack[] = [
  ...READING.map(([text, atOnce]) =>
    command({ cmd: 'qryfldexe', pageSize: '1', qry: `x${filled(text)}` }, atOnce, {
      anyEngine: true,
      limitMs: atOnce * 1_000,
    }),
  ),
  ...PARSED.map((qry) => statement(qry)),
  ...DOUBLING,
  ...RUNNING,
  ...COLLECTING,
  series(`${DIFFERENT_KINDS.length} statements of different kinds, one after another`, DIFFERENT_KINDS),
];

export const EXPRESSION_ATTACKS: readonly Attack[] = [
  ...EXPRESSIONS.map((expression) => statement(`select ${asConstant(expression)}`)),
  statement(`select ${asColumn(LIKE)} from T where id = 1`),
  statement(`select count(*) from T where (${asColumn("regexp_like(S, '(a+)+b')")}) is null`),
  ...PLACES.map((place) => statement(place.replace('X', asConstant(LIKE)))),
];
