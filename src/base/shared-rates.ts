/**
 * Counts requests against rates over all threads, in shared memory of a fixed size. The algorithm is GCRA, a token
 * bucket that stores one time: when the bucket will be full again. A bucket holds the requests of one window and
 * refills evenly.
 *
 * The memory is a hash table of sets with a few slots each. When a set is full, a new bucket takes the slot of the
 * fullest one: forgetting it gives its owner the fewest requests. Names are hashed with a random seed, so nobody can
 * choose ones that share a set.
 */
import { type Clock, randomBytes } from './clock.ts';
import type { Rate } from './rates.ts';

/** A bucket after a request. */
export interface RateState {
  readonly admitted: boolean;
  /** Requests that would be admitted now. */
  readonly remaining: number;
  /** Time until the bucket is full. */
  readonly resetMs: number;
  /** Time until the next request is admitted; 0 after one that was. */
  readonly retryMs: number;
}

const SLOTS_PER_SET = 8;
const SETS = 4_096;
const SET_MASK = BigInt(SETS - 1);
const HASH_SHIFT = 12n;
/** The name and the time of a bucket. */
const WORDS_PER_SLOT = 2;
const SEED_WORD = 0;
const FIRST_SLOT = 1;
const WORDS = FIRST_SLOT + SETS * SLOTS_PER_SET * WORDS_PER_SLOT;
const NS_PER_MS = 1_000_000;
const NO_NAME = 0n;

/** Creates the memory, 512 KiB. */
export function rateMemory(): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(WORDS * BigInt64Array.BYTES_PER_ELEMENT);
  new BigInt64Array(memory)[SEED_WORD] = new BigInt64Array(randomBytes(8).buffer)[0] ?? 0n;
  return memory;
}

export class SharedRates {
  readonly #clock: Clock;
  readonly #words: BigInt64Array;
  readonly #seed: bigint;

  constructor(clock: Clock, memory: SharedArrayBuffer) {
    this.#clock = clock;
    this.#words = new BigInt64Array(memory);
    this.#seed = BigInt.asUintN(64, this.#words[SEED_WORD] ?? 0n);
  }

  /** Takes a request from a bucket. A bucket belongs to a name, which must have one rate at a time. */
  take(name: string, { requests, windowMs }: Rate): RateState {
    // The time of day, because threads share no other clock.
    const now = BigInt(Math.floor(this.#clock.nowMs())) * BigInt(NS_PER_MS);
    const windowNs = windowMs * NS_PER_MS;
    const costNs = windowNs / requests;
    const word = this.#find(name, now) + 1;
    for (;;) {
      const fullAt = Atomics.load(this.#words, word);
      const aheadNs = this.#ahead(fullAt, now, windowNs);
      const nextNs = aheadNs + costNs;
      // The times are rounded to nanoseconds.
      if (nextNs > windowNs + 1) return stateOf(false, aheadNs, costNs, windowNs);
      const next = now + BigInt(Math.floor(nextNs));
      if (Atomics.compareExchange(this.#words, word, fullAt, next) === fullAt) {
        return stateOf(true, nextNs, costNs, windowNs);
      }
    }
  }

  /** Returns how long it takes until a bucket is full. A longer time than its window is left of another time of day. */
  #ahead(fullAt: bigint, now: bigint, windowNs: number): number {
    const aheadNs = Number(fullAt - now);
    return aheadNs < 0 || aheadNs > windowNs + 1 ? 0 : aheadNs;
  }

  /** Returns the index of the slot of a bucket, which it takes if the bucket has none. */
  #find(name: string, now: bigint): number {
    const words = this.#words;
    const hash = BigInt.asUintN(64, BigInt(Bun.hash.xxHash64(name, this.#seed)));
    const own = BigInt.asIntN(64, (hash >> HASH_SHIFT) | 1n);
    const start = FIRST_SLOT + Number(hash & SET_MASK) * SLOTS_PER_SET * WORDS_PER_SLOT;
    let fullest = start;
    let fullestAt: bigint | undefined;
    for (let slot = start; slot < start + SLOTS_PER_SET * WORDS_PER_SLOT; slot += WORDS_PER_SLOT) {
      const found = Atomics.load(words, slot);
      if (found === own) return slot;
      const fullAt = found === NO_NAME ? 0n : Atomics.load(words, slot + 1);
      if (fullestAt === undefined || fullAt < fullestAt) [fullest, fullestAt] = [slot, fullAt];
    }
    // Two threads may do the same at once: the loser counts one request in the bucket of the other.
    Atomics.store(words, fullest, own);
    Atomics.store(words, fullest + 1, now);
    return fullest;
  }
}

function stateOf(admitted: boolean, aheadNs: number, costNs: number, windowNs: number): RateState {
  return {
    admitted,
    remaining: Math.max(0, Math.floor((windowNs + 1 - aheadNs) / costNs)),
    resetMs: aheadNs / NS_PER_MS,
    retryMs: admitted ? 0 : (aheadNs + costNs - windowNs) / NS_PER_MS,
  };
}
