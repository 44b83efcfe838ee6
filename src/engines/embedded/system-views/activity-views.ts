/** The SYS views of running queries, scans, tasks and connections. */
import type { ConsumerInfo } from '../../../grid/change-feed.ts';
import type { StatementState } from '../../../grid/statement-report.ts';
import type {
  ConnectionInfo,
  JobInfo,
  QueryHistoryInfo,
  QueryInfo,
  ScanInfo,
  ServiceInfo,
  StatementInfo,
  TaskInfo,
} from './service-info.ts';
import { javaHash, type SystemInfo } from './system-info.ts';
import { emptyView, flag, int, long, type SystemView, systemView, text, time, uuid } from './system-view.ts';

interface OnNode<F> {
  readonly nodeId: string;
  readonly info: F;
  /** Time at which the view is read, in ms since the Unix epoch. */
  readonly nowMs: number;
}

function onNode<F>(pick: (service: ServiceInfo) => readonly F[] | undefined): (info: SystemInfo) => OnNode<F>[] {
  return ({ node, service, nowMs }) => (pick(service) ?? []).map((info) => ({ nodeId: node.nodeId, info, nowMs }));
}

const SQL_QUERIES = systemView<OnNode<QueryInfo>>(
  'SYS',
  'SQL_QUERIES',
  'Running SQL queries',
  onNode((service) => service.queries),
  {
    QUERY_ID: text(({ nodeId, info }) => `${nodeId}_${info.id}`),
    SQL: text(({ info }) => info.sql),
    ORIGIN_NODE_ID: uuid(({ nodeId }) => nodeId),
    START_TIME: time(({ info }) => info.startedAtMs),
    DURATION: long(({ info, nowMs }) => nowMs - info.startedAtMs),
    INITIATOR_ID: text(({ info }) => (info.owner === '' ? null : info.owner)),
    LOCAL: flag(() => false),
    SCHEMA_NAME: text(({ info }) => info.schema),
    SUBJECT_ID: uuid(() => null),
  },
);

const SQL_QUERIES_HISTORY = systemView<QueryHistoryInfo>(
  'SYS',
  'SQL_QUERIES_HISTORY',
  'SQL queries history',
  ({ service }) => service.history ?? [],
  {
    SCHEMA_NAME: text(({ schema }) => schema),
    SQL: text(({ sql }) => sql),
    LOCAL: flag(() => false),
    EXECUTIONS: long(({ executions }) => executions),
    FAILURES: long(({ failures }) => failures),
    DURATION_MIN: long(({ shortestMs }) => Math.round(shortestMs)),
    DURATION_MAX: long(({ longestMs }) => Math.round(longestMs)),
    LAST_START_TIME: time(({ lastStartedAtMs }) => lastStartedAtMs),
  },
);

const SCAN_QUERIES = systemView<OnNode<ScanInfo>>(
  'SYS',
  'SCAN_QUERIES',
  'Scan queries',
  onNode((service) => service.scans),
  {
    ORIGIN_NODE_ID: uuid(({ nodeId }) => nodeId),
    QUERY_ID: long(({ info }) => info.id),
    CACHE_NAME: text(({ info }) => info.cache),
    CACHE_ID: int(({ info }) => javaHash(info.cache)),
    CACHE_GROUP_ID: int(({ info }) => javaHash(info.cache)),
    CACHE_GROUP_NAME: text(({ info }) => info.cache),
    START_TIME: long(({ info }) => info.startedAtMs),
    DURATION: long(({ info, nowMs }) => nowMs - info.startedAtMs),
    CANCELED: flag(() => false),
    FILTER: text(({ info }) => info.filter),
    KEEP_BINARY: flag(() => true),
    LOCAL: flag(() => false),
    PAGE_SIZE: int(({ info }) => info.pageSize),
    PARTITION: int(() => -1),
    SUBJECT_ID: uuid(() => null),
    TASK_NAME: text(() => null),
    TOPOLOGY: text(() => null),
    TRANSFORMER: text(() => null),
  },
);

