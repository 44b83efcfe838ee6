/** Binds expressions: resolves columns and functions, and types operators with `build.ts`. */

import { sqlFailure, sqlFailureAt } from '../../base/sql-errors.ts';
import { INTEGER, VARCHAR } from '../functions/definition.ts';
import type { CallExpression, Expression, OrderItem, Query } from '../syntax/ast.ts';
import type { SqlAggregate, SqlType } from '../types/sql-types.ts';
import { asDeclared, higherType, isAnyBeside, isIntegerType, rowType } from '../types/type-order.ts';
import { instantOfZoned, javaInstantOf, zonedOfInstant } from '../types/zoned-timestamp.ts';
import { roundedArgument } from './aggregation.ts';
import { bindWindow, bindWindowCall, checkWindow, WINDOW_FUNCTIONS } from './bind-window.ts';
import { BOOLEAN, type Bound, type BoundOrderItem, type BoundQuery, constant, isConstant } from './bound.ts';
import { arithmetic, between, call, caseOf, comparison, concat, negate, row } from './build.ts';
import { inList } from './build-in-list.ts';
import { and, isNull, not, or } from './build-logic.ts';
import { like, regexp } from './build-pattern.ts';
import { castTo, coerce, condition } from './coerce.ts';
import { deparse } from './deparser.ts';
import type { ExpressionContext } from './expression-context.ts';
import { asRows } from './row-queries.ts';

export function bindExpression(expression: Expression, context: ExpressionContext): Bound {
  const bound = bindParts(expression, context);
  context.binder.repetition.note(bound);
  return bound;
}

function bindParts(expression: Expression, context: ExpressionContext): Bound {
  const bind = (part: Expression): Bound => bindExpression(part, context);
  switch (expression.kind) {
    case 'literal':
      return constant(expression.type, expression.data);
    case 'parameter':
      return bindParameter(expression.index, context);
    case 'column':
      return bindColumn(expression, context);
    case 'negate':
      return negate(bind(expression.operand));
    case 'arithmetic':
      return arithmetic(
        expression.operator,
        bind(expression.left),
        bind(expression.right),
        context.binder.dateFunctions,
        context.binder.asIgnite,
      );
    case 'concat':
      return concat(expression.operands.map(bind));
    case 'comparison':
      return bindComparison(expression, context);
    case 'quantified':
      return bindQuantified(expression, context);
    case 'and':
      return and(expression.operands.map(bind));
    case 'or':
      return or(expression.operands.map(bind));
    case 'not':
      return not(bind(expression.operand));
    case 'isNull':
      return isNull(bind(expression.operand), expression.negated);
    case 'between':
      return bindBetween(expression, context);
    case 'inList': {
      const [operand, ...items] = bindAlike([expression.operand, ...expression.items], context);
      return operand === undefined ? constant(BOOLEAN, false) : inList(operand, items);
    }
    case 'inQuery':
      return bindInQuery(
        bind(expression.operand),
        bindRows(expression.operand, expression.query, context),
        context.binder.asIgnite,
      );
    case 'like': {
      const escapedBy = expression.escapedBy === undefined ? undefined : bind(expression.escapedBy);
      return like(bind(expression.operand), bind(expression.pattern), escapedBy, expression.ignoreCase);
    }
    case 'regexp':
      return regexp(bind(expression.operand), bind(expression.pattern), expression.ignoreCase);
    case 'exists':
      return { kind: 'exists', type: BOOLEAN, query: bindSubquery(expression.query, context) };
    case 'case':
      return bindCase(expression, context);
    case 'cast':
      return bindCast(bind(expression.operand), expression.type, context);
    case 'call':
      return bindCall(expression, context);
    case 'subquery':
      return scalar(bindSubquery(expression.query, context));
    case 'row':
      return row(expression.items.flatMap((item) => bindAlike([item], context)));
    case 'element':
      return element(bind(expression.array), bind(expression.index), context);
    case 'default':
      throw sqlFailureAt({ at: expression.at }, 'DEFAULT_MISPLACED');
  }
}

/** Binds operands that have one type. */
function bindAlike(parts: readonly Expression[], context: ExpressionContext): Bound[] {
  const bound = parts.map((part) => bindExpression(part, context));
  context.binder.noteUntyped(bound);
  return bound;
}

function bindParameter(index: number, { binder }: ExpressionContext): Bound {
  return { kind: 'parameter', type: binder.typeOfParameter(index), index, compared: false };
}

function bindBetween(expression: Extract<Expression, { kind: 'between' }>, context: ExpressionContext): Bound {
  const operand = bindExpression(expression.operand, context);
  const low = bindExpression(expression.low, context);
  const high = bindExpression(expression.high, context);
  for (const bound of [low, high]) context.binder.noteUntyped([operand, bound]);
  return between(operand, low, high);
}

