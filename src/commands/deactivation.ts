/** The change of the cluster's state that setstate and its older forms request. */
import { fail } from '../base/errors.ts';
import { chain, type MaybePromise } from '../base/maybe-promise.ts';
import type { ClusterState, Grid } from '../grid/grid.ts';
import type { CompatibilityFlags } from './compatibility-flags.ts';

/**
 * Sets the state. Throws DEACTIVATION_STOPPED for INACTIVE without `force` while a cache without persistence has
 * entries; with the flag `forceForVolatileCaches`, while there is such a cache.
 */
export function changeState(
  grid: Grid,
  state: ClusterState,
  force: boolean,
  { forceForVolatileCaches }: CompatibilityFlags,
): MaybePromise<void> {
  if (state !== 'INACTIVE' || force || !forceForVolatileCaches) return grid.cluster.setState(state, force);
  return chain(grid.cluster.state(), (current) => {
    if (current === 'INACTIVE') return;
    return chain(grid.caches.list(), (caches) => {
      const volatile = caches.filter(({ persistent }) => !persistent);
      if (volatile.length > 0) {
        throw fail(
          'DEACTIVATION_STOPPED',
          volatile.map(({ name }) => name),
        );
      }
      return grid.cluster.setState(state, force);
    });
  });
}
