/** The cache in which nodes create instances of their classes. */
import { randomBytes } from '../../../base/clock.ts';
import { CLUSTER_BOUNDS } from '../../../base/limits.ts';
import { hashOfText } from '../binary/java-hash.ts';
import type { Pool } from '../connections/pool.ts';
import { MODE, ownCache } from '../operations/cache-configuration.ts';
import { CACHE } from '../operations/grid-operations.ts';

const SCRATCH_PREFIX = 'svc-sys-class-';

/**
 * Where nodes create instances: in the cache being written to, which costs one request, or in a temporary one. A cache
 * with SQL types rejects the keys of the instances.
 */
export class ProbeLocation {
  readonly #pool: Pool;
  #cacheId: number;
  #isTemporary = false;

  constructor(pool: Pool, cacheId: number) {
    this.#pool = pool;
    this.#cacheId = cacheId;
  }

  get cacheId(): number {
    return this.#cacheId;
  }

  get isTemporary(): boolean {
    return this.#isTemporary;
  }

  /** Creates the temporary cache. */
  async leaveCache(): Promise<void> {
    const name = uniqueName();
    const creation = ownCache(name, MODE.PARTITIONED);
    await this.#pool.call(CACHE.getOrCreate, creation, undefined, undefined, CLUSTER_BOUNDS.changeMs);
    this.#cacheId = hashOfText(name);
    this.#isTemporary = true;
  }

  /** Destroys the temporary cache, if there is one. */
  async close(): Promise<void> {
    if (!this.#isTemporary) return;
    await this.#pool.call(CACHE.destroy, this.#cacheId, undefined, undefined, CLUSTER_BOUNDS.changeMs);
  }
}

/** Returns an unused name. */
export function uniqueName(): string {
  return SCRATCH_PREFIX + Buffer.from(randomBytes(8)).toString('hex');
}
