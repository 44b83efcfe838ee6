/**
 * The SQL types and the TypeScript representation of their values. Functions and conversions work on these values; each
 * engine has a separate representation in storage.
 */
import type { Decimal, Value } from '../../values/value.ts';

export type SqlTypeName =
  | 'NULL'
  | 'UNKNOWN'
  | 'BOOLEAN'
  | 'TINYINT'
  | 'SMALLINT'
  | 'INTEGER'
  | 'BIGINT'
  | 'REAL'
  | 'DOUBLE'
  | 'DECIMAL'
  | 'VARCHAR'
  | 'CHAR'
  | 'VARCHAR_IGNORECASE'
  | 'DATE'
  | 'TIME'
  | 'TIMESTAMP'
  | 'TIMESTAMP_TZ'
  | 'UUID'
  | 'BINARY'
  | 'ARRAY'
  | 'OTHER';

/**
 * A type with its bounds. `precision` counts characters, digits or bytes. `scale` is the number of fractional digits in
 * a DECIMAL, or in the seconds of a TIME, TIMESTAMP or TIMESTAMP_TZ.
 */
export interface SqlType {
  readonly name: SqlTypeName;
  readonly precision?: number | undefined;
  readonly scale?: number | undefined;
  /** Element type of an ARRAY. */
  readonly element?: SqlType | undefined;
  /** Element types of a row, which is an ARRAY, by position, or undefined if all have the type `element`. */
  readonly elements?: readonly SqlType[] | undefined;
  /**
   * Java class in `fieldsMetadata` for an OTHER column (an object, a list, a map), or for a column whose class differs
   * from its type's.
   */
  readonly className?: string | undefined;
  /** For OTHER: whether values of all types occur, including scalars, as the keys and values of entries do. */
  readonly isAny?: true | undefined;
}

/**
 * A value, by type: BOOLEAN boolean; TINYINT..BIGINT bigint; REAL, DOUBLE number; DECIMAL Decimal;
 * VARCHAR, CHAR, VARCHAR_IGNORECASE, UUID string; DATE days (number); TIME milliseconds of the day, with nanoseconds in
 * the fraction (number); TIMESTAMP nanoseconds since the epoch (bigint); TIMESTAMP_TZ string (zoned-timestamp.ts);
 * BINARY Uint8Array; ARRAY an array; OTHER its JSON text (string); NULL null.
 */
export type SqlData = null | boolean | bigint | number | string | Decimal | Uint8Array | readonly SqlData[];

/** The execution context of a function call. */
export interface FunctionEnvironment {
  /** Start of the statement, in milliseconds since the epoch. */
  readonly nowMs: number;
  readonly user: string;
  readonly schema: string;
  /** Returns a number in [0, 1), for RAND and RANDOM_UUID. */
  random(): number;
  /** Derives all subsequent random numbers of the statement from a seed. */
  seed(seed: bigint): void;
  /** Throws when the statement must end. A function that may run longer than a few milliseconds calls it regularly. */
  readonly poll?: () => void;
  /** Returns the value that data of type OTHER represents. Undefined if there is no such data. */
  readonly structure?: (stored: string) => Value;
}

/**
 * The values of the constant arguments, undefined for the others. The types of DATEADD, EXTRACT and DATE_TRUNC depend
 * on the unit, so callers pass the constants to both `argumentTypes` and `result` or to neither.
 */
export type Constants = ReadonlyArray<SqlData | undefined>;

export interface SqlFunction {
  /** Name and aliases, upper case. */
  readonly names: readonly [string, ...string[]];
  readonly group: 'string' | 'numeric' | 'datetime' | 'system' | 'conditional' | 'json';
  readonly minArguments: number;
  /** Infinity for any number. */
  readonly maxArguments: number;
  /**
   * The type to which each argument is converted before the call; the last one applies to all remaining arguments. An
   * argument of type 'any' is not converted. A function, if the types depend on the arguments'.
   */
  readonly argumentTypes:
    | ReadonlyArray<SqlTypeName | 'any'>
    | ((given: readonly SqlType[], constants?: Constants) => ReadonlyArray<SqlTypeName | 'any'>);
  readonly result: SqlType | ((given: readonly SqlType[], constants?: Constants) => SqlType);
  /** True for most functions: the result is NULL if an argument is NULL, and `compute` is not called. */
  readonly nullOnNull: boolean;
  /** False if results may differ from call to call: such calls are neither folded nor indexed. */
  readonly deterministic: boolean;
  /**
   * True if time and result are at most linear in the size of the arguments, with a small factor. Only such calls are
   * folded before the statement runs, or computed on a request thread.
   */
  readonly cheap: boolean;
  /**
   * Computes the result. `args` are converted to `argumentTypes`; `types` are their types after that. Throws SqlFailure
   * with Ignite's text.
   */
  compute(args: readonly SqlData[], types: readonly SqlType[], environment: FunctionEnvironment): SqlData;
  /**
   * Returns a SQLite expression with the same result, or undefined if SQLite has none for these types. The arguments
   * are SQLite expressions over storage values. The result must be exact for every argument, including Unicode.
   */
  emit?(args: readonly string[], types: readonly SqlType[]): string | undefined;
  /** One sentence for the documentation. */
  readonly summary: string;
}

export interface SqlAggregate {
  readonly names: readonly [string, ...string[]];
  /** Like {@link SqlFunction.cheap}, for each row. */
  readonly cheap: boolean;
  readonly minArguments: number;
  readonly maxArguments: number;
  readonly result: (given: readonly SqlType[]) => SqlType;
  /**
   * Returns SQLite aggregates over storage values that are exact for these types, or undefined if there are none. The
   * expression may combine several of them, so a FILTER must be applied to the arguments.
   */
  emit?(args: readonly string[], types: readonly SqlType[], distinct: boolean): string | undefined;
  /** Aggregates values if SQLite cannot. `step` gets no NULL unless `seesNulls` is set. */
  readonly seesNulls?: boolean;
  /** Whether the state holds every value of these types. Defaults to false. */
  holdsValues?(types: readonly SqlType[]): boolean;
  start(types: readonly SqlType[]): AggregateState;
  readonly summary: string;
}

export interface AggregateState {
  step(args: readonly SqlData[]): void;
  finish(): SqlData;
}
