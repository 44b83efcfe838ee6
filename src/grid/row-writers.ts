/** Serialization of query rows in each format. */
import { formatText, writeJson, writeText } from '../values/json.ts';
import { type Notation, notationConverter } from '../values/notation.ts';
import type { Value } from '../values/value.ts';
import type { Column, RowFormat } from './grid.ts';

/** Returns the value of a column of the current row. */
export type ValueReader = (index: number) => Value;

/** Serializes the rows of one statement in one format. */
export interface RowWriter {
  /** Written before the first row: the header of CSV, otherwise empty. */
  readonly header: string;
  /** Written between two rows. */
  readonly separator: string;
  /** Written after the last row: a line break if rows are lines, otherwise empty. */
  readonly terminator: string;
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

const LINE = { header: '', separator: '\n', terminator: '\n' } as const;

const WRITERS: Readonly<Record<RowFormat, (shape: RowShape, columns: readonly Column[]) => RowWriter>> = {
  json(shape, columns) {
    const count = columns.length;
    return {
      header: '',
      separator: ',',
      terminator: '',
      write: shape === 'entry' ? writeEntry : (read) => writeArray(read, count),
    };
  },
  ndjson(_shape, columns) {
    const names = uniqueNames(columns).map((name) => `${writeText(name)}:`);
    return {
      ...LINE,
      write: (read) => `{${names.map((name, index) => name + writeJson(read(index))).join(',')}}`,
    };
  },
  csv(_shape, columns) {
    return {
      header: `${uniqueNames(columns).map(quoteField).join(',')}\r\n`,
      separator: '\r\n',
      terminator: '\r\n',
      write: (read) => columns.map((_, index) => csvField(read(index))).join(','),
    };
  },
};

function writeArray(read: ValueReader, count: number): string {
  let json = '[';
  for (let index = 0; index < count; index++) json += (index === 0 ? '' : ',') + writeJson(read(index));
  return `${json}]`;
}

function writeEntry(read: ValueReader): string {
  return `{"key":${writeJson(read(0))},"value":${writeJson(read(1))}}`;
}

/** Returns distinct column names: a repeated name gets a number. */
export function uniqueNames(columns: readonly Column[]): string[] {
  const seen = new Map<string, number>();
  return columns.map(({ fieldName }) => {
    const count = (seen.get(fieldName) ?? 0) + 1;
    seen.set(fieldName, count);
    return count === 1 ? fieldName : `${fieldName}_${count}`;
  });
}

/** Writes a field: NULL is empty, the empty string is quoted. */
function csvField(value: Value): string {
  return value.type === 'null' ? '' : quoteField(formatText(value));
}

const NEEDS_QUOTES = /^$|[",\r\n]|^\s|\s$/;

function quoteField(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
