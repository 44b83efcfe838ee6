/** Serialization of query rows in each format. */
import { gridError } from '../base/errors.ts';
import { formatText, writeJson, writeText } from '../values/json.ts';
import { type Notation, notationConverter } from '../values/notation.ts';
import type { Value } from '../values/value.ts';
import type { Column, RowFormat } from './grid.ts';

/** Returns a column's value in the current row. */
export type ValueReader = (index: number) => Value;

/** Serializes the rows of one statement in one format. */
export interface RowWriter {
  /** Written before the first row: the header of CSV, an opening bracket, or nothing. */
  readonly header: string;
  /** Written between rows. */
  readonly separator: string;
  /** Returns the end of the text after this many rows: a line break after the last line, a closing bracket, or none. */
  end(rowCount: number): string;
  write(read: ValueReader): string;
}

/** Creates the writer for rows with these columns. */
export type RowWriterOf = (format: RowFormat, shape: RowShape, columns: readonly Column[]) => RowWriter;

/** Form of a row in JSON: an array of values, or an object with key and value. */
export type RowShape = 'array' | 'entry';

/** Creates the writer for rows with these columns. */
export function rowWriter(
  format: RowFormat,
  shape: RowShape,
  columns: readonly Column[],
  notation?: Notation,
): RowWriter {
  const writer = WRITERS[format](shape, columns);
  if (notation === undefined) return writer;
  const convert = notationConverter(notation);
  return { ...writer, write: (read) => writer.write((index) => convert(read(index))) };
}

/** Returns the only row of a change: the number of rows, in the column `UPDATED`. */
export function updateCount(format: RowFormat, updated: number | bigint, notation?: Notation): string {
  const count = notation?.numbersAsStrings === true ? `"${updated}"` : String(updated);
  switch (format) {
    case 'json':
      return `[${count}]`;
    case 'objects':
      return `[{"UPDATED":${count}}]`;
    case 'ndjson':
      return `{"UPDATED":${count}}\n`;
    case 'csv':
      return `UPDATED\r\n${updated}\r\n`;
  }
}

const WRITERS: Readonly<Record<RowFormat, (shape: RowShape, columns: readonly Column[]) => RowWriter>> = {
  json(shape, columns) {
    const count = columns.length;
    return {
      header: '',
      separator: ',',
      end: () => '',
      write: shape === 'entry' ? writeEntry : (read) => writeArray(read, count),
    };
  },
  objects: (_shape, columns) => ({ header: '[', separator: ',\n', end: () => ']', write: objectWriter(columns) }),
  ndjson: (_shape, columns) => ({ header: '', ...linesEndingWith('\n'), write: objectWriter(columns) }),
  csv(_shape, columns) {
    return {
      header: `${uniqueNames(columns).map(quoteField).join(',')}\r\n`,
      ...linesEndingWith('\r\n'),
      write: (read) => columns.map(({ fieldName }, index) => csvField(read(index), fieldName)).join(','),
    };
  },
};

/** Returns the text between lines and after the last one. */
export function linesEndingWith(lineBreak: string): Pick<RowWriter, 'separator' | 'end'> {
  return { separator: lineBreak, end: (rowCount) => (rowCount > 0 ? lineBreak : '') };
}

function writeArray(read: ValueReader, count: number): string {
  let json = '[';
  for (let index = 0; index < count; index++) json += (index === 0 ? '' : ',') + writeJson(read(index));
  return `${json}]`;
}

function objectWriter(columns: readonly Column[]): RowWriter['write'] {
  const names = uniqueNames(columns).map((name) => `${writeText(name)}:`);
  return (read) => `{${names.map((name, index) => name + writeJson(read(index))).join(',')}}`;
}

function writeEntry(read: ValueReader): string {
  return `{"key":${writeJson(read(0))},"value":${writeJson(read(1))}}`;
}

/** Makes column names distinct: a repeated name gets the next number that makes it unique. */
export function uniqueNames(columns: readonly Column[]): string[] {
  const taken = new Set(columns.map(({ fieldName }) => fieldName));
  const counts = new Map<string, number>();
  return columns.map(({ fieldName }) => {
    let count = (counts.get(fieldName) ?? 0) + 1;
    while (count > 1 && taken.has(`${fieldName}_${count}`)) count++;
    counts.set(fieldName, count);
    if (count === 1) return fieldName;
    const name = `${fieldName}_${count}`;
    taken.add(name);
    return name;
  });
}

/** Writes a field: NULL is empty, the empty string is quoted. */
function csvField(value: Value, name: string): string {
  return value.type === 'null' ? '' : quoteField(csvText(formatText(value), name));
}

/** Returns the text of a CSV field. Throws EXPORT_VALUE if UTF-8 would replace part of it: a lone surrogate. */
export function csvText(text: string, name: string): string {
  if (!text.isWellFormed()) throw gridError('EXPORT_VALUE', name, 'it is not valid Unicode; NDJSON can hold it');
  return text;
}

const NEEDS_QUOTES = /^$|[",\r\n]|^\s|\s$/;

function quoteField(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
