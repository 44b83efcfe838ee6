/** Parses data types with their precision and scale. */
import { sqlFailure, sqlFailureAt } from '../../base/sql-errors.ts';
import { nearestName } from '../../base/sql-failure.ts';
import type { SqlType, SqlTypeName } from '../types/sql-types.ts';
import { CLASS_OF_BLOB, CLASS_OF_CLOB } from '../types/type-order.ts';
import type { TokenReader } from './token-reader.ts';

const NAMES: ReadonlyMap<string, SqlTypeName> = new Map(
  Object.entries({
    INTEGER: 'INT INTEGER MEDIUMINT INT4 SIGNED',
    BOOLEAN: 'BOOLEAN BIT BOOL',
    TINYINT: 'TINYINT',
    SMALLINT: 'SMALLINT INT2 YEAR',
    BIGINT: 'BIGINT INT8 LONG',
    DECIMAL: 'DECIMAL NUMBER DEC NUMERIC',
    DOUBLE: 'DOUBLE FLOAT FLOAT8',
    REAL: 'REAL FLOAT4',
    TIME: 'TIME',
    DATE: 'DATE',
    TIMESTAMP: 'TIMESTAMP DATETIME DATETIME2 SMALLDATETIME',
    BINARY: 'BINARY VARBINARY LONGVARBINARY RAW BYTEA BLOB TINYBLOB MEDIUMBLOB LONGBLOB IMAGE OID',
    OTHER: 'OTHER OBJECT JAVA_OBJECT',
    VARCHAR:
      'VARCHAR LONGVARCHAR VARCHAR2 NVARCHAR NVARCHAR2 VARCHAR_CASESENSITIVE TID CLOB TINYTEXT TEXT MEDIUMTEXT LONGTEXT ' +
      'NTEXT NCLOB CHARACTER_VARYING',
    VARCHAR_IGNORECASE: 'VARCHAR_IGNORECASE',
    CHAR: 'CHAR CHARACTER NCHAR',
    UUID: 'UUID UNIQUEIDENTIFIER',
    ARRAY: 'ARRAY',
  } satisfies Partial<Record<SqlTypeName, string>>).flatMap(([type, names]) =>
    names.split(' ').map((name) => [name, type as SqlTypeName] as const),
  ),
);

/** Type names in other databases and for keys and values in this service, with the type to use. */
const FOREIGN_NAMES: ReadonlyMap<string, string> = new Map([
  ['STRING', 'VARCHAR'],
  ['JSON', 'VARCHAR'],
  ['JSONB', 'VARCHAR'],
  ['BYTE', 'TINYINT'],
  ['SHORT', 'SMALLINT'],
  ['BYTES', 'BINARY'],
  ['TIMESTAMPTZ', 'TIMESTAMP'],
]);

/** Types that the dialect's documentation names but that are not supported, with the error for such a column. */
const UNSUPPORTED_TYPES: ReadonlyMap<string, 'AUTO_INCREMENT' | 'ENUM_TYPE' | 'GEOMETRY_TYPE'> = new Map([
  ['IDENTITY', 'AUTO_INCREMENT'],
  ['SERIAL', 'AUTO_INCREMENT'],
  ['BIGSERIAL', 'AUTO_INCREMENT'],
  ['ENUM', 'ENUM_TYPE'],
  ['GEOMETRY', 'GEOMETRY_TYPE'],
]);

/** Types that CAST accepts although no column may have them. */
const CAST_TYPES: ReadonlyMap<string, SqlTypeName> = new Map([
  ['IDENTITY', 'BIGINT'],
  ['SERIAL', 'INTEGER'],
  ['BIGSERIAL', 'BIGINT'],
]);

/** The Java classes of constants cast to a large object. Columns of these types hold strings and bytes. */
const LARGE_OBJECT_CLASSES: ReadonlyMap<string, string> = new Map([
  ...['CLOB', 'TINYTEXT', 'TEXT', 'MEDIUMTEXT', 'LONGTEXT', 'NTEXT', 'NCLOB'].map(
    (word) => [word, CLASS_OF_CLOB] as const,
  ),
  ...['BLOB', 'TINYBLOB', 'MEDIUMBLOB', 'LONGBLOB', 'IMAGE', 'OID'].map((word) => [word, CLASS_OF_BLOB] as const),
]);

export interface ParsedType {
  readonly type: SqlType;
  /** The type as written, in upper case: `VARCHAR(10)`. */
  readonly text: string;
}

