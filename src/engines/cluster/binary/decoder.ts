/**
 * Decodes values. Values of unknown classes are opaque. A malformed message throws MalformedMessage: every count,
 * length and offset is checked against the remaining bytes before anything is allocated or repeated, and the depth and
 * number of values are bounded.
 */

import { WIRE_BOUNDS } from '../../../base/limits.ts';
import { FALSE, NULL, type ScalarTypeName, TRUE, type Value } from '../../../values/value.ts';
import { type ByteReader, MalformedMessage } from '../protocol/byte-reader.ts';
import { CODE, FLAG, PREDEFINED_TYPE } from '../protocol/type-codes.ts';
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
interface Walk {
  readonly reader: ByteReader;
  readonly context: BinaryContext;
  /** Start positions of the objects and containers that are being decoded, to detect cycles. */
  readonly open: number[];
  /** Values that handles refer to, by position. Created when the first handle is met. */
  referred: Map<number, Referred> | undefined;
  /** Bytes that handles have added so far. */
  expanded: number;
  depth: number;
}

interface Referred {
  readonly value: Value;
  /** Bytes that the value represents, including those behind its own handles. */
  readonly weight: number;
}

/** Decodes the next value. Throws TypeNeeded when metadata must be fetched first. */
export function decodeValue(reader: ByteReader, context: BinaryContext): Value {
  return decode({ reader, context, open: [], referred: undefined, expanded: 0, depth: 0 });
}

function decode(walk: Walk): Value {
  const { reader, context } = walk;
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
      return nested(walk, decodeObject);
    case CODE.WRAPPED:
      return nested(walk, decodeWrapped);
    case CODE.HANDLE:
      return nested(walk, decodeHandle);
    case CODE.ENUM:
    case CODE.BINARY_ENUM:
      return decodeEnum(walk);
    case CODE.CLASS:
      return { type: 'opaque', className: 'java.lang.Class', text: decodeClassName(walk) };
    case CODE.PROXY:
      return nested(walk, decodeProxy);
    case CODE.COLLECTION:
    case CODE.MAP:
    case CODE.OBJECT_ARRAY:
    case CODE.ENUM_ARRAY:
      return nested(walk, decodeContainer);
    default:
      return nested(walk, decodeTypedArray);
  }
}

