/** Finds the tables of caches by schema and name. The time does not depend on the number of caches. */
import type { CacheDefinition, QueryEntity } from '../../../grid/grid.ts';
import { tableSqlName } from './sql-names.ts';

/** A table: an entity of a cache. */
export interface IndexedTable<Handle> {
  readonly handle: Handle;
  readonly entity: QueryEntity;
}

export class TableIndex<Handle extends { readonly definition: CacheDefinition; readonly schema: string }> {
  /** By schema, then by name: the tables in the order in which their caches were added. */
  readonly #schemas = new Map<string, Map<string, IndexedTable<Handle>[]>>();
  /** The number of caches by schema. */
  readonly #caches = new Map<string, number>();

  add(handle: Handle): void {
    const { schema } = handle;
    this.#caches.set(schema, (this.#caches.get(schema) ?? 0) + 1);
    for (const entity of handle.definition.entities) {
      let names = this.#schemas.get(schema);
      if (names === undefined) {
        names = new Map();
        this.#schemas.set(schema, names);
      }
      const name = tableSqlName(entity);
      const same = names.get(name);
      if (same === undefined) names.set(name, [{ handle, entity }]);
      else same.push({ handle, entity });
    }
  }

  remove(handle: Handle): void {
    const { schema } = handle;
    const left = (this.#caches.get(schema) ?? 0) - 1;
    if (left > 0) this.#caches.set(schema, left);
    else this.#caches.delete(schema);
    const names = this.#schemas.get(schema);
    for (const entity of handle.definition.entities) {
      const name = tableSqlName(entity);
      const others = names?.get(name)?.filter((each) => each.handle !== handle) ?? [];
      if (others.length > 0) names?.set(name, others);
      else names?.delete(name);
    }
    if (names?.size === 0) this.#schemas.delete(schema);
  }

  /** Returns the schema's tables with that name: one, unless declarations give two caches the same name. */
  find(schema: string, name: string): readonly IndexedTable<Handle>[] {
    return this.#schemas.get(schema)?.get(name) ?? [];
  }

  /** Whether a cache has the schema, with or without tables. */
  hasSchema(schema: string): boolean {
    return this.#caches.has(schema);
  }

  /** Returns the schemas with tables. */
  schemas(): Iterable<string> {
    return this.#schemas.keys();
  }
}
