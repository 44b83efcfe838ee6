/** Runs the process that ships for one request, at the lowest priority. Runs in the main thread. */
import { constants, setPriority } from 'node:os';
import type { FromShippingProcess, ToShippingProcess } from './shipping-messages.ts';

export interface ProcessCommand {
  /** Program and arguments of the process: the one that ships. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The answer, or how the process ended without one. */
export type ShortAnswer = FromShippingProcess | { readonly type: 'ended'; readonly reason: string };

/** Sends the request and returns the answer. The signal ends the process. */
export async function askProcess(
  { command, environment }: ProcessCommand,
  request: ToShippingProcess,
  signal: AbortSignal,
): Promise<ShortAnswer> {
  let answer: FromShippingProcess | undefined;
  const child = Bun.spawn({
    cmd: [...command],
    env: environment,
    stdio: ['ignore', 'ignore', 'ignore'],
    serialization: 'advanced',
    signal,
    killSignal: 'SIGKILL',
    ipc: (message: FromShippingProcess) => {
      if (message.type === 'listening') child.send(request);
      else {
        answer = message;
        child.kill('SIGKILL');
      }
    },
  });
  lowerPriority(child.pid);
  await child.exited;
  return answer ?? { type: 'ended', reason: `the process ended: exit ${child.exitCode ?? child.signalCode}` };
}

function lowerPriority(processId: number): void {
  try {
    setPriority(processId, constants.priority.PRIORITY_LOW);
  } catch {
    // Some systems do not allow it. The rate of a restore is limited in any case.
  }
}
