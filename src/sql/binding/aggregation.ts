/** Where Ignite computes the aggregates of a select, and how that rounds decimals. */

import type { SelectBody } from '../syntax/ast.ts';
import { asDeclared } from '../types/type-order.ts';
import type { Bound, BoundBody, BoundSource, BoundTable } from './bound.ts';
import { coerce } from './coerce.ts';
import { declaredScale } from './decimal-scale.ts';
import type { Aggregation, Scope } from './scope.ts';

/** Returns where Ignite computes the aggregates. For a distinct aggregate one node collects the rows of all nodes. */
export function aggregationOf({ items, having }: SelectBody, scope: Scope, where: Bound | undefined): Aggregation {
  if (scope.parent !== undefined || !scope.sources.some(readsTable)) return 'whole';
  if (where !== undefined && isOfOneKey(where, scope.sources)) return 'whole';
  return [...items, having].some(hasDistinctAggregate) ? 'rows' : 'parts';
}

/** Returns whether a condition selects a single entry by its key, which one node holds. */
function isOfOneKey(where: Bound, sources: readonly BoundSource[]): boolean {
  if (where.kind === 'and') return where.operands.some((operand) => isOfOneKey(operand, sources));
  if (where.kind !== 'comparison' || where.operator !== '=' || where.left.kind !== 'column') return false;
  if (sources.length !== 1 || (where.right.kind !== 'constant' && where.right.kind !== 'parameter')) return false;
  const { source, column } = where.left;
  return source.kind === 'table' && source.table.columns[column]?.whole === 'key';
}

function readsTable(source: BoundSource): boolean {
  if (source.kind === 'query') return bodyReadsTable(source.query.body);
  return source.kind === 'table' || source.kind === 'commonTable';
}

function bodyReadsTable(body: BoundBody): boolean {
  switch (body.kind) {
    case 'select':
      return body.from.some(tableReadsTable);
    case 'setOperation':
      return bodyReadsTable(body.left) || bodyReadsTable(body.right);
    case 'nested':
      return bodyReadsTable(body.query.body);
    case 'values':
      return false;
  }
}

function tableReadsTable(table: BoundTable): boolean {
  return table.kind === 'source'
    ? readsTable(table.source)
    : tableReadsTable(table.left) || tableReadsTable(table.right);
}

/** Aggregates that DISTINCT does not change, so that Ignite ignores it. */
const EXTREMES: ReadonlySet<unknown> = new Set(['MIN', 'MAX']);

/** Returns whether an expression contains a distinct aggregate outside of subqueries. */
function hasDistinctAggregate(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(hasDistinctAggregate);
  if (typeof node !== 'object' || node === null) return false;
  if ('body' in node) return false;
  const isDistinct = 'kind' in node && node.kind === 'call' && 'distinct' in node && node.distinct === true;
  if (isDistinct && 'name' in node && !EXTREMES.has(node.name)) return true;
  return Object.values(node).some(hasDistinctAggregate);
}

/** Aggregates whose decimal arguments Ignite rounds. */
const ROUNDED: ReadonlySet<string> = new Set(['AVG', 'SUM', 'MIN', 'MAX']);

/**
 * Returns the argument of an aggregate, rounded as in Ignite. Decimals get the scale that their expression declares,
 * except in averages over collected rows and in aggregates that one node computes as a whole. Averages of BIGINT are
 * truncated when computed from partial results, and rounded otherwise.
 */
export function roundedArgument(given: Bound, name: string, aggregation: Aggregation): Bound {
  if (!ROUNDED.has(name)) return given;
  const arg = coerce(given, asDeclared(given.type));
  const isAverage = name === 'AVG';
  if (isAverage && arg.type.name === 'BIGINT' && aggregation !== 'parts')
    return coerce(arg, { name: 'DECIMAL', scale: 0 });
  if (arg.type.name !== 'DECIMAL') return arg;
  const isRounded = aggregation === 'parts' || (aggregation === 'rows' && !isAverage);
  const scale = isRounded ? declaredScale(arg) : undefined;
  if (scale === arg.type.scale) return arg;
  // A CAST rounds by itself, regardless of how its result is used.
  if (arg.kind === 'convert' && arg.written) {
    return { kind: 'convert', type: { name: 'DECIMAL', scale }, operand: arg, written: false };
  }
  return { ...arg, type: { name: 'DECIMAL', scale } };
}
