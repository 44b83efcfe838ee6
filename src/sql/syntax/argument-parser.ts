/** The interface between the parsers of calls and of expressions, which need each other. */
import type { Expression, OrderItem, Query } from './ast.ts';
import type { TokenReader } from './token-reader.ts';

/** What parsing a call needs of the parser of expressions, which in turn parses calls. */
export interface ArgumentParser {
  readonly reader: TokenReader;
  readonly parseQuery: (reader: TokenReader) => Query;
  /** Parses an expression. */
  parse(): Expression;
  /** Parses expressions that are separated by commas. */
  parseList(): Expression[];
  /** Parses an expression without comparisons, AND and OR. */
  parseOperand(): Expression;
  /** Parses the items after ORDER BY. */
  parseOrder(): OrderItem[];
}
