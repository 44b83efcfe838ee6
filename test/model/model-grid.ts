/**
 * An in-memory implementation of the grid on Maps: the oracle of tests. It has no queries. Its store outlives the grid
 * that was opened on it, which simulates durability.
 */
import type { Clock } from '../../src/base/clock.ts';
import { gridError } from '../../src/base/errors.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/base/limits.ts';
import { CacheRules, missingCache } from '../../src/grid/cache-rules.ts';
import type { CallKind, CallTable, Port } from '../../src/grid/calls.ts';
import {
  type CacheDeclaration,
  DEFAULT_CACHE,
  DEFAULT_REGION,
  type RegionDeclaration,
  type TemplateDeclaration,
} from '../../src/grid/declarations.ts';
import type {
  CacheDefinition,
  CacheMetadata,
  CacheMetrics,
  CacheRequest,
  Caches,
  Cluster,
  Grid,
  Queries,
  Records,
  Transfer,
} from '../../src/grid/grid.ts';
import type { ObjectSchema } from '../../src/values/value.ts';
import { ModelCalls } from './model-calls.ts';
import type { ModelCache } from './model-entries.ts';
import { ModelStore, NO_METRICS } from './model-store.ts';
import { modelTransactions } from './model-transactions.ts';

export interface ModelOptions {
  readonly clock: Clock;
  readonly regions?: readonly RegionDeclaration[];
  readonly templates?: readonly TemplateDeclaration[];
  readonly caches?: readonly CacheDeclaration[];
  readonly classes?: readonly ObjectSchema[];
  readonly limits?: Limits;
  readonly defaultCache?: string;
  /** By default there are none. */
  readonly queries?: Queries;
  /** The store of an earlier grid; default: an empty one. */
  readonly store?: ModelStore;
}

const NODE_ID = '00000000-0000-4000-8000-000000000001';

export function openModelGrid(options: ModelOptions): Grid {
  const { clock, store = new ModelStore(), defaultCache = DEFAULT_CACHE, queries = NO_QUERIES } = options;
  const rules = new CacheRules(options.regions ?? [], options.templates ?? [], options.limits ?? DEFAULT_LIMITS);
  const counterRegionPersistent = rules.regions.get(DEFAULT_REGION)?.persistent ?? true;
  store.dropTemporary(counterRegionPersistent);
  store.resetMetrics();
  const caches = new ModelCachesPort(store, rules, clock, defaultCache);
  caches.declare(options.caches ?? []);
  const calls = new ModelCalls(store, clock, rules.maxValueCharacters, queries);
  const table: CallTable<CallKind> = calls;
  const port: Port = { call: (call) => table[call.kind](call) };
  return {
    capabilities: { manyNodes: false },
    port,
    caches,
    queries,
    transactions: modelTransactions({ store, rules, calls, port }),
    cluster: modelCluster(store, rules, () => store.dropTemporary(counterRegionPersistent), clock),
    records: modelRecords(store, clock),
    transfer: modelTransfer(store, caches, clock),
    tasks: undefined,
    types: {
      find: (typeName, cache) =>
        options.classes?.find((each) => each.typeName === typeName) ?? caches.findType(typeName, cache),
    },
    close: async () => undefined,
  };
}

class ModelCachesPort implements Caches {
  readonly #store: ModelStore;
  readonly #rules: CacheRules;
  readonly #clock: Clock;
  readonly #defaultCache: string;

  constructor(store: ModelStore, rules: CacheRules, clock: Clock, defaultCache: string) {
    this.#store = store;
    this.#rules = rules;
    this.#clock = clock;
    this.#defaultCache = defaultCache;
  }

  /** The model has no SQL. */
  cacheOfTable(): undefined {
    return undefined;
  }

