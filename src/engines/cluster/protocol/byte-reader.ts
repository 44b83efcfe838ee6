import { WIRE_BOUNDS } from '../../../base/limits.ts';

/** Thrown when a message of a node does not have the form that the protocol gives it. */
export class MalformedMessage extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'MalformedMessage';
  }
}

/**
 * Reads little-endian numbers, strings and byte runs of one message from a buffer that it does not own. Every method
 * throws {@link MalformedMessage} instead of reading outside of the message.
 */
export class ByteReader {
  readonly buffer: Buffer;
  readonly #view: DataView;
  readonly start: number;
  readonly end: number;
  position: number;
  /** Bytes that may still be decoded from this message, those that are decoded again included. */
  #bytesLeft: number;

  constructor(buffer: Buffer, start = 0, end = buffer.length) {
    this.buffer = buffer;
    this.#view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    this.start = start;
    this.position = start;
    this.end = end;
    // Twice the bytes: what a handle points to is decoded once in its place and once for the handles.
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

  /** 64 bits as a double; exact up to 2^53, which times are. */
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

  /** The next bytes, not copied. */
  raw(count: number): Buffer {
    const at = this.#advance(count);
    return this.buffer.subarray(at, at + count);
  }

  /** UTF-8 behind its length in bytes. */
  utf8(): string {
    const length = this.i32();
    const at = this.#advance(length);
    return this.buffer.toString('utf8', at, at + length);
  }

  /** The number of items that follow, each of at least `leastBytes` bytes, checked against the bytes that are left. */
  count(leastBytes: number): number {
    const count = this.i32();
    if (count < 0 || count * leastBytes > this.remaining) {
      throw new MalformedMessage(`${count} items cannot stand in ${this.remaining} bytes`);
    }
    return count;
  }

  /**
   * Counts decoded bytes. Handles let a small message stand for a value of any size; the message is rejected when that
   * is too large for it.
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
      throw new MalformedMessage(`${count} bytes cannot stand in ${this.end - at} bytes`);
    }
    this.position = at + count;
    return at;
  }

  #inside(position: number, count: number): number {
    if (position < this.start || position + count > this.end) {
      throw new MalformedMessage('a position lies outside of the message');
    }
    return position;
  }
}
