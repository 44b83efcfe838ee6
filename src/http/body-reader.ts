/** Takes the body of a request from the bytes of its connection, and counts it while it comes in. */
import { fail } from '../base/errors.ts';
import type { HeaderBlock } from './head.ts';
import { malformed } from './parameters.ts';

/** Bytes of a chunk's size line, and of all trailers together. */
const MOST_LINE_BYTES = 1_024;
const MOST_TRAILER_BYTES = 16 * 1_024;
const CHUNK_SIZE = /^([0-9a-fA-F]{1,8})[ \t]*(?:;[^\x00-\x08\x0a-\x1f\x7f]*)?$/;

export interface BodyReader {
  /** Takes what belongs to the body and gives the rest. Throws BODY_TOO_LARGE, REQUEST_MALFORMED. */
  feed(bytes: Buffer): Buffer;
  readonly done: boolean;
  /** Bytes taken so far, those of the framing included. */
  readonly takenBytes: number;
  /** The body; empty when it was not kept. */
  body(): Uint8Array;
}

const NOTHING = Buffer.alloc(0);

/** The reader of the request's body; undefined when it has none. `keep` false: it is counted and thrown away. */
export function bodyReaderOf(block: HeaderBlock, limitBytes: number, keep: boolean): BodyReader | undefined {
  if (block.chunked) return new ChunkedBody(limitBytes, keep);
  const length = block.contentLength ?? 0;
  if (length > limitBytes) throw fail('BODY_TOO_LARGE', limitBytes);
  return length === 0 ? undefined : new CountedBody(length, keep);
}

/** What a body is collected in. */
class Collected {
  readonly #parts: Buffer[] = [];
  readonly #keep: boolean;

  constructor(keep: boolean) {
    this.#keep = keep;
  }

  add(bytes: Buffer): void {
    if (this.#keep && bytes.length > 0) this.#parts.push(bytes);
  }

  whole(): Uint8Array {
    return this.#parts.length === 1 ? (this.#parts[0] ?? NOTHING) : Buffer.concat(this.#parts);
  }
}

class CountedBody implements BodyReader {
  readonly #length: number;
  readonly #collected: Collected;
  takenBytes = 0;

  constructor(length: number, keep: boolean) {
    this.#length = length;
    this.#collected = new Collected(keep);
  }

  get done(): boolean {
    return this.takenBytes === this.#length;
  }

  feed(bytes: Buffer): Buffer {
    const own = Math.min(bytes.length, this.#length - this.takenBytes);
    this.#collected.add(own === bytes.length ? bytes : bytes.subarray(0, own));
    this.takenBytes += own;
    return own === bytes.length ? NOTHING : bytes.subarray(own);
  }

  body(): Uint8Array {
    return this.#collected.whole();
  }
}

type ChunkState = 'size' | 'data' | 'data end' | 'trailer' | 'done';

class ChunkedBody implements BodyReader {
  readonly #limitBytes: number;
  readonly #collected: Collected;
  #state: ChunkState = 'size';
  /** Bytes of the present chunk that are still to come. */
  #left = 0;
  #size = 0;
  #trailerBytes = 0;
  /** A line that is not there as a whole. */
  #line = '';
  takenBytes = 0;

  constructor(limitBytes: number, keep: boolean) {
    this.#limitBytes = limitBytes;
    this.#collected = new Collected(keep);
  }

  get done(): boolean {
    return this.#state === 'done';
  }

  feed(bytes: Buffer): Buffer {
    let at = 0;
    while (at < bytes.length && this.#state !== 'done') {
      if (this.#state === 'data') {
        const end = Math.min(bytes.length, at + this.#left);
        this.#collected.add(bytes.subarray(at, end));
        this.#left -= end - at;
        at = end;
        if (this.#left === 0) this.#state = 'data end';
      } else at = this.#feedLine(bytes, at);
    }
    this.takenBytes += at;
    return bytes.subarray(at);
  }

  /** Takes bytes up to the end of a line; a line feed alone does not end one. */
  #feedLine(bytes: Buffer, at: number): number {
    const lineFeed = bytes.indexOf(10, at);
    const end = lineFeed < 0 ? bytes.length : lineFeed + 1;
    this.#line += bytes.toString('latin1', at, end);
    if (this.#line.length > MOST_LINE_BYTES) throw malformed('a line between chunks is too long');
    if (lineFeed >= 0) {
      if (!this.#line.endsWith('\r\n')) throw malformed('a line between chunks does not end with CRLF');
      const line = this.#line.slice(0, -2);
      this.#line = '';
      this.#takeLine(line);
    }
    return end;
  }

  #takeLine(line: string): void {
    if (this.#state === 'data end') {
      if (line !== '') throw malformed('a chunk is longer than its size');
      this.#state = 'size';
    } else if (this.#state === 'trailer') {
      this.#trailerBytes += line.length;
      if (this.#trailerBytes > MOST_TRAILER_BYTES) throw malformed('the trailers are too long');
      if (line === '') this.#state = 'done';
    } else {
      const size = CHUNK_SIZE.exec(line)?.[1];
      if (size === undefined) throw malformed('a chunk has no proper size');
      this.#left = Number.parseInt(size, 16);
      this.#size += this.#left;
      if (this.#size > this.#limitBytes) throw fail('BODY_TOO_LARGE', this.#limitBytes);
      this.#state = this.#left === 0 ? 'trailer' : 'data';
    }
  }

  body(): Uint8Array {
    return this.#collected.whole();
  }
}
