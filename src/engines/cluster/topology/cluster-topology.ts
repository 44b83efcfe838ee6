/** Implements the cluster's state, nodes, baseline, regions, and primary nodes of keys. */

import type { Clock } from '../../../base/clock.ts';
import { GridError, gridError } from '../../../base/errors.ts';
import { CLUSTER_BOUNDS } from '../../../base/limits.ts';
import type { Baseline, Cluster, ClusterState, GridNode, RegionMetrics } from '../../../grid/grid.ts';
import { text, type Value } from '../../../values/value.ts';
import { hashOfText, partitionOf } from '../binary/java-hash.ts';
import type { Pool } from '../connections/pool.ts';
import { ENTRY } from '../operations/entry-operations.ts';
import { CLUSTER, type RemoteNode } from '../operations/grid-operations.ts';
import { isSqlMissing, NodeError, toGridError } from '../protocol/status.ts';
import { type AffinityMap, affinityHash } from './affinity.ts';
import { shownAttributes, stringsOfAttribute } from './node-attributes.ts';
import { CONSTANT_METRICS, METRIC_COLUMNS, METRICS_QUERY } from './node-metrics.ts';
import { isSystemName, RESERVED_PREFIX } from './remote-definitions.ts';
import type { SystemRegions } from './system-regions.ts';
import { booleanOf, numberOf, selectAll, stringOf } from './system-sql.ts';

/** Nodes are fetched at most this often. */
const NODES_FRESH_MS = 1_000;
/** The cache of sessions and settings, which all services of a cluster share. */
export const RECORDS_CACHE = 'svc-sys-records';
/** Where the nodes store counters. */
const COUNTERS_CACHE = 'ignite-sys-atomic-cache@default-ds-group';
const NO_FIELDS: ReadonlyMap<number, number> = new Map();

interface Topology {
  readonly version: number;
  readonly nodes: readonly RemoteNode[];
  readonly loadedMs: number;
}

/** Primary node of each partition of a replicated cache, for one version of the partition map. */
interface ReplicatedMap {
  readonly version: number;
  readonly owners: readonly string[];
}

export class ClusterTopology implements Cluster {
  readonly #pool: Pool;
  readonly #clock: Clock;
  readonly #affinity: AffinityMap;
  readonly #regions: SystemRegions;
  readonly #losesRecords: () => Promise<boolean>;
  #topology: Topology | undefined;
  #loading: Promise<Topology> | undefined;
  #baseline: readonly string[] = [];
  readonly #replicated = new Map<number, ReplicatedMap>();

  /** `losesRecords` reports whether the service's cache contains anything that it cannot restore. */
  constructor(
    pool: Pool,
    clock: Clock,
    affinity: AffinityMap,
    regions: SystemRegions,
    losesRecords: () => Promise<boolean>,
  ) {
    this.#pool = pool;
    this.#clock = clock;
    this.#affinity = affinity;
    this.#regions = regions;
    this.#losesRecords = losesRecords;
  }

  get localNodeId(): string {
    return this.#pool.lastNodeId;
  }

  async version(): Promise<string> {
    const node = await this.#connectedNode();
    return textOf(node?.attributes.get('org.apache.ignite.build.ver')) ?? node?.version ?? '';
  }

  async name(): Promise<string | null> {
    const node = await this.#connectedNode();
    return textOf(node?.attributes.get('org.apache.ignite.ignite.name')) ?? null;
  }

  state(): Promise<ClusterState> {
    return this.#pool.call(CLUSTER.state, undefined, undefined, {});
  }

  async setState(state: ClusterState, force: boolean, isStrict = false): Promise<void> {
    try {
      await this.#setState(state, force);
    } catch (error) {
      const inMemory = cachesThatStopped(error);
      if (inMemory === undefined) throw toGridError(error, {});
      if (isStrict && !inMemory.every(isReserved)) throw gridError('DEACTIVATION_STOPPED', inMemory);
      await this.#deactivate(inMemory);
    } finally {
      this.#affinity.invalidate();
    }
  }

