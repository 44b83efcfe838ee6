/** Counts and hashes entries regardless of their order. */
import { createHash } from 'node:crypto';
import type { Entry } from '../../grid/grid.ts';
import { keyOf } from '../../values/equality.ts';

const LANE_BITS = 64;

/** Sums the hashes of all entries, so that neither order nor batches matter. */
export class Checksum {
  #high = 0n;
  #low = 0n;
  #count = 0;

  add({ key, value }: Entry): void {
    const keyText = keyOf(key);
    const text = `${keyText.length}:${keyText}${keyOf(value)}`;
    // As UTF-8, all lone surrogates are the same.
    const bytes = text.isWellFormed() ? text : Buffer.from(text, 'utf16le');
    const hash = createHash('sha256').update(bytes).digest();
    this.#high = BigInt.asUintN(LANE_BITS, this.#high + hash.readBigUInt64BE(0));
    this.#low = BigInt.asUintN(LANE_BITS, this.#low + hash.readBigUInt64BE(8));
    this.#count++;
  }

  get count(): number {
    return this.#count;
  }

  /** 32 hexadecimal digits. */
  get text(): string {
    return [this.#high, this.#low].map((lane) => lane.toString(16).padStart(LANE_BITS / 4, '0')).join('');
  }

  equals(other: Checksum): boolean {
    return this.#count === other.count && this.text === other.text;
  }
}
