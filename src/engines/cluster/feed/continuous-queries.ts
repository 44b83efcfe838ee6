/**
 * A grid's continuous queries: one for each cache that consumers follow. A query ends with its connection, and silently
 * when its cache is destroyed or the cluster deactivated; a new cache with the same name has none. Nodes keep nothing
 * for a query that has ended, so a new one begins with a gap, which consumers are told about.
 */
import type { Clock, Timer } from '../../../base/clock.ts';
import { gridError } from '../../../base/errors.ts';
import { CHANGE_FEED_BOUNDS } from '../../../base/limits.ts';
import type { Change } from '../../../grid/change-feed.ts';
import type { Connection, Notification, TopologyVersion } from '../connections/connection.ts';
import type { Pool } from '../connections/pool.ts';
import { type CursorConnection, CursorConnections } from '../connections/query-connections.ts';
import { CONTINUOUS_QUERY } from '../operations/continuous-query-operations.ts';
import { CACHE, CLUSTER, RESOURCE } from '../operations/grid-operations.ts';
import { readWithTypes } from '../operations/responses.ts';
import { ByteReader } from '../protocol/byte-reader.ts';
import { NodeError, STATUS, toGridError } from '../protocol/status.ts';
import { cacheIdOf } from '../topology/remote-definitions.ts';

/** Receives the changes of a cache. */
export interface ChangeListener {
  changed(change: Change): void;
  /** Changes before this call may be missing; later ones are delivered. */
  gap(cache: string, reason: string): void;
  /** Nothing follows. */
  ended(error: unknown): void;
}

export interface ContinuousQueryOptions {
  readonly pool: Pool;
  readonly clock: Clock;
}

/** A connection with continuous queries. */
interface WatchedConnection {
  readonly channel: CursorConnection;
  readonly subscriptions: Set<Subscription>;
  /** As the last response reported it, or undefined before the first one. */
  version: TopologyVersion | undefined;
  isChecking: boolean;
}

/** A cache's query, for all its consumers. */
interface Subscription {
  readonly cache: string;
  /** Consumers, including those that wait for the query to start. */
  users: number;
  readonly listeners: Set<ChangeListener>;
  /** Resolves when the query runs. */
  opening: Promise<void>;
  place: { readonly watched: WatchedConnection; readonly queryId: number } | undefined;
  /** Counts this cache's queries: notifications from earlier ones are ignored. */
  generation: number;
  /** Notifications that wait for a type's metadata, in order. */
  decoding: Promise<void> | undefined;
  waitingBytes: number;
}

/** Time between requests whose responses report that the cluster's caches or nodes have changed. */
const POLL_MS = 250;
const CONNECTION_CLOSED = -1;

export class ContinuousQueries {
  readonly #options: ContinuousQueryOptions;
  readonly #connections: CursorConnections;
  readonly #watched = new Map<Connection, WatchedConnection>();
  readonly #subscriptions = new Map<string, Subscription>();
  #timer: Timer | undefined;

  constructor(options: ContinuousQueryOptions) {
    this.#options = options;
    this.#connections = new CursorConnections(options.pool, options.clock);
  }

  /**
   * Calls a listener with every later change of a cache. Returns a function that ends it. Rejects with CACHE_NOT_FOUND,
   * PERMISSION_DENIED, INACTIVE and CLUSTER_UNREACHABLE.
   */
  async subscribe(cache: string, listener: ChangeListener): Promise<() => void> {
    const subscription = this.#subscriptions.get(cache) ?? this.#create(cache);
    subscription.users++;
    try {
      await subscription.opening;
    } catch (error) {
      this.#leave(subscription);
      throw error;
    }
    subscription.listeners.add(listener);
    return () => {
      if (subscription.listeners.delete(listener)) this.#leave(subscription);
    };
  }

  close(): void {
    this.#timer?.cancel();
    this.#connections.close();
  }

