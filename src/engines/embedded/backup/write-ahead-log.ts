/**
 * Reads a snapshot's write-ahead log: which frame has the newest version of each page. The formats of the log and of
 * its index are those of https://www.sqlite.org/walformat.html.
 */
import { readSync } from 'node:fs';

/** A range of the log's frames that a snapshot consists of, besides the database file. */
export interface LogRange {
  /** The last frame of the snapshot. */
  readonly lastFrame: number;
  /** Pages of the database in the snapshot. */
  readonly pages: number;
  /** The log's salts, which every frame repeats. */
  readonly salts: Buffer;
}

const INDEX_VERSION = 3_007_000;
/** Page sizes that SQLite accepts (sqlite.org/fileformat.html). */
const MIN_PAGE_BYTES = 512;
/** The largest one. */
const MAX_PAGE_BYTES = 65_536;
/** Sizes of the headers in the log's format (sqlite.org/walformat.html). */
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** Bytes of the index up to the number of frames that are in the database file. */
const INDEX_BYTES = 100;
/** The two copies of the index's header. */
const INDEX_HEADER_BYTES = 48;
/** Attempts to read the index while a commit changes it; the committing process may have to wait for a processor. */
const INDEX_TRIES = 2_000;
/** Attempts without a pause. A commit takes microseconds for its change. */
const QUICK_TRIES = 100;
const PAUSE_MS = 1;
/** Nothing wakes a thread that waits for it. */
const unchanged = new Int32Array(new SharedArrayBuffer(4));
/** Bytes of frames read in one step. */
const READ_BYTES = 1024 * 1024;

/** The log as its index describes it. */
export interface LogState {
  readonly pageBytes: number;
  /** Committed frames, which are on disk unless their commit did not wait for it. */
  readonly frames: number;
  /** Pages of the database after the last commit. */
  readonly pages: number;
  readonly salts: Buffer;
  /** Frames that are in the database file. */
  readonly framesInFile: number;
}

/**
 * Reads the beginning of the index (`-shm`); returns undefined while a commit changes it. Throws for another format.
 */
function readState(index: Buffer): LogState | undefined {
  const copy = index.subarray(INDEX_HEADER_BYTES, 2 * INDEX_HEADER_BYTES);
  if (index.length !== INDEX_BYTES || !index.subarray(0, INDEX_HEADER_BYTES).equals(copy)) return undefined;
  if (numberAt(index, 0) !== INDEX_VERSION || index.readUInt8(12) !== 1) {
    throw new Error('the index of the write-ahead log has an unknown format');
  }
  const size = IS_LITTLE_ENDIAN ? index.readUInt16LE(14) : index.readUInt16BE(14);
  return {
    // The largest size does not fit and is stored as 1.
    pageBytes: size === 1 ? MAX_PAGE_BYTES : size,
    frames: numberAt(index, 16),
    pages: numberAt(index, 20),
    salts: Buffer.from(index.subarray(32, 40)),
    framesInFile: numberAt(index, 96),
  };
}

/**
 * Reads the state of a log from its index (`-shm`), an open file, which commits and checkpoints may be changing.
 * Throws an Error for an index in another format.
 */
export function stateAtRest(index: number): LogState {
  const bytes = Buffer.alloc(INDEX_BYTES);
  for (let tries = 0; tries < INDEX_TRIES; tries++) {
    readSync(index, bytes, 0, INDEX_BYTES, 0);
    const state = readState(bytes);
    if (state !== undefined) return state;
    if (tries >= QUICK_TRIES) Atomics.wait(unchanged, 0, 0, PAUSE_MS);
  }
  throw new Error('the index of the write-ahead log does not come to rest');
}

/**
 * Returns the part of the log that belongs to a snapshot, or undefined if the snapshot is only the database file,
 * because all frames are already in it.
 */
export function rangeOf({ frames, framesInFile, pages, salts }: LogState): LogRange | undefined {
  return frames === framesInFile ? undefined : { lastFrame: frames, pages, salts };
}

/** Reads a number in the byte order of this machine, in which the index is stored. */
function numberAt(bytes: Buffer, at: number): number {
  return IS_LITTLE_ENDIAN ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
}

const IS_LITTLE_ENDIAN = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

/** Whether a database's pages can have that size; SQLite ignores a log that states any other. */
export function isPageSize(bytes: number): boolean {
  return bytes >= MIN_PAGE_BYTES && bytes <= MAX_PAGE_BYTES && Number.isInteger(Math.log2(bytes));
}

/** Reads bytes of the log at a position. */
export type LogReader = (position: number, length: number) => Buffer;

/**
 * Returns the last frame of each page in the range, by page number. Verifies the checksum of every frame and that the
 * last one ends a commit. Throws an Error otherwise: the snapshot must be exact.
 */
export function framesOf(
  { lastFrame, pages, salts }: LogRange,
  pageBytes: number,
  read: LogReader,
): Map<number, number> {
  const scan = new LogScan(read, salts, pageBytes);
  const frames = scan.advance(lastFrame);
  if (scan.pages !== pages) throw new Error('the write-ahead log does not end with a commit');
  return frames;
}

