/** A thread's prepared statements by text and schema. A change of the catalog invalidates all of them. */
import { LRUCache } from 'lru-cache';
import type { SqlCatalog } from '../../../sql/binding/catalog.ts';
import type { EntryTable } from '../sql/entry-table.ts';
import { prepareStatement, prepareTypeQuery } from '../sql/prepare-statement.ts';
import type { Prepared, PreparedQuery } from '../sql/statement.ts';
import { withSqlErrors } from './sql-failures.ts';

/** The size of the cache, which evicts the least recently used statement. */
const MAX_STATEMENTS = 1_000;
/** Characters of their texts. A prepared statement takes about a hundred bytes for each. */
const MAX_CHARACTERS = 512 * 1024;
/** Longer statements are rarely sent twice, so they are not cached. */
const MAX_CACHED_CHARACTERS = 10_000;

export class PreparedStatements {
  readonly #catalog: SqlCatalog;
  /** By text, whose hash the runtime keeps when the string is the same, and then by schema: most have one. */
  readonly #cache = new LRUCache<string, Map<string, Prepared>>({
    max: MAX_STATEMENTS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (prepared, sql) => (sql.length + 1) * prepared.size,
  });
  #version = -1;

  constructor(catalog: SqlCatalog) {
    this.#catalog = catalog;
  }

  /** Returns the prepared form of a statement. Throws SQL, SQL_OBJECT_NOT_FOUND or SQL_CONFLICT. */
  get(sql: string, schema: string): Prepared;
  /** Returns undefined if the statement is not cached and `isPreparedHere` returns false. */
  get(sql: string, schema: string, isPreparedHere: () => boolean): Prepared | undefined;
  get(sql: string, schema: string, isPreparedHere = () => true): Prepared | undefined {
    const { version } = this.#catalog;
    if (version !== this.#version) {
      this.#cache.clear();
      this.#version = version;
    }
    const isCached = sql.length <= MAX_CACHED_CHARACTERS;
    const known = isCached ? this.#cache.get(sql) : undefined;
    const cached = known?.get(schema);
    if (cached !== undefined) return cached;
    if (!isPreparedHere()) return undefined;
    const prepared = this.#prepare(sql, schema);
    if (isCached) this.#cache.set(sql, new Map(known).set(schema, prepared));
    return prepared;
  }

  /** Prepares a query for the entries of one type. Throws SQL or SQL_OBJECT_NOT_FOUND. */
  typeQuery(condition: string, table: EntryTable): PreparedQuery {
    return withSqlErrors(condition, () => prepareTypeQuery(condition, table, this.#catalog));
  }

  #prepare(sql: string, schema: string): Prepared {
    return withSqlErrors(sql, () => prepareStatement(sql, schema, this.#catalog));
  }
}
