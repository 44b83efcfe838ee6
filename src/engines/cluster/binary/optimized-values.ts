/**
 * Codec of values that Ignite's optimized marshaller serializes into a blob: `0x66`, the hash of the class name, a
 * checksum of its fields, the fields. The engine reads and writes java.sql.Date and BigInteger; other classes are
 * opaque. `0xfe` precedes a stream of Java's own serialization; of those, enumeration constants show their name
 * (docs/spec/ignite-wire.md 6).
 */

import type { Value } from '../../../values/value.ts';
import { type ByteReader, MalformedMessage } from '../protocol/byte-reader.ts';
import type { ByteWriter } from '../protocol/byte-writer.ts';
import { CODE } from '../protocol/type-codes.ts';
import { hashOfText } from './java-hash.ts';
import { magnitudeBytes, readMagnitude } from './magnitudes.ts';

const SERIALIZABLE = 0x66;
const SQL_DATE = { hash: hashOfText('java.sql.Date'), checksum: 0x6697 };
const BIG_INTEGER = { hash: hashOfText('java.math.BigInteger'), checksum: -1251 };
/** Values of the cached fields of BigInteger: bitCount, bitLength, firstNonzeroByteNum, lowestSetBit. */
const BIG_INTEGER_CACHES = [-1, -1, -2, -2];
const BYTE_ARRAY_MARK = 0x09;

/** Marks of Java's own serialization. An enumeration constant is a class, `java.lang.Enum` above it, and a string. */
const JAVA_STREAM = Buffer.from('feaced0005', 'hex');
const STREAM = { CLASS: 0x72, STRING: 0x74, ENUM: 0x7e } as const;
/** The end of an enumeration's class: serial version, flags, number of fields, end of annotations. */
const ENUM_CLASS_END = Buffer.from('000000000000000012000078', 'hex');
const ENUM_PARENT = Buffer.concat([
  Buffer.from('72000e', 'hex'),
  Buffer.from('java.lang.Enum'),
  ENUM_CLASS_END,
  Buffer.of(0x70),
]);

/** Names of common classes by hash, for opaque values. */
const KNOWN_CLASSES = new Map(
  [
    'java.time.LocalDate',
    'java.time.LocalTime',
    'java.time.LocalDateTime',
    'java.time.Instant',
    'java.time.Duration',
    'java.time.ZonedDateTime',
    'java.time.OffsetDateTime',
    'java.time.Ser',
    'java.util.Collections$SingletonList',
    'java.util.Collections$EmptyList',
    'java.util.Collections$EmptyMap',
    'java.util.Collections$UnmodifiableMap',
    'java.util.Arrays$ArrayList',
    'java.util.CollSer',
    'java.util.BitSet',
    'java.util.Locale',
    'java.util.Optional',
    'java.util.EnumMap',
    'java.util.TreeSet',
    'java.net.URI',
    'java.net.URL',
    'java.util.concurrent.atomic.AtomicLong',
    'java.util.concurrent.atomic.AtomicInteger',
    'java.lang.StringBuilder',
  ].map((name) => [hashOfText(name), name]),
);

/** Writes a java.sql.Date from the instant of its midnight. */
export function encodeSqlDate(writer: ByteWriter, instantMs: number): void {
  writer.u8(CODE.OPTIMIZED);
  writer.i32(15);
  writer.u8(SERIALIZABLE);
  writer.i32(SQL_DATE.hash);
  writer.i16(SQL_DATE.checksum);
  writer.i64Number(instantMs);
}

export function encodeBigInteger(writer: ByteWriter, value: bigint): void {
  const magnitude = magnitudeBytes(value < 0n ? -value : value);
  writer.u8(CODE.OPTIMIZED);
  writer.i32(32 + magnitude.length);
  writer.u8(SERIALIZABLE);
  writer.i32(BIG_INTEGER.hash);
  writer.i16(BIG_INTEGER.checksum);
  for (const cached of BIG_INTEGER_CACHES) writer.i32(cached);
  writer.u8(BYTE_ARRAY_MARK);
  writer.i32(magnitude.length);
  writer.raw(magnitude);
  writer.i32(value === 0n ? 0 : value < 0n ? -1 : 1);
}

/** Decodes a blob. `toDays` converts the instant of a midnight to days since the epoch. */
export function decodeOptimized(reader: ByteReader, toDays: (instantMs: number) => number): Value {
  const length = reader.count(1);
  const end = reader.position + length;
  const bytes = reader.raw(length);
  const start = end - length;
  const known = length >= 7 && reader.u8At(start) === SERIALIZABLE ? reader.i32At(start + 1) : undefined;
  if (known === SQL_DATE.hash && length === 15) {
    reader.position = start + 7;
    return { type: 'date', data: toDays(reader.i64Number()) };
  }
  if (known === BIG_INTEGER.hash && length >= 32 && reader.u8At(start + 23) === BYTE_ARRAY_MARK) {
    reader.position = start + 24;
    const unsigned = readMagnitude(reader);
    const sign = reader.i32();
    if (reader.position > end) throw new MalformedMessage('a big integer is longer than its blob');
    reader.position = end;
    return { type: 'bigInteger', data: sign < 0 ? -unsigned : unsigned };
  }
  const constant = enumConstant(bytes);
  if (constant !== undefined) return constant;
  const className = known === undefined ? 'java.lang.Object' : (KNOWN_CLASSES.get(known) ?? `class#${known}`);
  return { type: 'opaque', className, text: bytes.toString('base64') };
}

/** Returns the constant written by Java's serialization, or undefined for any other blob. */
function enumConstant(blob: Buffer): Value | undefined {
  const start = JAVA_STREAM.length;
  if (!blob.subarray(0, start).equals(JAVA_STREAM)) return undefined;
  if (blob[start] !== STREAM.ENUM || blob[start + 1] !== STREAM.CLASS) return undefined;
  const className = textAt(blob, start + 2);
  if (className === undefined) return undefined;
  const parent = className.end + ENUM_CLASS_END.length;
  const constant = parent + ENUM_PARENT.length;
  if (!blob.subarray(className.end, parent).equals(ENUM_CLASS_END)) return undefined;
  if (!blob.subarray(parent, constant).equals(ENUM_PARENT) || blob[constant] !== STREAM.STRING) return undefined;
  const name = textAt(blob, constant + 1);
  return name?.end === blob.length ? { type: 'opaque', className: className.text, text: name.text } : undefined;
}

/** Returns the text with a 16-bit length at a position, and the position after it, or undefined if cut off. */
function textAt(blob: Buffer, position: number): { readonly text: string; readonly end: number } | undefined {
  if (position + 2 > blob.length) return undefined;
  const end = position + 2 + blob.readUInt16BE(position);
  return end > blob.length ? undefined : { text: blob.toString('utf8', position + 2, end), end };
}
