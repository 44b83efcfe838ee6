/**
 * Everything that `src/values` knows about a scalar type, in one declaration per type: its names, its text and JSON
 * forms (docs/spec/ignite-data.md 5), its equality and its order. Adding a type to ScalarTypeName fails the type check
 * here until its declaration is complete.
 *
 * Traits of a type that several modules need belong here. A format that only one module knows (SQL types, storage,
 * Ignite's binary protocol) maps the types there: in a separate table if several functions use it, in an exhaustive
 * `switch` if only one does.
 */
import { shortened } from '../base/errors.ts';
import { JSON_BOUNDS, SCALAR_CHARACTERS } from '../base/limits.ts';
import { illegalArgumentFailure } from './conversion-failure.ts';
import {
  formatDouble,
  formatFloat,
  parseByte,
  parseDouble,
  parseFloat32,
  parseInteger,
  parseLong,
  parseShort,
} from './java-number.ts';
import { booleanOfNumber, charOfNumber, instantOfNumber, truncateNumber } from './json-numbers.ts';
import { type Amount, compareAmounts, comparePrimitives } from './numeric-order.ts';
import {
  formatDate,
  formatDecimal,
  formatExactInstant,
  formatExactTime,
  formatInstant,
  formatTime,
  formatTimestamp,
  parseBigInteger,
  parseBoolean,
  parseBytes,
  parseChar,
  parseDate,
  parseDecimal,
  parseGridUuid,
  parseInstant,
  parseTime,
  parseTimestamp,
  parseUuid,
} from './scalar-formats.ts';
import { FALSE, NULL, type ScalarTypeName, text, type Value, type ValueOf } from './value.ts';

/** A value of a scalar type. */
export type ScalarValue = ValueOf<ScalarTypeName>;

/** Java's primitive type of a scalar type. */
interface PrimitiveType {
  readonly name: string;
  /** Class name of its arrays. */
  readonly arrayClass: string;
  /** The replacement for null and the empty string if the primitive type is declared. */
  readonly zero: Value;
}

/** The order of values of one rank; types of the same rank are compared with each other. */
interface Order<V> {
  readonly rank: number;
  compare(a: V, b: V): number;
}

export interface ScalarTraits<T extends ScalarTypeName> {
  readonly javaClass: string;
  readonly primitive: PrimitiveType | undefined;
  /** Names in keyType and valueType besides the Java class, in lower case; empty if only the class names the type. */
  readonly names: readonly string[];
  /** Reads the text form. Throws ConversionFailure. `parse(formatExact(value))` equals `value`. */
  parse(text: string): ValueOf<T>;
  /** Writes the text form, as in responses. */
  format(value: ValueOf<T>): string;
  /** Writes the complete value, if `format` omits a part, so that `parse` can read it back. */
  formatExact?(value: ValueOf<T>): string;
  /**
   * How the text form becomes JSON: `bare` as it is, `number` as it is when finite and in quotes otherwise, `quoted` in
   * quotes, `escaped` as a JSON string that may need escapes.
   */
  readonly json: 'bare' | 'number' | 'quoted' | 'escaped';
  /**
   * How a JSON string becomes a value: `exact` by `parse`; `emptyIsNull` likewise, except that the empty string is
   * null; `trimmed` by `parse` after trimming, where an empty string counts as null.
   */
  readonly jsonString: 'exact' | 'emptyIsNull' | 'trimmed';
  /** Converts the source text of a JSON number; returns undefined if the type does not accept it. */
  fromJsonNumber(source: string): ValueOf<T> | undefined;
  equals(a: ValueOf<T>, b: ValueOf<T>): boolean;
  /** Returns a string that is equal only for equal values; `keyOf` of equality.ts uses it. */
  key(value: ValueOf<T>): string;
  readonly order: Order<ValueOf<T>>;
}

/** Equality and key of the types whose data is a primitive. */
const PRIMITIVE_DATA = {
  equals: (a: { readonly data: unknown }, b: { readonly data: unknown }) => Object.is(a.data, b.data),
  key: ({ type, data }: { readonly type: string; readonly data: string | number | bigint | boolean }) =>
    `${type}:${data}`,
};

