/** Verifies a backup: restores it to a temporary folder and verifies the result. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Restored, type RestoreOptions, restoreBackup } from './restore.ts';
import { type Verification, verifyFolder } from './verify.ts';

export interface VerifyBackupOptions extends Omit<RestoreOptions, 'folder' | 'replace'> {
  /** Folder for temporary files, with space for the restored files. */
  readonly temporaryFolder: string;
}

/** Throws like {@link restoreBackup} for a backup that is damaged, incomplete or newer than the program. */
export async function verifyBackup(options: VerifyBackupOptions): Promise<Restored & { readonly found: Verification }> {
  const temporary = mkdtempSync(join(options.temporaryFolder, 'svc-verify-'));
  try {
    const restored = await restoreBackup({ ...options, folder: join(temporary, 'data'), replace: false });
    return { ...restored, found: verifyFolder(join(temporary, 'data'), options.log) };
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}
