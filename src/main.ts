/** The program: reads the configuration, opens the engine, starts what answers, and ends cleanly. */
import { systemClock } from './base/clock.ts';
import { STOP_STEPS } from './base/limits.ts';
import { runTaskProcess, TASK_PROCESS_ARGUMENT } from './service/tasks/task-process.ts';
import { loadOwnConfiguration, loadTasks } from './wiring/launch.ts';
import { type RunningService, runService } from './wiring/run.ts';
import { startFailureText } from './wiring/start-failure.ts';

async function main(): Promise<void> {
  const argv = process.argv.slice(2);
  if (argv[0] === TASK_PROCESS_ARGUMENT) return runTaskProcess(loadTasks);
  if (argv[0] === 'migrate') {
    // Loaded when it is asked for: a service never does.
    const { runMigration } = await import('./wiring/migrate.ts');
    process.exit(await runMigration(argv.slice(1), systemClock));
  }
  const loaded = await loadOwnConfiguration(argv);
  if (loaded.kind === 'print') {
    process.stdout.write(loaded.text);
    return;
  }
  const service = await runService(loaded.configuration, argv, systemClock);
  process.stdout.write(`listening on ${service.url}\n`);
  stopOnSignals(service);
}

/** npm passes on a signal that the terminal has sent to this process too; both are one. */
const SAME_SIGNAL_MS = 1_000;
const PARENT_CHECK_MS = 500;

/**
 * The first signal ends cleanly: what is in work is answered, changes are committed. A later one ends at once. The end
 * of npm, where it started this process, is such a signal: nobody could stop the service by the process they know.
 */
function stopOnSignals(service: RunningService): void {
  let stoppingSinceMs: number | undefined;
  const stop = async (): Promise<void> => {
    stoppingSinceMs = systemClock.monotonicMs();
    // What was acknowledged is on disk, so a stop that takes too long is cut short.
    systemClock.after(STOP_STEPS.exitMs, () => {
      process.stderr.write('svc: The stop took too long and was cut short.\n');
      process.exit(1);
    });
    try {
      await service.stop();
      process.exit(0);
    } catch (error) {
      process.stderr.write(`svc: ${startFailureText(error)}\n`);
      process.exit(1);
    }
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stoppingSinceMs === undefined) void stop();
      else if (systemClock.monotonicMs() - stoppingSinceMs > SAME_SIGNAL_MS) process.exit(1);
    });
  }
  if (process.env.npm_lifecycle_event !== 'start') return;
  const parent = process.ppid;
  systemClock.every(PARENT_CHECK_MS, () => {
    if (process.ppid !== parent && stoppingSinceMs === undefined) void stop();
  });
}

// Whatever is created from here on, by SQLite and by tasks too, is the owner's alone.
process.umask(0o077);
try {
  await main();
} catch (error) {
  process.stderr.write(`svc: ${startFailureText(error)}\n`);
  process.exit(1);
}