const FLOATING = {
  ...PRIMITIVE_DATA,
  key: ({ type, data }: { readonly type: string; readonly data: number }) =>
    `${type}:${Object.is(data, -0) ? '-0' : data}`,
};

const NUMBERS: Order<{ readonly data: Amount }> = { rank: 2, compare: (a, b) => compareAmounts(a.data, b.data) };

type Comparable = string | number | bigint | boolean;

function byData(rank: number): Order<{ readonly data: Comparable }> {
  return { rank, compare: (a, b) => comparePrimitives(a.data, b.data) };
}

const STRINGS = byData(3);

/** Maximum number of digits in a whole number worth parsing; the type's range check follows. */
const WHOLE_DIGITS = 20;

function wholePart(source: string): string {
  return truncateNumber(source, WHOLE_DIGITS).toString();
}

const rejectNumber = () => undefined;

/** The traits of all scalar types. Null has rank 0; the ranks above 10 belong to the other types (equality.ts). */
export const SCALAR_TRAITS: { readonly [T in ScalarTypeName]: ScalarTraits<T> } = {
  boolean: {
    ...PRIMITIVE_DATA,
    javaClass: 'java.lang.Boolean',
    primitive: { name: 'boolean', arrayClass: '[Z', zero: FALSE },
    names: ['boolean'],
    parse: parseBoolean,
    format: ({ data }) => (data ? 'true' : 'false'),
    json: 'bare',
    jsonString: 'trimmed',
    fromJsonNumber: booleanOfNumber,
    order: byData(1),
  },
  byte: {
    ...PRIMITIVE_DATA,
    javaClass: 'java.lang.Byte',
    primitive: { name: 'byte', arrayClass: '[B', zero: { type: 'byte', data: 0 } },
    names: ['byte'],
    parse: (source) => ({ type: 'byte', data: parseByte(source) }),
    format: ({ data }) => String(data),
    json: 'bare',
    jsonString: 'trimmed',
    fromJsonNumber: (source) => ({ type: 'byte', data: parseByte(wholePart(source)) }),
    order: NUMBERS,
  },
  short: {
    ...PRIMITIVE_DATA,
    javaClass: 'java.lang.Short',
    primitive: { name: 'short', arrayClass: '[S', zero: { type: 'short', data: 0 } },
    names: ['short'],
    parse: (source) => ({ type: 'short', data: parseShort(source) }),
    format: ({ data }) => String(data),
    json: 'bare',
    jsonString: 'trimmed',
    fromJsonNumber: (source) => ({ type: 'short', data: parseShort(wholePart(source)) }),
    order: NUMBERS,
  },
  integer: {
    ...PRIMITIVE_DATA,
    javaClass: 'java.lang.Integer',
    primitive: { name: 'int', arrayClass: '[I', zero: { type: 'integer', data: 0 } },
    names: ['integer', 'int'],
    parse: (source) => ({ type: 'integer', data: parseInteger(source) }),
    format: ({ data }) => String(data),
    json: 'bare',
    jsonString: 'trimmed',
    fromJsonNumber: (source) => ({ type: 'integer', data: parseInteger(wholePart(source)) }),
    order: NUMBERS,
  },
  long: {
    ...PRIMITIVE_DATA,
    javaClass: 'java.lang.Long',
    primitive: { name: 'long', arrayClass: '[J', zero: { type: 'long', data: 0n } },
    names: ['long'],
    parse: (source) => ({ type: 'long', data: parseLong(source) }),
    format: ({ data }) => data.toString(),
    json: 'bare',
    jsonString: 'trimmed',
    fromJsonNumber: (source) => ({ type: 'long', data: parseLong(wholePart(source)) }),
    order: NUMBERS,
  },
  float: {
    ...FLOATING,
    javaClass: 'java.lang.Float',
    primitive: { name: 'float', arrayClass: '[F', zero: { type: 'float', data: 0 } },
    names: ['float'],
    parse: parseFloatValue,
    format: ({ data }) => formatFloat(data),
    json: 'number',
    jsonString: 'trimmed',
    fromJsonNumber: parseFloatValue,
    order: NUMBERS,
  },
  double: {
    ...FLOATING,
    javaClass: 'java.lang.Double',
    primitive: { name: 'double', arrayClass: '[D', zero: { type: 'double', data: 0 } },
    names: ['double'],
    parse: parseDoubleValue,
    format: ({ data }) => formatDouble(data),
    json: 'number',
    jsonString: 'trimmed',
    fromJsonNumber: parseDoubleValue,
    order: NUMBERS,
  },
  date: {
    ...PRIMITIVE_DATA,
    javaClass: 'java.sql.Date',
    primitive: undefined,
    names: ['date'],
    parse: (source) => ({ type: 'date', data: parseDate(source) }),
    format: ({ data }) => formatDate(data),
    json: 'quoted',
    jsonString: 'exact',
    fromJsonNumber: rejectNumber,
    order: byData(4),
  },
  time: {
    ...PRIMITIVE_DATA,
    javaClass: 'java.sql.Time',
    primitive: undefined,
    names: ['time'],
    parse: (source) => ({ type: 'time', data: parseTime(source) }),
    format: ({ data }) => formatTime(data),
    formatExact: ({ data }) => formatExactTime(data),
    json: 'quoted',
    jsonString: 'exact',
    fromJsonNumber: rejectNumber,
    order: byData(5),
  },
  timestamp: {
    ...PRIMITIVE_DATA,
    javaClass: 'java.sql.Timestamp',
    primitive: undefined,
    names: ['timestamp'],
    parse: (source) => ({ type: 'timestamp', data: parseTimestamp(source) }),
    format: ({ data }) => formatTimestamp(data),
    json: 'quoted',
    jsonString: 'exact',
    fromJsonNumber: rejectNumber,
    order: byData(6),
  },
  uuid: {
    ...PRIMITIVE_DATA,
    javaClass: 'java.util.UUID',
    primitive: undefined,
    names: ['uuid'],
    parse: (source) => ({ type: 'uuid', data: parseUuid(source) }),
    format: ({ data }) => data,
    json: 'quoted',
    jsonString: 'emptyIsNull',
    fromJsonNumber: rejectNumber,
    order: byData(8),
  },
  gridUuid: {
    ...PRIMITIVE_DATA,
    javaClass: 'org.apache.ignite.lang.IgniteUuid',
    primitive: undefined,
    names: ['svcuuid'],
    parse: (source) => ({ type: 'gridUuid', data: parseGridUuid(source) }),
    format: ({ data }) => data,
    json: 'quoted',
    jsonString: 'exact',
    fromJsonNumber: rejectNumber,
    order: byData(9),
  },
  string: {
    ...PRIMITIVE_DATA,
    javaClass: 'java.lang.String',
    primitive: undefined,
    names: ['string'],
    parse: text,
    format: ({ data }) => data,
    json: 'escaped',
    jsonString: 'exact',
    fromJsonNumber: text,
    key: ({ data }) => `s${data}`,
    order: STRINGS,
  },
  char: {
    ...PRIMITIVE_DATA,
    javaClass: 'java.lang.Character',
    primitive: { name: 'char', arrayClass: '[C', zero: NULL },
    names: [],
    parse: (source) => ({ type: 'char', data: parseChar(source) }),
    format: ({ data }) => data,
    json: 'escaped',
    jsonString: 'emptyIsNull',
    fromJsonNumber: charOfNumber,
    order: STRINGS,
  },
  instant: {
    ...PRIMITIVE_DATA,
    javaClass: 'java.util.Date',
    primitive: undefined,
    names: [],
    parse: (source) => ({ type: 'instant', data: parseInstant(source) }),
    format: ({ data }) => formatInstant(data),
    formatExact: ({ data }) => formatExactInstant(data),
    json: 'quoted',
    jsonString: 'emptyIsNull',
    fromJsonNumber: instantOfNumber,
    order: byData(7),
  },
  decimal: {
    javaClass: 'java.math.BigDecimal',
    primitive: undefined,
    names: [],
    parse: parseDecimalValue,
    format: ({ data }) => formatDecimal(data),
    json: 'bare',
    jsonString: 'trimmed',
    fromJsonNumber: parseDecimalValue,
    equals: (a, b) => a.data.scale === b.data.scale && a.data.unscaled === b.data.unscaled,
    key: ({ data }) => `decimal:${data.unscaled}:${data.scale}`,
    order: NUMBERS,
  },
  bigInteger: {
    ...PRIMITIVE_DATA,
    javaClass: 'java.math.BigInteger',
    primitive: undefined,
    names: [],
    parse: (source) => ({ type: 'bigInteger', data: parseBigInteger(source) }),
    format: ({ data }) => data.toString(),
    json: 'bare',
    jsonString: 'trimmed',
    fromJsonNumber: (source) => ({ type: 'bigInteger', data: truncateNumber(source, JSON_BOUNDS.numberCharacters) }),
    order: NUMBERS,
  },
  bytes: {
    javaClass: '[B',
    primitive: undefined,
    names: [],
    parse: (source) => ({ type: 'bytes', data: parseBytes(source) }),
    format: ({ data }) => data.toBase64(),
    json: 'quoted',
    jsonString: 'exact',
    fromJsonNumber: rejectNumber,
    equals: (a, b) => compareBytes(a.data, b.data) === 0,
    key: ({ data }) => `bytes:${data.toBase64()}`,
    order: { rank: 10, compare: (a, b) => compareBytes(a.data, b.data) },
  },
};

