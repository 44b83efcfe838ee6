/** Binds INSERT, MERGE, UPDATE and DELETE: which value each column gets, converted to the column's type. */

import { columnCountFailure, sqlFailure, sqlFailureAt } from '../../base/sql-errors.ts';
import { SqlFailure } from '../../base/sql-failure.ts';
import type {
  Assignment,
  ChangeStatement,
  CommonTable,
  DeleteStatement,
  Expression,
  InsertStatement,
  MergeStatement,
  MergeUsingStatement,
  Name,
  Query,
  TableReference,
  TargetTable,
  UpdateStatement,
} from '../syntax/ast.ts';
import { nearestWritten } from '../syntax/written-name.ts';
import { bindCount, bindExpression, bindOrderItem } from './bind-expression.ts';
import { bindQuery } from './bind-query.ts';
import { bindTables, tableColumns } from './bind-table.ts';
import type { Binder } from './binder.ts';
import {
  type Bound,
  type BoundOrderItem,
  type BoundQuery,
  type BoundSource,
  type BoundTable,
  constant,
  KEY_COLUMN,
  VALUE_COLUMN,
} from './bound.ts';
import type { SqlColumn, SqlTable } from './catalog.ts';
import { coerce, condition } from './coerce.ts';
import type { ExpressionContext, QueryBinder } from './expression-context.ts';
import { Scope } from './scope.ts';

type TableSource = Extract<BoundSource, { kind: 'table' }>;

/** A column and its new value, in the column's type. */
export interface Stored {
  readonly column: SqlColumn;
  readonly value: Bound;
}

export interface BoundInsert {
  readonly kind: 'insert' | 'merge';
  readonly target: TableSource;
  /**
   * The rows to insert, each with a value for every column of the table in order. They can be read only once: each
   * is bound when it is read, because binding all rows of a long statement would take tens of MiB. Throws the
   * errors of binding.
   */
  readonly rows: Iterable<readonly Stored[]> | undefined;
  /** The query whose rows to insert instead, and the source of each column of the table. */
  readonly query: { readonly query: BoundQuery; readonly columns: readonly QueryStored[] } | undefined;
  /** True if an INSERT stores the rows with new keys before it fails because of the others, as in Ignite. */
  readonly keepsOthers: boolean;
}

export interface QueryStored {
  readonly column: SqlColumn;
  /** Index in the query's columns, or undefined for the default value. */
  readonly from: number | undefined;
  readonly defaultValue: Bound;
}

export interface BoundUpdate {
  readonly kind: 'update';
  readonly target: TableSource;
  readonly set: readonly Stored[];
  /** Columns that are set together from a subquery of several columns. */
  readonly setRows: ReadonlyArray<{ readonly columns: readonly SqlColumn[]; readonly query: BoundQuery }>;
  readonly where: Bound | undefined;
  readonly orderBy: readonly BoundOrderItem[];
  readonly limit: Bound | undefined;
}

export interface BoundDelete {
  readonly kind: 'delete';
  readonly target: TableSource;
  readonly where: Bound | undefined;
  readonly limit: Bound | undefined;
}

export interface BoundMergeUsing {
  readonly kind: 'mergeUsing';
  readonly target: TableSource;
  readonly source: BoundTable;
  /** Sources of the rows, for the columns of the unmatched ones. */
  readonly sources: readonly BoundSource[];
  readonly on: Bound;
  readonly update: { readonly set: readonly Stored[]; readonly where: Bound | undefined } | undefined;
  readonly delete: { readonly where: Bound | undefined } | undefined;
  readonly insert: readonly Stored[] | undefined;
}

export type BoundChange = BoundInsert | BoundUpdate | BoundDelete | BoundMergeUsing;

export function bindChange(statement: ChangeStatement, binder: Binder): BoundChange {
  switch (statement.kind) {
    case 'insert':
    case 'merge':
      return bindInsert(statement, binder);
    case 'update':
      return bindUpdate(statement, binder);
    case 'delete':
      return bindDelete(statement, binder);
    case 'mergeUsing':
      return bindMergeUsing(statement, binder);
  }
}

function bindTarget(target: TargetTable, binder: Binder): TableSource {
  const entry = binder.requireTable(target.schema, target.name);
  if (entry.kind !== 'table') {
    throw sqlFailureAt({ at: target.name.at }, 'TABLE_READ_ONLY', target.name.text);
  }
  const { table } = entry;
  const alias = target.alias?.text ?? target.name.text;
  return { kind: 'table', id: binder.nextId(), alias, table, columns: tableColumns(table) };
}

