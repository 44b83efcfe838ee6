/** Makes texts of JSON strings and of the source of other values, a part at a time. */

import { type SlicedWork, STEP_CHARACTERS } from '../base/slices.ts';
import type { ScannedValue } from './json-scanner.ts';

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

/** Decodes one value of a text that a scanner has checked. */
export class JsonText implements SlicedWork {
  readonly #bytes: Uint8Array;
  readonly #value: ScannedValue;
  #at: number;
  /** The text so far. */
  text = '';

  constructor(bytes: Uint8Array, value: ScannedValue) {
    this.#bytes = bytes;
    this.#value = value;
    this.#at = value.start;
  }

  step(): boolean {
    const { end, escaped } = this.#value;
    const start = this.#at;
    let stop = Math.min(end, start + STEP_CHARACTERS);
    if (stop < end) {
      if (escaped) stop = this.#behindEscape(stop);
      stop = this.#behindCharacter(stop);
    }
    const part = UTF8.decode(this.#bytes.subarray(start, stop));
    // Parsing many escapes at once keeps each from becoming a text of its own.
    this.text += escaped && part.includes('\\') ? String(JSON.parse(`"${part}"`)) : part;
    this.#at = stop;
    return stop < end;
  }

  /** The first index from `stop` on that is in no escape. */
  #behindEscape(stop: number): number {
    const bytes = this.#bytes;
    let at = this.#at;
    while (at < stop) {
      if (bytes[at] !== BACKSLASH) at++;
      else at += bytes[at + 1] === LETTER_U ? 6 : 2;
    }
    return at;
  }

  /** The first index from `stop` on that is in no character. */
  #behindCharacter(stop: number): number {
    let at = stop;
    while (at < this.#value.end && ((this.#bytes[at] ?? 0) & 0xc0) === 0x80) at++;
    return at;
  }
}

/** Finds line and column, in characters, of a byte in UTF-8. */
export class TextPosition implements SlicedWork {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at: number;
  line = 1;
  column = 1;

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  step(): boolean {
    const bytes = this.#bytes;
    const stop = Math.min(this.#end, this.#at + 4 * STEP_CHARACTERS);
    for (let at = this.#at; at < stop; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === 10) {
        this.line++;
        this.column = 1;
      } else if ((byte & 0xc0) !== 0x80) this.column += byte >= 0xf0 ? 2 : 1;
    }
    this.#at = stop;
    return stop < this.#end;
  }

  /** The character at the end, as one code unit; the empty text at the end of the bytes. */
  get character(): string {
    return UTF8.decode(this.#bytes.subarray(this.#end, this.#end + 4)).charAt(0);
  }
}
