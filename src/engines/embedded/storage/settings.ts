/**
 * Reads and writes settings in the data file: cluster state, ids, the folder of non-persistent regions, the version of
 * the program that last opened it, restored regions.
 */
import type { Database } from 'bun:sqlite';

export type SettingName =
  | 'clusterState'
  | 'nodeId'
  | 'consistentId'
  | 'temporaryDir'
  | 'programVersion'
  | 'restoredRegions';

export function readSetting(database: Database, name: SettingName): string | undefined {
  return database.query<{ value: string }, [string]>('SELECT value FROM settings WHERE name = ?').get(name)?.value;
}

export function writeSetting(database: Database, name: SettingName, value: string): void {
  database.query('INSERT OR REPLACE INTO settings VALUES (?, ?)').run(name, value);
}
