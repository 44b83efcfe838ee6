/** What append and prepend share: Ignite looks the cache up before it misses `val` (docs/spec/ignite-data.md 2.2). */
import { fail } from '../base/errors.ts';
import { chain, type MaybePromise } from '../base/maybe-promise.ts';
import type { Grid } from '../grid/grid.ts';
import type { Value } from '../values/value.ts';
import { checkedByHandler, type Parameter, val } from './params.ts';

export const valCheckedByHandler: Parameter<Value | undefined> = {
  ...checkedByHandler(val),
  summary: 'The text, list or map to add.',
};

/** Adds `value` at one end of the entry; refuses CACHE_NOT_FOUND before PARAMETER_MISSING. */
export function addTo(
  grid: Grid,
  cache: string,
  key: Value,
  value: Value | undefined,
  end: 'append' | 'prepend',
): MaybePromise<boolean> {
  if (value !== undefined) return grid.entries[end](cache, key, value);
  return chain(grid.caches.find(cache), (found) => {
    if (found === undefined) throw fail('CACHE_NOT_FOUND', cache);
    throw fail('PARAMETER_MISSING', 'val');
  });
}
