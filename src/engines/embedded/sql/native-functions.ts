/** Creates the native functions that emitted expressions call. */

import { fail } from '../../../base/errors.ts';
import { ERROR_CHARACTERS, SQL_FUNCTION_BOUNDS } from '../../../base/limits.ts';
import { sqlFailure } from '../../../base/sql-errors.ts';
import { SqlFailure } from '../../../base/sql-failure.ts';
import type { Bound, BoundAggregate } from '../../../sql/binding/bound.ts';
import { isConstant } from '../../../sql/binding/bound.ts';
import type { SqlColumn } from '../../../sql/binding/catalog.ts';
import { withoutBounds } from '../../../sql/binding/coerce.ts';
import { checkColumn } from '../../../sql/binding/column-checks.ts';
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
import type { FunctionEnvironment, SqlType, SqlTypeName } from '../../../sql/types/sql-types.ts';
import { foldCase, shown } from '../../../sql/types/sql-values.ts';
import { fitsInteger, isIntegerType, typeOfData } from '../../../sql/types/type-order.ts';
import { instantOfZoned } from '../../../sql/types/zoned-timestamp.ts';
import { formatText } from '../../../values/json.ts';
import { NULL, type Value } from '../../../values/value.ts';
import { decodeDecimal, encodeDecimal } from '../storage/decimal-storage.ts';
import { decodeField } from '../storage/field-storage.ts';
import { decodeTimestamp, encodeTimestamp } from '../storage/timestamp-storage.ts';
import {
  type Binding,
  decodeFields,
  decodeStructure,
  decodeText,
  encodeFields,
  encodeStructure,
  type StorageValue,
} from '../storage/value-storage.ts';
import type { EntryColumn, EntryTable } from './entry-table.ts';
import type { ExecutionContext, NativeAggregate, NativeFold, NativeScalar } from './native-function.ts';
import { RowBuffer } from './row-buffer.ts';
import { dataOf, decode, encode, valueOfData } from './storage-values.ts';

function pure(
  name: string,
  arity: number | undefined,
  run: (...storageValues: StorageValue[]) => Binding,
): NativeScalar {
  return { kind: 'scalar', name: `svc ${name}`, arity, deterministic: true, create: () => run };
}

/** The same for functions whose names contain names, types with bounds, or constants of users. */
function numbered(
  name: string,
  arity: number | undefined,
  run: (...storageValues: StorageValue[]) => Binding,
): NativeScalar {
  return { ...pure(name, arity, run), numbered: 'statement' };
}

function formatType(type: SqlType): string {
  const bounds = [type.precision, type.scale].map((bound) => bound ?? '').join(',');
  const of = type.elements ?? (type.element === undefined ? [] : [type.element]);
  const element = of.length === 0 ? '' : ` of ${of.map(formatType).join(' and ')}`;
  return `${type.name}${bounds === ',' ? '' : `(${bounds})`}${element}`;
}

/** Returns 1. Throws when the statement must end. */
export const POLL: NativeScalar = {
  kind: 'scalar',
  name: 'svc poll',
  arity: 0,
  deterministic: false,
  create: (context) => () => {
    context.poll();
    return 1;
  },
};

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
  const converting = numbered(name, 1, (storageValue = null) => {
    try {
      return encode(to, convert(decode(from, storageValue), from, to));
    } catch (error) {
      if (!(error instanceof SqlFailure)) throw error;
      throw error.within({ ...(source !== undefined && { source }), ...(column !== undefined && { column }) });
    }
  });
  return { ...converting, readsArrays: from.name === 'ARRAY' };
}

/**
 * Returns the function as one that is computed for each row. SQLite computes calls with constant arguments before it
 * looks for rows, so that a call that fails would fail without rows, too.
 */
export function perRow(native: NativeScalar): NativeScalar {
  return { ...native, name: `${native.name} per row`, deterministic: false };
}

/** Returns a view of the environment of the connection's running statement. */
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
    readsArrays: types.some(({ name }) => name === 'ARRAY'),
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

/** Memory of a collected value beside its bytes, in its array and in the text that is made of it. */
const VALUE_BYTES = 100;

/** Holds the values as bytes, and passes them on at the end. */
class HoldingFold implements NativeFold {
  readonly #start: () => NativeFold;
  readonly #rows: RowBuffer;

