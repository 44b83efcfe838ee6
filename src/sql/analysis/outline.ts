/** Classifies a statement by its words, without parsing: for statements that are too long for a request thread. */

import { SqlFailure } from '../../base/sql-failure.ts';
import type { Statement } from '../syntax/ast.ts';
import { Scanner } from '../syntax/tokenizer.ts';

/**
 * `empty` has no token. `unknown` does not match the grammar, contains several statements, or has a comment that other
 * parsers end elsewhere.
 */
export type StatementKind = Statement['kind'] | 'empty' | 'unknown';

export interface StatementOutline {
  readonly kind: StatementKind;
  /** The first two words, in upper case and each cut to {@link VERB_CHARACTERS}: `CREATE TABLE`. Never a value. */
  readonly verb: string;
  /** Number of statements in the text, separated by semicolons, or 0 if the text cannot be split into tokens. */
  readonly statements: number;
}

/** Maximum number of characters in each word of a verb. The audit log shows verbs. */
export const VERB_CHARACTERS = 64;

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
/** Maximum and minimum lengths of the words of CHANGING. */
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

class OutlineScan {
  /** Whether a quote or comment is not closed, or a character is unknown. */
  #isBroken = false;
  readonly #sql: string;
  readonly #scanner: Scanner;
  readonly #words: string[] = [];
  #inHead = true;
  #statements = 0;
  #inside = false;
  #changes = false;

  constructor(sql: string) {
    this.#sql = sql;
    this.#scanner = new Scanner(sql);
  }

  /** Scans the whole statement. */
  run(): StatementOutline {
    const scanner = this.#scanner;
    try {
      for (scanner.next(); scanner.kind !== 'end'; scanner.next()) this.#read(scanner);
    } catch (error) {
      if (!(error instanceof SqlFailure)) throw error;
      this.#isBroken = true;
    }
    return this.#outline;
  }

  #read(scanner: Scanner): void {
    const isWord = scanner.kind === 'word';
    const symbol = scanner.kind === 'symbol' ? this.#sql.charCodeAt(scanner.start) : 0;
    if (this.#inHead) this.#readHead(scanner, symbol);
    if (isWord && !this.#changes) this.#changes = isChanging(scanner);
    if (symbol === SEMICOLON) {
      this.#inside = false;
    } else if (!this.#inside) {
      this.#inside = true;
      this.#statements += 1;
    }
  }

  #readHead({ kind, start, end }: Scanner, symbol: number): void {
    const words = this.#words;
    if (kind === 'word') {
      const text = this.#sql.slice(start, Math.min(end, start + VERB_CHARACTERS));
      words.push(text.toUpperCase().slice(0, VERB_CHARACTERS));
    } else if (words.length > 0 || (symbol !== OPENING && symbol !== SEMICOLON)) {
      this.#inHead = false;
    }
    if (words.length === 2) this.#inHead = false;
  }

  get #outline(): StatementOutline {
    const words = this.#words;
    const statements = this.#isBroken ? 0 : this.#statements;
    const verb = words.join(' ');
    const user = USER_VERBS[verb];
    if (user !== undefined) return { kind: user, verb, statements };
    const kind = KINDS[words[0] ?? ''] ?? 'unknown';
    const certain = statements === 1 && !this.#scanner.unclear && !(this.#changes && QUERIES.has(kind));
    return { kind: certain ? kind : 'unknown', verb, statements };
  }
}

/** Scans a statement. A text that cannot be split into tokens is `unknown` and has 0 statements. */
export function outline(sql: string): StatementOutline {
  return new OutlineScan(sql).run();
}
