/** The scalar types, in the order in which forms offer them. */
import type { ScalarTypeName } from '../../values/value.ts';

export interface SqlType {
  /** As CREATE TABLE writes it, without bounds. */
  readonly name: string;
  /** The type of arguments that are compared with such a column; undefined if the console can send none. */
  readonly argument: string | undefined;
}

export interface ScalarType {
  /** How the interface names it as the type of a key or value. */
  readonly name: string;
  /** Its label; if absent, the name. */
  readonly title?: string;
  /** The JSON that a value of it may have, if its type is not known. */
  readonly json: ReadonlyArray<'whole' | 'fraction' | 'text'>;
  /** Whether forms offer it for keys and values. */
  readonly isOffered: boolean;
  /** The last part of the class name of its columns, and their type; undefined if its columns use another type's. */
  readonly column: (SqlType & { readonly className: string }) | undefined;
  /** Whether forms offer it for parameters of statements. */
  readonly isParameter: boolean;
}

/** A type that is never inferred, and that no column has. */
const RARE = { json: [], isOffered: false, column: undefined, isParameter: false } as const;

export const SCALAR_TYPES: { readonly [T in ScalarTypeName]: ScalarType } = {
  string: {
    ...{ name: 'string', json: ['text'], isOffered: true, isParameter: true },
    column: { className: 'String', name: 'VARCHAR', argument: 'string' },
  },
  uuid: {
    ...{ name: 'uuid', json: ['text'], isOffered: true, isParameter: true },
    column: { className: 'UUID', name: 'UUID', argument: 'uuid' },
  },
  date: {
    ...{ name: 'date', json: ['text'], isOffered: true, isParameter: true },
    column: { className: 'Date', name: 'DATE', argument: 'date' },
  },
  time: {
    ...{ name: 'time', json: ['text'], isOffered: true, isParameter: true },
    column: { className: 'Time', name: 'TIME', argument: 'time' },
  },
  timestamp: {
    ...{ name: 'timestamp', json: ['text'], isOffered: true, isParameter: true },
    column: { className: 'Timestamp', name: 'TIMESTAMP', argument: 'timestamp' },
  },
  boolean: {
    ...{ name: 'boolean', json: [], isOffered: true, isParameter: true },
    column: { className: 'Boolean', name: 'BOOLEAN', argument: 'boolean' },
  },
  long: {
    ...{ name: 'long', json: ['whole'], isOffered: true, isParameter: true },
    column: { className: 'Long', name: 'BIGINT', argument: 'long' },
  },
  integer: {
    ...{ name: 'integer', json: ['whole'], isOffered: true, isParameter: true },
    column: { className: 'Integer', name: 'INTEGER', argument: 'int' },
  },
  short: {
    ...{ name: 'short', json: ['whole'], isOffered: true, isParameter: false },
    column: { className: 'Short', name: 'SMALLINT', argument: 'short' },
  },
  byte: {
    ...{ name: 'byte', json: ['whole'], isOffered: true, isParameter: false },
    column: { className: 'Byte', name: 'TINYINT', argument: 'byte' },
  },
  double: {
    ...{ name: 'double', json: ['whole', 'fraction'], isOffered: true, isParameter: true },
    column: { className: 'Double', name: 'DOUBLE', argument: 'double' },
  },
  float: {
    ...{ name: 'float', json: ['fraction'], isOffered: true, isParameter: false },
    column: { className: 'Float', name: 'REAL', argument: 'float' },
  },
  decimal: {
    ...{ name: 'java.math.BigDecimal', title: 'decimal', json: ['whole', 'fraction'], isOffered: true },
    ...{ isParameter: true, column: { className: 'BigDecimal', name: 'DECIMAL', argument: 'decimal' } },
  },
  bigInteger: {
    ...{ name: 'java.math.BigInteger', title: 'big integer', json: ['whole'], isOffered: true },
    ...{ isParameter: false, column: { className: 'BigInteger', name: 'DECIMAL', argument: 'decimal' } },
  },
  instant: { ...RARE, name: 'java.util.Date', title: 'date and time', isOffered: true },
  bytes: {
    ...{ name: '[B', title: 'bytes', json: [], isOffered: true, isParameter: false },
    column: { className: '[B', name: 'VARBINARY', argument: '[B' },
  },
  char: {
    ...{ name: 'java.lang.Character', title: 'character', json: [], isOffered: false, isParameter: false },
    column: { className: 'Character', name: 'CHAR', argument: 'string' },
  },
  gridUuid: { ...RARE, name: 'SvcUuid', title: 'grid UUID' },
};

const NAMES = Object.keys(SCALAR_TYPES) as ScalarTypeName[];

export const SCALARS: readonly ScalarType[] = Object.values(SCALAR_TYPES);

/** Returns the type with this name in the interface for keys, values or arguments, or undefined for other names. */
export function scalarOf(name: string): ScalarTypeName | undefined {
  return (
    NAMES.find((type) => SCALAR_TYPES[type].name === name) ??
    NAMES.find((type) => SCALAR_TYPES[type].column?.argument === name)
  );
}

/** Returns the names of the types whose values may have such JSON. */
export function namesWith(json: ScalarType['json'][number]): readonly string[] {
  return SCALARS.filter((scalar) => scalar.json.includes(json)).map(({ name }) => name);
}
