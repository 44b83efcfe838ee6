/** The calls of the model: those on entries, and those on counters. */
import type { Clock } from '../../src/base/clock.ts';
import { gridError } from '../../src/base/errors.ts';
import type { MaybePromise } from '../../src/base/maybe-promise.ts';
import type { Call, CallKind, CallTable } from '../../src/grid/calls.ts';
import type { Queries, QueryPage } from '../../src/grid/grid.ts';
import { ModelEntries } from './model-entries.ts';
import type { ModelStore } from './model-store.ts';

export class ModelCalls extends ModelEntries implements CallTable<CallKind> {
  readonly #store: ModelStore;
  readonly #clock: Clock;
  readonly #queries: Queries;

  constructor(store: ModelStore, clock: Clock, maxValueCharacters: number, queries: Queries) {
    super(store, clock, maxValueCharacters);
    this.#store = store;
    this.#clock = clock;
    this.#queries = queries;
  }

  async addToCounter({ name, delta, initial, ttlMs = 0n }: Call<'addToCounter'>): Promise<bigint> {
    const old = this.#counter(name);
    if (this.#store.state !== 'ACTIVE')
      throw gridError('READ_ONLY', old === undefined ? 'start cache operation' : 'cache operation', name);
    const value = BigInt.asIntN(64, (old?.value ?? initial) + delta);
    const begins = ttlMs > 0n ? this.#clock.nowMs() + Number(ttlMs) : undefined;
    this.#store.counters.set(name, { value, expiresAtMs: old === undefined ? begins : old.expiresAtMs });
    return value;
  }

  counterTimeToLive({ name }: Call<'counterTimeToLive'>): bigint | null | undefined {
    const counter = this.#counter(name);
    if (counter === undefined) return undefined;
    return counter.expiresAtMs === undefined ? null : BigInt(Math.ceil(counter.expiresAtMs - this.#clock.nowMs()));
  }

  async persistCounter({ name }: Call<'persistCounter'>): Promise<boolean> {
    const counter = this.#counter(name);
    if (this.#store.state !== 'ACTIVE') throw gridError('READ_ONLY', 'cache operation', name);
    if (counter !== undefined) this.#store.counters.set(name, { ...counter, expiresAtMs: undefined });
    return counter !== undefined;
  }

  statement({ query }: Call<'statement'>): MaybePromise<QueryPage> {
    return this.#queries.execute(query);
  }

  #counter(name: string) {
    if (this.#store.state === 'INACTIVE') throw gridError('INACTIVE');
    const counter = this.#store.counters.get(name);
    return counter?.expiresAtMs !== undefined && counter.expiresAtMs <= this.#clock.nowMs() ? undefined : counter;
  }
}
