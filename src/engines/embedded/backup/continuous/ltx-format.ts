/**
 * The LTX format of Litestream 0.5 (the specification and the code are in the repository superfly/ltx): an object with
 * the pages that a range of transactions changed. Here, a transaction is the content of one object of the lowest level,
 * and its number is the position in the chain. Numbers are big-endian.
 *
 * Litestream's restore rejects objects with checksums of the whole database in the format's own fields. Ours identifies
 * the database by hashes of its pages, in the reserved bytes of the header, which readers skip, and which the checksum
 * of the object covers.
 */
import { gridError } from '../../../../base/errors.ts';
import { isPageSize } from '../write-ahead-log.ts';
import { Crc64, PartAppender, type PartialCrc, partialCrcOf } from './crc64.ts';
import { blockBound, compressBlock, decompressBlock } from './lz4-block.ts';

const MAGIC = 'LTX1';
/** Sizes in the format. */
const HEADER_BYTES = 100;
/** Page number and flags. */
const PAGE_HEADER_BYTES = 6;
const PAGE_LENGTH_BYTES = 4;
const CHECKSUM_BYTES = 8;
/** The length of the index, and the trailer: the checksums of the database and of the object. */
const END_BYTES = 8 + 2 * CHECKSUM_BYTES;
/** No checksum of the database in the format's own fields for it. */
const FLAG_NO_CHECKSUM = 2;
/** The length of the block follows. */
const FLAG_LENGTH = 1;
/** Set in every checksum, so that none is zero. */
const CHECKSUM_BIT = 1n << 63n;
/**
 * Positions in the reserved bytes of the header: the checksum of versions that had no hash, the hash and its version.
 */
const CRC_AT = 80;
const HASH_VERSION_AT = 88;
const HASH_AT = 92;
/** The byte of a file that SQLite locks; the page that contains it has no contents. */
const LOCK_BYTE = 0x40000000;
/** Maximum size of a 53-bit number as LEB128, in bytes. */
const VARINT_BYTES = 8;
/** Memory for decoded pages that is allocated in one step. */
const BUFFER_BYTES = 256 * 1024;

export interface LtxHeader {
  readonly pageBytes: number;
  /** Pages of the database after the last transaction. */
  readonly pages: number;
  readonly firstTransaction: bigint;
  readonly lastTransaction: bigint;
  /** When the last transaction was read, in ms since 1970. */
  readonly timestampMs: number;
  /** Where the object's contents begin in the write-ahead log, in bytes, or 0 if it does not come from there. */
  readonly logStart: number;
  /** Where they end there. */
  readonly logEnd: number;
  /** That log's salts, or 0 if there is none. */
  readonly salts: bigint;
  /** The epoch of the owner who wrote the object, or 0 if another program wrote it. */
  readonly epoch: bigint;
  /** Identifies the database after the last transaction; undefined if another program wrote the object. */
  readonly databaseHash: DatabaseHash | undefined;
}

/**
 * The function that a database's hash combines for its pages. `crc` is used in objects of earlier versions: it is
 * linear, so equal changes of two pages cancel out, and only proves that a database differs, never that it is the same.
 */
export type PageFunction = 'crc' | 'xxhash64';

export interface DatabaseHash {
  readonly by: PageFunction;
  readonly value: bigint;
}

/** The version in the header of objects with a hash by `xxhash64`. */
const XXHASH64_VERSION = 1;

/** The contents of an object in this format. */
export interface LtxPage {
  readonly number: number;
  readonly bytes: Uint8Array;
}

/** A decoded page. */
export interface DecodedPage extends LtxPage {
  /** The remainder that the bytes add to a checksum. */
  readonly remainder: PartialCrc;
}

/** Returns the number of the page that is never stored. */
export function lockPage(pageBytes: number): number {
  return LOCK_BYTE / pageBytes + 1;
}

/** Returns a page's hash, which differs for each page number. */
export function pageHash(number: number, bytes: Uint8Array): bigint {
  return Bun.hash.xxHash64(bytes, BigInt(number));
}

/** Returns a function's value for a page. */
function decodedHash(by: PageFunction, { number, bytes, remainder }: DecodedPage): bigint {
  switch (by) {
    case 'crc':
      NUMBER.writeUInt32BE(number);
      return new Crc64().update(NUMBER).append(remainder, PartAppender.of(bytes.length)).value();
    case 'xxhash64':
      return pageHash(number, bytes);
  }
}

const NUMBER = Buffer.alloc(4);

