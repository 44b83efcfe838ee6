/**
 * Aggregate functions. COUNT, SUM, AVG, MIN, MAX and GROUP_CONCAT are Ignite's; the others are of its
 * dialect.
 */

import { fail } from '../../base/errors.ts';
import { SQL_FUNCTION_BOUNDS } from '../../base/limits.ts';
import { compareData } from '../types/compare.ts';
import { convert, isIntegerType, isNumericType, textOf } from '../types/convert.ts';
import { sizeOf } from '../types/data-size.ts';
import { add, decimal, divide, isDecimal, setScale, ZERO } from '../types/decimal.ts';
import { sqlFailure } from '../types/sql-errors.ts';
import type { SqlFailure } from '../types/sql-failure.ts';
import type { AggregateState, SqlAggregate, SqlData, SqlType } from '../types/sql-types.ts';
import { BIGINT, BOOLEAN, DECIMAL, DOUBLE, INTEGER, NULL, VARCHAR } from './definition.ts';
import { TextBuilder } from './text-builder.ts';

/** Distinct values that SELECTIVITY remembers before it begins anew. */
const SELECTIVITY_VALUES = 10_000;

function first(types: readonly SqlType[]): SqlType {
  return types[0] ?? NULL;
}

function wrongType(name: string): SqlFailure {
  return sqlFailure('AGGREGATE_TYPE', name);
}

/** Throws 90015 for a type that cannot be added up. */
function summable(name: string, type: SqlType, others: readonly string[]): SqlType {
  if (isNumericType(type.name) || others.includes(type.name)) return type;
  throw wrongType(name);
}

function distinctly(argument: string, distinct: boolean): string {
  return distinct ? `DISTINCT ${argument}` : argument;
}

/** Whether equal data have equal cells, so that SQLite finds the distinct ones itself. */
function hasExactStorageValues(type: SqlType): boolean {
  return (
    type.name !== 'DECIMAL' && type.name !== 'VARCHAR_IGNORECASE' && type.name !== 'ARRAY' && type.name !== 'OTHER'
  );
}

/** Whole numbers of which no table holds enough for their sum to overflow. */
function isSmallInteger(type: SqlType): boolean {
  return type.name === 'BOOLEAN' || (isIntegerType(type.name) && type.name !== 'BIGINT');
}

/** The running sum in the type in which sums are made, and how many were added. */
class Sum {
  readonly type: SqlType;
  readonly given: SqlType;
  count = 0n;
  private whole = 0n;
  private floating = 0;
  private exact = ZERO;

  constructor(given: SqlType) {
    this.given = given;
    this.type = typeOfSum(given);
  }

  step(data: SqlData): void {
    this.count += 1n;
    if (typeof data === 'bigint') this.whole += data;
    else if (typeof data === 'boolean') this.whole += data ? 1n : 0n;
    else if (typeof data === 'number') this.floating += data;
    else if (isDecimal(data)) this.exact = add(this.exact, data);
  }

  total(): SqlData {
    if (this.count === 0n) return null;
    if (this.type.name === 'DOUBLE') return this.floating === 0 ? 0 : this.floating;
    if (this.given.name === 'DECIMAL') return this.exact;
    if (this.type.name === 'DECIMAL') return decimal(this.whole);
    if (BigInt.asIntN(64, this.whole) !== this.whole) throw sqlFailure('OUT_OF_RANGE', this.whole.toString());
    return this.whole;
  }

  /** Of whole numbers cut, of decimals rounded to the declared scale. */
  average(): SqlData {
    if (this.count === 0n) return null;
    if (this.given.name === 'REAL') return Math.fround(this.floating / Number(this.count));
    if (this.given.name === 'DOUBLE') return this.floating / Number(this.count);
    if (this.given.name !== 'DECIMAL') return this.whole / this.count;
    const average = divide(this.exact, decimal(this.count));
    return this.given.scale === undefined ? average : setScale(average, this.given.scale);
  }
}

function typeOfSum(given: SqlType): SqlType {
  if (given.name === 'REAL' || given.name === 'DOUBLE') return DOUBLE;
  if (given.name === 'BIGINT') return { name: 'DECIMAL', scale: 0 };
  if (given.name === 'DECIMAL') return given.scale === undefined ? DECIMAL : { name: 'DECIMAL', scale: given.scale };
  return given.name === 'NULL' ? NULL : BIGINT;
}

/** A fold of one value: `combine` gets what was found so far. */
function fold(combine: (found: SqlData, data: SqlData) => SqlData): AggregateState {
  let found: SqlData = null;
  return {
    step: ([data = null]) => {
      found = found === null ? data : combine(found, data);
    },
    finish: () => found,
  };
}

/** Types whose cells do not sort as their data do. */
const STORED_IN_ANOTHER_ORDER: ReadonlySet<string> = new Set(['ARRAY', 'VARCHAR_IGNORECASE', 'UUID']);

