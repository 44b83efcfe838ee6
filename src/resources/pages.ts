/** Turns a statement's rows into the text of a page: without the row and the columns that only its cursor needs. */
import type { RowFormat } from '../grid/grid.ts';
import type { TextOptions } from '../service/request.ts';
import { CSV_MEDIA, NDJSON_MEDIA } from './declarations.ts';

export type PageFormat = Exclude<RowFormat, 'json'>;

/** Returns the row format for a response's media type. */
export function formatOf(mediaType: string): PageFormat {
  if (mediaType === CSV_MEDIA) return 'csv';
  return mediaType === NDJSON_MEDIA ? 'ndjson' : 'objects';
}

/** The parts of a page. */
export interface PageShape {
  /** Rows of the page; the statement returns one more if others follow. */
  readonly limit: number;
  /** The text before the value of each column in JSON. */
  readonly labels: readonly string[];
  /** The number of columns at the end, with scalar values, that the request has not asked for. */
  readonly hidden: number;
}

export interface Page {
  readonly body: string | TextOptions;
  /** Returns the JSON of a scalar column in the last row, by position, or undefined if no rows follow. */
  readonly last: ((index: number) => string) | undefined;
}

/** Returns the page in the text of this many rows. */
export function pageOf(text: string, rowCount: number, format: PageFormat, shape: PageShape): Page {
  const follows = rowCount > shape.limit;
  if (!follows && shape.hidden === 0) return { body: text, last: undefined };
  return format === 'csv' ? csvPage(text, follows, shape) : jsonPage(text, follows, format, shape);
}

const SEPARATORS = { objects: ',\n', ndjson: '\n' };

function jsonPage(text: string, follows: boolean, format: 'objects' | 'ndjson', { labels, hidden }: PageShape): Page {
  const separator = SEPARATORS[format];
  // A single character is found faster than a two-character separator.
  const end = follows ? text.lastIndexOf('\n', text.length - 2) - separator.length + 1 : text.length - 1;
  const rows = text.slice(0, end);
  const lastAt = () => Math.max(rows.lastIndexOf('\n') + 1, format === 'objects' ? 1 : 0);
  const jsonIn = (index: number): string => {
    const label = labels[index] ?? '';
    // The first member has a brace instead of the comma.
    const start = (index === 0 ? lastAt() : rows.lastIndexOf(label)) + label.length;
    const next = labels[index + 1];
    return rows.slice(start, next === undefined ? rows.length - 1 : rows.indexOf(next, start));
  };
  return {
    body: [hidden === 0 ? rows : withoutHidden(rows, labels.at(-hidden), separator), text.slice(text.length - 1)],
    last: follows ? jsonIn : undefined,
  };
}

/** Cuts off each row's member with a label, and those after it. */
function withoutHidden(rows: string, label: string | undefined, separator = SEPARATORS.objects): string {
  if (label === undefined) return rows;
  // Inside strings, its quotes would be escaped.
  const shown = rows.split(separator).map((row) => {
    const end = row.lastIndexOf(label);
    return end < 0 ? row : `${row.slice(0, end)}}`;
  });
  return shown.join(separator);
}

const FIELD = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/y;

function csvPage(text: string, follows: boolean, { hidden }: PageShape): Page {
  const rows = follows ? text.slice(0, startOfRecord(text)) : text;
  const shown = (fields: readonly string[]): string => `${fields.slice(0, fields.length - hidden).join(',')}\r\n`;
  const body = hidden === 0 ? rows : csvRecords(rows).map(shown).join('');
  if (!follows) return { body, last: undefined };
  const [last = []] = csvRecords(rows.slice(startOfRecord(rows)));
  return { body, last: (index) => jsonOfField(last[index] ?? '') };
}

/** Returns where the last record begins: the fields after it have an even number of quotes. */
function startOfRecord(text: string): number {
  let isQuoted = false;
  for (let at = text.length - 2; at > 0; at--) {
    const character = text[at - 1];
    if (character === '"') isQuoted = !isQuoted;
    else if (character === '\n' && !isQuoted) return at;
  }
  return 0;
}

/** Returns the fields of each record as written. */
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

function jsonOfField(field: string): string {
  if (field === '') return 'null';
  return JSON.stringify(field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field);
}
