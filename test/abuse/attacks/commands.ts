/** Attacks with other commands than statements, with large pages, and with names that double when they are expanded. */
import { type Attack, after, body, command, FORM, newKey, type Params, post, request, statement } from './attack.ts';

const sql = (qry: string): Params => ({ cmd: 'qryfldexe', pageSize: '1', timeout: '10000', qry });
const times = (count: number, text: (at: number) => string, separator = ''): string =>
  Array.from({ length: count }, (_, at) => text(at)).join(separator);
const ENDLESS = '(select count(*) from system_range(1, 100000000) a, system_range(1, 100000000) b)';
const ENDLESS_UPDATE = `update T set n = ${ENDLESS}`;
const ATOMIC: Params = { atomic: 'true', timeout: '1000' };
const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** Returns a form with a batch of the same command. */
function batchOf(count: number, params: Params, options: Params = {}): string {
  const commands = JSON.stringify(Array.from({ length: count }, () => params));
  return new URLSearchParams({ cmd: 'batch', ...options, commands }).toString();
}

const asForm = (params: Params): string => new URLSearchParams(params).toString();

/** Returns a form with a putall of so many entries. */
function putAll(count: number): string {
  return `cmd=putall&cacheName=fuzz${times(count, (at) => `&k${at + 1}=a${at}&v${at + 1}=1`)}`;
}

/** Sends a form with an idempotency key on several connections at once. */
function keyed(title: string, form: string, count = 1): Attack {
  return request(title, () => post(FORM, form, '/svc', newKey()), count, { limitMs: 15_000, anyEngine: true });
}

/** Returns the head of a GET request. */
function get(target: string, ...lines: readonly string[]): string {
  return `${[`GET ${target} HTTP/1.1`, 'Host: a', ...lines].join('\r\n')}\r\n\r\n`;
}

const ALL_ROWS = { pageSize: '2147483647' };
/** A page that has begun ends at the time limit with its connection. */
const EARLY = { leaves: true, limitMs: 2_000 };
const MIB = 1024 * 1024;
/** Stores eight values of 7 MiB. */
const PUT_LONG = Array.from({ length: 8 }, (_, at) => ({
  cmd: 'put',
  cacheName: 'fuzz',
  key: `long${at}`,
  val: 'v'.repeat(7 * MIB),
}));
/** Stores four rows of two long texts. */
const LONG_ROWS = [
  sql('create table if not exists L (id int primary key, control varchar, plain varchar)'),
  ...[1, 2, 3, 4].map((id) => sql(`merge into L values (${id}, repeat(char(1), 16000000), repeat('a', 16000000))`)),
];
const PUT_TEXT = [{ cmd: 'put', cacheName: 'fuzz', key: 'text', val: 'a'.repeat(30_000_000) }];

/** Statements whose rows come in one page. */
const PAGES: readonly Attack[] = [
  statement('select x from system_range(1,1000000000)', { params: ALL_ROWS, ...EARLY }),
  statement('select x from system_range(1,1000000000)', { params: ALL_ROWS, ...EARLY, count: 8 }),
  statement("select repeat('a', 1000000) from system_range(1,100000)", { params: ALL_ROWS, ...EARLY }),
  statement("select repeat('a', 1000000) from system_range(1,100000)", { params: ALL_ROWS, ...EARLY, count: 8 }),
  statement('select repeat(char(1), 10000000) from system_range(1,1000)', { params: ALL_ROWS, ...EARLY }),
  statement('select repeat(char(1), 10000000) from system_range(1,1000)', { params: ALL_ROWS, ...EARLY, count: 8 }),
  statement("select repeat('a', 1000000) from system_range(1,100000)", {
    ...EARLY,
    params: { ...ALL_ROWS, maxRows: '300' },
  }),
  ...['control', 'plain'].flatMap((column) =>
    [`select ${column} from L`, `select ${column} from L where id = 1`].map((qry) =>
      after(
        `${qry} of 16,000,000 characters, eight at once`,
        LONG_ROWS,
        statement(qry, { params: ALL_ROWS, ...EARLY, count: 8 }),
      ),
    ),
  ),
  ...['text/csv', 'application/x-ndjson'].map((type) =>
    after(
      `rows of 16,000,000 characters as ${type}, eight at once`,
      LONG_ROWS,
      request(
        '',
        () => post(FORM, asForm({ ...ALL_ROWS, ...sql('select plain from L') }), '/svc', `Accept: ${type}`),
        8,
        {
          ...EARLY,
          limitMs: 10_000,
        },
      ),
    ),
  ),
  after(
    'scans of eight values of 7 MiB, eight at once',
    PUT_LONG,
    command({ cmd: 'qryscanexe', cacheName: 'fuzz', ...ALL_ROWS, timeout: '1000' }, 8, EARLY),
  ),
  after(
    'updates by key of rows of 16,000,000 characters, eight at once',
    LONG_ROWS,
    statement('update L set plain = lower(plain) where id = 1', { count: 8 }),
  ),
  statement('select * from T a, T b, T c', { params: ALL_ROWS, ...EARLY }),
  statement(`values ${'(1),'.repeat(100_000)}(1)`, { params: { pageSize: '200000' }, count: 4 }),
  statement('select array_agg(x) from system_range(1,1000000000) group by mod(x, 1000)', {
    params: ALL_ROWS,
    ...EARLY,
    count: 4,
  }),
  command({ cmd: 'qryscanexe', cacheName: 'SQL_PUBLIC_T', ...ALL_ROWS, timeout: '1000' }, 8),
];

