/** Implements caches: creation from templates, definitions, metrics summed over the nodes, metadata. */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../base/clock.ts';
import { GridError, gridError } from '../../../base/errors.ts';
import { CLUSTER_BOUNDS, DEFAULT_LIMITS, type Limits } from '../../../base/limits.ts';
import { CacheRules } from '../../../grid/cache-rules.ts';
import type { CacheDeclaration, TemplateDeclaration } from '../../../grid/declarations.ts';
import type { CacheDefinition, CacheMetadata, CacheMetrics, CacheRequest, Caches } from '../../../grid/grid.ts';
import { resolveType } from '../../../values/type-names.ts';
import { text } from '../../../values/value.ts';
import { hashOfText } from '../binary/java-hash.ts';
import type { Pool } from '../connections/pool.ts';
import { ENTRY } from '../operations/entry-operations.ts';
import { CACHE, CLUSTER } from '../operations/grid-operations.ts';
import { isSqlMissing, NodeError, STATUS, toGridError } from '../protocol/status.ts';
import type { AffinityMap } from './affinity.ts';
import { lackingEntities } from './lacking-entities.ts';
import { cacheIdOf, isSystemName, lastPart, type RemoteDefinitions, toCreation } from './remote-definitions.ts';
import type { SystemRegions } from './system-regions.ts';
import { booleanOf, selectAll, stringOf } from './system-sql.ts';

export interface CacheDependencies {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly definitions: RemoteDefinitions;
  readonly regions: SystemRegions;
  readonly affinity: AffinityMap;
  readonly defaultCache: string;
  readonly declarations: readonly CacheDeclaration[];
  readonly onLacking: ((cache: string, lacking: readonly string[]) => void) | undefined;
  readonly templates: readonly TemplateDeclaration[];
  readonly limits: Limits | undefined;
  /** Returns a setting that all services of the cluster share. */
  readSetting(id: string): Promise<string | undefined>;
  writeSetting(id: string, content: string): Promise<void>;
  removeSetting(id: string): Promise<unknown>;
}

/** Metrics are cached for this time, because a node goes through all of its metrics to return some. */
const METRICS_FRESH_MS = 1_000;
const NOTED_CACHES = 20_000;
const CREATED_SETTING = 'cache.created/';

interface Times {
  readTime: number;
  writeTime: number;
  /** True when the cache was used since its metrics were read. */
  isUsed: boolean;
}

interface Metrics {
  readonly hits: number;
  readonly misses: number;
  readonly reads: number;
  readonly writes: number;
}

