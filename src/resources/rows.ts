/** A table's rows: translates each method to statements. */
import { gridError } from '../base/errors.ts';
import { chain, type MaybePromise } from '../base/maybe-promise.ts';
import type { Outcome } from '../service/request.ts';
import { methodsOfResource } from './address.ts';
import {
  answered,
  answeredWithoutBody,
  failureAnswer,
  preferencesOf,
  RETURNED,
  requestedRepresentation,
} from './answers.ts';
import { execute, type Pairs, type ResourceCall } from './call.ts';
import { JSON_MEDIA, NDJSON_MEDIA, type ResourceMethod } from './declarations.ts';
import { filterOf, isRowParameter, type RowParameter } from './filters.ts';
import { formatOf, type PageFormat, pageOf } from './pages.ts';
import { afterSql, readCursor } from './paging.ts';
import { type Reading, readingOf } from './reading.ts';
import { RepeatedTexts } from './repeated-texts.ts';
import { argumentIn, type SentRow, sentRow, sentRows } from './row-bodies.ts';
import { columnList, joinedBy, type Sql, sql, valueList } from './sql.ts';
import { change, changedRows, rowCountOf, runStatement, type TableAnswer, textOf, withTable } from './statements.ts';
import type { Table } from './tables.ts';

/** Default page size: enough to look at, and quickly read. */
const DEFAULT_ROWS = 100;

export function rowsAnswer(call: ResourceCall): MaybePromise<Outcome> {
  const { method } = call;
  if (call.mediaType !== undefined && call.mediaType !== JSON_MEDIA) return importRows(call, call.mediaType);
  const handler = METHODS[method];
  if (handler === undefined) throw gridError('METHOD_NOT_ALLOWED', methodsOfResource('rows'));
  return withTable(call, handler);
}

/** Returns the parameters that are not filters. */
function parametersOf({ pairs }: ResourceCall): Readonly<Partial<Record<RowParameter, string>>> {
  const given: Partial<Record<RowParameter, string>> = {};
  for (const [name, value] of pairs) {
    if (!isRowParameter(name)) continue;
    const known = name;
    if (given[known] !== undefined) throw gridError('RESOURCE_INVALID', `parameter ${name}`, 'it is given twice');
    given[known] = value;
  }
  return given;
}

const METHODS: Readonly<Partial<Record<ResourceMethod, TableAnswer>>> = {
  GET: (call, table) => readRows(call, table),

  POST(call, table) {
    const rows = sentRows(call, table);
    const [row, ...others] = rows;
    if (row === undefined) throw gridError('RESOURCE_INVALID', 'body', 'the array is empty');
    return change(call, insertSql(table, row, others), (outcome) => {
      const path = others.length === 0 ? pathOfKey(call, table, row) : undefined;
      const headers = path === undefined ? undefined : { Location: path };
      if (!preferencesOf(call.request).representation) return answeredWithoutBody(outcome, 201, headers);
      return storedRows(call, table, rows, outcome, headers);
    });
  },

  PATCH(call, table) {
    const row = sentRow(call, table);
    const key = table.key.find((column) => row.columns.includes(column));
    if (key !== undefined)
      throw gridError('RESOURCE_INVALID', `member ${key.name}`, 'the key of a row cannot be changed');
    const statement = joinedBy('', [updateSql(table, row), requiredFilter(call, table)]);
    return change(call, statement, counted);
  },

  DELETE(call, table) {
    const statement = joinedBy('', [sql(`DELETE FROM ${table.quoted} WHERE `), requiredFilter(call, table)]);
    return change(call, statement, counted);
  },
};

function counted(outcome: Outcome, text: string): Outcome {
  return answered(outcome, 200, `{"changed":${changedRows(text)}}`);
}

/** Returns the filter of a change, which must not affect all rows by mistake. */
function requiredFilter(call: ResourceCall, table: Table): Sql {
  const filter = filterOf(table, call.pairs, false);
  if (filter === undefined)
    throw gridError('RESOURCE_INVALID', 'address', `${call.method} of rows needs a filter, such as id=eq.1`);
  return filter;
}

/** Reads the rows that the parameters select; `always` is the condition on all of them. */
export function readRows(call: ResourceCall, table: Table, always?: string): MaybePromise<Outcome> {
  const given = parametersOf(call);
  const reading = readingOf(table, given.select, given.order);
  const limit = limitOf(call, given.limit);
  const wanted = filterOf(table, call.pairs, true);
  const filter = always === undefined ? wanted : joinedBy(' AND ', [sql(always), ...(wanted ? [wanted] : [])]);
  const after =
    given.cursor === undefined
      ? undefined
      : afterSql(reading.terms, readCursor(reading.terms, reading.mark, given.cursor));
  const condition = filter && after ? joinedBy(' AND ', [filter, after]) : (filter ?? after);
  const statement = sql(reading.statement(condition?.text, limit + 1), condition?.args);
  const format = formatOf(call.accepted);
  const page = { reading, limit, format };
  return chain(runStatement(call, statement, limit + 2, format), (outcome) => {
    if (outcome.successStatus !== 0) return outcome;
    return chain(textOf(call, outcome), (text) => shownPage(call, page, outcome, text));
  });
}

/** A page being read. */
interface ReadPage {
  readonly reading: Reading;
  readonly limit: number;
  readonly format: PageFormat;
}

