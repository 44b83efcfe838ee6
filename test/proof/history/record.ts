/**
 * Records what clients of a running service see: for each operation on a key, the times of its call and its return, and
 * its result. The lines are those that `checker/main.go` reads. The service has the embedded engine and is killed, or
 * is in front of three nodes of a cluster, which are killed and paused.
 */
import { rmSync } from 'node:fs';
import { startCluster, type TestCluster, type TestNode } from '../../cluster/ignite-node.ts';
import { freePort } from '../../free-port.ts';
import { Random } from '../../simulation/random.ts';
import { type HttpConnection, openConnection } from '../../system/http-connection.ts';
import { newFolder, type ServiceProcess, startService } from '../../system/service-process.ts';
import { BUSY } from '../busy.ts';
import type { FeedRecord } from './feed-check.ts';
import { FeedConsumer } from './feed-consumer.ts';
import { KEYS_PER_KIND, type KeyOperation, nextRequest, type Request, readsOf } from './operations.ts';

export interface HistoryOptions {
  readonly seed: number;
  /** Minimum number of recorded operations on a key. */
  readonly operations: number;
  readonly clients: number;
  /** HTTP threads. */
  readonly workers: number;
  /** Number of times that the service is killed and restarted. */
  readonly kills: number;
  /** File that the history is written to. */
  readonly path: string;
  /** File to which the changes are written as a consumer of the feed receives them. Absent if the feed is off. */
  readonly feedPath?: string;
}

/** A run in front of a cluster. */
export type ClusterHistoryOptions = Omit<HistoryOptions, 'kills' | 'workers' | 'feedPath'> & {
  /** After this many seconds the run ends, whether or not all operations are recorded. */
  readonly maxSeconds: number;
  /** Minimum number of kills and pauses of nodes; the run ends earlier only if the time is up. */
  readonly minFaults: number;
  /** Time between faults. */
  readonly faultIntervalMs: number;
  readonly onFault?: (line: string) => void;
};

export interface ClusterHistoryResult extends HistoryResult {
  /** Nodes that were killed and started again, and that were paused. */
  readonly nodeKills: number;
  readonly nodePauses: number;
  /** Nodes that ended by themselves and were started again. */
  readonly nodeEnds: number;
}

export interface HistoryResult {
  readonly operations: number;
  /** Operations that were not answered because of a kill. */
  readonly unanswered: number;
  /** Requests that were rejected because the machine was too slow for them; they have no effect. */
  readonly busy: number;
  /** Requests with an idempotency key that were sent again, after a kill or at once. */
  readonly sentAgain: number;
  readonly seconds: number;
  readonly feed?: FeedRecord;
}

/** The fraction of requests with an idempotency key, and of these that are sent again at once. */
const KEYED = 0.3;
const SENT_AGAIN = 0.1;

/** An error that is the answer of an operation. */
const ANSWER = /already in cache/;

/** A request with an idempotency key that a kill has left without an answer. */
interface Unanswered {
  readonly request: Request;
  readonly idempotencyKey: string;
  /** When it was first sent. */
  readonly call: number;
}

/** Operations on each key before new keys take over: the search for one key stays short. */
const OPERATIONS_PER_KEY = 250;
const KINDS = 3;

