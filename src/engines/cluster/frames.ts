/** Cuts a stream of bytes into messages: four bytes of length, then as many bytes. */
import { ByteReader } from './byte-reader.ts';

const LENGTH_BYTES = 4;
const EMPTY = Buffer.alloc(0);

export class FrameCutter {
  readonly #onFrame: (reader: ByteReader) => void;
  readonly #maxFrameBytes: number;
  #parts: Buffer[] = [];
  #held = 0;
  /** Bytes that must be there before it is worth while to look again. */
  #needed = LENGTH_BYTES;

  constructor(onFrame: (reader: ByteReader) => void, maxFrameBytes: number) {
    this.#onFrame = onFrame;
    this.#maxFrameBytes = maxFrameBytes;
  }

  /** Takes the next bytes of the stream. Throws RangeError for a length that no message can have. */
  push(chunk: Buffer): void {
    if (this.#held + chunk.length < this.#needed) {
      this.#parts.push(chunk);
      this.#held += chunk.length;
      return;
    }
    const data = this.#held === 0 ? chunk : Buffer.concat([...this.#parts, chunk]);
    let position = 0;
    this.#needed = LENGTH_BYTES;
    while (data.length - position >= LENGTH_BYTES) {
      const length = data.readInt32LE(position);
      if (length < 0 || length > this.#maxFrameBytes) throw new RangeError(`a message of ${length} bytes`);
      const end = position + LENGTH_BYTES + length;
      if (end > data.length) {
        this.#needed = LENGTH_BYTES + length;
        break;
      }
      const reader = new ByteReader(data, position + LENGTH_BYTES, end);
      position = end;
      this.#onFrame(reader);
    }
    const rest = position === data.length ? EMPTY : data.subarray(position);
    this.#parts = rest.length === 0 ? [] : [rest];
    this.#held = rest.length;
  }
}
