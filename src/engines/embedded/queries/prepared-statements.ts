/** Prepared statements of a thread, by their text; out of date when a definition changes. */

import type { SqlTable } from '../sql/catalog.ts';
import { type Prepared, type PreparedQuery, prepareStatement, prepareTypeQuery } from '../sql/statement.ts';
import type { EngineCatalog } from './engine-catalog.ts';
import { asStatement } from './sql-failures.ts';

const KEPT = 1_000;
/** Longer texts are seldom sent twice. */
const KEPT_CHARACTERS = 10_000;

export class PreparedStatements {
  readonly #catalog: EngineCatalog;
  readonly #kept = new Map<string, Prepared>();
  #version = -1;

  constructor(catalog: EngineCatalog) {
    this.#catalog = catalog;
  }

  /** Refuses SQL, SQL_OBJECT_NOT_FOUND, SQL_CONFLICT. */
  get(sql: string, schema: string): Prepared {
    return this.#remember(`${schema}\u0000${sql}`, sql, () => prepareStatement(sql, schema, this.#catalog));
  }

  /** The query of a type's entries. */
  typeQuery(condition: string, table: SqlTable): PreparedQuery {
    return asStatement(condition, () => prepareTypeQuery(condition, table, this.#catalog));
  }

  #remember(key: string, sql: string, make: () => Prepared): Prepared {
    const { version } = this.#catalog;
    if (version !== this.#version) {
      this.#kept.clear();
      this.#version = version;
    }
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const made = asStatement(sql, make);
    if (sql.length <= KEPT_CHARACTERS) {
      if (this.#kept.size >= KEPT) this.#kept.clear();
      this.#kept.set(key, made);
    }
    return made;
  }
}
