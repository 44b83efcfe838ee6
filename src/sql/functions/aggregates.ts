/**
 * Aggregate functions. Ignite documents COUNT, SUM, AVG, MIN, MAX and GROUP_CONCAT; its dialect also has the others.
 */

import { gridError } from '../../base/errors.ts';
import { SQL_FUNCTION_BOUNDS } from '../../base/limits.ts';
import { sqlFailure } from '../../base/sql-errors.ts';
import type { SqlFailure } from '../../base/sql-failure.ts';
import { compareData } from '../types/compare.ts';
import { convert, textOf } from '../types/convert.ts';
import { sizeOf } from '../types/data-size.ts';
import { add, decimal, divide, isDecimal, setScale, ZERO } from '../types/decimal.ts';
import type { AggregateState, SqlAggregate, SqlData, SqlType } from '../types/sql-types.ts';
import { isIntegerType, isNumericType } from '../types/type-order.ts';
import { BIGINT, BOOLEAN, DECIMAL, DOUBLE, hasExactStorageValues, INTEGER, NULL, VARCHAR } from './definition.ts';
import { GatheredNumbers } from './gathered-numbers.ts';
import { TextBuilder } from './text-builder.ts';

/** Distinct values that SELECTIVITY collects before it starts over, as in H2. */
const SELECTIVITY_VALUES = 10_000;

/** The declaration of an aggregate; by default it is cheap and has one argument. */
type AggregateDeclaration = Omit<SqlAggregate, 'minArguments' | 'maxArguments' | 'cheap'> &
  Partial<Pick<SqlAggregate, 'minArguments' | 'maxArguments' | 'cheap'>>;

function first(types: readonly SqlType[]): SqlType {
  return types[0] ?? NULL;
}

function wrongType(name: string): SqlFailure {
  return sqlFailure('AGGREGATE_TYPE', name);
}

/** Returns the type. Throws 90015 unless it is numeric or one of `others`. */
function summable(name: string, type: SqlType, others: readonly string[]): SqlType {
  if (isNumericType(type.name) || others.includes(type.name)) return type;
  throw wrongType(name);
}

function distinctly(argument: string, distinct: boolean): string {
  return distinct ? `DISTINCT ${argument}` : argument;
}

/** Reports whether a type is so small that no table has enough rows for its sum to overflow. */
function isSmallInteger(type: SqlType): boolean {
  return type.name === 'BOOLEAN' || (isIntegerType(type.name) && type.name !== 'BIGINT');
}

/** The running sum and count. */
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

  /** Returns the mean: truncated for integers, rounded to the declared scale for decimals. */
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

/** Folds the values into one with `combine`. */
function fold(combine: (found: SqlData, data: SqlData) => SqlData): AggregateState {
  let found: SqlData = null;
  return {
    step: ([data = null]) => {
      found = found === null ? data : combine(found, data);
    },
    finish: () => found,
  };
}

/** Types whose storage values sort differently from their values. */
const STORED_IN_ANOTHER_ORDER: ReadonlySet<string> = new Set(['ARRAY', 'VARCHAR_IGNORECASE', 'UUID', 'TIMESTAMP_TZ']);

function extreme(name: 'MIN' | 'MAX', sign: number): AggregateDeclaration {
  return {
    names: [name],
    result: first,
    // Storage values sort like their values. DISTINCT does not change the result.
    emit: ([argument], types) =>
      argument === undefined || STORED_IN_ANOTHER_ORDER.has(first(types).name)
        ? undefined
        : `${name.toLowerCase()}(${argument})`,
    start: (types) => fold((found, data) => (compareData(data, found, first(types)) * sign > 0 ? data : found)),
    summary: name === 'MIN' ? 'Returns the least value.' : 'Returns the greatest value.',
  };
}

