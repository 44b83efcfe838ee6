/** Runs the subcommands that only send requests to a service. */
import { systemClock } from '../../base/clock.ts';
import { findClientSubcommand } from '../../cli/client-subcommands.ts';
import { runClient } from '../../cli/run-client.ts';
import { PRODUCT_VERSION } from '../../configuration/version.ts';
import { exitWithFailure } from '../../wiring/start-failure.ts';
import { onTerminal } from './terminal.ts';

/** Runs the subcommand or command that the first argument names, and ends the process. Returns if it names neither. */
export async function runClientSubcommand([word = '', ...argv]: readonly string[]): Promise<void> {
  const clock = systemClock;
  try {
    const subcommand = await findClientSubcommand(word);
    if (subcommand === undefined) return;
    const service = {
      running: async (dataDir: string) => (await import('../../wiring/folder-owner.ts')).runningOwner(dataDir),
    };
    const exitCode = await onTerminal(clock, (terminal) =>
      runClient(subcommand, argv, { version: PRODUCT_VERSION, terminal, clock, service }),
    );
    process.exit(exitCode);
  } catch (error) {
    exitWithFailure(error);
  }
}
