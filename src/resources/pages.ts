/** Rows of a statement as the text of a page: without the rows and columns that only its cursor needs. */
import { CSV_MEDIA, NDJSON_MEDIA } from './declarations.ts';
import type { CursorValue } from './paging.ts';

/** What a page consists of. */
export interface PageShape {
  /** Rows of the page; the statement returns one more if others follow. */
  readonly limit: number;
  /** How the columns of the statement begin as members of an object. */
  readonly members: readonly string[];
  /** How many of them, from the last one on, the request has not asked for. */
  readonly hidden: number;
}

export interface Page {
  readonly body: string;
  /** Returns the value of a column of the last row, by its place; undefined if no rows follow. */
  readonly last: ((index: number) => CursorValue) | undefined;
}

/** Returns the page in the response of a statement, or in its rows as CSV. */
export function pageOf(text: string, mediaType: string, shape: PageShape): Page {
  return mediaType === CSV_MEDIA ? csvPage(text, shape) : jsonPage(text, mediaType, shape);
}

function jsonPage(text: string, mediaType: string, { limit, members, hidden }: PageShape): Page {
  const isLines = mediaType === NDJSON_MEDIA;
  const { parts, last } = partsOf(text, members, members.length - hidden, limit, isLines ? '\n' : ',');
  if (isLines && parts.length > 0) parts.push('\n');
  const body = isLines ? parts.join('') : `[${parts.join('')}]`;
  return { body, last: last && ((index) => textOfJson(last[index] ?? 'null')) };
}

/** Returns the only row in the response of a statement as an object; undefined if there is none. */
export function objectIn(text: string, members: readonly string[]): string | undefined {
  const { parts } = partsOf(text, members, members.length, 1, '');
  return parts.length === 0 ? undefined : parts.join('');
}

const ITEMS = '"items":[';
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

interface Parts {
  /** The texts of the objects, in parts: joining them at the end costs less than one after another. */
  readonly parts: string[];
  /** The values of the last object as JSON, if more rows follow. */
  readonly last: readonly string[] | undefined;
}

/**
 * Returns the rows of a page (docs/spec/contract.md 2.6), which are arrays, as objects with the first `shown` columns.
 * Copies the text of each value: numbers keep their digits.
 */
function partsOf(page: string, members: readonly string[], shown: number, limit: number, separator: string): Parts {
  const parts: string[] = [];
  let at = page.indexOf(ITEMS) + ITEMS.length;
  let lastStart = at;
  for (let rows = 0; page.charCodeAt(at) === OPENING_BRACKET; rows++) {
    if (rows === limit) return { parts, last: valuesOf(page, lastStart) };
    if (rows > 0) parts.push(separator);
    lastStart = at;
    let column = 0;
    do {
      const start = at + 1;
      at = endOfValue(page, start);
      if (column < shown) parts.push(members[column] ?? '', page.slice(start, at));
      column++;
    } while (page.charCodeAt(at) === COMMA);
    parts.push('}');
    at++;
    if (page.charCodeAt(at) === COMMA) at++;
  }
  return { parts, last: undefined };
}

/** Returns the values of the row that begins at an index. */
function valuesOf(page: string, start: number): readonly string[] {
  const values: string[] = [];
  let at = start;
  do {
    const from = at + 1;
    at = endOfValue(page, from);
    values.push(page.slice(from, at));
  } while (page.charCodeAt(at) === COMMA);
  return values;
}

/** Returns the index after the JSON value that begins at `start`. */
function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return endOfString(text, start);
  let at = start;
  if (first !== OPENING_BRACKET && first !== OPENING_BRACE) {
    for (let code = first; code !== COMMA && code !== CLOSING_BRACKET; code = text.charCodeAt(++at));
    return at;
  }
  let depth = 0;
  do {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      continue;
    }
    if (code === OPENING_BRACKET || code === OPENING_BRACE) depth++;
    else if (code === CLOSING_BRACKET || code === CLOSING_BRACE) depth--;
    at++;
  } while (depth > 0);
  return at;
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end + 1;
  }
}

/** Returns the text of a scalar in JSON; null for NULL. */
function textOfJson(json: string): CursorValue {
  if (json.charCodeAt(0) === QUOTE) return String(JSON.parse(json));
  return json === 'null' ? null : json;
}

const FIELD = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/y;

function csvPage(text: string, { limit, hidden }: PageShape): Page {
  const records = csvRecords(text);
  // The first record is the header.
  const follows = records.length > limit + 1;
  if (follows) records.length = limit + 1;
  const shown = records.map((fields) => fields.slice(0, fields.length - hidden).join(','));
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
