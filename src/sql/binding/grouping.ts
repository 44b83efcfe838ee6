/**
 * Finds the columns that stand beside groups without being determined by them.
 *
 * As in Ignite, such a column is permitted while all rows of a group have the same value of it, which only the rows can
 * tell: the engine checks it when the statement runs. Columns and expressions of GROUP BY need no check, nor do the
 * columns of a table whose key is in GROUP BY.
 */

import {
  type Bound,
  type BoundBody,
  type BoundColumn,
  type BoundQuery,
  type BoundSelect,
  type BoundSource,
  type BoundTable,
  KEY_COLUMN,
  partsOf,
} from './bound.ts';

/** Returns the columns of the sources, outside of aggregates, that the expressions of GROUP BY do not determine. */
export function ungroupedColumns(
  expressions: readonly Bound[],
  groupBy: readonly Bound[],
  sources: readonly BoundSource[],
): readonly BoundColumn[] {
  const open = new Set(sources.filter((source) => !isKeyGrouped(source, groupBy)));
  const found: BoundColumn[] = [];
  const note = (column: BoundColumn): void => {
    if (open.has(column.source) && !found.some((other) => isSameColumn(other, column))) found.push(column);
  };
  const visit = (bound: Bound, inSubquery: boolean): void => {
    if (groupBy.some((group) => isSameExpression(group, bound))) return;
    if (bound.kind === 'column') note(bound);
    // An aggregate of a subquery is computed there, from the values that its columns of this query have by then.
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

/** Returns whether GROUP BY has the key of a table, so that a group has one row of it. */
function isKeyGrouped(source: BoundSource, groupBy: readonly Bound[]): boolean {
  if (source.kind !== 'table') return false;
  const grouped = groupBy.flatMap((bound) => (bound.kind === 'column' && bound.source === source ? [bound] : []));
  const keys = source.table.columns.flatMap(({ isKey }, at) => (isKey ? [at] : []));
  if (grouped.some(({ name }) => name === KEY_COLUMN)) return true;
  return keys.length > 0 && keys.every((at) => grouped.some(({ column }) => column === at));
}

function* expressionsOf({ with: tables, body, orderBy, limit, offset }: BoundQuery): Generator<Bound> {
  for (const { query } of tables) yield* expressionsOf(query);
  yield* expressionsOfBody(body);
  for (const item of orderBy) if ('expression' in item) yield item.expression;
  if (limit !== undefined) yield limit;
  if (offset !== undefined) yield offset;
}

function* expressionsOfBody(body: BoundBody): Generator<Bound> {
  switch (body.kind) {
    case 'select':
      return yield* expressionsOfSelect(body);
    case 'setOperation':
      yield* expressionsOfBody(body.left);
      return yield* expressionsOfBody(body.right);
    case 'values':
      return yield* body.rows.flat();
    case 'nested':
      return yield* expressionsOf(body.query);
  }
}

function* expressionsOfSelect({ items, from, where, groupBy, having }: BoundSelect): Generator<Bound> {
  for (const { expression } of items) yield expression;
  for (const table of from) yield* expressionsOfTable(table);
  if (where !== undefined) yield where;
  yield* groupBy;
  if (having !== undefined) yield having;
}

function* expressionsOfTable(table: BoundTable): Generator<Bound> {
  if (table.kind === 'join') {
    yield* expressionsOfTable(table.left);
    yield* expressionsOfTable(table.right);
    if (table.on !== undefined) yield table.on;
    return;
  }
  const { source } = table;
  if (source.kind === 'query') yield* expressionsOf(source.query);
  if (source.kind === 'range') yield* [source.low, source.high, source.step];
  if (source.kind === 'arrays') yield* source.arrays;
}

/** Members that do not change the value of an expression: how it was written, and ids. */
const UNIMPORTANT: ReadonlySet<string> = new Set(['qualifier', 'written', 'id']);
/** Members that are declared once. */
const DECLARED: ReadonlySet<string> = new Set(['table', 'function', 'aggregate']);

/** Returns whether two expressions of one query have the same value for each row. */
function isSameExpression(a: Bound, b: Bound): boolean {
  return a.kind === b.kind && isSame(a, b, new Map());
}

/** `pairs` are the objects that are the same if everything else is. */
function isSame(a: unknown, b: unknown, pairs: Map<object, object>): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (pairs.get(a) === b) return true;
  pairs.set(a, b);
  const [members, others] = [membersOf(a), membersOf(b)];
  if (members.size !== others.size) return false;
  for (const [name, value] of members) {
    const other = others.get(name);
    if (DECLARED.has(name) ? value !== other : !isSame(value, other, pairs)) return false;
  }
  return true;
}

function membersOf(object: object): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(object).filter(([name, value]) => !UNIMPORTANT.has(name) && value !== undefined));
}
