/** The size of the results of a transaction, which are held until it ends. */

import type { Value } from '../values/value.ts';
import { sizeOfValue } from '../values/value-size.ts';

/** Characters of a result without content. */
const SMALL = 16;

/** Returns about the number of characters that the result of an operation has in JSON. */
export function sizeOfResult(result: unknown): number {
  if (Array.isArray(result)) return result.reduce((size: number, each) => size + sizeOfResult(each), SMALL);
  if (typeof result === 'string') return result.length;
  if (typeof result !== 'object' || result === null) return SMALL;
  if (isValue(result)) return sizeOfValue(result);
  return Object.values(result).reduce((size: number, each) => size + sizeOfResult(each), SMALL);
}

function isValue(result: object): result is Value {
  return 'type' in result;
}
