/** Parses what follows FROM: tables, joins, derived tables and table functions. */

import { sqlFailure } from '../../base/sql-errors.ts';
import type { SqlType } from '../types/sql-types.ts';
import type { Expression, Name, Query, TableAlias, TableReference } from './ast.ts';
import type { ExpressionParser } from './parse-expression.ts';
import { parseType } from './parse-type.ts';
import { parseValues } from './parse-values.ts';
import { isFollowedAsQuery, startsQuery } from './query-lookahead.ts';
import type { TokenReader } from './token-reader.ts';

/** Words after a table that are not its alias, although they are not reserved. */
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

export function parseTables(reader: TokenReader, parser: ExpressionParser): TableReference[] {
  const tables: TableReference[] = [];
  do {
    // The escape represents the text inside it: a join after it joins its last table.
    const escaped = isJoinEscape(reader) ? parseListEscape(reader, parser) : [];
    const last = escaped.pop();
    tables.push(...escaped, parseJoins(reader, parser, last));
  } while (reader.readIf(','));
  return tables;
}

function parseJoins(
  reader: TokenReader,
  parser: ExpressionParser,
  first: TableReference | undefined = undefined,
): TableReference {
  let left = first ?? parseTable(reader, parser);
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

/** Parses the right side of a join. */
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
  if (kind === 'left' || !readsJoin(reader)) return bare;
  // As in Ignite: of `a JOIN b JOIN c ON x ON y`, b is joined last; of `a RIGHT JOIN b JOIN c ON x ON y`, a is.
  const inside = reader.nested(() => parseFurtherJoins(reader, parser, kind === 'right' ? right : left));
  const on = reader.readIf('ON') ? parser.parse() : undefined;
  if (kind === 'right') return { ...bare, right: inside, on };
  const { table, conditions } = withoutConditions(inside);
  const all = on === undefined ? conditions : [...conditions, on];
  const [only] = all;
  return { ...bare, left: table, on: all.length > 1 ? { kind: 'and', operands: all } : only };
}

function parseFurtherJoins(reader: TokenReader, parser: ExpressionParser, first: TableReference): TableReference {
  let left = first;
  for (let length = 0; readsJoin(reader); length++) {
    reader.checkChain(length);
    const kind = readJoin(reader);
    if (kind === undefined) break;
    left = parseJoin(reader, parser, left, kind);
  }
  return left;
}

/** Returns inner joins without their conditions, which may refer to the table joined last. */
function withoutConditions(table: TableReference): {
  readonly table: TableReference;
  readonly conditions: readonly Expression[];
} {
  if (table.kind !== 'join' || table.join !== 'inner') return { table, conditions: [] };
  const left = withoutConditions(table.left);
  return {
    table: { ...table, left: left.table, on: undefined },
    conditions: table.on === undefined ? left.conditions : [...left.conditions, table.on],
  };
}

function readsJoin(reader: TokenReader): boolean {
  return (
    reader.isAny('JOIN', 'INNER', 'CROSS', 'NATURAL') ||
    (reader.isAny('LEFT', 'RIGHT') && (reader.isAhead(1, 'JOIN') || reader.isAhead(1, 'OUTER')))
  );
}

function parseTable(reader: TokenReader, parser: ExpressionParser): TableReference {
  return reader.nested(() => {
    if (reader.is('(')) return parseParenthesis(reader, parser);
    if (isJoinEscape(reader)) return parseJoinEscape(reader, parser);
    if (reader.is('VALUES')) {
      reader.references.sources += 1;
      reader.references.subqueries += 1;
      const body = parseValues(parser);
      const query: Query = {
        kind: 'query',
        with: [],
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
    const query = parser.parseQuery(reader);
    reader.read(')');
    return { kind: 'derived', query, ...parseAlias(reader) };
  }
  const inside = parseJoins(reader, parser);
  reader.read(')');
  if (inside.kind === 'join') return inside;
  const alias = parseAlias(reader);
  return alias.alias === undefined ? inside : { ...inside, ...alias };
}

function isJoinEscape(reader: TokenReader): boolean {
  return reader.is('{') && reader.isAhead(1, 'OJ');
}

/** Parses the escape {oj ...} in a list of tables, which may itself be one. */
function parseListEscape(reader: TokenReader, parser: ExpressionParser): TableReference[] {
  return reader.nested(() => {
    reader.readAll('{', 'OJ');
    const tables = parseTables(reader, parser);
    reader.read('}');
    return tables;
  });
}

/** Parses the escape {oj a LEFT OUTER JOIN b ON ...} of JDBC and ODBC on a side of a join. */
function parseJoinEscape(reader: TokenReader, parser: ExpressionParser): TableReference {
  reader.readAll('{', 'OJ');
  const inside = parseJoins(reader, parser);
  reader.read('}');
  return inside;
}

function parseColumnsTable(reader: TokenReader, parser: ExpressionParser): TableReference {
  const { start } = reader.token;
  reader.references.sources += 1;
  reader.references.calls.add('TABLE');
  const distinct = reader.advance().text === 'TABLE_DISTINCT';
  reader.read('(');
  const members: Array<{ name: Name; type: SqlType; values: Expression }> = [];
  do {
    const name = reader.readName();
    const type: SqlType = reader.readIf('NULL') ? { name: 'NULL' } : parseType(reader, name.text).type;
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
  const target = reader.references.readTable(schema, name);
  const alias = parseAlias(reader);
  let indexHint: readonly Name[] | undefined;
  if (reader.readAllIf('USE', 'INDEX')) indexHint = reader.readNameList();
  return { kind: 'table', schema, name, target, indexHint, ...alias };
}

function parseAlias(reader: TokenReader): TableAlias {
  const named = reader.readIf('AS');
  if (!named && !(reader.isName() && (reader.token.kind === 'quoted' || !NO_ALIAS.has(reader.token.text)))) {
    return { alias: undefined, columns: [] };
  }
  const alias = reader.readName();
  return { alias, columns: reader.is('(') ? reader.readNameList() : [] };
}
