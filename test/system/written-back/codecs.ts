/**
 * The types of values, with values of each as JSON: the table over which the tests of this folder run. A type that is
 * missing here does not compile.
 */
import type { ScalarTypeName, ValueType } from '../../../src/values/value.ts';

/** Every type that a request can store. */
type StoredType = Exclude<ValueType, 'null' | 'enum' | 'opaque'>;

export interface Codec {
  /** The name in keyType and valueType. */
  readonly name: string;
  /** Values as requests send them in JSON with `dates=iso`, extremes included. */
  readonly values: readonly string[];
  /** Why values of the type cannot be keys. */
  readonly noKey?: string;
}

const scalar: Readonly<Record<ScalarTypeName, Codec>> = {
  boolean: { name: 'boolean', values: ['true', 'false'] },
  byte: { name: 'byte', values: ['-128', '0', '127'] },
  short: { name: 'short', values: ['-32768', '32767'] },
  integer: { name: 'int', values: ['-2147483648', '5', '2147483647'] },
  long: { name: 'long', values: ['-9223372036854775808', '5', '9007199254740993', '9223372036854775807'] },
  float: { name: 'float', values: ['-3.4028235E38', '-0.0', '1.4E-45', '0.1', '1.0E10', '"NaN"', '"-Infinity"'] },
  double: {
    name: 'double',
    values: ['-1.7976931348623157E308', '-0.0', '4.9E-324', '0.30000000000000004', '1.0E22', '"NaN"', '"Infinity"'],
  },
  char: { name: 'java.lang.Character', values: ['"a"', '"5"', '"\\""', '" "', '"\\u0000"', '"\\uffff"', '"\\ud800"'] },
  string: {
    name: 'string',
    values: [
      ...['""', '" "', '" a "', '"null"', '"NULL"', '"5"', '"1.50"', '"-0.0"', '"1e400"', '"NaN"', '"true"', '"[1]"'],
      ...[
        '"2024-02-29"',
        '"10:11:12"',
        '"AQI="',
        '"a\\"b,c\\r\\n;\\t|"',
        '"a/b%2F+&=?#."',
        '"\'"',
        '"\\\\"',
        '"\\\\N"',
      ],
      ...['"é😀"', '"e\\u0301"', '"\\ufeff"', '"\\ufffd"', '"\\ufffe"', '"\\uffff"', '"\\u2028\\u0085"', '"\\u007f"'],
      ...['"\\u0000"', '"a\\u0000b"', '"\\udbff\\udfff"', '"\\ud800"', '"a\\udfff\\ud800b"'],
    ],
  },
  date: { name: 'date', values: ['"-0001-05-05"', '"0001-01-01"', '"1969-12-31"', '"9999-12-31"', '"10000-01-01"'] },
  time: { name: 'time', values: ['"00:00:00"', '"10:11:12.5"', '"23:59:59.999"'] },
  timestamp: {
    name: 'timestamp',
    values: [
      '"-0001-05-05 00:00:00.0"',
      '"1969-12-31 23:59:59.999999999"',
      '"2024-02-29 00:00:00.0"',
      '"10000-01-01 00:00:00.5"',
    ],
  },
  instant: { name: 'java.util.Date', values: ['-2', '1517994300001', '-62135596800001', '253402300800002'] },
  uuid: { name: 'uuid', values: ['"00000000-0000-0000-0000-000000000001"', '"fedcba98-7654-3210-fedc-ba9876543210"'] },
  gridUuid: { name: 'SvcUuid', values: ['"1-123e4567-e89b-12d3-a456-426614174000"'] },
  decimal: {
    name: 'decimal',
    values: ['-1.50', '0', '0.00', '1E+3', '123456789012345678901234567890.5', '1E-400', '1E+400'],
  },
  bigInteger: { name: 'biginteger', values: ['-1', '0', '99999999999999999999'] },
  bytes: { name: '[B', values: ['""', '"AQI="', '"true"', '"1234"', '"++//"'] },
};

