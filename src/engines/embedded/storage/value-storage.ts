/**
 * Converts values to their stored form in `kt`,`k` and `vt`,`v` of the entry tables, and back.
 *
 * A scalar is one native storage value with its type code. Every other value is exact text with the code of its kind.
 * The code of an object is the id (>= FIRST_OBJECT_TYPE) of its type's name in the table `type_names`, and its text
 * contains the fields. Two values are equal exactly when their pairs (code, storage value) are.
 *
 * An object that is a row of an SQL table has its declared fields in columns f1, f2 ... (`field-storage.ts`), and `v`
 * holds only the fields without a column (`encodeFields`), or NULL if there are none.
 */
import { GridError, gridError } from '../../../base/errors.ts';
import type { SqlTypeName } from '../../../sql/types/sql-types.ts';
import { isSet } from '../../../values/equality.ts';
import {
  type Field,
  NULL,
  type ScalarTypeName,
  type SetKind,
  type Value,
  type ValueType,
} from '../../../values/value.ts';
import { canonicalKey } from './canonical-key.ts';
import { decodeDecimal, encodeDecimal } from './decimal-storage.ts';
import { decodeTimestamp, encodeTimestamp } from './timestamp-storage.ts';

/** A value that can be bound to a statement. */
export type Binding = null | bigint | number | string | Uint8Array;
/** A value that a statement returns on a connection with safeIntegers. */
export type StorageValue = null | bigint | number | string | Uint8Array;

/** A row as statements return it. */
export interface Row {
  readonly vt: bigint;
  readonly v: StorageValue;
  readonly exp: bigint | null;
  readonly [column: string]: StorageValue;
}

/** Type codes of `kt` and `vt`. Data files contain them: never change one; add new ones at the end. */
export const TYPE_CODES = {
  null: 0,
  boolean: 1,
  byte: 2,
  short: 3,
  integer: 4,
  long: 5,
  float: 6,
  double: 7,
  char: 8,
  string: 9,
  date: 10,
  time: 11,
  timestamp: 12,
  instant: 13,
  uuid: 14,
  gridUuid: 15,
  decimal: 16,
  bigInteger: 17,
  bytes: 18,
  array: 30,
  list: 31,
  map: 32,
  enum: 33,
  opaque: 34,
  object: 35,
} as const satisfies Record<ValueType, number>;

/**
 * Codes of sets within the texts of structures; every other list has the code of `list`. They never occur in `kt` and
 * `vt`, nor in `k`, because sets in keys are stored as lists.
 */
const SET_CODES = { hashSet: 36, linkedHashSet: 37, treeSet: 38 } as const satisfies Record<SetKind, number>;

const SET_OF_CODE: ReadonlyMap<unknown, SetKind> = new Map(
  Object.entries(SET_CODES).map(([kind, code]) => [code, kind as SetKind]),
);

const STRUCTURES: ReadonlySet<string> = new Set(['null', 'array', 'list', 'map', 'object', 'enum', 'opaque']);

/** Reports whether a name denotes a type whose values are native storage values. */
export function isScalarName(name: string): name is ScalarTypeName {
  return name in TYPE_CODES && !STRUCTURES.has(name);
}

/** The first id in the table `type_names`. */
export const FIRST_OBJECT_TYPE = 1000;

const TYPE_OF_CODE: ReadonlyMap<number, ValueType> = new Map(
  Object.entries(TYPE_CODES).map(([type, code]) => [code, type as ValueType]),
);

/** Returns the type of a code below {@link FIRST_OBJECT_TYPE}; 'object' for the ids above. */
export function typeOfCode(code: number): ValueType {
  if (code >= FIRST_OBJECT_TYPE) return 'object';
  const type = TYPE_OF_CODE.get(code);
  if (type === undefined) throw new Error(`type code ${code} in the data file is unknown to this version`);
  return type;
}

