/** The size of a transaction's results, which are held until it ends. */

import type { Value } from '../values/value.ts';
import { sizeOfValue } from '../values/value-size.ts';

/** Number of characters in a result without content. */
const SMALL = 16;

/** Returns the approximate length of an operation's result in JSON, in characters. */
export function sizeOfResult(result: unknown): number {
  if (Array.isArray(result)) return result.reduce((size: number, each) => size + sizeOfResult(each), SMALL);
  if (typeof result === 'string') return result.length;
  if (typeof result !== 'object' || result === null) return SMALL;
  if (isValue(result)) return sizeOfValue(result);
  return Object.values(result).reduce((size: number, each) => size + sizeOfResult(each), SMALL);
}

/**
 * Calls `onSend` for each key, value and column of a result. If it throws, the step fails: once the response is
 * written, the transaction has already committed.
 */
export function checkSent(result: unknown, onSend: (value: Value) => Value): void {
  if (Array.isArray(result)) for (const each of result) checkSent(each, onSend);
  else if (typeof result !== 'object' || result === null) return;
  else if (!isValue(result)) checkSent(Object.values(result), onSend);
  else if (result.type !== 'null') onSend(result);
}

function isValue(result: object): result is Value {
  return 'type' in result;
}
