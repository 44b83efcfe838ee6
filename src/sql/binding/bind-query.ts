/** Binds queries: their tables, select lists, groups and orders. */

import { sqlFailure, sqlFailureAt } from '../../base/sql-errors.ts';
import { VARCHAR } from '../functions/definition.ts';
import type {
  CommonTable,
  Expression,
  OrderItem,
  Query,
  QueryBody,
  SelectBody,
  TableReference,
} from '../syntax/ast.ts';
import type { SqlType } from '../types/sql-types.ts';
import { aggregationOf } from './aggregation.ts';
import { bindCount, bindExpression } from './bind-expression.ts';
import { aliasesOf, bindItems, hasStar } from './bind-items.ts';
import { type BoundOrder, bindResultOrder, bindSelectOrder } from './bind-order.ts';
import { bindTables } from './bind-table.ts';
import { checkWindows } from './bind-window.ts';
import type { Binder, CommonTableEntry } from './binder.ts';
import {
  type Bound,
  type BoundBody,
  type BoundCommonTable,
  type BoundItem,
  type BoundQuery,
  type BoundResultColumn,
  type BoundSelect,
  isAggregated,
  partsOf,
} from './bound.ts';
import { commonType } from './build.ts';
import { coerce, coerceWhenNeeded, condition } from './coerce.ts';
import { deparse } from './deparser.ts';
import type { ExpressionContext } from './expression-context.ts';
import { ungroupedColumns } from './grouping.ts';
import { withCountedRange, withIgniteRanges } from './range-rows.ts';
import { checkRecursion } from './recursion.ts';
import { Scope } from './scope.ts';

/** A bound body with the columns of its result. */
interface BoundResult {
  readonly body: BoundBody;
  readonly columns: readonly BoundResultColumn[];
}

export function bindQuery(
  query: Query,
  binder: Binder,
  parent: Scope | undefined,
  around: readonly CommonTableEntry[],
  recursion?: Recursion,
): BoundQuery {
  const known = [...around];
  const commonTables: BoundCommonTable[] = [];
  for (const table of query.with) {
    const { entry, query: bound } = bindCommonTable(table, binder, parent, known);
    commonTables.push({ name: entry.id, query: bound });
    known.push(entry);
  }
  const environment: QueryContext = { binder, parent, commonTables: known };
  const { body, columns, orderBy } = bindOrdered(query, environment, recursion);
  const context: ExpressionContext = {
    binder,
    scope: new Scope(parent),
    commonTables: known,
    aggregates: false,
    bindQuery,
  };
  return {
    with: commonTables,
    body,
    columns,
    orderBy,
    limit: bindCount(query.limit, context),
    offset: bindCount(query.offset, context),
  };
}

interface QueryContext {
  readonly binder: Binder;
  readonly parent: Scope | undefined;
  readonly commonTables: readonly CommonTableEntry[];
}

/** Returns the table that the second operand of a recursive common table reads, given the columns of the first one. */
type Recursion = (columns: readonly BoundResultColumn[]) => CommonTableEntry;

/** ORDER BY of a select refers to the select's scope; in other bodies it refers to the result columns. */
function bindOrdered(
  query: Query,
  environment: QueryContext,
  recursion: Recursion | undefined,
): BoundResult & { readonly orderBy: readonly BoundOrder[] } {
  if (query.body.kind === 'select') return bindSelect(query.body, query.orderBy, environment);
  const { body, columns } = bindBody(query.body, environment, recursion);
  return { body, columns, orderBy: query.orderBy.map((item) => bindResultOrder(item, columns)) };
}

function bindBody(body: QueryBody, environment: QueryContext, recursion?: Recursion): BoundResult {
  switch (body.kind) {
    case 'select': {
      const { body: bound, columns } = bindSelect(body, [], environment);
      return { body: bound, columns };
    }
    case 'values':
      return bindValues(body.rows, environment);
    case 'nested': {
      const query = bindQuery(body.query, environment.binder, environment.parent, environment.commonTables);
      return { body: { kind: 'nested', query }, columns: query.columns };
    }
    case 'setOperation': {
      const left = bindBody(body.left, environment);
      const { commonTables } = environment;
      const seen = recursion === undefined ? commonTables : [...commonTables, recursion(left.columns)];
      const right = bindBody(body.right, { ...environment, commonTables: seen });
      return unite(body.operator, left, right);
    }
  }
}

