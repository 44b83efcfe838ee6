/** The random numbers of a statement. */

const MASK = (1n << 48n) - 1n;
const MULTIPLIER = 0x5deece66dn;

/** Returns numbers in [0, 1): from a source until {@link seed} is called, then as java.util.Random does. */
export class RandomSource {
  readonly #source: () => number;
  /** State of the generator, or undefined before the first seed. */
  #state: bigint | undefined;

  constructor(source: () => number) {
    this.#source = source;
  }

  seed(seed: bigint): void {
    this.#state = (seed ^ MULTIPLIER) & MASK;
  }

  next(): number {
    const state = this.#state;
    if (state === undefined) return this.#source();
    const first = (state * MULTIPLIER + 0xbn) & MASK;
    const second = (first * MULTIPLIER + 0xbn) & MASK;
    this.#state = second;
    return Number(((first >> 22n) << 27n) + (second >> 21n)) / 2 ** 53;
  }
}
