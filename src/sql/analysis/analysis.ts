/**
 * Finds the kind of a statement, the tables it refers to and an upper bound of its cost, in one pass over its text.
 * Permissions, the audit, the routing to threads and the retry of lost requests use the result.
 */

import { SQL_BOUNDS } from '../../base/limits.ts';
import { LARGE_CHARACTERS } from '../../base/slices.ts';
import { SqlFailure } from '../../base/sql-failure.ts';
import { TextCache } from '../../base/text-cache.ts';
import type { ParsedStatement, Statement } from '../syntax/ast.ts';
import { parseTokens } from '../syntax/parser.ts';
import type { References, TableName } from '../syntax/references.ts';
import { TokenReader } from '../syntax/token-reader.ts';
import { type Token, tokenizeUpTo } from '../syntax/tokenizer.ts';
import { outline, type StatementKind, type StatementOutline, USER_VERBS, VERB_CHARACTERS } from './outline.ts';

export { writtenName } from '../syntax/written-name.ts';
export type { StatementKind, TableName };

export type UserStatement =
  | {
      readonly kind: 'createUser';
      readonly user: string;
      readonly password: string;
      readonly roles?: readonly string[] | undefined;
    }
  | { readonly kind: 'alterUser'; readonly user: string; readonly password: string }
  | { readonly kind: 'dropUser'; readonly user: string };

export interface StatementAnalysis extends StatementOutline {
  /**
   * True if the text was parsed, so `reads` and `writes` are complete. False for a text that does not match the grammar
   * and for a statement of more than `SQL_BOUNDS.parsedTokens` tokens or `SQL_BOUNDS.parsedCharacters` characters,
   * which may refer to every table.
   */
  readonly parsed: boolean;
  /** Tables and views that the statement reads, as the text names them. */
  readonly reads: readonly TableName[];
  /** Common tables that the statement reads, for an engine that reads tables with their names instead. */
  readonly commonReads: readonly TableName[];
  /** Tables and views whose rows or definition the statement changes. */
  readonly writes: readonly TableName[];
  /**
   * The user and password of CREATE, ALTER and DROP USER, or undefined for other kinds and for a statement with an
   * error.
   */
  readonly userStatement: UserStatement | undefined;
  /** The index of DROP INDEX, or the query of KILL QUERY, or undefined for other kinds. */
  readonly object: string | undefined;
  readonly hasSubquery: boolean;
  /** Number of tables, derived tables and table functions that the statement reads, or 0 if it was not parsed. */
  readonly sources: number;
  /**
   * An upper bound on a run's cost if all `calls` are cheap; see `costOf`. `constant`: no table. `byKey`: no subquery,
   * and either a list of rows or one table with a condition. Whether that condition contains the whole key depends on
   * the table's definition. `unbounded`: anything else.
   */
  readonly cost: 'constant' | 'byKey' | 'unbounded';
  /** The functions that the statement calls, in upper case, or undefined if it was not parsed. */
  readonly calls: ReadonlySet<string> | undefined;
}

const cache = new TextCache<StatementAnalysis>({
  max: SQL_BOUNDS.cachedAnalyses,
  maxSize: SQL_BOUNDS.allKeptCharacters,
  sizeCalculation: (_, sql) => sql.length + 1,
});

/** The tree of the last analysed statement, until {@link parseOnce} returns it. */
let lastParsed: { readonly sql: string; readonly statement: ParsedStatement } | undefined;

/**
 * Analyses a statement in linear time. Never throws. A statement of many tokens is only scanned. Each thread caches
 * the analyses of statements by their text, except those that may hold a password.
 */
export function analyze(sql: string): StatementAnalysis {
  const isShort = sql.length <= SQL_BOUNDS.parsedCharacters;
  const known = isShort ? cache.get(sql) : undefined;
  if (known !== undefined) return known;
  const analysis = analyzeUncached(sql);
  if (isShort && isCacheable(analysis)) cache.set(sql, analysis);
  return analysis;
}

/**
 * Returns the analysis of a statement, or undefined if it would take long; by default, if the statement is too long.
 */
export function analysisAtHand(sql: string): StatementAnalysis | undefined {
  return sql.length <= LARGE_CHARACTERS ? analyze(sql) : undefined;
}

/**
 * Parses a statement, or returns the tree that {@link analyze} has just built from the same text. Throws
 * {@link SqlFailure}.
 */
export function parseOnce(sql: string): ParsedStatement {
  const last = lastParsed;
  lastParsed = undefined;
  return last?.sql === sql ? last.statement : parseTokens(new TokenReader(sql));
}

/** Returns whether an analysis may be cached. A text with a syntax error may hold a password. */
function isCacheable({ kind }: StatementAnalysis): boolean {
  return kind !== 'unknown' && !isUserStatement(kind);
}

/** Returns whether statements of the kind may hold a password, so that their text is neither cached nor passed on. */
export function isUserStatement(kind: StatementKind): kind is UserStatement['kind'] {
  return kind === 'createUser' || kind === 'alterUser' || kind === 'dropUser';
}

const ROW_STATEMENTS: ReadonlySet<StatementKind> = new Set([
  'query',
  'explain',
  'insert',
  'merge',
  'mergeUsing',
  'update',
  'delete',
]);

/** Returns whether statements of the kind only read or change rows. */
export function isRowStatement(kind: StatementKind): boolean {
  return ROW_STATEMENTS.has(kind);
}

/** Returns whether statements of the kind only read rows. */
export function isReading(kind: StatementKind): boolean {
  return kind === 'query' || kind === 'explain' || kind === 'empty';
}

