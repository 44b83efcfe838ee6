/** Declares the functions of the dialect, and provides access to their arguments. */
import type { Decimal } from '../../values/value.ts';
import { isDecimal } from '../types/decimal.ts';
import type { Constants, FunctionEnvironment, SqlData, SqlFunction, SqlType, SqlTypeName } from '../types/sql-types.ts';

export const BOOLEAN: SqlType = { name: 'BOOLEAN' };
export const INTEGER: SqlType = { name: 'INTEGER' };
export const BIGINT: SqlType = { name: 'BIGINT' };
export const DOUBLE: SqlType = { name: 'DOUBLE' };
export const DECIMAL: SqlType = { name: 'DECIMAL' };
export const VARCHAR: SqlType = { name: 'VARCHAR' };
export const BINARY: SqlType = { name: 'BINARY' };
export const UUID: SqlType = { name: 'UUID' };
export const DATE: SqlType = { name: 'DATE' };
export const TIME: SqlType = { name: 'TIME' };
export const TIMESTAMP: SqlType = { name: 'TIMESTAMP' };
export const NULL: SqlType = { name: 'NULL' };

/** The declaration of a function, with defaults that suit most functions. */
export interface FunctionDeclaration {
  readonly names: readonly [string, ...string[]];
  /** Number of arguments: exact, or minimum and maximum. */
  readonly count: number | readonly [number, number];
  readonly argumentTypes?: SqlFunction['argumentTypes'];
  readonly result: SqlFunction['result'];
  /** Default true: the result is NULL if an argument is. False: NULLs reach `compute`. */
  readonly nullOnNull?: boolean;
  readonly deterministic?: boolean;
  /** Default true: see {@link SqlFunction.cheap}. */
  readonly cheap?: false;
  readonly emit?: SqlFunction['emit'];
  readonly summary: string;
  compute(call: Call): SqlData;
}

/** A function call: its converted arguments, with typed access to them. */
export class Call {
  readonly args: readonly SqlData[];
  readonly types: readonly SqlType[];
  readonly environment: FunctionEnvironment;

  constructor(args: readonly SqlData[], types: readonly SqlType[], environment: FunctionEnvironment) {
    this.args = args;
    this.types = types;
    this.environment = environment;
  }

  get count(): number {
    return this.args.length;
  }

  /** Reports whether the argument is present and not NULL. */
  has(index: number): boolean {
    return this.data(index) !== null;
  }

  /** Returns the argument, or NULL if it is absent. */
  data(index: number): SqlData {
    return this.args[index] ?? null;
  }

  type(index: number): SqlType {
    return this.types[index] ?? NULL;
  }

  text(index: number): string {
    const data = this.data(index);
    return typeof data === 'string' ? data : mismatch(data, 'a string');
  }

  double(index: number): number {
    const data = this.data(index);
    return typeof data === 'number' ? data : mismatch(data, 'a number');
  }

  long(index: number): bigint {
    const data = this.data(index);
    return typeof data === 'bigint' ? data : mismatch(data, 'a whole number');
  }

  integer(index: number): number {
    return Number(this.long(index));
  }

  boolean(index: number): boolean {
    const data = this.data(index);
    return typeof data === 'boolean' ? data : mismatch(data, 'a boolean');
  }

  bytes(index: number): Uint8Array {
    const data = this.data(index);
    return data instanceof Uint8Array ? data : mismatch(data, 'bytes');
  }

  decimal(index: number): Decimal {
    const data = this.data(index);
    return isDecimal(data) ? data : mismatch(data, 'a decimal');
  }
}

/** Throws for an argument that does not have its declared type: a defect in the caller, never in the statement. */
function mismatch(data: SqlData, wanted: string): never {
  throw new TypeError(`expected ${wanted}, got ${data === null ? 'NULL' : typeof data}`);
}

/** Declares a function without arguments. */
export function withoutArguments(
  names: FunctionDeclaration['names'],
  result: SqlType,
  summary: string,
  compute: (environment: FunctionEnvironment) => SqlData,
  deterministic = true,
): FunctionDeclaration {
  return { names, count: 0, result, deterministic, summary, compute: ({ environment }) => compute(environment) };
}

/** Declares a function that converts a string. */
export function ofText(
  names: FunctionDeclaration['names'],
  summary: string,
  apply: (text: string, environment: FunctionEnvironment) => string,
  cheap?: false,
): FunctionDeclaration {
  return {
    names,
    count: 1,
    argumentTypes: ['VARCHAR'],
    result: VARCHAR,
    ...(cheap !== undefined && { cheap }),
    summary,
    compute: (call) => apply(call.text(0), call.environment),
  };
}

export type FunctionGroup = SqlFunction['group'];

/** Completes the declarations of one group. */
export function defineFunctions(
  group: FunctionGroup,
  declarations: readonly FunctionDeclaration[],
): readonly SqlFunction[] {
  return declarations.map((declaration) => {
    const [minArguments, maxArguments] =
      typeof declaration.count === 'number' ? [declaration.count, declaration.count] : declaration.count;
    return {
      names: declaration.names,
      group,
      minArguments,
      maxArguments,
      argumentTypes: declaration.argumentTypes ?? [],
      result: declaration.result,
      nullOnNull: declaration.nullOnNull ?? true,
      deterministic: declaration.deterministic ?? true,
      cheap: declaration.cheap ?? true,
      compute: (args, types, environment) => declaration.compute(new Call(args, types, environment)),
      ...(declaration.emit === undefined ? {} : { emit: declaration.emit }),
      summary: declaration.summary,
    };
  });
}

/** Equal values of these types have different storage values: 1.5 and 1.50 differ. */
const AMBIGUOUS: ReadonlySet<SqlTypeName> = new Set(['DECIMAL', 'VARCHAR_IGNORECASE', 'ARRAY', 'OTHER']);

/** Reports whether equal values have equal storage values, so that SQLite can compare them. */
export function hasExactStorageValues({ name }: SqlType): boolean {
  return !AMBIGUOUS.has(name);
}

/** Reports whether all arguments are constants. */
export function isConstantCall(given: readonly SqlType[], constants: Constants | undefined): boolean {
  return constants !== undefined && given.every((_, at) => constants[at] !== undefined);
}

/** The type of functions that Ignite declares INTEGER but computes as BIGINT, which shows for constants. */
export function integerOfLong(given: readonly SqlType[], constants: Constants | undefined): SqlType {
  return isConstantCall(given, constants) ? BIGINT : INTEGER;
}

/** Returns the type of the argument at `index`. The last type applies to all later arguments; without types, 'any'. */
export function argumentTypeAt(types: ReadonlyArray<SqlTypeName | 'any'>, index: number): SqlTypeName | 'any' {
  return types[index] ?? types.at(-1) ?? 'any';
}