/** The names of all scalar types. */
export const SCALAR_TYPES = Object.keys(SCALAR_TRAITS) as readonly ScalarTypeName[];

function parseFloatValue(source: string): ValueOf<'float'> {
  return { type: 'float', data: parseFloat32(source) };
}

function parseDoubleValue(source: string): ValueOf<'double'> {
  return { type: 'double', data: parseDouble(source) };
}

function parseDecimalValue(source: string): ValueOf<'decimal'> {
  return { type: 'decimal', data: parseDecimal(source) };
}

/** Compares byte by byte; a prefix comes first. */
function compareBytes(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b);
}

/** Reports whether the value has a scalar type. */
export function isScalar(value: Value): value is ScalarValue {
  return value.type in SCALAR_TRAITS;
}

/** Parses a string as a value of a scalar type. Throws ConversionFailure. */
export function parseText<T extends ScalarTypeName>(type: T, source: string): ValueOf<T> {
  // Reading a long string would delay other requests.
  if (source.length > SCALAR_CHARACTERS && type !== 'string' && type !== 'bytes') {
    throw illegalArgumentFailure(`A text of more than ${SCALAR_CHARACTERS} characters: "${shortened(source)}"`);
  }
  return SCALAR_TRAITS[type].parse(source);
}

/** Formats a scalar value as its type parses it. */
export function formatScalar(value: ScalarValue): string {
  return formatAs(value.type, value);
}