/** Definitions that double with each level. */
const DOUBLING: readonly Attack[] = [
  statement(
    `with c0 as (select 1 as n), ${times(40, (at) => `c${at + 1} as (select a.n from c${at} a, c${at} b)`, ', ')}
      select count(*) from c40`,
  ),
  statement(`select ${'(select * from '.repeat(3)}T${')'.repeat(3)}`),
  statement(`select * from ${'(select *, * from '.repeat(25)}T${') x'.repeat(25)}`),
  statement(`select * from ${'(select a.*, b.* from '.repeat(20)}T${' a, T b) x'.repeat(20)}`),
  statement(`select ${'*,'.repeat(100_000)}* from T`),
  statement(`select ${'T.*,'.repeat(100_000)}T.* from T`),
  statement(`select ${times(2_000, (at) => `x as c${at}`, ',')} from system_range(1, 10)`),
  statement(`select * from ${times(60, (at) => `T t${at}`, ' natural join ')}`),
  statement(`select * from ${times(60, (at) => `T t${at}`, ' join ')}`),
  statement(`select count(*) from T where ${times(40_000, (at) => `id = ${at}`, ' or ')}`),
  statement(`select count(*) from T where ${times(40_000, (at) => `id <> ${at}`, ' and ')}`),
  statement(`select ${'not '.repeat(100_000)}true`),
  statement(`select ${'- '.repeat(200_000)}1`),
  statement(`select 1 order by ${times(50_000, () => '1', ',')}`),
  statement(`select count(*) from T group by ${times(50_000, () => 'id', ',')}`),
  statement(`select ${times(50_000, () => 'sum(n)', ',')} from T`),
  statement(`select ${times(5_000, () => 'sum(n) over (order by id)', ',')} from T`),
  statement(`create index WX on T (${times(50_000, () => 'n', ',')})`),
  statement(`insert into T (id) values ${times(100_000, (at) => `(${500_000 + at})`, ',')}`),
  statement(`select ${times(60_000, (at) => `${at} as "a${at}"`, ',')}`),
  statement(`select coalesce(${times(100_000, () => 'null', ',')})`),
  statement(`select greatest(${times(100_000, (at) => `${at}`, ',')})`),
  statement(`select concat(${times(100_000, () => "'a'", ',')})`),
  statement(`select (${times(100_000, () => '1', ',')}) = (${times(100_000, () => '1', ',')})`),
  statement(`select ${'array_get('.repeat(2_000)}(1,2)${',1)'.repeat(2_000)}`),
  statement(`select decode(1, ${times(100_000, (at) => `${at}`, ',')})`),
  statement(`select ${'cast('.repeat(3_000)}1${' as int)'.repeat(3_000)}`),
  statement(`select 1 ${'union select 1 '.repeat(20_000)}`),
  statement(`select 1 ${'except select 1 '.repeat(20_000)}`),
  statement(`select count(*) from ${'(select * from '.repeat(1_000)}T${') x'.repeat(1_000)}`),
  statement(`select ${'(select '.repeat(5_000)}1${')'.repeat(5_000)}`),
  statement(`select 1 where exists ${'(select 1 where exists '.repeat(2_000)}(select 1)${')'.repeat(2_000)}`),
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
  after(
    'views whose columns double',
    [
      sql('create view if not exists CV0 as select id as c0 from T'),
      ...Array.from({ length: 20 }, (_, at) =>
        sql(`create view if not exists CV${at + 1} as select a.*, b.* from CV${at} a, CV${at} b`),
      ),
    ],
    statement('select count(*) from CV20'),
  ),
];

