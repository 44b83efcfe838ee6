/** The iteration order of Java's HashMap and HashSet for values that JSON can express. */
import type { Value } from '../../../values/value.ts';
import { hashOfDouble, hashOfLong, hashOfText } from './java-hash.ts';

const FIRST_CAPACITY = 16;
const TRUE_HASH = 1231;
const FALSE_HASH = 1237;

/** Returns the items in the iteration order of a Java hash table that they were added to in this order. */
export function inHashOrder<T>(items: readonly T[], keyOf: (item: T) => Value): readonly T[] {
  let capacity = FIRST_CAPACITY;
  while (items.length > capacity * 0.75) capacity *= 2;
  const bucketOf = (item: T): number => {
    const hash = hashOfValue(keyOf(item));
    return (hash ^ (hash >>> 16)) & (capacity - 1);
  };
  const placed = items.map((item) => ({ item, bucket: bucketOf(item) }));
  return placed.sort((left, right) => left.bucket - right.bucket).map(({ item }) => item);
}

/** Computes Java's hashCode of a value; 0 for values that JSON cannot express. */
function hashOfValue(value: Value): number {
  switch (value.type) {
    case 'string':
      return hashOfText(value.data);
    case 'byte':
    case 'short':
    case 'integer':
      return value.data;
    case 'long':
      return hashOfLong(value.data);
    case 'double':
      return hashOfDouble(value.data);
    case 'boolean':
      return value.data ? TRUE_HASH : FALSE_HASH;
    case 'char':
      return value.data.charCodeAt(0);
    case 'list':
      return value.data.reduce((hash, each) => (Math.imul(31, hash) + hashOfValue(each)) | 0, 1);
    case 'map':
      return value.data.reduce((hash, [key, each]) => (hash + (hashOfValue(key) ^ hashOfValue(each))) | 0, 0);
    case 'bigInteger':
      return hashOfBigInteger(value.data);
    case 'null':
    case 'float':
    case 'date':
    case 'time':
    case 'timestamp':
    case 'instant':
    case 'uuid':
    case 'gridUuid':
    case 'decimal':
    case 'bytes':
    case 'array':
    case 'object':
    case 'enum':
    case 'opaque':
      return 0;
  }
}

/** Computes the hash over the magnitude's 32-bit words, the highest first. */
function hashOfBigInteger(value: bigint): number {
  const magnitude = value < 0n ? -value : value;
  const digits = magnitude.toString(16);
  const whole = digits.padStart(Math.ceil(digits.length / 8) * 8, '0');
  let hash = 0;
  for (let at = 0; at < whole.length; at += 8) {
    hash = (Math.imul(31, hash) + Number.parseInt(whole.slice(at, at + 8), 16)) | 0;
  }
  return value < 0n ? Math.imul(hash, -1) : hash;
}
