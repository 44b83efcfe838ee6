/** Reads tokens in order for the parsers, and creates their syntax errors. */

import { SQL_BOUNDS } from '../../base/limits.ts';
import { sqlFailureAt } from '../../base/sql-errors.ts';
import type { SqlFailure } from '../../base/sql-failure.ts';
import type { Name } from './ast.ts';
import { References } from './references.ts';
import { markedStatement, type Token, tokenize } from './tokenizer.ts';

/** Words that cannot be names without quotes. */
export const RESERVED: ReadonlySet<string> = new Set(
  (
    'CHECK CONSTRAINT CROSS CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP DISTINCT EXCEPT EXISTS FALSE FETCH FOR FOREIGN ' +
    'FROM FULL GROUP HAVING INNER INTERSECT IS JOIN LIKE LIMIT MINUS NATURAL NOT NULL OFFSET ON ORDER PRIMARY ROWNUM ' +
    'SELECT SYSDATE SYSTIME SYSTIMESTAMP TODAY TRUE UNION UNIQUE WHERE WITH'
  ).split(' '),
);

export class TokenReader {
  readonly sql: string;
  readonly tokens: readonly Token[];
  #at = 0;
  /** Tokens tried at the current position, for the text of a syntax error. */
  #expected: string[] = [];
  #depth = 0;
  /** Number of parameters so far. A numbered one raises it to its number. */
  parameterCount = 0;

  readonly references = new References();
  #brackets: Brackets | undefined;

  constructor(sql: string, tokens: readonly Token[] = tokenize(sql)) {
    this.sql = sql;
    this.tokens = tokens;
  }

  get token(): Token {
    return this.peek(0);
  }

  isEnd(): boolean {
    return this.token.kind === 'end';
  }

