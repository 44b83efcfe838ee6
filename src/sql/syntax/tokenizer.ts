/** Splits a statement into tokens. Comments vanish; every token keeps its place in the text. */
import { StatementFailure } from '../types/failures.ts';

export type TokenKind = 'word' | 'quoted' | 'number' | 'string' | 'parameter' | 'symbol' | 'end';

export interface Token {
  readonly kind: TokenKind;
  /**
   * word: in upper case; quoted and string: without quotes; parameter: its number or empty; number, symbol: as
   * written.
   */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const SYMBOLS2 = ['<>', '!=', '<=', '>=', '||', '::', '&&', '!~', ':='];
const SYMBOLS1 = '()+-*/%,.;=<>{}[]~:@!&|^';

/** Letters, digits, `_` and `$` of any script, as Java's identifiers. */
const WORD_START = /[\p{L}\p{Nl}\p{Sc}\p{Pc}]/u;
const WORD_PART = /[\p{L}\p{Nl}\p{Sc}\p{Pc}\p{Mn}\p{Mc}\p{Nd}]/u;

function isAsciiWord(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || isDigit(code);
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/**
 * Reads all tokens; the last one is of kind 'end'. Throws for a text or name without its end, and for foreign
 * characters.
 */
export function tokenize(sql: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const push = (kind: TokenKind, text: string, start: number, end: number): void => {
    tokens.push({ kind, text, start, end });
    at = end;
  };
  while (at < sql.length) {
    const code = sql.charCodeAt(at);
    if (code <= 32 || code === 0xa0 || code === 0xfeff) {
      at += 1;
      continue;
    }
    const pair = sql.slice(at, at + 2);
    if (pair === '--' || pair === '//') {
      const end = sql.indexOf('\n', at);
      at = end < 0 ? sql.length : end + 1;
      continue;
    }
    if (pair === '/*') {
      const end = sql.indexOf('*/', at + 2);
      if (end < 0) throw brokenText(sql, at);
      at = end + 2;
      continue;
    }
    const character = sql.charAt(at);
    if (character === "'" || character === '"' || character === '`') {
      const { text, end } = readQuoted(sql, at, character);
      if (character === "'") push('string', text, at, end);
      else push('quoted', character === '`' ? text.toUpperCase() : text, at, end);
    } else if (pair === '$$') {
      const end = sql.indexOf('$$', at + 2);
      if (end < 0) throw brokenText(sql, at);
      push('string', sql.slice(at + 2, end), at, end + 2);
    } else if (isDigit(code) || (character === '.' && isDigit(sql.charCodeAt(at + 1)))) {
      const end = endOfNumber(sql, at);
      push('number', sql.slice(at, end), at, end);
    } else if (
      isAsciiWord(code) ||
      (character === '$' && pair !== '$$') ||
      (code > 127 && WORD_START.test(pointAt(sql, at)))
    ) {
      const end = endOfWord(sql, at);
      push('word', sql.slice(at, end).toUpperCase(), at, end);
    } else if (character === '?') {
      let end = at + 1;
      while (isDigit(sql.charCodeAt(end))) end += 1;
      push('parameter', sql.slice(at + 1, end), at, end);
    } else if (SYMBOLS2.includes(pair)) {
      push('symbol', pair, at, at + 2);
    } else if (SYMBOLS1.includes(character)) {
      push('symbol', character, at, at + 1);
    } else {
      throw brokenText(sql, at);
    }
  }
  tokens.push({ kind: 'end', text: '', start: sql.length, end: sql.length });
  return tokens;
}

function pointAt(sql: string, at: number): string {
  return String.fromCodePoint(sql.codePointAt(at) ?? 0);
}

function readQuoted(sql: string, start: number, quote: string): { text: string; end: number } {
  let text = '';
  let from = start + 1;
  for (;;) {
    const end = sql.indexOf(quote, from);
    if (end < 0) throw brokenText(sql, start);
    text += sql.slice(from, end);
    if (sql.charAt(end + 1) !== quote) return { text, end: end + 1 };
    text += quote;
    from = end + 2;
  }
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
  return NUMBER.lastIndex;
}

function endOfWord(sql: string, start: number): number {
  let at = start;
  while (at < sql.length) {
    const code = sql.charCodeAt(at);
    if (isAsciiWord(code) || code === 36) at += 1;
    else if (code > 127 && WORD_PART.test(pointAt(sql, at))) at += pointAt(sql, at).length;
    else break;
  }
  return at;
}

function brokenText(sql: string, at: number): StatementFailure {
  return new StatementFailure(`Syntax error in SQL statement "${sql.slice(0, at)}[*]${sql.slice(at)}"`, 42000);
}

/**
 * The statement as the reference's syntax errors show it: unquoted names in upper case, comments blank, a blank behind,
 * and `[*]` after the token at which reading failed.
 */
export function markedStatement(sql: string, tokens: readonly Token[], failed: Token): string {
  let shown = '';
  let at = 0;
  for (const token of tokens) {
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

/** What stands between tokens is blank or comment. */
function blanked(between: string): string {
  return /^\s*$/.test(between) ? between : ' '.repeat(between.length);
}
