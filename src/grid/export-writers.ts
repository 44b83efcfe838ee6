/**
 * Serializes the rows of an export, which `import` reads back as exactly the same values. Entries have the columns
 * `key`, `value`, `keyType`, `valueType` and `expires`; table rows have the table's columns.
 */
import { GridError, gridError } from '../base/errors.ts';
import { ConversionFailure } from '../values/conversion-failure.ts';
import { decodeTyped } from '../values/decode-parameter.ts';
import { EXACT_TYPE, readPlainOrExact, writeExact } from '../values/exact-values.ts';
import { formatText, readJson, writeJson, writeText } from '../values/json.ts';
import { notationConverter } from '../values/notation.ts';
import { formatExactScalar, isScalar, SCALAR_TRAITS } from '../values/scalar-traits.ts';
import { typeNameOf } from '../values/type-names.ts';
import type { ScalarTypeName, TypeRegistry, Value } from '../values/value.ts';
import type { ExportForm } from './bulk.ts';
import type { Column, RowFormat } from './grid.ts';
import { csvText, linesEndingWith, type RowWriter, type RowWriterOf, type ValueReader } from './row-writers.ts';

export interface ExportWriterOptions extends ExportForm {
  /** The custom types that an import into the cache knows. */
  readonly types: TypeRegistry;
}

/** Returns a factory for the writers of an export. They throw EXPORT_VALUE for a value that cannot be imported. */
export function exportWriters(options: ExportWriterOptions): RowWriterOf {
  const { types, notation } = options;
  const convert = notation === undefined ? unchanged : notationConverter(notation);
  return (format, shape, columns) => {
    const members =
      shape === 'entry'
        ? entryMembers(types, format, convert)
        : columns.map((column, index) => tableMember(column, index, convert));
    return format === 'csv' ? csvWriter(members, options) : ndjsonWriter(members);
  };
}

/** Returns the value in the export's notation. */
type Convert = (value: Value) => Value;

const unchanged: Convert = (value) => value;

/** A column of the written rows. */
interface Member {
  readonly name: string;
  /** Whether NDJSON omits the member when it is NULL. */
  readonly isOptional: boolean;
  /** Returns a field's JSON, and its text in CSV, or undefined for NULL. */
  write(read: ValueReader): WrittenField | undefined;
}

interface WrittenField {
  readonly json: string;
  readonly text: string;
}

function ndjsonWriter(members: readonly Member[]): RowWriter {
  const written = members.map(({ name, isOptional, write }) => ({ start: `${writeText(name)}:`, isOptional, write }));
  return {
    header: '',
    ...linesEndingWith('\n'),
    write(read) {
      let line = '{';
      for (const { start, isOptional, write } of written) {
        const field = write(read);
        if (field === undefined && isOptional) continue;
        line += `${line.length === 1 ? '' : ','}${start}${field === undefined ? 'null' : field.json}`;
      }
      return `${line}}`;
    },
  };
}

function csvWriter(members: readonly Member[], { header, delimiter, nullText }: ExportForm): RowWriter {
  const quote = (text: string): string =>
    text === nullText || text.includes(delimiter) || NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const names = members.map(({ name }) => quote(name)).join(delimiter);
  return {
    header: header ? `${names}\r\n` : '',
    ...linesEndingWith('\r\n'),
    write: (read) =>
      members
        .map(({ name, write }) => {
          const field = write(read);
          if (field === undefined) return nullText;
          return quote(csvText(field.text, name));
        })
        .join(delimiter),
  };
}

