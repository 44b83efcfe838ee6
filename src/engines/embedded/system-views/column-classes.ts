/** Java classes of SYS view columns that Ignite declares with a separate class, by view and column. */

const UUID_OF_GRID = 'org.apache.ignite.lang.IgniteUuid';
const ATOMICITY = 'org.apache.ignite.cache.CacheAtomicityMode';
const MODE = 'org.apache.ignite.cache.CacheMode';
const LOSS_POLICY = 'org.apache.ignite.cache.PartitionLossPolicy';
const REBALANCE_MODE = 'org.apache.ignite.cache.CacheRebalanceMode';
const ADDRESS = 'java.net.InetSocketAddress';
const LONG = 'java.lang.Long';
const TIMESTAMP = 'java.sql.Timestamp';

const CLASSES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  CACHES: {
    ATOMICITY_MODE: ATOMICITY,
    CACHE_MODE: MODE,
    CACHE_TYPE: 'org.apache.ignite.internal.processors.cache.CacheType',
    PARTITION_LOSS_POLICY: LOSS_POLICY,
    REBALANCE_MODE,
    WRITE_SYNCHRONIZATION_MODE: 'org.apache.ignite.cache.CacheWriteSynchronizationMode',
  },
  CACHE_GROUPS: { ATOMICITY_MODE: ATOMICITY, CACHE_MODE: MODE, PARTITION_LOSS_POLICY: LOSS_POLICY, REBALANCE_MODE },
  CLIENT_CONNECTIONS: { LOCAL_ADDRESS: ADDRESS, REMOTE_ADDRESS: ADDRESS },
  DS_QUEUES: { ID: UUID_OF_GRID },
  DS_SETS: { ID: UUID_OF_GRID },
  JOBS: {
    ID: UUID_OF_GRID,
    SESSION_ID: UUID_OF_GRID,
    STATE: 'org.apache.ignite.spi.systemview.view.ComputeJobView$ComputeJobState',
  },
  SERVICES: { SERVICE_ID: UUID_OF_GRID, TOPOLOGY_SNAPSHOT: 'java.util.Map' },
  SNAPSHOT: { INCREMENT_INDEX: 'java.lang.Integer', SNAPSHOT_RECORD_SEGMENT: LONG, SNAPSHOT_TIME: LONG },
  STATISTICS_CONFIGURATION: { MANUAL_DISTINCT: LONG, MANUAL_NULLS: LONG, MANUAL_TOTAL: LONG },
  STATISTICS_GLOBAL_DATA: { LAST_UPDATE_TIME: TIMESTAMP },
  STATISTICS_LOCAL_DATA: { LAST_UPDATE_TIME: TIMESTAMP },
  TASKS: { ID: UUID_OF_GRID, JOB_ID: UUID_OF_GRID, SESSION_ID: UUID_OF_GRID },
  TRANSACTIONS: {
    CONCURRENCY: 'org.apache.ignite.transactions.TransactionConcurrency',
    ISOLATION: 'org.apache.ignite.transactions.TransactionIsolation',
    STATE: 'org.apache.ignite.transactions.TransactionState',
    XID: UUID_OF_GRID,
  },
};

/** Returns the class of a column for which Ignite lists a separate class, or undefined for other columns. */
export function classOfViewColumn(view: string, column: string): string | undefined {
  return CLASSES[view]?.[column];
}
