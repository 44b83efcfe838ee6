/**
 * Rows of storage values in chunks of bytes. In the heap of the engine a short text takes three times its length, and
 * the heap grows on another thread, where the budget of the statement does not see it.
 */
import type { StorageValue } from '../storage/value-storage.ts';

/** Bytes of the first chunk, since many groups have few rows, and of the longest that holds several rows. */
const CHUNK_BYTES = { first: 256, longest: 64 * 1024 };

/** First byte of a value. */
const TAGS = { null: 0, long: 1, double: 2, text: 3, blob: 4 } as const;
const TAG_BYTES = 1;
const NUMBER_BYTES = 8;
const LENGTH_BYTES = 4;

const encoder = new TextEncoder();
// A byte order mark at the beginning of a text is part of it.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

interface Chunk {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly view: DataView;
  used: number;
  /** Rows that begin in the chunk and have not been removed. */
  rows: number;
}

function newChunk(size: number): Chunk {
  const bytes = new Uint8Array(size);
  return { bytes, view: new DataView(bytes.buffer), used: 0, rows: 0 };
}

function sizeOf(value: StorageValue): number {
  if (value === null) return TAG_BYTES;
  if (typeof value === 'string') return TAG_BYTES + LENGTH_BYTES + Buffer.byteLength(value);
  return value instanceof Uint8Array ? TAG_BYTES + LENGTH_BYTES + value.length : TAG_BYTES + NUMBER_BYTES;
}

/** Holds rows of the same number of values in the order of their arrival. */
export class RowBuffer {
  readonly #width: number;
  readonly #chunks: Chunk[] = [];
  /** Place of the oldest row in the first chunk. */
  #from = 0;
  #count = 0;
  #bytes = 0;

  /** `width` is the number of values of each row. */
  constructor(width: number) {
    this.#width = width;
  }

  get count(): number {
    return this.#count;
  }

  /** Bytes of all values that were added. */
  get addedBytes(): number {
    return this.#bytes;
  }

  add(row: readonly StorageValue[]): void {
    let size = 0;
    for (let column = 0; column < this.#width; column++) size += sizeOf(row[column] ?? null);
    let chunk = this.#chunks.at(-1);
    if (chunk === undefined || chunk.bytes.length - chunk.used < size) {
      const usual = Math.min(Math.max(CHUNK_BYTES.first, 2 * (chunk?.bytes.length ?? 0)), CHUNK_BYTES.longest);
      chunk = newChunk(Math.max(usual, size));
      this.#chunks.push(chunk);
    }
    for (let column = 0; column < this.#width; column++) write(chunk, row[column] ?? null);
    chunk.rows += 1;
    this.#count += 1;
    this.#bytes += size;
  }

  /** Removes the oldest row. */
  removeFirst(): void {
    const [chunk] = this.#chunks;
    if (chunk === undefined || this.#count === 0) return;
    for (let column = 0; column < this.#width; column++) this.#from = endOf(chunk, this.#from);
    chunk.rows -= 1;
    this.#count -= 1;
    if (chunk.rows > 0) return;
    this.#chunks.shift();
    this.#from = 0;
  }

  /** Removes all rows and returns their memory at once, without a collection. */
  release(): void {
    for (const { bytes } of this.#chunks) bytes.buffer.transfer(0);
    this.#chunks.length = 0;
    this.#from = 0;
    this.#count = 0;
    this.#bytes = 0;
  }

  /** Yields the rows, the oldest first. */
  *[Symbol.iterator](): Generator<StorageValue[]> {
    let at = this.#from;
    for (const chunk of this.#chunks) {
      while (at < chunk.used) {
        const row: StorageValue[] = [];
        for (let column = 0; column < this.#width; column++) {
          row.push(read(chunk, at));
          at = endOf(chunk, at);
        }
        yield row;
      }
      at = 0;
    }
  }
}

function write(chunk: Chunk, value: StorageValue): void {
  const { bytes, view } = chunk;
  const at = chunk.used + TAG_BYTES;
  if (value === null) {
    view.setUint8(chunk.used, TAGS.null);
    chunk.used = at;
  } else if (typeof value === 'bigint') {
    view.setUint8(chunk.used, TAGS.long);
    view.setBigInt64(at, value);
    chunk.used = at + NUMBER_BYTES;
  } else if (typeof value === 'number') {
    view.setUint8(chunk.used, TAGS.double);
    view.setFloat64(at, value);
    chunk.used = at + NUMBER_BYTES;
  } else if (typeof value === 'string') {
    view.setUint8(chunk.used, TAGS.text);
    const { written } = encoder.encodeInto(value, bytes.subarray(at + LENGTH_BYTES));
    view.setUint32(at, written);
    chunk.used = at + LENGTH_BYTES + written;
  } else {
    view.setUint8(chunk.used, TAGS.blob);
    view.setUint32(at, value.length);
    bytes.set(value, at + LENGTH_BYTES);
    chunk.used = at + LENGTH_BYTES + value.length;
  }
}

function read({ bytes, view }: Chunk, from: number): StorageValue {
  const at = from + TAG_BYTES;
  switch (view.getUint8(from)) {
    case TAGS.null:
      return null;
    case TAGS.long:
      return view.getBigInt64(at);
    case TAGS.double:
      return view.getFloat64(at);
    case TAGS.text:
      return decoder.decode(bytes.subarray(at + LENGTH_BYTES, at + LENGTH_BYTES + view.getUint32(at)));
    default:
      return bytes.slice(at + LENGTH_BYTES, at + LENGTH_BYTES + view.getUint32(at));
  }
}

/** Returns the place behind a value. */
function endOf({ view }: Chunk, from: number): number {
  const at = from + TAG_BYTES;
  switch (view.getUint8(from)) {
    case TAGS.null:
      return at;
    case TAGS.long:
    case TAGS.double:
      return at + NUMBER_BYTES;
    default:
      return at + LENGTH_BYTES + view.getUint32(at);
  }
}
