/** Compares the declarations of caches in the configuration with the caches that exist, and applies the changes. */
import type { Database } from 'bun:sqlite';
import { fail } from '../../../base/errors.ts';
import type { CacheDefinition, EntityField, EntityIndex, QueryEntity } from '../../../grid/grid.ts';
import type { FieldType } from '../../../values/value.ts';
import { DATA_DATABASE } from '../storage/databases.ts';
import { createDeadlineIndex } from '../storage/deadline-index.ts';
import {
  encodeDefinition,
  entityTableName,
  indexName,
  type PlacedIndex,
  type StoredCache,
} from '../storage/definitions.ts';
import { isConstraint } from '../storage/storage-failures.ts';
import type { CacheHandle } from './cache-registry.ts';
import { createIndex } from './cache-table.ts';
import { storedOf } from './stored-caches.ts';
import { type StructureParts, transactDefinition } from './structure-parts.ts';

/** What a cache with entries cannot become. */
export interface Contradiction {
  readonly what: string;
  readonly stored: string;
  readonly declared: string;
}

/** An index that the configuration declares and the cache lacks. */
interface AddedIndex {
  readonly entity: QueryEntity;
  readonly index: EntityIndex;
}

/** Returns the first part of a declaration that a cache with entries cannot get; undefined: there is none. */
export function contradictionOf(stored: CacheDefinition, declared: CacheDefinition): Contradiction | undefined {
  const differing = (what: string, first = 'absent', second = 'absent'): Contradiction | undefined =>
    first === second ? undefined : { what, stored: first, declared: second };
  const region = differing('the region', stored.region, declared.region);
  if (region !== undefined || declared.entities.length === 0) return region;
  for (const entity of declared.entities) {
    const own = storedEntity(stored, entity);
    if (own === undefined) return differing(`the entity ${entity.valueType}`, undefined, 'declared');
    const found =
      differing('the schema', stored.schema, declared.schema) ??
      differing(`the key type of ${entity.valueType}`, own.keyType, entity.keyType) ??
      differing(`the key fields of ${entity.valueType}`, namesOf(own.keyFields), namesOf(entity.keyFields)) ??
      differing(`the table name of ${entity.valueType}`, entityTableName(own), entityTableName(entity)) ??
      firstOf(entity.fields, (field) => {
        const known = storedField(own, field);
        const name = `the field ${field.name} of ${entity.valueType}`;
        return differing(name, known && shownField(known), shownField(field));
      }) ??
      firstOf(entity.indexes ?? [], (index) => {
        const known = storedIndex(own, entity, index);
        return known && differing(`the index ${indexName(entity, index)}`, shownIndex(known), shownIndex(index));
      });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Changes a cache that exists to what the configuration declares, as far as that contradicts nothing. */
export function redeclareCache(parts: StructureParts, handle: CacheHandle, declared: CacheDefinition): void {
  const { connections, shared, releaseStatements } = parts;
  const changed = redeclared(storedOf(handle), declared);
  if (changed === undefined) return;
  const { cache, added } = changed;
  releaseStatements(handle);
  const change = (database: Database): void => {
    if (cache.definition.ttlMs !== undefined) createDeadlineIndex({ database, prefix: '' }, handle.table);
    for (const { entity, index } of added) createAddedIndex(database, cache, entity, index);
  };
  transactDefinition(parts, cache.definition, (database) => {
    database
      .query('UPDATE caches SET definition = ?, version = (SELECT max(version) + 1 FROM caches) WHERE id = ?')
      .run(encodeDefinition(cache), handle.id);
    if (handle.database === DATA_DATABASE) change(database);
    // Without its file, the table is created with the region.
    else connections.find(handle.database)?.transact(change);
  });
  shared.definitionsChanged();
}

/** Creates an index over the entries. Throws CACHE_DECLARED_OTHERWISE if they have equal values of a unique one. */
function createAddedIndex(database: Database, cache: StoredCache, entity: QueryEntity, index: EntityIndex): void {
  try {
    createIndex(database, cache, entity, index);
  } catch (error) {
    if (!isConstraint(error)) throw error;
    const what = `the index ${indexName(entity, index)}`;
    throw fail('CACHE_DECLARED_OTHERWISE', cache.definition.name, what, 'over equal values', 'unique');
  }
}

/** Returns the cache with what its declaration changes, and the indexes that it adds; undefined: it changes nothing. */
function redeclared(
  cache: StoredCache,
  declared: CacheDefinition,
): { readonly cache: StoredCache; readonly added: readonly AddedIndex[] } | undefined {
  const { ttlMs: formerTtl, sliding: formerSliding, ...definition } = cache.definition;
  const added: AddedIndex[] = [];
  const indexes: PlacedIndex[] = [...cache.indexes];
  let { nextIndex } = cache;
  const entities = definition.entities.map((entity) => {
    const wanted = declared.entities.find((each) => storedEntity({ entities: [entity] }, each) !== undefined);
    const missing = (wanted?.indexes ?? []).filter((index) => storedIndex(entity, entity, index) === undefined);
    for (const index of missing) {
      added.push({ entity, index });
      const sqliteName = `x${cache.id}_${nextIndex++}`;
      indexes.push({ entity: entity.valueType, name: indexName(entity, index), sqliteName });
    }
    return missing.length === 0 ? entity : { ...entity, indexes: [...(entity.indexes ?? []), ...missing] };
  });
  const { ttlMs, sliding } = declared;
  if (added.length === 0 && ttlMs === formerTtl && sliding === formerSliding) return undefined;
  const expiry = { ...(ttlMs !== undefined && { ttlMs }), ...(sliding !== undefined && { sliding }) };
  return { cache: { ...cache, definition: { ...definition, entities, ...expiry }, indexes, nextIndex }, added };
}

function storedEntity({ entities }: Pick<CacheDefinition, 'entities'>, { valueType }: QueryEntity) {
  return entities.find((each) => each.valueType === valueType);
}

/** Returns a field; ALTER TABLE may have added it under a name in upper case. */
function storedField({ fields }: QueryEntity, { name }: EntityField): EntityField | undefined {
  const folded = name.toUpperCase();
  return fields.find((each) => each.name === name) ?? fields.find((each) => each.name.toUpperCase() === folded);
}

function storedIndex(own: QueryEntity, entity: QueryEntity, index: EntityIndex): EntityIndex | undefined {
  const name = indexName(entity, index).toUpperCase();
  return own.indexes?.find((each) => indexName(own, each).toUpperCase() === name);
}

function namesOf(names: readonly string[] = []): string {
  return names.join(', ') || 'none';
}

function shownField({ type, alias }: EntityField): string {
  return `${shownType(type)}${alias === undefined ? '' : ` (alias ${alias})`}`;
}

function shownType(type: FieldType): string {
  if (type.kind === 'array') return `${type.element}[]`;
  if (type.kind !== 'scalar') return type.kind;
  const bounds = [type.precision, type.scale].filter((each) => each !== undefined);
  return `${type.type}${bounds.length === 0 ? '' : `(${bounds.join(', ')})`}`;
}

function shownIndex({ fields, unique = false }: EntityIndex): string {
  const columns = fields.map(({ name, descending = false }) => `${name.toUpperCase()}${descending ? ' DESC' : ''}`);
  return `${unique ? 'unique ' : ''}(${columns.join(', ')})`;
}

function firstOf<T>(items: readonly T[], find: (item: T) => Contradiction | undefined): Contradiction | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
