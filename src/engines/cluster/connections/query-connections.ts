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

/** A connection with the number of its open cursors. */
export interface CursorConnection {
  readonly connection: Connection;
  cursors: number;
  usedMs: number;
  /** Accepts no further cursors and closes without any, because the node may hold one with an unknown id. */
  isRetired: boolean;
}

/** Manages connections of the thin-client dialect, each of which carries many requests at once. */
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

  /** Returns a connection that can hold one more cursor. Rejects with CLUSTER_UNREACHABLE. */
  async acquire(): Promise<CursorConnection> {
    const known = this.#open.find(
      ({ connection, isRetired, cursors }) => connection.isOpen && !isRetired && cursors < CURSORS_PER_CONNECTION,
    );
    const acquired = known ?? (await this.#openOne());
    acquired.usedMs = this.#clock.monotonicMs();
    return acquired;
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
    const connection = await this.#pool.openFurther();
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
