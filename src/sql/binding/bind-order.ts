/** Binds ORDER BY. */

import { sqlFailure } from '../../base/sql-errors.ts';
import type { SqlFailure } from '../../base/sql-failure.ts';
import type { OrderItem } from '../syntax/ast.ts';
import { bindOrderItem } from './bind-expression.ts';
import type { Bound, BoundItem, BoundOrderItem, BoundPosition, BoundResultColumn } from './bound.ts';
import { deparse, deparseName } from './deparser.ts';
import type { ExpressionContext } from './expression-context.ts';

export type BoundOrder = BoundOrderItem | BoundPosition;

export function bindSelectOrder(
  item: OrderItem,
  items: readonly BoundItem[],
  distinct: boolean,
  context: ExpressionContext,
): BoundOrder {
  const position = positionOf(item, items.length, (name) =>
    items.findIndex(({ column, expression }) => column.name === name || isColumn(expression, name)),
  );
  if (position !== undefined) return position;
  const { descending, nulls } = item;
  const bound = bindOrderItem(item, context);
  const text = deparse(bound.expression);
  const same = items.findIndex((each) => deparse(each.expression) === text);
  if (same >= 0) return { position: same, descending, nulls };
  if (distinct) throw orderNotInList(text);
  return bound;
}

/** Returns whether an expression is an unqualified column, which ORDER BY finds even if an alias hides it. */
function isColumn(expression: Bound, name: string): boolean {
  return expression.kind === 'column' && expression.qualifier === undefined && expression.name === name;
}

export function bindResultOrder(item: OrderItem, columns: readonly BoundResultColumn[]): BoundPosition {
  const { expression } = item;
  const position = positionOf(item, columns.length, (name) => columns.findIndex((column) => column.name === name));
  if (position !== undefined) return position;
  if (expression.kind === 'column') throw orderNotInList(deparseName(expression.name));
  throw orderNotInList(expression.kind === 'literal' ? String(expression.data) : expression.kind);
}

function orderNotInList(text: string): SqlFailure {
  return sqlFailure('ORDER_NOT_IN_RESULT', text);
}

/** Returns the result column that a number or name of ORDER BY refers to. A negative number reverses the direction. */
function positionOf(item: OrderItem, count: number, find: (name: string) => number): BoundPosition | undefined {
  const { expression, descending, nulls } = item;
  if (expression.kind === 'literal' && typeof expression.data === 'bigint') {
    const isReversed = expression.data < 0n;
    const number = isReversed ? -expression.data : expression.data;
    const position = Number(number) - 1;
    if (position < 0 || position >= count) throw orderNotInList(String(number));
    return { position, descending: descending !== isReversed, nulls };
  }
  if (expression.kind !== 'column') return undefined;
  const at = expression.table === undefined ? find(expression.name) : -1;
  return at >= 0 ? { position: at, descending, nulls } : undefined;
}
