/** Converts the objects that earlier versions left unchanged when their fields were declared. */
import type { Database } from 'bun:sqlite';
import { decodeDefinition, encodeDefinition, type StoredCache, tableName, withUnfit } from './definitions.ts';
import { convertLeftFields } from './entry-conversion.ts';
import { recordChanges, stopRecording } from './feed-tables.ts';
import { hasTable, typeNamesOf } from './key-migration.ts';

/** Writes the fields of such objects to their columns. A field gets the name that these objects use. */
export function convertObjects(database: Database): void {
  const names = typeNamesOf(database);
  const rows = database.query<{ id: bigint; definition: string }, []>(
    'SELECT id, definition FROM caches WHERE live = 1',
  );
  for (const { id, definition } of rows.all()) {
    if (!hasTable(database, tableName(Number(id)))) continue;
    let cache: StoredCache = { ...decodeDefinition(definition), id: Number(id), slot: 0, createdMs: 0 };
    const target = { database, prefix: '' };
    const isRecorded = cache.definition.changeFeed === true && cache.definition.entities.length > 0;
    if (isRecorded) stopRecording(target, cache.id);
    for (const entity of cache.definition.entities) {
      const { stored, count } = convertLeftFields({ ...target, before: cache, entity, names, poll: () => {} });
      cache = withUnfit(stored, entity.valueType, count);
    }
    if (isRecorded) recordChanges(target, cache, 'cacheAltered');
    const text = encodeDefinition(cache);
    if (text !== definition) database.query('UPDATE caches SET definition = ? WHERE id = ?').run(text, id);
  }
}
