/** Creates the native functions that emitted expressions call. */

import { gridError } from '../../../base/errors.ts';
import { SQL_FUNCTION_BOUNDS } from '../../../base/limits.ts';
import { sqlFailure } from '../../../base/sql-errors.ts';
import { SqlFailure } from '../../../base/sql-failure.ts';
import { type Bound, type BoundAggregate, isConstant } from '../../../sql/binding/bound.ts';
import { withoutBounds } from '../../../sql/binding/coerce.ts';
import { regexFinds } from '../../../sql/functions/java-regex.ts';
import { escapeCharacter, matchesLike } from '../../../sql/functions/like.ts';
import { convert } from '../../../sql/types/convert.ts';
import {
  type ArithmeticOperator,
  calculate,
  hasArithmetic,
  negated,
  unsupportedOperation,
} from '../../../sql/types/operations.ts';
import type { FunctionEnvironment, SqlData, SqlType } from '../../../sql/types/sql-types.ts';
import { foldCase, typeOfValue } from '../../../sql/types/sql-values.ts';
import { fitsInteger, isTextType, typeOfData } from '../../../sql/types/type-order.ts';
import { instantOfZoned } from '../../../sql/types/zoned-timestamp.ts';
import { formatText } from '../../../values/json.ts';
import type { Value } from '../../../values/value.ts';
import { encodeTimestamp } from '../storage/timestamp-storage.ts';
import {
  type Binding,
  decodeStructure,
  decodeText,
  encodeStructure,
  isScalar,
  type StorageValue,
} from '../storage/value-storage.ts';
import {
  type ExecutionContext,
  formatType,
  type NativeAggregate,
  type NativeFold,
  type NativeScalar,
  numbered,
  pure,
} from './native-function.ts';
import { dataOf, decode, encode, valueOfData } from './storage-values.ts';

/** Returns the comparison key of a TIMESTAMP WITH TIME ZONE: its instant. */
export const INSTANT_KEY = pure('instant', 1, (storageValue = null) =>
  typeof storageValue === 'string' ? encodeTimestamp(instantOfZoned(storageValue)) : storageValue,
);

export const FOLD_CASE = pure('fold', 1, (storageValue = null) =>
  typeof storageValue === 'string' ? foldCase(storageValue) : storageValue,
);

export function arithmeticFunction(operator: ArithmeticOperator, type: SqlType, wraps = false): NativeScalar {
  const name = `${operator} ${type.name}${wraps ? ' wrapping' : ''}`;
  if (!hasArithmetic(type) && type.name !== 'TIME') return unsupportedFunction(name, 2, type, operator);
  return pure(name, 2, (a = null, b = null) =>
    encode(type, calculate(operator, decode(type, a), decode(type, b), type, wraps)),
  );
}

export function negateFunction(type: SqlType): NativeScalar {
  const name = `negate ${type.name}`;
  if (!hasArithmetic(type) && type.name !== 'TIME') return unsupportedFunction(name, 1, type, 'NEG');
  return pure(name, 1, (storageValue = null) => encode(type, negated(decode(type, storageValue), type)));
}

/** Creates a function that returns NULL if an argument is NULL, and otherwise throws. The arguments have any type. */
function unsupportedFunction(name: string, arity: number, type: SqlType, operation: string): NativeScalar {
  return pure(name, arity, (...values) => {
    if (values.includes(null)) return null;
    throw unsupportedOperation(type, operation);
  });
}

/** Creates the function that returns its argument, an integer, and throws if it exceeds the range of the type. */
export function rangeFunction(type: SqlType): NativeScalar {
  return pure(`range ${type.name}`, 1, (storageValue = null) => {
    if (typeof storageValue === 'bigint' && !fitsInteger(type.name, storageValue))
      throw sqlFailure('OUT_OF_RANGE', storageValue.toString());
    return storageValue;
  });
}

/** Columns that a conversion reads and writes, for its errors. */
export interface ConvertedColumns {
  readonly source: string | undefined;
  readonly column: string | undefined;
}

