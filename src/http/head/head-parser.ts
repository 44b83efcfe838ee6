/** Finds and parses the heads of the requests of one connection. */
import { fail } from '../../base/errors.ts';
import { type HeaderBlock, parseHeaderBlock, parseRequestLine, type RequestLine } from './head.ts';
import { HeadTemplate } from './head-template.ts';

const HEAD_END = Buffer.from('\r\n\r\n');

/** A head, and where it ends. */
export interface ParsedHead {
  readonly line: RequestLine;
  readonly block: HeaderBlock;
  readonly headBytes: number;
}

/** The header lines of a request. */
interface ParsedLines {
  readonly text: string;
  readonly minor: 0 | 1;
  readonly block: HeaderBlock;
}

/** After so many different heads in a row, a connection is taken to have nothing in common with its former requests. */
const ATTEMPTS = 8;

export class HeadParser {
  readonly #limitBytes: number;
  /** The header lines that were parsed last; most clients repeat them. */
  #previous: ParsedLines | undefined;
  /** What repeats if some of their values change with each request. */
  #template: HeadTemplate | undefined;
  #attempts = ATTEMPTS;

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
    if (previous === undefined || previous.minor !== minor) {
      this.#template = undefined;
      return this.#parse(text.slice(start), minor);
    }
    if (previous.text.length === text.length - start && text.endsWith(previous.text)) return previous.block;
    const repeated = this.#template?.read(text, start);
    if (repeated !== undefined) return repeated;
    const lines = text.slice(start);
    const known = this.#template;
    this.#template = undefined;
    const block = this.#parse(lines, minor);
    if (this.#attempts === 0) return block;
    this.#template = HeadTemplate.of(previous.text, lines, block, known);
    this.#attempts = this.#template === undefined ? this.#attempts - 1 : ATTEMPTS;
    return block;
  }

  #parse(text: string, minor: 0 | 1): HeaderBlock {
    const block = parseHeaderBlock(text, minor);
    this.#previous = { text, minor, block };
    return block;
  }
}