/** The data of the scalar type T. */
type DataOf<T extends ScalarTypeName, V = Value> = V extends { readonly type: infer U; readonly data: infer D }
  ? T extends U
    ? D
    : never
  : never;

interface ScalarCodec<Data> {
  encode(data: Data): Exclude<Binding, null>;
  decode(storageValue: Exclude<StorageValue, null>): Data;
}

/** Returns a storage value that is a string. Throws for any other. */
export function storageValueText(storageValue: StorageValue): string {
  if (typeof storageValue === 'string') return storageValue;
  throw new Error(`damaged storage value: text expected, found ${typeof storageValue}`);
}

function storageValueNumber(storageValue: StorageValue): number {
  if (typeof storageValue === 'bigint') return Number(storageValue);
  if (typeof storageValue === 'number') return storageValue;
  throw new Error(`damaged storage value: number expected, found ${typeof storageValue}`);
}

function storageValueLong(storageValue: StorageValue): bigint {
  if (typeof storageValue === 'bigint') return storageValue;
  throw new Error(`damaged storage value: integer expected, found ${typeof storageValue}`);
}

const WHOLE: ScalarCodec<number> = { encode: (data) => data, decode: storageValueNumber };

/** SQLite turns NaN into NULL. The text sorts above all numbers, as in Java. */
const NAN = 'NaN';
/** As keys, -0.0 and 0.0 differ, but SQLite considers them equal. */
const MINUS_ZERO = '-0';

/** Doubles with a type code. Not for columns, which store -0.0 as a number (`field-storage.ts`). */
const FLOATING: ScalarCodec<number> = {
  encode(data) {
    if (data === 0) return Object.is(data, -0) ? MINUS_ZERO : 0;
    return Number.isNaN(data) ? NAN : data;
  },
  decode: decodeDouble,
};

/** Decodes the double of a whole value or of a field. */
export function decodeDouble(storageValue: StorageValue): number {
  if (storageValue === NAN) return Number.NaN;
  if (storageValue === MINUS_ZERO) return -0;
  return storageValueNumber(storageValue);
}

/** Returns the string, or a blob of UTF-16 units if UTF-8 cannot represent it (a lone surrogate). */
export function encodeText(data: string): string | Uint8Array {
  if (data.isWellFormed()) return data;
  return new Uint8Array(Buffer.from(data, 'utf16le').swap16());
}

/** Reverses {@link encodeText}. */
export function decodeText(storageValue: StorageValue): string {
  if (typeof storageValue === 'string') return storageValue;
  if (!(storageValue instanceof Uint8Array))
    throw new Error(`damaged storage value: text expected, found ${typeof storageValue}`);
  return Buffer.from(storageValue.subarray(0, storageValue.length & ~1))
    .swap16()
    .toString('utf16le');
}

const TEXT: ScalarCodec<string> = { encode: encodeText, decode: decodeText };
const PLAIN_TEXT: ScalarCodec<string> = { encode: (data) => data, decode: storageValueText };

/** Numbers beyond 64 bits have no native form; smaller ones are native so that SQLite compares them. */
const BIG_INTEGER: ScalarCodec<bigint> = {
  encode: (data) => (BigInt.asIntN(64, data) === data ? data : encodeDecimal({ unscaled: data, scale: 0 })),
  decode: (storageValue) =>
    typeof storageValue === 'string' ? decodeDecimal(storageValue).unscaled : storageValueLong(storageValue),
};

