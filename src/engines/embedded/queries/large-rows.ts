/** Which caches have large rows, so that query threads read them, one statement at a time. */
import type { EntryTable } from '../sql/entry-table.ts';
import type { EngineThread } from '../thread/engine-thread.ts';

/** The tables that a statement reads, or the cache of a scan. */
export type ReadTables = ReadonlyArray<Pick<EntryTable, 'cache'>>;

/** Notes that a statement has read or stored a large row of its tables. */
export function noteLargeRows({ registry, shared }: EngineThread, tables: ReadTables, nowMs: number): void {
  for (const { cache } of tables) {
    const handle = registry.find(cache);
    if (handle !== undefined) shared.noteLargeRow(handle.slot, nowMs);
  }
}

/** Reports whether a table of a statement may have large rows. */
export function mayReadLargeRows({ registry, shared }: EngineThread, tables: ReadTables, nowMs: number): boolean {
  for (const { cache } of tables) {
    const handle = registry.find(cache);
    if (handle !== undefined && shared.mayHaveLargeRows(handle.slot, nowMs)) return true;
  }
  return false;
}
