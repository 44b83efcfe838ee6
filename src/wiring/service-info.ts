/** Information about the service and its process for the system views. */
import type { Clock } from '../base/clock.ts';
import { withoutUrlSecrets } from '../base/url-secrets.ts';
import type { NodeService } from '../commands/context.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { OPTION_ROWS } from '../configuration/options.ts';
import type { ConnectionInfo, JobInfo, ServiceInfo, UserInfo } from '../engines/embedded/system-views/service-info.ts';
import type { Grid } from '../grid/grid.ts';
import type { ClientConnection } from '../http/socket-server.ts';
import { type Metrics, THREAD_METRICS } from '../service/monitoring/metrics.ts';
import { listAccounts } from '../service/security/accounts.ts';
import type { LocalTaskService, RunningTask } from '../service/tasks/task-service.ts';

export interface ServiceInfoOptions {
  readonly configuration: Configuration;
  readonly version: string;
  readonly grid: Grid;
  readonly clock: Clock;
  readonly nodes: NodeService;
  readonly tasks: Pick<LocalTaskService, 'running'>;
  readonly metrics: Metrics;
  readonly manages: (user: string, assigned: readonly string[] | undefined) => boolean;
  /** Connections by thread. */
  readonly clients: () => Promise<ReadonlyArray<readonly ClientConnection[]>>;
  readonly sessions: () => Promise<number>;
}

/** The only user without authentication, as Ignite lists it. */
const ANONYMOUS: UserInfo = { name: '', administrator: true };

/** The last part of a connection id is the index of its thread. */
const PROCESSES_PER_ID = 1_024;

/** Returns a snapshot of the current information. */
export async function readServiceInfo(options: ServiceInfoOptions): Promise<ServiceInfo> {
  const { configuration, grid, nodes, tasks, manages } = options;
  const include = { metrics: true, attributes: true, caches: false };
  const [node] = await nodes.describe(include);
  const users = configuration.authentication ? await listAccounts(grid.records) : [];
  const listed = users.map(({ name, roles }) => ({ name, administrator: manages(name, roles) }));
  return {
    ...(node !== undefined && { addresses: node.tcpAddresses, hostNames: node.tcpHostNames }),
    ...(node?.metrics && { nodeMetrics: node.metrics }),
    ...(node?.attributes && { nodeAttributes: attributesOf(node.attributes) }),
    settings: settingsOf(configuration),
    metrics: await metricsOf(options),
    connections: connectionsOf(await options.clients(), options.version),
    tasks: tasks
      .running()
      .map(({ id, name, startedAtMs, user }) => ({ id, name, startedAtMs, endedAtMs: 0, owner: user })),
    jobs: jobsOf(tasks.running()),
    ...(grid.changeFeed && { consumers: grid.changeFeed.consumers() }),
    users: configuration.authentication ? listed : [ANONYMOUS],
  };
}

function jobsOf(tasks: readonly RunningTask[]): JobInfo[] {
  return tasks.flatMap(({ id: taskId, name: taskName, user: owner, jobs }) =>
    [...jobs].map(({ id, createdAtMs, startedAtMs }) => {
      const state = startedAtMs === 0 ? 'PASSIVE' : 'ACTIVE';
      return { id, taskId, taskName, createdAtMs, startedAtMs, state, owner };
    }),
  );
}

/** Formats lists as the view shows them. */
function attributesOf(attributes: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name,
      Array.isArray(value) ? `[${value.join(', ')}]` : String(value),
    ]),
  );
}

function connectionsOf(threads: ReadonlyArray<readonly ClientConnection[]>, version: string): ConnectionInfo[] {
  return threads.flatMap((clients, thread) =>
    clients.map(({ id, local, remote, encrypted }) => ({
      id: id * PROCESSES_PER_ID + thread,
      localAddress: local,
      remoteAddress: remote,
      type: encrypted ? 'HTTPS' : 'HTTP',
      // A connection can carry requests of several users.
      user: null,
      version,
    })),
  );
}

async function metricsOf({ metrics, sessions }: ServiceInfoOptions): Promise<Record<string, number>> {
  const pairs = THREAD_METRICS.map((name) => [`svc.${name}`, metrics.metric(name)] as const);
  return {
    ...Object.fromEntries(pairs),
    'svc.sessions': await sessions(),
    'svc.requestsInFlight': metrics.inFlight(),
  };
}

/** Returns the effective settings by their path in the configuration, without secrets. */
export function settingsOf(configuration: Configuration): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const { path, option } of OPTION_ROWS) {
    if (option.secret) continue;
    let value: unknown = configuration;
    for (const part of path.split('.')) {
      value = typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined;
    }
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      settings[path] = withoutUrlSecrets(String(value));
    }
  }
  return settings;
}
