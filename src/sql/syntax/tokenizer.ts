/** Splits a statement into tokens with their offsets. Skips comments. */

import { QUOTED_CHARACTERS, SQL_BOUNDS } from '../../base/limits.ts';
import { sqlFailureAt } from '../../base/sql-errors.ts';
import type { SqlFailure } from '../../base/sql-failure.ts';

export type TokenKind = 'word' | 'quoted' | 'number' | 'string' | 'parameter' | 'symbol' | 'end';

export interface Token {
  readonly kind: TokenKind;
  /**
   * A word in upper case, a quoted name or string without its quotes, a parameter's number or an empty string, a number
   * or symbol as written.
   */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const SYMBOLS2 = ['<>', '!=', '<=', '>=', '||', '::', '&&', '!~', ':=', '->'];
const SYMBOL3 = '->>';
const SYMBOLS1 = '()+-*/%,.;=<>{}[]~:@!&|^';
/** By character code: 1 if a symbol begins with it, 2 if a two-character symbol also does. */
const SYMBOL_STARTS = new Uint8Array(128);
for (const symbol of SYMBOLS1) SYMBOL_STARTS[symbol.charCodeAt(0)] = 1;
for (const symbol of SYMBOLS2) SYMBOL_STARTS[symbol.charCodeAt(0)] = 2;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const DOUBLE_QUOTE = 34;
const DOLLAR = 36;
const QUOTE = 39;
const STAR = 42;
const DASH = 45;
const DOT = 46;
const SLASH = 47;
const QUESTION_MARK = 63;
const BACK_QUOTE = 96;

/** Letters and digits of any script, `_` and `$`, as in Java identifiers. */
const WORD_START = /[\p{L}\p{Nl}\p{Sc}\p{Pc}]/u;
const WORD_PART = /[\p{L}\p{Nl}\p{Sc}\p{Pc}\p{Mn}\p{Mc}\p{Nd}]/u;

function isAsciiWord(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || isDigit(code);
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/**
 * Scans the tokens of a statement in order and allocates nothing. Every reader of statements uses it, so that all agree
 * on comments, quotes and `$$`.
 */
export class Scanner {
  readonly sql: string;
  kind: TokenKind = 'end';
  start = 0;
  /** Offset after the token. */
  end = 0;
  /**
   * True after a comment that other SQL parsers end elsewhere: a line comment with a carriage return, or a block
   * comment with another comment inside.
   */
  unclear = false;

  constructor(sql: string) {
    this.sql = sql;
  }

  /**
   * Advances to the next token and returns its kind. Throws for an unclosed quote or comment and for an unknown
   * character.
   */
  next(): TokenKind {
    this.#skipBlanks();
    return this.#read();
  }

  /** Returns the text of the current token, as {@link Token} describes it. */
  text(): string {
    const { sql, start, end } = this;
    switch (this.kind) {
      case 'word':
        return sql.slice(start, end).toUpperCase();
      case 'string':
        return sql.startsWith('$$', start) ? sql.slice(start + 2, end - 2) : unquote(sql, start, end, "'");
      case 'quoted': {
        const quote = sql.charAt(start);
        const name = unquote(sql, start, end, quote);
        return quote === '`' ? name.toUpperCase() : name;
      }
      case 'parameter':
        return sql.slice(start + 1, end);
      case 'number':
      case 'symbol':
        return sql.slice(start, end);
      case 'end':
        return '';
    }
  }

  /** Skips blanks and comments. */
  #skipBlanks(): void {
    const { sql } = this;
    let at = this.end;
    for (;;) {
      const code = sql.charCodeAt(at);
      if (code <= 32 || code === 0xa0 || code === 0xfeff) at += 1;
      else if ((code === DASH || code === SLASH) && sql.charCodeAt(at + 1) === code) at = this.#skipLine(at + 2);
      else if (code === SLASH && sql.charCodeAt(at + 1) === STAR) at = this.#skipBlock(at);
      else break;
    }
    this.end = at;
  }

  /** Reads a line comment from `from` on, and returns the offset after it. */
  #skipLine(from: number): number {
    const { sql } = this;
    for (let at = from; at < sql.length; at += 1) {
      const code = sql.charCodeAt(at);
      if (code === LINE_FEED) return at + 1;
      if (code === CARRIAGE_RETURN && sql.charCodeAt(at + 1) !== LINE_FEED) this.unclear = true;
    }
    return sql.length;
  }

