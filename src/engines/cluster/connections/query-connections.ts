/**
 * Manages connections for cursors. They are separate from the data connections, because a cursor ends with its
 * connection, and a slow statement must not delay a get (docs/spec/ignite-wire.md 4).
 */
import type { Clock, Timer } from '../../../base/clock.ts';
import type { Connection } from './connection.ts';
import type { Pool } from './pool.ts';

/** A node allows 128 cursors on a connection. */
export const CURSORS_PER_CONNECTION = 100;
/** A connection without cursors closes after this time. */
export const IDLE_MS = 60_000;
/** Time between two checks for idle connections. */
export const SWEEP_MS = 10_000;
/** Short beside two intervals of heartbeats, after which a connection to an absent node is closed. */
export const WATCH_MS = 500;

/** The reason for which connections to absent nodes close. */
export const ABSENT = 'the node is lost, or the other nodes have excluded it';

/** Measures for how long the pool has had no connection to a node. */
export class Absence {
  readonly #pool: Pool;
  readonly #nodeId: string;
  #sinceMs: number | undefined;

  constructor(pool: Pool, nodeId: string) {
    this.#pool = pool;
    this.#nodeId = nodeId;
  }

  /** Whether the pool has no connection to the node: it is lost, or the other nodes have excluded it. */
  get isAbsent(): boolean {
    return this.#pool.connectionTo(this.#nodeId) === undefined;
  }

  /** Reports whether the node has been absent at each call during the last two heartbeat intervals. */
  isOver(nowMs: number): boolean {
    this.#sinceMs = this.isAbsent ? (this.#sinceMs ?? nowMs) : undefined;
    return this.#sinceMs !== undefined && nowMs - this.#sinceMs >= 2 * this.#pool.settings.heartbeatIntervalMs;
  }
}

/** A connection with the number of its open cursors. */
export interface CursorConnection {
  readonly connection: Connection;
  cursors: number;
  usedMs: number;
  /** Accepts no further cursors and closes without any, because the node may hold one with an unknown id. */
  isRetired: boolean;
  readonly absence: Absence;
}

/** Manages connections of the thin-client dialect, each of which carries many requests at once. */
export class CursorConnections {
  readonly #pool: Pool;
  readonly #clock: Clock;
  readonly #timers: readonly Timer[];
  #open: CursorConnection[] = [];
  #opening: Promise<CursorConnection> | undefined;

  constructor(pool: Pool, clock: Clock) {
    this.#pool = pool;
    this.#clock = clock;
    this.#timers = [clock.every(SWEEP_MS, () => this.#sweep()), clock.every(WATCH_MS, () => this.#watch())];
  }

  /** Returns a connection that can hold one more cursor. Rejects with CLUSTER_UNREACHABLE. */
  async acquire(): Promise<CursorConnection> {
    this.#closeAbsent();
    const known = this.#open.find(
      ({ connection, isRetired, cursors, absence }) =>
        connection.isOpen && !isRetired && cursors < CURSORS_PER_CONNECTION && !absence.isAbsent,
    );
    const acquired = known ?? (await this.#openOne());
    acquired.usedMs = this.#clock.monotonicMs();
    return acquired;
  }

  close(): void {
    for (const timer of this.#timers) timer.cancel();
    for (const { connection } of this.#open) connection.close('the engine has been closed');
  }

  #openOne(): Promise<CursorConnection> {
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #connect(): Promise<CursorConnection> {
    const connection = await this.#pool.openFurther();
    const opened = {
      connection,
      cursors: 0,
      usedMs: this.#clock.monotonicMs(),
      isRetired: false,
      absence: new Absence(this.#pool, connection.nodeId),
    };
    this.#open.push(opened);
    connection.onClose = () => {
      this.#open = this.#open.filter((each) => each !== opened);
    };
    return opened;
  }

  #sweep(): void {
    const now = this.#clock.monotonicMs();
    for (const { connection, cursors, usedMs, isRetired } of [...this.#open]) {
      if (cursors > 0 || connection.pendingCount > 0) continue;
      if (isRetired || now - usedMs > IDLE_MS) connection.close('idle');
    }
  }

  /** Closes unused connections to absent nodes. */
  #closeAbsent(): void {
    for (const { connection, cursors, absence } of [...this.#open]) {
      if (cursors === 0 && connection.pendingCount === 0 && absence.isAbsent) connection.close(ABSENT);
    }
  }

  /** Closes connections to nodes that have been absent for two heartbeat intervals, also those in use. */
  #watch(): void {
    const now = this.#clock.monotonicMs();
    for (const { connection, absence } of [...this.#open]) if (absence.isOver(now)) connection.close(ABSENT);
  }
}
