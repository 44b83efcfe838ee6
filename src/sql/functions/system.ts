/** Functions on arrays, on the session, and on values of any type. */

import { sqlFailure } from '../../base/sql-errors.ts';
import type { SqlFailure } from '../../base/sql-failure.ts';
import { compareData } from '../types/compare.ts';
import { convert, textOf } from '../types/convert.ts';
import { isDecimal, precision } from '../types/decimal.ts';
import type { SqlData, SqlFunction, SqlType, SqlTypeName } from '../types/sql-types.ts';
import { elementType, isTextType, typeOfData } from '../types/type-order.ts';
import {
  BIGINT,
  BOOLEAN,
  type Call,
  defineFunctions,
  type FunctionDeclaration,
  INTEGER,
  NULL,
  VARCHAR,
  withoutArguments,
} from './definition.ts';

/** Name of the database. */
export const DATABASE_NAME = 'SVC';
/** Version of the H2 dialect, for clients that query it first. */
const DIALECT_VERSION = '1.4.197';

function arrayOf(call: Call): readonly SqlData[] | undefined {
  const data = call.data(0);
  return Array.isArray(data) ? data : undefined;
}

function elementAt(call: Call): SqlData {
  if (!hasElements(call.type(0))) return null;
  const at = call.integer(1) - 1;
  const element = arrayOf(call)?.[at] ?? null;
  if (element === null || call.type(0).element !== undefined) return element;
  return textOf(element, elementType(call.type(0), at, element));
}

/** Reports whether an array contains a value. Elements of other types are never equal to it. */
function contains(call: Call): boolean {
  const wanted = call.data(1);
  const [{ element }, { name }] = [call.type(0), call.type(1)];
  const isComparable = element === undefined || element.name === name || (isTextType(element.name) && isTextType(name));
  if (wanted !== null && !isComparable) return false;
  const kind = typeOfData(wanted);
  return (arrayOf(call) ?? []).some(
    (each) => typeOfData(each).name === kind.name && compareData(each, wanted, call.type(1)) === 0,
  );
}

/** Truncates strings and bytes; other types stay unchanged. */
function truncateValue(call: Call): SqlData {
  const [data, type, limit] = [call.data(0), call.type(0), call.has(1) ? call.integer(1) : 0];
  const cut = limit > 0;
  if (!cut || data === null) return data;
  if (isTextType(type.name) || data instanceof Uint8Array)
    return convert(data, type, { name: type.name, precision: limit });
  if (!isDecimal(data) || precision(data) <= limit) return data;
  // Ignite leaves a decimal unchanged even if losing digits is allowed.
  if (call.data(2) !== true) throw sqlFailure('OUT_OF_RANGE', String(limit));
  return data;
}

/** An untyped parameter given for an array is an array; other values that are not arrays have no elements. */
function arrayType(given: SqlType | undefined): SqlTypeName | 'any' {
  return given?.name === 'UNKNOWN' ? 'ARRAY' : 'any';
}

function hasElements(given: SqlType | undefined): boolean {
  return given?.name === 'ARRAY' || given?.name === 'UNKNOWN';
}

/** The information that a statement can request about the session and the database. */
const PROPERTIES: readonly FunctionDeclaration[] = [
  withoutArguments(
    ['USER', 'CURRENT_USER'],
    VARCHAR,
    'Returns the name of the current user; empty without authentication.',
    ({ user }) => user,
    false,
  ),
  withoutArguments(['SCHEMA'], VARCHAR, 'Returns the name of the current schema.', ({ schema }) => schema, false),
  withoutArguments(['DATABASE'], VARCHAR, 'Returns the name of the database.', () => DATABASE_NAME, false),
  withoutArguments(['QUERY_ENGINE'], VARCHAR, "Returns 'h2', the engine of Ignite whose dialect this is.", () => 'h2'),
  withoutArguments(['DATABASE_PATH'], VARCHAR, 'Returns NULL: clients do not see the path of the data.', () => null),
  withoutArguments(['H2VERSION'], VARCHAR, 'Returns the version of the dialect.', () => DIALECT_VERSION),
  withoutArguments(['READONLY'], BOOLEAN, 'Reports whether the database is read-only.', () => false, false),
  withoutArguments(
    ['AUTOCOMMIT'],
    BOOLEAN,
    'Returns TRUE: every statement is a transaction of its own.',
    () => true,
    false,
  ),
  withoutArguments(
    ['TRANSACTION_ID'],
    VARCHAR,
    'Returns NULL: there are no transactions of several statements.',
    () => null,
    false,
  ),
  withoutArguments(
    ['IDENTITY', 'IDENTITY_VAL_LOCAL', 'LAST_INSERT_ID', 'LASTVAL'],
    BIGINT,
    'Returns 0: there are no generated columns.',
    () => 0n,
    false,
  ),
  withoutArguments(['SCOPE_IDENTITY'], BIGINT, 'Returns NULL: there are no generated columns.', () => null, false),
];

export const SYSTEM_FUNCTIONS: readonly SqlFunction[] = defineFunctions('system', [
  {
    names: ['ARRAY_GET'],
    count: 2,
    // Without an array, the position is not converted.
    argumentTypes: (given) => [arrayType(given[0]), hasElements(given[0]) ? 'INTEGER' : 'any'],
    result: (given) => given[0]?.element ?? VARCHAR,
    summary: 'Returns the element at a position of an array, from 1; NULL beyond its end.',
    compute: elementAt,
  },
  {
    names: ['ARRAY_LENGTH'],
    count: 1,
    argumentTypes: (given) => [arrayType(given[0])],
    result: INTEGER,
    summary: 'Returns the number of elements of an array.',
    compute: (call) => {
      const array = arrayOf(call);
      return array === undefined ? null : BigInt(array.length);
    },
  },
  {
    names: ['ARRAY_CONTAINS'],
    count: 2,
    argumentTypes: (given) => [arrayType(given[0]), 'any'],
    result: BOOLEAN,
    nullOnNull: false,
    summary: 'Reports whether an array contains a value.',
    compute: contains,
  },
  {
    names: ['TRUNCATE_VALUE'],
    count: 3,
    argumentTypes: ['any', 'BIGINT', 'BOOLEAN'],
    result: (given) => given[0] ?? NULL,
    nullOnNull: false,
    summary:
      'Truncates a string or bytes to a precision; rejects a decimal with more digits unless the third argument is true.',
    compute: truncateValue,
  },
  ...PROPERTIES,
  {
    names: ['SIGNAL'],
    count: 2,
    argumentTypes: ['VARCHAR'],
    result: NULL,
    nullOnNull: false,
    deterministic: false,
    summary: 'Fails the statement with the given message.',
    compute: (call) => {
      const state = call.has(0) ? call.text(0) : '';
      if (!/^[0-9A-Z]{5}$/.test(state) || state.startsWith('00')) throw invalidSignal(state);
      throw sqlFailure('SIGNAL', call.has(1) ? call.text(1) : 'null');
    },
  },
]);

function invalidSignal(state: string): SqlFailure {
  return sqlFailure('INVALID_VALUE', state, 'SQLSTATE');
}
