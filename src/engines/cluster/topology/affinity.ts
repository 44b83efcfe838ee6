/**
 * Determines which node holds a key. Partition maps of caches are refreshed when the cluster reports that partitions
 * have moved (docs/spec/ignite-wire.md 5).
 */
import type { Value } from '../../../values/value.ts';
import type { BinaryContext } from '../binary/context.ts';
import { encodeValue } from '../binary/encoder.ts';
import { partitionOf } from '../binary/java-hash.ts';
import { hashOfValue } from '../binary/java-value-hash.ts';
import type { Pool } from '../connections/pool.ts';
import { AFFINITY } from '../operations/grid-operations.ts';

/** The partitions of one cache. */
export interface Mapping {
  readonly owners: readonly string[];
  readonly affinityFields: ReadonlyMap<number, number>;
}

/** A mapping, or `replicated` if the cache is not partitioned by key. */
export type KnownMapping = Mapping | 'replicated';

/**
 * Returns Java's hash of a key, which determines its partition, or undefined for keys whose hash cannot be computed
 * here. `affinityFields` contains the field that determines the partition, by type id.
 */
export function affinityHash(
  key: Value,
  affinityFields: ReadonlyMap<number, number>,
  context: BinaryContext,
): number | undefined {
  return hashOfValue(key, context, encodeValue, affinityFields);
}

export class AffinityMap {
  readonly #pool: Pool;
  readonly #mappings = new Map<number, KnownMapping>();
  readonly #requested = new Set<number>();
  #stale = false;
  #refreshing: Promise<void> | undefined;
  /** Incremented by every refresh, which invalidates data derived from the map. */
  version = 0;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Returns the node that holds the key's primary copy, to which requests go, or undefined if it is not known. */
  preferredNode(cacheId: number, key: Value): string | undefined {
    const mapping = this.#mappings.get(cacheId);
    if (mapping === undefined || this.#stale) this.#request(cacheId);
    if (mapping === undefined) return undefined;
    return mapping === 'replicated' ? undefined : this.ownerOf(mapping, key);
  }

  /** Returns the cache's mapping, fetching it if necessary, or undefined if the cluster reports none. */
  async mappingOf(cacheId: number): Promise<KnownMapping | undefined> {
    if (this.#stale || !this.#mappings.has(cacheId)) {
      this.#requested.add(cacheId);
      await this.#refresh();
    }
    return this.#mappings.get(cacheId);
  }

  /** Returns the mapping if it is known and up to date. */
  knownMapping(cacheId: number): KnownMapping | undefined {
    return this.#stale ? undefined : this.#mappings.get(cacheId);
  }

  /** Returns the node of the key's primary copy under a mapping. */
  ownerOf(mapping: Mapping, key: Value): string | undefined {
    if (mapping.owners.length === 0) return undefined;
    const hash = affinityHash(key, mapping.affinityFields, this.#pool.context);
    return hash === undefined ? undefined : mapping.owners[partitionOf(hash, mapping.owners.length)];
  }

  /** Marks the map as outdated. It is used until the new one has arrived. */
  invalidate(): void {
    this.#stale = true;
    this.version++;
    this.#refreshQuietly();
  }

  /** Removes a destroyed cache; a new one of the same name may have another mapping. */
  forget(cacheId: number): void {
    this.#mappings.delete(cacheId);
    this.#requested.delete(cacheId);
    this.version++;
  }

  #request(cacheId: number): void {
    this.#requested.add(cacheId);
    if (!this.#refreshing) this.#refreshQuietly();
  }

  #refreshQuietly(): void {
    // Without a map, requests go to any node, which forwards them. The next request retries.
    this.#refresh().catch(() => {});
  }

  async #refresh(): Promise<void> {
    if (this.#refreshing) {
      await this.#refreshing.catch(() => {});
      return this.#isComplete() ? undefined : this.#refresh();
    }
    this.#refreshing = this.#load().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  #isComplete(): boolean {
    return !this.#stale && [...this.#requested].every((cacheId) => this.#mappings.has(cacheId));
  }

  async #load(): Promise<void> {
    if (this.#requested.size === 0) {
      this.#stale = false;
      return;
    }
    this.#stale = false;
    try {
      const { groups } = await this.#pool.call(AFFINITY.partitions, [...this.#requested]);
      const reported = new Set<number>();
      for (const group of groups) {
        for (const { cacheId, affinityFields } of group.caches) {
          reported.add(cacheId);
          this.#requested.add(cacheId);
          this.#mappings.set(cacheId, group.applicable ? { owners: group.owners, affinityFields } : 'replicated');
        }
      }
      for (const cacheId of [...this.#requested]) if (!reported.has(cacheId)) this.forget(cacheId);
      this.version++;
    } catch (error) {
      this.#stale = true;
      throw error;
    }
  }
}
