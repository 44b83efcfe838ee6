/** The port's operations on caches. */
import { gridError } from '../../../base/errors.ts';
import type { CacheDefinition, CacheMetadata, CacheMetrics, CacheRequest, Caches } from '../../../grid/grid.ts';
import type { CacheRegistry } from '../ddl/cache-registry.ts';
import { describeCache } from '../ddl/metadata.ts';
import { schemaOf } from '../ddl/sql-names.ts';
import type { Metrics, SharedState } from '../storage/shared-state.ts';
import type { ChangeChannel } from '../writer/changes.ts';

export class EmbeddedCaches implements Caches {
  readonly #registry: CacheRegistry;
  readonly #changes: ChangeChannel;
  readonly #metrics: Metrics;
  readonly #shared: SharedState;

  constructor(registry: CacheRegistry, changes: ChangeChannel, metrics: Metrics, shared: SharedState) {
    this.#registry = registry;
    this.#changes = changes;
    this.#metrics = metrics;
    this.#shared = shared;
  }

  async getOrCreate(name: string, request: CacheRequest): Promise<void> {
    await this.#changes.submit('createCache', { name, request });
  }

  wouldCreate(name: string, request: CacheRequest): Promise<boolean> {
    return this.#changes.submit('createCache', { name, request, isDry: true });
  }

  destroy(name: string): Promise<void> {
    return this.#changes.submit('destroyCache', { name });
  }

  find(name: string): CacheDefinition | undefined {
    return this.#registry.find(name)?.definition;
  }

  list(): CacheDefinition[] {
    return this.#registry.definitions();
  }

  metrics(name: string): CacheMetrics {
    if (this.#shared.isInactive()) throw gridError('INACTIVE');
    const { slot, createdMs } = this.#registry.require(name);
    const hits = this.#metrics.sum(slot, 'hits');
    const misses = this.#metrics.sum(slot, 'misses');
    return {
      createTime: createdMs,
      readTime: Math.floor(this.#metrics.latest(slot, 'readTime')),
      writeTime: Math.floor(this.#metrics.latest(slot, 'writeTime')),
      hits,
      misses,
      reads: hits + misses,
      writes: this.#metrics.sum(slot, 'writes'),
    };
  }

  metadata(name: string): CacheMetadata {
    if (this.#shared.isInactive()) throw gridError('INACTIVE');
    return describeCache(this.#registry.require(name));
  }

  cacheOfTable(
    table: { readonly schema: string | undefined; readonly name: string },
    cache: string,
  ): string | undefined {
    const home = this.#registry.find(cache)?.definition;
    const schema = table.schema ?? (home && schemaOf(home));
    if (schema === undefined) return undefined;
    return this.#registry.findTables(schema, table.name).at(-1)?.handle.definition.name;
  }
}
