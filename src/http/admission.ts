/** How many requests are in work at once: more wait in order, and more than may wait are refused. */
import { fail } from '../base/errors.ts';

export class Admission {
  readonly #inWorkLimit: number;
  readonly #waitingLimit: number;
  #inWork = 0;
  readonly #waiting: Array<() => void> = [];
  /** Index of the first in `#waiting` that still waits; taking from the front of an array would cost its length. */
  #first = 0;

  constructor(inWorkLimit: number, waitingLimit: number) {
    this.#inWorkLimit = inWorkLimit;
    this.#waitingLimit = waitingLimit;
  }

  /** Requests in work; those that are answered at once never count. */
  get inWork(): number {
    return this.#inWork;
  }

  get waiting(): number {
    return this.#waiting.length - this.#first;
  }

  /** Takes a place; false when the request has to wait. */
  tryBegin(): boolean {
    if (this.#inWork >= this.#inWorkLimit) return false;
    this.#inWork++;
    return true;
  }

  /** Resolves when a place has been taken, in the order of asking. Refuses OVERLOADED. */
  begin(): Promise<void> {
    if (this.waiting >= this.#waitingLimit) throw fail('OVERLOADED', this.waiting);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Gives the place back, to the one who waits longest. */
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
