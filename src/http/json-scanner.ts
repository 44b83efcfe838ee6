/**
 * Validates the bytes of a JSON object (RFC 8259; the UTF-8 has been validated) and records where its members are. It
 * builds nothing for nested values, so memory grows only with the number of members. Works in steps.
 */

import { JSON_BOUNDS, LONGEST_NAME_CHARACTERS } from '../base/limits.ts';
import { type SlicedWork, STEP_CHARACTERS } from '../base/slices.ts';
import { hexDigit } from './parameters.ts';

export type ScannedKind = 'null' | 'true' | 'false' | 'number' | 'string' | 'array' | 'object';

/** The range of a value: from its first byte to after its last one; for a string, the bytes between its quotes. */
export interface ScannedValue {
  readonly kind: ScannedKind;
  readonly start: number;
  readonly end: number;
  /** Whether the string has escapes. */
  readonly escaped: boolean;
}

/** Receives the members in order. May throw. */
export interface ScanReceiver {
  /** Receives a name. Returns whether it wants the elements if the value is an array. */
  name(start: number, end: number, escaped: boolean): boolean;
  /** Receives a name that is too long for any parameter. */
  longName(): void;
  /** Receives an element of an array whose elements are wanted. */
  element(value: ScannedValue): void;
  /** Receives the value of the last name. */
  member(value: ScannedValue): void;
}

/** Reports invalid JSON; `at` is the index of the offending byte. */
export class ScanFailure extends Error {
  override readonly name = 'ScanFailure';
  readonly at: number;
  /** Whether the message continues with the character that was found. */
  readonly wanted: boolean;

  constructor(message: string, at: number, wanted: boolean) {
    super(message);
    this.at = at;
    this.wanted = wanted;
  }
}

const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const LETTER_U = 0x75;
/** Bytes that may follow a backslash, except `u`. */
const ESCAPED: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));
const WORDS: ReadonlyArray<readonly [kind: ScannedKind, bytes: Buffer]> = (['true', 'false', 'null'] as const).map(
  (word) => [word, Buffer.from(word)],
);

type State = 'value' | 'first element' | 'first name' | 'name' | 'colon' | 'string' | 'behind value';

export class JsonScanner implements SlicedWork {
  readonly #bytes: Uint8Array;
  readonly #receiver: ScanReceiver;
  #state: State = 'value';
  #at: number;
  /** Whether each open container is an object, from the outermost to the innermost. */
  readonly #isObject = new Uint8Array(JSON_BOUNDS.depth + 1);
  #depth = 0;
  /** Start of the current string, and of the value to report to the receiver. */
  #start = 0;
  #escaped = false;
  #isName = false;
  #wantsElements = false;
  /** Start of the array or object that is the current member, and of the one that is its current element. */
  #memberStart = 0;
  #elementStart = 0;
  #root: ScannedKind | undefined;

  constructor(bytes: Uint8Array, start: number, receiver: ScanReceiver) {
    this.#bytes = bytes;
    this.#at = start;
    this.#receiver = receiver;
  }

  /** The kind of the whole text once it has been read. */
  get root(): ScannedKind | undefined {
    return this.#root;
  }

  /** Throws ScanFailure and the errors of the receiver. */
  step(): boolean {
    const bytes = this.#bytes;
    const end = Math.min(bytes.length, this.#at + STEP_CHARACTERS);
    while (this.#at < end) {
      if (this.#state === 'string') {
        this.#readString(end);
        continue;
      }
      const byte = bytes[this.#at] ?? 0;
      if (byte === 32 || byte === 10 || byte === 13 || byte === 9) this.#at++;
      else this.#take(byte);
    }
    if (end < bytes.length) return true;
    if (this.#state !== 'behind value' || this.#depth > 0) this.#take(-1);
    return false;
  }

  /** Reads the token that starts with `byte`; -1 is the end of the text. */
  #take(byte: number): void {
    switch (this.#state) {
      case 'first element':
        if (byte === CLOSING_BRACKET) this.#close();
        else this.#beginValue(byte);
        return;
      case 'value':
        this.#beginValue(byte);
        return;
      case 'first name':
        if (byte === CLOSING_BRACE) this.#close();
        else this.#beginName(byte);
        return;
      case 'name':
        this.#beginName(byte);
        return;
      case 'colon':
        if (byte !== COLON) throw this.#unexpected("':'");
        this.#at++;
        this.#state = 'value';
        return;
      case 'behind value':
        this.#behindValue(byte);
        return;
      case 'string':
        throw this.#unexpected('a closing quote, control characters are written as escapes');
    }
  }

  #beginName(byte: number): void {
    if (byte !== QUOTE) throw this.#unexpected('a name in double quotes');
    this.#beginString(true);
  }

  #beginString(isName: boolean): void {
    this.#start = ++this.#at;
    this.#escaped = false;
    this.#isName = isName;
    this.#state = 'string';
  }

