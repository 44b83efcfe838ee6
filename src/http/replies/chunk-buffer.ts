/**
 * A buffer in which the chunks of a reply are encoded. A separate buffer for each would become garbage that the runtime
 * lets accumulate.
 */
import { PART_CHARACTERS } from '../streaming.ts';

/** Maximum bytes of a UTF-16 unit in UTF-8. */
const UNIT_BYTES = 3;
/** The length of a chunk in hexadecimal digits, and the end of its line. */
const HEAD_BYTES = 10;
const CRLF = '\r\n';

export class ChunkBuffer {
  // A part may be longer by one unit, so as not to split a surrogate pair.
  readonly #bytes = Buffer.allocUnsafeSlow(HEAD_BYTES + (PART_CHARACTERS + 1) * UNIT_BYTES + CRLF.length);

  /**
   * Encodes part of a string, as an HTTP chunk if it is `chunked`. The returned bytes are valid until the next call.
   */
  encode(part: string, chunked: boolean): Buffer {
    const bytes = this.#bytes;
    const length = bytes.write(part, HEAD_BYTES);
    if (!chunked) return bytes.subarray(HEAD_BYTES, HEAD_BYTES + length);
    const head = length.toString(16) + CRLF;
    const start = HEAD_BYTES - head.length;
    bytes.write(head, start, 'latin1');
    const end = HEAD_BYTES + length;
    return bytes.subarray(start, end + bytes.write(CRLF, end, 'latin1'));
  }
}
