/** The port's view of the cluster: one node, its state and its regions. */
import { gridError } from '../../../base/errors.ts';
import type { Region } from '../../../grid/cache-rules.ts';
import type { Baseline, Cluster, ClusterState, GridNode, RegionMetrics } from '../../../grid/grid.ts';
import { DATA_DATABASE, databaseOf, PAGE_BYTES, type ReadConnections } from '../storage/databases.ts';
import type { SharedState } from '../storage/shared-state.ts';
import type { ChangeChannel } from '../writer/changes.ts';

export interface NodeIdentity {
  readonly nodeId: string;
  readonly consistentId: string;
  readonly nodeName: string | null;
  readonly version: string;
}

export class EmbeddedCluster implements Cluster {
  readonly localNodeId: string;
  readonly #identity: NodeIdentity;
  readonly #shared: SharedState;
  readonly #changes: ChangeChannel;
  readonly #reads: ReadConnections;
  readonly #regions: ReadonlyMap<string, Region>;

  constructor(
    identity: NodeIdentity,
    shared: SharedState,
    changes: ChangeChannel,
    reads: ReadConnections,
    regions: ReadonlyMap<string, Region>,
  ) {
    this.localNodeId = identity.nodeId;
    this.#identity = identity;
    this.#shared = shared;
    this.#changes = changes;
    this.#reads = reads;
    this.#regions = regions;
  }

  version(): string {
    return this.#identity.version;
  }

  name(): string | null {
    return this.#identity.nodeName;
  }

  state(): ClusterState {
    return this.#shared.clusterState;
  }

  setState(state: ClusterState, force: boolean): Promise<void> {
    return this.#changes.submit('setState', { state, force });
  }

  /** Counters and the service's own records are in the data file. */
  internalLoss(): readonly string[] {
    return [];
  }

  /** Returns the one node. The service adds addresses and the metrics of the process. */
  nodes(): readonly GridNode[] {
    const { nodeId, consistentId } = this.#identity;
    return [
      {
        id: nodeId,
        consistentId,
        order: 1,
        local: true,
        addresses: [],
        hostNames: [],
        port: 0,
        metrics: undefined,
        attributes: undefined,
      },
    ];
  }

  hasNode(id: string): boolean {
    return id === this.localNodeId;
  }

  primaryNode(): string {
    return this.localNodeId;
  }

  baseline(): Baseline {
    const ids = [this.#identity.consistentId];
    return { active: !this.#shared.isInactive(), baseline: ids, topologyVersion: 1, servers: ids };
  }

  regions(): readonly RegionMetrics[] {
    return measureRegions(this.#shared, this.#reads, this.#regions);
  }
}

/** Returns the metrics of the regions' files. Persistent regions share the data file and its metrics. */
export function measureRegions(
  shared: SharedState,
  reads: ReadConnections,
  regions: ReadonlyMap<string, Region>,
): readonly RegionMetrics[] {
  if (shared.isInactive()) return [];
  return [...regions.values()].map((region) => measure(reads, region));
}

function measure(reads: ReadConnections, region: Region): RegionMetrics {
  const number = region.persistent ? DATA_DATABASE : databaseOf(reads.files, region.name);
  const connection = reads.get(number);
  connection.refresh();
  const metric = (pragma: 'page_count' | 'freelist_count'): number => {
    const row = connection.database
      .query<{ metric: bigint }, []>(`SELECT ${pragma} AS metric FROM pragma_${pragma}`)
      .get();
    if (!row) throw gridError('STORAGE_CORRUPT', `no ${pragma}`);
    return Number(row.metric);
  };
  const allocated = metric('page_count');
  const used = allocated - metric('freelist_count');
  return {
    name: region.name,
    totalAllocatedPages: allocated,
    totalAllocatedSize: allocated * PAGE_BYTES,
    totalUsedPages: used,
    totalUsedSize: used * PAGE_BYTES,
    allocationRate: 0,
    evictionRate: 0,
    largeEntriesPagesPercentage: 0,
    pagesFillFactor: allocated === 0 ? 0 : used / allocated,
    dirtyPages: 0,
    physicalMemoryPages: allocated,
    physicalMemorySize: allocated * PAGE_BYTES,
    usedCheckpointBufferPages: 0,
    usedCheckpointBufferSize: 0,
    checkpointBufferSize: 0,
    pageSize: PAGE_BYTES,
    offHeapSize: region.maxSizeBytes ?? allocated * PAGE_BYTES,
    pagesReplaceRate: 0,
    pagesReplaceAge: 0,
    pagesRead: 0,
    pagesWritten: 0,
    pagesReplaced: 0,
    offheapUsedSize: used * PAGE_BYTES,
  };
}
