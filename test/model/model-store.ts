/** The contents of a model grid, which outlive it. */
import type { ClusterState } from '../../src/grid/grid.ts';
import type { ModelCache, ModelCaches } from './model-entries.ts';

/** The contents of a grid. */
export class ModelStore implements ModelCaches {
  state: ClusterState = 'ACTIVE';
  readonly caches = new Map<string, ModelCache>();
  readonly counters = new Map<string, { readonly value: bigint; readonly expiresAtMs: number | undefined }>();
  readonly records = new Map<string, { readonly content: string; readonly expiresAtMs: number | undefined }>();

  /** Removes what does not survive a restart or deactivation. */
  dropTemporary(defaultRegionPersistent: boolean): void {
    for (const { definition, entries } of this.caches.values()) if (!definition.persistent) entries.clear();
    if (!defaultRegionPersistent) this.counters.clear();
  }

  /** Resets the metrics of all caches, which start at zero when the grid opens. */
  resetMetrics(): void {
    for (const cache of this.caches.values()) Object.assign(cache, NO_METRICS);
  }
}

/** The metrics of a cache that starts. */
export const NO_METRICS = { hits: 0, misses: 0, writes: 0, readTime: 0, writeTime: 0 };
