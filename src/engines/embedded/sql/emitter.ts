/** SQLite text in the making: its bindings, the functions that it needs, and the rules for writing cells. */

import type { Bound } from '../../../sql/binding/bound.ts';
import type { SqlColumn, VirtualTable } from '../../../sql/binding/catalog.ts';
import type { SqlData, SqlType } from '../../../sql/types/sql-types.ts';
import type { Binding } from '../storage/value-storage.ts';
import { type NativeFunction, nativeName } from './native-function.ts';
import { encode, keyOfStorageValue } from './storage-values.ts';

/** What is bound at one place of the text. */
export type Slot =
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
  | { readonly kind: 'storageValue'; readonly storageValue: Binding }
  /** The rows of a table that is made while the statement is bound, as JSON. */
  | { readonly kind: 'rows'; readonly table: VirtualTable };

/** Texts longer than this are bound, not written. */
const MAX_INLINE_TEXT = 200;

export class Emitter {
  readonly slots: Slot[] = [{ kind: 'now' }];
  readonly #functions = new Map<string, NativeFunction>();
  readonly #lookups = new Map<number, readonly Bound[]>();
  /** Slots of arguments that were given a place already. */
  readonly #arguments = new Map<string, string>();

  get functions(): readonly NativeFunction[] {
    return [...this.#functions.values()];
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

  slot(slot: Slot): string {
    this.slots.push(slot);
    return `?${this.slots.length}`;
  }

  argument(index: number, type: SqlType, compared: boolean, key: boolean): string {
    const id = `${index} ${JSON.stringify(type)} ${compared} ${key}`;
    const known = this.#arguments.get(id);
    if (known !== undefined) return known;
    const text = this.slot({ kind: 'argument', index, type, compared, key, column: undefined });
    this.#arguments.set(id, text);
    return text;
  }

  /** An argument that is stored in a column as it is. */
  storedArgument(index: number, column: SqlColumn): string {
    return this.slot({ kind: 'argument', index, type: column.type, compared: false, key: false, column });
  }

  constant(type: SqlType, data: SqlData, key = false): string {
    const storageValue = encode(type, data);
    return this.storageValue(key ? keyOfStorageValue(type, storageValue) : storageValue);
  }

  /** Text of a known cell. */
  storageValue(storageValue: Binding): string {
    if (storageValue === null) return 'NULL';
    if (typeof storageValue === 'bigint')
      return storageValue === -(2n ** 63n) ? '(-9223372036854775807 - 1)' : String(storageValue);
    if (typeof storageValue === 'number' && Number.isSafeInteger(storageValue) && !Object.is(storageValue, -0))
      return String(storageValue);
    if (
      typeof storageValue === 'string' &&
      storageValue.length <= MAX_INLINE_TEXT &&
      !storageValue.includes('\0') &&
      storageValue.isWellFormed()
    ) {
      return textLiteral(storageValue);
    }
    return this.slot({ kind: 'storageValue', storageValue });
  }
}

/** A text as SQLite literal. It must be free of NUL. */
export function textLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
