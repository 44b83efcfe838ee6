/** Parses queries: SELECT, VALUES, set operations and WITH. */

import { sqlFailure } from '../../base/sql-errors.ts';
import type {
  CommonTable,
  Expression,
  OrderItem,
  Query,
  QueryBody,
  SelectBody,
  SelectItem,
  TableReference,
  TextRange,
} from './ast.ts';
import { ExpressionParser } from './parse-expression.ts';
import { parseTables } from './parse-tables.ts';
import { parseValues } from './parse-values.ts';
import type { TokenReader } from './token-reader.ts';

/** Creates an expression parser that parses subqueries with {@link parseQuery}. */
export function expressionParser(reader: TokenReader): ExpressionParser {
  return new ExpressionParser(reader, parseQuery);
}

/** Parses WITH and the query or the change after it, which may read its common tables. */
export function parseAfterWith<C>(
  reader: TokenReader,
  change: (tables: readonly CommonTable[]) => C | undefined,
): Query | C {
  return reader.nested(() => {
    const scope = reader.references.enter();
    const tables = parseWith(reader);
    const statement = change(tables) ?? parseQueryAfter(reader, tables);
    reader.references.leave(scope);
    return statement;
  });
}

/** Parses a query with its WITH, ORDER BY and LIMIT clauses. */
export function parseQuery(reader: TokenReader): Query {
  return reader.nested(() => {
    const scope = reader.references.enter();
    const query = parseQueryAfter(reader, parseWith(reader));
    reader.references.leave(scope);
    return query;
  });
}

function parseQueryAfter(reader: TokenReader, tables: readonly CommonTable[]): Query {
  const body = parseSetOperations(reader);
  return { kind: 'query', with: tables, ...mergeTop(body, parseQueryEnd(reader)) };
}

/** Parses WITH, if present. RECURSIVE is optional. */
function parseWith(reader: TokenReader): readonly CommonTable[] {
  if (!reader.readIf('WITH')) return [];
  reader.readIf('RECURSIVE');
  return parseCommonTables(reader);
}

/** Parses common tables. Each is visible to those after it and, if its query is a UNION, to its last operand. */
function parseCommonTables(reader: TokenReader): CommonTable[] {
  const tables: CommonTable[] = [];
  do {
    const name = reader.readName();
    const columns = reader.is('(') ? reader.readNameList() : [];
    reader.readAll('AS', '(');
    reader.references.subqueries += 1;
    const declared = reader.references.declare(name, () => parseQuery(reader), recursiveRange);
    reader.read(')');
    tables.push({ name, columns, ...declared });
  } while (reader.readIf(','));
  return tables;
}

/** Returns where a common table's query may refer to the common table itself. */
function recursiveRange({ body }: Query): TextRange | undefined {
  return body.kind === 'setOperation' && body.operator.startsWith('UNION') ? body.rightRange : undefined;
}

interface QueryEnd {
  readonly orderBy: readonly OrderItem[];
  readonly limit: Expression | undefined;
  readonly offset: Expression | undefined;
}

/** A query body with the limit and offset that TOP or LIMIT after SELECT set. */
interface BodyWithTop {
  readonly body: QueryBody;
  readonly top: Expression | undefined;
  readonly topOffset: Expression | undefined;
}

function mergeTop({ body, top, topOffset }: BodyWithTop, end: QueryEnd): QueryEnd & { readonly body: QueryBody } {
  return { body, orderBy: end.orderBy, limit: end.limit ?? top, offset: end.offset ?? topOffset };
}

function parseSetOperations(reader: TokenReader): BodyWithTop {
  let left = parseIntersections(reader);
  for (let length = 0; ; length++) {
    reader.checkChain(length);
    let operator: 'UNION' | 'UNION ALL' | 'EXCEPT';
    if (reader.readIf('UNION')) {
      operator = reader.readIf('ALL') ? 'UNION ALL' : 'UNION';
      if (operator === 'UNION') reader.readIf('DISTINCT');
    } else if (reader.readIf('EXCEPT') || reader.readIf('MINUS')) {
      operator = 'EXCEPT';
    } else {
      return left;
    }
    const from = reader.token.start;
    const right = asOperand(parseIntersections(reader));
    const rightRange = { from, to: reader.token.start };
    left = withoutTop({ kind: 'setOperation', operator, left: asOperand(left), right, rightRange });
  }
}

function parseIntersections(reader: TokenReader): BodyWithTop {
  let left = parseQueryTerm(reader);
  for (let length = 0; reader.readIf('INTERSECT'); length++) {
    reader.checkChain(length);
    const from = reader.token.start;
    const right = asOperand(parseQueryTerm(reader));
    const rightRange = { from, to: reader.token.start };
    left = withoutTop({ kind: 'setOperation', operator: 'INTERSECT', left: asOperand(left), right, rightRange });
  }
  return left;
}

function withoutTop(body: QueryBody): BodyWithTop {
  return { body, top: undefined, topOffset: undefined };
}

