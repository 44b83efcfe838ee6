/**
 * Makes SQLite write the rows of a query as JSON: one string per row costs less than one value per column. A registered
 * function writes the types that SQLite would write differently from the contract.
 */
import { LARGE_CHARACTERS } from '../../../base/slices.ts';
import type { Column, RowFormat } from '../../../grid/queries.ts';
import { uniqueNames, type ValueReader } from '../../../grid/row-writers.ts';
import type { SqlType } from '../../../sql/types/sql-types.ts';
import { type JsonNode, readJson, writeJson } from '../../../values/json.ts';
import { parseText } from '../../../values/scalar-traits.ts';
import { NULL, type Value } from '../../../values/value.ts';
import { hasIgniteValue, igniteValue } from '../sql/ignite-values.ts';
import { JSON_TEXT, LARGE_TEXT } from '../sql/json-text.ts';
import { type NativeFunction, type NativeScalar, nativeName } from '../sql/native-function.ts';
import type { PreparedQuery } from '../sql/statement.ts';
import { decodeValueAs } from '../sql/storage-values.ts';
import type { StorageValue } from '../storage/value-storage.ts';

/** A query whose rows have the single column `j`: a JSON array, or in objects and ndjson an object. */
export interface JsonQuery {
  readonly sql: string;
  /**
   * The same query with all rows in one: `j` is the page, or NULL if empty, `n` is their number. It returns at most
   * {@link MAX_JOINED} + 1 rows.
   */
  readonly joinedSql: string;
  /** The same query, whose rows the extension collects in strings (page-rows.c). */
  readonly collectedSql: string;
  readonly functions: readonly NativeFunction[];
  /** Returns the page of rows with separators between them. */
  enclose(rows: string): string;
}

/** Joining more rows saves no more time. */
export const MAX_JOINED = 1_000;

/** Maximum number of arguments that every SQLite build allows for a function. */
const MAX_ARGUMENTS = 100;

/** The formats that SQLite writes. */
export type WrittenFormat = Exclude<RowFormat, 'csv'>;

/** A page of rows in a format. */
interface PageForm extends Pick<JsonQuery, 'enclose'> {
  /** The expression for it; the runtime would copy a page when adding anything to it. */
  readonly sql: string;
}

const PAGES: Readonly<Record<WrittenFormat, PageForm>> = {
  json: { enclose: (rows) => rows, sql: "group_concat(j, ',')" },
  objects: {
    enclose: (rows) => `[${rows}]`,
    sql: "'[' || ifnull(group_concat(j, ',' || char(10)), '') || ']'",
  },
  ndjson: {
    enclose: (rows) => (rows === '' ? '' : `${rows}\n`),
    sql: 'group_concat(j, char(10)) || char(10)',
  },
};

/** The forms of rows; `ignite` are arrays of values that Ignite writes differently. */
type RowForm = WrittenFormat | 'ignite';

/** JSON queries by prepared query, or null if its rows cannot be written as JSON. */
const JSON_QUERIES: Readonly<Record<RowForm, WeakMap<PreparedQuery, JsonQuery | null>>> = {
  json: new WeakMap(),
  ignite: new WeakMap(),
  objects: new WeakMap(),
  ndjson: new WeakMap(),
};

/**
 * Returns the query that writes its rows as JSON, or undefined if SQLite cannot write them. `igniteValues` is the
 * query's property `asIgnite`, which objects do not have.
 */
export function jsonQuery(
  prepared: PreparedQuery,
  igniteValues = false,
  format: WrittenFormat = 'json',
): JsonQuery | undefined {
  const differs = format === 'json' && igniteValues && prepared.types.some(hasIgniteValue);
  const form = differs ? 'ignite' : format;
  const queries = JSON_QUERIES[form];
  let json = queries.get(prepared);
  if (json === undefined) {
    json = createJsonQuery(prepared, form) ?? null;
    queries.set(prepared, json);
  }
  return json ?? undefined;
}

function createJsonQuery(prepared: PreparedQuery, form: RowForm): JsonQuery | undefined {
  const { types, columns, sql } = prepared;
  const labels = form === 'objects' || form === 'ndjson' ? objectLabels(columns) : undefined;
  const most = labels === undefined ? MAX_ARGUMENTS : MAX_ARGUMENTS / 2;
  if (types.length > most || labels === null) return undefined;
  const functions: NativeFunction[] = [...prepared.functions];
  const items = types.map((type, index) => {
    // A stored column may appear twice in the text; an expression would be computed twice.
    const isStored = columns[index]?.typeName !== '';
    const column = `c${index}`;
    if (form === 'ignite' && hasIgniteValue(type)) return igniteColumn(type, column, functions);
    return jsonColumn(type, column, isStored, functions);
  });
  const row =
    labels === undefined
      ? `json_array(${items.join(', ')})`
      : `json_object(${items.map((item, index) => `${labels[index]}, ${item}`).join(', ')})`;
  const rows = `SELECT ${row} AS j FROM (${sql})`;
  const { enclose, sql: page } = PAGES[form === 'ignite' ? 'json' : form];
  return {
    sql: rows,
    joinedSql: `SELECT ${page} AS j, count(*) AS n FROM (${rows} LIMIT ${MAX_JOINED + 1})`,
    collectedSql:
      `SELECT statement_guard_rows() AS j FROM (${rows} LIMIT -1) WHERE statement_guard_row(j) ` +
      'UNION ALL SELECT statement_guard_rows()',
    functions,
    enclose,
  };
}

/** Characters of names that SQLite writes differently, or cannot read in a statement. */
const UNUSUAL = /[\0-\x1f]/;

