/**
 * Reads the write-ahead log of a snapshot: which frame holds the newest version of each page. The formats of the log
 * and of its index are those of https://www.sqlite.org/walformat.html.
 */

/** A range of the log's frames that a snapshot consists of, besides the database file. */
export interface LogRange {
  /** The last frame of the snapshot. */
  readonly lastFrame: number;
  /** Pages of the database in the snapshot. */
  readonly pages: number;
  /** Salts of the log, which every frame repeats. */
  readonly salts: Buffer;
}

const INDEX_VERSION = 3_007_000;
/** Sizes of the headers in the format of the log (sqlite.org/walformat.html). */
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** Bytes of the index up to the number of frames that are in the database file. */
export const INDEX_BYTES = 100;
/** The two copies of the index's header. */
const INDEX_HEADER_BYTES = 48;

/**
 * Reads the beginning of the index (`-shm`) while a read transaction is open and nothing is written. Returns undefined
 * if the database file alone is the snapshot, because all frames are in it already. Throws an Error for an index of
 * another format.
 */
export function readIndex(index: Buffer): LogRange | undefined {
  const isWhole = index.length === INDEX_BYTES && index.readUInt8(12) === 1;
  const copy = index.subarray(INDEX_HEADER_BYTES, 2 * INDEX_HEADER_BYTES);
  const version = isWhole ? numberAt(index, 0) : 0;
  if (version !== INDEX_VERSION || !index.subarray(0, INDEX_HEADER_BYTES).equals(copy)) {
    throw new Error('the index of the write-ahead log has an unknown format');
  }
  const lastFrame = numberAt(index, 16);
  const inFile = numberAt(index, 96);
  if (lastFrame === inFile) return undefined;
  return { lastFrame, pages: numberAt(index, 20), salts: Buffer.from(index.subarray(32, 40)) };
}

/** Reads a number in the byte order of this machine, in which the index is stored. */
function numberAt(bytes: Buffer, at: number): number {
  return IS_LITTLE_ENDIAN ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
}

const IS_LITTLE_ENDIAN = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

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
  const header = read(0, HEADER_BYTES);
  const isBigEndian = (header.readUInt32BE(0) & 1) === 1;
  const sum = new FrameChecksum(isBigEndian);
  sum.add(header.subarray(0, 24));
  if (!header.subarray(16, 24).equals(salts) || header.readUInt32BE(8) !== pageBytes || !sum.equals(header, 24)) {
    throw new Error('the write-ahead log has an unknown format');
  }
  const frames = new Map<number, number>();
  let size = 0;
  for (let frame = 1; frame <= lastFrame; frame++) {
    const bytes = read(positionOf(frame, pageBytes) - FRAME_HEADER_BYTES, FRAME_HEADER_BYTES + pageBytes);
    sum.add(bytes.subarray(0, 8));
    sum.add(bytes.subarray(FRAME_HEADER_BYTES));
    if (!bytes.subarray(8, 16).equals(salts) || !sum.equals(bytes, 16)) {
      throw new Error(`frame ${frame} of the write-ahead log is damaged`);
    }
    frames.set(bytes.readUInt32BE(0), frame);
    size = bytes.readUInt32BE(4);
  }
  if (size !== pages) throw new Error('the write-ahead log does not end with a commit');
  return frames;
}

/** Returns the position of a frame's page in the log. */
export function positionOf(frame: number, pageBytes: number): number {
  return HEADER_BYTES + (frame - 1) * (FRAME_HEADER_BYTES + pageBytes) + FRAME_HEADER_BYTES;
}

/** The checksum of the log, which runs over all frames. */
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

  /** Compares with the checksum that is stored at a position. */
  equals(bytes: Buffer, at: number): boolean {
    return bytes.readUInt32BE(at) === this.#first >>> 0 && bytes.readUInt32BE(at + 4) === this.#second >>> 0;
  }
}
