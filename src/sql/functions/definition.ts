/** How the functions of the dialect are declared, and how their arguments are read. */
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

/** A declaration in which what most functions have in common may be left out. */
export interface FunctionSketch {
  readonly names: readonly [string, ...string[]];
  /** One number: exactly so many. Two: at least, at most. */
  readonly count: number | readonly [number, number];
  readonly takes?: SqlFunction['argumentTypes'];
  readonly gives: SqlFunction['result'];
  /** False: NULLs reach `compute`. */
  readonly nullOnNull?: boolean;
  readonly deterministic?: boolean;
  readonly cheap: SqlFunction['cheap'];
  readonly emit?: SqlFunction['emit'];
  readonly summary: string;
  compute(call: Call): SqlData;
}

/** One call: its arguments, already converted, with readers that know what the declaration promised. */
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

  /** Whether the argument was given and is not NULL. */
  has(index: number): boolean {
    return this.data(index) !== null;
  }

  /** NULL where the argument was not given. */
  data(index: number): SqlData {
    return this.args[index] ?? null;
  }

  type(index: number): SqlType {
    return this.types[index] ?? NULL;
  }

  text(index: number): string {
    const data = this.data(index);
    return typeof data === 'string' ? data : mismatch(data, 'a text');
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

/** An argument that its declared type rules out: a defect of the caller, never of the statement. */
function mismatch(data: SqlData, wanted: string): never {
  throw new TypeError(`${wanted} was promised, got ${data === null ? 'NULL' : typeof data}`);
}

export type FunctionGroup = SqlFunction['group'];

/** Completes sketches of one group. */
export function defineFunctions(group: FunctionGroup, sketches: readonly FunctionSketch[]): readonly SqlFunction[] {
  return sketches.map((sketch) => {
    const [minArguments, maxArguments] = typeof sketch.count === 'number' ? [sketch.count, sketch.count] : sketch.count;
    return {
      names: sketch.names,
      group,
      minArguments,
      maxArguments,
      argumentTypes: sketch.takes ?? [],
      result: sketch.gives,
      nullOnNull: sketch.nullOnNull ?? true,
      deterministic: sketch.deterministic ?? true,
      cheap: sketch.cheap,
      compute: (args, types, environment) => sketch.compute(new Call(args, types, environment)),
      ...(sketch.emit === undefined ? {} : { emit: sketch.emit }),
      summary: sketch.summary,
    };
  });
}

/** Whether all arguments are known before the statement runs. */
export function isConstantCall(given: readonly SqlType[], constants: Constants | undefined): boolean {
  return constants !== undefined && given.every((_, at) => constants[at] !== undefined);
}

/** Functions that Ignite declares INTEGER, though what they calculate is a BIGINT: constants show it. */
export function integerOfLong(given: readonly SqlType[], constants: Constants | undefined): SqlType {
  return isConstantCall(given, constants) ? BIGINT : INTEGER;
}

/** Type of the argument at `index`; the last of the list stands for all further ones, 'any' where there is none. */
export function argumentTypeAt(types: ReadonlyArray<SqlTypeName | 'any'>, index: number): SqlTypeName | 'any' {
  return types[index] ?? types.at(-1) ?? 'any';
}