/** Returns a column of the target. `_KEY` and `_VAL` name the column that is the whole key or value. */
function requireColumn(table: SqlTable, name: Name): SqlColumn {
  const found = table.columns.find((column) => column.name === name.text);
  if (found !== undefined) return found;
  const part = name.text === KEY_COLUMN ? 'key' : name.text === VALUE_COLUMN ? 'value' : undefined;
  if (part === undefined) {
    throw sqlFailureAt(
      {
        at: name.at,
        suggestion: nearestWritten(
          name.text,
          table.columns.map((column) => column.name),
        ),
      },
      'COLUMN_NOT_FOUND',
      name.text,
    );
  }
  const whole = storedColumns(table).find(({ whole: of }) => of === part);
  if (whole !== undefined) return whole;
  throw sqlFailure(part === 'key' ? 'COMPOSITE_KEY_INSERT' : 'COMPOSITE_VALUE_UPDATE');
}

/** Returns the columns of an inserted row. */
function storedColumns({ columns, hiddenKey }: SqlTable): readonly SqlColumn[] {
  return hiddenKey === undefined ? columns : [...columns, hiddenKey];
}

/** The same for a statement that provides values for some columns: an entry has no default values. */
function filledColumns(table: SqlTable, given: readonly SqlColumn[]): readonly SqlColumn[] {
  return table.isOfEntries === true ? given : storedColumns(table);
}

/** Converts a value to the type of the column, without its bounds: a value out of bounds is an error, not truncated. */
function stored(column: SqlColumn, value: Bound): Stored {
  // Values in a column of any type keep the type that they are written with.
  if (column.type.isAny === true)
    return { column, value: value.kind === 'parameter' ? { ...value, type: column.type } : value };
  try {
    return { column, value: coerce(value, { name: column.type.name, className: column.type.className }) };
  } catch (error) {
    if (!(error instanceof SqlFailure)) throw error;
    throw error.within({ column: column.name });
  }
}

function defaultOf(column: SqlColumn): Bound {
  const { type, data } = column.defaultData ?? { type: column.type, data: null };
  return constant(type, data);
}

/** Returns a function that binds a statement's queries, which may read the common tables in front of it. */
function queryBinder(tables: readonly CommonTable[], binder: Binder): QueryBinder {
  if (tables.length === 0) return bindQuery;
  // Finds the errors of tables that no query reads.
  bindQuery({ ...ONE_ROW, with: tables }, binder, undefined, []);
  return (query, ...others) => bindQuery({ ...query, with: [...tables, ...query.with] }, ...others);
}

const ONE_ROW: Query = {
  kind: 'query',
  with: [],
  body: { kind: 'values', rows: [[{ kind: 'literal', type: { name: 'INTEGER' }, data: 1n, at: 0 }]], at: 0 },
  orderBy: [],
  limit: undefined,
  offset: undefined,
};

/** Returns a table after USING, or a query of the common table that it names: queries have what WITH declares. */
function withoutCommonTables(table: TableReference): TableReference {
  if (table.kind === 'join') {
    return { ...table, left: withoutCommonTables(table.left), right: withoutCommonTables(table.right) };
  }
  if (table.kind !== 'table' || table.target.commonTable === undefined) return table;
  const from: TableReference = { ...table, alias: undefined, columns: [] };
  const items = [{ kind: 'star', schema: undefined, table: undefined, at: table.name.at }] as const;
  const select = { distinct: false, items, from: [from], where: undefined, groupBy: [], having: undefined } as const;
  const query: Query = { ...ONE_ROW, body: { kind: 'select', ...select } };
  return { kind: 'derived', query, alias: table.alias ?? table.name, columns: table.columns };
}

function emptyContext(binder: Binder, bindQueries: QueryBinder): ExpressionContext {
  return { binder, scope: new Scope(undefined), commonTables: [], aggregates: false, bindQuery: bindQueries };
}