const ROW_VERBS = /^(?:SELECT|FROM|VALUES|WITH|EXPLAIN|TABLE|SHOW|INSERT|UPDATE|DELETE|MERGE|REPLACE)\b/;

/** Returns whether a statement defines an object, changes users, or is of an unknown kind. */
export function isAdministrative({ kind, verb }: Pick<StatementAnalysis, 'kind' | 'verb'>): boolean {
  if (kind === 'unknown') return verb !== '' && !ROW_VERBS.test(verb);
  return kind !== 'empty' && !isRowStatement(kind);
}

const NOTHING = { reads: [], commonReads: [], writes: [], userStatement: undefined, object: undefined } as const;
/** The assumptions about a statement that was not parsed. */
const UNPARSED = {
  ...NOTHING,
  parsed: false,
  hasSubquery: true,
  sources: 0,
  cost: 'unbounded',
  calls: undefined,
} as const;

function analyzeUncached(sql: string): StatementAnalysis {
  return sql.length <= SQL_BOUNDS.parsedCharacters ? analyzeTokens(sql) : { ...UNPARSED, ...outline(sql) };
}

function analyzeTokens(sql: string): StatementAnalysis {
  let read: ReturnType<typeof tokenizeUpTo>;
  try {
    read = tokenizeUpTo(sql, SQL_BOUNDS.parsedTokens);
  } catch {
    // An unclosed quote or an unknown character. The audit log needs the words before it.
    return { ...UNPARSED, ...outline(sql) };
  }
  const { tokens, unclear } = read;
  if (tokens.at(-1)?.kind !== 'end') return { ...UNPARSED, ...outline(sql) };
  const verb = verbOf(tokens);
  const statements = countStatements(tokens);
  if (statements === 0) {
    return { ...NOTHING, kind: 'empty', verb, statements, parsed: true, ...NO_COST };
  }
  const reader = new TokenReader(sql, tokens);
  try {
    const statement = parseTokens(reader);
    if (unclear) return { ...UNPARSED, kind: 'unknown', verb, statements };
    const userStatement = userStatementOf(statement.statement);
    if (!isUserStatement(statement.statement.kind)) lastParsed = { sql, statement };
    return { ...describe(statement.statement, reader.references), verb, statements, parsed: true, userStatement };
  } catch (error) {
    if (!(error instanceof SqlFailure)) throw error;
    return { ...UNPARSED, kind: USER_VERBS[verb] ?? 'unknown', verb, statements };
  }
}

const NO_CALLS: ReadonlySet<string> = new Set();
const NO_COST = { hasSubquery: false, sources: 0, cost: 'constant', calls: NO_CALLS } as const;

function verbOf(tokens: readonly Token[]): string {
  const words: string[] = [];
  for (const { kind, text } of tokens) {
    if (kind === 'word') words.push(text.slice(0, VERB_CHARACTERS));
    else if (words.length > 0 || !(kind === 'symbol' && (text === '(' || text === ';'))) break;
    if (words.length === 2) break;
  }
  return words.join(' ');
}

function countStatements(tokens: readonly Token[]): number {
  let count = 0;
  let inside = false;
  for (const { kind, text } of tokens) {
    if (kind === 'end' || (kind === 'symbol' && text === ';')) inside = false;
    else if (!inside) {
      inside = true;
      count += 1;
    }
  }
  return count;
}

/** Returns undefined for statements of other kinds, and for an empty name. */
function userStatementOf(statement: Statement): UserStatement | undefined {
  if (statement.kind !== 'createUser' && statement.kind !== 'alterUser' && statement.kind !== 'dropUser') {
    return undefined;
  }
  const { text: user } = statement.user;
  if (user === '') return undefined;
  switch (statement.kind) {
    case 'dropUser':
      return { kind: statement.kind, user };
    case 'alterUser':
      return { kind: statement.kind, user, password: statement.password };
    case 'createUser':
      return { kind: statement.kind, user, password: statement.password, roles: statement.roles };
  }
}

function describe(
  statement: Statement,
  references: References,
): Omit<StatementAnalysis, 'verb' | 'statements' | 'parsed' | 'userStatement'> {
  const hasSubquery = references.subqueries > 0;
  const { reads, commonReads, writes, sources } = references;
  const cost = hasSubquery ? 'unbounded' : costOf(statement, sources);
  const calls = references.calls.size === 0 ? NO_CALLS : references.calls;
  const object = objectOf(statement);
  return { kind: statement.kind, reads, commonReads, writes, hasSubquery, sources, cost, calls, object };
}

function objectOf(statement: Statement): string | undefined {
  if (statement.kind === 'dropIndex') return statement.name.name.text;
  return statement.kind === 'killQuery' ? statement.id : undefined;
}

/** Returns the cost of a statement without subqueries. */
function costOf(statement: Statement, sources: number): StatementAnalysis['cost'] {
  switch (statement.kind) {
    case 'query': {
      const { body } = statement;
      if (sources === 0) return 'constant';
      return body.kind === 'select' && sources === 1 && body.where !== undefined ? 'byKey' : 'unbounded';
    }
    case 'insert':
    case 'merge':
      return 'byKey';
    case 'update':
    case 'delete':
      return statement.where === undefined ? 'unbounded' : 'byKey';
    case 'createUser':
    case 'alterUser':
    case 'dropUser':
      return 'byKey';
    case 'explain':
    case 'mergeUsing':
    case 'createTable':
    case 'dropTable':
    case 'addColumns':
    case 'dropColumns':
    case 'setLogging':
    case 'createIndex':
    case 'dropIndex':
    case 'createView':
    case 'dropView':
    case 'analyze':
    case 'killQuery':
    case 'truncate':
    case 'alterIfExists':
      return 'unbounded';
  }
}
