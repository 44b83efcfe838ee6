/** Prepared statements of a thread, by their text; out of date when a definition changes. */

import type { EngineCatalog } from '../catalog/engine-catalog.ts';
import type { EntryTable } from '../sql/entry-table.ts';
import { type Prepared, type PreparedQuery, prepareStatement, prepareTypeQuery } from '../sql/statement.ts';
import { asStatement } from './sql-failures.ts';

const KEPT = 1_000;
/** Longer texts are seldom sent twice. */
const KEPT_CHARACTERS = 10_000;

export class PreparedStatements {
  readonly #catalog: EngineCatalog;
  /** By schema and text: joining the two into one name would cost more than finding it. */
  readonly #kept = new Map<string, Map<string, Prepared>>();
  #keptCount = 0;
  #version = -1;

  constructor(catalog: EngineCatalog) {
    this.#catalog = catalog;
  }

  /** Refuses SQL, SQL_OBJECT_NOT_FOUND, SQL_CONFLICT. */
  get(sql: string, schema: string): Prepared {
    const { version } = this.#catalog;
    if (version !== this.#version) {
      this.#clear();
      this.#version = version;
    }
    return this.#kept.get(schema)?.get(sql) ?? this.#make(sql, schema);
  }

  /** The query of a type's entries. */
  typeQuery(condition: string, table: EntryTable): PreparedQuery {
    return asStatement(condition, () => prepareTypeQuery(condition, table, this.#catalog));
  }

  #make(sql: string, schema: string): Prepared {
    const made = asStatement(sql, () => prepareStatement(sql, schema, this.#catalog));
    if (sql.length > KEPT_CHARACTERS) return made;
    if (this.#keptCount >= KEPT) this.#clear();
    const ofSchema = this.#kept.get(schema);
    if (ofSchema === undefined) this.#kept.set(schema, new Map([[sql, made]]));
    else ofSchema.set(sql, made);
    this.#keptCount++;
    return made;
  }

  #clear(): void {
    this.#kept.clear();
    this.#keptCount = 0;
  }
}
