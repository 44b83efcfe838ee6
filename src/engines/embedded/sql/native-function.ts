/**
 * Registers functions without an exact equivalent in SQLite. Each one's name includes everything that its result
 * depends on. A connection cannot forget a function, and users can cause any number of them, because column names and
 * type bounds are part of the names. So SQLite knows each by a number, which a later function takes over.
 */

import type { Database } from 'bun:sqlite';
import { LRUCache } from 'lru-cache';
import { EMBEDDED_BOUNDS, ERROR_CHARACTERS } from '../../../base/limits.ts';
import { LARGE_CHARACTERS } from '../../../base/slices.ts';
import type { FunctionEnvironment, SqlType } from '../../../sql/types/sql-types.ts';
import type { Binding, StorageValue } from '../storage/value-storage.ts';

/** The state that registered functions can access while a statement of their connection runs. */
export interface ExecutionContext {
  environment: FunctionEnvironment;
  /** Called repeatedly by statements that read many rows. Throws to end the statement. */
  poll: () => void;
  /** Called before a large string is read, if defined. May throw to leave it to others. */
  beginLarge?: () => void;
  /** Throws QUERY_MEMORY if the statement may not use this many bytes; if undefined, it may. */
  checkMemory?: (bytes: number) => void;
  /** The number of stored rows that the running change has replaced. */
  replacedRows: number;
  /**
   * The keys that the running INSERT found in the table and did not store, as an error shows them, or undefined if
   * none.
   */
  duplicates: string | undefined;
}

/** Records a key that an INSERT found and did not store. */
export function noteDuplicate(context: Pick<ExecutionContext, 'duplicates'>, key: string): void {
  const { duplicates } = context;
  // Nothing beyond this is shown.
  if (duplicates === undefined) context.duplicates = key;
  else if (duplicates.length < ERROR_CHARACTERS) context.duplicates = `${duplicates}, ${key}`;
}

export interface NativeScalar {
  readonly kind: 'scalar';
  readonly name: string;
  /** Number of arguments, or undefined for any. */
  readonly arity: number | undefined;
  readonly deterministic: boolean;
  readonly create: (context: ExecutionContext) => (...storageValues: StorageValue[]) => Binding;
  readonly numbered?: Numbered | undefined;
}

/**
 * Whether SQLite knows a function by a number instead of its name, because users can cause any number of its kind.
 * Functions that a statement calls and those that write its result have separate numbers, because they are numbered at
 * different times.
 */
export type Numbered = 'statement' | 'result';

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
  readonly numbered?: Numbered | undefined;
}

export type NativeFunction = NativeScalar | NativeAggregate;

/**
 * Assigns numbers to functions. Once all are assigned, the least recently used number passes to a new function. A
 * function keeps its number, and with it the statement written with it.
 */
class FunctionNumbers {
  readonly #max: number;
  /** Numbers by function name. */
  readonly #numbers: LRUCache<string, number>;
  /** The names by which SQLite knows the functions of statements. */
  readonly #registered = new WeakMap<NativeFunction, string>();
  #free: number | undefined;

  constructor(max: number) {
    this.#max = max;
    this.#numbers = new LRUCache({
      max,
      dispose: (number, _, reason) => {
        if (reason === 'evict') this.#free = number;
      },
    });
  }

  registeredName(native: NativeFunction): string {
    if (native.numbered === undefined) return native.name;
    let registered = this.#registered.get(native);
    if (registered === undefined) {
      registered = `svc ${native.numbered} ${formOf(native)} ${this.#numberOf(native.name)}`;
      this.#registered.set(native, registered);
    }
    return registered;
  }

  #numberOf(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const next = this.#numbers.size;
    // Keeps the number of an evicted name.
    this.#numbers.set(name, next);
    if (next < this.#max) return next;
    const number = this.#free ?? next;
    this.#numbers.set(name, number);
    return number;
  }
}

/** SQLite distinguishes functions with the same name by their number of arguments, and prefers an exact match. */
function formOf(native: NativeFunction): string {
  if (native.kind === 'aggregate') return 'aggregate';
  return native.arity === undefined || native.arity > MAX_NAMED_ARGUMENTS ? 'n' : String(native.arity);
}

/** Maximum number of arguments for which a function is registered exactly. */
const MAX_NAMED_ARGUMENTS = 3;

const numbers = new FunctionNumbers(EMBEDDED_BOUNDS.sqlFunctions);

/** Returns the name by which SQLite knows the function. */
function registeredName(native: NativeFunction): string {
  return numbers.registeredName(native);
}

/** Returns the quoted name for SQLite text. The statement must be run with this object among its functions. */
export function nativeName(native: NativeFunction): string {
  return `"${registeredName(native)}"`;
}

/** Number of rows that have left a window before they are removed together. */
const KEPT_ROWS = 64;

