/** Parses the JSON functions with a special grammar, and the operators `->` and `->>`. */
import type { SqlType } from '../types/sql-types.ts';
import type { ArgumentParser } from './argument-parser.ts';
import type { Expression } from './ast.ts';
import { parseType } from './parse-type.ts';
import type { TokenReader } from './token-reader.ts';
import type { Token } from './tokenizer.ts';

/** The result that a clause specifies: NULL, ERROR, or DEFAULT with a value. */
interface Clause {
  readonly letter: string;
  readonly value: Expression | undefined;
}

interface Clauses {
  readonly EMPTY: Clause;
  readonly ERROR: Clause;
}

const NULL_CLAUSE: Clause = { letter: 'N', value: undefined };
const VARCHAR: SqlType = { name: 'VARCHAR' };

/**
 * Parses JSON_VALUE(x, path [RETURNING type] [{NULL | ERROR | DEFAULT value} ON {EMPTY | ERROR}] ...). The arguments of
 * the call are x, path, a NULL of the type, the letters of both clauses, and their defaults.
 */
export function parseJsonValue(parser: ArgumentParser, token: Token): Expression {
  const { reader } = parser;
  const [document, path] = parseDocument(parser);
  const { name, ...bounds } = reader.readIf('RETURNING') ? parseType(reader, undefined).type : VARCHAR;
  const clauses = parseClauses(parser, true);
  reader.read(')');
  const at = token.start;
  const none: Expression = { kind: 'cast', operand: nullLiteral(at), type: { name }, at };
  const defaults = [clauses.EMPTY.value ?? nullLiteral(at), clauses.ERROR.value ?? nullLiteral(at)];
  const args = [document, path, none, lettersOf(clauses, at), ...defaults];
  const call: Expression = { kind: 'call', name: token.text, at, args };
  reader.references.calls.add(token.text);
  const isBounded = Object.values(bounds).some((bound) => bound !== undefined);
  return isBounded ? { kind: 'cast', operand: call, type: { name, ...bounds }, at } : call;
}

/** Parses JSON_QUERY(x, path [{NULL | ERROR} ON {EMPTY | ERROR}] ...). */
export function parseJsonQuery(parser: ArgumentParser, token: Token): Expression {
  const { reader } = parser;
  const [document, path] = parseDocument(parser);
  const clauses = parseClauses(parser, false);
  reader.read(')');
  reader.references.calls.add(token.text);
  return { kind: 'call', name: token.text, at: token.start, args: [document, path, lettersOf(clauses, token.start)] };
}

function parseDocument(parser: ArgumentParser): readonly [Expression, Expression] {
  const { reader } = parser;
  reader.advance();
  reader.read('(');
  const document = parser.parse();
  reader.read(',');
  return [document, parser.parseOperand()];
}

function parseClauses(parser: ArgumentParser, hasDefaults: boolean): Clauses {
  const { reader } = parser;
  const clauses: { EMPTY: Clause; ERROR: Clause } = { EMPTY: NULL_CLAUSE, ERROR: NULL_CLAUSE };
  while (!reader.is(')')) {
    const clause = parseClause(parser, hasDefaults);
    reader.read('ON');
    if (reader.readIf('EMPTY')) clauses.EMPTY = clause;
    else {
      reader.read('ERROR');
      clauses.ERROR = clause;
    }
  }
  return clauses;
}

function parseClause(parser: ArgumentParser, hasDefaults: boolean): Clause {
  const { reader } = parser;
  if (hasDefaults && reader.readIf('DEFAULT')) return { letter: 'D', value: parser.parseOperand() };
  if (reader.readIf('ERROR')) return { letter: 'E', value: undefined };
  reader.read('NULL');
  return NULL_CLAUSE;
}

function lettersOf({ EMPTY, ERROR }: Clauses, at: number): Expression {
  return { kind: 'literal', type: VARCHAR, data: EMPTY.letter + ERROR.letter, at };
}

function nullLiteral(at: number): Expression {
  return { kind: 'literal', type: { name: 'NULL' }, data: null, at };
}

interface JsonPart {
  readonly left: Expression;
  readonly step: Expression;
  /** For `->>`. */
  readonly isText: boolean;
  readonly at: number;
}

/** Returns the call for `left -> step` or `left ->> step`. A chain of them is one call with several steps. */
export function jsonPart({ references }: TokenReader, { left, step, isText, at }: JsonPart): Expression {
  const name = isText ? 'JSON_EXTRACT_PATH_TEXT' : 'JSON_EXTRACT_PATH';
  references.calls.add(name);
  const isChain = left.kind === 'call' && left.name === 'JSON_EXTRACT_PATH';
  return { kind: 'call', name, at, args: isChain ? [...left.args, step] : [left, step] };
}
