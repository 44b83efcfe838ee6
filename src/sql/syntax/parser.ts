/** Reads one statement: which family it belongs to, and what is refused whatever follows. */

import { sqlFailure } from '../types/sql-errors.ts';
import type { SqlFailure } from '../types/sql-failure.ts';
import type { Expression, ParsedStatement, Statement } from './ast.ts';
import { parseDelete, parseInsert, parseMerge, parseUpdate } from './parse-change.ts';
import { parseAlter, parseAnalyze, parseCreate, parseDrop } from './parse-ddl.ts';
import { expressionParser, parseQuery } from './parse-select.ts';
import { TokenReader } from './token-reader.ts';

/** Commands that Ignite knows and refuses before it reads on. */
const NOT_SUPPORTED = new Set(['BEGIN', 'COMMIT', 'ROLLBACK', 'SHOW', 'GRANT', 'REVOKE', 'HELP', 'START', 'COPY']);
/** Statements that the dialect's grammar has and Ignite does not execute. */
const UNSUPPORTED = new Set([
  'CALL',
  'BACKUP',
  'CHECKPOINT',
  'COMMENT',
  'DEALLOCATE',
  'DECLARE',
  'EXECUTE',
  'PREPARE',
  'RUNSCRIPT',
  'SAVEPOINT',
  'SCRIPT',
  'SHUTDOWN',
  'USE',
  'RELEASE',
]);

const FIRST_WORDS = [
  'SELECT',
  'INSERT',
  'UPDATE',
  'DELETE',
  'MERGE',
  'CREATE',
  'DROP',
  'ALTER',
  'WITH',
  'VALUES',
  'EXPLAIN',
];

/** Parses a text that must hold exactly one statement; a trailing `;` and comments are fine. */
export function parseStatement(sql: string): ParsedStatement {
  return parseTokens(new TokenReader(sql));
}

/** As {@link parseStatement}, over tokens that were read before. The reader has then recorded what they refer to. */
export function parseTokens(reader: TokenReader): ParsedStatement {
  if (reader.isEnd()) throw reader.syntaxError(...FIRST_WORDS);
  const statement = readStatement(reader);
  if (reader.readIf(';')) {
    while (reader.readIf(';'));
    if (!reader.isEnd()) throw sqlFailure('MULTIPLE_STATEMENTS');
  }
  if (!reader.isEnd()) throw reader.unexpected();
  return { statement, parameterCount: reader.parameterCount };
}

/** Parses an expression that stands alone, as a default value is kept. */
export function parseExpression(sql: string): Expression {
  const reader = new TokenReader(sql);
  const expression = expressionParser(reader).parse();
  if (!reader.isEnd()) throw reader.unexpected();
  return expression;
}

function readStatement(reader: TokenReader): Statement {
  const { token } = reader;
  if (token.kind === 'symbol' && token.text === '(') return parseQuery(reader);
  if (token.kind !== 'word') throw reader.syntaxError();
  if (NOT_SUPPORTED.has(token.text)) throw notSupported(reader);
  if (UNSUPPORTED.has(token.text)) throw sqlFailure('STATEMENT_UNSUPPORTED', reader.sql);
  switch (token.text) {
    case 'SELECT':
    case 'FROM':
    case 'WITH':
    case 'VALUES':
      return parseQuery(reader);
    case 'INSERT':
      return parseInsert(reader);
    case 'MERGE':
    case 'REPLACE':
      return parseMerge(reader);
    case 'UPDATE':
      return parseUpdate(reader);
    case 'DELETE':
      return parseDelete(reader);
    case 'CREATE':
      return parseCreate(reader);
    case 'DROP':
      return parseDrop(reader);
    case 'ALTER':
      return parseAlter(reader);
    case 'ANALYZE':
      return parseAnalyze(reader);
    case 'EXPLAIN':
      return readExplain(reader);
    case 'SET':
      return refuseSet(reader);
    case 'KILL':
      return readKill(reader);
    case 'TRUNCATE':
      return readTruncate(reader);
    default:
      throw reader.syntaxError(...FIRST_WORDS);
  }
}

/** Ignite marks the word after START. */
function notSupported(reader: TokenReader): SqlFailure {
  const word = reader.token.text;
  const { start } = word === 'START' ? reader.peek(1) : reader.token;
  const { sql } = reader;
  return sqlFailure('COMMAND_UNSUPPORTED', `${sql.slice(0, start)}[*]${sql.slice(start)}`, word);
}

function readExplain(reader: TokenReader): Statement {
  reader.read('EXPLAIN');
  const analyze = reader.readIf('ANALYZE');
  if (!analyze) reader.readAllIf('PLAN', 'FOR');
  if (reader.isAny('INSERT', 'UPDATE', 'DELETE', 'MERGE')) throw sqlFailure('EXPLAIN_OF_CHANGE');
  return { kind: 'explain', analyze, query: parseQuery(reader) };
}

function refuseSet(reader: TokenReader): never {
  if (reader.isAhead(1, 'STREAMING')) {
    throw sqlFailure('SET_STREAMING');
  }
  throw sqlFailure('STATEMENT_UNSUPPORTED', reader.sql);
}

function readKill(reader: TokenReader): Statement {
  reader.readAll('KILL', 'QUERY');
  reader.readIf('ASYNC');
  return { kind: 'killQuery', id: reader.readString() };
}

/** The table is looked up before the statement is refused, as Ignite does; the binder does both. */
function readTruncate(reader: TokenReader): Statement {
  reader.readAll('TRUNCATE', 'TABLE');
  const name = reader.readName();
  const schema = reader.readIf('.') ? name : undefined;
  const table = { schema, name: schema === undefined ? name : reader.readName() };
  reader.references.writeTable(table.schema, table.name);
  return { kind: 'truncate', table };
}
