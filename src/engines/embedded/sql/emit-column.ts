/** Writes columns of entry tables, and whole keys and values. */

import { type BoundColumn, KEY_COLUMN, VALUE_COLUMN } from '../../../sql/binding/bound.ts';
import { TYPE_CODES } from '../storage/value-storage.ts';
import { type Emitter, textLiteral } from './emitter.ts';
import { type EntryColumn, type EntryOptions, type EntryTable, entryColumn, entryTable } from './entry-table.ts';
import {
  BIG_INTEGER_TO_DECIMAL,
  entryKeyFunction,
  entryTypeFunction,
  INSTANT_TO_TIMESTAMP,
  valueFunction,
} from './row-functions.ts';

/** Returns the alias of a source in SQLite text. */
export function sourceName(id: number): string {
  return id < 0 ? 'q' : `t${id}`;
}

export function emitColumn(bound: BoundColumn, out: Emitter): string {
  const { source } = bound;
  const name = sourceName(source.id);
  if (source.kind !== 'table') return `${name}.c${bound.column}`;
  const column = source.table.columns[bound.column];
  const table = entryTable(source.table);
  if (table.entries !== undefined && column !== undefined)
    return emitEntryPart(table, table.entries, entryColumn(column), name, out);
  if (column !== undefined) return emitTableColumn(entryColumn(column), name, out);
  return bound.name === KEY_COLUMN || bound.column === source.table.columns.length
    ? emitKeyObject(table, name, out)
    : emitValueObject(table, name, out);
}

/** Writes a column of a cache's entries table. */
function emitEntryPart(
  table: EntryTable,
  options: EntryOptions,
  { physical, name }: EntryColumn,
  source: string,
  out: Emitter,
): string {
  const typeOf = entryTypeFunction(options);
  switch (name) {
    case KEY_COLUMN:
      return out.call(entryKeyFunction(options), [`${source}.kt`, `${source}.k`]);
    case VALUE_COLUMN:
      return emitValue(table, source, out);
    case 'KEY_TYPE':
      return out.call(typeOf, [`${source}.kt`, `${source}.k`]);
    case 'VALUE_TYPE':
      return out.call(typeOf, [`${source}.vt`, `${source}.v`]);
    case 'EXPIRES':
      return out.call(INSTANT_TO_TIMESTAMP, [`${source}.exp`]);
    default:
      return `${source}.${physical}`;
  }
}

function emitValue(table: EntryTable, source: string, out: Emitter): string {
  const columns = table.valueColumns.map((column) => `${source}.${column}`);
  return out.call(valueFunction(table), [`${source}.vt`, `${source}.v`, ...columns]);
}

/** Writes a column of the entry table. Whole keys and values of two types are stored differently from columns. */
export function emitTableColumn(column: EntryColumn, name: string, out: Emitter): string {
  const text = `${name}.${column.physical}`;
  if ((column.physical !== 'k' && column.physical !== 'v') || column.fieldType.kind !== 'scalar') return text;
  return emitWhole(column.fieldType.type, text, out);
}

/** Writes a whole key or value of a scalar type as a column. */
function emitWhole(type: string, text: string, out: Emitter): string {
  const native = wholeValueFunction(type);
  return native === undefined ? text : out.call(native, [text]);
}

/** Returns the function that converts a whole value's storage (value-storage.ts) to a column's (field-storage.ts). */
function wholeValueFunction(type: string) {
  if (type === 'instant') return INSTANT_TO_TIMESTAMP;
  return type === 'bigInteger' ? BIG_INTEGER_TO_DECIMAL : undefined;
}

function emitKeyObject(table: EntryTable, name: string, out: Emitter): string {
  if (table.keySqlType.name !== 'OTHER') return emitWhole(table.keyType, `${name}.k`, out);
  const head = `[${TYPE_CODES.object},${JSON.stringify(table.keyType)},`;
  return `(${textLiteral(head)} || substr(${name}.k, 2))`;
}

function emitValueObject(table: EntryTable, name: string, out: Emitter): string {
  if (table.valueSqlType.name !== 'OTHER') return emitWhole(table.valueType, `${name}.v`, out);
  return emitValue(table, name, out);
}
