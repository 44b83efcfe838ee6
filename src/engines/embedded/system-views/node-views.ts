/** SYS views of the node: its attributes, metrics and settings. */
import type { CacheInfo, RegionInfo, SystemInfo } from './system-info.ts';
import {
  double,
  flag,
  int,
  long,
  real,
  type SystemView,
  systemView,
  text,
  time,
  uuid,
  type ViewColumn,
} from './system-view.ts';

const NODES = systemView<SystemInfo>('SYS', 'NODES', 'Cluster nodes', (info) => [info], {
  NODE_ID: uuid(({ node }) => node.nodeId),
  CONSISTENT_ID: text(({ node }) => node.consistentId),
  VERSION: text(({ node }) => node.version),
  IS_CLIENT: flag(() => false),
  NODE_ORDER: long(() => 1),
  ADDRESSES: text(({ service }) => `[${(service.addresses ?? []).join(', ')}]`),
  HOSTNAMES: text(({ service }) => `[${(service.hostNames ?? []).join(', ')}]`),
  IS_LOCAL: flag(() => true),
});

interface MetricsInfo {
  readonly nodeId: string;
  readonly metrics: Readonly<Record<string, number>>;
}

const METRIC_KINDS = { int, long, real, double, time } as const;

/** Column, kind of column, and the metric's name in `node` with `mtr=true`; `-` if it has none. */
const NODE_METRIC_COLUMNS = `
  LAST_UPDATE_TIME time lastUpdateTime
  MAX_ACTIVE_JOBS int maximumActiveJobs
  CUR_ACTIVE_JOBS int currentActiveJobs
  AVG_ACTIVE_JOBS real averageActiveJobs
  MAX_WAITING_JOBS int maximumWaitingJobs
  CUR_WAITING_JOBS int currentWaitingJobs
  AVG_WAITING_JOBS real averageWaitingJobs
  MAX_REJECTED_JOBS int maximumRejectedJobs
  CUR_REJECTED_JOBS int currentRejectedJobs
  AVG_REJECTED_JOBS real averageRejectedJobs
  TOTAL_REJECTED_JOBS int totalRejectedJobs
  MAX_CANCELED_JOBS int maximumCancelledJobs
  CUR_CANCELED_JOBS int currentCancelledJobs
  AVG_CANCELED_JOBS real averageCancelledJobs
  TOTAL_CANCELED_JOBS int totalCancelledJobs
  MAX_JOBS_WAIT_TIME long maximumJobWaitTime
  CUR_JOBS_WAIT_TIME long currentJobWaitTime
  AVG_JOBS_WAIT_TIME long averageJobWaitTime
  MAX_JOBS_EXECUTE_TIME long maximumJobExecuteTime
  CUR_JOBS_EXECUTE_TIME long currentJobExecuteTime
  AVG_JOBS_EXECUTE_TIME long averageJobExecuteTime
  TOTAL_JOBS_EXECUTE_TIME long totalBusyTime
  TOTAL_EXECUTED_JOBS int totalExecutedJobs
  TOTAL_EXECUTED_TASKS int totalExecutedTasks
  TOTAL_BUSY_TIME long totalBusyTime
  TOTAL_IDLE_TIME long totalIdleTime
  CUR_IDLE_TIME long currentIdleTime
  BUSY_TIME_PERCENTAGE real busyTimePercentage
  IDLE_TIME_PERCENTAGE real idleTimePercentage
  TOTAL_CPU int totalCpus
  CUR_CPU_LOAD double currentCpuLoad
  AVG_CPU_LOAD double averageCpuLoad
  CUR_GC_CPU_LOAD double currentGcCpuLoad
  HEAP_MEMORY_INIT long heapMemoryInitialized
  HEAP_MEMORY_USED long heapMemoryUsed
  HEAP_MEMORY_COMMITED long heapMemoryCommitted
  HEAP_MEMORY_MAX long heapMemoryMaximum
  HEAP_MEMORY_TOTAL long heapMemoryMaximum
  NONHEAP_MEMORY_INIT long nonHeapMemoryInitialized
  NONHEAP_MEMORY_USED long nonHeapMemoryUsed
  NONHEAP_MEMORY_COMMITED long nonHeapMemoryCommitted
  NONHEAP_MEMORY_MAX long nonHeapMemoryMaximum
  NONHEAP_MEMORY_TOTAL long nonHeapMemoryMaximum
  UPTIME long upTime
  JVM_START_TIME time startTime
  NODE_START_TIME time nodeStartTime
  LAST_DATA_VERSION long lastDataVersion
  CUR_THREAD_COUNT int currentThreadCount
  MAX_THREAD_COUNT int maximumThreadCount
  TOTAL_THREAD_COUNT long totalStartedThreadCount
  CUR_DAEMON_THREAD_COUNT int currentDaemonThreadCount
  SENT_MESSAGES_COUNT int sentMessagesCount
  SENT_BYTES_COUNT long sentBytesCount
  RECEIVED_MESSAGES_COUNT int receivedMessagesCount
  RECEIVED_BYTES_COUNT long receivedBytesCount
  OUTBOUND_MESSAGES_QUEUE int -
`;

