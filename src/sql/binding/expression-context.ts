/** The context in which an expression is bound. */
import type { Query } from '../syntax/ast.ts';
import type { Binder, CommonTableEntry } from './binder.ts';
import type { Bound, BoundQuery } from './bound.ts';
import type { Scope } from './scope.ts';

/** Binds a query inside `parent`; `commonTables` belong to the enclosing queries. */
export type QueryBinder = (
  query: Query,
  binder: Binder,
  parent: Scope | undefined,
  commonTables: readonly CommonTableEntry[],
) => BoundQuery;

/** The names and the rules that apply where an expression occurs. */
export interface ExpressionContext {
  readonly binder: Binder;
  readonly scope: Scope;
  readonly commonTables: readonly CommonTableEntry[];
  /** Aliases of the select list, in the clauses that may use them (GROUP BY, HAVING, ORDER BY). */
  readonly aliases?: ReadonlyMap<string, Bound>;
  /** False where aggregates over the group's rows are not allowed: in WHERE and ON, and inside an aggregate. */
  readonly aggregates: boolean;
  /** True where window functions are allowed: in select lists and ORDER BY, outside aggregates and windows. */
  readonly windows?: boolean;
  /** True inside the arguments of an aggregate, where another aggregate has no rows (see BoundAggregate). */
  readonly insideAggregate?: boolean;
  /** Binds subqueries and views. Passed in because queries contain expressions and expressions contain queries. */
  readonly bindQuery: QueryBinder;
}
