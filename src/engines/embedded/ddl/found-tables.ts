/** Finds tables by their names in SQL. */
import type { QueryEntity } from '../../../grid/grid.ts';
import type { CacheHandle } from './cache-registry.ts';
import { schemaOf, tableSqlName } from './sql-names.ts';

/** A table: an entity of a cache. */
export interface FoundTable {
  readonly handle: CacheHandle;
  readonly entity: QueryEntity;
}

/** Returns the table of that name in the schema; undefined when there is none. */
export function findTable(caches: readonly CacheHandle[], schema: string, name: string): FoundTable | undefined {
  for (const handle of caches) {
    if (schemaOf(handle.definition) !== schema) continue;
    const entity = handle.definition.entities.find((each) => tableSqlName(each) === name);
    if (entity) return { handle, entity };
  }
  return undefined;
}
