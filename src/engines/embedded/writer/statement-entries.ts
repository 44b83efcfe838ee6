/** Stores the entries of statements over a cache's entries, as puts do. */
import { sqlFailure } from '../../../base/sql-errors.ts';
import { KEY_COLUMN, VALUE_COLUMN } from '../../../grid/table-names.ts';
import { decodeTyped } from '../../../values/decode-parameter.ts';
import { formatText } from '../../../values/json.ts';
import { typeNameOf } from '../../../values/type-names.ts';
import type { TypeRegistry, Value } from '../../../values/value.ts';
import { OWN_DEADLINE } from '../sql/emit-entries.ts';
import type { EntryChanges } from '../sql/run-change.ts';
import type { StorageRow } from '../sql/statement-cache.ts';
import { decodeStructure, decodeText, type StorageValue } from '../storage/value-storage.ts';
import type { EntryWriter } from './entry-writer.ts';

export class StatementEntries implements EntryChanges {
  readonly #writer: EntryWriter;
  readonly #types: TypeRegistry;
  readonly #serviceName: string;
  /** The writer's previous count. */
  readonly #before: { readonly entries: number; readonly writes: number };

  /** `types` has the types that the cache declares. */
  constructor(writer: EntryWriter, types: TypeRegistry, serviceName: string) {
    this.#writer = writer;
    this.#types = types;
    this.#serviceName = serviceName;
    this.#before = { entries: writer.pending.entries, writes: writer.pending.writes };
  }

  insert(row: StorageRow): string | undefined {
    const key = this.#key(row);
    if (this.#writer.find(this.#writer.key(key)).live) return formatText(key);
    this.#store(key, row);
    return undefined;
  }

  put(row: StorageRow): void {
    this.#store(this.#key(row), row);
  }

  takeAdded(): number {
    const added = this.#writer.pending.entries - this.#before.entries;
    this.rolledBack();
    return added;
  }

  /** The caller counts a statement's changes. */
  rolledBack(): void {
    Object.assign(this.#writer.pending, this.#before);
  }

  #store(key: Value, row: StorageRow): void {
    const { entry_value: exact, value_type: type = null, expires = OWN_DEADLINE } = row;
    const deadlineMs = typeof expires === 'bigint' ? Number(expires) : null;
    if (exact === undefined) {
      this.#writer.expireAt(key, deadlineMs);
      return;
    }
    const value = this.#typed(exact, type, VALUE_COLUMN);
    if (deadlineMs !== null) this.#writer.putUntil(key, value, deadlineMs);
    else this.#writer.put(key, value, expires === OWN_DEADLINE ? undefined : null);
  }

  #key({ entry_key: exact = null, key_type: type = null }: StorageRow): Value {
    return this.#typed(exact, type, KEY_COLUMN);
  }

  /**
   * Returns a value of the type: unchanged if it has the type, otherwise as a parameter with the type and its text
   * would be decoded.
   */
  #typed(exact: StorageValue, type: StorageValue, column: string): Value {
    const given: Value = exact === null ? { type: 'null' } : decodeStructure(exact);
    if (given.type === 'null') throw sqlFailure('NULL_NOT_ALLOWED', column);
    if (type === null) return this.#declared(given);
    const name = decodeText(type);
    if (typeNameOf(given) === name) return this.#declared(given);
    const value = decodeTyped(formatText(given), name, this.#types, this.#serviceName);
    if (value.type === 'null') throw sqlFailure('NULL_NOT_ALLOWED', column);
    return value;
  }

  /** Returns an object with the field types that the cache declares: another cache's may have different ones. */
  #declared(given: Value): Value {
    if (given.type !== 'object' || this.#types.find(given.typeName) === undefined) return given;
    return decodeTyped(formatText(given), given.typeName, this.#types, this.#serviceName);
  }
}
