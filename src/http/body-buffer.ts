/**
 * Holds the bytes of a body in segments of growing size. Nothing is copied twice while the body arrives, the
 * memory is proportional to the number of bytes however small the chunks are, and it is freed as soon as the body
 * has been decoded.
 */
import type { BufferAccount } from './buffer-budget.ts';

/** Segments double in size from the first to the largest, so that a small body takes little memory. */
const FIRST_SEGMENT_BYTES = 4 * 1_024;
/** Larger ones would waste up to half of a large body's memory. */
const MAX_SEGMENT_BYTES = 1_024 * 1_024;
/**
 * Maximum number of bytes that one step of an assembly copies: touching new memory costs far more than the copy itself.
 */
const COPIED_BYTES = 128 * 1_024;

const NOTHING = new Uint8Array(0);

export class BodyBuffer {
  readonly #account: BufferAccount | undefined;
  /** Full segments. */
  readonly #segments: Uint8Array<ArrayBuffer>[] = [];
  #last: Uint8Array<ArrayBuffer> | undefined;
  #used = 0;
  #capacity = 0;
  #length = 0;
  /** A body that arrived in one part with its head: nothing was copied. */
  #view: Uint8Array | undefined;

  /** Without `account`, bytes are not accounted for. */
  constructor(account?: BufferAccount) {
    this.#account = account;
  }

  /** Returns a body whose bytes have already arrived. Throws BUFFERS_FULL. */
  static of(bytes: Uint8Array, account?: BufferAccount): BodyBuffer {
    account?.hold(bytes.length);
    const buffer = new BodyBuffer(account);
    buffer.#view = bytes;
    buffer.#length = bytes.length;
    return buffer;
  }

  get length(): number {
    return this.#length;
  }

  /** Appends a copy of the bytes; at most `leftBytes` more are expected, including these. Throws BUFFERS_FULL. */
  add(bytes: Uint8Array, leftBytes: number): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#last === undefined || this.#used === this.#last.length) {
        this.#addSegment(bytes.length - at, leftBytes - at);
        continue;
      }
      const count = Math.min(bytes.length - at, this.#last.length - this.#used);
      this.#last.set(bytes.subarray(at, at + count), this.#used);
      this.#used += count;
      this.#length += count;
      at += count;
    }
  }

  #addSegment(neededBytes: number, leftBytes: number): void {
    const wanted = Math.max(FIRST_SEGMENT_BYTES, neededBytes, this.#capacity);
    const size = Math.min(wanted, MAX_SEGMENT_BYTES, leftBytes);
    this.#account?.hold(this.#capacity + size);
    if (this.#last !== undefined) this.#segments.push(this.#last);
    this.#last = new Uint8Array(size);
    this.#used = 0;
    this.#capacity += size;
  }

  /** All bytes as one array. Only for small bodies; see {@link assembly}. */
  whole(): Uint8Array {
    if (this.#view !== undefined) return this.#view;
    const last = this.#last?.subarray(0, this.#used) ?? NOTHING;
    return this.#segments.length === 0 ? last : Buffer.concat([...this.#segments, last]);
  }

  /** Copies the bytes into one array, part of a segment in each step, and frees each copied segment. */
  *assembly(): Generator<undefined, Uint8Array> {
    if (this.#view !== undefined || this.#segments.length === 0) return this.whole();
    const bytes = new Uint8Array(this.#length);
    if (this.#last !== undefined) this.#segments.push(this.#last.subarray(0, this.#used));
    this.#last = bytes;
    this.#used = this.#length;
    let at = 0;
    for (let segment = this.#segments.shift(); segment !== undefined; segment = this.#segments.shift()) {
      for (let from = 0; from < segment.length; from += COPIED_BYTES) {
        bytes.set(segment.subarray(from, from + COPIED_BYTES), at + from);
        yield undefined;
      }
      at += segment.length;
      freeBytes(segment);
    }
    return bytes;
  }

  /** Frees the bytes; arrays taken from them must no longer be used. The account remains. */
  free(): void {
    for (const segment of this.#segments) freeBytes(segment);
    if (this.#last !== undefined) freeBytes(this.#last);
    this.#segments.length = 0;
    this.#last = undefined;
    this.#view = undefined;
    this.#used = 0;
  }

  /** Frees the bytes and closes their account. */
  close(): void {
    this.free();
    this.#account?.release();
  }
}

/** A detached buffer is freed immediately, a dropped one at the next garbage collection. */
function freeBytes(bytes: Uint8Array<ArrayBuffer>): void {
  bytes.buffer.transfer(0);
}