type SetOperator = Extract<QueryBody, { kind: 'setOperation' }>['operator'];

function unite(operator: SetOperator, left: BoundResult, right: BoundResult): BoundResult {
  if (left.columns.length !== right.columns.length) {
    const about = `${left.columns.length} and ${right.columns.length} columns`;
    throw sqlFailureAt({ about }, 'COLUMN_COUNT');
  }
  const types = left.columns.map((column, at) => commonColumnType(column.type, right.columns[at]?.type ?? column.type));
  const columns = left.columns.map((column, at) => ({
    name: column.name,
    type: types[at] ?? column.type,
    schemaName: '',
    tableName: '',
  }));
  return {
    body: { kind: 'setOperation', operator, left: converted(left, types), right: converted(right, types) },
    columns,
  };
}

function commonColumnType(a: SqlType, b: SqlType): SqlType {
  // Dates stay dates, even in columns declared as timestamps.
  if (a.name === 'DATE' && b.name === 'DATE') return a.className === undefined ? b : a;
  const placeholder = (type: SqlType): Bound => ({ kind: 'parameter', type, index: 0, compared: false });
  return commonType([placeholder(a), placeholder(b)]);
}

/** Returns the body with its columns converted to the types. */
function converted({ body, columns }: BoundResult, types: readonly SqlType[]): BoundBody {
  if (columns.every((column, at) => column.type.name === types[at]?.name)) return body;
  switch (body.kind) {
    case 'select': {
      const items = body.items.map((item, at) => {
        const type = types[at] ?? item.column.type;
        return { expression: coerceWhenNeeded(item.expression, type), column: { ...item.column, type } };
      });
      return { ...body, items };
    }
    case 'values':
      return {
        ...body,
        rows: body.rows.map((row) => row.map((value, at) => coerceWhenNeeded(value, types[at] ?? value.type))),
      };
    case 'setOperation':
      return {
        ...body,
        left: converted({ body: body.left, columns }, types),
        right: converted({ body: body.right, columns }, types),
      };
    case 'nested':
      return converted({ body: selectAll(body.query), columns }, types);
  }
}

/** Returns `SELECT * FROM (query)`. */
export function selectAll(query: BoundQuery): BoundSelect {
  const source = { kind: 'query', id: -1, alias: undefined, columns: query.columns, query } as const;
  const items = query.columns.map((column, at): BoundItem => {
    const expression: Bound = {
      kind: 'column',
      type: column.type,
      source,
      column: at,
      name: column.name,
      qualifier: undefined,
    };
    return { expression, column };
  });
  return { ...EMPTY_SELECT, items, from: [{ kind: 'source', source }] };
}

const EMPTY_SELECT = {
  kind: 'select',
  distinct: false,
  where: undefined,
  groupBy: [],
  having: undefined,
  aggregated: false,
  ungrouped: [],
} as const;

function bindValues(rows: ReadonlyArray<readonly Expression[]>, environment: QueryContext): BoundResult {
  const { binder, parent, commonTables } = environment;
  const context: ExpressionContext = { binder, scope: new Scope(parent), commonTables, aggregates: false, bindQuery };
  const bound = rows.map((row) => row.map((value) => bindExpression(value, context)));
  const [first] = bound;
  if (first === undefined || bound.some((row) => row.length !== first.length)) throw sqlFailure('COLUMN_COUNT');
  const types = first.map((_, at) => {
    const column = bound.flatMap((row) => row[at] ?? []);
    binder.noteUntyped(column);
    return commonType(column);
  });
  const columns = types.map((type, at) => ({ name: `C${at + 1}`, type, schemaName: 'PUBLIC', tableName: 'TABLE' }));
  return {
    body: { kind: 'values', rows: bound.map((row) => row.map((value, at) => coerce(value, types[at] ?? value.type))) },
    columns,
  };
}

