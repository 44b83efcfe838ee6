/** The grid's part of the configuration: data regions, cache templates, and caches with their query entities. */
import type { CacheMode, QueryEntity, WriteSynchronizationMode } from './grid.ts';

/** A data region, which stores caches. The region `default` always exists; declaring it changes its settings. */
export interface RegionDeclaration {
  readonly name: string;
  /** Entries survive a restart. Default: true. */
  readonly persistent?: boolean;
  /** Writes that would exceed it fail with REGION_FULL. Default: no limit. */
  readonly maxSizeBytes?: number;
  /**
   * Changes are acknowledged before they are on disk and synced at this interval: a power cut loses at most the last
   * interval. 0, the default: changes are acknowledged once they are on disk.
   */
  readonly syncIntervalMs?: number;
}

/** The settings common to templates and caches. */
export interface CacheSettings {
  /** Default of a template: PARTITIONED. */
  readonly mode?: CacheMode;
  readonly backups?: number;
  readonly region?: string;
  readonly group?: string;
  readonly writeMode?: WriteSynchronizationMode;
  readonly atomicity?: 'ATOMIC' | 'TRANSACTIONAL';
  /** Time to live, in ms, of an entry after each write that does not set one. Default: entries do not expire. */
  readonly ttlMs?: number;
  /** Reads also extend the time to live. Default: false. */
  readonly sliding?: boolean;
  /** Records changes in the change feed. Default: false. */
  readonly changeFeed?: boolean;
}

/** A cache template: default settings of caches. PARTITIONED and REPLICATED always exist. */
export interface TemplateDeclaration extends CacheSettings {
  /** Case-insensitive. */
  readonly name: string;
}

/** A cache that the service creates at startup; omitted settings come from the template. */
export interface CacheDeclaration extends CacheSettings {
  readonly name: string;
  readonly template?: string;
  /** Default: the cache's name if it has entities. */
  readonly schema?: string;
  readonly entities?: readonly QueryEntity[];
}

export const DEFAULT_REGION = 'default';
export const DEFAULT_CACHE = 'default';

/** Returns the cache that a request names. `default` means the default cache, whatever the configuration calls it. */
export function namedCacheOf(name: string, defaultCache: string): string {
  return name === DEFAULT_CACHE ? defaultCache : name;
}