/** Reads the frames of a log in order, and verifies their checksums. */
export class LogScan {
  readonly #read: LogReader;
  readonly #salts: Buffer;
  readonly #pageBytes: number;
  #sum: FrameChecksum | undefined;
  #frame = 0;
  #pages = 0;

  constructor(read: LogReader, salts: Buffer, pageBytes: number) {
    this.#read = read;
    this.#salts = salts;
    this.#pageBytes = pageBytes;
  }

  /** The last frame read. */
  get frame(): number {
    return this.#frame;
  }

  /** Pages of the database after that frame; 0 if it does not end a commit, or none was read. */
  get pages(): number {
    return this.#pages;
  }

  /** Returns a scan that continues at the same frame, and leaves this one where it is. */
  copy(): LogScan {
    const copy = new LogScan(this.#read, this.#salts, this.#pageBytes);
    copy.#sum = this.#sum?.copy();
    copy.#frame = this.#frame;
    copy.#pages = this.#pages;
    return copy;
  }

  /**
   * Reads up to a frame, and returns the last one of each page among those that were read; `contents` receives the
   * pages of these frames. Throws an Error if one is damaged.
   */
  advance(lastFrame: number, contents?: Map<number, Buffer>): Map<number, number> {
    this.#sum ??= this.#begin();
    const sum = this.#sum;
    const frames = new Map<number, number>();
    const size = FRAME_HEADER_BYTES + this.#pageBytes;
    const atOnce = Math.max(1, Math.floor(READ_BYTES / size));
    for (let frame = this.#frame + 1; frame <= lastFrame; ) {
      const count = Math.min(atOnce, lastFrame - frame + 1);
      const bytes = this.#read(positionOf(frame, this.#pageBytes) - FRAME_HEADER_BYTES, count * size);
      for (let at = 0; at < bytes.length; at += size, frame++) {
        sum.add(bytes.subarray(at, at + 8));
        sum.add(bytes.subarray(at + FRAME_HEADER_BYTES, at + size));
        if (!bytes.subarray(at + 8, at + 16).equals(this.#salts) || !sum.equals(bytes, at + 16)) {
          throw new Error(`frame ${frame} of the write-ahead log is damaged`);
        }
        const page = bytes.readUInt32BE(at);
        frames.set(page, frame);
        contents?.set(page, bytes.subarray(at + FRAME_HEADER_BYTES, at + size));
        this.#frame = frame;
        this.#pages = bytes.readUInt32BE(at + 4);
      }
    }
    return frames;
  }

  /** Verifies the log's header; the first frame's checksum continues its checksum. */
  #begin(): FrameChecksum {
    const header = this.#read(0, HEADER_BYTES);
    const sum = new FrameChecksum((header.readUInt32BE(0) & 1) === 1);
    sum.add(header.subarray(0, 24));
    const isKnown = header.subarray(16, 24).equals(this.#salts) && header.readUInt32BE(8) === this.#pageBytes;
    if (!isKnown || !sum.equals(header, 24)) throw new Error('the write-ahead log has an unknown format');
    return sum;
  }
}

/** Returns the number of bytes of the log up to the end of a frame. */
export function logBytesTo(frame: number, pageBytes: number): number {
  return HEADER_BYTES + frame * (FRAME_HEADER_BYTES + pageBytes);
}

/** Returns the frame that ends at a position in the log. */
export function frameAt(position: number, pageBytes: number): number {
  return Math.max(0, Math.floor((position - HEADER_BYTES) / (FRAME_HEADER_BYTES + pageBytes)));
}

/** Returns the position of a frame's page in the log. */
export function positionOf(frame: number, pageBytes: number): number {
  return logBytesTo(frame - 1, pageBytes) + FRAME_HEADER_BYTES;
}

/** The log's checksum, which runs over all frames. */
class FrameChecksum {
  readonly #isBigEndian: boolean;
  #first = 0;
  #second = 0;

  constructor(isBigEndian: boolean) {
    this.#isBigEndian = isBigEndian;
  }

  add(bytes: Buffer): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const littleEndian = !this.#isBigEndian;
    let first = this.#first;
    let second = this.#second;
    for (let at = 0; at < bytes.length; at += 8) {
      first = (first + view.getUint32(at, littleEndian) + second) | 0;
      second = (second + view.getUint32(at + 4, littleEndian) + first) | 0;
    }
    this.#first = first;
    this.#second = second;
  }

  copy(): FrameChecksum {
    const copy = new FrameChecksum(this.#isBigEndian);
    copy.#first = this.#first;
    copy.#second = this.#second;
    return copy;
  }

  /** Compares with the checksum stored at a position. */
  equals(bytes: Buffer, at: number): boolean {
    return bytes.readUInt32BE(at) === this.#first >>> 0 && bytes.readUInt32BE(at + 4) === this.#second >>> 0;
  }
}
