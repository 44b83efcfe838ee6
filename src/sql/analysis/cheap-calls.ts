/** Cheap calls take time and memory in proportion to the size of their arguments, with a small factor. */

import { AGGREGATES, FUNCTIONS } from '../functions/functions.ts';
import type { StatementAnalysis } from './analysis.ts';

/** Returns whether all functions are declared cheap. Names are in upper case; an unknown function is not cheap. */
export function areCheap(calls: ReadonlySet<string>): boolean {
  for (const name of calls) if ((FUNCTIONS.get(name) ?? AGGREGATES.get(name))?.cheap !== true) return false;
  return true;
}

/** Returns an upper bound on a run's cost: unbounded if any called function is not cheap. */
export function costOf({ calls, cost }: StatementAnalysis): StatementAnalysis['cost'] {
  return calls !== undefined && areCheap(calls) ? cost : 'unbounded';
}
