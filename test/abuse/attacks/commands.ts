/** Attacks with other commands than statements: bulk commands, batches, large values and pages, long parameters. */
import { DEFAULT_LIMITS } from '../../../src/base/limits.ts';
import {
  type Attack,
  after,
  body,
  command,
  FORM,
  newKey,
  numbered,
  type Params,
  post,
  request,
  sql,
  statement,
} from './attack.ts';

const ENDLESS = '(select count(*) from system_range(1, 100000000) a, system_range(1, 100000000) b)';
const ENDLESS_UPDATE = `update T set n = ${ENDLESS}`;
const ATOMIC: Params = { atomic: 'true', timeout: '1000' };
const KEYS = DEFAULT_LIMITS.keysPerCommand;
const CHARACTERS = DEFAULT_LIMITS.valueCharacters;
const PARAMETERS = DEFAULT_LIMITS.parametersPerRequest - 10;
const SECONDS = { limitMs: 15_000 };
const ANY_ENGINE = { ...SECONDS, anyEngine: true };

const asForm = (params: Params): string => new URLSearchParams(params).toString();

/** Returns a form with a batch of the same command. */
function batchOf(count: number, params: Params, options: Params = {}): string {
  return asForm({ cmd: 'batch', ...options, commands: JSON.stringify(Array.from({ length: count }, () => params)) });
}

/** Returns a form with a putall of this many entries. */
function putAll(count: number): string {
  return `cmd=putall&cacheName=fuzz${numbered(count, (at) => `&k${at + 1}=a${at}&v${at + 1}=1`)}`;
}

/** Sends a form with an idempotency key on several connections at once. */
function keyed(title: string, form: string, count = 1): Attack {
  return request(title, () => post(FORM, form, '/svc', newKey()), count, ANY_ENGINE);
}

const ALL_ROWS = { pageSize: '2147483647' };
/** A page that has begun ends at the time limit with its connection. */
const EARLY = { leaves: true, limitMs: 2_000 };
/** Stores eight values of the maximum length. */
const PUT_LONG = Array.from({ length: 8 }, (_, at) => ({
  cmd: 'put',
  cacheName: 'fuzz',
  key: `long${at}`,
  val: 'v'.repeat(CHARACTERS),
}));
/** Stores four rows of two strings of the maximum length; JSON needs six characters for each character of the first. */
const LONG_ROWS = [
  sql('create table if not exists L (id int primary key, control varchar, plain varchar)'),
  ...[1, 2, 3, 4].map((id) =>
    sql(`merge into L values (${id}, repeat(char(1), ${CHARACTERS}), repeat('a', ${CHARACTERS}))`),
  ),
];
const PUT_TEXT = [{ cmd: 'put', cacheName: 'fuzz', key: 'text', val: 'a'.repeat(CHARACTERS - 1_000) }];

/** Statements and scans whose rows come in one page. */
const PAGES: readonly Attack[] = [
  statement('select x from system_range(1,1000000000)', { params: ALL_ROWS, ...EARLY, count: 8 }),
  statement("select repeat('a', 1000000) from system_range(1,100000)", { params: ALL_ROWS, ...EARLY, count: 8 }),
  statement('select repeat(char(1), 10000000) from system_range(1,1000)', { params: ALL_ROWS, ...EARLY, count: 8 }),
  ...['select control from L', 'select plain from L where id = 1'].map((qry) =>
    after(
      `${qry}, the longest text, eight at once`,
      LONG_ROWS,
      statement(qry, { params: ALL_ROWS, ...EARLY, count: 8 }),
    ),
  ),
  after(
    'rows of the longest texts as CSV, eight at once',
    LONG_ROWS,
    request(
      '',
      () => post(FORM, asForm({ ...ALL_ROWS, ...sql('select plain from L') }), '/svc', 'Accept: text/csv'),
      8,
      {
        ...EARLY,
        limitMs: 10_000,
      },
    ),
  ),
  after(
    'scans of eight of the longest values, eight at once',
    PUT_LONG,
    command({ cmd: 'qryscanexe', cacheName: 'fuzz', ...ALL_ROWS, timeout: '1000' }, 8, EARLY),
  ),
  command({ cmd: 'qryscanexe', cacheName: 'SQL_PUBLIC_T', ...ALL_ROWS, timeout: '1000' }, 8),
];