/** Wraps an operand of a set operation that has its own TOP. */
function asOperand({ body, top, topOffset }: BodyWithTop): QueryBody {
  if (top === undefined && topOffset === undefined) return body;
  const query: Query = { kind: 'query', with: [], body, orderBy: [], limit: top, offset: topOffset };
  return { kind: 'nested', query };
}

function parseQueryTerm(reader: TokenReader): BodyWithTop {
  if (reader.readIf('(')) {
    const query = parseQuery(reader);
    reader.read(')');
    const plain = query.with.length === 0 && query.orderBy.length === 0 && query.limit === undefined;
    return withoutTop(plain && query.offset === undefined ? query.body : { kind: 'nested', query });
  }
  if (reader.is('VALUES')) return withoutTop(parseValues(expressionParser(reader)));
  return parseSelect(reader);
}

function parseSelect(reader: TokenReader): BodyWithTop {
  const parser = expressionParser(reader);
  let from: readonly TableReference[] | undefined;
  // FROM may precede SELECT.
  if (reader.readIf('FROM')) from = parseTables(reader, parser);
  reader.read('SELECT');
  let top: Expression | undefined;
  let topOffset: Expression | undefined;
  if (reader.readIf('TOP')) {
    top = parser.parseTerm();
  } else if (reader.is('LIMIT')) {
    reader.read('LIMIT');
    topOffset = parser.parseTerm();
    top = parser.parseTerm();
  }
  const distinct = reader.readIf('DISTINCT');
  if (!distinct) reader.readIf('ALL');
  const items = parseItems(reader, parser);
  if (from === undefined) from = reader.readIf('FROM') ? parseTables(reader, parser) : [];
  const where = reader.readIf('WHERE') ? parser.parse() : undefined;
  const groupBy = reader.readPairIf('GROUP', 'BY') ? parser.parseList() : [];
  const having = reader.readIf('HAVING') ? parser.parse() : undefined;
  const body: SelectBody = { kind: 'select', distinct, items, from, where, groupBy, having };
  return { body, top, topOffset };
}

function parseItems(reader: TokenReader, parser: ExpressionParser): SelectItem[] {
  const items: SelectItem[] = [];
  do items.push(parseItem(reader, parser));
  while (reader.readIf(','));
  return items;
}

function parseItem(reader: TokenReader, parser: ExpressionParser): SelectItem {
  const at = reader.token.start;
  if (reader.readIf('*')) return { kind: 'star', schema: undefined, table: undefined, at };
  if (reader.isName() && reader.isAhead(1, '.') && reader.isAhead(2, '*')) {
    const table = reader.readName().text;
    reader.readAll('.', '*');
    return { kind: 'star', schema: undefined, table, at };
  }
  if (reader.isName() && reader.isAhead(1, '.') && reader.isAhead(3, '.') && reader.isAhead(4, '*')) {
    const schema = reader.readName().text;
    reader.read('.');
    const table = reader.readName().text;
    reader.readAll('.', '*');
    return { kind: 'star', schema, table, at };
  }
  const expression = parser.parse();
  const named = reader.readIf('AS') || reader.isName();
  return { kind: 'expression', expression, alias: named ? reader.readName().text : undefined };
}

/** Parses ORDER BY, LIMIT, OFFSET and FETCH after a query. */
function parseQueryEnd(reader: TokenReader): QueryEnd {
  const parser = expressionParser(reader);
  const orderBy = reader.readPairIf('ORDER', 'BY') ? parser.parseOrder() : [];
  let limit: Expression | undefined;
  let offset: Expression | undefined;
  if (reader.readIf('OFFSET')) {
    offset = parser.parse();
    if (!reader.readIf('ROWS')) reader.readIf('ROW');
  }
  if (reader.readIf('FETCH')) {
    if (!reader.readIf('FIRST')) reader.read('NEXT');
    if (reader.isAny('ROW', 'ROWS'))
      limit = { kind: 'literal', type: { name: 'INTEGER' }, data: 1n, at: reader.token.start };
    else limit = parser.parse();
    if (!reader.readIf('ROW')) reader.read('ROWS');
    reader.read('ONLY');
  }
  if (reader.readIf('LIMIT')) {
    limit = parser.parse();
    if (reader.readIf('OFFSET')) {
      offset = parser.parse();
    } else if (reader.readIf(',')) {
      // LIMIT offset, count.
      offset = limit;
      limit = parser.parse();
    }
    if (!reader.readIf('ROWS')) reader.readIf('ROW');
  }
  if (reader.readIf('SAMPLE_SIZE')) reader.readInteger();
  if (reader.is('FOR') && reader.isAhead(1, 'UPDATE')) throw sqlFailure('SELECT_FOR_UPDATE');
  if (reader.is('FOR') && (reader.isAhead(1, 'READ') || reader.isAhead(1, 'FETCH'))) {
    reader.advance();
    reader.advance();
    reader.read('ONLY');
  }
  return { orderBy, limit, offset };
}