function bindInsert(statement: InsertStatement | MergeStatement, binder: Binder): BoundInsert {
  const target = bindTarget(statement.target, binder);
  const { table } = target;
  // Ignite also counts the columns _KEY and _VAL.
  if (statement.kind === 'merge' && statement.columns === undefined && binder.asIgnite)
    throw sqlFailure('COLUMN_COUNT');
  const columns = bindColumns(statement.columns, table);
  if (statement.kind === 'merge') for (const key of statement.keys ?? []) requireColumn(table, key);
  const { source, kind } = statement;
  const keepsOthers = kind === 'insert' && binder.asIgnite;
  const hasDefaults = !binder.asIgnite && table.isOfEntries !== true;
  if (!hasDefaults && source.kind !== 'query' && source.rows.flat().some(isDefault))
    throw sqlFailure('EXPLICIT_DEFAULT', kind.toUpperCase());
  if (source.kind === 'query') {
    const query = queryBinder(statement.with, binder)(source.query, binder, undefined, []);
    if (query.columns.length !== columns.length) throw columnCountFailure(query.columns.length, columns);
    requireKey(table, columns);
    const stores = filledColumns(table, columns).map((column) => {
      const from = columns.indexOf(column);
      return { column, from: from < 0 ? undefined : from, defaultValue: stored(column, defaultOf(column)).value };
    });
    return { kind, target, rows: undefined, query: { query, columns: stores }, keepsOthers };
  }
  const context = emptyContext(binder, queryBinder(statement.with, binder));
  const unlike = source.rows.find((row) => row.length !== columns.length);
  if (unlike !== undefined) throw columnCountFailure(unlike.length, columns);
  requireKey(table, columns);
  const rows = bindRows(source.rows, filledColumns(table, columns), columns, context);
  return { kind, target, rows, query: undefined, keepsOthers };
}

/** Binds rows with values for `given`, one after another. */
function* bindRows(
  rows: ReadonlyArray<readonly Expression[]>,
  columns: readonly SqlColumn[],
  given: readonly SqlColumn[],
  context: ExpressionContext,
): Generator<readonly Stored[]> {
  const places = columns.map((column) => given.indexOf(column));
  for (const row of rows) {
    yield columns.map((column, at) => {
      const value = row[places[at] ?? -1];
      return stored(column, value === undefined ? defaultOf(column) : bindValue(value, column, context));
    });
  }
}

function isDefault({ kind }: Expression): boolean {
  return kind === 'default';
}

function bindValue(value: Expression, column: SqlColumn, context: ExpressionContext): Bound {
  return value.kind === 'default' ? defaultOf(column) : bindExpression(value, context);
}

function bindColumns(names: readonly Name[] | undefined, table: SqlTable): readonly SqlColumn[] {
  if (names === undefined) return table.columns;
  const columns = names.map((name) => requireColumn(table, name));
  columns.forEach((column, at) => {
    if (columns.indexOf(column) !== at) throw sqlFailure('DUPLICATE_COLUMN', column.name);
  });
  return columns;
}

/** Throws if a row would have no key. Missing columns of a composite key are NULL. */
function requireKey(table: SqlTable, columns: readonly SqlColumn[]): void {
  if (table.isOfEntries === true) {
    const missing = [KEY_COLUMN, VALUE_COLUMN].find((name) => columns.every((column) => column.name !== name));
    if (missing !== undefined) throw sqlFailure('ENTRY_PART', missing);
    return;
  }
  const keys = storedColumns(table).filter((column) => column.isKey);
  if (keys.length === 0) throw sqlFailure('NO_KEY_COLUMNS', table.name);
  const single = keys.length === 1;
  const given = keys.some((column) => columns.includes(column) || column.defaultData !== undefined);
  if (!given && (single || columns.length === 0)) {
    throw sqlFailure('UPDATE_PLAN', keys.map(({ name }) => name).join(', '));
  }
}

function targetContext(statement: ChangeStatement, binder: Binder, target: TableSource): ExpressionContext {
  const context = emptyContext(binder, queryBinder(statement.with, binder));
  context.scope.add(target);
  return context;
}

function bindUpdate(statement: UpdateStatement, binder: Binder): BoundUpdate {
  const target = bindTarget(statement.target, binder);
  const context = targetContext(statement, binder, target);
  const hasDefaults = !binder.asIgnite && target.table.isOfEntries !== true;
  if (!hasDefaults && statement.assignments.some(({ value }) => value.kind === 'default'))
    throw sqlFailure('UPDATE_DEFAULT');
  const { set, setRows } = bindAssignments(statement.assignments, target.table, context);
  return {
    kind: 'update',
    target,
    set,
    setRows,
    where: statement.where === undefined ? undefined : condition(bindExpression(statement.where, context)),
    orderBy: statement.orderBy.map((item) => bindOrderItem(item, context)),
    limit: bindCount(statement.limit, context),
  };
}

