/**
 * A counter in shared memory, incremented by every change of a user after the change is stored and before the request
 * is answered. A thread's cached users and sessions are valid only under the epoch in which they were read.
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
