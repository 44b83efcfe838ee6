/**
 * Data of the dialect as SQLite cells, and back. SQLite compares, sorts, groups, joins and indexes these cells as they
 * are; where the order of the type is another than that of the cell, `comparisonKey` says what to compare instead.
 * DESIGN.md has the table and its reasons.
 */
import type { FieldType, Value } from '../../../values/value.ts';
import { NULL } from '../../../values/value.ts';
import { decodeDecimal, encodeDecimal } from '../decimal-cells.ts';
import {
  type Binding,
  type Cell,
  decodeDouble,
  decodeStructure,
  decodeText,
  decodeTimestamp,
  encodeStructure,
  encodeText,
  encodeTimestamp,
} from '../value-cells.ts';
import { textOf, typeOfData } from './convert.ts';
import { isDecimal } from './decimal.ts';
import type { SqlData, SqlType } from './sql-types.ts';

function mismatch(type: SqlType, found: unknown): never {
  throw new TypeError(`${type.name} expected, found ${found === null ? 'NULL' : typeof found}`);
}

/** The cell of a datum of the type. */
export function encode(type: SqlType, data: SqlData): Binding {
  if (data === null) return null;
  switch (type.name) {
    case 'BOOLEAN':
      return typeof data === 'boolean' ? (data ? 1 : 0) : mismatch(type, data);
    case 'TINYINT':
    case 'SMALLINT':
    case 'INTEGER':
    case 'BIGINT':
      return typeof data === 'bigint' ? data : mismatch(type, data);
    case 'REAL':
    case 'DOUBLE':
      return typeof data === 'number' ? (Number.isNaN(data) ? 'NaN' : data) : mismatch(type, data);
    case 'DATE':
    case 'TIME':
      return typeof data === 'number' ? data : mismatch(type, data);
    case 'TIMESTAMP':
      return typeof data === 'bigint' ? encodeTimestamp(data) : mismatch(type, data);
    case 'DECIMAL':
      return isDecimal(data) ? encodeDecimal(data) : mismatch(type, data);
    case 'VARCHAR':
    case 'CHAR':
    case 'VARCHAR_IGNORECASE':
      return typeof data === 'string' ? encodeText(data) : mismatch(type, data);
    case 'UUID':
    case 'OTHER':
      return typeof data === 'string' ? data : mismatch(type, data);
    case 'BINARY':
      return data instanceof Uint8Array ? data : mismatch(type, data);
    case 'ARRAY':
      return Array.isArray(data) ? encodeStructure(valueOfData(type, data)) : mismatch(type, data);
    case 'NULL':
    case 'UNKNOWN':
      return encode(typeOfData(data), data);
  }
}

/** The datum of a cell of the type. */
export function decode(type: SqlType, cell: Cell): SqlData {
  if (cell === null) return null;
  switch (type.name) {
    case 'BOOLEAN':
      return cell !== 0n;
    case 'TINYINT':
    case 'SMALLINT':
    case 'INTEGER':
    case 'BIGINT':
      return typeof cell === 'bigint' ? cell : mismatch(type, cell);
    case 'REAL':
    case 'DOUBLE':
      return decodeDouble(cell);
    case 'DATE':
    case 'TIME':
      return typeof cell === 'bigint' ? Number(cell) : mismatch(type, cell);
    case 'TIMESTAMP':
      return decodeTimestamp(cell);
    case 'DECIMAL':
      return typeof cell === 'string' ? decodeDecimal(cell) : mismatch(type, cell);
    case 'VARCHAR':
    case 'CHAR':
    case 'VARCHAR_IGNORECASE':
      return decodeText(cell);
    case 'UUID':
    case 'OTHER':
      return typeof cell === 'string' ? cell : mismatch(type, cell);
    case 'BINARY':
      return cell instanceof Uint8Array ? cell : mismatch(type, cell);
    case 'ARRAY':
      return dataOf(decodeStructure(cell));
    case 'NULL':
    case 'UNKNOWN':
      return cell instanceof Uint8Array ? decodeText(cell) : cell;
  }
}

