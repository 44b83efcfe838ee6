/** Derives stored caches with changed entities. */
import type { QueryEntity } from '../../../grid/grid.ts';
import { ownPlace, type PlacedField, type StoredCache } from '../storage/definitions.ts';
import type { CacheHandle } from './cache-registry.ts';
import type { StructureParts } from './structure-parts.ts';

/** Reports whether a cache that is to get an entity or fields has entries, which are to be converted. */
export function needsConversion(
  { connections }: Pick<StructureParts, 'connections'>,
  handle: CacheHandle,
  stored: StoredCache,
): boolean {
  if (stored.fields.length <= handle.fields.length) return false;
  const { database } = connections.get(handle.database);
  return database.query(`SELECT 1 FROM ${handle.table} LIMIT 1`).get() !== null;
}

/** Returns the entity that is new or has new fields. */
export function changedEntity(handle: CacheHandle, { definition }: StoredCache): QueryEntity {
  const entity = definition.entities.find((each) => !handle.definition.entities.includes(each));
  if (entity === undefined) throw new Error(`no entity of the cache ${definition.name} has changed`);
  return entity;
}

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