function bindCommonTable(
  table: CommonTable,
  binder: Binder,
  parent: Scope | undefined,
  known: readonly CommonTableEntry[],
): { readonly entry: CommonTableEntry; readonly query: BoundQuery } {
  const id = `w${binder.nextId()}`;
  const named = (columns: readonly BoundResultColumn[]): CommonTableEntry => ({
    target: table.id,
    id,
    columns: columns.map((column, at) => ({
      name: table.columns[at]?.text ?? column.name,
      type: column.type,
      schemaName: 'PUBLIC',
      tableName: table.name.text,
    })),
  });
  const recursion: Recursion = (columns) =>
    named(columns.map((column) => (column.type.name === 'UNKNOWN' ? { ...column, type: VARCHAR } : column)));
  const query = bindQuery(table.query, binder, parent, known, table.recursiveReads > 0 ? recursion : undefined);
  checkRecursion(table, query);
  if (table.columns.length > 0 && table.columns.length !== query.columns.length) throw sqlFailure('COLUMN_COUNT');
  return { entry: named(query.columns), query };
}

/** The table of `SELECT *` without FROM. */
const ONE_ROW: readonly TableReference[] = [
  {
    kind: 'table',
    schema: undefined,
    name: { text: 'DUAL', at: 0 },
    target: { commonTable: undefined },
    alias: undefined,
    columns: [],
    indexHint: undefined,
  },
];

function bindSelect(
  select: SelectBody,
  order: readonly OrderItem[],
  environment: QueryContext,
): BoundResult & { readonly body: BoundSelect; readonly orderBy: readonly BoundOrder[] } {
  const { binder, parent, commonTables } = environment;
  const scope = new Scope(parent);
  const plain: ExpressionContext = { binder, scope, commonTables, aggregates: false, bindQuery };
  const tables = bindTables(select.from.length === 0 && hasStar(select) ? ONE_ROW : select.from, plain);
  const where = select.where === undefined ? undefined : condition(bindExpression(select.where, plain));
  const from = binder.asIgnite ? withIgniteRanges(tables, where) : tables;
  scope.aggregation = aggregationOf(select, scope, where);
  const items = bindItems(select, { ...plain, aggregates: true, windows: true });
  const context: ExpressionContext = { ...plain, aggregates: true, aliases: aliasesOf(select, items) };
  const groupBy = select.groupBy.map((expression) => bindGroup(expression, context));
  const having = select.having === undefined ? undefined : condition(bindExpression(select.having, context));
  for (const bound of [...groupBy, ...(having === undefined ? [] : [having])]) rejectWindows(bound);
  const orderBy = order.map((item) => bindSelectOrder(item, items, select.distinct, { ...context, windows: true }));
  const aggregated = scope.hasAggregate || (having !== undefined && groupBy.length === 0);
  const beside = [
    ...items.map(({ expression }) => expression),
    ...(having === undefined ? [] : [having]),
    ...orderBy.flatMap((item) => ('expression' in item ? [item.expression] : [])),
  ];
  checkWindows(beside);
  const isGrouped = aggregated || groupBy.length > 0;
  const body: BoundSelect = {
    kind: 'select',
    distinct: select.distinct,
    items,
    from,
    where,
    groupBy,
    having,
    aggregated,
    ungrouped: isGrouped ? ungroupedColumns(beside, groupBy, scope.sources) : [],
  };
  return {
    body: binder.asIgnite ? withCountedRange(body) : body,
    columns: items.map((item) => item.column),
    orderBy,
  };
}

/** Throws 90054 for a window function that an alias stands for. */
function rejectWindows(bound: Bound): void {
  if ('over' in bound && bound.over !== undefined) throw sqlFailure('WINDOW_MISPLACED', bound.name);
  for (const part of partsOf(bound)) rejectWindows(part);
}

/** Binds an item of GROUP BY. An alias of the select list takes precedence over a column of that name. */
function bindGroup(expression: Expression, context: ExpressionContext): Bound {
  if (expression.kind === 'column' && expression.table === undefined) {
    const alias = context.aliases?.get(expression.name);
    if (alias !== undefined && !isAggregated(alias)) return alias;
  }
  const bound = bindExpression(expression, { ...context, aggregates: false });
  // An aggregate that an alias stands for.
  if (isAggregated(bound)) throw sqlFailure('AGGREGATE_MISPLACED', deparse(bound));
  return bound;
}
