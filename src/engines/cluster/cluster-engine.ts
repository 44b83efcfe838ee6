/** The cluster engine, which implements the port over connections to an Apache Ignite cluster. */

import { GridError } from '../../base/errors.ts';
import { CLUSTER_BOUNDS, DEFAULT_LIMITS, WIRE_BOUNDS } from '../../base/limits.ts';
import { BatchedBulk } from '../../bulk/batched/batched-bulk.ts';
import { Consumers, consumersBytes } from '../../grid/change-consumers.ts';
import { DEFAULT_CACHE } from '../../grid/declarations.ts';
import type { Capabilities, Grid } from '../../grid/grid.ts';
import { UNLIMITED } from '../../grid/statement-budget.ts';
import type { TypeRegistry } from '../../values/value.ts';
import { type NodeTimeZone, timeZoneNamed, UTC_ZONE } from './binary/node-time-zone.ts';
import { BinaryTypes } from './binary/type-metadata.ts';
import type { ClusterOptions } from './cluster-options.ts';
import { openConnection } from './connections/connection.ts';
import { Pool } from './connections/pool.ts';
import { ClassTemplates } from './entries/class-templates.ts';
import { ClusterCounters } from './entries/cluster-counters.ts';
import { ClusterEntries, type EntryOptions } from './entries/cluster-entries.ts';
import { clusterPort } from './entries/cluster-port.ts';
import { ClusterRecords } from './entries/cluster-records.ts';
import { ClusterTransactions } from './entries/cluster-transactions.ts';
import { IdempotencyRecords } from './entries/idempotency-records.ts';
import { ValueMarshaller } from './entries/value-marshaller.ts';
import { ClusterFeed } from './feed/cluster-feed.ts';
import { CLUSTER, TYPE } from './operations/grid-operations.ts';
import { FEATURE } from './protocol/features.ts';
import { toGridError } from './protocol/status.ts';
import { ClusterQueries } from './queries/cluster-queries.ts';
import { ClusterTransfer } from './queries/cluster-transfer.ts';
import { OpenCursors } from './queries/cursors.ts';
import { AffinityMap } from './topology/affinity.ts';
import { ClusterCaches } from './topology/cluster-caches.ts';
import { ClusterTasks } from './topology/cluster-tasks.ts';
import { ClusterTopology, RECORDS_CACHE } from './topology/cluster-topology.ts';
import { ClusterUsers } from './topology/cluster-users.ts';
import { RemoteDefinitions } from './topology/remote-definitions.ts';
import { SystemRegions } from './topology/system-regions.ts';

const AUTHENTICATION_CHANGED = 'authentication was switched on or off in the cluster; restart the service';
/** Maximum number of connections for statements; statements beyond that wait. */
const QUERY_CONNECTIONS = 32;
/** How long requests wait for a node, unless options say otherwise. */
const RECONNECT_TIMEOUT_MS = 10_000;
const HEARTBEAT_INTERVAL_MS = 2_000;

const CAPABILITIES: Capabilities = {
  manyNodes: true,
  // The thin-client protocol has no operation for it.
  knowsTimeToLive: false,
  // A node lists only counters that have been used on it since it started.
  listsAllCounters: false,
  expiringCounters: false,
};

/** A context whose time zone is set once a node has reported it. Values are encoded in the nodes' zone. */
class NodeContext {
  readonly types: BinaryTypes;
  zone: NodeTimeZone = UTC_ZONE;

  constructor(types: BinaryTypes) {
    this.types = types;
  }
}

/**
 * Connects to a cluster. Rejects with CLUSTER_UNREACHABLE if no endpoint accepts a connection, or CREDENTIALS_WRONG.
 */
