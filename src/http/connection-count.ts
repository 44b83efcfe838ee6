/** Counts the connections of all HTTP threads in shared memory, so that together they stay within one bound. */

/** Allocates the memory that `threads` HTTP threads share. */
export function connectionMemory(threads: number): SharedArrayBuffer {
  return new SharedArrayBuffer(threads * Int32Array.BYTES_PER_ELEMENT);
}

export class ConnectionCount {
  readonly #most: number;
  readonly #slots: Int32Array;
  readonly #own: number;

  constructor(most: number, memory: SharedArrayBuffer = connectionMemory(1), thread = 0) {
    this.#most = most;
    this.#slots = new Int32Array(memory);
    this.#own = thread;
    // A dead thread's connections were closed with it.
    Atomics.store(this.#slots, thread, 0);
  }

  /** Counts one more. */
  open(): void {
    Atomics.add(this.#slots, this.#own, 1);
  }

  /** Counts one less. */
  close(): void {
    Atomics.sub(this.#slots, this.#own, 1);
  }

  /** Whether the maximum has been reached. */
  get isFull(): boolean {
    return this.current >= this.#most;
  }

  /** Connections of all threads. */
  get current(): number {
    let sum = 0;
    for (let slot = 0; slot < this.#slots.length; slot++) sum += Atomics.load(this.#slots, slot);
    return sum;
  }
}
