/** Wakes waiters in any thread of this process, without a timer. */

export function signalMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
}

export class ThreadSignal {
  readonly #count: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#count = new Int32Array(memory);
  }

  /** The number of signals sent. Read it before checking the announced state, so no signal is missed. */
  get count(): number {
    return Atomics.load(this.#count, 0);
  }

  send(): void {
    Atomics.add(this.#count, 0, 1);
    Atomics.notify(this.#count, 0);
  }

  /** Resolves when it has been sent after a count was read, and after a time in any case. */
  async after(count: number, limitMs: number): Promise<void> {
    await Atomics.waitAsync(this.#count, 0, count, limitMs).value;
  }
}
