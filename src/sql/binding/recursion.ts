/** Restrictions on a recursive common table: each of its rows passes through one SELECT, which returns more rows. */

import { sqlFailureAt } from '../../base/sql-errors.ts';
import type { CommonTable, QueryBody, TableReference } from '../syntax/ast.ts';
import { anyPart, type Bound, type BoundBody, type BoundQuery } from './bound.ts';

/** Throws an error if the rows of a recursive common table cannot be computed one by one. */
export function checkRecursion(table: CommonTable, { body }: BoundQuery): void {
  const { query } = table;
  if (table.recursiveReads === 0 || query.body.kind !== 'setOperation' || body.kind !== 'setOperation') return;
  const broken = brokenRule(table, query.body.right, body.right);
  if (broken !== undefined) throw sqlFailureAt({ at: table.name.at }, 'RECURSION', table.name.text, broken);
}

function brokenRule({ query, recursiveReads, id }: CommonTable, last: QueryBody, bound: BoundBody): string | undefined {
  if (query.orderBy.length > 0 || query.limit !== undefined || query.offset !== undefined)
    return 'ORDER BY, LIMIT and OFFSET belong to the query that reads it';
  if (last.kind !== 'select' || bound.kind !== 'select')
    return 'its last operand must be one SELECT, without WITH, ORDER BY and LIMIT of its own';
  if (recursiveReads > 1) return 'its last operand must not read it more than once';
  if (!last.from.some((reference) => reads(reference, id)))
    return 'its last operand must read it after FROM, not in a subquery';
  if (bound.aggregated || bound.groupBy.length > 0) return 'its last operand must not have groups or aggregates';
  if (bound.items.some(({ expression }) => anyPart(expression, isWindow)))
    return 'its last operand must not have window functions';
  return undefined;
}

function isWindow(part: Bound): boolean {
  return 'over' in part && part.over !== undefined;
}

/** Reports whether a table after FROM is the common table. Derived tables do not count. */
function reads(reference: TableReference, id: number): boolean {
  if (reference.kind === 'join') return reads(reference.left, id) || reads(reference.right, id);
  return reference.kind === 'table' && reference.target.commonTable === id;
}
