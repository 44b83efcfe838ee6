/** Reads and writes the magnitudes of large numbers: big-endian bytes without a sign. */
import { WIRE_BOUNDS } from '../../../base/limits.ts';
import { type ByteReader, MalformedMessage } from '../protocol/byte-reader.ts';

/** Returns the big-endian bytes of a non-negative number without leading zeros, or an empty array for 0. */
export function magnitudeBytes(value: bigint): Buffer {
  if (value === 0n) return Buffer.alloc(0);
  const digits = value.toString(16);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
}

/** Reads a non-negative number: a count, then as many big-endian bytes. */
export function readMagnitude(reader: ByteReader): bigint {
  const length = reader.count(1);
  if (length > WIRE_BOUNDS.numberBytes) throw new MalformedMessage(`a number has ${length} bytes`);
  return length === 0 ? 0n : BigInt(`0x${reader.raw(length).toString('hex')}`);
}
