/** Parses CREATE, DROP and ALTER for tables, indexes, views and users, and ANALYZE. */

import { SQL_BOUNDS } from '../../base/limits.ts';
import { sqlFailure, sqlFailureAt } from '../../base/sql-errors.ts';
import type { SqlFailure } from '../../base/sql-failure.ts';
import { formatPath } from '../types/json-path.ts';
import type { ColumnDefinition, DdlStatement, IndexColumn, Name, QualifiedName } from './ast.ts';
import { expressionParser, parseQuery } from './parse-select.ts';
import { parseType } from './parse-type.ts';
import type { TokenReader } from './token-reader.ts';

const UNSUPPORTED_OBJECTS = [
  'ALIAS',
  'SEQUENCE',
  'TRIGGER',
  'ROLE',
  'SCHEMA',
  'CONSTANT',
  'DOMAIN',
  'TYPE',
  'DATATYPE',
  'AGGREGATE',
  'LINKED',
  'SYNONYM',
  'PRIMARY',
];

function unsupportedStatement(reader: TokenReader): SqlFailure {
  return sqlFailure('STATEMENT_UNSUPPORTED', reader.sql);
}

function parseQualified(reader: TokenReader): QualifiedName {
  let schema: Name | undefined;
  let name = reader.readName();
  while (reader.readIf('.')) {
    schema = name;
    name = reader.readName();
  }
  return { schema, name };
}

/** Parses the name of a table or view whose definition the statement changes. */
function parseChanged(reader: TokenReader): QualifiedName {
  const table = parseQualified(reader);
  reader.references.writeTable(table.schema, table.name);
  return table;
}

function readIfNotExists(reader: TokenReader): boolean {
  return reader.readAllIf('IF', 'NOT', 'EXISTS');
}

function readIfExists(reader: TokenReader): boolean {
  return reader.readAllIf('IF', 'EXISTS');
}

export function parseCreate(reader: TokenReader): DdlStatement {
  reader.read('CREATE');
  const orReplace = reader.readAllIf('OR', 'REPLACE');
  reader.readIf('FORCE');
  if (reader.readIf('VIEW')) return parseCreateView(reader, orReplace);
  if (orReplace) throw reader.syntaxError('FORCE', 'VIEW');
  for (const object of UNSUPPORTED_OBJECTS) if (reader.readIf(object)) throw unsupportedStatement(reader);
  if (reader.readIf('USER')) return parseUser(reader, 'createUser');
  if (reader.isAny('UNIQUE', 'HASH')) {
    throw sqlFailureAt({ at: reader.token.start }, 'INDEX_MODIFIER');
  }
  if (reader.readIf('SPATIAL')) throw sqlFailure('SPATIAL_INDEX');
  if (reader.readIf('INDEX')) return parseCreateIndex(reader);
  rejectTableKinds(reader);
  if (reader.readIf('TABLE')) return parseCreateTable(reader);
  throw reader.syntaxError();
}

function rejectTableKinds(reader: TokenReader): void {
  if (reader.isAny('LOCAL', 'GLOBAL', 'TEMP', 'TEMPORARY')) throw sqlFailure('TEMPORARY_TABLE');
  if (reader.readIf('MEMORY')) throw sqlFailure('MEMORY_TABLE');
  reader.readIf('CACHED');
}

function parseCreateTable(reader: TokenReader): DdlStatement {
  const ifNotExists = readIfNotExists(reader);
  const table = parseChanged(reader);
  const columns: ColumnDefinition[] = [];
  let primaryKey: readonly Name[] = [];
  if (reader.readIf('(')) {
    while (!reader.is(')')) {
      const key = parseTableConstraint(reader);
      if (key === undefined) addColumn(columns, parseColumn(reader));
      else if (primaryKey.length > 0) throw secondPrimaryKey(reader);
      else primaryKey = key;
      if (!reader.readIf(',')) break;
    }
    reader.read(')');
  }
  if (columns.filter((column) => column.primaryKey).length + (primaryKey.length > 0 ? 1 : 0) > 1)
    throw secondPrimaryKey(reader);
  if (reader.readIf('ENGINE')) reader.readName();
  const parameters: string[] = [];
  if (reader.readIf('WITH')) {
    do {
      const { token } = reader;
      if (token.kind !== 'quoted' && token.kind !== 'string') {
        reader.advance();
        throw reader.unexpected();
      }
      parameters.push(reader.advance().text);
    } while (reader.readIf(','));
  }
  if (reader.readAllIf('NOT', 'PERSISTENT')) throw sqlFailure('MEMORY_TABLE');
  reader.readIf('TRANSACTIONAL');
  if (reader.readIf('AS')) throw sqlFailure('CREATE_TABLE_AS');
  return { kind: 'createTable', table, ifNotExists, columns, primaryKey, parameters };
}

