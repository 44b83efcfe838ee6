/**
 * Reads CSV by RFC 4180: quoted fields may contain delimiters, quotes and line ends; lines end with LF or CRLF; empty
 * lines are skipped. An empty field without quotes is NULL, a quoted one is the empty string.
 *
 * A record with a misplaced quote ends with its first line, whatever its quotes enclose: a missing quote would
 * otherwise swallow good lines up to the next one. Reading continues at the next line with a new parser.
 */
import { type Options, Parser } from 'csv-parse';
import { GridError, gridError } from '../base/errors.ts';
import { foreignText } from '../base/foreign-text.ts';
import { IMPORT_BOUNDS } from '../base/limits.ts';
import { trimJava } from '../values/java-number.ts';
import { quoteError } from './quote-errors.ts';
import {
  ByteOrderMark,
  decodeUtf8,
  HeldBytes,
  LINE_ENDS,
  type ReaderOptions,
  type RecordReader,
  type SourceField,
  type SourceRecord,
} from './records.ts';

export interface CsvOptions extends ReaderOptions {
  /** One ASCII character. */
  readonly delimiter: string;
  /** The text of an unquoted field that is NULL. */
  readonly nullText: string;
  /** The column names in order; if undefined, the first record contains them. */
  readonly header: readonly string[] | undefined;
  /** Names that replace those in the first record. */
  readonly replacement?: readonly string[] | undefined;
  /** Called with the column names when the first record has been read. */
  readonly onHeader: (names: readonly string[]) => void;
}

/** The parser reads one character for each byte; only strings that need it are decoded. */
const ENCODING = 'latin1';
const NOT_ASCII = /[\x80-\xff]/;
const LINE_FEEDS = /\n/g;
const LINE_BREAKS = /[\r\n]/g;
const LAST_LINE_END = /\r{0,2}\n$/;
const TOO_LONG = 'CSV_MAX_RECORD_SIZE';
const QUOTE_ERRORS: ReadonlySet<string> = new Set([
  'CSV_INVALID_CLOSING_QUOTE',
  'CSV_QUOTE_NOT_CLOSED',
  'INVALID_OPENING_QUOTE',
]);
const LINE_FEED = 10;
const RETURN = 13;
const EMPTY_IN_QUOTES = Buffer.from('""');
const NOTHING = new Uint8Array(0);
const LINES_AHEAD = Buffer.from('\n\n\n\n\n\n');

/** The parser, which is driven directly: its records are needed immediately and not as a stream. */
class Records extends Parser {
  readonly #onRecord: (record: readonly string[]) => void;

  constructor(options: Options, onRecord: (record: readonly string[]) => void) {
    super(options);
    this.#onRecord = onRecord;
  }

  override push(record: readonly string[] | null): boolean {
    if (record !== null) this.#onRecord(record);
    return true;
  }
}

export class CsvReader implements RecordReader {
  readonly #options: CsvOptions;
  #parser: Records;
  /** The number of bytes read by earlier parsers. */
  #before = 0;
  readonly #mark: ByteOrderMark;
  /** The bytes from the end of the last record on, and the number of bytes before them. */
  readonly #held = new HeldBytes();
  /** The target's column for each field. */
  #targets: readonly number[] | undefined;
  #records: SourceRecord[] = [];
  /** Bytes read so far. */
  #bytes = 0;
  #failure: GridError | undefined;
  /** The error in the quotes of the record being read. */
  #quoteError: string | undefined;
  #quoteErrors = 0;
  /** The line on which the next record begins, if no empty lines precede it. */
  #line: number;
  /** Lines and empty lines that the parser had counted at the end of the last record. */
  #countedLines = 0;
  #countedEmpty = 0;

  constructor(options: CsvOptions) {
    this.#options = options;
    this.#mark = new ByteOrderMark(options.start);
    this.#line = options.start.line + 1;
    if (options.header !== undefined) this.#targets = this.#targetsOf(options.header);
    this.#parser = this.#newParser();
  }

  #newParser(): Records {
    const settings: Options = {
      bom: false,
      encoding: ENCODING,
      delimiter: this.#options.delimiter,
      record_delimiter: [...LINE_ENDS],
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: this.#options.recordBytes,
    };
    this.#countedLines = 0;
    this.#countedEmpty = 0;
    return new Records(settings, (record) => this.#record(record));
  }

  feed(bytes: Uint8Array): readonly SourceRecord[] {
    this.#records = [];
    this.#bytes += bytes.length;
    this.#read(this.#mark.feed(bytes, false));
    return this.#result();
  }

