/** The hash functions that the cluster computes over names, schemas, keys and object bytes. All give signed 32 bits. */

/** Java's `String.hashCode`. */
export function hashOfText(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(31, hash) + text.charCodeAt(i)) | 0;
  return hash;
}

/**
 * Hash of a name without regard to case, as type ids and field ids are made. Each UTF-16 unit is folded on its own,
 * so that names beyond the basic plane keep their units.
 */
export function hashOfLowerCase(name: string): number {
  let hash = 0;
  for (let i = 0; i < name.length; i++) {
    const unit = name.charCodeAt(i);
    hash = (Math.imul(31, hash) + lowerCaseUnit(unit)) | 0;
  }
  return hash;
}

function lowerCaseUnit(unit: number): number {
  if (unit < 128) return unit >= 65 && unit <= 90 ? unit + 32 : unit;
  // One unit may fold to several in text (U+0130); a single Java char gives the first.
  return String.fromCharCode(unit).toLowerCase().charCodeAt(0);
}

/** Hash of a binary object's data bytes. */
export function hashOfBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = 1;
  for (let i = start; i < end; i++) hash = (Math.imul(31, hash) + (((bytes[i] ?? 0) << 24) >> 24)) | 0;
  return hash;
}

/** Schema id of an object without fields. */
export const EMPTY_SCHEMA_ID = 0x811c9dc5 | 0;

/** Id of the schema that these field ids make, in this order. */
export function schemaIdOf(fieldIds: readonly number[]): number {
  let id = EMPTY_SCHEMA_ID;
  for (const fieldId of fieldIds) {
    for (let shift = 0; shift < 32; shift += 8) id = Math.imul(id ^ ((fieldId >> shift) & 0xff), 0x01000193);
  }
  return id;
}

/** Hash of 64 bits: the halves combined. */
export function hashOfLong(value: bigint): number {
  return Number(BigInt.asIntN(32, value ^ (value >> 32n)));
}

const scratch = new DataView(new ArrayBuffer(8));

/** Java's hash of a double: of its bits, of which NaN has one form. */
export function hashOfDouble(value: number): number {
  scratch.setFloat64(0, value);
  return hashOfLong(scratch.getBigInt64(0));
}

/** The partition of a hash in a cache of `partitionCount` partitions. */
export function partitionOf(hash: number, partitionCount: number): number {
  if ((partitionCount & (partitionCount - 1)) === 0) return (hash ^ (hash >>> 16)) & (partitionCount - 1);
  return Math.abs(hash % partitionCount);
}
