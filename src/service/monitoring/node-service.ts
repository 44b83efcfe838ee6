/** Describes nodes for `node` and `top`, with data from the engine and, for this process, from the service. */
import type { Clock } from '../../base/clock.ts';
import { type FailoverStatus, takeoverText } from '../../base/failover-status.ts';
import { isoTime } from '../../base/iso-time.ts';
import { chain, type MaybePromise } from '../../base/maybe-promise.ts';
import type { NodeDescription, NodeService } from '../../commands/context.ts';
import type { AttributeValue, CacheDefinition, Grid, GridNode } from '../../grid/grid.ts';
import type { Metrics } from './metrics.ts';
import { type JobMetrics, nodeMetrics } from './node-metrics.ts';
import type { ProcessMetrics } from './process-metrics.ts';

/** The addresses on which the service listens. */
export interface Listening {
  readonly addresses: readonly string[];
  readonly hostNames: readonly string[];
  readonly port: number;
}

export interface NodeServiceOptions {
  readonly grid: Grid;
  readonly clock: Clock;
  /** Real name of the default cache, which is returned under the empty name. */
  readonly defaultCache: string;
  /** Whether the service's own caches are also listed. */
  readonly ownCachesListed: boolean;
  readonly machine: ProcessMetrics;
  readonly metrics: Metrics;
  readonly jobs: () => JobMetrics;
  readonly executedTasks: () => number;
  readonly listening: () => Listening;
  readonly portRange: number;
  readonly workers: number;
  /** Describes the service's role as the primary; undefined if no other service takes over. */
  readonly failover: () => FailoverStatus | undefined;
}

/** Creates the service; there is one per process. */
export function createNodeService(options: NodeServiceOptions): NodeService {
  const { grid, clock, defaultCache } = options;
  const nodeStartedAtMs = clock.nowMs();

  function describe(
    node: GridNode,
    caches: readonly CacheDefinition[],
    include: Parameters<NodeService['describe']>[0],
    name: string | null,
    version: string,
  ): NodeDescription {
    const main = caches.find((cache) => cache.name === defaultCache);
    // The embedded engine knows no addresses; the transport does.
    const place = node.local && node.port === 0 ? options.listening() : node;
    return {
      nodeId: node.id,
      consistentId: node.consistentId,
      tcpAddresses: place.addresses,
      tcpHostNames: place.hostNames,
      tcpPort: place.port,
      order: node.order,
      replicaCount: main?.backups ?? 0,
      defaultCacheMode: main?.mode ?? 'PARTITIONED',
      metrics: include.metrics ? (node.metrics ?? ownMetrics()) : null,
      attributes: include.attributes ? (node.attributes ?? ownAttributes(options, name, version)) : null,
      caches: include.caches ? caches.map((cache) => descriptor(cache, defaultCache)) : null,
    };
  }

  function ownMetrics(): Readonly<Record<string, number>> {
    const { machine, metrics, jobs, executedTasks } = options;
    return nodeMetrics({
      clock,
      machine,
      metrics,
      jobs: jobs(),
      executedTasks: executedTasks(),
      nodeStartedAtMs,
    });
  }

  function listCaches(): MaybePromise<readonly CacheDefinition[]> {
    const { caches } = grid;
    const own = options.ownCachesListed ? caches.listOwn?.() : undefined;
    return own === undefined
      ? caches.list()
      : chain(own, (added) => chain(caches.list(), (listed) => [...listed, ...added]));
  }

  return {
    describe: (include) =>
      chain(grid.cluster.nodes(include), (nodes) =>
        chain(listCaches(), (caches) =>
          chain(grid.cluster.name(), (name) =>
            chain(grid.cluster.version(), (version) =>
              nodes.map((node) => describe(node, caches, include, name, version)),
            ),
          ),
        ),
      ),
  };
}

function descriptor(cache: CacheDefinition, defaultCache: string): NonNullable<NodeDescription['caches']>[number] {
  return {
    name: cache.name === defaultCache ? '' : cache.name,
    mode: cache.mode,
    sqlSchema: cache.schema ?? null,
  };
}

/** Ignite clients look for its nodes' attributes under this prefix. */
const PRODUCT = 'org.apache.ignite.';

/** Returns this process's attributes under Ignite's names, without those that only a JVM has. */
function ownAttributes(
  options: NodeServiceOptions,
  name: string | null,
  version: string,
): Readonly<Record<string, AttributeValue>> {
  const { machine, listening, portRange, workers } = options;
  const { addresses, hostNames, port } = listening();
  const properties = machine.properties();
  const runtime = [properties['runtime.name'], properties['runtime.version']].filter((each) => each !== undefined);
  const product: Record<string, AttributeValue> = {
    'build.ver': version,
    'cache.client': false,
    'consistency.check.skipped': false,
    'dynamic.cache.start.rollback.supported': true,
    ...(name !== null && { 'ignite.name': name }),
    ips: machine.networkAddresses().join(', '),
    'jvm.pid': machine.processId,
    'lang.rt': runtime.join(' '),
    macs: machine.hardwareAddresses().join(', '),
    'peer.classloading.enabled': false,
    'phy.ram': machine.totalMemoryBytes,
    'rest.jetty.addrs': addresses,
    'rest.jetty.host.names': hostNames,
    'rest.jetty.port': port,
    'rest.port.range': portRange,
    'rest.tcp.addrs': addresses,
    'rest.tcp.host.names': hostNames,
    'rest.tcp.port': port,
    'restart.enabled': 'false',
    'update.notifier.enabled': false,
    'user.name': machine.userName,
    workers,
  };
  const named = Object.entries(product).map(([attribute, value]) => [`${PRODUCT}${attribute}`, value] as const);
  return { ...properties, ...Object.fromEntries(named), ...failoverAttributes(options.failover()) };
}

function failoverAttributes(status: FailoverStatus | undefined): Readonly<Record<string, AttributeValue>> {
  if (status === undefined) return {};
  const { role, epoch, takeover, behindMs } = status;
  return {
    'svc.failover.role': role,
    'svc.failover.epoch': epoch,
    'svc.failover.behindMs': behindMs,
    ...(takeover !== null && {
      'svc.failover.takeover.time': isoTime(takeover.atMs),
      'svc.failover.takeover.because': takeoverText(takeover),
      'svc.failover.takeover.mayHaveLostMs': takeover.mayHaveLostMs ?? 'no bound',
    }),
  };
}
