/**
 * The subject of a certificate, read from its DER. The runtime's own forms lose the order of attributes, those without
 * a short name, and which of them belong together.
 */
import {
  canonicalName,
  type DistinguishedName,
  type NameAttribute,
  NameError,
  parseName,
} from './distinguished-name.ts';

const SEQUENCE = 0x30;
const SET = 0x31;
const OBJECT_ID = 0x06;
const INTEGER = 0x02;
const VERSION = 0xa0;

/** Decoders of the string types of X.520; a value of any other type stays DER. */
const STRINGS: ReadonlyMap<number, (content: Uint8Array) => string | undefined> = new Map([
  [0x0c, utf8],
  [0x12, ascii],
  [0x13, ascii],
  // TeletexString has code pages of its own; TLS libraries read it as Latin-1.
  [0x14, latin1],
  [0x16, ascii],
  [0x1a, ascii],
  [0x1c, (content) => wide(content, 4)],
  [0x1e, (content) => wide(content, 2)],
]);

interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
  /** Tag, length and content. */
  readonly whole: Uint8Array;
}

/** Reads elements of DER one after the other. Throws {@link NameError} when one does not fit. */
class DerReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get ended(): boolean {
    return this.#at >= this.#bytes.length;
  }

  next(expected?: number): Element {
    const start = this.#at;
    const tag = this.#byte();
    if (expected !== undefined && tag !== expected) throw new NameError(`DER has tag ${tag} instead of ${expected}`);
    let length = this.#byte();
    if (length >= 0x80) {
      const count = length - 0x80;
      if (count < 1 || count > 3) throw new NameError('DER has a length that is not supported');
      length = 0;
      for (let n = 0; n < count; n++) length = length * 256 + this.#byte();
    }
    const contentAt = this.#at;
    if (contentAt + length > this.#bytes.length) throw new NameError('DER ends within an element');
    this.#at += length;
    return {
      tag,
      content: this.#bytes.subarray(contentAt, this.#at),
      whole: this.#bytes.subarray(start, this.#at),
    };
  }

  peek(): number | undefined {
    return this.#bytes[this.#at];
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new NameError('DER ends within an element');
    return byte;
  }
}

/** Returns the canonical subject of a certificate in DER; undefined when it has none. Throws {@link NameError}. */
export function certificateSubject(der: Uint8Array): string | undefined {
  const certificate = new DerReader(new DerReader(der).next(SEQUENCE).content);
  const body = new DerReader(certificate.next(SEQUENCE).content);
  if (body.peek() === VERSION) body.next();
  body.next(INTEGER);
  // Signature algorithm, issuer, validity.
  for (let skipped = 0; skipped < 3; skipped++) body.next(SEQUENCE);
  const name = readName(body.next(SEQUENCE).content);
  return name.length === 0 ? undefined : canonicalName(name);
}

/** Returns the canonical form of a subject that an operator wrote. Throws {@link NameError}. */
export function configuredSubject(text: string): string {
  return canonicalName(parseName(text, (der) => valueIn(wholeElement(der))));
}

function wholeElement(der: Uint8Array): Element {
  const reader = new DerReader(der);
  const element = reader.next();
  if (!reader.ended) throw new NameError('bytes follow the value');
  return element;
}

function readName(content: Uint8Array): DistinguishedName {
  const name: NameAttribute[][] = [];
  for (const relatives = new DerReader(content); !relatives.ended; ) {
    const relative: NameAttribute[] = [];
    for (const attributes = new DerReader(relatives.next(SET).content); !attributes.ended; ) {
      const attribute = new DerReader(attributes.next(SEQUENCE).content);
      const type = objectId(attribute.next(OBJECT_ID).content);
      relative.push({ type, value: valueIn(attribute.next()) });
    }
    name.push(relative);
  }
  return name;
}

/** Texts of different string types are equal; what is no valid text of its type stays DER. */
function valueIn({ tag, content, whole }: Element): string | Uint8Array {
  return STRINGS.get(tag)?.(content) ?? whole;
}

function objectId(content: Uint8Array): string {
  const numbers: bigint[] = [];
  let number = 0n;
  let begun = false;
  for (const byte of content) {
    if (!begun && byte === 0x80) throw new NameError('a DER object identifier is padded');
    begun = byte >= 0x80;
    number = (number << 7n) | BigInt(byte & 0x7f);
    if (byte >= 0x80) continue;
    numbers.push(number);
    number = 0n;
  }
  const [first, ...rest] = numbers;
  if (first === undefined || begun) throw new NameError('a DER object identifier is cut short');
  const top = first < 80n ? first / 40n : 2n;
  return [top, first - top * 40n, ...rest].join('.');
}

function utf8(content: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return undefined;
  }
}

function latin1(content: Uint8Array): string {
  return Buffer.from(content).toString('latin1');
}

function ascii(content: Uint8Array): string | undefined {
  return content.every((byte) => byte < 0x80) ? String.fromCharCode(...content) : undefined;
}

/** Characters of two or four bytes, the most significant first. */
function wide(content: Uint8Array, width: 2 | 4): string | undefined {
  if (content.length % width !== 0) return undefined;
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  let text = '';
  for (let at = 0; at < content.length; at += width) {
    const point = width === 2 ? view.getUint16(at) : view.getUint32(at);
    if (point > 0x10ffff) return undefined;
    text += String.fromCodePoint(point);
  }
  return text.isWellFormed() ? text : undefined;
}
