/** Restores a backup to a data folder. */
import { Database } from 'bun:sqlite';
import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { gridError } from '../../../base/errors.ts';
import { contentsOf, DATA_FILE, folderFailure, lockFolder } from '../storage/data-folder.ts';
import type { Log } from '../storage/log.ts';
import {
  isBeingRestored,
  isRestoredRegion,
  RESTORING_FILE,
  type RestoredRegion,
  restoredFile,
  writeRestoredRegions,
} from '../storage/restored-regions.ts';
import { SCHEMA_VERSION } from '../storage/schema.ts';
import { BackupDecoder, type BackupEnd, type BackupHeader } from './backup-format.ts';
import { syncFolder } from './private-output.ts';

export interface RestoreOptions {
  /** The bytes of the backup. */
  readonly source: AsyncIterable<Uint8Array>;
  /** The data folder; it is created if it does not exist. */
  readonly folder: string;
  /** Whether to replace the folder's contents. Otherwise it must be empty. */
  readonly replace: boolean;
  readonly program: string;
  readonly log: Log;
  /** Called with the bytes of written pages, and the total. */
  readonly onProgress?: (writtenBytes: number, totalBytes: number) => void;
}

export interface Restored {
  readonly header: BackupHeader;
  readonly end: BackupEnd;
}

const FILE_MODE = 0o600;
const COMPANIONS = ['-wal', '-shm', '-journal'];

/**
 * Writes a backup's database files into a folder. The data file gets its name last, once everything is on disk. Until
 * then the folder contains {@link RESTORING_FILE}, and no service starts with it; an interrupted restore can be
 * repeated. Throws FOLDER_IN_USE, FOLDER_NOT_EMPTY, SCHEMA_NEWER, BACKUP_DAMAGED and BACKUP_NEWER.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { folder, program } = options;
  const decoder = new BackupDecoder(options.source);
  const header = await decoder.header();
  if (header.schemaVersion > SCHEMA_VERSION) {
    throw gridError('SCHEMA_NEWER', folder, header.schemaVersion, header.program, program, SCHEMA_VERSION);
  }
  const regions = header.files.flatMap(({ region }, index) =>
    region === null ? [] : [{ region, file: restoredFile(index) }],
  );
  const end = await restoreTo(options, regions, () => writeFiles(decoder, header, options));
  return { header, end };
}

/** A folder to restore to. */
export type RestoreFolder = Pick<RestoreOptions, 'folder' | 'replace' | 'log'>;

/**
 * Restores to a folder: `write` writes the data file under the name {@link RESTORING_FILE}, and the files of regions
 * next to it. Throws FOLDER_IN_USE and FOLDER_NOT_EMPTY, and the errors of `write`; the folder is then unchanged.
 */
export async function restoreTo<T>(
  { folder, replace, log }: RestoreFolder,
  regions: readonly RestoredRegion[],
  write: () => Promise<T>,
): Promise<T> {
  // The outermost folder that did not exist.
  const created = createFolder(folder);
  let lock: ReturnType<typeof lockFolder> | undefined;
  try {
    lock = lockFolder(folder, log);
    if (!replace && contentsOf(folder).length > 0) throw gridError('FOLDER_NOT_EMPTY', folder);
    const written = await restoreFiles(folder, regions, write);
    lock.recordCreation();
    lock.release();
    return written;
  } catch (error) {
    lock?.release();
    if (created !== undefined) rmSync(created, { recursive: true, force: true });
    throw error;
  }
}

/** Returns the outermost folder that was created. Throws FOLDER_UNUSABLE. */
function createFolder(folder: string): string | undefined {
  try {
    return mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw folderFailure(error, folder);
  }
}

/** Writes all files under other names, then gives them their names, the data file last. */
async function restoreFiles<T>(
  folder: string,
  regions: readonly RestoredRegion[],
  write: () => Promise<T>,
): Promise<T> {
  let written: T;
  try {
    written = await write();
    prepareDataFile(folder, regions);
  } catch (error) {
    // Everything in the folder is untouched so far.
    removeFiles(folder, isBeingRestored);
    throw error;
  }
  // Otherwise the write-ahead log of the replaced file would be applied to the new one.
  for (const companion of COMPANIONS) rmSync(join(folder, DATA_FILE + companion), { force: true });
  removeFiles(folder, isRestoredRegion);
  for (const [index, { file }] of regions.entries()) {
    renameSync(join(folder, temporaryName(index + 1)), join(folder, file));
  }
  syncFolder(folder);
  renameSync(join(folder, RESTORING_FILE), join(folder, DATA_FILE));
  syncFolder(folder);
  return written;
}

function removeFiles(folder: string, matches: (name: string) => boolean): void {
  for (const name of readdirSync(folder).filter(matches)) rmSync(join(folder, name), { force: true });
}

/** Returns a file's name while it is being restored. */
function temporaryName(index: number): string {
  return index === 0 ? RESTORING_FILE : `${RESTORING_FILE}-${index}`;
}

async function writeFiles(
  decoder: BackupDecoder,
  header: BackupHeader,
  { folder, onProgress }: RestoreOptions,
): Promise<BackupEnd> {
  const totalBytes = header.files.reduce((sum, { pages, pageBytes }) => sum + pages * pageBytes, 0);
  const descriptors = header.files.map(({ pages, pageBytes }, index) => {
    const descriptor = openSync(join(folder, temporaryName(index)), 'w', FILE_MODE);
    ftruncateSync(descriptor, pages * pageBytes);
    return descriptor;
  });
  // From here on the folder is recognized as incomplete, whatever happens.
  syncFolder(folder);
  try {
    let writtenBytes = 0;
    for (const runs = decoder.runs(header); ; ) {
      const next = await runs.next();
      if (next.done === true) {
        for (const descriptor of descriptors) fsyncSync(descriptor);
        return next.value;
      }
      const { file, firstPage, bytes } = next.value;
      const position = (firstPage - 1) * (header.files[file]?.pageBytes ?? 0);
      writeWhole(descriptors[file] ?? -1, bytes, position);
      writtenBytes += bytes.length;
      onProgress?.(writtenBytes, totalBytes);
    }
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor);
  }
}

/** Writes all bytes at a position in a file. */
export function writeWhole(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at, bytes.length - at, position + at);
}

/** Removes the data of the backed-up process, and records the files of non-persistent regions. */
function prepareDataFile(folder: string, regions: readonly RestoredRegion[]): void {
  const database = new Database(join(folder, RESTORING_FILE), { readwrite: true, create: false });
  try {
    // The folder may still be in use by that process.
    database.run("DELETE FROM settings WHERE name = 'temporaryDir'");
    // Change feed positions must differ from the backed-up file's, which may continue.
    if (database.query("SELECT 1 FROM sqlite_schema WHERE name = 'feed_file'").get() !== null) {
      database.run('DELETE FROM feed_file');
    }
    writeRestoredRegions(database, regions);
  } finally {
    database.close(true);
  }
}
