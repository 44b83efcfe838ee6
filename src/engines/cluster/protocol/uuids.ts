/** The protocol's UUIDs: the high eight bytes, then the low eight. */
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';

/** Writes the two halves of a UUID, without a type code. */
export function encodeUuidRaw(writer: ByteWriter, text: string): void {
  const digits = text.replaceAll('-', '');
  writer.i64(BigInt.asIntN(64, BigInt(`0x${digits.slice(0, 16)}`)));
  writer.i64(BigInt.asIntN(64, BigInt(`0x${digits.slice(16)}`)));
}

/** Reads two halves and returns the UUID in lower case. */
export function decodeUuidRaw(reader: ByteReader): string {
  const high = BigInt.asUintN(64, reader.i64()).toString(16).padStart(16, '0');
  const low = BigInt.asUintN(64, reader.i64()).toString(16).padStart(16, '0');
  return `${high.slice(0, 8)}-${high.slice(8, 12)}-${high.slice(12)}-${low.slice(0, 4)}-${low.slice(4)}`;
}
