/**
 * Converts SQL data to storage values in SQLite and back. SQLite compares, sorts, groups, joins and indexes storage
 * values directly; if their order differs from the type's, `comparisonKey` returns the expression to compare instead.
 * DESIGN.md has the table of types and the reasons.
 */

import { isDecimal } from '../../../sql/types/decimal.ts';
import type { SqlData, SqlType, SqlTypeName } from '../../../sql/types/sql-types.ts';
import { dataOfScalar, foldCase } from '../../../sql/types/sql-values.ts';
import { elementType, isIntegerType, typeOfData } from '../../../sql/types/type-order.ts';
import { instantOfZoned, isoTextOfZoned } from '../../../sql/types/zoned-timestamp.ts';
import { NULL, type Value } from '../../../values/value.ts';
import { decodeDecimal, encodeDecimal, withoutZeros } from '../storage/decimal-storage.ts';
import { decodeTimestamp, encodeTimestamp } from '../storage/timestamp-storage.ts';
import {
  type Binding,
  decodeDouble,
  decodeStructure,
  decodeText,
  encodeStructure,
  encodeText,
  type StorageValue,
} from '../storage/value-storage.ts';

function mismatch(type: SqlType, found: unknown): never {
  throw new TypeError(`${type.name} expected, found ${found === null ? 'NULL' : typeof found}`);
}

/** Returns the storage value for SQL data of the type. Throws TypeError if the data has another type. */
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
    case 'TIMESTAMP_TZ':
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

/** Returns the SQL data of a storage value of the type. */
export function decode(type: SqlType, storageValue: StorageValue): SqlData {
  if (storageValue === null) return null;
  switch (type.name) {
    case 'BOOLEAN':
      return storageValue !== 0n;
    case 'TINYINT':
    case 'SMALLINT':
    case 'INTEGER':
    case 'BIGINT':
      return typeof storageValue === 'bigint' ? storageValue : mismatch(type, storageValue);
    case 'REAL':
    case 'DOUBLE':
      return decodeDouble(storageValue);
    case 'DATE':
      return typeof storageValue === 'bigint' ? Number(storageValue) : mismatch(type, storageValue);
    case 'TIME':
      // Only expressions have a fraction of a millisecond.
      return typeof storageValue === 'bigint' || typeof storageValue === 'number'
        ? Number(storageValue)
        : mismatch(type, storageValue);
    case 'TIMESTAMP':
      return typeof storageValue === 'string' ? decodeTimestamp(storageValue) : mismatch(type, storageValue);
    case 'DECIMAL':
      return typeof storageValue === 'string' ? decodeDecimal(storageValue) : mismatch(type, storageValue);
    case 'VARCHAR':
    case 'CHAR':
    case 'VARCHAR_IGNORECASE':
      return decodeText(storageValue);
    case 'UUID':
    case 'TIMESTAMP_TZ':
    case 'OTHER':
      return typeof storageValue === 'string' ? storageValue : mismatch(type, storageValue);
    case 'BINARY':
      return storageValue instanceof Uint8Array ? storageValue : mismatch(type, storageValue);
    case 'ARRAY':
      return dataOf(decodeStructure(storageValue));
    case 'NULL':
    case 'UNKNOWN':
      return storageValue instanceof Uint8Array ? decodeText(storageValue) : storageValue;
  }
}

/** Returns the value that a client sees for SQL data of the type. */
export function valueOfData(type: SqlType, data: SqlData): Value {
  if (data === null) return NULL;
  if (typeof data === 'boolean') return { type: 'boolean', data };
  if (typeof data === 'string') {
    if (type.name === 'UUID') return { type: 'uuid', data };
    if (type.name === 'TIMESTAMP_TZ') return { type: 'string', data: isoTextOfZoned(data) };
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
    if (type.name === 'TIME') return { type: 'time', data: Math.trunc(data) };
    return type.name === 'REAL' ? { type: 'float', data } : { type: 'double', data };
  }
  if (data instanceof Uint8Array) return { type: 'bytes', data };
  if (isDecimal(data)) return { type: 'decimal', data };
  const items = data.map((item, at) => valueOfData(elementType(type, at, item), item));
  return { type: 'array', element: 'object', data: items };
}

