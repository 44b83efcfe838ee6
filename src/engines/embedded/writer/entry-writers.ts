/** The entry writers of all caches, and the statistics of the current transaction. */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../base/clock.ts';
import { gridError } from '../../../base/errors.ts';
import type { CacheRules } from '../../../grid/cache-rules.ts';
import type { CacheHandle, CacheRegistry } from '../ddl/cache-registry.ts';
import type { WritableDatabase } from '../storage/databases.ts';
import { addEntries } from '../storage/deadline-index.ts';
import { RegionSpace } from '../storage/region-space.ts';
import type { Metrics, SharedState } from '../storage/shared-state.ts';
import type { TypeNames } from '../storage/value-storage.ts';
import type { WritableDatabases } from '../storage/write-connections.ts';
import { EntryWriter } from './entry-writer.ts';

/** Maximum number of writers; the least recently used is evicted first. Each holds prepared statements. */
const MAX_WRITERS = 16_384;

export interface EntryWritersOptions {
  readonly connections: WritableDatabases;
  readonly registry: CacheRegistry;
  /** Stores the names of new types. */
  readonly names: TypeNames & { partRolledBack(): void };
  readonly rules: CacheRules;
  readonly shared: SharedState;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** Called for a cache whose entries expire, with the earliest time. */
  readonly onExpiry: (cache: string, atMs: number) => void;
}

export class EntryWriters {
  readonly #options: EntryWritersOptions;
  readonly #registry: CacheRegistry;
  readonly #shared: SharedState;
  /** Created with the first writer: its arrays have their final size, which startup does not need. */
  #writers: LRUCache<CacheHandle, EntryWriter> | undefined;
  readonly #touched = new Set<EntryWriter>();
  /** The most recently used writer: changes of a transaction often belong to one cache. */
  #last: EntryWriter | undefined;

  constructor(options: EntryWritersOptions) {
    this.#options = options;
    this.#registry = options.registry;
    this.#shared = options.shared;
  }

  /** Returns the cache for a change of its entries. Throws INACTIVE or READ_ONLY, then CACHE_NOT_FOUND. */
  require(cache: string): CacheHandle {
    if (this.#shared.isInactive()) throw gridError('INACTIVE');
    if (!this.#shared.isActive()) throw gridError('READ_ONLY', 'cache operation', cache);
    return this.#registry.require(cache);
  }

  /** Returns the cache for a read inside a transaction. */
  requireForReading(cache: string): CacheHandle {
    if (this.#shared.isInactive()) throw gridError('INACTIVE');
    return this.#registry.require(cache);
  }

  /** Returns the writer of a cache for the running transaction. */
  of(cache: string): EntryWriter {
    return this.#writer(this.require(cache));
  }

  /** Returns the writer for reads, and for the removal of expired entries, which a read-only cluster allows. */
  forReading(cache: string): EntryWriter {
    return this.#writer(this.requireForReading(cache));
  }

  #writer(handle: CacheHandle): EntryWriter {
    if (this.#last?.handle === handle) return this.#last;
    this.#writers ??= new LRUCache({ max: MAX_WRITERS, dispose: (writer) => writer.finalize() });
    let writer = this.#writers.get(handle);
    if (!writer) {
      const { connections, names, rules, clock } = this.#options;
      const target = connections.get(handle.database);
      const space = RegionSpace.of(target.database, rules.regions.get(handle.definition.region));
      writer = new EntryWriter(target, handle, names, clock, this.#shared, space, rules.maxValueCharacters);
      this.#writers.set(handle, writer);
    }
    this.#touched.add(writer);
    this.#last = writer;
    return writer;
  }

  /** Stores the entry counts, in the transaction that changed the entries. */
  writeCounts(target: WritableDatabase): void {
    for (const { pending, handle } of this.#touched) addEntries(target, handle.id, pending.entries);
  }

  /** Adds the reads and writes of the committed transaction to the statistics. */
  countCommitted(): void {
    const { metrics, clock, onExpiry } = this.#options;
    const nowMs = clock.nowMs();
    for (const writer of this.#touched) {
      const { pending, handle, earliestExpiry } = writer;
      if (pending.hits + pending.misses > 0) metrics.countReads(handle.slot, pending.hits, pending.misses, nowMs);
      if (pending.writes > 0) metrics.countWrites(handle.slot, pending.writes, nowMs);
      if (earliestExpiry !== undefined) onExpiry(handle.definition.name, earliestExpiry);
      writer.resetPendingStatistics();
    }
    this.#forgetWriters();
  }

  /** Discards the statistics of a transaction that was rolled back. */
  forget(): void {
    for (const writer of this.#touched) writer.rolledBack();
    this.#forgetWriters();
  }

  /** Forgets what a statement that was rolled back alone may have stored. */
  partRolledBack(): void {
    this.#options.names.partRolledBack();
    for (const writer of this.#touched) writer.partRolledBack();
  }

  #forgetWriters(): void {
    this.#touched.clear();
    this.#last = undefined;
  }

  /** Finalizes the statements of one cache or all, before tables or files that they use are dropped. */
  release(cache?: CacheHandle): void {
    this.#last = undefined;
    if (cache === undefined) this.#writers?.clear();
    else this.#writers?.delete(cache);
  }
}
