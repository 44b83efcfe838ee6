/** Runs the process that verifies backups and lists what can be restored. Runs in the main thread. */
import { fail } from '../../../base/errors.ts';
import type { BackupCheck, BackupReader, Restorable } from '../../../grid/backup.ts';
import type { BackupCheckRequest } from './check-backup.ts';
import { askProcess, type ProcessCommand } from './continuous/short-process.ts';

export interface BackupReaderOptions extends Omit<BackupCheckRequest, 'target'>, ProcessCommand {}

export class BackupReaderProcess implements BackupReader {
  readonly #options: BackupReaderOptions;

  constructor(options: BackupReaderOptions) {
    this.#options = options;
  }

  async verify(target: string, signal: AbortSignal): Promise<BackupCheck> {
    const { command, environment, ...request } = this.#options;
    const asked = { type: 'checkBackup', request: { ...request, target } } as const;
    // A process that was killed has removed nothing.
    const answer = await askProcess({ command, environment }, asked, signal).finally(async () => {
      const { rm } = await import('node:fs/promises');
      await rm(request.folder, { recursive: true, force: true });
    });
    if (answer.type === 'backupChecked') return answer.check;
    const reason = answer.type === 'ended' ? answer.reason : answer.type;
    return { outcome: 'failed', reason, encrypted: null, createdAt: null, entries: 0, restoredBytes: 0 };
  }

  async restorable(url: string, signal: AbortSignal): Promise<Restorable> {
    const answer = await askProcess(this.#options, { type: 'list', url }, signal);
    if (answer.type === 'listed') return answer.restorable;
    throw fail('BACKUP_FAILED', answer.type === 'ended' || answer.type === 'failed' ? answer.reason : answer.type);
  }
}