export async function openClusterGrid(options: ClusterOptions): Promise<Grid> {
  const { clock, defaultCache = DEFAULT_CACHE } = options;
  const types: BinaryTypes = new BinaryTypes({
    fetchType: (typeId) => pool.call(TYPE.fetch, typeId),
    async storeType(type) {
      await pool.call(TYPE.store, type);
      // Java clients look up the class name by its id.
      await pool.call(TYPE.registerName, { typeId: type.typeId, name: type.name });
    },
  });
  // Row 11 of docs/differences.md.
  types.showsAllFields = options.compatibility === 'reference';
  const context = new NodeContext(types);
  const pool = new Pool(
    {
      clock,
      endpoints: options.endpoints,
      partitionAwareness: options.partitionAwareness ?? true,
      credentials: options.user === undefined ? undefined : { user: options.user, password: options.password ?? '' },
      tls: options.tls,
      connectTimeoutMs: options.connectTimeoutMs ?? 5_000,
      requestTimeoutMs: options.requestTimeoutMs ?? 30_000,
      reconnectTimeoutMs: options.reconnectTimeoutMs ?? RECONNECT_TIMEOUT_MS,
      heartbeatIntervalMs: options.heartbeatIntervalMs ?? HEARTBEAT_INTERVAL_MS,
      maxFrameBytes: WIRE_BOUNDS.responseBytes,
    },
    context,
  );
  await pool.start();
  try {
    context.zone = await readZone(pool, options.timeZone);
    await readBinaryConfiguration(pool);
    return await compose(options, pool, defaultCache);
  } catch (error) {
    pool.close();
    throw toGridError(error, { user: options.user });
  }
}

async function compose(options: ClusterOptions, pool: Pool, defaultCache: string): Promise<Grid> {
  const { clock, limits = DEFAULT_LIMITS, classes = [], allCursors = new OpenCursors() } = options;
  const { changeConsumers } = limits;
  const { allConsumers = new Consumers(new SharedArrayBuffer(consumersBytes(changeConsumers)), changeConsumers) } =
    options;
  // Query entities of the cluster's caches are applied when a value is written, in the order of the value's fields.
  const types: TypeRegistry = {
    find: (typeName) => classes.find((each) => each.typeName === typeName),
    isPartial: true,
  };
  const affinity = new AffinityMap(pool);
  const regions = new SystemRegions(pool, () => clock.monotonicMs());
  const definitions = new RemoteDefinitions(pool, () => clock.monotonicMs(), defaultCache, regions);
  const records = new ClusterRecords(pool, clock, RECORDS_CACHE);
  const caches = new ClusterCaches({
    pool,
    clock,
    definitions,
    regions,
    affinity,
    defaultCache,
    declarations: options.caches ?? [],
    onLacking: options.onLacking,
    templates: options.templates ?? [],
    limits: options.limits,
    readSetting: (id) => records.get('setting', id),
    writeSetting: (id, content) =>
      options.recordsCreation === false ? Promise.resolve() : records.put('setting', id, content),
    removeSetting: (id) => records.remove('setting', id),
  });
  const topology = new ClusterTopology(pool, clock, affinity, regions, async () => {
    // Services keep a copy of their users. Sessions end, and everything else can be learned again.
    const kept = await Promise.all((['role', 'apiKey', 'savedQuery'] as const).map((kind) => records.list(kind)));
    return kept.some((all) => all.length > 0);
  });
  const templates = options.mapsClasses === true ? new ClassTemplates(pool) : undefined;
  const marshaller = new ValueMarshaller(pool.context.types, (cache) => definitions.typeRulesOf(cache), templates);
  const ensureCache = async (name: string): Promise<void> => {
    if (name === defaultCache) await caches.getOrCreate(name, {});
  };
  const queries = new ClusterQueries({
    pool,
    clock,
    definitions,
    idleTimeoutMs: options.queryIdleTimeoutMs ?? 600_000,
    openCursors: limits.openCursors,
    budget: options.budget ?? UNLIMITED,
    connections: QUERY_CONNECTIONS,
    allCursors,
    types,
    onSend: options.onSend,
    ensureCache,
  });
  const changeFeed = new ClusterFeed({ pool, clock, consumers: allConsumers, ensureCache });
  const tasks = new ClusterTasks(pool, clock);
  pool.onTopologyChange = () => {
    affinity.invalidate();
    topology.forgetNodes();
    templates?.forgetMissing();
  };
  pool.onReconnect = async () => {
    // Without authentication on the cluster, every password would be accepted; with it, everyone would act as this
    // service's account.
    if ((await requiresPassword(pool)) !== (users !== undefined)) pool.close(AUTHENTICATION_CHANGED);
    definitions.forget();
    affinity.invalidate();
    await pool.context.types.restore();
  };
  const entryParts: EntryOptions = {
    pool,
    affinity,
    marshaller,
    defaultCache,
    maxValueCharacters: limits.valueCharacters,
    createDefaultCache: () => caches.getOrCreate(defaultCache, {}),
    noteUse: (cache, use) => caches.noteUse(cache, use),
  };
  const findCache = (name: string) => definitions.find(name);
  const kept = new IdempotencyRecords({ pool, clock, limits, findCache });
  const transactions = new ClusterTransactions({
    pool,
    clock,
    defaultTimeoutMs: pool.settings.requestTimeoutMs,
    entriesIn: (transaction) => new ClusterEntries({ ...entryParts, transaction }),
    findCache,
    state: () => topology.state(),
    kept,
    onSend: options.onSend,
  });
  let users: ClusterUsers | undefined;
  try {
    const state = await topology.state();
    if (state !== 'INACTIVE') await regions.load();
    if (state === 'ACTIVE') await caches.declareConfigured();
    if (await requiresPassword(pool)) {
      users = new ClusterUsers(pool, (user, password) =>
        openClusterGrid({ ...options, allCursors, allConsumers, importRecords: records, user, password, caches: [] }),
      );
    }
  } catch (error) {
    queries.closeAll();
    changeFeed.close();
    tasks.close();
    throw error;
  }
  const { imports, importRecords = records } = options;
  const counters = new ClusterCounters(pool);
  const port = clusterPort({ entries: new ClusterEntries(entryParts), counters, queries, transactions });
  const grid: Grid = {
    capabilities: CAPABILITIES,
    port,
    caches,
    queries,
    transactions,
    idempotency: kept,
    changeFeed,
    cluster: topology,
    records,
    transfer: new ClusterTransfer({
      pool,
      create: (definition, regionNamed) => caches.create(definition, regionNamed),
      find: (name) => definitions.find(name),
      forget: (name) => definitions.forget(name),
      regionNames: () => regions.names(),
    }),
    tasks,
    users,
    types,
    async close() {
      await pool.drain(CLUSTER_BOUNDS.closeMs);
      queries.closeAll();
      changeFeed.close();
      tasks.close();
      pool.close();
    },
  };
  if (imports === undefined) return grid;
  return { ...grid, bulk: new BatchedBulk({ ...imports, grid, records: importRecords, clock, limits }) };
}

