/**
 * Prepares SQL statements for SQLite. A prepared statement can be run repeatedly:
 *
 *     const prepared = prepareStatement(text, schema, catalog);      // once per text, schema and catalog version
 *     register.ensure(prepared.functions);                           // per connection, before SQLite sees the text
 *     const bindings = bindArguments(prepared, args, nowMs);         // per run
 *     for (const row of connection.prepare(prepared.sql).iterate(...bindings)) ... columns c0, c1, ...
 *
 * Errors are {@link SqlFailure}; `describeFailure` writes their text.
 */
import { sqlFailure, sqlFailureAt } from '../../../base/sql-errors.ts';
import { SqlFailure } from '../../../base/sql-failure.ts';
import type { Column } from '../../../grid/grid.ts';
import { analyze, parseOnce, type StatementAnalysis } from '../../../sql/analysis/analysis.ts';
import { costOf } from '../../../sql/analysis/cheap-calls.ts';
import { type BoundChange, bindChange } from '../../../sql/binding/bind-change.ts';
import { bindQuery as bindQueryTree } from '../../../sql/binding/bind-query.ts';
import { type ArgumentTypes, Binder } from '../../../sql/binding/binder.ts';
import {
  type Bound,
  type BoundQuery,
  type BoundResultColumn,
  conjunctsOf,
  isFixed,
} from '../../../sql/binding/bound.ts';
import type { SqlCatalog, SqlTable } from '../../../sql/binding/catalog.ts';
import { typeQueryText } from '../../../sql/binding/type-query.ts';
import type { ChangeStatement, DdlStatement, Query, Statement } from '../../../sql/syntax/ast.ts';
import { javaClassOf } from '../../../sql/types/type-order.ts';
import { tableWithoutIndex } from './distributed-join.ts';
import { emitChange } from './emit-change.ts';
import { emitQuery } from './emit-query.ts';
import { Emitter } from './emitter.ts';
import { type EntryTable, entryTable } from './entry-table.ts';
import { hasEqualKeys, isEquality } from './key-use.ts';
import {
  type Prepared,
  type PreparedBase,
  type PreparedChange,
  type PreparedDdl,
  type PreparedQuery,
  UPDATED_COLUMNS,
} from './statement.ts';

const PLAN_COLUMNS: readonly Column[] = [
  { schemaName: '', typeName: '', fieldName: 'PLAN', fieldTypeName: 'java.lang.String' },
];

/**
 * Parses, binds and translates a statement. Unqualified names belong to `schema`. `argumentTypes` are the types of its
 * `untyped` parameters, which are strings without them. Throws {@link SqlFailure}.
 */
export function prepareStatement(
  text: string,
  schema: string,
  catalog: SqlCatalog,
  argumentTypes?: ArgumentTypes,
): Prepared {
  const cost = costOf(analyze(text));
  const { statement, parameterCount } = parseOnce(text);
  const binder = new Binder(catalog, schema, argumentTypes);
  const base = { text, schema, catalogVersion: catalog.version, parameterCount, cost };
  switch (statement.kind) {
    case 'query':
      return prepareQuery(statement, binder, base);
    case 'explain': {
      const { kind: _, types: __, joinedWithoutIndex: ___, ...query } = prepareQuery(statement.query, binder, base);
      return { ...query, kind: 'explain', analyze: statement.analyze, columns: PLAN_COLUMNS };
    }
    case 'insert':
    case 'merge':
    case 'mergeUsing':
    case 'update':
    case 'delete':
      return prepareChange(statement, binder, base);
    case 'truncate':
      binder.requireTable(statement.table.schema, statement.table.name);
      throw sqlFailure('STATEMENT_UNSUPPORTED', text);
    case 'alterIfExists':
      if (existsAltered(statement, binder)) throw sqlFailure('STATEMENT_UNSUPPORTED', text);
      return prepareDdl(statement, binder, base);
    case 'createTable':
    case 'dropTable':
    case 'addColumns':
    case 'dropColumns':
    case 'setLogging':
    case 'createIndex':
    case 'dropIndex':
    case 'createView':
    case 'dropView':
    case 'createUser':
    case 'alterUser':
    case 'dropUser':
    case 'analyze':
    case 'killQuery':
      return prepareDdl(statement, binder, base);
  }
}

/**
 * Prepares the query of `qryexe`: `condition` follows docs/spec/ignite-cluster.md 6.3, and the rows are `_KEY` and
 * `_VAL` of the table.
 */
export function prepareTypeQuery(
  condition: string,
  table: EntryTable,
  catalog: SqlCatalog,
  argumentTypes?: ArgumentTypes,
): PreparedQuery {
  const text = typeQueryText(condition, table);
  const prepared = prepareStatement(text, table.schema, catalog, argumentTypes);
  if (prepared.kind !== 'query') throw sqlFailure('STATEMENT_UNSUPPORTED', condition);
  return prepared;
}

type Base = Omit<PreparedBase, 'tables' | 'untyped'> & Pick<StatementAnalysis, 'cost'>;

function prepareQuery(query: Query, binder: Binder, { cost, ...base }: Base): PreparedQuery {
  const bound = bindQueryTree(query, binder, undefined, []);
  const out = new Emitter(emitQuery, base.text.length);
  const sql = emitQuery(bound, out, 'values');
  const withoutIndex = tableWithoutIndex(bound);
  return {
    ...base,
    kind: 'query',
    sql,
    placeholders: out.placeholders,
    functions: out.functions,
    tables: [...binder.tables].map(entryTable),
    untyped: [...binder.untyped],
    columns: bound.columns.map(describeColumn),
    types: bound.columns.map((column) => column.type),
    joinedWithoutIndex: withoutIndex && entryTable(withoutIndex),
    tableReads: out.tableReads,
    byKey: cost === 'constant' ? hasOneRow(bound) : cost === 'byKey' && isQueryByKey(bound),
  };
}

