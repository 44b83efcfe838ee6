/** Entry of the program: runs the service, or the subcommand that the first argument names. */
import { keepAlive, systemClock } from './base/clock.ts';
import { BACKUP_PROCESS_ARGUMENT } from './engines/embedded/backup/backup-messages.ts';

/** Words that select the service; without a word, options of the service follow. */
const SERVE = 'serve';
/** Options that describe the whole program, if they are the first argument. */
const OVERVIEW = new Set(['--help', '-h', '--version', '-v']);

async function main(argv: readonly string[]): Promise<void> {
  const [word] = argv;
  if (word === BACKUP_PROCESS_ARGUMENT) {
    const { endWithParent } = await import('./wiring/parent-process.ts');
    endWithParent(process.ppid);
    const { runBackupProcess } = await import('./engines/embedded/backup/backup-process.ts');
    return runBackupProcess(systemClock);
  }
  // The service loads nothing of the command line, and a subcommand nothing of the service that it does not need.
  if (word === undefined || word === SERVE || (word.startsWith('-') && !OVERVIEW.has(word))) {
    const { serve } = await import('./serve.ts');
    return serve(word === SERVE ? argv.slice(1) : argv);
  }
  const { runCommandLine } = await import('./wiring/command-line.ts');
  process.exit(await runCommandLine(argv, systemClock));
}

/** Runs the program. Without `await` at the top level, since Bun compiles only modules that have none. */
async function run(argv: readonly string[]): Promise<void> {
  // Timers do not keep the process alive, and a start may wait only for one, such as the next attempt to connect.
  const starting = keepAlive();
  try {
    await main(argv);
    starting.cancel();
  } catch (error) {
    const { EXIT_CODES } = await import('./cli/exit-codes.ts');
    const { isWrongUsage, startFailureText } = await import('./wiring/start-failure.ts');
    process.stderr.write(`svc: ${startFailureText(error)}\n`);
    process.exit(isWrongUsage(error) ? EXIT_CODES.usage : EXIT_CODES.failed);
  }
}

// Files created from here on, also by SQLite and by tasks, are accessible to their owner only.
process.umask(0o077);
void run(process.argv.slice(2));
