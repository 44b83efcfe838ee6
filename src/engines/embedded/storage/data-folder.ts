/** Locks the data folder. File functions never open a database file: closing it would drop SQLite's locks. */
import { Database } from 'bun:sqlite';
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorText, GridError, gridError } from '../../../base/errors.ts';
import {
  type FolderOwner,
  isDiskFull,
  OWNER_FILE,
  OWNER_LOCK_FILE,
  readOwner,
  removeOwner,
  writeOwner,
} from './folder-owner.ts';
import type { Log } from './log.ts';
import { createPrivateFile, isFurtherEntry, securePrivateFolder } from './private-files.ts';
import { isBeingRestored, isRestoredRegion } from './restored-regions.ts';
import { checkLibrary, libraryOf } from './sqlite-library.ts';
import { storageFailure } from './storage-failures.ts';

export const DATA_FILE = 'svc.db';
const LOCK_FILE = 'lock.db';
/** A database whose lock a service's processes share until they end. */
const PROCESSES_FILE = 'processes.db';
/** `PRAGMA user_version` of the lock file in a folder whose data file was completed. */
const CREATED = 1;

/** Returns the files of an open store: the data file with its log and the log's index, and the lock files. */
export function storeFiles(folder: string): string[] {
  return [DATA_FILE, `${DATA_FILE}-wal`, `${DATA_FILE}-shm`, LOCK_FILE, PROCESSES_FILE].map((name) =>
    join(folder, name),
  );
}

/** Returns a folder's entries other than logs, locks and remains of an interrupted restore. */
export function contentsOf(folder: string): string[] {
  return readdirSync(folder).filter(
    (name) =>
      !isFurtherEntry(name) &&
      !name.startsWith(LOCK_FILE) &&
      !name.startsWith(PROCESSES_FILE) &&
      !isBeingRestored(name) &&
      !isRestoredRegion(name),
  );
}

export interface FolderLock {
  /** Whether a data file in the folder was ever completed. */
  readonly isCreated: boolean;
  /** Records in the lock file that the data file is complete: from then on a missing one is an error. */
  recordCreation(): void;
  release(): void;
}

/**
 * Creates the folder if it does not exist, removes the permissions of group and others, and locks it for this process,
 * which `owner` describes to others. Throws if another process holds the lock, if other users could change the folder,
 * or if the process has an unsuitable SQLite.
 */
export function lockFolder(folder: string, log: Log, owner?: FolderOwner): FolderLock {
  let lock: Database | undefined;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    securePrivateFolder(folder, [DATA_FILE, LOCK_FILE, PROCESSES_FILE], log);
    createPrivateFile(join(folder, LOCK_FILE));
    createPrivateFile(join(folder, PROCESSES_FILE));
    lock = new Database(join(folder, LOCK_FILE), { create: true });
    checkLibrary(libraryOf(lock));
    lock.run('PRAGMA locking_mode = EXCLUSIVE');
    lock.run('BEGIN EXCLUSIVE');
    const held = lock;
    const isCreated = held.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version === CREATED;
    if (owner !== undefined) writeOwner(folder, owner);
    return {
      isCreated,
      recordCreation() {
        if (isCreated) return;
        held.run(`PRAGMA user_version = ${CREATED}`);
        // In the locking mode EXCLUSIVE the lock outlives the transaction.
        held.run('COMMIT');
      },
      release() {
        if (owner !== undefined) removeOwner(folder);
        held.close(true);
      },
    };
  } catch (error) {
    lock?.close(true);
    throw folderFailure(error, folder);
  }
}

/**
 * Throws FOLDER_UNUSABLE if the folder cannot be read, and DATA_FILE_MISSING if the data file is missing or empty
 * although the folder has had one. SQLite would take an empty file for a new database, and delete the log next to it
 * with its acknowledged changes.
 */
export function checkDataFile(folder: string, isCreated: boolean): void {
  if (sizeOf(folder, DATA_FILE) > 0) return;
  const log = `${DATA_FILE}-wal`;
  if (sizeOf(folder, log) > 0) throw gridError('DATA_FILE_MISSING', folder, `its log ${log} contains changes`);
  if (isCreated) throw gridError('DATA_FILE_MISSING', folder, `${LOCK_FILE} records that the folder had one`);
}

