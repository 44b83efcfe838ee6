/** Binds the tables after FROM. */

import { SQL_BOUNDS } from '../../base/limits.ts';
import { columnCountFailure, sqlFailure, sqlFailureAt } from '../../base/sql-errors.ts';
import { BIGINT, VARCHAR } from '../functions/definition.ts';
import type { Expression, Name, TableAlias, TableReference } from '../syntax/ast.ts';
import { parseStatement } from '../syntax/parser.ts';
import type { SqlType } from '../types/sql-types.ts';
import { bindExpression } from './bind-expression.ts';
import { type Binder, PUBLIC_SCHEMA } from './binder.ts';
import {
  type Bound,
  type BoundResultColumn,
  type BoundSource,
  type BoundTable,
  constant,
  KEY_COLUMN,
  VALUE_COLUMN,
} from './bound.ts';
import { comparison } from './build.ts';
import { and } from './build-logic.ts';
import type { SqlTable, SqlView } from './catalog.ts';
import { coerce, condition } from './coerce.ts';
import type { ExpressionContext } from './expression-context.ts';
import { findColumn, Scope } from './scope.ts';

/** Names of the primary key's index in Ignite. */
const KEY_INDEXES: ReadonlySet<string> = new Set(['_key_PK', '_key_PK_proxy', '_key_PK_hash']);

/** Binds the tables and adds their columns to the scope of the context. */
export function bindTables(references: readonly TableReference[], context: ExpressionContext): BoundTable[] {
  const count = references.reduce((sum, reference) => sum + tableCount(reference), 0);
  if (count > SQL_BOUNDS.joinedTables) throw sqlFailure('STATEMENT_TOO_LARGE', 'it joins too many tables');
  return references.map((reference) => bindReference(reference, context));
}

function tableCount(reference: TableReference): number {
  return reference.kind === 'join' ? tableCount(reference.left) + tableCount(reference.right) : 1;
}

function bindReference(reference: TableReference, context: ExpressionContext): BoundTable {
  if (reference.kind === 'join') return bindJoin(reference, context);
  const source = bindSource(reference, context);
  context.scope.add(source);
  return { kind: 'source', source };
}

type JoinReference = Extract<TableReference, { kind: 'join' }>;

function bindJoin(reference: JoinReference, context: ExpressionContext): BoundTable {
  const { scope } = context;
  const before = scope.sources.length;
  const left = bindReference(reference.left, context);
  const middle = scope.sources.length;
  const right = bindReference(reference.right, context);
  const leftSources = scope.sources.slice(before, middle);
  const rightSources = scope.sources.slice(middle);
  const conditions: Bound[] = [];
  const names = reference.natural ? naturalNames(leftSources, rightSources, context.binder) : reference.using;
  for (const name of names)
    conditions.push(joinColumns(name, leftSources, rightSources, scope, reference.join === 'right'));
  if (reference.on !== undefined) {
    conditions.push(condition(bindExpression(reference.on, context)));
  }
  const on = conditions.length === 0 ? undefined : and(conditions);
  // Ignite reads the right table of a RIGHT JOIN first, which shows in the column order of `*`.
  if (reference.join === 'right') {
    scope.sources.splice(before, scope.sources.length - before, ...rightSources, ...leftSources);
    return { kind: 'join', join: 'left', left: right, right: left, on: on ?? constant({ name: 'BOOLEAN' }, true) };
  }
  if (reference.join === 'left')
    return { kind: 'join', join: 'left', left, right, on: on ?? constant({ name: 'BOOLEAN' }, true) };
  return { kind: 'join', join: 'inner', left, right, on };
}

/**
 * Returns the names that NATURAL JOIN compares: in Ignite, the names of the preceding table, with `_KEY` and `_VAL`.
 */
function naturalNames(left: readonly BoundSource[], right: readonly BoundSource[], binder: Binder): Name[] {
  if (!binder.asIgnite) return commonNames(left, right);
  const before = left.slice(-1);
  const hidden = [...before, ...right].every((source) => source.kind === 'table') ? [KEY_COLUMN, VALUE_COLUMN] : [];
  return [...commonNames(before, right), ...hidden.map((text) => ({ text, at: 0 }))];
}

function commonNames(left: readonly BoundSource[], right: readonly BoundSource[]): Name[] {
  const rightNames = new Set(right.flatMap((source) => source.columns.map((column) => column.name)));
  const names = left.flatMap((source) => source.columns.map((column) => column.name));
  return [...new Set(names)].filter((name) => rightNames.has(name)).map((text) => ({ text, at: 0 }));
}

