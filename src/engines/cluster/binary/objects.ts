/**
 * Codec of custom types. An object is a header, its fields, and a footer with the offset of each field
 * (docs/spec/ignite-wire.md 6).
 */
import { type Field, NULL, type Value, type ValueOf } from '../../../values/value.ts';
import { type ByteReader, MalformedMessage } from '../protocol/byte-reader.ts';
import type { ByteWriter } from '../protocol/byte-writer.ts';
import { writeString } from '../protocol/strings.ts';
import { CODE, FLAG, HEADER_BYTES, PREDEFINED_TYPE } from '../protocol/type-codes.ts';
import type { BinaryContext, EncodeValue } from './context.ts';
import { EMPTY_SCHEMA_ID, hashOfBytes, hashOfLowerCase, schemaIdOf } from './java-hash.ts';
import type { BinaryType } from './type-metadata.ts';

const PAIR_NAMES = ['key', 'value'];

/** Writes an object with its header; `encodeValue` writes each field. The schema must be registered. */
export function encodeObject(
  writer: ByteWriter,
  value: ValueOf<'object'>,
  context: BinaryContext,
  encodeValue: EncodeValue,
): void {
  const { typeId, fieldIds, schemaId } = context.types.shapeOf(value.typeName, value.fields);
  const compact = context.types.compactFooter;
  const start = writer.length;
  writer.u8(CODE.OBJECT);
  writer.u8(1);
  writer.i16(0);
  writer.i32(typeId);
  writer.i32(0);
  writer.i32(0);
  writer.i32(schemaId);
  writer.i32(HEADER_BYTES);
  const offsets: number[] = [];
  for (const field of value.fields) {
    const at = writer.length;
    offsets.push(at - start);
    encodeValue(writer, field.value, context);
    // In a field of its class, Java reads a constant only with this code.
    if (field.value.type === 'enum') writer.setU8(at, CODE.ENUM);
  }
  const footer = writer.length;
  const lastOffset = offsets.at(-1) ?? 0;
  let flags = FLAG.USER_TYPE | (compact ? FLAG.COMPACT_FOOTER : 0);
  if (offsets.length > 0) {
    flags |= FLAG.HAS_SCHEMA;
    if (lastOffset < 256) flags |= FLAG.OFFSET_ONE_BYTE;
    else if (lastOffset < 65_536) flags |= FLAG.OFFSET_TWO_BYTES;
    writer.setI32(start + 20, footer - start);
  }
  for (const [index, offset] of offsets.entries()) {
    if (!compact) writer.i32(fieldIds[index] ?? 0);
    if (lastOffset < 256) writer.u8(offset);
    else if (lastOffset < 65_536) writer.i16(offset);
    else writer.i32(offset);
  }
  writer.setI16(start + 2, flags);
  writer.setI32(start + 8, hashOfBytes(writer.view(), start + HEADER_BYTES, footer));
  writer.setI32(start + 12, writer.length - start);
}

/** Writes an object that contains the name of its class. `writeFields` writes at most one field. */
export function writeNamed(
  writer: ByteWriter,
  className: string,
  fieldNames: readonly [] | readonly [string],
  writeFields: () => void,
): void {
  const start = writer.length;
  const fieldIds = fieldNames.map(hashOfLowerCase);
  writer.u8(CODE.OBJECT);
  writer.u8(1);
  writer.i16(FLAG.USER_TYPE | (fieldIds.length > 0 ? FLAG.HAS_SCHEMA : 0));
  writer.i32(0);
  writer.i32(1);
  writer.i32(0);
  writer.i32(fieldIds.length > 0 ? schemaIdOf(fieldIds) : EMPTY_SCHEMA_ID);
  writer.i32(HEADER_BYTES);
  writeString(writer, className);
  const fieldAt = writer.length - start;
  writeFields();
  if (fieldIds.length > 0) writer.setI32(start + 20, writer.length - start);
  for (const id of fieldIds) {
    writer.i32(id);
    writer.i32(fieldAt);
  }
  writer.setI32(start + 12, writer.length - start);
}

/** An object's header, with its positions in the buffer. */
export interface ObjectHeader {
  readonly start: number;
  readonly flags: number;
  readonly typeId: number;
  readonly end: number;
  readonly schemaId: number;
  /** Position of the footer, or of the raw data of an object without schema. */
  readonly footer: number;
  /** Class name in the object, present when its type is not registered. */
  readonly className: string | undefined;
  /** Position of the data. */
  readonly data: number;
}

