/** Calls every function with hostile arguments: extreme, malformed and very long ones. */

import { describe, expect, test } from 'bun:test';
import { GridError } from '../../base/errors.ts';
import { DECIMAL_BOUNDS, SQL_FUNCTION_BOUNDS } from '../../base/limits.ts';
import { SqlFailure } from '../../base/sql-failure.ts';
import { convert } from '../types/convert.ts';
import { sizeOf } from '../types/data-size.ts';
import type { FunctionEnvironment, SqlData, SqlFunction, SqlType, SqlTypeName } from '../types/sql-types.ts';
import { argumentTypeAt } from './definition.ts';
import { FUNCTIONS } from './functions.ts';

const VARCHAR: SqlType = { name: 'VARCHAR' };
const INTEGER: SqlType = { name: 'INTEGER' };
const BIGINT: SqlType = { name: 'BIGINT' };
const DOUBLE: SqlType = { name: 'DOUBLE' };
const DECIMAL: SqlType = { name: 'DECIMAL' };
const BINARY: SqlType = { name: 'BINARY' };
const TIMESTAMP: SqlType = { name: 'TIMESTAMP' };
const DATE: SqlType = { name: 'DATE' };
const TIME: SqlType = { name: 'TIME' };
const ARRAY: SqlType = { name: 'ARRAY' };

interface Argument {
  readonly type: SqlType;
  readonly data: SqlData;
}

function text(data: string): Argument {
  return { type: VARCHAR, data };
}

const HOSTILE: readonly Argument[] = [
  { type: { name: 'NULL' }, data: null },
  ...[
    '',
    ' ',
    '\0',
    '\ud83d',
    '\udc00\ud83d',
    'ß\u0149',
    '%_\\',
    '(a+)+b',
    '$1\\',
    "''",
    "'",
    '"',
    'yyyy-MM-dd HH:mm:ss.SSS z Z X',
    'YYYY-MM-DD HH24:MI:SS.FF9',
    'FM999,999.999PR',
    'DL TS DAY MONTH RM Y,YYY J',
    'XXXX',
    'RN',
    'TME',
    'AES',
    'XTEA',
    'SHA256',
    'LZF',
    'DEFLATE L 9',
    'YEAR',
    'NANOSECOND',
    'EPOCH',
    'Europe/Berlin',
    '999999999-12-31 23:59:59.999999999',
    '-999999999-01-01',
    '2020-02-30',
    '1E4096',
    '-1E-4096',
    '1E999999999',
    'NaN',
    'Infinity',
    '9223372036854775807',
    '-2147483648',
    '00',
    '0g',
  ].map(text),
  ...[0n, 1n, -1n, 2_147_483_647n, -2_147_483_648n].map((data) => ({ type: INTEGER, data })),
  ...[2n ** 63n - 1n, -(2n ** 63n)].map((data) => ({ type: BIGINT, data })),
  ...[0, -0, 0.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 5e-324, Number.MAX_VALUE].map(
    (data) => ({
      type: DOUBLE,
      data,
    }),
  ),
  ...[
    { unscaled: 0n, scale: DECIMAL_BOUNDS.scale },
    { unscaled: 1n, scale: -DECIMAL_BOUNDS.scale },
    { unscaled: -(10n ** BigInt(DECIMAL_BOUNDS.digits)) + 1n, scale: DECIMAL_BOUNDS.scale },
  ].map((data) => ({ type: DECIMAL, data })),
  { type: BINARY, data: new Uint8Array(0) },
  { type: BINARY, data: Uint8Array.of(1, 0xf0, 0x7f, 0xff, 0xff, 0xff, 0xff) },
  { type: BINARY, data: Uint8Array.of(2, 0xe0, 0xff, 0xff, 0xff, 1) },
  { type: { name: 'BOOLEAN' }, data: true },
  { type: DATE, data: 365_241_780_471 },
  { type: DATE, data: -365_243_219_162 },
  { type: TIME, data: 86_399_999 },
  { type: TIMESTAMP, data: 31_556_889_864_403_199n * 1_000_000_000n },
  { type: TIMESTAMP, data: -31_557_014_167_219_200n * 1_000_000_000n },
  { type: ARRAY, data: [] },
  { type: ARRAY, data: [1n, 'a', null, [true]] },
  { type: { name: 'UUID' }, data: '00000000-0000-0000-0000-000000000000' },
];

const ENVIRONMENT: FunctionEnvironment = {
  nowMs: 8.64e15,
  user: 'ann',
  schema: 'PUBLIC',
  random: () => 0.5,
  seed: () => {},
  poll: () => {},
};

/** Calls a function like a statement does. */
function call(sqlFunction: SqlFunction, args: readonly Argument[]): SqlData {
  const given = args.map(({ type }) => type);
  const constants = args.map(({ data }) => data);
  const { argumentTypes, result } = sqlFunction;
  const wanted = typeof argumentTypes === 'function' ? argumentTypes(given, constants) : argumentTypes;
  if (typeof result === 'function') result(given, constants);
  if (sqlFunction.nullOnNull && constants.includes(null)) return null;
  const types = given.map((type, at) => {
    const name = argumentTypeAt(wanted, at);
    return name === 'any' ? type : { name };
  });
  const data = args.map((argument, at) => convert(argument.data, argument.type, types[at] ?? argument.type));
  return sqlFunction.compute(data, types, ENVIRONMENT);
}

