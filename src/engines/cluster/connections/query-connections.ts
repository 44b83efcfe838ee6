/**
 * Connections for queries, apart from those for data: a cursor lives and dies with its connection, and a slow
 * statement must not stand in front of a get.
 */
import type { Clock, Timer } from '../../../base/clock.ts';
import { isUnreadable } from '../operations/responses.ts';
import type { Connection } from './connection.ts';
import { type JdbcConnection, openJdbc } from './jdbc.ts';
import type { Pool } from './pool.ts';

/** A node allows 128 cursors on a connection. */
const CURSORS_PER_CONNECTION = 100;
const IDLE_MS = 60_000;
const SWEEP_MS = 10_000;

/** A connection with the number of its open cursors. */
export interface CursorConnection {
  readonly connection: Connection;
  cursors: number;
  usedMs: number;
  /** Takes no further cursors and closes without any: the node may hold one that nobody knows the id of. */
  isRetired: boolean;
}

/** Connections of the usual dialect: many requests at once on each. */
export class CursorConnections {
  readonly #pool: Pool;
  readonly #clock: Clock;
  readonly #timer: Timer;
  #open: CursorConnection[] = [];
  #opening: Promise<CursorConnection> | undefined;

  constructor(pool: Pool, clock: Clock) {
    this.#pool = pool;
    this.#clock = clock;
    this.#timer = clock.every(SWEEP_MS, () => this.#sweep());
  }

  /** A connection with room for a cursor. Refuses CLUSTER_UNREACHABLE. */
  async acquire(): Promise<CursorConnection> {
    const known = this.#open.find((each) => !each.isRetired && each.cursors < CURSORS_PER_CONNECTION);
    const found = known ?? (await this.#openOne());
    found.usedMs = this.#clock.monotonicMs();
    return found;
  }

  close(): void {
    this.#timer.cancel();
    for (const { connection } of this.#open) connection.close('the engine has been closed');
  }

  #openOne(): Promise<CursorConnection> {
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #connect(): Promise<CursorConnection> {
    const connection = await this.#pool.openApart();
    const opened = { connection, cursors: 0, usedMs: this.#clock.monotonicMs(), isRetired: false };
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
}

interface Leased {
  readonly connection: JdbcConnection;
  readonly distributedJoins: boolean;
  isLeased: boolean;
  usedMs: number;
  /** Takes no further statements and closes without cursors: the node may hold one that nobody knows the id of. */
  isRetired: boolean;
}

interface Waiter {
  readonly distributedJoins: boolean;
  readonly resolve: (leased: Leased) => void;
  readonly reject: (error: unknown) => void;
}

/** Connections of the JDBC dialect: one request at a time on each, so they are leased. */
export class JdbcConnections {
  readonly #pool: Pool;
  readonly #clock: Clock;
  readonly #most: number;
  readonly #timer: Timer;
  #open: Leased[] = [];
  #opening = 0;
  #waiting: Waiter[] = [];
  #closed = false;

  constructor(pool: Pool, clock: Clock, most: number) {
    this.#pool = pool;
    this.#clock = clock;
    this.#most = most;
    this.#timer = clock.every(SWEEP_MS, () => this.#sweep());
  }

  /** Runs `work` with a connection that nobody else uses meanwhile. */
  async use<T>(distributedJoins: boolean, work: (connection: JdbcConnection) => Promise<T>): Promise<T> {
    const leased = await this.#writeLock(distributedJoins);
    try {
      return await work(leased.connection);
    } catch (error) {
      if (isUnreadable(error)) leased.isRetired = true;
      throw error;
    } finally {
      leased.isLeased = false;
      leased.usedMs = this.#clock.monotonicMs();
      if (leased.isRetired && leased.connection.cursors === 0) leased.connection.close('an answer could not be read');
      this.#serveNext();
    }
  }

  close(): void {
    this.#closed = true;
    this.#timer.cancel();
    for (const { connection } of this.#open) connection.close('the engine has been closed');
  }

  #writeLock(distributedJoins: boolean): Promise<Leased> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ distributedJoins, resolve, reject });
      this.#serveNext();
    });
  }

  /** Gives free connections to those who wait, and opens another where there may be more. */
  #serveNext(): void {
    const still: Waiter[] = [];
    for (const waiter of this.#waiting) {
      const free = this.#freeFor(waiter.distributedJoins);
      if (free) {
        free.isLeased = true;
        waiter.resolve(free);
      } else {
        still.push(waiter);
      }
    }
    this.#waiting = still;
    let missing = still.length - this.#opening;
    while (missing > 0 && this.#evict()) {
      missing--;
      const waiter = still[this.#opening];
      if (waiter) void this.#openFor(waiter.distributedJoins);
    }
  }

  /** A free connection without cursors, or with the fewest once no more may be opened. */
  #freeFor(distributedJoins: boolean): Leased | undefined {
    const free = this.#open.filter(
      (each) =>
        !each.isLeased && !each.isRetired && each.distributedJoins === distributedJoins && !each.connection.isBusy,
    );
    const unused = free.find(({ connection }) => connection.cursors === 0);
    if (unused || this.#open.length + this.#opening < this.#most) return unused;
    return free
      .filter(({ connection }) => connection.cursors < CURSORS_PER_CONNECTION)
      .sort((left, right) => left.connection.cursors - right.connection.cursors)[0];
  }

  /** True when another connection may be opened; an unused one of the other kind gives way. */
  #evict(): boolean {
    if (this.#open.length + this.#opening < this.#most) return true;
    const unused = this.#open.find(({ isLeased, connection }) => !isLeased && connection.cursors === 0);
    unused?.connection.close('another kind of connection is needed');
    return unused !== undefined;
  }

  async #openFor(distributedJoins: boolean): Promise<void> {
    this.#opening++;
    try {
      const { settings, context } = this.#pool;
      const connection = await this.#pool.apart((endpoint) => openJdbc(endpoint, settings, context, distributedJoins));
      const usedMs = this.#clock.monotonicMs();
      const opened = { connection, distributedJoins, isLeased: false, usedMs, isRetired: false };
      if (this.#closed) connection.close('the engine has been closed');
      else this.#open.push(opened);
      connection.onClose = () => {
        this.#open = this.#open.filter((each) => each !== opened);
      };
      this.#opening--;
      this.#serveNext();
    } catch (error) {
      this.#opening--;
      // Without a connection nobody who waits can be served.
      for (const waiter of this.#waiting.splice(0)) waiter.reject(error);
    }
  }

  #sweep(): void {
    const now = this.#clock.monotonicMs();
    for (const { connection, isLeased, usedMs, isRetired } of [...this.#open]) {
      if (isLeased || connection.cursors > 0) continue;
      if (isRetired || now - usedMs > IDLE_MS) connection.close('idle');
    }
  }
}