function shownPage(call: ResourceCall, { reading, limit, format }: ReadPage, outcome: Outcome, text: string): Outcome {
  const shape = { limit, labels: reading.selection.labels, hidden: reading.hidden };
  const { body, last } = pageOf(text, rowCountOf(outcome), format, shape);
  const link = last && linkTo(call, reading.cursorAfter(last));
  return requestedRepresentation(outcome, body, call.request, call.accepted, link);
}

function limitOf({ options }: ResourceCall, text: string | undefined): number {
  // Reads one more row, to determine whether others follow.
  const most = Math.min(options.limits.pageRows, MAX_ROWS) - 1;
  if (text === undefined) return Math.min(DEFAULT_ROWS, most);
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > most) {
    throw gridError('RESOURCE_INVALID', 'parameter limit', `it must be a number from 1 to ${most}, got "${text}"`);
  }
  return limit;
}

/** The largest page size that `qryfldexe` accepts. */
const MAX_ROWS = 999_999_999;

function linkTo({ request: { path, query }, pairs }: ResourceCall, cursor: string): string {
  const others = query.includes('cursor=') ? query.replace(/(?:^|&)cursor=[^&]*/, '') : query;
  if (!PLAIN.test(others) || !PLAIN.test(cursor)) return `<${path}?${encodedPairs(pairs, cursor)}>; rel="next"`;
  return `<${path}?${others}${others === '' ? '' : '&'}cursor=${cursor}>; rel="next"`;
}

/** Characters that mean the same in a query string unencoded. */
const PLAIN = /^[\w.,()*=&-]*$/;

function encodedPairs(pairs: Pairs, cursor: string): string {
  const others = pairs.filter(([name]) => name !== 'cursor');
  return [...others, ['cursor', cursor]].map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
}

const inserts = new RepeatedTexts();

/** Returns an insertion of a row, and of others whose members may be in a different order. */
export function insertSql(table: Table, { columns, args }: SentRow, others: readonly SentRow[] = []): Sql {
  const known = others.length === 0 ? inserts.find(table, columns) : undefined;
  if (known !== undefined) return { text: known, args };
  const list = valueList(columns);
  const text = `INSERT INTO ${table.quoted} (${columnList(columns)}) VALUES ${list}`;
  if (others.length === 0) {
    inserts.keep(table, columns, text);
    return sql(text, args);
  }
  const more = others.flatMap((row) => columns.flatMap((column) => argumentIn(row, column) ?? []));
  return sql(`${text}${`, ${list}`.repeat(others.length)}`, [...args, ...more]);
}

/** Returns the beginning of an update, up to its condition. */
export function updateSql({ quoted: table }: Table, { columns, args }: SentRow): Sql {
  const assignments = columns.map(({ quoted: name }) => `${name} = ?`).join(', ');
  return sql(`UPDATE ${table} SET ${assignments} WHERE `, args);
}

/** Returns the condition on a row's key, or undefined if the row lacks part of it. */
export function keySql(table: Table, row: SentRow): Sql | undefined {
  const args = table.key.flatMap((column) => argumentIn(row, column) ?? []);
  if (args.length < table.key.length) return undefined;
  return sql(table.keySql, args);
}

/** Returns a row's address. */
function pathOfKey({ request: { path } }: ResourceCall, table: Table, row: SentRow): string | undefined {
  let address = path;
  for (const column of table.key) {
    const text = argumentIn(row, column)?.text;
    if (text === undefined) return undefined;
    address += `${address === path ? '/' : ','}${encodeURIComponent(text)}`;
  }
  return address;
}

/** Responds with stored rows, in key order. */
function storedRows(
  call: ResourceCall,
  table: Table,
  rows: readonly SentRow[],
  outcome: Outcome,
  headers: Readonly<Record<string, string>> | undefined,
): MaybePromise<Outcome> {
  const keys = rows.flatMap((row) => keySql(table, row) ?? []);
  if (keys.length < rows.length) return answeredWithoutBody(outcome, 201, headers);
  const statement = joinedBy('', [
    sql(`${table.all.sql} WHERE `),
    joinedBy(
      ' OR ',
      keys.map(({ text, args }) => sql(`(${text})`, args)),
    ),
    sql(readingOf(table).orderSql),
  ]);
  return chain(runStatement(call, statement, rows.length + 1, 'objects'), (read) => {
    if (read.successStatus !== 0) return answeredWithoutBody(outcome, 201, headers);
    return chain(textOf(call, read), (text) => answered(outcome, 201, text, { ...RETURNED, ...headers }));
  });
}

/** Stores the rows of a source, which is read while it arrives. */
function importRows(call: ResourceCall, mediaType: string): MaybePromise<Outcome> {
  if (preferencesOf(call.request).dryRun) throw gridError('DRY_RUN_UNSUPPORTED', 'import', 'its body is a stream');
  if (call.pairs.length > 0) throw gridError('RESOURCE_INVALID', 'address', 'POST of rows has no parameters');
  const params = new Map([
    ['table', call.segments[0] ?? ''],
    ['format', mediaType === NDJSON_MEDIA ? 'ndjson' : 'csv'],
    ['atomic', 'true'],
  ]);
  return chain(execute(call, 'import', params), (outcome) =>
    outcome.successStatus === 0 ? answered(outcome, 201, outcome.response) : failureAnswer(outcome),
  );
}
