/**
 * The faults of a cluster: what happens between the service and its nodes, or to the nodes, while clients send
 * requests. One service goes through all of them without a restart.
 */

import { startCluster, type TestCluster } from '../../cluster/ignite-node.ts';
import { Random } from '../../simulation/random.ts';
import { queryOf, type ServiceProcess, startService } from '../../system/service-process.ts';
import { ClusterLoad } from './cluster-load.ts';
import { type Disturbance, NodeProxy, type ProxyCounts } from './node-proxy.ts';

export interface ClusterFault {
  readonly title: string;
  /** Whether it takes too long for the short form. */
  readonly isLong?: boolean;
  /** Whether every request must succeed, and `/health/ready` say so, while the fault lasts. */
  readonly isHarmless?: boolean;
  /** The final response of `/health/ready` while the fault lasts; any if absent. */
  readonly isReady?: boolean;
  /** Whether proxies must have disturbed messages before the fault ends. */
  readonly isNetwork?: boolean;
  /** Begins the fault, and returns a function that ends it. */
  readonly begin: (faulted: FaultedCluster) => Promise<() => Promise<void>>;
}

export interface ClusterFaultReport {
  readonly title: string;
  readonly acknowledged: number;
  readonly failed: number;
  readonly unknown: number;
  /** The activity of all nodes' proxies. */
  readonly counts: ProxyCounts;
  /** From the end of the fault until the service is ready and every client was served again. */
  readonly recoveredMs: number;
  readonly errors: ReadonlyMap<string, number>;
  readonly wrong: readonly string[];
}

export interface ClusterFaultOptions {
  readonly seed: number;
  /** Minimum duration of each fault. */
  readonly faultMs: number;
  readonly clients: number;
}

/** Nodes listen here for clients and report 127.0.0.1, where the proxies are. */
const NODE_HOST = '127.0.0.2';
const PROXY_HOST = '127.0.0.1';
const NODES = 2;
/** Time within which `/health/ready` must have noticed that a fault has begun or ended. */
const NOTICE_LIMIT_MS = 60_000;
const CHECK_MS = 100;
/** Checks of `/health/ready` in a row that must agree. */
const SAME_CHECKS = 10;
/** Minimum number of messages that each network fault delays, holds, loses, cuts off or replaces. */
const MIN_DISTURBED = 3;
/** How long the process of a node stands still: less than the time after which the other node excludes it. */
const STANDSTILL_MS = 3_000;
/** Minimum number of changes acknowledged before and after each fault. */
const CALM_CHANGES = 40;
/** Nodes compile little: they run for a short time. The data outlasts them. */
const NODE_OPTIONS = {
  empty: true,
  persistent: true,
  clientHost: NODE_HOST,
  java: ['-XX:TieredStopAtLevel=1'],
} as const;

/** The action of the proxies, for the first `nodes` of the cluster. */
function network(
  title: string,
  nodes: number,
  disturbance: Disturbance,
  expected: Pick<ClusterFault, 'isLong' | 'isHarmless' | 'isReady'> = {},
): ClusterFault {
  return { title, ...expected, isNetwork: true, begin: (faulted) => faulted.disturb(disturbance, nodes) };
}