  #beginValue(byte: number): void {
    if (byte === QUOTE) this.#beginString(false);
    else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) this.#open(byte === OPENING_BRACE);
    else if (byte === MINUS || (byte >= ZERO && byte <= NINE)) this.#readNumber(byte);
    else this.#readWord();
  }

  #open(isObject: boolean): void {
    if (this.#depth === JSON_BOUNDS.depth) {
      throw new ScanFailure(`Nested more than ${JSON_BOUNDS.depth} deep`, this.#at, false);
    }
    if (this.#depth === 1) this.#memberStart = this.#at;
    else if (this.#depth === 2) this.#elementStart = this.#at;
    this.#isObject[this.#depth++] = isObject ? 1 : 0;
    this.#at++;
    this.#state = isObject ? 'first name' : 'first element';
  }

  #close(): void {
    const isObject = this.#isObject[--this.#depth] === 1;
    this.#at++;
    const start = this.#depth === 1 ? this.#memberStart : this.#elementStart;
    this.#endValue(isObject ? 'object' : 'array', start, this.#at, false);
  }

  #behindValue(byte: number): void {
    if (this.#depth === 0) throw this.#unexpected('the end of the text');
    const isObject = this.#isObject[this.#depth - 1] === 1;
    if (byte === (isObject ? CLOSING_BRACE : CLOSING_BRACKET)) this.#close();
    else if (byte !== COMMA) throw this.#unexpected(isObject ? "',' or '}'" : "',' or ']'");
    else {
      this.#at++;
      this.#state = isObject ? 'name' : 'value';
    }
  }

  #endValue(kind: ScannedKind, start: number, end: number, escaped: boolean): void {
    this.#state = 'behind value';
    if (this.#depth === 0) this.#root = kind;
    else if (this.#isObject[0] !== 1) return;
    else if (this.#depth === 1) {
      this.#receiver.member({ kind, start, end, escaped });
      this.#wantsElements = false;
    } else if (this.#depth === 2 && this.#wantsElements && this.#isObject[1] === 0) {
      this.#receiver.element({ kind, start, end, escaped });
    }
  }

  #readWord(): void {
    const bytes = this.#bytes;
    const start = this.#at;
    for (const [kind, word] of WORDS) {
      if (word.every((byte, index) => bytes[start + index] === byte)) {
        this.#at += word.length;
        this.#endValue(kind, start, this.#at, false);
        return;
      }
    }
    throw this.#unexpected('a value');
  }

  #readNumber(first: number): void {
    const start = this.#at;
    let at = first === MINUS ? start + 1 : start;
    const lead = this.#bytes[at] ?? 0;
    if (!isDigit(lead)) throw this.#unexpected('a value');
    at = lead === ZERO ? at + 1 : this.#digitsEnd(at);
    if (this.#bytes[at] === DOT && isDigit(this.#bytes[at + 1] ?? 0)) at = this.#digitsEnd(at + 1);
    at = this.#exponentEnd(at);
    if (at - start > JSON_BOUNDS.numberCharacters) {
      throw new ScanFailure(`Number longer than ${JSON_BOUNDS.numberCharacters} characters`, start, false);
    }
    this.#at = at;
    if (continuesNumber(this.#bytes[at] ?? 0)) throw this.#unexpected('the end of the number');
    this.#endValue('number', start, at, false);
  }

  /** Reads digits and stops once the number is too long. */
  #digitsEnd(from: number): number {
    const most = from + JSON_BOUNDS.numberCharacters + 1;
    let at = from;
    while (at < most && isDigit(this.#bytes[at] ?? 0)) at++;
    return at;
  }

  #exponentEnd(from: number): number {
    if (((this.#bytes[from] ?? 0) | 32) !== 0x65) return from;
    const sign = this.#bytes[from + 1] ?? 0;
    const digits = sign === PLUS || sign === MINUS ? from + 2 : from + 1;
    return isDigit(this.#bytes[digits] ?? 0) ? this.#digitsEnd(digits) : from;
  }

  /** Reads up to the closing quote, or to index `end`. */
  #readString(end: number): void {
    const bytes = this.#bytes;
    let at = this.#at;
    for (; at < end; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) {
        this.#at = at + 1;
        this.#endString(at);
        return;
      }
      if (byte < 32) {
        this.#at = at;
        throw this.#unexpected('a closing quote, control characters are written as escapes');
      }
      if (byte === BACKSLASH) {
        this.#escaped = true;
        at = this.#escapeEnd(at + 1);
      }
    }
    this.#at = at;
  }

  /** Returns the index of the last byte of an escape whose letter is at `at`. */
  #escapeEnd(at: number): number {
    const letter = this.#bytes[at] ?? -1;
    if (ESCAPED.has(letter)) return at;
    this.#at = Math.min(at, this.#bytes.length);
    if (letter !== LETTER_U) throw this.#unexpected('an escape');
    for (let digit = at + 1; digit <= at + 4; digit++) {
      if (hexDigit(this.#bytes[digit] ?? 0) < 0) throw this.#unexpected('an escape');
    }
    return at + 4;
  }

  #endString(end: number): void {
    const start = this.#start;
    const escaped = this.#escaped;
    if (!this.#isName) {
      this.#endValue('string', start, end, escaped);
      return;
    }
    this.#state = 'colon';
    if (this.#depth !== 1) return;
    if (end - start > LONGEST_NAME_CHARACTERS) {
      this.#receiver.longName();
      this.#wantsElements = false;
    } else this.#wantsElements = this.#receiver.name(start, end, escaped);
  }

  #unexpected(wanted: string): ScanFailure {
    return new ScanFailure(wanted, this.#at, true);
  }
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

/** Returns whether the byte would continue a number or make it invalid. */
function continuesNumber(byte: number): boolean {
  const letter = byte | 32;
  return isDigit(byte) || byte === PLUS || byte === DOT || byte === 0x5f || (letter >= 0x61 && letter <= 0x7a);
}
