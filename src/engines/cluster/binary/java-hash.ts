/** Hash functions of Java and Ignite for names, schemas, keys and object bytes. All return signed 32 bits. */

/** Computes Java's `String.hashCode`. */
export function hashOfText(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(31, hash) + text.charCodeAt(i)) | 0;
  return hash;
}

/**
 * Computes the hash of a name in lower case, which is the id of a type or field. Each UTF-16 unit is folded separately,
 * so names beyond the basic plane keep their units.
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
  // One unit may fold to several in a string (U+0130); Java's Character returns the first.
  return String.fromCharCode(unit).toLowerCase().charCodeAt(0);
}

/** Computes the hash of a binary object's data. */
export function hashOfBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = 1;
  for (let i = start; i < end; i++) hash = (Math.imul(31, hash) + (((bytes[i] ?? 0) << 24) >> 24)) | 0;
  return hash;
}

/** Schema id of an object without fields. */
export const EMPTY_SCHEMA_ID = 0x811c9dc5 | 0;

/** Returns the id of the schema with these field ids, in this order. */
export function schemaIdOf(fieldIds: readonly number[]): number {
  let id = EMPTY_SCHEMA_ID;
  for (const fieldId of fieldIds) {
    for (let shift = 0; shift < 32; shift += 8) id = Math.imul(id ^ ((fieldId >> shift) & 0xff), 0x01000193);
  }
  return id;
}

/** Computes Java's `Long.hashCode`. */
export function hashOfLong(value: bigint): number {
  return Number(BigInt.asIntN(32, value ^ (value >> 32n)));
}

const scratch = new DataView(new ArrayBuffer(8));

/** Computes Java's `Double.hashCode`. All NaN values have one hash. */
export function hashOfDouble(value: number): number {
  scratch.setFloat64(0, value);
  return hashOfLong(scratch.getBigInt64(0));
}

/** Returns the partition of a hash in a cache of `partitionCount` partitions. */
export function partitionOf(hash: number, partitionCount: number): number {
  if ((partitionCount & (partitionCount - 1)) === 0) return (hash ^ (hash >>> 16)) & (partitionCount - 1);
  return Math.abs(hash % partitionCount);
}