/** Adds a column to a statement. Throws once there are too many, so that the rest is not read. */
function addColumn(columns: ColumnDefinition[], column: ColumnDefinition): void {
  if (columns.length === SQL_BOUNDS.tableColumns) throw sqlFailure('TABLE_COLUMNS', SQL_BOUNDS.tableColumns);
  columns.push(column);
}

function secondPrimaryKey(reader: TokenReader): SqlFailure {
  return sqlFailureAt({ at: reader.token.start }, 'SECOND_PRIMARY_KEY');
}

/** Parses a table constraint. Returns the columns of PRIMARY KEY, or undefined if a column definition follows. */
function parseTableConstraint(reader: TokenReader): readonly Name[] | undefined {
  if (reader.readIf('CONSTRAINT')) {
    readIfNotExists(reader);
    reader.readName();
  }
  if (reader.readAllIf('PRIMARY', 'KEY')) {
    reader.readIf('HASH');
    const columns = reader.readNameList();
    if (columns.length === 0) throw reader.syntaxError();
    return [...new Map(columns.map((column) => [column.text, column])).values()];
  }
  if (reader.isAny('UNIQUE', 'CHECK', 'FOREIGN')) {
    throw sqlFailure('TOO_MANY_CONSTRAINTS');
  }
  // Related products have AFFINITY KEY as a clause.
  if (reader.is('AFFINITY') && reader.isAhead(1, 'KEY')) throw sqlFailure('AFFINITY_KEY');
  return undefined;
}

function parseColumn(reader: TokenReader): ColumnDefinition {
  const name = reader.readName();
  const { type, text: typeText } = parseType(reader, name.text);
  const parser = expressionParser(reader);
  let notNull = false;
  let invisible = false;
  let primaryKey = false;
  let defaultValue: ColumnDefinition['default'];
  for (;;) {
    if (reader.readAllIf('NOT', 'NULL')) notNull = true;
    else if (reader.readIf('NULL')) notNull = false;
    else if (reader.readIf('DEFAULT')) defaultValue = parser.parseOperand();
    else if (reader.readAllIf('PRIMARY', 'KEY')) {
      reader.readIf('HASH');
      primaryKey = true;
    } else if (reader.readIf('SELECTIVITY')) reader.readInteger();
    else if (reader.readIf('COMMENT')) readComment(reader, parser);
    else if (reader.readIf('INVISIBLE')) invisible = true;
    else if (!reader.readIf('VISIBLE')) break;
  }
  rejectColumnOptions(reader, name.text);
  return { name, type, typeText, notNull, default: defaultValue, primaryKey, invisible };
}

/** Reads a comment, a literal of any type. Comments are not kept. */
function readComment(reader: TokenReader, parser: ReturnType<typeof expressionParser>): void {
  const isLiteral = ['string', 'number'].includes(reader.token.kind) || reader.isAny('NULL', 'TRUE', 'FALSE', 'X');
  if (isLiteral) parser.parseOperand();
  else reader.readString();
}

function rejectColumnOptions(reader: TokenReader, column: string): void {
  if (reader.isAny('AUTO_INCREMENT', 'IDENTITY', 'BIGSERIAL', 'SERIAL')) {
    throw sqlFailure('AUTO_INCREMENT', column);
  }
  if (reader.is('CHECK')) throw sqlFailure('COLUMN_CHECK', column);
  if (reader.isAny('UNIQUE', 'REFERENCES', 'CONSTRAINT')) {
    throw sqlFailure('TOO_MANY_CONSTRAINTS');
  }
  if (reader.is('AS')) throw sqlFailure('COMPUTED_COLUMN', column);
  if (reader.is('ON')) throw sqlFailure('ON_UPDATE', column);
}

function parseCreateIndex(reader: TokenReader): DdlStatement {
  const ifNotExists = readIfNotExists(reader);
  const name = reader.is('ON') ? undefined : parseQualified(reader);
  reader.read('ON');
  const table = parseChanged(reader);
  reader.read('(');
  const columns: IndexColumn[] = [];
  const known = new Set<string>();
  do {
    const path = reader.is('JSON_VALUE') && reader.isAhead(1, '(') ? parseIndexedPath(reader) : undefined;
    const column = path?.name ?? reader.readName();
    const descending = reader.readIf('DESC');
    if (!descending) reader.readIf('ASC');
    if (reader.is('NULLS')) throw sqlFailure('INDEX_NULLS');
    if (known.has(column.text)) {
      throw sqlFailure('INDEX_COLUMN_TWICE', column.text, descending ? 'DESC' : 'ASC');
    }
    known.add(column.text);
    columns.push({ ...path, name: column, descending });
  } while (reader.readIf(','));
  reader.read(')');
  // Options of Ignite's index storage have no effect.
  while (reader.isAny('INLINE_SIZE', 'PARALLEL')) {
    reader.advance();
    reader.readInteger();
  }
  return { kind: 'createIndex', name, table, ifNotExists, columns };
}

