/** The scale that Ignite derives for a decimal expression before it evaluates it. */

import { isDecimal } from '../types/decimal.ts';
import { isIntegerType } from '../types/type-order.ts';
import type { Bound, BoundBody } from './bound.ts';

/** Returns the scale to which an aggregate of the expression is rounded, or undefined if Ignite derives none. */
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
      // A CAST to DECIMAL without a scale keeps all digits.
      return bound.type.scale ?? (bound.written ? undefined : declaredScale(bound.operand));
    case 'column':
      // The type of an aggregate's argument may already have lost its scale.
      return bound.source.kind === 'query'
        ? scaleOfItem(bound.source.query.body, bound.column)
        : bound.source.columns[bound.column]?.type.scale;
    case 'case':
      return greatest([
        ...bound.branches.map((branch) => branch.result),
        ...(bound.otherwise === undefined ? [] : [bound.otherwise]),
      ]);
    case 'call':
      return greatest(bound.args.filter((arg) => arg.type.name === 'DECIMAL'));
    case 'aggregate':
      return greatest(bound.args);
    case 'subquery':
      return scaleOfItem(bound.query.body, 0);
    case 'parameter':
    case 'concat':
    case 'comparison':
    case 'quantified':
    case 'and':
    case 'or':
    case 'not':
    case 'isNull':
    case 'inList':
    case 'inQuery':
    case 'like':
    case 'regexp':
    case 'exists':
    case 'windowCall':
    case 'row':
      return bound.type.scale;
  }
}

/** Returns the scale of a query's column. */
function scaleOfItem(body: BoundBody, at: number): number | undefined {
  switch (body.kind) {
    case 'select': {
      const item = body.items[at];
      return item === undefined ? undefined : declaredScale(item.expression);
    }
    case 'nested':
      return scaleOfItem(body.query.body, at);
    case 'setOperation':
      return widest([scaleOfItem(body.left, at), scaleOfItem(body.right, at)]);
    case 'values':
      return greatest(body.rows.flatMap((row) => row[at] ?? []));
  }
}

function greatest(parts: readonly Bound[]): number | undefined {
  return widest(parts.map(declaredScale));
}

function widest(scales: ReadonlyArray<number | undefined>): number | undefined {
  return scales.reduce<number | undefined>(
    (most, scale) => (most === undefined || scale === undefined ? undefined : Math.max(most, scale)),
    0,
  );
}