/** Aggregates the rows of a window. It recomputes the result only after a row has left. */
class WindowFold {
  readonly #start: () => NativeFold;
  #rows: Array<readonly StorageValue[]> = [];
  /** The number of rows that have left, counted from the first. */
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
    this.#fold = undefined;
    if (++this.#left < KEPT_ROWS || this.#left * 2 < this.#rows.length) return;
    this.#rows = this.#rows.slice(this.#left);
    this.#left = 0;
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
  /** The names of functions by those that SQLite knows. */
  readonly #names = new Map<string, string>();
  /** For the functions of a statement, the number of replacements after which all of them were registered. */
  readonly #ready = new WeakMap<readonly NativeFunction[], number>();
  /** How often a function has taken over the number of another. */
  replaced = 0;
  /** Set before each statement is run. */
  readonly context: ExecutionContext;

  constructor(database: Database, context: ExecutionContext) {
    this.#database = database;
    this.context = context;
  }

  /**
   * Registers missing functions. Call it before preparing a statement that calls them, and before each of its runs. No
   * other statement of the connection may be running.
   */
  ensure(functions: readonly NativeFunction[]): void {
    if (functions.length === 0 || this.#ready.get(functions) === this.replaced) return;
    for (const each of functions) {
      const name = registeredName(each);
      const known = this.#names.get(name);
      if (known === each.name) continue;
      if (known !== undefined) this.replaced++;
      if (each.kind === 'scalar') this.#registerScalar(name, each);
      else this.#registerAggregate(name, each);
      this.#names.set(name, each.name);
    }
    this.#ready.set(functions, this.replaced);
  }

  #registerScalar(name: string, { arity, deterministic, create }: NativeScalar): void {
    const run = create(this.context);
    const note = (storageValue: Binding): void => {
      if (typeof storageValue === 'string' && storageValue.length > LARGE_CHARACTERS) this.context.beginLarge?.();
    };
    const options = { deterministic };
    switch (arity) {
      case 0:
        this.#database.function(name, options, () => run());
        break;
      case 1:
        this.#database.function(name, options, (a: StorageValue) => {
          note(a);
          return run(a);
        });
        break;
      case 2:
        this.#database.function(name, options, (a: StorageValue, b: StorageValue) => {
          note(a);
          note(b);
          return run(a, b);
        });
        break;
      case 3:
        this.#database.function(name, options, (a: StorageValue, b: StorageValue, c: StorageValue) => {
          note(a);
          note(b);
          note(c);
          return run(a, b, c);
        });
        break;
      default:
        this.#database.function(name, { ...options, varargs: true }, (...storageValues: StorageValue[]) => {
          storageValues.forEach(note);
          return run(...storageValues);
        });
    }
  }

  #result(fold: Pick<NativeFold, 'finish'>): Binding {
    // SQLite also asks for the results of an interrupted statement, and ignores them.
    this.context.poll();
    return fold.finish();
  }

  #registerAggregate(name: string, { start }: NativeAggregate): void {
    this.#database.aggregate<NativeFold>(name, {
      varargs: true,
      start,
      step: (fold, ...storageValues: StorageValue[]) => fold.step(storageValues),
      result: (fold) => this.#result(fold),
    });
    this.#database.aggregate<WindowFold>(windowName(name), {
      varargs: true,
      start: () => new WindowFold(start),
      step: (fold, ...storageValues: StorageValue[]) => {
        fold.enter(storageValues);
      },
      inverse: (fold) => fold.leave(),
      result: (fold) => this.#result(fold),
    });
  }
}

/** Returns the quoted name of an aggregate's window function. */
export function nativeWindowName(aggregate: NativeAggregate): string {
  return `"${windowName(registeredName(aggregate))}"`;
}

function windowName(name: string): string {
  return `${name} over`;
}

/** Returns a function whose result depends only on its arguments. */
export function pure(
  name: string,
  arity: number | undefined,
  run: (...storageValues: StorageValue[]) => Binding,
): NativeScalar {
  return { kind: 'scalar', name: `svc ${name}`, arity, deterministic: true, create: () => run };
}

/** The same for functions whose names contain users' names, types with bounds, or constants. */
export function numbered(
  name: string,
  arity: number | undefined,
  run: (...storageValues: StorageValue[]) => Binding,
): NativeScalar {
  return { ...pure(name, arity, run), numbered: 'statement' };
}

/** Returns a type's name with its bounds, as part of a function's name. */
export function formatType(type: SqlType): string {
  const bounds = [type.precision, type.scale].map((bound) => bound ?? '').join(',');
  const of = type.elements ?? (type.element === undefined ? [] : [type.element]);
  const element = of.length === 0 ? '' : ` of ${of.map(formatType).join(' and ')}`;
  return `${type.isAny === true ? 'ANY' : type.name}${bounds === ',' ? '' : `(${bounds})`}${element}`;
}
