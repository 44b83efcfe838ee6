import type { TenantCount } from './shares.ts';

/**
 * Counts the units that each tenant holds in all threads. Each thread keeps its counts in shared memory. Tenants are
 * distinguished by a hash of their key, so two of them may rarely share a count.
 */
const SLOTS = 1_024;

export function sharedUsageBytes(threads: number): number {
  return threads * SLOTS * Int32Array.BYTES_PER_ELEMENT;
}

export class SharedUsage {
  readonly #counts: Int32Array;
  readonly #threads: number;

  constructor(memory: ArrayBufferLike, offset: number, threads: number) {
    this.#counts = new Int32Array(memory, offset, threads * SLOTS);
    this.#threads = threads;
  }

  /** Adds to the units that a tenant holds in a thread. The number can be negative. */
  add(thread: number, key: string, units: number): void {
    Atomics.add(this.#counts, thread * SLOTS + slotOf(key), units);
  }

  /** Returns the count over all threads. */
  count(key: string): number {
    return this.#sum(slotOf(key));
  }

  /** Returns the tenants of the most used slot, and its count over all threads. */
  most(): TenantCount {
    let key = 0;
    let count = 0;
    for (let slot = 0; slot < SLOTS; slot++) {
      const sum = this.#sum(slot);
      if (sum > count) [key, count] = [slot, sum];
    }
    return { key: String(key), count };
  }

  /** Resets the counts of a thread that has ended. */
  ended(thread: number): void {
    for (let slot = 0; slot < SLOTS; slot++) Atomics.store(this.#counts, thread * SLOTS + slot, 0);
  }

  #sum(slot: number): number {
    let sum = 0;
    for (let thread = 0; thread < this.#threads; thread++) sum += Atomics.load(this.#counts, thread * SLOTS + slot);
    return sum;
  }
}

/** Returns a tenant's key in the form that {@link SharedUsage.most} returns. */
export function holderKey(key: string): string {
  return String(slotOf(key));
}

function slotOf(key: string): number {
  return Number(BigInt(Bun.hash(key)) % BigInt(SLOTS));
}
