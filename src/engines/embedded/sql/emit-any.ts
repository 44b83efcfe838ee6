/** Writes comparisons and the order of values of any type: entries' keys and values. */
import { type Bound, KEY_COLUMN, VALUE_COLUMN } from '../../../sql/binding/bound.ts';
import { isDecimal, toDouble } from '../../../sql/types/decimal.ts';
import type { SqlData, SqlType, SqlTypeName } from '../../../sql/types/sql-types.ts';
import { isNumericType } from '../../../sql/types/type-order.ts';
import type { Decimal, ScalarTypeName } from '../../../values/value.ts';
import { canonicalDecimal } from '../storage/canonical-key.ts';
import { encodeDecimal, withoutZeros } from '../storage/decimal-storage.ts';
import { decodeStructure, encodeScalar, isScalar, TYPE_CODES } from '../storage/value-storage.ts';
import { sourceName } from './emit-column.ts';
import type { Emitter } from './emitter.ts';
import { entryTable } from './entry-table.ts';
import { pure } from './native-function.ts';
import { comparisonKey, orderKey } from './storage-values.ts';

/** A whole key or value, and its type code, as columns of the entry table. */
interface Whole {
  readonly code: string;
  readonly storageValue: string;
}

/** Returns the columns of an entry's key or value, or undefined for any other expression. */
export function wholeOf(bound: Bound): Whole | undefined {
  if (bound.kind !== 'column' || bound.source.kind !== 'table' || bound.type.isAny !== true) return undefined;
  const { table, id } = bound.source;
  const column = entryTable(table).columns[bound.column];
  const name = sourceName(id);
  if (column?.field === KEY_COLUMN) return { code: `${name}.kt`, storageValue: `${name}.k` };
  if (column?.field === VALUE_COLUMN) return { code: `${name}.vt`, storageValue: `${name}.v` };
  return undefined;
}

/** Returns the terms that sort by an entry's key or value; for a key, the primary key's. */
export function emitEntryOrder(bound: Bound): readonly string[] | undefined {
  const whole = wholeOf(bound);
  return whole && [whole.storageValue, whole.code];
}

const DOUBLE: SqlType = { name: 'DOUBLE' };
const DECIMAL: SqlType = { name: 'DECIMAL' };

/** Numbers that have the same storage value if they are equal. */
const NUMBERS: readonly ScalarTypeName[] = ['byte', 'short', 'integer', 'long', 'float', 'double', 'bigInteger'];
const TEXTS: readonly ScalarTypeName[] = ['char', 'string'];

/** The types of values that are compared with data of an SQL type. */
const COMPARED: { readonly [T in SqlTypeName]?: readonly ScalarTypeName[] } = {
  BOOLEAN: ['boolean'],
  TINYINT: NUMBERS,
  SMALLINT: NUMBERS,
  INTEGER: NUMBERS,
  BIGINT: NUMBERS,
  REAL: NUMBERS,
  DOUBLE: NUMBERS,
  DECIMAL: ['decimal'],
  VARCHAR: TEXTS,
  CHAR: TEXTS,
  VARCHAR_IGNORECASE: TEXTS,
  DATE: ['date'],
  TIME: ['time'],
  TIMESTAMP: ['timestamp'],
  UUID: ['uuid'],
  BINARY: ['bytes'],
};

function codes(types: readonly ScalarTypeName[]): string {
  return types.map((type) => TYPE_CODES[type]).join(', ');
}

export type AnyOperator = '=' | '<>' | '<' | '<=' | '>' | '>=' | 'is' | 'is not';

/** An operand with values of any type; `emit` writes it. */
export interface AnyOperand {
  readonly whole: Whole | undefined;
  readonly emit: () => string;
}

