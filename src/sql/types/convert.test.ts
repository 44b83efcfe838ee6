import { expect, test } from 'bun:test';
import { answer, checkReferenceCases } from '../../../test/fixtures/sql/reference-cases.ts';
import { cast, convert } from './convert.ts';
import type { SqlType, SqlTypeName } from './sql-types.ts';
import { higherType, higherTypeOfAll, javaClassOf } from './type-order.ts';

/** The target types, and lines `source => results`; a result is a string, or `!` and the code of the error. */
type Casts = readonly [targets: string, table: string];

const NUMBERS: Casts = [
  'boolean tinyint smallint int bigint real double decimal',
  `
true => TRUE | 1 | 1 | 1 | 1 | 1.0 | 1.0 | 1
cast(-5 as tinyint) => TRUE | -5 | -5 | -5 | -5 | -5.0 | -5.0 | -5
cast(300 as smallint) => TRUE | !22004 | 300 | 300 | 300 | 300.0 | 300.0 | 300
70000 => TRUE | !22004 | !22004 | 70000 | 70000 | 70000.0 | 70000.0 | 70000
-1 => TRUE | -1 | -1 | -1 | -1 | -1.0 | -1.0 | -1
5000000000 => TRUE | !22004 | !22004 | !22004 | 5000000000 | 5.0E9 | 5.0E9 | 5000000000
cast(0 as bigint) => FALSE | 0 | 0 | 0 | 0 | 0.0 | 0.0 | 0
cast(1.5 as real) => TRUE | 2 | 2 | 2 | 2 | 1.5 | 1.5 | 1.5
cast(10000000000 as real) => TRUE | !22004 | !22004 | !22004 | 10000000000 | 1.0E10 | 1.0E10 | 10000000000
cast(-2.5 as double) => TRUE | -2 | -2 | -2 | -2 | -2.5 | -2.5 | -2.5
cast('1E300' as double) => TRUE | !22004 | !22004 | !22004 | !22004 | Infinity | 1.0E300 | 1.0E+300
cast('NaN' as double) => TRUE | 0 | 0 | 0 | 0 | NaN | NaN | !22018
cast(-0.0 as double) => FALSE | 0 | 0 | 0 | 0 | 0.0 | 0.0 | 0.0
12.50 => TRUE | 13 | 13 | 13 | 13 | 12.5 | 12.5 | 12.50
cast('1E30' as decimal) => TRUE | !22004 | !22004 | !22004 | !22004 | 1.0E30 | 1.0E30 | 1000000000000000000000000000000
-0.5 => TRUE | -1 | -1 | -1 | -1 | -0.5 | -0.5 | -0.5
2.5 => TRUE | 3 | 3 | 3 | 3 | 2.5 | 2.5 | 2.5
'abc' => !22018 | !22018 | !22018 | !22018 | !22018 | !22018 | !22018 | !22018
' 12 ' => !22018 | 12 | 12 | 12 | 12 | 12.0 | 12.0 | 12
'1.7' => TRUE | !22018 | !22018 | !22018 | !22018 | 1.7 | 1.7 | 1.7
'true' => TRUE | !22018 | !22018 | !22018 | !22018 | !22018 | !22018 | !22018
'N' => FALSE | !22018 | !22018 | !22018 | !22018 | !22018 | !22018 | !22018
'2020-02-03' => !22018 | !22018 | !22018 | !22018 | !22018 | !22018 | !22018 | !22018
'10:11:12' => !22018 | !22018 | !22018 | !22018 | !22018 | !22018 | !22018 | !22018
'2020-02-03 10:11:12.123456789' => !22018 | !22018 | !22018 | !22018 | !22018 | !22018 | !22018 | !22018
'c0a8' => !22018 | !22018 | !22018 | !22018 | !22018 | !22018 | !22018 | !22018
'' => !22018 | !22018 | !22018 | !22018 | !22018 | !22018 | !22018 | !22018
cast('ab  ' as char) => !22018 | !22018 | !22018 | !22018 | !22018 | !22018 | !22018 | !22018
cast('AbC' as varchar_ignorecase) => !22018 | !22018 | !22018 | !22018 | !22018 | !22018 | !22018 | !22018
date '2020-02-03' => !22018 | !22018 | !22018 | !22018 | !22018 | !22018 | !22018 | !22018
time '10:11:12.5' => !22018 | !22018 | !22018 | !22018 | !22018 | !22018 | !22018 | !22018
timestamp '2020-02-03 10:11:12.123' => !22018 | !22018 | !22018 | !22018 | !22018 | !22018 | !22018 | !22018
cast('ab' as uuid) => !22018 | !22018 | !22018 | !22018 | !22018 | !22018 | !22018 | !22018
x'0102ff' => !22018 | -1 | 767 | 66303 | 66303 | !22018 | !22018 | !22018
x'00000005' => !22018 | 5 | 5 | 5 | 5 | 5.0 | 5.0 | 5
x'0000000000000005' => !22018 | 5 | 5 | 5 | 5 | 5.0 | 5.0 | 5
x'' => !22018 | !22018 | !22018 | !22018 | !22018 | !22018 | !22018 | !22018
(1, 'x') => !22018 | !22018 | !22018 | !22018 | !22018 | !22018 | !22018 | !22018
`,
];

