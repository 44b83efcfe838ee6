/** Finds and parses the heads of the requests of one connection. */
import { fail } from '../base/errors.ts';
import { type HeaderBlock, parseHeaderBlock, parseRequestLine, type RequestLine } from './head.ts';

const HEAD_END = Buffer.from('\r\n\r\n');

/** A head, and where it ends. */
export interface ParsedHead {
  readonly line: RequestLine;
  readonly block: HeaderBlock;
  readonly headBytes: number;
}

export class HeadParser {
  readonly #limitBytes: number;
  /** The header lines of the previous request; most clients repeat them. */
  #previous: HeaderBlock | undefined;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Parses the head at the start of the bytes; undefined if incomplete. Throws HEAD_TOO_LARGE, REQUEST_MALFORMED. */
  parse(bytes: Buffer): ParsedHead | undefined {
    const end = bytes.indexOf(HEAD_END);
    if (end < 0 || end > this.#limitBytes) {
      if (bytes.length > this.#limitBytes) throw fail('HEAD_TOO_LARGE', this.#limitBytes);
      return undefined;
    }
    const text = bytes.toString('latin1', 0, end + 2);
    const lineEnd = text.indexOf('\r\n');
    const line = parseRequestLine(text, lineEnd);
    return { line, block: this.#blockOf(text, lineEnd + 2, line.minor), headBytes: end + HEAD_END.length };
  }

  #blockOf(text: string, start: number, minor: 0 | 1): HeaderBlock {
    const previous = this.#previous;
    if (previous !== undefined && previous.minor === minor && previous.text.length === text.length - start) {
      if (text.endsWith(previous.text)) return previous;
    }
    const block = parseHeaderBlock(text.slice(start), minor);
    this.#previous = block;
    return block;
  }
}
