/** The rows of the table `caches`: a cache's definition, and the columns of its query entities' fields. */
import type { CacheDefinition, EntityField, QueryEntity } from '../../../grid/grid.ts';
import type { SqlTypeName } from '../../../sql/types/sql-types.ts';
import { decodeTagged, encodeTagged } from '../../../values/tagged-json.ts';
import type { FieldType } from '../../../values/value.ts';
import { isScalarName } from './value-storage.ts';

/**
 * The location of a field in the entry table: the key or the value itself (`k`, `v`), or the column `f<n>`.
 * Numbers of dropped columns are never used again.
 */
export type FieldLocation = 'key' | 'value' | number;

/** An entity's field with its location. */
export interface PlacedField {
  /** `valueType` of the entity. */
  readonly entity: string;
  readonly field: string;
  readonly place: FieldLocation;
  /** Whether it was declared when the cache already had entries, which may lack it (declared-fields.ts). */
  readonly isLater?: boolean;
  /** The type of a field whose column was dropped: objects keep it, and no statement sees it. */
  readonly dropped?: FieldType;
  /**
   * For an indexed path into the entries' values, whose `field` is the index name: what the column stores. `entity` is
   * {@link NO_ENTITY}.
   */
  readonly path?: IndexedPath;
}

/** The entity for columns of all entries of a cache: indexed paths, and columns that no path uses any more. */
export const NO_ENTITY = '';

/** A path as `formatPath` writes it, and the type of the values in its column. */
export interface IndexedPath {
  readonly path: string;
  readonly type: SqlTypeName;
}

/** The types that a path's column can have. */
export const PATH_TYPES: readonly SqlTypeName[] = [
  'BOOLEAN',
  'INTEGER',
  'BIGINT',
  'DOUBLE',
  'DECIMAL',
  'VARCHAR',
  'DATE',
  'TIMESTAMP',
  'UUID',
];

/** An entity's index and its name in SQLite, which is unique in the file. */
export interface PlacedIndex {
  readonly entity: string;
  /** Name in SQL, as declared or generated. */
  readonly name: string;
  readonly sqliteName: string;
}

/** A cache as the data file stores it. */
export interface StoredCache {
  readonly id: number;
  /** Index of its metrics in shared memory. */
  readonly slot: number;
  readonly createdMs: number;
  readonly definition: CacheDefinition;
  readonly fields: readonly PlacedField[];
  readonly indexes: readonly PlacedIndex[];
  /** The number of the next new column. */
  readonly nextColumn: number;
  /** The number of the next index. */
  readonly nextIndex: number;
  /** By value type, how many entries did not fit its columns at the last startup. */
  readonly unfit?: Readonly<Record<string, number>> | undefined;
}

/** The content of the column `definition`. */
type StoredText = Pick<StoredCache, 'definition' | 'fields' | 'indexes' | 'nextColumn' | 'nextIndex' | 'unfit'>;

export function tableName(id: number): string {
  return `e${id}`;
}

/** Assigns a location to every field and index of a new cache. */
export function place(id: number, slot: number, createdMs: number, definition: CacheDefinition): StoredCache {
  const fields: PlacedField[] = [];
  const indexes: PlacedIndex[] = [];
  let nextColumn = 1;
  let nextIndex = 1;
  for (const entity of definition.entities) {
    for (const field of entity.fields) {
      const own = ownPlace(entity, field.name);
      fields.push({ entity: entity.valueType, field: field.name, place: own ?? nextColumn++ });
    }
    for (const index of entity.indexes ?? []) {
      indexes.push({ entity: entity.valueType, name: indexName(entity, index), sqliteName: `x${id}_${nextIndex++}` });
    }
  }
  for (const { name, path, type } of definition.entryIndexes ?? []) {
    const known = PATH_TYPES.find((each) => each === type);
    if (known === undefined) throw new Error(`an index on a path of the type ${type}`);
    fields.push({ entity: NO_ENTITY, field: name, place: nextColumn++, path: { path, type: known } });
    indexes.push({ entity: NO_ENTITY, name, sqliteName: `x${id}_${nextIndex++}` });
  }
  return { id, slot, createdMs, definition, fields, indexes, nextColumn, nextIndex };
}