function metricColumns(): Record<string, ViewColumn<MetricsInfo>> {
  const columns: Record<string, ViewColumn<MetricsInfo>> = { NODE_ID: uuid(({ nodeId }) => nodeId) };
  for (const line of NODE_METRIC_COLUMNS.trim().split('\n')) {
    const [name = '', kind = '', metric = ''] = line.trim().split(' ');
    const create = Object.entries(METRIC_KINDS).find(([each]) => each === kind)?.[1];
    if (create === undefined) throw new Error(`no metric of kind ${kind}`);
    columns[name] = create<MetricsInfo>(({ metrics }) => metrics[metric] ?? 0);
  }
  return columns;
}

const NODE_METRICS = systemView<MetricsInfo>(
  'SYS',
  'NODE_METRICS',
  'Node metrics',
  ({ node, service }) =>
    service.nodeMetrics === undefined ? [] : [{ nodeId: node.nodeId, metrics: service.nodeMetrics }],
  metricColumns(),
);

interface NamedInfo {
  readonly owner: string;
  readonly name: string;
  readonly value: string;
}

function attributesOf(owner: string, { service }: SystemInfo): NamedInfo[] {
  return Object.entries(service.nodeAttributes ?? {}).map(([name, value]) => ({
    owner,
    name,
    value: typeof value === 'object' ? `[${value.join(', ')}]` : String(value),
  }));
}

const NODE_ATTRIBUTES = systemView<NamedInfo>(
  'SYS',
  'NODE_ATTRIBUTES',
  'Node attributes',
  (info) => attributesOf(info.node.nodeId, info),
  { NODE_ID: uuid(({ owner }) => owner), NAME: text(({ name }) => name), VALUE: text(({ value }) => value) },
);

const BASELINE_NODES = systemView<SystemInfo>('SYS', 'BASELINE_NODES', 'Baseline topology nodes', (info) => [info], {
  CONSISTENT_ID: text(({ node }) => node.consistentId),
  ONLINE: flag(() => true),
});

const BASELINE_NODE_ATTRIBUTES = systemView<NamedInfo>(
  'SYS',
  'BASELINE_NODE_ATTRIBUTES',
  'Baseline node attributes',
  (info) => attributesOf(info.node.consistentId, info),
  {
    NODE_CONSISTENT_ID: text(({ owner }) => owner),
    NAME: text(({ name }) => name),
    VALUE: text(({ value }) => value),
  },
);

type Setting = readonly [name: string, value: string | null];