/** Returns the value that a client sees for a storage value of the type. */
export function decodeValueAs(type: SqlType, storageValue: StorageValue): Value {
  // The stored elements have types, which SQL data does not preserve.
  if (type.name === 'ARRAY' && storageValue !== null) return decodeStructure(storageValue);
  return valueOfData(type, decode(type, storageValue));
}

/** Returns the SQL data of a value: an argument, a default or an array element. */
export function dataOf(value: Value): SqlData {
  switch (value.type) {
    case 'null':
      return null;
    case 'array':
    case 'list':
      return value.data.map(dataOf);
    case 'map':
    case 'object':
    case 'enum':
    case 'opaque':
      return encodeStructure(value);
  }
  return dataOfScalar(value);
}

/** Reports whether storage values of the type must be compared by their comparison keys. */
export function hasComparisonKey(type: SqlType): boolean {
  return type.name === 'DECIMAL' || type.name === 'VARCHAR_IGNORECASE' || type.name === 'TIMESTAMP_TZ';
}

/** Returns the SQLite text of the comparison key of `sql`, which is also the expression to index. */
export function comparisonKey(type: SqlType, sql: string): string {
  if (type.name === 'DECIMAL') return `rtrim(${sql}, '0')`;
  if (type.name === 'TIMESTAMP_TZ') return `"svc instant"(${sql})`;
  return type.name === 'VARCHAR_IGNORECASE' ? `"svc fold"(${sql})` : sql;
}

/** Reports whether storage values of the type must be sorted by an order key. */
export function hasOrderKey(type: SqlType): boolean {
  return type.name === 'UUID' || hasComparisonKey(type);
}

/** Returns the SQLite text of the order key: the {@link comparisonKey}; for a UUID its halves as signed numbers. */
export function orderKey(type: SqlType, sql: string): string {
  if (type.name !== 'UUID') return comparisonKey(type, sql);
  const low = `substr(${sql}, 20)`;
  return `(iif(${sql} < '8', '1', '0') || substr(${sql}, 1, 18) || iif(${low} < '8', '1', '0') || ${low})`;
}

/** Returns the {@link comparisonKey} of a known storage value. */
export function comparisonKeyOf(type: SqlType, storageValue: Binding): Binding {
  if (typeof storageValue !== 'string') return storageValue;
  if (type.name === 'DECIMAL') return withoutZeros(storageValue);
  if (type.name === 'TIMESTAMP_TZ') return encodeTimestamp(instantOfZoned(storageValue));
  return type.name === 'VARCHAR_IGNORECASE' ? foldCase(storageValue) : storageValue;
}

const SCALED: ReadonlySet<SqlTypeName> = new Set<SqlTypeName>(['DECIMAL', 'TIME', 'TIMESTAMP']);

/** Reports whether all data of one type have the same storage values in the other type. */
export function hasSameStorage(from: SqlType, to: SqlType): boolean {
  if (from.name === 'NULL') return true;
  if (to.precision !== undefined && isBounded(to) && (from.precision === undefined || from.precision > to.precision))
    return false;
  if (from.name === to.name) return !SCALED.has(to.name) || to.scale === undefined || from.scale === to.scale;
  if (isIntegerType(to.name)) {
    if (from.name === 'BOOLEAN') return true;
    return isIntegerType(from.name) && width(from) <= width(to);
  }
  if (to.name === 'DOUBLE') return isIntegerType(from.name) || from.name === 'REAL';
  return (
    (to.name === 'VARCHAR' || to.name === 'VARCHAR_IGNORECASE') &&
    (from.name === 'VARCHAR' || from.name === 'CHAR' || from.name === 'VARCHAR_IGNORECASE')
  );
}

function isBounded(type: SqlType): boolean {
  return type.name !== 'DATE' && type.name !== 'TIME' && type.name !== 'TIMESTAMP';
}

const WIDTHS = { TINYINT: 1, SMALLINT: 2, INTEGER: 3, BIGINT: 4 } as const;

function width(type: SqlType): number {
  return type.name in WIDTHS ? WIDTHS[type.name as keyof typeof WIDTHS] : 0;
}
