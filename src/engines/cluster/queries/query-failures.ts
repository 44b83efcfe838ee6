/** Maps a node's statement errors to those in src/base/errors.ts. */
import { GridError, gridError } from '../../../base/errors.ts';
import { SQL_BOUNDS } from '../../../base/limits.ts';
import { SqlFailure } from '../../../base/sql-failure.ts';
import { ENTRIES_TABLE } from '../../../grid/table-names.ts';
import { analyze } from '../../../sql/analysis/analysis.ts';
import type { InsertStatement, MergeStatement } from '../../../sql/syntax/ast.ts';
import { foreignForm } from '../../../sql/syntax/foreign-statements.ts';
import { parseStatement } from '../../../sql/syntax/parser.ts';
import { isSqlMissing, isTemporary, NodeError, STATUS, toGridError, withoutClassName } from '../protocol/status.ts';
import { markedPosition } from './marked-place.ts';

/** How a table on a cluster gets a time to live: CREATE TABLE has no option for it there. */
const CREATE_CACHE_FIRST =
  "the cluster's CREATE TABLE has none: create the cache with getorcreate and ttlMs, then the table with CACHE_NAME";

/** Status codes of the JDBC dialect (docs/spec/ignite-wire.md 4). */
const JDBC = { CANCELLED: 3014, CACHE_NOT_FOUND: 4006 } as const;

/** Codes for statements whose tables, columns, indexes or rows do not exist, or already exist. */
const CODES_BY_STATUS: ReadonlyMap<number, 'SQL_OBJECT_NOT_FOUND' | 'SQL_CONFLICT'> = new Map([
  [3001, 'SQL_OBJECT_NOT_FOUND'],
  [3005, 'SQL_CONFLICT'],
  [3006, 'SQL_OBJECT_NOT_FOUND'],
  [3007, 'SQL_CONFLICT'],
  [3008, 'SQL_OBJECT_NOT_FOUND'],
  [3009, 'SQL_CONFLICT'],
  [4001, 'SQL_CONFLICT'],
  [4002, 'SQL_CONFLICT'],
]);

/** Codes at the end of messages from H2, with which nodes parse and evaluate statements: `[42102-197]`. */
const CODES_OF_H2: ReadonlyMap<string, 'SQL_OBJECT_NOT_FOUND' | 'SQL_CONFLICT'> = new Map([
  ['42101', 'SQL_CONFLICT'],
  ['42102', 'SQL_OBJECT_NOT_FOUND'],
  ['42111', 'SQL_CONFLICT'],
  ['42112', 'SQL_OBJECT_NOT_FOUND'],
  ['42121', 'SQL_CONFLICT'],
  ['42122', 'SQL_OBJECT_NOT_FOUND'],
  ['90079', 'SQL_OBJECT_NOT_FOUND'],
]);
const CODE_OF_H2 = /\[(\d{5})-\d+\]\s*$/;

export interface QuerySubject {
  readonly cache: string;
  readonly typeName?: string | undefined;
  readonly className?: string | undefined;
  /** The statement as the client sent it. */
  readonly sql?: string | undefined;
  /** Why the statement was cancelled, if it was. */
  readonly cancelled?: GridError | undefined;
}

/** Returns the sentence that Ignite shows: without SQLSTATE, class names and the dialect's prefix. */
function sentenceOf(message: string): string {
  return withoutClassName(message)
    .replace(/^[0-9A-Z]{5}: /, '')
    .replace(/^(?:class )?(?:[a-z_][\w$]*\.)+[A-Z][\w$]*: /, '')
    .replace(/^Failed to parse query\. /, '');
}

