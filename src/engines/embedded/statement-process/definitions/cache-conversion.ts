/** Converts a cache's entries to rows of a table that a statement declares over it. */
import { createKeyIndex } from '../../ddl/cache-table.ts';
import { ddlFailure } from '../../ddl/ddl-failures.ts';
import { storedOf } from '../../ddl/stored-caches.ts';
import type { PlannedConversion } from '../../ddl/structure-changes.ts';
import { attachedPrefix, DATA_DATABASE } from '../../storage/databases.ts';
import { removeExpired } from '../../storage/deadline-index.ts';
import { decodeDefinition, encodeDefinition, type StoredCache } from '../../storage/definitions.ts';
import { convertEntries } from '../../storage/entry-conversion.ts';
import { recordChanges, stopRecording } from '../../storage/feed-tables.ts';
import type { EngineThread } from '../../thread/engine-thread.ts';
import type { SqlConnection } from '../sql-connection.ts';
import type { StatementWatch } from '../statement-watch.ts';

/** Number of rows between progress updates. */
const SHOWN_ROWS = 100;

/**
 * Converts the entries and changes the definition in one transaction, while the caller holds the write lock. Returns
 * false, and changes nothing, if the definition is no longer the planned one. SQLite commits the data file first: if
 * the process is killed in between, the objects of an in-memory region still have all of their fields in `v`.
 */
export function convertCache(
  { registry, shared, names, regions, clock }: EngineThread,
  connection: SqlConnection,
  { cache, version, valueType, definition }: PlannedConversion,
  watch: StatementWatch,
): boolean {
  const handle = registry.find(cache);
  if (handle === undefined) return false;
  const { database: number } = handle;
  connection.attach([number]);
  const { database, transactions } = connection;
  const prefix = attachedPrefix(number);
  const convert = (): boolean => {
    const current = database.query<{ version: bigint }, [number]>(
      'SELECT version FROM caches WHERE id = ? AND live = 1',
    );
    if (Number(current.get(handle.id)?.version) !== version) return false;
    const after: StoredCache = { ...storedOf(handle), ...decodeDefinition(definition) };
    const entity = after.definition.entities.find((each) => each.valueType === valueType);
    if (entity === undefined) return false;
    const isRecorded = after.definition.changeFeed === true;
    const target = { database, prefix };
    removeExpired(target, handle.id, clock.nowMs());
    // The objects stay the same, so converting them does not count as changing them.
    if (isRecorded) stopRecording(target, handle.id);
    const before = storedOf(handle);
    const { stored, misfits, count, variants } = convertEntries({
      ...target,
      before,
      after,
      entity,
      names,
      keepsMisfits: false,
      poll(converted, total) {
        watch.poll();
        if (converted % SHOWN_ROWS === 0) watch.setProgress(converted, total);
      },
    });
    const [given] = variants;
    if (given !== undefined) throw ddlFailure('FIELD_NAMES_DIFFER', cache, given.type, given.names);
    if (count > 0) throw ddlFailure('ENTRIES_UNFIT', cache, count, misfits);
    connection.checkRegionSize(regions.get(after.definition.region));
    for (const each of stored.definition.entities) createKeyIndex(database, stored, each, prefix);
    if (isRecorded) recordChanges(target, stored, 'cacheAltered');
    database
      .query('UPDATE caches SET definition = ?, version = (SELECT max(version) + 1 FROM caches) WHERE id = ?')
      .run(encodeDefinition(stored), handle.id);
    return true;
  };
  const change = (): boolean => {
    watch.use(connection.guarded);
    const isConverted = watch.run(convert);
    watch.use(undefined);
    if (isConverted) watch.beginCommit();
    return isConverted;
  };
  const isConverted = transactions.run(DATA_DATABASE, change, { databases: [number], space: 'adds' });
  if (!isConverted) return false;
  if (number !== DATA_DATABASE) shared.committed(number);
  shared.definitionsChanged();
  return true;
}
