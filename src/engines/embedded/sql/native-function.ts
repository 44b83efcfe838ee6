/**
 * Registers functions that have no exact counterpart in SQLite. The name of each includes everything that its result
 * depends on, so that a connection registers it once.
 */
import type { Database } from 'bun:sqlite';
import type { FunctionEnvironment } from '../../../sql/types/sql-types.ts';
import type { Binding, StorageValue } from '../storage/value-storage.ts';

/** The state that registered functions can access while a statement of their connection runs. */
export interface ExecutionContext {
  environment: FunctionEnvironment;
  /** Called repeatedly by statements that read many rows. Throws to end the statement. */
  poll: () => void;
  /** The number of stored rows that the running change has replaced. */
  replacedRows: number;
}

export interface NativeScalar {
  readonly kind: 'scalar';
  readonly name: string;
  /** Number of arguments; undefined: any. */
  readonly arity: number | undefined;
  readonly deterministic: boolean;
  readonly create: (context: ExecutionContext) => (...storageValues: StorageValue[]) => Binding;
}

/** The state of an aggregate over a group or a window. */
export interface NativeFold {
  step(storageValues: readonly StorageValue[]): void;
  finish(): Binding;
}

export interface NativeAggregate {
  readonly kind: 'aggregate';
  readonly name: string;
  readonly arity: number;
  readonly start: () => NativeFold;
}

export type NativeFunction = NativeScalar | NativeAggregate;

/** SQLite limits function names to 255 bytes. Longer names are truncated and end in a hash of the whole. */
const MAX_NAME = 180;

function registeredName(name: string): string {
  if (name.length <= MAX_NAME && !/[^ -~]/.test(name)) return name;
  const hash = new Bun.CryptoHasher('sha256').update(name).digest('hex');
  return `${name.slice(0, MAX_NAME / 2).replaceAll(/[^ -~]/g, '_')} ${hash}`;
}

/** Returns the quoted name for SQLite text. */
export function nativeName(name: string): string {
  return `"${registeredName(name).replaceAll('"', '""')}"`;
}

/** Aggregates the rows of a window. It recomputes the result only after a row has left. */
class WindowFold {
  readonly #start: () => NativeFold;
  readonly #rows: Array<readonly StorageValue[]> = [];
  #left = 0;
  #fold: NativeFold | undefined;

  constructor(start: () => NativeFold) {
    this.#start = start;
  }

  enter(storageValues: readonly StorageValue[]): void {
    this.#rows.push(storageValues);
    this.#fold?.step(storageValues);
  }

  /** Removes the oldest row. */
  leave(): void {
    this.#left += 1;
    this.#fold = undefined;
    if (this.#left > 1000 && this.#left * 2 > this.#rows.length) {
      this.#rows.splice(0, this.#left);
      this.#left = 0;
    }
  }

  finish(): Binding {
    if (this.#fold === undefined) {
      this.#fold = this.#start();
      for (let at = this.#left; at < this.#rows.length; at++) this.#fold.step(this.#rows[at] ?? []);
    }
    return this.#fold.finish();
  }
}

/** Registers functions with one connection. */
export class FunctionRegister {
  readonly #database: Database;
  readonly #names = new Set<string>();
  /** Set before each statement is run. */
  readonly context: ExecutionContext;

  constructor(database: Database, context: ExecutionContext) {
    this.#database = database;
    this.context = context;
  }

  /** Registers the functions that are missing. Must be called before a statement that calls them is prepared. */
  ensure(functions: readonly NativeFunction[]): void {
    for (const each of functions) {
      if (this.#names.has(each.name)) continue;
      if (each.kind === 'scalar') this.#registerScalar(each);
      else this.#registerAggregate(each);
      this.#names.add(each.name);
    }
  }

  #registerScalar({ name: fullName, arity, deterministic, create }: NativeScalar): void {
    const name = registeredName(fullName);
    const run = create(this.context);
    const options = { deterministic };
    switch (arity) {
      case 0:
        this.#database.function(name, options, () => run());
        break;
      case 1:
        this.#database.function(name, options, (a: StorageValue) => run(a));
        break;
      case 2:
        this.#database.function(name, options, (a: StorageValue, b: StorageValue) => run(a, b));
        break;
      case 3:
        this.#database.function(name, options, (a: StorageValue, b: StorageValue, c: StorageValue) => run(a, b, c));
        break;
      default:
        this.#database.function(name, { ...options, varargs: true }, (...storageValues: StorageValue[]) =>
          run(...storageValues),
        );
    }
  }

  #registerAggregate({ name, start }: NativeAggregate): void {
    this.#database.aggregate<NativeFold>(registeredName(name), {
      varargs: true,
      start,
      step: (fold, ...storageValues: StorageValue[]) => {
        fold.step(storageValues);
      },
      result: (fold) => fold.finish(),
    });
    this.#database.aggregate<WindowFold>(registeredName(windowName(name)), {
      varargs: true,
      start: () => new WindowFold(start),
      step: (fold, ...storageValues: StorageValue[]) => fold.enter(storageValues),
      inverse: (fold) => fold.leave(),
      result: (fold) => fold.finish(),
    });
  }
}

/** Returns the name of an aggregate's window function. */
export function windowName(name: string): string {
  return `${name} over`;
}