const CODECS: { readonly [T in ScalarTypeName]: ScalarCodec<DataOf<T>> } = {
  boolean: { encode: (data) => (data ? 1 : 0), decode: (storageValue) => storageValueNumber(storageValue) !== 0 },
  byte: WHOLE,
  short: WHOLE,
  integer: WHOLE,
  long: { encode: (data) => data, decode: storageValueLong },
  float: FLOATING,
  double: FLOATING,
  char: TEXT,
  string: TEXT,
  date: WHOLE,
  time: WHOLE,
  timestamp: { encode: encodeTimestamp, decode: (storageValue) => decodeTimestamp(storageValueText(storageValue)) },
  instant: WHOLE,
  uuid: PLAIN_TEXT,
  gridUuid: PLAIN_TEXT,
  decimal: { encode: encodeDecimal, decode: (storageValue) => decodeDecimal(storageValueText(storageValue)) },
  bigInteger: BIG_INTEGER,
  bytes: {
    encode: (data) => data,
    decode(storageValue) {
      if (storageValue instanceof Uint8Array) return storageValue;
      throw new Error(`damaged storage value: blob expected, found ${typeof storageValue}`);
    },
  },
};

export type ScalarValue = Extract<Value, { readonly type: ScalarTypeName; readonly data: unknown }>;

/** Reports whether a value is stored natively. */
export function isScalar(value: Value): value is ScalarValue {
  return value.type in CODECS;
}

/** Returns the storage value of a scalar, whose code is `TYPE_CODES[value.type]`. */
export function encodeScalar(value: ScalarValue): Exclude<Binding, null> {
  const encode = CODECS[value.type].encode as (data: ScalarValue['data']) => Exclude<Binding, null>;
  return encode(value.data);
}

/** Reverses {@link encodeScalar}. */
export function decodeScalar(type: ScalarTypeName, storageValue: Exclude<StorageValue, null>): ScalarValue {
  return { type, data: CODECS[type].decode(storageValue) } as ScalarValue;
}

/** The JSON form of a value inside a structure. */
type Tagged = null | boolean | number | string | readonly Tagged[];

/**
 * Returns the JSON of a value. null, booleans, strings and 32-bit integers are plain JSON. Every other value is an
 * array that begins with its type code; an object is [code, type name, name, value, name, value ...].
 */
function tag(value: Value): Tagged {
  switch (value.type) {
    case 'null':
      return null;
    case 'boolean':
    case 'string':
    case 'integer':
      return value.data;
    case 'list':
      return [isSet(value) ? SET_CODES[value.kind] : TYPE_CODES.list, ...value.data.map(tag)];
    case 'array':
      return [TYPE_CODES.array, value.element, ...value.data.map(tag)];
    case 'map':
      return [TYPE_CODES.map, ...value.data.flatMap(([key, item]) => [tag(key), tag(item)])];
    case 'object':
      return [TYPE_CODES.object, value.typeName, ...tagFields(value.fields)];
    case 'enum':
      return [TYPE_CODES.enum, value.typeName, value.ordinal, value.name ?? null];
    case 'opaque':
      return [TYPE_CODES.opaque, value.className, value.text];
    case 'byte':
    case 'short':
    case 'date':
    case 'time':
    case 'instant':
      return [TYPE_CODES[value.type], value.data];
    case 'float':
    case 'double':
      return [
        TYPE_CODES[value.type],
        Number.isFinite(value.data) && !Object.is(value.data, -0) ? value.data : doubleText(value.data),
      ];
    case 'long':
    case 'timestamp':
    case 'bigInteger':
      return [TYPE_CODES[value.type], value.data.toString()];
    case 'char':
    case 'uuid':
    case 'gridUuid':
      return [TYPE_CODES[value.type], value.data];
    case 'decimal':
      return [TYPE_CODES.decimal, value.data.unscaled.toString(), value.data.scale];
    case 'bytes':
      return [TYPE_CODES.bytes, value.data.toBase64()];
  }
}

function doubleText(data: number): string {
  return Object.is(data, -0) ? '-0' : String(data);
}

function tagFields(fields: readonly Field[]): Tagged[] {
  return fields.flatMap((field) => [field.name, tag(field.value)]);
}

function damaged(tagged: unknown): never {
  throw new Error(`damaged structure: ${JSON.stringify(tagged)}`);
}

function taggedText(tagged: unknown): string {
  return typeof tagged === 'string' ? tagged : damaged(tagged);
}

