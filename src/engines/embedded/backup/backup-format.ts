/**
 * The format of a backup, a byte stream: a header, runs of pages from each database file in order, and an end with the
 * hash of everything before it. docs/backup.md describes it. All numbers are little-endian.
 */
import { crc32, zstdDecompressSync } from 'node:zlib';
import { gridError } from '../../../base/errors.ts';
import { BACKUP_BOUNDS } from '../../../base/limits.ts';
import { isPageSize } from './write-ahead-log.ts';

/** The format version that this program writes, and the newest that it reads. */
export const FORMAT_VERSION = 1;
/** Converting line ends, or viewing as text, would change these bytes. */
const MAGIC = Buffer.from('svc-backup\r\n\x1a\n', 'latin1');
const PREFIX_BYTES = MAGIC.length + 2 + 4;
const CHECKSUM_BYTES = 4;
const HASH_BYTES = 32;

const KIND = { pages: 1, end: 2 } as const;
const COMPRESSION = { none: 0, zstd: 1 } as const;
/** Kind, compression, file, first page, number of pages, stored bytes. */
const RUN_BYTES = 1 + 1 + 2 + 4 + 4 + 4;
/** Kind, total bytes of the pages. */
const END_BYTES = 1 + 8;
/** The fastest level: the copy shares the processor with the service. */
const LEVEL = 1;

/** A database file in a backup. */
export interface BackupFile {
  /** The non-persistent region that the file stores, or null for the data file, with all persistent regions. */
  readonly region: string | null;
  readonly pageBytes: number;
  readonly pages: number;
}

/** The contents of a backup. */
export interface BackupHeader {
  /** The snapshot's time, ISO 8601. */
  readonly createdAt: string;
  /** Version of the program that wrote the backup. */
  readonly program: string;
  readonly schemaVersion: number;
  /** All regions whose caches the backup contains. */
  readonly regions: ReadonlyArray<{ readonly name: string; readonly persistent: boolean }>;
  /** Data file first. */
  readonly files: readonly BackupFile[];
}

/** Consecutive pages of a file. Pages are numbered from 1. */
export interface PageRun {
  /** Index in {@link BackupHeader.files}. */
  readonly file: number;
  readonly firstPage: number;
  readonly bytes: Uint8Array;
}

/** The end of a backup. */
export interface BackupEnd {
  /** Bytes of all pages, before compression. */
  readonly pageBytes: number;
  /** SHA-256 of all bytes before the end, in hexadecimal. */
  readonly sha256: string;
}

/** Encodes a backup part by part. */
export class BackupEncoder {
  readonly #hash = new Bun.CryptoHasher('sha256');
  readonly #files: readonly BackupFile[];
  #pageBytes = 0;

  constructor(files: readonly BackupFile[]) {
    this.#files = files;
  }

  header(header: BackupHeader): Uint8Array {
    const content = Buffer.from(JSON.stringify(header));
    const bytes = Buffer.alloc(PREFIX_BYTES + content.length + CHECKSUM_BYTES);
    MAGIC.copy(bytes);
    bytes.writeUInt16LE(FORMAT_VERSION, MAGIC.length);
    bytes.writeUInt32LE(content.length, MAGIC.length + 2);
    content.copy(bytes, PREFIX_BYTES);
    return this.#withChecksum(bytes);
  }

  pages({ file, firstPage, bytes: pages }: PageRun): Uint8Array {
    const pageBytes = this.#files[file]?.pageBytes ?? 0;
    const packed = Bun.zstdCompressSync(pages, { level: LEVEL });
    const isSmaller = packed.length < pages.length;
    const stored = isSmaller ? packed : pages;
    const bytes = Buffer.alloc(RUN_BYTES + stored.length + CHECKSUM_BYTES);
    bytes.writeUInt8(KIND.pages, 0);
    bytes.writeUInt8(isSmaller ? COMPRESSION.zstd : COMPRESSION.none, 1);
    bytes.writeUInt16LE(file, 2);
    bytes.writeUInt32LE(firstPage, 4);
    bytes.writeUInt32LE(pages.length / pageBytes, 8);
    bytes.writeUInt32LE(stored.length, 12);
    bytes.set(stored, RUN_BYTES);
    this.#pageBytes += pages.length;
    return this.#withChecksum(bytes);
  }

