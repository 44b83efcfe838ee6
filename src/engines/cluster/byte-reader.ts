/** Thrown when a message ends before its content does; the connection that sent it cannot be trusted any more. */
export class TruncatedMessage extends Error {
  constructor() {
    super('The message of the cluster ended before its content.');
    this.name = 'TruncatedMessage';
  }
}

/** Reads little-endian numbers, texts and byte runs from a buffer that it does not own. */
export class ByteReader {
  readonly buffer: Buffer;
  readonly #view: DataView;
  readonly end: number;
  position: number;

  constructor(buffer: Buffer, start = 0, end = buffer.length) {
    this.buffer = buffer;
    this.#view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    this.position = start;
    this.end = end;
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

  i32At(position: number): number {
    return this.#view.getInt32(position, true);
  }

  u16At(position: number): number {
    return this.#view.getUint16(position, true);
  }

  u8At(position: number): number {
    return this.#view.getUint8(position);
  }

  #advance(count: number): number {
    const at = this.position;
    if (count < 0 || at + count > this.end) throw new TruncatedMessage();
    this.position = at + count;
    return at;
  }
}
