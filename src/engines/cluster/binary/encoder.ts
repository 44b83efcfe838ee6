/** Encodes values of every type (docs/spec/ignite-wire.md 6). */

import { gridError } from '../../../base/errors.ts';
import { SCALAR_TRAITS } from '../../../values/scalar-traits.ts';
import type { Decimal, Value, ValueOf } from '../../../values/value.ts';
import type { ByteWriter } from '../protocol/byte-writer.ts';
import { ARRAY_CODES, CODE, FLAG, HEADER_BYTES, PREDEFINED_TYPE } from '../protocol/type-codes.ts';
import { encodeUuidRaw } from '../protocol/uuids.ts';
import { encodeList, encodeMap } from './collections.ts';
import { type BinaryContext, DAY_MS } from './context.ts';
import { EMPTY_SCHEMA_ID, hashOfBytes } from './java-hash.ts';
import { magnitudeBytes } from './magnitudes.ts';
import { encodeObject } from './objects.ts';
import { encodeBigInteger, encodeSqlDate } from './optimized-values.ts';

const NANOS_PER_MS = 1_000_000n;

/** Writes a value with its type code. Custom types must be registered first. */
export function encodeValue(writer: ByteWriter, value: Value, context: BinaryContext): void {
  // Most keys and values are strings.
  if (value.type === 'string') {
    writer.u8(CODE.STRING);
    writer.utf8(value.data);
    return;
  }
  switch (value.type) {
    case 'null':
      writer.u8(CODE.NULL);
      return;
    case 'boolean':
      writer.u8(CODE.BOOLEAN);
      writer.bool(value.data);
      return;
    case 'byte':
      writer.u8(CODE.BYTE);
      writer.u8(value.data & 0xff);
      return;
    case 'short':
      writer.u8(CODE.SHORT);
      writer.i16(value.data);
      return;
    case 'integer':
      writer.u8(CODE.INT);
      writer.i32(value.data);
      return;
    case 'long':
      writer.u8(CODE.LONG);
      writer.i64(value.data);
      return;
    case 'float':
      writer.u8(CODE.FLOAT);
      writer.f32(value.data);
      return;
    case 'double':
      writer.u8(CODE.DOUBLE);
      writer.f64(value.data);
      return;
    case 'char':
      writer.u8(CODE.CHAR);
      writer.i16(value.data.charCodeAt(0));
      return;
    case 'date':
      encodeSqlDate(writer, context.zone.toInstant(value.data * DAY_MS));
      return;
    case 'time':
      writer.u8(CODE.TIME);
      writer.i64Number(context.zone.toInstant(value.data));
      return;
    case 'timestamp':
      encodeTimestamp(writer, value.data, context);
      return;
    case 'instant':
      writer.u8(CODE.DATE);
      writer.i64Number(value.data);
      return;
    case 'uuid':
      writer.u8(CODE.UUID);
      encodeUuidRaw(writer, value.data);
      return;
    case 'gridUuid':
      encodeGridUuid(writer, value.data);
      return;
    case 'decimal':
      encodeDecimal(writer, value.data);
      return;
    case 'bigInteger':
      encodeBigInteger(writer, value.data);
      return;
    case 'bytes':
      writer.u8(CODE.BYTE_ARRAY);
      writer.i32(value.data.length);
      writer.raw(value.data);
      return;
    case 'array':
      encodeArray(writer, value, context);
      return;
    case 'list':
      encodeList(writer, value, context, encodeValue);
      return;
    case 'map':
      encodeMap(writer, value, context, encodeValue);
      return;
    case 'object':
      encodeObject(writer, value, context, encodeValue);
      return;
    case 'enum':
      writer.u8(CODE.BINARY_ENUM);
      writer.i32(context.types.typeIdOf(value.typeName));
      writer.i32(value.ordinal);
      return;
    case 'opaque':
      throw gridError('NOT_SUPPORTED', `writing a value of class ${value.className}`, 'it is read-only');
  }
  value satisfies never;
}

function encodeTimestamp(writer: ByteWriter, nanos: bigint, context: BinaryContext): void {
  let nanosOfMs = nanos % NANOS_PER_MS;
  if (nanosOfMs < 0n) nanosOfMs += NANOS_PER_MS;
  const localMs = Number((nanos - nanosOfMs) / NANOS_PER_MS);
  writer.u8(CODE.TIMESTAMP);
  writer.i64Number(context.zone.toInstant(localMs));
  writer.i32(Number(nanosOfMs));
}

