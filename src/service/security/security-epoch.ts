/**
 * A number in shared memory that every change of a user raises, after the change is in the store and before it is
 * answered. What a thread remembers of users and sessions counts only while the number is the one it was read under.
 */
export class SecurityEpoch {
  /** Handed to the other threads, so that all look at the same number. */
  readonly memory: SharedArrayBuffer;
  readonly #number: Int32Array;

  constructor(memory = new SharedArrayBuffer(4)) {
    this.memory = memory;
    this.#number = new Int32Array(memory);
  }

  current(): number {
    return Atomics.load(this.#number, 0);
  }

  raise(): void {
    Atomics.add(this.#number, 0, 1);
  }
}
