/** Bounds how many requests run at once. Further ones wait in order; those beyond a second limit are rejected. */
import { fail } from '../base/errors.ts';

export class Admission {
  readonly #inWorkLimit: number;
  readonly #waitingLimit: number;
  #inWork = 0;
  readonly #waiting: Array<() => void> = [];
  /** Index of the first in `#waiting` that still waits; removing the first element of an array costs its length. */
  #first = 0;

  constructor(inWorkLimit: number, waitingLimit: number) {
    this.#inWorkLimit = inWorkLimit;
    this.#waitingLimit = waitingLimit;
  }

  /** Requests that run now. Those that are answered synchronously never count. */
  get inWork(): number {
    return this.#inWork;
  }

  get waiting(): number {
    return this.#waiting.length - this.#first;
  }

  /** Reserves a place. Returns false when the request has to wait. */
  tryBegin(): boolean {
    if (this.#inWork >= this.#inWorkLimit) return false;
    this.#inWork++;
    return true;
  }

  /** Resolves when a place has been reserved, in the order of the calls. Throws OVERLOADED. */
  begin(): Promise<void> {
    if (this.waiting >= this.#waitingLimit) throw fail('OVERLOADED', this.waiting);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Releases the place to the request that has waited longest. */
  end(): void {
    const next = this.#waiting[this.#first];
    if (next === undefined) {
      this.#inWork--;
      return;
    }
    if (++this.#first * 2 > this.#waiting.length) {
      this.#waiting.splice(0, this.#first);
      this.#first = 0;
    }
    next();
  }
}