/** The engine's own settings by Ignite's names, then the service's. */
function settings({ node, dataDir, regions, caches, service }: SystemInfo): Setting[] {
  return [
    ['IgniteInstanceName', node.nodeName],
    ['NodeId', node.nodeId],
    ['ConsistentId', node.consistentId],
    ['ClientMode', 'false'],
    ['WorkDirectory', dataDir],
    ...regions.flatMap(({ metrics, persistent, maxSizeBytes }, at): Setting[] => [
      [`DataStorageConfiguration.DataRegionConfigurations[${at}].Name`, metrics.name],
      [
        `DataStorageConfiguration.DataRegionConfigurations[${at}].MaxSize`,
        maxSizeBytes === undefined ? null : String(maxSizeBytes),
      ],
      [`DataStorageConfiguration.DataRegionConfigurations[${at}].PersistenceEnabled`, String(persistent)],
    ]),
    ...caches.flatMap(({ definition }, at): Setting[] => [
      [`CacheConfiguration[${at}].Name`, definition.name],
      [`CacheConfiguration[${at}].CacheMode`, definition.mode],
      [`CacheConfiguration[${at}].AtomicityMode`, definition.atomicity],
      [`CacheConfiguration[${at}].Backups`, String(definition.backups)],
      [`CacheConfiguration[${at}].DataRegionName`, definition.region],
      [`CacheConfiguration[${at}].GroupName`, definition.group ?? null],
      [`CacheConfiguration[${at}].SqlSchema`, definition.schema ?? null],
      [`CacheConfiguration[${at}].WriteSynchronizationMode`, definition.writeMode],
    ]),
    ...Object.entries(service.settings ?? {}),
  ];
}

const CONFIGURATION = systemView<Setting>('SYS', 'CONFIGURATION', 'Node configuration', settings, {
  NAME: text(([name]) => name),
  VALUE: text(([, value]) => value),
});

type Metric = readonly [name: string, value: string | number | boolean, description: string];

function cacheMetrics(cache: CacheInfo): Metric[] {
  const prefix = `cache.${cache.definition.name}`;
  return [
    [`${prefix}.CacheGets`, cache.hits + cache.misses, 'Reads since the start.'],
    [`${prefix}.CacheHits`, cache.hits, 'Reads that found an entry.'],
    [`${prefix}.CacheMisses`, cache.misses, 'Reads that found no entry.'],
    [`${prefix}.CacheWrites`, cache.writes, 'Changes since the start: stored and removed entries.'],
    [`${prefix}.CacheSize`, cache.size(), 'Entries.'],
  ];
}

function regionMetrics({ metrics, maxSizeBytes }: RegionInfo): Metric[] {
  const prefix = `io.dataregion.${metrics.name}`;
  const entries = Object.entries(metrics).filter(([name]) => name !== 'name');
  return [
    ...entries.map(([name, value]): Metric => [`${prefix}.${capitalized(name)}`, value, '']),
    [`${prefix}.MaxSize`, maxSizeBytes ?? 0, 'Maximum size in bytes; 0 means unlimited.'],
  ];
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function metrics({ state, node, caches, regions, service }: SystemInfo): Metric[] {
  return [
    ['cluster.ActiveBaselineNodes', 1, 'Online nodes of the baseline.'],
    ['cluster.TotalBaselineNodes', 1, 'Nodes of the baseline.'],
    ['cluster.TotalServerNodes', 1, 'Nodes that hold data.'],
    ['cluster.TotalClientNodes', 0, 'Nodes that hold no data.'],
    ['cluster.Rebalanced', true, 'Whether all partitions are on their nodes.'],
    ['ignite.clusterState', state, 'State of the cluster.'],
    ['ignite.active', state !== 'INACTIVE', 'Whether the cluster is active.'],
    ['ignite.instanceName', node.nodeName ?? '', 'Name of the grid.'],
    ['ignite.localNodeId', node.nodeId, 'Id of this node.'],
    ['ignite.fullVersion', node.version, 'Version of the product.'],
    ...caches.flatMap(cacheMetrics),
    ...regions.flatMap(regionMetrics),
    ...Object.entries(service.metrics ?? {}).map(([name, value]): Metric => [name, value, '']),
  ];
}

const METRICS = systemView<Metric>('SYS', 'METRICS', 'Metrics', metrics, {
  NAME: text(([name]) => name),
  VALUE: text(([, value]) => String(value)),
  DESCRIPTION: text(([, , description]) => description),
});

export const NODE_VIEWS: readonly SystemView[] = [
  NODES,
  NODE_METRICS,
  NODE_ATTRIBUTES,
  BASELINE_NODES,
  BASELINE_NODE_ATTRIBUTES,
  CONFIGURATION,
  METRICS,
];
