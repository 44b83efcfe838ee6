/** Functions that return one of their arguments. */
import { compareData } from '../types/compare.ts';
import { convert } from '../types/convert.ts';
import type { SqlData, SqlFunction, SqlType, SqlTypeName } from '../types/sql-types.ts';
import { higherType, higherTypeOfAll } from '../types/type-order.ts';
import {
  type Call,
  defineFunctions,
  type FunctionDeclaration,
  hasExactStorageValues,
  isConstantCall,
  NULL,
  VARCHAR,
} from './definition.ts';

const ANY_NUMBER = Number.POSITIVE_INFINITY;

/** Returns the common type of values: a string type if some are parameters and no other value has a type. */
function commonType(given: readonly SqlType[]): SqlType {
  const isTyped = given.some(({ name }) => name !== 'UNKNOWN' && name !== 'NULL');
  return isTyped || given.every(({ name }) => name === 'NULL') ? higherTypeOfAll(given) : VARCHAR;
}

/** Converts an argument to the common type. */
function chosen(call: Call, index: number, common: SqlType): SqlData {
  return convert(call.data(index), call.type(index), common);
}

/** Returns the greatest (sign 1) or least (-1) argument that is not NULL. */
function extreme(call: Call, sign: number): SqlData {
  const common = commonType(call.types);
  let found: SqlData = null;
  for (let at = 0; at < call.count; at += 1) {
    const data = chosen(call, at, common);
    if (data !== null && (found === null || compareData(data, found, common) * sign > 0)) found = data;
  }
  return found;
}

function extremeOf(name: string, sign: number): FunctionDeclaration {
  return {
    names: [name],
    count: [1, ANY_NUMBER],
    result: commonType,
    nullOnNull: false,
    summary: `Returns the ${name.toLowerCase()} argument that is not NULL.`,
    compute: (call) => extreme(call, sign),
  };
}

function isEqual(call: Call, a: number, b: number): boolean {
  if (!call.has(a) || !call.has(b)) return false;
  const common = higherType(call.type(a), call.type(b));
  return compareData(chosen(call, a, common), chosen(call, b, common), common) === 0;
}

/** Returns the type to which each result is converted separately, so that SQLite evaluates only those that it needs. */
function commonName(given: readonly SqlType[], isConstant: boolean): SqlTypeName | 'any' {
  const { name } = commonType(given);
  return isConstant || name === 'NULL' || name === 'UNKNOWN' || name === 'ARRAY' ? 'any' : name;
}

/** Returns the results among the arguments of DECODE: every second from the third, and a default at the end. */
function decodeResults<T>(given: readonly T[]): T[] {
  return given.filter((_, at) => at >= 2 && (at % 2 === 0 || at === given.length - 1));
}

function decode(call: Call): SqlData {
  const common = commonType(decodeResults(call.types));
  for (let at = 1; at + 1 < call.count; at += 2) {
    const same = call.has(0) ? isEqual(call, 0, at) : !call.has(at);
    if (same) return chosen(call, at + 1, common);
  }
  return call.count % 2 === 0 ? chosen(call, call.count - 1, common) : null;
}

export const CONDITIONAL_FUNCTIONS: readonly SqlFunction[] = defineFunctions('conditional', [
  {
    names: ['COALESCE', 'NVL'],
    count: [1, ANY_NUMBER],
    argumentTypes: (given, constants) => [commonName(given, isConstantCall(given, constants))],
    result: commonType,
    nullOnNull: false,
    summary: 'Returns the first argument that is not NULL.',
    compute: (call) => {
      const found = call.args.findIndex((one) => one !== null);
      return found < 0 ? null : chosen(call, found, commonType(call.types));
    },
    emit: (args, types) => (sameTypes(types) ? coalesce(args) : undefined),
  },
  {
    names: ['IFNULL', 'ISNULL'],
    count: 2,
    argumentTypes: (given, constants) => [commonName(given, isConstantCall(given, constants))],
    result: commonType,
    nullOnNull: false,
    summary: 'Returns the first argument, or the second when the first is NULL.',
    compute: (call) => chosen(call, call.has(0) ? 0 : 1, commonType(call.types)),
    emit: (args, types) => (sameTypes(types) ? coalesce(args) : undefined),
  },
  {
    names: ['NULLIF'],
    count: 2,
    // The first of two constants keeps its type.
    argumentTypes: (given, constants) => (isConstantCall(given, constants) ? ['any'] : [commonType(given).name]),
    result: (given, constants) => (isConstantCall(given, constants) ? (given[0] ?? NULL) : commonType(given)),
    nullOnNull: false,
    summary: 'Returns NULL when both arguments are equal, otherwise the first.',
    compute: (call) => (isEqual(call, 0, 1) ? null : call.data(0)),
    emit: (args, types) =>
      sameTypes(types) && types[0] !== undefined && hasExactStorageValues(types[0])
        ? `nullif(${args.join(', ')})`
        : undefined,
  },
  {
    names: ['NVL2'],
    count: 3,
    argumentTypes: (given, constants) => ['any', commonName(nvl2Results(given), isConstantCall(given, constants))],
    result: (given) => higherTypeOfAll(nvl2Results(given)),
    nullOnNull: false,
    summary: 'Returns the second argument when the first is not NULL, otherwise the third.',
    compute: (call) => chosen(call, call.has(0) ? 1 : 2, higherTypeOfAll(nvl2Results(call.types))),
    emit: ([tested, some, none], types) =>
      sameTypes(types.slice(1)) ? `CASE WHEN ${tested} IS NOT NULL THEN ${some} ELSE ${none} END` : undefined,
  },
  {
    names: ['CASEWHEN'],
    count: 3,
    argumentTypes: (given, constants) => ['BOOLEAN', commonName(given.slice(1), isConstantCall(given, constants))],
    result: (given) => higherTypeOfAll(given.slice(1)),
    nullOnNull: false,
    summary: 'Returns the second argument when the first is true, otherwise the third.',
    compute: (call) => chosen(call, call.data(0) === true ? 1 : 2, higherTypeOfAll(call.types.slice(1))),
    emit: ([condition, yes, no], types) =>
      types[0]?.name === 'BOOLEAN' && sameTypes(types.slice(1))
        ? `CASE WHEN ${condition} THEN ${yes} ELSE ${no} END`
        : undefined,
  },
  {
    names: ['DECODE'],
    count: [3, ANY_NUMBER],
    result: (given) => commonType(decodeResults(given)),
    nullOnNull: false,
    summary:
      'Compares the first argument with the second, fourth and so on; returns the one after the first match, or the default.',
    compute: decode,
  },
  extremeOf('GREATEST', 1),
  extremeOf('LEAST', -1),
]);

function nvl2Results(given: readonly SqlType[]): readonly SqlType[] {
  const [, second, third] = given;
  if (second === undefined || third === undefined) return [];
  return second.name === 'VARCHAR' ? [second] : [second, third];
}

/** Reports whether all types are the same, so that storage values need no conversion. */
function sameTypes(types: readonly SqlType[]): boolean {
  return types.every((type) => type.name === types[0]?.name && type.name !== 'ARRAY');
}

function coalesce(args: readonly string[]): string | undefined {
  return args.length > 1 ? `coalesce(${args.join(', ')})` : args[0];
}