export const CLUSTER_FAULTS: readonly ClusterFault[] = [
  network('a node that delays messages by up to 0.3 s', 1, { delayMs: 300 }, { isHarmless: true }),
  network('nodes that delay messages by up to 0.3 s', NODES, { delayMs: 300 }, { isHarmless: true, isLong: true }),
  network('a node that delays messages by up to 8 s', 1, { delayMs: 8_000 }),
  network('nodes that delay messages by up to 8 s', NODES, { delayMs: 8_000 }, { isLong: true }),
  network('a node whose connections are cut', 1, { cuts: 0.02 }),
  network('nodes whose connections are cut', NODES, { cuts: 0.02 }, { isLong: true }),
  network('a node that loses messages', 1, { losses: 0.01 }),
  network('nodes that lose messages', NODES, { losses: 0.01 }, { isLong: true }),
  network('a node that answers garbage', 1, { garbage: 0.02 }),
  network('nodes that answer garbage', NODES, { garbage: 0.02 }, { isLong: true }),
  network('a node that answers nothing but garbage', 1, { garbage: 1 }, { isLong: true }),
  network(
    'nodes that delay, lose, cut and replace messages',
    NODES,
    {
      delayMs: 100,
      losses: 0.003,
      cuts: 0.003,
      garbage: 0.003,
    },
    { isLong: true },
  ),
  network('a node that hangs', 1, { hangs: true }, { isReady: true }),
  network('all nodes hang', NODES, { hangs: true }, { isReady: false }),
  {
    title: 'a node whose process stands still',
    isLong: true,
    async begin({ nodes: [node] }) {
      const pid = node?.pid ?? 0;
      process.kill(pid, 'SIGSTOP');
      await Bun.sleep(STANDSTILL_MS);
      process.kill(pid, 'SIGCONT');
      return async () => {};
    },
  },
  {
    title: 'a node that is killed and comes back',
    isLong: true,
    isReady: true,
    async begin({ nodes: [node] }) {
      await node?.kill();
      return async () => node?.start();
    },
  },
  {
    title: 'all nodes gone and back',
    isLong: true,
    isReady: false,
    async begin({ nodes }) {
      await Promise.all(nodes.map((node) => node.kill()));
      return async () => {
        await Promise.all(nodes.map((node) => node.start()));
      };
    },
  },
];

/** Runs a fault while clients send requests, and then compares everything with the acknowledged data. */
export async function runClusterFault(
  faulted: FaultedCluster,
  { title, isHarmless, isReady, isNetwork, begin }: ClusterFault,
  { seed, faultMs, clients }: ClusterFaultOptions,
): Promise<ClusterFaultReport> {
  await faulted.startEnded();
  const before = faulted.counts();
  const load = new ClusterLoad(faulted.service, () => faulted.newNumber(), clients, seed);
  const wrong: string[] = [];
  /** Waits for more acknowledged changes. */
  const served = async (when: string) => {
    const goal = load.acknowledged + CALM_CHANGES;
    if (!(await until(async () => load.acknowledged >= goal))) wrong.push(`changes do not succeed ${when}`);
  };
  await served('before the fault');
  const failedBefore = load.failed;
  const disturbedBefore = faulted.disturbed();
  const end = await begin(faulted);
  const endMs = performance.now() + faultMs;
  if (isReady !== undefined && !(await faulted.becomes(isReady))) {
    wrong.push(`/health/ready does not say that the service is ${isReady ? 'ready' : 'not ready'}`);
  }
  if (isNetwork === true && !(await until(async () => faulted.disturbed() - disturbedBefore >= MIN_DISTURBED))) {
    wrong.push('hardly any message was disturbed');
  }
  while (performance.now() < endMs) {
    await Bun.sleep(CHECK_MS);
    if (isHarmless === true && !(await faulted.isReady()))
      wrong.push('/health/ready says that the service is not ready');
  }
  if (isReady === true) await served('during the fault');
  await end();
  const endedMs = performance.now();
  if (isHarmless === true && load.failed > failedBefore) wrong.push(`${load.failed - failedBefore} requests fail`);
  if (!(await faulted.becomes(true))) wrong.push('/health/ready says that the service is not ready after the fault');
  await served('after the fault');
  const recoveredMs = performance.now() - endedMs;
  await load.end();
  const failures = load.failed;
  await load.check();
  const { acknowledged, unknown, errors } = load;
  return {
    title,
    acknowledged,
    failed: failures,
    unknown,
    counts: combined(faulted.counts(), before, -1),
    recoveredMs,
    errors,
    wrong: [...wrong, ...load.wrong],
  };
}

const NO_COUNTS: ProxyCounts = { chunks: 0, delayed: 0, held: 0, cut: 0, lost: 0, replaced: 0 };

/** Adds counts, or subtracts them with a factor of -1. */
function combined(first: ProxyCounts, second: ProxyCounts, factor: 1 | -1): ProxyCounts {
  return {
    chunks: first.chunks + factor * second.chunks,
    delayed: first.delayed + factor * second.delayed,
    held: first.held + factor * second.held,
    cut: first.cut + factor * second.cut,
    lost: first.lost + factor * second.lost,
    replaced: first.replaced + factor * second.replaced,
  };
}