/** Parses a type. `column` is the column being defined, for error texts. */
export function parseType(reader: TokenReader, column: string | undefined): ParsedType {
  const start = reader.token;
  const word = reader.readName().text;
  const unsupported = UNSUPPORTED_TYPES.get(word);
  const castName = column === undefined ? CAST_TYPES.get(word) : undefined;
  if (unsupported !== undefined && castName === undefined) {
    throw sqlFailureAt({ at: start.start }, unsupported, column);
  }
  let name = castName ?? NAMES.get(word);
  if (name === undefined) {
    const suggestion = FOREIGN_NAMES.get(word) ?? nearestName(word, NAMES.keys());
    throw sqlFailureAt({ at: start.start, suggestion }, 'TYPE_UNKNOWN', word);
  }
  if (word === 'DOUBLE' || word === 'FLOAT') reader.readIf('PRECISION');
  if (word === 'LONG' && reader.readIf('RAW')) name = 'BINARY';
  if (word === 'CHAR' || word === 'CHARACTER') {
    if (reader.readIf('VARYING')) name = 'VARCHAR';
  }
  const bounds = parseBounds(reader);
  if (name === 'TIME') reader.readAllIf('WITHOUT', 'TIME', 'ZONE');
  if (name === 'TIMESTAMP' && readTimeZone(reader, column)) name = 'TIMESTAMP_TZ';
  reader.readAllIf('FOR', 'BIT', 'DATA');
  if (word === 'FLOAT' && bounds.precision !== undefined) {
    if (bounds.precision > DOUBLE_BITS) throw sqlFailure('SCALE_TOO_LARGE', String(bounds.precision));
    if (bounds.precision <= REAL_BITS) name = 'REAL';
  }
  const { precision, scale = 0 } = bounds;
  if (name === 'DECIMAL' && precision !== undefined && scale > precision) {
    throw sqlFailureAt({ at: start.start }, 'SCALE_TOO_LARGE', String(scale), `"${precision}"`);
  }
  const type = boundedType(name, bounds);
  const className = column === undefined ? LARGE_OBJECT_CLASSES.get(word) : undefined;
  return { type: className === undefined ? type : { ...type, className }, text: typeText(word, bounds) };
}

/** Number of bits in the significands of DOUBLE and REAL, which FLOAT(n) chooses between. */
const DOUBLE_BITS = 53;
const REAL_BITS = 24;

interface Bounds {
  readonly precision?: number;
  readonly scale?: number;
}

function parseBounds(reader: TokenReader): Bounds {
  if (!reader.readIf('(')) return {};
  if (reader.readIf('MAX')) {
    reader.read(')');
    return {};
  }
  const precision = reader.readInteger();
  const unit =
    precision * (reader.readIf('K') ? 1024 : reader.readIf('M') ? 1024 ** 2 : reader.readIf('G') ? 1024 ** 3 : 1);
  if (!reader.readIf('CHAR')) reader.readIf('BYTE');
  if (!reader.readIf(',')) {
    reader.read(')');
    return { precision: unit };
  }
  const negative = reader.readIf('-');
  const scale = reader.readInteger();
  reader.read(')');
  return { precision: unit, scale: negative ? -scale : scale };
}

/** Reads WITH TIME ZONE or WITHOUT TIME ZONE. Throws if a column would have the type. */
function readTimeZone(reader: TokenReader, column: string | undefined): boolean {
  if (reader.readAllIf('WITHOUT', 'TIME', 'ZONE')) return false;
  const { start } = reader.token;
  if (!reader.readAllIf('WITH', 'TIME', 'ZONE')) return false;
  if (column !== undefined) throw sqlFailureAt({ at: start }, 'TIME_ZONE_TYPE', column);
  return true;
}

function boundedType(name: SqlTypeName, { precision, scale }: Bounds): SqlType {
  switch (name) {
    case 'VARCHAR':
    case 'CHAR':
    case 'VARCHAR_IGNORECASE':
    case 'BINARY':
      return precision === undefined ? { name } : { name, precision };
    case 'TIME':
    case 'TIMESTAMP':
    case 'TIMESTAMP_TZ':
      return precision === undefined ? { name } : { name, scale: precision };
    case 'DECIMAL':
      return precision === undefined ? { name } : { name, precision, scale: scale ?? 0 };
    default:
      return { name };
  }
}

function typeText(word: string, { precision, scale }: Bounds): string {
  if (precision === undefined) return word;
  return scale === undefined ? `${word}(${precision})` : `${word}(${precision}, ${scale})`;
}
