/** The dictionary of object type names: the table `type_names` of the data file. */
import type { Database } from 'bun:sqlite';
import { gridError } from '../../../base/errors.ts';
import { DATA_DATABASE, prepare } from './databases.ts';
import type { SharedState } from './shared-state.ts';
import {
  type Binding,
  decodeText,
  encodeText,
  FIRST_OBJECT_TYPE,
  type StorageValue,
  type TypeNames,
} from './value-storage.ts';

/** The names for threads that only read. An unknown name has an id that no row has. */
export class ReadTypeNames implements TypeNames {
  protected readonly open: () => Database;
  readonly #ids = new Map<string, number>();
  readonly #names = new Map<number, string>();

  /** `open` returns a connection to the data file. */
  constructor(open: () => Database) {
    this.open = open;
  }

  idOf(typeName: string): number {
    return this.find(typeName) ?? FIRST_OBJECT_TYPE - 1;
  }

  nameOf(id: number): string {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const row = this.#query<{ name: StorageValue }>('SELECT name FROM type_names WHERE id = ?', id);
    if (!row) throw gridError('STORAGE_CORRUPT', `type ${id} has no name`);
    const name = decodeText(row.name);
    this.#remember(id, name);
    return name;
  }

  /** Returns the id of a stored name. */
  protected find(typeName: string): number | undefined {
    const known = this.#ids.get(typeName);
    if (known !== undefined) return known;
    const row = this.#query<{ id: bigint }>('SELECT id FROM type_names WHERE name = ?', encodeText(typeName));
    return row ? this.#remember(Number(row.id), typeName) : undefined;
  }

  protected forget(typeName: string): void {
    const id = this.#ids.get(typeName);
    this.#ids.delete(typeName);
    if (id !== undefined) this.#names.delete(id);
  }

  #remember(id: number, name: string): number {
    this.#ids.set(name, id);
    this.#names.set(id, name);
    return id;
  }

  #query<R>(sql: string, parameter: Binding): R | null {
    using statement = prepare<R>(this.open(), sql);
    return statement.get(parameter);
  }
}

/** The names for writing. A new one is stored in the transaction that uses it. */
export class WriteTypeNames extends ReadTypeNames {
  readonly #shared: SharedState;
  #uncommitted: string[] = [];

  constructor(open: () => Database, shared: SharedState) {
    super(open);
    this.#shared = shared;
  }

  /** Returns the id of a name. Stores a new name; commits it immediately if the transaction is in another file. */
  override idOf(typeName: string): number {
    const known = this.find(typeName);
    if (known !== undefined) return known;
    const database = this.open();
    database.query('INSERT INTO type_names (name) VALUES (?)').run(encodeText(typeName));
    if (database.inTransaction) this.#uncommitted.push(typeName);
    else this.#shared.committed(DATA_DATABASE);
    return super.idOf(typeName);
  }

  committed(): void {
    // A statement may have changed another file.
    if (this.#uncommitted.length > 0) this.#shared.committed(DATA_DATABASE);
    this.#uncommitted = [];
  }

  /** Forgets what a rolled-back part of the transaction may have stored. */
  partRolledBack(): void {
    for (const name of this.#uncommitted) this.forget(name);
  }

  rolledBack(): void {
    for (const name of this.#uncommitted) this.forget(name);
    this.#uncommitted = [];
  }
}
