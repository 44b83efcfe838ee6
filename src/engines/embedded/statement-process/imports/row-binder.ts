/** Converts the fields of records to the storage values of a table's columns, as INSERT converts strings. */

import { sqlFailure } from '../../../../base/sql-errors.ts';
import { SqlFailure } from '../../../../base/sql-failure.ts';
import type { SourceField } from '../../../../bulk/records.ts';
import { checkColumn, convertToColumn } from '../../../../sql/types/column-checks.ts';
import type { SqlType } from '../../../../sql/types/sql-types.ts';
import { ConversionFailure } from '../../../../values/conversion-failure.ts';
import { readScalar } from '../../../../values/custom.ts';
import { readPlainOrExact } from '../../../../values/exact-values.ts';
import { trimJava } from '../../../../values/java-number.ts';
import { type JsonNode, readJson } from '../../../../values/json.ts';
import { parseBytes } from '../../../../values/scalar-formats.ts';
import type { Value } from '../../../../values/value.ts';
import { bindArguments } from '../../sql/arguments.ts';
import type { EntryColumn } from '../../sql/entry-table.ts';
import type { PreparedChange } from '../../sql/statement.ts';
import { decodeValueAs, encode } from '../../sql/storage-values.ts';
import { encodeField } from '../../storage/field-storage.ts';
import type { Binding } from '../../storage/value-storage.ts';

const VARCHAR: SqlType = { name: 'VARCHAR' };

type FieldBinder = (field: SourceField) => Binding;
type TextBinder = (text: string) => Binding;

/** Whole numbers that are certainly in the range of INTEGER. */
const SMALL_INTEGER = /^-?\d{1,9}$/;

/**
 * Returns the function that binds a record to an INSERT or MERGE whose arguments are the columns in order. `onReceive`
 * converts the record's contents, not the defaults of missing columns.
 */
export function rowBinder(
  prepared: PreparedChange,
  columns: readonly EntryColumn[],
  onReceive: ((value: Value) => Value) | undefined,
): (fields: readonly SourceField[], nowMs: number) => Binding[] {
  const binders = columns.map(fieldBinder);
  if (onReceive !== undefined) {
    const readers = columns.map(({ type }, index) => (fields: readonly SourceField[]): Value => {
      const field = fields[index];
      const value = decodeValueAs(type, asStored(type, binders[index]?.(field) ?? null));
      return field === undefined || value.type === 'null' ? value : onReceive(value);
    });
    return (fields, nowMs) => {
      const values = readers.map((read) => read(fields));
      return bindArguments(prepared, values, nowMs, undefined);
    };
  }
  const places = prepared.placeholders.map((placeholder) => {
    if (placeholder.kind === 'now') return undefined;
    if (placeholder.kind === 'constant') return () => placeholder.value;
    if (placeholder.kind !== 'argument') throw new TypeError(`${placeholder.kind} in the statement of an import`);
    const { index } = placeholder;
    const bind = binders[index];
    if (bind === undefined) throw new TypeError(`argument ${index} in the statement of an import`);
    return (fields: readonly SourceField[]) => bind(fields[index]);
  });
  return (fields, nowMs) => places.map((place) => (place === undefined ? nowMs : place(fields)));
}

/** Returns a binding as SQLite returns it from a column of the type. */
function asStored({ name }: SqlType, binding: Binding): Binding {
  const isInteger = typeof binding === 'number' && name !== 'REAL' && name !== 'DOUBLE';
  return isInteger && Number.isInteger(binding) ? BigInt(binding) : binding;
}

/** Returns the function that converts a field of the column; its errors name the column. */
function fieldBinder(column: EntryColumn): FieldBinder {
  const { type, defaultData } = column;
  const bindText = textBinder(column);
  const bindNull = (): Binding => {
    checkColumn(column, null);
    return null;
  };
  const bindDefault = (): Binding => {
    if (defaultData === undefined) return bindNull();
    return encode(type, convertToColumn(column, defaultData.data, defaultData.type));
  };
  const bind = (field: SourceField): Binding => {
    if (typeof field === 'string') return bindText(field);
    if (field === null) return bindNull();
    if (field === undefined) return bindDefault();
    if (field.kind === 'null') return bindNull();
    if (type.name === 'OTHER') return anyValue(column, field);
    return bindText(textOfNode(field));
  };
  return (field) => {
    try {
      return bind(field);
    } catch (error) {
      const reason = error instanceof ConversionFailure ? error.reason : error instanceof SqlFailure && error.message;
      if (typeof reason !== 'string') throw error;
      throw reason.includes(`'${column.name}'`) ? error : sqlFailure('COLUMN_VALUE', column.name, reason);
    }
  };
}

function textBinder(column: EntryColumn): TextBinder {
  const { type } = column;
  const convertText: TextBinder = (text) => {
    return encode(type, convertToColumn(column, text, VARCHAR));
  };
  switch (type.name) {
    case 'INTEGER':
      return (text) => (SMALL_INTEGER.test(text) ? Number(text) | 0 : convertText(text));
    case 'BIGINT':
      return (text) => (SMALL_INTEGER.test(text) ? BigInt(text) : convertText(text));
    case 'BINARY':
      // As in the results of queries; INSERT reads hexadecimal digits instead.
      return (text) => {
        const data = parseBytes(text);
        checkColumn(column, data);
        return encode(type, data);
      };
    case 'OTHER':
      return (text) => anyValue(column, readJson(text));
    case 'BOOLEAN':
      return (text) => convertText(trimJava(text));
    case 'NULL':
    case 'UNKNOWN':
    case 'TINYINT':
    case 'SMALLINT':
    case 'REAL':
    case 'DOUBLE':
    case 'DECIMAL':
    case 'VARCHAR':
    case 'CHAR':
    case 'VARCHAR_IGNORECASE':
    case 'DATE':
    case 'TIME':
    case 'TIMESTAMP':
    case 'TIMESTAMP_TZ':
    case 'UUID':
    case 'ARRAY':
      return convertText;
  }
}

/** Converts JSON to the storage value of a column whose type is not an SQL type. */
function anyValue({ fieldType }: EntryColumn, node: JsonNode): Binding {
  const value = readPlainOrExact(node);
  if (fieldType.kind !== 'scalar' || value.type === fieldType.type) return encodeField(fieldType, value);
  return encodeField(fieldType, readScalar(fieldType.type, node, 'boxed'));
}

function textOfNode(node: JsonNode): string {
  switch (node.kind) {
    case 'string':
      return node.value;
    case 'number':
      return node.text;
    case 'boolean':
      return node.value ? 'true' : 'false';
    case 'null':
    case 'array':
    case 'object':
      throw sqlFailure('DATA_CONVERSION', `a JSON ${node.kind}`);
  }
}
