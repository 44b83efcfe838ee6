/**
 * LZ4 blocks (the format of the pages in LTX files, described in the repository lz4/lz4), of at most
 * 64 KiB. No maintained library for them is small and free of native code.
 */

/** No match begins in the last bytes of a block, and none reaches the last five. */
const LAST_MATCH_BYTES = 12;
const LAST_LITERALS = 5;
const MIN_MATCH = 4;
const HASH_BITS = 12;
/** A length of this many, in half a token, continues in more bytes. */
const LONG = 15;
const CONTINUED = 255;
/** After this many positions without a match, the search takes longer steps. */
const SKIP_BITS = 4;
const FEW_BYTES = 48;

const positions = new Int32Array(1 << HASH_BITS);

/** Returns the maximum length of the block for this many bytes. */
export function blockBound(length: number): number {
  return length + Math.ceil(length / CONTINUED) + 16;
}

/**
 * Compresses bytes to the beginning of `target`, which has space for {@link blockBound}. Returns the block's length.
 */
export function compressBlock(source: Uint8Array, target: Uint8Array): number {
  positions.fill(-1);
  const view = new DataView(source.buffer, source.byteOffset, source.byteLength);
  const matchEnd = source.length - LAST_LITERALS;
  const searchEnd = source.length - LAST_MATCH_BYTES;
  let written = 0;
  let literals = 0;
  let misses = 1 << SKIP_BITS;
  for (let at = 0; at < searchEnd; ) {
    const word = view.getInt32(at, true);
    const hash = Math.imul(word, 0x9e3779b1) >>> (32 - HASH_BITS);
    const candidate = positions[hash] ?? -1;
    positions[hash] = at;
    if (candidate < 0 || view.getInt32(candidate, true) !== word) {
      at += misses++ >>> SKIP_BITS;
      continue;
    }
    misses = 1 << SKIP_BITS;
    let end = at + MIN_MATCH;
    let start = at;
    for (let from = candidate; start > literals && from > 0 && source[start - 1] === source[from - 1]; from--) start--;
    for (let from = candidate + MIN_MATCH; end < matchEnd && source[from] === source[end]; from++) end++;
    written = writeLiterals(source, literals, start, target, written, end - start - MIN_MATCH);
    const offset = at - candidate;
    target[written++] = offset & 0xff;
    target[written++] = offset >>> 8;
    if (end - start - MIN_MATCH >= LONG) written = writeLength(target, written, end - start - MIN_MATCH - LONG);
    at = end;
    literals = end;
  }
  return writeLiterals(source, literals, source.length, target, written, 0);
}

/** Writes a token with the literals before a match. `matched` is the match's length beyond the shortest. */
function writeLiterals(
  source: Uint8Array,
  from: number,
  to: number,
  target: Uint8Array,
  at: number,
  matched: number,
): number {
  const length = to - from;
  target[at] = (Math.min(length, LONG) << 4) | Math.min(matched, LONG);
  let written = at + 1;
  if (length >= LONG) written = writeLength(target, written, length - LONG);
  copy(source, from, target, written, length);
  return written + length;
}

/** Copies bytes. A view of a few bytes costs more than copying them one by one. */
function copy(source: Uint8Array, from: number, target: Uint8Array, to: number, length: number): void {
  if (length > FEW_BYTES) target.set(source.subarray(from, from + length), to);
  else for (let at = 0; at < length; at++) target[to + at] = source[from + at] ?? 0;
}

function writeLength(target: Uint8Array, at: number, length: number): number {
  let written = at;
  let left = length;
  for (; left >= CONTINUED; left -= CONTINUED) target[written++] = CONTINUED;
  target[written++] = left;
  return written;
}

/** Decompresses a block, which must fill `target` exactly. Returns false if it is invalid. */
export function decompressBlock(source: Uint8Array, target: Uint8Array): boolean {
  let at = 0;
  let written = 0;
  /** Reads the rest of a length, if it has one. */
  const lengthFrom = (nibble: number): number => {
    let length = nibble;
    if (nibble < LONG) return length;
    for (let byte = CONTINUED; byte === CONTINUED; length += byte) {
      if (at >= source.length) return Number.POSITIVE_INFINITY;
      byte = source[at++] ?? 0;
    }
    return length;
  };
  while (at < source.length) {
    const token = source[at++] ?? 0;
    const literals = lengthFrom(token >>> 4);
    if (at + literals > source.length || written + literals > target.length) return false;
    copy(source, at, target, written, literals);
    at += literals;
    written += literals;
    if (at === source.length) return written === target.length;
    const offset = (source[at] ?? 0) | ((source[at + 1] ?? 0) << 8);
    at += 2;
    const length = lengthFrom(token & LONG) + MIN_MATCH;
    if (offset === 0 || offset > written || written + length > target.length) return false;
    if (offset >= length && length > FEW_BYTES) target.copyWithin(written, written - offset, written - offset + length);
    else for (let each = 0; each < length; each++) target[written + each] = target[written + each - offset] ?? 0;
    written += length;
  }
  return false;
}
