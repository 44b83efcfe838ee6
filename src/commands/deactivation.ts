/** The change of the cluster's state that setstate and its older forms request, and its dry run. */
import type { RequestCompatibility } from '../base/compatibility.ts';
import { gridError } from '../base/errors.ts';
import { chain, type MaybePromise } from '../base/maybe-promise.ts';
import type { ClusterState } from '../grid/grid.ts';
import type { Context, Effect, EngineServices } from './context.ts';

/**
 * Sets the state. Throws DEACTIVATION_STOPPED for INACTIVE without `force` while a cache without persistence has
 * entries or, with compatibility `reference`, while there is such a cache (docs/differences.md, row 47).
 */
export function changeState(
  grid: EngineServices,
  state: ClusterState,
  force: boolean,
  compatibility: RequestCompatibility,
): MaybePromise<void> {
  if (state !== 'INACTIVE' || force || compatibility !== 'reference') return grid.cluster.setState(state, force);
  return chain(grid.cluster.state(), (current) => {
    if (current === 'INACTIVE') return;
    return chain(grid.caches.list(), (caches) => {
      const volatile = caches.filter(({ persistent }) => persistent === false);
      if (volatile.length > 0) {
        throw gridError(
          'DEACTIVATION_STOPPED',
          volatile.map(({ name }) => name),
        );
      }
      return grid.cluster.setState(state, force, true);
    });
  });
}

/** Predicts the result of {@link changeState}. Throws DEACTIVATION_STOPPED under the same conditions. */
export async function previewState(
  state: ClusterState,
  force: boolean,
  { grid, call, compatibility }: Context,
): Promise<readonly Effect[]> {
  const current = await grid.cluster.state();
  if (current === state) return [];
  const effects: Effect[] = [{ state, change: 'entered' }];
  if (state !== 'INACTIVE') return effects;
  const stopping = [...(await grid.cluster.internalLoss())];
  for (const { name, persistent } of await grid.caches.list()) {
    if (persistent !== false) continue;
    const entries = await call({ kind: 'size', cache: name });
    if (entries > 0) effects.push({ cacheName: name, change: 'cleared', entries });
    if (entries > 0 || compatibility === 'reference') stopping.push(name);
  }
  if (!force && stopping.length > 0) throw gridError('DEACTIVATION_STOPPED', stopping);
  return effects;
}
