/** SYS views of what runs: queries, scans, tasks, connections. */
import type {
  ConnectionFact,
  JobFact,
  QueryFact,
  QueryHistoryFact,
  ScanFact,
  ServiceFacts,
  TaskFact,
} from './service-facts.ts';
import { javaHash, type SystemFacts } from './system-facts.ts';
import { emptyView, flag, int, long, type SystemView, systemView, text, time, uuid } from './system-view.ts';

interface OnNode<F> {
  readonly nodeId: string;
  readonly fact: F;
  /** Time at which the view is read, ms since the epoch. */
  readonly nowMs: number;
}

function onNode<F>(pick: (service: ServiceFacts) => readonly F[] | undefined): (facts: SystemFacts) => OnNode<F>[] {
  return ({ node, service, nowMs }) => (pick(service) ?? []).map((fact) => ({ nodeId: node.nodeId, fact, nowMs }));
}

const SQL_QUERIES = systemView<OnNode<QueryFact>>(
  'SYS',
  'SQL_QUERIES',
  'Running SQL queries',
  onNode((service) => service.queries),
  {
    QUERY_ID: text(({ nodeId, fact }) => `${nodeId}_${fact.id}`),
    SQL: text(({ fact }) => fact.sql),
    ORIGIN_NODE_ID: uuid(({ nodeId }) => nodeId),
    START_TIME: time(({ fact }) => fact.startedAtMs),
    DURATION: long(({ fact, nowMs }) => nowMs - fact.startedAtMs),
    INITIATOR_ID: text(({ fact }) => (fact.owner === '' ? null : fact.owner)),
    LOCAL: flag(() => false),
    SCHEMA_NAME: text(({ fact }) => fact.schema),
    SUBJECT_ID: uuid(() => null),
  },
);

const SQL_QUERIES_HISTORY = systemView<QueryHistoryFact>(
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
    DURATION_MIN: long(({ shortestMs }) => shortestMs),
    DURATION_MAX: long(({ longestMs }) => longestMs),
    LAST_START_TIME: time(({ lastStartedAtMs }) => lastStartedAtMs),
  },
);

const SCAN_QUERIES = systemView<OnNode<ScanFact>>(
  'SYS',
  'SCAN_QUERIES',
  'Scan queries',
  onNode((service) => service.scans),
  {
    ORIGIN_NODE_ID: uuid(({ nodeId }) => nodeId),
    QUERY_ID: long(({ fact }) => fact.id),
    CACHE_NAME: text(({ fact }) => fact.cache),
    CACHE_ID: int(({ fact }) => javaHash(fact.cache)),
    CACHE_GROUP_ID: int(({ fact }) => javaHash(fact.cache)),
    CACHE_GROUP_NAME: text(({ fact }) => fact.cache),
    START_TIME: long(({ fact }) => fact.startedAtMs),
    DURATION: long(({ fact, nowMs }) => nowMs - fact.startedAtMs),
    CANCELED: flag(() => false),
    FILTER: text(({ fact }) => fact.filter),
    KEEP_BINARY: flag(() => true),
    LOCAL: flag(() => false),
    PAGE_SIZE: int(({ fact }) => fact.pageSize),
    PARTITION: int(() => -1),
    SUBJECT_ID: uuid(() => null),
    TASK_NAME: text(() => null),
    TOPOLOGY: text(() => null),
    TRANSFORMER: text(() => null),
  },
);

const TASKS = systemView<OnNode<TaskFact>>(
  'SYS',
  'TASKS',
  'Running compute tasks',
  onNode((service) => service.tasks),
  {
    ID: text(({ fact }) => fact.id),
    SESSION_ID: text(({ fact }) => fact.id),
    TASK_NODE_ID: uuid(({ nodeId }) => nodeId),
    TASK_NAME: text(({ fact }) => fact.name),
    TASK_CLASS_NAME: text(({ fact }) => fact.name),
    AFFINITY_PARTITION_ID: int(() => -1),
    AFFINITY_CACHE_NAME: text(() => null),
    START_TIME: long(({ fact }) => fact.startedAtMs),
    END_TIME: long(({ fact }) => fact.endedAtMs),
    EXEC_NAME: text(() => null),
    INTERNAL: flag(() => false),
    JOB_ID: text(() => null),
    USER_VERSION: text(() => null),
  },
);

const JOBS = systemView<OnNode<JobFact>>(
  'SYS',
  'JOBS',
  'Running jobs of compute tasks',
  onNode((service) => service.jobs),
  {
    ID: text(({ fact }) => fact.id),
    SESSION_ID: text(({ fact }) => fact.taskId),
    ORIGIN_NODE_ID: uuid(({ nodeId }) => nodeId),
    TASK_NAME: text(({ fact }) => fact.taskName),
    TASK_CLASS_NAME: text(({ fact }) => fact.taskName),
    AFFINITY_CACHE_IDS: text(() => null),
    AFFINITY_PARTITION_ID: int(() => -1),
    CREATE_TIME: long(({ fact }) => fact.createdAtMs),
    START_TIME: long(({ fact }) => fact.startedAtMs),
    FINISH_TIME: long(() => 0),
    EXECUTOR_NAME: text(() => null),
    IS_FINISHING: flag(() => false),
    IS_INTERNAL: flag(() => false),
    IS_STARTED: flag(({ fact }) => fact.startedAtMs !== 0),
    IS_TIMED_OUT: flag(() => false),
    STATE: text(({ fact }) => fact.state),
  },
);

const CLIENT_CONNECTIONS = systemView<ConnectionFact>(
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
    'SERVICE_ID text, NAME text, SERVICE_CLASS text, CACHE_NAME text, ORIGIN_NODE_ID uuid, TOTAL_COUNT int, ' +
      'MAX_PER_NODE_COUNT int, AFFINITY_KEY text, NODE_FILTER text, STATICALLY_CONFIGURED flag, TOPOLOGY_SNAPSHOT text',
  ),
  emptyView(
    'SYS',
    'TRANSACTIONS',
    'Running transactions; a command is never part of a longer one',
    'ORIGINATING_NODE_ID uuid, STATE text, XID text, LABEL text, START_TIME long, ISOLATION text, CONCURRENCY text, ' +
      'KEYS_COUNT int, CACHE_IDS text, COLOCATED flag, DHT flag, DURATION long, IMPLICIT flag, IMPLICIT_SINGLE flag, ' +
      'INTERNAL flag, LOCAL flag, LOCAL_NODE_ID uuid, NEAR flag, ONE_PHASE_COMMIT flag, OTHER_NODE_ID uuid, ' +
      'SUBJECT_ID uuid, SYSTEM flag, THREAD_ID long, TIMEOUT long, TOP_VER text',
  ),
];