/** Reports whether the cluster requires a password. */
async function requiresPassword(pool: Pool): Promise<boolean> {
  if (pool.settings.credentials === undefined) return false;
  const settings = { ...pool.settings, credentials: undefined };
  try {
    const connection = await pool.openAtNode((endpoint) => openConnection(endpoint, settings));
    connection.close('the cluster requires no password');
    return false;
  } catch (error) {
    if (error instanceof GridError && error.code === 'CREDENTIALS_WRONG') return true;
    throw error;
  }
}

async function readZone(pool: Pool, configured: string | undefined): Promise<NodeTimeZone> {
  if (configured !== undefined) return timeZoneNamed(configured);
  const { ids } = await pool.call(CLUSTER.nodeIds, undefined);
  const [node] = await pool.call(CLUSTER.nodes, ids.slice(0, 1));
  const zone = node?.attributes.get('user.timezone');
  return timeZoneNamed(zone?.type === 'string' ? zone.data : '');
}

async function readBinaryConfiguration(pool: Pool): Promise<void> {
  const connection = await pool.acquire();
  if (!connection.features.has(FEATURE.BINARY_CONFIGURATION)) return;
  const { compactFooter, mapper } = await pool.call(TYPE.configuration, undefined);
  pool.context.types.compactFooter = compactFooter;
  pool.context.types.mapper = mapper;
}
