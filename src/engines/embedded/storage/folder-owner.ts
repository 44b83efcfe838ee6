/**
 * The file in the data folder that says which process uses it and where that process listens. It describes the lock's
 * holder and is not a lock itself: after a crash, it describes a process that is gone.
 */
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gridError } from '../../../base/errors.ts';
import { type FailoverDetails, isFailoverDetails } from '../../../base/failover-status.ts';

export const OWNER_FILE = 'owner.json';
/** The database whose lock is held by a process that describes itself without locking the folder. */
export const OWNER_LOCK_FILE = 'owner.db';

export interface FolderOwner {
  readonly processId: number;
  readonly startedAtMs: number;
  readonly version: string;
  /**
   * Whether the process holds the folder's lock. With the cluster engine, which stores nothing in it, it holds the lock
   * of {@link OWNER_LOCK_FILE} instead.
   */
  readonly locked: boolean;
  /** Address of the service, or undefined until it listens, and for programs that serve nothing. */
  readonly url?: string;
  /** The part of the role that only the folder's user may know, or undefined if the service has none. */
  readonly failover?: FailoverDetails;
}

/**
 * Describes a folder's owner. Replaces the file as a whole, so that readers never see half of it. Throws FOLDER_FULL.
 */
export function writeOwner(folder: string, owner: FolderOwner): void {
  const file = join(folder, OWNER_FILE);
  try {
    writeFileSync(`${file}.new`, `${JSON.stringify(owner)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch (error) {
    throw isDiskFull(error) ? gridError('FOLDER_FULL', folder) : error;
  }
}

/** Reports whether a file could not be written because the disk, or the user's quota, is full. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

/** Returns the description, or undefined if there is none. */
export function readOwner(folder: string): FolderOwner | undefined {
  try {
    const file = join(folder, OWNER_FILE);
    // Reading a named pipe would wait for a writer.
    if (!statSync(file).isFile()) return undefined;
    const owner: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isOwner(owner) ? owner : undefined;
  } catch {
    return undefined;
  }
}

export function removeOwner(folder: string): void {
  rmSync(join(folder, OWNER_FILE), { force: true });
}

function isOwner(value: unknown): value is FolderOwner {
  return (
    typeof value === 'object' &&
    value !== null &&
    'processId' in value &&
    Number.isSafeInteger(value.processId) &&
    'startedAtMs' in value &&
    typeof value.startedAtMs === 'number' &&
    'version' in value &&
    typeof value.version === 'string' &&
    'locked' in value &&
    typeof value.locked === 'boolean' &&
    (!('url' in value) || typeof value.url === 'string') &&
    (!('failover' in value) || isFailoverDetails(value.failover))
  );
}