const TEXTS_AND_TIMES: Casts = [
  'varchar date time timestamp',
  `
true => TRUE | !22007 | !22007 | !22007
cast(-5 as tinyint) => -5 | !22007 | !22007 | !22007
cast(300 as smallint) => 300 | !22007 | !22007 | !22007
70000 => 70000 | !22007 | !22007 | !22007
-1 => -1 | !22007 | !22007 | !22007
5000000000 => 5000000000 | !22007 | !22007 | !22007
cast(0 as bigint) => 0 | !22007 | !22007 | !22007
cast(1.5 as real) => 1.5 | !22007 | !22007 | !22007
cast(10000000000 as real) => 1.0E10 | !22007 | !22007 | !22007
cast(-2.5 as double) => -2.5 | !22007 | !22007 | !22007
cast('1E300' as double) => 1.0E300 | !22007 | !22007 | !22007
cast('NaN' as double) => NaN | !22007 | !22007 | !22007
cast(-0.0 as double) => 0.0 | !22007 | !22007 | !22007
12.50 => 12.50 | !22007 | !22007 | !22007
cast('1E30' as decimal) => 1000000000000000000000000000000 | !22007 | !22007 | !22007
-0.5 => -0.5 | !22007 | !22007 | !22007
2.5 => 2.5 | !22007 | !22007 | !22007
'abc' => abc | !22007 | !22007 | !22007
' 12 ' =>  12  | !22007 | !22007 | !22007
'1.7' => 1.7 | !22007 | !22007 | !22007
'true' => true | !22007 | !22007 | !22007
'N' => N | !22007 | !22007 | !22007
'2020-02-03' => 2020-02-03 | 2020-02-03 | !22007 | 2020-02-03 00:00:00
'10:11:12' => 10:11:12 | !22007 | 10:11:12 | !22007
'2020-02-03 10:11:12.123456789' => 2020-02-03 10:11:12.123456789 | !22007 | !22007 | 2020-02-03 10:11:12.123457
'c0a8' => c0a8 | !22007 | !22007 | !22007
'' =>  | !22007 | !22007 | !22007
cast('ab  ' as char) => ab | !22007 | !22007 | !22007
cast('AbC' as varchar_ignorecase) => AbC | !22007 | !22007 | !22007
date '2020-02-03' => 2020-02-03 | 2020-02-03 | 00:00:00 | 2020-02-03 00:00:00
time '10:11:12.5' => 10:11:12.5 | 1970-01-01 | 10:11:13 | 1970-01-01 10:11:12.5
timestamp '2020-02-03 10:11:12.123' => 2020-02-03 10:11:12.123 | 2020-02-03 | 10:11:12 | 2020-02-03 10:11:12.123
cast('ab' as uuid) => 00000000-0000-0000-0000-0000000000ab | !22007 | !22007 | !22007
x'0102ff' => 0102ff | !22007 | !22007 | !22007
x'00000005' => 00000005 | !22007 | !22007 | !22007
x'0000000000000005' => 0000000000000005 | !22007 | !22007 | !22007
x'' =>  | !22007 | !22007 | !22007
(1, 'x') => (1, x) | !22007 | !22007 | !22007
`,
];

