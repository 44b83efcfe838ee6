/** Maps SQL types to the types of values and of fields, and back. */
import { isScalar } from '../../values/scalar-traits.ts';
import type { FieldType, ScalarTypeName, Value } from '../../values/value.ts';
import { textOf } from './convert.ts';
import type { SqlData, SqlType, SqlTypeName } from './sql-types.ts';

/** Returns the SQL type of a value. */
export function typeOfValue(value: Value): SqlType {
  if (isScalar(value)) return sqlTypeOfField({ kind: 'scalar', type: value.type });
  switch (value.type) {
    case 'null':
      return { name: 'NULL' };
    case 'map':
    case 'object':
    case 'enum':
    case 'opaque':
      return { name: 'OTHER' };
    case 'array':
    case 'list':
      return { name: 'ARRAY' };
  }
}

const NAMES_OF_SCALARS: Readonly<Record<ScalarTypeName, SqlTypeName>> = {
  boolean: 'BOOLEAN',
  byte: 'TINYINT',
  short: 'SMALLINT',
  integer: 'INTEGER',
  long: 'BIGINT',
  float: 'REAL',
  double: 'DOUBLE',
  decimal: 'DECIMAL',
  bigInteger: 'DECIMAL',
  char: 'CHAR',
  string: 'VARCHAR',
  gridUuid: 'VARCHAR',
  date: 'DATE',
  time: 'TIME',
  timestamp: 'TIMESTAMP',
  instant: 'TIMESTAMP',
  uuid: 'UUID',
  bytes: 'BINARY',
};
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

/** Returns the SQL type of a field of a query entity. */
export function sqlTypeOfField(field: FieldType): SqlType {
  if (field.kind !== 'scalar') return { name: 'OTHER' };
  const { type, precision, scale } = field;
  const name = NAMES_OF_SCALARS[type];
  if (!BOUNDED.has(name)) return { name };
  return name === 'DECIMAL' ? { name, precision, scale: type === 'bigInteger' ? 0 : scale } : { name, precision };
}

/** Returns the type of the query entity's field for a column of the SQL type. */
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

/** Returns a value as error texts show it. */
export function shown(type: SqlType, data: SqlData): string {
  return data === null ? 'NULL' : textOf(data, type);
}
