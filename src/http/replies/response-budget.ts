/**
 * Accounts for the bytes of responses that clients have not read: one total for all HTTP threads. While it is exceeded,
 * the connection that has read nothing for the longest time is closed; each thread checks its own when it needs bytes,
 * and once a second. Counts are in shared memory, one block per thread.
 */
import type { Clock } from '../../base/clock.ts';

/** Bytes are counted in units, so that a shared 32-bit counter covers 2 TiB. */
const UNIT_BYTES = 1_024;
/** Per thread: its units, and since when its most stalled connection has stalled. */
const THREAD_BYTES = Int32Array.BYTES_PER_ELEMENT + Float64Array.BYTES_PER_ELEMENT;
/** Multiple of the limit that the total may reach while another thread is expected to close a connection. */
const MAX_TOTAL = 2;

/** Allocates the memory that `threads` HTTP threads share. */
export function responseMemory(threads: number): SharedArrayBuffer {
  return new SharedArrayBuffer(threads * THREAD_BYTES);
}

export class ResponseBudget {
  readonly #limitUnits: number;
  readonly #clock: Clock;
  readonly #thread: number;
  /** Time in ms since which each thread's most stalled connection has read nothing, or 0 if it has none. */
  readonly #stalledSince: Float64Array;
  /** Units per thread. */
  readonly #units: Int32Array;
  /** This thread's accounts that hold bytes, those whose clients have read nothing for the longest time first. */
  readonly #holding = new Map<ResponseAccount, number>();

  constructor(limitBytes: number, clock: Clock, memory = responseMemory(1), thread = 0) {
    const threads = memory.byteLength / THREAD_BYTES;
    this.#limitUnits = Math.floor(limitBytes / UNIT_BYTES);
    this.#clock = clock;
    this.#thread = thread;
    this.#stalledSince = new Float64Array(memory, 0, threads);
    this.#units = new Int32Array(memory, this.#stalledSince.byteLength, threads);
    // A restarted thread inherits nothing from the one that died.
    Atomics.store(this.#units, thread, 0);
    this.#stalledSince[thread] = 0;
  }

  /** Opens a connection's account; `close` closes the connection if others need its bytes. */
  open(close: () => void): ResponseAccount {
    return new ResponseAccount(this, close);
  }

  /** Bytes currently held by all threads. */
  get usedBytes(): number {
    return this.#used * UNIT_BYTES;
  }

  get #used(): number {
    let sum = 0;
    for (let thread = 0; thread < this.#units.length; thread++) sum += Atomics.load(this.#units, thread);
    return sum;
  }

  /** Changes an account's bytes. If they shrink, the client has read, and the account moves to the end of the queue. */
  change(account: ResponseAccount, fromUnits: number, toUnits: number): void {
    if (toUnits < fromUnits) this.#holding.delete(account);
    if (toUnits > 0 && !this.#holding.has(account)) this.#holding.set(account, this.#clock.nowMs());
    const [since = 0] = this.#holding.values();
    this.#stalledSince[this.#thread] = since;
    Atomics.add(this.#units, this.#thread, toUnits - fromUnits);
    if (toUnits > fromUnits) this.closeStalled(account);
  }

  /**
   * Closes stalled connections of this thread while the total exceeds the limit and no other thread has one that has
   * stalled for longer. A single response always fits, and `growing`, which has just grown, has not stalled.
   */
  closeStalled(growing?: ResponseAccount): void {
    for (let used = this.#used; used > this.#limitUnits; used = this.#used) {
      const [first] = this.#holding.keys();
      if (first === undefined || first === growing || first.units === used) return;
      if (this.#mostStalled() !== this.#thread && used <= this.#limitUnits * MAX_TOTAL) return;
      first.close();
    }
  }

  /** Returns the thread with the connection that has read nothing for the longest time. */
  #mostStalled(): number {
    let found = this.#thread;
    let least = this.#stalledSince[found] || Number.POSITIVE_INFINITY;
    for (const [thread, since] of this.#stalledSince.entries()) {
      if (since > 0 && since < least) [found, least] = [thread, since];
    }
    return found;
  }
}

/** The bytes held by one connection's responses. */
export class ResponseAccount {
  readonly #budget: ResponseBudget;
  readonly #close: () => void;
  #units = 0;

  constructor(budget: ResponseBudget, close: () => void) {
    this.#budget = budget;
    this.#close = close;
  }

  get units(): number {
    return this.#units;
  }

  /** Changes the account to `bytes` in total. May close connections, even this one. */
  hold(bytes: number): void {
    const before = this.#units;
    this.#units = Math.ceil(bytes / UNIT_BYTES);
    if (this.#units !== before) this.#budget.change(this, before, this.#units);
  }

  /** Closes the connection, because others need its bytes. */
  close(): void {
    this.hold(0);
    this.#close();
  }
}