function bindCase(expression: Extract<Expression, { kind: 'case' }>, context: ExpressionContext): Bound {
  const bind = (part: Expression): Bound => bindExpression(part, context);
  const operand = expression.operand === undefined ? undefined : bind(expression.operand);
  const branches = expression.branches.map(({ when, result }) => ({ when: bind(when), result: bind(result) }));
  const otherwise = expression.otherwise === undefined ? undefined : bind(expression.otherwise);
  const results = branches.map(({ result }) => result);
  context.binder.noteUntyped(otherwise === undefined ? results : [...results, otherwise]);
  if (operand !== undefined) for (const { when } of branches) context.binder.noteUntyped([operand, when]);
  return caseOf(operand, branches, otherwise);
}

/** Returns an element of an array by its index from 0. */
function element(array: Bound, index: Bound, context: ExpressionContext): Bound {
  const position = arithmetic('+', index, constant(INTEGER, 1n), context.binder.dateFunctions);
  return call('ARRAY_GET', requireFunction(context, 'ARRAY_GET'), [array, position]);
}

function requireFunction(context: ExpressionContext, name: string) {
  const found = context.binder.findFunction(name);
  if (found === undefined) throw context.binder.functionMissing(name, 0);
  return found;
}

function bindColumn(name: Extract<Expression, { kind: 'column' }>, context: ExpressionContext): Bound {
  const found = context.scope.find(name);
  if (found !== undefined) return found;
  const alias = name.table === undefined ? context.aliases?.get(name.name) : undefined;
  if (alias !== undefined) return alias;
  if (name.orCall === undefined) return context.scope.require(name);
  return bindCall({ kind: 'call', name: name.orCall, at: name.at, args: [], bare: true }, context);
}

function bindSubquery(query: Query, context: ExpressionContext): BoundQuery {
  return context.bindQuery(query, context.binder, context.scope, context.commonTables);
}

/** Binds the query of IN, whose rows have the columns of the operand. */
function bindRows(operand: Expression, query: Query, context: ExpressionContext): BoundQuery {
  return bindSubquery(operand.kind === 'row' ? asRows(query, operand.items.length) : query, context);
}

/** Returns a subquery as a value; a subquery with several columns is an array. */
function scalar(query: BoundQuery): Bound {
  const [only] = query.columns;
  if (query.columns.length === 1 && only !== undefined) return { kind: 'subquery', type: only.type, query };
  return { kind: 'subquery', type: rowType(query.columns.map(({ type }) => type)), query };
}

function bindComparison(
  { operator, left, right }: Extract<Expression, { kind: 'comparison' }>,
  context: ExpressionContext,
): Bound {
  const [a, b] = [bindExpression(left, context), bindExpression(right, context)];
  context.binder.noteUntyped([a, b]);
  return comparison(operator, a, b);
}

/** Converts the left side of a comparison with a subquery, and returns the type of the comparison. */
function compareWithQuery(left: Bound, query: BoundQuery): { readonly left: Bound; readonly type: SqlType } {
  const [column] = query.columns;
  if (column === undefined || query.columns.length !== 1) {
    throw sqlFailure('SUBQUERY_COLUMNS');
  }
  if (left.type.name === 'UNKNOWN') return { left: coerce(left, column.type, { compared: true }), type: column.type };
  if (isAnyBeside(left.type, column.type)) return { left, type: column.type };
  const both = isIntegerType(left.type.name) && isIntegerType(column.type.name);
  const type = both ? column.type : higherType(left.type, column.type);
  const bare: SqlType = { name: type.name };
  return { left: both ? left : coerce(left, bare, { compared: true }), type: bare };
}

function bindInQuery(operand: Bound, query: BoundQuery, asIgnite: boolean): Bound {
  if (operand.kind === 'row') {
    if (operand.items.length !== query.columns.length) {
      throw sqlFailure('SUBQUERY_COLUMNS');
    }
    const items = operand.items.map((item, at) => {
      const column = query.columns[at];
      return column === undefined ? item : coerce(item, higherType(item.type, column.type));
    });
    return { kind: 'inQuery', type: BOOLEAN, operand: { ...operand, items }, query };
  }
  return equalsAny(operand, query, asIgnite);
}

/**
 * Returns whether the operand is equal to a value of the query. Ignite converts the operand to the column's declared
 * type, so it equals none of the dates that are declared as timestamps.
 */
