/** The handler of append and prepend. Ignite checks the cache before `val` (docs/spec/ignite-data.md 2.2). */
import { fail } from '../base/errors.ts';
import { chain, type MaybePromise } from '../base/maybe-promise.ts';
import type { Grid, TimeToLive } from '../grid/grid.ts';
import type { Value } from '../values/value.ts';
import { checkedByHandler, type Parameter, val } from './params.ts';

export const addition: Parameter<Value | undefined> = {
  ...checkedByHandler(val),
  summary: 'The string, list or map to add.',
};

/** Adds `value` at one end of the current value. Throws CACHE_NOT_FOUND, then PARAMETER_MISSING. */
export function addTo(
  grid: Grid,
  cache: string,
  key: Value,
  value: Value | undefined,
  end: 'append' | 'prepend',
  ttlMs: TimeToLive,
): MaybePromise<boolean> {
  if (value !== undefined) return grid.entries[end](cache, key, value, ttlMs);
  return chain(grid.caches.find(cache), (found) => {
    if (found === undefined) throw fail('CACHE_NOT_FOUND', cache);
    throw fail('PARAMETER_MISSING', 'val');
  });
}
