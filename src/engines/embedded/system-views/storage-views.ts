/** SYS views of counters, other shared structures and storage. */
import { type CounterInfo, javaHash } from './system-info.ts';
import { emptyView, flag, int, long, type SystemView, systemView, text } from './system-view.ts';

/** Name of the cache group that holds Ignite's counters. */
const COUNTER_GROUP = 'default-ds-group';

const DS_ATOMICLONGS = systemView<CounterInfo>(
  'SYS',
  'DS_ATOMICLONGS',
  'Data structure atomic longs',
  ({ counters }) => counters,
  {
    NAME: text(({ name }) => name),
    VALUE: long(({ value }) => value),
    GROUP_NAME: text(() => COUNTER_GROUP),
    GROUP_ID: int(() => javaHash(COUNTER_GROUP)),
    REMOVED: flag(() => false),
  },
);

const IN_GROUP = 'GROUP_NAME text, GROUP_ID int';

/** Structures that the HTTP interface cannot create. */
const NO_STRUCTURES: ReadonlyArray<readonly [name: string, what: string, columns: string]> = [
  ['DS_ATOMICREFERENCES', 'atomic references', `NAME text, VALUE text, ${IN_GROUP}, REMOVED flag`],
  ['DS_ATOMICSEQUENCES', 'atomic sequences', `NAME text, VALUE long, BATCH_SIZE long, ${IN_GROUP}, REMOVED flag`],
  ['DS_ATOMICSTAMPED', 'atomic stamped', `NAME text, VALUE text, STAMP text, ${IN_GROUP}, REMOVED flag`],
  [
    'DS_COUNTDOWNLATCHES',
    'count down latches',
    `NAME text, COUNT int, INITIAL_COUNT int, AUTO_DELETE flag, ${IN_GROUP}, REMOVED flag`,
  ],
  [
    'DS_QUEUES',
    'queues',
    `ID text, NAME text, CAPACITY int, SIZE int, ${IN_GROUP}, BOUNDED flag, COLLOCATED flag, REMOVED flag`,
  ],
  [
    'DS_REENTRANTLOCKS',
    'reentrant locks',
    `NAME text, LOCKED flag, HAS_QUEUED_THREADS flag, FAILOVER_SAFE flag, FAIR flag, BROKEN flag, ${IN_GROUP}, REMOVED flag`,
  ],
  [
    'DS_SEMAPHORES',
    'semaphores',
    'NAME text, AVAILABLE_PERMITS long, HAS_QUEUED_THREADS flag, QUEUE_LENGTH int, FAILOVER_SAFE flag, BROKEN flag, ' +
      `${IN_GROUP}, REMOVED flag`,
  ],
  ['DS_SETS', 'sets', `ID text, NAME text, SIZE int, ${IN_GROUP}, COLLOCATED flag, REMOVED flag`],
];

const PAGE_LIST = 'BUCKET_NUMBER int, BUCKET_SIZE long, STRIPES_COUNT int, CACHED_PAGES_COUNT int, PAGE_FREE_SPACE int';
const POOL_QUEUE = 'STRIPE_INDEX int, DESCRIPTION text, THREAD_NAME text, TASK_NAME text';

export const STORAGE_VIEWS: readonly SystemView[] = [
  DS_ATOMICLONGS,
  ...NO_STRUCTURES.map(([name, what, columns]) =>
    emptyView('SYS', name, `Data structure ${what}; there are none`, columns),
  ),
  emptyView('SYS', 'DATA_REGION_PAGE_LISTS', 'Data region page lists; there are none', `NAME text, ${PAGE_LIST}`),
  emptyView(
    'SYS',
    'PAGES_TIMESTAMP_HISTOGRAM',
    'Data region pages timestamp histogram; SQLite does not record these times',
    'DATA_REGION_NAME text, INTERVAL_START time, INTERVAL_END time, PAGES_COUNT long',
  ),
  emptyView('SYS', 'DATASTREAM_THREADPOOL_QUEUE', 'Datastream thread pool task queue; there is none', POOL_QUEUE),
  emptyView('SYS', 'STRIPED_THREADPOOL_QUEUE', 'Striped thread pool task queue; there is none', POOL_QUEUE),
  emptyView('SYS', 'DISTRIBUTED_METASTORAGE', 'Distributed metastorage data; there is none', 'NAME text, VALUE text'),
  emptyView(
    'SYS',
    'SNAPSHOT',
    'Snapshots; there are none, because backups are plain files',
    'NAME text, CONSISTENT_ID text, BASELINE_NODES text, CACHE_GROUPS text, SNAPSHOT_RECORD_SEGMENT long, ' +
      'INCREMENT_INDEX int, TYPE text, SNAPSHOT_TIME long',
  ),
];
