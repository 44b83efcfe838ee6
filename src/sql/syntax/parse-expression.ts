/** Parses expressions by recursive descent, from OR down to single terms. */

import { sqlFailureAt } from '../../base/sql-errors.ts';
import type { ComparisonOperator, Expression, OrderItem, Query } from './ast.ts';
import { numberLiteral } from './number-literal.ts';
import { parseCall, parseSpecialCall } from './parse-call.ts';
import { isCase, parseCase } from './parse-case.ts';
import { jsonPart } from './parse-json.ts';
import { parseKeywordLiteral, parseLiteralEscape, parseParameter, stringLiteral } from './parse-literal.ts';
import { parseType } from './parse-type.ts';
import { isWholeQuery } from './query-lookahead.ts';
import type { TokenReader } from './token-reader.ts';
import type { Token } from './tokenizer.ts';

/** Maximum number of characters in a LIKE pattern that counts as cheap. */
const SIMPLE_PATTERN_CHARACTERS = 100;

/** Parses a query. Passed to the expression parser for subqueries, since the query parser depends on it. */
export type QueryParser = (reader: TokenReader) => Query;

export class ExpressionParser {
  readonly reader: TokenReader;
  readonly parseQuery: QueryParser;

  constructor(reader: TokenReader, parseQuery: QueryParser) {
    this.reader = reader;
    this.parseQuery = (from) => {
      from.references.subqueries += 1;
      return parseQuery(from);
    };
  }

  parse(): Expression {
    return this.reader.nested(() => this.#chain('or', 'OR', () => this.#chain('and', 'AND', () => this.#condition())));
  }

  parseList(): Expression[] {
    const items = [this.parse()];
    while (this.reader.readIf(',')) items.push(this.parse());
    return items;
  }

  #chain(kind: 'and' | 'or', word: string, next: () => Expression): Expression {
    const operands = [next()];
    while (this.reader.readIf(word)) operands.push(next());
    const [only] = operands;
    return operands.length === 1 && only !== undefined ? only : { kind, operands };
  }

  #condition(): Expression {
    const { reader } = this;
    if (reader.readIf('NOT')) return { kind: 'not', operand: reader.nested(() => this.#condition()) };
    if (reader.is('EXISTS') && reader.isAhead(1, '(')) {
      reader.readAll('EXISTS', '(');
      const query = this.parseQuery(reader);
      reader.read(')');
      return { kind: 'exists', query };
    }
    let left = this.parseOperand();
    for (let length = 0; ; length++) {
      reader.checkChain(length);
      const next = this.#rightHandSide(left);
      if (next === undefined) return left;
      left = next;
    }
  }

  /** Parses what follows an operand of a condition. Returns undefined if nothing does. */
  #rightHandSide(left: Expression): Expression | undefined {
    const { reader } = this;
    if (reader.is('NOT')) {
      // NOT NULL follows a column's default.
      if (reader.isAhead(1, 'NULL')) return undefined;
      reader.read('NOT');
      const operand = this.#predicate(left) ?? this.#comparison(left);
      // As in Ignite, NOT may precede a comparison, and has no effect if nothing follows.
      return operand === undefined ? left : { kind: 'not', operand };
    }
    return this.#predicate(left) ?? this.#comparison(left);
  }

