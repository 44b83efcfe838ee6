/**
 * Manages the data connections to the nodes of a cluster, one per node, and sends calls over them. The pool discovers
 * nodes from the configured endpoints, and reconnects to a lost node with back-off. A call goes to its preferred node
 * if that is reachable, otherwise to any. Without a connection it waits for one, up to a limit.
 */
import { type Clock, randomBytes, sleep, type Timer } from '../../../base/clock.ts';
import type { Endpoint } from '../../../base/endpoints.ts';
import { GridError, gridError } from '../../../base/errors.ts';
import type { BinaryContext } from '../binary/context.ts';
import { CLUSTER, type NodeEndpoint } from '../operations/grid-operations.ts';
import type { Operation } from '../operations/operation.ts';
import { FEATURE } from '../protocol/features.ts';
import type { ErrorSubject } from '../protocol/status.ts';
import { type Connection, openConnection } from './connection.ts';
import { outsidersOf } from './membership.ts';
import { type CallDispatcher, type Dispatchable, PoolCall } from './pool-call.ts';
import type { ConnectionSettings } from './sockets.ts';

export interface PoolSettings extends ConnectionSettings {
  readonly endpoints: readonly Endpoint[];
  /** If false, all calls use the connection to the first reachable endpoint. */
  readonly partitionAwareness: boolean;
  /** Time limit of a call. */
  readonly requestTimeoutMs: number;
  /** How long a call waits for a node to come back. */
  readonly reconnectTimeoutMs: number;
}

/** A target of connections: a configured endpoint, or a node that the cluster has reported. */
interface NodeTarget {
  readonly addresses: readonly Endpoint[];
  /** Id of the node at these addresses; known initially for a discovered node. */
  nodeId: string | undefined;
  readonly isDiscovered: boolean;
  failures: number;
  nextAttemptMs: number;
  connecting: boolean;
  lastFailure: GridError | undefined;
}

/** Time between checks of the connections. */
const MAINTENANCE_INTERVAL_MS = 100;
/** Time between requests for the addresses of the nodes. */
const DISCOVERY_INTERVAL_MS = 10_000;
/** Connected nodes that are asked which nodes belong to their cluster. */
const ASKED_NODES = 16;
/** First back-off before a reconnection; it doubles with each failure. */
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 2_000;
/** Pause before a call is sent again. */
const RETRY_DELAY_MS = 50;
/** Time between checks whether all responses have arrived. */
const DRAIN_STEP_MS = 10;
/** Errors that a node may report when the state of the cluster is the cause. */
const VAGUE_CODES: ReadonlySet<string> = new Set(['CACHE_NOT_FOUND', 'OPERATION_FAILED']);

export class Pool implements CallDispatcher {
  readonly #settings: PoolSettings;
  readonly #clock: Clock;
  readonly #context: BinaryContext;
  readonly #targets: NodeTarget[];
  readonly #connections = new Map<string, Connection>();
  /** The same connections, as an array for round robin. */
  #open: Connection[] = [];
  #next = 0;
  #lastNodeId = '';
  #waiting: Dispatchable[] = [];
  #timer: Timer | undefined;
  #nextDiscoveryMs = 0;
  #discovering = false;
  /** Connected nodes that the last discovery found outside the cluster. */
  #suspects: ReadonlySet<string> = new Set();
  #closed = false;
  #wasConnected = false;
  #restoring = false;
  #closedReason = 'the engine has been closed';
  /** Called when partitions may have moved. */
  onTopologyChange: (() => void) | undefined;
  /** Called when the first node is reachable again after all had been lost. The cluster may have lost its metadata. */
  onReconnect: (() => Promise<void>) | undefined;

  constructor(settings: PoolSettings, context: BinaryContext) {
    this.#settings = settings;
    this.#clock = settings.clock;
    this.#context = context;
    this.#targets = settings.endpoints.map((endpoint) => newTarget([endpoint], undefined));
  }

  get context(): BinaryContext {
    return this.#context;
  }

  get settings(): PoolSettings {
    return this.#settings;
  }