/** Yields an object's bytes, a part for each run of pages. The pages must be in order of their numbers. */
export async function* encodeLtx(
  header: LtxHeader,
  runs: AsyncIterable<readonly LtxPage[]>,
): AsyncGenerator<Uint8Array> {
  const sum = new Crc64();
  const index = new IndexBytes();
  const block = new Uint8Array(blockBound(header.pageBytes));
  const first = headerBytes(header);
  sum.update(first);
  let position = first.length;
  yield first;
  for await (const run of runs) {
    const frames: Uint8Array[] = [];
    for (const { number, bytes } of run) {
      const length = compressBlock(bytes, block);
      const frame = Buffer.allocUnsafe(PAGE_HEADER_BYTES + PAGE_LENGTH_BYTES + length);
      frame.writeUInt32BE(number, 0);
      frame.writeUInt16BE(FLAG_LENGTH, 4);
      frame.writeUInt32BE(length, PAGE_HEADER_BYTES);
      frame.set(block.subarray(0, length), PAGE_HEADER_BYTES + PAGE_LENGTH_BYTES);
      sum.update(frame.subarray(0, PAGE_HEADER_BYTES + PAGE_LENGTH_BYTES)).update(bytes);
      index.add(number, position, frame.length);
      position += frame.length;
      frames.push(frame);
    }
    yield Buffer.concat(frames);
  }
  yield endBytes(sum, index);
}

function headerBytes(header: LtxHeader): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes.write(MAGIC, 0, 'latin1');
  bytes.writeUInt32BE(FLAG_NO_CHECKSUM, 4);
  bytes.writeUInt32BE(header.pageBytes, 8);
  bytes.writeUInt32BE(header.pages, 12);
  bytes.writeBigUInt64BE(header.firstTransaction, 16);
  bytes.writeBigUInt64BE(header.lastTransaction, 24);
  bytes.writeBigInt64BE(BigInt(header.timestampMs), 32);
  bytes.writeBigInt64BE(BigInt(header.logStart), 48);
  bytes.writeBigInt64BE(BigInt(header.logEnd - header.logStart), 56);
  bytes.writeBigUInt64BE(header.salts, 64);
  bytes.writeBigUInt64BE(header.epoch, 72);
  const { databaseHash } = header;
  switch (databaseHash?.by) {
    case 'crc':
      bytes.writeBigUInt64BE(databaseHash.value, CRC_AT);
      break;
    case 'xxhash64':
      bytes.writeUInt32BE(XXHASH64_VERSION, HASH_VERSION_AT);
      bytes.writeBigUInt64BE(databaseHash.value, HASH_AT);
      break;
    case undefined:
      break;
  }
  return bytes;
}

/** Returns the hash in a header, or undefined if there is none, or a later version's. */
function hashIn(header: Buffer): DatabaseHash | undefined {
  const version = header.readUInt32BE(HASH_VERSION_AT);
  if (version === XXHASH64_VERSION) return { by: 'xxhash64', value: header.readBigUInt64BE(HASH_AT) };
  const value = header.readBigUInt64BE(CRC_AT);
  return version === 0 && value !== 0n ? { by: 'crc', value } : undefined;
}

/** Returns the bytes after the pages: an empty page header, the index of the pages, and the trailer. */
function endBytes(sum: Crc64, index: IndexBytes): Buffer {
  index.add(0);
  const content = index.bytes();
  const bytes = Buffer.alloc(PAGE_HEADER_BYTES + content.length + END_BYTES);
  bytes.set(content, PAGE_HEADER_BYTES);
  bytes.writeBigUInt64BE(BigInt(content.length), PAGE_HEADER_BYTES + content.length);
  const at = bytes.length - CHECKSUM_BYTES;
  bytes.writeBigUInt64BE(sum.update(bytes.subarray(0, at)).value() | CHECKSUM_BIT, at);
  return bytes;
}

/** The index of the pages while an object is encoded: each page's number, position and length, as LEB128. */
class IndexBytes {
  #bytes = new Uint8Array(1024);
  #length = 0;

