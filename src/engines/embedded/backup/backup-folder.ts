/** Makes a backup of a data folder that no process uses. Must run in a process that opens no grid. */
import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import type { BackupReport } from '../../../grid/backup.ts';
import { DEFAULT_REGION } from '../../../grid/declarations.ts';
import { DATA_FILE, folderFailure, lockFolder, requireDataFile } from '../storage/data-folder.ts';
import { decodeDefinition } from '../storage/definitions.ts';
import type { Log } from '../storage/log.ts';
import { checkRestored, type RestoredRegion, restoredRegions } from '../storage/restored-regions.ts';
import { checkContents, checkSchemaVersion } from '../storage/schema.ts';
import type { BackupHeader } from './backup-format.ts';
import { copySnapshot } from './copy.ts';
import { SnapshotFile } from './snapshot-file.ts';

export interface FolderBackupOptions {
  readonly folder: string;
  /** The program's version. */
  readonly program: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Yields the bytes of the backup and returns its report, without `bytes`. Throws FOLDER_EMPTY, DATA_FILE_MISSING,
 * FOLDER_IN_USE, RESTORE_INCOMPLETE and SCHEMA_NEWER.
 */
export async function* backupFolder(
  options: FolderBackupOptions,
): AsyncGenerator<Uint8Array, Omit<BackupReport, 'bytes'>> {
  const { folder, program, clock, log } = options;
  const path = join(folder, DATA_FILE);
  requireDataFile(folder);
  const lock = lockFolder(folder, log);
  const files: SnapshotFile[] = [];
  try {
    checkRestored(folder);
    const { regions, restored } = describe(path, options, lock.isCreated);
    files.push(new SnapshotFile(path, null));
    for (const { region, file } of restored) files.push(new SnapshotFile(join(folder, file), region));
    for (const file of files) file.pin();
    const createdAt = new Date(clock.nowMs()).toISOString();
    const described = { createdAt, program, regions };
    return yield* copySnapshot(files, described, { bytesPerSecond: 0, clock, check: () => {} });
  } catch (error) {
    throw folderFailure(error, folder);
  } finally {
    for (const file of files) file.close();
    lock.release();
  }
}

/** Returns the folder's regions, and those that a restore has left as files. */
function describe(
  path: string,
  { folder, program }: FolderBackupOptions,
  isCreated: boolean,
): { readonly regions: BackupHeader['regions']; readonly restored: readonly RestoredRegion[] } {
  const database = new Database(path, { readwrite: true, create: false, safeIntegers: true });
  try {
    checkContents(database, folder, isCreated);
    checkSchemaVersion(database, folder, program);
    const persistent = database
      .query<{ definition: string }, []>('SELECT definition FROM caches WHERE live = 1')
      .all()
      .map(({ definition }) => decodeDefinition(definition).definition)
      .filter((definition) => definition.persistent)
      .map(({ region }) => region);
    const restored = restoredRegions(database);
    const regions = [
      ...[...new Set([DEFAULT_REGION, ...persistent])].map((name) => ({ name, persistent: true })),
      ...restored.map(({ region }) => ({ name: region, persistent: false })),
    ];
    return { regions, restored };
  } finally {
    database.close(true);
  }
}