/** Commands with the maximum number of keys, and with values of the maximum length. */
const BULK: readonly Attack[] = [
  after(
    'getall of eight of the longest values, eight at once',
    PUT_LONG,
    request(
      '',
      () => post(FORM, `cmd=getall&cacheName=fuzz${numbered(8, (at) => `&k${at + 1}=long${at}`)}`),
      8,
      SECONDS,
    ),
  ),
  body('as many entries of putall as possible, eight at once', FORM, () => putAll(KEYS), { limitMs: 30_000 }, 8),
  keyed('as many entries of putall as possible with an idempotency key', putAll(KEYS)),
  body('more keys of rmvall than are allowed', FORM, () => {
    return `cmd=rmvall&cacheName=fuzz${numbered(PARAMETERS, (at) => `&k${at + 1}=a${at}`)}`;
  }),
  body('key numbers with many digits', FORM, () => {
    return `cmd=getall&cacheName=fuzz${numbered(1_000, (at) => `&k${'9'.repeat(10_000)}${at}=a`)}`;
  }),
  after(
    'appends to one of the longest texts, eight at once',
    PUT_TEXT,
    command({ cmd: 'append', cacheName: 'fuzz', key: 'text', val: 'b' }, 8, SECONDS),
  ),
  after(
    'appends with idempotency keys to one of the longest texts, eight at once',
    PUT_TEXT,
    keyed('', 'cmd=append&cacheName=fuzz&key=text&val=b', 8),
  ),
  after(
    'gets of one of the longest texts, 32 at once',
    PUT_TEXT,
    request('', () => post(FORM, 'cmd=get&cacheName=fuzz&key=text'), 32, SECONDS),
  ),
];

const BATCHES: readonly Attack[] = [
  body('an atomic batch of putall', FORM, () =>
    batchOf(4, Object.fromEntries(new URLSearchParams(putAll(KEYS))), { atomic: 'true', timeout: '10000' }),
  ),
  after(
    'a batch of 1,000 gets of long values',
    PUT_LONG,
    body('', FORM, () => batchOf(1_000, { cmd: 'get', cacheName: 'fuzz', key: 'long0' }), { anyEngine: false }),
  ),
  body(
    'a batch of 30 statements',
    FORM,
    () => batchOf(30, { ...sql('select count(*) from system_range(1,1000000)'), timeout: '1000' }),
    { anyEngine: false, limitMs: 30_000 },
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
  body('a dry run of a dry run', FORM, () => `cmd=dryrun&of=dryrun${'&of=dryrun'.repeat(PARAMETERS)}`),
  body(
    'a dry run of an endless statement',
    FORM,
    () => asForm({ ...sql(ENDLESS_UPDATE), cmd: 'dryrun', of: 'qryfldexe', timeout: '1000' }),
    { limitMs: 1_000, anyEngine: false },
  ),
];

/** Parameters that are expensive to read. */
const PARAMETERS_READ: readonly Attack[] = [
  body('a command name of 20 MB', FORM, () => `cmd=${'getputt'.repeat(2_800_000)}`),
  body('misspelt parameters', FORM, () => {
    return `cmd=get&key=a${numbered(PARAMETERS, (at) => `&cachenam${at.toString(36)}=x`)}`;
  }),
  body('long unknown parameters', FORM, () => {
    return `cmd=get&key=a${numbered(PARAMETERS, (at) => `&${'parameterWithALongName'.repeat(8)}${at.toString(36)}=x`)}`;
  }),
  command({ cmd: 'cachelist', regex: '(a+)+b'.repeat(10_000) }, 8, ANY_ENGINE),
  command({ cmd: 'top', mtr: 'true', attr: 'true' }, 32, ANY_ENGINE),
  command({ cmd: 'export', table: 'T', format: 'csv' }, 32, SECONDS),
  command({ cmd: 'watch', follow: 'false', cacheName: ','.repeat(500_000) }, 8, ANY_ENGINE),
  command({ cmd: 'import', cacheName: 'fuzz', columns: ','.repeat(500_000), format: 'csv' }, 8, ANY_ENGINE),
  command({ cmd: 'roleassign', user: 'ann', roles: 'a,'.repeat(500_000) }, 8, ANY_ENGINE),
  command({ cmd: 'roleadd', name: 'k', rights: `{"caches":{"${'*a'.repeat(3_000)}":"read"}}` }, 8, ANY_ENGINE),
  command({ cmd: 'export', table: '"a".'.repeat(500_000), format: 'csv' }, 8, SECONDS),
  command({ cmd: 'qryfetch', pageSize: '1', qryId: '9'.repeat(2_000_000) }, 8, ANY_ENGINE),
  command({ cmd: 'exe', name: 'x'.repeat(5_000_000), p1: '1' }, 4, ANY_ENGINE),
  body('many parameters of a task', FORM, () => `cmd=exe&name=x${numbered(PARAMETERS, (at) => `&p${at + 1}=x`)}`),
  command({ cmd: 'put', cacheName: 'fuzz', key: 'a', val: '['.repeat(1_000_000), valueType: 'json' }, 4, SECONDS),
  command({ cmd: 'put', cacheName: 'fuzz', key: 'a', val: '1', valueType: 'int[]'.repeat(100_000) }, 4, SECONDS),
  command({ cmd: 'incr', key: 'a'.repeat(60_000), delta: '9'.repeat(1_000_000) }, 4, SECONDS),
];

export const COMMAND_ATTACKS: readonly Attack[] = [...BULK, ...BATCHES, ...PARAMETERS_READ];
export const PAGE_ATTACKS: readonly Attack[] = PAGES;
