/** Where the service stores its backups, according to the option `backup.folder`. */
import type { Clock } from '../base/clock.ts';
import { errorText, gridError } from '../base/errors.ts';
import { isBucketUrl } from '../base/local-path.ts';
import { type BackupLocation, folderPlace } from '../service/backups/backup-place.ts';

/** Returns the place, or undefined if there is none. */
export async function backupPlace(folder: string | undefined, clock: Clock): Promise<BackupLocation | undefined> {
  if (folder === undefined) return undefined;
  return isBucketUrl(folder) ? bucketPlace(folder, clock) : folderPlace(folder);
}

async function bucketPlace(url: string, clock: Clock): Promise<BackupLocation> {
  // Loaded on demand: few services use an object store.
  const { BackupBucket } = await import('../engines/embedded/backup/backup-bucket.ts');
  const bucket = new BackupBucket(url, { clock, environment: process.env });
  return {
    name: url,
    isRemote: true,
    prepare: async () => {},
    targetOf: (name) => bucket.urlOf(name),
    has: (name) => bucket.has(name).catch(failed),
    list: () => bucket.list().catch(failed),
    remove: (name) => bucket.remove(name).catch(failed),
  };
}

function failed(error: unknown): never {
  throw gridError('BACKUP_FAILED', errorText(error));
}
