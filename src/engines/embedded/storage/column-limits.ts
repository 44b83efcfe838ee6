/** Checks writes by key against the limits that columns declare, like statements. */
import { gridError } from '../../../base/errors.ts';
import type { EntityField, QueryEntity } from '../../../grid/grid.ts';
import { type CheckedColumn, excessOf } from '../../../sql/types/column-checks.ts';
import type { SqlData } from '../../../sql/types/sql-types.ts';
import { sqlTypeOfField } from '../../../sql/types/sql-values.ts';
import { type Field, NULL, type Value } from '../../../values/value.ts';
import { columnSqlName } from './definitions.ts';

/** A column that rejects some values of its type. */
export interface LimitedColumn extends CheckedColumn {
  readonly field: string;
}

/** Returns the limits of a field's column, or undefined if it has none. */
export function limitsOf(entity: QueryEntity, field: EntityField): LimitedColumn | undefined {
  const type = sqlTypeOfField(field.type);
  const notNull = field.notNull === true;
  if (!notNull && type.precision === undefined) return undefined;
  return { field: field.name, name: columnSqlName(entity, field), type, notNull };
}

/** Throws if a column cannot hold a field. The columns of fields that are not `written` are NULL. */
export function checkFields(
  fields: readonly Field[],
  columns: readonly LimitedColumn[],
  written: ReadonlySet<string>,
): void {
  for (const column of columns) {
    const found = written.has(column.field) ? fields.find(({ name }) => name === column.field) : undefined;
    checkValue(found?.value ?? NULL, column);
  }
}

/** Throws if the column cannot hold a value of its type. */
export function checkValue(value: Value, column: CheckedColumn): void {
  if (value.type !== 'null') checkBounds(value, column);
  else if (column.notNull) throw gridError('NULL_NOT_ALLOWED', column.name);
}

/** Throws if a value of its type exceeds a column's length, precision or scale. */
export function checkBounds(value: Value, column: CheckedColumn): void {
  // Most values are strings that fit.
  if (value.type === 'string' && value.data.length <= (column.type.precision ?? value.data.length)) return;
  const data = boundedData(value);
  const excess = data === undefined ? undefined : excessOf(column, data);
  if (excess !== undefined) throw gridError(...excess);
}

/** Returns the SQL data of a value whose type can have limits, or undefined for others. */
function boundedData(value: Value): SqlData | undefined {
  switch (value.type) {
    case 'string':
    case 'decimal':
    case 'bytes':
    case 'char':
    case 'gridUuid':
      return value.data;
    case 'bigInteger':
      return { unscaled: value.data, scale: 0 };
    case 'null':
    case 'boolean':
    case 'byte':
    case 'short':
    case 'integer':
    case 'long':
    case 'float':
    case 'double':
    case 'date':
    case 'time':
    case 'timestamp':
    case 'instant':
    case 'uuid':
    case 'array':
    case 'list':
    case 'map':
    case 'object':
    case 'enum':
    case 'opaque':
      return undefined;
  }
}
