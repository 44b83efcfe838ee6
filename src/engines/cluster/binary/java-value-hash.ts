/** Java's hash codes of values, and the iteration order of its HashMap and HashSet. */
import type { Value } from '../../../values/value.ts';
import { ByteWriter } from '../protocol/byte-writer.ts';
import { type BinaryContext, DAY_MS, type EncodeValue } from './context.ts';
import { hashOfDouble, hashOfLong, hashOfText } from './java-hash.ts';
import { magnitudeBytes } from './magnitudes.ts';

const FIRST_CAPACITY = 16;
const TRUE_HASH = 1231;
const FALSE_HASH = 1237;
const NO_FIELDS: ReadonlyMap<number, number> = new Map();

const scratch = new DataView(new ArrayBuffer(4));

/** Returns the items in the iteration order of a Java hash table to which they were added in this order. */
export function inHashOrder<T>(
  items: readonly T[],
  keyOf: (item: T) => Value,
  context: BinaryContext,
  encodeValue: EncodeValue,
): readonly T[] {
  let capacity = FIRST_CAPACITY;
  while (items.length > capacity * 0.75) capacity *= 2;
  const bucketOf = (item: T): number => {
    const hash = hashOfValue(keyOf(item), context, encodeValue) ?? 0;
    return (hash ^ (hash >>> 16)) & (capacity - 1);
  };
  const placed = items.map((item) => ({ item, bucket: bucketOf(item) }));
  return placed.sort((left, right) => left.bucket - right.bucket).map(({ item }) => item);
}

/**
 * Computes Java's hash of a value, or undefined if it cannot be computed here. An object's hash is the hash of the
 * field that `affinityFields` has for its type, if any.
 */
export function hashOfValue(
  value: Value,
  context: BinaryContext,
  encodeValue: EncodeValue,
  affinityFields = NO_FIELDS,
): number | undefined {
  switch (value.type) {
    case 'byte':
    case 'short':
    case 'integer':
      return value.data;
    case 'long':
      return hashOfLong(value.data);
    case 'string':
      return hashOfText(value.data);
    case 'boolean':
      return value.data ? TRUE_HASH : FALSE_HASH;
    case 'char':
      return value.data.charCodeAt(0);
    case 'float':
      scratch.setFloat32(0, value.data);
      return scratch.getInt32(0);
    case 'double':
      return hashOfDouble(value.data);
    case 'uuid': {
      const digits = value.data.replaceAll('-', '');
      return hashOfLong(BigInt(`0x${digits.slice(0, 16)}`) ^ BigInt(`0x${digits.slice(16)}`));
    }
    case 'date':
      return hashOfLong(BigInt(context.zone.toInstant(value.data * DAY_MS)));
    case 'time':
      return hashOfLong(BigInt(context.zone.toInstant(value.data)));
    case 'timestamp':
      return hashOfLong(BigInt(context.zone.toInstant(Number(floorDivide(value.data, 1_000_000n)))));
    case 'instant':
      return hashOfLong(BigInt(value.data));
    case 'decimal':
      return (Math.imul(31, hashOfBigInteger(value.data.unscaled)) + value.data.scale) | 0;
    case 'bigInteger':
      return hashOfBigInteger(value.data);
    case 'null':
      return 0;
    case 'enum':
      return (Math.imul(31, context.types.typeIdOf(value.typeName)) + value.ordinal) | 0;
    case 'gridUuid':
      return hashInHeader(value, context, encodeValue);
    case 'object': {
      const { typeId, fieldIds } = context.types.shapeOf(value.typeName, value.fields);
      const field = value.fields[fieldIds.indexOf(affinityFields.get(typeId) ?? 0)];
      return field ? hashOfValue(field.value, context, encodeValue) : hashInHeader(value, context, encodeValue);
    }
    case 'list':
      return value.data.reduce<number | undefined>((hash, element) => {
        const next = hashOfValue(element, context, encodeValue);
        return hash === undefined || next === undefined ? undefined : (Math.imul(31, hash) + next) | 0;
      }, 1);
    case 'map':
      return value.data.reduce<number | undefined>((hash, [name, element]) => {
        const left = hashOfValue(name, context, encodeValue);
        const right = hashOfValue(element, context, encodeValue);
        return hash === undefined || left === undefined || right === undefined
          ? undefined
          : (hash + (left ^ right)) | 0;
      }, 0);
    case 'bytes':
    case 'array':
    case 'opaque':
      return undefined;
  }
}

/** Returns the hash in an object's header. */
function hashInHeader(value: Value, context: BinaryContext, encodeValue: EncodeValue): number {
  const writer = new ByteWriter(256);
  encodeValue(writer, value, context);
  return writer.view().readInt32LE(8);
}

function floorDivide(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  return value % divisor < 0n ? quotient - 1n : quotient;
}

/** Computes the hash over the magnitude's 32-bit words, the highest first. */
function hashOfBigInteger(value: bigint): number {
  const magnitude = magnitudeBytes(value < 0n ? -value : value);
  const padded = Buffer.concat([Buffer.alloc((4 - (magnitude.length % 4)) % 4), magnitude]);
  let hash = 0;
  for (let at = 0; at < padded.length; at += 4) hash = (Math.imul(31, hash) + padded.readInt32BE(at)) | 0;
  return value < 0n ? -hash | 0 : hash;
}