/** Formats a complete scalar value, so that {@link parseText} returns the same value. */
export function formatExactScalar(value: ScalarValue): string {
  return formatExactAs(value.type, value);
}

function formatExactAs<T extends ScalarTypeName>(type: T, value: ValueOf<T>): string {
  const traits: ScalarTraits<T> = SCALAR_TRAITS[type];
  return traits.formatExact?.(value) ?? traits.format(value);
}

function formatAs<T extends ScalarTypeName>(type: T, value: ValueOf<T>): string {
  return SCALAR_TRAITS[type].format(value);
}

/** Reports whether two values of the same scalar type are equal. */
export function equalScalars<T extends ScalarTypeName>(type: T, a: ValueOf<T>, b: ValueOf<T>): boolean {
  return SCALAR_TRAITS[type].equals(a, b);
}

/** Compares two scalar values of the same rank. */
export function compareScalars<T extends ScalarTypeName>(type: T, a: ValueOf<T>, b: ValueOf<T>): number {
  return SCALAR_TRAITS[type].order.compare(a, b);
}

/** Returns the key of a scalar value; see `keyOf` in equality.ts. */
export function keyOfScalar<T extends ScalarTypeName>(type: T, value: ValueOf<T>): string {
  return SCALAR_TRAITS[type].key(value);
}
