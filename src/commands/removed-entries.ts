/** Predicts the effects of a command that removes all entries of a cache, for `dryrun`. */
import { gridError } from '../base/errors.ts';
import type { Context, Effect } from './context.ts';

/** Returns the effect on a cache; nothing if the cache does not exist. Throws INACTIVE and READ_ONLY. */
export async function removedEntries(
  cacheName: string,
  change: 'destroyed' | 'cleared',
  { grid, call }: Context,
): Promise<readonly Effect[]> {
  const state = await grid.cluster.state();
  if (state === 'INACTIVE') throw gridError('INACTIVE');
  if (state === 'ACTIVE_READ_ONLY') throw gridError('READ_ONLY', 'cache operation', cacheName);
  if ((await grid.caches.find(cacheName)) === undefined) return [];
  return [{ cacheName, change, entries: await call({ kind: 'size', cache: cacheName }) }];
}