/** Returns the result, or the error if it is one that clients receive. Rethrows all other errors. */
function outcome(sqlFunction: SqlFunction, args: readonly Argument[]): SqlData | Error {
  try {
    return call(sqlFunction, args);
  } catch (error) {
    if (error instanceof SqlFailure || error instanceof GridError) return error;
    const shown = args.map(({ type, data }) => `${type.name} ${String(data).slice(0, 40)}`).join(', ');
    throw new Error(`${sqlFunction.names[0]}(${shown}) threw ${String(error)}`, { cause: error });
  }
}

const TABLE = [...new Set(FUNCTIONS.values())].map((sqlFunction) => [sqlFunction.names[0], sqlFunction] as const);

function counts({ minArguments, maxArguments }: SqlFunction): number[] {
  const most = Math.min(maxArguments, minArguments + 2, 4);
  return Array.from({ length: most - minArguments + 1 }, (_, more) => minArguments + more);
}

let seed = 4711;
function below(count: number): number {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
  return Math.floor((seed / 2 ** 32) * count);
}

/** Returns hostile values that have the type or can be converted to it. */
function fitting(name: SqlTypeName | 'any'): readonly Argument[] {
  if (name === 'any') return HOSTILE;
  const known = FITTING.get(name);
  if (known !== undefined) return known;
  const fit = HOSTILE.filter(({ data, type }) => {
    try {
      return convert(data, type, { name }) !== null;
    } catch {
      return false;
    }
  });
  FITTING.set(name, fit);
  return fit;
}

const FITTING = new Map<SqlTypeName, readonly Argument[]>();

/** Returns an argument that the conversion mostly accepts. */
function pick({ argumentTypes }: SqlFunction, at: number): Argument {
  const fit = typeof argumentTypes === 'function' ? HOSTILE : fitting(argumentTypeAt(argumentTypes, at));
  const from = below(8) === 0 ? HOSTILE : fit;
  return from[below(from.length)] ?? text('');
}

test.each(TABLE)('%s returns a value or throws a declared error', (_, sqlFunction) => {
  const largest = 4 * SQL_FUNCTION_BOUNDS.textCharacters;
  const check = (args: readonly Argument[]): void => {
    const result = outcome(sqlFunction, args);
    if (!(result instanceof Error)) expect(sizeOf(result)).toBeLessThan(largest);
    else expect(result.message.length).toBeLessThan(10_000);
  };
  for (const count of counts(sqlFunction)) {
    if (count === 1) for (const argument of HOSTILE) check([argument]);
    else {
      for (let round = 0; round < 400; round++) {
        check(Array.from({ length: count }, (__, at) => pick(sqlFunction, at)));
      }
    }
  }
});

const CHARACTERS = 100_000;
/** Milliseconds for all calls of one function on a busy machine. */
const PATIENCE_MS = 60_000;

/** Long strings that slow down functions which backtrack, count digits or search repeatedly. */
const LONG: ReadonlyArray<readonly [string, (length: number) => string]> = [
  ['one character', (length) => 'a'.repeat(length)],
  ['digits', (length) => '7'.repeat(length)],
  ['digits and a letter', (length) => `${'7'.repeat(length)}x`],
  ['blanks before a letter', (length) => `x${' '.repeat(length)}x`],
  ['line ends', (length) => '\n'.repeat(length)],
  ['NULs', (length) => '\0'.repeat(length)],
  ['dashes', (length) => '-'.repeat(length)],
  ['escapes', (length) => '\\n'.repeat(length / 2)],
  ['letters of formats', (length) => 'yMdHmsSz'.repeat(length / 8)],
  ['quotes', (length) => `"'`.repeat(length / 2)],
  ['open brackets', (length) => '([{'.repeat(length / 3)],
  ['lone surrogates', (length) => '\ud800'.repeat(length)],
];

/** Arguments besides the long one with which functions do work. */
const OTHERS: readonly Argument[] = [text('a'), text('7'), text('AES'), text('SHA256'), text('(a+)+b'), text('LZF')];
const NUMBERS: readonly Argument[] = [{ type: INTEGER, data: 3n }];

/** Returns the CPU milliseconds of a call, which exclude other work of the machine. */
function timed(sqlFunction: SqlFunction, args: readonly Argument[]): number {
  const begun = process.cpuUsage();
  outcome(sqlFunction, args);
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1_000;
}

/** Milliseconds of CPU time that a call with a long argument may take. Quadratic time is longer. */
const MAX_MS = 1_000;

describe('a function with a long argument takes a short time', () => {
  test.each(TABLE.filter(([, { maxArguments }]) => maxArguments > 0))(
    '%s',
    (_, sqlFunction) => {
      for (const count of counts(sqlFunction).filter((one) => one > 0)) {
        for (let place = 0; place < count; place++) {
          for (const [, create] of LONG) {
            for (const other of count === 1 ? [text('')] : [...OTHERS.slice(0, 2), ...NUMBERS]) {
              const args = Array.from({ length: count }, (__, at) => (at === place ? text(create(CHARACTERS)) : other));
              expect(timed(sqlFunction, args)).toBeLessThan(MAX_MS);
            }
          }
        }
      }
    },
    PATIENCE_MS,
  );
});
