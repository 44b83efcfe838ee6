/** Attacks with statements that are expensive to parse, to fold, to run, or to keep. */
import { type Attack, command, series, short, statement } from './attack.ts';

const commented = (text: string, count: number, atOnce = 1) =>
  command({ cmd: 'qryfldexe', pageSize: '1', qry: `x${text.repeat(count)}` }, atOnce, {
    anyEngine: true,
    limitMs: atOnce * 1_000,
  });

/** Statements that are expensive to tokenize and to parse. */
const READING: readonly Attack[] = [
  ...short(
    commented('/* ', 180_000),
    commented('-- \n', 200_000),
    commented(" '", 300_000),
    command({ cmd: 'qryexe', pageSize: '1', type: 'T', qry: `x${'/* '.repeat(180_000)}` }, 1, { anyEngine: true }),
  ),
  commented('//', 400_000),
  commented(' "', 300_000),
  commented(' `', 300_000),
  commented(' $$', 250_000),
  commented('$', 900_000),
  commented('(', 900_000),
  commented(' ?', 400_000),
  commented('\n', 900_000),
  commented(' select', 120_000),
  commented(',', 900_000),
  commented('.', 900_000),
  commented('é', 400_000),
  // Scans and parses that must not add up to a stall.
  ...['(', ' ?', ' select', ',', '.'].map((text) => commented(text, Math.floor(900_000 / text.length), 8)),
  command({ cmd: 'qryfldexe', pageSize: '1', qry: '/* '.repeat(300_000) }, 1, { anyEngine: true }),
  command({
    cmd: 'qryfldexe',
    pageSize: '1',
    qry: `create user ${'a'.repeat(500_000)} with password '${'x'.repeat(400_000)}'`,
  }),
  command({ cmd: 'qryscanexe', pageSize: '1', cacheName: 'SQL_PUBLIC_T', className: '/* '.repeat(300_000) }),
  statement(`select ${'1+'.repeat(100_000)}1`),
  statement(`select ${'('.repeat(50_000)}1${')'.repeat(50_000)}`),
  statement(`select ${"'a'||".repeat(100_000)}'a'`),
  statement(`select 1 where 1 in (${'1,'.repeat(200_000)}1)`),
  statement(`select ${'case when 1=1 then '.repeat(5_000)}1${' end'.repeat(5_000)}`),
  statement(`select 1 ${'union all select 1 '.repeat(20_000)}`),
  statement(`select * from ${Array.from({ length: 2_000 }, (_, at) => `T t${at}`).join(', ')}`),
  statement(`values ${'(1),'.repeat(100_000)}(1)`),
];

/** Expressions that are expensive; `S` is replaced by a text of 200 characters, a constant or a stored value. */
const EXPRESSIONS: readonly string[] = [
  "S like '%a%a%a%a%a%a%a%a%b'",
  "S not like '%a%a%a%a%a%a%a%a%a%a%b'",
  "S like '%_a%_a%_a%_a%_a%_a%_b'",
  "S ilike '%a%a%a%a%a%a%a%a%b'",
  "regexp_like(S, '(a+)+b')",
  "regexp_like(S, '(a|a)*b')",
  "regexp_like(S, '(a*)*c')",
  "regexp_like(S, '(?=(a+))\\1b')",
  "regexp_like(S, '(a+)\\1+b')",
  "regexp_replace(S, '(a+)+b', 'x')",
  "regexp_replace(S, '(a|aa)+$', 'x')",
  "S regexp '(a+)+b'",
  "regexp_like(S, '(((a{1,100}){1,100}){1,100})b')",
  "hash('SHA256', stringtoutf8(S), 10000000)",
  'length(stringencode(repeat(S, 100000)))',
  'length(stringdecode(repeat(S, 100000)))',
  "length(xmlnode('a', null, repeat(S, 150000)))",
  "length(xmlnode('a', null, repeat(char(10), 30000000)))",
  'length(xmltext(repeat(S, 100000)))',
  "length(xmlcomment(repeat('-', 20000000)))",
  'length(stringencode(repeat(char(0), 20000000)))',
  'length(repeat(S, 100000000))',
  'length(space(2000000000))',
  "length(lpad(S, 2000000000, 'x'))",
  "length(rpad(S, 2000000000, 'x'))",
  "length(replace(repeat(S, 100000), 'a', repeat('b', 1000)))",
  "length(translate(repeat(S, 100000), 'a', 'b'))",
  'soundex(repeat(S, 100000))',
  'length(compress(stringtoutf8(repeat(S, 200000))))',
  "length(encrypt('AES', '00', stringtoutf8(repeat(S, 100000))))",
  'length(rawtohex(repeat(S, 100000)))',
  "difference(repeat(S, 100000), 'a')",
  "locate('ab', repeat(S, 500000))",
  "instr(repeat(S, 100000), repeat('a', 100000) || 'b')",
  "position(repeat('a', 100000) || 'b', repeat(S, 100000))",
  'upper(repeat(S, 1000000)) = lower(repeat(S, 1000000))',
  "parsedatetime(repeat('1', 50000), 'yyyy')",
  "formatdatetime(now(), repeat('y', 1000000))",
  "to_char(1, repeat('9', 1000000))",
  "to_char(now(), repeat('YYYY', 200000))",
  'power(10.0, 1000000000)',
  'length(cast(1e300 as decimal) || S)',
];