/** Parses the path of an index: JSON_VALUE(_VAL, path RETURNING type). */
function parseIndexedPath(reader: TokenReader): Pick<IndexColumn, 'name' | 'path'> {
  const { start } = reader.token;
  const call = expressionParser(reader).parseTerm();
  const [document, path, returned, clauses] = call.kind === 'call' ? call.args : [];
  const isOfValue = document?.kind === 'column' && document.name === '_VAL';
  const isPlain = clauses?.kind === 'literal' && clauses.data === 'NN';
  if (!isOfValue || !isPlain || path?.kind !== 'literal' || returned?.kind !== 'cast')
    throw sqlFailureAt({ at: start }, 'INDEX_EXPRESSION');
  const text = formatPath(String(path.data));
  return { name: { text, at: start }, path: { path: text, type: returned.type.name } };
}

function parseCreateView(reader: TokenReader, orReplace: boolean): DdlStatement {
  const ifNotExists = readIfNotExists(reader);
  const view = parseChanged(reader);
  const columns = reader.is('(') ? reader.readNameList() : [];
  reader.read('AS');
  const { start } = reader.token;
  const query = parseQuery(reader);
  if (reader.parameterCount > 0) throw sqlFailure('VIEW_PARAMETERS');
  let end = reader.token.start;
  while (/[\s;]/.test(reader.sql.charAt(end - 1))) end -= 1;
  const text = reader.sql.slice(start, end);
  return { kind: 'createView', view, orReplace, ifNotExists, columns, query, text };
}

function parseUser(reader: TokenReader, kind: 'createUser' | 'alterUser'): DdlStatement {
  const ifNotExists = readIfNotExists(reader);
  const user = reader.readName();
  if (!reader.readAllIf('WITH', 'PASSWORD') || ifNotExists) throw unsupportedStatement(reader);
  const password = reader.readString();
  return kind === 'alterUser' ? { kind, user, password } : { kind, user, password, roles: parseRoles(reader) };
}

/** Reads the roles of a new user in the case in which they are written: role names are not SQL identifiers. */
function parseRoles(reader: TokenReader): readonly string[] | undefined {
  if (!reader.readIf('ROLES')) return undefined;
  const roles = [];
  do {
    const { kind, end } = reader.token;
    const { text, at } = reader.readName();
    roles.push(kind === 'quoted' ? text : reader.sql.slice(at, end));
  } while (reader.readIf(','));
  return roles;
}

export function parseDrop(reader: TokenReader): DdlStatement {
  reader.read('DROP');
  if (reader.readIf('TABLE')) return parseDropTable(reader);
  if (reader.readIf('INDEX')) {
    const ifExists = readIfExists(reader);
    const name = parseQualified(reader);
    return { kind: 'dropIndex', name, ifExists: readIfExists(reader) || ifExists };
  }
  if (reader.readIf('VIEW')) {
    const ifExists = readIfExists(reader);
    const view = parseChanged(reader);
    return { kind: 'dropView', view, ifExists: readIfExists(reader) || ifExists };
  }
  if (reader.readIf('USER')) return { kind: 'dropUser', user: reader.readName() };
  for (const object of [...UNSUPPORTED_OBJECTS, 'ALL']) if (reader.readIf(object)) throw unsupportedStatement(reader);
  throw reader.syntaxError();
}

function parseDropTable(reader: TokenReader): DdlStatement {
  const ifExists = readIfExists(reader);
  const tables = [parseChanged(reader)];
  while (reader.readIf(',')) tables.push(parseChanged(reader));
  const behind = readIfExists(reader);
  if (!reader.readIf('CASCADE')) reader.readIf('RESTRICT');
  return { kind: 'dropTable', tables, ifExists: ifExists || behind };
}

