/** Connections for statements that read, over the JDBC dialect (docs/spec/ignite-wire.md 4). */
import type { Clock, Timer } from '../../../base/clock.ts';
import { fail } from '../../../base/errors.ts';
import { isUnreadable } from '../operations/responses.ts';
import { type JdbcConnection, openJdbc } from './jdbc.ts';
import type { Pool } from './pool.ts';
import { ABSENT, Absence, CURSORS_PER_CONNECTION, IDLE_MS, SWEEP_MS, WATCH_MS } from './query-connections.ts';

interface PooledConnection {
  readonly connection: JdbcConnection;
  readonly distributedJoins: boolean;
  isInUse: boolean;
  usedMs: number;
  readonly absence: Absence;
  /** Accepts no further statements and closes without cursors, because the node may hold one with an unknown id. */
  isRetired: boolean;
}

interface Waiter {
  readonly distributedJoins: boolean;
  readonly resolve: (pooled: PooledConnection) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Manages connections of the JDBC dialect. Each carries one request at a time, so each statement has its own. The
 * dialect has no heartbeat; the data connections show whether a node still responds.
 */
export class JdbcConnections {
  readonly #pool: Pool;
  readonly #clock: Clock;
  readonly #maxConnections: number;
  readonly #timers: readonly Timer[];
  #open: PooledConnection[] = [];
  #opening = 0;
  #waiting: Waiter[] = [];
  #closed = false;

  constructor(pool: Pool, clock: Clock, maxConnections: number) {
    this.#pool = pool;
    this.#clock = clock;
    this.#maxConnections = maxConnections;
    this.#timers = [clock.every(SWEEP_MS, () => this.#sweep()), clock.every(WATCH_MS, () => this.#watch())];
  }

  /** Runs `action` with exclusive use of a connection. Waits for one when all are in use. */
  async use<T>(distributedJoins: boolean, action: (connection: JdbcConnection) => Promise<T>): Promise<T> {
    const pooled = await this.#acquire(distributedJoins);
    try {
      return await action(pooled.connection);
    } catch (error) {
      if (isUnreadable(error)) pooled.isRetired = true;
      throw error;
    } finally {
      pooled.isInUse = false;
      pooled.usedMs = this.#clock.monotonicMs();
      if (pooled.isRetired && pooled.connection.cursors === 0) pooled.connection.close('a response could not be read');
      this.#serveNext();
    }
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) timer.cancel();
    for (const { connection } of this.#open) connection.close('the engine has been closed');
  }

  #acquire(distributedJoins: boolean): Promise<PooledConnection> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ distributedJoins, resolve, reject });
      this.#serveNext();
    });
  }

  /** Assigns free connections to waiters and opens further ones up to the limit. */
  #serveNext(): void {
    this.#closeAbsent();
    const remaining: Waiter[] = [];
    for (const waiter of this.#waiting) {
      const free = this.#freeFor(waiter.distributedJoins);
      if (free) {
        free.isInUse = true;
        waiter.resolve(free);
      } else {
        remaining.push(waiter);
      }
    }
    this.#waiting = remaining;
    let missing = remaining.length - this.#opening;
    while (missing > 0 && this.#evict()) {
      missing--;
      const waiter = remaining[this.#opening];
      if (waiter) void this.#openFor(waiter.distributedJoins);
    }
  }

  /** Returns a free connection without cursors or, at the limit, the free one with the fewest. */
  #freeFor(distributedJoins: boolean): PooledConnection | undefined {
    const free = this.#open.filter(
      (each) =>
        !each.isInUse &&
        !each.isRetired &&
        each.distributedJoins === distributedJoins &&
        !each.connection.isBusy &&
        !each.absence.isAbsent,
    );
    const unused = free.find(({ connection }) => connection.cursors === 0);
    if (unused || this.#open.length + this.#opening < this.#maxConnections) return unused;
    return free
      .filter(({ connection }) => connection.cursors < CURSORS_PER_CONNECTION)
      .sort((left, right) => left.connection.cursors - right.connection.cursors)[0];
  }

  /** Reports whether another connection may be opened. At the limit it closes an unused one of the other kind. */
  #evict(): boolean {
    if (this.#open.length + this.#opening < this.#maxConnections) return true;
    const unused = this.#open.find(({ isInUse, connection }) => !isInUse && connection.cursors === 0);
    unused?.connection.close('another kind of connection is needed');
    return unused !== undefined;
  }

  async #openFor(distributedJoins: boolean): Promise<void> {
    this.#opening++;
    try {
      const { settings, context } = this.#pool;
      const opened = await this.#pool.openAtNode(async (endpoint, nodeId) => {
        const connection = await openJdbc(endpoint, settings, context, distributedJoins);
        const absence = new Absence(this.#pool, nodeId);
        if (absence.isAbsent) {
          connection.close(ABSENT);
          throw fail('CLUSTER_UNREACHABLE', ABSENT);
        }
        const usedMs = this.#clock.monotonicMs();
        return {
          connection,
          distributedJoins,
          isInUse: false,
          usedMs,
          absence,
          isRetired: false,
        };
      });
      const { connection } = opened;
      if (this.#closed) connection.close('the engine has been closed');
      else this.#open.push(opened);
      connection.onClose = () => {
        this.#open = this.#open.filter((each) => each !== opened);
      };
      this.#opening--;
      this.#serveNext();
    } catch (error) {
      this.#opening--;
      // No connection can be opened, so no waiter can be served.
      for (const waiter of this.#waiting.splice(0)) waiter.reject(error);
    }
  }

  #sweep(): void {
    const now = this.#clock.monotonicMs();
    for (const { connection, isInUse, usedMs, isRetired } of [...this.#open]) {
      if (isInUse || connection.cursors > 0) continue;
      if (isRetired || now - usedMs > IDLE_MS) connection.close('idle');
    }
  }

  /** Closes unused connections to absent nodes. */
  #closeAbsent(): void {
    for (const { connection, isInUse, absence } of [...this.#open]) {
      if (!isInUse && connection.cursors === 0 && absence.isAbsent) connection.close(ABSENT);
    }
  }

  /**
   * Closes connections to nodes that have been absent for two heartbeat intervals. A request on such a connection would
   * wait forever when the node vanished without closing it.
   */
  #watch(): void {
    const now = this.#clock.monotonicMs();
    for (const { connection, absence } of [...this.#open]) if (absence.isOver(now)) connection.close(ABSENT);
  }
}