const STATES: Readonly<Record<StatementState, string>> = {
  waitingForProcess: 'WAITING_FOR_PROCESS',
  running: 'RUNNING',
  waitingForLock: 'WAITING_FOR_LOCK',
  idle: 'IDLE',
};

const RUNNING_STATEMENTS = systemView<OnNode<StatementInfo>>(
  'SYS',
  'RUNNING_STATEMENTS',
  'Running statements and scans with what they use (not a view of Ignite)',
  onNode((service) => service.statements),
  {
    QUERY_ID: text(({ nodeId, info }) => `${nodeId}_${info.id}`),
    KIND: text(({ info }) => (info.kind === 'sql' ? 'SQL' : 'SCAN')),
    STATE: text(({ info }) => STATES[info.state]),
    USER_NAME: text(({ info }) => (info.owner === '' ? null : info.owner)),
    STATEMENT: text(({ info }) => info.text),
    START_TIME: time(({ info }) => info.startedAtMs),
    AGE_MS: long(({ info, nowMs }) => nowMs - info.startedAtMs),
    ACTIVE_MS: long(({ info }) => info.activeMs),
    ROWS_RETURNED: long(({ info }) => info.rows),
    MEMORY_BYTES: long(({ info }) => info.memoryBytes),
    TEMPORARY_BYTES: long(({ info }) => info.temporaryBytes),
    CONVERTED_ROWS: long(({ info }) => (info.rowsToConvert > 0 ? info.convertedRows : null)),
    ROWS_TO_CONVERT: long(({ info }) => (info.rowsToConvert > 0 ? info.rowsToConvert : null)),
  },
);

const CHANGE_FEED_CONSUMERS = systemView<ConsumerInfo>(
  'SYS',
  'CHANGE_FEED_CONSUMERS',
  'Consumers of the change feed (not a view of Ignite)',
  ({ service }) => service.consumers ?? [],
  {
    CONSUMER_ID: long(({ id }) => id),
    USER_NAME: text(({ owner }) => (owner === '' ? null : owner)),
    CACHES: text(({ caches }) => (caches === '' ? null : caches)),
    START_TIME: time(({ startedAtMs }) => startedAtMs),
    LAST_SEND_TIME: time(({ lastAtMs }) => lastAtMs),
    CHANGES: long(({ changes }) => changes),
    CHARACTERS: long(({ bytes }) => bytes),
    BEHIND: long(({ behind }) => behind),
  },
);

const TASKS = systemView<OnNode<TaskInfo>>(
  'SYS',
  'TASKS',
  'Running compute tasks',
  onNode((service) => service.tasks),
  {
    ID: text(({ info }) => info.id),
    SESSION_ID: text(({ info }) => info.id),
    TASK_NODE_ID: uuid(({ nodeId }) => nodeId),
    TASK_NAME: text(({ info }) => info.name),
    TASK_CLASS_NAME: text(({ info }) => info.name),
    AFFINITY_PARTITION_ID: int(() => -1),
    AFFINITY_CACHE_NAME: text(() => null),
    START_TIME: long(({ info }) => info.startedAtMs),
    END_TIME: long(({ info }) => info.endedAtMs),
    EXEC_NAME: text(() => null),
    INTERNAL: flag(() => false),
    JOB_ID: text(() => null),
    USER_VERSION: text(() => null),
  },
);

