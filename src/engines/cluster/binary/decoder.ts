/**
 * Decodes values. Values of unknown classes are opaque. A malformed message throws MalformedMessage: every count,
 * length and offset is checked against the remaining bytes before anything is allocated or repeated, and the depth and
 * number of values are bounded.
 */

import { gridError } from '../../../base/errors.ts';
import { WIRE_BOUNDS } from '../../../base/limits.ts';
import { FALSE, NULL, TRUE, type Value } from '../../../values/value.ts';
import { type ByteReader, MalformedMessage } from '../protocol/byte-reader.ts';
import { CODE, ELEMENT_OF_CODE, FLAG, PREDEFINED_TYPE } from '../protocol/type-codes.ts';
import { decodeUuidRaw } from '../protocol/uuids.ts';
import { LIST_KINDS, MAP_KINDS } from './collections.ts';
import { type BinaryContext, DAY_MS } from './context.ts';
import { readMagnitude } from './magnitudes.ts';
import { type ObjectHeader, objectValue, readObjectHeader } from './objects.ts';
import { decodeOptimized } from './optimized-values.ts';

/** Thrown for a type code that this client does not know; the bytes after it cannot be read. */
export class UnknownTypeCode extends MalformedMessage {
  constructor(code: number) {
    super(`type code ${code} is unknown`);
    this.name = 'UnknownTypeCode';
  }
}

/** State of decoding one message. */
interface Decoding {
  readonly reader: ByteReader;
  readonly context: BinaryContext;
  /** Start positions of the objects and containers that are being decoded, to detect cycles. */
  readonly open: number[];
  /** Values that handles refer to, by position. Created at the first handle. */
  targets: Map<number, HandleTarget> | undefined;
  /** Bytes that handles have added so far. */
  expanded: number;
  depth: number;
  /** Whether a value that contains itself was encountered. */
  isCircular: boolean;
}

interface HandleTarget {
  readonly value: Value;
  /** Bytes that the value represents, including those after its own handles. */
  readonly weight: number;
}

/**
 * Decodes the next value; if a value contains itself, the inner one is opaque. Throws TypeNeeded if metadata must be
 * fetched first.
 */
export function decodeValue(reader: ByteReader, context: BinaryContext): Value {
  return decode(newDecoding(reader, context));
}

/** Decodes the next value like {@link decodeValue}. Throws CIRCULAR_REFERENCE if a value contains itself. */
export function decodeWhole(reader: ByteReader, context: BinaryContext): Value {
  // Most keys and values are strings, for which the decoding state would cost more than the decoding.
  if (reader.peek() === CODE.STRING) return decodeString(reader);
  const decoding = newDecoding(reader, context);
  const value = decode(decoding);
  if (decoding.isCircular) throw gridError('CIRCULAR_REFERENCE');
  return value;
}

function decodeString(reader: ByteReader): Value {
  reader.spend(1);
  reader.u8();
  return { type: 'string', data: reader.utf8() };
}

function newDecoding(reader: ByteReader, context: BinaryContext): Decoding {
  return { reader, context, open: [], targets: undefined, expanded: 0, depth: 0, isCircular: false };
}

function decode(decoding: Decoding): Value {
  const { reader, context } = decoding;
  reader.spend(1);
  const code = reader.u8();
  switch (code) {
    case CODE.NULL:
      return NULL;
    case CODE.STRING:
      return { type: 'string', data: reader.utf8() };
    case CODE.BYTE:
      return { type: 'byte', data: reader.i8() };
    case CODE.SHORT:
      return { type: 'short', data: reader.i16() };
    case CODE.INT:
      return { type: 'integer', data: reader.i32() };
    case CODE.LONG:
      return { type: 'long', data: reader.i64() };
    case CODE.FLOAT:
      return { type: 'float', data: reader.f32() };
    case CODE.DOUBLE:
      return { type: 'double', data: reader.f64() };
    case CODE.CHAR:
      return { type: 'char', data: String.fromCharCode(reader.u16()) };
    case CODE.BOOLEAN:
      return reader.bool() ? TRUE : FALSE;
    case CODE.UUID:
      return { type: 'uuid', data: decodeUuidRaw(reader) };
    case CODE.DATE:
      return { type: 'instant', data: reader.i64Number() };
    case CODE.TIME:
      return { type: 'time', data: modulo(context.zone.toLocal(reader.i64Number()), DAY_MS) };
    case CODE.TIMESTAMP:
      return decodeTimestamp(reader, context);
    case CODE.DECIMAL:
      return decodeDecimal(reader);
    case CODE.OPTIMIZED:
      return decodeOptimized(reader, (instantMs) => daysOf(instantMs, context));
    case CODE.OBJECT:
      return nested(decoding, decodeObject);
    case CODE.WRAPPED:
      return nested(decoding, decodeWrapped);
    case CODE.HANDLE:
      return nested(decoding, decodeHandle);
    case CODE.ENUM:
    case CODE.BINARY_ENUM:
      return decodeEnum(decoding);
    case CODE.CLASS:
      return { type: 'opaque', className: 'java.lang.Class', text: decodeClassName(decoding) };
    case CODE.PROXY:
      return nested(decoding, decodeProxy);
    case CODE.COLLECTION:
    case CODE.MAP:
    case CODE.OBJECT_ARRAY:
    case CODE.ENUM_ARRAY:
      return nested(decoding, decodeContainer);
    default:
      return nested(decoding, decodeTypedArray);
  }
}

