/**
 * Accounts for the bytes of requests that the process buffers: one total for all HTTP threads, and a smaller one for
 * senders that have not been authenticated. Counts are in shared memory, one slot for each thread.
 */
import { fail } from '../base/errors.ts';

export interface BufferLimits {
  /** Bytes of all requests. */
  readonly totalBytes: number;
  /** Bytes of requests whose sender is not known yet; counts only where senders have to be known. */
  readonly unprovenBytes: number;
}

const UNIT_BYTES = 1_024;
const SLOTS_PER_THREAD = 2;

/** Allocates the memory that `threads` HTTP threads share. */
export function bufferMemory(threads: number): SharedArrayBuffer {
  return new SharedArrayBuffer(threads * SLOTS_PER_THREAD * Int32Array.BYTES_PER_ELEMENT);
}

export class BufferBudget {
  readonly #limits: BufferLimits;
  readonly #slots: Int32Array;
  /** Index of this thread's slot with all its units; the next one holds those of unproven senders. */
  readonly #own: number;

  constructor(limits: BufferLimits, memory: SharedArrayBuffer = bufferMemory(1), thread = 0) {
    this.#limits = limits;
    this.#slots = new Int32Array(memory);
    this.#own = thread * SLOTS_PER_THREAD;
    // A thread that is started again inherits nothing from the one that died.
    Atomics.store(this.#slots, this.#own, 0);
    Atomics.store(this.#slots, this.#own + 1, 0);
  }

  /** Starts an account of one request. `proven`: its sender is known, or need not be. */
  open(proven: boolean): BufferAccount {
    return new BufferAccount(this, proven);
  }

  /** Bytes that all threads hold now. */
  get usedBytes(): number {
    return this.#sum(0) * UNIT_BYTES;
  }

  /** Adds units, which can be negative. Throws BUFFERS_FULL, and adds nothing, when a limit would be exceeded. */
  add(units: number, proven: boolean): void {
    Atomics.add(this.#slots, this.#own, units);
    if (!proven) Atomics.add(this.#slots, this.#own + 1, units);
    if (units <= 0) return;
    const { totalBytes, unprovenBytes } = this.#limits;
    const exceeded = this.#sum(0) * UNIT_BYTES > totalBytes || (!proven && this.#sum(1) * UNIT_BYTES > unprovenBytes);
    if (!exceeded) return;
    this.add(-units, proven);
    throw fail('BUFFERS_FULL', proven ? totalBytes : Math.min(totalBytes, unprovenBytes));
  }

  /** Moves units of a sender that is known now to the total alone. */
  prove(units: number): void {
    Atomics.sub(this.#slots, this.#own + 1, units);
  }

  /** Throws BUFFERS_FULL when so many more bytes do not fit now. Reserves nothing. */
  check(bytes: number, proven: boolean): void {
    const units = unitsOf(bytes);
    this.add(units, proven);
    this.add(-units, proven);
  }

  #sum(offset: number): number {
    let sum = 0;
    for (let at = offset; at < this.#slots.length; at += SLOTS_PER_THREAD) sum += Atomics.load(this.#slots, at);
    return sum;
  }
}

/** The bytes that one request or connection holds. */
export class BufferAccount {
  readonly #budget: BufferBudget;
  #proven: boolean;
  #units = 0;

  constructor(budget: BufferBudget, proven: boolean) {
    this.#budget = budget;
    this.#proven = proven;
  }

  get proven(): boolean {
    return this.#proven;
  }

  /** Throws BUFFERS_FULL when a request that is announced with so many bytes cannot fit. */
  check(bytes: number): void {
    this.#budget.check(bytes, this.#proven);
  }

  /** Accounts for `bytes` in all from now on. Throws BUFFERS_FULL, and keeps the former number. */
  hold(bytes: number): void {
    const units = unitsOf(bytes);
    if (units === this.#units) return;
    this.#budget.add(units - this.#units, this.#proven);
    this.#units = units;
  }

  /** The sender is known from now on. */
  prove(): void {
    if (this.#proven) return;
    this.#proven = true;
    this.#budget.prove(this.#units);
  }

  release(): void {
    this.hold(0);
  }
}

function unitsOf(bytes: number): number {
  return Math.ceil(bytes / UNIT_BYTES);
}
