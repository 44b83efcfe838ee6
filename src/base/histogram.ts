/** A histogram since startup, for one thread. */

/** A snapshot of a histogram. */
export interface Distribution {
  /** Upper bounds of the buckets, ascending; a last bucket without a bound follows. */
  readonly bounds: readonly number[];
  /** Not cumulative; one more than there are bounds. */
  readonly buckets: readonly number[];
  readonly sum: number;
}

export class Histogram {
  readonly #bounds: readonly number[];
  readonly #buckets: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#buckets = new Float64Array(bounds.length + 1);
  }

  record(amount: number): void {
    let bucket = 0;
    while (bucket < this.#bounds.length && amount > (this.#bounds[bucket] ?? 0)) bucket++;
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1;
    this.#sum += amount;
  }

  read(): Distribution {
    return { bounds: this.#bounds, buckets: [...this.#buckets], sum: this.#sum };
  }
}
