/** Entry of the program: runs the service, or the subcommand that the first argument names. */
import { keepAlive } from './base/clock.ts';
import { BACKUP_PROCESS_ARGUMENT } from './engines/embedded/backup/backup-messages.ts';
import { SHIPPING_PROCESS_ARGUMENT } from './engines/embedded/backup/continuous/shipping-messages.ts';
import { STATEMENT_PROCESS_ARGUMENT } from './processes/statement/statement-process-argument.ts';
import { TASK_PROCESS_ARGUMENT } from './service/tasks/task-messages.ts';
import { readEnvironmentFiles } from './wiring/environment-files.ts';
import { IS_COMPILED } from './wiring/installation.ts';

/** Words that select the service; without one of them, options of the service follow. */
const SERVE = 'serve';
/** Options that describe the whole program, if they are the first argument. */
const OVERVIEW = new Set(['--help', '-h', '--version', '-v']);

/** Subcommands that trust the current folder as the service does. scripts/svc and scripts/svc.cjs also list them. */
const TRUSTING: ReadonlySet<string | undefined> = new Set(['config', 'doctor', 'migrate']);

type ProcessEntry = (parent: number) => Promise<void>;

/** The processes that the service starts, by the word that starts each; the service's process id follows. */
const PROCESSES: ReadonlyMap<string | undefined, ProcessEntry> = new Map<string, ProcessEntry>([
  [
    STATEMENT_PROCESS_ARGUMENT,
    async (parent) => (await import('./processes/statement/statement-process.ts')).serveStatements(parent),
  ],
  [TASK_PROCESS_ARGUMENT, async (parent) => (await import('./processes/task/task-process.ts')).serveTasks(parent)],
  [
    BACKUP_PROCESS_ARGUMENT,
    async (parent) => (await import('./processes/backup/backup-process.ts')).serveBackup(parent),
  ],
  [
    SHIPPING_PROCESS_ARGUMENT,
    async (parent) => (await import('./processes/shipping/shipping-process.ts')).serveShipping(parent),
  ],
]);

/** Whether the arguments select the service. */
function startsService([word]: readonly string[]): boolean {
  return word === undefined || word === SERVE || (word.startsWith('-') && !OVERVIEW.has(word));
}

/** Whether the selected subcommand trusts the current folder. */
function readsEnvironmentFiles(argv: readonly string[]): boolean {
  const [word] = argv;
  if (PROCESSES.has(word)) return word === TASK_PROCESS_ARGUMENT;
  return startsService(argv) || TRUSTING.has(word);
}

/**
 * Runs the program. Without `await` at the top level, since Bun compiles only modules that have none. The service loads
 * nothing of the command line, and a subcommand nothing of the service that it does not need: scripts/build-service.ts
 * bundles them apart, so they share no class with each other or with this file, and handle their own errors.
 */
async function run(argv: readonly string[]): Promise<void> {
  // Timers do not keep the process alive, and startup may wait only for one, such as the next attempt to connect.
  const starting = keepAlive();
  const [word, parent] = argv;
  const runProcess = PROCESSES.get(word);
  if (IS_COMPILED && readsEnvironmentFiles(argv)) readEnvironmentFiles();
  if (runProcess !== undefined) {
    // It ends with the service.
    return runProcess(Number(parent));
  }
  if (startsService(argv)) {
    const { serve } = await import('./processes/main/serve.ts');
    await serve(argv[0] === SERVE ? argv.slice(1) : argv);
  } else {
    const { runClientSubcommand } = await import('./processes/command-line/client-subcommand.ts');
    await runClientSubcommand(argv);
    const { runSubcommand } = await import('./processes/command-line/subcommand.ts');
    await runSubcommand(argv);
  }
  starting.cancel();
}

// Files created from here on, including by SQLite and tasks, are accessible only to their owner.
process.umask(0o077);
void run(process.argv.slice(2));
