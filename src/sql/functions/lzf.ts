/**
 * The LZF format: runs of literal bytes (first byte: length - 1, below 32) and back references (three bits of length,
 * thirteen bits of distance; a length of 7 or more takes one more byte).
 */
const LITERALS_MAX = 32;
const DISTANCE_MAX = 1 << 13;
const LENGTH_MAX = 264;
/** Known positions, by the same hash as H2 uses, so that the results are equal. */
const KNOWN_PLACES = 1 << 14;

/** Compresses bytes. The result may be longer than the input. */
export function compressLzf(data: Uint8Array): Uint8Array {
  // Literals take one more byte per run of 32; references are shorter than what they replace.
  const out = new Uint8Array(data.length + Math.ceil(data.length / LITERALS_MAX) + 1);
  let to = 0;
  const places = new Int32Array(KNOWN_PLACES);
  let literalsFrom = 0;
  let at = 0;
  const flush = (end: number): void => {
    for (let from = literalsFrom; from < end; from += LITERALS_MAX) {
      const until = Math.min(from + LITERALS_MAX, end);
      out[to] = until - from - 1;
      out.set(data.subarray(from, until), to + 1);
      to += until - from + 1;
    }
  };
  const sequenceAt = (place: number): number =>
    ((data[place] ?? 0) << 16) | ((data[place + 1] ?? 0) << 8) | (data[place + 2] ?? 0);
  /**
   * Records the position of a three-byte sequence. Returns its previous position, or 0: other writers never refer to
   * the first byte, so neither does this one.
   */
  const remember = (place: number): number => {
    const sequence = sequenceAt(place);
    const hash = (Math.imul(sequence, 2777) >> 9) & (KNOWN_PLACES - 1);
    const before = places[hash] ?? 0;
    places[hash] = place;
    return sequenceAt(before) === sequence ? before : 0;
  };
  while (at < data.length - 4) {
    const before = remember(at);
    if (before === 0 || at - before > DISTANCE_MAX) {
      at += 1;
      continue;
    }
    flush(at);
    const longest = Math.min(data.length - at - 2, LENGTH_MAX);
    let length = 3;
    while (length < longest && data[before + length] === data[at + length]) length += 1;
    const distance = at - before - 1;
    if (length - 2 < 7) out[to++] = (distance >> 8) | ((length - 2) << 5);
    else {
      out[to++] = (distance >> 8) | 0xe0;
      out[to++] = length - 9;
    }
    out[to++] = distance & 255;
    at += length - 2;
    remember(at);
    remember(at + 1);
    at += 2;
    literalsFrom = at;
  }
  flush(data.length);
  return out.slice(0, to);
}

/** Expands to `length` bytes. Returns undefined for invalid data. */
export function expandLzf(data: Uint8Array, length: number): Uint8Array | undefined {
  // Three bytes expand to at most LENGTH_MAX bytes, so a larger length is forged.
  if (length > data.length * LENGTH_MAX) return undefined;
  const out = new Uint8Array(length);
  let [at, to] = [0, 0];
  while (at < data.length && to < length) {
    const control = data[at] ?? 0;
    at += 1;
    if (control < LITERALS_MAX) {
      if (at + control + 1 > data.length || to + control + 1 > length) return undefined;
      out.set(data.subarray(at, at + control + 1), to);
      at += control + 1;
      to += control + 1;
      continue;
    }
    let count = control >> 5;
    if (count === 7) {
      count += data[at] ?? 0;
      at += 1;
    }
    const from = to - ((control & 31) << 8) - (data[at] ?? 0) - 1;
    at += 1;
    if (from < 0 || to + count + 2 > length) return undefined;
    for (let place = 0; place < count + 2; place += 1) out[to + place] = out[from + place] ?? 0;
    to += count + 2;
  }
  return to === length ? out : undefined;
}
