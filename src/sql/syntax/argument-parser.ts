/** The interface between the parsers of calls and of expressions, which need each other. */
import type { Expression, OrderItem, Query } from './ast.ts';
import type { TokenReader } from './token-reader.ts';

/** The part of the expression parser that parsing a call needs; that parser in turn parses calls. */
export interface ArgumentParser {
  readonly reader: TokenReader;
  readonly parseQuery: (reader: TokenReader) => Query;
  /** Parses an expression. */
  parse(): Expression;
  /** Parses comma-separated expressions. */
  parseList(): Expression[];
  /** Parses an expression without comparisons, AND and OR. */
  parseOperand(): Expression;
  /** Parses the items after ORDER BY. */
  parseOrder(): OrderItem[];
}
