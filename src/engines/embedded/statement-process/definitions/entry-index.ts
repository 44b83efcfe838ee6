/** Builds an index on a path into a cache's values: fills its column, and adds both to the definition. */

import { addEntryColumns } from '../../ddl/cache-table.ts';
import { storedOf } from '../../ddl/stored-caches.ts';
import type { PlannedIndex } from '../../ddl/structure-changes.ts';
import { attachedPrefix, DATA_DATABASE } from '../../storage/databases.ts';
import { decodeDefinition, encodeDefinition, type StoredCache } from '../../storage/definitions.ts';
import { fillPathColumns } from '../../storage/entry-conversion.ts';
import { recordChanges, stopRecording } from '../../storage/feed-tables.ts';
import type { EngineThread } from '../../thread/engine-thread.ts';
import type { SqlConnection } from '../sql-connection.ts';
import type { StatementWatch } from '../statement-watch.ts';

/**
 * Does all of it while the caller holds the write lock: in one transaction of the data file, or in one of the region's
 * file before the definition changes. Returns false, and changes nothing, if the definition is not the planned one.
 */
export function buildEntryIndex(
  { registry, shared, names, regions }: EngineThread,
  connection: SqlConnection,
  { database: number, sql }: PlannedIndex,
  { cache, version, definition }: NonNullable<PlannedIndex['entries']>,
  watch: StatementWatch,
): boolean {
  const handle = registry.find(cache);
  if (handle === undefined) return false;
  connection.attach([number]);
  const { database, transactions } = connection;
  const before = storedOf(handle);
  const after: StoredCache = { ...before, ...decodeDefinition(definition) };
  const target = { database, prefix: attachedPrefix(number) };
  const isApart = number !== DATA_DATABASE;
  const build = (): boolean => {
    const current = database.query<{ version: bigint }, [number]>(
      'SELECT version FROM caches WHERE id = ? AND live = 1',
    );
    if (Number(current.get(handle.id)?.version) !== version) return false;
    const isRecorded = after.definition.changeFeed === true;
    // The entries stay as they are.
    if (isRecorded) stopRecording(target, handle.id);
    if (!isApart) addEntryColumns(database, handle.table, { from: before.nextColumn, to: after.nextColumn });
    fillPathColumns({ ...target, before, after, names, poll: watch.poll });
    connection.checkRegionSize(regions.get(after.definition.region));
    database.run(sql);
    if (isRecorded) recordChanges(target, after, 'cacheAltered');
    if (!isApart) define();
    return true;
  };
  const define = (): void => {
    database
      .query('UPDATE caches SET definition = ?, version = (SELECT max(version) + 1 FROM caches) WHERE id = ?')
      .run(encodeDefinition(after), handle.id);
  };
  const change = (): boolean => {
    watch.use(connection.guarded);
    const isBuilt = watch.run(build);
    watch.use(undefined);
    if (isBuilt) watch.beginCommit();
    return isBuilt;
  };
  if (!transactions.run(number, change, { databases: [DATA_DATABASE], space: 'adds' })) return false;
  if (isApart) transactions.run(DATA_DATABASE, define, { space: 'adds' });
  shared.definitionsChanged();
  return true;
}
