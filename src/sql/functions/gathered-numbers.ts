/** The numbers that an aggregate collects, in arrays with 8 bytes per number instead of heap cells. */

/** Number of elements in the first chunk, because there can be many small groups, and in the longest. */
const CHUNK_LENGTHS = { first: 16, longest: 65_536 };

/**
 * Collects either longs or doubles. Existing chunks are never copied when another is added, so they leave no garbage.
 */
export class GatheredNumbers {
  readonly #longs: BigInt64Array[] = [];
  readonly #doubles: Float64Array[] = [];
  #count = 0;
  /** Numbers that fit in the last chunk. */
  #free = 0;

  get count(): number {
    return this.#count;
  }

  /** Adds the value. Returns false without adding it if it is not a number or not of the same kind as those before. */
  add(value: unknown): boolean {
    if (typeof value === 'bigint') {
      if (BigInt.asIntN(64, value) !== value || this.#doubles.length > 0) return false;
      if (this.#free === 0) this.#longs.push(new BigInt64Array(this.#nextLength()));
      const chunk = this.#longs.at(-1);
      if (chunk !== undefined) chunk[chunk.length - this.#free] = value;
    } else {
      if (typeof value !== 'number' || this.#longs.length > 0) return false;
      if (this.#free === 0) this.#doubles.push(new Float64Array(this.#nextLength()));
      const chunk = this.#doubles.at(-1);
      if (chunk !== undefined) chunk[chunk.length - this.#free] = value;
    }
    this.#free -= 1;
    this.#count += 1;
    return true;
  }

  #nextLength(): number {
    this.#free = Math.min(Math.max(CHUNK_LENGTHS.first, this.#count), CHUNK_LENGTHS.longest);
    return this.#free;
  }

  /** Returns the numbers in order of arrival. */
  toArray(): Array<bigint | number> {
    return [...this.#longs, ...this.#doubles].flatMap((chunk) => [...chunk]).slice(0, this.#count);
  }

  /** Returns the numbers in ascending order, NaN last. */
  sorted(): BigInt64Array | Float64Array {
    const capacity = this.#count + this.#free;
    return this.#longs.length > 0
      ? joined(this.#longs, new BigInt64Array(capacity)).subarray(0, this.#count).sort()
      : joined(this.#doubles, new Float64Array(capacity)).subarray(0, this.#count).sort();
  }
}

/** Copies the chunks one after another into `target`. */
function joined<Chunk extends { readonly length: number }, T extends { set(chunk: Chunk, offset: number): void }>(
  chunks: readonly Chunk[],
  target: T,
): T {
  let offset = 0;
  for (const chunk of chunks) {
    target.set(chunk, offset);
    offset += chunk.length;
  }
  return target;
}