function taggedNumber(tagged: unknown): number {
  return typeof tagged === 'number' ? tagged : damaged(tagged);
}

/** Returns the value for a part of a structure's text, parsed by JSON.parse. */
export function untag(tagged: unknown): Value {
  if (tagged === null) return NULL;
  if (typeof tagged === 'boolean') return { type: 'boolean', data: tagged };
  if (typeof tagged === 'string') return { type: 'string', data: tagged };
  if (typeof tagged === 'number') return { type: 'integer', data: tagged };
  if (!Array.isArray(tagged)) return damaged(tagged);
  const items: readonly unknown[] = tagged;
  const kind = SET_OF_CODE.get(items[0]);
  if (kind !== undefined) return { type: 'list', data: items.slice(1).map(untag), kind };
  const type = typeOfCode(taggedNumber(items[0]));
  switch (type) {
    case 'list':
      return { type, data: items.slice(1).map(untag) };
    case 'array':
      return { type, element: elementType(items[1]), data: items.slice(2).map(untag) };
    case 'map':
      return { type, data: pairs(items, 1).map(([key, item]) => [untag(key), untag(item)] as const) };
    case 'object':
      return { type, typeName: taggedText(items[1]), fields: untagFields(items, 2) };
    case 'enum': {
      const name = items[3] === null ? undefined : taggedText(items[3]);
      return { type, typeName: taggedText(items[1]), ordinal: taggedNumber(items[2]), name };
    }
    case 'opaque':
      return { type, className: taggedText(items[1]), text: taggedText(items[2]) };
    case 'byte':
    case 'short':
    case 'date':
    case 'time':
    case 'instant':
      return { type, data: taggedNumber(items[1]) };
    case 'float':
    case 'double':
      return { type, data: Number(items[1]) };
    case 'long':
    case 'timestamp':
    case 'bigInteger':
      return { type, data: BigInt(taggedText(items[1])) };
    case 'char':
    case 'uuid':
    case 'gridUuid':
      return { type, data: taggedText(items[1]) };
    case 'decimal':
      return { type, data: { unscaled: BigInt(taggedText(items[1])), scale: taggedNumber(items[2]) } };
    case 'bytes':
      return { type, data: Uint8Array.fromBase64(taggedText(items[1])) };
    case 'null':
    case 'boolean':
    case 'string':
    case 'integer':
      return damaged(tagged);
  }
}

function elementType(tagged: unknown): ScalarTypeName | 'object' {
  const name = taggedText(tagged);
  if (name === 'object') return name;
  return name in CODECS ? (name as ScalarTypeName) : damaged(tagged);
}

function pairs(items: readonly unknown[], from: number): Array<readonly [unknown, unknown]> {
  const found: Array<readonly [unknown, unknown]> = [];
  for (let at = from; at + 1 < items.length; at += 2) found.push([items[at], items[at + 1]]);
  return found;
}

function untagFields(items: readonly unknown[], from: number): Field[] {
  return pairs(items, from).map(([name, value]) => ({ name: taggedText(name), value: untag(value) }));
}

/** Returns the exact text of any value with its type, for columns and for `k` and `v` of kinds with a separate code. */
export function encodeStructure(value: Value): string {
  return JSON.stringify(tag(value));
}

/** Reverses {@link encodeStructure}. */
export function decodeStructure(storageValue: StorageValue): Value {
  return untag(JSON.parse(storageValueText(storageValue)));
}

/** Returns the exact text of an object's fields in order, for `k` and `v` of an object. The code gives its type. */
export function encodeFields(fields: readonly Field[]): string {
  return JSON.stringify(tagFields(fields));
}

/** Reverses {@link encodeFields}. NULL means no fields. */
export function decodeFields(storageValue: StorageValue): Field[] {
  if (storageValue === null) return [];
  const parsed: unknown = JSON.parse(storageValueText(storageValue));
  return Array.isArray(parsed) ? untagFields(parsed, 0) : damaged(parsed);
}

