/** Between the types of SQL and those of values: fields of entities have both faces. */
import type { FieldType, ScalarTypeName, Value } from '../../../values/value.ts';
import { NULL } from '../../../values/value.ts';
import { isDecimal } from '../sql/decimal.ts';
import type { SqlData, SqlType, SqlTypeName } from '../sql/sql-types.ts';

const SCALARS: Readonly<Record<SqlTypeName, ScalarTypeName | undefined>> = {
  NULL: undefined,
  UNKNOWN: 'string',
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
  ARRAY: undefined,
  OTHER: undefined,
};

const SQL_TYPES: Readonly<Record<ScalarTypeName, SqlTypeName>> = {
  boolean: 'BOOLEAN',
  byte: 'TINYINT',
  short: 'SMALLINT',
  integer: 'INTEGER',
  long: 'BIGINT',
  float: 'REAL',
  double: 'DOUBLE',
  char: 'CHAR',
  string: 'VARCHAR',
  date: 'DATE',
  time: 'TIME',
  timestamp: 'TIMESTAMP',
  instant: 'TIMESTAMP',
  uuid: 'UUID',
  gridUuid: 'VARCHAR',
  decimal: 'DECIMAL',
  bigInteger: 'DECIMAL',
  bytes: 'BINARY',
};

/** The scalar type that a column of this SQL type holds; undefined for what has no scalar face. */
export function scalarOf(type: SqlType): ScalarTypeName | undefined {
  return SCALARS[type.name];
}

/** The type of the field behind a column. */
export function fieldTypeOf(type: SqlType): FieldType {
  const scalar = SCALARS[type.name];
  if (scalar === undefined) return { kind: 'any' };
  return {
    kind: 'scalar',
    type: scalar,
    ...(type.precision !== undefined && { precision: type.precision }),
    ...(type.scale !== undefined && { scale: type.scale }),
  };
}

/** The SQL type of a scalar. */
export function sqlTypeOfScalar(type: ScalarTypeName): SqlType {
  return { name: SQL_TYPES[type] };
}

/** The SQL type of a field's column. */
export function sqlTypeOf(type: FieldType): SqlType {
  if (type.kind !== 'scalar') return { name: 'OTHER', className: 'java.lang.Object' };
  return { name: SQL_TYPES[type.type], precision: type.precision, scale: type.scale };
}

/** The value of a datum of this type. */
export function dataValue(type: SqlType, data: SqlData): Value {
  if (data === null) return NULL;
  switch (type.name) {
    case 'BOOLEAN':
      return { type: 'boolean', data: data === true };
    case 'TINYINT':
      return { type: 'byte', data: Number(data) };
    case 'SMALLINT':
      return { type: 'short', data: Number(data) };
    case 'INTEGER':
      return { type: 'integer', data: Number(data) };
    case 'BIGINT':
      return { type: 'long', data: typeof data === 'bigint' ? data : BigInt(Number(data)) };
    case 'REAL':
      return { type: 'float', data: Number(data) };
    case 'DOUBLE':
      return { type: 'double', data: Number(data) };
    case 'DATE':
      return { type: 'date', data: Number(data) };
    case 'TIME':
      return { type: 'time', data: Number(data) };
    case 'TIMESTAMP':
      return { type: 'timestamp', data: typeof data === 'bigint' ? data : BigInt(Number(data)) };
    case 'UUID':
      return { type: 'uuid', data: String(data) };
    case 'DECIMAL':
      return isDecimal(data) ? { type: 'decimal', data } : { type: 'string', data: String(data) };
    case 'BINARY':
      return data instanceof Uint8Array ? { type: 'bytes', data } : { type: 'string', data: String(data) };
    case 'ARRAY':
      return {
        type: 'list',
        data: Array.isArray(data) ? data.map((each) => dataValue(elementOf(type, each), each)) : [],
      };
    case 'NULL':
    case 'UNKNOWN':
    case 'VARCHAR':
    case 'CHAR':
    case 'VARCHAR_IGNORECASE':
    case 'OTHER':
      return { type: 'string', data: String(data) };
  }
}

/** The element type where the array declares it, else what the datum itself is. */
function elementOf(array: SqlType, data: SqlData): SqlType {
  if (array.element !== undefined) return array.element;
  if (typeof data === 'boolean') return { name: 'BOOLEAN' };
  if (typeof data === 'bigint') return { name: 'BIGINT' };
  if (typeof data === 'number') return { name: 'DOUBLE' };
  if (data instanceof Uint8Array) return { name: 'BINARY' };
  if (Array.isArray(data)) return { name: 'ARRAY' };
  return isDecimal(data) ? { name: 'DECIMAL' } : { name: 'VARCHAR' };
}
