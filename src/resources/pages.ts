/** Rows of a statement as the text of a page: without the row and the columns that only its cursor needs. */
import type { RowFormat } from '../grid/grid.ts';
import { readJson, writeNode } from '../values/json.ts';
import { CSV_MEDIA, NDJSON_MEDIA } from './declarations.ts';
import type { CursorValue } from './paging.ts';

export type PageFormat = Exclude<RowFormat, 'json'>;

/** Returns the format of rows for the media type of an answer. */
export function formatOf(mediaType: string): PageFormat {
  if (mediaType === CSV_MEDIA) return 'csv';
  return mediaType === NDJSON_MEDIA ? 'ndjson' : 'objects';
}

/** What a page consists of. */
export interface PageShape {
  /** Rows of the page; the statement returns one more if others follow. */
  readonly limit: number;
  /** The names of the columns that the request has not asked for: the last ones, with scalar values. */
  readonly hidden: readonly string[];
}

export interface Page {
  readonly body: string;
  /** Returns the value of a column of the last row, by its place; undefined if no rows follow. */
  readonly last: ((index: number) => CursorValue) | undefined;
}

/** Returns the page in the text of so many rows. */
export function pageOf(text: string, rowCount: number, format: PageFormat, shape: PageShape): Page {
  const follows = rowCount > shape.limit;
  if (!follows && shape.hidden.length === 0) return { body: text, last: undefined };
  return format === 'csv' ? csvPage(text, follows, shape) : jsonPage(text, follows, format, shape);
}

const SEPARATORS = { objects: ',\n', ndjson: '\n' };

function jsonPage(text: string, follows: boolean, format: 'objects' | 'ndjson', { hidden }: PageShape): Page {
  const separator = SEPARATORS[format];
  const isArray = format === 'objects';
  const rows = text.slice(isArray ? 1 : 0, -1);
  const end = follows ? rows.lastIndexOf(separator) : rows.length;
  const shown = rows.slice(0, end);
  const body = withoutHidden(shown, hidden, separator);
  return {
    body: isArray ? `[${body}]` : text === '' ? '' : `${body}\n`,
    last: follows ? valuesOf(shown.slice(shown.lastIndexOf('\n') + 1)) : undefined,
  };
}

/** Cuts off the hidden members of each row: in strings, the quotes of their names would be escaped. */
export function withoutHidden(rows: string, [first]: readonly string[], separator = SEPARATORS.objects): string {
  if (first === undefined || rows === '') return rows;
  const start = `,${JSON.stringify(first)}:`;
  const shown = rows.split(separator).map((row) => `${row.slice(0, row.lastIndexOf(start))}}`);
  return shown.join(separator);
}

/** Returns the values of a row by their places. */
function valuesOf(row: string): (index: number) => CursorValue {
  const node = readJson(row);
  const values = node.kind === 'object' ? [...node.members.values()] : [];
  return (index) => {
    const value = values[index];
    if (value === undefined || value.kind === 'null') return null;
    return value.kind === 'string' ? value.value : writeNode(value);
  };
}

const FIELD = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/y;

function csvPage(text: string, follows: boolean, { hidden }: PageShape): Page {
  const records = csvRecords(text);
  if (follows) records.pop();
  const shown = records.map((fields) => fields.slice(0, fields.length - hidden.length).join(','));
  const last = records.at(-1) ?? [];
  return {
    body: shown.map((record) => `${record}\r\n`).join(''),
    last: follows ? (index) => textOfField(last[index] ?? '') : undefined,
  };
}

/** Returns the fields of each record as they are written. */
function csvRecords(text: string): string[][] {
  const records: string[][] = [];
  let fields: string[] = [];
  FIELD.lastIndex = 0;
  for (let found = FIELD.exec(text); found !== null; found = FIELD.exec(text)) {
    fields.push(found[1] ?? '');
    if (found[2] !== ',') {
      records.push(fields);
      fields = [];
    }
    if (FIELD.lastIndex >= text.length) break;
  }
  return records;
}

function textOfField(field: string): CursorValue {
  if (field === '') return null;
  return field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
}