function bindAssignments(
  assignments: readonly Assignment[],
  table: SqlTable,
  context: ExpressionContext,
): Pick<BoundUpdate, 'set' | 'setRows'> {
  const set: Stored[] = [];
  const setRows: Array<{ columns: readonly SqlColumn[]; query: BoundQuery }> = [];
  const seen = new Set<SqlColumn>();
  for (const { columns: names, value } of assignments) {
    const columns = names.map((name) => requireColumn(table, name));
    for (const column of columns) {
      if (column.isKey || isKeyOfEntry(table, column)) throw sqlFailure('KEY_UPDATE');
      if (seen.has(column)) throw sqlFailure('DUPLICATE_COLUMN', column.name);
      seen.add(column);
    }
    const [only] = columns;
    if (columns.length === 1 && only !== undefined) {
      set.push(stored(only, bindValue(value, only, context)));
    } else if (value.kind === 'subquery') {
      const query = context.bindQuery(value.query, context.binder, context.scope, context.commonTables);
      if (query.columns.length !== columns.length) throw columnCountFailure(query.columns.length, columns);
      setRows.push({ columns, query });
    } else if (value.kind === 'row' && value.items.length === columns.length) {
      columns.forEach((column, at) => {
        const item = value.items[at];
        if (item !== undefined) set.push(stored(column, bindValue(item, column, context)));
      });
    } else {
      throw columnCountFailure(value.kind === 'row' ? value.items.length : 1, columns);
    }
  }
  if (table.isOfEntries === true) checkEntryUpdate(seen, setRows.length > 0);
  return { set, setRows };
}

function isKeyOfEntry({ isOfEntries }: SqlTable, { name }: SqlColumn): boolean {
  return isOfEntries === true && (name === KEY_COLUMN || name === 'KEY_TYPE');
}

/** Throws for assignments to parts of an entry that contradict each other. */
function checkEntryUpdate(columns: ReadonlySet<SqlColumn>, hasRows: boolean): void {
  if (hasRows) throw sqlFailure('ENTRY_ROW');
  const names = new Set([...columns].map(({ name }) => name));
  if (names.has('VALUE_TYPE') && !names.has(VALUE_COLUMN)) throw sqlFailure('ENTRY_TYPE');
}

function bindDelete(statement: DeleteStatement, binder: Binder): BoundDelete {
  const target = bindTarget(statement.target, binder);
  const context = targetContext(statement, binder, target);
  return {
    kind: 'delete',
    target,
    where: statement.where === undefined ? undefined : condition(bindExpression(statement.where, context)),
    limit: bindCount(statement.limit, context),
  };
}

function bindMergeUsing(statement: MergeUsingStatement, binder: Binder): BoundMergeUsing {
  const target = bindTarget(statement.target, binder);
  const context = targetContext(statement, binder, target);
  const [source] = bindTables([withoutCommonTables(statement.source)], context);
  if (source === undefined) throw sqlFailure('COLUMN_COUNT');
  const sources = context.scope.sources.filter((each) => each !== target);
  const outer = new Scope(undefined);
  outer.sources.push(...sources);
  const insertContext: ExpressionContext = { ...context, scope: outer };
  const where = (expression: Expression | undefined): Bound | undefined =>
    expression === undefined ? undefined : condition(bindExpression(expression, context));
  const on = condition(bindExpression(statement.on, context));
  let update: BoundMergeUsing['update'];
  if (statement.update !== undefined) {
    const { set, setRows } = bindAssignments(statement.update.assignments, target.table, context);
    if (setRows.length > 0) throw sqlFailure('MERGE_SUBQUERY');
    update = { set, where: where(statement.update.where) };
  }
  let insert: BoundMergeUsing['insert'];
  if (statement.insert !== undefined) {
    const { values } = statement.insert;
    const columns = bindColumns(statement.insert.columns, target.table);
    if (values.length !== columns.length) throw columnCountFailure(values.length, columns);
    requireKey(target.table, columns);
    if (target.table.isOfEntries === true && values.some(isDefault)) throw sqlFailure('EXPLICIT_DEFAULT', 'INSERT');
    insert = filledColumns(target.table, columns).map((column) => {
      const value = values[columns.indexOf(column)];
      return stored(column, value === undefined ? defaultOf(column) : bindValue(value, column, insertContext));
    });
  }
  return {
    kind: 'mergeUsing',
    target,
    source,
    sources,
    on,
    update,
    delete: statement.delete === undefined ? undefined : { where: where(statement.delete.where) },
    insert,
  };
}