function extreme(name: 'MIN' | 'MAX', sign: number): SqlAggregate {
  return {
    names: [name],
    minArguments: 1,
    cheap: true,
    maxArguments: 1,
    result: first,
    // StorageValues sort as their data do. A second pass over distinct ones would find the same.
    emit: ([argument], types) =>
      argument === undefined || STORED_IN_ANOTHER_ORDER.has(first(types).name)
        ? undefined
        : `${name.toLowerCase()}(${argument})`,
    start: (types) => fold((found, data) => (compareData(data, found, first(types)) * sign > 0 ? data : found)),
    summary: name === 'MIN' ? 'The least value.' : 'The greatest value.',
  };
}

function bits(name: string, combine: (a: bigint, b: bigint) => bigint, summary: string): SqlAggregate {
  return {
    names: [name],
    minArguments: 1,
    cheap: true,
    maxArguments: 1,
    result: (given) => summable(name, first(given), ['BOOLEAN']),
    start: (types) => {
      const type = first(types);
      let found: bigint | undefined;
      return {
        step: ([data = null]) => {
          const whole = convert(data, type, BIGINT);
          if (typeof whole === 'bigint') found = found === undefined ? whole : combine(found, whole);
        },
        finish: () => (found === undefined ? null : convert(found, BIGINT, type)),
      };
    },
    summary,
  };
}

function logic(names: readonly [string, ...string[]], all: boolean, summary: string): SqlAggregate {
  return {
    names,
    minArguments: 1,
    cheap: true,
    maxArguments: 1,
    result: () => BOOLEAN,
    emit: ([argument], types) =>
      first(types).name === 'BOOLEAN' && argument !== undefined ? `${all ? 'min' : 'max'}(${argument})` : undefined,
    start: (types) => {
      const state = fold((found, data) => (all ? found === true && data === true : found === true || data === true));
      return { ...state, step: ([data = null]) => state.step([convert(data, first(types), BOOLEAN)]) };
    },
    summary,
  };
}

/** Mean and sum of squared distances, kept up to date with each number. */
function variance(
  names: readonly [string, ...string[]],
  summary: string,
  finish: (squares: number, count: number) => number | null,
): SqlAggregate {
  return {
    names,
    minArguments: 1,
    cheap: true,
    maxArguments: 1,
    result: () => DOUBLE,
    start: (types) => {
      let [count, mean, squares] = [0, 0, 0];
      return {
        step: ([data = null]) => {
          const number = convert(data, first(types), DOUBLE);
          if (typeof number !== 'number') throw sqlFailure('DATA_CONVERSION', String(number));
          count += 1;
          const distance = number - mean;
          mean += distance / count;
          squares += distance * (number - mean);
        },
        finish: () => (count === 0 ? null : finish(squares, count)),
      };
    },
    summary,
  };
}

/** Counts the memory of what an aggregate holds. Throws LIMIT_EXCEEDED. */
class HeldBytes {
  private bytes = 0;

  add(data: SqlData): void {
    this.bytes += sizeOf(data);
    const limit = SQL_FUNCTION_BOUNDS.aggregateBytes;
    if (this.bytes > limit) throw fail('LIMIT_EXCEEDED', 'bytes that an aggregate holds', limit, this.bytes);
  }
}

/** Gathers values and ends with what `finish` makes of them. */
function gather(finish: (values: SqlData[]) => SqlData): AggregateState {
  const values: SqlData[] = [];
  const held = new HeldBytes();
  return {
    step: ([data = null]) => {
      held.add(data);
      values.push(data);
    },
    finish: () => (values.length === 0 ? null : finish(values)),
  };
}

/** The value in the middle; between two the mean of numbers and moments, else the lower one. */
function median(values: SqlData[], type: SqlType): SqlData {
  values.sort((a, b) => compareData(a, b, type));
  const upper = values[values.length >> 1] ?? null;
  if (values.length % 2 === 1) return upper;
  const lower = values[(values.length >> 1) - 1] ?? null;
  if (typeof lower === 'bigint' && typeof upper === 'bigint') return (lower + upper) / 2n;
  if (isDecimal(lower) && isDecimal(upper)) return divide(add(lower, upper), decimal(2n));
  if (typeof lower !== 'number' || typeof upper !== 'number') return lower;
  if (type.name === 'DATE' || type.name === 'TIME') return Math.floor((lower + upper) / 2);
  const mean = (lower + upper) / 2;
  return type.name === 'REAL' ? Math.fround(mean) : mean;
}

/** Joins texts; the second argument is the separator, a comma where it is not given. */
function joinTexts(types: readonly SqlType[]): AggregateState {
  const joined = new TextBuilder();
  let isFirst = true;
  return {
    step: (args) => {
      if (!isFirst) {
        const given = args.length > 1 ? (args[1] ?? null) : ',';
        if (given !== null) joined.add(textOf(given, types[1] ?? VARCHAR));
      }
      isFirst = false;
      if (args[0] !== null && args[0] !== undefined) joined.add(textOf(args[0], first(types)));
    },
    finish: () => (isFirst ? null : joined.toString()),
  };
}

