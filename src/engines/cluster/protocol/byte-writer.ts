import { gridError } from '../../../base/errors.ts';

/** For longer strings, a call of the runtime costs less than a loop. */
const MAX_SHORT_CHARACTERS = 32;
/** Size of each subsequent buffer, in bytes. */
const FRESH_BYTES = 8_192;
const FIRST_BEYOND_ASCII = 0x80;
const LONE_SURROGATE = 'it has a lone surrogate, which a cluster cannot store';

/** Writes little-endian numbers, strings and bytes into a growing buffer. Positions remain valid when it grows. */
export class ByteWriter {
  #buffer: Buffer;
  #view: DataView;
  #length = 0;

  constructor(capacityBytes = 4096) {
    this.#buffer = Buffer.allocUnsafeSlow(Math.max(64, capacityBytes));
    this.#view = new DataView(this.#buffer.buffer);
  }

  /** Number of bytes written so far. */
  get length(): number {
    return this.#length;
  }

  /** Returns the written bytes. They are valid until the next write. */
  view(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Returns a copy of the written bytes. */
  copy(): Buffer {
    return Buffer.from(this.view());
  }

  /** Returns the written bytes and continues with a fresh buffer. */
  take(): Buffer {
    const bytes = this.view();
    this.#buffer = Buffer.allocUnsafeSlow(FRESH_BYTES);
    this.#view = new DataView(this.#buffer.buffer);
    this.#length = 0;
    return bytes;
  }

  /** Discards everything from `position` on. */
  truncate(position = 0): void {
    this.#length = position;
  }

  u8(value: number): void {
    const at = this.#claim(1);
    this.#view.setUint8(at, value);
  }

  bool(value: boolean): void {
    this.u8(value ? 1 : 0);
  }

  i16(value: number): void {
    const at = this.#claim(2);
    this.#view.setInt16(at, value, true);
  }

  i32(value: number): void {
    const at = this.#claim(4);
    this.#view.setInt32(at, value, true);
  }

  i64(value: bigint): void {
    const at = this.#claim(8);
    this.#view.setBigInt64(at, value, true);
  }

  /** Writes an integer that a double holds exactly, as 64 bits. */
  i64Number(value: number): void {
    const at = this.#claim(8);
    const high = Math.floor(value / 4294967296);
    this.#view.setUint32(at, value - high * 4294967296, true);
    this.#view.setInt32(at + 4, high, true);
  }

  f32(value: number): void {
    const at = this.#claim(4);
    this.#view.setFloat32(at, value, true);
  }

  f64(value: number): void {
    const at = this.#claim(8);
    this.#view.setFloat64(at, value, true);
  }

  raw(bytes: Uint8Array): void {
    const at = this.#claim(bytes.length);
    this.#buffer.set(bytes, at);
  }

  /**
   * Writes a UTF-8 string, preceded by its length in bytes. Throws CONVERSION for a lone surrogate: written as U+FFFD,
   * different keys would become equal.
   */
  utf8(text: string): void {
    this.#reserve(4 + text.length * 3);
    const start = this.#length + 4;
    const isWritten = text.length <= MAX_SHORT_CHARACTERS && this.#writeAscii(text, start);
    if (!isWritten && !text.isWellFormed()) throw gridError('CONVERSION', 'string', text, LONE_SURROGATE);
    const written = isWritten ? text.length : this.#buffer.write(text, start, 'utf8');
    this.#view.setInt32(this.#length, written, true);
    this.#length = start + written;
  }

  /** Writes a string of ASCII characters from `start` on. Returns false if it has others. */
  #writeAscii(text: string, start: number): boolean {
    const buffer = this.#buffer;
    const { length } = text;
    for (let at = 0; at < length; at++) {
      const code = text.charCodeAt(at);
      if (code >= FIRST_BEYOND_ASCII) return false;
      buffer[start + at] = code;
    }
    return true;
  }

  /** Overwrites four bytes that were written before. */
  setI32(position: number, value: number): void {
    this.#view.setInt32(position, value, true);
  }

  setI16(position: number, value: number): void {
    this.#view.setInt16(position, value, true);
  }

  setU8(position: number, value: number): void {
    this.#view.setUint8(position, value);
  }

  #claim(count: number): number {
    const at = this.#length;
    if (at + count > this.#buffer.length) this.#reserve(count);
    this.#length = at + count;
    return at;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#buffer.length * 2));
    larger.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = larger;
    this.#view = new DataView(larger.buffer);
  }
}