/** Functions that the issue does not name. */
const FUNCTIONS: readonly Attack[] = [
  'length(secure_rand(2000000000))',
  "length(hextoraw(repeat('0041', 5000000)))",
  "length(insert(repeat('a',10000000), 1, 0, repeat('b',10000000)))",
  "length(concat_ws(repeat('a',10000000), 'a','b','c','d','e','f'))",
  "length(expand(compress(stringtoutf8(repeat('a', 30000000)))))",
  "length(decrypt('AES', '00', encrypt('AES', '00', stringtoutf8(repeat('a', 30000000)))))",
  "length(encrypt('XTEA', '00', stringtoutf8(repeat('a', 30000000))))",
  "ora_hash(repeat('a', 30000000))",
  "length(xmlcdata(repeat(']]>', 10000000)))",
  "length(xmlattr('a', repeat('\"', 10000000)))",
  "xmlnode('a', xmlattr('b', repeat('<', 5000000)), xmlnode('c', null, repeat(char(10), 5000000)))",
  'length(utf8tostring(stringtoutf8(repeat(char(8364), 10000000))))',
  "length(trim(both 'a' from repeat('a', 30000000) || 'b' || repeat('a', 30000000)))",
  "length(ltrim(repeat(' ', 50000000)))",
  "length(rtrim(repeat(' ', 50000000) || 'x'))",
  "to_date(repeat('1', 1000000), repeat('Y', 1000000))",
  "to_timestamp(repeat(' ', 1000000) || '2020', repeat(' ', 1000000) || 'YYYY')",
  "to_timestamp_tz('2020', repeat('YYYY ', 200000))",
  "parsedatetime('2020', repeat('y', 1000000))",
  "parsedatetime(repeat('a', 1000000), repeat('''', 1000000))",
  "formatdatetime(now(), repeat('''a', 1000000), 'en', 'UTC')",
  "to_char(1.5, repeat('FM', 500000))",
  "to_char(cast('1e1000' as decimal), repeat('9', 10000) || 'EEEE')",
  "to_char(123456789012345678901234567890, 'RN')",
  "dateadd('year', 9223372036854775807, now())",
  "dateadd('microsecond', -9223372036854775807, now())",
  'add_months(now(), 2147483647)',
  "datediff('nanosecond', date '0001-01-01', date '9999-12-31')",
  'truncate(1e300, -2147483648)',
  'round(1.5, 2147483647)',
  "round(cast('1e9999' as decimal), 2147483647)",
  'exp(1e308)',
  "cast(repeat('9', 10000000) as decimal)",
  "cast(repeat('9', 10000000) as bigint)",
  "cast(repeat('9', 10000000) || 'e-10000000' as double)",
  "cast(repeat('1', 10000000) as date)",
  "cast(repeat('f', 10000000) as uuid)",
  "cast(repeat('ff', 10000000) as binary)",
  "cast(stringtoutf8(repeat('a', 10000000)) as varchar)",
  "translate(repeat('a', 1000000), repeat('b', 1000000), repeat('c', 1000000))",
  "length(stringdecode(repeat('\\\\u0041', 3000000)))",
  "regexp_replace(repeat('a', 5000000), 'a', repeat('$0', 1000))",
  "regexp_replace(repeat('a', 1000000), '', 'xyz')",
  "regexp_like(repeat('a', 1000000), repeat('(a?){0,100}', 1000))",
  "regexp_like('a', repeat('(', 100000) || repeat(')', 100000))",
  "regexp_like('a', repeat('a|', 300000))",
  "regexp_like('a', repeat('[a-z]', 200000))",
  "regexp_like(repeat('a', 100000), '(?<=a{1,100})b')",
  "regexp_like(repeat('ab', 100000), '((ab)*+)+c')",
  "regexp_like('a', '\\p{L}{1000}{1000}')",
  "repeat('a', 1000000) like repeat('%a', 500000)",
  "repeat('a', 1000000) like repeat('_', 1000000) || '%b'",
  "repeat('a', 1000000) like '%' || repeat('a', 500000) || 'b'",
  'soundex(repeat(char(0), 30000000))',
  'array_contains((select array_agg(x) from system_range(1, 1000000)), -1)',
  "truncate_value(cast('1e9999' as decimal), 1, true)",
  "signal('45000', repeat('a', 30000000))",
].map((expression) => statement(`select ${expression}`));