export async function recordHistory(options: HistoryOptions): Promise<HistoryResult> {
  const dataDir = newFolder();
  try {
    return await new Recording(options, dataDir).run();
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

export async function recordClusterHistory(options: ClusterHistoryOptions): Promise<ClusterHistoryResult> {
  const dataDir = newFolder();
  try {
    return await new Recording({ ...options, kills: 0, workers: 1 }, dataDir, true).runCluster(options);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** How long nodes stand still: the cluster waits for them, or excludes them, which ends them. */
const NODE_PAUSES_MS = [500, 2_000, 14_000] as const;
/** How long a killed node stays down. */
const NODE_AWAY_MS = 3_000;
const READY_LIMIT_MS = 60_000;
const LAST_REQUESTS_MS = 20_000;
/** Pause of a client after an error: while no node answers, there would be countless errors. */
const ERROR_PAUSE_MS = 200;
/** Changes of unknown effect on the keys of a set, after which new keys take over: each doubles the search. */
const MAX_UNKNOWN = 8;
/** Nodes of a test run for a short time: they must not spend it compiling. */
const NODE_OPTIONS = {
  backups: 2,
  primaryReads: true,
  // On a busy machine a node is silent for seconds; the longest pause exceeds this.
  java: ['-XX:TieredStopAtLevel=1', '-Dnode.failureDetection=8000'],
} as const;
/** Starts of a node; on a busy machine one may take too long for the other nodes. */
const NODE_STARTS = 3;

class Recording {
  readonly #options: HistoryOptions;
  readonly #dataDir: string;
  readonly #port = freePort();
  readonly #file: Bun.FileSink;
  readonly #seen = new Map<string, string>();
  #recorded = 0;
  #unanswered = 0;
  #busy = 0;
  #sentAgain = 0;
  /** By client. */
  readonly #retries = new Map<number, Unanswered>();
  #sent = 0;
  #epoch = 1;
  #leftInEpoch = KINDS * KEYS_PER_KIND * OPERATIONS_PER_KEY;

  readonly #inCluster: boolean;
  #unknownInEpoch = 0;
  #ends = false;

  constructor(options: HistoryOptions, dataDir: string, inCluster = false) {
    this.#inCluster = inCluster;
    this.#options = options;
    this.#dataDir = dataDir;
    // The writer does not truncate the file of a longer earlier run.
    rmSync(options.path, { force: true });
    this.#file = Bun.file(options.path).writer({ highWaterMark: 1 << 20 });
  }

  async run(): Promise<HistoryResult> {
    const { clients, kills, operations, feedPath, seed } = this.#options;
    const begunMs = performance.now();
    const consumer = feedPath === undefined ? undefined : new FeedConsumer(feedPath, new Random(seed + 1));
    let feed: FeedRecord | undefined;
    let service = await this.#start();
    try {
      const isRecorded = consumer !== undefined;
      const qry = `CREATE TABLE R (k INT PRIMARY KEY, v VARCHAR)
        WITH "CACHE_NAME=r,WRAP_VALUE=false,CHANGE_FEED=${isRecorded}"`;
      await service.command(`cmd=qryfldexe&pageSize=1&qry=${encodeURIComponent(qry)}`);
      await service.command(`cmd=changefeed&cacheName=default&enabled=${isRecorded}`);
      const following = consumer?.follow(service);
      for (let part = 1; part <= kills + 1; part++) {
        const goal = (operations * part) / (kills + 1);
        const isLast = part > kills;
        const load = Promise.all(Array.from({ length: clients }, (_, client) => this.#client(client, goal, isLast)));
        if (isLast) {
          await load;
          if (following !== undefined) feed = await consumer?.finish(service, following);
          break;
        }
        while (this.#recorded < goal) await Bun.sleep(5);
        await service.kill();
        await load;
        service = await this.#start();
      }
    } finally {
      await service.kill();
      await this.#file.end();
    }
    return { ...this.#result(begunMs), ...(feed !== undefined && { feed }) };
  }

  #result(begunMs: number): HistoryResult {
    const seconds = (performance.now() - begunMs) / 1000;
    return {
      operations: this.#recorded,
      unanswered: this.#unanswered,
      busy: this.#busy,
      sentAgain: this.#sentAgain,
      seconds,
    };
  }

  /** Runs clients in front of three nodes of a cluster, which are killed and paused one at a time. */
  async runCluster(options: ClusterHistoryOptions): Promise<ClusterHistoryResult> {
    const { clients, operations, seed, maxSeconds, minFaults, faultIntervalMs, onFault } = options;
    const begunMs = performance.now();
    const random = new Random(seed);
    const faults = { nodeKills: 0, nodePauses: 0, nodeEnds: 0 };
    await using cluster = await startCluster(3, NODE_OPTIONS);
    const service = await this.#startInFrontOf(cluster);
    try {
      const load = Promise.all(Array.from({ length: clients }, (_, client) => this.#client(client, Infinity, true)));
      const startMs = performance.now();
      const faultCount = () => faults.nodeKills + faults.nodePauses;
      const isOver = () => (performance.now() - startMs) / 1_000 >= maxSeconds;
      for (let epoch = this.#epoch; (this.#recorded < operations || faultCount() < minFaults) && !isOver(); ) {
        await Bun.sleep(faultIntervalMs);
        const node = cluster.nodes[random.below(cluster.nodes.length)];
        if (node === undefined) continue;
        // A node that was silent for too long on a busy machine has ended. Counters survive the loss of only one node.
        const ended = cluster.nodes.filter((each) => !each.isRunning);
        for (const each of ended) await startNode(each);
        faults.nodeEnds += ended.length;
        if (ended.length > 0) continue;
        const kind = faults.nodeKills <= faults.nodePauses ? 'nodeKills' : 'nodePauses';
        onFault?.(`${this.#recorded} operations; members ${cluster.nodes.map(membersOf)}; ${kind} of ${node.name}`);
        await (kind === 'nodeKills' ? killNode(node) : pauseNode(node, random.pick(NODE_PAUSES_MS)));
        faults[kind] += 1;
        epoch = await this.#readAgain(epoch);
      }
      this.#ends = true;
      // A node that stands still keeps requests waiting; those that are left then have no answer.
      await Promise.race([load, Bun.sleep(LAST_REQUESTS_MS)]);
      await service.kill();
      await load;
    } finally {
      await service.kill();
      await this.#file.end();
    }
    return { ...this.#result(begunMs), ...faults };
  }

  /** Creates the table and the cache, and starts a service that uses them. */
  async #startInFrontOf(cluster: TestCluster): Promise<ServiceProcess> {
    const env = { SVC_ENGINE: 'cluster', SVC_ENDPOINTS: cluster.endpoints.join(',') };
    const first = await startService({ dataDir: this.#dataDir, port: this.#port, env });
    try {
      await untilReady(first);
      for (const qry of [
        'CREATE TABLE R (k INT PRIMARY KEY, v VARCHAR) WITH "CACHE_NAME=r,WRAP_VALUE=false,TEMPLATE=primary"',
        'CREATE TABLE Entries (k INT PRIMARY KEY, v INT) WITH "CACHE_NAME=entries,TEMPLATE=primary"',
      ]) {
        await first.command(`cmd=qryfldexe&pageSize=1&qry=${encodeURIComponent(qry)}`);
      }
    } finally {
      await first.stop();
    }
    const own = { ...env, SVC_DEFAULT_CACHE: 'entries' };
    const service = await startService({ dataDir: this.#dataDir, port: this.#port, env: own });
    await untilReady(service);
    return service;
  }

  /** Reads every key of the sets from `first` on, after a fault: acknowledged changes must be there. */
  async #readAgain(first: number): Promise<number> {
    const client = this.#options.clients;
    const last = this.#epoch;
    const connection = await openConnection(this.#port);
    const endMs = performance.now() + READY_LIMIT_MS;
    try {
      for (let epoch = first; epoch <= last; epoch++) {
        for (const request of readsOf(epoch)) await this.#readUntilAnswered(connection, request, client, endMs);
      }
    } finally {
      connection.close();
    }
    return last;
  }

  async #readUntilAnswered(connection: HttpConnection, request: Request, client: number, endMs: number): Promise<void> {
    const query = new URLSearchParams(request.params).toString();
    while (performance.now() < endMs) {
      const call = Bun.nanoseconds();
      const reply = await connection.sendCommand(query);
      if (reply.successStatus === 0) {
        this.#record(request, client, call, Bun.nanoseconds(), request.results(reply));
        return;
      }
      await Bun.sleep(ERROR_PAUSE_MS);
    }
  }

  #start(): Promise<ServiceProcess> {
    const env = { SVC_WORKERS: String(this.#options.workers) };
    return startService({ dataDir: this.#dataDir, port: this.#port, env });
  }

  /** Sends requests until the goal is reached (`stops`) or the connection ends. */
  async #client(client: number, goal: number, stops: boolean): Promise<void> {
    const random = new Random(this.#options.seed * 7919 + this.#sent + client);
    const connection = await openConnection(this.#port);
    try {
      while ((!stops || this.#recorded < goal) && !this.#ends) {
        const retry = this.#retries.get(client);
        const request = retry?.request ?? this.#next(random);
        const isKeyed = request.keys.some(({ operation }) => operation !== 'read') && random.fraction() < KEYED;
        const idempotencyKey =
          retry?.idempotencyKey ?? (isKeyed && !this.#inCluster ? `history-${this.#sent}` : undefined);
        const query = new URLSearchParams(request.params).toString();
        const headers = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
        // A request that is sent again is one operation, from the first call on.
        const call = retry?.call ?? Bun.nanoseconds();
        const reply = await connection.sendCommand(query, headers).catch(() => undefined);
        const end = Bun.nanoseconds();
        if (reply === undefined) {
          if (stops && !this.#ends) throw new Error('the service closed a connection');
          if (idempotencyKey === undefined) this.#recordUnanswered(request, client, call);
          else this.#retries.set(client, { request, idempotencyKey, call });
          return;
        }
        if (BUSY.test(reply.error ?? '')) {
          this.#busy += 1;
          continue;
        }
        if (this.#inCluster && reply.successStatus !== 0 && !ANSWER.test(reply.error ?? '')) {
          // A node has ended or is suspended: the change may have happened, or may still happen.
          this.#recordUnanswered(request, client, call);
          await Bun.sleep(ERROR_PAUSE_MS);
          continue;
        }
        if (this.#retries.delete(client)) this.#sentAgain += 1;
        const results = request.results(reply);
        this.#record(request, client, call, end, results);
        if (idempotencyKey === undefined || reply.successStatus !== 0 || random.fraction() >= SENT_AGAIN) continue;
        const again = await connection.sendCommand(query, headers).catch(() => undefined);
        if (again === undefined) {
          if (stops) throw new Error('the service closed a connection');
          return;
        }
        this.#sentAgain += 1;
        if (!again.replayed || request.results(again).join() !== results.join()) {
          throw new Error(`${query} was answered otherwise when it was sent again: ${JSON.stringify(again)}`);
        }
      }
    } finally {
      connection.close();
    }
  }

  #next(random: Random): Request {
    this.#sent += 1;
    const request = nextRequest({
      random,
      byKey: this.#inCluster,
      epoch: this.#epoch,
      fresh: this.#sent.toString(36),
      seen: (key) => this.#seen.get(key) ?? '?',
    });
    this.#leftInEpoch -= request.keys.length;
    if (this.#leftInEpoch <= 0 || this.#unknownInEpoch > MAX_UNKNOWN) {
      this.#epoch += 1;
      this.#unknownInEpoch = 0;
      this.#leftInEpoch = KINDS * KEYS_PER_KIND * OPERATIONS_PER_KEY;
      this.#seen.clear();
    }
    return request;
  }

  #record(request: Request, client: number, call: number, end: number, results: ReadonlyArray<string | null>): void {
    request.keys.forEach((key, index) => {
      this.#write(key, client, call, end, results[index] ?? null);
    });
  }

  /** A change without an answer may or may not have happened; a read without one has no effect. */
  #recordUnanswered(request: Request, client: number, call: number): void {
    for (const key of request.keys) {
      if (key.operation === 'read') continue;
      this.#unanswered += 1;
      this.#unknownInEpoch += 1;
      this.#write(key, client, call, -1, null);
    }
  }

  #write(of: KeyOperation, client: number, call: number, end: number, result: string | null): void {
    const { key, operation, argument = null, expected = null } = of;
    this.#recorded += 1;
    if (operation === 'read' && result !== null) this.#seen.set(key, result);
    else if (argument !== null) this.#seen.set(key, argument);
    const texts = [argument, expected, result].map((text) => JSON.stringify(text));
    this.#file.write(`${[key, client, call, end, operation, ...texts].join('\t')}\n`);
  }
}

/** Waits until the service has found the cluster. */
async function untilReady({ origin }: ServiceProcess): Promise<void> {
  const endMs = performance.now() + READY_LIMIT_MS;
  while (!(await fetch(`${origin}/health/ready`)).ok) {
    if (performance.now() > endMs) throw new Error(`the service is not ready after ${READY_LIMIT_MS} ms`);
    await Bun.sleep(100);
  }
}

async function killNode(node: TestNode): Promise<void> {
  await node.kill();
  await Bun.sleep(NODE_AWAY_MS);
  await startNode(node);
}

/** Starts a node that has ended, again if that fails. */
async function startNode(node: TestNode): Promise<void> {
  for (let left = NODE_STARTS; ; left--) {
    await node.kill();
    try {
      await node.start();
      return;
    } catch (error) {
      if (left === 1) throw error;
    }
  }
}

/** Stops a node's threads for a while. A node that the cluster has excluded meanwhile ends, and is started again. */
async function pauseNode(node: TestNode, pauseMs: number): Promise<void> {
  const { pid } = node;
  process.kill(pid, 'SIGSTOP');
  await Bun.sleep(pauseMs);
  process.kill(pid, 'SIGCONT');
  await Bun.sleep(NODE_AWAY_MS);
  if (!node.isRunning) await startNode(node);
}

/** Number of nodes in a node's cluster, according to its latest output. */
function membersOf(node: TestNode): number {
  return Number([...node.output().matchAll(/Topology snapshot \[.*?servers=(\d+)/g)].at(-1)?.[1]);
}
