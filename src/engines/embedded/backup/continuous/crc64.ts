/**
 * CRC-64/ISO, the checksum of LTX files and of database pages in them. The runtime has none. A number of 64 bits is two
 * of 32, since a `bigint` would be slower by far.
 */

const POLYNOMIAL_HIGH = 0xd8000000 | 0;
/** Bytes that are processed at once. */
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

export class Crc64 {
  #high = -1;
  #low = -1;

  /** Adds bytes. */
  update(bytes: Uint8Array): this {
    let high = this.#high;
    let low = this.#low;
    const slicesEnd = bytes.length - (bytes.length % SLICE);
    let at = 0;
    for (; at < slicesEnd; at += SLICE) {
      low ^= int(bytes, at);
      high ^= int(bytes, at + 4);
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
    for (; at < bytes.length; at++) {
      const index = (low ^ of(bytes, at)) & 0xff;
      low = ((low >>> 8) | (high << 24)) ^ of(LOW, index);
      high = (high >>> 8) ^ of(HIGH, index);
    }
    this.#high = high;
    this.#low = low;
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

function int(bytes: Uint8Array, at: number): number {
  return of(bytes, at) | (of(bytes, at + 1) << 8) | (of(bytes, at + 2) << 16) | (of(bytes, at + 3) << 24);
}

function of(numbers: Int32Array | Uint8Array, at: number): number {
  return numbers[at] ?? 0;
}