export function queryError(error: unknown, subject: QuerySubject): unknown {
  if (!(error instanceof NodeError)) return error;
  const text = sentenceOf(error.message);
  if (error.status === STATUS.CACHE_NOT_FOUND || error.status === JDBC.CACHE_NOT_FOUND) {
    return gridError('QUERY_CACHE_NOT_FOUND', subject.cache);
  }
  const code = CODES_BY_STATUS.get(error.status);
  if (code !== undefined) return new GridError(code, text, { cause: error });
  if (error.status === JDBC.CANCELLED || /query was cancelled/i.test(text)) {
    return subject.cancelled ?? gridError('QUERY_CANCELLED', 'the cluster ended it');
  }
  if (/Failed to find SQL table for type/.test(text)) return gridError('QUERY_TYPE_NOT_FOUND', subject.typeName ?? '');
  if (/Failed to load the class|ClassNotFoundException|Failed to find target class/.test(text)) {
    return gridError('CLASS_NOT_FOUND', subject.className ?? '');
  }
  if (/cannot be cast to class .*IgniteBiPredicate|ClassCastException/.test(text)) {
    return gridError('CLASS_NOT_A_FILTER', subject.className ?? '');
  }
  if (/Unsupported parameter: (?:TTLMS|SLIDING)\b/.test(text)) {
    return gridError('NOT_SUPPORTED', 'a table option for the time to live', CREATE_CACHE_FIRST);
  }
  if (isSqlMissing(error)) return gridError('SQL_MODULE_MISSING');
  if (/cluster is inactive/.test(text)) return gridError('INACTIVE');
  if (/[Cc]luster (?:is )?in read-only mode/.test(text)) return new GridError('READ_ONLY', text, { cause: error });
  if (error.status === STATUS.TOO_MANY_CURSORS || error.status === STATUS.SECURITY_VIOLATION) {
    return toGridError(error, { cache: subject.cache });
  }
  if (isUnknownTable(text) && namesEntries(subject.sql ?? '')) {
    return gridError(
      'NOT_SUPPORTED',
      `the table "cache".${ENTRIES_TABLE}`,
      'a cluster shows only declared tables in SQL',
    );
  }
  const position = subject.sql === undefined ? undefined : markedPosition(text, subject.sql);
  const codeOfError = codeOfText(text);
  const isRejected = codeOfError === 'SQL' && /[Ss]yntax error|[Uu]nsupported|not supported|Failed to parse/.test(text);
  const remedy = isRejected && subject.sql !== undefined ? foreignForm(subject.sql, 'onNodes') : undefined;
  const hint = subject.sql === undefined ? '' : changeHint(text, subject.sql);
  return new GridError(codeOfError, `${text}${hint}`, { cause: error, position, remedy });
}

const DUPLICATE = /already in cache|Duplicate key during/;
const COLUMN_COUNT = /Column count does not match/;

/**
 * Returns the details of an INSERT or MERGE that a node's message omits: the table of the key, or the number of values
 * and the columns. Knows only the statement itself.
 */
function changeHint(text: string, sql: string): string {
  const isCount = COLUMN_COUNT.test(text);
  if ((!isCount && !DUPLICATE.test(text)) || sql.length > SQL_BOUNDS.parsedCharacters) return '';
  const change = parsedChange(sql);
  if (change === undefined) return '';
  const { target, columns, source } = change;
  if (!isCount) return ` (key of ${target.name.text})`;
  const rows = source.kind === 'rows' ? source.rows : [];
  const row = columns === undefined ? rows[0] : rows.find(({ length }) => length !== columns.length);
  if (row === undefined) return '';
  if (columns === undefined) return ` (${counted(row.length, 'value')} for the columns of ${target.name.text})`;
  const names = columns.map((column) => column.text).join(', ');
  return ` (${counted(row.length, 'value')} for ${counted(columns.length, 'column')}: ${names})`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function parsedChange(sql: string): InsertStatement | MergeStatement | undefined {
  try {
    const { statement } = parseStatement(sql);
    return statement.kind === 'insert' || statement.kind === 'merge' ? statement : undefined;
  } catch (error) {
    if (error instanceof SqlFailure) return undefined;
    throw error;
  }
}

/**
 * H2's codes for an unknown table or schema, and for an operator or a function on entries, which H2 finds before those.
 */
const UNKNOWN_TO_H2: ReadonlySet<string> = new Set(['42102', '90079', '42000', '42001', '90022']);

function isUnknownTable(text: string): boolean {
  const [, codeOfH2] = CODE_OF_H2.exec(text) ?? [];
  return codeOfH2 !== undefined && UNKNOWN_TO_H2.has(codeOfH2);
}

/** Whether a statement names a cache's entries, which other engines provide as a table. */
function namesEntries(sql: string): boolean {
  const { reads, writes } = analyze(sql);
  return [...reads, ...writes].some(({ schema, name }) => schema !== undefined && name === ENTRIES_TABLE);
}

function codeOfText(text: string): 'SQL' | 'SQL_OBJECT_NOT_FOUND' | 'SQL_CONFLICT' {
  const [, codeOfH2] = CODE_OF_H2.exec(text) ?? [];
  if (codeOfH2 !== undefined) return CODES_OF_H2.get(codeOfH2) ?? 'SQL';
  if (/not found|doesn't exist/.test(text)) return 'SQL_OBJECT_NOT_FOUND';
  return /already exists|already in cache|Duplicate key/.test(text) ? 'SQL_CONFLICT' : 'SQL';
}

/**
 * Reports whether a node lacks the class of an object that it should create. Java's own error text is only
 * the class name.
 */
export function isClassMissing(error: unknown): boolean {
  if (!(error instanceof GridError) || (error.code !== 'SQL' && error.code !== 'CLASS_NOT_FOUND')) return false;
  return /^[\w.$]+$|Failed to deserialize|Failed to resolve class|target class/.test(error.message);
}

/** Reports whether a node or connection was lost, so that the query may succeed on another node. */
export function isLost(error: unknown): boolean {
  if (error instanceof GridError) return error.code === 'CLUSTER_UNREACHABLE';
  return error instanceof NodeError && isTemporary(error);
}
