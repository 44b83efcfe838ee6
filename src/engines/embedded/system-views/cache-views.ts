/** SYS views of caches and cache groups. */
import type { CacheInfo, GroupInfo } from './system-info.ts';
import { emptyView, flag, int, long, type SystemView, systemView, text, uuid } from './system-view.ts';

/** Values of columns for features of Ignite's caches that are not supported: off, empty, or Ignite's default. */
const none = () => null;
const no = () => false;
const zero = () => 0;

const CACHES = systemView<CacheInfo>('SYS', 'CACHES', 'Caches', ({ caches }) => caches, {
  CACHE_NAME: text(({ definition }) => definition.name),
  CACHE_ID: int(({ id }) => id),
  CACHE_TYPE: text(() => 'USER'),
  CACHE_MODE: text(({ definition }) => definition.mode),
  ATOMICITY_MODE: text(({ definition }) => definition.atomicity),
  CACHE_GROUP_NAME: text(({ groupName }) => groupName),
  AFFINITY: text(none),
  AFFINITY_MAPPER: text(none),
  BACKUPS: int(({ definition }) => definition.backups),
  CACHE_GROUP_ID: int(({ groupId }) => groupId),
  CACHE_LOADER_FACTORY: text(none),
  CACHE_STORE_FACTORY: text(none),
  CACHE_WRITER_FACTORY: text(none),
  CONFLICT_RESOLVER: text(none),
  DATA_REGION_NAME: text(({ definition }) => definition.region),
  DEFAULT_LOCK_TIMEOUT: long(zero),
  EVICTION_FILTER: text(none),
  EVICTION_POLICY_FACTORY: text(none),
  EXPIRY_POLICY_FACTORY: text(({ definition: { ttlMs, sliding } }) =>
    ttlMs === undefined
      ? null
      : `${sliding === true ? 'TouchedExpiryPolicy' : 'ModifiedExpiryPolicy'} [ttlMs=${ttlMs}]`,
  ),
  HAS_EXPIRING_ENTRIES: text((cache) => (cache.hasExpiring() ? 'Yes' : 'No')),
  INTERCEPTOR: text(none),
  IS_COPY_ON_READ: flag(() => true),
  IS_EAGER_TTL: flag(() => true),
  IS_ENCRYPTION_ENABLED: flag(no),
  IS_EVENTS_DISABLED: flag(no),
  IS_INVALIDATE: flag(no),
  IS_LOAD_PREVIOUS_VALUE: flag(no),
  IS_MANAGEMENT_ENABLED: flag(no),
  IS_NEAR_CACHE_ENABLED: flag(no),
  IS_ONHEAP_CACHE_ENABLED: flag(no),
  IS_READ_FROM_BACKUP: flag(() => true),
  IS_READ_THROUGH: flag(no),
  IS_SQL_ESCAPE_ALL: flag(({ definition }) => definition.entities.some((entity) => entity.fromSql)),
  IS_SQL_ONHEAP_CACHE_ENABLED: flag(no),
  IS_STATISTICS_ENABLED: flag(() => true),
  IS_STORE_KEEP_BINARY: flag(no),
  IS_WRITE_BEHIND_ENABLED: flag(no),
  IS_WRITE_THROUGH: flag(no),
  MAX_CONCURRENT_ASYNC_OPERATIONS: int(zero),
  MAX_QUERY_ITERATORS_COUNT: int(zero),
  NEAR_CACHE_EVICTION_POLICY_FACTORY: text(none),
  NEAR_CACHE_START_SIZE: int(zero),
  NODE_FILTER: text(none),
  PARTITION_LOSS_POLICY: text(() => 'IGNORE'),
  QUERY_DETAIL_METRICS_SIZE: int(zero),
  QUERY_PARALLELISM: int(() => 1),
  REBALANCE_BATCH_SIZE: int(zero),
  REBALANCE_BATCHES_PREFETCH_COUNT: long(zero),
  REBALANCE_DELAY: long(zero),
  REBALANCE_MODE: text(() => 'NONE'),
  REBALANCE_ORDER: int(zero),
  REBALANCE_THROTTLE: long(zero),
  REBALANCE_TIMEOUT: long(zero),
  SQL_INDEX_MAX_INLINE_SIZE: int(() => -1),
  SQL_ONHEAP_CACHE_MAX_SIZE: int(zero),
  SQL_SCHEMA: text(({ definition }) => definition.schema),
  TOPOLOGY_VALIDATOR: text(none),
  WRITE_BEHIND_BATCH_SIZE: int(zero),
  WRITE_BEHIND_COALESCING: flag(no),
  WRITE_BEHIND_FLUSH_FREQUENCY: long(zero),
  WRITE_BEHIND_FLUSH_SIZE: int(zero),
  WRITE_BEHIND_FLUSH_THREAD_COUNT: int(zero),
  WRITE_SYNCHRONIZATION_MODE: text(({ definition }) => definition.writeMode),
});

const CACHE_GROUPS = systemView<GroupInfo>('SYS', 'CACHE_GROUPS', 'Cache groups', ({ groups }) => groups, {
  CACHE_GROUP_NAME: text(({ name }) => name),
  CACHE_COUNT: int(({ caches }) => caches.length),
  DATA_REGION_NAME: text(({ sample }) => sample.definition.region),
  CACHE_MODE: text(({ sample }) => sample.definition.mode),
  ATOMICITY_MODE: text(({ sample }) => sample.definition.atomicity),
  AFFINITY: text(none),
  BACKUPS: int(({ sample }) => sample.definition.backups),
  CACHE_GROUP_ID: int(({ id }) => id),
  IS_SHARED: flag(({ sample }) => sample.definition.group !== undefined),
  NODE_FILTER: text(none),
  PARTITION_LOSS_POLICY: text(() => 'IGNORE'),
  PARTITIONS_COUNT: int(() => 1),
  REBALANCE_DELAY: long(zero),
  REBALANCE_MODE: text(() => 'NONE'),
  REBALANCE_ORDER: int(zero),
  TOPOLOGY_VALIDATOR: text(none),
});

/** A single node holds all entries of a group in one partition. */
const PARTITION_STATES = systemView<{ readonly group: GroupInfo; readonly nodeId: string }>(
  'SYS',
  'PARTITION_STATES',
  'Distribution of cache group partitions across cluster nodes',
  ({ groups, node }) => groups.map((group) => ({ group, nodeId: node.nodeId })),
  {
    CACHE_GROUP_ID: int(({ group }) => group.id),
    NODE_ID: uuid(({ nodeId }) => nodeId),
    PARTITION_ID: int(zero),
    STATE: text(() => 'OWNING'),
    IS_PRIMARY: flag(() => true),
  },
);

export const CACHE_VIEWS: readonly SystemView[] = [
  CACHES,
  CACHE_GROUPS,
  PARTITION_STATES,
  emptyView(
    'SYS',
    'LOCAL_CACHE_GROUPS_IO',
    'Pages read for cache groups; SQLite does not count them by group',
    'CACHE_GROUP_ID int, CACHE_GROUP_NAME text, PHYSICAL_READS long, LOGICAL_READS long',
  ),
  emptyView(
    'SYS',
    'CACHE_GROUP_PAGE_LISTS',
    'Page lists of cache groups; there are none',
    'CACHE_GROUP_ID int, PARTITION_ID int, NAME text, BUCKET_NUMBER int, BUCKET_SIZE long, STRIPES_COUNT int, ' +
      'CACHED_PAGES_COUNT int, PAGE_FREE_SPACE int',
  ),
];
