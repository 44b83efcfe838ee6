/** Parses one statement: dispatches on its first word and rejects unsupported statements. */

import { sqlFailure, sqlFailureAt } from '../../base/sql-errors.ts';
import type { SqlFailure } from '../../base/sql-failure.ts';
import type { ChangeStatement, CommonTable, ParsedStatement, Statement } from './ast.ts';
import { parseDelete, parseInsert, parseMerge, parseUpdate } from './parse-change.ts';
import { parseAlter, parseAnalyze, parseCreate, parseDrop } from './parse-ddl.ts';
import { parseAfterWith, parseQuery } from './parse-select.ts';
import { TokenReader } from './token-reader.ts';
import type { Token } from './tokenizer.ts';

/** Commands that Ignite rejects by their first word, each with a specific text. */
const UNSUPPORTED_COMMANDS = new Set([
  'BEGIN',
  'COMMIT',
  'ROLLBACK',
  'SHOW',
  'GRANT',
  'REVOKE',
  'HELP',
  'START',
  'COPY',
]);
/** Statements of the grammar that Ignite does not execute. */
const UNSUPPORTED_STATEMENTS = new Set([
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

/** Parses a text that holds exactly one statement. Trailing semicolons and comments are allowed. */
export function parseStatement(sql: string): ParsedStatement {
  return parseTokens(new TokenReader(sql));
}

/** The same as {@link parseStatement}, from tokens. Records the statement's references in the reader. */
export function parseTokens(reader: TokenReader): ParsedStatement {
  if (reader.isEnd() || reader.is(';')) throw sqlFailure('STATEMENT_BLANK', reader.sql);
  const statement = readStatement(reader);
  if (reader.readIf(';')) {
    while (reader.readIf(';'));
    if (!reader.isEnd()) throw sqlFailure('MULTIPLE_STATEMENTS');
  }
  if (!reader.isEnd()) throw reader.unexpected();
  return { statement, parameterCount: reader.parameterCount };
}

function readStatement(reader: TokenReader): Statement {
  const { token } = reader;
  if (token.kind === 'symbol' && token.text === '(') return parseQuery(reader);
  if (token.kind !== 'word') throw reader.syntaxError();
  if (UNSUPPORTED_COMMANDS.has(token.text)) throw unsupportedCommand(reader);
  if (UNSUPPORTED_STATEMENTS.has(token.text)) throw sqlFailure('STATEMENT_UNSUPPORTED', reader.sql);
  switch (token.text) {
    case 'SELECT':
    case 'FROM':
    case 'VALUES':
      return parseQuery(reader);
    case 'WITH':
      return parseAfterWith(reader, (tables) => readChange(reader, tables));
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
      return rejectSet(reader);
    case 'KILL':
      return readKill(reader);
    case 'TRUNCATE':
      return readTruncate(reader);
    case 'DESCRIBE':
    case 'DESC':
      throw reader.syntaxError(...FIRST_WORDS).within({ suggestion: selectOfColumns(reader.peek(1)) });
    default:
      throw reader.syntaxError(...FIRST_WORDS);
  }
}

/** Reads the change after WITH, where Ignite does not accept REPLACE; returns undefined if something else follows. */
function readChange(reader: TokenReader, tables: readonly CommonTable[]): ChangeStatement | undefined {
  switch (reader.token.text) {
    case 'INSERT':
      return parseInsert(reader, tables);
    case 'MERGE':
      return parseMerge(reader, tables);
    case 'UPDATE':
      return parseUpdate(reader, tables);
    case 'DELETE':
      return parseDelete(reader, tables);
    default:
      return undefined;
  }
}

/** The subjects of SHOW in other databases, with the system views that have the same content. */
const SHOWN_VIEWS: ReadonlyMap<string, string> = new Map([
  ['TABLES', 'TABLES'],
  ['COLUMNS', 'TABLE_COLUMNS'],
  ['INDEX', 'INDEXES'],
  ['INDEXES', 'INDEXES'],
  ['VIEWS', 'VIEWS'],
  ['SCHEMAS', 'SCHEMAS'],
  ['DATABASES', 'SCHEMAS'],
]);

/** Returns a query with the result that DESCRIBE has in other databases. */
function selectOfColumns({ kind, text }: Token): string {
  const of = kind === 'word' || kind === 'quoted' ? ` WHERE TABLE_NAME = '${text.replaceAll("'", "''")}'` : '';
  return `SELECT * FROM SYS.TABLE_COLUMNS${of}`;
}

/** Ignite marks START after its second word. */
function unsupportedCommand(reader: TokenReader): SqlFailure {
  const word = reader.token.text;
  const { start } = word === 'START' ? reader.peek(1) : reader.token;
  const { sql } = reader;
  const view = word === 'SHOW' ? SHOWN_VIEWS.get(reader.peek(1).text) : undefined;
  const suggestion = view === undefined ? undefined : `SELECT * FROM SYS.${view}`;
  return sqlFailureAt(
    { at: start, suggestion },
    'COMMAND_UNSUPPORTED',
    `${sql.slice(0, start)}[*]${sql.slice(start)}`,
    word,
  );
}

function readExplain(reader: TokenReader): Statement {
  reader.read('EXPLAIN');
  const analyze = reader.readIf('ANALYZE');
  if (!analyze) reader.readAllIf('PLAN', 'FOR');
  if (reader.isAny('INSERT', 'UPDATE', 'DELETE', 'MERGE')) throw sqlFailure('EXPLAIN_OF_CHANGE');
  return { kind: 'explain', analyze, query: parseQuery(reader) };
}

function rejectSet(reader: TokenReader): never {
  if (reader.isAhead(1, 'STREAMING')) {
    throw sqlFailure('SET_STREAMING');
  }
  throw sqlFailure('STATEMENT_UNSUPPORTED', reader.sql);
}

function readKill(reader: TokenReader): Statement {
  reader.read('KILL');
  if (reader.readIf('SCAN')) {
    const nodeId = reader.readString();
    // The cache: the id alone identifies the scan.
    reader.readString();
    return { kind: 'killQuery', id: `${nodeId}_${reader.readInteger()}`, waits: true };
  }
  reader.read('QUERY');
  const waits = !reader.readIf('ASYNC');
  return { kind: 'killQuery', id: reader.readString(), waits };
}

/** The binder looks the table up before it rejects the statement, as Ignite does. */
function readTruncate(reader: TokenReader): Statement {
  reader.readAll('TRUNCATE', 'TABLE');
  const name = reader.readName();
  const schema = reader.readIf('.') ? name : undefined;
  const table = { schema, name: schema === undefined ? name : reader.readName() };
  reader.references.writeTable(table.schema, table.name);
  return { kind: 'truncate', table };
}
