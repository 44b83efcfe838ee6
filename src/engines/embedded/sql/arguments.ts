/** Converts a statement's arguments into the bindings of its SQLite text. */

import { sqlFailure } from '../../../base/sql-errors.ts';
import { SqlFailure } from '../../../base/sql-failure.ts';
import type { ArgumentTypes } from '../../../sql/binding/binder.ts';
import type { TableReader, VirtualTable } from '../../../sql/binding/catalog.ts';
import { DEFAULT_ESCAPE, rangeOfLike } from '../../../sql/functions/like.ts';
import { convertToColumn } from '../../../sql/types/column-checks.ts';
import { convert } from '../../../sql/types/convert.ts';
import { parseDecimal } from '../../../sql/types/decimal.ts';
import type { SqlData, SqlType } from '../../../sql/types/sql-types.ts';
import { typeOfValue } from '../../../sql/types/sql-values.ts';
import { isIntegerType, isNumericType } from '../../../sql/types/type-order.ts';
import { formatText, type JsonNode, readJson } from '../../../values/json.ts';
import type { Value } from '../../../values/value.ts';
import { type Binding, encodeStructure, encodeText } from '../storage/value-storage.ts';
import type { Placeholder } from './emitter.ts';
import type { PreparedBase, PreparedChange, PreparedExplain, PreparedQuery } from './statement.ts';
import { comparisonKeyOf, dataOf, encode } from './storage-values.ts';

const DOUBLE: SqlType = { name: 'DOUBLE' };
const VARCHAR: SqlType = { name: 'VARCHAR' };
const NO_VALUE: Value = { type: 'null' };

/**
 * Returns the bindings of a run, in the order of the placeholders, for a reader of system views; if undefined, one who
 * may know everything. Throws if the number or the type of arguments is wrong.
 */
export function bindArguments(
  prepared: PreparedQuery | PreparedExplain | PreparedChange,
  args: readonly Value[],
  nowMs: number,
  reader: TableReader | undefined,
): Binding[] {
  checkCount(prepared, args);
  return prepared.placeholders.map((placeholder) => bindPlaceholder(placeholder, args, nowMs, reader));
}

/** Returns the types that arguments give to untyped parameters, or undefined if they are all strings, or NULL. */
export function argumentTypes({ untyped }: PreparedBase, args: readonly Value[]): ArgumentTypes | undefined {
  const types = new Map<number, SqlType>();
  for (const index of untyped) {
    const value = args[index];
    if (value !== undefined && value.type !== 'null') types.set(index, typeOfValue(value));
  }
  return [...types.values()].every(({ name }) => name === 'VARCHAR') ? undefined : types;
}

/** Returns a statement's bindings. Its text may lack the last placeholders of the text it was prepared with. */
export function bindingsOf({ paramsCount }: { readonly paramsCount: number }, all: readonly Binding[]) {
  return all.length > paramsCount ? all.slice(0, paramsCount) : all;
}

/**
 * Throws if there are too few arguments, or too many and a query reads a row by its key. Elsewhere, Ignite ignores
 * additional ones.
 */
function checkCount(
  { parameterCount: expected, kind, byKey, tables }: PreparedQuery | PreparedExplain | PreparedChange,
  args: readonly Value[],
): void {
  if (args.length < expected) throw sqlFailure('ARGUMENT_COUNT', expected, args.length);
  const surplus = kind === 'query' && byKey && tables.length > 0 ? args[expected] : undefined;
  if (surplus !== undefined) throw sqlFailure('ARGUMENT_SURPLUS', expected, args.length, formatText(surplus));
}

function bindPlaceholder(
  placeholder: Placeholder,
  args: readonly Value[],
  nowMs: number,
  reader: TableReader | undefined,
): Binding {
  switch (placeholder.kind) {
    case 'now':
      return nowMs;
    case 'constant':
      return placeholder.value;
    case 'prefix':
      return prefixBound(args[placeholder.index] ?? NO_VALUE, placeholder.bound);
    case 'rows':
      return jsonOfRows(placeholder.table.rows(reader));
    case 'argument':
      try {
        return bindArgument(args[placeholder.index] ?? NO_VALUE, placeholder);
      } catch (error) {
        if (!(error instanceof SqlFailure)) throw error;
        const { index, column } = placeholder;
        throw error.within({ argument: index + 1, ...(column !== undefined && { column: column.name }) });
      }
  }
}

/** Writes rows as JSON. Longs have all their digits, which SQLite's JSON functions preserve. */
function jsonOfRows(rows: ReturnType<VirtualTable['rows']>): string {
  const writeRow = (row: (typeof rows)[number]): string =>
    row.map((value) => (typeof value === 'bigint' ? String(value) : JSON.stringify(value))).join(',');
  return `[${rows.map((row) => `[${writeRow(row)}]`).join(',')}]`;
}

function bindArgument(
  value: Value,
  { type, compared, key, column }: Extract<Placeholder, { kind: 'argument' }>,
): Binding {
  const source = typeOfValue(value);
  const data = dataOf(value);
  // The stored form of an object is not a text that a client may see.
  if (source.name === 'OTHER' && (column?.type ?? type).name !== 'OTHER') {
    throw sqlFailure('FEATURE_UNSUPPORTED', 'an object as an argument that stands for no object');
  }
  if (column !== undefined) {
    return encode(column.type, convertToColumn(column, data, source));
  }
  if (data === null) return null;
  if (type.isAny === true) return encodeStructure(value);
  if (type.name === 'UNKNOWN') return encode(VARCHAR, convert(data, source, VARCHAR));
  if (compared && isIntegerType(type.name) && isNumericType(source.name)) {
    // A number that is compared with integers need not be an integer, nor within their range.
    return isIntegerType(source.name) ? encode(source, data) : encode(DOUBLE, convert(data, source, DOUBLE));
  }
  // The elements keep their types.
  if (type.name === 'ARRAY' && type.element === undefined && source.name === 'ARRAY') return encodeStructure(value);
  const encoded = encode(type, type.name === 'ARRAY' ? arrayData(data, source) : convert(data, source, type));
  return key ? comparisonKeyOf(type, encoded) : encoded;
}

const ARRAY: SqlType = { name: 'ARRAY' };

/** Returns an argument as an array. A string must be a JSON array. */
function arrayData(data: Exclude<SqlData, null>, given: SqlType): SqlData {
  if (typeof data !== 'string') return convert(data, given, ARRAY);
  try {
    const node = readJson(data);
    if (node.kind === 'array') return dataOfJson(node);
  } catch {
    // The string is not JSON.
  }
  throw sqlFailure('DATA_CONVERSION', data);
}

function dataOfJson(node: JsonNode): SqlData {
  switch (node.kind) {
    case 'null':
      return null;
    case 'boolean':
    case 'string':
      return node.value;
    case 'number':
      return /^-?\d+$/.test(node.text) ? BigInt(node.text) : (parseDecimal(node.text) ?? null);
    case 'array':
      return node.items.map(dataOfJson);
    case 'object':
      throw sqlFailure('FEATURE_UNSUPPORTED', 'an object in an array');
  }
}

/** A blob, which sorts after every string. */
const ABOVE_TEXTS = new Uint8Array(0);

function prefixBound(value: Value, bound: 'low' | 'high'): Binding {
  const pattern = convert(dataOf(value), typeOfValue(value), VARCHAR);
  if (typeof pattern !== 'string') return null;
  const { low, high } = rangeOfLike(pattern, DEFAULT_ESCAPE);
  return bound === 'low' ? encodeText(low) : high === undefined ? ABOVE_TEXTS : encodeText(high);
}