/** The operand that a value of any type is compared with: an expression or a query's rows. */
interface Compared {
  readonly any: AnyOperand;
  readonly type: SqlType;
  /** The comparison key (for `<` and `>` the order key) of the expression, or the query with its rows' keys. */
  readonly text: string;
  /** A constant's value. */
  readonly known?: SqlData;
}

/** Writes a comparison with an expression of a scalar type. Values of other types are unequal, and not ordered. */
export function emitAnyComparison(operator: AnyOperator, compared: Compared, out: Emitter): string {
  const negated = operator === '<>' ? '=' : operator === 'is not' ? 'is' : undefined;
  if (negated !== undefined) return `(NOT ${emitAnyComparison(negated, compared, out)})`;
  const { type, text, known = null } = compared;
  const { code, storageValue } = partsOf(compared.any, out);
  const compare = (as: SqlType, value: string): string => {
    const key = operator.includes('<') || operator.includes('>') ? orderKey : comparisonKey;
    return `${key(as, storageValue)} ${operator.toUpperCase()} ${value}`;
  };
  const number = isNumericType(type.name) ? exactNumber(known) : undefined;
  if (number === undefined) return `(${compare(type, text)} AND ${codeCondition(code, type, text)})`;
  // A number in the statement is compared with numbers of all types.
  const decimal = out.literal(withoutZeros(encodeDecimal(number)));
  const native = out.literal(nativeNumber(number));
  // The range contains the equal decimals, so that SQLite finds keys.
  const range = operator === '=' ? `${storageValue} >= ${decimal} AND ${storageValue} < ${decimal} || ':' AND ` : '';
  return (
    `(${compare(DOUBLE, native)} AND ${code} IN (${codes(NUMBERS)}) OR ` +
    `${range}${compare(DECIMAL, decimal)} AND ${code} = ${TYPE_CODES.decimal})`
  );
}

/** Writes IN with the rows of a query, whose keys `text` selects. */
export function emitAnyIn({ any, type, text }: Compared, out: Emitter): string {
  const { code, storageValue } = partsOf(any, out);
  return `(${comparisonKey(type, storageValue)} IN (${text}) AND ${codeCondition(code, type, undefined)})`;
}

function partsOf({ whole, emit }: AnyOperand, out: Emitter): Whole {
  if (whole !== undefined) return whole;
  const text = emit();
  return { code: out.call(SCALAR_CODE, [text]), storageValue: out.call(SCALAR, [text]) };
}

/** Writes the condition that a value's type is comparable with the other operand. An argument's type decides. */
function codeCondition(code: string, { name }: SqlType, argument: string | undefined): string {
  if (name !== 'UNKNOWN') return `${code} IN (${codes(COMPARED[name] ?? [])})`;
  if (argument === undefined) return `${code} IN (${codes([...NUMBERS, ...TEXTS])})`;
  return `CASE typeof(${argument}) WHEN 'text' THEN ${code} IN (${codes(TEXTS)}) ELSE ${code} IN (${codes(NUMBERS)}) END`;
}

function exactNumber(data: SqlData): Decimal | undefined {
  if (typeof data === 'bigint') return { unscaled: data, scale: 0 };
  return isDecimal(data) ? data : undefined;
}

/** Returns a number as SQLite compares it with integers and doubles. */
function nativeNumber(number: Decimal): bigint | number {
  const { unscaled, scale } = canonicalDecimal(number);
  const isLong = scale === 0 && BigInt.asIntN(64, unscaled) === unscaled;
  return isLong ? unscaled : toDouble(number);
}

/** Returns the storage value of a scalar that was computed as a value of any type, or NULL for other values. */
const SCALAR = pure('scalar of any', 1, (storageValue = null) => {
  const value = storageValue === null ? undefined : decodeStructure(storageValue);
  return value !== undefined && isScalar(value) ? encodeScalar(value) : null;
});

const SCALAR_CODE = pure('code of any', 1, (storageValue = null) =>
  storageValue === null ? null : TYPE_CODES[decodeStructure(storageValue).type],
);