  #create(cache: string): Subscription {
    const subscription: Subscription = {
      cache,
      users: 0,
      listeners: new Set(),
      opening: Promise.resolve(),
      place: undefined,
      generation: 0,
      decoding: undefined,
      waitingBytes: 0,
    };
    this.#subscriptions.set(cache, subscription);
    subscription.opening = this.#open(subscription);
    this.#timer ??= this.#options.clock.every(POLL_MS, () => this.#poll());
    return subscription;
  }

  #leave(subscription: Subscription): void {
    subscription.users--;
    if (subscription.users === 0) this.#remove(subscription);
  }

  #remove(subscription: Subscription): void {
    if (this.#subscriptions.get(subscription.cache) === subscription) this.#subscriptions.delete(subscription.cache);
    this.#detach(subscription);
    if (this.#subscriptions.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Starts a cache's query. If connections are lost in the process, retries up to a limit. */
  async #open(subscription: Subscription): Promise<void> {
    const { pool, clock } = this.#options;
    const deadlineMs = clock.monotonicMs() + pool.settings.reconnectTimeoutMs;
    for (;;) {
      const channel = await this.#connections.acquire();
      const watched = this.#watch(channel);
      let version: TopologyVersion | undefined;
      try {
        // The response has the version of the topology if it has changed.
        const state = await pool.callOver(channel.connection, CLUSTER.state, undefined, {});
        if (state === 'INACTIVE') throw gridError('INACTIVE');
        version = watched.version;
        await this.#start(subscription, watched);
      } catch (error) {
        if (channel.connection.isOpen || clock.monotonicMs() > deadlineMs) throw error;
        continue;
      }
      if (subscription.users === 0) this.#detach(subscription);
      // If the cache was destroyed in the meantime, the query would have been as well.
      if (isSame(version, watched.version) || subscription.place === undefined) return;
      this.#detach(subscription);
    }
  }

  #watch(channel: CursorConnection): WatchedConnection {
    const { connection } = channel;
    const known = this.#watched.get(connection);
    if (known !== undefined) return known;
    const watched: WatchedConnection = { channel, subscriptions: new Set(), version: undefined, isChecking: false };
    this.#watched.set(connection, watched);
    connection.onTopologyChange = (version) => this.#moved(watched, version);
    return watched;
  }

  #start(subscription: Subscription, watched: WatchedConnection): Promise<void> {
    const { pool, clock } = this.#options;
    const { cache } = subscription;
    const { channel } = watched;
    const { connection } = channel;
    const generation = ++subscription.generation;
    const isCurrent = () => subscription.generation === generation;
    return new Promise((resolve, reject) => {
      const unanswered = (reason: string) => {
        // The node may nevertheless run the query, until the connection closes.
        channel.isRetired = true;
        reject(gridError('CLUSTER_UNREACHABLE', reason));
      };
      connection.send(CONTINUOUS_QUERY.code, (writer) => CONTINUOUS_QUERY.write(writer, cacheIdOf(cache)), {
        deadlineMs: clock.monotonicMs() + pool.settings.requestTimeoutMs,
        accept: (reader) => {
          const queryId = CONTINUOUS_QUERY.read(reader);
          subscription.place = { watched, queryId };
          watched.subscriptions.add(subscription);
          channel.cursors++;
          // Immediately: the node's next message may be a notification.
          connection.subscribe(queryId, (notification) => {
            if (isCurrent()) this.#receive(subscription, notification);
          });
          resolve();
        },
        reject: (status, message) => reject(toGridError(new NodeError(status, message), { cache })),
        unreadable: unanswered,
        lost: unanswered,
      });
    });
  }

  /** Ends the query of a cache, if it runs. */
  #detach(subscription: Subscription): void {
    const { place } = subscription;
    if (place === undefined) return;
    subscription.place = undefined;
    subscription.generation++;
    const { watched, queryId } = place;
    const { connection } = watched.channel;
    watched.subscriptions.delete(subscription);
    watched.channel.cursors--;
    watched.channel.usedMs = this.#options.clock.monotonicMs();
    connection.unsubscribe(queryId);
    if (!connection.isOpen) return;
    this.#options.pool.callOver(connection, RESOURCE.close, queryId).catch(() => {
      // The connection is closed, and the query with it.
    });
  }

  #receive(subscription: Subscription, notification: Notification): void {
    if (!('reader' in notification)) {
      const { status, message } = notification;
      const { place } = subscription;
      if (status === CONNECTION_CLOSED && place !== undefined) this.#watched.delete(place.watched.channel.connection);
      const reason = status === CONNECTION_CLOSED ? `the connection to the node was lost: ${message}` : message;
      void this.#recover(subscription, reason);
      return;
    }
    const { reader } = notification;
    if (subscription.decoding === undefined) {
      try {
        this.#deliver(subscription, new ByteReader(reader.buffer, reader.position, reader.end));
        return;
      } catch {
        // A type's metadata is missing. Anything else is reported below.
      }
    }
    this.#decodeLater(subscription, reader);
  }

  /** Delivers a notification after those that wait. */
  #decodeLater(subscription: Subscription, reader: ByteReader): void {
    const { generation } = subscription;
    const bytes = reader.remaining;
    if (subscription.waitingBytes + bytes > CHANGE_FEED_BOUNDS.waitingBytes) {
      void this.#recover(subscription, 'too many changes wait for the metadata of their types');
      return;
    }
    subscription.waitingBytes += bytes;
    const deliver = async (): Promise<void> => {
      await subscription.decoding;
      try {
        const { types } = this.#options.pool.context;
        await readWithTypes(reader, types, (source) => {
          if (subscription.generation === generation) this.#deliver(subscription, source);
        });
      } catch (error) {
        if (subscription.generation === generation)
          await this.#recover(subscription, `a change cannot be read: ${error}`);
      } finally {
        subscription.waitingBytes -= bytes;
        if (subscription.decoding === own) subscription.decoding = undefined;
      }
    };
    const own: Promise<void> = deliver();
    subscription.decoding = own;
  }

  /** Delivers a notification's events. Throws TypeNeeded and MalformedMessage before the first one. */
  #deliver({ cache, listeners }: Subscription, reader: ByteReader): void {
    const { pool, clock } = this.#options;
    const events = CONTINUOUS_QUERY.readEvents(reader, { context: pool.context });
    const atMs = clock.nowMs();
    for (const { operation, key, value, oldValue } of events) {
      const change = { operation, cache, atMs, key, ...(value && { value }), ...(oldValue && { oldValue }) };
      for (const listener of [...listeners]) listener.changed(change);
    }
  }

  /** Starts a new query to replace one that may have missed changes, and tells the consumers. */
  async #recover(subscription: Subscription, reason: string): Promise<void> {
    this.#detach(subscription);
    const opening = this.#open(subscription);
    subscription.opening = opening;
    try {
      await opening;
    } catch (error) {
      if (subscription.opening === opening) this.#end(subscription, error);
      return;
    }
    for (const listener of [...subscription.listeners]) listener.gap(subscription.cache, reason);
  }

  #end(subscription: Subscription, error: unknown): void {
    const listeners = [...subscription.listeners];
    subscription.listeners.clear();
    this.#remove(subscription);
    for (const listener of listeners) listener.ended(error);
  }

  /** Sends a small request over each connection: the response reports changes of caches or nodes. */
  #poll(): void {
    for (const watched of this.#watched.values()) {
      const { connection } = watched.channel;
      if (!connection.isOpen) this.#watched.delete(connection);
      if (!connection.isOpen || watched.subscriptions.size === 0) continue;
      this.#options.pool.callOver(connection, CLUSTER.state, undefined).then(
        (state) => {
          if (state !== 'INACTIVE') return;
          for (const subscription of [...watched.subscriptions]) this.#end(subscription, gridError('INACTIVE'));
        },
        () => {
          // A lost connection reports itself to its queries.
        },
      );
    }
  }

  /** Records that caches started or stopped, or that nodes joined or left. */
  #moved(watched: WatchedConnection, version: TopologyVersion): void {
    const former = watched.version;
    watched.version = version;
    // A check in progress sees that the version has changed again.
    if (former === undefined || watched.isChecking || watched.subscriptions.size === 0) return;
    const isOneStep = version.major === former.major && version.minor === former.minor + 1;
    void this.#check(watched, version, isOneStep);
  }

  /**
   * Checks whether a connection's queries have missed anything. One cache that started or stopped is harmless if theirs
   * exist: destroying and recreating one would have been two steps.
   */
  async #check(watched: WatchedConnection, version: TopologyVersion, isOneStep: boolean): Promise<void> {
    watched.isChecking = true;
    try {
      const exist = isOneStep && (await this.#endDestroyed(watched));
      if (exist && isSame(version, watched.version)) return;
    } finally {
      watched.isChecking = false;
    }
    const reason = 'nodes or caches of the cluster changed';
    await Promise.all([...watched.subscriptions].map((subscription) => this.#recover(subscription, reason)));
  }

  /** Ends the queries whose caches do not exist. Returns false if that is unknown. */
  async #endDestroyed({ channel, subscriptions }: WatchedConnection): Promise<boolean> {
    const { pool, clock } = this.#options;
    let isKnown = true;
    for (const subscription of [...subscriptions]) {
      const { cache } = subscription;
      try {
        await pool.callOver(channel.connection, CACHE.configuration, cacheIdOf(cache));
      } catch (error) {
        if (!(error instanceof NodeError) || error.status !== STATUS.CACHE_NOT_FOUND) {
          isKnown = false;
          continue;
        }
        const change: Change = { operation: 'cacheDestroyed', cache, atMs: clock.nowMs() };
        for (const listener of [...subscription.listeners]) listener.changed(change);
        this.#end(subscription, gridError('CACHE_NOT_FOUND', cache));
      }
    }
    return isKnown;
  }
}

function isSame(left: TopologyVersion | undefined, right: TopologyVersion | undefined): boolean {
  return left?.major === right?.major && left?.minor === right?.minor;
}
