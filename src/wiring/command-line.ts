/** Runs the command line (src/cli) on the streams of this process. */
import { homedir } from 'node:os';
import { type Clock, keepAlive } from '../base/clock.ts';
import { EXIT_CODES } from '../cli/exit-codes.ts';
import type { ServiceParts } from '../cli/program.ts';
import { runCli } from '../cli/run-cli.ts';
import { PRODUCT_VERSION } from '../configuration/version.ts';
import { isRunning } from './running-process.ts';

/** Runs the subcommand that the arguments name and returns the exit code. */
export async function runCommandLine(argv: readonly string[], clock: Clock): Promise<number> {
  const alive = keepAlive();
  // A reader that has seen enough (head) closes the pipe.
  process.stdout.on('error', () => process.exit(EXIT_CODES.success));
  const exitCode = await runCli(argv, {
    version: PRODUCT_VERSION,
    terminal: {
      input: process.stdin,
      output: process.stdout,
      errors: process.stderr,
      environment: process.env,
      cwd: process.cwd(),
      home: homedir(),
      interrupted: interruption(),
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
      const { runningOwner } = await import('./folder-owner.ts');
      return runningOwner(dataDir);
    },
    isRunning,
    signal: (processId, signal) => process.kill(processId, signal),
    async backups() {
      const { backupFiles } = await import('./backup-files.ts');
      return backupFiles(clock);
    },
    async migrate(argv, interrupted) {
      const { runMigration } = await import('./migrate.ts');
      return runMigration(argv, clock, interrupted);
    },
  };
}

/** Returns a signal that the first SIGINT or SIGTERM aborts; the second ends the process. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(EXIT_CODES.interrupted);
      controller.abort();
    });
  }
  return controller.signal;
}
