/**
 * Manages connections for cursors. They are separate from the data connections, because a cursor ends with its
 * connection, and a slow statement must not delay a get (docs/spec/ignite-wire.md 4).
 */
import type { Clock, Timer } from '../../../base/clock.ts';
import type { Connection } from './connection.ts';
import type { Pool } from './pool.ts';

/** A node allows 128 cursors on a connection. */
export const CURSORS_PER_CONNECTION = 100;
/** An unused connection closes after this time. */
const IDLE_MS = 60_000;
/** Time between checks for idle connections. */
const SWEEP_MS = 10_000;
/** Short compared with two heartbeat intervals, after which a connection to an absent node is closed. */
const WATCH_MS = 500;

/** The reason for closing connections to absent nodes. */
export const NODE_LOST = 'the node is lost, or the other nodes have excluded it';
const CLOSED = 'the engine has been closed';

/** Measures how long the pool has had no connection to a node. */
export class FailureDetector {
  readonly #pool: Pool;
  readonly #nodeId: string;
  #sinceMs: number | undefined;

  constructor(pool: Pool, nodeId: string) {
    this.#pool = pool;
    this.#nodeId = nodeId;
  }

  /** Whether the pool has no connection to the node: it is lost, or the other nodes have excluded it. */
  get isUnreachable(): boolean {
    return this.#pool.connectionTo(this.#nodeId) === undefined;
  }

  /** Reports whether the node has been absent at each call during the last two heartbeat intervals. */
  hasFailed(nowMs: number): boolean {
    this.#sinceMs = this.isUnreachable ? (this.#sinceMs ?? nowMs) : undefined;
    return this.#sinceMs !== undefined && nowMs - this.#sinceMs >= 2 * this.#pool.settings.heartbeatIntervalMs;
  }
}

/** A connection for queries, of either dialect. */
export interface QueryConnection {
  readonly connection: Pick<Connection, 'isOpen' | 'close' | 'onClose'>;
  usedMs: number;
  /** Accepts no more cursors, and closes once it has none, because the node may hold one with an unknown id. */
  isRetired: boolean;
  readonly detector: FailureDetector;
}

/** The open connections of one dialect. Closes those unused for long, and those to absent nodes. */
export class OpenConnections<C extends QueryConnection> {
  readonly #clock: Clock;
  readonly #isUsed: (connection: C) => boolean;
  readonly #timers: readonly Timer[];
  #all: readonly C[] = [];
  #isClosed = false;

  /** `isUsed` reports whether a connection has cursors or running requests. */
  constructor(clock: Clock, isUsed: (connection: C) => boolean) {
    this.#clock = clock;
    this.#isUsed = isUsed;
    this.#timers = [clock.every(SWEEP_MS, () => this.#sweep()), clock.every(WATCH_MS, () => this.#watch())];
  }

  get all(): readonly C[] {
    return this.#all;
  }

  add(added: C): void {
    const { connection } = added;
    if (this.#isClosed) connection.close(CLOSED);
    else this.#all = [...this.#all, added];
    connection.onClose = () => {
      this.#all = this.#all.filter((each) => each !== added);
    };
  }

  /** Closes unused connections to absent nodes. */
  closeAbsent(): void {
    for (const each of this.#all)
      if (!this.#isUsed(each) && each.detector.isUnreachable) each.connection.close(NODE_LOST);
  }

  close(): void {
    this.#isClosed = true;
    for (const timer of this.#timers) timer.cancel();
    for (const { connection } of this.#all) connection.close(CLOSED);
  }

  #sweep(): void {
    const oldestMs = this.#clock.monotonicMs() - IDLE_MS;
    for (const each of this.#all) {
      if (!this.#isUsed(each) && (each.isRetired || each.usedMs < oldestMs)) each.connection.close('idle');
    }
  }

  /**
   * Closes connections to nodes that have been absent for two heartbeat intervals, even those in use: a request would
   * wait forever if the node vanished without closing them.
   */
  #watch(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const { connection, detector } of this.#all) if (detector.hasFailed(nowMs)) connection.close(NODE_LOST);
  }
}

/** A connection with its number of open cursors. */
export interface CursorConnection extends QueryConnection {
  readonly connection: Connection;
  cursors: number;
}

/** Manages connections of the thin-client dialect. Each carries many concurrent requests. */
export class CursorConnections {
  readonly #pool: Pool;
  readonly #clock: Clock;
  readonly #open: OpenConnections<CursorConnection>;
  #opening: Promise<CursorConnection> | undefined;

  constructor(pool: Pool, clock: Clock) {
    this.#pool = pool;
    this.#clock = clock;
    this.#open = new OpenConnections(clock, ({ cursors, connection }) => cursors > 0 || connection.pendingCount > 0);
  }

  /** Returns a connection that can hold one more cursor. Rejects with CLUSTER_UNREACHABLE. */
  async acquire(): Promise<CursorConnection> {
    this.#open.closeAbsent();
    const known = this.#open.all.find(
      ({ connection, isRetired, cursors, detector }) =>
        connection.isOpen && !isRetired && cursors < CURSORS_PER_CONNECTION && !detector.isUnreachable,
    );
    const acquired = known ?? (await this.#openOne());
    acquired.usedMs = this.#clock.monotonicMs();
    return acquired;
  }

  close(): void {
    this.#open.close();
  }

  #openOne(): Promise<CursorConnection> {
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #connect(): Promise<CursorConnection> {
    const connection = await this.#pool.openFurther();
    const detector = new FailureDetector(this.#pool, connection.nodeId);
    const opened = { connection, cursors: 0, usedMs: this.#clock.monotonicMs(), isRetired: false, detector };
    this.#open.add(opened);
    return opened;
  }
}