function joinColumns(
  name: Name,
  left: readonly BoundSource[],
  right: readonly BoundSource[],
  scope: Scope,
  keepRight: boolean,
): Bound {
  const [a, b] = [findIn(left, name), findIn(right, name)];
  const hidden = keepRight ? a : b;
  if (hidden.kind === 'column') scope.merge(hidden.source, hidden.column);
  return comparison('=', a, b);
}

function findIn(sources: readonly BoundSource[], name: Name): Bound {
  for (const source of sources) {
    const column = findColumn(source, name.text);
    if (column !== undefined) return column;
  }
  throw sqlFailureAt({ at: name.at }, 'COLUMN_NOT_FOUND', name.text);
}

function bindSource(reference: Exclude<TableReference, JoinReference>, context: ExpressionContext): BoundSource {
  const { binder, scope, commonTables } = context;
  switch (reference.kind) {
    case 'derived': {
      const query = binder.insideTable(() => context.bindQuery(reference.query, binder, scope.parent, commonTables));
      const alias = reference.alias?.text;
      const id = binder.nextId();
      const isValues = reference.query.body.kind === 'values';
      const columns = derivedColumns(query.columns, reference, isValues ? 'TABLE' : (alias ?? `_${id}`));
      rejectUntyped(columns);
      return { kind: 'query', id, alias, columns, query };
    }
    case 'tableFunction':
      return bindTableFunction(reference, context);
    case 'columnsTable':
      return bindColumnsTable(reference, context);
    case 'table':
      return bindNamedTable(reference, context);
  }
}

/** Returns the columns of a derived table, as the outer query sees them. Throws 42121 for duplicate names. */
function derivedColumns(
  columns: readonly BoundResultColumn[],
  { columns: names }: TableAlias,
  tableName: string,
): BoundResultColumn[] {
  if (names.length > 0 && names.length !== columns.length) throw columnCountFailure(names.length, columns, 'name');
  const seen = new Set<string>();
  return columns.map((column, at) => {
    const name = names[at]?.text ?? column.name;
    if (seen.has(name)) throw sqlFailure('DUPLICATE_COLUMN', name);
    seen.add(name);
    const derived = { name: column.name, type: column.type, schemaName: PUBLIC_SCHEMA, tableName };
    return { ...derived, ...renamedTo(derived, name) };
  });
}

/** Throws 50004 for a column that is only a parameter, because the outer query cannot infer its type. */
function rejectUntyped(columns: readonly BoundResultColumn[]): void {
  const untyped = columns.find((column) => column.type.name === 'UNKNOWN');
  if (untyped !== undefined) throw sqlFailure('TYPE_UNKNOWN', untyped.name);
}

function bindNamedTable(
  reference: Extract<TableReference, { kind: 'table' }>,
  context: ExpressionContext,
): BoundSource {
  const { binder, commonTables } = context;
  const { schema, name, target } = reference;
  const id = binder.nextId();
  const alias = reference.alias?.text ?? name.text;
  if (target.commonTable !== undefined) {
    const common = commonTables.find((table) => table.target === target.commonTable);
    if (common === undefined) throw new Error(`common table ${name.text} is not visible where it is read`);
    return { kind: 'commonTable', id, alias, name: common.id, columns: renamed(common.columns, reference) };
  }
  if (name.text === 'DUAL' && (schema === undefined || schema.text === 'SYS')) return dual(id, alias);
  const entry = binder.requireTable(schema, name);
  switch (entry.kind) {
    case 'table':
      checkHint(reference.indexHint, entry.table);
      return { kind: 'table', id, alias, table: entry.table, columns: renamed(tableColumns(entry.table), reference) };
    case 'view':
      return bindView(entry.view, id, alias, reference, context);
    case 'virtual': {
      const { table } = entry;
      const columns = table.columns.map((column) => ({ ...column, schemaName: table.schema, tableName: table.name }));
      return { kind: 'virtual', id, alias, table, columns: renamed(columns, reference) };
    }
  }
}

export function tableColumns(table: SqlTable): BoundResultColumn[] {
  return table.columns.map(({ name, type }) => ({ name, type, schemaName: table.schema, tableName: table.name }));
}

function renamed(columns: readonly BoundResultColumn[], { columns: names }: TableAlias): readonly BoundResultColumn[] {
  if (names.length === 0) return columns;
  if (names.length !== columns.length) throw columnCountFailure(names.length, columns, 'name');
  return columns.map((column, at) => ({ ...column, ...renamedTo(column, names[at]?.text) }));
}

function renamedTo(
  column: BoundResultColumn,
  name: string | undefined,
): Pick<BoundResultColumn, 'name' | 'originalName'> {
  if (name === undefined || name === column.name) return column;
  return { name, originalName: column.originalName ?? column.name };
}