function prepareChange(statement: ChangeStatement, binder: Binder, { cost, ...base }: Base): PreparedChange {
  const bound = bindChange(statement, binder);
  const out = new Emitter(emitQuery, base.text.length);
  const { steps, insertsFixedRows, emptying } = emitChange(bound, out);
  return {
    ...base,
    kind: 'change',
    change: bound.kind === 'mergeUsing' ? 'merge' : bound.kind,
    target: entryTable(bound.target.table),
    steps,
    emptying,
    placeholders: out.placeholders,
    functions: out.functions,
    tables: [...binder.tables].map(entryTable),
    untyped: [...binder.untyped],
    columns: UPDATED_COLUMNS,
    byKey: cost === 'byKey' && (insertsFixedRows || isChangeByKey(bound)),
  };
}

function existsAltered(
  { table, schema }: Extract<DdlStatement, { kind: 'alterIfExists' }>,
  { catalog, schema: fallback }: Binder,
): boolean {
  if (table === undefined) return schema !== undefined && catalog.schemas().includes(schema.text);
  return catalog.find(table.schema?.text ?? fallback, table.name.text) !== undefined;
}

function prepareDdl(
  statement: Extract<Statement, DdlStatement>,
  binder: Binder,
  { cost: _, ...base }: Base,
): PreparedDdl {
  const rejected = rejectedByService(statement, binder);
  if (statement.kind === 'createView') rejectCycle(statement, binder);
  return { ...base, kind: 'ddl', statement, rejected, columns: UPDATED_COLUMNS, tables: [], untyped: [] };
}

/** Returns the error for a definition that Ignite accepts, but does not follow. */
function rejectedByService(statement: DdlStatement, binder: Binder): SqlFailure | undefined {
  if (statement.kind === 'createView') return failureOfView(statement, binder);
  if (statement.kind !== 'createTable' && statement.kind !== 'addColumns') return undefined;
  const invisible = statement.columns.find((column) => column.invisible);
  return invisible && sqlFailure('INVISIBLE_COLUMN', invisible.name.text);
}

/** Returns the error in a view's query. */
function failureOfView(
  { query, columns }: Extract<DdlStatement, { kind: 'createView' }>,
  binder: Binder,
): SqlFailure | undefined {
  try {
    const bound = bindQueryTree(query, binder, undefined, []);
    const differs = columns.length > 0 && columns.length !== bound.columns.length;
    return differs ? sqlFailure('VIEW_COLUMN_COUNT') : undefined;
  } catch (error) {
    if (error instanceof SqlFailure) return error;
    throw error;
  }
}

/** Throws for a view that would read itself, because no statement could read it. Its query has been bound. */
function rejectCycle({ view }: Extract<DdlStatement, { kind: 'createView' }>, { views, schema }: Binder): void {
  const home = view.schema?.text ?? schema;
  const reads = [...views].some((each) => each.name === view.name.text && each.schema === home);
  if (reads) throw sqlFailureAt({ at: view.name.at }, 'VIEW_READS_ITSELF', view.name.text);
}

function describeColumn(column: BoundResultColumn): Column {
  return {
    schemaName: column.schemaName,
    typeName: column.tableName,
    fieldName: column.name,
    fieldTypeName: javaClassOf(column.type),
  };
}

/** Reports whether a query without tables has at most one row. More rows may need more than one page. */
function hasOneRow({ body }: BoundQuery): boolean {
  return body.kind === 'select' || (body.kind === 'values' && body.rows.length === 1);
}

/** Reports whether the query reads one row by its whole key. The analysis has excluded other sources. */
function isQueryByKey({ body }: BoundQuery): boolean {
  if (body.kind !== 'select' || body.where === undefined) return false;
  const [table] = body.from;
  if (table?.kind !== 'source' || table.source.kind !== 'table') return false;
  return !hasEqualKeys(table.source.table) && determinesKey(table.source.table, body.where);
}

/** Reports whether the condition determines the value of every key column. */
export function determinesKey(table: SqlTable, where: Bound): boolean {
  const keys = table.columns.filter((column) => column.isKey);
  const determined = new Set<unknown>();
  for (const conjunct of conjunctsOf(where)) {
    if (conjunct.kind !== 'comparison' || !isEquality(conjunct)) continue;
    const { left, right } = conjunct;
    if (left.kind !== 'column' || left.source.kind !== 'table' || !isFixed(right)) continue;
    if (left.source.table !== table) continue;
    const column = table.columns[left.column];
    if (column?.isKey === true) determined.add(column);
    if (left.name === '_KEY' && table.keySqlType.name !== 'OTHER') return true;
  }
  return keys.length > 0 && keys.every((key) => determined.has(key));
}

/** Reports whether an UPDATE or DELETE changes one row by its whole key. */
function isChangeByKey(change: BoundChange): boolean {
  switch (change.kind) {
    case 'update':
      return (
        change.where !== undefined && determinesKey(change.target.table, change.where) && change.setRows.length === 0
      );
    case 'delete':
      return change.where !== undefined && determinesKey(change.target.table, change.where);
    case 'insert':
    case 'merge':
    case 'mergeUsing':
      return false;
  }
}