/**
 * Reads the header at the reader's position and moves the reader past the object. Throws MalformedMessage if the
 * object's length, data or footer are inconsistent.
 */
export function readObjectHeader(reader: ByteReader): ObjectHeader {
  const start = reader.position;
  reader.raw(HEADER_BYTES);
  const length = reader.i32At(start + 12);
  if (length < HEADER_BYTES) throw new MalformedMessage(`an object has ${length} bytes`);
  const end = start + length;
  const typeId = reader.i32At(start + 4);
  let className: string | undefined;
  if (typeId === 0) {
    reader.u8();
    className = reader.utf8();
  }
  const data = reader.position;
  reader.position = start;
  reader.raw(length);
  const flags = reader.u16At(start + 2);
  const hasFooter = (flags & (FLAG.HAS_SCHEMA | FLAG.HAS_RAW)) !== 0;
  const footer = hasFooter ? start + reader.i32At(start + 20) : end;
  if (data > end || footer < start + HEADER_BYTES || footer > end) {
    throw new MalformedMessage('parts of an object are outside it');
  }
  return {
    start,
    flags,
    typeId,
    end,
    schemaId: reader.i32At(start + 16),
    footer,
    className,
    data,
  };
}

/**
 * Returns the id and position of each field, or undefined if the cluster does not know the schema. Throws TypeNeeded.
 */
export function fieldPositions(
  reader: ByteReader,
  header: ObjectHeader,
  context: BinaryContext,
): ReadonlyArray<readonly [number, number]> | undefined {
  if ((header.flags & FLAG.HAS_SCHEMA) === 0) return [];
  const compact = (header.flags & FLAG.COMPACT_FOOTER) !== 0;
  const offsetBytes = header.flags & FLAG.OFFSET_ONE_BYTE ? 1 : header.flags & FLAG.OFFSET_TWO_BYTES ? 2 : 4;
  const stepBytes = compact ? offsetBytes : offsetBytes + 4;
  const footerEnd = (header.flags & FLAG.HAS_RAW) !== 0 ? header.end - 4 : header.end;
  const schema = compact ? context.types.schemaOf(header.typeId, header.schemaId) : undefined;
  if (compact && !schema) return undefined;
  const positions: Array<readonly [number, number]> = [];
  for (let at = header.footer; at + stepBytes <= footerEnd; at += stepBytes) {
    const id = compact ? schema?.[positions.length] : reader.i32At(at);
    if (id === undefined) throw new MalformedMessage('an object has more fields than its schema');
    const offsetAt = compact ? at : at + 4;
    const offset =
      offsetBytes === 1 ? reader.u8At(offsetAt) : offsetBytes === 2 ? reader.u16At(offsetAt) : reader.i32At(offsetAt);
    positions.push([id, header.start + offset]);
  }
  return positions;
}

/** Returns the object as a value; `decodeAt` decodes the value at a position. */
export function objectValue(
  reader: ByteReader,
  header: ObjectHeader,
  context: BinaryContext,
  decodeAt: (position: number) => Value,
): Value {
  const positions = fieldPositions(reader, header, context);
  const type = typeOf(header, context);
  const typeName = header.className ?? type?.name ?? `#${header.typeId}`;
  if (!positions || (positions.length === 0 && (header.flags & FLAG.HAS_RAW) !== 0)) {
    const bytes = reader.buffer.subarray(header.data, header.end);
    return { type: 'opaque', className: typeName, text: bytes.toString('base64') };
  }
  const isPair = header.typeId === PREDEFINED_TYPE.PAIR || header.typeId === PREDEFINED_TYPE.PAIR_2;
  const fields: Field[] = positions.map(([id, position], index) => ({
    // The fields of Ignite's own pairs are named like those of entries.
    name: isPair ? (PAIR_NAMES[index] ?? '') : context.types.fieldName(type, id),
    value: decodeAt(position),
  }));
  if (context.types.showsAllFields && type !== null) {
    const found = new Set(positions.map(([id]) => id));
    for (const { id, name } of type.fields) if (!found.has(id)) fields.push({ name, value: NULL });
  }
  return { type: 'object', typeName, fields };
}

function typeOf(header: ObjectHeader, context: BinaryContext): BinaryType | null {
  if (header.className !== undefined) return null;
  return context.types.require(header.typeId);
}