  end(): { readonly bytes: Uint8Array; readonly end: BackupEnd } {
    const digest = this.#hash.digest();
    const bytes = Buffer.alloc(END_BYTES + HASH_BYTES + CHECKSUM_BYTES);
    bytes.writeUInt8(KIND.end, 0);
    bytes.writeBigUInt64LE(BigInt(this.#pageBytes), 1);
    bytes.set(digest, END_BYTES);
    writeChecksum(bytes);
    return { bytes, end: { pageBytes: this.#pageBytes, sha256: digest.toString('hex') } };
  }

  #withChecksum(bytes: Buffer): Uint8Array {
    writeChecksum(bytes);
    this.#hash.update(bytes);
    return bytes;
  }
}

function writeChecksum(bytes: Buffer): void {
  const at = bytes.length - CHECKSUM_BYTES;
  bytes.writeUInt32LE(crc32(bytes.subarray(0, at)), at);
}

/**
 * Decodes a backup and verifies it: {@link header}, then {@link runs}. Throws BACKUP_DAMAGED for anything that the
 * encoder would not have written, and BACKUP_NEWER for a newer format. Holds one run in memory.
 */
export class BackupDecoder {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #hash = new Bun.CryptoHasher('sha256');
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  /** Bytes decoded so far, which messages report as the position. */
  #position = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  async header(): Promise<BackupHeader> {
    const prefix = await this.#take(PREFIX_BYTES, 'it is shorter than a header');
    if (!prefix.subarray(0, MAGIC.length).equals(MAGIC))
      throw gridError('BACKUP_DAMAGED', 'it does not begin as a backup');
    const version = prefix.readUInt16LE(MAGIC.length);
    if (version > FORMAT_VERSION) throw gridError('BACKUP_NEWER', version, FORMAT_VERSION);
    const length = prefix.readUInt32LE(MAGIC.length + 2);
    if (version < 1 || length > BACKUP_BOUNDS.headerBytes) throw this.#damage('the header is invalid');
    const rest = await this.#take(length + CHECKSUM_BYTES, 'the header is incomplete');
    this.#verify([prefix, rest], 'the header');
    return headerOf(rest.subarray(0, length).toString());
  }

  /** Returns the runs in order, without a gap. Returns normally only if the backup is complete and undamaged. */
  async *runs(header: BackupHeader): AsyncGenerator<PageRun, BackupEnd> {
    let pageBytes = 0;
    for (const [file, { pages, pageBytes: size }] of header.files.entries()) {
      for (let page = 1; page <= pages; ) {
        const run = await this.#run(file, page, size);
        pageBytes += run.bytes.length;
        page += run.bytes.length / size;
        if (page > pages + 1) throw this.#damage('a file has more pages than the header says');
        yield run;
      }
    }
    return this.#end(pageBytes);
  }

  async #run(file: number, firstPage: number, pageSize: number): Promise<PageRun> {
    const head = await this.#take(RUN_BYTES, 'pages are missing');
    const pages = head.readUInt32LE(8);
    const stored = head.readUInt32LE(12);
    if (head.readUInt8(0) !== KIND.pages) throw this.#damage('pages are missing');
    if (pages < 1 || pages * pageSize > BACKUP_BOUNDS.runBytes || stored > pages * pageSize) {
      throw this.#damage('a run of pages is invalid');
    }
    const rest = await this.#take(stored + CHECKSUM_BYTES, 'a run of pages is incomplete');
    this.#verify([head, rest], 'a run of pages');
    if (head.readUInt16LE(2) !== file || head.readUInt32LE(4) !== firstPage) throw this.#damage('pages are missing');
    const content = rest.subarray(0, stored);
    const bytes = head.readUInt8(1) === COMPRESSION.zstd ? this.#unpacked(content, pages * pageSize) : content;
    if (bytes.length !== pages * pageSize) throw this.#damage('a run of pages is invalid');
    return { file, firstPage, bytes };
  }

  async #end(pageBytes: number): Promise<BackupEnd> {
    const digest = this.#hash.digest();
    const end = await this.#next(END_BYTES + HASH_BYTES + CHECKSUM_BYTES, 'the end is missing');
    const at = end.length - CHECKSUM_BYTES;
    if (end.readUInt8(0) !== KIND.end || crc32(end.subarray(0, at)) !== end.readUInt32LE(at)) {
      throw this.#damage('the end is invalid');
    }
    if (!digest.equals(end.subarray(END_BYTES, at)) || end.readBigUInt64LE(1) !== BigInt(pageBytes)) {
      throw this.#damage('the hash of the whole backup differs');
    }
    if (await this.#hasMore()) throw this.#damage('there are bytes after its end');
    return { pageBytes, sha256: digest.toString('hex') };
  }

  #unpacked(content: Uint8Array, maxOutputLength: number): Uint8Array {
    try {
      return zstdDecompressSync(content, { maxOutputLength });
    } catch {
      throw this.#damage('a run of pages is invalid');
    }
  }

