/**
 * Finds columns that are used outside aggregates and are not determined by GROUP BY.
 *
 * As in Ignite, such a column is permitted if its value is the same in all rows of a group. Only the rows can tell, so
 * the engine checks it when the statement runs. Columns and expressions of GROUP BY need no check, nor do the columns
 * of a table whose key is in GROUP BY.
 */

import { type Bound, type BoundColumn, type BoundSource, KEY_COLUMN, partsOf } from './bound.ts';
import { ExpressionForms } from './expression-forms.ts';
import { expressionsOf } from './query-expressions.ts';

/** Returns the columns of the sources, outside of aggregates, that the expressions of GROUP BY do not determine. */
export function ungroupedColumns(
  expressions: readonly Bound[],
  groupBy: readonly Bound[],
  sources: readonly BoundSource[],
): readonly BoundColumn[] {
  const open = new Set(sources.filter((source) => !isKeyGrouped(source, groupBy)));
  const found: BoundColumn[] = [];
  const forms = new ExpressionForms();
  const grouped = new Set(groupBy.map((group) => forms.of(group)));
  const note = (column: BoundColumn): void => {
    if (open.has(column.source) && !found.some((other) => isSameColumn(other, column))) found.push(column);
  };
  const visit = (bound: Bound, inSubquery: boolean): void => {
    if (grouped.has(forms.of(bound))) return;
    if (bound.kind === 'column') note(bound);
    // A subquery computes its own aggregates, from the values that its columns of this query have by then.
    if (bound.kind === 'aggregate' && bound.over === undefined && !inSubquery) return;
    for (const part of partsOf(bound)) visit(part, inSubquery);
    if ('query' in bound) for (const part of expressionsOf(bound.query)) visit(part, true);
  };
  for (const expression of expressions) visit(expression, false);
  return found;
}

function isSameColumn(a: BoundColumn, b: BoundColumn): boolean {
  return a.source === b.source && a.column === b.column;
}

/** Returns whether GROUP BY contains a table's key, so that a group has one row of it. */
function isKeyGrouped(source: BoundSource, groupBy: readonly Bound[]): boolean {
  if (source.kind !== 'table') return false;
  const grouped = groupBy.flatMap((bound) => (bound.kind === 'column' && bound.source === source ? [bound] : []));
  const keys = source.table.columns.flatMap(({ isKey }, at) => (isKey ? [at] : []));
  if (grouped.some(({ name }) => name === KEY_COLUMN)) return true;
  return keys.length > 0 && keys.every((at) => grouped.some(({ column }) => column === at));
}