const JOBS = systemView<OnNode<JobInfo>>(
  'SYS',
  'JOBS',
  'Running jobs of compute tasks',
  onNode((service) => service.jobs),
  {
    ID: text(({ info }) => info.id),
    SESSION_ID: text(({ info }) => info.taskId),
    ORIGIN_NODE_ID: uuid(({ nodeId }) => nodeId),
    TASK_NAME: text(({ info }) => info.taskName),
    TASK_CLASS_NAME: text(({ info }) => info.taskName),
    AFFINITY_CACHE_IDS: text(() => null),
    AFFINITY_PARTITION_ID: int(() => -1),
    CREATE_TIME: long(({ info }) => info.createdAtMs),
    START_TIME: long(({ info }) => info.startedAtMs),
    FINISH_TIME: long(() => 0),
    EXECUTOR_NAME: text(() => null),
    IS_FINISHING: flag(() => false),
    IS_INTERNAL: flag(() => false),
    IS_STARTED: flag(({ info }) => info.startedAtMs !== 0),
    IS_TIMED_OUT: flag(() => false),
    STATE: text(({ info }) => info.state),
  },
);

const CLIENT_CONNECTIONS = systemView<ConnectionInfo>(
  'SYS',
  'CLIENT_CONNECTIONS',
  'Client connections',
  ({ service }) => service.connections ?? [],
  {
    CONNECTION_ID: long(({ id }) => id),
    LOCAL_ADDRESS: text(({ localAddress }) => localAddress),
    REMOTE_ADDRESS: text(({ remoteAddress }) => remoteAddress),
    TYPE: text(({ type }) => type),
    USER: text(({ user }) => user),
    VERSION: text(({ version }) => version),
  },
);

export const ACTIVITY_VIEWS: readonly SystemView[] = [
  SQL_QUERIES,
  SQL_QUERIES_HISTORY,
  SCAN_QUERIES,
  RUNNING_STATEMENTS,
  CHANGE_FEED_CONSUMERS,
  TASKS,
  JOBS,
  CLIENT_CONNECTIONS,
  emptyView(
    'SYS',
    'CLIENT_CONNECTION_ATTRIBUTES',
    'Client connection attributes; HTTP clients have none',
    'CONNECTION_ID long, NAME text, VALUE text',
  ),
  emptyView(
    'SYS',
    'CONTINUOUS_QUERIES',
    'Continuous queries; there are none',
    'CACHE_NAME text, LOCAL_LISTENER text, REMOTE_FILTER text, REMOTE_TRANSFORMER text, ' +
      'LOCAL_TRANSFORMED_LISTENER text, LAST_SEND_TIME long, AUTO_UNSUBSCRIBE flag, BUFFER_SIZE int, ' +
      'DELAYED_REGISTER flag, INTERVAL long, IS_EVENTS flag, IS_MESSAGING flag, IS_QUERY flag, KEEP_BINARY flag, ' +
      'NODE_ID uuid, NOTIFY_EXISTING flag, OLD_VALUE_REQUIRED flag, ROUTINE_ID uuid, TOPIC text',
  ),
  emptyView(
    'SYS',
    'SERVICES',
    'Services; there are none',
    'SERVICE_ID text, NAME text, SERVICE_CLASS className, CACHE_NAME text, ORIGIN_NODE_ID uuid, TOTAL_COUNT int, ' +
      'MAX_PER_NODE_COUNT int, AFFINITY_KEY text, NODE_FILTER className, STATICALLY_CONFIGURED flag, TOPOLOGY_SNAPSHOT text',
  ),
  emptyView(
    'SYS',
    'TRANSACTIONS',
    'Running transactions; there are none, because every command is its own transaction',
    'ORIGINATING_NODE_ID uuid, STATE text, XID text, LABEL text, START_TIME long, ISOLATION text, CONCURRENCY text, ' +
      'KEYS_COUNT int, CACHE_IDS text, COLOCATED flag, DHT flag, DURATION long, IMPLICIT flag, IMPLICIT_SINGLE flag, ' +
      'INTERNAL flag, LOCAL flag, LOCAL_NODE_ID uuid, NEAR flag, ONE_PHASE_COMMIT flag, OTHER_NODE_ID uuid, ' +
      'SUBJECT_ID uuid, SYSTEM flag, THREAD_ID long, TIMEOUT long, TOP_VER text',
  ),
];
