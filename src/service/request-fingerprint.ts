/**
 * The fingerprint of a request, which detects an idempotency key reused for a different request: a 64-bit hash with a
 * secret start. It need not resist those who know the start, because a client that finds two requests with the same
 * fingerprint only gets the response to its own other request.
 */

const LOW_FACTOR = 0x9e3779b1;
const HIGH_FACTOR = 0x5f356495;

export class RequestFingerprint {
  #low: number;
  #high: number;

  /** Begins with two secret 32-bit numbers. */
  constructor(low: number, high: number) {
    this.#low = low;
    this.#high = high;
  }

  /** Adds a string with its length, so that no two sequences of strings are the same. */
  add(text: string): void {
    let low = Math.imul(rotated(this.#low, 13) ^ text.length, LOW_FACTOR);
    let high = Math.imul(rotated(this.#high, 7) ^ text.length, HIGH_FACTOR);
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      low = Math.imul(rotated(low, 13) ^ code, LOW_FACTOR);
      high = Math.imul(rotated(high, 7) ^ code, HIGH_FACTOR);
    }
    this.#low = low;
    this.#high = high;
  }

  /** Writes the fingerprint as two 32-bit numbers. */
  writeTo(words: Int32Array, at: number): void {
    const low = mixed(this.#low ^ (this.#high >>> 15));
    words[at] = low;
    words[at + 1] = mixed(this.#high ^ low);
  }
}

function rotated(bits: number, by: number): number {
  return (bits << by) | (bits >>> (32 - by));
}

/** Returns 32 bits that each depend on all given ones (the last step of MurmurHash3). */
function mixed(bits: number): number {
  let mixing = bits ^ (bits >>> 16);
  mixing = Math.imul(mixing, 0x85ebca6b);
  mixing ^= mixing >>> 13;
  mixing = Math.imul(mixing, 0xc2b2ae35);
  return mixing ^ (mixing >>> 16);
}