const BYTES: Casts = [
  'uuid binary',
  `
true => !22018 | !90004
cast(-5 as tinyint) => 00000000-0000-0000-0000-000000000005 | fb
cast(300 as smallint) => 00000000-0000-0000-0000-000000000300 | 012c
70000 => 00000000-0000-0000-0000-000000070000 | 00011170
-1 => 00000000-0000-0000-0000-000000000001 | ffffffff
5000000000 => 00000000-0000-0000-0000-005000000000 | 000000012a05f200
cast(0 as bigint) => 00000000-0000-0000-0000-000000000000 | 0000000000000000
cast(1.5 as real) => !22018 | !90003
cast(10000000000 as real) => !22018 | !90004
cast(-2.5 as double) => !22018 | !90004
cast('1E300' as double) => !22018 | !90003
cast('NaN' as double) => !22018 | !90003
cast(-0.0 as double) => !22018 | !90003
12.50 => !22018 | !90003
cast('1E30' as decimal) => 10000000-0000-0000-0000-000000000000 | !90003
-0.5 => !22018 | !90004
2.5 => !22018 | !90003
'abc' => 00000000-0000-0000-0000-000000000abc | !90003
' 12 ' => 00000000-0000-0000-0000-000000000012 | 12
'1.7' => !22018 | !90003
'true' => !22018 | !90004
'N' => !22018 | !90003
'2020-02-03' => 00000000-0000-0000-0000-000020200203 | !90004
'10:11:12' => !22018 | !90004
'2020-02-03 10:11:12.123456789' => !22018 | !90003
'c0a8' => 00000000-0000-0000-0000-00000000c0a8 | c0a8
'' => 00000000-0000-0000-0000-000000000000 | 
cast('ab  ' as char) => 00000000-0000-0000-0000-0000000000ab | ab
cast('AbC' as varchar_ignorecase) => 00000000-0000-0000-0000-000000000abc | !90003
date '2020-02-03' => 00000000-0000-0000-0000-000020200203 | !90004
time '10:11:12.5' => !22018 | !90004
timestamp '2020-02-03 10:11:12.123' => !22018 | !90003
cast('ab' as uuid) => 00000000-0000-0000-0000-0000000000ab | 000000000000000000000000000000ab
x'0102ff' => 00000000-0000-0000-0000-0000000102ff | 0102ff
x'00000005' => 00000000-0000-0000-0000-000000000005 | 00000005
x'0000000000000005' => 00000000-0000-0005-0000-000000000000 | 0000000000000005
x'' => 00000000-0000-0000-0000-000000000000 | 
(1, 'x') => !22018 | !90004
`,
];

test.each([NUMBERS, TEXTS_AND_TIMES, BYTES])('every type casts to %s as Ignite casts it', (targets, table) => {
  const lines = table.split('\n').filter((line) => line.includes(' => '));
  const actual = lines.map((line) => {
    const source = line.slice(0, line.indexOf(' => '));
    const results = targets.split(' ').map((target) => {
      const given = answer(`cast(${source} as ${target})`);
      return given.startsWith('ERR') ? `!${given.split(' ')[1]}` : given.slice(given.indexOf(' => ') + 4);
    });
    return `${source} => ${results.join(' | ')}`;
  });
  expect(actual).toEqual(lines);
});

