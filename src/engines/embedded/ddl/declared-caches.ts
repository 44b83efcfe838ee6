/** Compares the declarations of caches in the configuration with the existing caches, and applies the changes. */
import type { Database } from 'bun:sqlite';
import { gridError } from '../../../base/errors.ts';
import { sqlFailure } from '../../../base/sql-errors.ts';
import type { CacheDefinition, EntityField, EntityIndex, QueryEntity } from '../../../grid/grid.ts';
import { encodeTagged } from '../../../values/tagged-json.ts';
import type { FieldType, Value } from '../../../values/value.ts';
import { DATA_DATABASE } from '../storage/databases.ts';
import { createDeadlineIndex, removeExpired } from '../storage/deadline-index.ts';
import {
  encodeDefinition,
  entityTableName,
  indexName,
  ownPlace,
  type PlacedField,
  type PlacedIndex,
  type StoredCache,
  withUnfit,
} from '../storage/definitions.ts';
import { type Conversion, convertEntries, convertLeftFields } from '../storage/entry-conversion.ts';
import { recordChanges, stopRecording, unrecorded } from '../storage/feed-tables.ts';
import { LONG_START_ENTRIES } from '../storage/schema.ts';
import { isConstraint } from '../storage/storage-failures.ts';
import type { CacheHandle } from './cache-registry.ts';
import { addEntryColumns, createIndex, createKeyIndex } from './cache-table.ts';
import { storedOf, withColumns } from './stored-caches.ts';
import { type StructureOptions, transactDefinition } from './structure-options.ts';

/** The declarations that a cache with entries cannot get. */
export interface Contradiction {
  readonly what: string;
  readonly stored: string;
  readonly declared: string;
}

/** An index that the configuration declares and the cache lacks. */
interface AddedIndex {
  readonly valueType: string;
  readonly name: string;
}

/** A cache and the changes in its declaration. */
interface Redeclared {
  readonly cache: StoredCache;
  readonly added: readonly AddedIndex[];
  /** The entities that are new or have new fields. */
  readonly extended: readonly QueryEntity[];
}

/** Returns the first part of a declaration that a cache with entries cannot get, or undefined if there is none. */
export function contradictionOf(stored: CacheDefinition, declared: CacheDefinition): Contradiction | undefined {
  const region = differing('the region', stored.region, declared.region);
  if (region !== undefined || declared.entities.length === 0) return region;
  for (const entity of declared.entities) {
    const own = storedEntity(stored, entity);
    if (own === undefined && stored.entities.length === 0) continue;
    const schema = differing('the schema', stored.schema, declared.schema);
    if (own === undefined && schema === undefined) continue;
    if (own === undefined || schema !== undefined) return schema;
    const found =
      differing(`the key type of ${entity.valueType}`, own.keyType, entity.keyType) ??
      differingKey(own, entity) ??
      differing(`the table name of ${entity.valueType}`, entityTableName(own), entityTableName(entity)) ??
      firstOf(entity.fields, (field) => {
        const known = storedField(own, field);
        const name = `the field ${field.name} of ${entity.valueType}`;
        return known && differing(name, shownField(known), shownField(field));
      }) ??
      firstOf(entity.indexes ?? [], (index) => {
        const known = storedIndex(own, entity, index);
        return known && differing(`the index ${indexName(entity, index)}`, shownIndex(known), shownIndex(index));
      });
    if (found !== undefined) return found;
  }
  return undefined;
}

function differing(what: string, stored = 'absent', declared = 'absent'): Contradiction | undefined {
  return stored === declared ? undefined : { what, stored, declared };
}

/** Objects may name the fields of their keys in a different case. */
function differingKey(own: QueryEntity, entity: QueryEntity): Contradiction | undefined {
  const [stored, declared] = [namesOf(own.keyFields), namesOf(entity.keyFields)];
  const isSame = stored.toUpperCase() === declared.toUpperCase();
  return isSame ? undefined : differing(`the key fields of ${entity.valueType}`, stored, declared);
}

