/**
 * Writes the declared fields of objects to columns and reads them. Fields without a column are in `v` (row-codec.ts).
 *
 * A row in the regular form has the declared fields in order, followed by others. If a field was declared when
 * the cache already had entries, it is absent from those that do not have it; in such a row, its NULL
 * therefore means absent.
 */
import type { EntityField } from '../../../grid/grid.ts';
import type { CheckedColumn } from '../../../sql/types/column-checks.ts';
import { convertField } from '../../../values/custom.ts';
import { columnFinder } from '../../../values/field-names.ts';
import { type Field, type FieldType, NULL, type Value } from '../../../values/value.ts';
import { checkBounds } from './column-limits.ts';
import { decodeField, encodeField } from './field-storage.ts';
import { type Binding, decodeFields, encodeFields, type Row, type StorageValue } from './value-storage.ts';

/** A field and the number of its column. */
export interface ColumnField {
  readonly field: EntityField;
  readonly column: number;
  /** Whether it was declared when the cache already had entries. */
  readonly isLater: boolean;
  /** The limits of the column, if it rejects some values of its type. */
  readonly limits?: CheckedColumn | undefined;
}

/** Returns the name of a field's column. */
export type ColumnFinder = (field: string) => string | undefined;

/** Up to this number, fields are searched one after another. */
const FEW_FIELDS = 16;

/** Returns a function that finds the first field with a name. */
export function finderOf(fields: readonly Field[]): (name: string) => Field | undefined {
  if (fields.length <= FEW_FIELDS) return (name) => fields.find((each) => each.name === name);
  const byName = new Map(fields.toReversed().map((field) => [field.name, field]));
  return (name) => byName.get(name);
}

/** Returns the fields with the values that a put would store. Throws ConversionFailure. */
export function convertFields(fields: readonly Field[], declared: readonly EntityField[]): readonly Field[] {
  const types = new Map(declared.map(({ name, type }) => [name, type]));
  const columnOf = columnFinder(declared.map(({ name }) => name));
  return namedAsColumns(fields, columnOf).map((field) => {
    const type = types.get(field.name);
    if (type === undefined || fits(type, field.value)) return field;
    return { name: field.name, value: convertField(type, field.value, field.name) };
  });
}

/**
 * Returns the fields under the names of their columns: if several are the same field, the exact match or the last one.
 */
function namedAsColumns(fields: readonly Field[], columnOf: ColumnFinder): readonly Field[] {
  const names = new Set(fields.map(({ name }) => name));
  const named = new Map<string, Field>();
  for (const field of fields) {
    const name = columnOf(field.name) ?? field.name;
    if (name === field.name || !names.has(name)) named.set(name, { name, value: field.value });
  }
  return [...named.values()];
}

function fits(type: FieldType, value: Value): boolean {
  if (value.type === 'null') return true;
  switch (type.kind) {
    case 'scalar':
      return value.type === type.type;
    case 'array':
      return value.type === 'array' && value.element === type.element;
    case 'list':
    case 'map':
      return value.type === type.kind;
    case 'any':
      return true;
  }
}

/** Writes an object's fields to their columns. Returns them under the column names, with the names written. */
export function writeObject(
  fields: readonly Field[],
  columns: readonly ColumnField[],
  columnOf: ColumnFinder,
  storageValues: Map<number, Binding>,
): { readonly fields: readonly Field[]; readonly written: ReadonlySet<string> } {
  const written = writeFields(fields, columns, storageValues);
  const isNamed = ({ name }: Field): boolean => written.has(name) || columnOf(name) === undefined;
  if (written.size === fields.length || fields.every(isNamed)) return { fields, written };
  const named = namedAsColumns(fields, columnOf);
  return { fields: named, written: writeFields(named, columns, storageValues) };
}

/** Writes fields to their columns. Returns their names. Throws for a value that exceeds its column's limits. */
export function writeFields(
  fields: readonly Field[],
  columns: readonly ColumnField[],
  storageValues: Map<number, Binding>,
): ReadonlySet<string> {
  const written = new Set<string>();
  const find = finderOf(fields);
  for (const { field, column, limits } of columns) {
    const found = find(field.name);
    if (!found || !fits(field.type, found.value)) continue;
    if (limits !== undefined) checkBounds(found.value, limits);
    storageValues.set(column, encodeField(field.type, found.value));
    written.add(field.name);
  }
  return written;
}

/** Returns the stored `v` of an object whose `written` fields are in columns. */
export function restOfFields(
  fields: readonly Field[],
  columns: readonly ColumnField[],
  written: ReadonlySet<string>,
): string | null {
  const further = furtherFields(fields, columns, written);
  if (further !== undefined) return further.length === 0 ? null : encodeFields(further);
  const named = fields.map((field) => (written.has(field.name) ? { name: field.name, value: NULL } : field));
  return encodeFields([{ name: '', value: NULL }, ...named]);
}

/** Returns the fields after the regular ones, or undefined if the form is not the regular one. */
function furtherFields(
  fields: readonly Field[],
  columns: readonly ColumnField[],
  written: ReadonlySet<string>,
): readonly Field[] | undefined {
  let at = 0;
  for (const { field, isLater } of columns) {
    const given = fields[at];
    const isWritten = written.has(field.name);
    if (isWritten && given?.name === field.name && !(isLater && given.value.type === 'null')) at++;
    else if (!isLater || isWritten || fields.some(({ name }) => name === field.name)) return undefined;
  }
  return fields.slice(at);
}

/** Reads the fields of an object. */
export function readFields(row: Row, columns: readonly ColumnField[], columnOf: ColumnFinder): readonly Field[] {
  const rest = decodeFields(row.v);
  if (rest[0]?.name === '') return listedFields(row, columns, rest.slice(1));
  if (rest.some(({ name }) => columnOf(name) !== undefined))
    return undeclaredFields(row, columns, namedAsColumns(rest, columnOf));
  return [...columns.flatMap((column) => readColumn(row, column) ?? []), ...rest];
}

function listedFields(row: Row, columns: readonly ColumnField[], listed: readonly Field[]): readonly Field[] {
  const byName = new Map(columns.map((column) => [column.field.name, column]));
  return listed.map((each) => {
    const column = byName.get(each.name);
    return column && each.value.type === 'null' ? { name: each.name, value: fieldValue(row, column) } : each;
  });
}

/**
 * Returns the fields of an object that was stored before its columns were declared. A column's value takes precedence.
 */
function undeclaredFields(row: Row, columns: readonly ColumnField[], rest: readonly Field[]): readonly Field[] {
  const fields = new Map(rest.map((field) => [field.name, field.value]));
  for (const column of columns)
    if (storedOf(row, column) !== null) fields.set(column.field.name, fieldValue(row, column));
  return [...fields].map(([name, value]) => ({ name, value }));
}

/** Reads a column's field in a row of the regular form, or undefined if it is absent. */
function readColumn(row: Row, column: ColumnField): Field | undefined {
  if (column.isLater && storedOf(row, column) === null) return undefined;
  return { name: column.field.name, value: fieldValue(row, column) };
}

function fieldValue(row: Row, column: ColumnField): Value {
  return decodeField(column.field.type, storedOf(row, column));
}

function storedOf(row: Row, { column }: ColumnField): StorageValue {
  return row[`f${column}`] ?? null;
}