/**
 * Returns the counter of a grid UUID. The string has its hexadecimal digits reversed; digits that become leading zeros
 * are lost.
 */
export function gridUuidCounter(text: string): bigint {
  const digits = text.slice(0, text.indexOf('-'));
  return BigInt(`0x${[...digits].reverse().join('')}`);
}

function encodeGridUuid(writer: ByteWriter, text: string): void {
  const start = writer.length;
  writer.u8(CODE.OBJECT);
  writer.u8(1);
  writer.i16(FLAG.HAS_RAW);
  writer.i32(PREDEFINED_TYPE.GRID_UUID);
  writer.i32(0);
  writer.i32(HEADER_BYTES + 24);
  writer.i32(EMPTY_SCHEMA_ID);
  writer.i32(HEADER_BYTES);
  writer.i64(BigInt.asIntN(64, gridUuidCounter(text)));
  encodeUuidRaw(writer, text.slice(text.indexOf('-') + 1));
  writer.setI32(start + 8, hashOfBytes(writer.view(), start + HEADER_BYTES, writer.length));
}

function encodeDecimal(writer: ByteWriter, decimal: Decimal): void {
  writer.u8(CODE.DECIMAL);
  writer.i32(decimal.scale);
  const negative = decimal.unscaled < 0n;
  const magnitude = magnitudeBytes(negative ? -decimal.unscaled : decimal.unscaled);
  const padded =
    magnitude.length === 0 || (magnitude[0] ?? 0) >= 0x80 ? Buffer.concat([ZERO_BYTE, magnitude]) : magnitude;
  if (negative) padded[0] = (padded[0] ?? 0) | 0x80;
  writer.i32(padded.length);
  writer.raw(padded);
}

const ZERO_BYTE = Buffer.from([0]);

function encodeArray(writer: ByteWriter, array: ValueOf<'array'>, context: BinaryContext): void {
  const code = ARRAY_CODES[array.element];
  // Elements of Java's primitive types have no type codes and cannot be null.
  const primitive = code >= CODE.BYTE_ARRAY && code <= CODE.BOOLEAN_ARRAY;
  const mixed = array.data.some((each) => each.type !== array.element && (primitive || each.type !== 'null'));
  if (mixed || (primitive && array.boxed)) {
    encodeElements(writer, CODE.OBJECT_ARRAY, array, context);
    return;
  }
  if (!primitive) {
    encodeElements(writer, code, array, context);
    return;
  }
  writer.u8(code);
  writer.i32(array.data.length);
  for (const element of array.data) encodeBare(writer, element);
}

function encodeElements(writer: ByteWriter, code: number, array: ValueOf<'array'>, context: BinaryContext): void {
  writer.u8(code);
  if (code === CODE.OBJECT_ARRAY) writer.i32(componentId(array.componentClass, context));
  writer.i32(array.data.length);
  for (const element of array.data) encodeValue(writer, element, context);
}

const OBJECT_COMPONENT = -1;
/** Type ids of Java's own classes: their type codes. */
const COMPONENT_IDS: ReadonlyMap<string, number> = new Map([
  [SCALAR_TRAITS.byte.javaClass, CODE.BYTE],
  [SCALAR_TRAITS.short.javaClass, CODE.SHORT],
  [SCALAR_TRAITS.integer.javaClass, CODE.INT],
  [SCALAR_TRAITS.long.javaClass, CODE.LONG],
  [SCALAR_TRAITS.float.javaClass, CODE.FLOAT],
  [SCALAR_TRAITS.double.javaClass, CODE.DOUBLE],
  [SCALAR_TRAITS.char.javaClass, CODE.CHAR],
  [SCALAR_TRAITS.boolean.javaClass, CODE.BOOLEAN],
]);

function componentId(className: string | undefined, context: BinaryContext): number {
  if (className === undefined) return OBJECT_COMPONENT;
  return COMPONENT_IDS.get(className) ?? context.types.typeIdOf(className);
}

/** Writes an element of a primitive array, without a type code. */
function encodeBare(writer: ByteWriter, value: Value): void {
  if (value.type === 'boolean') writer.bool(value.data);
  else if (value.type === 'byte') writer.u8(value.data & 0xff);
  else if (value.type === 'short') writer.i16(value.data);
  else if (value.type === 'integer') writer.i32(value.data);
  else if (value.type === 'long') writer.i64(value.data);
  else if (value.type === 'float') writer.f32(value.data);
  else if (value.type === 'double') writer.f64(value.data);
  else if (value.type === 'char') writer.i16(value.data.charCodeAt(0));
}
