/**
 * Limits request rates across all threads, in shared memory of a fixed size. The algorithm is GCRA, a token bucket that
 * stores one time: when the bucket will be full again. A bucket holds the requests of one window and refills evenly.
 *
 * The memory is a hash table of sets with a few slots each. When a set is full, a new bucket takes the slot of the
 * fullest one: forgetting it gives its owner the fewest requests. Names are hashed with a random seed, so no one can
 * choose names that share a set.
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
  /** Time until the next request is admitted, or 0 after an admitted one. */
  readonly retryMs: number;
}

/** Number of names whose requests are counted at the same time. */
const BUCKETS = 32_768;
const SLOTS_PER_SET = 8;
const SETS = BUCKETS / SLOTS_PER_SET;
const SET_MASK = BigInt(SETS - 1);
const HASH_SHIFT = 12n;
/** A bucket's name and time. */
const WORDS_PER_SLOT = 2;
const SEED_WORD = 0;
/** The lock of threads that add buckets: its holder's ticket. */
const LOCK_WORD = 1;
const FREE = 0n;
/** The last ticket; each acquisition has its own. */
const TICKET_WORD = 2;
/** The holder needs microseconds: one that has not released the lock by then has ended. */
const LOCK_WAIT_MS = 1_000;
const FIRST_SLOT = 3;
const WORDS_PER_SET = SLOTS_PER_SET * WORDS_PER_SLOT;
const WORDS = FIRST_SLOT + SETS * WORDS_PER_SET;
const NS_PER_MS = 1_000_000;
const NO_NAME = 0n;

/** Creates the memory. */
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
    const words = this.#words;
    const windowNs = windowMs * NS_PER_MS;
    const costNs = windowNs / requests;
    const hash = BigInt.asUintN(64, BigInt(Bun.hash.xxHash64(name, this.#seed)));
    const own = BigInt.asIntN(64, (hash >> HASH_SHIFT) | 1n);
    const set = FIRST_SLOT + Number(hash & SET_MASK) * WORDS_PER_SET;
    for (;;) {
      const slot = this.#find(own, set) ?? this.#add(own, set);
      const fullAt = Atomics.load(words, slot + 1);
      // The slot may meanwhile belong to another name's bucket.
      if (Atomics.load(words, slot) !== own) continue;
      // Read after the bucket: otherwise another thread may have filled it at a later time.
      const now = this.#now();
      const aheadNs = this.#ahead(fullAt, now, windowNs);
      const nextNs = aheadNs + costNs;
      // The times are rounded to nanoseconds.
      if (nextNs > windowNs + 1) return stateOf(false, aheadNs, costNs, windowNs);
      const next = now + BigInt(Math.floor(nextNs));
      if (Atomics.compareExchange(words, slot + 1, fullAt, next) === fullAt) {
        return stateOf(true, nextNs, costNs, windowNs);
      }
    }
  }

  /** The time of day in ns, because threads share no other clock. */
  #now(): bigint {
    return BigInt(Math.floor(this.#clock.nowMs())) * BigInt(NS_PER_MS);
  }

  /** Returns the time until a bucket is full. More than its window means that the clock was set back. */
  #ahead(fullAt: bigint, now: bigint, windowNs: number): number {
    const aheadNs = Number(fullAt - now);
    return aheadNs < 0 || aheadNs > windowNs + 1 ? 0 : aheadNs;
  }

  /** Returns the slot index of a bucket, or undefined if it has none. */
  #find(own: bigint, set: number): number | undefined {
    for (let slot = set; slot < set + WORDS_PER_SET; slot += WORDS_PER_SLOT) {
      if (Atomics.load(this.#words, slot) === own) return slot;
    }
    return undefined;
  }

  /** Returns the slot index of a new bucket. Holds a lock, so that two threads do not give the bucket two slots. */
  #add(own: bigint, set: number): number {
    const words = this.#words;
    const now = this.#now();
    const ticket = this.#lock();
    try {
      const known = this.#find(own, set);
      if (known !== undefined) return known;
      const fullest = this.#fullest(set);
      // In this order, or a request could be counted in another name's bucket.
      Atomics.store(words, fullest, NO_NAME);
      Atomics.store(words, fullest + 1, now);
      Atomics.store(words, fullest, own);
      return fullest;
    } finally {
      // Another thread has taken it if this one stood still for too long.
      if (Atomics.compareExchange(words, LOCK_WORD, ticket, FREE) === ticket) Atomics.notify(words, LOCK_WORD, 1);
    }
  }

  /** Acquires the lock, even from a holder that has ended, and returns the ticket. */
  #lock(): bigint {
    const words = this.#words;
    const ticket = Atomics.add(words, TICKET_WORD, 1n) + 1n;
    for (;;) {
      const holder = Atomics.compareExchange(words, LOCK_WORD, FREE, ticket);
      if (holder === FREE) return ticket;
      const hasEnded = Atomics.wait(words, LOCK_WORD, holder, LOCK_WAIT_MS) === 'timed-out';
      if (hasEnded && Atomics.compareExchange(words, LOCK_WORD, holder, ticket) === holder) return ticket;
    }
  }

  /** Returns the index of the set's slot that is free or has the fullest bucket. */
  #fullest(set: number): number {
    let fullest = set;
    let fullestAt: bigint | undefined;
    for (let slot = set; slot < set + WORDS_PER_SET; slot += WORDS_PER_SLOT) {
      const fullAt = Atomics.load(this.#words, slot + 1);
      if (fullestAt === undefined || fullAt < fullestAt) [fullest, fullestAt] = [slot, fullAt];
    }
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