  suspend(): readonly SourceRecord[] {
    this.#records = [];
    const endOffset = this.#options.start.offset + this.#bytes;
    // The parser looks beyond the end of a record. Records that only these lines complete are not part of the body.
    if (this.#failure === undefined && this.#quoteError === undefined) this.#read(LINES_AHEAD);
    return this.#result().filter((record) => record.endOffset <= endOffset && record.fields !== undefined);
  }

  end(): readonly SourceRecord[] {
    this.#records = [];
    this.#read(this.#mark.feed(NOTHING, true));
    for (let isOpen = this.#failure === undefined; isOpen; ) {
      if (this.#quoteError === undefined) this.#parser._flush((error) => this.#check(error));
      isOpen = this.#quoteError !== undefined && this.#failure === undefined;
      if (isOpen) this.#readOn(true);
    }
    return this.#result();
  }

  #read(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#held.add(buffer);
    const isNew = this.#quoteError === undefined;
    if (isNew) this.#parse(buffer);
    if (this.#quoteError !== undefined && (isNew || buffer.includes(LINE_FEED))) this.#readOn(false);
    // The parser counts the characters of fields, and a record can consist only of delimiters.
    if (this.#held.length > this.#options.recordBytes) this.#tooLong();
  }

  #parse(buffer: Buffer<ArrayBufferLike>): void {
    this.#parser._transform(buffer, 'binary', (error) => this.#check(error));
  }

  /**
   * Rejects the line of a record with wrong quotes, and those that follow it, and reads what comes after them. Without
   * the end of the line, it waits for more bytes, unless `isLast`.
   */
  #readOn(isLast: boolean): void {
    // The parser keeps incomplete input, and the held bytes are moved.
    const rest = Buffer.from(this.#held.rest);
    const first = this.#held.offset;
    let at = 0;
    while (this.#quoteError !== undefined && this.#failure === undefined) {
      let line = this.#line;
      for (let end = lineEndAt(rest, at); end > 0; end = lineEndAt(rest, at)) {
        at += end;
        line++;
      }
      const end = rest.indexOf(LINE_FEED, at);
      if (end < 0 && !isLast) return;
      at = end < 0 ? rest.length : end + 1;
      this.#line = line;
      this.#reject(this.#quoteError, first + at);
      if (at < rest.length) this.#parse(rest.subarray(at));
      at = this.#held.offset - first;
    }
  }

  /** Rejects the record being read, with its first line, which ends at a number of bytes. */
  #reject(error: string, end: number): void {
    if (this.#targets === undefined) {
      this.#failure = gridError('IMPORT_INVALID', this.#line, error);
      return;
    }
    if (++this.#quoteErrors > IMPORT_BOUNDS.wrongQuotes) {
      this.#failure = gridError('IMPORT_QUOTES_WRONG', this.#line, IMPORT_BOUNDS.wrongQuotes);
      return;
    }
    this.#held.take(end);
    this.#before = end;
    this.#quoteError = undefined;
    this.#parser = this.#newParser();
    const line = this.#line++;
    this.#add({ fields: undefined, error }, line, this.#endOffset);
  }

  #result(): readonly SourceRecord[] {
    if (this.#failure !== undefined) throw this.#failure;
    return this.#records;
  }

  #check(error: Error | null | undefined): void {
    if (error === null || error === undefined || this.#failure !== undefined) return;
    const code = 'code' in error ? String(error.code) : '';
    if (code === TOO_LONG) this.#tooLong();
    else if (QUOTE_ERRORS.has(code)) this.#quoteError = quoteError(code);
    this.#failure ??=
      this.#quoteError !== undefined
        ? undefined
        : error instanceof GridError
          ? error
          : gridError('IMPORT_INVALID', this.#line, withoutCapital(error.message));
  }

  #tooLong(): void {
    this.#failure ??= gridError('IMPORT_RECORD_TOO_LONG', this.#line, this.#options.recordBytes);
  }

  get #endOffset(): number {
    return this.#options.start.offset + this.#mark.bytes + this.#before + this.#parser.info.bytes;
  }

  #record(record: readonly string[]): void {
    const bytes = this.#held.take(this.#before + this.#parser.info.bytes);
    if (this.#failure !== undefined) return;
    const line = this.#beginLine(record);
    if (this.#targets === undefined) this.#readHeader(record, line);
    else this.#add(this.#content(record, bytes, this.#targets), line, this.#endOffset);
  }

  #content(
    record: readonly string[],
    bytes: Buffer<ArrayBufferLike>,
    targets: readonly number[],
  ): Pick<SourceRecord, 'fields' | 'error'> {
    if (record.length !== targets.length) {
      const noun = targets.length === 1 ? 'field' : 'fields';
      return { fields: undefined, error: `${targets.length} ${noun} expected, ${record.length} found` };
    }
    const { columns, nullText } = this.#options;
    const fields: SourceField[] = new Array(columns.names.length).fill(undefined);
    let quoted: readonly boolean[] | undefined;
    for (let at = 0; at < targets.length; at++) {
      const text = record[at] ?? '';
      const target = targets[at] ?? -1;
      if (
        text === nullText ||
        (columns.kinds !== undefined && columns.kinds[target] !== 'text' && trimJava(text) === nullText)
      ) {
        quoted ??= this.#quotedFields(bytes, record);
        fields[target] = quoted[at] === true ? text : null;
      } else if (NOT_ASCII.test(text)) {
        const decoded = decodeUtf8(Buffer.from(text, ENCODING));
        if (decoded === undefined) return { fields: undefined, error: `field ${at + 1} is not UTF-8` };
        fields[target] = decoded;
      } else fields[target] = text;
    }
    return { fields, error: undefined };
  }

