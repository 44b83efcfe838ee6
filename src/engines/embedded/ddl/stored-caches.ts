/** Derives stored caches with changed entities. */
import type { QueryEntity } from '../../../grid/grid.ts';
import { ownPlace, type PlacedField, type StoredCache } from '../storage/definitions.ts';
import type { CacheHandle } from './cache-registry.ts';

/** Returns the stored cache with one of its entities replaced. */
export function replaceEntity(handle: CacheHandle, entity: QueryEntity, changed: QueryEntity): StoredCache {
  const entities = handle.definition.entities.map((each) => (each === entity ? changed : each));
  return { ...storedOf(handle), definition: { ...handle.definition, entities } };
}

/** Returns what the data file stores of a cache. */
export function storedOf({
  id,
  slot,
  createdMs,
  definition,
  fields,
  indexes,
  nextColumn,
  nextIndex,
}: CacheHandle): StoredCache {
  return { id, slot, createdMs, definition, fields, indexes, nextColumn, nextIndex };
}

/** Returns the stored cache with its first entity. Entries remain; those of the value type become rows. */
export function withEntity(handle: CacheHandle, entity: QueryEntity, schema: string): StoredCache {
  let next = handle.nextColumn;
  const fields = entity.fields.map(
    ({ name }): PlacedField => ({ entity: entity.valueType, field: name, place: ownPlace(entity, name) ?? next++ }),
  );
  return {
    ...storedOf(handle),
    definition: { ...handle.definition, schema, entities: [entity] },
    fields,
    nextColumn: next,
  };
}