export function convertFunction(from: SqlType, to: SqlType, { source, column }: ConvertedColumns): NativeScalar {
  const read = source === undefined ? '' : ` of ${source}`;
  const written = column === undefined ? '' : ` for ${column}`;
  const name = `convert ${formatType(from)}${read} to ${formatType(to)}${written}`;
  return numbered(name, 1, (storageValue = null) => {
    try {
      if (from.isAny === true) return encode(to, dataAs(to, storageValue));
      return encode(to, convert(decode(from, storageValue), from, to));
    } catch (error) {
      if (!(error instanceof SqlFailure)) throw error;
      throw error.within({ ...(source !== undefined && { source }), ...(column !== undefined && { column }) });
    }
  });
}

/** Returns a stored value of any type as data of the type. An object, a list or a map becomes its JSON. */
function dataAs(to: SqlType, storageValue: StorageValue): SqlData {
  if (storageValue === null) return null;
  const value = decodeStructure(storageValue);
  const from = typeOfValue(value);
  if (!isTextType(to.name) || isScalar(value)) return convert(dataOf(value), from, to);
  return convert(formatText(value), { name: 'VARCHAR' }, to);
}

/**
 * Returns a variant of the function that is computed for each row. SQLite computes calls with constant arguments before
 * it looks for rows, so a failing call would fail even without rows.
 */
export function perRow(native: NativeScalar): NativeScalar {
  return { ...native, name: `${native.name} per row`, deterministic: false };
}

/** Returns a view of the environment in which the connection's statement runs. */
function environmentOf(context: ExecutionContext): FunctionEnvironment {
  return {
    get nowMs() {
      return context.environment.nowMs;
    },
    get user() {
      return context.environment.user;
    },
    get schema() {
      return context.environment.schema;
    },
    random: () => context.environment.random(),
    seed: (seed) => context.environment.seed(seed),
    poll: () => context.poll(),
    structure: decodeStructure,
  };
}

export function callFunction(call: Extract<Bound, { kind: 'call' }>): NativeScalar {
  const sqlFunction = call.function;
  const types = call.args.map((arg) => withoutBounds(arg.type));
  const { type } = call;
  return {
    kind: 'scalar',
    name: `svc ${sqlFunction.names[0]}(${types.map(formatType).join(', ')}) ${formatType(type)}`,
    numbered: 'statement',
    arity: types.length,
    deterministic: sqlFunction.deterministic,
    create: (context) => {
      const environment = environmentOf(context);
      return (...storageValues) => {
        if (sqlFunction.nullOnNull && storageValues.includes(null)) return null;
        const args = storageValues.map((storageValue, at) => decode(types[at] ?? { name: 'UNKNOWN' }, storageValue));
        return encode(type, sqlFunction.compute(args, types, environment));
      };
    },
  };
}

/** Memory of a collected value besides its bytes, in its array and in the text made from it. */
const VALUE_BYTES = 100;
const NUMBER_BYTES = 8;

/** Holds the values, and passes them on at the end. */
class HoldingFold implements NativeFold {
  readonly #start: () => NativeFold;
  readonly #rows: Array<readonly StorageValue[]> = [];
  #bytes = 0;

  constructor(start: () => NativeFold) {
    this.#start = start;
  }

