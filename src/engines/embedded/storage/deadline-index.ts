/**
 * The deadline index of a cache's entries. Most caches have no deadlines, and each index is a row of SQLite's schema,
 * which every schema change searches and every connection reads again. So a table gets its index with its first
 * deadline. To avoid waiting for an index over many entries, a table has it from {@link INDEXED_ENTRIES} entries on,
 * and a cache with a time to live from the beginning. Tables in older files all have one.
 *
 * A table without the index has no entry with a deadline.
 */
import { prepare, type WritableDatabase } from './databases.ts';
import { tableName } from './definitions.ts';

/**
 * Up to this number, building the index takes at most a few milliseconds: SQLite reads no value that does not
 * fit into a page.
 */
export const INDEXED_ENTRIES = 10_000;

/** Returns the name of a table's deadline index. */
export function deadlineIndex(table: string): string {
  return `${table}_exp`;
}

/** Creates a table's index unless it exists. It omits entries without a deadline. */
export function createDeadlineIndex({ database, prefix }: WritableDatabase, table: string): void {
  database.run(`CREATE INDEX IF NOT EXISTS ${prefix}${deadlineIndex(table)} ON ${table} (exp) WHERE exp IS NOT NULL`);
}

/** Returns the SQL condition that a table has the index. */
export function hasDeadlineIndex(table: string): string {
  return `EXISTS (SELECT 1 FROM pragma_index_list('${table}') WHERE name = '${deadlineIndex(table)}')`;
}

/** Returns the SQL expression for the number of entries that have expired by ?1 and are still stored. */
export function expiredEntries(table: string): string {
  // Without the index, SQLite would read the whole table to find none.
  return `CASE WHEN ${hasDeadlineIndex(table)} THEN (SELECT count(*) FROM ${table} WHERE exp <= ?1) ELSE 0 END`;
}

/** Adds to a cache's number of entries, in the transaction that changes them. */
export function addEntries(target: WritableDatabase, cache: number, added: number): void {
  if (added === 0) return;
  const { database, prefix } = target;
  const row = database
    .query<{ entries: bigint }, [number, number]>(
      `UPDATE ${prefix}entry_counts SET entries = entries + ? WHERE cache = ? RETURNING entries`,
    )
    .get(added, cache);
  const entries = Number(row?.entries ?? 0n);
  if (entries >= INDEXED_ENTRIES && entries - added < INDEXED_ENTRIES) createDeadlineIndex(target, tableName(cache));
}

/** Removes expired entries, which do not exist for declarations over the others. */
export function removeExpired(target: WritableDatabase, cache: number, nowMs: number): void {
  const { database, prefix } = target;
  const table = tableName(cache);
  using indexed = prepare(database, `SELECT 1 WHERE ${hasDeadlineIndex(table)}`);
  if (indexed.get() === null) return;
  const { changes } = database.run(`DELETE FROM ${prefix}${table} WHERE exp <= ?`, [nowMs]);
  addEntries(target, cache, -changes);
}