const asConstant = (expression: string) => expression.replaceAll(/\bS\b/g, "repeat('a',200)");
const asColumn = (expression: string) => expression.replaceAll(/\bS\b/g, 'v');

/** Returns each expression as a constant, on a stored value by key, and in changing statements. */
function placed(expression: string): Attack[] {
  const constant = asConstant(expression);
  const column = asColumn(expression);
  return [
    statement(`select ${constant}`),
    statement(`select ${column} from T where id = 1`),
    statement(`update T set n = 1 where id = 1 and (${column}) is not null`),
    statement(`select count(*) from T where (${column}) is null`),
  ];
}

/** Places of a constant that other code reads or folds than that of the select list. */
const PLACES: readonly string[] = [
  'select X',
  'values (X)',
  'select 1 from T where (X) is null',
  'select 1 from T where id = 1 and (X) is null',
  'explain select X',
  'explain analyze select X',
  'select case when (X) is null then 1 end',
  'select * from T order by X',
  'select id from T limit casewhen((X) is null, 1, 2)',
  'select coalesce(null, X)',
  'select 1 group by X',
  'select max(X)',
  'select (select X)',
  'with c(x) as (select X) select x from c',
  'insert into T (id, v) values (100001, cast(X as varchar))',
  'merge into T (id, v) values (100001, cast(X as varchar))',
  'update T set v = cast(X as varchar) where id = 2',
  'delete from T where id = 100002 and (X) is null',
  'create table if not exists AB (id int primary key, v varchar default X)',
  'create view if not exists ABV as select X as x',
];

const TWO_TABLES = '(select count(*) from T a, T b, T c)';
const ENDLESS = '(select count(*) from system_range(1, 100000000) a, system_range(1, 100000000) b)';

/** Statements that never end, or whose memory grows without end. */
const RUNNING: readonly Attack[] = [
  ...short(
    statement(`select ${TWO_TABLES}`),
    statement(`select ${ENDLESS} from T where id = 1`),
    statement("select length(array_agg(repeat('a',30000000)||x)) from system_range(1,100000)"),
    statement("with recursive r(n,s) as (select 1,'a' union all select n+1, s||s from r) select count(*) from r"),
    statement(`update T set n = ${ENDLESS}`),
    // More than the query threads that run at first.
    statement(`select ${ENDLESS}`, { count: 6 }),
  ),
  statement(`values (${TWO_TABLES})`),
  statement(`select exists (select 1 from T a, T b, T c where a.id + b.id + c.id < 0)`),
  statement(`select 1 where 5 in (select a.id + b.id + c.id from T a, T b, T c where a.id < 0)`),
  statement(`select 1 where 5 > all (select a.id from T a, T b, T c where a.id < 0)`),
  statement(`select v from T where id = ${TWO_TABLES}`),
  statement(`select v from T where id = 1 order by ${ENDLESS}`),
  statement(`update T set n = ${ENDLESS} where id = 1`),
  statement(`delete from T where id = 1 and ${ENDLESS} < 0`),
  statement(`insert into T (id, n) values (100003, ${ENDLESS})`),
  statement(`insert into T (id, n) select 200000 + x, ${ENDLESS} from system_range(1, 10)`),
  statement(`merge into T (id, n) values (100004, ${ENDLESS})`),
  statement("insert into T (id, v) select 300000 + x, repeat('a', 1000000) from system_range(1, 100000)"),
  statement(`delete from T where ${ENDLESS} < 0`),
  statement("select length(group_concat(repeat('a',30000000)||x)) from system_range(1,100000)"),
  statement("select length(listagg(repeat('a',30000000), ',')) from system_range(1,100000)"),
  statement("select max(repeat('a',30000000)||x) from system_range(1,100000)"),
  statement("select count(distinct repeat('a',3000000)||x) from system_range(1,100000)"),
  statement("select repeat('a',3000000)||x from system_range(1,100000) order by 1"),
  statement("select distinct repeat('a',3000000)||x from system_range(1,100000)"),
  statement('select x, count(*) from system_range(1,1000000000) group by x'),
  statement("select repeat('a',3000000)||x, count(*) from system_range(1,100000) group by 1"),
  statement('select array_agg(x) over (order by x) from system_range(1,100000)'),
  statement('select a.x from system_range(1,1000000000) a union select b.x from system_range(1,1000000000) b'),
  statement('with recursive r(n) as (select 1 union all select n+1 from r) select count(*) from r'),
  statement('with recursive r(n) as (select 1 union select n+1 from r) select max(n) from r'),
  statement(`explain analyze select ${ENDLESS}`),
  statement(`create index TX on T (n)`),
  statement('select median(x) from system_range(1,1000000000)'),
  statement(`select ${ENDLESS}`, { params: { maxRows: '1', timeout: '0' }, leaves: true }),
];

