/** SYS views of the node: its attributes, metrics and settings. */
import { NODE_METRIC_COLUMNS } from '../../../grid/node-metrics.ts';
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

function metricColumns(): Record<string, ViewColumn<MetricsInfo>> {
  const columns: Record<string, ViewColumn<MetricsInfo>> = { NODE_ID: uuid(({ nodeId }) => nodeId) };
  for (const { name, kind, metric } of NODE_METRIC_COLUMNS) {
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
