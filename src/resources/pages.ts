/** Rows of a statement as the text of a page: without the rows and columns that only its cursor needs. */
import { readJson, writeNode } from '../values/json.ts';
import { CSV_MEDIA, NDJSON_MEDIA } from './declarations.ts';
import type { CursorValue } from './paging.ts';

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

/** Returns the page in the rows of a statement, which are CSV or else lines of JSON. */
export function pageOf(text: string, mediaType: string, shape: PageShape): Page {
  return mediaType === CSV_MEDIA ? csvPage(text, shape) : jsonPage(text, mediaType, shape);
}

function jsonPage(text: string, mediaType: string, { limit, hidden }: PageShape): Page {
  let end = 0;
  let lastStart = 0;
  for (let rows = 0; rows < limit && end < text.length; rows++) {
    lastStart = end;
    end = text.indexOf('\n', end) + 1;
  }
  const follows = end < text.length;
  const lines = withoutHidden(follows ? text.slice(0, end) : text, hidden);
  return {
    body: mediaType === NDJSON_MEDIA ? lines : `[${lines.slice(0, -1).replaceAll('\n', ',')}]`,
    last: follows ? valuesOf(text.slice(lastStart, end)) : undefined,
  };
}

/** Cuts off the hidden members of each line: in strings, the quotes of their names would be escaped. */
function withoutHidden(lines: string, [first]: readonly string[]): string {
  if (first === undefined) return lines;
  const start = `,${JSON.stringify(first)}:`;
  let shown = '';
  for (let at = 0; at < lines.length; ) {
    const end = lines.indexOf('\n', at);
    shown += `${lines.slice(at, lines.lastIndexOf(start, end))}}\n`;
    at = end + 1;
  }
  return shown;
}

/** Returns the values of a line by their places. */
function valuesOf(line: string): (index: number) => CursorValue {
  const node = readJson(line);
  const values = node.kind === 'object' ? [...node.members.values()] : [];
  return (index) => {
    const value = values[index];
    if (value === undefined || value.kind === 'null') return null;
    return value.kind === 'string' ? value.value : writeNode(value);
  };
}

const FIELD = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/y;

function csvPage(text: string, { limit, hidden }: PageShape): Page {
  const records = csvRecords(text);
  // The first record is the header.
  const follows = records.length > limit + 1;
  if (follows) records.length = limit + 1;
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