checkReferenceCases(
  "CAST applies precision and scale, and throws errors with Ignite's texts",
  `
cast(300 as tinyint) => ERR 22004 Numeric value out of range: "300" in column 
cast(1e10 as int) => ERR 22004 Numeric value out of range: "10000000000" in column 
cast(cast('1E300' as double) as bigint) => ERR 22004 Numeric value out of range: "1.0E300" in column 
cast('x' as int) => ERR 22018 Data conversion error converting "x"
cast('a"b' as int) => ERR 22018 Data conversion error converting "a""b"
cast('' as int) => ERR 22018 Data conversion error converting 
cast('99999999999' as int) => ERR 22018 Data conversion error converting "99999999999"
cast(1.255 as decimal(5,2)) => DECIMAL => 1.26
cast(-1.255 as decimal(5,2)) => DECIMAL => -1.26
cast(12345 as decimal(3,0)) => ERR 22003 Numeric value out of range: "3"
cast(999.999 as decimal(5,2)) => ERR 22003 Numeric value out of range: "5"
cast('abcdef' as varchar(3)) => VARCHAR => abc
cast('ab   ' as char(3)) => CHAR => ab
cast('abcdef' as char(2)) => CHAR => ab
cast(12345 as varchar(2)) => VARCHAR => 12
cast(x'010203' as binary(2)) => VARBINARY => 0102
cast(3 as decimal) => DECIMAL => 3
cast(1.5 as decimal(10)) => DECIMAL => 2
cast('2020-02-30' as date) => ERR 22007 Cannot parse "DATE" constant "2020-02-30"
cast('x' as date) => ERR 22007 Cannot parse "DATE" constant "x"
cast('25:00:00' as time) => ERR 22007 Cannot parse "TIME" constant "25:00:00"
cast('-10:00:00' as time) => ERR 22007 Cannot parse "TIME" constant "-10:00:00"
cast('24:00:00' as time) => ERR 22007 Cannot parse "TIME" constant "24:00:00"
cast('10:60:00' as time) => ERR 22007 Cannot parse "TIME" constant "10:60:00"
cast('2020-01-02T03:04:05Z' as timestamp) => TIMESTAMP => 2020-01-02 03:04:05
cast('2020-01-02 03:04:05+02:00' as timestamp) => TIMESTAMP => 2020-01-02 01:04:05
cast('2020-01-02 03:04:05.5-03' as timestamp) => TIMESTAMP => 2020-01-02 06:04:05.5
cast('2020-01-02 3:4:5.1 Europe/Berlin' as timestamp) => TIMESTAMP => 2020-01-02 02:04:05.1
cast('2020-07-02 3:4:5.1 Europe/Berlin' as timestamp) => TIMESTAMP => 2020-07-02 01:04:05.1
cast('2020-01-02 03:04:05 PST' as timestamp) => TIMESTAMP => 2020-01-02 11:04:05
cast('2020-01-02 03:04:05 Foo/Bar' as timestamp) => ERR 22007 Cannot parse "TIMESTAMP" constant "2020-01-02 03:04:05 Foo/Bar"
cast('2020-01-02 03:04:05+2' as timestamp) => ERR 22007 Cannot parse "TIMESTAMP" constant "2020-01-02 03:04:05+2"
cast('2020-01-02 03:04:05+0200' as timestamp) => ERR 22007 Cannot parse "TIMESTAMP" constant "2020-01-02 03:04:05+0200"
cast('2020-01-02 03:04' as timestamp) => ERR 22007 Cannot parse "TIMESTAMP" constant "2020-01-02 03:04"
cast('2020-01-02 24:00:00' as timestamp) => ERR 22007 Cannot parse "TIMESTAMP" constant "2020-01-02 24:00:00"
cast('+2020-1-2' as date) => DATE => 2020-01-02
cast('-0001-01-01' as date) => DATE => -1-01-01
cast('10000-01-01' as date) => DATE => 10000-01-01
cast('0100-01-01' as date) => DATE => 0100-01-01
cast('2020-12-31 23:59:59.9999999' as timestamp(0)) => TIMESTAMP => 2021-01-01 00:00:00
cast('2020-01-01 00:00:00.123456789' as timestamp(9)) => TIMESTAMP => 2020-01-01 00:00:00.123456789
cast('10:11:12.678' as time(1)) => TIME => 10:11:12.7
cast('10:11:12.6' as time) => TIME => 10:11:13
cast('0x1p3' as double) => DOUBLE => 8.0
cast('1d' as double) => DOUBLE => 1.0
cast('Infinity' as double) => DOUBLE => Infinity
cast('yes' as boolean) => BOOLEAN => TRUE
cast('F' as boolean) => BOOLEAN => FALSE
cast('2' as boolean) => BOOLEAN => TRUE
cast('zz' as uuid) => ERR 22018 Data conversion error converting "zz"
cast('zz' as binary) => ERR 90004 Hexadecimal string contains non-hex character: "zz"
cast('abc' as binary) => ERR 90003 Hexadecimal string with odd number of characters: "abc"
cast(1 as array) => ARRAY => (1)
cast(null as int) => NULL => null
cast(cast(1.1 as real) as double) => DOUBLE => 1.100000023841858
cast(0.1 as real) => REAL => 0.1
cast('1e-7' as decimal) => DECIMAL => 0.0000001
cast('1e-20' as decimal) => DECIMAL => 0.00000000000000000001
cast('123456789012345678901234567890123456789012' as decimal) => DECIMAL => 123456789012345678901234567890123456789012
cast(cast('0.00001' as double) as decimal) => DECIMAL => 0.000010
cast(cast('1e21' as double) as varchar) => VARCHAR => 1.0E21
cast('99' as tinyint) => TINYINT => 99
cast('+7' as int) => INTEGER => 7
cast('7.' as decimal) => DECIMAL => 7
cast('.5' as decimal) => DECIMAL => 0.5
cast(9223372036854775807.4 as bigint) => ERR 22004 Numeric value out of range: "9223372036854775807.4" in column 
`,
);