  #predicate(left: Expression): Expression | undefined {
    const { reader } = this;
    const { token } = reader;
    if (reader.readIf('LIKE')) return this.#like(left, false);
    if (reader.readIf('ILIKE')) return this.#like(left, true);
    if (reader.readIf('REGEXP')) return this.#regexp(left, false);
    if (reader.readIf('IS')) return this.#is(left);
    if (reader.readIf('IN')) return this.#in(left);
    if (reader.readIf('BETWEEN')) {
      const low = this.parseOperand();
      reader.read('AND');
      return { kind: 'between', operand: left, low, high: this.parseOperand() };
    }
    // The old outer join `t (+)= u` has a separate error; otherwise the text would refer to arithmetic.
    if (reader.is('(') && reader.isAhead(1, '+') && reader.isAhead(2, ')')) {
      throw sqlFailureAt({ at: token.start }, 'OUTER_JOIN_OPERATOR');
    }
    return undefined;
  }

  #regexp(operand: Expression, ignoreCase: boolean): Expression {
    this.reader.references.calls.add('REGEXP');
    return { kind: 'regexp', operand, pattern: this.parseOperand(), ignoreCase };
  }

  #like(operand: Expression, ignoreCase: boolean): Expression {
    if (!this.#isSimplePattern()) this.reader.references.calls.add('LIKE');
    const pattern = this.parseOperand();
    return { kind: 'like', operand, pattern, escapedBy: this.#likeEscape(), ignoreCase };
  }

  /** Parses `ESCAPE c`, or the escape `{escape c}` of JDBC and ODBC. */
  #likeEscape(): Expression | undefined {
    const { reader } = this;
    if (reader.readIf('ESCAPE')) return this.parseOperand();
    if (!reader.is('{') || !reader.isAhead(1, 'ESCAPE')) return undefined;
    reader.readAll('{', 'ESCAPE');
    const escapedBy = this.parseOperand();
    reader.read('}');
    return escapedBy;
  }

  /** A short constant pattern without `_` takes a few searches for substrings. Other patterns can be expensive. */
  #isSimplePattern(): boolean {
    const { kind, text } = this.reader.token;
    return kind === 'string' && text.length <= SIMPLE_PATTERN_CHARACTERS && !text.includes('_');
  }

  #is(left: Expression): Expression {
    const { reader } = this;
    const negated = reader.readIf('NOT');
    if (reader.readIf('NULL')) return { kind: 'isNull', operand: left, negated };
    if (reader.readIf('DISTINCT')) {
      reader.read('FROM');
      return { kind: 'comparison', operator: negated ? 'is' : 'is not', left, right: this.parseOperand() };
    }
    return { kind: 'comparison', operator: negated ? 'is not' : 'is', left, right: this.parseOperand() };
  }

  #in(operand: Expression): Expression {
    const { reader } = this;
    reader.read('(');
    if (reader.readIf(')')) return { kind: 'inList', operand, items: [] };
    if (isWholeQuery(reader)) {
      const query = this.parseQuery(reader);
      reader.read(')');
      return { kind: 'inQuery', operand, query };
    }
    const items = this.parseList();
    reader.read(')');
    return { kind: 'inList', operand, items };
  }

  #comparison(left: Expression): Expression | undefined {
    const { reader } = this;
    const operator = this.#comparisonOperator();
    if (operator !== undefined) return this.#compareWith(operator, left);
    if (reader.readIf('~')) return this.#regexp(left, reader.readIf('*'));
    if (reader.readIf('!~')) return { kind: 'not', operand: this.#regexp(left, reader.readIf('*')) };
    return undefined;
  }

  #comparisonOperator(): ComparisonOperator | undefined {
    const { reader } = this;
    if (reader.token.kind !== 'symbol') return undefined;
    const { text } = reader.token;
    const operators: Readonly<Record<string, ComparisonOperator>> = {
      '=': '=',
      '<>': '<>',
      '!=': '<>',
      '<': '<',
      '<=': '<=',
      '>': '>',
      '>=': '>=',
    };
    const operator = operators[text];
    if (operator !== undefined) reader.advance();
    return operator;
  }

  #compareWith(operator: ComparisonOperator, left: Expression): Expression {
    const { reader } = this;
    const all = reader.readIf('ALL');
    if (all || ((reader.is('ANY') || reader.is('SOME')) && reader.isAhead(1, '('))) {
      if (!all) reader.advance();
      reader.read('(');
      const query = this.parseQuery(reader);
      reader.read(')');
      return { kind: 'quantified', operator, quantifier: all ? 'ALL' : 'ANY', left, query };
    }
    return { kind: 'comparison', operator, left, right: this.parseOperand() };
  }

  /** Parses an expression without comparisons, AND and OR: concatenations of sums, and parts of JSON. */
  parseOperand(): Expression {
    const { reader } = this;
    let left = this.#concatenation(this.#sum());
    for (let length = 0; ; length++) {
      reader.checkChain(length);
      const { token } = reader;
      const isText = reader.is('->>');
      if (!isText && !reader.is('->')) return left;
      reader.advance();
      left = this.#concatenation(jsonPart(reader, { left, step: this.#sum(), isText, at: token.start }));
    }
  }

  #concatenation(first: Expression): Expression {
    if (!this.reader.readIf('||')) return first;
    const operands = [first, this.#sum()];
    while (this.reader.readIf('||')) operands.push(this.#sum());
    return { kind: 'concat', operands };
  }

  #sum(): Expression {
    const { reader } = this;
    let left = this.#product();
    for (let length = 0; ; length++) {
      reader.checkChain(length);
      const at = reader.token.start;
      if (reader.readIf('+')) left = { kind: 'arithmetic', operator: '+', left, right: this.#product(), at };
      else if (reader.readIf('-')) left = { kind: 'arithmetic', operator: '-', left, right: this.#product(), at };
      else return left;
    }
  }

  #product(): Expression {
    const { reader } = this;
    let left = this.parseTerm();
    for (let length = 0; ; length++) {
      reader.checkChain(length);
      const at = reader.token.start;
      if (reader.readIf('*')) left = { kind: 'arithmetic', operator: '*', left, right: this.parseTerm(), at };
      else if (reader.readIf('/')) left = { kind: 'arithmetic', operator: '/', left, right: this.parseTerm(), at };
      else if (reader.readIf('%')) left = { kind: 'arithmetic', operator: '%', left, right: this.parseTerm(), at };
      else return left;
    }
  }

  parseTerm(): Expression {
    const { reader } = this;
    let term = reader.nested(() => this.#plainTerm());
    if (reader.readIf('[')) {
      const index = this.parse();
      reader.read(']');
      term = { kind: 'element', array: term, index };
    }
    for (let length = 0; ; length++) {
      reader.checkChain(length);
      if (reader.is('::')) {
        const at = reader.read('::').start;
        term = { kind: 'cast', operand: term, type: parseType(reader, undefined).type, at };
      } else {
        return term;
      }
    }
  }

  #plainTerm(): Expression {
    const { reader } = this;
    const { token } = reader;
    switch (token.kind) {
      case 'number':
        reader.advance();
        return numberLiteral(token, false);
      case 'string':
        return stringLiteral(reader, token);
      case 'parameter':
        return parseParameter(reader, token);
      case 'symbol':
        return this.#symbolTerm(token);
      case 'word':
        return this.#keywordTerm(token) ?? this.#namedTerm();
      case 'quoted':
        return this.#namedTerm();
      case 'end':
        throw reader.syntaxError('NOT', 'EXISTS', 'INTERSECTS');
    }
  }

  #symbolTerm(token: Token): Expression {
    const { reader } = this;
    if (reader.readIf('-')) {
      const next = reader.token;
      if (next.kind === 'number') {
        reader.advance();
        return numberLiteral(next, true);
      }
      return { kind: 'negate', operand: this.parseTerm() };
    }
    if (reader.readIf('+')) return this.parseTerm();
    if (reader.readIf('(')) return this.#parenthesis(token);
    if (reader.readIf('{')) return reader.readIf('FN') ? this.#functionEscape() : parseLiteralEscape(reader);
    if (reader.is('@')) {
      throw sqlFailureAt({ at: token.start }, 'VARIABLES');
    }
    throw reader.syntaxError('NOT', 'EXISTS', 'INTERSECTS');
  }

  #parenthesis(open: Token): Expression {
    const { reader } = this;
    if (reader.readIf(')')) return { kind: 'row', items: [], at: open.start };
    if (isWholeQuery(reader)) {
      const query = this.parseQuery(reader);
      reader.read(')');
      return { kind: 'subquery', query, at: open.start };
    }
    const first = this.parse();
    if (reader.readIf(')')) return first;
    const items = [first];
    while (reader.readIf(',')) {
      if (reader.is(')')) break;
      items.push(this.parse());
    }
    reader.read(')');
    return { kind: 'row', items, at: open.start };
  }

  /** Parses the rest of `{fn f(..)}`. */
  #functionEscape(): Expression {
    const call = this.parseTerm();
    this.reader.read('}');
    return call;
  }

  /** Parses a term that begins with a keyword. Returns undefined if the word is a name. */
  #keywordTerm(token: Token): Expression | undefined {
    const { reader } = this;
    switch (token.text) {
      case 'SELECT':
      case 'FROM':
      case 'WITH':
        return { kind: 'subquery', query: this.parseQuery(reader), at: token.start };
      case 'CASE':
        return isCase(reader) ? parseCase(this) : undefined;
      case 'ARRAY':
        return reader.isAhead(1, '[') ? this.#array(token) : undefined;
      case 'NEXT':
      case 'CURRENT':
        if (!reader.isAhead(1, 'VALUE') || !reader.isAhead(2, 'FOR')) return undefined;
        throw sqlFailureAt({ at: token.start }, 'SEQUENCES');
      case 'ROWNUM':
        throw sqlFailureAt({ at: token.start }, 'ROWNUM');
      case 'DEFAULT':
        if (reader.isAhead(1, '.') || reader.isAhead(1, '(')) return undefined;
        reader.advance();
        return { kind: 'default', at: token.start };
      default:
        return parseKeywordLiteral(reader, token) ?? parseSpecialCall(this, token);
    }
  }

  #array(token: Token): Expression {
    const { reader } = this;
    reader.readAll('ARRAY', '[');
    const items = reader.is(']') ? [] : this.parseList();
    reader.read(']');
    return { kind: 'row', items, at: token.start };
  }

  /** Parses a column or a function call. */
  #namedTerm(): Expression {
    const { reader } = this;
    const { token } = reader;
    if (!reader.isName()) throw reader.syntaxError('NOT', 'EXISTS', 'INTERSECTS');
    const first = reader.readName();
    if (reader.is('(')) return parseCall(this, first.text, first.at);
    if (!reader.is('.'))
      return { kind: 'column', schema: undefined, table: undefined, name: first.text, at: token.start };
    reader.read('.');
    const second = reader.readName();
    if (reader.is('(')) return parseCall(this, second.text, second.at);
    if (!reader.is('.'))
      return { kind: 'column', schema: undefined, table: first.text, name: second.text, at: token.start };
    reader.read('.');
    const third = reader.readName();
    if (!reader.readIf('.')) {
      return { kind: 'column', schema: first.text, table: second.text, name: third.text, at: token.start };
    }
    // The first name is the database; there is only one.
    return { kind: 'column', schema: second.text, table: third.text, name: reader.readName().text, at: token.start };
  }

  /** Parses the items after ORDER BY. */
  parseOrder(): OrderItem[] {
    const { reader } = this;
    const items: OrderItem[] = [];
    do {
      const expression = this.parse();
      const descending = reader.readIf('DESC');
      if (!descending) reader.readIf('ASC');
      let nulls: 'first' | 'last' | undefined;
      if (reader.readIf('NULLS')) {
        if (reader.readIf('FIRST')) nulls = 'first';
        else {
          reader.read('LAST');
          nulls = 'last';
        }
      }
      items.push({ expression, descending, nulls });
    } while (reader.readIf(','));
    return items;
  }
}
