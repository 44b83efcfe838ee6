/** Binds ORDER BY. */

import { sqlFailure, sqlFailureAt } from '../../base/sql-errors.ts';
import type { SqlFailure } from '../../base/sql-failure.ts';
import type { Expression, OrderItem } from '../syntax/ast.ts';
import { bindOrderItem } from './bind-expression.ts';
import type { BoundItem, BoundOrderItem, BoundPosition, BoundResultColumn } from './bound.ts';
import { deparse } from './deparser.ts';
import type { ExpressionContext } from './expression-context.ts';

export type BoundOrder = BoundOrderItem | BoundPosition;

export function bindSelectOrder(
  item: OrderItem,
  items: readonly BoundItem[],
  distinct: boolean,
  context: ExpressionContext,
): BoundOrder {
  const { descending, nulls } = item;
  const position = positionOf(item.expression, items.length, (name) =>
    items.findIndex((each) => each.column.name === name),
  );
  if (position !== undefined) return { position, descending, nulls };
  const bound = bindOrderItem(item, context);
  const text = deparse(bound.expression);
  const same = items.findIndex((each) => deparse(each.expression) === text);
  if (same >= 0) return { position: same, descending, nulls };
  if (distinct) throw orderNotInList(text);
  return bound;
}

export function bindResultOrder(item: OrderItem, columns: readonly BoundResultColumn[]): BoundPosition {
  const { descending, nulls, expression } = item;
  const position = positionOf(expression, columns.length, (name) =>
    columns.findIndex((column) => column.name === name),
  );
  if (position !== undefined) return { position, descending, nulls };
  if (expression.kind === 'column') throw sqlFailureAt({ at: expression.at }, 'COLUMN_NOT_FOUND', expression.name);
  throw orderNotInList(expression.kind === 'literal' ? String(expression.data) : expression.kind);
}

function orderNotInList(text: string): SqlFailure {
  return sqlFailure('ORDER_NOT_IN_RESULT', text);
}

/** Returns the index of the result column that a number or name of ORDER BY refers to. */
function positionOf(expression: Expression, count: number, find: (name: string) => number): number | undefined {
  if (expression.kind === 'literal' && typeof expression.data === 'bigint') {
    const position = Number(expression.data) - 1;
    if (position >= 0 && position < count) return position;
    throw orderNotInList(String(expression.data));
  }
  if (expression.kind !== 'column') return undefined;
  const at = expression.table === undefined ? find(expression.name) : -1;
  return at >= 0 ? at : undefined;
}