  add(...numbers: readonly number[]): void {
    if (this.#length + numbers.length * VARINT_BYTES > this.#bytes.length) {
      const longer = new Uint8Array(2 * this.#bytes.length);
      longer.set(this.#bytes);
      this.#bytes = longer;
    }
    for (const number of numbers) {
      let left = number;
      for (; left >= 0x80; left = Math.floor(left / 0x80)) this.#bytes[this.#length++] = (left % 0x80) + 0x80;
      this.#bytes[this.#length++] = left;
    }
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }
}

/**
 * Decodes an object and verifies it: {@link header}, then {@link pages}. Throws BACKUP_DAMAGED for anything that
 * violates the format. Holds a few pages in memory, and the index.
 */
export class LtxDecoder {
  readonly #name: string;
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #sum = new Crc64();
  #waiting: Buffer = Buffer.alloc(0);
  #unused = new Uint8Array(0);

  /** `name` is the object's, for messages. */
  constructor(name: string, source: AsyncIterable<Uint8Array>) {
    this.#name = name;
    this.#chunks = source[Symbol.asyncIterator]();
  }

  async header(): Promise<LtxHeader> {
    const bytes = await this.#take(HEADER_BYTES);
    this.#sum.update(bytes);
    const pageBytes = bytes.readUInt32BE(8);
    const firstTransaction = bytes.readBigUInt64BE(16);
    const lastTransaction = bytes.readBigUInt64BE(24);
    const isValid =
      bytes.toString('latin1', 0, MAGIC.length) === MAGIC &&
      isPageSize(pageBytes) &&
      firstTransaction > 0n &&
      firstTransaction <= lastTransaction;
    if (!isValid) throw this.#damage('its header is not one of LTX');
    const logStart = Number(bytes.readBigInt64BE(48));
    return {
      pageBytes,
      pages: bytes.readUInt32BE(12),
      firstTransaction,
      lastTransaction,
      timestampMs: Number(bytes.readBigInt64BE(32)),
      logStart,
      logEnd: logStart + Number(bytes.readBigInt64BE(56)),
      salts: bytes.readBigUInt64BE(64),
      epoch: bytes.readBigUInt64BE(72),
      databaseHash: hashIn(bytes),
    };
  }

  /** Stops reading. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  /** Yields the pages in order of their numbers. Returns normally only if the object is complete and undamaged. */
  async *pages({ pageBytes, pages, firstTransaction }: LtxHeader): AsyncGenerator<DecodedPage, void> {
    const appender = PartAppender.of(pageBytes);
    const unstored = lockPage(pageBytes);
    for (let last = 0; ; ) {
      const head = this.#waitingBytes(PAGE_HEADER_BYTES) ?? (await this.#take(PAGE_HEADER_BYTES));
      this.#sum.update(head);
      const number = head.readUInt32BE(0);
      if (number === 0) {
        const end = last === unstored - 1 && firstTransaction === 1n ? unstored : last;
        if (firstTransaction === 1n && end !== pages) throw this.#damage('pages are missing');
        return this.#end();
      }
      const follows = firstTransaction === 1n ? number === last + (last + 1 === unstored ? 2 : 1) : number > last;
      if (!follows || number > pages || number === unstored) throw this.#damage(`page ${number} is out of order`);
      last = number;
      const bytes = await this.#page(head.readUInt16BE(4), pageBytes);
      const remainder = partialCrcOf(bytes);
      this.#sum.append(remainder, appender);
      yield { number, bytes, remainder };
    }
  }

  async #page(flags: number, pageBytes: number): Promise<Uint8Array> {
    if (flags !== FLAG_LENGTH) throw this.#damage('it has pages of an old form');
    const length = this.#waitingBytes(PAGE_LENGTH_BYTES) ?? (await this.#take(PAGE_LENGTH_BYTES));
    this.#sum.update(length);
    const stored = length.readUInt32BE(0);
    if (stored > blockBound(pageBytes)) throw this.#damage('a page is too long');
    const block = this.#waitingBytes(stored) ?? (await this.#take(stored));
    const bytes = this.#pageBuffer(pageBytes);
    if (!decompressBlock(block, bytes)) throw this.#damage('a page cannot be decompressed');
    return bytes;
  }

  /** Returns a buffer for a page. Buffers for many pages are allocated in one step, which takes less time. */
  #pageBuffer(pageBytes: number): Uint8Array {
    if (this.#unused.length < pageBytes) this.#unused = new Uint8Array(Math.max(pageBytes, BUFFER_BYTES));
    const bytes = this.#unused.subarray(0, pageBytes);
    this.#unused = this.#unused.subarray(pageBytes);
    return bytes;
  }

  /** Reads the index, which a complete object does not need, and the trailer. */
  async #end(): Promise<void> {
    const parts: Buffer[] = [this.#waiting];
    for (;;) {
      const { value, done } = await this.#chunks.next();
      if (done === true) break;
      parts.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
    }
    const rest = Buffer.concat(parts);
    const at = rest.length - CHECKSUM_BYTES;
    if (rest.length < END_BYTES) throw this.#damage('its end is missing');
    const indexBytes = rest.readBigUInt64BE(rest.length - END_BYTES);
    if (indexBytes !== BigInt(rest.length - END_BYTES)) throw this.#damage('its index is not where it should be');
    const value = this.#sum.update(rest.subarray(0, at)).value() | CHECKSUM_BIT;
    if (value !== rest.readBigUInt64BE(at)) throw this.#damage('its checksum differs');
  }

  #damage(reason: string): Error {
    return gridError('BACKUP_DAMAGED', `the object ${this.#name}: ${reason}`);
  }