  /** Reads the block comment that begins at `start`, and returns the offset after it. */
  #skipBlock(start: number): number {
    const { sql } = this;
    this.start = start;
    for (let at = start + 2; at < sql.length; at += 1) {
      const code = sql.charCodeAt(at);
      if (code === STAR && sql.charCodeAt(at + 1) === SLASH) return at + 2;
      if (code === SLASH && sql.charCodeAt(at + 1) === STAR) this.unclear = true;
    }
    throw brokenText(sql, start);
  }

  /** Reads the token that begins at the next character. */
  #read(): TokenKind {
    const { sql } = this;
    const at = this.end;
    this.start = at;
    const code = sql.charCodeAt(at);
    const next = sql.charCodeAt(at + 1);
    if (at >= sql.length) return this.#found('end', at);
    if (isAsciiWord(code) && !isDigit(code)) return this.#readWord(at);
    if (isDigit(code) || (code === DOT && isDigit(next))) return this.#found('number', endOfNumber(sql, at));
    if (code === QUOTE || code === DOUBLE_QUOTE || code === BACK_QUOTE) return this.#readQuoted(at + 1);
    if (code === DOLLAR && next === DOLLAR) {
      const end = sql.indexOf('$$', at + 2);
      if (end < 0) throw brokenText(sql, at);
      return this.#found('string', end + 2);
    }
    if (code === QUESTION_MARK || (code === DOLLAR && isDigit(next))) return this.#readParameter(at + 1);
    if (code === DOLLAR || (code > 127 && WORD_START.test(pointAt(sql, at)))) return this.#readWord(at);
    const symbol = SYMBOL_STARTS[code] ?? 0;
    if (code === DASH && sql.startsWith(SYMBOL3, at)) return this.#found('symbol', at + SYMBOL3.length);
    if (symbol === 2 && SYMBOLS2.includes(sql.slice(at, at + 2))) return this.#found('symbol', at + 2);
    if (symbol > 0) return this.#found('symbol', at + 1);
    throw brokenText(sql, at);
  }

  #found(kind: TokenKind, end: number): TokenKind {
    this.kind = kind;
    this.end = end;
    return kind;
  }

  #readWord(from: number): TokenKind {
    const { sql } = this;
    let at = from;
    for (;;) {
      const code = sql.charCodeAt(at);
      if (isAsciiWord(code) || code === DOLLAR) at += 1;
      else if (code > 127 && WORD_PART.test(pointAt(sql, at))) at += pointAt(sql, at).length;
      else break;
    }
    return this.#found('word', at);
  }

  /** Reads up to the closing quote. A doubled quote is an escaped one. */
  #readQuoted(from: number): TokenKind {
    const { sql } = this;
    const quote = sql.charAt(this.start);
    let end = sql.indexOf(quote, from);
    while (end >= 0 && sql.charAt(end + 1) === quote) end = sql.indexOf(quote, end + 2);
    if (end < 0) throw brokenText(sql, this.start);
    return this.#found(quote === "'" ? 'string' : 'quoted', end + 1);
  }

  #readParameter(from: number): TokenKind {
    let at = from;
    while (isDigit(this.sql.charCodeAt(at))) at += 1;
    return this.#found('parameter', at);
  }
}

/**
 * Returns all tokens; the last one is of kind 'end'. Throws for an unclosed quote or comment, an unknown character and
 * a number that is too long.
 */
