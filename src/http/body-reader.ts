/** Reads a request body from the bytes of its connection, and enforces its bounds while it arrives. */
import { gridError } from '../base/errors.ts';
import { HTTP_BOUNDS } from '../base/limits.ts';
import { BodyBuffer } from './body-buffer.ts';
import { type BufferAccount, UNACCOUNTED_BYTES } from './buffer-budget.ts';
import { checkTrailer, type HeaderBlock } from './head/head.ts';
import { hexDigit, malformed } from './parameters.ts';

/**
 * Maximum number of lines between chunks that one call of {@link BodyReader.feed} reads, so that it takes little time.
 */
export const CHUNKS_PER_FEED = 4_096;
/** Data of small chunks is collected here, so that it reaches the body in few large copies. */
const COLLECTED_BYTES = 8 * 1_024;

/** Receives a body's data. */
export interface BodySink {
  readonly length: number;
  /**
   * Adds bytes; at most `leftBytes` will follow, including these. Up to {@link COLLECTED_BYTES} bytes may be in memory
   * that is reused after the call.
   */
  add(bytes: Uint8Array, leftBytes: number): void;
}

export interface BodyReader {
  /**
   * Reads bytes of the body and returns those it did not read. Until the body is complete, the rest belongs to it: the
   * reader returns early after {@link CHUNKS_PER_FEED} chunks, so that the caller can serve others first. Throws
   * BODY_TOO_LARGE, REQUEST_MALFORMED, BUFFERS_FULL.
   */
  feed(bytes: Buffer): Buffer;
  readonly done: boolean;
  /** Bytes read so far, including the framing. */
  readonly readBytes: number;
  /** The body, or undefined if it is not kept. */
  body(): BodyBuffer | undefined;
}

const NOTHING = Buffer.alloc(0);

/**
 * Returns the reader for a request's body, or undefined if it has none. `presentBytes` arrived with the head. Without
 * `open`, the body is counted but not kept; otherwise it opens the body's account, and rejects a body that cannot fit
 * before it arrives. Throws BODY_TOO_LARGE, BUFFERS_FULL.
 */
export function bodyReaderOf(
  block: HeaderBlock,
  limitBytes: number,
  presentBytes: number,
  open: (() => BufferAccount) | undefined,
): BodyReader | undefined {
  if (block.chunked) {
    const body = open && new BodyBuffer(open());
    return new ChunkedBody(limitBytes, body, body);
  }
  const length = block.contentLength ?? 0;
  if (length > limitBytes) throw gridError('BODY_TOO_LARGE', limitBytes);
  if (length === 0) return undefined;
  const isPresent = length <= presentBytes;
  if (open === undefined || (isPresent && length <= UNACCOUNTED_BYTES)) {
    return new CountedBody(length, open !== undefined, undefined);
  }
  const account = open();
  if (isPresent) return new CountedBody(length, true, undefined, account);
  account.check(length);
  return new CountedBody(length, true, new BodyBuffer(account));
}

/** Returns the reader that forwards a body of any length to a sink, or undefined if the request has no body. */
export function streamReaderOf({ chunked, contentLength = 0 }: HeaderBlock, sink: BodySink): BodyReader | undefined {
  if (chunked) return new ChunkedBody(Number.MAX_SAFE_INTEGER, sink, undefined);
  return contentLength === 0 ? undefined : new StreamedBody(contentLength, sink);
}

class StreamedBody implements BodyReader {
  readonly #length: number;
  readonly #sink: BodySink;
  readBytes = 0;

  constructor(length: number, sink: BodySink) {
    this.#length = length;
    this.#sink = sink;
  }

  get done(): boolean {
    return this.readBytes === this.#length;
  }

  feed(bytes: Buffer): Buffer {
    const left = this.#length - this.readBytes;
    const own = bytes.length <= left ? bytes : bytes.subarray(0, left);
    this.readBytes += own.length;
    this.#sink.add(own, left);
    return own.length === bytes.length ? NOTHING : bytes.subarray(own.length);
  }

  body(): undefined {}
}

class CountedBody implements BodyReader {
  readonly #length: number;
  readonly #keeps: boolean;
  /** undefined if all bytes came with the head, or are not kept. */
  #body: BodyBuffer | undefined;
  /** The account of a body whose bytes all came with the head. */
  readonly #account: BufferAccount | undefined;
  readBytes = 0;

