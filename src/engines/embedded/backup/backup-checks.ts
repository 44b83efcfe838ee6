/** Checks backups and lists what can be restored, in a process at the lowest priority. Runs in the main thread. */

import { constants, setPriority } from 'node:os';
import { errorText, gridError } from '../../../base/errors.ts';
import { BACKUP_BOUNDS } from '../../../base/limits.ts';
import type { BackupCheck, BackupReader, Restorable, RestoreCheck } from '../../../grid/backup.ts';
import type { BackupCheckRequest } from './check-backup.ts';
import { BackupProcess, HUNG, type ProcessCommand } from './child-process.ts';
import type { RestoreCheckOptions } from './continuous/restore-check.ts';
import type { ShippingMethods } from './continuous/shipping-messages.ts';

export class BackupChecks implements BackupReader {
  readonly #command: ProcessCommand;
  readonly #request: Omit<BackupCheckRequest, 'target'>;
  /** The last process, which may hang such that it cannot be killed. */
  #last: { readonly isHung: boolean } | undefined;

  /** `command` starts the shipping process. */
  constructor(command: ProcessCommand, request: Omit<BackupCheckRequest, 'target'>) {
    this.#command = command;
    this.#request = request;
  }

  async verify(target: string, signal: AbortSignal): Promise<BackupCheck> {
    try {
      return await this.#call('checkBackup', { ...this.#request, target }, signal);
    } catch (error) {
      const failed = { encrypted: null, createdAt: null, entries: 0, restoredBytes: 0 };
      return { outcome: 'failed', reason: errorText(error), ...failed };
    } finally {
      const { rm } = await import('node:fs/promises');
      // A process that was killed has removed nothing.
      await rm(this.#request.folder, { recursive: true, force: true });
    }
  }

  restorable(url: string, signal: AbortSignal): Promise<Restorable> {
    return this.#call('list', url, signal);
  }

  /** Restores a continuous backup to a point in time, and verifies it. Never rejects; the signal ends the process. */
  async checkRestore(request: RestoreCheckOptions, signal: AbortSignal): Promise<RestoreCheck> {
    try {
      return await this.#call('check', request, signal);
    } catch (error) {
      const failed = { atMs: request.atMs ?? 0, position: null, entries: 0, restoredBytes: 0 };
      return { outcome: 'failed', reason: errorText(error), ...failed };
    }
  }

  /** Starts a process, and ends it once it has responded. The signal ends it earlier. Throws BACKUP_FAILED. */
  async #call<N extends keyof ShippingMethods & string>(
    name: N,
    request: ShippingMethods[N]['request'],
    signal: AbortSignal,
  ): Promise<ShippingMethods[N]['response']> {
    if (this.#last?.isHung === true) throw gridError('BACKUP_FAILED', HUNG);
    const child = new BackupProcess<ShippingMethods, Record<string, never>>(this.#command, {
      silentMs: BACKUP_BOUNDS.silentMs,
    });
    const onAbort = (): void => child.end(gridError('BACKUP_FAILED', 'it was cancelled'));
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    lowerPriority(child.processId);
    try {
      return await child.call(name, request);
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#last = child;
      await child.close();
    }
  }
}

function lowerPriority(processId: number): void {
  try {
    setPriority(processId, constants.priority.PRIORITY_LOW);
  } catch {
    // Some systems do not allow it. The rate of a restore is limited in any case.
  }
}
