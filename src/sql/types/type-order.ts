/** Groups of SQL types, their order, and the common type of two. */

import { sqlFailure } from '../../base/sql-errors.ts';
import { isDecimal } from './decimal.ts';
import type { SqlData, SqlType, SqlTypeName } from './sql-types.ts';

/** Types from the lowest to the highest. The common type of two is the higher one. */
const ORDER: readonly SqlTypeName[] = [
  'UNKNOWN',
  'NULL',
  'VARCHAR',
  'CHAR',
  'VARCHAR_IGNORECASE',
  'BOOLEAN',
  'TINYINT',
  'SMALLINT',
  'INTEGER',
  'BIGINT',
  'DECIMAL',
  'REAL',
  'DOUBLE',
  'TIME',
  'DATE',
  'TIMESTAMP',
  'TIMESTAMP_TZ',
  'BINARY',
  'OTHER',
  'UUID',
  'ARRAY',
];

const RANK: ReadonlyMap<SqlTypeName, number> = new Map(ORDER.map((name, rank) => [name, rank]));

/** Bits of the integer types. */
export const INTEGER_BITS: ReadonlyMap<SqlTypeName, number> = new Map<SqlTypeName, number>([
  ['TINYINT', 8],
  ['SMALLINT', 16],
  ['INTEGER', 32],
  ['BIGINT', 64],
]);

const INTEGER_BOUNDS: ReadonlyMap<SqlTypeName, { readonly lowest: bigint; readonly highest: bigint }> = new Map(
  [...INTEGER_BITS].map(([name, bits]) => {
    const half = 1n << BigInt(bits - 1);
    return [name, { lowest: -half, highest: half - 1n }];
  }),
);

export function isTextType(name: SqlTypeName): boolean {
  return name === 'VARCHAR' || name === 'CHAR' || name === 'VARCHAR_IGNORECASE';
}

export function isIntegerType(name: SqlTypeName): boolean {
  return INTEGER_BITS.has(name);
}

export function isNumericType(name: SqlTypeName): boolean {
  return isIntegerType(name) || name === 'DECIMAL' || name === 'REAL' || name === 'DOUBLE';
}

/** Returns whether an integer type can hold the number. */
export function fitsInteger(name: SqlTypeName, number: bigint): boolean {
  const bounds = INTEGER_BOUNDS.get(name);
  return bounds !== undefined && number >= bounds.lowest && number <= bounds.highest;
}

/**
 * Returns the common type of two, to which comparison, arithmetic, CASE and UNION convert their operands. Its precision
 * and scale are the larger ones. Throws 50004 if neither type is known.
 */
export function higherType(one: SqlType, other: SqlType): SqlType {
  const [a, b] = [asDeclared(one), asDeclared(other)];
  const known = (type: SqlType): boolean => type.name !== 'UNKNOWN' && type.name !== 'NULL';
  if (!known(a) && !known(b) && (a.name === 'UNKNOWN' || b.name === 'UNKNOWN')) {
    throw sqlFailure('TYPE_UNKNOWN', '?, ?');
  }
  if (!known(a)) return b;
  if (!known(b)) return a;
  const isFirst = (RANK.get(a.name) ?? 0) >= (RANK.get(b.name) ?? 0);
  const [higher, lower] = isFirst ? [withoutClass(a, b), b] : [withoutClass(b, a), a];
  if (higher.name === 'DECIMAL') return widerDecimal(higher, lower);
  if (higher.elements !== undefined) return { ...higher, elements: commonElements(higher, lower) };
  if (lower.name !== higher.name && !(isTextType(lower.name) && isTextType(higher.name))) return higher;
  const bounded = higher.precision !== undefined && lower.precision !== undefined;
  const width = bounded ? Math.max(higher.precision ?? 0, lower.precision ?? 0) : undefined;
  return { ...higher, precision: width };
}

/** Whether the first type has values of all types, and is compared as the second one. */
export function isAnyBeside(any: SqlType, { name }: SqlType): boolean {
  return any.isAny === true && name !== 'OTHER' && name !== 'ARRAY' && name !== 'NULL';
}

/**
 * Returns the type declared for a value whose actual type differs: a DATE or TIME declared as TIMESTAMP,
 * or the reverse.
 */
export function asDeclared(type: SqlType): SqlType {
  if (type.className === undefined || !['DATE', 'TIME', 'TIMESTAMP'].includes(type.name)) return type;
  const declared = (['DATE', 'TIMESTAMP'] as const).find((name) => javaClassOf({ name }) === type.className);
  return declared === undefined ? type : { name: declared };
}

/** Returns the higher type without the Java class of a column's declaration. CLOB and BLOB stay the same. */
function withoutClass(higher: SqlType, lower: SqlType): SqlType {
  if (higher.name === 'OTHER') return higher;
  const large = LARGE_OBJECTS.get(higher.name);
  const isLarge = large !== undefined && [higher, lower].some(({ className }) => className === large);
  const className = isLarge ? large : undefined;
  return higher.className === className ? higher : { ...higher, className };
}