/** Decodes a value that contains other values. Throws MalformedMessage if they are nested too deeply. */
function nested(decoding: Decoding, decodeInner: (decoding: Decoding) => Value): Value {
  if (++decoding.depth > WIRE_BOUNDS.depth)
    throw new MalformedMessage(`values are nested deeper than ${WIRE_BOUNDS.depth}`);
  const value = decodeInner(decoding);
  decoding.depth--;
  return value;
}

/** Returns the days since the epoch of the midnight at an instant. */
export function daysOf(instantMs: number, context: BinaryContext): number {
  return Math.floor(context.zone.toLocal(instantMs) / DAY_MS);
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}

function decodeTimestamp(reader: ByteReader, context: BinaryContext): Value {
  const localMs = context.zone.toLocal(reader.i64Number());
  const nanosOfMs = reader.i32();
  if (nanosOfMs < 0 || nanosOfMs >= 1_000_000) throw new MalformedMessage(`a millisecond has no ${nanosOfMs} ns`);
  return { type: 'timestamp', data: BigInt(localMs) * 1_000_000n + BigInt(nanosOfMs) };
}

/** Decodes a decimal, whose sign is the highest bit of the first byte. */
function decodeDecimal(reader: ByteReader): Value {
  const scale = reader.i32();
  if (Math.abs(scale) > WIRE_BOUNDS.decimalScale) throw new MalformedMessage(`a decimal has the scale ${scale}`);
  const at = reader.position;
  const magnitude = readMagnitude(reader);
  const bytes = reader.position - at - 4;
  const signBit = bytes > 0 && reader.u8At(at + 4) >= 0x80 ? 1n << BigInt(bytes * 8 - 1) : 0n;
  return { type: 'decimal', data: { unscaled: signBit === 0n ? magnitude : signBit - magnitude, scale } };
}

function decodeWrapped(decoding: Decoding): Value {
  const { reader } = decoding;
  const length = reader.count(1);
  const start = reader.position;
  const wrappedEnd = start + length;
  reader.raw(length);
  const offset = reader.i32();
  const end = reader.position;
  const value = decodeAt(decoding, start + offset, start, wrappedEnd);
  reader.position = end;
  return value;
}

/** Decodes the value at `position`, which must lie between `from` and `to`. */
function decodeAt(decoding: Decoding, position: number, from: number, to: number): Value {
  const { reader } = decoding;
  if (position < from || position >= to) throw new MalformedMessage('an offset points outside its object');
  reader.position = position;
  const value = decode(decoding);
  if (reader.position > to) throw new MalformedMessage('a value is longer than its object');
  return value;
}

function decodeHandle(decoding: Decoding): Value {
  const { reader } = decoding;
  const from = reader.position - 1;
  const target = from - reader.i32();
  const end = reader.position;
  if (decoding.open.includes(target)) {
    decoding.isCircular = true;
    return { type: 'opaque', className: 'java.lang.Object', text: 'circular reference' };
  }
  decoding.targets ??= new Map();
  const known = decoding.targets.get(target);
  if (known) {
    // A value with several references is written several times in the response.
    reader.spend(known.weight);
    decoding.expanded += known.weight;
    return known.value;
  }
  const expandedBefore = decoding.expanded;
  const value = decodeAt(decoding, target, reader.start, from);
  const weight = reader.position - target + decoding.expanded - expandedBefore;
  reader.spend(weight);
  reader.position = end;
  decoding.expanded += weight;
  decoding.targets.set(target, { value, weight });
  return value;
}

function decodeObject(decoding: Decoding): Value {
  const { reader } = decoding;
  const start = reader.position - 1;
  reader.position = start;
  const header = readObjectHeader(reader);
  const end = reader.position;
  decoding.open.push(start);
  let value: Value;
  if (header.typeId === PREDEFINED_TYPE.GRID_UUID) {
    reader.position = header.data;
    const counter = BigInt.asUintN(64, reader.i64()).toString(16);
    value = { type: 'gridUuid', data: `${[...counter].reverse().join('')}-${decodeUuidRaw(reader)}` };
  } else if (header.typeId === PREDEFINED_TYPE.TREE_MAP) {
    reader.position = header.data;
    decode(decoding);
    value = { type: 'map', data: decodePairs(decoding, reader.count(2)), kind: 'treeMap' };
  } else if (header.typeId === PREDEFINED_TYPE.TREE_SET && (header.flags & FLAG.HAS_SCHEMA) === 0) {
    reader.position = header.data;
    decode(decoding);
    value = { type: 'list', data: decodeElements(decoding, reader.count(1)), kind: 'treeSet' };
  } else {
    value = decodeFields(decoding, header);
  }
  if (reader.position > end) throw new MalformedMessage('a value is longer than its object');
  decoding.open.pop();
  reader.position = end;
  return value;
}

