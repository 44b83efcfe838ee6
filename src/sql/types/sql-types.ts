/**
 * The types of the SQL dialect and how a datum of each stands in TypeScript. How an engine
 * stores it is the matter of that engine; functions and conversions work on data only.
 */
import type { Decimal } from '../../values/value.ts';

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
  | 'UUID'
  | 'BINARY'
  | 'ARRAY'
  | 'OTHER';

/**
 * A type with its bounds. `precision` counts characters, digits or bytes; `scale` are the digits after the point of a
 * DECIMAL, or of the second of a TIME or TIMESTAMP.
 */
export interface SqlType {
  readonly name: SqlTypeName;
  readonly precision?: number | undefined;
  readonly scale?: number | undefined;
  /** Element type of an ARRAY. */
  readonly element?: SqlType | undefined;
  /**
   * Java class that `fieldsMetadata` shows: of an OTHER column (an object, a list, a map), or where it is not the
   * type's own.
   */
  readonly className?: string | undefined;
}

/**
 * A datum by type: BOOLEAN boolean; TINYINT..BIGINT bigint; REAL, DOUBLE number; DECIMAL Decimal;
 * VARCHAR, CHAR, VARCHAR_IGNORECASE, UUID string; DATE days (number); TIME milliseconds of the day (number);
 * TIMESTAMP nanoseconds since the epoch (bigint); BINARY Uint8Array; ARRAY an array; OTHER its JSON text (string);
 * NULL null.
 */
export type SqlData = null | boolean | bigint | number | string | Decimal | Uint8Array | readonly SqlData[];

/** What a function may ask of its surroundings. */
export interface FunctionEnvironment {
  /** Time at which the statement began, ms since the epoch. */
  readonly nowMs: number;
  readonly user: string;
  readonly schema: string;
  /** For RAND and the like: a number in [0, 1). */
  random(): number;
  /** Functions that may take longer than some milliseconds call it now and then; throws to end the statement. */
  readonly poll?: () => void;
}

/**
 * Data of the arguments that are constant, undefined for the others. DATEADD, EXTRACT and DATE_TRUNC decide by the
 * unit: they
 * must get them in `argumentTypes` and `result` alike, or in neither.
 */
export type Constants = ReadonlyArray<SqlData | undefined>;

export interface SqlFunction {
  /** Name and aliases, upper case. */
  readonly names: readonly [string, ...string[]];
  readonly group: 'string' | 'numeric' | 'datetime' | 'system' | 'conditional';
  readonly minArguments: number;
  /** Infinity: any number. */
  readonly maxArguments: number;
  /**
   * Type that each argument is converted to before the call; the last one stands for all further arguments;
   * 'any': taken as it is. A function decides by the given types.
   */
  readonly argumentTypes:
    | ReadonlyArray<SqlTypeName | 'any'>
    | ((given: readonly SqlType[], constants?: Constants) => ReadonlyArray<SqlTypeName | 'any'>);
  readonly result: SqlType | ((given: readonly SqlType[], constants?: Constants) => SqlType);
  /** True (the rule): NULL when any argument is NULL, without a call. */
  readonly nullOnNull: boolean;
  /** False: may differ from call to call, so it is neither folded nor indexed. */
  readonly deterministic: boolean;
  /**
   * Whether a call takes a time, and gives a result, at most linear in the size of its arguments, with a small factor.
   * Only such calls are computed before the statement runs, or on a thread that answers requests.
   */
  readonly cheap: boolean;
  /**
   * The datum of the call: `args` converted to `argumentTypes`, `types` their types then. Throws {@link SqlFailure}
   * with Ignite's text.
   */
  compute(args: readonly SqlData[], types: readonly SqlType[], environment: FunctionEnvironment): SqlData;
  /**
   * SQLite text that gives the same result natively (arguments are SQLite expressions over cells), undefined where
   * there is none for these types. Only where it is exact for every argument, Unicode included.
   */
  emit?(args: readonly string[], types: readonly SqlType[]): string | undefined;
  /** One sentence for the documentation. */
  readonly summary: string;
}

export interface SqlAggregate {
  readonly names: readonly [string, ...string[]];
  /** As {@link SqlFunction.cheap}, for each row. */
  readonly cheap: boolean;
  readonly minArguments: number;
  readonly maxArguments: number;
  readonly result: (given: readonly SqlType[]) => SqlType;
  /**
   * Native SQLite aggregates over cells where they are exact for these types, undefined else. The text may be an
   * expression
   * over several of them, so a FILTER goes into the arguments.
   */
  emit?(args: readonly string[], types: readonly SqlType[], distinct: boolean): string | undefined;
  /** A fold over data, for what SQLite has not. NULLs are left out before `step` unless `seesNulls`. */
  readonly seesNulls?: boolean;
  start(types: readonly SqlType[]): AggregateState;
  readonly summary: string;
}

export interface AggregateState {
  step(args: readonly SqlData[]): void;
  finish(): SqlData;
}