const COMMON_TYPES: ReadonlyArray<readonly [string, SqlTypeName, SqlTypeName, SqlTypeName]> = [
  ['a string and a number are numbers', 'VARCHAR', 'INTEGER', 'INTEGER'],
  ['a string and a boolean are booleans', 'VARCHAR', 'BOOLEAN', 'BOOLEAN'],
  ['a string and a date are dates', 'CHAR', 'DATE', 'DATE'],
  ['CHAR is above VARCHAR', 'VARCHAR', 'CHAR', 'CHAR'],
  ['VARCHAR_IGNORECASE is above other strings', 'CHAR', 'VARCHAR_IGNORECASE', 'VARCHAR_IGNORECASE'],
  ['two integers have the larger type', 'TINYINT', 'BIGINT', 'BIGINT'],
  ['a boolean and a number are numbers', 'BOOLEAN', 'TINYINT', 'TINYINT'],
  ['DECIMAL is above integers', 'BIGINT', 'DECIMAL', 'DECIMAL'],
  ['REAL is above DECIMAL', 'DECIMAL', 'REAL', 'REAL'],
  ['DOUBLE is above REAL', 'DOUBLE', 'REAL', 'DOUBLE'],
  ['a date and a time are dates', 'DATE', 'TIME', 'DATE'],
  ['TIMESTAMP is above DATE', 'DATE', 'TIMESTAMP', 'TIMESTAMP'],
  ['bytes and a UUID are UUIDs', 'BINARY', 'UUID', 'UUID'],
  ['an object and a UUID are UUIDs', 'OTHER', 'UUID', 'UUID'],
  ['an array and any other type are arrays', 'ARRAY', 'UUID', 'ARRAY'],
  ['NULL has the other type', 'NULL', 'VARCHAR', 'VARCHAR'],
  ['a parameter has the other type', 'UNKNOWN', 'DATE', 'DATE'],
];

test.each(COMMON_TYPES)('%s', (_, a, b, expected) => {
  expect(higherType({ name: a }, { name: b }).name).toBe(expected);
  expect(higherType({ name: b }, { name: a }).name).toBe(expected);
});

test('two parameters have no common type', () => {
  expect(() => higherType({ name: 'UNKNOWN' }, { name: 'UNKNOWN' })).toThrow('Unknown data type: "?, ?"');
});

test('the common type has the larger precision and scale', () => {
  const a: SqlType = { name: 'DECIMAL', precision: 10, scale: 2 };
  expect(higherType(a, { name: 'DECIMAL', precision: 8, scale: 5 })).toEqual({
    name: 'DECIMAL',
    precision: 13,
    scale: 5,
  });
  expect(higherType(a, { name: 'INTEGER' })).toEqual({ name: 'DECIMAL', precision: 12, scale: 2 });
  expect(higherType(a, { name: 'DECIMAL' })).toEqual({ name: 'DECIMAL' });
  expect(higherType({ name: 'VARCHAR', precision: 3 }, { name: 'VARCHAR', precision: 5 }).precision).toBe(5);
  expect(higherType({ name: 'VARCHAR', precision: 3 }, { name: 'VARCHAR' }).precision).toBeUndefined();
  expect(higherTypeOfAll([{ name: 'NULL' }, { name: 'TINYINT' }, { name: 'VARCHAR' }]).name).toBe('TINYINT');
  expect(higherTypeOfAll([]).name).toBe('NULL');
});

test('a conversion keeps the fractional seconds that CAST rounds', () => {
  const text = '2020-02-03 10:11:12.123456789';
  const varchar: SqlType = { name: 'VARCHAR' };
  const timestamp: SqlType = { name: 'TIMESTAMP' };
  expect(convert(convert(text, varchar, timestamp), timestamp, varchar)).toBe(text);
  expect(convert(cast(text, varchar, timestamp), timestamp, varchar)).toBe('2020-02-03 10:11:12.123457');
});

test('a column has the Java class of its type, or the declared one', () => {
  expect(javaClassOf({ name: 'UUID' })).toBe('java.util.UUID');
  expect(javaClassOf({ name: 'BINARY' })).toBe('[B');
  expect(javaClassOf({ name: 'NULL' })).toBe('java.lang.Void');
  expect(javaClassOf({ name: 'OTHER', className: 'Person' })).toBe('Person');
  expect(javaClassOf({ name: 'DATE', className: 'java.sql.Timestamp' })).toBe('java.sql.Timestamp');
});
