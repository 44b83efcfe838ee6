import { expect, test } from 'bun:test';
import type { SqlData, SqlType } from '../types/sql-types.ts';
import { javaClassOf } from '../types/type-order.ts';
import { AGGREGATES, FUNCTIONS, UNSUPPORTED } from './functions.ts';

/** All functions of the dialect except those with their own syntax (CAST, CONVERT, CASE, TABLE, ROW_NUMBER). */
const DIALECT = `
ABS ACOS ADD_MONTHS ARRAY_CONTAINS ARRAY_GET ARRAY_LENGTH ASCII ASIN ATAN ATAN2 AUTOCOMMIT BITAND BITGET BITOR BITXOR
BIT_LENGTH CANCEL_SESSION CASEWHEN CEIL CEILING CHAR CHARACTER_LENGTH CHARINDEX CHAR_LENGTH CHR COALESCE COMPRESS
CONCAT CONCAT_WS COS COSH COT CSVREAD CSVWRITE CURDATE CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER
CURRVAL CURTIME DATABASE DATABASE_PATH DATEADD DATEDIFF DATE_TRUNC DAY DAYNAME DAYOFMONTH DAYOFWEEK DAYOFYEAR
DAY_OF_MONTH DAY_OF_WEEK DAY_OF_YEAR DECODE DECRYPT DEGREES DIFFERENCE DISK_SPACE_USED ENCRYPT EXP EXPAND EXTRACT
FILE_READ FILE_WRITE FLOOR FORMATDATETIME GETDATE GREATEST H2VERSION HASH HEXTORAW HOUR IDENTITY IDENTITY_VAL_LOCAL
IFNULL INSERT INSTR ISNULL ISO_DAY_OF_WEEK ISO_WEEK ISO_YEAR LASTVAL LAST_INSERT_ID LCASE LEAST LEFT LENGTH
LINK_SCHEMA LN LOCATE LOCK_MODE LOCK_TIMEOUT LOG LOG10 LOWER LPAD LTRIM MEMORY_FREE MEMORY_USED MINUTE MOD MONTH
MONTHNAME NEXTVAL NOW NULLIF NVL NVL2 OCTET_LENGTH ORA_HASH PARSEDATETIME PI POSITION POWER QUARTER RADIANS RAND
RANDOM RANDOM_UUID RAWTOHEX READONLY REGEXP_LIKE REGEXP_REPLACE REPEAT REPLACE RIGHT ROUND ROUNDMAGIC ROWNUM
RPAD RTRIM SCHEMA SCOPE_IDENTITY SECOND SECURE_RAND SESSION_ID SET SIGN SIGNAL SIN SINH SOUNDEX SPACE SQRT
STRINGDECODE STRINGENCODE STRINGTOUTF8 SUBSTR SUBSTRING SYSDATE SYSTIME SYSTIMESTAMP SYS_GUID TAN TANH TIMESTAMPADD
TIMESTAMPDIFF TODAY TO_CHAR TO_DATE TO_TIMESTAMP TO_TIMESTAMP_TZ TRANSACTION_ID TRANSLATE TRIM TRUNC TRUNCATE
TRUNCATE_VALUE UCASE UPPER USER UTF8TOSTRING UUID VALUES WEEK XMLATTR XMLCDATA XMLCOMMENT XMLNODE XMLSTARTDOC XMLTEXT
YEAR ZERO
`;

test('every function of the dialect is supported or rejected with a reason', () => {
  const missing = DIALECT.trim()
    .split(/\s+/)
    .filter((name) => !FUNCTIONS.has(name) && !UNSUPPORTED.has(name));
  expect(missing).toEqual([]);
});

const DIALECT_AGGREGATES =
  'AVG BIT_AND BIT_OR BOOL_AND BOOL_OR EVERY SOME COUNT GROUP_CONCAT STRING_AGG ARRAY_AGG MAX MIN SUM SELECTIVITY ' +
  'STDDEV STDDEVP STDDEV_POP STDDEV_SAMP VAR VARIANCE VARP VAR_POP VAR_SAMP MEDIAN';

test('every aggregate of the dialect is supported', () => {
  expect(DIALECT_AGGREGATES.split(' ').filter((name) => !AGGREGATES.has(name))).toEqual([]);
});

test('names are upper case, none is both supported and rejected, and every function has a summary', () => {
  for (const [name, one] of [...FUNCTIONS, ...AGGREGATES]) {
    expect(name).toMatch(/^[A-Z][A-Z0-9_]*$/);
    expect(UNSUPPORTED.has(name)).toBe(false);
    expect(one.names).toContain(name);
    expect(one.summary).toMatch(/^\S.*[.]$/);
    expect(one.minArguments).toBeLessThanOrEqual(one.maxArguments);
  }
});