export class ClusterCaches implements Caches {
  readonly #dependencies: CacheDependencies;
  /** Clients choose the names, so the cache is bounded. */
  readonly #times = new LRUCache<string, Times>({ max: NOTED_CACHES });
  readonly #metrics = new LRUCache<string, { readonly metrics: Metrics; readonly loadedMs: number }>({
    max: NOTED_CACHES,
  });

  constructor(dependencies: CacheDependencies) {
    this.#dependencies = dependencies;
  }

  async getOrCreate(name: string, request: CacheRequest): Promise<void> {
    const definition = await this.#newDefinition(name, request);
    if (definition === undefined) return;
    const template = this.#dependencies.templates.find(
      (each) => each.name.toLowerCase() === request.template?.toLowerCase(),
    );
    await this.#create(definition, (request.region ?? template?.region) !== undefined);
  }

  async wouldCreate(name: string, request: CacheRequest): Promise<boolean> {
    if ((await this.#newDefinition(name, request)) === undefined) return false;
    const state = await this.#dependencies.pool.call(CLUSTER.state, undefined, undefined, {});
    if (state === 'ACTIVE_READ_ONLY') throw gridError('READ_ONLY', 'start cache operation', name);
    return true;
  }

  /** Returns the definition of a cache that does not exist yet. */
  async #newDefinition(name: string, request: CacheRequest): Promise<CacheDefinition | undefined> {
    if (name !== '' && isSystemName(name)) throw nameIsReserved(name);
    // A cached definition does not reflect the current state of the cluster.
    this.#dependencies.definitions.forget(name);
    if (name !== '' && (await this.#exists(name))) return undefined;
    const rules = await this.#rules(request.region);
    return rules.fromRequest(name, request, await this.#groupMembers(request.group));
  }

  async declareConfigured(): Promise<void> {
    for (const declaration of this.#dependencies.declarations) await this.#declare(declaration);
  }

  async #declare(declaration: CacheDeclaration): Promise<void> {
    const existing = await this.find(declaration.name);
    if (existing !== undefined) {
      const lacking = lackingEntities(existing, declaration);
      if (lacking.length > 0) this.#dependencies.onLacking?.(declaration.name, lacking);
      return;
    }
    const rules = await this.#rules(declaration.region);
    const definition = rules.fromDeclaration(declaration, await this.#groupMembers(declaration.group));
    await this.#create(definition, declaration.region !== undefined);
  }

  /** Creates a cache with exactly this definition. */
  create(definition: CacheDefinition, regionNamed: boolean): Promise<void> {
    if (isSystemName(definition.name)) throw nameIsReserved(definition.name);
    return this.#create(definition, regionNamed);
  }

  async destroy(name: string): Promise<void> {
    if (isSystemName(name)) throw nameIsReserved(name);
    const { pool, definitions, affinity, defaultCache } = this.#dependencies;
    if (name === defaultCache) {
      await this.#empty(name);
      return;
    }
    try {
      await pool.call(CACHE.destroy, hashOfText(name), undefined, undefined, CLUSTER_BOUNDS.changeMs);
    } catch (error) {
      if (!(error instanceof NodeError) || error.status !== STATUS.CACHE_NOT_FOUND) {
        throw toGridError(error, { cache: name });
      }
      const unknown = this.#unknown(name);
      const reason = await pool.explain(unknown, false, name);
      if (reason !== unknown) throw reason;
      return;
    } finally {
      definitions.forget(name);
      affinity.forget(hashOfText(name));
      this.#times.delete(name);
      this.#metrics.delete(name);
    }
    definitions.remove(name);
    await this.#dependencies.removeSetting(CREATED_SETTING + name).catch(() => {});
  }

  find(name: string): Promise<CacheDefinition | undefined> {
    return this.#dependencies.definitions.find(name);
  }

  list(): Promise<readonly CacheDefinition[]> {
    return this.#dependencies.definitions.list();
  }

  /** The protocol does not report which cache a table belongs to without running a statement. */
  cacheOfTable(): undefined {
    return undefined;
  }

  listOwn(): Promise<readonly CacheDefinition[]> {
    return this.#dependencies.definitions.listOwn();
  }

  async metrics(name: string): Promise<CacheMetrics> {
    await this.#require(name);
    const { readTime, writeTime } = this.#times.get(name) ?? { readTime: 0, writeTime: 0 };
    const createTime = await this.#createTime(name);
    return { createTime, readTime, writeTime, ...(await this.#sumMetrics(name)) };
  }

  async metadata(name: string): Promise<CacheMetadata> {
    await this.#require(name);
    try {
      return await readMetadata(this.#dependencies.pool, name);
    } catch (error) {
      // Without SQL there are no tables.
      if (!isSqlMissing(error)) throw error;
      return { cacheName: name, types: [], keyClasses: {}, valClasses: {}, fields: {}, indexes: {} };
    }
  }

  /** Returns when a service created the cluster's cache, or 0 for other caches, because nodes do not report it. */
  async #createTime(name: string): Promise<number> {
    return Number((await this.#dependencies.readSetting(CREATED_SETTING + name)) ?? 0);
  }

  /** Records when this process last used a cache. */
  noteUse(cache: string, use: 'read' | 'write'): void {
    let times = this.#times.get(cache);
    if (!times) {
      times = { readTime: 0, writeTime: 0, isUsed: false };
      this.#times.set(cache, times);
    }
    times.isUsed = true;
    if (use === 'read') times.readTime = this.#dependencies.clock.nowMs();
    else times.writeTime = this.#dependencies.clock.nowMs();
  }

  /** Throws INACTIVE before CACHE_NOT_FOUND. */
  async #require(name: string): Promise<void> {
    if (await this.find(name)) return;
    throw await this.#dependencies.pool.explain(this.#unknown(name), true, name);
  }

  async #exists(name: string): Promise<boolean> {
    return (await this.#dependencies.definitions.find(name)) !== undefined;
  }

  #unknown(name: string): GridError {
    return isSystemName(name) ? gridError('CACHE_IS_SYSTEM', name) : gridError('CACHE_NOT_FOUND', name);
  }

  async #rules(region: string | undefined): Promise<CacheRules> {
    const { regions, templates, limits } = this.#dependencies;
    // If nodes do not report their regions, they detect a wrong one when they start the cache.
    const names = (await regions.names()) ?? [region, ...templates.map((each) => each.region)];
    return new CacheRules(
      names.flatMap((name) => (name === undefined ? [] : [{ name, persistent: regions.isPersistent(name) === true }])),
      templates,
      limits ?? DEFAULT_LIMITS,
    );
  }

  async #groupMembers(group: string | undefined): Promise<readonly CacheDefinition[]> {
    return group === undefined ? [] : this.#dependencies.definitions.list();
  }

  async #create(definition: CacheDefinition, regionNamed: boolean): Promise<void> {
    const { pool, definitions, affinity, clock, writeSetting } = this.#dependencies;
    const { name } = definition;
    const creation = toCreation(definition, { region: regionNamed, statistics: true });
    try {
      await pool.call(CACHE.getOrCreate, creation, undefined, undefined, CLUSTER_BOUNDS.changeMs);
    } catch (error) {
      throw creationError(error, definition);
    } finally {
      definitions.forget(name);
      affinity.forget(hashOfText(name));
      this.#metrics.delete(name);
    }
    // The cache exists even if its creation time cannot be stored.
    await writeSetting(CREATED_SETTING + name, String(Math.floor(clock.nowMs()))).catch(() => {});
    // Caches the definition, which an inactive cluster does not report.
    await definitions.find(name);
    // Nodes do not count reads that they forward. With the map, the first request goes to the right node.
    await affinity.mappingOf(hashOfText(name)).catch(() => {});
  }

  async #empty(name: string): Promise<void> {
    const { pool } = this.#dependencies;
    try {
      await pool.call(ENTRY.clear, { cacheId: cacheIdOf(name) }, undefined, { cache: name });
    } catch (error) {
      if (!(error instanceof GridError) || error.code !== 'CACHE_NOT_FOUND') throw error;
      await this.getOrCreate(name, {});
    }
  }

  /** Sums the counters of all nodes. */
  async #sumMetrics(name: string): Promise<Metrics> {
    const { pool, clock } = this.#dependencies;
    const known = this.#metrics.get(name);
    const times = this.#times.get(name);
    const fresh = known !== undefined && clock.monotonicMs() - known.loadedMs < METRICS_FRESH_MS;
    if (fresh && times?.isUsed !== true) return known.metrics;
    if (times) times.isUsed = false;
    const sql = 'select NAME, VALUE from SYS.METRICS where NAME in (?, ?, ?, ?, ?)';
    const names = ['CacheGets', 'CacheHits', 'CacheMisses', 'CachePuts', 'CacheRemovals'];
    const args = names.map((metric) => text(`cache.${name}.${metric}`));
    const sums = new Map(names.map((metric) => [metric, 0]));
    const responses = await Promise.allSettled(
      pool.connections().map((connection) => selectAll(pool, sql, args, connection)),
    );
    const rejected = responses.find((response) => response.status === 'rejected');
    if (rejected && responses.every((response) => response.status === 'rejected')) throw rejected.reason;
    for (const response of responses) {
      if (response.status === 'rejected') continue;
      for (const [metric, value] of response.value) {
        const short = stringOf(metric).slice(`cache.${name}.`.length);
        sums.set(short, (sums.get(short) ?? 0) + Number(stringOf(value)));
      }
    }
    const sum = (metric: string): number => sums.get(metric) ?? 0;
    const metrics = {
      hits: sum('CacheHits'),
      misses: sum('CacheMisses'),
      reads: sum('CacheGets'),
      writes: sum('CachePuts') + sum('CacheRemovals'),
    };
    this.#metrics.set(name, { metrics, loadedMs: clock.monotonicMs() });
    return metrics;
  }
}

function nameIsReserved(name: string): GridError {
  return gridError('CACHE_NAME_INVALID', `cannot be "${name}" because it is reserved for internal purposes.`);
}

const GROUP_MISMATCH = new RegExp(
  'Backups mismatch .*?\\[groupName=(.*?), existingCache=(.*?), existingBackups=(.*?), ' +
    'startingCache=(.*?), startingBackups=(.*?)\\]',
);

/** Returns the error for a cache that could not be started, with the service's text if the node's has no details. */
function creationError(error: unknown, definition: CacheDefinition): unknown {
  if (!(error instanceof NodeError)) return error;
  const { message } = error;
  const mismatch = GROUP_MISMATCH.exec(message);
  if (mismatch) {
    const [, group = '', existing = '', existingBackups = '', starting = '', startingBackups = ''] = mismatch;
    return gridError('GROUP_MISMATCH', group, existing, existingBackups, starting, startingBackups);
  }
  return toGridError(error, { cache: definition.name });
}

/** Returns the name of a Java library class; any other class is shown as Object. */
function shownClass(typeName: string): string {
  const resolved = resolveType(typeName, 'ignite');
  return resolved.kind === 'custom' || (resolved.kind === 'java' && resolved.shape.kind !== 'scalar')
    ? 'java.lang.Object'
    : typeName;
}

async function readMetadata(pool: Pool, cacheName: string): Promise<CacheMetadata> {
  const tables = await selectAll(
    pool,
    'select SCHEMA_NAME, TABLE_NAME, KEY_TYPE_NAME, VALUE_TYPE_NAME from SYS.TABLES where CACHE_NAME = ?',
    [text(cacheName)],
  );
  const types: string[] = [];
  const keyClasses: Record<string, string> = {};
  const valClasses: Record<string, string> = {};
  const fields: Record<string, Record<string, string>> = {};
  const indexes: Record<string, IndexMetadata[]> = {};
  for (const [schema, table, keyType, valueType] of tables) {
    const type = lastPart(stringOf(valueType));
    const place = [text(stringOf(schema)), text(stringOf(table))];
    const columns = await readColumns(pool, place);
    types.push(type);
    keyClasses[type] = columns._KEY ?? shownClass(stringOf(keyType));
    valClasses[type] = columns._VAL ?? shownClass(stringOf(valueType));
    fields[type] = columns;
    indexes[type] = await readIndexes(pool, place);
  }
  return { cacheName, types, keyClasses, valClasses, fields, indexes };
}

type IndexMetadata = CacheMetadata['indexes'][string][number];

async function readColumns(pool: Pool, place: ReturnType<typeof text>[]): Promise<Record<string, string>> {
  const sql = 'select COLUMN_NAME, TYPE from SYS.TABLE_COLUMNS where SCHEMA_NAME = ? and TABLE_NAME = ?';
  const columns: Record<string, string> = {};
  for (const [name, type] of await selectAll(pool, sql, place)) columns[stringOf(name)] = stringOf(type);
  return columns;
}

async function readIndexes(pool: Pool, place: ReturnType<typeof text>[]): Promise<IndexMetadata[]> {
  const sql =
    'select INDEX_NAME, COLUMNS, IS_UNIQUE, IS_PK from SYS.INDEXES where SCHEMA_NAME = ? and TABLE_NAME = ? order by INDEX_NAME';
  const found: IndexMetadata[] = [];
  for (const [name, columns, unique, primary] of await selectAll(pool, sql, place)) {
    const indexName = stringOf(name);
    // Indexes of the primary key, and the copies that name its columns, are not user indexes.
    if (booleanOf(primary) || indexName.endsWith('_proxy') || indexName.startsWith('_key_PK')) continue;
    const parts = [...stringOf(columns).matchAll(/"((?:[^"]|"")+)" (ASC|DESC)/g)].filter(([, part]) => part !== '_KEY');
    found.push({
      name: indexName.toUpperCase(),
      fields: parts.map(([, part = '']) => part),
      descendings: parts.flatMap(([, part = '', order]) => (order === 'DESC' ? [part] : [])),
      unique: booleanOf(unique),
    });
  }
  return found;
}