  /**
   * Returns which fields of a record are in quotes, because only an unquoted one is NULL. The parser does not report it
   * without creating several objects for each field. `bytes` end with the record, but may begin before it.
   */
  #quotedFields(bytes: Buffer<ArrayBufferLike>, record: readonly string[]): readonly boolean[] {
    if (this.#options.nullText === '' && !bytes.includes(EMPTY_IN_QUOTES)) return [];
    const source = bytes.toString(ENCODING);
    let end = source.length - (LAST_LINE_END.exec(source)?.[0].length ?? 0);
    const quoted: boolean[] = new Array(record.length).fill(false);
    for (let at = record.length - 1; at >= 0; at--) {
      const text = record[at] ?? '';
      const inQuotes = `"${text.replaceAll('"', '""')}"`;
      quoted[at] = source.endsWith(inQuotes, end);
      end -= (quoted[at] === true ? inQuotes.length : text.length) + 1;
    }
    return quoted;
  }

  #add(content: Pick<SourceRecord, 'fields' | 'error'>, line: number, endOffset: number): void {
    this.#records.push({ line, endLine: Math.max(line, this.#line - 1), endOffset, ...content });
  }

  /** Returns the line on which a record begins, and advances to the next one. */
  #beginLine(record: readonly string[]): number {
    const { lines, empty_lines: empty } = this.#parser.info;
    const passed = lines - this.#countedLines;
    const skipped = empty - this.#countedEmpty;
    this.#countedLines = lines;
    this.#countedEmpty = empty;
    if (passed <= 1) return this.#line++;
    // The parser counts a carriage return like a line feed.
    const text = record.join('');
    const counted = text.match(LINE_BREAKS)?.length ?? 0;
    const first = this.#line + Math.max(skipped, passed - 1 - counted);
    this.#line = first + 1 + (text.match(LINE_FEEDS)?.length ?? 0);
    return first;
  }

  #readHeader(record: readonly string[], line: number): void {
    try {
      if (record.length > IMPORT_BOUNDS.columns)
        throw gridError('IMPORT_COLUMNS_TOO_MANY', line, IMPORT_BOUNDS.columns);
      const names = this.#options.replacement ?? record.map((text) => decodeUtf8(Buffer.from(text, ENCODING)) ?? text);
      const wrong = this.#options.replacement === undefined ? this.#wrongHeader(record) : undefined;
      if (wrong !== undefined) throw wrong;
      this.#targets = this.#targetsOf(names);
      this.#options.onHeader(names);
    } catch (error) {
      this.#failure = error instanceof GridError ? error : gridError('IMPORT_INVALID', line, String(error));
    }
  }

  /** Describes a first record that names no columns, with the remedy, or returns undefined if it may name them. */
  #wrongHeader(record: readonly string[]): GridError | undefined {
    const [first = ''] = record;
    const { columns, delimiter } = this.#options;
    const unknown = record.find((name) => columns.indexOf(decodeUtf8(Buffer.from(name, ENCODING)) ?? name) < 0);
    if (unknown === undefined) return undefined;
    const foreign = foreignText(Buffer.from(first, ENCODING));
    if (foreign !== undefined) return gridError('IMPORT_SOURCE_UNREADABLE', foreign);
    const other = [';', '\t', '|', ','].find((each) => each !== delimiter && unknown.includes(each));
    const advice = /^sep=/i.test(first)
      ? 'only spreadsheets read this line: remove it'
      : unknown.includes('\r')
        ? 'the lines end in CR alone: make them LF (tr "\\r" "\\n")'
        : record.length === 1 && other !== undefined
          ? `send delimiter=${other === '\t' ? 'tab' : other} if that separates its fields`
          : undefined;
    return advice === undefined ? undefined : gridError('IMPORT_HEADER_WRONG', first, advice);
  }

  #targetsOf(names: readonly string[]): readonly number[] {
    const { columns } = this.#options;
    const targets = names.map((name) => {
      const index = columns.indexOf(name);
      if (index < 0) throw gridError('IMPORT_COLUMN_UNKNOWN', name, columns.names);
      return index;
    });
    const repeated = names.find((_, at) => targets.indexOf(targets[at] ?? -1) !== at);
    if (repeated !== undefined) throw gridError('IMPORT_COLUMN_REPEATED', repeated);
    return targets;
  }
}

/** Returns the length of the line end at a position, or 0 if there is none. */
function lineEndAt(bytes: Uint8Array, at: number): number {
  let to = at;
  while (to - at < 2 && bytes[to] === RETURN) to++;
  return bytes[to] === LINE_FEED ? to + 1 - at : 0;
}

function withoutCapital(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
