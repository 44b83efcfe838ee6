/**
 * The state of a data folder during and after a restore. While it runs, the data file has another name, and no service
 * starts. It also puts the files of non-persistent regions into the data folder. The first startup moves their contents
 * into the regions; from then on these do not survive a shutdown, as always.
 */
import type { Database } from 'bun:sqlite';
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gridError } from '../../../base/errors.ts';
import { readSetting, writeSetting } from './settings.ts';

/** The data file while it is being restored. Other files being restored begin with this name. */
export const RESTORING_FILE = 'svc.db.restoring';

/** Reports whether a file belongs to an incomplete restore. */
export function isBeingRestored(name: string): boolean {
  return name.startsWith(RESTORING_FILE);
}

/** Reports whether a file contains a restored region. */
export function isRestoredRegion(name: string): boolean {
  return /^restored-region-\d+\.db$/.test(name);
}

/** The file of a region in a restored data folder. */
export interface RestoredRegion {
  readonly region: string;
  /** Name of the file in the data folder. */
  readonly file: string;
}

/** Returns the file name of the n-th restored region. */
export function restoredFile(index: number): string {
  return `restored-region-${index}.db`;
}

/** Returns the restored regions that no startup has opened yet. */
export function restoredRegions(database: Database): readonly RestoredRegion[] {
  const setting = readSetting(database, 'restoredRegions');
  return setting === undefined ? [] : (JSON.parse(setting) as readonly RestoredRegion[]);
}

export function writeRestoredRegions(database: Database, regions: readonly RestoredRegion[]): void {
  writeSetting(database, 'restoredRegions', JSON.stringify(regions));
}

/** Copies a region's restored file to `path`, which no connection has open. Returns false if there is none. */
export function openRestored(
  folder: string,
  regions: readonly RestoredRegion[],
  region: string,
  path: string,
): boolean {
  const found = regions.find((each) => each.region === region);
  if (found === undefined) return false;
  copyFileSync(join(folder, found.file), path);
  return true;
}

/** Forgets the restored regions and removes their files. */
export function removeRestored(database: Database, folder: string): void {
  const regions = restoredRegions(database);
  if (regions.length === 0) return;
  writeRestoredRegions(database, []);
  for (const { file } of regions) rmSync(join(folder, file), { force: true });
}

/** Throws RESTORE_INCOMPLETE if a restore to the folder was interrupted. */
export function checkRestored(folder: string): void {
  if (existsSync(join(folder, RESTORING_FILE))) throw gridError('RESTORE_INCOMPLETE', folder);
}
