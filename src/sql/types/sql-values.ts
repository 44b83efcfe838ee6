/** Maps SQL types to the types of values and fields, and back. */
import type { ScalarValue } from '../../values/scalar-traits.ts';
import type { FieldType, ScalarTypeName, Value } from '../../values/value.ts';
import type { SqlData, SqlType, SqlTypeName } from './sql-types.ts';

/**
 * The types of values, which have no bounds. Each is a single object, because every argument of a statement has one.
 */
const TYPES_OF_VALUES: Readonly<Record<Value['type'], SqlType>> = {
  null: { name: 'NULL' },
  boolean: { name: 'BOOLEAN' },
  byte: { name: 'TINYINT' },
  short: { name: 'SMALLINT' },
  integer: { name: 'INTEGER' },
  long: { name: 'BIGINT' },
  float: { name: 'REAL' },
  double: { name: 'DOUBLE' },
  decimal: { name: 'DECIMAL' },
  bigInteger: { name: 'DECIMAL', scale: 0 },
  char: { name: 'CHAR' },
  string: { name: 'VARCHAR' },
  gridUuid: { name: 'VARCHAR' },
  date: { name: 'DATE' },
  time: { name: 'TIME' },
  timestamp: { name: 'TIMESTAMP' },
  instant: { name: 'TIMESTAMP' },
  uuid: { name: 'UUID' },
  bytes: { name: 'BINARY' },
  map: { name: 'OTHER' },
  object: { name: 'OTHER' },
  enum: { name: 'OTHER' },
  opaque: { name: 'OTHER' },
  array: { name: 'ARRAY' },
  list: { name: 'ARRAY' },
};

/** Returns the SQL type of a value. */
export function typeOfValue({ type }: Value): SqlType {
  return TYPES_OF_VALUES[type];
}

/** Returns the SQL data of a scalar. */
export function dataOfScalar(value: ScalarValue): Exclude<SqlData, null> {
  switch (value.type) {
    case 'byte':
    case 'short':
    case 'integer':
      return BigInt(value.data);
    case 'instant':
      return BigInt(value.data) * 1_000_000n;
    case 'bigInteger':
      return { unscaled: value.data, scale: 0 };
    case 'boolean':
    case 'long':
    case 'float':
    case 'double':
    case 'char':
    case 'string':
    case 'date':
    case 'time':
    case 'timestamp':
    case 'uuid':
    case 'gridUuid':
    case 'decimal':
    case 'bytes':
      return value.data;
  }
}

const SCALARS_OF_NAMES: Readonly<Record<SqlTypeName, ScalarTypeName | undefined>> = {
  BOOLEAN: 'boolean',
  TINYINT: 'byte',
  SMALLINT: 'short',
  INTEGER: 'integer',
  BIGINT: 'long',
  REAL: 'float',
  DOUBLE: 'double',
  DECIMAL: 'decimal',
  VARCHAR: 'string',
  CHAR: 'string',
  VARCHAR_IGNORECASE: 'string',
  DATE: 'date',
  TIME: 'time',
  TIMESTAMP: 'timestamp',
  UUID: 'uuid',
  BINARY: 'bytes',
  TIMESTAMP_TZ: undefined,
  ARRAY: undefined,
  OTHER: undefined,
  NULL: undefined,
  UNKNOWN: undefined,
};
const BOUNDED: ReadonlySet<SqlTypeName> = new Set(['DECIMAL', 'VARCHAR', 'CHAR', 'VARCHAR_IGNORECASE', 'BINARY']);

/** Returns the SQL type of a query entity's field. */
export function sqlTypeOfField(field: FieldType): SqlType {
  if (field.kind !== 'scalar') return { name: 'OTHER' };
  const { type, precision, scale } = field;
  const { name } = TYPES_OF_VALUES[type];
  if (!BOUNDED.has(name)) return { name };
  return name === 'DECIMAL' ? { name, precision, scale: type === 'bigInteger' ? 0 : scale } : { name, precision };
}

/** Returns the type of the query entity's field for a column with the SQL type. */
export function fieldOfSqlType({ name, precision, scale }: SqlType): FieldType {
  const type = SCALARS_OF_NAMES[name];
  if (type === undefined) return { kind: 'any' };
  const hasBounds = BOUNDED.has(name);
  return {
    kind: 'scalar',
    type,
    ...(hasBounds && precision !== undefined && { precision }),
    ...(hasBounds && scale !== undefined && { scale }),
  };
}

/** Folds the case of a string. VARCHAR_IGNORECASE compares the folded strings. */
export function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase();
}