/**
 * Changes an existing cache to match the configuration, as far as nothing contradicts it. Entries that do not
 * fit stay unchanged; returns log messages about them.
 */
export function redeclareCache(
  options: StructureOptions,
  handle: CacheHandle,
  declared: CacheDefinition,
): readonly string[] {
  const changed = redeclared(storedOf(handle), declared);
  if (changed === undefined) return [];
  const unfit: string[] = [];
  changeAtStart(options, handle, changed.cache, (database) => {
    const cache = convertDeclared(options, database, handle, changed, unfit);
    if (cache.definition.ttlMs !== undefined) createDeadlineIndex({ database, prefix: '' }, handle.table);
    for (const added of changed.added) createAddedIndex(database, cache, added);
    return cache;
  });
  return unfit;
}

/** Converts entries that did not fit at an earlier startup, as far as they fit now. Returns log messages about them. */
export function convertUnfit(options: StructureOptions, handle: CacheHandle): readonly string[] {
  const unfit: string[] = [];
  const cache = storedOf(handle);
  if (cache.unfit === undefined) return unfit;
  changeAtStart(options, handle, { ...cache, unfit: undefined }, (database) => {
    const target = { database, prefix: '' };
    removeExpired(target, handle.id, options.clock.nowMs());
    const convert = (): StoredCache => {
      let changed = cache;
      for (const entity of cache.definition.entities) {
        if (cache.unfit?.[entity.valueType] === undefined) continue;
        const poll = loggingProgress(options, cache);
        const conversion = convertLeftFields({ ...target, before: changed, entity, names: options.names, poll });
        changed = withMisfits(conversion, entity, unfit);
      }
      return changed;
    };
    if (cache.definition.changeFeed !== true) return convert();
    const changed = unrecorded(target, cache, convert);
    // An object that fits now may have given a field another name.
    if (textWithoutUnfit(changed) !== textWithoutUnfit(cache)) recordChanges(target, changed, 'cacheAltered');
    return changed;
  });
  return unfit;
}

function textWithoutUnfit(cache: StoredCache): string {
  return encodeDefinition({ ...cache, unfit: undefined });
}

/** How often the log shows the progress of startup, in ms. */
const PROGRESS_MS = 5_000;
/** Number of rows between checks of that time. */
const PROGRESS_ROWS = 1_000;

/** Returns a function that logs the progress of a conversion that takes long. */
function loggingProgress({ clock, log }: StructureOptions, { definition }: StoredCache) {
  let shownMs = clock.monotonicMs();
  return (converted: number, total: number): void => {
    if (converted % PROGRESS_ROWS !== 0 || clock.monotonicMs() - shownMs < PROGRESS_MS) return;
    shownMs = clock.monotonicMs();
    log('info', `Converted ${converted} of ${total} entries of the cache ${definition.name}`);
  };
}

/** Returns a cache after a conversion, and adds log messages about entries that do not fit. */
function withMisfits({ stored, count, misfits, variants }: Conversion, { valueType }: QueryEntity, unfit: string[]) {
  const { name } = stored.definition;
  if (count > 0) unfit.push(sqlFailure('ENTRIES_UNFIT', name, count, misfits).message);
  for (const { type, names } of variants) unfit.push(sqlFailure('FIELD_NAMES_DIFFER', name, type, names).message);
  return withUnfit(stored, valueType, count);
}