  constructor(start: () => NativeFold, width: number) {
    this.#start = start;
    this.#rows = new RowBuffer(width);
  }

  get heldBytes(): number {
    return this.#rows.addedBytes + this.#rows.count * VALUE_BYTES;
  }

  step(storageValues: readonly StorageValue[]): void {
    if (storageValues[0] === null) return;
    this.#rows.add(storageValues);
    const limit = SQL_FUNCTION_BOUNDS.arrayBytes;
    if (this.heldBytes <= limit) return;
    const { heldBytes } = this;
    this.#rows.release();
    throw fail('LIMIT_EXCEEDED', 'bytes that an aggregate holds', limit, heldBytes);
  }

  finish(): Binding {
    const fold = this.#start();
    for (const row of this.#rows) fold.step(row);
    return fold.finish();
  }
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
            get heldBytes() {
              return state.heldBytes ?? 0;
            },
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
        return aggregate.holdsValues?.(types) === true ? new HoldingFold(fold, args.length) : fold();
      },
    },
  };
}

/** Creates the function of LIKE, whose third argument is the escape character. */
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

export const ARRAY_LENGTH: NativeScalar = {
  ...pure('array length', 1, (storageValue = null) => {
    const data = storageValue === null ? null : dataOf(decodeStructure(storageValue));
    return Array.isArray(data) ? data.length : 0;
  }),
  readsArrays: true,
};

/** Creates the function that returns an element of an array by index, converted to the type; NULL beyond the end. */
export function arrayElement(type: SqlType): NativeScalar {
  const element = numbered(`array element ${formatType(type)}`, 2, (storageValue = null, index = null) => {
    const data = storageValue === null ? null : dataOf(decodeStructure(storageValue));
    const item = Array.isArray(data) ? (data[Number(index)] ?? null) : null;
    return encode(type, convert(item, typeOfData(item), type));
  });
  return { ...element, readsArrays: true };
}

/** Creates the function that returns the value object of a row from `vt`, `v` and the columns that the table needs. */
export function valueFunction(table: EntryTable): NativeScalar {
  return numbered(
    `value ${table.physical} ${table.vt} ${table.valueColumns.join(' ')}`,
    undefined,
    (vt = null, v = null, ...storageValues) =>
      typeof vt === 'bigint' ? encodeStructure(table.valueOf(vt, v, storageValues)) : null,
  );
}

/** Whole values (value-storage.ts) and columns (field-storage.ts) store two types differently. */
export const INSTANT_TO_TIMESTAMP = pure('instant to timestamp', 1, (storageValue = null) =>
  typeof storageValue === 'bigint' ? encodeTimestamp(storageValue * 1_000_000n) : storageValue,
);
export const TIMESTAMP_TO_INSTANT = pure('timestamp to instant', 1, (storageValue = null) =>
  typeof storageValue === 'string' ? decodeTimestamp(storageValue) / 1_000_000n : storageValue,
);
export const BIG_INTEGER_TO_DECIMAL = pure('big integer to decimal', 1, (storageValue = null) =>
  typeof storageValue === 'bigint' ? encodeDecimal({ unscaled: storageValue, scale: 0 }) : storageValue,
);
export const DECIMAL_TO_BIG_INTEGER = pure('decimal to big integer', 1, (storageValue = null) => {
  if (typeof storageValue !== 'string') return storageValue;
  const { unscaled } = decodeDecimal(storageValue);
  return BigInt.asIntN(64, unscaled) === unscaled ? unscaled : storageValue;
});

/** Creates the function that checks the constraints of a column. It throws Ignite's error if the value violates one. */
export function checkFunction(column: SqlColumn): NativeScalar {
  const { name, notNull, type } = column;
  return numbered(`check ${name} ${formatType(type)}${notNull ? ' not null' : ''}`, 1, (storageValue = null) => {
    if (storageValue === null || type.precision !== undefined) checkColumn(column, decode(type, storageValue));
    return storageValue;
  });
}