  #setState(state: ClusterState, force: boolean): Promise<void> {
    return this.#pool.call(CLUSTER.setState, { state, force }, undefined, undefined, CLUSTER_BOUNDS.changeMs);
  }

  /**
   * Deactivates the cluster unless data would be lost: nodes also reject it for empty caches. Nothing can be written
   * between the last check and the deactivation.
   */
  async #deactivate(inMemory: readonly string[]): Promise<void> {
    await this.#requireEmpty(inMemory);
    const before = await this.state();
    await this.#setState('ACTIVE_READ_ONLY', false);
    try {
      await this.#requireEmpty(inMemory);
      await this.#setState('INACTIVE', true);
    } catch (error) {
      await this.#setState(before, false);
      throw error;
    }
  }

  async internalLoss(): Promise<readonly string[]> {
    return this.#regions.isPersistent(undefined) === false ? this.#lostOf([RECORDS_CACHE, COUNTERS_CACHE]) : [];
  }

  async #requireEmpty(caches: readonly string[]): Promise<void> {
    const lost = await this.#lostOf(caches);
    if (lost.length > 0) throw gridError('DEACTIVATION_STOPPED', lost);
  }

  /** Returns the caches whose loss matters. */
  async #lostOf(caches: readonly string[]): Promise<readonly string[]> {
    const isLost = await Promise.all(
      caches.map((cache) => (isReserved(cache) ? this.#losesRecords() : this.#hasEntries(cache))),
    );
    return caches.filter((_, index) => isLost[index]);
  }

  /** Reports whether a cache has entries, or does not report their number. */
  async #hasEntries(cache: string): Promise<boolean> {
    try {
      if (!isSystemName(cache)) return (await this.#pool.call(ENTRY.size, { cacheId: hashOfText(cache) })) > 0;
      // Clients cannot query the size of Ignite's own caches, such as the one for counters. Each node reports its part.
      const sql = 'select VALUE from SYS.METRICS where NAME = ?';
      const args = [text(`cache.${cache}.CacheSize`)];
      const parts = await Promise.all(
        this.#pool.connections().map((connection) => selectAll(this.#pool, sql, args, connection)),
      );
      return parts.some(([row]) => row !== undefined && stringOf(row[0]) !== '0');
    } catch {
      return true;
    }
  }

  async nodes(wants: { readonly metrics: boolean; readonly attributes: boolean }): Promise<readonly GridNode[]> {
    const { nodes } = await this.#load();
    const metrics = wants.metrics ? await this.#metrics() : undefined;
    return nodes.map((node) => ({
      id: node.id,
      consistentId: node.consistentId,
      order: node.order,
      local: node.id === this.localNodeId,
      addresses: stringsOfAttribute(node.attributes.get('org.apache.ignite.rest.tcp.addrs')),
      hostNames: stringsOfAttribute(node.attributes.get('org.apache.ignite.rest.tcp.host.names')),
      port: numberOf(node.attributes.get('org.apache.ignite.rest.tcp.port')),
      metrics: metrics && (metrics.get(node.id) ?? {}),
      attributes: wants.attributes ? shownAttributes(node.attributes) : undefined,
    }));
  }

  async hasNode(id: string): Promise<boolean> {
    const nodeId = id.toLowerCase();
    const { nodes } = await this.#load();
    return nodes.some((node) => node.id === nodeId);
  }

  primaryNode(cache: string, key: Value): string | Promise<string> {
    const cacheId = hashOfText(cache);
    const known = this.#affinity.knownMapping(cacheId);
    if (known === undefined) return this.#findPrimaryNode(cacheId, key);
    if (known === 'replicated') return this.#replicatedPrimary(cacheId, key);
    return this.#affinity.ownerOf(known, key) ?? this.localNodeId;
  }

  async baseline(): Promise<Baseline> {
    const [state, { nodes, version }] = await Promise.all([this.state(), this.#load()]);
    const servers = nodes.filter((node) => !node.isClient).map((node) => node.consistentId);
    const active = state !== 'INACTIVE';
    if (active) {
      const rows = await selectAll(this.#pool, 'select CONSISTENT_ID from SYS.BASELINE_NODES');
      this.#baseline = rows.map(([id]) => stringOf(id));
    }
    const baseline = this.#baseline.length > 0 ? this.#baseline : servers;
    return { active, baseline, topologyVersion: version, servers };
  }

  async regions(): Promise<readonly RegionMetrics[]> {
    try {
      // Cached metrics do not reflect the current state.
      if ((await this.state()) === 'INACTIVE') return [];
      return await this.#regions.metrics();
    } catch (error) {
      if (error instanceof GridError && error.code === 'INACTIVE') return [];
      throw error;
    }
  }

  /** Lets the next call fetch the nodes again. */
  forgetNodes(): void {
    this.#topology = undefined;
  }

  async #connectedNode(): Promise<RemoteNode | undefined> {
    const { nodes } = await this.#load();
    return nodes.find((node) => node.id === this.localNodeId) ?? nodes[0];
  }

  async #load(): Promise<Topology> {
    const known = this.#topology;
    if (known && this.#clock.monotonicMs() - known.loadedMs < NODES_FRESH_MS) return known;
    this.#loading ??= this.#fetch().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #fetch(): Promise<Topology> {
    const { ids, topologyVersion } = await this.#pool.call(CLUSTER.nodeIds, undefined, undefined, {});
    const nodes = await this.#pool.call(CLUSTER.nodes, ids, undefined, {});
    const inOrder = [...nodes].sort((left, right) => left.order - right.order);
    this.#topology = { version: topologyVersion, nodes: inOrder, loadedMs: this.#clock.monotonicMs() };
    return this.#topology;
  }

  /** Returns metrics by node id, or none if the cluster has no system views: while it is inactive, and without SQL. */
  async #metrics(): Promise<ReadonlyMap<string, Readonly<Record<string, number>>>> {
    const byNode = new Map<string, Record<string, number>>();
    let rows: ReadonlyArray<readonly Value[]> = [];
    try {
      rows = await selectAll(this.#pool, METRICS_QUERY);
    } catch (error) {
      if (!isSqlMissing(error) && !(error instanceof GridError && error.code === 'INACTIVE')) throw error;
    }
    for (const [id, ...values] of rows) {
      const metrics: Record<string, number> = { ...CONSTANT_METRICS };
      for (const [index, name] of Object.keys(METRIC_COLUMNS).entries()) metrics[name] = numberOf(values[index]);
      byNode.set(stringOf(id), metrics);
    }
    return byNode;
  }

  async #findPrimaryNode(cacheId: number, key: Value): Promise<string> {
    let mapping: Awaited<ReturnType<AffinityMap['mappingOf']>>;
    try {
      mapping = await this.#affinity.mappingOf(cacheId);
    } catch {
      // A successful operation must not fail because the node of its key cannot be determined.
      return this.localNodeId;
    }
    if (mapping === undefined) return this.localNodeId;
    if (mapping === 'replicated') return this.#replicatedPrimary(cacheId, key);
    return this.#affinity.ownerOf(mapping, key) ?? this.localNodeId;
  }

  #replicatedPrimary(cacheId: number, key: Value): string | Promise<string> {
    const known = this.#replicated.get(cacheId);
    if (known?.version === this.#affinity.version) return this.#ownerIn(known, key);
    return this.#loadReplicated(cacheId).then(
      (map) => this.#ownerIn(map, key),
      () => this.localNodeId,
    );
  }

  #ownerIn({ owners }: ReplicatedMap, key: Value): string {
    const hash = affinityHash(key, NO_FIELDS, this.#pool.context);
    if (hash === undefined || owners.length === 0) return this.localNodeId;
    return owners[partitionOf(hash, owners.length)] ?? this.localNodeId;
  }

  async #loadReplicated(cacheId: number): Promise<ReplicatedMap> {
    const { version } = this.#affinity;
    const owners = await this.#ownersOf(cacheId).catch((error: unknown) => {
      // Each node has a copy. Nodes without SQL are asked once, not for every key.
      if (isSqlMissing(error)) return [];
      throw error;
    });
    const map = { version, owners };
    this.#replicated.set(cacheId, map);
    return map;
  }

  async #ownersOf(cacheId: number): Promise<readonly string[]> {
    const id: Value = { type: 'integer', data: cacheId };
    const [group] = await selectAll(this.#pool, 'select CACHE_GROUP_ID from SYS.CACHES where CACHE_ID = ?', [id]);
    const groupId: Value = { type: 'integer', data: numberOf(group?.[0]) };
    const owners: string[] = [];
    const states = 'select PARTITION_ID, NODE_ID, IS_PRIMARY from SYS.PARTITION_STATES where CACHE_GROUP_ID = ?';
    for (const [partition, node, primary] of await selectAll(this.#pool, states, [groupId])) {
      if (booleanOf(primary)) owners[numberOf(partition)] = stringOf(node);
    }
    return owners;
  }
}

function textOf(value: Value | undefined): string | undefined {
  return value?.type === 'string' ? value.data : undefined;
}

/** Reports whether a cache contains records of services. */
function isReserved(cache: string): boolean {
  return cache.startsWith(RESERVED_PREFIX);
}

/** Returns the names of the non-persistent caches for which nodes reject the deactivation. */
function cachesThatStopped(error: unknown): readonly string[] | undefined {
  if (!(error instanceof NodeError)) return undefined;
  return /Deactivation stopped.*In memory caches: ?\[(.*?)\] /s.exec(error.message)?.[1]?.split(', ');
}