const NEEDS_QUOTES = /^$|["\r\n]|^\s|\s$/;

/** Java classes of SQL columns whose import converts a field's text. */
const TEXT_CLASSES: ReadonlySet<string> = new Set([
  'org.h2.api.TimestampWithTimeZone',
  ...Object.values(SCALAR_TRAITS).map(({ javaClass }) => javaClass),
]);

/** Returns the member for a table column. Columns of types that SQL does not have contain JSON. */
function tableMember({ fieldName, fieldTypeName }: Column, index: number, convert: Convert): Member {
  const write = TEXT_CLASSES.has(fieldTypeName) ? (value: Value) => writeSqlValue(convert(value)) : writeAnyValue;
  return {
    name: fieldName,
    isOptional: false,
    write(read) {
      const value = read(index);
      return value.type === 'null' ? undefined : write(value, fieldName);
    },
  };
}

function writeSqlValue(value: Value): WrittenField {
  // Responses show times without fractions of a second.
  if (value.type !== 'time') return { json: writeJson(value), text: formatText(value) };
  const text = formatExactScalar(value);
  return { json: writeText(text), text };
}

/** Writes a column's value of any type: its JSON if that reads back as the same value, otherwise its exact form. */
function writeAnyValue(value: Value, name: string): WrittenField {
  const exact = exactForm(value, name);
  const plain = writeJson(value);
  const json = exactOf(() => readPlainOrExact(readJson(plain))) === exact ? plain : `{"${EXACT_TYPE}":${exact}}`;
  return { json, text: json };
}

function entryMembers(types: TypeRegistry, format: RowFormat, convert: Convert): readonly Member[] {
  const typed = (field: Value, name: string) => typedField(field, name, { types, format, convert });
  // The writer calls the members of a row in order: key and value determine their types.
  let key: TypedField | undefined;
  let value: TypedField | undefined;
  return [
    {
      name: 'key',
      isOptional: false,
      write(read) {
        key = typed(read(0), 'key');
        return key;
      },
    },
    {
      name: 'value',
      isOptional: false,
      write(read) {
        value = typed(read(1), 'value');
        return value;
      },
    },
    { name: 'keyType', isOptional: false, write: () => typeName(key) },
    { name: 'valueType', isOptional: false, write: () => typeName(value) },
    {
      name: 'expires',
      isOptional: true,
      write(read) {
        const expires = read(2);
        return expires.type === 'null' ? undefined : writeSqlValue(expires);
      },
    },
  ];
}

/** Returns the members of a JSON command that stores an entry, or removes it if it has no value. */
export function commandOf({ types, key, value }: EntryCommand): string {
  const form: FieldForm = { types, format: 'ndjson', convert: unchanged };
  const member = (name: string, typedBy: string, field: Value) => {
    const { json, type } = typedField(field, name, form);
    return `"${name}":${json},"${typedBy}":${writeText(type)}`;
  };
  const named = member('key', 'keyType', key);
  return value === undefined ? named : `${named},${member('val', 'valueType', value)}`;
}

export interface EntryCommand {
  /** The custom types that the cache knows. */
  readonly types: TypeRegistry;
  readonly key: Value;
  readonly value?: Value;
}

/** A key or value with the type name by which an import reads it. */
interface TypedField extends WrittenField {
  readonly type: string;
}

function typeName(field: TypedField | undefined): WrittenField | undefined {
  return field && { json: writeText(field.type), text: field.type };
}

/** Whether every import reads a type's text as the same value; the others are checked one by one. */
const HAS_EXACT_TEXT: Readonly<Record<ScalarTypeName, boolean>> = {
  boolean: true,
  byte: true,
  short: true,
  integer: true,
  long: true,
  float: true,
  double: true,
  char: false,
  string: true,
  date: false,
  time: false,
  timestamp: false,
  instant: false,
  uuid: true,
  gridUuid: false,
  decimal: false,
  bigInteger: false,
  bytes: false,
};

/** The settings that determine the form of a key or value. */
interface FieldForm {
  readonly types: TypeRegistry;
  readonly format: RowFormat;
  readonly convert: Convert;
}

function typedField(value: Value, name: string, { types, format, convert }: FieldForm): TypedField {
  const hasExactText = isScalar(value) && HAS_EXACT_TEXT[value.type];
  const isExactText = hasExactText && (format === 'ndjson' || formatText(value).isWellFormed());
  if (isExactText) return { type: value.type, ...writeSqlValue(convert(value)) };
  const exact = exactForm(value, name);
  const type = typeNameOf(value);
  const converted = convert(value);
  for (const written of converted === value ? [value] : [converted, value]) {
    const { json, text } = isScalar(written) ? writeSqlValue(written) : structureOf(written);
    // The JSON of an array of characters is a string, which an import would take for one.
    const isString = !isScalar(written) && format === 'ndjson' && json.startsWith('"');
    const isText = type !== EXACT_TYPE && !isString && (text.isWellFormed() || format === 'ndjson');
    if (isText && exactOf(() => decodeTyped(text, type, types, '')) === exact) return { type, json, text };
  }
  return { type: EXACT_TYPE, json: exact, text: exact };
}

function structureOf(value: Value): WrittenField {
  const json = writeJson(value);
  return { json, text: json };
}

/** Returns a value's exact form. Throws EXPORT_VALUE if it cannot be stored. */
function exactForm(value: Value, name: string): string {
  const exact = writeExact(value);
  if (exact === undefined) throw gridError('EXPORT_VALUE', name, 'it contains an object that can only be read');
  return exact;
}

/** Returns the exact form of the value that an import would read, or undefined if it would fail. */
function exactOf(read: () => Value): string | undefined {
  try {
    return writeExact(read());
  } catch (error) {
    if (error instanceof ConversionFailure || error instanceof GridError) return undefined;
    throw error;
  }
}
