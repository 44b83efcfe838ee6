/**
 * Connections to the nodes of one cluster, one per node for data, and the calls over them. Nodes are found from the
 * configured endpoints; a node that went is tried again with back-off. A call goes to the node it prefers where that
 * can be reached, else to any; it waits for a reconnection up to a limit.
 */
import { type Clock, randomBytes, sleep, type Timer } from '../../../base/clock.ts';
import { fail, GridError } from '../../../base/errors.ts';
import type { BinaryContext } from '../binary/context.ts';
import { CLUSTER } from '../operations/grid-operations.ts';
import type { Operation } from '../operations/operation.ts';
import { FEATURE } from '../protocol/features.ts';
import type { ErrorSubject } from '../protocol/status.ts';
import { type Connection, openConnection } from './connection.ts';
import { type CallDispatcher, type Dispatchable, PoolCall } from './pool-call.ts';
import type { ConnectionSettings, Endpoint } from './sockets.ts';

export interface PoolSettings extends ConnectionSettings {
  readonly endpoints: readonly Endpoint[];
  /** A call without an answer is given up after this. */
  readonly requestTimeoutMs: number;
  /** A call waits this long for a node to come back. */
  readonly reconnectTimeoutMs: number;
}

/** A place to connect to: a configured endpoint, or a node that the cluster told of. */
interface Place {
  readonly addresses: readonly Endpoint[];
  /** The node that was met here; a told node is known before. */
  nodeId: string | undefined;
  readonly told: boolean;
  failures: number;
  nextAttemptMs: number;
  connecting: boolean;
  lastFailure: GridError | undefined;
}

const MAINTENANCE_INTERVAL_MS = 100;
const DISCOVERY_INTERVAL_MS = 10_000;
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 2_000;
const RETRY_DELAY_MS = 50;
const DRAIN_STEP_MS = 10;
/** Errors behind which a state of the cluster can stand. */
const VAGUE_CODES: ReadonlySet<string> = new Set(['CACHE_NOT_FOUND', 'OPERATION_FAILED']);

export class Pool implements CallDispatcher {
  readonly #settings: PoolSettings;
  readonly #clock: Clock;
  readonly #context: BinaryContext;
  readonly #places: Place[];
  readonly #connections = new Map<string, Connection>();
  /** The same connections, for turns. */
  #open: Connection[] = [];
  #next = 0;
  #lastNodeId = '';
  #waiting: Dispatchable[] = [];
  #timer: Timer | undefined;
  #nextDiscoveryMs = 0;
  #discovering = false;
  #closed = false;
  #wasConnected = false;
  #restoring = false;
  /** Called when partitions may have moved. */
  onTopologyChange: (() => void) | undefined;
  /** Called when no node was there and one is again: perhaps of a cluster that knows nothing any more. */
  onReturn: (() => Promise<void>) | undefined;

  constructor(settings: PoolSettings, context: BinaryContext) {
    this.#settings = settings;
    this.#clock = settings.clock;
    this.#context = context;
    this.#places = settings.endpoints.map((endpoint) => newPlace([endpoint], undefined));
  }

  get context(): BinaryContext {
    return this.#context;
  }

  get settings(): PoolSettings {
    return this.#settings;
  }

