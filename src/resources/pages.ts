/** Rows of a statement as the text of a page: without the rows and columns that only its cursor needs. */
import { JSON_BOUNDS } from '../base/limits.ts';
import { type JsonNode, readJson } from '../values/json.ts';
import { CSV_MEDIA, NDJSON_MEDIA } from './declarations.ts';
import type { CursorValue } from './paging.ts';

/** What a page consists of. */
export interface PageShape {
  /** Rows of the page; the statement returns one more if others follow. */
  readonly limit: number;
  /** The names of all columns of the statement. */
  readonly names: readonly string[];
  /** How many of them, from the last one on, the request has not asked for. */
  readonly hidden: number;
}

export interface Page {
  readonly body: string;
  /** Returns the values of the last row by the names of its columns; undefined if no rows follow. */
  readonly last: (() => ReadonlyMap<string, CursorValue>) | undefined;
}

/** Returns the page in rows as lines of JSON or as CSV. */
export function pageOf(text: string, mediaType: string, shape: PageShape): Page {
  return mediaType === CSV_MEDIA ? csvPage(text, shape) : jsonPage(text, mediaType, shape);
}

function jsonPage(text: string, mediaType: string, { limit, names, hidden }: PageShape): Page {
  const lines = text.split('\n');
  // Every line has an end.
  lines.pop();
  const follows = lines.length > limit;
  if (follows) lines.length = limit;
  const lastLine = lines.at(-1) ?? '';
  const firstHidden = hidden === 0 ? undefined : names[names.length - hidden];
  // A quote inside a string has a backslash before it, so that only a member begins like this.
  const mark = firstHidden === undefined ? '' : `,${JSON.stringify(firstHidden)}:`;
  const shown = mark === '' ? lines : lines.map((line) => `${line.slice(0, line.lastIndexOf(mark))}}`);
  const body = mediaType === NDJSON_MEDIA ? shown.map((line) => `${line}\n`).join('') : `[${shown.join(',')}]`;
  return { body, last: follows ? () => membersOf(lastLine) : undefined };
}

function membersOf(line: string): ReadonlyMap<string, CursorValue> {
  const node = readJson(line, JSON_BOUNDS.values);
  const members = node.kind === 'object' ? [...node.members] : [];
  return new Map(members.map(([name, member]) => [name, textOfNode(member)]));
}

function textOfNode(node: JsonNode): CursorValue {
  switch (node.kind) {
    case 'string':
      return node.value;
    case 'number':
      return node.text;
    case 'boolean':
      return String(node.value);
    case 'null':
    case 'array':
    case 'object':
      return null;
  }
}

const FIELD = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/y;

function csvPage(text: string, { limit, names, hidden }: PageShape): Page {
  const records = csvRecords(text);
  // The first record is the header.
  const follows = records.length > limit + 1;
  if (follows) records.length = limit + 1;
  const shown = records.map((fields) => fields.slice(0, fields.length - hidden).join(','));
  const last = records.at(-1) ?? [];
  return {
    body: shown.map((record) => `${record}\r\n`).join(''),
    last: follows ? () => new Map(names.map((name, index) => [name, textOfField(last[index] ?? '')])) : undefined,
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
