/** Where the service stores its backups: a folder, or a bucket of an object store. */
import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import { errorText, gridError } from '../../base/errors.ts';
import { BACKUP_ENDING } from '../../commands/backup-names.ts';

/** A complete backup. */
export interface PlacedBackup {
  readonly name: string;
  readonly bytes: number;
  readonly completedMs: number;
}

export interface BackupLocation {
  /** Path or URL of the place. */
  readonly name: string;
  /** Whether it may stop responding for long. All functions then throw BACKUP_FAILED. */
  readonly isRemote: boolean;
  /** Prepares for another backup. Throws BACKUP_FAILED. */
  prepare(nowMs: number): Promise<void>;
  /** Returns the path or the URL of a backup. */
  targetOf(name: string): string;
  has(name: string): Promise<boolean>;
  /** Returns the existing backups in no particular order. */
  list(): Promise<readonly PlacedBackup[]>;
  remove(name: string): Promise<void>;
}

/** A partial file that has not changed for this long belongs to a service that was killed. */
const ABANDONED_MS = 3_600_000;
const PARTIAL_ENDING = `${BACKUP_ENDING}.partial`;

export function folderPlace(folder: string): BackupLocation {
  return {
    name: folder,
    isRemote: false,
    async prepare(nowMs) {
      try {
        await fs.mkdir(folder, { recursive: true, mode: 0o700 });
        await removeAbandoned(folder, nowMs);
      } catch (error) {
        throw gridError('BACKUP_FAILED', errorText(error));
      }
    },
    targetOf: (name) => join(folder, name),
    has: async (name) => (await fs.stat(join(folder, name)).catch(() => undefined)) !== undefined,
    async list() {
      const names = (await fs.readdir(folder).catch(() => [])).filter((name) => name.endsWith(BACKUP_ENDING));
      const found = await Promise.all(
        names.map(async (name) => {
          const file = await fs.stat(join(folder, name)).catch(() => undefined);
          return file?.isFile() ? [{ name, bytes: file.size, completedMs: file.mtimeMs }] : [];
        }),
      );
      return found.flat();
    },
    remove: (name) => fs.rm(join(folder, name), { force: true }),
  };
}

/** Removes partial files left by a killed service. */
async function removeAbandoned(folder: string, nowMs: number): Promise<void> {
  for (const name of await fs.readdir(folder)) {
    if (!name.endsWith(PARTIAL_ENDING)) continue;
    const file = await fs.stat(join(folder, name)).catch(() => undefined);
    if (file !== undefined && nowMs - file.mtimeMs > ABANDONED_MS) await fs.rm(join(folder, name), { force: true });
  }
}
