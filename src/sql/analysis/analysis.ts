/**
 * What a statement is, what it refers to and what it can cost at most, found in one pass over its text. Permissions,
 * the audit, the routing to threads and the repetition of lost requests all go by it.
 */

import { SQL_BOUNDS } from '../../base/limits.ts';
import type { ParsedStatement, Statement } from '../syntax/ast.ts';
import { parseTokens } from '../syntax/parser.ts';
import type { References, TableName } from '../syntax/references.ts';
import { TokenReader } from '../syntax/token-reader.ts';
import { type Token, tokenizeUpTo } from '../syntax/tokenizer.ts';
import { SqlFailure } from '../types/sql-failure.ts';
import { isCheapCall } from './cheap-calls.ts';
import { KeptAnalyses } from './kept-analyses.ts';
import { outline, USER_VERBS } from './outline.ts';

export type UserStatement =
  | { readonly kind: 'createUser' | 'alterUser'; readonly user: string; readonly password: string }
  | { readonly kind: 'dropUser'; readonly user: string };

/**
 * `empty` has no token. `unknown` is no statement of the grammar, several statements, or one whose comments other
 * parsers end elsewhere.
 */
export type StatementKind = Statement['kind'] | 'empty' | 'unknown';

export interface StatementAnalysis {
  readonly kind: StatementKind;
  /** The first two words, in upper case: `CREATE TABLE`. Never a value. */
  readonly verb: string;
  /** Statements in the text, separated by semicolons; 0 where the text cannot be split into tokens. */
  readonly statements: number;
  /**
   * True when the text was parsed, so that `reads` and `writes` are complete. False for what the grammar does not have
   * and for a statement of more than `SQL_BOUNDS.parsedTokens` tokens: it may reach every table.
   */
  readonly parsed: boolean;
  /** Tables and views that it reads, as the text names them. */
  readonly reads: readonly TableName[];
  /** Tables and views whose rows or definition it changes. */
  readonly writes: readonly TableName[];
  /** What CREATE, ALTER and DROP USER ask for; undefined for other kinds, and for a user statement with an error. */
  readonly userStatement: UserStatement | undefined;
  readonly hasSubquery: boolean;
  /**
   * The most that a run can cost. `constant`: no table, only cheap functions. `byKey`: no query inside it and only
   * cheap functions, over the rows that it lists or over one table with a condition; it is by key when the condition
   * gives the whole key, which only the table's definition tells. `unbounded`: anything else.
   */
  readonly cost: 'constant' | 'byKey' | 'unbounded';
  /** True when every function that it calls is declared cheap. */
  readonly cheapCalls: boolean;
}

const kept = new KeptAnalyses<StatementAnalysis>(SQL_BOUNDS.keptAnalyses);

/** The tree of the statement that was analysed last, until {@link parseOnce} takes it. */
let lastParsed: { readonly sql: string; readonly statement: ParsedStatement } | undefined;

/** The long statement that was scanned last: several parts of one request ask for it. */
let lastLong: { readonly sql: string; readonly analysis: StatementAnalysis } | undefined;

/**
 * Analyses a statement. Never throws. Takes linear time; a statement of many tokens is only scanned. A thread keeps
 * the analyses of short statements by their text, but none that may hold a password.
 */
export function analyze(sql: string): StatementAnalysis {
  const isShort = sql.length <= SQL_BOUNDS.keptCharacters;
  const known = isShort ? kept.get(sql) : lastLong?.sql === sql ? lastLong.analysis : undefined;
  if (known !== undefined) return known;
  const analysis = analyzeAnew(sql);
  if (!mayBeKept(analysis)) return analysis;
  if (isShort) kept.set(sql, analysis);
  else lastLong = { sql, analysis };
  return analysis;
}

/**
 * Parses a statement, or returns the tree that {@link analyze} has just made of the same text. Throws
 * {@link SqlFailure}.
 */
export function parseOnce(sql: string): ParsedStatement {
  const last = lastParsed;
  lastParsed = undefined;
  return last?.sql === sql ? last.statement : parseTokens(new TokenReader(sql));
}

/** The text of a statement that was not understood may hold a password with a typing error before it. */
function mayBeKept({ kind }: StatementAnalysis): boolean {
  return kind !== 'unknown' && !isUserStatement(kind);
}

/** Whether a statement of the kind is about users, and its text must be neither kept nor passed on. */
export function isUserStatement(kind: StatementKind): kind is UserStatement['kind'] {
  return kind === 'createUser' || kind === 'alterUser' || kind === 'dropUser';
}

const NOTHING = { reads: [], writes: [], userStatement: undefined } as const;
/** What is assumed of a statement that was not parsed. */
const UNPARSED = { ...NOTHING, parsed: false, hasSubquery: true, cost: 'unbounded', cheapCalls: false } as const;

function analyzeAnew(sql: string): StatementAnalysis {
  let read: ReturnType<typeof tokenizeUpTo>;
  try {
    read = tokenizeUpTo(sql, SQL_BOUNDS.parsedTokens);
  } catch {
    // A quote without its end, a foreign character. The words in front of it still say what the audit needs.
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

const NO_COST = { hasSubquery: false, cost: 'constant', cheapCalls: true } as const;

function verbOf(tokens: readonly Token[]): string {
  const words: string[] = [];
  for (const { kind, text } of tokens) {
    if (kind === 'word') words.push(text);
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

/** Undefined for other statements, and for an empty name. */
function userStatementOf(statement: Statement): UserStatement | undefined {
  if (statement.kind !== 'createUser' && statement.kind !== 'alterUser' && statement.kind !== 'dropUser') {
    return undefined;
  }
  const { text: user } = statement.user;
  if (user === '') return undefined;
  return statement.kind === 'dropUser'
    ? { kind: statement.kind, user }
    : { kind: statement.kind, user, password: statement.password };
}

function describe(
  statement: Statement,
  references: References,
): Pick<StatementAnalysis, 'kind' | 'reads' | 'writes' | 'hasSubquery' | 'cost' | 'cheapCalls'> {
  let cheapCalls = true;
  for (const name of references.calls) cheapCalls &&= isCheapCall(name);
  const hasSubquery = references.subqueries > 0;
  const { reads, writes } = references;
  const cost = cheapCalls && !hasSubquery ? costOf(statement, references.sources) : 'unbounded';
  return { kind: statement.kind, reads, writes, hasSubquery, cost, cheapCalls };
}

/** The cost of a statement with cheap functions and without sub-queries. */
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
    default:
      return 'unbounded';
  }
}