  declare(declarations: readonly CacheDeclaration[]): void {
    const all = declarations.some(({ name }) => name === this.#defaultCache)
      ? declarations
      : [...declarations, { name: this.#defaultCache, schema: 'PUBLIC' }];
    for (const declaration of all) {
      if (this.#store.caches.has(declaration.name)) continue;
      this.#create(this.#rules.fromDeclaration(declaration, this.list()));
    }
  }

  async getOrCreate(name: string, request: CacheRequest): Promise<void> {
    const definition = this.#newDefinition(name, request);
    if (definition !== undefined) this.#create(definition);
  }

  async wouldCreate(name: string, request: CacheRequest): Promise<boolean> {
    return this.#newDefinition(name, request) !== undefined;
  }

  /** Returns the definition of a cache that does not exist yet. */
  #newDefinition(name: string, request: CacheRequest): CacheDefinition | undefined {
    if (this.#store.state === 'INACTIVE') throw gridError('INACTIVE');
    if (this.#store.caches.has(name)) return undefined;
    if (this.#store.state !== 'ACTIVE') throw gridError('READ_ONLY', 'start cache operation', name);
    return this.#rules.fromRequest(name, request, this.list());
  }

  async destroy(name: string): Promise<void> {
    if (this.#store.state === 'INACTIVE') throw gridError('INACTIVE');
    if (this.#store.state !== 'ACTIVE') throw gridError('READ_ONLY', 'dynamic destroy cache operation', name);
    const cache = this.#store.caches.get(name);
    if (!cache) return;
    if (name !== this.#defaultCache) {
      this.#store.caches.delete(name);
      return;
    }
    cache.entries.clear();
    Object.assign(cache, NO_METRICS);
  }

  find(name: string): CacheDefinition | undefined {
    return this.#store.caches.get(name)?.definition;
  }

  list(): CacheDefinition[] {
    return [...this.#store.caches.values()].map(({ definition }) => definition);
  }

  metrics(name: string): CacheMetrics {
    if (this.#store.state === 'INACTIVE') throw gridError('INACTIVE');
    const { createTime, readTime, writeTime, hits, misses, writes } = this.#require(name);
    return { createTime, readTime, writeTime, hits, misses, reads: hits + misses, writes };
  }

  metadata(name: string): CacheMetadata {
    if (this.#store.state === 'INACTIVE') throw gridError('INACTIVE');
    this.#require(name);
    return { cacheName: name, types: [], keyClasses: {}, valClasses: {}, fields: {}, indexes: {} };
  }

  findType(typeName: string, cache: string | undefined): ObjectSchema | undefined {
    const definitions = this.list().filter(({ name }) => cache === undefined || name === cache);
    for (const { valueType, keyType, keyFields = [], fields } of definitions.flatMap(({ entities }) => entities)) {
      const isKey = typeName === keyType;
      if (typeName !== valueType && !isKey) continue;
      const source = isKey ? 'entityKey' : 'entity';
      return { typeName, source, fields: fields.filter(({ name }) => keyFields.includes(name) === isKey) };
    }
    return undefined;
  }

  define(definition: CacheDefinition): boolean {
    if (this.#store.state === 'INACTIVE') throw gridError('INACTIVE');
    if (this.#store.caches.has(definition.name)) return false;
    if (this.#store.state !== 'ACTIVE') throw gridError('READ_ONLY', 'start cache operation', definition.name);
    const region = this.#rules.regions.get(definition.region) ?? { name: DEFAULT_REGION, persistent: true };
    this.#create({ ...definition, region: region.name, persistent: region.persistent });
    return true;
  }

  #require(name: string): ModelCache {
    const cache = this.#store.caches.get(name);
    if (!cache) throw missingCache(name);
    return cache;
  }

  #create(definition: CacheDefinition): void {
    const createTime = Math.floor(this.#clock.nowMs());
    this.#store.caches.set(definition.name, { definition, createTime, entries: new Map(), ...NO_METRICS });
  }
}

function modelRecords(store: ModelStore, clock: Clock): Records {
  const live = (id: string): string | undefined => {
    const record = store.records.get(id);
    const expired = record?.expiresAtMs !== undefined && record.expiresAtMs <= clock.nowMs();
    return expired ? undefined : record?.content;
  };
  return {
    get: (kind, id) => live(`${kind}/${id}`),
    async put(kind, id, content, expiresAtMs) {
      store.records.set(`${kind}/${id}`, { content, expiresAtMs });
    },
    async add(kind, id, content, expiresAtMs) {
      if (live(`${kind}/${id}`) !== undefined) return false;
      store.records.set(`${kind}/${id}`, { content, expiresAtMs });
      return true;
    },
    async replace(kind, id, content, expiresAtMs) {
      if (live(`${kind}/${id}`) === undefined) return false;
      store.records.set(`${kind}/${id}`, { content, expiresAtMs });
      return true;
    },
    async remove(kind, id) {
      const old = live(`${kind}/${id}`);
      store.records.delete(`${kind}/${id}`);
      return old;
    },
    list(kind) {
      return [...store.records.keys()].sort().flatMap((each) => {
        const content = each.startsWith(`${kind}/`) ? live(each) : undefined;
        return content === undefined ? [] : [{ id: each.slice(kind.length + 1), content }];
      });
    },
  };
}

/** Entries per batch of a scan: few, so that tests see several batches. */
const BATCH_ENTRIES = 10;

/** Positions of scans are entry counts, because a Map keeps its order. */
function modelTransfer(store: ModelStore, caches: ModelCachesPort, clock: Clock): Transfer {
  return {
    async *scan(name, position) {
      if (store.state === 'INACTIVE') throw gridError('INACTIVE');
      const cache = store.caches.get(name);
      if (!cache) throw gridError('CACHE_NOT_FOUND', name);
      const all = [...cache.entries.values()];
      for (let from = Number(position ?? 0); from < all.length; from += BATCH_ENTRIES) {
        const nowMs = clock.nowMs();
        const entries = all.slice(from, from + BATCH_ENTRIES).flatMap(({ key, value, expiresAtMs }) => {
          if (expiresAtMs === undefined) return [{ key, value }];
          const rest = BigInt(Math.ceil(expiresAtMs - nowMs));
          return rest > 0n ? [{ key, value, ttlMs: rest }] : [];
        });
        if (entries.length > 0) yield { entries, position: String(from + BATCH_ENTRIES) };
      }
    },
    define: async (definition) => caches.define(definition),
    views: () => [],
    counters() {
      if (store.state === 'INACTIVE') throw gridError('INACTIVE');
      const nowMs = clock.nowMs();
      return [...store.counters]
        .filter(([, { expiresAtMs = Number.POSITIVE_INFINITY }]) => expiresAtMs > nowMs)
        .map(([name, { value, expiresAtMs }]) => ({
          name,
          value,
          ...(expiresAtMs !== undefined && { ttlMs: BigInt(Math.ceil(expiresAtMs - nowMs)) }),
        }))
        .sort((left, right) => (left.name < right.name ? -1 : 1));
    },
  };
}

function modelCluster(store: ModelStore, rules: CacheRules, dropTemporary: () => void, clock: Clock): Cluster {
  const holdsEntries = ({ definition, entries }: ModelCache): boolean =>
    !definition.persistent &&
    [...entries.values()].some(({ expiresAtMs = Number.POSITIVE_INFINITY }) => expiresAtMs > clock.nowMs());
  return {
    localNodeId: NODE_ID,
    version: () => 'model',
    name: () => null,
    state: () => store.state,
    internalLoss: () => [],
    async setState(state, force) {
      if (state === store.state) return;
      const lost = [...store.caches.values()].filter(holdsEntries).map(({ definition }) => definition.name);
      if (state === 'INACTIVE' && !force && lost.length > 0) throw gridError('DEACTIVATION_STOPPED', lost);
      if (state === 'INACTIVE') dropTemporary();
      store.state = state;
    },
    nodes: () => [
      {
        id: NODE_ID,
        consistentId: NODE_ID,
        order: 1,
        local: true,
        addresses: [],
        hostNames: [],
        port: 0,
        metrics: undefined,
        attributes: undefined,
      },
    ],
    hasNode: (id) => id === NODE_ID,
    primaryNode: () => NODE_ID,
    baseline: () => ({
      active: store.state !== 'INACTIVE',
      baseline: [NODE_ID],
      topologyVersion: 1,
      servers: [NODE_ID],
    }),
    regions: () => (store.state === 'INACTIVE' ? [] : [...rules.regions.keys()].map((name) => ({ name }))),
  };
}

const NO_QUERIES: Queries = {
  execute: () => Promise.reject(gridError('NOT_SUPPORTED', 'queries', 'the model has no SQL')),
  fetch: (queryId) => Promise.reject(gridError('QUERY_NOT_FOUND', queryId)),
  close: () => undefined,
  kill: ({ number }) => Promise.reject(gridError('QUERY_NOT_FOUND', number)),
};
