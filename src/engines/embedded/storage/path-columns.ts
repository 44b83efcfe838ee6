/** Columns of indexed paths: the part of entries' values that they store. */
import { SqlFailure } from '../../../base/sql-failure.ts';
import { isDecimal } from '../../../sql/types/decimal.ts';
import { dataOfItem, findItem, itemOfValue, type PathStep, parsePath } from '../../../sql/types/json-path.ts';
import type { SqlData, SqlTypeName } from '../../../sql/types/sql-types.ts';
import type { ScalarValue } from '../../../values/scalar-traits.ts';
import type { Value } from '../../../values/value.ts';
import type { PlacedField } from './definitions.ts';
import { encodeField } from './field-storage.ts';
import type { Binding, PathColumn } from './value-storage.ts';

export function pathColumns(fields: readonly PlacedField[]): readonly PathColumn[] {
  return fields
    .flatMap(({ place, path }) => {
      if (path === undefined || typeof place !== 'number') return [];
      const steps = parsePath(path.path);
      return [{ ...path, column: place, storageValueOf: (value: Value) => storageValueAt(value, steps, path.type) }];
    })
    .sort((left, right) => left.column - right.column);
}

/**
 * The storage value of a path that a statement leaves to its last step. No path has it, because strings stored as
 * bytes are longer.
 */
export const UNKNOWN_PATH = "x'00'";

function storageValueAt(value: Value, steps: readonly PathStep[], type: SqlTypeName): Binding {
  const data = dataAt(value, steps, type);
  const scalar = data === null ? undefined : scalarOf(type, data);
  return scalar === undefined ? null : encodeField({ kind: 'scalar', type: scalar.type }, scalar);
}

function dataAt(value: Value, steps: readonly PathStep[], type: SqlTypeName): SqlData {
  try {
    const item = findItem(itemOfValue(value), steps);
    return item === undefined ? null : dataOfItem(item, { name: type });
  } catch (error) {
    if (error instanceof SqlFailure) return null;
    throw error;
  }
}

function scalarOf(type: SqlTypeName, data: Exclude<SqlData, null>): ScalarValue | undefined {
  if (typeof data === 'boolean') return { type: 'boolean', data };
  if (typeof data === 'string') return type === 'UUID' ? { type: 'uuid', data } : { type: 'string', data };
  if (typeof data === 'number') return type === 'DATE' ? { type: 'date', data } : { type: 'double', data };
  if (typeof data === 'bigint') {
    if (type === 'TIMESTAMP') return { type: 'timestamp', data };
    return type === 'INTEGER' ? { type: 'integer', data: Number(data) } : { type: 'long', data };
  }
  return isDecimal(data) ? { type: 'decimal', data } : undefined;
}
