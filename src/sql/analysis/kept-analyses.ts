/**
 * A small cache by text. Entries move from a young generation to an old one, and go when they were not asked for
 * during a whole generation: a hit changes nothing in most cases, unlike in a list in order of use.
 */
export class KeptAnalyses<T> {
  readonly #perEpoch: number;
  #young = new Map<string, T>();
  #old = new Map<string, T>();

  /** Keeps at most `count` entries. */
  constructor(count: number) {
    this.#perEpoch = Math.max(1, Math.floor(count / 2));
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(text: string): T | undefined {
    const young = this.#young.get(text);
    if (young !== undefined) return young;
    const old = this.#old.get(text);
    if (old === undefined) return undefined;
    this.#old.delete(text);
    this.set(text, old);
    return old;
  }

  set(text: string, value: T): void {
    if (this.#young.size >= this.#perEpoch) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(text, value);
  }
}
