/** SQLite text in the making: its bindings, the functions that it needs, and the rules for writing cells. */

import type { Bound, BoundQuery } from '../../../sql/binding/bound.ts';
import type { SqlColumn, VirtualTable } from '../../../sql/binding/catalog.ts';
import type { SqlData, SqlType } from '../../../sql/types/sql-types.ts';
import type { Binding } from '../storage/value-storage.ts';
import { type NativeFunction, nativeName } from './native-function.ts';
import { comparisonKeyOf, encode } from './storage-values.ts';

/** What is bound at one place of the text. */
export type Placeholder =
  /** The time of the statement in ms. Always the first. */
  | { readonly kind: 'now' }
  /**
   * An argument, converted to the type; `key`: its comparison key; `compared`: a typed number need not fit the type.
   */
  | {
      readonly kind: 'argument';
      readonly index: number;
      readonly type: SqlType;
      readonly compared: boolean;
      readonly key: boolean;
      /** The column that the argument is stored in: checked for what it may hold. */
      readonly column: SqlColumn | undefined;
    }
  /** Bound of the texts that can match an argument which is a pattern of LIKE: they lie from low to below high. */
  | { readonly kind: 'prefix'; readonly index: number; readonly bound: 'low' | 'high' }
  | { readonly kind: 'constant'; readonly value: Binding }
  /** The rows of a table that is made while the statement is bound, as JSON. */
  | { readonly kind: 'rows'; readonly table: VirtualTable };

/** Texts longer than this are bound, not written. */
const MAX_INLINE_TEXT = 200;

/** Whether a query returns its columns, or their comparison keys for IN and ALL. */
export type QueryForm = 'values' | 'keys';

/** Writes a query as SQLite text. */
export type EmitQuery = (query: BoundQuery, out: Emitter, form: QueryForm) => string;

export class Emitter {
  readonly #emitQuery: EmitQuery;
  readonly placeholders: Placeholder[] = [{ kind: 'now' }];
  readonly #functions = new Map<string, NativeFunction>();
  readonly #lookups = new Map<number, readonly Bound[]>();
  /** Slots of arguments that were given a place already. */
  readonly #arguments = new Map<string, string>();

  /** `emitQuery` writes the subqueries of expressions. */
  constructor(emitQuery: EmitQuery) {
    this.#emitQuery = emitQuery;
  }

  get functions(): readonly NativeFunction[] {
    return [...this.#functions.values()];
  }

  /** Returns the text of a subquery. */
  query(query: BoundQuery, form: QueryForm): string {
    return this.#emitQuery(query, this, form);
  }

  /** The values of composite keys that are known, by id of the table's source. */
  noteLookups(lookups: ReadonlyMap<number, readonly Bound[]>): void {
    for (const [id, values] of lookups) this.#lookups.set(id, values);
  }

  lookup(id: number): readonly Bound[] | undefined {
    return this.#lookups.get(id);
  }

  /** Text of a call of a native function. */
  call(native: NativeFunction, args: readonly string[]): string {
    this.#functions.set(native.name, native);
    return `${nativeName(native.name)}(${args.join(', ')})`;
  }

  need(native: NativeFunction): void {
    this.#functions.set(native.name, native);
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

  /** An argument that is stored in a column as it is. */
  storedArgument(index: number, column: SqlColumn): string {
    return this.bind({ kind: 'argument', index, type: column.type, compared: false, key: false, column });
  }

  constant(type: SqlType, data: SqlData, key = false): string {
    const value = encode(type, data);
    return this.literal(key ? comparisonKeyOf(type, value) : value);
  }

  /** Text of a known cell. */
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

/** A text as SQLite literal. It must be free of NUL. */
export function textLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