  /** Connects to the first node that answers. Refuses CREDENTIALS_WRONG, CLUSTER_UNREACHABLE. */
  async start(): Promise<void> {
    await Promise.all(this.#places.map((place) => this.#connect(place)));
    if (this.#open.length === 0) {
      this.#closed = true;
      throw this.#places.find((place) => place.lastFailure)?.lastFailure ?? this.#unreachable();
    }
    this.#timer = this.#clock.every(MAINTENANCE_INTERVAL_MS, () => this.#maintain());
  }

  /** The open connection to a node. */
  connectionTo(nodeId: string): Connection | undefined {
    return this.#connections.get(nodeId);
  }

  /** Id of a node that answers, or answered last. */
  get lastNodeId(): string {
    return this.#open[0]?.nodeId ?? this.#lastNodeId;
  }

  /** One open connection to each node that can be reached. */
  connections(): readonly Connection[] {
    return this.#open;
  }

  /** Any open connection, in turn. */
  anyConnection(): Connection | undefined {
    const open = this.#open;
    if (open.length <= 1) return open[0];
    this.#next = (this.#next + 1) % open.length;
    return open[this.#next];
  }

  /**
   * Opens a connection of its own to a node that is connected, for cursors or tasks; another node where that one fails.
   * Refuses CLUSTER_UNREACHABLE.
   */
  async openApart(): Promise<Connection> {
    return this.apart((endpoint) => openConnection(endpoint, this.#settings));
  }

  /** Opens a further connection to a connected node. Tries the nodes one after another. */
  async apart<T>(open: (endpoint: Endpoint, nodeId: string) => Promise<T>): Promise<T> {
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
   * Sends an operation to the preferred node or any other, and gives its answer. A refusal becomes an error of the
   * catalogue where `subject` says what was asked; else it is the node's own.
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
      const call = new PoolCall(this, operation, args, preferredNodeId, subject, resolve, reject, now, now + timeoutMs);
      this.dispatch(call);
    });
  }

  /** Sends an operation over a given connection; nothing is tried elsewhere. Infinity: without a limit of time. */
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

  /** Any open connection; waits for a reconnection up to the limit. Refuses CLUSTER_UNREACHABLE. */
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

  /** The error to be told: the state of the cluster is the first reason to refuse, but nodes name others before it. */
  async explain(error: unknown, isRead: boolean, cache: string): Promise<unknown> {
    if (!(error instanceof GridError) || !VAGUE_CODES.has(error.code)) return error;
    const state = await this.call(CLUSTER.state, undefined, undefined, {});
    if (state === 'INACTIVE') return fail('INACTIVE');
    return state === 'ACTIVE_READ_ONLY' && !isRead ? fail('READ_ONLY', 'cache operation', cache) : error;
  }

  /** Gives a call to a connection, or lets it wait for one. */
  dispatch(call: Dispatchable): void {
    const preferred = call.preferredNodeId === undefined ? undefined : this.#connections.get(call.preferredNodeId);
    const connection = preferred ?? this.anyConnection();
    if (connection && (!this.#restoring || call.restores)) call.sendOver(connection);
    else if (this.#closed) call.fail(fail('CLUSTER_UNREACHABLE', 'the engine has been closed'));
    else this.#wait(call);
  }

  #wait(call: Dispatchable): void {
    call.waitingSinceMs = this.#clock.monotonicMs();
    this.#waiting.push(call);
  }

  /** Gives a call its next try after a moment. */
  dispatchLater(call: Dispatchable): void {
    this.#clock.after(RETRY_DELAY_MS, () => this.dispatch(call));
  }

  nowMs(): number {
    return this.#clock.monotonicMs();
  }

  /** Waits for the answers to what has been sent, up to a limit. */
  async drain(limitMs: number): Promise<void> {
    const deadlineMs = this.#clock.monotonicMs() + limitMs;
    while (this.#open.some((each) => each.pendingCount > 0) && this.#clock.monotonicMs() < deadlineMs) {
      await sleep(this.#clock, DRAIN_STEP_MS);
    }
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    for (const connection of [...this.#open]) connection.close('the engine has been closed');
    for (const call of this.#waiting.splice(0)) call.fail(fail('CLUSTER_UNREACHABLE', 'the engine has been closed'));
  }

  #maintain(): void {
    const now = this.#clock.monotonicMs();
    for (const place of this.#places) {
      if (place.connecting || now < place.nextAttemptMs) continue;
      if (place.nodeId !== undefined && this.#connections.has(place.nodeId)) continue;
      void this.#connect(place);
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

  async #connect(place: Place): Promise<void> {
    place.connecting = true;
    try {
      await this.#tryAddresses(place);
      place.failures = 0;
      place.nextAttemptMs = 0;
      place.lastFailure = undefined;
    } catch (error) {
      place.lastFailure = error instanceof GridError ? error : fail('CLUSTER_UNREACHABLE', String(error));
      const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(place.failures, 10));
      // A little chance keeps several services from knocking in step.
      const spread = 0.75 + (randomBytes(1)[0] ?? 0) / 512;
      place.nextAttemptMs = this.#clock.monotonicMs() + delay * spread;
      place.failures++;
    } finally {
      place.connecting = false;
    }
  }

  async #tryAddresses(place: Place): Promise<void> {
    let failure: unknown = this.#unreachable();
    for (const address of place.addresses) {
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
      // A told address may be another machine's loopback: then some other node answers.
      if (place.told && place.nodeId !== connection.nodeId) {
        connection.close('another node answers here');
        failure = fail('CLUSTER_UNREACHABLE', `${address.host}:${address.port}: another node answers here`);
        continue;
      }
      place.nodeId = connection.nodeId;
      if (this.#connections.has(connection.nodeId)) connection.close('this node is connected already');
      else this.#adopt(connection);
      return;
    }
    throw failure;
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
    if (this.#wasConnected && this.#open.length === 1 && this.onReturn) void this.#restore(this.onReturn);
    else this.#dispatchWaiting();
    this.#wasConnected = true;
  }

  #dispatchWaiting(): void {
    if (this.#restoring) return;
    for (const call of this.#waiting.splice(0)) this.dispatch(call);
  }

  /** Lets nothing else through until what the cluster must know is told again. */
  async #restore(onReturn: () => Promise<void>): Promise<void> {
    this.#restoring = true;
    try {
      await onReturn();
    } catch {
      // The node went again, or the cluster is not active: whoever comes next finds out.
    } finally {
      this.#restoring = false;
      this.#dispatchWaiting();
    }
  }

  /** Asks where the nodes are. A node that is no longer told of is forgotten. */
  async #discover(): Promise<void> {
    const connection = this.anyConnection();
    if (!connection || this.#discovering) return;
    this.#nextDiscoveryMs = this.#clock.monotonicMs() + DISCOVERY_INTERVAL_MS;
    if (!connection.features.has(FEATURE.NODE_ENDPOINTS)) return;
    this.#discovering = true;
    try {
      const told = await this.callOver(connection, CLUSTER.endpoints, undefined);
      const kept = this.#places.filter((place) => !place.told || told.some((node) => node.id === place.nodeId));
      for (const node of told) {
        if (kept.some((place) => place.nodeId === node.id)) continue;
        const addresses = node.addresses.map((host) => ({ host, port: node.port }));
        kept.push(newPlace(addresses, node.id));
      }
      this.#places.splice(0, this.#places.length, ...kept);
    } catch {
      // The connection was lost or the cluster is busy: the next turn asks again.
    } finally {
      this.#discovering = false;
    }
  }

  #unreachable(): GridError {
    const reasons = this.#places.map((place) => place.lastFailure?.message).filter((reason) => reason !== undefined);
    const known = this.#settings.endpoints.map(({ host, port }) => `${host}:${port}`).join(', ');
    const last = reasons.at(-1)?.replace(/^No node of the cluster can be reached: /, '');
    return fail('CLUSTER_UNREACHABLE', last ?? `none of ${known} answers`);
  }
}

function newPlace(addresses: readonly Endpoint[], nodeId: string | undefined): Place {
  return {
    addresses,
    nodeId,
    told: nodeId !== undefined,
    failures: 0,
    nextAttemptMs: 0,
    connecting: false,
    lastFailure: undefined,
  };
}
