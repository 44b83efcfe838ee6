/** Classifies a statement by its words, without parsing: for statements that are too long for a request thread. */

import type { Statement } from '../syntax/ast.ts';
import { Scanner } from '../syntax/tokenizer.ts';
import { SqlFailure } from '../types/sql-failure.ts';

/**
 * `empty` has no token. `unknown` is outside of the grammar, holds several statements, or has a comment that other
 * parsers end elsewhere.
 */
export type StatementKind = Statement['kind'] | 'empty' | 'unknown';

export interface StatementOutline {
  readonly kind: StatementKind;
  /** The first two words, in upper case: `CREATE TABLE`. Never a value. */
  readonly verb: string;
  /** Statements in the text, separated by semicolons; 0 where the text cannot be split into tokens. */
  readonly statements: number;
}

const KINDS: Readonly<Record<string, StatementKind>> = {
  SELECT: 'query',
  FROM: 'query',
  VALUES: 'query',
  WITH: 'query',
  EXPLAIN: 'explain',
  INSERT: 'insert',
  MERGE: 'merge',
  REPLACE: 'merge',
  UPDATE: 'update',
  DELETE: 'delete',
};
const QUERIES: ReadonlySet<StatementKind> = new Set(['query', 'explain']);
/** Words that begin a change. A query that contains one, even as a name, counts as unknown. */
const CHANGING: ReadonlySet<string> = new Set(
  'INSERT MERGE REPLACE UPDATE DELETE CREATE ALTER DROP TRUNCATE CALL GRANT REVOKE SET INTO'.split(' '),
);
/** Lengths of the words of CHANGING. */
const LONGEST_CHANGING = 8;
const SHORTEST_CHANGING = 3;
const OPENING = 40;
const SEMICOLON = 59;
/** A user statement with an error keeps its kind, because its text may hold a password and must not be passed on. */
export const USER_VERBS: Readonly<Record<string, StatementKind>> = {
  'CREATE USER': 'createUser',
  'ALTER USER': 'alterUser',
  'DROP USER': 'dropUser',
};

function isChanging(scanner: Scanner): boolean {
  const length = scanner.end - scanner.start;
  return length >= SHORTEST_CHANGING && length <= LONGEST_CHANGING && CHANGING.has(scanner.text());
}

/** Scans the whole text once. A text that cannot be split into tokens is `unknown` and has 0 statements. */
export function outline(sql: string): StatementOutline {
  const scanner = new Scanner(sql);
  const words: string[] = [];
  let inHead = true;
  let statements = 0;
  let inside = false;
  let changes = false;
  try {
    while (scanner.next() !== 'end') {
      const isWord = scanner.kind === 'word';
      const symbol = scanner.kind === 'symbol' ? sql.charCodeAt(scanner.start) : 0;
      if (inHead && isWord) words.push(scanner.text());
      else if (inHead && (words.length > 0 || (symbol !== OPENING && symbol !== SEMICOLON))) inHead = false;
      if (words.length === 2) inHead = false;
      if (isWord && !changes) changes = isChanging(scanner);
      if (symbol === SEMICOLON) {
        inside = false;
      } else if (!inside) {
        inside = true;
        statements += 1;
      }
    }
  } catch (error) {
    if (!(error instanceof SqlFailure)) throw error;
    return { kind: USER_VERBS[words.join(' ')] ?? 'unknown', verb: words.join(' '), statements: 0 };
  }
  const verb = words.join(' ');
  const user = USER_VERBS[verb];
  if (user !== undefined) return { kind: user, verb, statements };
  const kind = KINDS[words[0] ?? ''] ?? 'unknown';
  const certain = statements === 1 && !scanner.unclear && !(changes && QUERIES.has(kind));
  return { kind: certain ? kind : 'unknown', verb, statements };
}