const composed: Readonly<Record<Exclude<StoredType, ScalarTypeName>, readonly Codec[]>> = {
  array: [
    { name: '[I', values: ['[]', '[1,-2]'] },
    { name: '[J', values: ['[9007199254740993]'] },
    { name: '[D', values: ['[0.1,-0.0]'] },
    { name: '[C', values: ['"ab"', '"5"', '"true"'] },
    { name: '[Ljava.lang.Integer;', values: ['[1,null]'] },
    { name: '[Ljava.lang.Object;', values: ['[1,"a",null]'] },
  ],
  list: [
    { name: 'list', values: ['[]', '[1,"1",null,true,[{"a":1.5}]]', '[0.12345678901234567890]', '[9007199254740993]'] },
    { name: 'set', values: ['[3,1,2]'] },
    { name: 'java.util.TreeSet', values: ['["b","a"]'] },
    { name: 'java.util.LinkedList', values: ['["b","a"]'] },
  ],
  map: [
    { name: 'map', values: ['{}', '{"b":1,"a":{"c":null}}'] },
    { name: 'java.util.HashMap', values: ['{"b":1,"a":3}'] },
    { name: 'java.util.TreeMap', values: ['{"b":1,"a":2}'] },
  ],
  object: [
    { name: 'Own', values: ['{}', '{"a":1,"b":"x","c":null,"d":[1],"e":{"f":1.5}}', '{"g":0.12345678901234567890}'] },
  ],
};

/** All types of entries. */
export const CODECS: readonly Codec[] = [...Object.values(scalar), ...Object.values(composed).flat()];

/** A type of columns. */
export interface ColumnCodec {
  /** The type in CREATE TABLE. */
  readonly sql: string;
  /** The type of the values as requests name it. */
  readonly type: ScalarTypeName;
  /** Values as responses show them in JSON. Default: those of the type. */
  readonly values?: readonly string[];
  /** Returns the literal of SQL. Default: JSON's number or truth value as it is, and its string in single quotes. */
  literal?(json: string): string;
}

/** All types of columns that SQL declares. */
export const COLUMN_CODECS: readonly ColumnCodec[] = [
  { sql: 'BOOLEAN', type: 'boolean' },
  { sql: 'TINYINT', type: 'byte' },
  { sql: 'SMALLINT', type: 'short' },
  { sql: 'INT', type: 'integer' },
  { sql: 'BIGINT', type: 'long' },
  { sql: 'REAL', type: 'float' },
  { sql: 'DOUBLE', type: 'double' },
  { sql: 'DECIMAL', type: 'decimal' },
  { sql: 'DECIMAL(5,2)', type: 'decimal', values: ['-999.99', '0.00', '1.20'] },
  { sql: 'VARCHAR', type: 'string' },
  { sql: 'CHAR', type: 'string', values: ['"a"', '"5"'] },
  { sql: 'VARCHAR(3)', type: 'string', values: ['"abc"', '"   "', '"é😀"'] },
  { sql: 'DATE', type: 'date' },
  { sql: 'TIME', type: 'time' },
  { sql: 'TIMESTAMP', type: 'timestamp' },
  { sql: 'UUID', type: 'uuid' },
  {
    sql: 'BINARY',
    type: 'bytes',
    literal: (json) => `X'${Buffer.from(String(JSON.parse(json)), 'base64').toString('hex')}'`,
  },
];

/** Returns the values of a column, NULL included, without those for which an export as CSV is rejected. */
export function valuesOf({ type, values }: ColumnCodec): readonly string[] {
  return ['null', ...(values ?? scalar[type].values.filter((json) => !isNoUnicode(json)))];
}

/** Reports whether a value is a string with a lone surrogate, which UTF-8 cannot represent: only JSON can write it. */
export function isNoUnicode(json: string): boolean {
  return json.startsWith('"') && !String(JSON.parse(json)).isWellFormed();
}

/** Returns the name of the column's type in keyType, valueType and arg1Type. */
export function typeNameOf({ type }: ColumnCodec): string {
  return scalar[type].name;
}

/** Returns a value of a column as a literal of SQL. */
export function literalOf(codec: ColumnCodec, json: string): string {
  if (json === 'null' || codec.literal === undefined) {
    return json.startsWith('"') ? `'${String(JSON.parse(json)).replaceAll("'", "''")}'` : json.toUpperCase();
  }
  return codec.literal(json);
}
