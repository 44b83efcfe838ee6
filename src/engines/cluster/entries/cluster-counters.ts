/** Implements counters as the cluster's atomic longs of the default group, as Ignite's HTTP interface does. */
import { type GridError, gridError } from '../../../base/errors.ts';
import type { Call, CallTable, CounterKind } from '../../../grid/calls.ts';
import type { Pool } from '../connections/pool.ts';
import { COUNTER } from '../operations/grid-operations.ts';
import { NodeError, STATUS, toGridError } from '../protocol/status.ts';

export class ClusterCounters implements CallTable<CounterKind> {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async addToCounter({ name, delta, initial, ttlMs }: Call<'addToCounter'>): Promise<bigint> {
    if (ttlMs !== undefined && ttlMs > 0n) throw noTimeToLive();
    try {
      return await this.#pool.call(COUNTER.addAndGet, { name, value: delta });
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      const absent = error.status === STATUS.RESOURCE_NOT_FOUND || /Failed to find atomic long/.test(error.message);
      if (!absent) throw await this.#pool.explain(toGridError(error, { cache: name }), false, name);
    }
    // The first creation determines the value; creating an existing counter changes nothing.
    await this.#pool.call(COUNTER.create, { name, value: initial }, undefined, { cache: name });
    return this.#pool.call(COUNTER.addAndGet, { name, value: delta }, undefined, { cache: name });
  }

  counterTimeToLive(): Promise<never> {
    return Promise.reject(noTimeToLive());
  }

  persistCounter(): Promise<never> {
    return Promise.reject(noTimeToLive());
  }
}

function noTimeToLive(): GridError {
  return gridError(
    'NOT_SUPPORTED',
    'a time to live of counters',
    'a cluster stores them as atomic longs without a deadline',
  );
}