function selectivity(types: readonly SqlType[]): AggregateState {
  let [count, distinct] = [0, 0];
  const seen = new Set<string>();
  let characters = 0;
  return {
    step: ([data = null]) => {
      count += 1;
      const text = data === null ? '' : `=${textOf(data, first(types))}`;
      if (!seen.has(text)) characters += text.length;
      seen.add(text);
      if (seen.size > SELECTIVITY_VALUES || characters > SQL_FUNCTION_BOUNDS.textCharacters) {
        distinct += seen.size;
        seen.clear();
        characters = 0;
      }
    },
    finish: () => (count === 0 ? 0n : BigInt(Math.max(Math.floor((100 * (distinct + seen.size)) / count), 1))),
  };
}

export const AGGREGATE_FUNCTIONS: readonly SqlAggregate[] = [
  {
    names: ['COUNT'],
    minArguments: 0,
    cheap: true,
    maxArguments: 1,
    result: () => BIGINT,
    emit: ([argument], types, distinct) => {
      if (argument === undefined) return 'count(*)';
      return distinct && !hasExactStorageValues(first(types)) ? undefined : `count(${distinctly(argument, distinct)})`;
    },
    start: () => {
      let count = 0n;
      return {
        step: () => {
          count += 1n;
        },
        finish: () => count,
      };
    },
    summary: 'Number of values that are not NULL; without an argument of rows.',
  },
  {
    names: ['SUM'],
    minArguments: 1,
    cheap: true,
    maxArguments: 1,
    result: (given) => typeOfSum(summable('SUM', first(given), ['BOOLEAN'])),
    emit: ([argument], types, distinct) =>
      argument !== undefined && isSmallInteger(first(types)) ? `sum(${distinctly(argument, distinct)})` : undefined,
    start: (types) => {
      const sum = new Sum(first(types));
      return { step: ([data = null]) => sum.step(data), finish: () => sum.total() };
    },
    summary: 'Sum of the values: BIGINT of whole numbers, DECIMAL of BIGINT and DECIMAL, DOUBLE of REAL and DOUBLE.',
  },
  {
    names: ['AVG'],
    minArguments: 1,
    cheap: true,
    maxArguments: 1,
    result: (given) => summable('AVG', first(given), []),
    emit: ([argument], types, distinct) => {
      if (argument === undefined || !isSmallInteger(first(types))) return undefined;
      return `(sum(${distinctly(argument, distinct)}) / count(${distinctly(argument, distinct)}))`;
    },
    start: (types) => {
      const sum = new Sum(first(types));
      return { step: ([data = null]) => sum.step(data), finish: () => sum.average() };
    },
    summary: 'Mean of the values in their own type: of whole numbers cut, of decimals rounded to the declared scale.',
  },
  extreme('MIN', -1),
  extreme('MAX', 1),
  {
    names: ['GROUP_CONCAT', 'STRING_AGG'],
    minArguments: 1,
    cheap: false,
    maxArguments: 2,
    result: () => VARCHAR,
    start: joinTexts,
    summary: 'Joins the values as texts, with a comma or the separator given between them.',
  },
  {
    names: ['ARRAY_AGG'],
    minArguments: 1,
    cheap: false,
    maxArguments: 1,
    result: (given) => ({ name: 'ARRAY', element: first(given) }),
    start: () => gather((values) => values),
    summary: 'The values as an array.',
  },
  logic(['BOOL_AND', 'EVERY'], true, 'Whether all values are true.'),
  logic(['BOOL_OR', 'SOME'], false, 'Whether one of the values is true.'),
  bits('BIT_AND', (a, b) => a & b, 'Bits that all values have.'),
  bits('BIT_OR', (a, b) => a | b, 'Bits that one of the values has.'),
  variance(['STDDEV_POP', 'STDDEVP'], 'Standard deviation of a whole population.', (squares, count) =>
    Math.sqrt(squares / count),
  ),
  variance(
    ['STDDEV_SAMP', 'STDDEV'],
    'Standard deviation of a sample; NULL for less than two values.',
    (squares, count) => (count < 2 ? null : Math.sqrt(squares / (count - 1))),
  ),
  variance(['VAR_POP', 'VARP'], 'Variance of a whole population.', (squares, count) => squares / count),
  variance(['VAR_SAMP', 'VAR', 'VARIANCE'], 'Variance of a sample; NULL for less than two values.', (squares, count) =>
    count < 2 ? null : squares / (count - 1),
  ),
  {
    names: ['MEDIAN'],
    minArguments: 1,
    cheap: false,
    maxArguments: 1,
    result: (given) => (first(given).name === 'DECIMAL' ? DECIMAL : first(given)),
    start: (types) => gather((values) => median(values, first(types))),
    summary: 'The value in the middle when they are sorted.',
  },
  {
    names: ['SELECTIVITY'],
    minArguments: 1,
    cheap: false,
    maxArguments: 1,
    result: () => INTEGER,
    seesNulls: true,
    start: selectivity,
    summary: 'How many of 100 values are distinct, at least 1; 0 without rows.',
  },
];