/** The dictionary of object type names (table `type_names`). */
export interface TypeNames {
  /** Returns the id of a name, at least {@link FIRST_OBJECT_TYPE}. */
  idOf(typeName: string): number;
  /** Returns the name of an id. Throws STORAGE_CORRUPT for an unknown one. */
  nameOf(id: number): string;
}

/** A key as stored. */
export type Key = { readonly type: number; readonly storageValue: Binding };

/** The column of an indexed path (path-columns.ts). */
export interface PathColumn {
  readonly path: string;
  readonly type: SqlTypeName;
  readonly column: number;
  /** Returns the result of JSON_VALUE for the path, as the storage value of its type; NULL if it finds nothing. */
  storageValueOf(value: Value): Binding;
}

/** Converts the entries of a cache without columns to the rows of its table and back. */
export class ValueCodec {
  protected readonly names: TypeNames;
  /** The numbers of the cache's columns, in the order of their bindings. */
  readonly columns: readonly number[] = [];
  /** The columns from which values are read. */
  readonly valueColumns: readonly number[] = [];
  /** The columns of indexed paths, which are computed from the values. */
  readonly paths: readonly PathColumn[] = [];

  /** A short text: two codecs read equal values from the same rows if their layouts are equal. */
  layout(): string {
    return '';
  }

  constructor(names: TypeNames) {
    this.names = names;
  }

  /** Returns the codec with another dictionary: a writer's stores new names. */
  withNames(names: TypeNames): ValueCodec {
    return new ValueCodec(names);
  }

  /** Returns the form in which a key is stored: one form for all equal keys. */
  canonical(key: Value): Value {
    return canonicalKey(key, { textOf: encodeStructure, isOfTable: false });
  }

  key(key: Value): Key {
    return encodeValue(this.canonical(key), this.names);
  }

  /** Returns the stored columns of a key's fields, by column number. */
  keyBindings(_key: Value): ReadonlyMap<number, Binding> {
    return new Map();
  }

  /** Throws if the columns of a table cannot hold the entry. */
  check(_key: Value, _value: Value): void {}

  /** Returns the bindings of vt, v and the columns, in the order of statements. */
  bind(_key: Value, value: Value): Binding[] {
    const { type, storageValue } = encodeValue(value, this.names);
    return [type, storageValue];
  }

  /** Returns a row's value. Throws STORAGE_CORRUPT if the codec cannot have written it. */
  value(row: Row): Value {
    try {
      return this.decode(row);
    } catch (error) {
      throw error instanceof GridError ? error : gridError('STORAGE_CORRUPT', String(error));
    }
  }

  protected decode({ vt, v }: Row): Value {
    return decodeValue(Number(vt), v, this.names);
  }
}

/** Returns the type code and the storage value of a value, for `kt`,`k` or `vt`,`v`. */
export function encodeValue(value: Value, names: TypeNames): { readonly type: number; readonly storageValue: Binding } {
  if (isScalar(value)) return { type: TYPE_CODES[value.type], storageValue: encodeScalar(value) };
  if (value.type === 'object') return { type: names.idOf(value.typeName), storageValue: encodeFields(value.fields) };
  if (value.type === 'null') return { type: TYPE_CODES.null, storageValue: null };
  return { type: TYPE_CODES[value.type], storageValue: encodeStructure(value) };
}

/** Reverses {@link encodeValue}. */
export function decodeValue(code: number, storageValue: StorageValue, names: TypeNames): Value {
  if (code >= FIRST_OBJECT_TYPE)
    return { type: 'object', typeName: names.nameOf(code), fields: decodeFields(storageValue) };
  const type = typeOfCode(code);
  if (type === 'null') return NULL;
  if (storageValue === null) throw new Error(`damaged storage value: ${type} expected, found null`);
  return type in CODECS ? decodeScalar(type as ScalarTypeName, storageValue) : decodeStructure(storageValue);
}
