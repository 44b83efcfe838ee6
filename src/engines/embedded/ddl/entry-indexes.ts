/** Indexes on paths into a cache's values: CREATE INDEX and DROP INDEX on `"people".ENTRIES`. */
import { SQL_BOUNDS } from '../../../base/limits.ts';
import type { DefinitionOfCache } from '../../../grid/definition-changes.ts';
import { ENTRIES_TABLE } from '../../../grid/table-names.ts';
import type { DdlStatement } from '../../../sql/syntax/ast.ts';
import { attachedPrefix, DATA_DATABASE } from '../storage/databases.ts';
import {
  columnsOfEntries,
  encodeDefinition,
  NO_ENTITY,
  PATH_TYPES,
  type PlacedField,
  type StoredCache,
} from '../storage/definitions.ts';
import type { CacheHandle } from './cache-registry.ts';
import { checkColumnCount, entryIndexSql } from './cache-table.ts';
import { ddlFailure } from './ddl-failures.ts';
import { storedOf } from './stored-caches.ts';
import type { PlannedIndex, RemovedIndex } from './structure-changes.ts';
import type { StructureOptions } from './structure-options.ts';

type CreateIndex = Extract<DdlStatement, { kind: 'createIndex' }>;

/** Returns a cache's entries as a change names their table. */
export function placeOfEntries({ definition }: CacheHandle): Pick<DefinitionOfCache, 'table' | 'cacheName'> {
  return { table: `${definition.name}.${ENTRIES_TABLE}`, cacheName: definition.name };
}

/**
 * Returns the name of the index that a statement declares on a cache's entries, and its path, or undefined if it exists
 * and IF NOT EXISTS allows it. Throws for an index that they cannot have.
 */
export function declaredEntryIndex(
  { definition, indexes }: CacheHandle,
  statement: CreateIndex,
):
  | { readonly name: string; readonly path: NonNullable<PlacedField['path']>; readonly descending: boolean }
  | undefined {
  const [column, ...others] = statement.columns;
  if (column?.path === undefined || others.length > 0) throw ddlFailure('INDEX_EXPRESSION');
  const { path, descending } = column;
  if (!PATH_TYPES.includes(path.type)) throw ddlFailure('INDEX_PATH_TYPE', path.type);
  if (statement.name?.schema !== undefined && statement.name.schema.text !== definition.name)
    throw ddlFailure('SCHEMA_NOT_FOUND', statement.name.schema.text);
  const name = statement.name?.name.text ?? `entries_${path.path}_idx`;
  const isKnown = indexes.some((each) => each.name === name);
  if (isKnown && statement.ifNotExists) return undefined;
  if (isKnown) throw ddlFailure('INDEX_EXISTS', name);
  return { name, path, descending };
}

function unusedColumn({ fields }: Pick<StoredCache, 'fields'>): PlacedField | undefined {
  return columnsOfEntries(fields).find(({ path }) => path === undefined);
}

/** Returns the cache with a column for the next index on a path, or undefined if it has one. */
export function withUnusedColumn(handle: CacheHandle): StoredCache | undefined {
  if (unusedColumn(handle) !== undefined) return undefined;
  const { fields, nextColumn: place } = handle;
  return { ...storedOf(handle), fields: [...fields, { entity: NO_ENTITY, field: '', place }], nextColumn: place + 1 };
}

/** Plans a path's column and index. Returns undefined if there is nothing to do. */
export function planEntryIndex(
  handle: CacheHandle,
  statement: CreateIndex,
  { connections }: Pick<StructureOptions, 'connections'>,
): PlannedIndex | undefined {
  const declared = declaredEntryIndex(handle, statement);
  if (declared === undefined) return undefined;
  const { name, path, descending } = declared;
  const { nextColumn, nextIndex, table, database, definition } = handle;
  const sqliteName = `x${handle.id}_${nextIndex}`;
  const ownName = `${attachedPrefix(database)}${sqliteName}`;
  const unused = unusedColumn(handle);
  const place = typeof unused?.place === 'number' ? unused.place : nextColumn;
  const stored: StoredCache = {
    ...storedOf(handle),
    definition: {
      ...definition,
      entryIndexes: [...(definition.entryIndexes ?? []), { name, ...path, ...(descending && { descending }) }],
    },
    fields: [...handle.fields.filter((field) => field !== unused), { entity: NO_ENTITY, field: name, place, path }],
    indexes: [...handle.indexes, { entity: NO_ENTITY, name, sqliteName }],
    nextColumn: Math.max(nextColumn, place + 1),
    nextIndex: nextIndex + 1,
  };
  checkColumnCount(stored, SQL_BOUNDS.tableColumns);
  const row = connections
    .get(DATA_DATABASE)
    .database.query<{ version: bigint }, [number]>('SELECT version FROM caches WHERE id = ?')
    .get(handle.id);
  return {
    database,
    name: sqliteName,
    table,
    sql: `DROP INDEX IF EXISTS ${ownName}; ${entryIndexSql(ownName, table, place, descending)}`,
    entries: { cache: handle.definition.name, version: Number(row?.version), definition: encodeDefinition(stored) },
  };
}

/** Returns the cache without an index on its entries, and the rest of that index, or undefined if it has none. */
export function withoutEntryIndex(
  handle: CacheHandle,
  name: string,
): { readonly cache: StoredCache; readonly removed: RemovedIndex } | undefined {
  const index = handle.indexes.find((each) => each.entity === NO_ENTITY && each.name === name);
  if (index === undefined) return undefined;
  const { place = 'value' } = handle.fields.find(({ path, field }) => path !== undefined && field === name) ?? {};
  // Its number is reused by the next path.
  const fields = handle.fields.map((each): PlacedField => {
    return each.path === undefined || each.field !== name ? each : { entity: NO_ENTITY, field: '', place };
  });
  const indexes = handle.indexes.filter((each) => each !== index);
  const entryIndexes = (handle.definition.entryIndexes ?? []).filter((each) => each.name !== name);
  const { entryIndexes: _, ...others } = handle.definition;
  const definition = entryIndexes.length === 0 ? others : { ...others, entryIndexes };
  const { database, table } = handle;
  return {
    cache: { ...storedOf(handle), definition, fields, indexes },
    removed: {
      database,
      name: index.sqliteName,
      ...(typeof place === 'number' && { values: { table, column: `f${place}` } }),
    },
  };
}
