/** Records of a source: the lines of CSV and NDJSON that become rows or entries. */
import type { JsonNode } from '../values/json.ts';

/** A field as in the source: text or NULL in CSV, any JSON value in NDJSON; undefined if absent. */
export type SourceField = string | null | JsonNode | undefined;

/** A record with its place in the source. */
export interface SourceRecord {
  /** The line on which it begins, from 1. */
  readonly line: number;
  /** The line on which it ends. */
  readonly endLine: number;
  /** Offset of the record's end in the source, in bytes. */
  readonly endOffset: number;
  /** The fields by target column, or the record's error. */
  readonly fields: readonly SourceField[] | undefined;
  readonly error: string | undefined;
}

/** The kind of a column's values; `moment` means dates and timestamps. */
export type ColumnKind = 'text' | 'number' | 'moment' | 'other';

/** A target's columns in order. */
export interface TargetColumns {
  readonly names: readonly string[];
  /** Returns the index of the column that a source names, or -1 if there is none. */
  indexOf(name: string): number;
  /** The kind of each column; any if undefined. In string columns, surrounding blanks belong to the value. */
  readonly kinds?: readonly ColumnKind[];
}

/** A position in a source: the bytes and lines before it. */
export interface SourcePosition {
  readonly offset: number;
  readonly line: number;
}

/** Reads the records of a source, whose bytes may be cut anywhere. */
export interface RecordReader {
  /**
   * Reads bytes, which the reader then owns, and returns the complete records. Throws GridError if reading
   * cannot continue.
   */
  feed(bytes: Uint8Array): readonly SourceRecord[];
  /** Returns the complete records at the end of a body that others follow. Nothing can be read afterwards. */
  suspend(): readonly SourceRecord[];
  /** Ends the source and returns its last record, which needs no line end. Throws like {@link feed}. */
  end(): readonly SourceRecord[];
}

/** How records are read. */
export interface ReaderOptions {
  readonly columns: TargetColumns;
  /** Where the source begins; the first line has the number 1. */
  readonly start: SourcePosition;
  /** Bytes of the longest record. */
  readonly recordBytes: number;
}

/** The line ends, longest first. A file that was converted to CRLF twice has two carriage returns. */
export const LINE_ENDS: readonly string[] = ['\r\r\n', '\r\n', '\n'];

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes UTF-8. Returns undefined for bytes that are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return UTF_8.decode(bytes);
  } catch {
    return undefined;
  }
}

export const BYTE_ORDER_MARK: readonly number[] = [0xef, 0xbb, 0xbf];

/** Removes the byte order mark at the beginning of a source, which can arrive in parts. */
export class ByteOrderMark {
  #held = new Uint8Array(0);
  #passed: boolean;
  /** The bytes of the mark that was removed. */
  bytes = 0;
  #untaken = 0;

  constructor({ offset }: SourcePosition) {
    this.#passed = offset > 0;
  }

  /** Returns the bytes after the mark, or none while it may still be one. */
  feed(bytes: Uint8Array, isLast: boolean): Uint8Array {
    if (this.#passed) return bytes;
    const all = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    const length = Math.min(all.length, BYTE_ORDER_MARK.length);
    const isMark = BYTE_ORDER_MARK.slice(0, length).every((byte, at) => all[at] === byte);
    if (isMark && length < BYTE_ORDER_MARK.length && !isLast) {
      this.#held = new Uint8Array(all);
      return all.subarray(0, 0);
    }
    this.#passed = true;
    if (!isMark || length < BYTE_ORDER_MARK.length) return all;
    this.bytes = length;
    this.#untaken = length;
    return all.subarray(length);
  }

  /** Returns the bytes of the mark once. */
  take(): number {
    const bytes = this.#untaken;
    this.#untaken = 0;
    return bytes;
  }
}

/**
 * Holds the bytes after the last record, in memory proportional to their number however small the parts are in
 * which they arrive.
 */
export class HeldBytes {
  #bytes: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  #from = 0;
  #to = 0;
  #offset = 0;

  get length(): number {
    return this.#to - this.#from;
  }

  /** The number of bytes before the held ones. */
  get offset(): number {
    return this.#offset;
  }

  /** The held bytes, which are valid until the next {@link add}. */
  get rest(): Buffer<ArrayBufferLike> {
    return this.#bytes.subarray(this.#from, this.#to);
  }

  add(part: Uint8Array): void {
    const { length } = this;
    if (this.#to + part.length > this.#bytes.length) {
      // The bytes of records that have been taken are dropped here, so each byte is moved at most a few times.
      const isRoomy = length + part.length <= this.#bytes.length / 2;
      const larger = isRoomy ? this.#bytes : Buffer.allocUnsafe(Math.max(MIN_HELD_BYTES, 2 * (length + part.length)));
      this.#bytes.copy(larger, 0, this.#from, this.#to);
      this.#bytes = larger;
      this.#from = 0;
      this.#to = length;
    }
    this.#bytes.set(part, this.#to);
    this.#to += part.length;
  }

  /** Returns the bytes up to an offset in the source. They are valid until the next {@link add}. */
  take(offset: number): Buffer<ArrayBufferLike> {
    const end = Math.min(this.#to, this.#from + offset - this.#offset);
    const taken = this.#bytes.subarray(this.#from, end);
    this.#offset = offset;
    this.#from = end;
    return taken;
  }
}

/** The initial size of the memory for a record: most records fit, and it doubles for others. */
const MIN_HELD_BYTES = 8 * 1_024;
