/** Runs everything but the service: subcommands, and the processes that copy database files for backups. */
import { type Clock, systemClock } from './base/clock.ts';
import type { ServiceParts } from './cli/program.ts';
import { PRODUCT_VERSION } from './configuration/version.ts';
import { BACKUP_PROCESS_ARGUMENT } from './engines/embedded/backup/backup-messages.ts';
import { SHIPPING_PROCESS_ARGUMENT } from './engines/embedded/backup/continuous/shipping-messages.ts';
import { exitWithFailure } from './start-failure.ts';
import { onTerminal } from './terminal.ts';
import { isRunning } from './wiring/running-process.ts';

/** Runs what the first argument names. Ends the process when a subcommand ends, and on an error. */
export async function runSubcommand(argv: readonly string[]): Promise<void> {
  const [word, parent] = argv;
  try {
    if (word === BACKUP_PROCESS_ARGUMENT) {
      const { endWithParent } = await import('./wiring/parent-process.ts');
      endWithParent(Number(parent));
      const { runBackupProcess } = await import('./engines/embedded/backup/backup-process.ts');
      return await runBackupProcess({ clock: systemClock, environment: process.env });
    }
    if (word === SHIPPING_PROCESS_ARGUMENT) {
      const { endWithParent } = await import('./wiring/parent-process.ts');
      endWithParent(Number(parent));
      const { runShippingProcess } = await import('./engines/embedded/backup/continuous/shipping-process.ts');
      return runShippingProcess({ clock: systemClock, environment: process.env });
    }
    process.exit(await runCommandLine(argv, systemClock));
  } catch (error) {
    exitWithFailure(error);
  }
}

/** Runs the subcommand that the arguments name and returns the exit code. */
async function runCommandLine(argv: readonly string[], clock: Clock): Promise<number> {
  const { runCli } = await import('./cli/run-cli.ts');
  return onTerminal(clock, (terminal) =>
    runCli(argv, { version: PRODUCT_VERSION, terminal, clock, service: serviceParts(clock) }),
  );
}

/** Loads the code of the service only for the subcommands that run it in this process. */
function serviceParts(clock: Clock): ServiceParts {
  return {
    async running(dataDir) {
      const { runningOwner } = await import('./wiring/folder-owner.ts');
      return runningOwner(dataDir);
    },
    nodesOf: ({ engine }) => (engine.kind === 'cluster' ? engine.endpoints : []),
    isRunning,
    signal: (processId, signal) => process.kill(processId, signal),
    async backups() {
      const { backupFiles } = await import('./backup-files.ts');
      return backupFiles({ clock, environment: process.env });
    },
    async migrate(argv, interrupted) {
      const { runMigration } = await import('./wiring/migrate.ts');
      return runMigration(argv, clock, interrupted);
    },
  };
}