  step(storageValues: readonly StorageValue[]): void {
    if (storageValues[0] === null) return;
    this.#rows.push(storageValues);
    for (const value of storageValues) this.#bytes += bytesOf(value);
    this.#bytes += VALUE_BYTES;
    const limit = SQL_FUNCTION_BOUNDS.arrayBytes;
    if (this.#bytes <= limit) return;
    this.#rows.length = 0;
    throw gridError('LIMIT_EXCEEDED', 'bytes that an aggregate holds', limit, this.#bytes, 'fixed');
  }

  finish(): Binding {
    const fold = this.#start();
    for (const row of this.#rows) fold.step(row);
    return fold.finish();
  }
}

function bytesOf(value: StorageValue): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  return value instanceof Uint8Array ? value.length : NUMBER_BYTES;
}

/** Creates an aggregate that contains the constant arguments after the first, because DISTINCT permits only one. */
export function aggregateFunction(bound: BoundAggregate): {
  readonly function: NativeAggregate;
  readonly args: readonly Bound[];
} {
  const [first, ...others] = bound.args;
  const fixed = others.every(isConstant);
  const args = first === undefined ? [] : fixed ? [first] : bound.args;
  const types = bound.args.map((arg) => arg.type);
  const constants = fixed ? others.map((arg) => (isConstant(arg) ? arg.data : null)) : [];
  const { aggregate, type } = bound;
  const suffix = constants.map((data) => ` ${String(data)}`).join('');
  return {
    args,
    function: {
      kind: 'aggregate',
      name: `svc ${aggregate.names[0]}(${types.map(formatType).join(', ')})${suffix}`,
      numbered: 'statement',
      arity: args.length,
      start: () => {
        const fold = (): NativeFold => {
          const state = aggregate.start(types);
          return {
            step(storageValues) {
              if (aggregate.seesNulls !== true && storageValues[0] === null) return;
              state.step([
                ...storageValues.map((storageValue, at) => decode(types[at] ?? { name: 'UNKNOWN' }, storageValue)),
                ...constants,
              ]);
            },
            finish: () => encode(type, state.finish()),
          };
        };
        return aggregate.holdsValues?.(types) === true ? new HoldingFold(fold) : fold();
      },
    },
  };
}

/** Creates the LIKE function, whose third argument is the escape character. */
export function likeFunction(ignoreCase: boolean): NativeScalar {
  return pure(
    `like${ignoreCase ? ' ignoring case' : ''}`,
    3,
    (storageValue = null, pattern = null, escapedBy = null) => {
      if (storageValue === null || pattern === null || escapedBy === null) return null;
      const escapeWith = escapeCharacter(decodeText(escapedBy));
      const matches = matchesLike(decodeText(storageValue), decodeText(pattern), escapeWith, ignoreCase);
      return matches === null ? null : matches ? 1 : 0;
    },
  );
}

export function regexpFunction(ignoreCase: boolean): NativeScalar {
  return {
    kind: 'scalar',
    name: `svc regexp${ignoreCase ? ' ignoring case' : ''}`,
    arity: 2,
    deterministic: true,
    create: (context) => {
      const poll = (): void => context.poll();
      return (storageValue = null, pattern = null) => {
        if (storageValue === null || pattern === null) return null;
        return regexFinds(decodeText(storageValue), decodeText(pattern), { ignoreCase }, poll) ? 1 : 0;
      };
    },
  };
}

/** Returns the value of a scalar subquery from its row count and its value. Throws for more than one row. */
export const SINGLE_ROW = pure('single row', 2, (count = null, storageValue = null) => {
  if (typeof count === 'bigint' && count > 1n) throw sqlFailure('SUBQUERY_ROWS');
  return storageValue;
});

/** Returns whether a group has a single value in a column. Throws with the column's name if it does not. */
export const SINGLE_VALUE = pure('single value', 2, (isSingle = null, name = null) => {
  if (isSingle !== 1n) throw sqlFailure('NOT_GROUPED', decodeText(name));
  return 1;
});

/** Creates the function that returns an array of its arguments, which have these types. */
export function arrayFunction(types: readonly SqlType[]): NativeScalar {
  return numbered(`array ${types.map(formatType).join(', ')}`, undefined, (...storageValues) => {
    const items = storageValues.map((storageValue, at): Value => {
      const type = types[at] ?? { name: 'UNKNOWN' };
      return valueOfData(type, decode(type, storageValue));
    });
    return encodeStructure({ type: 'array', element: 'object', data: items });
  });
}

export const ARRAY_LENGTH: NativeScalar = pure('array length', 1, (storageValue = null) => {
  const data = storageValue === null ? null : dataOf(decodeStructure(storageValue));
  return Array.isArray(data) ? data.length : 0;
});

/** Creates the function that returns an element of an array by index, converted to the type; NULL beyond the end. */
export function arrayElement(type: SqlType): NativeScalar {
  return numbered(`array element ${formatType(type)}`, 2, (storageValue = null, index = null) => {
    const data = storageValue === null ? null : dataOf(decodeStructure(storageValue));
    const item = Array.isArray(data) ? (data[Number(index)] ?? null) : null;
    return encode(type, convert(item, typeOfData(item), type));
  });
}
