/** Reads values from the cluster's wire. Unknown ones are shown as opaque; a malformed message throws, never hangs. */
import type { ScalarTypeName, Value } from '../../values/value.ts';
import { FALSE, NULL, TRUE } from '../../values/value.ts';
import { type BinaryContext, DAY_MS } from './binary-codecs.ts';
import { objectValue, readObjectHeader } from './binary-objects.ts';
import type { ByteReader } from './byte-reader.ts';
import { LIST_KINDS, MAP_KINDS } from './collections.ts';
import { decodeOptimized } from './optimized-values.ts';
import { CODE, FLAG, PREDEFINED_TYPE } from './type-codes.ts';

/** A type code that this client does not know; what follows it cannot be read. */
export class UnknownTypeCode extends Error {
  constructor(code: number) {
    super(`The cluster sent a value of type code ${code}, which is unknown.`);
    this.name = 'UnknownTypeCode';
  }
}

/** What one walk through a message remembers. */
interface Walk {
  readonly reader: ByteReader;
  readonly context: BinaryContext;
  /** Beginnings of the objects and containers that are being read, to notice cycles. */
  readonly open: number[];
  /** Values that handles pointed to; made when the first handle is met. */
  referred: Map<number, Value> | undefined;
}

/** The next value. Throws TypeNeeded when metadata has to be fetched first. */
export function decodeValue(reader: ByteReader, context: BinaryContext): Value {
  return decode({ reader, context, open: [], referred: undefined });
}

function decode(walk: Walk): Value {
  const { reader, context } = walk;
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
    case CODE.TIMESTAMP: {
      const localMs = context.zone.toLocal(reader.i64Number());
      return { type: 'timestamp', data: BigInt(localMs) * 1_000_000n + BigInt(reader.i32()) };
    }
    case CODE.DECIMAL:
      return decodeDecimal(reader);
    case CODE.OPTIMIZED:
      return decodeOptimized(reader, (instantMs) => daysOf(instantMs, context));
    case CODE.OBJECT:
      return decodeObject(walk);
    case CODE.WRAPPED:
      return decodeWrapped(walk);
    case CODE.HANDLE:
      return decodeHandle(walk);
    case CODE.ENUM:
    case CODE.BINARY_ENUM:
      return decodeEnum(walk);
    case CODE.CLASS:
      return { type: 'opaque', className: 'java.lang.Class', text: decodeClassName(walk) };
    case CODE.PROXY:
      return decodeProxy(walk);
    case CODE.COLLECTION:
    case CODE.MAP:
    case CODE.OBJECT_ARRAY:
    case CODE.ENUM_ARRAY:
      return decodeContainer(walk, code);
    default:
      return decodeTypedArray(walk, code);
  }
}

/** Days since the epoch of the midnight at an instant. */
export function daysOf(instantMs: number, context: BinaryContext): number {
  return Math.floor(context.zone.toLocal(instantMs) / DAY_MS);
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}

/** Two halves of a UUID as lower-case text. */
export function decodeUuidRaw(reader: ByteReader): string {
  const high = BigInt.asUintN(64, reader.i64()).toString(16).padStart(16, '0');
  const low = BigInt.asUintN(64, reader.i64()).toString(16).padStart(16, '0');
  return `${high.slice(0, 8)}-${high.slice(8, 12)}-${high.slice(12)}-${low.slice(0, 4)}-${low.slice(4)}`;
}

function decodeDecimal(reader: ByteReader): Value {
  const scale = reader.i32();
  const magnitude = Buffer.from(reader.raw(reader.i32()));
  const first = magnitude[0] ?? 0;
  const negative = (first & 0x80) !== 0;
  if (negative) magnitude[0] = first & 0x7f;
  const unsigned = magnitude.length === 0 ? 0n : BigInt(`0x${magnitude.toString('hex')}`);
  return { type: 'decimal', data: { unscaled: negative ? -unsigned : unsigned, scale } };
}

function decodeWrapped(walk: Walk): Value {
  const { reader } = walk;
  const length = reader.i32();
  const start = reader.position;
  reader.raw(length);
  const offset = reader.i32();
  const end = reader.position;
  const value = decodeAt(walk, start + offset);
  reader.position = end;
  return value;
}

function decodeAt(walk: Walk, position: number): Value {
  if (position < 0 || position >= walk.reader.end) throw new UnknownTypeCode(-1);
  walk.reader.position = position;
  return decode(walk);
}