  constructor(length: number, keeps: boolean, body: BodyBuffer | undefined, account?: BufferAccount) {
    this.#length = length;
    this.#keeps = keeps;
    this.#body = body;
    this.#account = account;
  }

  get done(): boolean {
    return this.readBytes === this.#length;
  }

  feed(bytes: Buffer): Buffer {
    const left = this.#length - this.readBytes;
    const own = bytes.length <= left ? bytes : bytes.subarray(0, left);
    if (this.#body !== undefined) this.#body.add(own, left);
    else if (this.#keeps) this.#body = BodyBuffer.of(own, this.#account);
    this.readBytes += own.length;
    return own.length === bytes.length ? NOTHING : bytes.subarray(own.length);
  }

  body(): BodyBuffer | undefined {
    return this.#body;
  }
}

/** The part of a chunked body that the next byte belongs to (RFC 9112, 7.1). */
type ChunkState =
  | 'size'
  | 'blank after size'
  | 'extension'
  | 'size end'
  | 'data'
  | 'data return'
  | 'data end'
  | 'trailer'
  | 'done';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SEMICOLON = 59;
/** Shared by all bodies: it holds nothing between calls. */
const COLLECTED = new Uint8Array(COLLECTED_BYTES);

class ChunkedBody implements BodyReader {
  readonly #limitBytes: number;
  readonly #sink: BodySink | undefined;
  readonly #body: BodyBuffer | undefined;
  #state: ChunkState = 'size';
  #digits = 0;
  /** Size of the current chunk, then the number of its bytes still to come. */
  #left = 0;
  /** Bytes of all chunks. */
  #size = 0;
  #chunks = 0;
  #extensionBytes = 0;
  #extensionsBytes = 0;
  #trailerBytes = 0;
  #trailers = 0;
  /** An incomplete trailer line. */
  #line = '';
  readBytes = 0;

  constructor(limitBytes: number, sink: BodySink | undefined, body: BodyBuffer | undefined) {
    this.#limitBytes = limitBytes;
    this.#sink = sink;
    this.#body = body;
  }

  get done(): boolean {
    return this.#state === 'done';
  }

  feed(bytes: Buffer): Buffer {
    const lastChunk = this.#chunks + CHUNKS_PER_FEED;
    let at = 0;
    while (at < bytes.length && this.#state !== 'done' && this.#chunks < lastChunk) {
      if (this.#state === 'size' && this.#digits === 0) {
        at = this.#feedSmallChunks(bytes, at, lastChunk);
        if (at === bytes.length || this.#chunks === lastChunk) break;
      }
      if (this.#state === 'data') at = this.#feedData(bytes, at);
      else if (this.#state === 'trailer') at = this.#feedTrailer(bytes, at);
      else this.#feedByte(bytes[at++] ?? 0);
    }
    this.readBytes += at;
    return at === bytes.length ? NOTHING : bytes.subarray(at);
  }

  /**
   * Reads complete chunks of fewer than 16 bytes, whose size is one digit. Bodies with many chunks consist of these,
   * and reading them byte by byte would cost more. Returns the index of the first unread byte.
   */
  #feedSmallChunks(bytes: Buffer, from: number, lastChunk: number): number {
    const collected = this.#sink === undefined ? undefined : COLLECTED;
    let count = 0;
    let at = from;
    let size = this.#size;
    let chunks = this.#chunks;
    while (chunks < lastChunk) {
      const length = hexDigit(bytes[at] ?? 0);
      const end = at + 3 + length;
      if (length <= 0 || end + 2 > bytes.length) break;
      if (bytes[at + 1] !== CARRIAGE_RETURN || bytes[at + 2] !== LINE_FEED) break;
      if (bytes[end] !== CARRIAGE_RETURN || bytes[end + 1] !== LINE_FEED) break;
      if (size + length > this.#limitBytes) break;
      if (collected !== undefined) {
        if (count + length > COLLECTED_BYTES) {
          this.#addData(collected.subarray(0, count));
          count = 0;
        }
        for (let index = at + 3; index < end; index++) collected[count++] = bytes[index] ?? 0;
      }
      size += length;
      chunks++;
      at = end + 2;
    }
    if (collected !== undefined && count > 0) this.#addData(collected.subarray(0, count));
    this.#size = size;
    this.#chunks = chunks;
    return at;
  }

  #feedData(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#left);
    this.#addData(bytes.subarray(at, end));
    this.#left -= end - at;
    if (this.#left === 0) this.#state = 'data return';
    return end;
  }

  #addData(data: Uint8Array): void {
    this.#sink?.add(data, this.#limitBytes - this.#sink.length);
  }

  /** Reads one byte between the data of two chunks. A bare line feed never ends a line. */
  #feedByte(byte: number): void {
    switch (this.#state) {
      case 'size':
        this.#feedSize(byte);
        return;
      case 'blank after size':
        if (byte === 32 || byte === 9) this.#countExtension();
        else this.#leaveSize(byte);
        return;
      case 'extension':
        this.#feedExtension(byte);
        return;
      case 'size end':
        if (byte !== LINE_FEED) throw malformed('a line between chunks does not end with CRLF');
        this.#beginChunk();
        return;
      case 'data return':
        if (byte !== CARRIAGE_RETURN) throw malformed('a chunk is longer than its size');
        this.#state = 'data end';
        return;
      case 'data end':
        if (byte !== LINE_FEED) throw malformed('a chunk is longer than its size');
        this.#state = 'size';
        return;
      case 'data':
      case 'trailer':
      case 'done':
        return;
    }
  }

  #feedSize(byte: number): void {
    const digit = hexDigit(byte);
    if (digit < 0) {
      if (this.#digits === 0) throw malformed('a chunk size is invalid');
      this.#leaveSize(byte);
    } else {
      if (++this.#digits > HTTP_BOUNDS.chunkSizeDigits) throw malformed('a chunk size is invalid');
      this.#left = this.#left * 16 + digit;
    }
  }

  #leaveSize(byte: number): void {
    if (byte === CARRIAGE_RETURN) this.#state = 'size end';
    else if (byte === SEMICOLON) this.#state = 'extension';
    else if ((byte === 32 || byte === 9) && this.#state === 'size') this.#state = 'blank after size';
    else if (byte === LINE_FEED) throw malformed('a line between chunks does not end with CRLF');
    else throw malformed('a chunk size is invalid');
  }

  #feedExtension(byte: number): void {
    if (byte === CARRIAGE_RETURN) this.#state = 'size end';
    else if (byte === LINE_FEED) throw malformed('a line between chunks does not end with CRLF');
    else if ((byte < 32 && byte !== 9) || byte === 127) throw malformed('a chunk size is invalid');
    else this.#countExtension();
  }

  #countExtension(): void {
    this.#extensionsBytes++;
    if (
      ++this.#extensionBytes > HTTP_BOUNDS.chunkExtensionBytes ||
      this.#extensionsBytes > HTTP_BOUNDS.chunkExtensionsBytes
    ) {
      throw malformed('the extensions of chunks are too long');
    }
  }

  #beginChunk(): void {
    this.#digits = 0;
    this.#extensionBytes = 0;
    this.#size += this.#left;
    this.#chunks++;
    if (this.#size > this.#limitBytes) throw gridError('BODY_TOO_LARGE', this.#limitBytes);
    this.#state = this.#left === 0 ? 'trailer' : 'data';
  }

  /** Reads up to the end of a trailer line. Trailers are checked and dropped: none of our fields may be one. */
  #feedTrailer(bytes: Buffer, at: number): number {
    const lineFeed = bytes.indexOf(LINE_FEED, at);
    const end = lineFeed < 0 ? bytes.length : lineFeed + 1;
    this.#trailerBytes += end - at;
    if (this.#trailerBytes > HTTP_BOUNDS.trailerBytes) throw malformed('the trailers are too long');
    this.#line += bytes.toString('latin1', at, end);
    if (lineFeed < 0) return end;
    if (!this.#line.endsWith('\r\n')) throw malformed('a trailer line does not end with CRLF');
    const line = this.#line.slice(0, -2);
    this.#line = '';
    if (line === '') this.#state = 'done';
    else if (++this.#trailers > HTTP_BOUNDS.trailers) throw malformed(`more than ${HTTP_BOUNDS.trailers} trailers`);
    else checkTrailer(line);
    return end;
  }

  body(): BodyBuffer | undefined {
    return this.#body;
  }
}
