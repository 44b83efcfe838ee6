/** Parses function calls, including those with a special grammar. */
import type { ArgumentParser } from './argument-parser.ts';
import type { CallExpression, Expression } from './ast.ts';
import { parseJsonQuery, parseJsonValue } from './parse-json.ts';
import { parseType } from './parse-type.ts';
import { parseCallEnd } from './parse-window.ts';
import { startsQuery } from './query-lookahead.ts';
import type { TokenReader } from './token-reader.ts';
import type { Token } from './tokenizer.ts';

/** Functions that may be called without parentheses. */
export const BARE: ReadonlySet<string> = new Set([
  'CURRENT_DATE',
  'CURRENT_TIME',
  'CURRENT_TIMESTAMP',
  'CURRENT_USER',
  'SYSDATE',
  'SYSTIME',
  'SYSTIMESTAMP',
  'TODAY',
]);

/** Names that are calls of these functions unless a column has the name. In Ignite, they are always columns. */
const BARE_WITHOUT_COLUMN: ReadonlyMap<string, string> = new Map([
  ['LOCALTIME', 'CURRENT_TIME'],
  ['LOCALTIMESTAMP', 'CURRENT_TIMESTAMP'],
  ['USER', 'USER'],
]);

/** Functions whose first argument is a unit of time. */
const UNIT_FIRST = new Set(['DATEADD', 'DATEDIFF', 'TIMESTAMPADD', 'TIMESTAMPDIFF', 'DATE_TRUNC', 'EXTRACT']);

function call(reader: TokenReader, name: string, at: number, args: readonly Expression[]): CallExpression {
  reader.references.calls.add(name);
  return { kind: 'call', name, at, args };
}

function stringLiteral(data: string, at: number): Expression {
  return { kind: 'literal', type: { name: 'VARCHAR' }, data, at };
}

/** Reserved words that are functions. */
const RESERVED = new Set([
  'CURRENT_DATE',
  'CURRENT_TIME',
  'CURRENT_TIMESTAMP',
  'SYSDATE',
  'SYSTIME',
  'SYSTIMESTAMP',
  'TODAY',
]);

/** Parses a call that begins with a word of special meaning. Returns undefined if the word is an ordinary name. */
export function parseSpecialCall(parser: ArgumentParser, token: Token): Expression | undefined {
  const { reader } = parser;
  if (BARE.has(token.text) && !reader.isAhead(1, '(') && !reader.isAhead(1, '.')) {
    reader.advance();
    return { ...call(reader, token.text, token.start, []), bare: true };
  }
  const orCall = reader.isAhead(1, '(') || reader.isAhead(1, '.') ? undefined : BARE_WITHOUT_COLUMN.get(token.text);
  if (orCall !== undefined) {
    reader.advance();
    reader.references.calls.add(orCall);
    return { kind: 'column', schema: undefined, table: undefined, name: token.text, at: token.start, orCall };
  }
  if (token.text === 'CURRENT' && !reader.isAhead(1, '.')) {
    for (const what of ['TIMESTAMP', 'TIME', 'DATE'] as const) {
      if (!reader.readAllIf('CURRENT', what)) continue;
      return { ...call(reader, `CURRENT_${what}`, token.start, []), bare: true };
    }
    return undefined;
  }
  if (!reader.isAhead(1, '(')) return undefined;
  if (RESERVED.has(token.text)) {
    reader.advance();
    return parseCall(parser, token.text, token.start);
  }
  switch (token.text) {
    case 'CAST':
    case 'CONVERT':
      return parseCast(parser, token);
    case 'EXTRACT':
      return parseExtract(parser, token);
    case 'TRIM':
      return parseTrim(parser, token);
    case 'SUBSTRING':
    case 'SUBSTR':
      return parseSubstring(parser, token);
    case 'POSITION':
      return parsePosition(parser, token);
    case 'JSON_VALUE':
      return parseJsonValue(parser, token);
    case 'JSON_QUERY':
      return parseJsonQuery(parser, token);
    default:
      return undefined;
  }
}

/** Parses CAST(x AS type) and CONVERT(x, type). */
function parseCast(parser: ArgumentParser, token: Token): Expression {
  const { reader } = parser;
  reader.advance();
  reader.read('(');
  const operand = parser.parse();
  reader.read(token.text === 'CAST' ? 'AS' : ',');
  const { type } = parseType(reader, undefined);
  reader.read(')');
  return { kind: 'cast', operand, type, at: token.start };
}

/** Parses a unit of time: a name or a string. */
function parseUnit(parser: ArgumentParser): Expression {
  const { token } = parser.reader;
  parser.reader.advance();
  if (token.kind !== 'string' && token.kind !== 'word' && token.kind !== 'quoted')
    throw parser.reader.syntaxError('identifier');
  return stringLiteral(token.text.toUpperCase(), token.start);
}

