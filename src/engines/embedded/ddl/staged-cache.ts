/**
 * Tables in which atomic imports stage their rows. A staged table has a row in `caches` that is not live, so no thread
 * knows it and the next startup removes it. The row becomes live instead of the cache's row, which makes all staged
 * rows visible in one short commit.
 */
import type { Database } from 'bun:sqlite';
import { gridError } from '../../../base/errors.ts';
import { DATA_DATABASE } from '../storage/databases.ts';
import { encodeDefinition, type StoredCache, tableName } from '../storage/definitions.ts';
import { checkDiskSpace } from '../storage/disk-space.ts';
import type { CacheHandle } from './cache-registry.ts';
import { createTable, dropTables } from './cache-table.ts';
import { storedOf } from './stored-caches.ts';
import type { StagedCache, StructureChanges } from './structure-changes.ts';
import type { StructureOptions } from './structure-options.ts';

type RequestOf<N extends keyof StructureChanges> = StructureChanges[N]['request'];

/** Creates an empty table like a cache's, with its indexes. Throws CACHE_NOT_FOUND. */
export function stageCache(options: StructureOptions, { name }: RequestOf<'stageCache'>): StagedCache {
  const { connections, registry, shared } = options;
  const handle = registry.require(name);
  checkDiskSpace(shared);
  const id = connections.data.transact((database) => {
    const staged = insertStaged(database, handle);
    if (handle.database === DATA_DATABASE) createTable(database, staged);
    return staged.id;
  });
  if (handle.database !== DATA_DATABASE) {
    const staged = likeStored(handle, id);
    connections.get(handle.database).transact((database) => createTable(database, staged));
  }
  return { id, definition: encodeDefinition(handle) };
}

/**
 * Makes the staged table the cache's table. Returns false if the cache has live entries, or its changes are recorded.
 * Throws CACHE_NOT_FOUND, and IMPORT_TABLE_CHANGED if its definition has changed since the table was staged.
 */
export function swapCache(options: StructureOptions, { name, staged }: RequestOf<'swapCache'>): boolean {
  const { connections, registry, shared, releaseStatements, clock } = options;
  const handle = registry.require(name);
  if (encodeDefinition(handle) !== staged.definition) throw gridError('IMPORT_TABLE_CHANGED', name);
  // The rows of a table that is swapped in would not be in the change feed.
  if (handle.definition.changeFeed === true) return false;
  const own = connections.get(handle.database);
  const live = own.database.query(`SELECT 1 FROM ${handle.table} WHERE exp IS NULL OR exp > ? LIMIT 1`);
  if (live.get(clock.nowMs()) !== null) return false;
  releaseStatements(handle);
  connections.data.transact((database) => {
    const setLive = database.query(
      'UPDATE caches SET live = ?, version = (SELECT max(version) + 1 FROM caches) WHERE id = ?',
    );
    setLive.run(0, handle.id);
    setLive.run(1, staged.id);
    if (handle.database === DATA_DATABASE) dropTables(database, [handle.id]);
  });
  shared.definitionsChanged();
  if (handle.database !== DATA_DATABASE) {
    own.transact((database) => dropTables(database, [handle.id]));
  }
  return true;
}

/** Removes the rows of destroyed caches, and staged rows of imports interrupted by a crash. Called at startup. */
export function removeDeadCaches(database: Database): void {
  const dead = database.query<{ id: bigint }, []>('SELECT id FROM caches WHERE live = 0').all();
  if (dead.length === 0) return;
  database.transaction(() => {
    dropTables(
      database,
      dead.map(({ id }) => Number(id)),
    );
    database.run('DELETE FROM caches WHERE live = 0');
  })();
}

/**
 * Drops the indexes that no definition names: a crash interrupted CREATE INDEX or DROP INDEX. Called at startup, after
 * {@link removeDeadCaches}.
 */
export function dropOrphanedIndexes(database: Database): void {
  const left = database
    .query<{ name: string }, []>(
      `SELECT name FROM sqlite_schema WHERE type = 'index' AND name GLOB 'x[0-9]*_[0-9]*' AND NOT EXISTS (
        SELECT 1 FROM caches
        WHERE id = CAST(substr(sqlite_schema.name, 2) AS INTEGER) AND instr(definition, '"' || sqlite_schema.name || '"') > 0)`,
    )
    .all();
  for (const { name } of left) database.run(`DROP INDEX ${name}`);
}

function insertStaged(database: Database, handle: CacheHandle): StoredCache {
  const inserted = database
    .query<{ id: bigint }, [string, number, number]>(
      `INSERT INTO caches (name, slot, created, version, live, definition)
      SELECT ?, ?, ?, coalesce(max(version), 0) + 1, 0, '' FROM caches RETURNING id`,
    )
    .get(handle.definition.name, handle.slot, handle.createdMs);
  const staged = likeStored(handle, Number(inserted?.id));
  database.query('UPDATE caches SET definition = ? WHERE id = ?').run(encodeDefinition(staged), staged.id);
  return staged;
}

/**
 * Returns the cache with another table, whose columns have the same positions and whose indexes have different names.
 */
function likeStored(handle: CacheHandle, id: number): StoredCache {
  const prefix = `x${handle.id}_`;
  const indexes = handle.indexes.map((index) => ({
    ...index,
    sqliteName: `x${id}_${index.sqliteName.slice(index.sqliteName.startsWith(prefix) ? prefix.length : 0)}`,
  }));
  return { ...storedOf(handle), id, indexes };
}

/** Returns a staged table's name in its file. */
export function stagedTable({ id }: Pick<StagedCache, 'id'>): string {
  return tableName(id);
}