/** The value of a datum, for answers. */
export function valueOfData(type: SqlType, data: SqlData): Value {
  if (data === null) return NULL;
  if (typeof data === 'boolean') return { type: 'boolean', data };
  if (typeof data === 'string') {
    if (type.name === 'UUID') return { type: 'uuid', data };
    return type.name === 'OTHER' ? decodeStructure(data) : { type: 'string', data };
  }
  if (typeof data === 'bigint') {
    if (type.name === 'TIMESTAMP') return { type: 'timestamp', data };
    if (type.name === 'TINYINT') return { type: 'byte', data: Number(data) };
    if (type.name === 'SMALLINT') return { type: 'short', data: Number(data) };
    return type.name === 'INTEGER' ? { type: 'integer', data: Number(data) } : { type: 'long', data };
  }
  if (typeof data === 'number') {
    if (type.name === 'DATE') return { type: 'date', data };
    if (type.name === 'TIME') return { type: 'time', data };
    return type.name === 'REAL' ? { type: 'float', data } : { type: 'double', data };
  }
  if (data instanceof Uint8Array) return { type: 'bytes', data };
  if (isDecimal(data)) return { type: 'decimal', data };
  const items = data.map((item) => valueOfData(type.element ?? typeOfData(item), item));
  return { type: 'array', element: 'object', data: items };
}

/** The value of a cell, for answers. */
export function valueOfCell(type: SqlType, cell: Cell): Value {
  return valueOfData(type, decode(type, cell));
}

/** The datum of a value: of an argument, a default, an element of an array. */
export function dataOf(value: Value): SqlData {
  switch (value.type) {
    case 'null':
      return null;
    case 'byte':
    case 'short':
    case 'integer':
      return BigInt(value.data);
    case 'instant':
      return BigInt(value.data) * 1_000_000n;
    case 'bigInteger':
      return { unscaled: value.data, scale: 0 };
    case 'array':
    case 'list':
      return value.data.map(dataOf);
    case 'map':
    case 'object':
    case 'enum':
    case 'opaque':
      return encodeStructure(value);
    default:
      return value.data;
  }
}

/** The type of a value as SQL sees it. */
export function typeOfValue(value: Value): SqlType {
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
    default:
      return sqlTypeOfField({ kind: 'scalar', type: value.type });
  }
}

/** The SQL type of a field of a query entity. */
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

/** The field of a query entity that a column of this type becomes. */
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
    case 'ARRAY':
    case 'OTHER':
    case 'NULL':
    case 'UNKNOWN':
      return { kind: 'any' };
  }
}

/** The folding of VARCHAR_IGNORECASE: texts are equal when their foldings are. */
export function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase();
}

/** Whether cells of the type have another order than their data, so that keys must be compared in their stead. */
export function hasComparisonKey(type: SqlType): boolean {
  return type.name === 'DECIMAL' || type.name === 'VARCHAR_IGNORECASE';
}

/** SQLite text for what of a cell is compared; `sql` where the cell itself is. Also the expression to index. */
export function comparisonKey(type: SqlType, sql: string): string {
  if (type.name === 'DECIMAL') return `rtrim(${sql}, '0')`;
  return type.name === 'VARCHAR_IGNORECASE' ? `"svc fold"(${sql})` : sql;
}

/** Whether cells that are compared by what they are have an order that is not the type's. */
export function hasOrderKey(type: SqlType): boolean {
  return type.name === 'UUID' || hasComparisonKey(type);
}

/** SQLite text for what is sorted by: {@link comparisonKey}, but of UUIDs both halves, as signed numbers. */
export function orderKey(type: SqlType, sql: string): string {
  if (type.name !== 'UUID') return comparisonKey(type, sql);
  const low = `substr(${sql}, 20)`;
  return `(iif(${sql} < '8', '1', '0') || substr(${sql}, 1, 18) || iif(${low} < '8', '1', '0') || ${low})`;
}

/** {@link comparisonKey} of a known cell. */
export function keyOfCell(type: SqlType, cell: Binding): Binding {
  if (typeof cell !== 'string') return cell;
  if (type.name === 'DECIMAL') return cell.replace(/0+$/, '');
  return type.name === 'VARCHAR_IGNORECASE' ? foldCase(cell) : cell;
}

/** How a datum reads in texts of refusals. */
export function shown(type: SqlType, data: SqlData): string {
  return data === null ? 'NULL' : textOf(data, type);
}
