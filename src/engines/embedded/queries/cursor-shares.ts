import type { Holder } from '../../../base/shares.ts';

/**
 * Counts the open cursors of each claimant in all query threads. Each thread counts its own in shared memory. Claimants
 * are distinguished by a hash of their key, so two of them may rarely share a count.
 */
const SLOTS = 1_024;

export function cursorSharesBytes(threads: number): number {
  return threads * SLOTS * Int32Array.BYTES_PER_ELEMENT;
}

export class CursorShares {
  readonly #counts: Int32Array;
  readonly #threads: number;

  constructor(memory: SharedArrayBuffer, offset: number, threads: number) {
    this.#counts = new Int32Array(memory, offset, threads * SLOTS);
    this.#threads = threads;
  }

  add(thread: number, key: string, change: 1 | -1): void {
    Atomics.add(this.#counts, thread * SLOTS + slotOf(key), change);
  }

  /** Returns the count over all threads. */
  count(key: string): number {
    const slot = slotOf(key);
    let sum = 0;
    for (let thread = 0; thread < this.#threads; thread++) sum += Atomics.load(this.#counts, thread * SLOTS + slot);
    return sum;
  }

  /** Returns the claimants of the most used slot, and the count over all threads. */
  most(): Holder {
    let key = 0;
    let count = 0;
    for (let slot = 0; slot < SLOTS; slot++) {
      let sum = 0;
      for (let thread = 0; thread < this.#threads; thread++) sum += Atomics.load(this.#counts, thread * SLOTS + slot);
      if (sum > count) [key, count] = [slot, sum];
    }
    return { key: String(key), count };
  }

  /** Resets the counts of a thread that has ended. */
  ended(thread: number): void {
    for (let slot = 0; slot < SLOTS; slot++) Atomics.store(this.#counts, thread * SLOTS + slot, 0);
  }
}

/** Returns the key of a claimant as {@link CursorShares.most} returns it. */
export function holderKey(key: string): string {
  return String(slotOf(key));
}

function slotOf(key: string): number {
  return Number(BigInt(Bun.hash(key)) % BigInt(SLOTS));
}