/** Decodes a value that contains others. Throws MalformedMessage when they are nested too deeply. */
function nested(walk: Walk, decodeInner: (walk: Walk) => Value): Value {
  if (++walk.depth > WIRE_BOUNDS.depth)
    throw new MalformedMessage(`values are nested deeper than ${WIRE_BOUNDS.depth}`);
  const value = decodeInner(walk);
  walk.depth--;
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

/** The sign is the highest bit of the first byte. */
function decodeDecimal(reader: ByteReader): Value {
  const scale = reader.i32();
  if (Math.abs(scale) > WIRE_BOUNDS.decimalScale) throw new MalformedMessage(`a decimal has the scale ${scale}`);
  const at = reader.position;
  const magnitude = readMagnitude(reader);
  const bytes = reader.position - at - 4;
  const signBit = bytes > 0 && reader.u8At(at + 4) >= 0x80 ? 1n << BigInt(bytes * 8 - 1) : 0n;
  return { type: 'decimal', data: { unscaled: signBit === 0n ? magnitude : signBit - magnitude, scale } };
}

function decodeWrapped(walk: Walk): Value {
  const { reader } = walk;
  const length = reader.count(1);
  const start = reader.position;
  const wrappedEnd = start + length;
  reader.raw(length);
  const offset = reader.i32();
  const end = reader.position;
  const value = decodeAt(walk, start + offset, start, wrappedEnd);
  reader.position = end;
  return value;
}

/** Decodes the value at `position`, which must lie between `from` and `to`. */
function decodeAt(walk: Walk, position: number, from: number, to: number): Value {
  const { reader } = walk;
  if (position < from || position >= to) throw new MalformedMessage('an offset points outside its object');
  reader.position = position;
  const value = decode(walk);
  if (reader.position > to) throw new MalformedMessage('a value is longer than its object');
  return value;
}

function decodeHandle(walk: Walk): Value {
  const { reader } = walk;
  const from = reader.position - 1;
  const target = from - reader.i32();
  const end = reader.position;
  if (walk.open.includes(target)) return { type: 'opaque', className: 'java.lang.Object', text: 'circular reference' };
  walk.referred ??= new Map();
  const known = walk.referred.get(target);
  if (known) {
    // A value that is referred to repeatedly is also written out repeatedly.
    reader.spend(known.weight);
    walk.expanded += known.weight;
    return known.value;
  }
  const expandedBefore = walk.expanded;
  const value = decodeAt(walk, target, reader.start, from);
  const weight = reader.position - target + walk.expanded - expandedBefore;
  reader.spend(weight);
  reader.position = end;
  walk.expanded += weight;
  walk.referred.set(target, { value, weight });
  return value;
}

function decodeObject(walk: Walk): Value {
  const { reader } = walk;
  const start = reader.position - 1;
  reader.position = start;
  const header = readObjectHeader(reader);
  const end = reader.position;
  walk.open.push(start);
  let value: Value;
  if (header.typeId === PREDEFINED_TYPE.GRID_UUID) {
    reader.position = header.data;
    const counter = BigInt.asUintN(64, reader.i64()).toString(16);
    value = { type: 'gridUuid', data: `${[...counter].reverse().join('')}-${decodeUuidRaw(reader)}` };
  } else if (header.typeId === PREDEFINED_TYPE.TREE_MAP) {
    reader.position = header.data;
    decode(walk);
    value = { type: 'map', data: decodePairs(walk, reader.count(2)), kind: 'treeMap' };
  } else if (header.typeId === PREDEFINED_TYPE.TREE_SET && (header.flags & FLAG.HAS_SCHEMA) === 0) {
    reader.position = header.data;
    decode(walk);
    value = { type: 'list', data: decodeElements(walk, reader.count(1)), kind: 'treeSet' };
  } else {
    value = decodeFields(walk, header);
  }
  if (reader.position > end) throw new MalformedMessage('a value is longer than its object');
  walk.open.pop();
  reader.position = end;
  return value;
}

/** Fields must be adjacent, so that none is decoded twice. */
function decodeFields(walk: Walk, header: ObjectHeader): Value {
  let from = header.data;
  return objectValue(walk.reader, header, walk.context, (position) => {
    const value = decodeAt(walk, position, from, header.footer);
    from = walk.reader.position;
    return value;
  });
}

/** Returns the name of the class with the type id that follows; after id 0 the name itself follows. */
function decodeClassName(walk: Walk): string {
  const typeId = walk.reader.i32();
  if (typeId === 0) {
    walk.reader.u8();
    return walk.reader.utf8();
  }
  if (typeId === -1) return 'java.lang.Object';
  return walk.context.types.require(typeId)?.name ?? `#${typeId}`;
}

function decodeEnum(walk: Walk): Value {
  const typeId = walk.reader.i32At(walk.reader.position);
  const typeName = decodeClassName(walk);
  const ordinal = walk.reader.i32();
  const type = typeId === 0 ? null : walk.context.types.require(typeId);
  return { type: 'enum', typeName, ordinal, name: type?.enumNames.get(ordinal) };
}

function decodeProxy(walk: Walk): Value {
  const names: string[] = [];
  for (let left = walk.reader.count(4); left > 0; left--) names.push(decodeClassName(walk));
  decode(walk);
  return { type: 'opaque', className: 'java.lang.reflect.Proxy', text: names.join(', ') };
}

function decodeContainer(walk: Walk): Value {
  const { reader } = walk;
  const start = reader.position - 1;
  const code = reader.u8At(start);
  walk.open.push(start);
  let value: Value;
  if (code === CODE.MAP) {
    const count = reader.count(2);
    const kind = MAP_KINDS.get(reader.u8());
    value = { type: 'map', data: decodePairs(walk, count), ...(kind && { kind }) };
  } else if (code === CODE.COLLECTION) {
    const count = reader.count(1);
    const kind = LIST_KINDS.get(reader.u8());
    value = { type: 'list', data: decodeElements(walk, count), ...(kind && { kind }) };
  } else {
    decodeClassName(walk);
    value = { type: 'array', element: 'object', data: decodeElements(walk, reader.count(1)) };
  }
  walk.open.pop();
  return value;
}

function decodeElements(walk: Walk, count: number): Value[] {
  const elements: Value[] = [];
  for (let index = 0; index < count; index++) elements.push(decode(walk));
  return elements;
}

function decodePairs(walk: Walk, count: number): Array<readonly [Value, Value]> {
  const pairs: Array<readonly [Value, Value]> = [];
  for (let index = 0; index < count; index++) {
    const key = decode(walk);
    pairs.push([key, decode(walk)]);
  }
  return pairs;
}

/** Type of the elements, bytes of each, and the function that reads one. */
type BareElements = readonly [ScalarTypeName, number, (reader: ByteReader) => Value];

/** Arrays of raw elements, by type code. */
const BARE_ELEMENTS: ReadonlyMap<number, BareElements> = new Map<number, BareElements>([
  [CODE.SHORT_ARRAY, ['short', 2, (reader) => ({ type: 'short', data: reader.i16() })]],
  [CODE.INT_ARRAY, ['integer', 4, (reader) => ({ type: 'integer', data: reader.i32() })]],
  [CODE.LONG_ARRAY, ['long', 8, (reader) => ({ type: 'long', data: reader.i64() })]],
  [CODE.FLOAT_ARRAY, ['float', 4, (reader) => ({ type: 'float', data: reader.f32() })]],
  [CODE.DOUBLE_ARRAY, ['double', 8, (reader) => ({ type: 'double', data: reader.f64() })]],
  [CODE.CHAR_ARRAY, ['char', 2, (reader) => ({ type: 'char', data: String.fromCharCode(reader.u16()) })]],
  [CODE.BOOLEAN_ARRAY, ['boolean', 1, (reader) => (reader.bool() ? TRUE : FALSE)]],
]);

/** Arrays whose elements are values or null, by type code. */
const TAGGED_ELEMENTS: ReadonlyMap<number, ScalarTypeName> = new Map<number, ScalarTypeName>([
  [CODE.STRING_ARRAY, 'string'],
  [CODE.UUID_ARRAY, 'uuid'],
  [CODE.DATE_ARRAY, 'instant'],
  [CODE.DECIMAL_ARRAY, 'decimal'],
  [CODE.TIMESTAMP_ARRAY, 'timestamp'],
  [CODE.TIME_ARRAY, 'time'],
]);

function decodeTypedArray(walk: Walk): Value {
  const { reader } = walk;
  const code = reader.u8At(reader.position - 1);
  if (code === CODE.BYTE_ARRAY) return { type: 'bytes', data: Uint8Array.from(reader.raw(reader.count(1))) };
  const tagged = TAGGED_ELEMENTS.get(code);
  if (tagged) return { type: 'array', element: tagged, data: decodeElements(walk, reader.count(1)) };
  const bare = BARE_ELEMENTS.get(code);
  if (!bare) throw new UnknownTypeCode(code);
  const [element, elementBytes, read] = bare;
  const data: Value[] = [];
  for (let left = reader.count(elementBytes); left > 0; left--) data.push(read(reader));
  return { type: 'array', element, data };
}