/** Changes the table of a cache and its definition. `change` returns the latter, which is `cache` without a table. */
function changeAtStart(
  options: StructureOptions,
  handle: CacheHandle,
  cache: StoredCache,
  change: (database: Database) => StoredCache,
): void {
  const { connections, shared, releaseStatements, onLongStart } = options;
  releaseStatements(handle);
  if (connections.find(handle.database) !== undefined && hasMany(connections.get(handle.database).database, handle))
    onLongStart();
  const store = (database: Database): void => {
    const file = handle.database === DATA_DATABASE ? undefined : connections.find(handle.database);
    const inFile = handle.database === DATA_DATABASE;
    // Without its file, the table is created with the region.
    const changed = inFile ? change(database) : file === undefined ? cache : file.transact(change);
    database
      .query('UPDATE caches SET definition = ?, version = (SELECT max(version) + 1 FROM caches) WHERE id = ?')
      .run(encodeDefinition(changed), handle.id);
  };
  // The space on the disk is checked before and during the conversion.
  transactDefinition(options, cache.definition, store, 'adds');
  shared.definitionsChanged();
}

function hasMany(database: Database, { id }: CacheHandle): boolean {
  const row = database.query<{ entries: bigint }, [number]>('SELECT entries FROM entry_counts WHERE cache = ?').get(id);
  return (row?.entries ?? 0n) >= LONG_START_ENTRIES;
}

/** Adds the columns of new fields, and converts the entries. Returns the cache with the names that the objects use. */
function convertDeclared(
  options: StructureOptions,
  database: Database,
  handle: CacheHandle,
  { cache, extended }: Redeclared,
  unfit: string[],
): StoredCache {
  if (extended.length === 0) return cache;
  const target = { database, prefix: '' };
  const isRecorded = handle.definition.changeFeed === true;
  removeExpired(target, handle.id, options.clock.nowMs());
  if (isRecorded) stopRecording(target, handle.id);
  addEntryColumns(database, handle.table, { from: handle.nextColumn, to: cache.nextColumn });
  let after = cache;
  for (const entity of extended) {
    const before = storedOf(handle);
    const conversion = convertEntries({
      ...target,
      ...{ before, after, entity, names: options.names },
      keepsMisfits: true,
      poll: loggingProgress(options, cache),
    });
    after = withMisfits(conversion, entity, unfit);
    createKeyIndex(database, after, entity);
  }
  if (isRecorded) recordChanges(target, after, 'cacheAltered');
  return after;
}

/** Creates an index over the entries. Throws CACHE_DECLARED_OTHERWISE if a unique index would have equal values. */
function createAddedIndex(database: Database, cache: StoredCache, { valueType, name }: AddedIndex): void {
  const entity = cache.definition.entities.find((each) => each.valueType === valueType);
  const index = entity?.indexes?.find((each) => indexName(entity, each) === name);
  if (entity === undefined || index === undefined) throw new Error(`index ${name} is not declared`);
  try {
    createIndex(database, cache, entity, index);
  } catch (error) {
    if (!isConstraint(error)) throw error;
    const what = `the index ${name}`;
    throw gridError('CACHE_DECLARED_OTHERWISE', cache.definition.name, what, 'over equal values', 'unique');
  }
}