/** Types of the columns in the calls; other arguments are constants. */
const COLUMNS: Readonly<Record<string, SqlType>> = {
  b: { name: 'BOOLEAN' },
  ti: { name: 'TINYINT' },
  si: { name: 'SMALLINT' },
  n: { name: 'INTEGER' },
  l: { name: 'BIGINT' },
  r: { name: 'REAL' },
  d: { name: 'DOUBLE' },
  dec: { name: 'DECIMAL', precision: 10, scale: 2 },
  s: { name: 'VARCHAR' },
  dt: { name: 'DATE' },
  tm: { name: 'TIME' },
  ts: { name: 'TIMESTAMP' },
  bin: { name: 'BINARY' },
  arr: { name: 'ARRAY' },
};

function argument(text: string): { readonly type: SqlType; readonly data: SqlData | undefined } {
  const column = COLUMNS[text];
  if (column !== undefined) return { type: column, data: undefined };
  if (text.startsWith("'")) return { type: { name: 'VARCHAR' }, data: text.slice(1, -1) };
  return /^\d+$/.test(text)
    ? { type: { name: 'INTEGER' }, data: BigInt(text) }
    : { type: { name: 'BOOLEAN' }, data: true };
}

/** Classes that an Ignite node declares for calls over columns, except UUID (docs/differences.md, row 28). */
const CLASSES = `
ABS(ti) => java.lang.Byte
ABS(si) => java.lang.Short
ABS(n) => java.lang.Integer
ABS(l) => java.lang.Long
ABS(r) => java.lang.Float
ABS(d) => java.lang.Double
ABS(dec) => java.math.BigDecimal
ACOS(d) => java.lang.Double
ASIN(n) => java.lang.Double
ATAN(d) => java.lang.Double
COS(d) => java.lang.Double
COSH(d) => java.lang.Double
COT(d) => java.lang.Double
SIN(d) => java.lang.Double
SINH(d) => java.lang.Double
TAN(d) => java.lang.Double
TANH(d) => java.lang.Double
ATAN2(d,n) => java.lang.Double
BITAND(n,l) => java.lang.Long
BITOR(n,l) => java.lang.Long
BITXOR(n,l) => java.lang.Long
BITGET(l,n) => java.lang.Boolean
MOD(n,3) => java.lang.Long
MOD(dec,3) => java.lang.Long
CEILING(dec) => java.lang.Double
CEIL(n) => java.lang.Double
DEGREES(d) => java.lang.Double
EXP(n) => java.lang.Double
FLOOR(dec) => java.math.BigDecimal
LOG(n) => java.lang.Double
LN(n) => java.lang.Double
LOG10(n) => java.lang.Double
RADIANS(n) => java.lang.Double
SQRT(n) => java.lang.Double
PI() => java.lang.Double
POWER(n,2) => java.lang.Double
RAND() => java.lang.Double
RANDOM_UUID() => java.util.UUID
UUID() => java.util.UUID
ROUND(dec,1) => java.math.BigDecimal
ROUND(n) => java.lang.Integer
ROUNDMAGIC(d) => java.lang.Double
SECURE_RAND(n) => [B
SIGN(dec) => java.lang.Integer
SIGN(d) => java.lang.Integer
ENCRYPT('AES','00',bin) => [B
DECRYPT('AES','00',bin) => [B
HASH('SHA256',bin,1) => [B
TRUNCATE(dec,1) => java.math.BigDecimal
TRUNC(n) => java.lang.Integer
TRUNC(ts) => java.sql.Date
TRUNC(dt) => java.sql.Date
COMPRESS(bin) => [B
EXPAND(bin) => [B
ZERO() => java.lang.Integer
ORA_HASH(s) => java.lang.Integer
ASCII(s) => java.lang.Integer
BIT_LENGTH(s) => java.lang.Long
LENGTH(s) => java.lang.Long
LENGTH(bin) => java.lang.Long
LENGTH(n) => java.lang.Long
CHAR_LENGTH(s) => java.lang.Integer
CHARACTER_LENGTH(s) => java.lang.Integer
OCTET_LENGTH(s) => java.lang.Long
CHAR(n) => java.lang.String
CHR(n) => java.lang.String
CONCAT(s,n) => java.lang.String
CONCAT_WS(s,n,s) => java.lang.String
DIFFERENCE(s,s) => java.lang.Integer
HEXTORAW(s) => java.lang.String
RAWTOHEX(s) => java.lang.String
INSTR(s,'a') => java.lang.Integer
INSERT(s,1,1,'x') => java.lang.String
LOWER(s) => java.lang.String
LCASE(s) => java.lang.String
UPPER(s) => java.lang.String
UCASE(s) => java.lang.String
LEFT(s,1) => java.lang.String
RIGHT(s,1) => java.lang.String
LOCATE('a',s) => java.lang.Integer
CHARINDEX('a',s) => java.lang.Integer
POSITION('a',s) => java.lang.Integer
LPAD(s,2) => java.lang.String
RPAD(s,2) => java.lang.String
LTRIM(s) => java.lang.String
RTRIM(s) => java.lang.String
TRIM(s) => java.lang.String
REGEXP_REPLACE(s,'a','b') => java.lang.String
REGEXP_LIKE(s,'a') => java.lang.Boolean
REPEAT(s,2) => java.lang.String
REPLACE(s,'a') => java.lang.String
SOUNDEX(s) => java.lang.String
SPACE(n) => java.lang.String
STRINGDECODE(s) => java.lang.String
STRINGENCODE(s) => java.lang.String
STRINGTOUTF8(s) => [B
SUBSTRING(s,1) => java.lang.String
SUBSTR(s,1,1) => java.lang.String
UTF8TOSTRING(bin) => java.lang.String
XMLATTR(s,s) => java.lang.String
XMLNODE(s) => java.lang.String
XMLCOMMENT(s) => java.lang.String
XMLCDATA(s) => java.lang.String
XMLSTARTDOC() => java.lang.String
XMLTEXT(s) => java.lang.String
TO_CHAR(n) => java.lang.String
TO_CHAR(ts) => java.lang.String
TRANSLATE(s,'a','b') => java.lang.String
CURRENT_DATE() => java.sql.Date
CURDATE() => java.sql.Date
TODAY() => java.sql.Date
GETDATE() => java.sql.Date
CURRENT_TIME() => java.sql.Time
CURTIME() => java.sql.Time
SYSTIME() => java.sql.Time
CURRENT_TIMESTAMP() => java.sql.Timestamp
NOW() => java.sql.Timestamp
SYSDATE() => java.sql.Timestamp
SYSTIMESTAMP() => java.sql.Timestamp
DATEADD('DAY',1,dt) => java.sql.Timestamp
DATEADD('HOUR',1,dt) => java.sql.Timestamp
DATEADD('DAY',1,ts) => java.sql.Timestamp
DATEADD('HOUR',1,tm) => java.sql.Timestamp
DATEADD('DAY',1,'2020-01-01') => java.sql.Timestamp
DATEDIFF('DAY',dt,ts) => java.lang.Long
DAYNAME(dt) => java.lang.String
DAY_OF_MONTH(dt) => java.lang.Integer
DAY(dt) => java.lang.Integer
DAY_OF_WEEK(dt) => java.lang.Integer
ISO_DAY_OF_WEEK(dt) => java.lang.Integer
DAY_OF_YEAR(dt) => java.lang.Integer
FORMATDATETIME(dt,'yyyy') => java.lang.String
HOUR(ts) => java.lang.Integer
MINUTE(ts) => java.lang.Integer
SECOND(ts) => java.lang.Integer
MONTH(dt) => java.lang.Integer
MONTHNAME(dt) => java.lang.String
PARSEDATETIME('2020','yyyy') => java.sql.Timestamp
QUARTER(dt) => java.lang.Integer
WEEK(dt) => java.lang.Integer
ISO_WEEK(dt) => java.lang.Integer
YEAR(dt) => java.lang.Integer
ISO_YEAR(dt) => java.lang.Integer
ADD_MONTHS(dt,1) => java.sql.Timestamp
ADD_MONTHS(ts,1) => java.sql.Timestamp
TO_DATE('2020','YYYY') => java.sql.Timestamp
TO_TIMESTAMP('2020','YYYY') => java.sql.Timestamp
CASEWHEN(b,n,l) => java.lang.Long
COALESCE(n,dec) => java.math.BigDecimal
COALESCE(s,s) => java.lang.String
NVL(s,'x') => java.lang.String
NVL(n,d) => java.lang.Double
DECODE(n,1,s,2,n) => java.lang.Integer
DECODE(n,1,l,2,n) => java.lang.Long
GREATEST(n,l) => java.lang.Long
GREATEST(n,d) => java.lang.Double
LEAST(dt,ts) => java.sql.Timestamp
IFNULL(n,l) => java.lang.Long
NULLIF(n,l) => java.lang.Long
NULLIF(s,'a') => java.lang.String
NVL2(n,s,n) => java.lang.String
NVL2(n,n,s) => java.lang.Integer
ARRAY_LENGTH(arr) => java.lang.Integer
ARRAY_CONTAINS(arr,1) => java.lang.Boolean
DATABASE() => java.lang.String
SCHEMA() => java.lang.String
USER() => java.lang.String
READONLY() => java.lang.Boolean
AUTOCOMMIT() => java.lang.Boolean
TRANSACTION_ID() => java.lang.String
IDENTITY() => java.lang.Long
EXTRACT('YEAR',ts) => java.lang.Integer
EXTRACT('EPOCH',ts) => java.lang.Integer
NULLIF(dec,1) => java.math.BigDecimal
ROUND(d,1) => java.lang.Double
H2VERSION() => java.lang.String
`;

test('results over columns have the classes that Ignite declares', () => {
  const lines = CLASSES.trim().split('\n');
  const actual = lines.map((line) => {
    const [, name = '', list = ''] = /^(\w+)\((.*)\) =>/.exec(line) ?? [];
    const found = FUNCTIONS.get(name);
    const args = list === '' ? [] : list.split(',').map(argument);
    const types = args.map((one) => one.type);
    const constants = args.map((one) => one.data);
    const result = typeof found?.result === 'function' ? found.result(types, constants) : found?.result;
    return `${name}(${list}) => ${result === undefined ? 'none' : javaClassOf(result)}`;
  });
  expect(actual).toEqual(lines);
});
