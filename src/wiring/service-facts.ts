/** What the service knows of its process, for statements over the system views. */
import type { Clock } from '../base/clock.ts';
import type { NodeDesk } from '../commands/context.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { OPTION_ROWS } from '../configuration/options.ts';
import type { ConnectionFact, ServiceFacts } from '../engines/embedded/queries/system-views/service-facts.ts';
import type { Grid } from '../grid/grid.ts';
import type { ClientConnection } from '../http/socket-server.ts';
import { type Measures, THREAD_FIGURES } from '../service/measures.ts';
import type { TaskService } from '../service/tasks/task-desk.ts';

export interface ServiceFactsOptions {
  readonly configuration: Configuration;
  readonly version: string;
  readonly grid: Grid;
  readonly clock: Clock;
  readonly nodes: NodeDesk;
  readonly tasks: Pick<TaskService, 'running'>;
  readonly measures: Measures;
  readonly manages: (user: string) => boolean;
  /** Connections by the thread that has them. */
  readonly clients: () => Promise<ReadonlyArray<readonly ClientConnection[]>>;
  readonly sessions: () => Promise<number>;
}

/** Ids of connections carry the number of their thread in their last part. */
const THREADS_PER_ID = 1_024;

/** A snapshot, as new as the call. */
export async function readServiceFacts(options: ServiceFactsOptions): Promise<ServiceFacts> {
  const { configuration, grid, nodes, tasks, manages } = options;
  const wants = { metrics: true, attributes: true, caches: false };
  const [node] = await nodes.describe(wants);
  const users = configuration.authentication ? await grid.records.list('user') : [];
  return {
    ...(node !== undefined && { addresses: node.tcpAddresses, hostNames: node.tcpHostNames }),
    ...(node?.metrics && { nodeMetrics: node.metrics }),
    ...(node?.attributes && { nodeAttributes: attributesOf(node.attributes) }),
    settings: settingsOf(configuration),
    figures: await figuresOf(options),
    connections: connectionsOf(await options.clients(), options.version),
    tasks: tasks.running().map(({ id, name, startedAtMs }) => ({ id, name, startedAtMs, endedAtMs: 0 })),
    users: users.map(({ id }) => ({ name: id, administrator: manages(id) })),
  };
}

/** Lists as the texts that the view shows. */
function attributesOf(attributes: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name,
      Array.isArray(value) ? `[${value.join(', ')}]` : String(value),
    ]),
  );
}

function connectionsOf(threads: ReadonlyArray<readonly ClientConnection[]>, version: string): ConnectionFact[] {
  return threads.flatMap((clients, thread) =>
    clients.map(({ id, local, remote, encrypted }) => ({
      id: id * THREADS_PER_ID + thread,
      localAddress: local,
      remoteAddress: remote,
      type: encrypted ? 'HTTPS' : 'HTTP',
      // A connection carries requests of any user.
      user: null,
      version,
    })),
  );
}

async function figuresOf({ measures, sessions }: ServiceFactsOptions): Promise<Record<string, number>> {
  const figures = THREAD_FIGURES.map((name) => [`svc.${name}`, measures.figure(name)] as const);
  return {
    ...Object.fromEntries(figures),
    'svc.sessions': await sessions(),
    'svc.requestsInFlight': measures.inFlight(),
  };
}

/** The settings that hold, by their path in the configuration; none that is secret. */
export function settingsOf(configuration: Configuration): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const { path, option } of OPTION_ROWS) {
    if (option.secret) continue;
    let value: unknown = configuration;
    for (const part of path.split('.')) {
      value = typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined;
    }
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      settings[path] = String(value);
    }
  }
  return settings;
}