  /** Connects to all endpoints. Rejects with CREDENTIALS_WRONG, or with CLUSTER_UNREACHABLE if none accepts. */
  async start(): Promise<void> {
    await Promise.all(this.#targets.map((target) => this.#connect(target)));
    if (this.#open.length === 0) {
      this.#closed = true;
      throw this.#targets.find((target) => target.lastFailure)?.lastFailure ?? this.#unreachable();
    }
    this.#timer = this.#clock.every(MAINTENANCE_INTERVAL_MS, () => this.#maintain());
  }

  /** Returns the open connection to a node. */
  connectionTo(nodeId: string): Connection | undefined {
    return this.#connections.get(nodeId);
  }

  /** Id of a connected node, or of the most recently connected one. */
  get lastNodeId(): string {
    return this.#open[0]?.nodeId ?? this.#lastNodeId;
  }

  /** Returns one open connection to each reachable node. */
  connections(): readonly Connection[] {
    return this.#open;
  }

  /**
   * Returns an open connection: round robin, or without partition awareness the one to the first reachable endpoint.
   */
  anyConnection(): Connection | undefined {
    const open = this.#open;
    if (!this.#settings.partitionAwareness) return this.#toFirstEndpoint() ?? open[0];
    if (open.length <= 1) return open[0];
    this.#next = (this.#next + 1) % open.length;
    return open[this.#next];
  }

  #toFirstEndpoint(): Connection | undefined {
    for (const { nodeId, isDiscovered } of this.#targets) {
      const connection = isDiscovered || nodeId === undefined ? undefined : this.#connections.get(nodeId);
      if (connection) return connection;
    }
    return undefined;
  }

  /** Opens another connection to a connected node, for cursors or tasks. Rejects with CLUSTER_UNREACHABLE. */
  async openFurther(): Promise<Connection> {
    return this.openAtNode(async (endpoint) => {
      const connection = await openConnection(endpoint, this.#settings);
      if (this.#connections.has(connection.nodeId)) return connection;
      connection.close('the node does not belong to the cluster');
      throw this.#unreachable();
    });
  }

  /** Calls `open` with the address of a connected node. Tries the nodes one after another. */
  async openAtNode<T>(open: (endpoint: Endpoint, nodeId: string) => Promise<T>): Promise<T> {
    const deadlineMs = this.#clock.monotonicMs() + this.#settings.reconnectTimeoutMs;
    let failure: unknown = this.#unreachable();
    do {
      for (let tries = Math.max(1, this.#open.length); tries > 0; tries--) {
        const base = this.anyConnection();
        if (!base) break;
        try {
          return await open(base.endpoint, base.nodeId);
        } catch (error) {
          failure = error;
          if (error instanceof GridError && error.code === 'CREDENTIALS_WRONG') throw error;
        }
      }
      await new Promise<void>((resolve) => this.#clock.after(FIRST_DELAY_MS, resolve));
    } while (!this.#closed && this.#clock.monotonicMs() < deadlineMs);
    throw failure;
  }

  /**
   * Sends an operation to the preferred node or any other, and returns its result. Without partition awareness, no
   * node is preferred. With a `subject`, a node's error becomes a declared one; otherwise the call rejects with
   * the NodeError.
   */
  call<A, R>(
    operation: Operation<A, R>,
    args: A,
    preferredNodeId?: string,
    subject?: ErrorSubject,
    timeoutMs = this.#settings.requestTimeoutMs,
  ): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      const now = this.#clock.monotonicMs();
      const preferred = this.#settings.partitionAwareness ? preferredNodeId : undefined;
      const call = new PoolCall(this, operation, args, preferred, subject, resolve, reject, now, now + timeoutMs);
      this.dispatch(call);
    });
  }

  /** Sends an operation over one connection only. A `timeoutMs` of Infinity means no limit. */
  callOver<A, R>(
    connection: Connection,
    operation: Operation<A, R>,
    args: A,
    subject?: ErrorSubject,
    timeoutMs = this.#settings.requestTimeoutMs,
  ): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      const now = this.#clock.monotonicMs();
      const call = new PoolCall(this, operation, args, undefined, subject, resolve, reject, now, now + timeoutMs);
      call.pinned = true;
      call.sendOver(connection);
    });
  }

  /** Returns an open connection. Waits for one up to the limit, and rejects with CLUSTER_UNREACHABLE. */
  acquire(): Promise<Connection> {
    return new Promise((resolve, reject) => {
      this.dispatch({
        preferredNodeId: undefined,
        restores: false,
        waitingSinceMs: 0,
        sendOver: resolve,
        fail: reject,
      });
    });
  }

  /**
   * Returns the error to report. The state of the cluster takes precedence, although nodes report other errors first.
   */
  async explain(error: unknown, isRead: boolean, cache: string): Promise<unknown> {
    if (!(error instanceof GridError) || !VAGUE_CODES.has(error.code)) return error;
    const state = await this.call(CLUSTER.state, undefined, undefined, {});
    if (state === 'INACTIVE') return gridError('INACTIVE');
    return state === 'ACTIVE_READ_ONLY' && !isRead ? gridError('READ_ONLY', 'cache operation', cache) : error;
  }

  /** Sends a call over a connection, or queues it until there is one. */
  dispatch(call: Dispatchable): void {
    const preferred = call.preferredNodeId === undefined ? undefined : this.#connections.get(call.preferredNodeId);
    const connection = preferred ?? this.anyConnection();
    if (connection && (!this.#restoring || call.restores)) call.sendOver(connection);
    else if (this.#closed) call.fail(gridError('CLUSTER_UNREACHABLE', this.#closedReason));
    else this.#wait(call);
  }

  #wait(call: Dispatchable): void {
    call.waitingSinceMs = this.#clock.monotonicMs();
    this.#waiting.push(call);
  }

  /** Dispatches a call again after a short delay. */
  dispatchLater(call: Dispatchable): void {
    this.#clock.after(RETRY_DELAY_MS, () => this.dispatch(call));
  }

  nowMs(): number {
    return this.#clock.monotonicMs();
  }

  /** Waits for the responses to sent requests, up to a limit. */
  async drain(limitMs: number): Promise<void> {
    const deadlineMs = this.#clock.monotonicMs() + limitMs;
    while (this.#open.some((each) => each.pendingCount > 0) && this.#clock.monotonicMs() < deadlineMs) {
      await sleep(this.#clock, DRAIN_STEP_MS);
    }
  }

  close(reason = this.#closedReason): void {
    this.#closed = true;
    this.#closedReason = reason;
    this.#timer?.cancel();
    for (const connection of [...this.#open]) connection.close(reason);
    for (const call of this.#waiting.splice(0)) call.fail(gridError('CLUSTER_UNREACHABLE', reason));
  }

  #maintain(): void {
    const now = this.#clock.monotonicMs();
    for (const target of this.#targets) {
      if (target.connecting || now < target.nextAttemptMs) continue;
      if (target.nodeId !== undefined && this.#connections.has(target.nodeId)) continue;
      void this.#connect(target);
    }
    if (this.#waiting.length > 0 && (this.#open.length === 0 || this.#restoring)) {
      const expired = this.#waiting.filter((call) => now - call.waitingSinceMs >= this.#settings.reconnectTimeoutMs);
      if (expired.length > 0) {
        this.#waiting = this.#waiting.filter((call) => now - call.waitingSinceMs < this.#settings.reconnectTimeoutMs);
        for (const call of expired) call.fail(this.#unreachable());
      }
    }
    if (now >= this.#nextDiscoveryMs && this.#open.length > 0) void this.#discover();
  }

  async #connect(target: NodeTarget): Promise<void> {
    target.connecting = true;
    try {
      await this.#tryAddresses(target);
      target.failures = 0;
      target.nextAttemptMs = 0;
      target.lastFailure = undefined;
    } catch (error) {
      target.lastFailure = error instanceof GridError ? error : gridError('CLUSTER_UNREACHABLE', String(error));
      const delay = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(target.failures, 10));
      // Jitter keeps several services from reconnecting at the same time.
      const jitter = 0.75 + (randomBytes(1)[0] ?? 0) / 512;
      target.nextAttemptMs = this.#clock.monotonicMs() + delay * jitter;
      target.failures++;
    } finally {
      target.connecting = false;
    }
  }

  async #tryAddresses(target: NodeTarget): Promise<void> {
    let failure: unknown = this.#unreachable();
    for (const address of target.addresses) {
      let connection: Connection;
      try {
        connection = await openConnection(address, this.#settings);
      } catch (error) {
        failure = error;
        continue;
      }
      if (this.#closed) {
        connection.close('the engine has been closed');
        return;
      }
      // A reported address may be another machine's loopback, where a different node listens.
      if (target.isDiscovered && target.nodeId !== connection.nodeId) {
        connection.close('another node listens here');
        failure = gridError('CLUSTER_UNREACHABLE', `${address.host}:${address.port}: another node listens here`);
        continue;
      }
      if (this.#open.length > 0 && !(await this.#admits(connection))) {
        connection.close('the node does not belong to the cluster');
        failure = gridError(
          'CLUSTER_UNREACHABLE',
          `${address.host}:${address.port}: the other nodes have excluded this node`,
        );
        continue;
      }
      target.nodeId = connection.nodeId;
      if (this.#connections.has(connection.nodeId)) connection.close('this node is connected already');
      else this.#adopt(connection);
      return;
    }
    throw failure;
  }

  /**
   * Returns whether a node belongs to the connected nodes' cluster. A node that was suspended for so long that the
   * others have excluded it keeps responding for a while, with its old data, as a separate cluster.
   */
  async #admits(connection: Connection): Promise<boolean> {
    const views = await this.#askMembers([...this.#open.slice(0, ASKED_NODES), connection]);
    const outsiders = outsidersOf(idsOf(views), [...this.#connections.keys(), connection.nodeId]);
    if (outsiders.has(connection.nodeId)) return false;
    this.#closeOutsiders(outsiders);
    return !this.#closed && connection.isOpen;
  }

  /** Returns the nodes that each responding node has in its cluster. */
  async #askMembers(connections: readonly Connection[]): Promise<Map<string, readonly NodeEndpoint[]>> {
    const limitMs = this.#settings.heartbeatIntervalMs;
    const answers = await Promise.all(
      connections.map(async (each) => {
        if (!each.features.has(FEATURE.NODE_ENDPOINTS)) return undefined;
        const members = this.callOver(each, CLUSTER.endpoints, undefined, undefined, limitMs);
        // The connection was lost or the cluster is busy.
        return members.catch(() => undefined);
      }),
    );
    const views = new Map<string, readonly NodeEndpoint[]>();
    connections.forEach(({ nodeId }, index) => {
      const members = answers[index];
      if (members !== undefined) views.set(nodeId, members);
    });
    return views;
  }

  #closeOutsiders(nodeIds: Iterable<string>): void {
    for (const id of nodeIds) this.#connections.get(id)?.close('the other nodes have excluded this node');
  }

  #adopt(connection: Connection): void {
    this.#connections.set(connection.nodeId, connection);
    this.#lastNodeId = connection.nodeId;
    this.#open = [...this.#connections.values()];
    connection.onTopologyChange = () => {
      this.#nextDiscoveryMs = 0;
      this.onTopologyChange?.();
    };
    connection.onClose = () => {
      if (this.#connections.get(connection.nodeId) !== connection) return;
      this.#connections.delete(connection.nodeId);
      this.#open = [...this.#connections.values()];
      this.onTopologyChange?.();
    };
    if (this.#wasConnected && this.#open.length === 1 && this.onReconnect) void this.#restore(this.onReconnect);
    else this.#dispatchWaiting();
    this.#wasConnected = true;
  }

  #dispatchWaiting(): void {
    if (this.#restoring) return;
    for (const call of this.#waiting.splice(0)) this.dispatch(call);
  }

  /** Queues other calls until the cluster has its metadata again. */
  async #restore(onReconnect: () => Promise<void>): Promise<void> {
    this.#restoring = true;
    try {
      await onReconnect();
    } catch {
      // The node was lost again, or the cluster is inactive. The next call reports it.
    } finally {
      this.#restoring = false;
      this.#dispatchWaiting();
    }
  }

  /**
   * Fetches the addresses of the nodes. Nodes that are no longer reported are removed. Closes the connections to those
   * that are outside the cluster twice in a row: a node that has just joined is not known everywhere immediately.
   */
  async #discover(): Promise<void> {
    if (this.#discovering) return;
    this.#nextDiscoveryMs = this.#clock.monotonicMs() + DISCOVERY_INTERVAL_MS;
    this.#discovering = true;
    try {
      const views = await this.#askMembers(this.#open.slice(0, ASKED_NODES));
      const outsiders = outsidersOf(idsOf(views), this.#connections.keys());
      this.#closeOutsiders([...outsiders].filter((id) => this.#suspects.has(id)));
      this.#suspects = outsiders;
      if (outsiders.size > 0) this.#nextDiscoveryMs = 0;
      const discovered = [...views].find(([id]) => !outsiders.has(id))?.[1];
      if (discovered !== undefined) this.#retarget(discovered);
    } finally {
      this.#discovering = false;
    }
  }

  /** Adds the reported nodes as targets, besides the configured endpoints. */
  #retarget(discovered: readonly NodeEndpoint[]): void {
    const kept = this.#targets.filter(
      (target) => !target.isDiscovered || discovered.some((node) => node.id === target.nodeId),
    );
    for (const node of discovered) {
      if (kept.some((target) => target.nodeId === node.id)) continue;
      const addresses = node.addresses.map((host) => ({ host, port: node.port }));
      kept.push(newTarget(addresses, node.id));
    }
    this.#targets.splice(0, this.#targets.length, ...kept);
  }

  #unreachable(): GridError {
    const reasons = this.#targets.map((target) => target.lastFailure?.message).filter((reason) => reason !== undefined);
    const known = this.#settings.endpoints.map(({ host, port }) => `${host}:${port}`).join(', ');
    const last = reasons.at(-1)?.replace(/^No node of the cluster can be reached: /, '');
    return gridError('CLUSTER_UNREACHABLE', last ?? `none of ${known} responds`);
  }
}

/** Returns the ids of the nodes that each node reports. */
function idsOf(views: ReadonlyMap<string, readonly NodeEndpoint[]>): Map<string, ReadonlySet<string>> {
  return new Map([...views].map(([id, members]) => [id, new Set(members.map((each) => each.id))]));
}

function newTarget(addresses: readonly Endpoint[], nodeId: string | undefined): NodeTarget {
  return {
    addresses,
    nodeId,
    isDiscovered: nodeId !== undefined,
    failures: 0,
    nextAttemptMs: 0,
    connecting: false,
    lastFailure: undefined,
  };
}
