/**
 * Keeps files private to the user that the service runs as, because they contain entries and password hashes.
 * Permissions are only removed, never added. A system without permissions, or one that does not allow the change, is
 * accepted unless everyone could change the files.
 */
import { chmodSync, closeSync, openSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { gridError } from '../../../base/errors.ts';
import { OWNER_FILE, OWNER_LOCK_FILE } from './folder-owner.ts';
import type { Log } from './log.ts';
import { isBeingRestored, isRestoredRegion } from './restored-regions.ts';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const OTHERS = 0o077;
const GROUP_AND_WORLD_WRITE = 0o022;
const WORLD_WRITE = 0o002;
const STICKY = 0o1000;
/** Files that SQLite keeps next to a database. */
const COMPANIONS = ['', '-wal', '-shm', '-journal'];
/** Folder in the data folder in which the restore of a continuous backup is tested. */
export const RESTORE_CHECK_FOLDER = 'restore-check';
/** Folder in the data folder in which a backup is restored for verification. */
export const BACKUP_CHECK_FOLDER = 'backup-check';
/** File in the data folder with the id by which a continuous backup's destination knows the service. */
export const INSTANCE_FILE = 'instance-id';
/** File in the data folder with a failover service's information about its copy of the data. */
export const FAILOVER_FILE = 'failover.json';
/** Folder in the data folder with the unchanged data of a service that was deposed. */
export const DEPOSED_FOLDER = 'deposed';
/** File with which an operator makes a standby take over from a primary that does not renew its lease. */
export const PROMOTE_FILE = 'promote';
/** File in the data folder with the epoch of a term in which a failover service has not served yet. */
export const UNBEGUN_FILE = 'unbegun-term';
/** The name that packages of the program use for `generatedPasswordFile`. */
const PASSWORD_FILE = 'generated-password';
/** Other entries of a data folder. */
const FURTHER_ENTRIES = [
  'log',
  'lost+found',
  OWNER_FILE,
  `${OWNER_FILE}.new`,
  OWNER_LOCK_FILE,
  INSTANCE_FILE,
  `${INSTANCE_FILE}.new`,
  FAILOVER_FILE,
  `${FAILOVER_FILE}.new`,
  DEPOSED_FOLDER,
  PROMOTE_FILE,
  UNBEGUN_FILE,
  RESTORE_CHECK_FOLDER,
  BACKUP_CHECK_FOLDER,
  PASSWORD_FILE,
];

/** Reports whether a folder with this entry can be empty apart from logs and locks. */
export function isFurtherEntry(name: string): boolean {
  return FURTHER_ENTRIES.includes(name);
}

/**
 * Creates an empty file that only its owner can read, regardless of the umask. SQLite creates the companion files with
 * the same mode. Does not open an existing file: closing it would drop SQLite's locks on it.
 */
export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', FILE_MODE));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/**
 * Removes the permissions of group and others from a data folder and its databases. A folder with other entries keeps
 * its read permissions, because others may also use it. Throws OPERATION_FAILED if everyone can change a file or the
 * folder and the service cannot prevent it.
 */
export function securePrivateFolder(folder: string, databases: readonly string[], log: Log): void {
  const files = databases.flatMap((name) => COMPANIONS.map((companion) => name + companion));
  const stats = statSync(folder);
  const known = new Set([...files, ...FURTHER_ENTRIES]);
  const isExclusive = readdirSync(folder).every(
    (name) => known.has(name) || isBeingRestored(name) || isRestoredRegion(name),
  );
  if (!isExclusive && (stats.mode & STICKY) !== 0 && (stats.mode & WORLD_WRITE) !== 0) {
    throw gridError('FOLDER_PUBLIC', folder);
  }
  tighten(folder, stats, isExclusive ? OTHERS : GROUP_AND_WORLD_WRITE, FOLDER_MODE, log);
  for (const name of files) {
    const path = join(folder, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isFile()) tighten(path, found, OTHERS, FILE_MODE, log);
  }
}

/** Removes `permissions` from a file. */
function tighten(path: string, { mode }: Stats, permissions: number, privateMode: number, log: Log): void {
  if ((mode & permissions) === 0) return;
  const tightened = mode & 0o777 & ~permissions;
  try {
    chmodSync(path, tightened);
    if ((statSync(path).mode & permissions) === 0) {
      log(
        'info',
        `Removed the permissions of group and others from ${path}: mode ${octal(mode)} is now ${octal(tightened)}`,
      );
      return;
    }
  } catch (error) {
    if (codeOf(error) !== 'EPERM' && codeOf(error) !== 'EROFS') throw error;
  }
  const advice = `run "chmod ${octal(privateMode)} ${path}" as its owner, or give it to the user that the service runs as`;
  if ((mode & WORLD_WRITE) !== 0) throw gridError('FILE_PUBLIC', path, advice);
  log('warn', `Others can read ${path} (mode ${octal(mode)}), and the service cannot change that: ${advice}`);
}

function octal(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
