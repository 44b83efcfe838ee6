import { WIRE_BOUNDS } from '../../../base/limits.ts';
import { CODE } from './type-codes.ts';

/**
 * Lengths of messages whose short strings are slices of one string: creating that costs more than decoding a few
 * strings, and each slice keeps all of it in memory.
 */
const MIN_SHARED_BYTES = 256;
const MAX_SHARED_BYTES = 64 * 1024;
/** Longer strings are decoded one by one, which costs little per character. */
const MAX_SHORT_BYTES = 64;
const FIRST_BEYOND_ASCII = 0x80;
/** JSON escapes the characters below this one, and the two others. */
const FIRST_PRINTABLE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Thrown if a node's message does not have the form that the protocol defines. */
export class MalformedMessage extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'MalformedMessage';
  }
}

/**
 * Reads little-endian numbers, strings and bytes of one message from a buffer that it does not own. Every method throws
 * {@link MalformedMessage} rather than read outside the message.
 */
export class ByteReader {
  readonly buffer: Buffer;
  readonly #view: DataView;
  readonly start: number;
  readonly end: number;
  position: number;
  /** Bytes that may still be decoded from this message, including those that are decoded again. */
  #bytesLeft: number;
  /** The message in Latin-1, from `start` on, or undefined until its first short string. */
  #latin1: string | undefined;

  constructor(buffer: Buffer, start = 0, end = buffer.length) {
    this.buffer = buffer;
    this.#view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    this.start = start;
    this.position = start;
    this.end = end;
    // Twice the length, because the target of a handle is decoded once in place and once for all handles.
    this.#bytesLeft = (end - start) * 2 + WIRE_BOUNDS.expandedBytes;
  }

  get remaining(): number {
    return this.end - this.position;
  }

  u8(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  i8(): number {
    return this.#view.getInt8(this.#advance(1));
  }

  bool(): boolean {
    return this.u8() !== 0;
  }

  i16(): number {
    return this.#view.getInt16(this.#advance(2), true);
  }

  u16(): number {
    return this.#view.getUint16(this.#advance(2), true);
  }

  i32(): number {
    return this.#view.getInt32(this.#advance(4), true);
  }

  i64(): bigint {
    return this.#view.getBigInt64(this.#advance(8), true);
  }

  /** Reads 64 bits as a double, which is exact up to 2^53. Times never exceed that. */
  i64Number(): number {
    const at = this.#advance(8);
    return this.#view.getInt32(at + 4, true) * 4294967296 + this.#view.getUint32(at, true);
  }

  f32(): number {
    return this.#view.getFloat32(this.#advance(4), true);
  }

  f64(): number {
    return this.#view.getFloat64(this.#advance(8), true);
  }

  /** Returns the next bytes without copying them. */
  raw(count: number): Buffer {
    const at = this.#advance(count);
    return this.buffer.subarray(at, at + count);
  }

  /** Reads a UTF-8 string, which is preceded by its length in bytes. */
  utf8(): string {
    const length = this.i32();
    const at = this.#advance(length);
    if (length <= MAX_SHORT_BYTES && this.#sharesText && this.#isAscii(at, at + length)) {
      this.#latin1 ??= this.buffer.toString('latin1', this.start, this.end);
      return this.#latin1.slice(at - this.start, at - this.start + length);
    }
    return this.buffer.toString('utf8', at, at + length);
  }

  /**
   * Reads a string with its type code, and writes it as JSON into a sufficiently large buffer, from `at` on. Returns
   * the end of the JSON, or -1 if the next value is not a string, has characters beyond ASCII or needs escapes.
   */
  copyPlainText(into: Uint8Array, at: number): number {
    if (this.u8() !== CODE.STRING) return -1;
    const length = this.i32();
    const from = this.#advance(length);
    const { buffer } = this;
    into[at] = QUOTE;
    const start = at + 1;
    for (let index = 0; index < length; index++) {
      const byte = buffer[from + index] ?? 0;
      if (byte < FIRST_PRINTABLE || byte >= FIRST_BEYOND_ASCII || byte === QUOTE || byte === BACKSLASH) return -1;
      into[start + index] = byte;
    }
    into[start + length] = QUOTE;
    return start + length + 1;
  }

  get #sharesText(): boolean {
    const length = this.end - this.start;
    return length >= MIN_SHARED_BYTES && length <= MAX_SHARED_BYTES;
  }

  #isAscii(start: number, end: number): boolean {
    const { buffer } = this;
    for (let at = start; at < end; at++) if ((buffer[at] ?? 0) >= FIRST_BEYOND_ASCII) return false;
    return true;
  }

  /** Returns the next byte without reading it, or undefined at the end of the message. */
  peek(): number | undefined {
    return this.position < this.end ? this.buffer[this.position] : undefined;
  }

  /**
   * Reads the number of items that follow, each of at least `minBytes` bytes. Throws if the remaining bytes
   * cannot hold them.
   */
  count(minBytes: number): number {
    const count = this.i32();
    if (count < 0 || count * minBytes > this.remaining) {
      throw new MalformedMessage(`${count} items do not fit into ${this.remaining} bytes`);
    }
    return count;
  }

  /**
   * Counts decoded bytes and throws once they exceed the message's budget. Handles let a small message represent a
   * value of any size.
   */
  spend(bytes: number): void {
    this.#bytesLeft -= bytes;
    if (this.#bytesLeft < 0) throw new MalformedMessage('the message refers to its own parts too often');
  }

  i32At(position: number): number {
    return this.#view.getInt32(this.#inside(position, 4), true);
  }

  u16At(position: number): number {
    return this.#view.getUint16(this.#inside(position, 2), true);
  }

  u8At(position: number): number {
    return this.#view.getUint8(this.#inside(position, 1));
  }

  #advance(count: number): number {
    const at = this.position;
    if (count < 0 || at + count > this.end) {
      throw new MalformedMessage(`${count} bytes do not fit into ${this.end - at} bytes`);
    }
    this.position = at + count;
    return at;
  }

  #inside(position: number, count: number): number {
    if (position < this.start || position + count > this.end) {
      throw new MalformedMessage('a position is outside the message');
    }
    return position;
  }
}
