/** Names of backups: those that commands accept, and those that the service generates. */
import { gridError } from '../base/errors.ts';
import { BACKUP_BOUNDS } from '../base/limits.ts';

/** The suffix of every backup in the backup folder. */
export const BACKUP_ENDING = '.svcbackup';
/** The prefix of scheduled backups. Only these are removed when there are too many. */
export const SCHEDULED_PREFIX = 'scheduled-';

/** Returns the name of a backup made at that time, without its suffix: `backup-2026-11-22T10-14-27-123Z`. */
export function backupName(nowMs: number, prefix = 'backup-'): string {
  return prefix + new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-');
}

/** Returns the file name of a backup that a client names, which may be a scheduled one. Throws BACKUP_NAME_INVALID. */
export function storedFileName(name: string): string {
  const file = name.endsWith(BACKUP_ENDING) ? name : name + BACKUP_ENDING;
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) {
    throw gridError('BACKUP_NAME_INVALID', name, 'must consist of letters, digits, dots, dashes and underscores');
  }
  if (file.length > BACKUP_BOUNDS.nameCharacters) {
    throw gridError('BACKUP_NAME_INVALID', name, `has at most ${BACKUP_BOUNDS.nameCharacters} characters`);
  }
  return file;
}

/** Returns the file name of a new backup that a client names. Throws BACKUP_NAME_INVALID. */
export function backupFileName(name: string): string {
  const file = storedFileName(name);
  if (file.startsWith(SCHEDULED_PREFIX)) {
    throw gridError(
      'BACKUP_NAME_INVALID',
      name,
      `must not begin with ${SCHEDULED_PREFIX}, because the service removes those`,
    );
  }
  return file;
}
