/** Collects the placeholders, functions and literals of an SQLite text while it is being written. */

import { EMBEDDED_BOUNDS, SQL_BOUNDS } from '../../../base/limits.ts';
import { sqlFailure } from '../../../base/sql-errors.ts';
import type { Bound, BoundAggregate, BoundQuery, BoundSelect } from '../../../sql/binding/bound.ts';
import type { SqlColumn, VirtualTable } from '../../../sql/binding/catalog.ts';
import type { SqlData, SqlType } from '../../../sql/types/sql-types.ts';
import type { Binding } from '../storage/value-storage.ts';
import { type NativeFunction, nativeName } from './native-function.ts';
import { comparisonKeyOf, encode } from './storage-values.ts';

/** The source of a placeholder's binding. */
export type Placeholder =
  /** The statement's time in ms. It is always the first placeholder. */
  | { readonly kind: 'now' }
  /**
   * An argument, converted to the type. `key` binds its comparison key; `compared` permits numbers outside the type.
   */
  | {
      readonly kind: 'argument';
      readonly index: number;
      readonly type: SqlType;
      readonly compared: boolean;
      readonly key: boolean;
      /** The column that stores the argument, whose constraints are checked. */
      readonly column: SqlColumn | undefined;
    }
  /** A bound of the strings that a LIKE pattern can match: they range from low to below high. */
  | { readonly kind: 'prefix'; readonly index: number; readonly bound: 'low' | 'high' }
  | { readonly kind: 'constant'; readonly value: Binding }
  /** The rows of a virtual table as JSON, generated when the statement is bound. */
  | { readonly kind: 'rows'; readonly table: VirtualTable };

/** Longer strings are bound instead of written as literals. */
const MAX_INLINE_TEXT = 200;

/** Maximum number of characters of an expression per character of its statement. Most need two or three. */
const MAX_GROWTH = 16;

/** Maximum number of functions in a statement that each need a separate number. */
const MAX_FUNCTIONS = EMBEDDED_BOUNDS.sqlFunctions;

/** The result of a query: its columns, or their comparison keys for IN and ALL. */
export type QueryForm = 'values' | 'keys';

/** Writes a query as SQLite text. */
export type EmitQuery = (query: BoundQuery, out: Emitter, form: QueryForm) => string;

export class Emitter {
  readonly #emitQuery: EmitQuery;
  readonly #maxCharacters: number;
  readonly placeholders: Placeholder[] = [{ kind: 'now' }];
  readonly #functions = new Map<string, NativeFunction>();
  readonly #lookups = new Map<number, readonly Bound[]>();
  /** Single-row sources that keep aggregates in the query in which they are written, by query and aggregate. */
  readonly #pins = new Map<BoundSelect | BoundAggregate, string>();
  /** The placeholders of arguments, which occur only once. */
  readonly #arguments = new Map<string, string>();

  /** Number of tables that the text reads, counting each occurrence. */
  tableReads = 0;

  /** `emitQuery` writes the subqueries in expressions of a statement that has `characters`. */
  constructor(emitQuery: EmitQuery, characters: number) {
    this.#emitQuery = emitQuery;
    this.#maxCharacters = Math.max(characters * MAX_GROWTH, SQL_BOUNDS.emittedCharacters);
  }

  get functions(): readonly NativeFunction[] {
    return [...this.#functions.values()];
  }

  /** Returns the text of an expression. Throws for one that is too long: some operators repeat their operands. */
  bounded(text: string): string {
    if (text.length > this.#maxCharacters) throw sqlFailure('TOO_COMPLEX');
    return text;
  }

  /** Returns the text of a subquery. */
  query(query: BoundQuery, form: QueryForm): string {
    return this.#emitQuery(query, this, form);
  }

  /** Records the known values of composite keys by the id of the table's source. */
  noteLookups(lookups: ReadonlyMap<number, readonly Bound[]>): void {
    for (const [id, values] of lookups) this.#lookups.set(id, values);
  }

  lookup(id: number): readonly Bound[] | undefined {
    return this.#lookups.get(id);
  }

  /** Keeps aggregates in the query in which they are written, because their arguments read a source of it. */
  pin(select: BoundSelect, aggregates: readonly BoundAggregate[]): void {
    if (aggregates.length === 0) return;
    const name = `pin${this.#pins.size}`;
    for (const pinned of [select, ...aggregates]) this.#pins.set(pinned, name);
  }

  /** Returns the source that was added for a query or an aggregate; it has one column, `own`, which is 0. */
  pinOf(pinned: BoundSelect | BoundAggregate): string | undefined {
    return this.#pins.get(pinned);
  }

  /** Returns the text of a call to a native function, and records that the function is needed. */
  call(native: NativeFunction, args: readonly string[]): string {
    this.need(native);
    return `${nativeName(native)}(${args.join(', ')})`;
  }

  need(native: NativeFunction): void {
    this.#functions.set(native.name, native);
    if (this.#functions.size > MAX_FUNCTIONS) throw sqlFailure('TOO_MANY_FUNCTIONS', MAX_FUNCTIONS);
  }

  bind(placeholder: Placeholder): string {
    this.placeholders.push(placeholder);
    return `?${this.placeholders.length}`;
  }

  argument(index: number, type: SqlType, compared: boolean, key: boolean): string {
    const id = `${index} ${JSON.stringify(type)} ${compared} ${key}`;
    const known = this.#arguments.get(id);
    if (known !== undefined) return known;
    const text = this.bind({ kind: 'argument', index, type, compared, key, column: undefined });
    this.#arguments.set(id, text);
    return text;
  }

  /** Returns the placeholder of an argument that is stored in a column. */
  storedArgument(index: number, column: SqlColumn): string {
    return this.bind({ kind: 'argument', index, type: column.type, compared: false, key: false, column });
  }

  constant(type: SqlType, data: SqlData, key = false): string {
    const value = encode(type, data);
    return this.literal(key ? comparisonKeyOf(type, value) : value);
  }

  /** Returns the text of a known storage value: a literal, or a placeholder. */
  literal(value: Binding): string {
    if (value === null) return 'NULL';
    if (typeof value === 'bigint') return value === -(2n ** 63n) ? '(-9223372036854775807 - 1)' : String(value);
    if (typeof value === 'number' && Number.isSafeInteger(value) && !Object.is(value, -0)) return String(value);
    if (typeof value === 'string' && value.length <= MAX_INLINE_TEXT && !value.includes('\0') && value.isWellFormed()) {
      return textLiteral(value);
    }
    return this.bind({ kind: 'constant', value });
  }
}

/** Returns a string as an SQLite literal. The string must not contain NUL. */
export function textLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