  /** Returns bytes that have already been read, without waiting, or undefined if there are not that many. */
  #waitingBytes(length: number): Buffer | undefined {
    if (this.#waiting.length < length) return undefined;
    const bytes = this.#waiting.subarray(0, length);
    this.#waiting = this.#waiting.subarray(length);
    return bytes;
  }

  async #take(length: number): Promise<Buffer> {
    const parts: Buffer[] = [this.#waiting];
    for (let bytes = this.#waiting.length; bytes < length; ) {
      const { value, done } = await this.#chunks.next();
      if (done === true) throw this.#damage('it is cut off');
      parts.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
      bytes += value.byteLength;
    }
    const all = parts.length === 1 ? this.#waiting : Buffer.concat(parts);
    this.#waiting = all.subarray(length);
    return all.subarray(0, length);
  }
}

/**
 * Hashes of a database's pages, and of the whole: their exclusive or, so that the cost of a change
 * depends on its pages.
 */
export class PageHashes {
  readonly #by: PageFunction;
  #hashes = new BigUint64Array(0);
  #total = 0n;
  #pages = 0;

  /** `by`: the function whose values are set. */
  constructor(by: PageFunction) {
    this.#by = by;
  }

  /** Restores the result of {@link bytes} for hashes by the same function. */
  static from(by: PageFunction, bytes: Uint8Array): PageHashes {
    const copied = new PageHashes(by);
    const values = new BigUint64Array(bytes.slice().buffer);
    for (const [at, hash] of values.entries()) copied.set(at + 1, hash);
    return copied;
  }

  /** Returns all hashes, in page order. */
  bytes(): Uint8Array {
    return new Uint8Array(this.#hashes.slice(0, this.#pages).buffer);
  }

  /** The number of the last page that is set. */
  get pages(): number {
    return this.#pages;
  }

  /** Returns a page's hash, or 0 if it has not been set. */
  of(number: number): bigint {
    return this.#hashes[number - 1] ?? 0n;
  }

  /** The number of pages that are set. */
  get count(): number {
    return this.#hashes.reduce((count, hash) => (hash === 0n ? count : count + 1), 0);
  }

  /** Sets the hash of a decoded page. */
  add(page: DecodedPage): void {
    this.set(page.number, decodedHash(this.#by, page));
  }

  /** Sets a page's hash, possibly beyond the end. */
  set(number: number, hash: bigint): void {
    if (number > this.#hashes.length) this.#grow(number);
    this.#replace(number, hash);
    this.#pages = Math.max(this.#pages, number);
  }

  /** Removes the pages after the last one. */
  truncate(pages: number): void {
    for (; this.#pages > pages; this.#pages--) this.#replace(this.#pages, 0n);
  }

  /** Returns the hash of the whole. */
  total(): DatabaseHash {
    return this.#hashOf(this.#total);
  }

  /** Returns the hash of the whole after changes, with this many pages. */
  totalAfter(changed: ReadonlyMap<number, bigint>, pages: number): DatabaseHash {
    let total = this.#total;
    for (const [number, hash] of changed) total ^= this.of(number) ^ hash;
    for (let number = pages + 1; number <= this.#pages; number++) total ^= this.of(number);
    return this.#hashOf(total);
  }

  /** Reports whether this is the hash of the whole. */
  equals({ by, value }: DatabaseHash): boolean {
    const total = this.total();
    return total.by === by && total.value === value;
  }

  /** Reports whether all pages that are set here have the same hash in another database. */
  isPartOf(other: PageHashes): boolean {
    for (let number = 1; number <= this.#pages; number++) {
      const hash = this.of(number);
      if (hash !== 0n && hash !== other.of(number)) return false;
    }
    return true;
  }

  #hashOf(total: bigint): DatabaseHash {
    return { by: this.#by, value: this.#by === 'crc' ? total | CHECKSUM_BIT : total };
  }

  #replace(number: number, hash: bigint): void {
    this.#total ^= this.of(number) ^ hash;
    this.#hashes[number - 1] = hash;
  }

  #grow(least: number): void {
    const hashes = new BigUint64Array(Math.max(1024, 2 * this.#hashes.length, least));
    hashes.set(this.#hashes);
    this.#hashes = hashes;
  }
}
