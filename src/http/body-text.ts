/** Decodes the bytes of a value to a string, part by part, in the charset of the body. */
import { STEP_CHARACTERS } from '../base/slices.ts';
import { beginsCharacter, malformed } from './parameters.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Labels of ISO 8859-1 and its subset ASCII, which TextDecoder would read as windows-1252. */
const LATIN_1 = new Set(['iso-8859-1', 'iso8859-1', 'iso_8859-1', 'latin1', 'l1', 'us-ascii', 'ascii']);

/** Collects the bytes of one value at a time and returns its string. */
export class TextCollector {
  readonly #charset: string;
  readonly #decoder: TextDecoder | undefined;
  readonly #bytes: Uint8Array;
  #used = 0;
  #text = '';

  /** `charset` is in lower case. Throws REQUEST_MALFORMED if the runtime does not know it. */
  constructor(charset: string, mostBytes: number) {
    this.#charset = charset;
    this.#decoder = charset === 'utf-8' || LATIN_1.has(charset) ? undefined : strictDecoder(charset);
    this.#bytes = new Uint8Array(Math.min(mostBytes, STEP_CHARACTERS));
  }

  /** Bytes of the value that have not been decoded yet. */
  get pendingBytes(): number {
    return this.#used;
  }

  get isEmpty(): boolean {
    return this.#used === 0 && this.#text === '';
  }

  add(byte: number): void {
    if (this.#used === this.#bytes.length) this.#decode(false);
    this.#bytes[this.#used++] = byte;
  }

  /** Returns the value and starts the next one. Throws REQUEST_MALFORMED. */
  end(): string {
    if (this.#used > 0 || this.#text !== '') this.#decode(true);
    const text = this.#text;
    this.#text = '';
    return text;
  }

  /** Discards the value. */
  drop(): void {
    if (this.#text !== '') this.#decoder?.decode();
    this.#used = 0;
    this.#text = '';
  }

  #decode(last: boolean): void {
    const bytes = this.#bytes;
    const used = this.#used;
    this.#used = 0;
    if (this.#decoder !== undefined) this.#text += this.#strictly(this.#decoder, bytes.subarray(0, used), last);
    else if (this.#charset === 'utf-8') this.#decodeUtf8(bytes, used, last);
    else this.#text += latin1Text(bytes.subarray(0, used));
  }

  /** UTF-8 cut off at the end of a value becomes U+FFFD. */
  #decodeUtf8(bytes: Uint8Array, used: number, last: boolean): void {
    const cutOff = cutOffBytes(bytes, used);
    try {
      this.#text += UTF8.decode(bytes.subarray(0, used - cutOff));
    } catch {
      throw malformed('the percent-encoded parameters are not valid UTF-8');
    }
    if (cutOff === 0) return;
    if (last) this.#text += '\ufffd';
    else {
      bytes.copyWithin(0, used - cutOff, used);
      this.#used = cutOff;
    }
  }

  #strictly(decoder: TextDecoder, bytes: Uint8Array, last: boolean): string {
    try {
      return decoder.decode(bytes, { stream: !last });
    } catch {
      throw malformed(`the body is not valid ${this.#charset}`);
    }
  }
}

/** Returns how many bytes before index `end` are the start of an incomplete UTF-8 character. */
export function cutOffBytes(bytes: Uint8Array, end: number): number {
  for (let count = 1; count <= 3 && count <= end; count++) {
    const byte = bytes[end - count] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return beginsCharacter([...bytes.subarray(end - count, end)]) ? count : 0;
  }
  return 0;
}

export function latin1Text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** Returns the decoder of a charset. Throws REQUEST_MALFORMED if the runtime does not know it. */
export function strictDecoder(label: string): TextDecoder {
  try {
    return new TextDecoder(label as Bun.Encoding, { fatal: true });
  } catch {
    throw malformed(`unknown charset ${JSON.stringify(label)}`);
  }
}
