/** Binds window functions and windows. */

import { SQL_BOUNDS } from '../../base/limits.ts';
import { sqlFailure, sqlFailureAt } from '../../base/sql-errors.ts';
import { BIGINT, DOUBLE, INTEGER, VARCHAR } from '../functions/definition.ts';
import type { CallExpression, Expression, FrameBound, WindowFrame, WindowSpecification } from '../syntax/ast.ts';
import type { SqlType } from '../types/sql-types.ts';
import { isIntegerType } from '../types/type-order.ts';
import { type Bound, type BoundFrame, type BoundOrderItem, type BoundWindow, isConstant, partsOf } from './bound.ts';
import { coerce } from './coerce.ts';
import type { ExpressionContext } from './expression-context.ts';
import { ExpressionForms } from './expression-forms.ts';

/** Binds the parts of a call. Passed in because expressions contain windows and windows contain expressions. */
type BindPart = (expression: Expression) => Bound;

interface WindowFunction {
  /** The result type; `first` means the type of the first argument. */
  readonly result: SqlType | 'first';
  readonly arguments: readonly [least: number, most: number];
  /** The argument, from 0, that must be positive. */
  readonly positive?: number;
}

/** Functions that require OVER. */
export const WINDOW_FUNCTIONS: ReadonlyMap<string, WindowFunction> = new Map<string, WindowFunction>([
  ['ROW_NUMBER', { result: BIGINT, arguments: [0, 0] }],
  ['RANK', { result: BIGINT, arguments: [0, 0] }],
  ['DENSE_RANK', { result: BIGINT, arguments: [0, 0] }],
  ['NTILE', { result: BIGINT, arguments: [1, 1], positive: 0 }],
  ['PERCENT_RANK', { result: DOUBLE, arguments: [0, 0] }],
  ['CUME_DIST', { result: DOUBLE, arguments: [0, 0] }],
  ['LAG', { result: 'first', arguments: [1, 3] }],
  ['LEAD', { result: 'first', arguments: [1, 3] }],
  ['FIRST_VALUE', { result: 'first', arguments: [1, 1] }],
  ['LAST_VALUE', { result: 'first', arguments: [1, 1] }],
  ['NTH_VALUE', { result: 'first', arguments: [2, 2], positive: 1 }],
]);

/** Throws for a call with OVER where no window can be computed, and for DISTINCT. */
export function checkWindow({ name, at, distinct }: CallExpression, context: ExpressionContext): void {
  if (context.windows !== true) throw sqlFailureAt({ at }, 'WINDOW_MISPLACED', name);
  if (distinct === true) throw sqlFailureAt({ at }, 'WINDOW_DISTINCT', name);
}

export function bindWindowCall(
  expression: CallExpression,
  over: WindowSpecification,
  { result, arguments: [least, most], positive }: WindowFunction,
  bind: BindPart,
): Bound {
  const { name, args: written, filter, star } = expression;
  if (filter !== undefined || star === true) throw sqlFailureAt({ at: expression.at }, 'NOT_AN_AGGREGATE', name);
  if (written.length < least || written.length > most) {
    throw sqlFailure('PARAMETER_COUNT', name, least === most ? String(least) : `${least}..${most}`);
  }
  const [first, ...others] = written.map(bind);
  const type: SqlType = result === 'first' ? (first?.type ?? VARCHAR) : result;
  const args: Bound[] = first === undefined ? [] : [result === 'first' ? first : coerce(first, INTEGER)];
  others.forEach((other, at) => {
    args.push(coerce(other, at === 1 ? type : INTEGER));
  });
  const counted = positive === undefined ? undefined : args[positive];
  if (counted !== undefined && !isAtLeast(counted, 1n)) {
    throw sqlFailure('INVALID_VALUE', isConstant(counted) ? String(counted.data) : '?', name);
  }
  return { kind: 'windowCall', type, name, args, over: bindWindow(over, bind) };
}

/** Returns whether a count may be NULL or too small. */
function isAtLeast(count: Bound, least: bigint): boolean {
  return !isConstant(count) || (typeof count.data === 'bigint' && count.data >= least);
}

export function bindWindow(over: WindowSpecification, bind: BindPart): BoundWindow {
  const orderBy = over.orderBy.map(({ expression, descending, nulls }) => ({
    expression: bind(expression),
    descending,
    nulls,
  }));
  return {
    partitionBy: over.partitionBy.map(bind),
    orderBy,
    frame: over.frame === undefined ? undefined : bindFrame(over.frame, orderBy, bind),
  };
}

/** The bounds in ascending order. */
const BOUNDS: ReadonlyArray<FrameBound['kind']> = [
  'unbounded preceding',
  'preceding',
  'current row',
  'following',
  'unbounded following',
];

function bindFrame(
  { unit, start, end, exclude }: WindowFrame,
  orderBy: readonly BoundOrderItem[],
  bind: BindPart,
): NonNullable<BoundWindow['frame']> {
  const last = end?.kind ?? 'current row';
  if (start.kind === 'unbounded following' || last === 'unbounded preceding') {
    throw sqlFailure('WINDOW_FRAME', 'it begins after its end');
  }
  if (BOUNDS.indexOf(start.kind) > BOUNDS.indexOf(last)) throw sqlFailure('WINDOW_FRAME', 'it begins after its end');
  if (unit === 'GROUPS' && orderBy.length === 0) throw sqlFailure('WINDOW_FRAME', 'GROUPS needs ORDER BY');
  const hasOffset = start.offset !== undefined || end?.offset !== undefined;
  const [key, ...others] = orderBy;
  // SQLite would compare the other types, which it stores as strings, for equality only.
  const isNumeric = key !== undefined && others.length === 0 && isStoredNumber(key.expression.type);
  if (unit === 'RANGE' && hasOffset && !isNumeric) {
    throw sqlFailure('WINDOW_FRAME', 'RANGE with a number needs ORDER BY of one integer or double');
  }
  return {
    unit,
    exclude,
    start: bindFrameBound(start, bind),
    end: end === undefined ? undefined : bindFrameBound(end, bind),
  };
}

function isStoredNumber({ name }: SqlType): boolean {
  return isIntegerType(name) || name === 'DOUBLE' || name === 'REAL';
}

function bindFrameBound({ kind, offset }: FrameBound, bind: BindPart): BoundFrame {
  if (offset === undefined) return { kind, offset: undefined };
  const bound = coerce(bind(offset), BIGINT);
  if (!isAtLeast(bound, 0n)) throw sqlFailure('WINDOW_FRAME', 'its numbers must not be negative');
  return { kind, offset: bound };
}

/** Throws when a select has too many windows. Functions over equal ones may differ in their frames. */
export function checkWindows(expressions: readonly Bound[]): void {
  const forms = new ExpressionForms();
  const different = new Set<string>();
  const note = (bound: Bound): void => {
    if ('over' in bound && bound.over !== undefined) different.add(`${bound.name} ${forms.of(bound.over)}`);
    for (const part of partsOf(bound)) note(part);
  };
  for (const expression of expressions) note(expression);
  if (different.size > SQL_BOUNDS.windows) throw sqlFailure('STATEMENT_TOO_LARGE', 'it has too many windows');
}
