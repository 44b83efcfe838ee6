/** Derives stored caches with changed entities. */
import type { EntityField, QueryEntity } from '../../../grid/grid.ts';
import type { FieldType } from '../../../values/value.ts';
import { columnsOfEntries, NO_ENTITY, ownPlace, type PlacedField, type StoredCache } from '../storage/definitions.ts';
import type { CacheHandle } from './cache-registry.ts';
import type { StructureOptions } from './structure-options.ts';

/** Reports whether a cache that is about to get an entity or fields has entries, which must be converted. */
export function needsConversion(
  { connections }: Pick<StructureOptions, 'connections'>,
  handle: CacheHandle,
  stored: StoredCache,
): boolean {
  if (columnCount(stored) <= columnCount(handle)) return false;
  const { database } = connections.get(handle.database);
  return database.query(`SELECT 1 FROM ${handle.table} LIMIT 1`).get() !== null;
}

function columnCount({ fields }: Pick<StoredCache, 'fields'>): number {
  return fields.filter(({ entity, dropped }) => entity !== NO_ENTITY && dropped === undefined).length;
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

/** Returns the stored definition of a cache. */
export function storedOf({
  id,
  slot,
  createdMs,
  definition,
  fields,
  indexes,
  nextColumn,
  nextIndex,
  unfit,
}: CacheHandle): StoredCache {
  return { id, slot, createdMs, definition, fields, indexes, nextColumn, nextIndex, ...(unfit && { unfit }) };
}

/** Returns the stored cache with its first entity. Entries remain; those with the value type become rows. */
export function withEntity(handle: CacheHandle, entity: QueryEntity, schema: string): StoredCache {
  let next = handle.nextColumn;
  const fields = entity.fields.map(
    ({ name }): PlacedField => ({ entity: entity.valueType, field: name, place: ownPlace(entity, name) ?? next++ }),
  );
  return {
    ...storedOf(handle),
    definition: { ...handle.definition, schema, entities: [entity] },
    fields: [...columnsOfEntries(handle.fields), ...fields],
    nextColumn: next,
  };
}

/**
 * Returns the locations of the fields that an entity gets when its cache may have entries. A field whose column was
 * dropped gets that column again if it has the same type.
 */
export function withColumns(
  { fields, nextColumn }: Pick<StoredCache, 'fields' | 'nextColumn'>,
  entity: QueryEntity,
  added: readonly EntityField[],
): Pick<StoredCache, 'fields' | 'nextColumn'> {
  const { valueType } = entity;
  let placed = fields;
  let next = nextColumn;
  for (const { name, type } of added) {
    const former = formerField(placed, valueType, name);
    const isSame = former?.dropped !== undefined && hasSameValues(former.dropped, type);
    const column: PlacedField = {
      entity: valueType,
      field: name,
      place: isSame ? former.place : (ownPlace(entity, name) ?? next++),
      ...((former === undefined || former.isLater === true) && { isLater: true }),
    };
    placed = [...placed.filter((each) => each !== former), column];
  }
  return { fields: placed, nextColumn: next };
}

/** Returns the dropped field with a name, or one that differs in case. */
function formerField(fields: readonly PlacedField[], valueType: string, name: string): PlacedField | undefined {
  const folded = name.toUpperCase();
  const dropped = fields.filter((each) => each.entity === valueType && each.dropped !== undefined);
  return dropped.find(({ field }) => field === name) ?? dropped.find(({ field }) => field.toUpperCase() === folded);
}

/** Whether columns of two types store the same values in the same way, ignoring their limits. */
function hasSameValues(left: FieldType, right: FieldType): boolean {
  if (left.kind === 'scalar') return right.kind === 'scalar' && left.type === right.type;
  if (left.kind === 'array') return right.kind === 'array' && left.element === right.element;
  return left.kind === right.kind;
}

/** Returns the locations of an entity's fields after columns were dropped. */
export function withoutColumns(
  fields: readonly PlacedField[],
  entity: QueryEntity,
  dropped: ReadonlySet<string>,
): readonly PlacedField[] {
  const types = new Map(entity.fields.map(({ name, type }) => [name, type]));
  return fields.flatMap((each) => {
    if (each.entity !== entity.valueType || each.dropped !== undefined || !dropped.has(each.field)) return each;
    const type = types.get(each.field);
    return type === undefined ? [] : { ...each, dropped: type };
  });
}
