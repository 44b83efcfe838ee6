/** Stores responses by idempotency key in a transactional cache, which all services of the cluster share. */
import type { Clock } from '../../../base/clock.ts';
import { gridError } from '../../../base/errors.ts';
import type { Limits } from '../../../base/limits.ts';
import { fitsReserve } from '../../../base/shares.ts';
import type { CacheDefinition } from '../../../grid/grid.ts';
import {
  answerOf,
  checkedAnswer,
  type Idempotency,
  type IdempotencyKey,
  type IdempotencyRecord,
  type IdempotencyTarget,
} from '../../../grid/idempotency.ts';
import { text } from '../../../values/value.ts';
import { hashOfText } from '../binary/java-hash.ts';
import type { Connection } from '../connections/connection.ts';
import type { Pool } from '../connections/pool.ts';
import { ATOMICITY, MODE, ownCache } from '../operations/cache-configuration.ts';
import { ENTRY } from '../operations/entry-operations.ts';
import { type Expiry, UNCHANGED_MS } from '../operations/expiry.ts';
import { CACHE } from '../operations/grid-operations.ts';
import type { Operation } from '../operations/operation.ts';
import { NodeError, STATUS, toGridError } from '../protocol/status.ts';
import { RecentKeys } from './recent-keys.ts';

const CACHE_NAME = 'svc-sys-idempotency';
const CACHE_ID = hashOfText(CACHE_NAME);
/** Time between counts of the keys. */
const COUNT_INTERVAL_MS = 10_000;

/** An open transaction. */
export interface OpenTransaction {
  readonly connection: Connection;
  readonly id: number;
}

export interface IdempotencyRecordsOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly limits: Pick<Limits, 'idempotencyKeys' | 'idempotencyAnswerCharacters'>;
  findCache(name: string): Promise<CacheDefinition | undefined>;
}

export class IdempotencyRecords implements Idempotency {
  readonly #options: IdempotencyRecordsOptions;
  /** Keys of this process's running requests. */
  readonly #running = new Set<string>();
  readonly #recent = new RecentKeys();
  #exists = false;
  #count = 0;
  #countedMs = Number.NEGATIVE_INFINITY;

  constructor(options: IdempotencyRecordsOptions) {
    this.#options = options;
  }

  async commits(target: IdempotencyTarget): Promise<boolean> {
    if (target.kind !== 'cache') return false;
    return (await this.#options.findCache(target.name))?.atomicity === 'TRANSACTIONAL';
  }

  sharesCommit(): boolean {
    return false;
  }

  async begin(key: IdempotencyKey, answer: string | null): Promise<string | undefined> {
    await this.prepare(key);
    const value = text(encode({ fingerprint: key.fingerprint, answer }));
    const args = { cacheId: CACHE_ID, key: text(key.id), value, expiry: this.#expiryOf(key) };
    if (await this.#run(ENTRY.putIfAbsent, args)) {
      this.#added(key);
      if (answer === null) this.#running.add(key.id);
      return undefined;
    }
    const kept = await this.#run(ENTRY.get, { cacheId: CACHE_ID, key: text(key.id) });
    // It has expired in the meantime.
    if (kept === undefined) return this.begin(key, answer);
    return this.#answerOf(key, kept.type === 'string' ? kept.data : '');
  }

  async complete(key: IdempotencyKey, answer: string | undefined): Promise<void> {
    const { limits } = this.#options;
    this.#running.delete(key.id);
    if (answer === undefined || answer.length > limits.idempotencyAnswerCharacters) return;
    const value = text(encode({ fingerprint: key.fingerprint, answer }));
    await this.#run(ENTRY.putOwn, { cacheId: CACHE_ID, key: text(key.id), value, expiry: this.#expiryOf(key) });
  }

  async discard(key: IdempotencyKey): Promise<void> {
    this.#running.delete(key.id);
    await this.#run(ENTRY.remove, { cacheId: CACHE_ID, key: text(key.id) });
  }

  /**
   * Creates the cache, which a transaction cannot do. Throws IDEMPOTENCY_FULL for a new key if there are too many, in
   * total or for its tenant.
   */
  async prepare(key: IdempotencyKey): Promise<void> {
    const { pool, clock, limits } = this.#options;
    if (!this.#exists) {
      const creation = { ...ownCache(CACHE_NAME, MODE.REPLICATED), atomicity: ATOMICITY.TRANSACTIONAL };
      await pool.call(CACHE.getOrCreate, creation, undefined, { cache: CACHE_NAME });
      this.#exists = true;
    }
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#countedMs >= COUNT_INTERVAL_MS) {
      this.#countedMs = nowMs;
      this.#count = await this.#run(ENTRY.size, { cacheId: CACHE_ID });
      this.#recent.sweep(clock.nowMs());
    }
    const { idempotencyKeys: limit } = limits;
    if (this.#count < limit || fitsReserve(limit, this.#count, this.#recent.countOf(key.tenant, clock.nowMs()))) {
      return;
    }
    const kept = await this.#run(ENTRY.get, { cacheId: CACHE_ID, key: text(key.id) });
    if (kept === undefined) throw gridError('IDEMPOTENCY_FULL', limit);
  }

  #added({ tenant, expiresAtMs }: IdempotencyKey): void {
    this.#count++;
    this.#recent.add(tenant, expiresAtMs);
  }