/** Returns the names of members as literals, or null if SQLite would write one differently. */
function objectLabels(columns: readonly Column[]): readonly string[] | null {
  const names = uniqueNames(columns);
  if (names.some((name) => UNUSUAL.test(name) || !name.isWellFormed())) return null;
  return names.map((name) => `'${name.replaceAll("'", "''")}'`);
}

function jsonColumn(type: SqlType, column: string, isStored: boolean, functions: NativeFunction[]): string {
  const written = (): string => {
    const native = jsonFunction('svc json', type, decodeValueAs);
    functions.push(native);
    return `json(${nativeName(native)}(${column}))`;
  };
  const passed = (): string => {
    functions.push(JSON_TEXT);
    return `${nativeName(JSON_TEXT)}(${column})`;
  };
  switch (type.name) {
    case 'TINYINT':
    case 'SMALLINT':
    case 'INTEGER':
    case 'BIGINT':
      return isStored ? column : onDemand(column);
    case 'BOOLEAN':
      return isStored ? `json(CASE WHEN ${column} THEN 'true' WHEN ${column} = 0 THEN 'false' END)` : written();
    case 'VARCHAR':
    case 'CHAR':
    case 'VARCHAR_IGNORECASE':
      // A string that is not valid Unicode is stored as a blob, and only blobs compare as >= x''.
      if (!isStored) return passed();
      functions.push(LARGE_TEXT);
      return `CASE WHEN ${isNotReported(column)} OR ${column} >= x'' THEN ${passed()} ELSE ${column} END`;
    case 'NULL':
    case 'UNKNOWN':
    case 'REAL':
    case 'DOUBLE':
    case 'DECIMAL':
    case 'DATE':
    case 'TIME':
    case 'TIMESTAMP':
    case 'TIMESTAMP_TZ':
    case 'UUID':
    case 'BINARY':
    case 'ARRAY':
    case 'OTHER':
      return written();
  }
}

/**
 * Returns a condition that is never true, and reports a large string. SQLite does not read the string to
 * find its length.
 */
function isNotReported(column: string): string {
  const length = `octet_length(${column})`;
  return `(${length} >= ${LARGE_CHARACTERS} AND NOT ${nativeName(LARGE_TEXT)}(${length}))`;
}

/**
 * Returns a computed column in a form that SQLite evaluates only for rows. It evaluates an expression without columns
 * before it looks for rows, and a failing one would fail even without rows. Calls are evaluated at the first row, and
 * `likely` is one that costs nothing.
 */
function onDemand(column: string): string {
  return `likely(${column})`;
}

function igniteColumn(type: SqlType, column: string, functions: NativeFunction[]): string {
  const native = jsonFunction('svc ignite json', type, igniteValue);
  functions.push(native);
  return `json(${nativeName(native)}(${column}))`;
}

/** Returns the function that writes the JSON for the result of `convert` on a stored value. */
function jsonFunction(
  name: string,
  type: SqlType,
  convert: (type: SqlType, storageValue: StorageValue) => Value,
): NativeScalar {
  return {
    kind: 'scalar',
    name: `${name} ${JSON.stringify(type)}`,
    numbered: 'result',
    arity: 1,
    deterministic: true,
    create:
      () =>
      (storageValue: StorageValue = null) =>
        writeJson(convert(type, storageValue)),
  };
}

const SURROGATE = /[\ud800-\udfff]/;
const SURROGATES = /[\ud800-\udfff]/g;

/** Converts rows written by SQLite to the contract's form: characters beyond the basic plane become two escapes. */
export function finishJsonRows(rows: StorageValue | undefined): string {
  if (typeof rows !== 'string') throw new Error('the rows are not a string');
  // Most rows are ASCII, which is detected faster than with an expression.
  if (Buffer.byteLength(rows) === rows.length || !SURROGATE.test(rows)) return rows;
  return rows.replace(SURROGATES, (unit) => `\\u${unit.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Returns the rows of a string that joins JSON arrays with commas. */
export function splitJsonRows(joined: string): string[] {
  const rows: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < joined.length; at++) {
    const character = joined[at];
    if (character === '"') at = endOfString(joined, at);
    else if (character === '[') depth++;
    else if (character === ']' && --depth === 0) {
      rows.push(joined.slice(start, at + 1));
      start = at + 2;
    }
  }
  return rows;
}

/** Returns the index of the quote that ends the string beginning at `start`. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at;
}

/** Returns a reader for the columns of a JSON row, for a page in another format. */
export function readJsonRow(row: string, types: readonly SqlType[]): ValueReader {
  const node = readJson(row);
  const items = node.kind === 'array' ? node.items : node.kind === 'object' ? [...node.members.values()] : [];
  return (index) => {
    const [item, type] = [items[index], types[index]];
    return item === undefined ? NULL : valueOfNode(item, type);
  };
}

/** Returns a value that every format writes like the value from which the JSON was written. */
function valueOfNode(node: JsonNode, type: SqlType | undefined): Value {
  switch (node.kind) {
    case 'null':
      return NULL;
    case 'boolean':
      return { type: 'boolean', data: node.value };
    case 'string':
      return { type: 'string', data: node.value };
    case 'number':
      return numberOf(node.text, type);
    case 'array':
      return { type: 'list', data: node.items.map((item) => valueOfNode(item, undefined)) };
    case 'object':
      return {
        type: 'map',
        data: [...node.members].map(([name, member]) => [
          { type: 'string', data: name },
          valueOfNode(member, undefined),
        ]),
      };
  }
}

function numberOf(text: string, type: SqlType | undefined): Value {
  if (type?.name === 'DECIMAL') return parseText('decimal', text);
  if (type?.name === 'REAL') return parseText('float', text);
  return /^-?\d+$/.test(text) && type?.name !== 'DOUBLE'
    ? { type: 'bigInteger', data: BigInt(text) }
    : parseText('double', text);
}