/** Throws like {@link checkDataFile}, and FOLDER_EMPTY if the folder has no data file. */
export function requireDataFile(folder: string): void {
  checkDataFile(folder, false);
  if (sizeOf(folder, DATA_FILE) === 0) throw gridError('FOLDER_EMPTY', folder);
}

function sizeOf(folder: string, name: string): number {
  try {
    return statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  } catch (error) {
    throw folderFailure(error, folder);
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}

/** Returns the error for a folder that could not be opened; its text contains the path. */
export function folderFailure(error: unknown, folder: string): Error {
  if (isBusy(error)) return gridError('FOLDER_IN_USE', folder, readOwner(folder)?.processId);
  if (error instanceof GridError) return error;
  const failure = storageFailure(error);
  const code = failure instanceof GridError ? failure.code : 'OPERATION_FAILED';
  if (code === 'STORAGE_FULL' || isDiskFull(error)) return gridError('FOLDER_FULL', folder);
  const reason = errorText(error);
  const { message } = gridError(code === 'STORAGE_CORRUPT' ? 'FOLDER_DAMAGED' : 'FOLDER_UNUSABLE', folder, reason);
  return new GridError(code, message, { cause: error });
}

/**
 * Locks the folder's description of its owner for this process, which does not lock the folder itself. Returns a
 * function that releases the lock, or undefined if another process holds it.
 */
export function lockOwner(folder: string): (() => void) | undefined {
  const file = join(folder, OWNER_LOCK_FILE);
  createPrivateFile(file);
  const lock = new Database(file);
  try {
    lock.run('PRAGMA locking_mode = EXCLUSIVE');
    lock.run('BEGIN EXCLUSIVE');
    return () => lock.close(true);
  } catch (error) {
    lock.close(true);
    if (isBusy(error)) return undefined;
    throw folderFailure(error, folder);
  }
}

/** The process that a folder describes, and whether the description is trustworthy. */
export interface LockingOwner extends FolderOwner {
  /**
   * Whether the description and the lock belong to the current user, and no other user can change them. Otherwise the
   * folder's owner may have made up the description.
   */
  readonly isOwn: boolean;
}

/**
 * Returns the process that a folder describes if a process holds the lock belonging to the description, or undefined if
 * none does. Changes nothing in the folder. `userId` is the current user, undefined on systems without user ids.
 */
export function lockingOwner(folder: string, userId: number | undefined): LockingOwner | undefined {
  const owner = readOwner(folder);
  if (owner === undefined) return undefined;
  const lock = join(folder, owner.locked ? LOCK_FILE : OWNER_LOCK_FILE);
  if (!isLocked(lock)) return undefined;
  return { ...owner, isOwn: [lock, join(folder, OWNER_FILE)].every((file) => belongsTo(userId, file)) };
}

function isLocked(file: string): boolean {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
  let lock: Database | undefined;
  try {
    lock = new Database(file, { readonly: true });
    lock.query('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    lock?.close(true);
  }
}

const GROUP_AND_WORLD_WRITE = 0o022;

function belongsTo(userId: number | undefined, file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats !== undefined && stats.uid === userId && (stats.mode & GROUP_AND_WORLD_WRITE) === 0;
}

/**
 * Blocks the next startup until this process has ended, or until the returned function is called. The owner also
 * does it: without `lock.db`, which may be removed, a second service would start alongside it.
 */
export function holdFolder(folder: string): () => void {
  const hold = new Database(join(folder, PROCESSES_FILE), { readonly: true });
  hold.run('BEGIN');
  // The transaction begins when it reads.
  hold.query('SELECT count(*) FROM sqlite_schema').get();
  holds.add(hold);
  return () => {
    if (holds.delete(hold)) hold.close(true);
  };
}

/** Kept, because a garbage-collected connection is closed. */
const holds = new Set<Database>();

/** Reports whether processes of a service that previously used the folder are still running. */
export function isHeld(folder: string): boolean {
  const file = new Database(join(folder, PROCESSES_FILE), { readwrite: true });
  try {
    file.run('BEGIN EXCLUSIVE');
    file.run('ROLLBACK');
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    file.close(true);
  }
}
