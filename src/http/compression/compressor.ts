/** Compresses texts: short ones synchronously, long ones in parts on the runtime's threads. */
import type { Gzip, ZstdCompress } from 'node:zlib';
import { partsOf } from '../streaming.ts';
import type { ContentCoding } from './accept-encoding.ts';

/** The fastest level of both codings; higher ones save little and take several times as long. */
const LEVEL = 1;
/** Maximum number of bytes that the compressor returns at once. */
const OUTPUT_BYTES = 64 * 1024;

/** Compresses a text synchronously, on the calling thread. */
export function compressAtOnce(text: string, coding: ContentCoding): Uint8Array {
  const bytes = Buffer.from(text);
  return coding === 'gzip' ? Bun.gzipSync(bytes, { level: LEVEL }) : Bun.zstdCompressSync(bytes, { level: LEVEL });
}

/**
 * Yields the chunks compressed, flushing each, so that a client can read what was sent. The runtime's threads do the
 * work. Ends the chunk iterator when the reader stops; `ended` is called in any case.
 */
export async function* compressChunks(
  chunks: AsyncIterable<string | Uint8Array>,
  coding: ContentCoding,
  partCharacters: number,
  ended: () => void,
): AsyncGenerator<Uint8Array> {
  let stream: CompressionStream | undefined;
  try {
    // Loaded on demand: with the streams that it needs, it takes a twentieth of the time to the first response.
    stream = new CompressionStream(coding, await import('node:zlib'));
    for await (const chunk of chunks) {
      for (const part of typeof chunk === 'string' ? partsOf(chunk, partCharacters) : [chunk]) {
        const bytes = await stream.compress(part);
        if (bytes.length > 0) yield bytes;
      }
    }
    yield await stream.end();
  } finally {
    stream?.close();
    ended();
  }
}

/** Yields a text as one chunk. */
export async function* asChunk(text: string): AsyncGenerator<string> {
  yield text;
}

class CompressionStream {
  readonly #stream: Gzip | ZstdCompress;
  readonly #flush: number;
  #output: Buffer[] = [];
  #failure: Error | undefined;
  #reject: ((error: Error) => void) | undefined;

  constructor(coding: ContentCoding, { constants, createGzip, createZstdCompress }: typeof import('node:zlib')) {
    const isGzip = coding === 'gzip';
    this.#flush = isGzip ? constants.Z_SYNC_FLUSH : constants.ZSTD_e_flush;
    this.#stream = isGzip
      ? createGzip({ level: LEVEL, chunkSize: OUTPUT_BYTES })
      : createZstdCompress({ chunkSize: OUTPUT_BYTES, params: { [constants.ZSTD_c_compressionLevel]: LEVEL } });
    this.#stream.on('data', (bytes: Buffer) => this.#output.push(bytes));
    this.#stream.on('error', (error: Error) => {
      this.#failure = error;
      this.#reject?.(error);
    });
  }

  /** Compresses a part and returns all output so far. */
  compress(part: string | Uint8Array): Promise<Uint8Array> {
    return this.#done((resolve) => {
      this.#stream.write(part);
      this.#stream.flush(this.#flush, resolve);
    });
  }

  /** Returns the rest of the output. */
  end(): Promise<Uint8Array> {
    return this.#done((resolve) => {
      this.#stream.once('end', resolve);
      this.#stream.end();
    });
  }

  close(): void {
    this.#stream.destroy();
  }

  async #done(start: (resolve: () => void) => void): Promise<Uint8Array> {
    if (this.#failure !== undefined) throw this.#failure;
    await new Promise<void>((resolve, reject) => {
      this.#reject = reject;
      start(resolve);
    });
    const output = this.#output;
    this.#output = [];
    return output.length === 1 && output[0] !== undefined ? output[0] : Buffer.concat(output);
  }
}
