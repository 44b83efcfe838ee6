/** Parses INSERT, MERGE, UPDATE and DELETE. */
import type {
  Assignment,
  CommonTable,
  DeleteStatement,
  Expression,
  InsertStatement,
  MergeStatement,
  MergeUsingStatement,
  Name,
  RowSource,
  TableReference,
  TargetTable,
  UpdateStatement,
} from './ast.ts';
import { expressionParser, parseQuery } from './parse-select.ts';
import { parseTables } from './parse-tables.ts';
import { parseRows } from './parse-values.ts';
import { startsQuery } from './query-lookahead.ts';
import type { TokenReader } from './token-reader.ts';

type CommonTables = readonly CommonTable[];

export function parseInsert(reader: TokenReader, tables: CommonTables = []): InsertStatement {
  reader.readAll('INSERT', 'INTO');
  const target = parseTarget(reader, false);
  if (reader.readAllIf('DEFAULT', 'VALUES')) {
    return { kind: 'insert', with: tables, target, columns: [], source: { kind: 'rows', rows: [[]] } };
  }
  if (reader.readIf('SET')) return { kind: 'insert', with: tables, target, ...parseSetRow(reader) };
  const columns = parseColumnList(reader);
  return { kind: 'insert', with: tables, target, columns, source: parseSource(reader) };
}

/** Parses both forms of MERGE INTO, and REPLACE INTO. */
export function parseMerge(reader: TokenReader, tables: CommonTables = []): MergeStatement | MergeUsingStatement {
  const replace = reader.readIf('REPLACE');
  if (!replace) reader.read('MERGE');
  reader.read('INTO');
  const target = parseTarget(reader, !replace);
  if (!replace && reader.readIf('USING')) return parseMergeUsing(reader, target, tables);
  if (replace && reader.readIf('SET'))
    return { kind: 'merge', with: tables, target, keys: undefined, ...parseSetRow(reader) };
  const columns = parseColumnList(reader);
  let keys: Name[] | undefined;
  if (reader.is('KEY') && reader.isAhead(1, '(')) {
    reader.read('KEY');
    keys = reader.readNameList();
  }
  return { kind: 'merge', with: tables, target, columns, keys, source: parseSource(reader) };
}

export function parseUpdate(reader: TokenReader, tables: CommonTables = []): UpdateStatement {
  reader.read('UPDATE');
  const target = parseTarget(reader, true);
  reader.read('SET');
  const assignments = parseAssignments(reader);
  const parser = expressionParser(reader);
  const where = reader.readIf('WHERE') ? parser.parse() : undefined;
  const orderBy = reader.readPairIf('ORDER', 'BY') ? parser.parseOrder() : [];
  const limit = reader.readIf('LIMIT') ? parser.parse() : undefined;
  return { kind: 'update', with: tables, target, assignments, where, orderBy, limit };
}

export function parseDelete(reader: TokenReader, tables: CommonTables = []): DeleteStatement {
  reader.read('DELETE');
  const parser = expressionParser(reader);
  const top = reader.readIf('TOP') ? parser.parseTerm() : undefined;
  reader.readIf('FROM');
  const target = parseTarget(reader, true);
  const where = reader.readIf('WHERE') ? parser.parse() : undefined;
  const limit = reader.readIf('LIMIT') ? parser.parse() : top;
  return { kind: 'delete', with: tables, target, where, limit };
}

const NO_TARGET_ALIAS = new Set(['SET', 'USING', 'KEY', 'VALUES', 'DIRECT', 'SORTED', 'DEFAULT', 'WHEN']);

function parseTarget(reader: TokenReader, aliasAllowed: boolean): TargetTable {
  let schema: Name | undefined;
  let name = reader.readName();
  while (reader.readIf('.')) {
    schema = name;
    name = reader.readName();
  }
  reader.references.writeTable(schema, name);
  if (!aliasAllowed) return { schema, name, alias: undefined };
  const named = reader.readIf('AS');
  const hasAlias =
    named || (reader.isName() && (reader.token.kind === 'quoted' || !NO_TARGET_ALIAS.has(reader.token.text)));
  return { schema, name, alias: hasAlias ? reader.readName() : undefined };
}