function decodeHandle(walk: Walk): Value {
  const { reader } = walk;
  const from = reader.position - 1;
  const target = from - reader.i32();
  const end = reader.position;
  if (walk.open.includes(target)) return { type: 'opaque', className: 'java.lang.Object', text: 'circular reference' };
  walk.referred ??= new Map();
  const known = walk.referred.get(target);
  if (known) return known;
  if (target >= from) throw new UnknownTypeCode(CODE.HANDLE);
  const value = decodeAt(walk, target);
  reader.position = end;
  walk.referred.set(target, value);
  return value;
}

function decodeObject(walk: Walk): Value {
  const { reader, context } = walk;
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
    value = { type: 'map', data: decodePairs(walk, reader.i32()), kind: 'treeMap' };
  } else if (header.typeId === PREDEFINED_TYPE.TREE_SET && (header.flags & FLAG.HAS_SCHEMA) === 0) {
    reader.position = header.data;
    decode(walk);
    value = { type: 'list', data: decodeElements(walk, reader.i32()), kind: 'treeSet' };
  } else {
    value = objectValue(reader, header, context, (position) => decodeAt(walk, position));
  }
  walk.open.pop();
  reader.position = end;
  return value;
}

/** The class that a type id stands for; id 0: its name follows. */
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
  const at = walk.reader.position;
  const typeId = walk.reader.i32At(at);
  const typeName = decodeClassName(walk);
  const ordinal = walk.reader.i32();
  const type = typeId === 0 ? null : walk.context.types.require(typeId);
  return { type: 'enum', typeName, ordinal, name: type?.enumNames.get(ordinal) };
}

function decodeProxy(walk: Walk): Value {
  const names: string[] = [];
  for (let left = walk.reader.i32(); left > 0; left--) names.push(decodeClassName(walk));
  decode(walk);
  return { type: 'opaque', className: 'java.lang.reflect.Proxy', text: names.join(', ') };
}

function decodeContainer(walk: Walk, code: number): Value {
  const { reader } = walk;
  walk.open.push(reader.position - 1);
  let value: Value;
  if (code === CODE.MAP) {
    const count = reader.i32();
    const kind = MAP_KINDS.get(reader.u8());
    value = { type: 'map', data: decodePairs(walk, count), ...(kind && { kind }) };
  } else if (code === CODE.COLLECTION) {
    const count = reader.i32();
    const kind = LIST_KINDS.get(reader.u8());
    value = { type: 'list', data: decodeElements(walk, count), ...(kind && { kind }) };
  } else {
    decodeClassName(walk);
    value = { type: 'array', element: 'object', data: decodeElements(walk, reader.i32()) };
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

/** Arrays whose elements are raw data, by type code. */
const BARE_ELEMENTS: ReadonlyMap<number, readonly [ScalarTypeName, (reader: ByteReader) => Value]> = new Map<
  number,
  readonly [ScalarTypeName, (reader: ByteReader) => Value]
>([
  [CODE.SHORT_ARRAY, ['short', (reader) => ({ type: 'short', data: reader.i16() })]],
  [CODE.INT_ARRAY, ['integer', (reader) => ({ type: 'integer', data: reader.i32() })]],
  [CODE.LONG_ARRAY, ['long', (reader) => ({ type: 'long', data: reader.i64() })]],
  [CODE.FLOAT_ARRAY, ['float', (reader) => ({ type: 'float', data: reader.f32() })]],
  [CODE.DOUBLE_ARRAY, ['double', (reader) => ({ type: 'double', data: reader.f64() })]],
  [CODE.CHAR_ARRAY, ['char', (reader) => ({ type: 'char', data: String.fromCharCode(reader.u16()) })]],
  [CODE.BOOLEAN_ARRAY, ['boolean', (reader) => (reader.bool() ? TRUE : FALSE)]],
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

function decodeTypedArray(walk: Walk, code: number): Value {
  const { reader } = walk;
  if (code === CODE.BYTE_ARRAY) return { type: 'bytes', data: Uint8Array.from(reader.raw(reader.i32())) };
  const tagged = TAGGED_ELEMENTS.get(code);
  if (tagged) return { type: 'array', element: tagged, data: decodeElements(walk, reader.i32()) };
  const bare = BARE_ELEMENTS.get(code);
  if (!bare) throw new UnknownTypeCode(code);
  const [element, read] = bare;
  const data: Value[] = [];
  for (let left = reader.i32(); left > 0; left--) data.push(read(reader));
  return { type: 'array', element, data };
}
