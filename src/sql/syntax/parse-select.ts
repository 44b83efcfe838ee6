/** Parses queries: SELECT, VALUES, set operations, WITH, and the tables behind FROM. */

import { sqlFailure } from '../types/sql-errors.ts';
import type {
  CommonTable,
  Expression,
  Name,
  OrderItem,
  Query,
  QueryBody,
  SelectBody,
  SelectItem,
  TableAlias,
  TableReference,
} from './ast.ts';
import { ExpressionParser } from './parse-expression.ts';
import { parseType } from './parse-type.ts';
import { isFollowedAsQuery, startsQuery } from './query-lookahead.ts';
import type { TokenReader } from './token-reader.ts';

/** Words behind a table that are not its alias, though they are not reserved. */
const NO_ALIAS = new Set([
  'LEFT',
  'RIGHT',
  'FULL',
  'USE',
  'SET',
  'USING',
  'WHEN',
  'KEY',
  'VALUES',
  'OUTER',
  'SAMPLE_SIZE',
]);
const TABLE_FUNCTIONS = new Set(['SYSTEM_RANGE', 'UNNEST']);

/** Creates an expression parser that parses subqueries with {@link parseQuery}. */
export function expressionParser(reader: TokenReader): ExpressionParser {
  return new ExpressionParser(reader, parseQuery);
}

/** Parses a query with its WITH, ORDER BY and LIMIT clauses. */
export function parseQuery(reader: TokenReader): Query {
  return reader.nested(() => {
    const scope = reader.references.enter();
    let tables: readonly CommonTable[] = [];
    let recursive = false;
    if (reader.readIf('WITH')) {
      recursive = reader.readIf('RECURSIVE');
      tables = parseCommonTables(reader, recursive);
    }
    const body = parseSetOperations(reader);
    const end = parseQueryEnd(reader);
    reader.references.leave(scope);
    return { kind: 'query', with: tables, recursive, ...mergeTop(body, end) };
  });
}

/** Parses common tables. Each is visible to those behind it and, with RECURSIVE, to its own query. */
function parseCommonTables(reader: TokenReader, recursive: boolean): CommonTable[] {
  const tables: CommonTable[] = [];
  do {
    const name = reader.readName();
    const columns = reader.is('(') ? reader.readNameList() : [];
    reader.readAll('AS', '(');
    reader.references.subqueries += 1;
    if (recursive) reader.references.declare(name);
    const query = parseQuery(reader);
    if (!recursive) reader.references.declare(name);
    reader.read(')');
    tables.push({ name, columns, query });
  } while (reader.readIf(','));
  return tables;
}

interface QueryEnd {
  readonly orderBy: readonly OrderItem[];
  readonly limit: Expression | undefined;
  readonly offset: Expression | undefined;
}

/** A query body with the limit and offset that TOP or LIMIT behind SELECT set. */
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
    const right = parseIntersections(reader);
    left = withoutTop({ kind: 'setOperation', operator, left: asOperand(left), right: asOperand(right) });
  }
}

function parseIntersections(reader: TokenReader): BodyWithTop {
  let left = parseQueryTerm(reader);
  for (let length = 0; reader.readIf('INTERSECT'); length++) {
    reader.checkChain(length);
    const right = parseQueryTerm(reader);
    left = withoutTop({ kind: 'setOperation', operator: 'INTERSECT', left: asOperand(left), right: asOperand(right) });
  }
  return left;
}

function withoutTop(body: QueryBody): BodyWithTop {
  return { body, top: undefined, topOffset: undefined };
}

/** Wraps an operand of a set operation that has its own TOP. */
function asOperand({ body, top, topOffset }: BodyWithTop): QueryBody {
  if (top === undefined && topOffset === undefined) return body;
  const query: Query = { kind: 'query', with: [], recursive: false, body, orderBy: [], limit: top, offset: topOffset };
  return { kind: 'nested', query };
}