/** Decodes the fields of an object. They must be adjacent, so that none is decoded twice. */
function decodeFields(decoding: Decoding, header: ObjectHeader): Value {
  let from = header.data;
  return objectValue(decoding.reader, header, decoding.context, (position) => {
    const value = decodeAt(decoding, position, from, header.footer);
    from = decoding.reader.position;
    return value;
  });
}

/** Returns the name of the class with the type id that follows; after id 0 the name itself follows. */
function decodeClassName(decoding: Decoding): string {
  const typeId = decoding.reader.i32();
  if (typeId === 0) {
    decoding.reader.u8();
    return decoding.reader.utf8();
  }
  if (typeId === -1) return 'java.lang.Object';
  return decoding.context.types.require(typeId)?.name ?? `#${typeId}`;
}

function decodeEnum(decoding: Decoding): Value {
  const typeId = decoding.reader.i32At(decoding.reader.position);
  const typeName = decodeClassName(decoding);
  const ordinal = decoding.reader.i32();
  const type = typeId === 0 ? null : decoding.context.types.require(typeId);
  return { type: 'enum', typeName, ordinal, name: type?.enumNames.get(ordinal) };
}

function decodeProxy(decoding: Decoding): Value {
  const names: string[] = [];
  for (let left = decoding.reader.count(4); left > 0; left--) names.push(decodeClassName(decoding));
  decode(decoding);
  return { type: 'opaque', className: 'java.lang.reflect.Proxy', text: names.join(', ') };
}

function decodeContainer(decoding: Decoding): Value {
  const { reader } = decoding;
  const start = reader.position - 1;
  const code = reader.u8At(start);
  decoding.open.push(start);
  let value: Value;
  if (code === CODE.MAP) {
    const count = reader.count(2);
    const kind = MAP_KINDS.get(reader.u8());
    value = { type: 'map', data: decodePairs(decoding, count), ...(kind && { kind }) };
  } else if (code === CODE.COLLECTION) {
    const count = reader.count(1);
    const kind = LIST_KINDS.get(reader.u8());
    value = { type: 'list', data: decodeElements(decoding, count), ...(kind && { kind }) };
  } else {
    decodeClassName(decoding);
    value = { type: 'array', element: 'object', data: decodeElements(decoding, reader.count(1)) };
  }
  decoding.open.pop();
  return value;
}

function decodeElements(decoding: Decoding, count: number): Value[] {
  const elements: Value[] = [];
  for (let index = 0; index < count; index++) elements.push(decode(decoding));
  return elements;
}

function decodePairs(decoding: Decoding, count: number): Array<readonly [Value, Value]> {
  const pairs: Array<readonly [Value, Value]> = [];
  for (let index = 0; index < count; index++) {
    const key = decode(decoding);
    pairs.push([key, decode(decoding)]);
  }
  return pairs;
}

/** Bytes of a raw element, and the function that reads one. */
type RawElements = readonly [number, (reader: ByteReader) => Value];

/** Arrays of raw elements, by type code. */
const RAW_ELEMENTS: ReadonlyMap<number, RawElements> = new Map<number, RawElements>([
  [CODE.SHORT_ARRAY, [2, (reader) => ({ type: 'short', data: reader.i16() })]],
  [CODE.INT_ARRAY, [4, (reader) => ({ type: 'integer', data: reader.i32() })]],
  [CODE.LONG_ARRAY, [8, (reader) => ({ type: 'long', data: reader.i64() })]],
  [CODE.FLOAT_ARRAY, [4, (reader) => ({ type: 'float', data: reader.f32() })]],
  [CODE.DOUBLE_ARRAY, [8, (reader) => ({ type: 'double', data: reader.f64() })]],
  [CODE.CHAR_ARRAY, [2, (reader) => ({ type: 'char', data: String.fromCharCode(reader.u16()) })]],
  [CODE.BOOLEAN_ARRAY, [1, (reader) => (reader.bool() ? TRUE : FALSE)]],
]);

function decodeTypedArray(decoding: Decoding): Value {
  const { reader } = decoding;
  const code = reader.u8At(reader.position - 1);
  if (code === CODE.BYTE_ARRAY) return { type: 'bytes', data: Uint8Array.from(reader.raw(reader.count(1))) };
  const element = ELEMENT_OF_CODE.get(code);
  if (element === undefined) throw new UnknownTypeCode(code);
  const raw = RAW_ELEMENTS.get(code);
  // Elements of other types are values or null.
  if (!raw) return { type: 'array', element, data: decodeElements(decoding, reader.count(1)) };
  const [elementBytes, read] = raw;
  const data: Value[] = [];
  for (let left = reader.count(elementBytes); left > 0; left--) data.push(read(reader));
  return { type: 'array', element, data };
}
