/**
 * Accounts for the bytes of responses that clients have not read: one total for all HTTP threads. When it is exceeded,
 * the connection that has read nothing for the longest time is closed, in whichever thread it is. Counts are in shared
 * memory, one block for each thread.
 */
import type { Clock } from '../../base/clock.ts';

/** Bytes are counted in units, so that a shared 32-bit counter holds 2 TiB. */
const UNIT_BYTES = 1_024;
/** Of each thread: its units, whether it is to close its most stalled connection, and since when that has stalled. */
const USED = 0;
const ASKED = 1;
const STATE_SLOTS = 2;
const THREAD_BYTES = STATE_SLOTS * Int32Array.BYTES_PER_ELEMENT + Float64Array.BYTES_PER_ELEMENT;
/** Multiple of the limit that the total may reach while another thread is to close a connection. */
const MOST_TOTAL = 2;

/** Allocates the memory that `threads` HTTP threads share. */
export function responseMemory(threads: number): SharedArrayBuffer {
  return new SharedArrayBuffer(threads * THREAD_BYTES);
}

export class ResponseBudget {
  readonly #limitUnits: number;
  readonly #clock: Clock;
  readonly #thread: number;
  /** Time in ms since which the most stalled connection of each thread has read nothing; 0: it has none. */
  readonly #stalledSince: Float64Array;
  readonly #states: Int32Array;
  /** The accounts of this thread that hold bytes, the one whose client has read nothing for the longest time first. */
  readonly #holding = new Map<ResponseAccount, number>();
  #closed = 0;

  constructor(limitBytes: number, clock: Clock, memory = responseMemory(1), thread = 0) {
    const threads = memory.byteLength / THREAD_BYTES;
    this.#limitUnits = Math.floor(limitBytes / UNIT_BYTES);
    this.#clock = clock;
    this.#thread = thread;
    this.#stalledSince = new Float64Array(memory, 0, threads);
    this.#states = new Int32Array(memory, this.#stalledSince.byteLength, threads * STATE_SLOTS);
    // A thread that is started again inherits nothing from the one that died.
    for (const slot of [USED, ASKED]) Atomics.store(this.#states, thread * STATE_SLOTS + slot, 0);
    this.#stalledSince[thread] = 0;
  }

  /** Opens the account of a connection, which `close` closes because others need its bytes. */
  open(close: () => void): ResponseAccount {
    return new ResponseAccount(this, close);
  }

  /** Bytes that all threads hold now. */
  get usedBytes(): number {
    return this.#used * UNIT_BYTES;
  }

  /** The number of connections that this thread closed to free bytes for others. */
  get closed(): number {
    return this.#closed;
  }

  get hasOtherThreads(): boolean {
    return this.#stalledSince.length > 1;
  }

  /** Whether this thread holds bytes of responses. */
  get isHolding(): boolean {
    return this.#holding.size > 0;
  }

  get #used(): number {
    let sum = 0;
    for (let at = USED; at < this.#states.length; at += STATE_SLOTS) sum += Atomics.load(this.#states, at);
    return sum;
  }

  /** Changes what an account holds. One that holds less has been read from, and is behind all others. */
  change(account: ResponseAccount, fromUnits: number, toUnits: number): void {
    if (toUnits < fromUnits || fromUnits === 0) this.#holding.delete(account);
    if (toUnits > 0 && !this.#holding.has(account)) this.#holding.set(account, this.#clock.nowMs());
    this.#publish();
    Atomics.add(this.#states, this.#thread * STATE_SLOTS + USED, toUnits - fromUnits);
    if (toUnits > fromUnits) this.#closeStalled(account);
  }

  /** Closes a connection if another thread has asked for it. */
  closeIfAsked(): void {
    const asked = Atomics.exchange(this.#states, this.#thread * STATE_SLOTS + ASKED, 0);
    if (asked === 1 && this.#used > this.#limitUnits) this.#closeStalled();
  }

  /** Closes stalled connections until the total is within the limit. A single response always fits. */
  #closeStalled(growing?: ResponseAccount): void {
    for (let used = this.#used; used > this.#limitUnits; used = this.#used) {
      const thread = this.#mostStalled();
      const isOwn = thread === this.#thread || used > this.#limitUnits * MOST_TOTAL;
      const [first] = this.#holding.keys();
      if (first?.units === used) return;
      // One that has just grown has not stalled.
      if (!isOwn || first === undefined || (first === growing && thread !== this.#thread)) {
        Atomics.store(this.#states, thread * STATE_SLOTS + ASKED, 1);
        return;
      }
      this.#closed++;
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

  #publish(): void {
    const [since = 0] = this.#holding.values();
    this.#stalledSince[this.#thread] = since;
  }
}

/** The bytes of responses that one connection holds. */
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

  /** Accounts for `bytes` in all from now on. May close connections, also this one. */
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
