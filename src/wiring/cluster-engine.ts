/** Opens the cluster engine from the configuration. */
import path from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { openClusterGrid } from '../engines/cluster/cluster-engine.ts';
import type { ClusterOptions } from '../engines/cluster/cluster-options.ts';
import { OpenCursors } from '../engines/cluster/queries/cursors.ts';
import type { Log } from '../service/monitoring/log.ts';
import { LastKnownUsers } from '../service/security/last-known-users.ts';
import type { OpenEngine } from './open-engine.ts';
import { newCursorTag } from './peers.ts';

/** Connects to the cluster. Connections and cursors belong to one thread, so nothing is shared between threads. */
export async function openClusterEngine(
  configuration: Configuration,
  clock: Clock,
  log?: Pick<Log, 'warn'>,
): Promise<OpenEngine> {
  const cursorTag = newCursorTag();
  const allCursors = new OpenCursors(cursorTag);
  const grid = await openClusterGrid({
    ...clusterOptions(configuration, clock),
    allCursors,
    onLacking(cache, lacking) {
      const message =
        'A cache of the cluster exists without what the configuration declares: use CREATE or ALTER TABLE';
      log?.warn(message, { cache, lacking: lacking.join(', ') });
    },
  });
  const lastKnownUsers =
    configuration.authentication && grid.users === undefined
      ? new LastKnownUsers({ records: grid.records, clock, file: path.join(configuration.dataDir, 'known-users.json') })
      : undefined;
  return {
    grid: lastKnownUsers === undefined ? grid : { ...grid, records: lastKnownUsers },
    lastKnownUsers,
    cursorTag,
    shares: undefined,
    backups: undefined,
    backupReader: undefined,
    continuous: () => undefined,
    checkRestore: undefined,
    syncIntervals: new Map(),
    openCursors: () => allCursors.size,
    // Requests end their own statements.
    endOf: (isOwner) => allCursors.closeOf(isOwner),
    statements: () => undefined,
    storage: () => undefined,
    evictedCursors: () => allCursors.evicted,
    queues: () => ({}),
    cancel() {},
    close() {
      lastKnownUsers?.close();
      return grid.close();
    },
  };
}

function clusterOptions(configuration: Configuration, clock: Clock): ClusterOptions {
  const {
    serviceName,
    interceptor,
    engine,
    defaultCache,
    templates,
    caches,
    classes,
    limits,
    queryIdleTimeoutMs,
    query,
    compatibility,
  } = configuration;
  if (engine.kind !== 'cluster') throw new TypeError('the configuration names another engine');
  const { endpoints, partitionAwareness, credentials, tls } = engine;
  return {
    clock,
    endpoints,
    partitionAwareness,
    defaultCache,
    templates,
    caches,
    classes,
    limits,
    budget: query,
    queryIdleTimeoutMs,
    onSend: interceptor?.onSend?.bind(interceptor),
    imports: { serviceName, onReceive: interceptor?.onReceive?.bind(interceptor) },
    mapsClasses: true,
    // Ignite's HTTP interface creates no cache for itself in the cluster.
    recordsCreation: compatibility !== 'reference',
    compatibility,
    ...(credentials !== undefined && credentials),
    ...(tls !== undefined && { tls }),
  };
}