function bits(name: string, combine: (a: bigint, b: bigint) => bigint, summary: string): AggregateDeclaration {
  return {
    names: [name],
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

function logic(names: readonly [string, ...string[]], all: boolean, summary: string): AggregateDeclaration {
  return {
    names,
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

/** Declares an aggregate over the sum of squared deviations, which is updated with each number (Welford). */
function variance(
  names: readonly [string, ...string[]],
  summary: string,
  finish: (squares: number, count: number) => number | null,
): AggregateDeclaration {
  return {
    names,
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

/** Counts the bytes that an aggregate holds. Throws LIMIT_EXCEEDED. */
class HeldBytes {
  private bytes = 0;

  add(data: SqlData): void {
    this.addBytes(sizeOf(data));
  }

  addBytes(bytes: number): void {
    this.bytes += bytes;
    const limit = SQL_FUNCTION_BOUNDS.aggregateBytes;
    if (this.bytes > limit)
      throw gridError('LIMIT_EXCEEDED', 'bytes that an aggregate holds', limit, this.bytes, 'fixed');
  }
}

/** Collects the values and passes them to `finish`. */
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

/** Types whose values {@link gatherMedian} collects in 8 bytes each. */
const COMPACT_MEDIANS: ReadonlySet<string> = new Set([
  'TINYINT',
  'SMALLINT',
  'INTEGER',
  'BIGINT',
  'REAL',
  'DOUBLE',
  'DATE',
  'TIME',
  'TIMESTAMP',
]);

/** Collects numbers in 8 bytes each, and values of other types like {@link gather}. */
function gatherMedian(type: SqlType): AggregateState {
  const numbers = new GatheredNumbers();
  const held = new HeldBytes();
  let others: AggregateState | undefined;
  return {
    step: ([data = null]) => {
      if (others === undefined && numbers.add(data)) return held.addBytes(Float64Array.BYTES_PER_ELEMENT);
      if (others === undefined) {
        others = gather((values) =>
          median(
            values.sort((a, b) => compareData(a, b, type)),
            type,
          ),
        );
        for (const number of numbers.toArray()) others.step([number]);
      }
      others.step([data]);
    },
    finish: () => {
      if (others !== undefined) return others.finish();
      if (numbers.count === 0) return null;
      const sorted = numbers.sorted();
      const middle = sorted.length >> 1;
      return median([...sorted.subarray(sorted.length % 2 === 1 ? middle : middle - 1, middle + 1)], type);
    },
  };
}

/**
 * Returns the median of sorted values. Between values, it is the mean for numbers and times, otherwise the lower one.
 */
function median(values: readonly SqlData[], type: SqlType): SqlData {
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

/** Concatenates strings. The second argument is the separator, by default a comma. */
function concatenate(types: readonly SqlType[]): AggregateState {
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

const DECLARATIONS: readonly AggregateDeclaration[] = [
  {
    names: ['COUNT'],
    minArguments: 0,
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
    summary: 'Returns the number of values that are not NULL; without an argument, of rows.',
  },
  {
    names: ['SUM'],
    result: (given) => typeOfSum(summable('SUM', first(given), ['BOOLEAN'])),
    emit: ([argument], types, distinct) =>
      argument !== undefined && isSmallInteger(first(types)) ? `sum(${distinctly(argument, distinct)})` : undefined,
    start: (types) => {
      const sum = new Sum(first(types));
      return { step: ([data = null]) => sum.step(data), finish: () => sum.total() };
    },
    summary: 'Returns the sum: DECIMAL for BIGINT and DECIMAL, BIGINT for other integers, DOUBLE for REAL and DOUBLE.',
  },
  {
    names: ['AVG'],
    result: (given) => summable('AVG', first(given), []),
    emit: ([argument], types, distinct) => {
      if (argument === undefined || !isSmallInteger(first(types))) return undefined;
      return `(sum(${distinctly(argument, distinct)}) / count(${distinctly(argument, distinct)}))`;
    },
    start: (types) => {
      const sum = new Sum(first(types));
      return { step: ([data = null]) => sum.step(data), finish: () => sum.average() };
    },
    summary:
      'Returns the mean in the type of the values: integers are truncated, decimals rounded to the declared scale.',
  },
  extreme('MIN', -1),
  extreme('MAX', 1),
  {
    names: ['GROUP_CONCAT', 'STRING_AGG'],
    cheap: false,
    maxArguments: 2,
    result: () => VARCHAR,
    start: concatenate,
    summary: 'Concatenates the values as strings, separated by a comma or the given separator.',
  },
  {
    names: ['ARRAY_AGG'],
    cheap: false,
    result: (given) => ({ name: 'ARRAY', element: first(given) }),
    holdsValues: () => true,
    start: () => gather((values) => values),
    summary: 'Collects the values in an array.',
  },
  logic(['BOOL_AND', 'EVERY'], true, 'Reports whether all values are true.'),
  logic(['BOOL_OR', 'SOME'], false, 'Reports whether any value is true.'),
  bits('BIT_AND', (a, b) => a & b, 'Returns the bitwise AND of the values.'),
  bits('BIT_OR', (a, b) => a | b, 'Returns the bitwise OR of the values.'),
  variance(['STDDEV_POP', 'STDDEVP'], 'Returns the standard deviation of the population.', (squares, count) =>
    Math.sqrt(squares / count),
  ),
  variance(
    ['STDDEV_SAMP', 'STDDEV'],
    'Returns the standard deviation of a sample; NULL for fewer than two values.',
    (squares, count) => (count < 2 ? null : Math.sqrt(squares / (count - 1))),
  ),
  variance(['VAR_POP', 'VARP'], 'Returns the variance of the population.', (squares, count) => squares / count),
  variance(
    ['VAR_SAMP', 'VAR', 'VARIANCE'],
    'Returns the variance of a sample; NULL for fewer than two values.',
    (squares, count) => (count < 2 ? null : squares / (count - 1)),
  ),
  {
    names: ['MEDIAN'],
    cheap: false,
    result: (given) => (first(given).name === 'DECIMAL' ? DECIMAL : first(given)),
    holdsValues: (types) => !COMPACT_MEDIANS.has(first(types).name),
    start: (types) => gatherMedian(first(types)),
    summary: 'Returns the median; between two values the mean of numbers and times, otherwise the lower one.',
  },
  {
    names: ['SELECTIVITY'],
    cheap: false,
    result: () => INTEGER,
    seesNulls: true,
    start: selectivity,
    summary: 'Returns the percentage of distinct values, at least 1; 0 without rows.',
  },
];

export const AGGREGATE_FUNCTIONS: readonly SqlAggregate[] = DECLARATIONS.map((declaration) => ({
  minArguments: 1,
  maxArguments: 1,
  cheap: true,
  ...declaration,
}));