/** Commands that are not statements. */
const COMMANDS: readonly Attack[] = [
  after(
    'getall of 56 MiB in eight values, eight at once',
    PUT_LONG,
    request('', () => post(FORM, `cmd=getall&cacheName=fuzz${times(8, (at) => `&k${at + 1}=long${at}`)}`), 8, {
      limitMs: 15_000,
    }),
  ),
  body(
    'putall of 56 MiB in eight values',
    FORM,
    () => `cmd=putall&cacheName=fuzz${times(8, (at) => `&k${at + 1}=many${at}&v${at + 1}=${'v'.repeat(7 * MIB)}`)}`,
  ),
  body('a command name of 20 MB', FORM, () => `cmd=${'getputt'.repeat(2_800_000)}`),
  body(
    '99,999 misspelt parameters',
    FORM,
    () => `cmd=get&key=a${times(99_990, (at) => `&cachenam${at.toString(36)}=x`)}`,
  ),
  body(
    '99,999 long unknown parameters',
    FORM,
    () => `cmd=get&key=a${times(99_990, (at) => `&${'parameterWithALongName'.repeat(8)}${at.toString(36)}=x`)}`,
  ),
  body(
    '50,000 keys in reverse order',
    FORM,
    () => `cmd=getall&cacheName=fuzz${times(50_000, (at) => `&k${50_000 - at}=a`)}`,
  ),
  body('50,000 keys of conkeys', FORM, () => `cmd=conkeys&cacheName=fuzz${times(50_000, (at) => `&k${at + 1}=a`)}`),
  body('50,000 keys of rmvall', FORM, () => `cmd=rmvall&cacheName=fuzz${times(50_000, (at) => `&k${at + 1}=a${at}`)}`),
  body('50,000 entries of putall', FORM, () => putAll(49_000)),
  body('4,000 entries of putall, eight at once', FORM, () => putAll(4_000), {}, 8),
  body('50,000 entries of putall, eight at once', FORM, () => putAll(49_000), { limitMs: 30_000 }, 8),
  body(
    '50,000 entries of putall as typed values',
    FORM,
    () => `${putAll(49_000)}&keyType=java.lang.String&valueType=long`,
  ),
  after(
    'getall of 50,000 entries, four at once',
    [Object.fromEntries(new URLSearchParams(putAll(49_000)))],
    body('', FORM, () => `cmd=getall&cacheName=fuzz${times(49_000, (at) => `&k${at + 1}=a${at}`)}`, {}, 4),
  ),
  body('an atomic batch with 50,000 entries of putall', FORM, () =>
    batchOf(4, { ...Object.fromEntries(new URLSearchParams(putAll(12_000))) }, { atomic: 'true', timeout: '10000' }),
  ),
  body('a batch with 50,000 entries of putall', FORM, () =>
    batchOf(4, Object.fromEntries(new URLSearchParams(putAll(12_000)))),
  ),
  body('a dry run of 50,000 entries of putall', FORM, () => `cmd=dryrun&of=putall&${putAll(49_000).slice(11)}`),
  body(
    'key numbers with many digits',
    FORM,
    () => `cmd=getall&cacheName=fuzz${times(1_000, (at) => `&k${'9'.repeat(10_000)}${at}=a`)}`,
  ),
  body('a gap in 50,000 keys', FORM, () => `cmd=getall&cacheName=fuzz${times(50_000, (at) => `&k${at * 2 + 1}=a`)}`),
  body('a dry run of a dry run', FORM, () => `cmd=dryrun&of=dryrun${'&of=dryrun'.repeat(90_000)}`),
  body(
    'a dry run of an endless statement',
    FORM,
    () =>
      new URLSearchParams({
        cmd: 'dryrun',
        of: 'qryfldexe',
        pageSize: '1',
        timeout: '1000',
        qry: ENDLESS_UPDATE,
      }).toString(),
    { limitMs: 1_000, anyEngine: false },
  ),
  body(
    'a dry run of a long page',
    FORM,
    () =>
      new URLSearchParams({
        cmd: 'dryrun',
        of: 'qryfldexe',
        pageSize: '2147483647',
        timeout: '1000',
        qry: 'select x from system_range(1, 1000000000)',
      }).toString(),
    { limitMs: 1_000, anyEngine: false },
  ),
  after(
    'a batch of 1,000 gets of long values',
    PUT_LONG,
    body(
      '',
      FORM,
      () => `cmd=batch&commands=[${times(1_000, () => '{"cmd":"get","cacheName":"fuzz","key":"long0"}', ',')}]`,
      { anyEngine: false },
    ),
  ),
  body(
    'a batch of 100 statements',
    FORM,
    () => batchOf(100, { ...sql('select count(*) from system_range(1,1000000)'), timeout: '1000' }),
    { anyEngine: false, limitMs: 100_000 },
  ),
  body(
    'an atomic batch of 1,000 updates',
    FORM,
    () => batchOf(1_000, { cmd: 'qryfldexe', pageSize: '1', qry: 'update T set n = n + 1' }, ATOMIC),
    { anyEngine: false, limitMs: 1_000 },
  ),
  body(
    'an atomic batch of endless updates',
    FORM,
    () => batchOf(1, { cmd: 'qryfldexe', pageSize: '1', qry: ENDLESS_UPDATE }, ATOMIC),
    { anyEngine: false, limitMs: 1_000 },
  ),
  body(
    'an atomic batch of 1,000 appends of long texts',
    FORM,
    () => batchOf(1_000, { cmd: 'append', cacheName: 'fuzz', key: 'grow', val: 'a'.repeat(4_000) }, ATOMIC),
    { limitMs: 1_000 },
  ),
  body(
    'nested batches',
    FORM,
    () => `cmd=batch&commands=${'[{"cmd":"batch","commands":'.repeat(50_000)}[]${'}]'.repeat(50_000)}`,
  ),
  after(
    'appends to a text of 30 MB, eight at once',
    PUT_TEXT,
    command({ cmd: 'append', cacheName: 'fuzz', key: 'text', val: 'b' }, 8, { limitMs: 15_000 }),
  ),
  after(
    'comparisons with a text of 30 MB, eight at once',
    PUT_TEXT,
    request('', () => post(FORM, `cmd=cas&cacheName=fuzz&key=text&val=b&val2=${'a'.repeat(7_000_000)}`), 8, {
      limitMs: 15_000,
    }),
  ),
  after(
    'appends with idempotency keys to a text of 30 MB, eight at once',
    PUT_TEXT,
    keyed('', 'cmd=append&cacheName=fuzz&key=text&val=b', 8),
  ),
  after(
    'comparisons with idempotency keys with a text of 30 MB, eight at once',
    PUT_TEXT,
    keyed('', `cmd=cas&cacheName=fuzz&key=text&val=b&val2=${'a'.repeat(7_000_000)}`, 8),
  ),
  keyed('a put of 30 MB with an idempotency key', `cmd=put&cacheName=fuzz&key=text&val=${'a'.repeat(30_000_000)}`),
  keyed('50,000 entries of putall with an idempotency key', putAll(49_000)),
  after(
    'gets of a text of 30 MB, 32 at once',
    PUT_TEXT,
    request('', () => post(FORM, 'cmd=get&cacheName=fuzz&key=text'), 32, { limitMs: 15_000 }),
  ),
  command({ cmd: 'cachelist', regex: '(a+)+b'.repeat(10_000) }, 8, { anyEngine: true, limitMs: 15_000 }),
  command({ cmd: 'cachelist', regex: '(a?){1000}{1000}' }, 8, { anyEngine: true, limitMs: 15_000 }),
  command({ cmd: 'cachelist', regex: '(?=(a+))\\1b' }, 8, { anyEngine: true, limitMs: 15_000 }),
  command({ cmd: 'cachelist', config: 'true' }, 8, { anyEngine: true, limitMs: 15_000 }),
  command({ cmd: 'log', lines: '2147483647' }, 8, { anyEngine: true, limitMs: 15_000 }),
  command({ cmd: 'log', from: '0', to: '2147483647' }, 8, { anyEngine: true, limitMs: 15_000 }),
  command({ cmd: 'metricshistory' }, 32, { anyEngine: true, limitMs: 15_000 }),
  command({ cmd: 'top', mtr: 'true', attr: 'true' }, 32, { anyEngine: true, limitMs: 15_000 }),
  command({ cmd: 'export', table: 'T', format: 'csv' }, 32, { limitMs: 15_000 }),
  command({ cmd: 'watch', follow: 'false', cacheName: ','.repeat(500_000) }, 8, { anyEngine: true, limitMs: 15_000 }),
  command({ cmd: 'watch', follow: 'false', cacheName: times(50_000, (at) => `c${at}`, ',') }, 8, {
    anyEngine: true,
    limitMs: 15_000,
  }),
  command({ cmd: 'watch', follow: 'false', cacheName: '*', from: '9'.repeat(500_000) }, 8, {
    anyEngine: true,
    limitMs: 15_000,
  }),
  command({ cmd: 'watch', follow: 'false', cacheName: '*', operation: ','.repeat(500_000) }, 8, {
    anyEngine: true,
    limitMs: 15_000,
  }),
  command({ cmd: 'import', cacheName: 'fuzz', columns: ','.repeat(500_000), format: 'csv' }, 8, {
    anyEngine: true,
    limitMs: 15_000,
  }),
  command({ cmd: 'roleassign', user: 'ann', roles: 'a,'.repeat(500_000) }, 8, { anyEngine: true, limitMs: 15_000 }),
  command({ cmd: 'apikeyadd', name: 'k', addresses: '::1,'.repeat(200_000) }, 8, { anyEngine: true, limitMs: 15_000 }),
  command({ cmd: 'export', table: '"a".'.repeat(500_000), format: 'csv' }, 8, { limitMs: 15_000 }),
  command({ cmd: 'res', id: `a${'~'.repeat(2_000_000)}` }, 8, { anyEngine: true, limitMs: 15_000 }),
  command({ cmd: 'qryfetch', pageSize: '1', qryId: '9'.repeat(2_000_000) }, 8, { anyEngine: true, limitMs: 15_000 }),
  statement(`create table WL (id int primary key, n int) with "${','.repeat(1_000_000)}"`, { count: 8 }),
  command({ cmd: 'apikeyadd', name: 'k', scope: `${'{"caches":'.repeat(400)}` }, 8, {
    anyEngine: true,
    limitMs: 15_000,
  }),
  command({ cmd: 'roleadd', name: 'k', rights: `{"caches":{"${'*a'.repeat(3_000)}":"read"}}` }, 8, {
    anyEngine: true,
    limitMs: 15_000,
  }),
  command({ cmd: 'exe', name: 'x'.repeat(5_000_000), p1: '1' }, 4, { anyEngine: true, limitMs: 15_000 }),
  body('99,999 parameters of a task', FORM, () => `cmd=exe&name=x${times(99_990, (at) => `&p${at + 1}=x`)}`),
  command({ cmd: 'put', cacheName: 'fuzz', key: 'a', val: '['.repeat(1_000_000), valueType: 'json' }, 4, {
    limitMs: 15_000,
  }),
  command({ cmd: 'put', cacheName: 'fuzz', key: 'a', val: '1', valueType: 'int[]'.repeat(100_000) }, 4, {
    limitMs: 15_000,
  }),
  command({ cmd: 'put', cacheName: 'fuzz', key: 'a', val: '9'.repeat(5_000_000), valueType: 'double' }, 4, {
    limitMs: 15_000,
  }),
  command({ cmd: 'put', cacheName: 'fuzz', key: 'a', val: '9'.repeat(5_000_000), valueType: 'decimal' }, 4, {
    limitMs: 15_000,
  }),
  command({ cmd: 'put', cacheName: 'fuzz', key: 'a', val: '9'.repeat(5_000_000), valueType: 'long' }, 4, {
    limitMs: 15_000,
  }),
  command({ cmd: 'put', cacheName: 'fuzz', key: 'a', val: '2'.repeat(5_000_000), valueType: 'timestamp' }, 4, {
    limitMs: 15_000,
  }),
  command({ cmd: 'put', cacheName: 'fuzz', key: 'a', val: 'f'.repeat(5_000_000), valueType: 'uuid' }, 4, {
    limitMs: 15_000,
  }),
  command({ cmd: 'incr', key: 'a'.repeat(60_000), delta: '9'.repeat(1_000_000) }, 4, { limitMs: 15_000 }),
];