export function parseAlter(reader: TokenReader): DdlStatement {
  reader.read('ALTER');
  if (reader.readIf('USER')) return parseUser(reader, 'alterUser');
  if (reader.readIf('SCHEMA')) return parseAlterSchema(reader);
  if (reader.isAny('INDEX', 'SEQUENCE', 'VIEW')) throw unsupportedStatement(reader);
  reader.read('TABLE');
  const ifTableExists = readIfExists(reader);
  const table = parseChanged(reader);
  if (ifTableExists && readConstraintChange(reader)) return { kind: 'alterIfExists', table, schema: undefined };
  if (reader.readIf('LOGGING')) return { kind: 'setLogging', table, ifTableExists, logging: true };
  if (reader.readIf('NOLOGGING')) return { kind: 'setLogging', table, ifTableExists, logging: false };
  if (reader.readIf('ADD')) return parseAddColumns(reader, table, ifTableExists);
  if (reader.readIf('DROP')) return parseDropColumns(reader, table, ifTableExists);
  if (reader.isAny('ALTER', 'MODIFY', 'CHANGE')) throw sqlFailure('ALTER_COLUMN');
  if (reader.isAny('SET', 'RENAME')) throw unsupportedStatement(reader);
  throw reader.syntaxError('ADD', 'SET', 'RENAME', 'DROP', 'CHANGE', 'MODIFY', 'ALTER');
}

/** Ignite accepts this for a schema that does not exist, without effect. */
function parseAlterSchema(reader: TokenReader): DdlStatement {
  if (!readIfExists(reader)) throw unsupportedStatement(reader);
  const schema = reader.readName();
  reader.readAll('RENAME', 'TO');
  reader.readName();
  return { kind: 'alterIfExists', table: undefined, schema };
}

/** Reads a change of constraints, if there is one. Ignite accepts it for a table that does not exist. */
function readConstraintChange(reader: TokenReader): boolean {
  const dropsKey = reader.is('DROP') && (reader.isAhead(1, 'PRIMARY') || reader.isAhead(1, 'FOREIGN'));
  if (dropsKey && reader.isAhead(2, 'KEY')) {
    const isForeign = reader.isAhead(1, 'FOREIGN');
    reader.readAll('DROP', isForeign ? 'FOREIGN' : 'PRIMARY', 'KEY');
    if (isForeign) reader.readName();
    return true;
  }
  if (reader.readAllIf('DROP', 'CONSTRAINT')) {
    readIfExists(reader);
    reader.readName();
    return true;
  }
  if (!reader.readAllIf('RENAME', 'CONSTRAINT')) return false;
  reader.readName();
  reader.read('TO');
  reader.readName();
  return true;
}

function parseAddColumns(reader: TokenReader, table: QualifiedName, ifTableExists: boolean): DdlStatement {
  const isConstraint = reader.isAny('CONSTRAINT', 'PRIMARY', 'UNIQUE', 'CHECK', 'FOREIGN');
  if (isConstraint) throw unsupportedStatement(reader);
  reader.readIf('COLUMN');
  const columns: ColumnDefinition[] = [];
  const ifNotExists = readIfNotExists(reader);
  if (!ifNotExists && reader.readIf('(')) {
    do addColumn(columns, parseAddedColumn(reader));
    while (reader.readIf(','));
    reader.read(')');
  } else {
    columns.push(parseAddedColumn(reader));
  }
  for (const word of ['BEFORE', 'AFTER', 'FIRST']) {
    if (reader.is(word)) throw sqlFailure('ADD_COLUMN_PLACE', word);
  }
  return { kind: 'addColumns', table, ifTableExists, ifNotExists, columns };
}

function parseAddedColumn(reader: TokenReader): ColumnDefinition {
  const column = parseColumn(reader);
  if (column.default !== undefined) {
    throw sqlFailure('ADD_COLUMN_DEFAULT', column.name.text);
  }
  if (column.primaryKey) throw sqlFailure('ADD_COLUMN_KEY', column.name.text);
  return column;
}

function parseDropColumns(reader: TokenReader, table: QualifiedName, ifTableExists: boolean): DdlStatement {
  if (reader.is('CONSTRAINT') || (reader.is('PRIMARY') && reader.isAhead(1, 'KEY'))) throw unsupportedStatement(reader);
  reader.readIf('COLUMN');
  const ifExists = readIfExists(reader);
  const inParentheses = reader.readIf('(');
  const columns = [reader.readName()];
  while (reader.readIf(',')) columns.push(reader.readName());
  if (inParentheses) reader.read(')');
  return { kind: 'dropColumns', table, ifTableExists, ifExists, columns };
}

/** Parses ANALYZE table [, ...]. Ignite rejects it without a table. */
export function parseAnalyze(reader: TokenReader): DdlStatement {
  reader.read('ANALYZE');
  reader.readIf('TABLE');
  if (!reader.isName()) throw unsupportedStatement(reader);
  const tables: QualifiedName[] = [];
  do {
    const table = parseQualified(reader);
    reader.references.readTable(table.schema, table.name);
    tables.push(table);
    if (reader.is('(')) reader.readNameList();
  } while (reader.readIf(','));
  if (reader.readIf('SAMPLE_SIZE')) reader.readInteger();
  return { kind: 'analyze', tables };
}
