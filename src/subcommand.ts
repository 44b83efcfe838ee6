/** Runs everything but the service: subcommands, and the processes that copy database files for backups. */
import { systemClock } from './base/clock.ts';
import { BACKUP_PROCESS_ARGUMENT } from './engines/embedded/backup/backup-messages.ts';
import { SHIPPING_PROCESS_ARGUMENT } from './engines/embedded/backup/continuous/shipping-messages.ts';
import { exitWithFailure } from './wiring/start-failure.ts';

/** Runs what the first argument names. Ends the process when a subcommand ends, and on an error. */
export async function runSubcommand(argv: readonly string[]): Promise<void> {
  try {
    if (argv[0] === BACKUP_PROCESS_ARGUMENT) {
      const { endWithParent } = await import('./wiring/parent-process.ts');
      endWithParent(process.ppid);
      const { runBackupProcess } = await import('./engines/embedded/backup/backup-process.ts');
      return await runBackupProcess({ clock: systemClock, environment: process.env });
    }
    if (argv[0] === SHIPPING_PROCESS_ARGUMENT) {
      const { endWithParent } = await import('./wiring/parent-process.ts');
      endWithParent(process.ppid);
      const { runShippingProcess } = await import('./engines/embedded/backup/continuous/shipping-process.ts');
      return runShippingProcess({ clock: systemClock, environment: process.env });
    }
    const { runCommandLine } = await import('./wiring/command-line.ts');
    process.exit(await runCommandLine(argv, systemClock));
  } catch (error) {
    await exitWithFailure(error);
  }
}
