/** A thread's prepared statements by text and schema. A change of the catalog invalidates all of them. */
import { TextCache } from '../../../base/text-cache.ts';
import type { SqlCatalog } from '../../../sql/binding/catalog.ts';
import type { Value } from '../../../values/value.ts';
import { argumentTypes } from '../sql/arguments.ts';
import type { EntryTable } from '../sql/entry-table.ts';
import { prepareStatement, prepareTypeQuery } from '../sql/prepare-statement.ts';
import type { Prepared, PreparedQuery } from '../sql/statement.ts';
import { withSqlErrors } from './sql-failures.ts';

/** The size of the cache, which evicts the least recently used statement. */
const MAX_STATEMENTS = 1_000;
/** Total characters of their texts. A prepared statement takes about a hundred bytes per character. */
const MAX_CHARACTERS = 512 * 1024;
/** Longer statements are rarely sent twice, so they are not cached. */
const MAX_CACHED_CHARACTERS = 10_000;

export class PreparedStatements {
  readonly #catalog: SqlCatalog;
  /**
   * By text, whose hash the runtime keeps if the string is the same, and then by schema and argument types:
   * most have one.
   */
  readonly #cache = new TextCache<Map<string, Prepared>>({
    max: MAX_STATEMENTS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (prepared, sql) => (sql.length + 1) * prepared.size,
  });
  #version = -1;

  constructor(catalog: SqlCatalog) {
    this.#catalog = catalog;
  }

  /** Returns the prepared form of a statement for its arguments. Throws SQL, SQL_OBJECT_NOT_FOUND or SQL_CONFLICT. */
  get(sql: string, schema: string, args: readonly Value[]): Prepared {
    const known = this.known(sql, schema);
    if (known !== undefined) return this.withArguments(known, args);
    const prepared = withSqlErrors(sql, () => prepareStatement(sql, schema, this.#catalog));
    this.#keep(sql, schema, prepared);
    return this.withArguments(prepared, args);
  }

  /** Returns the prepared form of a statement for strings as arguments, if cached. */
  known(sql: string, schema: string): Prepared | undefined {
    const { version } = this.#catalog;
    if (version !== this.#version) {
      this.#cache.clear();
      this.#version = version;
    }
    return this.#found(sql, schema);
  }

  /** Returns the form of a statement for its arguments, whose types some of its parameters may have. */
  withArguments(prepared: Prepared, args: readonly Value[]): Prepared {
    if (prepared.untyped.length === 0) return prepared;
    const types = argumentTypes(prepared, args);
    if (types === undefined) return prepared;
    const { text, schema } = prepared;
    const key = `${schema}\0${[...types].map(([index, { name }]) => `${index}${name}`).join()}`;
    const known = this.#found(text, key);
    if (known !== undefined) return known;
    const typed = withSqlErrors(text, () => prepareStatement(text, schema, this.#catalog, types));
    this.#keep(text, key, typed);
    return typed;
  }

  #found(sql: string, key: string): Prepared | undefined {
    return sql.length <= MAX_CACHED_CHARACTERS ? this.#cache.get(sql)?.get(key) : undefined;
  }

  #keep(sql: string, key: string, prepared: Prepared): void {
    if (sql.length <= MAX_CACHED_CHARACTERS) this.#cache.set(sql, new Map(this.#cache.get(sql)).set(key, prepared));
  }

  /** Prepares a query for the entries of one type. Throws SQL or SQL_OBJECT_NOT_FOUND. */
  typeQuery(condition: string, table: EntryTable, args: readonly Value[]): PreparedQuery {
    return withSqlErrors(condition, () => {
      const prepared = prepareTypeQuery(condition, table, this.#catalog);
      const types = argumentTypes(prepared, args);
      return types === undefined ? prepared : prepareTypeQuery(condition, table, this.#catalog, types);
    });
  }
}