  peek(ahead: number): Token {
    const token = this.tokens[Math.min(this.#at + ahead, this.tokens.length - 1)];
    if (token === undefined) throw new Error('a token list ends with its end token');
    return token;
  }

  advance(): Token {
    const { token } = this;
    this.#at += 1;
    this.#expected = [];
    return token;
  }

  /** Returns how far ahead the next token is that is not an opening parenthesis. */
  aheadOfParentheses(): number {
    return this.#bracketTable().inner(this.#at) - this.#at;
  }

  /** Returns how far ahead the token after the partner of the parenthesis `ahead` is; the end if it has none. */
  aheadOfClosing(ahead: number): number {
    return this.#bracketTable().behind(this.#at + ahead) - this.#at;
  }

  #bracketTable(): Brackets {
    this.#brackets ??= new Brackets(this.tokens);
    return this.#brackets;
  }

  /** Returns whether the current token is this word or symbol. */
  is(text: string): boolean {
    return matches(this.token, text);
  }

  isAny(...texts: readonly string[]): boolean {
    return texts.some((text) => this.is(text));
  }

  /** Returns whether the token `ahead` of the current one is this word or symbol. */
  isAhead(ahead: number, text: string): boolean {
    return matches(this.peek(ahead), text);
  }

  /** Consumes the word or symbol if it is the current token. */
  readIf(text: string): boolean {
    if (this.is(text)) {
      this.advance();
      return true;
    }
    this.#expected.push(text);
    return false;
  }

  /** Consumes the words if all of them follow. */
  readAllIf(...texts: readonly string[]): boolean {
    for (const [ahead, text] of texts.entries()) {
      if (!this.isAhead(ahead, text)) {
        if (ahead === 0) this.#expected.push(text);
        return false;
      }
    }
    for (const _ of texts) this.advance();
    return true;
  }

  /** Consumes two words if the first is the current token. Throws if the second does not follow. */
  readPairIf(first: string, second: string): boolean {
    if (!this.readIf(first)) return false;
    this.read(second);
    return true;
  }

  read(text: string): Token {
    const { token } = this;
    if (!this.readIf(text)) throw this.syntaxError();
    return token;
  }

  readAll(...texts: readonly string[]): void {
    for (const text of texts) this.read(text);
  }

  isName(): boolean {
    return isName(this.token);
  }

  isNameAhead(ahead: number): boolean {
    return isName(this.peek(ahead));
  }

  readName(): Name {
    const { token } = this;
    if (!isName(token)) {
      this.#expected = ['identifier'];
      throw this.syntaxError();
    }
    this.advance();
    return { text: token.text, at: token.start };
  }

  readString(): string {
    const { token } = this;
    if (token.kind !== 'string') {
      this.#expected = ['string'];
      throw this.syntaxError();
    }
    this.advance();
    return token.text;
  }

  readInteger(): number {
    const { token } = this;
    if (token.kind !== 'number' || !/^\d+$/.test(token.text)) {
      this.#expected = ['integer'];
      throw this.syntaxError();
    }
    this.advance();
    return Number(token.text);
  }

  /** Reads comma-separated names in parentheses. */
  readNameList(): Name[] {
    this.read('(');
    const names: Name[] = [];
    if (this.readIf(')')) return names;
    do names.push(this.readName());
    while (this.readIf(','));
    this.read(')');
    return names;
  }

  /** Runs `read` one level deeper. Throws if the statement is nested too deeply. */
  nested<T>(read: () => T): T {
    if (this.#depth >= SQL_BOUNDS.depth) throw this.tooComplex();
    this.#depth += 1;
    const result = read();
    this.#depth -= 1;
    return result;
  }

  /** Throws if a chain of operators at one level is too long. */
  checkChain(length: number): void {
    if (length > SQL_BOUNDS.chain) throw this.tooComplex();
  }

  tooComplex(): SqlFailure {
    return sqlFailureAt({ at: this.token.start }, 'TOO_COMPLEX');
  }

  /** `Syntax error in SQL statement "SELEC[*] 1 "; expected "..."` at the current token. */
  syntaxError(...expected: readonly string[]): SqlFailure {
    const wanted = [...new Set([...this.#expected, ...expected])];
    const marked = markedStatement(this.sql, this.tokens, this.token);
    const at = this.token.start;
    if (wanted.length === 0) return sqlFailureAt({ at }, 'SYNTAX', marked);
    return sqlFailureAt({ at }, 'SYNTAX_EXPECTED', marked, wanted.join(', '));
  }

  /** Creates a syntax error without a list of expected tokens. */
  unexpected(): SqlFailure {
    this.#expected = [];
    return this.syntaxError();
  }
}

/** The pairs of parentheses, found in one pass. Searching for the partner of each one would take quadratic time. */
class Brackets {
  readonly #inner: Int32Array;
  readonly #behind: Int32Array;

  constructor(tokens: readonly Token[]) {
    const last = tokens.length - 1;
    this.#inner = new Int32Array(tokens.length);
    this.#behind = new Int32Array(tokens.length).fill(last);
    const closing: number[] = [];
    for (let at = last; at >= 0; at -= 1) {
      const token = tokens[at];
      const symbol = token?.kind === 'symbol' ? token.text : '';
      this.#inner[at] = symbol === '(' ? (this.#inner[at + 1] ?? last) : at;
      if (symbol === ')') closing.push(at);
      if (symbol === '(') this.#behind[at] = Math.min((closing.pop() ?? last) + 1, last);
    }
  }

  /** Returns the first token from `at` on that is not an opening parenthesis. */
  inner(at: number): number {
    return this.#inner[at] ?? at;
  }

  /** Returns the token after the partner of the opening parenthesis at `at`. */
  behind(at: number): number {
    return this.#behind[at] ?? at;
  }
}

function matches(token: Token, text: string): boolean {
  return token.text === text && (token.kind === 'word' || token.kind === 'symbol');
}

function isName(token: Token): boolean {
  return token.kind === 'quoted' || (token.kind === 'word' && !RESERVED.has(token.text));
}
