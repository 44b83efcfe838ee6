/** Compresses responses for clients that accept it. */

import type { HeaderTable } from '../head/head.ts';
import type { Reply } from '../reply.ts';
import { PART_CHARACTERS } from '../streaming.ts';
import { type ContentCoding, chooseCoding } from './accept-encoding.ts';
import { asChunk, compressAtOnce, compressChunks } from './compressor.ts';

export interface CompressionOptions {
  /** Shorter responses are not compressed; 0 to compress none. */
  readonly minBytes: number;
  /** Long responses that are compressed at the same time; the rest are sent uncompressed. */
  readonly maxStreams: number;
}

export class ReplyCompression {
  /** Texts with fewer characters are never compressed. */
  readonly #minCharacters: number;
  readonly #maxStreams: number;
  #streams = 0;
  /** The last header and its coding: clients repeat it with each request. */
  #last: { readonly header: string; readonly coding: ContentCoding | undefined } | undefined;

  constructor({ minBytes, maxStreams }: CompressionOptions) {
    this.#minCharacters = minBytes === 0 ? Number.POSITIVE_INFINITY : minBytes;
    this.#maxStreams = maxStreams;
  }

  /** Returns the response, compressed if its size, its content and the client allow it. */
  compress(reply: Reply, headers: HeaderTable): Reply {
    const { body } = reply;
    if (!reply.compressible || this.#minCharacters === Number.POSITIVE_INFINITY || body instanceof Uint8Array)
      return reply;
    if (typeof body === 'string' && body.length < this.#minCharacters) return reply;
    const coding = this.#codingOf(headers.get('accept-encoding'));
    if (coding === undefined) return withHeaders(reply, {});
    if (typeof body === 'string' && body.length <= PART_CHARACTERS)
      return { ...withHeaders(reply, { 'Content-Encoding': coding }), body: compressAtOnce(body, coding) };
    if (this.#streams >= this.#maxStreams) return withHeaders(reply, {});
    this.#streams++;
    const chunks = typeof body === 'string' ? asChunk(body) : body;
    return {
      ...withHeaders(reply, { 'Content-Encoding': coding }),
      body: compressChunks(chunks, coding, PART_CHARACTERS, () => {
        this.#streams--;
      }),
    };
  }

  #codingOf(header: string | undefined): ContentCoding | undefined {
    if (header === undefined) return undefined;
    if (this.#last?.header !== header) this.#last = { header, coding: chooseCoding(header) };
    return this.#last.coding;
  }
}

/** Adds headers, and tells caches that the response depends on Accept-Encoding. */
function withHeaders(reply: Reply, added: Readonly<Record<string, string>>): Reply {
  const { Vary, ...others } = reply.extra ?? {};
  const vary = Vary === undefined ? 'Accept-Encoding' : `${Vary}, Accept-Encoding`;
  return { ...reply, extra: { ...others, ...added, Vary: vary } };
}
