/** Functions on arrays, on the session, and on values whatever their type. */

import { compareData } from '../types/compare.ts';
import { convert, elementType, isTextType, textOf, typeOfData } from '../types/convert.ts';
import { isDecimal, precision } from '../types/decimal.ts';
import { sqlFailure } from '../types/sql-errors.ts';
import type { SqlFailure } from '../types/sql-failure.ts';
import type { SqlData, SqlFunction } from '../types/sql-types.ts';
import { BIGINT, BOOLEAN, type Call, defineFunctions, INTEGER, NULL, VARCHAR } from './definition.ts';

/** Name of the one database. */
export const DATABASE_NAME = 'SVC';
/** Version of the dialect, for clients that ask before they send their statements. */
const DIALECT_VERSION = '1.4.197';

function arrayOf(call: Call): readonly SqlData[] | undefined {
  const data = call.data(0);
  return Array.isArray(data) ? data : undefined;
}

function elementAt(call: Call): SqlData {
  const element = arrayOf(call)?.[call.integer(1) - 1] ?? null;
  if (element === null || call.type(0).element !== undefined) return element;
  return textOf(element, elementType(element, call.type(0)));
}

/** Elements are equal only when they are of one kind. */
function contains(call: Call): boolean {
  const wanted = call.data(1);
  const kind = typeOfData(wanted);
  return (arrayOf(call) ?? []).some(
    (element) => typeOfData(element).name === kind.name && compareData(element, wanted, call.type(1)) === 0,
  );
}

/** Cuts texts and bytes; other types stay as they are. */
function truncateValue(call: Call): SqlData {
  const [data, type, limit] = [call.data(0), call.type(0), call.has(1) ? call.integer(1) : 0];
  const cut = limit > 0;
  if (!cut || data === null) return data;
  if (isTextType(type.name) || data instanceof Uint8Array)
    return convert(data, type, { name: type.name, precision: limit });
  if (!isDecimal(data) || precision(data) <= limit) return data;
  // Ignite leaves a decimal as it is where losing digits is allowed.
  if (call.data(2) !== true) throw sqlFailure('OUT_OF_RANGE', String(limit));
  return data;
}

export const SYSTEM_FUNCTIONS: readonly SqlFunction[] = defineFunctions('system', [
  {
    names: ['ARRAY_GET'],
    count: 2,
    takes: ['any', 'INTEGER'],
    gives: (given) => given[0]?.element ?? VARCHAR,
    cheap: true,
    summary: 'The element of an array at a place, from 1; NULL beyond its end.',
    compute: elementAt,
  },
  {
    names: ['ARRAY_LENGTH'],
    count: 1,
    takes: ['any'],
    gives: INTEGER,
    cheap: true,
    summary: 'Number of elements of an array.',
    compute: (call) => {
      const array = arrayOf(call);
      return array === undefined ? null : BigInt(array.length);
    },
  },
  {
    names: ['ARRAY_CONTAINS'],
    count: 2,
    takes: ['any'],
    gives: BOOLEAN,
    nullOnNull: false,
    cheap: true,
    summary: 'Whether an array has an element.',
    compute: contains,
  },
  {
    names: ['TRUNCATE_VALUE'],
    count: 3,
    takes: ['any', 'INTEGER', 'BOOLEAN'],
    gives: (given) => given[0] ?? NULL,
    nullOnNull: false,
    cheap: true,
    summary:
      'Cuts a text or bytes to a precision; a decimal with more digits is refused unless the third argument is true.',
    compute: truncateValue,
  },
  {
    names: ['USER', 'CURRENT_USER'],
    count: 0,
    gives: VARCHAR,
    deterministic: false,
    cheap: true,
    summary: 'Name of the user who sent the statement; empty without authentication.',
    compute: (call) => call.environment.user,
  },
  {
    names: ['SCHEMA'],
    count: 0,
    gives: VARCHAR,
    deterministic: false,
    cheap: true,
    summary: 'Name of the schema in which names without one are looked up.',
    compute: (call) => call.environment.schema,
  },
  {
    names: ['DATABASE'],
    count: 0,
    gives: VARCHAR,
    deterministic: false,
    cheap: true,
    summary: 'Name of the database.',
    compute: () => DATABASE_NAME,
  },
  {
    names: ['DATABASE_PATH'],
    count: 0,
    gives: VARCHAR,
    cheap: true,
    summary: 'NULL: where the data lie is not shown to clients.',
    compute: () => null,
  },
  {
    names: ['H2VERSION'],
    count: 0,
    gives: VARCHAR,
    cheap: true,
    summary: 'Version of the dialect.',
    compute: () => DIALECT_VERSION,
  },
  {
    names: ['READONLY'],
    count: 0,
    gives: BOOLEAN,
    deterministic: false,
    cheap: true,
    summary: 'Whether the database can only be read.',
    compute: () => false,
  },
  {
    names: ['AUTOCOMMIT'],
    count: 0,
    gives: BOOLEAN,
    deterministic: false,
    cheap: true,
    summary: 'Always true: every statement is a transaction of its own.',
    compute: () => true,
  },
  {
    names: ['TRANSACTION_ID'],
    count: 0,
    gives: VARCHAR,
    deterministic: false,
    cheap: true,
    summary: 'NULL: there is no transaction over several statements.',
    compute: () => null,
  },
  {
    names: ['IDENTITY', 'IDENTITY_VAL_LOCAL', 'LAST_INSERT_ID', 'LASTVAL'],
    count: 0,
    gives: BIGINT,
    deterministic: false,
    cheap: true,
    summary: '0: no column generates its values.',
    compute: () => 0n,
  },
  {
    names: ['SCOPE_IDENTITY'],
    count: 0,
    gives: BIGINT,
    deterministic: false,
    cheap: true,
    summary: 'NULL: no column generates its values.',
    compute: () => null,
  },
  {
    names: ['SIGNAL'],
    count: 2,
    takes: ['VARCHAR'],
    gives: NULL,
    nullOnNull: false,
    deterministic: false,
    cheap: true,
    summary: 'Lets the statement fail with a text of its own.',
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