  #verify(parts: readonly Buffer[], what: string): void {
    const bytes = Buffer.concat(parts);
    const at = bytes.length - CHECKSUM_BYTES;
    if (crc32(bytes.subarray(0, at)) !== bytes.readUInt32LE(at)) throw this.#damage(`the checksum of ${what} differs`);
  }

  #damage(reason: string): Error {
    return gridError('BACKUP_DAMAGED', `${reason}, before byte ${this.#position}`);
  }

  async #take(length: number, missing: string): Promise<Buffer> {
    const bytes = await this.#next(length, missing);
    this.#hash.update(bytes);
    return bytes;
  }

  async #next(length: number, missing: string): Promise<Buffer> {
    while (this.#waitingBytes < length) {
      const { value, done } = await this.#chunks.next();
      if (done === true) throw this.#damage(missing);
      this.#waiting.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
      this.#waitingBytes += value.byteLength;
    }
    const all = this.#waiting.length === 1 ? this.#waiting[0] : undefined;
    const bytes = all ?? Buffer.concat(this.#waiting);
    this.#waiting = [bytes.subarray(length)];
    this.#waitingBytes -= length;
    this.#position += length;
    return bytes.subarray(0, length);
  }

  async #hasMore(): Promise<boolean> {
    while (this.#waitingBytes === 0) {
      const { value, done } = await this.#chunks.next();
      if (done === true) return false;
      this.#waitingBytes += value.byteLength;
    }
    return true;
  }
}

/**
 * Parses the header. Its checksum is correct, so a program wrote it; an unknown shape nevertheless counts as damage.
 */
function headerOf(text: string): BackupHeader {
  const header: unknown = JSON.parse(text);
  if (isHeader(header)) return header;
  throw gridError('BACKUP_DAMAGED', 'its header is not one of this format');
}

function isHeader(value: unknown): value is BackupHeader {
  if (typeof value !== 'object' || value === null) return false;
  const { createdAt, program, schemaVersion, regions, files } = value as Partial<Record<keyof BackupHeader, unknown>>;
  return (
    typeof createdAt === 'string' &&
    typeof program === 'string' &&
    Number.isSafeInteger(schemaVersion) &&
    Array.isArray(regions) &&
    Array.isArray(files) &&
    files.length > 0 &&
    files.length <= BACKUP_BOUNDS.files &&
    files.every(isFile)
  );
}

function isFile(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { region, pageBytes, pages } = value as Partial<Record<keyof BackupFile, unknown>>;
  return (
    (region === null || typeof region === 'string') &&
    typeof pageBytes === 'number' &&
    isPageSize(pageBytes) &&
    Number.isSafeInteger(pages)
  );
}
