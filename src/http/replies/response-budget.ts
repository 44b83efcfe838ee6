/**
 * Accounts for the bytes of responses that clients have not read: one total for all HTTP threads. While it is exceeded,
 * each thread that holds more than its part closes its connections that have read nothing for the longest time. Counts
 * are in shared memory, one for each thread.
 */

/** Bytes are counted in units, so that a shared 32-bit counter holds 2 TiB. */
const UNIT_BYTES = 1_024;

/** Allocates the memory that `threads` HTTP threads share. */
export function responseMemory(threads: number): SharedArrayBuffer {
  return new SharedArrayBuffer(threads * Int32Array.BYTES_PER_ELEMENT);
}

export class ResponseBudget {
  readonly #limitUnits: number;
  readonly #thread: number;
  /** Units of each thread. */
  readonly #units: Int32Array;
  /** The accounts of this thread that hold bytes, the one whose client has read nothing for the longest time first. */
  readonly #holding = new Set<ResponseAccount>();

  constructor(limitBytes: number, memory = responseMemory(1), thread = 0) {
    this.#limitUnits = Math.floor(limitBytes / UNIT_BYTES);
    this.#thread = thread;
    this.#units = new Int32Array(memory);
    // A thread that is started again inherits nothing from the one that died.
    Atomics.store(this.#units, thread, 0);
  }

  /** Opens the account of a connection, which `close` closes because others need its bytes. */
  open(close: () => void): ResponseAccount {
    return new ResponseAccount(this, close);
  }

  /** Bytes that all threads hold now. */
  get usedBytes(): number {
    return this.#used * UNIT_BYTES;
  }

  get #used(): number {
    let sum = 0;
    for (let thread = 0; thread < this.#units.length; thread++) sum += Atomics.load(this.#units, thread);
    return sum;
  }

  /** Changes what an account holds. One that holds less has been read from, and is behind all others. */
  change(account: ResponseAccount, fromUnits: number, toUnits: number): void {
    if (toUnits < fromUnits) this.#holding.delete(account);
    if (toUnits > 0) this.#holding.add(account);
    Atomics.add(this.#units, this.#thread, toUnits - fromUnits);
    if (toUnits > fromUnits) this.closeStalled(account);
  }

  /**
   * Closes stalled connections of this thread while the total is beyond the limit and this thread beyond its part. A
   * single response always fits, and the one that has just grown has not stalled.
   */
  closeStalled(growing?: ResponseAccount): void {
    const part = this.#limitUnits / this.#units.length;
    for (let used = this.#used; used > this.#limitUnits; used = this.#used) {
      const [first] = this.#holding;
      if (first === undefined || first === growing || first.units === used) return;
      if (Atomics.load(this.#units, this.#thread) <= part) return;
      first.close();
    }
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