export function tokenize(sql: string): readonly Token[] {
  return tokenizeUpTo(sql, Number.POSITIVE_INFINITY).tokens;
}

/** Like {@link tokenize}, but stops after `most` tokens; then the last one is not of kind 'end'. */
export function tokenizeUpTo(
  sql: string,
  most: number,
): { readonly tokens: readonly Token[]; readonly unclear: boolean } {
  const scanner = new Scanner(sql);
  const tokens: Token[] = [];
  do {
    const kind = scanner.next();
    const { start, end } = scanner;
    if (kind === 'number' && end - start > SQL_BOUNDS.numberCharacters) throw numberTooLong(start);
    tokens.push({ kind, text: scanner.text(), start, end });
  } while (scanner.kind !== 'end' && tokens.length < most);
  return { tokens, unclear: scanner.unclear };
}

function numberTooLong(at: number): SqlFailure {
  return sqlFailureAt({ at }, 'NUMBER_TOO_LONG', SQL_BOUNDS.numberCharacters);
}

function pointAt(sql: string, at: number): string {
  return String.fromCodePoint(sql.codePointAt(at) ?? 0);
}

function unquote(sql: string, start: number, end: number, quote: string): string {
  const inside = sql.slice(start + 1, end - 1);
  return inside.includes(quote) ? inside.replaceAll(quote + quote, quote) : inside;
}

const HEX = /[0-9a-fA-F]+/y;
const NUMBER = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;

function endOfNumber(sql: string, at: number): number {
  if (sql.charAt(at) === '0' && sql.charAt(at + 1).toLowerCase() === 'x') {
    HEX.lastIndex = at + 2;
    if (HEX.test(sql)) return HEX.lastIndex;
  }
  NUMBER.lastIndex = at;
  NUMBER.test(sql);
  const end = NUMBER.lastIndex;
  // An exponent without digits is not an alias.
  if (sql.charAt(end).toLowerCase() === 'e') throw brokenText(sql, at);
  return isLongSuffix(sql, at, end) ? end + 1 : end;
}

/** Number of digits in the largest BIGINT. */
const LONG_DIGITS = 19;

/** Reports whether an `L` follows the digits of a BIGINT. */
function isLongSuffix(sql: string, at: number, end: number): boolean {
  if (sql.charAt(end).toUpperCase() !== 'L' || end - at > LONG_DIGITS) return false;
  const digits = sql.slice(at, end);
  return /^\d+$/.test(digits) && BigInt.asIntN(64, BigInt(digits)) === BigInt(digits);
}

function brokenText(sql: string, at: number): SqlFailure {
  return sqlFailureAt({ at }, 'SYNTAX', `${sql.slice(0, at)}[*]${sql.slice(at)}`);
}

/**
 * Returns the statement as Ignite's syntax errors show it: unquoted names in upper case, comments replaced by spaces, a
 * space at the end, and `[*]` after the unexpected token. Of a long statement, it returns the tokens around the
 * unexpected one that an error text can quote.
 */
export function markedStatement(sql: string, tokens: readonly Token[], failed: Token): string {
  let shown = '';
  let at = 0;
  for (const token of tokens) {
    if (token.end < failed.start - QUOTED_CHARACTERS) {
      at = token.end;
      continue;
    }
    if (token.start > failed.end + QUOTED_CHARACTERS) break;
    shown +=
      blanked(sql.slice(at, token.start)) + (token.kind === 'word' ? token.text : sql.slice(token.start, token.end));
    at = token.end;
    if (token === failed) {
      if (token.kind === 'end') return `${shown} [*]`;
      shown += '[*]';
    }
  }
  return `${shown} `;
}

/** Replaces comments between tokens with spaces. */
function blanked(between: string): string {
  return /^\s*$/.test(between) ? between : ' '.repeat(between.length);
}