function equalsAny(operand: Bound, query: BoundQuery, asIgnite: boolean): Bound {
  const [column] = query.columns;
  const declared = column === undefined ? undefined : asDeclared(column.type);
  if (asIgnite && query.columns.length === 1 && declared !== undefined && declared.name !== column?.type.name)
    return { kind: 'inQuery', type: BOOLEAN, operand: coerce(operand, declared, { compared: true }), query };
  const { left, type } = compareWithQuery(operand, query);
  return inQuery(left, withTypes(query, [type]), query);
}

/** No value is equal to an untyped NULL, so IN over such rows is unknown for NULL and false for other operands. */
function inQuery(operand: Bound, typed: BoundQuery, given: BoundQuery): Bound {
  if (given.columns[0]?.type.name !== 'NULL') return { kind: 'inQuery', type: BOOLEAN, operand, query: typed };
  const exists: Bound = { kind: 'exists', type: BOOLEAN, query: given };
  const unknown = { when: and([isNull(operand, false), exists]), result: constant(BOOLEAN, null) };
  return caseOf(undefined, [unknown], constant(BOOLEAN, false));
}

function bindQuantified(expression: Extract<Expression, { kind: 'quantified' }>, context: ExpressionContext): Bound {
  const { operator, quantifier } = expression;
  const isIn = operator === '=' && quantifier === 'ANY';
  const query = isIn ? bindRows(expression.left, expression.query, context) : bindSubquery(expression.query, context);
  const operand = bindExpression(expression.left, context);
  if (isIn) return bindInQuery(operand, query, context.binder.asIgnite);
  const { left, type } = compareWithQuery(operand, query);
  return { kind: 'quantified', type: BOOLEAN, operator, quantifier, left, query: withTypes(query, [type]) };
}

/** Returns the query with its columns converted to the types. */
export function withTypes(query: BoundQuery, types: readonly SqlType[]): BoundQuery {
  const same = query.columns.every((column, at) => column.type.name === types[at]?.name);
  if (same) return query;
  const columns = query.columns.map((column, at) => ({ ...column, type: types[at] ?? column.type }));
  const source = { kind: 'query', id: -1, alias: undefined, columns: query.columns, query } as const;
  const items = columns.map((column, at) => {
    const original = query.columns[at] ?? column;
    const bound: Bound = {
      kind: 'column',
      type: original.type,
      source,
      column: at,
      name: column.name,
      qualifier: undefined,
    };
    return { expression: coerce(bound, column.type), column };
  });
  return {
    with: [],
    columns,
    body: {
      kind: 'select',
      distinct: false,
      items,
      from: [{ kind: 'source', source }],
      where: undefined,
      groupBy: [],
      having: undefined,
      aggregated: false,
      ungrouped: [],
    },
    orderBy: [],
    limit: undefined,
    offset: undefined,
  };
}

const TEMPORAL: ReadonlySet<string> = new Set(['TIME', 'TIMESTAMP', 'TIMESTAMP_TZ']);

function bindCast(written: Bound, type: SqlType, { binder }: ExpressionContext): Bound {
  const operand = binder.asIgnite ? withJavaInstant(written, type) : written;
  if (!TEMPORAL.has(type.name) || !binder.ignoresPrecision(operand)) return castTo(operand, type);
  return castTo(operand, { name: type.name });
}

/**
 * Returns a constant with a time zone that is cast to a type without one as Ignite computes it: with 64 bits of
 * milliseconds, which overflow to another time.
 */
function withJavaInstant(operand: Bound, { name }: SqlType): Bound {
  const isCast = operand.type.name === 'TIMESTAMP_TZ' && ['DATE', 'TIME', 'TIMESTAMP'].includes(name);
  if (!isCast || !isConstant(operand) || typeof operand.data !== 'string') return operand;
  return constant(operand.type, zonedOfInstant(javaInstantOf(instantOfZoned(operand.data))));
}

function bindCall(expression: CallExpression, context: ExpressionContext): Bound {
  const { binder } = context;
  const windowFunction = WINDOW_FUNCTIONS.get(expression.name);
  if (windowFunction !== undefined && expression.over !== undefined) {
    checkWindow(expression, context);
    return bindWindowCall(expression, expression.over, windowFunction, (part) =>
      bindExpression(part, { ...context, windows: false }),
    );
  }
  const aggregate = binder.findAggregate(expression.name);
  if (aggregate !== undefined) return bindAggregate(expression, aggregate, context);
  if (windowFunction !== undefined) {
    throw sqlFailureAt({ at: expression.at }, 'OVER_MISSING', expression.name);
  }
  const sqlFunction = binder.findFunction(expression.name);
  if (sqlFunction === undefined) throw binder.functionMissing(expression.name, expression.at);
  if (expression.over !== undefined || expression.filter !== undefined || expression.distinct === true) {
    throw sqlFailureAt({ at: expression.at }, 'NOT_AN_AGGREGATE', expression.name);
  }
  const args = bindAlike(expression.args, context);
  return call(expression.name, sqlFunction, args, expression.bare ?? false);
}