async function until(holds: () => Promise<boolean>): Promise<boolean> {
  const endMs = performance.now() + NOTICE_LIMIT_MS;
  while (performance.now() < endMs) {
    if (await holds()) return true;
    await Bun.sleep(CHECK_MS);
  }
  return false;
}

/** A change is acknowledged when both nodes have it. */
const SYNCED = 'ATOMICITY=TRANSACTIONAL,BACKUPS=1,WRITE_SYNCHRONIZATION_MODE=FULL_SYNC';

/** Two nodes behind proxies, and a service in front of them. */
export class FaultedCluster implements AsyncDisposable {
  readonly nodes: TestCluster['nodes'];
  readonly proxies: readonly NodeProxy[];
  readonly service: ServiceProcess;
  readonly #cluster: TestCluster;
  #lastNumber = 0;

  private constructor(cluster: TestCluster, proxies: readonly NodeProxy[], service: ServiceProcess) {
    this.nodes = cluster.nodes;
    this.proxies = proxies;
    this.service = service;
    this.#cluster = cluster;
  }

  static async start(seed: number): Promise<FaultedCluster> {
    const cluster = await startCluster(NODES, NODE_OPTIONS);
    const proxies: NodeProxy[] = [];
    try {
      for (const { index, port } of cluster.nodes) {
        const [at, target] = [
          { host: PROXY_HOST, port },
          { host: NODE_HOST, port },
        ];
        proxies.push(await NodeProxy.listen(at, target, new Random(seed * 101 + index)));
      }
      const service = await startService({
        env: { SVC_ENGINE: 'cluster', SVC_ENDPOINTS: cluster.endpoints.join(',') },
      });
      const faulted = new FaultedCluster(cluster, proxies, service);
      if (!(await faulted.becomes(true))) throw new Error('the service is not ready');
      for (const table of ['R (id INT PRIMARY KEY, note VARCHAR)', 'Entries (k INT PRIMARY KEY, v INT)']) {
        const qry = `CREATE TABLE ${table} WITH "CACHE_NAME=${table.slice(0, table.indexOf(' '))},${SYNCED}"`;
        const query = queryOf({ cmd: 'qryfldexe', pageSize: 1, qry });
        // On a busy machine the nodes are not active yet.
        if (!(await until(async () => (await service.send(query)).successStatus === 0))) await service.command(query);
      }
      return faulted;
    } catch (error) {
      for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Starts nodes that have ended because the machine was too busy for them. */
  async startEnded(): Promise<void> {
    for (const node of this.nodes) if (!node.isRunning) await node.start();
  }

  /** Returns a number for an object that clients create. */
  newNumber(): number {
    this.#lastNumber += 1;
    return this.#lastNumber;
  }

  /** Disturbs the connections to the first nodes, or to all of them. Returns a function that ends it. */
  async disturb(disturbance: Disturbance, nodes = NODES): Promise<() => Promise<void>> {
    const disturbed = this.proxies.slice(0, nodes);
    for (const proxy of disturbed) proxy.disturb(disturbance);
    return async () => {
      for (const proxy of disturbed) proxy.disturb();
    };
  }

  async isReady(): Promise<boolean> {
    const signal = AbortSignal.timeout(NOTICE_LIMIT_MS);
    return (await fetch(`${this.service.origin}/health/ready`, { signal })).ok;
  }

  /**
   * Waits until the service has reported for a while that it is ready, or is not; returns false if that takes too long.
   */
  async becomes(isReady: boolean): Promise<boolean> {
    let same = 0;
    return until(async () => {
      same = (await this.isReady()) === isReady ? same + 1 : 0;
      return same >= SAME_CHECKS;
    });
  }

  /** The activity of all nodes' proxies so far. */
  counts(): ProxyCounts {
    return this.proxies.reduce((total, { counts }) => combined(total, counts, 1), NO_COUNTS);
  }

  /** Number of messages that the proxies have disturbed so far. */
  disturbed(): number {
    const { delayed, held, cut, lost, replaced } = this.counts();
    return delayed + held + cut + lost + replaced;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service.kill();
    for (const proxy of this.proxies) await proxy[Symbol.asyncDispose]();
    await this.#cluster[Symbol.asyncDispose]();
  }
}