/** Creates the function that returns the canonical key of a row from the storage values of the key's fields. */
export function keyFunction(columns: readonly EntryColumn[]): NativeScalar {
  const fields = columns.map(({ field, fieldType }) => `${field} ${JSON.stringify(fieldType)}`).join(', ');
  return numbered(`key ${fields}`, undefined, (...storageValues) =>
    encodeFields(
      columns.map(({ field, fieldType }, at) => ({
        name: field,
        value: decodeField(fieldType, storageValues[at] ?? null),
      })),
    ),
  );
}

/**
 * Creates the function that returns `v` of a row after the columns of these fields were set. If `v` lists the object's
 * fields in their own order (row-codec.ts), the list must include these fields, marked as stored in columns.
 */
export function touchFunction(fields: readonly string[]): NativeScalar {
  return numbered(`touch ${JSON.stringify(fields)}`, 1, (v = null) => {
    const rest = decodeFields(v);
    if (rest[0]?.name !== '') return v;
    const kept = rest.map((field) => (fields.includes(field.name) ? { name: field.name, value: NULL } : field));
    const missing = fields.filter((name) => !rest.some((field) => field.name === name));
    return encodeFields([...kept, ...missing.map((name) => ({ name, value: NULL }))]);
  });
}

/**
 * Creates the function that throws Ignite's error for a duplicate key, which the error shows as SQL does. With `notes`,
 * the function returns false instead, and the change throws the error when it has stored its other rows.
 */
export function duplicateFunction(table: EntryTable, notes: boolean): NativeScalar {
  const shownType = table.keySqlType;
  return {
    kind: 'scalar',
    name: `svc duplicate ${notes ? 'noted ' : ''}${table.keyType} ${formatType(shownType)}`,
    numbered: 'statement',
    arity: 1,
    deterministic: false,
    create:
      (context) =>
      (k = null) => {
        const key = shownType.name === 'OTHER' ? showFields(table.keyType, k) : shown(shownType, decode(shownType, k));
        if (!notes) throw sqlFailure('KEYS_EXIST', key);
        const { duplicates } = context;
        // Nothing beyond is shown.
        if (duplicates === undefined) context.duplicates = key;
        else if (duplicates.length < ERROR_CHARACTERS) context.duplicates = `${duplicates}, ${key}`;
        return 0;
      },
  };
}

function showFields(typeName: string, k: StorageValue): string {
  const fields = decodeFields(k).map(
    ({ name, value }) => `${name}=${value.type === 'null' ? 'null' : formatText(value)}`,
  );
  return `${typeName} [${fields.join(', ')}]`;
}

/** Returns its argument and counts a replaced row: an expired one, or one that MERGE replaces. */
export const REPLACED: NativeScalar = {
  kind: 'scalar',
  name: 'svc replaced',
  arity: 1,
  deterministic: false,
  create:
    (context) =>
    (storageValue = null) => {
      context.replacedRows += 1;
      return storageValue;
    },
};

const SCALED: ReadonlySet<SqlTypeName> = new Set<SqlTypeName>(['DECIMAL', 'TIME', 'TIMESTAMP']);

/** Reports whether all data of one type have the same storage values in the other type. */
export function hasSameStorage(from: SqlType, to: SqlType): boolean {
  if (from.name === 'NULL') return true;
  if (to.precision !== undefined && isBounded(to) && (from.precision === undefined || from.precision > to.precision))
    return false;
  if (from.name === to.name) return !SCALED.has(to.name) || to.scale === undefined || from.scale === to.scale;
  if (isIntegerType(to.name)) {
    if (from.name === 'BOOLEAN') return true;
    return isIntegerType(from.name) && width(from) <= width(to);
  }
  if (to.name === 'DOUBLE') return isIntegerType(from.name) || from.name === 'REAL';
  return (
    (to.name === 'VARCHAR' || to.name === 'VARCHAR_IGNORECASE') &&
    (from.name === 'VARCHAR' || from.name === 'CHAR' || from.name === 'VARCHAR_IGNORECASE')
  );
}

function isBounded(type: SqlType): boolean {
  return type.name !== 'DATE' && type.name !== 'TIME' && type.name !== 'TIMESTAMP';
}

const WIDTHS = { TINYINT: 1, SMALLINT: 2, INTEGER: 3, BIGINT: 4 } as const;

function width(type: SqlType): number {
  return type.name in WIDTHS ? WIDTHS[type.name as keyof typeof WIDTHS] : 0;
}
