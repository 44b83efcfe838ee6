/** Type codes of the binary format (docs/spec/ignite-wire.md 6). */
import { SCALAR_TYPES } from '../../../values/scalar-traits.ts';
import type { ScalarTypeName } from '../../../values/value.ts';

export const CODE = {
  BYTE: 1,
  SHORT: 2,
  INT: 3,
  LONG: 4,
  FLOAT: 5,
  DOUBLE: 6,
  CHAR: 7,
  BOOLEAN: 8,
  STRING: 9,
  UUID: 10,
  DATE: 11,
  BYTE_ARRAY: 12,
  SHORT_ARRAY: 13,
  INT_ARRAY: 14,
  LONG_ARRAY: 15,
  FLOAT_ARRAY: 16,
  DOUBLE_ARRAY: 17,
  CHAR_ARRAY: 18,
  BOOLEAN_ARRAY: 19,
  STRING_ARRAY: 20,
  UUID_ARRAY: 21,
  DATE_ARRAY: 22,
  OBJECT_ARRAY: 23,
  COLLECTION: 24,
  MAP: 25,
  WRAPPED: 27,
  ENUM: 28,
  ENUM_ARRAY: 29,
  DECIMAL: 30,
  DECIMAL_ARRAY: 31,
  CLASS: 32,
  TIMESTAMP: 33,
  TIMESTAMP_ARRAY: 34,
  PROXY: 35,
  TIME: 36,
  TIME_ARRAY: 37,
  BINARY_ENUM: 38,
  NULL: 101,
  HANDLE: 102,
  OBJECT: 103,
  OPTIMIZED: 254,
} as const;

/** Type codes of arrays. Elements of Java's primitive types are raw; others are values or null. */
export const ARRAY_CODES: { readonly [E in ScalarTypeName | 'object']: number } = {
  boolean: CODE.BOOLEAN_ARRAY,
  byte: CODE.BYTE_ARRAY,
  short: CODE.SHORT_ARRAY,
  integer: CODE.INT_ARRAY,
  long: CODE.LONG_ARRAY,
  float: CODE.FLOAT_ARRAY,
  double: CODE.DOUBLE_ARRAY,
  char: CODE.CHAR_ARRAY,
  string: CODE.STRING_ARRAY,
  uuid: CODE.UUID_ARRAY,
  instant: CODE.DATE_ARRAY,
  decimal: CODE.DECIMAL_ARRAY,
  timestamp: CODE.TIMESTAMP_ARRAY,
  time: CODE.TIME_ARRAY,
  date: CODE.OBJECT_ARRAY,
  gridUuid: CODE.OBJECT_ARRAY,
  bigInteger: CODE.OBJECT_ARRAY,
  bytes: CODE.OBJECT_ARRAY,
  object: CODE.OBJECT_ARRAY,
};

/** Element type of each code of an array whose elements have a type code; byte arrays are a scalar type. */
export const ELEMENT_OF_CODE: ReadonlyMap<number, ScalarTypeName> = new Map(
  SCALAR_TYPES.filter((type) => ARRAY_CODES[type] !== CODE.OBJECT_ARRAY && type !== 'byte').map((type) => [
    ARRAY_CODES[type],
    type,
  ]),
);

/** Type codes of scalar fields; OBJECT for types that the format stores as objects. */
export const FIELD_CODES: { readonly [T in ScalarTypeName]: number } = {
  boolean: CODE.BOOLEAN,
  byte: CODE.BYTE,
  short: CODE.SHORT,
  integer: CODE.INT,
  long: CODE.LONG,
  float: CODE.FLOAT,
  double: CODE.DOUBLE,
  char: CODE.CHAR,
  string: CODE.STRING,
  uuid: CODE.UUID,
  instant: CODE.DATE,
  decimal: CODE.DECIMAL,
  timestamp: CODE.TIMESTAMP,
  time: CODE.TIME,
  bytes: CODE.BYTE_ARRAY,
  date: CODE.OBJECT,
  gridUuid: CODE.OBJECT,
  bigInteger: CODE.OBJECT,
};

/** Scalar type of each field code. */
export const SCALAR_OF_CODE: ReadonlyMap<number, ScalarTypeName> = new Map(
  SCALAR_TYPES.filter((type) => FIELD_CODES[type] !== CODE.OBJECT).map((type) => [FIELD_CODES[type], type]),
);

/** Size of an object's header in bytes. */
export const HEADER_BYTES = 24;

/** Bits of an object's flags. */
export const FLAG = {
  USER_TYPE: 1,
  HAS_SCHEMA: 2,
  HAS_RAW: 4,
  OFFSET_ONE_BYTE: 8,
  OFFSET_TWO_BYTES: 16,
  COMPACT_FOOTER: 32,
} as const;

/** Ids of types that the format itself defines. */
export const PREDEFINED_TYPE = {
  MAP_ENTRY: 60,
  PAIR: 61,
  PAIR_2: 62,
  GRID_UUID: 63,
  TREE_MAP: -526400035,
  TREE_SET: 1221433721,
} as const;

/** Kinds of collections. */
export const COLLECTION_KIND = { ARRAY_LIST: 1, LINKED_LIST: 2, HASH_SET: 3, LINKED_HASH_SET: 4 } as const;

/** Kinds of maps. */
export const MAP_KIND = { HASH_MAP: 1, LINKED_HASH_MAP: 2 } as const;
