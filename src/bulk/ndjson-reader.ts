/** Reads NDJSON: one JSON object per line. Empty lines are skipped. Numbers keep all their digits. */
import { gridError } from '../base/errors.ts';
import { JSON_BOUNDS } from '../base/limits.ts';
import { ConversionFailure } from '../values/conversion-failure.ts';
import { type JsonNode, readJson } from '../values/json.ts';
import {
  ByteOrderMark,
  decodeUtf8,
  HeldBytes,
  type ReaderOptions,
  type RecordReader,
  type SourceField,
  type SourceRecord,
} from './records.ts';

const LINE_FEED = 10;
const NOTHING = Buffer.alloc(0);

/** The part of a JSON error's location that is meaningless because each line is a separate text. */
const ONLY_LINE = / at line 1,/;

export class NdjsonReader implements RecordReader {
  readonly #options: ReaderOptions;
  readonly #mark: ByteOrderMark;
  /** The beginning of an incomplete line, and the bytes of such lines before it. */
  readonly #held = new HeldBytes();
  #taken = 0;
  #offset: number;
  #line: number;
  /** The target's columns by the source's names for them. */
  readonly #targets = new Map<string, number>();

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#mark = new ByteOrderMark(options.start);
    this.#offset = options.start.offset;
    this.#line = options.start.line + 1;
  }

  feed(bytes: Uint8Array): readonly SourceRecord[] {
    return this.#read(this.#mark.feed(bytes, false));
  }

  suspend(): readonly SourceRecord[] {
    return [];
  }

  end(): readonly SourceRecord[] {
    const records = [...this.#read(this.#mark.feed(NOTHING, true))];
    if (this.#held.length > 0) {
      const last = this.#record(this.#completed(NOTHING), 0);
      if (last !== undefined) records.push(last);
    }
    return records;
  }

  #read(bytes: Uint8Array): readonly SourceRecord[] {
    const records: SourceRecord[] = [];
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    let at = 0;
    for (let end = buffer.indexOf(LINE_FEED); end >= 0; end = buffer.indexOf(LINE_FEED, at)) {
      const part = buffer.subarray(at, end);
      this.#checkLength(part.length);
      const record = this.#record(this.#held.length === 0 ? part : this.#completed(part), 1);
      if (record !== undefined) records.push(record);
      at = end + 1;
    }
    if (at < buffer.length) {
      this.#checkLength(buffer.length - at);
      this.#held.add(buffer.subarray(at));
    }
    return records;
  }

  #checkLength(added: number): void {
    const { recordBytes } = this.#options;
    if (this.#held.length + added > recordBytes) throw gridError('IMPORT_RECORD_TOO_LONG', this.#line, recordBytes);
  }

  #completed(last: Buffer): Buffer<ArrayBufferLike> {
    this.#held.add(last);
    this.#taken += this.#held.length;
    return this.#held.take(this.#taken);
  }

  /** Reads a line without its line feed. Returns undefined for an empty one. */
  #record(bytes: Buffer<ArrayBufferLike>, lineFeeds: number): SourceRecord | undefined {
    const line = this.#line++;
    this.#offset += this.#mark.take() + bytes.length + lineFeeds;
    const endOffset = this.#offset;
    const text = decodeUtf8(bytes);
    if (text === undefined)
      return { line, endLine: line, endOffset, fields: undefined, error: 'the line is not UTF-8' };
    if (text.trim() === '') return undefined;
    try {
      return { line, endLine: line, endOffset, ...this.#fieldsOf(readJson(text, JSON_BOUNDS.values)) };
    } catch (error) {
      if (!(error instanceof ConversionFailure)) throw error;
      return { line, endLine: line, endOffset, fields: undefined, error: error.reason.replace(ONLY_LINE, ' at') };
    }
  }

  #fieldsOf(node: JsonNode): Pick<SourceRecord, 'fields' | 'error'> {
    if (node.kind !== 'object') return { fields: undefined, error: `a JSON object is expected, found ${node.kind}` };
    const { columns } = this.#options;
    const fields: SourceField[] = new Array(columns.names.length).fill(undefined);
    for (const [name, member] of node.members) {
      const target = this.#targetOf(name);
      if (target < 0) return { fields: undefined, error: `there is no column "${name}"` };
      const exact = columns.names[target];
      // The member with the column's exact name counts, wherever it is.
      if (exact !== undefined && exact !== name && node.members.has(exact)) continue;
      fields[target] = member;
    }
    return { fields, error: undefined };
  }

  #targetOf(name: string): number {
    const known = this.#targets.get(name);
    if (known !== undefined) return known;
    const target = this.#options.columns.indexOf(name);
    // A malicious source has a new name in each line.
    if (target >= 0) this.#targets.set(name, target);
    return target;
  }
}
