/**
 * CRC-64/ISO, the checksum of LTX files and of database pages in them. The runtime has none. A 64-bit number is two
 * 32-bit ones, because a `bigint` costs more.
 */

const POLYNOMIAL_HIGH = 0xd8000000 | 0;
/** Number of bytes processed in one step. */
const SLICE = 8;
const VALUES = 256;
const HIGH = new Int32Array(SLICE * VALUES);
const LOW = new Int32Array(SLICE * VALUES);

for (let value = 0; value < VALUES; value++) {
  let high = 0;
  let low = value;
  for (let bit = 0; bit < 8; bit++) {
    const isOdd = (low & 1) === 1;
    low = (low >>> 1) | (high << 31);
    high = (high >>> 1) ^ (isOdd ? POLYNOMIAL_HIGH : 0);
  }
  HIGH[value] = high;
  LOW[value] = low;
}
for (let at = VALUES; at < SLICE * VALUES; at++) {
  const high = HIGH[at - VALUES] ?? 0;
  const low = LOW[at - VALUES] ?? 0;
  HIGH[at] = (high >>> 8) ^ (HIGH[low & 0xff] ?? 0);
  LOW[at] = ((low >>> 8) | (high << 24)) ^ (LOW[low & 0xff] ?? 0);
}

const IS_LITTLE_ENDIAN = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;
const NO_WORDS = new Int32Array(0);

/** The remainder that bytes add to a checksum, whatever precedes them, in two signed integers. */
export type PartialCrc = readonly [high: number, low: number];

/** Returns the remainder of bytes. If several checksums cover the same bytes, they need to be read only once. */
export function partialCrcOf(bytes: Uint8Array): PartialCrc {
  return advance(0, 0, bytes);
}

/** Returns the state of a checksum after bytes. */
function advance(startHigh: number, startLow: number, bytes: Uint8Array): PartialCrc {
  const words = wordsOf(bytes);
  let [high, low] = advanceWords(startHigh, startLow, words);
  for (let at = words.byteLength; at < bytes.length; at++) {
    const index = (low ^ (bytes[at] ?? 0)) & 0xff;
    low = ((low >>> 8) | (high << 24)) ^ of(LOW, index);
    high = (high >>> 8) ^ of(HIGH, index);
  }
  return [high, low];
}

/** Separate, and for arrays of only one type: the runtime compiles it to faster code. */
function advanceWords(startHigh: number, startLow: number, words: Int32Array): PartialCrc {
  let high = startHigh;
  let low = startLow;
  for (let word = 0; word < words.length; word += 2) {
    low ^= of(words, word);
    high ^= of(words, word + 1);
    const a = 1792 + (low & 0xff);
    const b = 1536 + ((low >>> 8) & 0xff);
    const c = 1280 + ((low >>> 16) & 0xff);
    const d = 1024 + (low >>> 24);
    const e = 768 + (high & 0xff);
    const f = 512 + ((high >>> 8) & 0xff);
    const g = 256 + ((high >>> 16) & 0xff);
    const h = high >>> 24;
    high =
      of(HIGH, a) ^ of(HIGH, b) ^ of(HIGH, c) ^ of(HIGH, d) ^ of(HIGH, e) ^ of(HIGH, f) ^ of(HIGH, g) ^ of(HIGH, h);
    low = of(LOW, a) ^ of(LOW, b) ^ of(LOW, c) ^ of(LOW, d) ^ of(LOW, e) ^ of(LOW, f) ^ of(LOW, g) ^ of(LOW, h);
  }
  return [high, low];
}

/** Adds the remainders of parts that all have the same length. */
export class PartAppender {
  static readonly #known = new Map<number, PartAppender>();

  static of(length: number): PartAppender {
    const known = PartAppender.#known.get(length) ?? new PartAppender(length);
    PartAppender.#known.set(length, known);
    return known;
  }

  /** For each value of each byte of a checksum, the result after this many zero bytes. */
  readonly #high = new Int32Array(SLICE * VALUES);
  readonly #low = new Int32Array(SLICE * VALUES);

  private constructor(length: number) {
    const zeros = new Uint8Array(length);
    for (let bit = 0; bit < SLICE * 8; bit++) {
      const value = 1 << (bit & 31);
      const [high, low] = bit < 32 ? advance(0, value, zeros) : advance(value, 0, zeros);
      const first = (bit >>> 3) * VALUES;
      for (let byte = 0; byte < VALUES; byte++) {
        if ((byte & (1 << (bit & 7))) === 0) continue;
        this.#high[first + byte] = of(this.#high, first + byte) ^ high;
        this.#low[first + byte] = of(this.#low, first + byte) ^ low;
      }
    }
  }

  /** Returns the state of a checksum after a part. */
  advance(high: number, low: number, [partHigh, partLow]: PartialCrc): PartialCrc {
    let nextHigh = partHigh;
    let nextLow = partLow;
    for (let byte = 0; byte < SLICE; byte++) {
      const value = ((byte < 4 ? low : high) >>> ((byte & 3) * 8)) & 0xff;
      nextHigh ^= of(this.#high, byte * VALUES + value);
      nextLow ^= of(this.#low, byte * VALUES + value);
    }
    return [nextHigh, nextLow];
  }
}

export class Crc64 {
  #high = -1;
  #low = -1;

  /** Adds bytes. */
  update(bytes: Uint8Array): this {
    [this.#high, this.#low] = advance(this.#high, this.#low, bytes);
    return this;
  }

  /** Adds bytes given by their remainder. */
  append(remainder: PartialCrc, appender: PartAppender): this {
    [this.#high, this.#low] = appender.advance(this.#high, this.#low, remainder);
    return this;
  }

  /** Returns the upper 32 bits of the checksum, as a signed integer. */
  get high(): number {
    return ~this.#high;
  }

  /** Returns the lower 32 bits of the checksum, as a signed integer. */
  get low(): number {
    return ~this.#low;
  }

  /** Returns the checksum. */
  value(): bigint {
    return (BigInt(this.high >>> 0) << 32n) | BigInt(this.low >>> 0);
  }
}

/** Returns all whole slices of bytes as numbers, or an empty array if the machine has a different byte order. */
function wordsOf(bytes: Uint8Array): Int32Array {
  const length = bytes.length - (bytes.length % SLICE);
  if (!IS_LITTLE_ENDIAN || length === 0) return NO_WORDS;
  const isAligned = bytes.byteOffset % Int32Array.BYTES_PER_ELEMENT === 0;
  const { buffer, byteOffset } = isAligned ? bytes : new Uint8Array(bytes.subarray(0, length));
  return new Int32Array(buffer, byteOffset, length / Int32Array.BYTES_PER_ELEMENT);
}

function of(numbers: Int32Array, at: number): number {
  return numbers[at] ?? 0;
}
