/** Entry of the program: runs the service, or the subcommand that the first argument names. */
import { keepAlive } from './base/clock.ts';
import { BACKUP_PROCESS_ARGUMENT } from './engines/embedded/backup/backup-messages.ts';
import { SHIPPING_PROCESS_ARGUMENT } from './engines/embedded/backup/continuous/shipping-messages.ts';
import { readEnvironmentFiles } from './wiring/environment-files.ts';
import { IS_COMPILED } from './wiring/installation.ts';
import { QUERY_PROCESS_ARGUMENT } from './wiring/query-process-argument.ts';

/** Words that select the service; without a word, options of the service follow. */
const SERVE = 'serve';
/** Options that describe the whole program, if they are the first argument. */
const OVERVIEW = new Set(['--help', '-h', '--version', '-v']);

/** Subcommands that trust the current folder as the service does. scripts/svc and scripts/svc.cjs list them, too. */
const TRUSTING: ReadonlySet<string | undefined> = new Set(['config', 'doctor', 'migrate']);

/** Words with which the service starts its own processes. */
const PROCESSES: ReadonlySet<string | undefined> = new Set([BACKUP_PROCESS_ARGUMENT, SHIPPING_PROCESS_ARGUMENT]);

/** Whether the arguments select the service. */
function startsService([word]: readonly string[]): boolean {
  if (PROCESSES.has(word)) return false;
  return word === undefined || word === SERVE || (word.startsWith('-') && !OVERVIEW.has(word));
}

/**
 * Runs the program. Without `await` at the top level, since Bun compiles only modules that have none. The service loads
 * nothing of the command line, and a subcommand nothing of the service that it does not need: scripts/build-service.ts
 * bundles them apart, so they share no class with each other or with this file, and handle their own errors.
 */
async function run(argv: readonly string[]): Promise<void> {
  // Timers do not keep the process alive, and a start may wait only for one, such as the next attempt to connect.
  const starting = keepAlive();
  const [word, parent] = argv;
  if (word === QUERY_PROCESS_ARGUMENT) {
    const { runQueryProcess } = await import('./query-process.ts');
    // It ends with the service.
    return runQueryProcess(Number(parent));
  }
  if (IS_COMPILED && (startsService(argv) || TRUSTING.has(word))) readEnvironmentFiles();
  if (startsService(argv)) {
    const { serve } = await import('./serve.ts');
    await serve(argv[0] === SERVE ? argv.slice(1) : argv);
  } else {
    if (!PROCESSES.has(word)) {
      const { runClientSubcommand } = await import('./client-subcommand.ts');
      await runClientSubcommand(argv);
    }
    const { runSubcommand } = await import('./subcommand.ts');
    await runSubcommand(argv);
  }
  starting.cancel();
}

// Files created from here on, also by SQLite and by tasks, are accessible to their owner only.
process.umask(0o077);
void run(process.argv.slice(2));