function checkHint(names: readonly Name[] | undefined, table: SqlTable): void {
  for (const name of names ?? []) {
    if (KEY_INDEXES.has(name.text) || table.indexes.some((index) => index.name === name.text)) continue;
    throw sqlFailureAt({ at: name.at }, 'INDEX_NOT_FOUND', name.text);
  }
}

/** Returns the table DUAL: one row with a dummy column. */
function dual(id: number, alias: string): BoundSource {
  const columns = [{ name: 'X', type: BIGINT, schemaName: PUBLIC_SCHEMA, tableName: 'SYSTEM_RANGE' }];
  const one = constant(BIGINT, 1n);
  return { kind: 'range', id, alias, columns, low: one, high: one, step: one };
}

function bindView(
  view: SqlView,
  id: number,
  alias: string,
  reference: TableAlias,
  context: ExpressionContext,
): BoundSource {
  const { binder } = context;
  const query = binder.insideView(view, () => {
    const { statement } = parseStatement(view.query);
    if (statement.kind !== 'query') throw sqlFailure('VIEW_INVALID', view.name);
    return context.bindQuery(statement, binder, undefined, []);
  });
  const columns = query.columns.map((column, at) => ({
    name: view.columns[at] ?? column.name,
    type: column.type,
    schemaName: view.schema,
    tableName: view.name,
  }));
  return { kind: 'query', id, alias, columns: renamed(columns, reference), query };
}

function bindTableFunction(
  reference: Extract<TableReference, { kind: 'tableFunction' }>,
  context: ExpressionContext,
): BoundSource {
  const id = context.binder.nextId();
  const alias = reference.alias?.text ?? reference.name.text;
  const outside: ExpressionContext = { ...context, scope: new Scope(context.scope.parent) };
  const args = reference.args.map((arg) => bindExpression(arg, outside));
  if (reference.name.text === 'SYSTEM_RANGE') {
    const [low, high, step = constant(BIGINT, 1n)] = args;
    if (low === undefined || high === undefined || args.length > 3) {
      throw sqlFailure('PARAMETER_COUNT', 'SYSTEM_RANGE', '2..3');
    }
    const columns = renamed(
      [{ name: 'X', type: BIGINT, schemaName: PUBLIC_SCHEMA, tableName: 'SYSTEM_RANGE' }],
      reference,
    );
    return {
      kind: 'range',
      id,
      alias,
      columns,
      low: coerce(low, BIGINT),
      high: coerce(high, BIGINT),
      step: coerce(step, BIGINT),
    };
  }
  const columns = args.map((arg, at) => ({
    name: `C${at + 1}`,
    type: arg.type.element ?? VARCHAR,
    schemaName: PUBLIC_SCHEMA,
    tableName: 'UNNEST',
  }));
  return {
    kind: 'arrays',
    id,
    alias,
    columns: renamed(columns, reference),
    arrays: args.map(asArray),
    distinct: false,
  };
}

function bindColumnsTable(
  reference: Extract<TableReference, { kind: 'columnsTable' }>,
  context: ExpressionContext,
): BoundSource {
  const id = context.binder.nextId();
  const outside: ExpressionContext = { ...context, scope: new Scope(context.scope.parent) };
  const columns = reference.members.map(({ name, type }) => ({
    name: name.text,
    type,
    schemaName: PUBLIC_SCHEMA,
    tableName: reference.alias?.text ?? 'TABLE',
  }));
  const arrays = reference.members.map((member) => elements(member.values, member.type, outside));
  return {
    kind: 'arrays',
    id,
    alias: reference.alias?.text,
    columns: renamed(columns, reference),
    arrays,
    distinct: reference.distinct,
  };
}

/** Converts a value to its column's type. A column of the type NULL has no other value. */
function element(value: Bound, type: SqlType): Bound {
  return type.name === 'NULL' ? constant(type, null) : coerce(value, type);
}

/** Binds the values of one column of TABLE(...), converted to the column's type. */
function elements(values: Expression, type: SqlType, context: ExpressionContext): Bound {
  const bound = bindExpression(values, context);
  const arrayType: SqlType = { name: 'ARRAY', element: type };
  if (bound.kind === 'row')
    return { kind: 'row', type: arrayType, items: bound.items.map((item) => element(item, type)) };
  if (bound.type.name === 'UNKNOWN') return coerce(bound, arrayType);
  if (bound.type.name === 'ARRAY') return coerce(bound, arrayType);
  return { kind: 'row', type: arrayType, items: [element(bound, type)] };
}

function asArray(bound: Bound): Bound {
  if (bound.kind === 'row' || bound.type.name === 'ARRAY') return bound;
  return coerce(bound, { name: 'ARRAY', element: VARCHAR });
}