const LONG_TEXT = "repeat('a',100)||x";

/** What statements collect in memory; as many at once as there are query threads and more. */
const COLLECTING: readonly Attack[] = [
  `length(array_agg(${LONG_TEXT})) from system_range(1,100000000)`,
  `length(array_agg(${LONG_TEXT})) from system_range(1,75000)`,
  `array_agg(${LONG_TEXT}) from system_range(1,75000)`,
  'array_length(array_agg(x)) from system_range(1,150000)',
  'array_agg(x order by x desc) from system_range(1,100000000)',
  `array_agg(distinct ${LONG_TEXT}) from system_range(1,100000000)`,
  `array_agg(${LONG_TEXT}) over (order by x) from system_range(1,100000000)`,
  `array_agg(${LONG_TEXT}) over (order by x rows between 1000 preceding and current row) from system_range(1,100000000)`,
  'sum(x) over (order by x rows between unbounded preceding and unbounded following) from system_range(1,100000000)',
  `length(group_concat(${LONG_TEXT})) from system_range(1,100000000)`,
  `length(upper(group_concat(${LONG_TEXT}))) from system_range(1,150000)`,
  `length(string_agg(distinct ${LONG_TEXT})) from system_range(1,100000000)`,
  `median(${LONG_TEXT}) from system_range(1,100000000)`,
  'median(x) from system_range(1,100000000)',
  'median(x + 0.5) from system_range(1,100000000)',
  `count(distinct ${LONG_TEXT}) from system_range(1,100000000)`,
  `selectivity(${LONG_TEXT}) from system_range(1,100000000)`,
  `max(${LONG_TEXT}) from system_range(1,100000000) group by mod(x, 1000000)`,
  `count(*) from system_range(1,100000000) where regexp_like(${LONG_TEXT}, '(a+)+b')`,
  `${LONG_TEXT} from system_range(1,100000000) order by 1`,
].map((text) => statement(`select ${text}`, { count: 8 }));

/** Statements of different kinds in one process, whose memory must not add up. */
const DIFFERENT_KINDS: readonly string[] = [
  `x${'('.repeat(900_000)}`,
  `select ${"'a'||".repeat(100_000)}'a'`,
  `select 1 where 1 in (${'1,'.repeat(200_000)}1)`,
  `values ${'(1),'.repeat(100_000)}(1)`,
  `select 1 ${'union all select 1 '.repeat(20_000)}`,
  `x${'.'.repeat(900_000)}`,
  `select '${'x'.repeat(900_000)}'`,
  ...[14, 16, 18, 21, 25, 27, 28].map((at) => `select ${asConstant(EXPRESSIONS[at] ?? '')}`),
  "select length(array_agg(repeat('a',30000000)||x)) from system_range(1,100000)",
  "with recursive r(n,s) as (select 1,'a' union all select n+1, s||s from r) select count(*) from r",
  "select length(group_concat(repeat('a',30000000)||x)) from system_range(1,100000)",
  "select repeat('a',3000000)||x from system_range(1,100000) order by 1",
  'select x, count(*) from system_range(1,1000000000) group by x',
  "insert into T (id, v) select 400000 + x, repeat('a', 1000000) from system_range(1, 100000)",
  'select array_agg(x) over (order by x) from system_range(1,100000)',
  `update T set n = ${ENDLESS}`,
  `select ${TWO_TABLES}`,
];

export const STATEMENT_ATTACKS: readonly Attack[] = [
  ...READING,
  ...short(
    ...[0, 4, 8, 9, 13, 17, 20].map((at) => statement(`select ${asConstant(EXPRESSIONS[at] ?? '')}`)),
    ...[0, 9].map((at) => statement(`select ${asColumn(EXPRESSIONS[at] ?? '')} from T where id = 1`)),
  ),
  ...EXPRESSIONS.flatMap(placed),
  ...PLACES.map((place) => statement(place.replace('X', asConstant(EXPRESSIONS[0] ?? '')))),
  ...PLACES.map((place) => statement(place.replace('X', asConstant(EXPRESSIONS[13] ?? '')))),
  ...PLACES.map((place) => statement(place.replace('X', TWO_TABLES))),
  ...RUNNING,
  ...COLLECTING,
  series(`${DIFFERENT_KINDS.length} statements of different kinds, one after another`, DIFFERENT_KINDS),
];