/** Parses a list of columns in parentheses. Returns undefined if the next token begins a query or VALUES. */
function parseColumnList(reader: TokenReader): Name[] | undefined {
  if (!reader.is('(') || startsQuery(reader)) return undefined;
  reader.read('(');
  const columns: Name[] = [];
  if (reader.readIf(')')) return columns;
  const parser = expressionParser(reader);
  do {
    const name = reader.readName();
    // A column may be qualified with its table.
    if (reader.readIf('.')) columns.push(reader.readName());
    else columns.push(name);
  } while (reader.readIf(','));
  parser.reader.read(')');
  return columns;
}

function parseSource(reader: TokenReader): RowSource {
  reader.readIf('DIRECT');
  reader.readIf('SORTED');
  if (reader.readIf('VALUES')) return { kind: 'rows', rows: parseRows(expressionParser(reader)) };
  if (!startsQuery(reader)) throw reader.syntaxError('DIRECT', 'SORTED', 'VALUES', '(', 'WITH', 'SELECT', 'FROM');
  reader.references.subqueries += 1;
  return { kind: 'query', query: parseQuery(reader) };
}

/** Parses `a = 1, b = 2` after SET as one row. */
function parseSetRow(reader: TokenReader): { columns: readonly Name[]; source: RowSource } {
  const columns: Name[] = [];
  const row: Expression[] = [];
  const parser = expressionParser(reader);
  do {
    columns.push(reader.readName());
    reader.read('=');
    row.push(parser.parse());
  } while (reader.readIf(','));
  return { columns, source: { kind: 'rows', rows: [row] } };
}

function parseAssignments(reader: TokenReader): Assignment[] {
  const parser = expressionParser(reader);
  const assignments: Assignment[] = [];
  do {
    const columns = reader.is('(') ? reader.readNameList() : [parseAssigned(reader)];
    reader.read('=');
    assignments.push({ columns, value: parser.parse() });
  } while (reader.readIf(','));
  return assignments;
}

function parseAssigned(reader: TokenReader): Name {
  let name = reader.readName();
  while (reader.readIf('.')) name = reader.readName();
  return name;
}

function parseMergeUsing(reader: TokenReader, target: TargetTable, tables: CommonTables): MergeUsingStatement {
  const parser = expressionParser(reader);
  const [source, ...others] = parseTables(reader, parser);
  if (source === undefined || others.length > 0) throw reader.syntaxError('ON');
  const { table, on } = parseMergeCondition(reader, source);
  let update: MergeUsingStatement['update'];
  let remove: MergeUsingStatement['delete'];
  let insert: MergeUsingStatement['insert'];
  while (reader.readIf('WHEN')) {
    if (reader.readAllIf('MATCHED', 'THEN')) {
      if (reader.readIf('UPDATE')) {
        reader.read('SET');
        const assignments = parseAssignments(reader);
        update = { assignments, where: reader.readIf('WHERE') ? parser.parse() : undefined };
      }
      if (reader.readIf('DELETE')) remove = { where: reader.readIf('WHERE') ? parser.parse() : undefined };
    } else {
      reader.readAll('NOT', 'MATCHED', 'THEN', 'INSERT');
      const columns = parseColumnList(reader);
      reader.readAll('VALUES', '(');
      const values = parser.parseList();
      reader.read(')');
      insert = { columns, values };
    }
  }
  return { kind: 'mergeUsing', with: tables, target, source: table, on, update, delete: remove, insert };
}

function parseMergeCondition(reader: TokenReader, table: TableReference): { table: TableReference; on: Expression } {
  const parser = expressionParser(reader);
  reader.read('ON');
  return { table, on: parser.parse() };
}
