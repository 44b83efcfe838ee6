/** Runs the subcommands that load parts of the service. */
import { type Clock, systemClock } from '../../base/clock.ts';
import type { ServiceDependencies } from '../../cli/program.ts';
import { PRODUCT_VERSION } from '../../configuration/version.ts';
import { isRunning } from '../../wiring/running-process.ts';
import { exitWithFailure } from '../../wiring/start-failure.ts';
import { onTerminal } from './terminal.ts';

/** Runs what the first argument names. Ends the process when a subcommand ends, and on an error. */
export async function runSubcommand(argv: readonly string[]): Promise<void> {
  try {
    process.exit(await runCommandLine(argv, systemClock));
  } catch (error) {
    exitWithFailure(error);
  }
}

/** Runs the subcommand that the arguments name and returns the exit code. */
async function runCommandLine(argv: readonly string[], clock: Clock): Promise<number> {
  const { runCli } = await import('../../cli/run-cli.ts');
  return onTerminal(clock, (terminal) =>
    runCli(argv, { version: PRODUCT_VERSION, terminal, clock, service: serviceParts(clock) }),
  );
}

/** Loads the service's code only for the subcommands that run it in this process. */
function serviceParts(clock: Clock): ServiceDependencies {
  return {
    async running(dataDir) {
      const { runningOwner } = await import('../../wiring/folder-owner.ts');
      return runningOwner(dataDir);
    },
    async processOfRemoved(dataDir) {
      const { processOfRemoved } = await import('../../wiring/removed-folder.ts');
      return processOfRemoved(dataDir);
    },
    nodesOf: ({ engine }) => (engine.kind === 'cluster' ? engine.endpoints : []),
    isRunning,
    signal: (processId, signal) => process.kill(processId, signal),
    async promote(dataDir, promotion) {
      const { promote } = await import('../../wiring/failover/promotion.ts');
      promote(dataDir, promotion);
    },
    async backups() {
      const { backupFiles } = await import('./backup-files.ts');
      return backupFiles({ clock, environment: process.env });
    },
    async migrate(argv, interrupted) {
      const { runMigration } = await import('../../wiring/migrate.ts');
      return runMigration(argv, clock, interrupted);
    },
    async serveTests(argv, terminal) {
      const { serveTests } = await import('../embedding/test-process.ts');
      return serveTests(argv, terminal);
    },
  };
}
