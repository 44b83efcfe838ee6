/** Connections for read-only statements, over the JDBC dialect (docs/spec/ignite-wire.md 4). */
import { type AcquireOptions, Admission, type Rejection } from '../../../base/admission.ts';
import type { Clock } from '../../../base/clock.ts';
import { type GridError, gridError } from '../../../base/errors.ts';
import type { Tenant } from '../../../base/shares.ts';
import { isUnreadable } from '../operations/responses.ts';
import { type JdbcConnection, openJdbc } from './jdbc.ts';
import type { Pool } from './pool.ts';
import {
  CURSORS_PER_CONNECTION,
  FailureDetector,
  NODE_LOST,
  OpenConnections,
  type QueryConnection,
} from './query-connections.ts';

interface PooledConnection extends QueryConnection {
  readonly connection: JdbcConnection;
  readonly distributedJoins: boolean;
  isInUse: boolean;
}

/** For whom and how long a statement waits for a connection: by default, for no particular user and indefinitely. */
interface Wait extends AcquireOptions {
  readonly tenant?: Tenant;
}

const NOBODY: Tenant = { key: '', isAdministrator: false };

/**
 * Manages connections of the JDBC dialect. Each carries one request at a time, so each statement has its own. The
 * dialect has no heartbeat; the data connections show whether a node still responds.
 */
export class JdbcConnections {
  readonly #pool: Pool;
  readonly #clock: Clock;
  readonly #maxConnections: number;
  readonly #admission: Admission;
  readonly #open: OpenConnections<PooledConnection>;
  #opening = 0;

  constructor(pool: Pool, clock: Clock, maxConnections: number) {
    this.#pool = pool;
    this.#clock = clock;
    this.#maxConnections = maxConnections;
    // Bounded by the requests that may be in progress.
    this.#admission = new Admission({
      clock,
      slots: maxConnections,
      reserved: 0,
      maxWaiting: Number.POSITIVE_INFINITY,
      maxWaitingBytes: Number.POSITIVE_INFINITY,
      targetMs: Number.POSITIVE_INFINITY,
      failure,
    });
    this.#open = new OpenConnections(clock, ({ isInUse, connection }) => isInUse || connection.cursors > 0);
  }

  /**
   * Runs `action` with exclusive use of a connection. Waits for one if all are in use. Throws QUERY_TIMEOUT and
   * QUERY_CANCELLED.
   */
  async use<T>(
    distributedJoins: boolean,
    action: (connection: JdbcConnection) => Promise<T>,
    { tenant = NOBODY, ...wait }: Wait = {},
  ): Promise<T> {
    const slot = await this.#admission.acquire(tenant, wait);
    try {
      const pooled = this.#freeFor(distributedJoins) ?? (await this.#openFor(distributedJoins));
      return await this.#useOne(pooled, action);
    } finally {
      slot.release();
    }
  }

  close(): void {
    this.#open.close();
  }

  async #useOne<T>(pooled: PooledConnection, action: (connection: JdbcConnection) => Promise<T>): Promise<T> {
    const { connection } = pooled;
    pooled.isInUse = true;
    try {
      return await action(connection);
    } catch (error) {
      if (isUnreadable(error)) pooled.isRetired = true;
      throw error;
    } finally {
      pooled.isInUse = false;
      pooled.usedMs = this.#clock.monotonicMs();
      if (pooled.isRetired && connection.cursors === 0) connection.close('a response could not be read');
    }
  }

  /**
   * Returns a free connection without cursors or, at the limit, the free one with the fewest. At the limit, if there is
   * none, closes an unused one of the other kind.
   */
  #freeFor(distributedJoins: boolean): PooledConnection | undefined {
    this.#open.closeAbsent();
    const { all } = this.#open;
    const free = all.filter(
      (each) =>
        !each.isInUse &&
        !each.isRetired &&
        each.distributedJoins === distributedJoins &&
        !each.connection.isBusy &&
        !each.detector.isUnreachable,
    );
    const unused = free.find(({ connection }) => connection.cursors === 0);
    if (unused || all.length + this.#opening < this.#maxConnections) return unused;
    const [least] = free
      .filter(({ connection }) => connection.cursors < CURSORS_PER_CONNECTION)
      .sort((left, right) => left.connection.cursors - right.connection.cursors);
    if (least) return least;
    const other = all.find(({ isInUse, connection }) => !isInUse && connection.cursors === 0);
    other?.connection.close('another kind of connection is needed');
    return undefined;
  }

  async #openFor(distributedJoins: boolean): Promise<PooledConnection> {
    this.#opening++;
    try {
      const { settings, context } = this.#pool;
      const opened = await this.#pool.openAtNode(async (endpoint, nodeId) => {
        const connection = await openJdbc(endpoint, settings, context, distributedJoins);
        const detector = new FailureDetector(this.#pool, nodeId);
        if (detector.isUnreachable) {
          connection.close(NODE_LOST);
          throw gridError('CLUSTER_UNREACHABLE', NODE_LOST);
        }
        const usedMs = this.#clock.monotonicMs();
        return { connection, distributedJoins, isInUse: true, usedMs, detector, isRetired: false };
      });
      this.#open.add(opened);
      return opened;
    } finally {
      this.#opening--;
    }
  }
}

function failure(reason: Rejection, waiting: number): GridError {
  if (reason === 'deadline') return gridError('QUERY_TIMEOUT', '');
  return reason === 'cancelled'
    ? gridError('QUERY_CANCELLED', 'the client went away')
    : gridError('OVERLOADED', waiting);
}
