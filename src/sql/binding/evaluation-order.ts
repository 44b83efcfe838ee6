/**
 * Orders the operands of AND and OR as Ignite does, which evaluates the cheaper operand first. The order decides
 * whether an operand that fails is evaluated at all, and it shows in the names of columns.
 */
import { BOOLEAN, type Bound, partsOf } from './bound.ts';

/** Longer chains keep their order, since each operand nests the expression once more. */
const MAX_ORDERED = 50;

/** Costs by expression, because conditions nest and every level asks for those of its operands. */
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

/** Returns the cost that Ignite estimates for the evaluation of an expression. */
function costOf(bound: Bound): number {
  const known = costs.get(bound);
  if (known !== undefined) return known;
  const cost = partsOf(bound).reduce((sum, part) => sum + costOf(part), ownCost(bound));
  costs.set(bound, cost);
  return cost;
}

/** The cost of a subquery, which is more than that of any expression without one. */
const SUBQUERY_COST = 1_000;

function ownCost(bound: Bound): number {
  switch (bound.kind) {
    case 'constant':
    case 'parameter':
    case 'and':
    case 'or':
    case 'not':
    case 'inList':
    case 'row':
      return 0;
    case 'column':
      return 2;
    case 'negate':
    case 'arithmetic':
    case 'comparison':
    case 'isNull':
    case 'concat':
    case 'aggregate':
    case 'windowCall':
      return 1;
    case 'convert':
      return bound.written ? 3 : 0;
    case 'like':
    case 'regexp':
    case 'case':
    case 'call':
      return 3;
    case 'quantified':
    case 'inQuery':
    case 'exists':
    case 'subquery':
      return SUBQUERY_COST;
  }
}
