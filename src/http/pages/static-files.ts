/** Serves files of web pages, which are stored compressed. */

import { acceptsGzip } from '../compression/accept-encoding.ts';
import type { ExtraHeaders, Reply } from '../reply.ts';

/** A file of a web page. */
export interface StaticFile {
  /** Media type, with its character set. */
  readonly type: string;
  /** The content, compressed with gzip. */
  readonly gzip: Uint8Array;
  readonly headers: ExtraHeaders;
}

/** Headers of a file whose name changes with its content: browsers need not ask again. */
export const IMMUTABLE: ExtraHeaders = { 'Cache-Control': 'public, max-age=31536000, immutable' };

/** Returns the response with a file, compressed if the client accepts it. */
export function staticFileAnswer(
  { type, gzip, headers }: StaticFile,
  acceptEncoding: string | undefined,
  extra: ExtraHeaders | undefined,
): Reply {
  const isCompressed = acceptsGzip(acceptEncoding ?? '');
  return {
    status: 200,
    type,
    body: isCompressed ? gzip : Bun.gunzipSync(new Uint8Array(gzip)),
    compressible: false,
    extra: { ...headers, ...(isCompressed && { 'Content-Encoding': 'gzip' }), ...extra, Vary: varyOf(extra) },
    close: false,
  };
}

function varyOf(extra: ExtraHeaders | undefined): string {
  return extra?.Vary === undefined ? 'Accept-Encoding' : `${extra.Vary}, Accept-Encoding`;
}
