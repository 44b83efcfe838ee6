/** Cuts a stream of bytes into messages: a length of four bytes, then that many bytes (docs/spec/ignite-wire.md 1). */
import { ByteReader, MalformedMessage } from './byte-reader.ts';

/** The length before each message, an i32 (docs/spec/ignite-wire.md 1). */
const LENGTH_BYTES = 4;
/** Size of a response's id and flags, which identify its request, in bytes. */
const HEAD_BYTES = 10;
const EMPTY = Buffer.alloc(0);

export class FrameCutter {
  readonly #onFrame: (reader: ByteReader) => void;
  readonly #onOversized: ((head: ByteReader, length: number) => void) | undefined;
  readonly #maxFrameBytes: number;
  /** The beginning of an incomplete message. Its capacity may be larger. */
  #held: Buffer = EMPTY;
  #heldBytes = 0;
  /** Number of bytes that must be present before the next attempt to cut a message. */
  #needed = LENGTH_BYTES;
  /** Bytes of an oversized message that are still to be dropped. */
  #dropBytes = 0;

  /**
   * Creates a cutter that calls `onFrame` with each message. A message of more than `maxFrameBytes` is dropped as it
   * arrives, and `onOversized` receives its first bytes; without `onOversized` it is malformed.
   */
  constructor(
    onFrame: (reader: ByteReader) => void,
    maxFrameBytes: number,
    onOversized?: (head: ByteReader, length: number) => void,
  ) {
    this.#onFrame = onFrame;
    this.#maxFrameBytes = maxFrameBytes;
    this.#onOversized = onOversized;
  }

  /** Whether the beginning of a message has arrived, but not its end. */
  get isIncomplete(): boolean {
    return this.#heldBytes > 0 || this.#dropBytes > 0;
  }

  /** Accepts the next bytes of the stream. Throws MalformedMessage for a length that no message can have. */
  push(chunk: Buffer): void {
    let data = chunk;
    if (this.#dropBytes > 0) {
      const dropped = Math.min(this.#dropBytes, data.length);
      this.#dropBytes -= dropped;
      data = data.subarray(dropped);
    }
    if (this.#heldBytes > 0) {
      this.#hold(data);
      if (this.#heldBytes < this.#needed) return;
      data = this.#held.subarray(0, this.#heldBytes);
      // Messages are read from this buffer later, so it is not written to again.
      this.#held = EMPTY;
      this.#heldBytes = 0;
    }
    const rest = this.#cut(data);
    if (rest.length > 0) this.#hold(rest);
  }

  /** Cuts complete messages and returns the rest. */
  #cut(data: Buffer): Buffer {
    let position = 0;
    this.#needed = LENGTH_BYTES;
    while (data.length - position >= LENGTH_BYTES) {
      const length = data.readInt32LE(position);
      const start = position + LENGTH_BYTES;
      if (length < 0) throw new MalformedMessage(`a message of ${length} bytes`);
      if (length > this.#maxFrameBytes) {
        this.#needed = LENGTH_BYTES + HEAD_BYTES;
        if (data.length - position < this.#needed && this.#onOversized) break;
        this.#reportOversized(data, start, length);
        position = Math.min(start + length, data.length);
        this.#dropBytes = start + length - position;
        this.#needed = LENGTH_BYTES;
        continue;
      }
      const end = start + length;
      if (end > data.length) {
        this.#needed = LENGTH_BYTES + length;
        break;
      }
      position = end;
      this.#onFrame(new ByteReader(data, start, end));
    }
    return position === data.length ? EMPTY : data.subarray(position);
  }

  #reportOversized(data: Buffer, start: number, length: number): void {
    if (!this.#onOversized) throw new MalformedMessage(`a message of ${length} bytes`);
    this.#onOversized(new ByteReader(data, start, start + HEAD_BYTES), length);
  }

  /** Keeps a copy. Memory grows with the bytes that arrived, not with the announced length. */
  #hold(data: Buffer): void {
    const bytes = this.#heldBytes + data.length;
    if (bytes > this.#held.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(bytes, Math.min(this.#needed, 2 * bytes)));
      this.#held.copy(grown, 0, 0, this.#heldBytes);
      this.#held = grown;
    }
    data.copy(this.#held, this.#heldBytes);
    this.#heldBytes = bytes;
  }
}
