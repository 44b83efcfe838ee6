/** Verifies a backup for the service: restores it to a temporary folder, in a separate low-priority process. */
import { createReadStream, mkdirSync } from 'node:fs';
import { errorText, GridError, gridError } from '../../../base/errors.ts';
import { isBucketUrl } from '../../../base/local-path.ts';
import type { BackupCheck } from '../../../grid/backup.ts';
import { freeSpace } from '../storage/disk-space.ts';
import { storageFailure } from '../storage/storage-failures.ts';
import { readBackupObject } from './backup-bucket.ts';
import { readKeys } from './backup-keys.ts';
import type { DestinationContext } from './continuous/open-destination.ts';
import { decrypted } from './encryption.ts';
import { verifyBackup } from './verify-backup.ts';

export interface BackupCheckRequest {
  /** Path of the backup, or URL of an object. */
  readonly target: string;
  /** The file with the keys of encrypted backups. */
  readonly keyFile?: string | undefined;
  /** The folder to restore to. The caller removes it. */
  readonly folder: string;
  /** Bytes of the disk that stay free; the default reserve if undefined. */
  readonly minFreeBytes: number | undefined;
  readonly program: string;
}

/** Codes of errors that would occur again: the backup cannot be restored. */
const DAMAGE: ReadonlySet<string> = new Set(['STORAGE_CORRUPT', 'BACKUP_KEY_MISSING', 'BACKUP_KEY_WRONG']);

/** Returns the outcome of a backup check that an error ended. */
export function outcomeOf(error: unknown): { readonly outcome: 'damaged' | 'failed'; readonly reason: string } {
  const failure = storageFailure(error);
  const isDamage = failure instanceof GridError && DAMAGE.has(failure.code);
  const reason = errorText(failure);
  return { outcome: isDamage ? 'damaged' : 'failed', reason };
}

/** Throws RESTORE_SPACE if this many bytes would use the disk's reserve. */
export function checkRestoreSpace(folder: string, bytes: number, minFreeBytes: number | undefined): void {
  const space = freeSpace(folder, minFreeBytes);
  if (space !== undefined && space.freeBytes - bytes < space.reserveBytes) {
    throw gridError('RESTORE_SPACE', folder, bytes + space.reserveBytes, space.freeBytes);
  }
}

/** Never rejects: failures are part of the result. */
export async function checkBackup(
  { target, keyFile, folder, minFreeBytes, program }: BackupCheckRequest,
  context: DestinationContext,
): Promise<BackupCheck> {
  let isChecked = false;
  let encrypted: boolean | null = null;
  const checkSpace = (_writtenBytes: number, totalBytes: number): void => {
    if (isChecked) return;
    isChecked = true;
    checkRestoreSpace(folder, totalBytes, minFreeBytes);
  };
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const stored = isBucketUrl(target) ? readBackupObject(target, context) : createReadStream(target);
    const keys = keyFile === undefined ? undefined : readKeys(keyFile);
    const source = decrypted(stored, {
      keys,
      // It may have been made before the service had a key.
      acceptsPlain: true,
      what: 'the backup',
      onBegin: (isEncrypted) => {
        encrypted = isEncrypted;
      },
    });
    const { header, end, found } = await verifyBackup({
      source,
      temporaryFolder: folder,
      program,
      log: () => {},
      onProgress: checkSpace,
    });
    const [violation] = found.violations;
    return {
      outcome: violation === undefined ? 'verified' : 'damaged',
      reason: violation ?? null,
      encrypted,
      createdAt: header.createdAt,
      entries: found.entries,
      restoredBytes: end.pageBytes,
    };
  } catch (error) {
    return { ...outcomeOf(error), encrypted, createdAt: null, entries: 0, restoredBytes: 0 };
  }
}
