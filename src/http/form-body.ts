/** Reads form bodies in UTF-8, ISO-8859-1 and the other charsets that the runtime knows. */
import { decoderOf, encodeBytes, malformed, readPairs } from './parameters.ts';

const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const LATIN_1 = new Set(['iso-8859-1', 'iso8859-1', 'iso_8859-1', 'latin1', 'l1', 'us-ascii', 'ascii']);

/** Adds the fields of a form to `into` (see readPairs). `charset` undefined: UTF-8. Refuses REQUEST_MALFORMED. */
export function readForm(
  body: Uint8Array,
  charset: string | undefined,
  into: Map<string, string>,
  limit: number,
  alreadyRead: number,
): void {
  const label = charset?.toLowerCase() ?? 'utf-8';
  if (label === 'utf-8' || label === 'utf8') {
    readPairs(utf8Text(body), 0, into, limit, alreadyRead);
  } else if (LATIN_1.has(label)) {
    readPairs(latin1Text(body), 0, into, limit, alreadyRead, decoderOf(latin1Text));
  } else {
    const decoder = strictDecoder(label);
    const toText = (bytes: Uint8Array) => {
      try {
        return decoder.decode(bytes);
      } catch {
        throw malformed(`the body is no text in ${label}`);
      }
    };
    readPairs(toText(body), 0, into, limit, alreadyRead, decoderOf(toText));
  }
}

/** The body's text; bytes that are no UTF-8 are handed on as percent codes. */
function utf8Text(body: Uint8Array): string {
  try {
    return STRICT_UTF8.decode(body);
  } catch {
    return encodeBytes(latin1Text(body));
  }
}

function latin1Text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

function strictDecoder(label: string): { decode(bytes: Uint8Array): string } {
  try {
    return new TextDecoder(label as Bun.Encoding, { fatal: true });
  } catch {
    throw malformed(`unknown charset ${JSON.stringify(label)}`);
  }
}