/** Requests whose heads are expensive. */
const HEADS: readonly Attack[] = [
  pipelined(
    '10,000 pipelined /openapi.json that are not read',
    'GET /openapi.json HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n',
    10_000,
  ),
  pipelined(
    '10,000 pipelined /docs',
    'GET /docs HTTP/1.1\r\nHost: a\r\nAccept-Encoding: br, zstd, gzip\r\n\r\n',
    10_000,
  ),
  pipelined('10,000 pipelined /console', 'GET /console HTTP/1.1\r\nHost: a\r\n\r\n', 10_000),
  pipelined('10,000 pipelined /metrics', 'GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n', 10_000),
  after(
    '10,000 pipelined gets of a long value',
    PUT_TEXT,
    pipelined('', 'GET /svc?cmd=get&cacheName=fuzz&key=text HTTP/1.1\r\nHost: a\r\n\r\n', 10_000),
  ),
  after(
    '10,000 pipelined gets of a long value, compressed',
    PUT_TEXT,
    pipelined(
      '',
      'GET /svc?cmd=get&cacheName=fuzz&key=text HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n',
      10_000,
    ),
  ),
  pipelined(
    '1,000 upgrades to websockets',
    get('/svc', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', `Sec-WebSocket-Key: ${KEY}`),
    1_000,
  ),
  pipelined(
    '1,000 heads with 190 headers',
    `GET /svc?cmd=version HTTP/1.1\r\nHost: a\r\n${times(190, (at) => `X-${at}: a\r\n`)}\r\n`,
    1_000,
  ),
  pipelined(
    '1,000 heads with one long name',
    `GET /svc?cmd=version HTTP/1.1\r\nHost: a\r\n${'X'.repeat(16_000)}: a\r\n\r\n`,
    1_000,
  ),
  pipelined(
    '1,000 heads with a long list of forwarders',
    get('/svc?cmd=version', `X-Forwarded-For: ${'1.2.3.4,'.repeat(1_900)}1.2.3.4`, 'Forwarded: for=a'),
    1_000,
  ),
  pipelined(
    '1,000 heads with many entity tags',
    `GET /openapi.json HTTP/1.1\r\nHost: a\r\nIf-None-Match: ${'"a",'.repeat(3_900)}"b"\r\n\r\n`,
    1_000,
  ),
  pipelined(
    '1,000 heads with a long Accept',
    `GET /svc?cmd=version HTTP/1.1\r\nHost: a\r\nAccept: ${'a/b;q=0.1,'.repeat(1_500)}*/*\r\n\r\n`,
    1_000,
  ),
  pipelined(
    '1,000 heads with long trace states',
    get('/svc?cmd=version', `traceparent: ${TRACE}`, `tracestate: ${'a=b,'.repeat(3_500)}c=d`),
    1_000,
  ),
  pipelined(
    '1,000 queries with percent codes',
    `GET /svc?cmd=version&x=${'%41'.repeat(5_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
    1_000,
  ),
  pipelined(
    '1,000 queries with 3,000 parameters',
    `GET /svc?cmd=version${'&a=1'.repeat(3_500)} HTTP/1.1\r\nHost: a\r\n\r\n`,
    1_000,
  ),
  pipelined(
    '1,000 compressed bodies',
    `POST /svc HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc`,
    1_000,
  ),
  pipelined(
    '1,000 ranges',
    `GET /console HTTP/1.1\r\nHost: a\r\nRange: bytes=${'0-1,'.repeat(3_500)}0-1\r\n\r\n`,
    1_000,
  ),
  pipelined('1,000 paths', `GET /console/${'../'.repeat(5_000)}a HTTP/1.1\r\nHost: a\r\n\r\n`, 1_000),
];

/** Pipelines requests on eight connections, without reading what comes back until the client leaves. */
function pipelined(title: string, text: string, count: number): Attack {
  const bytes = Buffer.from(text.repeat(Math.max(1, Math.floor(60_000 / text.length))));
  const chunks = Math.ceil(count / Math.max(1, Math.floor(60_000 / text.length)));
  return request(title, () => Array.from({ length: chunks }, () => bytes), 8, {
    leaves: true,
    limitMs: 3_000,
    anyEngine: true,
  });
}

export const COMMAND_ATTACKS: readonly Attack[] = [...COMMANDS, ...HEADS, ...PAGES, ...DOUBLING, ...FUNCTIONS];
