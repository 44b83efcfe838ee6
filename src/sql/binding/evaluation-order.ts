/**
 * Orders the operands of AND and OR as Ignite does, which evaluates the cheaper operand first. The order determines
 * whether a failing operand is evaluated at all, and it shows in column names.
 */
import { BOOLEAN, type Bound, partsOf } from './bound.ts';

/** Longer chains keep their order, since each operand nests the expression once more. */
const MAX_ORDERED = 50;

/** Costs by expression, because conditions are nested and each level needs the costs of its operands. */
const costs = new WeakMap<Bound, number>();

/** Returns `a AND b AND ..` or `a OR b OR ..` as Ignite nests it. */
export function ordered(kind: 'and' | 'or', operands: readonly [Bound, ...Bound[]]): Bound {
  if (operands.length > MAX_ORDERED) return { kind, type: BOOLEAN, operands };
  const [first, ...others] = operands;
  return others.reduce<Bound>((left, right) => {
    if (costOf(right) < costOf(left)) return { kind, type: BOOLEAN, operands: [right, left] };
    const flat = left.kind === kind && left !== first ? left.operands : [left];
    return { kind, type: BOOLEAN, operands: [...flat, right] };
  }, first);
}

/** Returns Ignite's estimated cost of evaluating an expression. */
function costOf(bound: Bound): number {
  const known = costs.get(bound);
  if (known !== undefined) return known;
  const cost = partsOf(bound).reduce((sum, part) => sum + costOf(part), ownCost(bound));
  costs.set(bound, cost);
  return cost;
}

/** The cost of a subquery, which exceeds the cost of any expression without one. */
const SUBQUERY_COST = 1_000;

/** Costs of an expression without its parts. Only conversions that a CAST in the statement requests have a cost. */
const OWN_COSTS: Readonly<Record<Bound['kind'], number>> = {
  constant: 0,
  parameter: 0,
  and: 0,
  or: 0,
  not: 0,
  inList: 0,
  row: 0,
  negate: 1,
  arithmetic: 1,
  comparison: 1,
  isNull: 1,
  concat: 1,
  aggregate: 1,
  windowCall: 1,
  column: 2,
  convert: 3,
  like: 3,
  regexp: 3,
  case: 3,
  call: 3,
  quantified: SUBQUERY_COST,
  inQuery: SUBQUERY_COST,
  exists: SUBQUERY_COST,
  subquery: SUBQUERY_COST,
};

function ownCost(bound: Bound): number {
  return bound.kind === 'convert' && !bound.written ? 0 : OWN_COSTS[bound.kind];
}
