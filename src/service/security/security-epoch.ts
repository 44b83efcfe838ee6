/**
 * A counter in shared memory that every change of a user increments after the change is stored and before the request
 * is answered. Cached users and sessions of a thread are valid only under the epoch they were read in.
 */
export class SecurityEpoch {
  /** Passed to the other threads, which share the counter. */
  readonly memory: SharedArrayBuffer;
  readonly #epoch: Int32Array;

  constructor(memory = new SharedArrayBuffer(4)) {
    this.memory = memory;
    this.#epoch = new Int32Array(memory);
  }

  current(): number {
    return Atomics.load(this.#epoch, 0);
  }

  raise(): void {
    Atomics.add(this.#epoch, 0, 1);
  }
}
