/** What the configuration declares of a grid: data regions, cache templates, caches with their query entities. */
import type { CacheMode, QueryEntity, WriteSynchronizationMode } from './grid.ts';

/** Where caches live. The region `default` always exists; declaring it changes its settings. */
export interface RegionDeclaration {
  readonly name: string;
  /** Default true: entries survive a restart. */
  readonly persistent?: boolean;
  /** Default: none. What would exceed it is refused with REGION_FULL. */
  readonly maxSizeBytes?: number;
}

/** Settings that caches start from. PARTITIONED and REPLICATED always exist. */
export interface TemplateDeclaration {
  /** Matched without regard to case. */
  readonly name: string;
  /** Default PARTITIONED. */
  readonly mode?: CacheMode;
  readonly backups?: number;
  readonly region?: string;
  readonly group?: string;
  readonly writeMode?: WriteSynchronizationMode;
  readonly atomicity?: 'ATOMIC' | 'TRANSACTIONAL';
}

/** A cache that exists from the start; what is absent is taken from the template. */
export interface CacheDeclaration {
  readonly name: string;
  readonly template?: string;
  readonly mode?: CacheMode;
  readonly backups?: number;
  readonly region?: string;
  readonly group?: string;
  readonly writeMode?: WriteSynchronizationMode;
  readonly atomicity?: 'ATOMIC' | 'TRANSACTIONAL';
  /** Default: the cache's name when it has entities. */
  readonly schema?: string;
  readonly entities?: readonly QueryEntity[];
}

export const DEFAULT_REGION = 'default';
export const DEFAULT_CACHE = 'default';
