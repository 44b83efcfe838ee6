/** Maps SQL types to the types of values and of fields, and back. */
import { isScalar } from '../../values/scalar-traits.ts';
import type { FieldType, Value } from '../../values/value.ts';
import { textOf } from './convert.ts';
import type { SqlData, SqlType } from './sql-types.ts';

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

/** Returns the SQL type of a field of a query entity. */
export function sqlTypeOfField(field: FieldType): SqlType {
  if (field.kind !== 'scalar') return { name: 'OTHER' };
  const { precision, scale } = field;
  switch (field.type) {
    case 'boolean':
      return { name: 'BOOLEAN' };
    case 'byte':
      return { name: 'TINYINT' };
    case 'short':
      return { name: 'SMALLINT' };
    case 'integer':
      return { name: 'INTEGER' };
    case 'long':
      return { name: 'BIGINT' };
    case 'float':
      return { name: 'REAL' };
    case 'double':
      return { name: 'DOUBLE' };
    case 'decimal':
      return { name: 'DECIMAL', precision, scale };
    case 'bigInteger':
      return { name: 'DECIMAL', precision, scale: 0 };
    case 'char':
      return { name: 'CHAR', precision };
    case 'string':
    case 'gridUuid':
      return { name: 'VARCHAR', precision };
    case 'date':
      return { name: 'DATE' };
    case 'time':
      return { name: 'TIME' };
    case 'timestamp':
    case 'instant':
      return { name: 'TIMESTAMP' };
    case 'uuid':
      return { name: 'UUID' };
    case 'bytes':
      return { name: 'BINARY', precision };
  }
}

/** Returns the type of the query entity's field for a column of the SQL type. */
export function fieldOfSqlType(type: SqlType): FieldType {
  const { precision, scale } = type;
  const bounds = { ...(precision === undefined ? {} : { precision }), ...(scale === undefined ? {} : { scale }) };
  switch (type.name) {
    case 'BOOLEAN':
      return { kind: 'scalar', type: 'boolean' };
    case 'TINYINT':
      return { kind: 'scalar', type: 'byte' };
    case 'SMALLINT':
      return { kind: 'scalar', type: 'short' };
    case 'INTEGER':
      return { kind: 'scalar', type: 'integer' };
    case 'BIGINT':
      return { kind: 'scalar', type: 'long' };
    case 'REAL':
      return { kind: 'scalar', type: 'float' };
    case 'DOUBLE':
      return { kind: 'scalar', type: 'double' };
    case 'DECIMAL':
      return { kind: 'scalar', type: 'decimal', ...bounds };
    case 'VARCHAR':
    case 'CHAR':
    case 'VARCHAR_IGNORECASE':
      return { kind: 'scalar', type: 'string', ...bounds };
    case 'DATE':
      return { kind: 'scalar', type: 'date' };
    case 'TIME':
      return { kind: 'scalar', type: 'time' };
    case 'TIMESTAMP':
      return { kind: 'scalar', type: 'timestamp' };
    case 'UUID':
      return { kind: 'scalar', type: 'uuid' };
    case 'BINARY':
      return { kind: 'scalar', type: 'bytes', ...bounds };
    case 'TIMESTAMP_TZ':
    case 'ARRAY':
    case 'OTHER':
    case 'NULL':
    case 'UNKNOWN':
      return { kind: 'any' };
  }
}

/** Folds the case of a string. VARCHAR_IGNORECASE compares the folded strings. */
export function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase();
}

/** Returns a value as error texts show it. */
export function shown(type: SqlType, data: SqlData): string {
  return data === null ? 'NULL' : textOf(data, type);
}
