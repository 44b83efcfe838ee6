/** Runs the process that checks that a continuous backup restores. Runs in the main thread. */
import type { RestoreCheck } from '../../../../grid/backup.ts';
import type { RestoreCheckOptions } from './restore-check.ts';
import { askProcess, type ProcessCommand } from './short-process.ts';

export interface RestoreCheckerOptions extends Omit<RestoreCheckOptions, 'atMs'>, ProcessCommand {}

export class RestoreChecker {
  readonly #options: RestoreCheckerOptions;

  constructor(options: RestoreCheckerOptions) {
    this.#options = options;
  }

  /** Restores the instant or a random one, and verifies it. Rejects never; the signal ends the process. */
  async check(atMs: number | undefined, signal: AbortSignal): Promise<RestoreCheck> {
    const { command, environment, ...request } = this.#options;
    const answer = await askProcess({ command, environment }, { type: 'check', request: { ...request, atMs } }, signal);
    if (answer.type === 'checked') return answer.check;
    const reason = answer.type === 'ended' ? answer.reason : answer.type;
    return { outcome: 'failed', reason, atMs: atMs ?? 0, position: null, entries: 0, restoredBytes: 0 };
  }
}