/** Returns the cache with the changes in its declaration, or undefined if there are none. */
function redeclared(cache: StoredCache, declared: CacheDefinition): Redeclared | undefined {
  const { ttlMs: formerTtl, sliding: formerSliding, ...definition } = cache.definition;
  const added: AddedIndex[] = [];
  const extended: QueryEntity[] = [];
  const indexes: PlacedIndex[] = [...cache.indexes];
  let { nextIndex, nextColumn, fields } = cache;
  let isChanged = false;
  const extend = (own: QueryEntity, wanted: QueryEntity, isNew = false): QueryEntity => {
    const { valueType } = own;
    const further = wanted.fields
      .filter((field) => storedField(own, field) === undefined)
      .map((field) => (own.fromSql === true ? inSql(field) : field));
    const known = isNew ? own.fields : own.fields.map((field) => withConstraints(field, own, wanted));
    isChanged ||= known.some((field, at) => field !== own.fields[at]);
    const missing = (wanted.indexes ?? [])
      .filter((index) => storedIndex(own, own, index) === undefined)
      .map((index) => (own.fromSql === true ? { ...index, name: indexName(own, index).toUpperCase() } : index));
    if (isNew) {
      const added = further.map(({ name }): PlacedField => {
        return { entity: valueType, field: name, place: ownPlace(wanted, name) ?? nextColumn++ };
      });
      fields = [...fields, ...added];
    } else ({ fields, nextColumn } = withColumns({ fields, nextColumn }, wanted, further));
    for (const index of missing) {
      const name = indexName(own, index);
      added.push({ valueType, name });
      indexes.push({ entity: valueType, name, sqliteName: `x${cache.id}_${nextIndex++}` });
    }
    const changed = {
      ...own,
      fields: [...known, ...further],
      ...(missing.length > 0 && { indexes: [...(own.indexes ?? []), ...missing] }),
    };
    if (further.length > 0) extended.push(changed);
    return changed;
  };
  const known = definition.entities.map((own) => {
    const wanted = declared.entities.find((each) => each.valueType === own.valueType);
    return wanted === undefined ? own : extend(own, wanted);
  });
  const others = declared.entities.filter((each) => storedEntity(definition, each) === undefined);
  const entities = [...known, ...others.map((each) => extend({ ...each, fields: [], indexes: [] }, each, true))];
  const { ttlMs, sliding } = declared;
  const isSame = ttlMs === formerTtl && sliding === formerSliding;
  if (added.length + extended.length === 0 && isSame && !isChanged) return undefined;
  const expiry = { ...(ttlMs !== undefined && { ttlMs }), ...(sliding !== undefined && { sliding }) };
  const schema = definition.entities.length === 0 ? declared.schema : definition.schema;
  const changed = { ...definition, schema, entities, ...expiry };
  return { cache: { ...cache, definition: changed, fields, indexes, nextColumn, nextIndex }, added, extended };
}

/** A field with its column's name, for an SQL table, whose columns have the names of their aliases. */
function inSql(field: EntityField): EntityField {
  return { ...field, alias: (field.alias ?? field.name).toUpperCase() };
}

function storedEntity({ entities }: Pick<CacheDefinition, 'entities'>, { valueType }: QueryEntity) {
  return entities.find((each) => each.valueType === valueType);
}

/** Returns a field; ALTER TABLE may have added it with an upper-case name. */
function storedField({ fields }: QueryEntity, { name }: EntityField): EntityField | undefined {
  const folded = name.toUpperCase();
  return fields.find((each) => each.name === name) ?? fields.find((each) => each.name.toUpperCase() === folded);
}

/** Returns a value's field with the NOT NULL and default value now declared for it. */
function withConstraints(field: EntityField, own: QueryEntity, wanted: QueryEntity): EntityField {
  const declared = wanted.fields.find((each) => storedField(own, each) === field);
  if (declared === undefined || own.keyFields?.includes(field.name) === true) return field;
  const { notNull: formerNotNull = false, defaultValue: former, ...others } = field;
  const { notNull = false, defaultValue } = declared;
  if (notNull === formerNotNull && (former === defaultValue || shownValue(former) === shownValue(defaultValue)))
    return field;
  return { ...others, ...(notNull && { notNull }), ...(defaultValue !== undefined && { defaultValue }) };
}

function shownValue(value: Value | undefined): string | undefined {
  return value && encodeTagged(value);
}

function storedIndex(own: QueryEntity, entity: QueryEntity, index: EntityIndex): EntityIndex | undefined {
  const name = indexName(entity, index).toUpperCase();
  return own.indexes?.find((each) => indexName(own, each).toUpperCase() === name);
}

function namesOf(names: readonly string[] = []): string {
  return names.join(', ') || 'none';
}

/** Column names differ in more than case only if both declare an alias, which SQL writes in upper case. */
function shownField({ name, type, alias = name }: EntityField): string {
  const column = alias.toUpperCase();
  return `${shownType(type)}${column === name.toUpperCase() ? '' : ` (alias ${column})`}`;
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
