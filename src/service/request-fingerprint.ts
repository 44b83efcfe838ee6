/**
 * The fingerprint of a request, by which an idempotency key that is used with another request is noticed: a hash of 64
 * bits with a secret start. It need not resist those who know the start, because a client that finds two requests with
 * the same fingerprint only gets the answer of its own other request.
 */

const LOW_FACTOR = 0x9e3779b1;
const HIGH_FACTOR = 0x5f356495;

export class RequestFingerprint {
  #low: number;
  #high: number;

  /** Begins with two secret numbers of 32 bits. */
  constructor(low: number, high: number) {
    this.#low = low;
    this.#high = high;
  }

  /** Adds a text with its length, so that no two sequences of texts are the same. */
  add(text: string): void {
    this.addNumber(text.length);
    this.addPart(text, 0, text.length);
  }

  addNumber(number: number): void {
    this.#low = Math.imul(rotated(this.#low, 13) ^ number, LOW_FACTOR);
    this.#high = Math.imul(rotated(this.#high, 7) ^ number, HIGH_FACTOR);
  }

  /** Adds the characters of a text from index `from` to before `to`. */
  addPart(text: string, from: number, to: number): void {
    let low = this.#low;
    let high = this.#high;
    for (let at = from; at < to; at++) {
      const code = text.charCodeAt(at);
      low = Math.imul(rotated(low, 13) ^ code, LOW_FACTOR);
      high = Math.imul(rotated(high, 7) ^ code, HIGH_FACTOR);
    }
    this.#low = low;
    this.#high = high;
  }

  /** Writes the fingerprint as two numbers of 32 bits. */
  writeTo(words: Int32Array, at: number): void {
    const low = mixed(this.#low ^ (this.#high >>> 15));
    words[at] = low;
    words[at + 1] = mixed(this.#high ^ low);
  }
}

function rotated(bits: number, by: number): number {
  return (bits << by) | (bits >>> (32 - by));
}

/** Returns 32 bits, of which each depends on all of the given ones (the last step of MurmurHash3). */
function mixed(bits: number): number {
  let mixing = bits ^ (bits >>> 16);
  mixing = Math.imul(mixing, 0x85ebca6b);
  mixing ^= mixing >>> 13;
  mixing = Math.imul(mixing, 0xc2b2ae35);
  return mixing ^ (mixing >>> 16);
}