function parseQueryTerm(reader: TokenReader): BodyWithTop {
  if (reader.readIf('(')) {
    const query = parseQuery(reader);
    reader.read(')');
    const plain = query.with.length === 0 && query.orderBy.length === 0 && query.limit === undefined;
    return withoutTop(plain && query.offset === undefined ? query.body : { kind: 'nested', query });
  }
  if (reader.is('VALUES')) return withoutTop(parseValues(reader));
  return parseSelect(reader);
}

export function parseValues(reader: TokenReader): QueryBody {
  const at = reader.read('VALUES').start;
  return { kind: 'values', rows: parseRows(reader), at };
}

/** Parses `(a, b), (c, d)`. A row of one value needs no parentheses. */
export function parseRows(reader: TokenReader): Array<readonly Expression[]> {
  const parser = expressionParser(reader);
  const rows: Array<readonly Expression[]> = [];
  do {
    if (reader.is('(')) {
      reader.read('(');
      const row = reader.is(')') ? [] : parser.parseList();
      reader.read(')');
      rows.push(row);
    } else {
      rows.push([parser.parse()]);
    }
  } while (reader.readIf(','));
  return rows;
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

export function parseTables(reader: TokenReader, parser: ExpressionParser): TableReference[] {
  const tables: TableReference[] = [];
  do tables.push(parseJoins(reader, parser));
  while (reader.readIf(','));
  return tables;
}

function parseJoins(reader: TokenReader, parser: ExpressionParser): TableReference {
  let left = parseTable(reader, parser);
  for (let length = 0; ; length++) {
    reader.checkChain(length);
    const join = readJoin(reader);
    if (join === undefined) return left;
    left = parseJoin(reader, parser, left, join);
  }
}

type JoinKind = 'inner' | 'left' | 'right' | 'cross' | 'natural';

function readJoin(reader: TokenReader): JoinKind | undefined {
  for (const [word, kind] of [
    ['LEFT', 'left'],
    ['RIGHT', 'right'],
  ] as const) {
    if (!reader.is(word) || !(reader.isAhead(1, 'JOIN') || reader.isAhead(1, 'OUTER'))) continue;
    reader.advance();
    reader.readIf('OUTER');
    reader.read('JOIN');
    return kind;
  }
  if (reader.is('FULL') && (reader.isAhead(1, 'JOIN') || reader.isAhead(1, 'OUTER'))) {
    throw sqlFailure('FULL_OUTER_JOIN');
  }
  if (reader.readIf('INNER')) {
    reader.read('JOIN');
    return 'inner';
  }
  if (reader.readIf('CROSS')) {
    reader.read('JOIN');
    return 'cross';
  }
  if (reader.readIf('NATURAL')) {
    reader.read('JOIN');
    return 'natural';
  }
  return reader.readIf('JOIN') ? 'inner' : undefined;
}

/** Parses the right side of a join. `a JOIN b JOIN c ON x ON y` nests, as in Ignite. */
function parseJoin(
  reader: TokenReader,
  parser: ExpressionParser,
  left: TableReference,
  kind: JoinKind,
): TableReference {
  const right = parseTable(reader, parser);
  const natural = kind === 'natural';
  const join = kind === 'left' || kind === 'right' ? kind : 'inner';
  const bare = { kind: 'join', join, left, right, on: undefined, using: [], natural } as const;
  if (kind === 'cross' || natural) return bare;
  if (reader.readIf('ON')) return { ...bare, on: parser.parse() };
  if (reader.readIf('USING')) return { ...bare, using: reader.readNameList() };
  if (kind === 'inner' && readsJoin(reader)) {
    const nested = readJoin(reader);
    if (nested !== undefined) {
      const inside = reader.nested(() => parseJoin(reader, parser, right, nested));
      const on = reader.readIf('ON') ? parser.parse() : undefined;
      return { ...bare, right: inside, on };
    }
  }
  return bare;
}

function readsJoin(reader: TokenReader): boolean {
  return (
    reader.isAny('JOIN', 'INNER') ||
    (reader.isAny('LEFT', 'RIGHT') && (reader.isAhead(1, 'JOIN') || reader.isAhead(1, 'OUTER')))
  );
}

function parseTable(reader: TokenReader, parser: ExpressionParser): TableReference {
  return reader.nested(() => {
    if (reader.is('(')) return parseParenthesis(reader, parser);
    if (reader.is('VALUES')) {
      reader.references.sources += 1;
      reader.references.subqueries += 1;
      const body = parseValues(reader);
      const query: Query = {
        kind: 'query',
        with: [],
        recursive: false,
        body,
        orderBy: [],
        limit: undefined,
        offset: undefined,
      };
      return { kind: 'derived', query, ...parseAlias(reader) };
    }
    if (reader.isAny('TABLE', 'TABLE_DISTINCT') && reader.isAhead(1, '(')) return parseColumnsTable(reader, parser);
    return parseNamedTable(reader, parser);
  });
}

function parseParenthesis(reader: TokenReader, parser: ExpressionParser): TableReference {
  const begins = startsQuery(reader);
  reader.read('(');
  // `((select ..) a join b)` begins like a query but is a join.
  if (begins && (!reader.is('(') || isFollowedAsQuery(reader, 0))) {
    reader.references.sources += 1;
    reader.references.subqueries += 1;
    const query = parseQuery(reader);
    reader.read(')');
    return { kind: 'derived', query, ...parseAlias(reader) };
  }
  const inside = parseJoins(reader, parser);
  reader.read(')');
  return inside;
}

function parseColumnsTable(reader: TokenReader, parser: ExpressionParser): TableReference {
  const { start } = reader.token;
  reader.references.sources += 1;
  reader.references.calls.add('TABLE');
  const distinct = reader.advance().text === 'TABLE_DISTINCT';
  reader.read('(');
  const members: Array<{ name: Name; type: ReturnType<typeof parseType>['type']; values: Expression }> = [];
  do {
    const name = reader.readName();
    const { type } = parseType(reader, name.text);
    reader.read('=');
    members.push({ name, type, values: parser.parse() });
  } while (reader.readIf(','));
  reader.read(')');
  return { kind: 'columnsTable', distinct, members, at: start, ...parseAlias(reader) };
}

function parseNamedTable(reader: TokenReader, parser: ExpressionParser): TableReference {
  let schema: Name | undefined;
  let name = reader.readName();
  if (TABLE_FUNCTIONS.has(name.text) && reader.readIf('(')) {
    reader.references.sources += 1;
    reader.references.calls.add(name.text);
    const args = reader.is(')') ? [] : parser.parseList();
    reader.read(')');
    if (reader.readAllIf('WITH', 'ORDINALITY')) throw sqlFailure('WITH_ORDINALITY');
    return { kind: 'tableFunction', name, args, ...parseAlias(reader) };
  }
  while (reader.readIf('.')) {
    schema = name;
    name = reader.readName();
  }
  reader.references.readTable(schema, name);
  const alias = parseAlias(reader);
  let indexHint: readonly Name[] | undefined;
  if (reader.readAllIf('USE', 'INDEX')) indexHint = reader.readNameList();
  return { kind: 'table', schema, name, indexHint, ...alias };
}

function parseAlias(reader: TokenReader): TableAlias {
  const named = reader.readIf('AS');
  if (!named && !(reader.isName() && (reader.token.kind === 'quoted' || !NO_ALIAS.has(reader.token.text)))) {
    return { alias: undefined, columns: [] };
  }
  const alias = reader.readName();
  return { alias, columns: reader.is('(') ? reader.readNameList() : [] };
}

/** Parses ORDER BY, LIMIT, OFFSET and FETCH behind a query. */
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