const INTEGER_DIGITS: ReadonlyMap<SqlTypeName, number> = new Map<SqlTypeName, number>([
  ['BOOLEAN', 1],
  ['TINYINT', 3],
  ['SMALLINT', 5],
  ['INTEGER', 10],
  ['BIGINT', 19],
]);

function widerDecimal(a: SqlType, b: SqlType): SqlType {
  const digits = INTEGER_DIGITS.get(b.name);
  const other = digits === undefined ? b : { precision: digits, scale: 0 };
  if (a.scale === undefined || other.scale === undefined) return { name: 'DECIMAL' };
  const scale = Math.max(a.scale, other.scale);
  if (a.precision === undefined || other.precision === undefined) return { name: 'DECIMAL', scale };
  return { name: 'DECIMAL', precision: Math.max(a.precision - a.scale, other.precision - other.scale) + scale, scale };
}

/** Returns the common type of several; NULL if there are none. */
export function higherTypeOfAll(types: readonly SqlType[]): SqlType {
  return types.reduce(
    (common, type) =>
      common.name === 'NULL' ? asDeclared(type) : type.name === 'NULL' ? common : higherType(common, type),
    {
      name: 'NULL',
    },
  );
}

/** Returns the type of a value without a declared one, such as an array element or an argument. */
export function typeOfData(data: SqlData): SqlType {
  if (data === null) return { name: 'NULL' };
  if (typeof data === 'boolean') return { name: 'BOOLEAN' };
  if (typeof data === 'bigint') return { name: 'BIGINT' };
  if (typeof data === 'number') return { name: 'DOUBLE' };
  if (typeof data === 'string') return { name: 'VARCHAR' };
  if (data instanceof Uint8Array) return { name: 'BINARY' };
  return isDecimal(data) ? { name: 'DECIMAL' } : { name: 'ARRAY' };
}

/** The classes of values cast to CLOB and BLOB, which are represented as VARCHAR and BINARY. */
export const CLASS_OF_CLOB = 'java.sql.Clob';
export const CLASS_OF_BLOB = 'java.sql.Blob';
const LARGE_OBJECTS: ReadonlyMap<SqlTypeName, string> = new Map([
  ['VARCHAR', CLASS_OF_CLOB],
  ['BINARY', CLASS_OF_BLOB],
]);

const JAVA_CLASSES: { readonly [N in SqlTypeName]: string } = {
  NULL: 'java.lang.Void',
  UNKNOWN: 'java.lang.Object',
  BOOLEAN: 'java.lang.Boolean',
  TINYINT: 'java.lang.Byte',
  SMALLINT: 'java.lang.Short',
  INTEGER: 'java.lang.Integer',
  BIGINT: 'java.lang.Long',
  REAL: 'java.lang.Float',
  DOUBLE: 'java.lang.Double',
  DECIMAL: 'java.math.BigDecimal',
  VARCHAR: 'java.lang.String',
  CHAR: 'java.lang.String',
  VARCHAR_IGNORECASE: 'java.lang.String',
  DATE: 'java.sql.Date',
  TIME: 'java.sql.Time',
  TIMESTAMP: 'java.sql.Timestamp',
  TIMESTAMP_TZ: 'org.h2.api.TimestampWithTimeZone',
  UUID: 'java.util.UUID',
  BINARY: '[B',
  ARRAY: 'java.sql.Array',
  OTHER: 'java.lang.Object',
};

/** Returns the Java class in `fieldsMetadata` for a column of the type. */
export function javaClassOf(type: SqlType): string {
  return type.className ?? JAVA_CLASSES[type.name];
}

/** Returns the title of the most common type with a Java class, or the class itself if there is none. */
export function titleOfJavaClass(className: string): string {
  const names = Object.keys(JAVA_CLASSES) as SqlTypeName[];
  const name = names.find((each) => JAVA_CLASSES[each] === className && each !== 'UNKNOWN');
  return name === undefined ? className : typeTitle(name);
}

/** Returns the name of a type in statements and error texts. */
export function typeTitle(name: SqlTypeName): string {
  return name === 'TIMESTAMP_TZ' ? 'TIMESTAMP WITH TIME ZONE' : name;
}

/** Returns the type of the element at an index, from 0, of an array of the given type. */
export function elementType(array: SqlType, at: number, element: SqlData): SqlType {
  return array.elements?.[at] ?? array.element ?? typeOfData(element);
}

/** Returns the type of a row whose values have these types. */
export function rowType(types: readonly SqlType[]): SqlType {
  const elements = types.map(({ name, element, elements }): SqlType => ({ name, element, elements }));
  const [first] = elements;
  const isUniform =
    first !== undefined && first.elements === undefined && types.every(({ name }) => name === first.name);
  return isUniform ? { name: 'ARRAY', element: { name: first.name } } : { name: 'ARRAY', elements };
}

/** Returns the elements of a row if both types have the same ones. */
function commonElements(a: SqlType, b: SqlType): readonly SqlType[] | undefined {
  const isSame =
    a.elements?.length === b.elements?.length && a.elements?.every(({ name }, at) => name === b.elements?.[at]?.name);
  return isSame === true ? a.elements : undefined;
}