/** Returns the columns that belong to all entries of a cache. */
export function columnsOfEntries<F extends PlacedField>(fields: readonly F[]): readonly F[] {
  return fields.filter(({ entity }) => entity === NO_ENTITY);
}

/** Returns the name of an entity's table. */
export function entityTableName(entity: QueryEntity): string {
  return entity.tableName ?? entity.valueType.split(/[.$]/).at(-1) ?? entity.valueType;
}

/** Returns an index's name; for one declared without a name, the name that Apache Ignite generates. */
export function indexName(entity: QueryEntity, index: NonNullable<QueryEntity['indexes']>[number]): string {
  if (index.name !== undefined) return index.name;
  const parts = index.fields.map((field) => `${field.name.toLowerCase()}_${field.descending ? 'desc' : 'asc'}`);
  return `${entityTableName(entity).toLowerCase()}_${parts.join('_')}_idx`;
}

/** Returns the name of a field's column in statements (docs/spec/ignite-cluster.md 6.4). */
export function columnSqlName(entity: QueryEntity, field: Pick<EntityField, 'name' | 'alias'>): string {
  const name = field.alias ?? field.name;
  return entity.fromSql ? name : name.toUpperCase();
}

/** Returns the locations of an entity's fields by name. */
export function placesOf(
  fields: readonly PlacedField[],
  { valueType }: QueryEntity,
): ReadonlyMap<string, FieldLocation> {
  const places = new Map<string, FieldLocation>();
  for (const { entity, field, place, dropped } of fields) {
    if (entity === valueType && dropped === undefined && !places.has(field)) places.set(field, place);
  }
  return places;
}

/** Returns 'key' or 'value' for a field that is the whole scalar key or value, or undefined if it needs a column. */
export function ownPlace(entity: QueryEntity, field: string): 'key' | 'value' | undefined {
  const keyFields = entity.keyFields ?? [];
  if (keyFields.length === 1 && keyFields[0] === field) return isScalarName(entity.keyType) ? 'key' : undefined;
  const valueFields = entity.fields.length - keyFields.length;
  if (valueFields !== 1 || !isScalarName(entity.valueType)) return undefined;
  return keyFields.includes(field) ? undefined : 'value';
}

/** Serializes a definition. Longs, bytes and special numbers of default values become tagged objects. */
export function encodeDefinition({ definition, fields, indexes, nextColumn, nextIndex, unfit }: StoredText): string {
  const text = { definition, fields, indexes, nextColumn, nextIndex, ...(unfit && { unfit }) };
  // Only default values need tags. Searching everything for them costs more than writing.
  return definition.entities.some(hasDefaults) ? encodeTagged(text) : JSON.stringify(text);
}

function hasDefaults({ fields }: QueryEntity): boolean {
  return fields.some(({ defaultValue }) => defaultValue !== undefined);
}

/** Returns a cache with `count` entries of a value type that do not fit its columns. */
export function withUnfit<C extends Pick<StoredCache, 'unfit'>>(cache: C, valueType: string, count: number): C {
  const { [valueType]: _, ...others } = cache.unfit ?? {};
  const unfit = count === 0 ? others : { ...others, [valueType]: count };
  return { ...cache, unfit: Object.keys(unfit).length === 0 ? undefined : unfit };
}

/** Parses the output of {@link encodeDefinition}. */
export function decodeDefinition(text: string): StoredText {
  const stored = decodeTagged(text) as StoredText;
  // JSON omits members that are undefined.
  const { group, schema } = stored.definition;
  return { ...stored, definition: { ...stored.definition, group, schema } };
}
