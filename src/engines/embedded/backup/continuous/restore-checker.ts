/** Runs the process that checks that a continuous backup restores. Runs in the main thread. */
import { constants, setPriority } from 'node:os';
import type { RestoreCheck } from '../../../../grid/backup.ts';
import type { RestoreCheckOptions } from './restore-check.ts';
import type { FromShippingProcess, ToShippingProcess } from './shipping-messages.ts';

export interface RestoreCheckerOptions extends Omit<RestoreCheckOptions, 'atMs'> {
  /** Program and arguments of the process: the one that ships. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export class RestoreChecker {
  readonly #options: RestoreCheckerOptions;

  constructor(options: RestoreCheckerOptions) {
    this.#options = options;
  }

  /** Restores the instant or a random one, and verifies it. Rejects never; the signal ends the process. */
  async check(atMs: number | undefined, signal: AbortSignal): Promise<RestoreCheck> {
    const { command, environment, ...request } = this.#options;
    let found: RestoreCheck | undefined;
    const child = Bun.spawn({
      cmd: [...command],
      env: environment,
      stdio: ['ignore', 'ignore', 'ignore'],
      serialization: 'advanced',
      signal,
      killSignal: 'SIGKILL',
      ipc: (message: FromShippingProcess) => {
        if (message.type === 'listening')
          child.send({ type: 'check', request: { ...request, atMs } } satisfies ToShippingProcess);
        if (message.type !== 'checked') return;
        found = message.check;
        child.kill('SIGKILL');
      },
    });
    lowerPriority(child.pid);
    await child.exited;
    const reason = `the process ended: exit ${child.exitCode ?? child.signalCode}`;
    return found ?? { outcome: 'failed', reason, atMs: atMs ?? 0, position: null, entries: 0, restoredBytes: 0 };
  }
}

function lowerPriority(processId: number): void {
  try {
    setPriority(processId, constants.priority.PRIORITY_LOW);
  } catch {
    // Some systems do not allow it. The rate of the restore is limited in any case.
  }
}
