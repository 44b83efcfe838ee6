/** Digits after the point that the reference gives a decimal expression before it knows any datum. */
import type { Bound } from './bound.ts';
import { isIntegerType } from './convert.ts';
import { isDecimal } from './decimal.ts';

/** The scale that a mean of the expression is rounded to; undefined where the reference knows no bound. */
export function declaredScale(bound: Bound): number | undefined {
  if (isIntegerType(bound.type.name) || bound.type.name === 'NULL') return 0;
  if (bound.type.name !== 'DECIMAL') return undefined;
  switch (bound.kind) {
    case 'constant':
      return isDecimal(bound.data) ? bound.data.scale : undefined;
    case 'negate':
      return declaredScale(bound.operand);
    case 'arithmetic':
      return greatest([bound.left, bound.right]);
    case 'convert':
      return bound.type.scale ?? declaredScale(bound.operand);
    case 'case':
      return greatest([
        ...bound.branches.map((branch) => branch.result),
        ...(bound.otherwise === undefined ? [] : [bound.otherwise]),
      ]);
    case 'call':
      return greatest(bound.args.filter((arg) => arg.type.name === 'DECIMAL'));
    default:
      return bound.type.scale;
  }
}

function greatest(parts: readonly Bound[]): number | undefined {
  const scales = parts.map(declaredScale);
  return scales.reduce<number | undefined>(
    (most, scale) => (most === undefined || scale === undefined ? undefined : Math.max(most, scale)),
    0,
  );
}