/** Parses EXTRACT(unit FROM x). */
function parseExtract(parser: ArgumentParser, token: Token): Expression {
  const { reader } = parser;
  reader.readAll('EXTRACT', '(');
  const unit = parseUnit(parser);
  if (!reader.readIf(',')) reader.read('FROM');
  const operand = parser.parse();
  reader.read(')');
  return call(reader, 'EXTRACT', token.start, [unit, operand]);
}

/** Parses TRIM([LEADING|TRAILING|BOTH] [what] FROM x). */
function parseTrim(parser: ArgumentParser, token: Token): Expression {
  const { reader } = parser;
  reader.readAll('TRIM', '(');
  const side = reader.readIf('LEADING') ? 'LTRIM' : reader.readIf('TRAILING') ? 'RTRIM' : 'TRIM';
  if (side === 'TRIM') reader.readIf('BOTH');
  if (reader.readIf('FROM')) {
    const operand = parser.parse();
    reader.read(')');
    return call(reader, side, token.start, [operand]);
  }
  const first = parser.parse();
  let args: Expression[] = [first];
  if (reader.readIf(',')) args = [first, parser.parse()];
  else if (reader.readIf('FROM')) args = [parser.parse(), first];
  reader.read(')');
  return call(reader, side, token.start, args);
}

/** Parses SUBSTRING(x FROM n [FOR m]) and SUBSTRING(x, n [, m]). */
function parseSubstring(parser: ArgumentParser, token: Token): Expression {
  const { reader } = parser;
  reader.advance();
  reader.read('(');
  const args = [parser.parse()];
  if (reader.readIf('FROM')) {
    args.push(parser.parse());
    if (reader.readIf('FOR')) args.push(parser.parse());
  } else if (reader.readIf('FOR')) {
    args.push({ kind: 'literal', type: { name: 'INTEGER' }, data: 1n, at: token.start }, parser.parse());
  } else {
    while (reader.readIf(',')) args.push(parser.parse());
  }
  reader.read(')');
  return call(reader, token.text, token.start, args);
}

/** Parses POSITION(what IN x) and POSITION(what, x). */
function parsePosition(parser: ArgumentParser, token: Token): Expression {
  const { reader } = parser;
  reader.readAll('POSITION', '(');
  const what = parser.parseOperand();
  if (!reader.readIf(',')) reader.read('IN');
  const where = parser.parse();
  reader.read(')');
  return call(reader, 'POSITION', token.start, [what, where]);
}

/** Parses the parentheses of a call whose name has been read. */
export function parseCall(parser: ArgumentParser, name: string, at: number): Expression {
  const { reader } = parser;
  reader.read('(');
  if (name === 'COUNT' && readRows(reader)) {
    return parseCallEnd(parser, { ...call(reader, name, at, []), star: true });
  }
  if (reader.readIf(')')) return parseCallEnd(parser, call(reader, name, at, []));
  const distinct = reader.readIf('DISTINCT');
  if (!distinct) reader.readIf('ALL');
  const args: Expression[] = [];
  if (UNIT_FIRST.has(name) && isUnitName(parser)) {
    args.push(parseUnit(parser));
    reader.read(',');
  }
  do {
    // A subquery as an argument needs no additional parentheses.
    args.push(startsQuery(reader) && !reader.is('(') ? subquery(parser) : parser.parse());
  } while (reader.readIf(','));
  const order = reader.readPairIf('ORDER', 'BY') ? parser.parseOrder() : undefined;
  const separator = reader.readIf('SEPARATOR') ? parser.parse() : undefined;
  reader.read(')');
  return parseCallEnd(parser, {
    ...call(reader, name, at, args),
    ...(distinct ? { distinct } : {}),
    ...(order === undefined ? {} : { orderBy: order }),
    ...(separator === undefined ? {} : { separator }),
  });
}

/** Reads `*)` and, as Ignite does with any name, `table.*)` and `schema.table.*)`: all rows. */
function readRows(reader: TokenReader): boolean {
  let ahead = 0;
  while (ahead < 4 && reader.isNameAhead(ahead) && reader.isAhead(ahead + 1, '.')) ahead += 2;
  if (!reader.isAhead(ahead, '*') || !reader.isAhead(ahead + 1, ')')) return false;
  for (let read = 0; read <= ahead + 1; read++) reader.advance();
  return true;
}

function isUnitName(parser: ArgumentParser): boolean {
  const { token } = parser.reader;
  return (token.kind === 'word' || token.kind === 'quoted') && parser.reader.isAhead(1, ',');
}

function subquery(parser: ArgumentParser): Expression {
  const at = parser.reader.token.start;
  return { kind: 'subquery', query: parser.parseQuery(parser.reader), at };
}
