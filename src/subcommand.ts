/** Runs everything but the service: subcommands, and the processes that copy database files for backups. */
import { homedir } from 'node:os';
import { type Clock, keepAlive, systemClock } from './base/clock.ts';
import { EXIT_CODES, interruptedError } from './cli/exit-codes.ts';
import type { ServiceParts } from './cli/program.ts';
import { PRODUCT_VERSION } from './configuration/version.ts';
import { BACKUP_PROCESS_ARGUMENT } from './engines/embedded/backup/backup-messages.ts';
import { SHIPPING_PROCESS_ARGUMENT } from './engines/embedded/backup/continuous/shipping-messages.ts';
import { exitWithFailure } from './start-failure.ts';
import { INSTALLATION_FOLDER } from './wiring/installation.ts';
import { isRunning } from './wiring/running-process.ts';

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
    process.exit(await runCommandLine(argv, systemClock));
  } catch (error) {
    await exitWithFailure(error);
  }
}

/** Runs the subcommand that the arguments name and returns the exit code. */
async function runCommandLine(argv: readonly string[], clock: Clock): Promise<number> {
  const { runCli } = await import('./cli/run-cli.ts');
  const alive = keepAlive();
  // A reader that has seen enough (head) closes the pipe.
  process.stdout.on('error', () => process.exit(EXIT_CODES.success));
  // A subcommand that reads no input does not wait for it either.
  process.stdin.on('error', () => {});
  const interrupted = interruption(clock);
  const exitCode = await runCli(argv, {
    version: PRODUCT_VERSION,
    terminal: {
      input: process.stdin,
      output: process.stdout,
      errors: process.stderr,
      environment: process.env,
      cwd: process.cwd(),
      installationFolder: INSTALLATION_FOLDER,
      home: homedir(),
      get interrupted() {
        return interrupted();
      },
    },
    clock,
    service: serviceParts(clock),
  });
  // An exit would cut off what a pipe has not read.
  await new Promise((resolve) => process.stdout.write('', resolve));
  alive.cancel();
  return exitCode;
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

/** Time for removing files and closing connections after a signal. */
const CLEAN_UP_MS = 2_000;

/**
 * Returns a function that returns a signal, which the first SIGINT or SIGTERM aborts. The process ends soon after it
 * at the latest, and at once at the second. Until the first call a signal has its default effect: a subcommand without
 * anything to clean up ends at once, even if it blocks this thread.
 */
function interruption(clock: Clock): () => AbortSignal {
  let controller: AbortController | undefined;
  const end = (): never => process.exit(EXIT_CODES.interrupted);
  return () => {
    if (controller !== undefined) return controller.signal;
    const created = new AbortController();
    controller = created;
    for (const name of ['SIGINT', 'SIGTERM'] as const) {
      process.on(name, () => {
        if (created.signal.aborted) end();
        clock.after(CLEAN_UP_MS, end);
        created.abort();
        // Ends whoever waits for input that does not come.
        process.stdin.destroy(interruptedError());
      });
    }
    return created.signal;
  };
}