  /** Returns the response to a request, as a transaction sees it. Throws like {@link begin}. */
  async find(key: IdempotencyKey, { connection, id }: OpenTransaction): Promise<string | undefined> {
    const args = { cacheId: CACHE_ID, key: text(key.id), transactionId: id };
    const kept = await this.#options.pool.callOver(connection, ENTRY.get, args, { cache: CACHE_NAME });
    return kept === undefined ? undefined : this.#answerOf(key, kept.type === 'string' ? kept.data : '');
  }

  /** Stores a response as part of a transaction. Throws LIMIT_EXCEEDED. */
  async keep(key: IdempotencyKey, answer: string, { connection, id }: OpenTransaction): Promise<void> {
    const { pool, limits } = this.#options;
    const kept = checkedAnswer(answer, limits.idempotencyAnswerCharacters);
    const value = text(encode({ fingerprint: key.fingerprint, answer: kept }));
    const args = { cacheId: CACHE_ID, key: text(key.id), value, expiry: this.#expiryOf(key), transactionId: id };
    await pool.callOver(connection, ENTRY.put, args, { cache: CACHE_NAME });
    this.#added(key);
  }

  #answerOf(key: IdempotencyKey, content: string): string {
    return answerOf(decode(content), key, this.#running.has(key.id));
  }

  #expiryOf({ expiresAtMs }: IdempotencyKey): Expiry {
    const leftMs = BigInt(Math.max(1, Math.ceil(expiresAtMs - this.#options.clock.nowMs())));
    return { createMs: leftMs, updateMs: leftMs, accessMs: UNCHANGED_MS };
  }

  /** Runs an operation on the cache. A cluster that was restarted without persistence has lost it. */
  async #run<A, R>(operation: Operation<A, R>, args: A): Promise<R> {
    const { pool } = this.#options;
    try {
      return await pool.call(operation, args);
    } catch (error) {
      if (error instanceof NodeError && error.status === STATUS.CACHE_NOT_FOUND) this.#exists = false;
      throw toGridError(error, { cache: CACHE_NAME });
    }
  }
}

function encode({ fingerprint, answer }: IdempotencyRecord): string {
  return JSON.stringify([fingerprint, answer]);
}

function decode(content: string): IdempotencyRecord {
  // Only `encode` writes into the cache, whose name is reserved.
  const [fingerprint, answer] = JSON.parse(content) as [string, string | null];
  return { fingerprint, answer };
}