function bindAggregate(expression: CallExpression, aggregate: SqlAggregate, context: ExpressionContext): Bound {
  const { name, at } = expression;
  const isMisplaced = !context.aggregates && expression.over === undefined;
  // Next to a distinct aggregate, Ignite computes the inner ones, and rejects most of these statements.
  const rowless = isMisplaced && context.insideAggregate === true && context.scope.aggregation !== 'rows';
  if (isMisplaced && !rowless) {
    const args = expression.args.map((arg) => deparse(bindExpression(arg, { ...context, insideAggregate: true })));
    const inner = expression.star === true ? '*' : args.join(', ');
    throw sqlFailureAt({ at }, 'AGGREGATE_MISPLACED', `${name}(${inner})`);
  }
  if (expression.over !== undefined) checkWindow(expression, context);
  const inside: ExpressionContext =
    expression.over === undefined
      ? { ...context, aggregates: false, insideAggregate: true, windows: false }
      : { ...context, windows: false };
  const { minArguments, maxArguments } = aggregate;
  const given = bindAlike(expression.args, inside);
  const separator = expression.separator === undefined ? [] : [bindExpression(expression.separator, inside)];
  const typed = [...given, ...separator].map((arg) => (arg.type.name === 'UNKNOWN' ? coerce(arg, VARCHAR) : arg));
  if (expression.over === undefined) context.scope.hasAggregate = true;
  const aggregation = expression.over === undefined ? context.scope.aggregation : 'whole';
  const args = typed.map((arg) => roundedArgument(arg, name, aggregation));
  if (expression.star !== true && (args.length < Math.max(minArguments, 1) || args.length > maxArguments)) {
    throw sqlFailure(
      'PARAMETER_COUNT',
      name,
      minArguments === maxArguments ? String(minArguments) : `${minArguments}..${maxArguments}`,
    );
  }
  const type = aggregateType(aggregate, args, `${name}(${expression.distinct === true ? 'DISTINCT ' : ''}`);
  const bound: Bound = {
    kind: 'aggregate',
    type,
    name,
    aggregate,
    args,
    star: expression.star === true,
    distinct: expression.distinct === true,
    orderBy: (expression.orderBy ?? []).map((item) => bindOrderItem(item, inside)),
    filter: bindFilter(expression, inside),
    over:
      expression.over === undefined ? undefined : bindWindow(expression.over, (part) => bindExpression(part, inside)),
    // Ignite passes no rows to an aggregate inside another aggregate's argument (docs/spec/ignite-cluster.md 6.4).
    ...(rowless && { known: { data: aggregate.start(args.map((arg) => arg.type)).finish() } }),
  };
  // The average of BIGINTs is computed over decimals.
  const first = typed[0];
  if (first?.type.name === 'BIGINT' && args[0]?.type.name === 'DECIMAL') return coerce(bound, first.type);
  // The result of a decimal with a declared scale has that scale.
  if (type.name !== 'DECIMAL' || type.scale === undefined) return bound;
  return coerce({ ...bound, type: { name: 'DECIMAL' } }, { name: 'DECIMAL', scale: type.scale });
}

function bindFilter({ filter }: CallExpression, context: ExpressionContext): Bound | undefined {
  // Unlike in its arguments, an aggregate in another aggregate's filter is rejected.
  return filter === undefined ? undefined : condition(bindExpression(filter, { ...context, insideAggregate: false }));
}

/** Returns the type of an aggregate. Throws 90015 with the call as its text. */
function aggregateType(aggregate: SqlAggregate, args: readonly Bound[], opening: string): SqlType {
  try {
    return aggregate.result(args.map((arg) => arg.type));
  } catch (failure) {
    const [first] = args;
    if (first === undefined) throw failure;
    throw sqlFailure('AGGREGATE_TYPE', `${opening}${deparse(first)})`);
  }
}

export function bindOrderItem(item: OrderItem, context: ExpressionContext): BoundOrderItem {
  const expression = bindExpression(item.expression, context);
  return { expression, descending: item.descending, nulls: item.nulls };
}

/** Binds the expression of LIMIT or OFFSET. Returns undefined if there is none, and for a NULL constant. */
export function bindCount(expression: Expression | undefined, context: ExpressionContext): Bound | undefined {
  if (expression === undefined) return undefined;
  const bound = coerce(bindExpression(expression, context), { name: 'BIGINT' });
  return isConstant(bound) && bound.data === null ? undefined : bound;
}
